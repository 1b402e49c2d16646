/* ptx_arena.c: a list of memory blocks, the newest first. Allocation advances a cursor in the
 * newest block. A large object has its own block, which is inserted after the newest block. */
#include "emulator/ptx/ptx_arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 << 10, ALIGNMENT = 16 };

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

struct ptx_arena {
    struct block *newest;
};

struct ptx_arena *ptx_arena_create(void)
{
    return calloc(1, sizeof(struct ptx_arena));
}

void ptx_arena_free(struct ptx_arena *arena)
{
    if (!arena)
        return;
    for (struct block *block = arena->newest, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

void *ptx_arena_allocate(struct ptx_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - ALIGNMENT - sizeof(struct block))
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct block *block = arena->newest;
    bool is_large = bytes > BLOCK_BYTES / 4;
    if (is_large || !block || block->size - block->used < bytes) {
        size_t size = is_large ? bytes : BLOCK_BYTES;
        struct block **place = is_large && block ? &block->next : &arena->newest;
        block = calloc(1, sizeof *block + size);
        if (!block)
            return NULL;
        *block = (struct block){.next = *place, .size = size};
        *place = block;
    }
    void *result = block->bytes + block->used;
    block->used += bytes;
    return result;
}

char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t length)
{
    char *copy = ptx_arena_allocate(arena, length + 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

void *ptx_vector_extend(struct ptx_vector *vector, size_t count)
{
    if (count > vector->capacity - vector->count) {
        size_t limit = SIZE_MAX / vector->item_bytes / 2;
        if (vector->capacity > limit || count > limit - vector->count)
            return NULL;
        size_t needed = vector->count + count;
        size_t capacity = vector->capacity ? vector->capacity * 2 : 16;
        if (capacity < needed)
            capacity = needed;
        void *items = realloc(vector->items, capacity * vector->item_bytes);
        if (!items)
            return NULL;
        vector->items = items;
        vector->capacity = capacity;
    }
    void *first = (unsigned char *)vector->items + vector->count * vector->item_bytes;
    memset(first, 0, count * vector->item_bytes);
    vector->count += count;
    return first;
}

void *ptx_vector_move(struct ptx_vector *vector, struct ptx_arena *arena)
{
    size_t bytes = vector->count * vector->item_bytes;
    void *copy = ptx_arena_allocate(arena, bytes);
    if (!copy)
        return NULL;
    if (bytes)
        memcpy(copy, vector->items, bytes);
    vector->count = 0;
    return copy;
}
