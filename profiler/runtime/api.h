/* api.h: what the files of exported functions share. */
#ifndef API_H
#define API_H

#include "runtime/runtime.h"
#include "runtime/timeline.h"

/* Programs have their prototypes from CUDA's headers, which tlab is built without. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EXPORT __attribute__((visibility("default")))

/* The whole body of most functions: carry `call` out when there is no error already. */
#define API(call)                                                                                  \
    do {                                                                                           \
        int api_error = runtime_enter();                                                           \
        if (!api_error)                                                                            \
            api_error = (call);                                                                    \
        return runtime_leave(api_error);                                                           \
    } while (0)

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
