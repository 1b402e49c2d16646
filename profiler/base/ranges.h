/* ranges.h: a set of numbers (bytes of an array, say) as ranges, in ascending order, of which no
 * two touch.
 */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANGES_MAX = 1 << 16 }; /* of a set: a megabyte */

struct range {
    uint64_t begin, end; /* behind the last */
};

struct ranges { /* {0}: an empty set */
    struct range *items;
    size_t count;
};

/* False: no memory, or too many ranges; the set is as it was. */
bool ranges_add(struct ranges *ranges, uint64_t begin, uint64_t end);
/* The first range that ends behind a number, or NULL. */
const struct range *ranges_behind(const struct ranges *ranges, uint64_t number);
/* Whether all of these, or any of them, are in the set. */
bool ranges_hold(const struct ranges *ranges, uint64_t begin, uint64_t end);
bool ranges_meet(const struct ranges *ranges, uint64_t begin, uint64_t end);
/* The lowest number that is in both sets; false: there is none. */
bool ranges_common(const struct ranges *one, const struct ranges *other, uint64_t *number);
void ranges_free(struct ranges *ranges);

#endif
