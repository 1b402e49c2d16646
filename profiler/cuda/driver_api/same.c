/* same.c: the functions of same.h. */
#include "driver/same.h"

#include "driver/driver.h"

/* Integers and pointers are passed in the same way whatever they mean (System V ABI; those of
 * AArch64 and RISC-V do it, too), and none of these has more than seven. */
typedef int same_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                          uintptr_t);

#define X(need, name, runtime_name)                                                                \
    extern same_function runtime_name;                                                             \
    EXPORT int name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f,  \
                    uintptr_t g)                                                                   \
    {                                                                                              \
        DRIVER(NEED_##need, runtime_name(a, b, c, d, e, f, g));                                    \
    }
DRIVER_SAME_LIST(X)
#undef X

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
