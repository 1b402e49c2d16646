#include "cuda/core/array.h"

#include "cuda/core/runtime.h"

#include <stdlib.h>
#include <string.h>

unsigned channel_format_bytes(const struct channel_format *format)
{
    int bits = format->bits[0], channels = 1;
    while (channels < 4 && format->bits[channels])
        channels++;
    for (int i = 0; i < channels; i++)
        if (format->bits[i] != bits)
            return 0;
    bool is_float = format->kind == TEXEL_FLOAT;
    return (bits == 32 || bits == 16 || (bits == 8 && !is_float)) && channels != 3 &&
                   format->kind >= TEXEL_SIGNED && format->kind <= TEXEL_FLOAT
               ? (unsigned)(bits / 8 * channels)
               : 0;
}

static bool has_good_size(struct extent extent, unsigned flags)
{
    bool is_layered = flags & ARRAY_LAYERED, is_cube = flags & ARRAY_CUBEMAP;
    size_t w = extent.width, h = extent.height, d = extent.depth;
    if (is_cube)
        return w && w == h && w <= TEXTURE_LAYERED &&
               (is_layered ? d && d % 6 == 0 && d <= TEXTURE_LAYERS : d == 6);
    if (is_layered)
        return w && w <= TEXTURE_LAYERED && h <= TEXTURE_LAYERED && d && d <= TEXTURE_LAYERS;
    if (d)
        return w && h && w <= TEXTURE_3D && h <= TEXTURE_3D && d <= TEXTURE_3D;
    return w && (h ? w <= TEXTURE_2D_WIDTH && h <= TEXTURE_2D_HEIGHT : w <= TEXTURE_1D);
}

static int create_one(struct array **made, const struct channel_format *format,
                      struct extent extent, unsigned flags)
{
    struct array array = {.format = *format,
                          .extent = extent,
                          .flags = flags,
                          .texel_bytes = channel_format_bytes(format)};
    struct texture_level *level = &array.level;
    level->width = (uint32_t)extent.width;
    level->height = extent.height ? (uint32_t)extent.height : 1;
    level->depth = extent.depth ? (uint32_t)extent.depth : 1;
    level->pitch = round_up((uint64_t)level->width * array.texel_bytes, GOB_BYTES);
    level->slice = level->pitch * (level->height > 1 ? round_up(level->height, GOB_ROWS) : 1);
    int error = heap_allocate(HEAP_ARRAY, level->slice * level->depth, &array.memory);
    if (error)
        return error;
    level->base = array.memory->base;
    *made = runtime_allocate(1, sizeof array);
    **made = array;
    (*made)->handle = handle_make(HANDLE_ARRAY, *made);
    return 0;
}

static void free_levels(struct array *array)
{
    for (struct array *smaller; array; array = smaller) {
        smaller = array->smaller;
        heap_free((const void *)(uintptr_t)array->level.base, HEAP_ARRAY);
        handle_forget(HANDLE_ARRAY, array->handle);
        free(array);
    }
}

static size_t half(size_t size)
{
    return size > 1 ? size / 2 : size;
}

int array_create(void **made, const struct channel_format *format, struct extent extent,
                 unsigned levels, unsigned flags)
{
    if (!made || !format)
        return ERROR_InvalidValue;
    if (!channel_format_bytes(format))
        return ERROR_InvalidChannelDescriptor;
    if (!has_good_size(extent, flags) || levels > TEXTURE_MAX_LEVELS)
        return ERROR_InvalidValue;
    bool is_volume = !(flags & (ARRAY_LAYERED | ARRAY_CUBEMAP));
    struct array *first = NULL, **at = &first;
    unsigned count = levels ? levels : 1;
    for (unsigned i = 0; i < count; i++, at = &(*at)->smaller) {
        int error = create_one(at, format, extent, flags);
        if (error) {
            free_levels(first);
            return error;
        }
        (*at)->is_level = levels;
        bool was_smallest =
            extent.width <= 1 && extent.height <= 1 && (!is_volume || extent.depth <= 1);
        if (was_smallest)
            break;
        extent = (struct extent){half(extent.width), half(extent.height),
                                 is_volume ? half(extent.depth) : extent.depth};
    }
    first->is_first = true;
    *made = first->handle;
    return 0;
}

int array_free(const void *handle, bool is_mipmapped)
{
    struct array *array = array_of(handle);
    if (array && array->is_first && array->is_level == is_mipmapped)
        free_levels(array);
    else if (handle)
        return ERROR_InvalidResourceHandle;
    return 0;
}

bool array_side(const struct array *array, struct position at, struct extent box,
                struct array_side *side)
{
    const struct texture_level *level = &array->level;
    side->pointer = (void *)(uintptr_t)(level->base + at.x * array->texel_bytes +
                                        at.y * level->pitch + at.z * level->slice);
    side->pitch = level->pitch;
    side->slice = level->slice;
    return at.x <= level->width && box.width <= level->width - at.x && at.y <= level->height &&
           box.height <= level->height - at.y && at.z <= level->depth &&
           box.depth <= level->depth - at.z;
}

static struct texture *textures;
static struct object *objects;
static uint32_t object_count;

static void describe_format(struct texture *texture, const struct channel_format *format)
{
    texture->kind = (enum texture_kind)format->kind;
    texture->bits = (uint8_t)format->bits[0];
    texture->channels = (uint8_t)(channel_format_bytes(format) * 8 / texture->bits);
}

