/* shared_names.c: see shared_names.h. The layout is the one that program_create makes. */
#include "emulator/decode/shared_names.h"

#include "emulator/decode/simt_decoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct place {
    const struct ptx_variable *variable;
    uint64_t begin;
};

/* The variable of a list that holds `offset`, else (false) the last one before it. *at is where the
 * list begins, and becomes its end. */
static bool find_static(const struct ptx_variable *variables, size_t count, uint64_t offset,
                        uint64_t *at, struct place *place)
{
    for (size_t i = 0; i < count; i++) {
        const struct ptx_variable *variable = &variables[i];
        if (variable->space != PTX_SHARED || variable->is_extern)
            continue;
        *at = align_up(*at, variable->align);
        if (offset >= *at)
            *place = (struct place){variable, *at};
        if (offset - *at < variable->bytes)
            return true;
        *at += variable->bytes;
    }
    return false;
}

static const struct ptx_variable *find_dynamic(const struct ptx_variable *variables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (variables[i].space == PTX_SHARED && variables[i].is_extern)
            return &variables[i];
    return NULL;
}

static bool find_place(const struct program *program, int kernel, uint64_t offset,
                       struct place *place)
{
    const struct ptx_module *module = program->module;
    const struct ptx_function *own = &module->functions[kernel];
    if (offset >= program->dynamic_shared) {
        place->variable = find_dynamic(module->variables, module->variable_count);
        if (!place->variable)
            place->variable = find_dynamic(own->variables, own->variable_count);
        place->begin = program->dynamic_shared;
        if (place->variable)
            return true;
    }
    uint64_t at = 0;
    if (find_static(module->variables, module->variable_count, offset, &at, place))
        return true;
    for (size_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (!function->is_entry &&
            find_static(function->variables, function->variable_count, offset, &at, place))
            return true;
    }
    return find_static(own->variables, own->variable_count, offset, &at, place);
}

/* The last identifier of a mangled name (Itanium C++ ABI: the number of its characters stands
 * before it): "_ZZ9transposeE4tile" is tile. Other names are what they are. */
static void plain_name(const char *name, char *text, size_t size)
{
    size_t length = strlen(name), found = 0;
    if (!strncmp(name, "_Z", 2))
        for (size_t take = 1; take + 1 < length && take < 1000; take++) {
            const char *begin = name + length - take;
            char digits[8];
            int count = snprintf(digits, sizeof digits, "%zu", take);
            if (count > 0 && (size_t)count + take <= length && (*begin < '0' || *begin > '9') &&
                !strncmp(begin - count, digits, (size_t)count))
                found = take;
        }
    snprintf(text, size, "%s", found ? name + length - found : name);
}

/* "tile[4][7]" for the element of that number. */
static void describe_element(const struct array_shape *shape, const char *name, uint64_t element,
                             char *text, size_t size)
{
    uint64_t index[ARRAY_DIMENSIONS_MAX];
    for (unsigned d = shape->dimensions; d-- > 0; element /= shape->extent[d])
        index[d] = element % shape->extent[d];
    int length = snprintf(text, size, "%s", name);
    for (unsigned d = 0; d < shape->dimensions && length >= 0 && (size_t)length < size; d++)
        length += snprintf(text + length, size - (size_t)length, "[%" PRIu64 "]", index[d]);
}

bool shared_find_array(const struct program *program, int kernel, uint64_t offset, char *name,
                       size_t size, uint64_t *byte)
{
    struct place place = {0};
    if (!find_place(program, kernel, offset, &place))
        return false;
    plain_name(place.variable->name, name, size);
    *byte = offset - place.begin;
    return true;
}

void shared_describe(const struct program *program, int kernel, uint64_t offset,
                     unsigned element_bytes, char *text, size_t size)
{
    struct place place = {0};
    char name[128];
    int64_t byte = (int32_t)offset; /* addresses wrap around at 32 bits */
    bool found = byte >= 0 && find_place(program, kernel, offset, &place);
    if (!place.variable) {
        if (byte < 0)
            snprintf(text, size, "shared memory, %" PRId64 " bytes before its beginning", -byte);
        else
            snprintf(text, size, "shared memory, byte %" PRId64, byte);
        return;
    }
    plain_name(place.variable->name, name, sizeof name);
    byte -= (int64_t)place.begin;
    uint64_t bytes = place.variable->bytes;
    if (!found && (uint64_t)byte == bytes) {
        snprintf(text, size, "shared memory, right behind the end of %s", name);
        return;
    }
    if (!found) {
        snprintf(text, size, "shared memory, %" PRIu64 " bytes behind the end of %s",
                 (uint64_t)byte - bytes, name);
        return;
    }
    unsigned held = element_bytes;
    const struct array_shape *shape = array_shapes_find(program->shapes, name, bytes, &held);
    if (bytes && shape)
        describe_element(shape, name, (uint64_t)byte / held, text, size);
    else if (bytes && bytes <= element_bytes)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "element %" PRId64 " of %s (byte %" PRId64 ")", byte / element_bytes,
                 name, byte);
}
