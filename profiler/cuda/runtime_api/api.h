/* api.h: macros for the files with exported functions. */
#ifndef API_H
#define API_H

#include "cuda/abi.h"
#include "cuda/core/runtime.h"
#include "cuda/core/timeline.h"

/* CUDA's headers contain the prototypes, but tlab is built without them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* Some parameters, such as flags, have no effect in the emulator. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define EXPORT __attribute__((visibility("default")))

/* Executes a call, unless runtime_enter returns an error. */
#define API(...)                                                                                   \
    do {                                                                                           \
        int api_error = runtime_enter();                                                           \
        if (!api_error)                                                                            \
            api_error = (__VA_ARGS__);                                                             \
        return runtime_leave(api_error);                                                           \
    } while (0)

/* Defines an exported function: API_FUNCTION(name, (parameters), call). */
#define API_FUNCTION(name, parameters, ...)                                                        \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        API(__VA_ARGS__);                                                                          \
    }
/* Defines an exported function with a body. `kind` is API_FUNCTION or API_FUNCTION_PTSZ:
 * API_BODY(kind, name, (parameters), (names of the parameters)) { ... }. */
#define API_BODY(kind, name, parameters, arguments)                                                \
    static int name##_body parameters;                                                             \
    kind(name, parameters, name##_body arguments) static int name##_body parameters
/* Like API_FUNCTION, with a second name for programs with per-thread default streams: _ptsz for
 * functions with a stream parameter, _ptds for functions without. */
#define API_FUNCTION_PTSZ(name, parameters, ...)                                                   \
    API_FUNCTION(name, parameters, __VA_ARGS__)                                                    \
    ALIAS(name, name##_ptsz);
/* Defines `name`, which uses the default stream, and nameAsync, which has a stream parameter. */
#define API_FUNCTION_ASYNC(name, parameters, ...)                                                  \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        void *const stream = NULL;                                                                 \
        API(__VA_ARGS__);                                                                          \
    }                                                                                              \
    ALIAS(name, name##_ptds);                                                                      \
    API_FUNCTION_PTSZ(name##Async, (API_LIST parameters, void *stream), __VA_ARGS__)
#define API_LIST(...) __VA_ARGS__

/* Stores a value at a pointer of the program. The result is 0, or an error for a null pointer. */
#define GIVE(pointer, value) ((pointer) ? (*(pointer) = (value), 0) : ERROR_InvalidValue)

/* Like GIVE, for a pointer that may be null. */
#define MAY_GIVE(pointer, value) ((pointer) ? (void)(*(pointer) = (value)) : (void)0)

/* Evaluates `missing` if `lookup` is NULL or 0; otherwise `...`, with `found` = `lookup`. */
#define WITH(found, lookup, missing, ...)                                                          \
    ({                                                                                             \
        __typeof__(lookup) found = (lookup);                                                       \
        found ? (__VA_ARGS__) : (missing);                                                         \
    })
/* Like WITH, for the kernel of a handle or of a host function. */
#define WITH_KERNEL(found, handle, ...)                                                            \
    ({                                                                                             \
        int kernel_error;                                                                          \
        struct kernel *found = module_find_kernel(handle, &kernel_error);                          \
        found ? (__VA_ARGS__) : kernel_error;                                                      \
    })

/* Casts const away, for structures that describe both sources and destinations. */
static inline void *mutable(const void *pointer)
{
    union {
        const void *in;
        void *out;
    } same = {pointer};
    return same.out;
}

#define ALIAS(name, other) extern EXPORT __typeof__(name) other __attribute__((alias(#name)))

#endif
