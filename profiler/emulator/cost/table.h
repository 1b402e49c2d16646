/* table.h: memory for tables of megabytes of which a launch touches most pages, in no order.
 *
 * The host gives large pages for them (2 MB each) where it can, so that it takes one fault where it
 * would take hundreds. They come from the host at every launch: malloc would keep them among small
 * memory, and give and take small pages.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

/* All zero, 64-byte aligned. NULL: no memory. */
void *table_create(size_t bytes);
/* Of as many bytes; NULL is allowed. */
void table_free(void *table, size_t bytes);

#endif
