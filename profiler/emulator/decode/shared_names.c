#include "emulator/decode/shared_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct place {
    const struct ptx_variable *variable;
    uint64_t begin;
};

/* Set *place to the variable that contains `offset`. If there is none, returns false and sets
 * *place to the last variable, if any, that begins before `offset`. */
static bool find_static(const struct ptx_variable *variables, const uint64_t *begins, size_t count,
                        uint64_t offset, struct place *place)
{
    for (size_t i = 0; i < count; i++) {
        const struct ptx_variable *variable = &variables[i];
        if (variable->space != PTX_SHARED || variable->is_extern)
            continue;
        if (offset >= begins[i])
            *place = (struct place){variable, begins[i]};
        if (offset - begins[i] < variable->bytes)
            return true;
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
    if (find_static(module->variables, program->variables, module->variable_count, offset, place))
        return true;
    for (size_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (!function->is_entry &&
            find_static(function->variables, program->functions[i].variable_offsets,
                        function->variable_count, offset, place))
            return true;
    }
    return find_static(own->variables, program->functions[kernel].variable_offsets,
                       own->variable_count, offset, place);
}

/* Write the element's name and indices. The element may be past the end of the array. */
static void describe_element(const struct array_shape *shape, const char *name, uint64_t element,
                             char *text, size_t size)
{
    uint64_t index[ARRAY_DIMENSIONS_MAX];
    for (unsigned d = shape->dimensions; d-- > 1; element /= shape->extent[d])
        index[d] = element % shape->extent[d];
    index[0] = element;
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
    snprintf(name, size, "%s", ptx_plain_name(place.variable->name));
    *byte = offset - place.begin;
    return true;
}

void shared_describe(const struct program *program, int kernel, uint64_t offset,
                     unsigned element_bytes, char *text, size_t size)
{
    struct place place = {0};
    char name[128];
    /* Shared-memory addresses wrap at 32 bits. */
    int64_t byte = offset >> 32 ? (int64_t)offset : (int32_t)offset;
    bool found = byte >= 0 && find_place(program, kernel, offset, &place);
    if (!place.variable) {
        if (byte < 0)
            snprintf(text, size, "shared memory, %" PRId64 " byte%s before its beginning", -byte,
                     byte == -1 ? "" : "s");
        else
            snprintf(text, size, "shared memory, byte %" PRId64, byte);
        return;
    }
    snprintf(name, sizeof name, "%s", ptx_plain_name(place.variable->name));
    byte -= (int64_t)place.begin;
    uint64_t bytes = place.variable->bytes;
    unsigned held = element_bytes;
    const struct array_shape *shape = array_shapes_find(program->shapes, name, bytes, &held);
    if (!found) {
        char element[160] = "", distance[48] = "";
        const uint64_t index = (uint64_t)byte / held;
        if (index > UINT32_MAX - UINT16_MAX && index <= UINT32_MAX) {
            snprintf(text, size,
                     "shared memory, far past the end of %s (the index %" PRId32 " became %" PRIu64
                     ", because it is unsigned)",
                     name, (int32_t)index, index);
            return;
        }
        if (bytes && shape)
            describe_element(shape, name, (uint64_t)byte / held, element, sizeof element);
        if ((uint64_t)byte != bytes)
            snprintf(distance, sizeof distance, "%" PRIu64 " byte%s ", (uint64_t)byte - bytes,
                     (uint64_t)byte - bytes == 1 ? "" : "s");
        snprintf(text, size, "shared memory, %spast the end of %s%s%s%s", distance, name,
                 *element ? " (where " : "", element, *element ? " would be)" : "");
        return;
    }
    if (bytes && shape)
        describe_element(shape, name, (uint64_t)byte / held, text, size);
    else if (bytes && bytes <= element_bytes)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "element %" PRId64 " of %s (byte %" PRId64 ")", byte / element_bytes,
                 name, byte);
}
