/* api_absent.c: the functions of absent.h. */
#include "cuda/runtime_api/absent.h"

#include "cuda/runtime_api/api.h"

#define X(name)                                                                                    \
    EXPORT int name(void)                                                                          \
    {                                                                                              \
        API(0);                                                                                    \
    }
RUNTIME_IDLE_LIST(X)
#undef X

#define X(name)                                                                                    \
    EXPORT int name(void)                                                                          \
    {                                                                                              \
        API(runtime_refuse(#name));                                                                \
    }
RUNTIME_ABSENT_LIST(X)
#undef X
