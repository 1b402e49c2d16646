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

/* "tile[4][7]" for the element of that number, also where there is none. */
static void describe_element(const struct array_shape *shape, const char *name, uint64_t element,
                             char *text, size_t size)
{
    uint64_t index[ARRAY_DIMENSIONS_MAX];
    for (unsigned d = shape->dimensions; d-- > 1; element /= shape->extent[d])
        index[d] = element % shape->extent[d];
    index[0] = element; /* beyond the array it is too large */
    int length = snprintf(text, size, "%s", name);
    for (unsigned d = 0; d < shape->dimensions && length >= 0 && (size_t)length < size; d++)
        length += snprintf(text + length, size - (size_t)length, "[%" PRIu64 "]", index[d]);
}

uint64_t shared_variable_begin(const struct program *program, int function,
                               const struct ptx_variable *variable)
{
    const struct ptx_module *module = program->module;
    uint64_t at = program->shared_module_bytes;
    struct place place;
    for (int i = 0; i < (int)module->function_count; i++)
        if (!module->functions[i].is_entry &&
            (i < function || module->functions[function].is_entry))
            find_static(module->functions[i].variables, module->functions[i].variable_count,
                        UINT64_MAX, &at, &place);
    const struct ptx_function *own = &module->functions[function];
    find_static(own->variables, (size_t)(variable - own->variables), UINT64_MAX, &at, &place);
    return align_up(at, variable->align);
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
    int64_t byte = (int32_t)offset; /* addresses wrap around at 32 bits */
    bool found = byte >= 0 && find_place(program, kernel, offset, &place);
    if (!place.variable) {
        if (byte < 0)
            snprintf(text, size, "shared memory, %" PRId64 " bytes before its beginning", -byte);
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
        char element[160] = "", away[48] = "right";
        if (bytes && shape)
            describe_element(shape, name, (uint64_t)byte / held, element, sizeof element);
        if ((uint64_t)byte != bytes)
            snprintf(away, sizeof away, "%" PRIu64 " bytes", (uint64_t)byte - bytes);
        snprintf(text, size, "shared memory, %s behind the end of %s%s%s%s", away, name,
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
