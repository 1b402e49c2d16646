/* api_absent.c: functions that do nothing here, and those that are not there. */
#include "runtime/absent.h"

#include "runtime/api.h"

/* Advice and settings that change nothing in an emulator. Whatever arguments come are not looked at. */
#define X(name)                                                                                    \
    EXPORT int name(void)                                                                          \
    {                                                                                              \
        API(0);                                                                                    \
    }
RUNTIME_IDLE_LIST(X)
#undef X

static int refuse(const char *name)
{
    enum { MAX_NAMES = 512 };
    static const char *said[MAX_NAMES];
    static unsigned count;
    for (unsigned i = 0; i < count; i++)
        if (said[i] == name)
            return ERROR_NotSupported;
    if (count < MAX_NAMES)
        said[count++] = name;
    fflush(stdout);
    fprintf(stderr, "tlab: %s is not emulated: it returns cudaErrorNotSupported\n", name);
    return ERROR_NotSupported;
}

#define X(name)                                                                                    \
    EXPORT int name(void)                                                                          \
    {                                                                                              \
        API(refuse(#name));                                                                        \
    }
RUNTIME_ABSENT_LIST(X)
#undef X
