#include "picture/block_places.h"

#include "process/allocate.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(struct block_places *places, uint64_t block)
{
    if (block < places->capacity)
        return true;
    if (block >= BLOCK_PLACES_MAX)
        return false;
    uint64_t capacity = places->capacity ? places->capacity : 1024;
    while (capacity <= block)
        capacity *= 2;
    struct block_rectangle(*more)[2][BLOCK_RECTANGLES] =
        allocate_checked(realloc(places->rectangles, capacity * sizeof *more));
    memset(more + places->capacity, 0, (capacity - places->capacity) * sizeof *more);
    places->rectangles = more;
    places->capacity = capacity;
    return true;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void extend(struct block_rectangle *rectangle, const struct block_rectangle *by)
{
    rectangle->low_x = least(rectangle->low_x, by->low_x);
    rectangle->low_y = least(rectangle->low_y, by->low_y);
    rectangle->high_x = most(rectangle->high_x, by->high_x);
    rectangle->high_y = most(rectangle->high_y, by->high_y);
}

/* Returns true if the rectangles share a row or a column. Mirrored tiles share neither. */
static bool belong_together(const struct block_rectangle *a, const struct block_rectangle *b)
{
    return a->base == b->base && ((a->low_x <= b->high_x && b->low_x <= a->high_x) ||
                                  (a->low_y <= b->high_y && b->low_y <= a->high_y));
}

/* Returns the rectangle of an access; `base` is 0 if the elements are not in one matrix. */
static struct block_rectangle access_rectangle(const struct guest_memory *memory,
                                               const struct observed_access *access)
{
    struct block_rectangle whole = {.base = 0};
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        const struct memory_region *region = memory_find(memory, access->address[lane]);
        if (!region || !region->row_elements || !region->element_bytes ||
            (whole.base && whole.base != region->base))
            return (struct block_rectangle){.base = 0};
        const uint64_t first = (access->address[lane] - region->base) / region->element_bytes,
                       x = first % region->row_elements, y = first / region->row_elements;
        const unsigned wide = access->bytes / region->element_bytes;
        const struct block_rectangle at = {region->base, (uint32_t)x, (uint32_t)y,
                                           (uint32_t)x + (wide ? wide - 1 : 0), (uint32_t)y};
        if (whole.base)
            extend(&whole, &at);
        else
            whole = at;
    }
    return whole;
}

static void note_rectangle(struct block_rectangle of_block[BLOCK_RECTANGLES],
                           const struct block_rectangle *at)
{
    unsigned i = 0;
    while (i < BLOCK_RECTANGLES && of_block[i].base && !belong_together(&of_block[i], at))
        i++;
    if (i < BLOCK_RECTANGLES && !of_block[i].base)
        of_block[i] = *at;
    else if (i < BLOCK_RECTANGLES || of_block[0].base == at->base)
        extend(&of_block[i % BLOCK_RECTANGLES], at);
    if (belong_together(&of_block[0], &of_block[1])) {
        extend(&of_block[0], &of_block[1]);
        of_block[1] = (struct block_rectangle){.base = 0};
    }
}

static void note_access(void *context, const struct observed_access *access)
{
    struct block_places *places = context;
    if (access->is_shared || !places->memory)
        return;
    const struct block_rectangle at = access_rectangle(places->memory, access);
    if (!at.base || !reserve(places, access->block))
        return;
    places->count = places->count > access->block ? places->count : access->block + 1;
    note_rectangle(places->rectangles[access->block][access->is_store], &at);
}

void block_places_begin(struct block_places *places)
{
    *places = (struct block_places){
        .observer = {.every_block = true, .access = note_access, .context = places}};
}

void block_places_free(struct block_places *places)
{
    free(places->rectangles);
    places->rectangles = NULL;
}

const struct block_rectangle *block_places_of(const struct block_places *places, uint64_t block,
                                              bool is_store)
{
    if (block >= places->count || !places->rectangles[block][is_store][0].base)
        return NULL;
    return places->rectangles[block][is_store];
}
