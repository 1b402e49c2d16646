/* ranges.h: a set of numbers, such as byte addresses, as sorted ranges with gaps between them. */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANGES_MAX = 1 << 16 }; /* maximum number of ranges in a set (1 MiB) */

struct range {
    uint64_t begin, end;
};

struct ranges {
    struct range *items;
    size_t count;
};

/* Add [begin, end). Returns false, without a change, if the set or the memory is full. */
bool ranges_add(struct ranges *ranges, uint64_t begin, uint64_t end);
/* Returns the first range with an end above `number`; NULL if there is none. */
const struct range *ranges_after(const struct ranges *ranges, uint64_t number);
/* ranges_contain returns true if the set contains all numbers in [begin, end). ranges_contain_any
 * returns true if the set contains at least one of these numbers. */
bool ranges_contain(const struct ranges *ranges, uint64_t begin, uint64_t end);
bool ranges_contain_any(const struct ranges *ranges, uint64_t begin, uint64_t end);
/* Set *number to the lowest number that both sets contain. Returns false if there is none. */
bool ranges_common(const struct ranges *one, const struct ranges *other, uint64_t *number);
void ranges_free(struct ranges *ranges);

#endif
