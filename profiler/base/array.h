/* array.h: a malloc'd array that grows as items are added. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Make room for the item with index `count`. `array` is the address of a pointer to a malloc'd
 * array that only this function grows. Returns false, without a change, if memory is exhausted. */
static inline bool array_make_room(void *array, size_t count, size_t item_bytes)
{
    void *items;
    if (count & (count - 1))
        return true;
    memcpy(&items, array, sizeof items);
    items = realloc(items, (count ? 2 * count : 1) * item_bytes);
    if (items)
        memcpy(array, &items, sizeof items);
    return items;
}

#endif
