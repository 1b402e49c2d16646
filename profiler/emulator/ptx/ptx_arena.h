/* ptx_arena.h: memory of the PTX parser. A module has thousands of small objects with one lifetime,
 * so they are allocated from an arena. While a function is being parsed, its parts grow in vectors,
 * which are moved into the arena at the end. A NULL result means that memory is exhausted. */
#ifndef PTX_ARENA_H
#define PTX_ARENA_H

#include <stddef.h>

struct ptx_arena;

struct ptx_arena *ptx_arena_create(void);
void ptx_arena_free(struct ptx_arena *arena);

/* Allocate `bytes` zeroed bytes, aligned to 16. The pointer is valid even if `bytes` is 0. */
void *ptx_arena_allocate(struct ptx_arena *arena, size_t bytes);
char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t length);

/* A growing array. Initialize it with {.item_bytes = sizeof(item)}. The caller frees `items`. */
struct ptx_vector {
    void *items;
    size_t count, capacity, item_bytes;
};

/* Append `count` zeroed items and return the first. Pointers to earlier items become invalid. */
void *ptx_vector_extend(struct ptx_vector *vector, size_t count);
static inline void *ptx_vector_push(struct ptx_vector *vector)
{
    return ptx_vector_extend(vector, 1);
}
/* Copy the items to the arena and empty the vector. Returns the copied items. */
void *ptx_vector_move(struct ptx_vector *vector, struct ptx_arena *arena);

#endif
