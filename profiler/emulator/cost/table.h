/* table.h: memory for tables of several megabytes, in large pages (2 MiB) of the host if possible.
 * malloc would use small pages, which cause hundreds of page faults. */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

/* Returns `bytes` bytes of zeroed memory, aligned to 64 bytes, or NULL if memory is exhausted. */
void *table_create(size_t bytes);
/* Free a table of `bytes` bytes; NULL is allowed. */
void table_free(void *table, size_t bytes);

#endif
