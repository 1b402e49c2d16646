/* launch.h: one launch of a kernel, to its end. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "runtime/module.h"
#include "runtime/timeline.h"

/* A launch that waits for nothing but to be carried out; a graph keeps such. */
struct launch {
    struct kernel *kernel;
    struct dimensions grid, block;
    uint64_t dynamic_shared;
    bool is_cooperative;
    unsigned char *params; /* as the kernel declares them; malloc'd */
};

struct launch_attribute { /* cudaLaunchAttribute: a number, then a value at byte 8 */
    int id;
    char padding[4];
    union {
        char bytes[64];
        int cooperative;
        struct dimensions cluster;
    } value;
};
/* What attributes ask for: 0 or an error. */
int launch_attributes(const struct launch_attribute *attributes, unsigned count,
                      bool *is_cooperative);

struct function_attributes { /* cudaFuncAttributes */
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared;
    int carveout, cluster[7], reserved[16];
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