static int describe_array(struct texture *texture, const struct resource_13 *resource)
{
    const struct array *array = array_of(resource->of.array);
    bool is_mipmapped = resource->type == RESOURCE_MIPMAPPED;
    if (!array)
        return ERROR_InvalidResourceHandle;
    describe_format(texture, &array->format);
    texture->memory = TEXTURE_ARRAY;
    texture->level_count = 0;
    for (; array; array = is_mipmapped ? array->smaller : NULL)
        texture->levels[texture->level_count++] = array->level;
    return 0;
}

static int describe_resource(struct texture *texture, const struct resource_13 *resource)
{
    struct texture_level *level = &texture->levels[0];
    bool is_linear = resource->type == RESOURCE_LINEAR;
    texture->level_count = 1;
    if (resource->type == RESOURCE_ARRAY || resource->type == RESOURCE_MIPMAPPED)
        return describe_array(texture, resource);
    if (!is_linear && resource->type != RESOURCE_PITCHED)
        return ERROR_InvalidValue;
    const struct channel_format *format =
        is_linear ? &resource->of.linear.format : &resource->of.pitched.format;
    unsigned bytes = channel_format_bytes(format);
    if (!bytes)
        return ERROR_InvalidChannelDescriptor;
    describe_format(texture, format);
    texture->memory = is_linear ? TEXTURE_LINEAR : TEXTURE_PITCHED;
    level->base = (uint64_t)(uintptr_t)resource->of.linear.pointer;
    level->depth = 1;
    if (is_linear) {
        level->width = (uint32_t)(resource->of.linear.bytes / bytes);
        level->height = 1;
        level->pitch = resource->of.linear.bytes;
        if (resource->of.linear.bytes >> (TEXTURE_LINEAR_BITS))
            return ERROR_InvalidValue;
    } else {
        level->width = (uint32_t)resource->of.pitched.width;
        level->height = (uint32_t)resource->of.pitched.height;
        level->pitch = resource->of.pitched.pitch;
        if (resource->of.pitched.width > TEXTURE_PITCHED_WIDTH ||
            resource->of.pitched.height > TEXTURE_PITCHED_HEIGHT ||
            level->pitch > TEXTURE_PITCHED_PITCH || level->pitch % TEXTURE_PITCH_ALIGN)
            return ERROR_InvalidValue;
    }
    return level->base && level->base % TEXTURE_ALIGN == 0 && level->width && level->height
               ? 0
               : ERROR_InvalidValue;
}

static int describe_settings(struct texture *texture, const struct texture_settings *settings)
{
    bool is_integer = texture->kind != TEXEL_FLOAT;
    for (int axis = 0; axis < 3; axis++) {
        if (settings->address[axis] < ADDRESS_WRAP || settings->address[axis] > ADDRESS_BORDER)
            return ERROR_InvalidValue;
        texture->address[axis] = (uint8_t)settings->address[axis];
    }
    if (settings->is_linear && is_integer && (!settings->reads_float || texture->bits == 32))
        return ERROR_InvalidFilterSetting;
    if (settings->reads_float && (!is_integer || texture->bits == 32))
        return ERROR_InvalidNormSetting;
    texture->is_linear = settings->is_linear;
    texture->is_normalised = settings->is_normalised;
    texture->reads_float = settings->reads_float;
    texture->is_srgb = settings->is_srgb;
    texture->levels_linear = settings->levels_linear;
    texture->level_bias = settings->level_bias;
    texture->level_min = settings->level_min;
    texture->level_max = settings->level_max;
    memcpy(texture->border, settings->border, sizeof texture->border);
    return 0;
}

int object_create(unsigned long long *handle, const void *resource, size_t resource_bytes,
                  const struct texture_settings *settings)
{
    struct texture texture = {.use = settings ? TEXTURE_OBJECT : TEXTURE_SURFACE};
    struct object object = {0};
    if (!handle || !resource)
        return ERROR_InvalidValue;
    memcpy(&object.resource, resource, resource_bytes);
    if (!settings && object.resource.type != RESOURCE_ARRAY)
        return ERROR_InvalidValue;
    int error = describe_resource(&texture, &object.resource);
    if (!error && settings) {
        object.settings = *settings;
        error = describe_settings(&texture, settings);
    }
    if (error)
        return error;
    /* Handles are never reused, so that the handle of a destroyed object stays invalid. */
    runtime_make_room(&textures, object_count, sizeof *textures);
    runtime_make_room(&objects, object_count, sizeof *objects);
    textures[object_count] = texture;
    objects[object_count++] = object;
    *handle = object_count;
    return 0;
}

const struct object *object_of(unsigned long long handle, enum texture_use use)
{
    return handle - 1 < object_count && textures[handle - 1].use == use ? &objects[handle - 1]
                                                                        : NULL;
}

int object_destroy(unsigned long long handle, enum texture_use use)
{
    if (handle && !object_of(handle, use))
        return ERROR_InvalidResourceHandle;
    if (handle)
        textures[handle - 1].use = TEXTURE_DESTROYED;
    return 0;
}

const struct texture *object_table(uint32_t *count)
{
    *count = object_count;
    return textures;
}

void array_free_all(void)
{
    FOR_OBJECTS (array, array, HANDLE_ARRAY)
        if (array->is_first)
            free_levels(array);
    for (uint32_t i = 0; i < object_count; i++)
        textures[i].use = TEXTURE_DESTROYED;
}
