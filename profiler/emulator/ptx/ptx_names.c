#include "emulator/ptx/ptx_names.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_TABLE_SIZE = 1024, MAX_RANGE_DIGITS = 10 };

bool ptx_names_start(struct ptx_names *names, struct ptx_arena *texts, struct ptx_arena *scratch)
{
    memset(names, 0, sizeof *names);
    names->texts = texts;
    names->scratch = scratch;
    names->range_generation = 1; /* New atoms have ranges_checked 0, which is out of date. */
    names->table_size = FIRST_TABLE_SIZE;
    names->table = calloc(names->table_size, sizeof(struct ptx_atom *));
    return names->table != NULL;
}

void ptx_names_free(struct ptx_names *names)
{
    free(names->table);
    names->table = NULL;
}

static struct ptx_atom **find_place(const struct ptx_names *names, const char *text, size_t length,
                                    uint32_t hash)
{
    size_t at = hash & (names->table_size - 1);
    for (;; at = (at + 1) & (names->table_size - 1)) {
        struct ptx_atom *atom = names->table[at];
        if (!atom ||
            (atom->hash == hash && atom->length == length && memcmp(atom->text, text, length) == 0))
            return &names->table[at];
    }
}

static bool grow_table(struct ptx_names *names)
{
    struct ptx_atom **old = names->table;
    size_t old_size = names->table_size;
    struct ptx_atom **table = calloc(old_size * 2, sizeof *table);
    if (!table)
        return false;
    names->table = table;
    names->table_size = old_size * 2;
    for (size_t i = 0; i < old_size; i++)
        if (old[i])
            *find_place(names, old[i]->text, old[i]->length, old[i]->hash) = old[i];
    free(old);
    return true;
}

struct ptx_atom *ptx_names_intern(struct ptx_names *names, const char *text, size_t length)
{
    uint32_t hash = (uint32_t)hash_bytes(HASH_START, text, length);
    struct ptx_atom **place = find_place(names, text, length, hash);
    if (*place)
        return *place;
    if (names->atom_count >= names->table_size / 2) {
        if (!grow_table(names))
            return NULL;
        place = find_place(names, text, length, hash);
    }
    struct ptx_atom *atom = ptx_arena_allocate(names->scratch, sizeof *atom);
    char *copy = ptx_arena_text(names->texts, text, length);
    if (!atom || !copy)
        return NULL;
    atom->text = copy;
    atom->length = (uint32_t)length;
    atom->hash = hash;
    *place = atom;
    names->atom_count++;
    return atom;
}

bool ptx_names_open(struct ptx_names *names)
{
    if (names->depth + 1 >= PTX_MAX_NESTING)
        return false;
    names->scopes[++names->depth] = (struct ptx_scope_bindings){0};
    return true;
}

/* Inner scopes are closed, so each binding of this scope is the innermost binding of its atom. */
void ptx_names_close(struct ptx_names *names)
{
    struct ptx_scope_bindings *scope = &names->scopes[names->depth--];
    for (struct ptx_binding *binding = scope->newest; binding; binding = binding->older)
        if (binding->kind == PTX_BINDING_RANGE)
            binding->atom->range = binding->outer;
        else
            binding->atom->binding = binding->outer;
    if (scope->has_ranges)
        names->range_generation++;
}

void ptx_names_forget_local(struct ptx_names *names)
{
    struct ptx_binding **link = &names->scopes[0].newest;
    while (*link) {
        struct ptx_binding *binding = *link;
        if (binding->is_local) {
            binding->atom->binding = NULL;
            binding->atom->was_local = true;
            *link = binding->older;
        } else {
            link = &binding->older;
        }
    }
}

struct ptx_binding *ptx_names_bind(struct ptx_names *names, struct ptx_atom *atom,
                                   enum ptx_binding_kind kind, uint32_t depth)
{
    struct ptx_binding *binding = ptx_arena_allocate(names->scratch, sizeof *binding);
    if (!binding)
        return NULL;
    struct ptx_scope_bindings *scope = &names->scopes[depth];
    binding->kind = kind;
    binding->depth = depth;
    binding->atom = atom;
    binding->older = scope->newest;
    scope->newest = binding;

    bool is_range = kind == PTX_BINDING_RANGE;
    struct ptx_binding **link = is_range ? &atom->range : &atom->binding;
    while (*link && (*link)->depth > depth)
        link = &(*link)->outer;
    binding->outer = *link;
    *link = binding;
    if (is_range) {
        scope->has_ranges = true;
        names->range_generation++;
    }
    return binding;
}

struct ptx_binding *ptx_names_at(const struct ptx_atom *atom, uint32_t depth)
{
    struct ptx_binding *binding = atom->binding;
    while (binding && binding->depth > depth)
        binding = binding->outer;
    return binding && binding->depth == depth ? binding : NULL;
}

/* A name can be split into prefix and number in several ways: "a12" is number 12 of a<20> and
 * number 2 of a1<5>. Numbers have no leading zeros. */
struct ptx_binding *ptx_names_find_range(const struct ptx_names *names, const struct ptx_atom *atom)
{
    struct ptx_binding *best = NULL;
    uint64_t number = 0, weight = 1;
    for (uint32_t digits = 1; digits <= MAX_RANGE_DIGITS && digits < atom->length; digits++) {
        uint32_t prefix_length = atom->length - digits;
        char digit = atom->text[prefix_length];
        if (digit < '0' || digit > '9')
            break;
        number += (uint64_t)(digit - '0') * weight;
        weight *= 10;
        if (digit == '0' && digits > 1)
            continue;
        const struct ptx_atom *prefix =
            *find_place(names, atom->text, prefix_length,
                        (uint32_t)hash_bytes(HASH_START, atom->text, prefix_length));
        struct ptx_binding *range = prefix ? prefix->range : NULL;
        while (range && number >= range->count)
            range = range->outer;
        if (range && (!best || range->depth > best->depth))
            best = range;
    }
    return best;
}
