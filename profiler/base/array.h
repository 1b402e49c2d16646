/* array.h: a malloc'd array that grows as items are added. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Make room for item number `count` (from 0). `array` is the address of a pointer to an array that
 * only this function has grown. If there is not enough memory, changes nothing and returns
 * false. */
static inline bool array_make_room(void *array, size_t count, size_t item_bytes)
{
    void *items;
    if (count & (count - 1)) /* the capacity is the next power of two */
        return true;
    memcpy(&items, array, sizeof items);
    items = realloc(items, (count ? 2 * count : 1) * item_bytes);
    if (items)
        memcpy(array, &items, sizeof items);
    return items;
}

#endif
