/* memory.c: copies, memsets, arrays, objects and pointers of the driver API. */
#include "cuda/driver_api/driver.h"
#include "cuda/runtime_api/calls.h"

#include "cuda/core/array.h"
#include "cuda/core/handle.h"

#include <stdlib.h>
#include <string.h>

#define COPY(name, version, kind)                                                                  \
    DRIVER_FUNCTION(NEED_CONTEXT, name##version, (void *to, const void *from, size_t bytes),       \
                    cudaMemcpy(to, from, bytes, kind))                                             \
    DRIVER_FUNCTION(NEED_CONTEXT, name##Async##version,                                            \
                    (void *to, const void *from, size_t bytes, void *stream),                      \
                    cudaMemcpyAsync(to, from, bytes, kind, stream))                                \
    ALIAS(name##version, name##version##_ptds);                                                    \
    ALIAS(name##Async##version, name##Async##version##_ptsz)

COPY(cuMemcpy, , COPY_ANY);
COPY(cuMemcpyHtoD, _v2, COPY_TO_DEVICE);
COPY(cuMemcpyDtoH, _v2, COPY_FROM_DEVICE);
COPY(cuMemcpyDtoD, _v2, COPY_IN_DEVICE);

DRIVER_FUNCTION(NEED_CONTEXT, cuMemcpyPeer,
                (void *to, void *to_context, const void *from, void *from_context, size_t bytes),
                cudaMemcpy(to, from, bytes, COPY_ANY))
DRIVER_FUNCTION(NEED_CONTEXT, cuMemcpyHtoA_v2,
                (void *array, size_t x, const void *from, size_t bytes),
                cudaMemcpyToArray(array, x, 0, from, bytes, COPY_ANY))
ALIAS(cuMemcpyHtoA_v2, cuMemcpyDtoA_v2);
DRIVER_FUNCTION(NEED_CONTEXT, cuMemcpyAtoH_v2,
                (void *to, const void *array, size_t x, size_t bytes),
                cudaMemcpyFromArray(to, array, x, 0, bytes, COPY_ANY))
ALIAS(cuMemcpyAtoH_v2, cuMemcpyAtoD_v2);

static struct side_3d deepen(const struct side_2d *from)
{
    return (struct side_3d){from->x,      from->y,     0,    0,           from->type, from->host,
                            from->device, from->array, NULL, from->pitch, 0};
}

static int copy_2d(const struct copy_2d *all, void *stream)
{
    if (!all)
        return ERROR_InvalidValue;
    const struct side_3d from = deepen(&all->from), to = deepen(&all->to);
    return copy_sides(&from, &to, (struct extent){all->width, all->height, 1}, COPY_ANY, stream);
}

DRIVER_FUNCTION(NEED_CONTEXT, cuMemcpy2D_v2, (const struct copy_2d *all), copy_2d(all, NULL))
ALIAS(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2);
DRIVER_FUNCTION(NEED_CONTEXT, cuMemcpy2DAsync_v2, (const struct copy_2d *all, void *stream),
                copy_2d(all, stream))

DRIVER_FUNCTION(NEED_CONTEXT, cuMemcpy3D_v2, (const struct driver_copy_3d *all),
                all ? copy_sides(&all->from, &all->to, all->box, COPY_ANY, NULL)
                    : ERROR_InvalidValue)
DRIVER_FUNCTION(NEED_CONTEXT, cuMemcpy3DAsync_v2, (const struct driver_copy_3d *all, void *stream),
                all ? copy_sides(&all->from, &all->to, all->box, COPY_ANY, stream)
                    : ERROR_InvalidValue)

#define SET_FUNCTION(name, parameters, pitch, width, height, stream)                               \
    DRIVER_FUNCTION(                                                                               \
        NEED_CONTEXT, name, parameters,                                                            \
        set_rows(&(struct set_node){to, pitch, value, sizeof value, width, height}, stream))
#define SET(bits, type)                                                                            \
    SET_FUNCTION(cuMemsetD##bits##_v2, (void *to, type value, size_t count), count * sizeof value, \
                 count, 1, NULL)                                                                   \
    SET_FUNCTION(cuMemsetD##bits##Async, (void *to, type value, size_t count, void *stream),       \
                 count * sizeof value, count, 1, stream)                                           \
    SET_FUNCTION(cuMemsetD2D##bits##_v2,                                                           \
                 (void *to, size_t pitch, type value, size_t width, size_t height), pitch, width,  \
                 height, NULL)                                                                     \
    SET_FUNCTION(cuMemsetD2D##bits##Async,                                                         \
                 (void *to, size_t pitch, type value, size_t width, size_t height, void *stream),  \
                 pitch, width, height, stream)                                                     \
    ALIAS(cuMemsetD##bits##_v2, cuMemsetD##bits##_v2_ptds);                                        \
    ALIAS(cuMemsetD##bits##Async, cuMemsetD##bits##Async_ptsz);                                    \
    ALIAS(cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##_v2_ptds);                                    \
    ALIAS(cuMemsetD2D##bits##Async, cuMemsetD2D##bits##Async_ptsz);

SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)

DRIVER_FUNCTION(NEED_CONTEXT, cuGraphAddMemsetNode,
                (void **node, void *graph, void *const *before, size_t count,
                 const struct set_node *parameters, void *context),
                cudaGraphAddMemsetNode(node, graph, before, count, parameters))

DRIVER_FUNCTION(NEED_CONTEXT, cuMemAllocPitch_v2,
                (void **pointer, size_t *pitch, size_t width, size_t height, unsigned element),
                element == 4 || element == 8 || element == 16
                    ? cudaMallocPitch(pointer, pitch, width, height)
                    : ERROR_InvalidValue)

/* CUarray_format: 1 to 3 are unsigned integers of 8, 16 and 32 bits, and 8 to 10 are signed. */
enum { FORMAT_SIGNED = 8, FORMAT_HALF = 0x10, FORMAT_FLOAT = 0x20 };

static struct channel_format format_of(int format, unsigned channels)
{
    struct channel_format made = {.kind = format == FORMAT_HALF || format == FORMAT_FLOAT
                                              ? TEXEL_FLOAT
                                          : format & FORMAT_SIGNED ? TEXEL_SIGNED
                                                                   : TEXEL_UNSIGNED};
    int size = format & (FORMAT_SIGNED - 1);
    int bits = format == FORMAT_HALF    ? 16
               : format == FORMAT_FLOAT ? 32
               : format & FORMAT_SIGNED ? 8 << size
                                        : 4 << size;
    for (unsigned i = 0; i < 4 && i < channels; i++)
        made.bits[i] = format > FORMAT_FLOAT || channels > 4 ? 0 : bits;
    return made;
}

static int create_array(void **made, const struct array_3d *all, unsigned levels)
{
    const struct channel_format format = format_of(all->format, all->channels);
    return array_create(made, &format, all->extent, levels, all->flags);
}

DRIVER_FUNCTION(NEED_CONTEXT, cuArray3DCreate_v2, (void **made, const struct array_3d *all),
                all ? create_array(made, all, 0) : ERROR_InvalidValue)
DRIVER_FUNCTION(NEED_CONTEXT, cuArrayCreate_v2, (void **made, const struct array_2d *all),
                all ? create_array(made,
                                   &(struct array_3d){
                                       {all->width, all->height, 0}, all->format, all->channels, 0},
                                   0)
                    : ERROR_InvalidValue)
DRIVER_FUNCTION(NEED_CONTEXT, cuMipmappedArrayCreate,
                (void **made, const struct array_3d *all, unsigned levels),
                all &&levels ? create_array(made, all, levels) : ERROR_InvalidValue)

static int describe(struct array_3d *all, const void *handle)
{
    const struct array *array = array_of(handle);
    if (!array || !all)
        return array ? ERROR_InvalidValue : ERROR_InvalidResourceHandle;
    *all = (struct array_3d){.extent = array->extent, .flags = array->flags};
    all->channels = array->texel_bytes * 8 / (unsigned)array->format.bits[0];
    for (all->format = 1; all->format < FORMAT_FLOAT; all->format++) {
        const struct channel_format format = format_of(all->format, all->channels);
        if (format.kind == array->format.kind && format.bits[0] == array->format.bits[0])
            break;
    }
    return 0;
}

DRIVER_FUNCTION(NEED_CONTEXT, cuArray3DGetDescriptor_v2, (struct array_3d * all, void *array),
                describe(all, array))

DRIVER_BODY(NEED_CONTEXT, cuArrayGetDescriptor_v2, (struct array_2d * part, void *array),
            (part, array))
{
    struct array_3d all;
    int error = describe(&all, array);
    return error ? error
                 : GIVE(part, ((struct array_2d){all.extent.width, all.extent.height, all.format,
                                                 all.channels}));
}

static struct resource_13 resource_of(const struct driver_resource *from)
{
    struct resource_13 made = {.type = from->type, .of.array = from->of.array};
    if (from->type == RESOURCE_LINEAR) {
        made.of.linear.format = format_of(from->of.linear.format, from->of.linear.channels);
        made.of.linear.bytes = from->of.linear.bytes;
    } else if (from->type == RESOURCE_PITCHED) {
        made.of.pitched.format = format_of(from->of.pitched.format, from->of.pitched.channels);
        made.of.pitched.width = from->of.pitched.width;
        made.of.pitched.height = from->of.pitched.height;
        made.of.pitched.pitch = from->of.pitched.pitch;
    }
    return made;
}

enum { READ_AS_INTEGER = 1, NORMALISED = 2, SRGB = 0x10 };

/* Returns true if texels are integers that a texture can read as normalized floats. */
static bool is_small_integer(const struct resource_13 *resource)
{
    const struct array *array =
        resource->type < RESOURCE_LINEAR ? array_of(resource->of.array) : NULL;
    const struct channel_format *format = array ? &array->format
                                          : resource->type == RESOURCE_LINEAR
                                              ? &resource->of.linear.format
                                              : &resource->of.pitched.format;
    return (array || resource->type >= RESOURCE_LINEAR) && format->kind != TEXEL_FLOAT &&
           format->bits[0] < 32;
}

DRIVER_BODY(NEED_CONTEXT, cuTexObjectCreate,
            (unsigned long long *made, const struct driver_resource *from,
             const struct driver_texture *texture, const void *view),
            (made, from, texture, view))
{
    if (!from || !texture || view)
        return view ? ERROR_NotSupported : ERROR_InvalidValue;
    const struct resource_13 resource = resource_of(from);
    struct texture_settings settings = {
        .is_linear = texture->is_linear,
        .reads_float = !(texture->flags & READ_AS_INTEGER) && is_small_integer(&resource),
        .is_srgb = !!(texture->flags & SRGB),
        .is_normalised = !!(texture->flags & NORMALISED),
        .anisotropy = texture->anisotropy,
        .levels_linear = texture->levels_linear,
        .level_bias = texture->level_bias,
        .level_min = texture->level_min,
        .level_max = texture->level_max,
    };
    memcpy(settings.address, texture->address, sizeof settings.address);
    memcpy(settings.border, texture->border, sizeof settings.border);
    return object_create(made, &resource, sizeof resource, &settings);
}

DRIVER_BODY(NEED_CONTEXT, cuSurfObjectCreate,
            (unsigned long long *made, const struct driver_resource *from), (made, from))
{
    if (!from)
        return ERROR_InvalidValue;
    const struct resource_13 resource = resource_of(from);
    return object_create(made, &resource, sizeof resource, NULL);
}

/* ERROR_SymbolNotFound is CUDA_ERROR_NOT_FOUND. */
DRIVER_FUNCTION(NEED_CONTEXT, cuMemGetAddressRange_v2, (void **base, size_t *bytes, void *pointer),
                WITH(found, heap_find_any(pointer), ERROR_SymbolNotFound,
                     (MAY_GIVE(base, (void *)(uintptr_t)found->base), MAY_GIVE(bytes, found->bytes),
                      0)))

int cuCtxGetCurrent(void **context);

/* Values of CUpointer_attribute. */
enum { POINTER_CONTEXT = 1, POINTER_TYPE = 2, POINTER_HOST = 4, POINTER_ORDINAL = 9 };

static int get_attribute(void *value, int attribute, void *pointer)
{
    const struct allocation *found = heap_find_any(pointer);
    if (!found || !value)
        return ERROR_InvalidValue;
    bool is_host = found->kind & (HEAP_HOST | HEAP_REGISTERED);
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    uint64_t on_device = found->kind == HEAP_REGISTERED && address - found->base >= found->bytes
                             ? found->base + (address - (uintptr_t)found->host)
                             : address;
    const struct {
        int attribute;
        size_t size;
        uint64_t value;
    } attributes[] = {
        {POINTER_TYPE, sizeof(int), is_host ? MEMORY_HOST : MEMORY_DEVICE},
        {3, sizeof(void *), on_device}, /* device pointer */
        {POINTER_HOST, sizeof(void *), (uintptr_t)found->host + (on_device - found->base)},
        {7, sizeof(uint64_t), found->base}, /* buffer ID */
        {8, sizeof(int), found->kind == HEAP_MANAGED},
        {POINTER_ORDINAL, sizeof(int), 0},
        {11, sizeof(void *), found->base}, /* first address */
        {12, sizeof(size_t), found->bytes},
        {13, sizeof(int), 1}, /* is mapped */
    };
    if (attribute == POINTER_CONTEXT)
        return cuCtxGetCurrent(value);
    if (attribute == POINTER_HOST && found->kind & HEAP_OF_DEVICE)
        return ERROR_InvalidValue;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].attribute == attribute) {
            memcpy(value, &attributes[i].value, attributes[i].size); /* little-endian */
            return 0;
        }
    return ERROR_NotSupported;
}

DRIVER_FUNCTION(NEED_CONTEXT, cuPointerGetAttribute, (void *value, int attribute, void *pointer),
                get_attribute(value, attribute, pointer))

/* All attributes of an unknown pointer are 0, which is not an error. */
DRIVER_BODY(NEED_CONTEXT, cuPointerGetAttributes,
            (unsigned count, const int *attributes, void **values, void *pointer),
            (count, attributes, values, pointer))
{
    bool good = attributes && values;
    for (unsigned i = 0; i < count && good; i++)
        good = values[i];
    for (unsigned i = 0; i < count && good; i++)
        if (get_attribute(values[i], attributes[i], pointer))
            memset(values[i], 0,
                   attributes[i] == POINTER_ORDINAL || attributes[i] == POINTER_TYPE
                       ? sizeof(int)
                       : sizeof(void *));
    return good ? 0 : ERROR_InvalidValue;
}

/* The memory of cuMemCreate. It has only one address, because cuMemAddressReserve allocates it. */
enum { GRANULARITY = 2 << 20 };
struct piece {
    size_t bytes;
    bool is_mapped;
    char properties[32]; /* has no effect */
};

HANDLE_LOOKUP(piece_of, piece, HANDLE_MEMORY)

DRIVER_FUNCTION(NEED_INIT, cuMemGetAllocationGranularity,
                (size_t * bytes, const void *properties, int option), GIVE(bytes, GRANULARITY))

DRIVER_BODY(NEED_CONTEXT, cuMemAddressReserve,
            (void **pointer, size_t bytes, size_t align, void *wanted, unsigned long long flags),
            (pointer, bytes, align, wanted, flags))
{
    struct allocation *made;
    int error = !pointer || !bytes || bytes % GRANULARITY
                    ? ERROR_InvalidValue
                    : heap_allocate(HEAP_DEVICE, bytes, &made);
    return error ? error : GIVE(pointer, (void *)(uintptr_t)made->base);
}

DRIVER_FUNCTION(NEED_CONTEXT, cuMemAddressFree, (void *pointer, size_t bytes),
                heap_free(pointer, HEAP_DEVICE))

DRIVER_BODY(NEED_CONTEXT, cuMemCreate,
            (void **made, size_t bytes, const void *properties, unsigned long long flags),
            (made, bytes, properties, flags))
{
    if (!made || !bytes || bytes % GRANULARITY || !properties)
        return ERROR_InvalidValue;
    struct piece *piece = runtime_allocate(1, sizeof *piece);
    piece->bytes = bytes;
    memcpy(piece->properties, properties, sizeof piece->properties);
    *made = handle_make(HANDLE_MEMORY, piece);
    return 0;
}

DRIVER_FUNCTION(NEED_CONTEXT, cuMemGetAllocationPropertiesFromHandle,
                (void *properties, void *handle),
                WITH(found, properties ? piece_of(handle) : NULL, ERROR_InvalidValue,
                     (memcpy(properties, found->properties, sizeof found->properties), 0)))

DRIVER_BODY(NEED_CONTEXT, cuMemMap,
            (void *pointer, size_t bytes, size_t offset, void *handle, unsigned long long flags),
            (pointer, bytes, offset, handle, flags))
{
    const struct allocation *range = heap_find((uint64_t)(uintptr_t)pointer);
    struct piece *piece = piece_of(handle);
    if (!range || !piece || offset > piece->bytes || bytes > piece->bytes - offset ||
        bytes > range->bytes - ((uintptr_t)pointer - range->base))
        return ERROR_InvalidValue;
    if (piece->is_mapped) {
        runtime_note("mapping one allocation to several addresses (cuMemMap) is not emulated");
        return ERROR_NotSupported;
    }
    piece->is_mapped = true;
    return 0;
}

/* A mapping remains valid after its handle becomes invalid. */
DRIVER_FUNCTION(NEED_CONTEXT, cuMemRelease, (void *handle),
                WITH(found, handle_forget(HANDLE_MEMORY, handle), ERROR_InvalidValue,
                     (free(found), 0)))
