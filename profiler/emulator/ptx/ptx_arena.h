/* ptx_arena.h: the front end's memory: an arena that is freed as a whole, and growing arrays.
 *
 * A module is thousands of small things with one lifetime, so they come from an arena. What is
 * still growing while a function is being parsed is a struct ptx_vector, moved into the arena when
 * the function ends.
 */
#ifndef PTX_ARENA_H
#define PTX_ARENA_H

#include <stddef.h>

struct ptx_arena;

/* NULL without memory. */
struct ptx_arena *ptx_arena_create(void);
void ptx_arena_free(struct ptx_arena *arena);

/* `bytes` zeroed bytes, aligned to 16; NULL without memory. 0 bytes give a valid pointer. */
void *ptx_arena_allocate(struct ptx_arena *arena, size_t bytes);
/* A copy of `length` bytes with a NUL behind it; NULL without memory. */
char *ptx_arena_text(struct ptx_arena *arena, const char *text, size_t length);

/* An array that grows. Initialise with {.item_bytes = sizeof(item)}; free with ptx_vector_free. */
struct ptx_vector {
    void *items;
    size_t count, capacity, item_bytes;
};

/* Append `count` zeroed items and return the first; NULL without memory. Pointers to earlier items
 * become invalid. */
void *ptx_vector_extend(struct ptx_vector *vector, size_t count);
static inline void *ptx_vector_push(struct ptx_vector *vector)
{
    return ptx_vector_extend(vector, 1);
}
/* The items' copy in the arena, NULL without memory. The vector is empty afterwards and keeps its
 * capacity for the next function. */
void *ptx_vector_move(struct ptx_vector *vector, struct ptx_arena *arena);
void ptx_vector_free(struct ptx_vector *vector);

#endif
