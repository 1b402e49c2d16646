#include "emulator/guest/memory.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void memory_init(struct guest_memory *memory)
{
    *memory = (struct guest_memory){.next = GUEST_GLOBAL_BASE};
}

void memory_free(struct guest_memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++)
        ranges_free(&memory->regions[i].defined);
    free(memory->regions);
    memory_init(memory);
}

static unsigned region_after(const struct guest_memory *memory, uint64_t address)
{
    unsigned low = 0, high = memory->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (memory->regions[middle].base > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct memory_region *memory_map_at(struct guest_memory *memory, uint64_t base, unsigned char *host,
                                    uint64_t bytes, const char *name)
{
    if (base > GUEST_GLOBAL_END || bytes > GUEST_GLOBAL_END - base ||
        memory->count == MEMORY_MAX_REGIONS ||
        !array_make_room(&memory->regions, memory->count, sizeof *memory->regions))
        return NULL;
    unsigned at = region_after(memory, base);
    const struct memory_region *before = at ? &memory->regions[at - 1] : NULL;
    if ((before && base - before->base < before->bytes) ||
        (at < memory->count && memory->regions[at].base - base < bytes))
        return NULL;
    memmove(&memory->regions[at + 1], &memory->regions[at],
            (memory->count - at) * sizeof *memory->regions);
    memory->regions[at] =
        (struct memory_region){.base = base, .bytes = bytes, .host = host, .name = name};
    memory->count++;
    if (base + bytes > memory->next)
        memory->next = base + bytes;
    return &memory->regions[at];
}

struct memory_region *memory_map(struct guest_memory *memory, unsigned char *host, uint64_t bytes,
                                 uint64_t align, const char *name)
{
    return memory_map_at(memory, (memory->next + align - 1) / align * align, host, bytes, name);
}

void memory_define(struct memory_region *region, uint64_t begin, uint64_t end)
{
    if (!region->starts_undefined)
        return;
    if (ranges_add(&region->defined, begin, end) &&
        !ranges_contain(&region->defined, 0, region->bytes))
        return;
    region->starts_undefined = false;
    ranges_free(&region->defined);
}

bool memory_unmap(struct guest_memory *memory, uint64_t base)
{
    unsigned after = region_after(memory, base);
    if (!after || memory->regions[after - 1].base != base)
        return false;
    ranges_free(&memory->regions[after - 1].defined);
    memmove(&memory->regions[after - 1], &memory->regions[after],
            (memory->count - after) * sizeof *memory->regions);
    memory->count--;
    return true;
}

const struct memory_region *memory_find(const struct guest_memory *memory, uint64_t address)
{
    unsigned after = region_after(memory, address);
    const struct memory_region *region = after ? &memory->regions[after - 1] : NULL;
    return region && address - region->base < region->bytes ? region : NULL;
}

const struct memory_region *memory_find_heap(const struct guest_memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++)
        if (memory->regions[i].is_heap)
            return &memory->regions[i];
    return NULL;
}

/* Returns the region that an access probably missed, and its *distance in bytes. A small variable
 * with the lab's name follows the matrices. So matrices are preferred: for the comparison,
 * distances to variables are multiplied by 64. */
static const struct memory_region *memory_nearest(const struct guest_memory *memory,
                                                  uint64_t address, uint64_t *distance)
{
    const struct memory_region *nearest = NULL;
    uint64_t least = *distance = UINT64_MAX;
    for (unsigned i = 0; i < memory->count; i++) {
        const struct memory_region *region = &memory->regions[i];
        if (region->is_guard)
            continue;
        uint64_t end = region->base + region->bytes;
        uint64_t away = address < region->base ? region->base - address
                        : address >= end       ? address - end + 1
                                               : 0;
        uint64_t weight = region->is_variable ? 64 * away : away;
        if (weight < least) {
            least = weight;
            *distance = away;
            nearest = region;
        }
    }
    return nearest;
}

void memory_describe(const struct guest_memory *memory, uint64_t address, char *text, size_t size)
{
    if (address < 4096) {
        snprintf(text, size, "address 0x%" PRIx64 " (a null pointer)", address);
        return;
    }
    uint64_t distance;
    const struct memory_region *region = memory_find(memory, address);
    if (region && region->is_freed) {
        snprintf(text, size, "%s, byte %" PRIu64 "; this memory is already freed", region->name,
                 address - region->base);
        return;
    }
    if (region && region->is_heap) {
        char block[128];
        device_heap_describe(memory_heap(region), address - region->base, block, sizeof block);
        snprintf(text, size, "%s, %s", region->name, block);
        return;
    }
    region = memory_nearest(memory, address, &distance);
    if (!region || distance > (1 << 20) + 16 * region->bytes) {
        snprintf(text, size, "address 0x%" PRIx64 ", which does not belong to any array", address);
        return;
    }
    bool below = address < region->base, inside = address - region->base < region->bytes;
    if (!inside) {
        uint64_t unit = region->element_bytes ? region->element_bytes : 1;
        uint64_t elements = (distance + unit - 1) / unit;
        snprintf(text, size, "%s, %" PRIu64 " %s%s %s", region->name, elements,
                 region->element_bytes ? "element" : "byte", elements == 1 ? "" : "s",
                 below ? "before its beginning" : "past its end");
        return;
    }
    uint64_t offset = address - region->base;
    if (region->element_bytes && region->row_elements) {
        uint64_t index = offset / region->element_bytes;
        snprintf(text, size, "%s[%" PRIu64 "][%" PRIu64 "]", region->name,
                 index / region->row_elements, index % region->row_elements);
    } else if (region->element_bytes) {
        snprintf(text, size, "%s[%" PRIu64 "]", region->name, offset / region->element_bytes);
    } else {
        snprintf(text, size, "%s, byte %" PRIu64, region->name, offset);
    }
}
