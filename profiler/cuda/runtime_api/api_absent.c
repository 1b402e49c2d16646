/* api_absent.c: functions that do nothing here, and those that are not there. */
#include "cuda/runtime_api/absent.h"

#include "cuda/runtime_api/api.h"

/* Advice and settings that change nothing in an emulator. Whatever arguments come are not looked
 * at. */
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
