/* api.h: what the files of exported functions share. */
#ifndef API_H
#define API_H

#include "cuda/abi.h"
#include "cuda/core/runtime.h"
#include "cuda/core/timeline.h"

/* Programs have their prototypes from CUDA's headers, which tlab is built without. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* ... and parameters that change nothing here, such as flags of which all are alike. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define EXPORT __attribute__((visibility("default")))

/* The whole body of most functions: carry a call out when there is no error already. */
#define API(...)                                                                                   \
    do {                                                                                           \
        int api_error = runtime_enter();                                                           \
        if (!api_error)                                                                            \
            api_error = (__VA_ARGS__);                                                             \
        return runtime_leave(api_error);                                                           \
    } while (0)

/* An exported function that carries a call out: API_FUNCTION(name, (parameters), call). */
#define API_FUNCTION(name, parameters, ...)                                                        \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        API(__VA_ARGS__);                                                                          \
    }
/* The same with a second name, for programs with default streams of each thread: _ptsz of functions
 * that take a stream, _ptds of others. */
#define API_FUNCTION_PTSZ(name, parameters, ...)                                                   \
    API_FUNCTION(name, parameters, __VA_ARGS__)                                                    \
    ALIAS(name, name##_ptsz);
#define API_FUNCTION_PTDS(name, parameters, ...)                                                   \
    API_FUNCTION(name, parameters, __VA_ARGS__)                                                    \
    ALIAS(name, name##_ptds);
/* What is done in a stream, in two forms: in the default stream, and with Async behind the name in
 * the stream that is given last. */
#define API_FUNCTION_ASYNC(name, parameters, ...)                                                  \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        void *const stream = NULL;                                                                 \
        API(__VA_ARGS__);                                                                          \
    }                                                                                              \
    ALIAS(name, name##_ptds);                                                                      \
    API_FUNCTION_PTSZ(name##Async, (API_LIST parameters, void *stream), __VA_ARGS__)
#define API_LIST(...) __VA_ARGS__

/* Give the program a value where it wants it: an expression of 0, or of the error that a null
 * pointer is. */
#define GIVE(pointer, value) ((pointer) ? (*(pointer) = (value), 0) : ERROR_InvalidValue)

/* What the program gave as const, for structures that serve both directions. */
static inline void *mutable(const void *pointer)
{
    union {
        const void *in;
        void *out;
    } same = {pointer};
    return same.out;
}

/* The function under a second name: the form for per-thread default streams, another version. */
#define ALIAS(name, other) extern EXPORT __typeof__(name) other __attribute__((alias(#name)))

#endif
