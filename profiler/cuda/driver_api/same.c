/* same.c: the functions of same.h. abi_test.sh compares their parameters with the runtime's. */
#include "cuda/driver_api/same.h"

#include "cuda/driver_api/driver.h"

/* Integer and pointer arguments are passed in the same way (System V ABI of x86-64, AArch64 and
 * RISC-V). No function of same.h has more than seven arguments. */
typedef int same_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                          uintptr_t);

#define SAME(need, name, runtime_name)                                                             \
    extern same_function runtime_name;                                                             \
    EXPORT int name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f,  \
                    uintptr_t g)                                                                   \
    {                                                                                              \
        DRIVER(NEED_##need, runtime_name(a, b, c, d, e, f, g));                                    \
    }
#define NAMESAKE(need, name) SAME(need, cu##name, cuda##name)
#define STREAM(name, runtime_name)                                                                 \
    SAME(CONTEXT, name, runtime_name)                                                              \
    ALIAS(name, name##_ptsz);
#define STREAM_NAMESAKE(name) STREAM(cu##name, cuda##name)
DRIVER_NAMESAKE_LIST(NAMESAKE)
DRIVER_STREAM_NAMESAKE_LIST(STREAM_NAMESAKE)
DRIVER_STREAM_LIST(STREAM)
DRIVER_SAME_LIST(SAME)

#define X(name)                                                                                    \
    EXPORT int name(void)                                                                          \
    {                                                                                              \
        DRIVER(NEED_INIT, 0);                                                                      \
    }
DRIVER_IDLE_LIST(X)
#undef X

#define X(name)                                                                                    \
    EXPORT int name(void)                                                                          \
    {                                                                                              \
        DRIVER(NEED_NOTHING, runtime_refuse(#name));                                               \
    }
DRIVER_ABSENT_LIST(X)
#undef X
