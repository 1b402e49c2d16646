/* block_places.c: see block_places.h. */
#include "picture/block_places.h"

#include <stdlib.h>
#include <string.h>

/* Room for a block's spans. False: no memory, or too many blocks. */
static bool reserve(struct block_places *places, uint64_t block)
{
    if (block < places->capacity)
        return true;
    if (block >= BLOCK_PLACES_MAX)
        return false;
    uint64_t capacity = places->capacity ? places->capacity : 1024;
    while (capacity <= block)
        capacity *= 2;
    struct block_span(*more)[2] = realloc(places->spans, capacity * sizeof *more);
    if (!more) {
        places->no_memory = true;
        return false;
    }
    memset(more + places->capacity, 0, (capacity - places->capacity) * sizeof *more);
    places->spans = more;
    places->capacity = capacity;
    return true;
}

static void note_access(void *context, const struct observed_access *access)
{
    struct block_places *places = context;
    if (access->is_shared || !reserve(places, access->block))
        return;
    struct block_span *span = &places->spans[access->block][access->is_store];
    places->count = places->count > access->block ? places->count : access->block + 1;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t address = access->address[lane];
        if (!(access->mask >> lane & 1))
            continue;
        span->low = span->is_used && span->low < address ? span->low : address;
        span->high = span->is_used && span->high > address ? span->high : address;
        span->is_used = true;
    }
}

void block_places_begin(struct block_places *places)
{
    *places = (struct block_places){
        .observer = {.every_block = true, .access = note_access, .context = places}};
}

void block_places_free(struct block_places *places)
{
    free(places->spans);
    places->spans = NULL;
}

bool block_places_rectangle(const struct block_places *places, const struct guest_memory *memory,
                            uint64_t block, bool is_store, struct block_rectangle *rectangle)
{
    if (block >= places->count || !places->spans[block][is_store].is_used)
        return false;
    const struct block_span *span = &places->spans[block][is_store];
    const struct memory_region *region = memory_find(memory, span->low);
    if (!region || !region->row_elements || !region->element_bytes ||
        memory_find(memory, span->high) != region)
        return false;
    uint64_t first = (span->low - region->base) / region->element_bytes,
             last = (span->high - region->base) / region->element_bytes;
    *rectangle = (struct block_rectangle){
        .low_x = first % region->row_elements,
        .low_y = first / region->row_elements,
        .high_x = last % region->row_elements,
        .high_y = last / region->row_elements,
        .address = span->low,
    };
    return rectangle->high_x >= rectangle->low_x;
}
