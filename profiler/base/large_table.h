/* large_table.h: tables of many megabytes that are used here and there. */
#ifndef LARGE_TABLE_H
#define LARGE_TABLE_H

#include <stddef.h>

/* calloc, for a table of which a launch touches most pages, in no order: asks for large pages (2 MB
 * each, where one fits), so that the host takes one fault where it would take hundreds. The large
 * pages that are never touched cost nothing. The caller frees it with free(). NULL: no memory. */
void *large_table_create(size_t count, size_t size);

#endif
