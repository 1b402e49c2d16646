/* verdict.c: see verdict.h. */
#include "course/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void report_add(struct report *report, const char *format, ...)
{
    size_t length = strlen(report->text);
    if (report->lines == REPORT_MAX_LINES)
        return;
    if (report->lines++ && length + 1 < sizeof report->text)
        report->text[length++] = '\n';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text + length, sizeof report->text - length, format, arguments);
    va_end(arguments);
}
