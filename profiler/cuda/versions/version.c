/* version.c: the functions of version.h, compiled for each library with VERSION 12 or 13. */
#include "cuda/versions/version.h"

#include <stdint.h>

#ifndef VERSION
#define VERSION 13
#endif

#define FORM(name, version) FORM_OF(name, version)
#define FORM_OF(name, version) name##_##version

typedef int form(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                 uintptr_t, uintptr_t);

#define PLAIN(name, form_name)                                                                     \
    extern form form_name;                                                                         \
    form name;                                                                                     \
    __attribute__((visibility("default"))) int name(uintptr_t a, uintptr_t b, uintptr_t c,         \
                                                    uintptr_t d, uintptr_t e, uintptr_t f,         \
                                                    uintptr_t g, uintptr_t h, uintptr_t i)         \
    {                                                                                              \
        return form_name(a, b, c, d, e, f, g, h, i);                                               \
    }
#define X(name) PLAIN(name, FORM(name, VERSION))
VERSION_LIST(X)
VERSION_STREAM_LIST(X)
#undef X
#define X(name) PLAIN(name##_ptsz, FORM(name, VERSION))
VERSION_STREAM_LIST(X)
