/* launch.h: one launch of a kernel, to its end. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "cuda/core/module.h"
#include "cuda/core/timeline.h"

/* A launch with its arguments. */
struct launch {
    struct kernel *kernel;
    struct dimensions grid, block;
    uint64_t dynamic_shared;
    bool is_cooperative;
    unsigned char *params; /* as the kernel declares them; malloc'd */
};

/* Pack the arguments, a pointer to each, as the kernel declares its parameters. 0 or an error. */
int launch_pack(struct launch *launch, void *const *arguments);
/* The reverse: a pointer to each argument, in a malloc'd array; they point into the launch. */
void **launch_arguments(const struct launch *launch);
unsigned char *launch_copy_params(const struct launch *launch);
void launch_free(struct launch *launch);

/* Check the launch against the device's limits, run and record it. What is wrong with the shape is
 * returned; what the kernel does wrong is pending afterwards (runtime.h). */
int launch_run(const struct launch *launch, struct stream *stream);

#endif
