/* driver.h: CUDA's driver API on the state of the runtime (cuda/core/runtime.h). Most functions are
 * equivalent to a runtime function with the same arguments; they are rows of a table (same.h).
 * Other functions convert their arguments and call the runtime function (memory.c). Only the driver
 * API has contexts (context.c), modules and launches of their kernels (program.c). A program that
 * uses libcuda.so.1 and libcudart has one state, because all these libraries depend on
 * libtlab_cuda.so, which contains the implementation. */
#ifndef DRIVER_H
#define DRIVER_H

#include "cuda/core/heap.h"
#include "cuda/core/module.h"
#include "cuda/runtime_api/api.h"

enum driver_need {
    NEED_NOTHING,
    NEED_INIT,    /* cuInit was called, or the thread has called the runtime API. */
    NEED_CONTEXT, /* The thread has a current context. */
};

/* Start a call, and save the state of the thread in *saved. Returns 0, or the error that the call
 * must return. driver_leave restores the runtime's last error, and returns `error` as CUresult. */
int driver_enter(struct runtime_thread *saved, enum driver_need need);
int driver_leave(const struct runtime_thread *saved, int error);

#define DRIVER(need, ...)                                                                          \
    do {                                                                                           \
        struct runtime_thread saved_thread;                                                        \
        int driver_error = driver_enter(&saved_thread, need);                                      \
        if (!driver_error)                                                                         \
            driver_error = (__VA_ARGS__);                                                          \
        return driver_leave(&saved_thread, driver_error);                                          \
    } while (0)

/* Defines an exported function that executes a call; see API_FUNCTION. */
#define DRIVER_FUNCTION(need, name, parameters, ...)                                               \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        DRIVER(need, __VA_ARGS__);                                                                 \
    }
#define DRIVER_BODY(need, name, parameters, arguments)                                             \
    static int name##_body parameters;                                                             \
    DRIVER_FUNCTION(need, name, parameters, name##_body arguments)                                 \
    static int name##_body parameters

#endif
