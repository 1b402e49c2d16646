#include "emulator/ptx/ptx.h"

#include "base/bits.h"
#include "emulator/ptx/ptx_arena.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bytes;
} types[PTX_TYPE_COUNT] = {
#define X(id, text, size) {text, size},
    PTX_TYPE_LIST(X)
#undef X
};

unsigned ptx_type_bytes(enum ptx_type type)
{
    return (unsigned)type < PTX_TYPE_COUNT ? types[type].bytes : 0;
}

const char *ptx_type_name(enum ptx_type type)
{
    return (unsigned)type < PTX_TYPE_COUNT ? types[type].name : "?";
}

bool ptx_type_is_signed(enum ptx_type type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

uint64_t ptx_float_bits(uint64_t bits, unsigned from_bytes, unsigned bytes)
{
    if (from_bytes == bytes || (bytes != 4 && bytes != 8))
        return bits;
    return bytes == 4 ? bits_f32((float)float_f64(bits))
                      : bits_f64((double)float_f32((uint32_t)bits));
}

void ptx_module_free(struct ptx_module *module)
{
    ptx_arena_free(module->arena);
    memset(module, 0, sizeof *module);
}

bool ptx_has(const struct ptx_instruction *instruction, enum ptx_modifier modifier)
{
    for (unsigned i = 0; i < instruction->modifier_count; i++)
        if (instruction->modifiers[i] == modifier)
            return true;
    return false;
}

/* Name table: 0 is an empty entry, 2 * (v + 1) is variable v, 2 * (f + 1) + 1 is function f. */

static size_t hash_name(const char *name, bool is_function)
{
    uint64_t hash = hash_bytes(HASH_START + is_function, name, strlen(name));
    return (size_t)(hash ^ hash >> 32);
}

static const char *entry_name(const struct ptx_module *module, uint32_t entry)
{
    size_t number = entry / 2 - 1;
    return entry & 1 ? module->functions[number].name : module->variables[number].name;
}

static uint32_t *find_place(const struct ptx_module *module, const char *name, bool is_function)
{
    size_t at = hash_name(name, is_function);
    for (;; at++) {
        uint32_t *place = &module->name_table[at & (module->name_table_size - 1)];
        if (!*place ||
            ((*place & 1) == is_function && strcmp(entry_name(module, *place), name) == 0))
            return place;
    }
}

static void index_name(struct ptx_module *module, const char *name, size_t number, bool is_function)
{
    uint32_t *place = find_place(module, name, is_function);
    if (!*place)
        *place = (uint32_t)(number + 1) * 2 + is_function;
}

bool ptx_index_names(struct ptx_module *module)
{
    size_t size = 16;
    while (size < 2 * (module->function_count + module->variable_count))
        size *= 2;
    module->name_table = ptx_arena_allocate(module->arena, size * sizeof *module->name_table);
    if (!module->name_table)
        return false;
    module->name_table_size = size;
    for (size_t i = 0; i < module->function_count; i++)
        index_name(module, module->functions[i].name, i, true);
    for (size_t i = 0; i < module->variable_count; i++)
        index_name(module, module->variables[i].name, i, false);
    return true;
}

const struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name)
{
    uint32_t entry = module->name_table ? *find_place(module, name, true) : 0;
    return entry ? &module->functions[entry / 2 - 1] : NULL;
}

const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name)
{
    uint32_t entry = module->name_table ? *find_place(module, name, false) : 0;
    return entry ? &module->variables[entry / 2 - 1] : NULL;
}

const char *ptx_plain_name(const char *name)
{
    size_t length = strlen(name), found = 0;
    if (!strncmp(name, "_Z", 2))
        for (size_t take = 1; take + 1 < length && take < 1000; take++) {
            const char *begin = name + length - take;
            char digits[8];
            if (begin[-1] != (char)('0' + take % 10)) /* This fast test rejects most lengths. */
                continue;
            int count = snprintf(digits, sizeof digits, "%zu", take);
            if (count > 0 && (size_t)count + take <= length && (*begin < '0' || *begin > '9') &&
                !strncmp(begin - count, digits, (size_t)count))
                found = take;
        }
    return found ? name + length - found : name;
}
