/* Bits 0 to 31 of a handle are the index, counted from 1. Bits 32 to 55 are the use count of the
 * index. Bits 56 to 63 are a tag for the kind. No valid address contains such a tag. */
#include "cuda/core/handle.h"

#include "cuda/core/runtime.h"

enum { USES_MAX = (1 << 24) - 1, FIRST_MARK = 0x40 };

struct place {
    void *object; /* NULL if the place is free. */
    uint32_t uses;
    uint32_t next_free; /* Next free place, from 1; 0 if none. */
};

static struct table {
    struct place *places;
    size_t count;
    uint32_t first_free;
} tables[HANDLE_KINDS];

void *handle_make(enum handle_kind kind, void *object)
{
    struct table *table = &tables[kind];
    size_t number = table->first_free;
    if (!number) {
        runtime_make_room(&table->places, table->count, sizeof *table->places);
        table->places[table->count] = (struct place){0};
        number = ++table->count;
    }
    struct place *place = &table->places[number - 1];
    table->first_free = place->next_free;
    place->object = object;
    place->next_free = 0;
    return (void *)((uintptr_t)(FIRST_MARK + kind) << 56 | (uintptr_t)place->uses << 32 | number);
}

static struct place *find(enum handle_kind kind, const void *handle)
{
    const struct table *table = &tables[kind];
    uintptr_t bits = (uintptr_t)handle, number = bits & UINT32_MAX;
    if (bits >> 56 != FIRST_MARK + kind || !number || number > table->count)
        return NULL;
    struct place *place = &table->places[number - 1];
    return place->object && place->uses == (bits >> 32 & USES_MAX) ? place : NULL;
}

void *handle_find(enum handle_kind kind, const void *handle)
{
    const struct place *place = find(kind, handle);
    return place ? place->object : NULL;
}

void *handle_forget(enum handle_kind kind, const void *handle)
{
    struct table *table = &tables[kind];
    struct place *place = find(kind, handle);
    if (!place)
        return NULL;
    void *object = place->object;
    place->object = NULL;
    if (place->uses++ < USES_MAX) { /* After USES_MAX uses, the place is not used again. */
        place->next_free = table->first_free;
        table->first_free = (uint32_t)(place - table->places) + 1;
    }
    return object;
}

void *handle_next(enum handle_kind kind, size_t *place)
{
    const struct table *table = &tables[kind];
    while (*place < table->count) {
        void *object = table->places[(*place)++].object;
        if (object)
            return object;
    }
    return NULL;
}
