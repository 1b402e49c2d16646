#include "base/ranges.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

const struct range *ranges_after(const struct ranges *ranges, uint64_t number)
{
    size_t low = 0, high = ranges->count;
    if (high && ranges->items[high - 1].end <= number)
        return NULL;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges->items[middle].end > number)
            high = middle;
        else
            low = middle + 1;
    }
    return low < ranges->count ? &ranges->items[low] : NULL;
}

bool ranges_add(struct ranges *ranges, uint64_t begin, uint64_t end)
{
    if (begin >= end)
        return true;
    /* The ranges from `first` to `last` - 1 overlap or touch the new range. */
    const struct range *found = begin ? ranges_after(ranges, begin - 1) : ranges->items;
    size_t first = found ? (size_t)(found - ranges->items) : ranges->count, last = first;
    while (last < ranges->count && ranges->items[last].begin <= end)
        last++;
    if (first == last) {
        if (ranges->count == RANGES_MAX ||
            !array_make_room(&ranges->items, ranges->count, sizeof *ranges->items))
            return false;
        memmove(&ranges->items[first + 1], &ranges->items[first],
                (ranges->count - first) * sizeof *ranges->items);
        ranges->items[first] = (struct range){begin, end};
        ranges->count++;
        return true;
    }
    struct range *whole = &ranges->items[first];
    uint64_t last_end = ranges->items[last - 1].end;
    whole->begin = begin < whole->begin ? begin : whole->begin;
    whole->end = end > last_end ? end : last_end;
    memmove(whole + 1, &ranges->items[last], (ranges->count - last) * sizeof *ranges->items);
    ranges->count -= last - first - 1;
    return true;
}

bool ranges_contain(const struct ranges *ranges, uint64_t begin, uint64_t end)
{
    const struct range *found = ranges_after(ranges, begin);
    return begin >= end || (found && found->begin <= begin && found->end >= end);
}

bool ranges_contain_any(const struct ranges *ranges, uint64_t begin, uint64_t end)
{
    const struct range *found = ranges_after(ranges, begin);
    return begin < end && found && found->begin < end;
}

bool ranges_common(const struct ranges *one, const struct ranges *other, uint64_t *number)
{
    for (uint64_t at = 0;;) {
        const struct range *a = ranges_after(one, at), *b = ranges_after(other, at);
        if (!a || !b)
            return false;
        uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
        at = begin > at ? begin : at;
        *number = at;
        if (at < a->end && at < b->end)
            return true;
    }
}

void ranges_free(struct ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct ranges){0};
}
