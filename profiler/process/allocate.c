#define _GNU_SOURCE
#include "process/allocate.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *allocate_checked(void *memory)
{
    static const char message[] = "tlab: not enough memory\n";
    if (!memory) {
        (void)!write(STDERR_FILENO, message, sizeof message - 1);
        _exit(ALLOCATE_EXIT_STATUS);
    }
    return memory;
}

char *allocate_format(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return allocate_checked(length < 0 ? NULL : text);
}

void allocate_room(void *array, size_t count, size_t item_bytes)
{
    if (!array_make_room(array, count, item_bytes))
        allocate_checked(NULL);
}
