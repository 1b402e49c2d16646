/* ranges.h: a set of numbers, such as the bytes of an array, as ascending ranges that do not
 * touch. */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANGES_MAX = 1 << 16 }; /* maximum number of ranges in a set (1 MB) */

struct range {
    uint64_t begin, end; /* end: one past the last number */
};

struct ranges { /* {0}: an empty set */
    struct range *items;
    size_t count;
};

/* Add the numbers from `begin` to before `end`. If there is not enough memory or there are too many
 * ranges, changes nothing and returns false. */
bool ranges_add(struct ranges *ranges, uint64_t begin, uint64_t end);
/* Returns the first range that ends after `number`, or NULL. */
const struct range *ranges_after(const struct ranges *ranges, uint64_t number);
/* Return true if the set contains all numbers (_any: a number) from `begin` to before `end`. */
bool ranges_contain(const struct ranges *ranges, uint64_t begin, uint64_t end);
bool ranges_contain_any(const struct ranges *ranges, uint64_t begin, uint64_t end);
/* Set *number to the lowest number that is in both sets. Returns false if there is none. */
bool ranges_common(const struct ranges *one, const struct ranges *other, uint64_t *number);
void ranges_free(struct ranges *ranges);

#endif
