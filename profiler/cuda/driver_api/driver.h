/* driver.h: CUDA's driver API on the state of the runtime (cuda/core/runtime.h): the same memory,
 * streams, events and kernels, with the same handles.
 *
 * Theory of operation. The two APIs share the numbers of errors, attributes and flags, and most
 * functions of the driver do what one of the runtime does with the same arguments: these are rows
 * of a table (same.h). What has other arguments calls the runtime's function, too (memory.c), or
 * stands here because only the driver has it: contexts (context.c), modules and launches of their
 * kernels (program.c). libcuda.so.1 and libcudart.so.12 and .13 need one library that has all of
 * it, libtlab_cuda.so, so that a program which uses several of them finds one state.
 * libraries/nvrtc.c lets NVRTC compile for the emulator.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include "cuda/core/heap.h"
#include "cuda/core/module.h"
#include "cuda/runtime_api/api.h"

/* What must have been before a call. */
enum driver_need {
    NEED_NOTHING,
    NEED_INIT,    /* cuInit, or any call of the runtime */
    NEED_CONTEXT, /* a context that is current to the thread */
};

/* Begin a call: 0, or what it must return at once. driver_leave gives back the CUresult for an
 * error of the runtime; the thread's last error, which is the runtime's, stays as it was. */
struct driver_call {
    struct runtime_thread thread;
};
int driver_enter(struct driver_call *call, enum driver_need need);
int driver_leave(const struct driver_call *call, int error);

/* The whole body of most functions. */
#define DRIVER(need, ...)                                                                          \
    do {                                                                                           \
        struct driver_call driver_call;                                                            \
        int driver_error = driver_enter(&driver_call, need);                                       \
        if (!driver_error)                                                                         \
            driver_error = (__VA_ARGS__);                                                          \
        return driver_leave(&driver_call, driver_error);                                           \
    } while (0)

/* An exported function that carries a call out; see API_FUNCTION. */
#define DRIVER_FUNCTION(need, name, parameters, ...)                                               \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        DRIVER(need, __VA_ARGS__);                                                                 \
    }

#endif
