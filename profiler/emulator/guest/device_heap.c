/* device_heap.c: the heap of malloc() in kernels. The region contains the number of the granule
 * where the next search begins, one state byte (mark) per granule, and the granules. */
#include "emulator/guest/device_heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MARK_FREE,
    MARK_FREED,
    MARK_AFTER,      /* The unused granule that follows a block. */
    MARK_BYTES = 31, /* Mask for the number of the granule's bytes that belong to a block. */
    MARK_FIRST = 32,
    MARK_BLOCK = 64,
    MARKS_AT = 16,
};

struct heap {
    unsigned char *host, *marks;
    uint64_t granules;
    uint64_t begin;
};

uint64_t device_heap_region_bytes(uint64_t limit)
{
    uint64_t granules = limit / HEAP_ALIGN + 1;
    return MARKS_AT + (granules + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN + granules * HEAP_ALIGN;
}

static struct heap heap_of(struct device_heap region)
{
    uint64_t granules = (region.bytes - MARKS_AT) / (HEAP_ALIGN + 1);
    uint64_t begin = (region.bytes - granules * HEAP_ALIGN) / HEAP_ALIGN * HEAP_ALIGN;
    return (struct heap){region.host, region.host + MARKS_AT, granules, begin};
}

static uint64_t find_room(const struct heap *heap, uint64_t from, uint64_t count)
{
    uint64_t found = 0;
    for (uint64_t at = from; at < heap->granules; at++) {
        found = heap->marks[at] <= MARK_FREED ? found + 1 : 0;
        if (found == count)
            return at + 1 - count;
    }
    return heap->granules;
}

uint64_t device_heap_allocate(struct device_heap region, uint64_t bytes)
{
    struct heap heap = heap_of(region);
    if (!bytes || bytes > heap.granules * HEAP_ALIGN)
        return 0;
    uint64_t granules = (bytes + HEAP_ALIGN - 1) / HEAP_ALIGN, from, at;
    memcpy(&from, heap.host, sizeof from);
    at = find_room(&heap, from, granules + 1);
    if (at == heap.granules)
        at = find_room(&heap, 0, granules + 1);
    if (at == heap.granules)
        return 0;
    memset(heap.marks + at, MARK_BLOCK | HEAP_ALIGN, granules);
    heap.marks[at + granules - 1] =
        (unsigned char)(MARK_BLOCK | (bytes - (granules - 1) * HEAP_ALIGN));
    heap.marks[at] |= MARK_FIRST;
    heap.marks[at + granules] = MARK_AFTER;
    from = at + granules + 1;
    memcpy(heap.host, &from, sizeof from);
    return heap.begin + at * HEAP_ALIGN;
}

static unsigned mark_at(const struct heap *heap, uint64_t offset)
{
    return offset < heap->begin ? MARK_FREE : heap->marks[(offset - heap->begin) / HEAP_ALIGN];
}

bool device_heap_is_new(struct device_heap region)
{
    uint64_t from;
    memcpy(&from, region.host, sizeof from);
    return !from;
}

static uint64_t block_bytes(const struct heap *heap, uint64_t first)
{
    uint64_t bytes = 0;
    for (uint64_t at = first; at < heap->granules && heap->marks[at] != MARK_AFTER; at++)
        bytes += heap->marks[at] & MARK_BYTES;
    return bytes;
}

uint64_t device_heap_block_bytes(struct device_heap region, uint64_t offset)
{
    struct heap heap = heap_of(region);
    return offset % HEAP_ALIGN || !(mark_at(&heap, offset) & MARK_FIRST)
               ? 0
               : block_bytes(&heap, (offset - heap.begin) / HEAP_ALIGN);
}

bool device_heap_free(struct device_heap region, uint64_t offset)
{
    struct heap heap = heap_of(region);
    unsigned mark = mark_at(&heap, offset);
    if (offset % HEAP_ALIGN || !(mark & MARK_FIRST))
        return false;
    uint64_t at = (offset - heap.begin) / HEAP_ALIGN;
    while (at < heap.granules && heap.marks[at] != MARK_AFTER)
        heap.marks[at++] = MARK_FREED;
    if (at < heap.granules)
        heap.marks[at] = MARK_FREED;
    return true;
}

bool device_heap_allows(struct device_heap region, uint64_t offset, uint64_t bytes)
{
    struct heap heap = heap_of(region);
    if (!(mark_at(&heap, offset) & MARK_BLOCK))
        return false;
    for (uint64_t at = offset, end = offset + bytes; at < end;) {
        unsigned mark = mark_at(&heap, at);
        uint64_t granule = at / HEAP_ALIGN * HEAP_ALIGN;
        uint64_t within = end - granule < HEAP_ALIGN ? end - granule : HEAP_ALIGN;
        if (!(mark & MARK_BLOCK) || within > (mark & MARK_BYTES))
            return false;
        at = granule + HEAP_ALIGN;
    }
    return true;
}

void device_heap_describe(struct device_heap region, uint64_t offset, char *text, size_t size)
{
    struct heap heap = heap_of(region);
    unsigned mark = mark_at(&heap, offset);
    uint64_t at = offset < heap.begin ? 0 : (offset - heap.begin) / HEAP_ALIGN, first = at;
    if (mark == MARK_AFTER)
        first--;
    if (mark <= MARK_FREED) {
        snprintf(text, size, "%s",
                 mark == MARK_FREED ? "an allocation that is already freed"
                                    : "outside all allocations");
        return;
    }
    while (first > 0 && !(heap.marks[first] & MARK_FIRST))
        first--;
    uint64_t bytes = block_bytes(&heap, first);
    snprintf(text, size, "byte %" PRIu64 " of an allocation of %" PRIu64 " byte%s",
             offset - heap.begin - first * HEAP_ALIGN, bytes, bytes == 1 ? "" : "s");
}
