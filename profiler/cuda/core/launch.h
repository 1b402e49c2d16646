/* launch.h: run one kernel launch to completion. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "cuda/core/module.h"
#include "cuda/core/timeline.h"

struct launch {
    struct kernel *kernel;
    struct dimensions grid, block;
    uint64_t dynamic_shared;
    bool is_cooperative;
    unsigned char *params; /* Parameter buffer in the kernel's layout; malloc'd. */
};

/* launch_arguments returns an array of pointers into launch->params. Both results are malloc'd. */
void **launch_arguments(const struct launch *launch);
unsigned char *launch_copy_params(const struct launch *launch);

/* Returns 0, or a CUDA error for an invalid launch. A kernel's error becomes runtime.pending. */
int launch_run(const struct launch *launch, struct stream *stream);

#endif
