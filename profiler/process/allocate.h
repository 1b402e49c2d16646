/* allocate.h: memory for processes that cannot continue without it. If memory is exhausted, the
 * process ends with status ALLOCATE_EXIT_STATUS. */
#ifndef ALLOCATE_H
#define ALLOCATE_H

#include <stddef.h>

enum { ALLOCATE_EXIT_STATUS = 2 };

/* Returns `memory`, the result of malloc, calloc, strdup or a similar function; never NULL. */
void *allocate_checked(void *memory);

/* Returns the formatted text, malloc'd; never NULL. */
char *allocate_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

void allocate_room(void *array, size_t count, size_t item_bytes);

#endif
