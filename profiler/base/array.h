/* array.h: a malloc'd array that grows as items are added. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Make room for item number `count` (from 0) of the array to which `array` points, which was grown
 * by this function only. False: no memory; the array is as it was. */
static inline bool array_make_room(void *array, size_t count, size_t item_bytes)
{
    void *items;
    if (count & (count - 1)) /* it has room for the next power of two */
        return true;
    memcpy(&items, array, sizeof items);
    items = realloc(items, (count ? 2 * count : 1) * item_bytes);
    if (items)
        memcpy(array, &items, sizeof items);
    return items;
}

#endif
