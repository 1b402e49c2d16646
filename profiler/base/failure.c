#include "base/failure.h"

#include <stdarg.h>
#include <stdio.h>

const char *status_name(enum status status)
{
    static const char *const names[STATUS_COUNT] = {
#define X(id, text) text,
        STATUS_LIST(X)
#undef X
    };
    return (unsigned)status < STATUS_COUNT ? names[status] : "unknown";
}

bool failure_student(struct failure *failure, enum status status, const char *format, ...)
{
    if (failure->kind != FAILURE_NONE)
        return false;
    failure->kind = FAILURE_STUDENT;
    failure->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    return false;
}

bool failure_harness(struct failure *failure, const char *format, ...)
{
    if (failure->kind == FAILURE_HARNESS)
        return false;
    failure->kind = FAILURE_HARNESS;
    failure->status = STATUS_OK;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    return false;
}

int failure_exit_status(const struct failure *failure)
{
    return failure->kind == FAILURE_HARNESS ? 2 : failure->kind == FAILURE_STUDENT ? 1 : 0;
}
