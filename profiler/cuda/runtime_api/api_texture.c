/* api_texture.c: CUDA arrays, their copies, and texture and surface objects. */
#include "cuda/core/array.h"
#include "cuda/runtime_api/api.h"
#include "cuda/runtime_api/calls.h"

#include <string.h>

API_FUNCTION(cudaMallocArray,
             (void **array, const struct channel_format *format, size_t width, size_t height,
              unsigned flags),
             array_create(array, format, (struct extent){width, height, 0}, 0, flags))
API_FUNCTION(cudaMalloc3DArray,
             (void **array, const struct channel_format *format, struct extent extent,
              unsigned flags),
             array_create(array, format, extent, 0, flags))
API_FUNCTION(cudaMallocMipmappedArray,
             (void **array, const struct channel_format *format, struct extent extent,
              unsigned levels, unsigned flags),
             levels ? array_create(array, format, extent, levels, flags) : ERROR_InvalidValue)

API_BODY(API_FUNCTION, cudaGetMipmappedArrayLevel,
         (void **level, const void *handle, unsigned number), (level, handle, number))
{
    const struct array *array = array_of(handle);
    for (; array && number; number--)
        array = array->smaller;
    return array ? GIVE(level, array->handle) : ERROR_InvalidValue;
}

API_FUNCTION(cudaFreeArray, (const void *array), array_free(array, false))
API_FUNCTION(cudaFreeMipmappedArray, (const void *array), array_free(array, true))

API_FUNCTION(cudaArrayGetInfo,
             (struct channel_format * format, struct extent *extent, unsigned *flags,
              const void *array),
             WITH(found, array_of(array), ERROR_InvalidResourceHandle,
                  (MAY_GIVE(format, found->format), MAY_GIVE(extent, found->extent),
                   MAY_GIVE(flags, found->flags), 0)))

EXPORT struct channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct channel_format){{x, y, z, w}, kind};
}

API_FUNCTION(cudaGetChannelDesc, (struct channel_format * format, const void *array),
             format ? WITH(found, array_of(array), ERROR_InvalidResourceHandle,
                           GIVE(format, found->format))
                    : ERROR_InvalidValue)

API_FUNCTION(cudaDeviceGetTexture1DLinearMaxWidth,
             (size_t * width, const struct channel_format *format, int device),
             device ? ERROR_InvalidDevice
                    : WITH(bytes, format ? channel_format_bytes(format) : 0, ERROR_InvalidValue,
                           GIVE(width, (1ull << TEXTURE_LINEAR_BITS) / bytes)))

/* Convert `side` to the form of cudaMemcpy3D: a position in an array, or an address of memory. */
static int place(const struct side_3d *side, const struct extent *box, void **array_handle,
                 struct position *at, struct pitched *memory, unsigned *texel)
{
    if (side->type == MEMORY_ARRAY) {
        const struct array *array = array_of(side->array);
        if (!array)
            return ERROR_InvalidResourceHandle;
        *texel = array->texel_bytes;
        *array_handle = side->array;
        *at = (struct position){side->x / array->texel_bytes, side->y, side->z};
        return side->x % array->texel_bytes ? ERROR_InvalidValue : 0;
    }
    if (side->type < MEMORY_HOST || side->type > MEMORY_UNIFIED)
        return ERROR_InvalidValue;
    size_t pitch = side->pitch ? side->pitch : side->x + box->width;
    size_t height = side->height ? side->height : side->y + box->height;
    char *begin = side->type == MEMORY_HOST ? side->host : side->device;
    if (!begin)
        return ERROR_InvalidValue;
    *memory = (struct pitched){begin + side->x + (side->y + side->z * height) * pitch, pitch,
                               box->width, height};
    return 0;
}

int copy_sides(const struct side_3d *from, const struct side_3d *to, struct extent box, int kind,
               void *stream)
{
    struct copy_3d made = {.kind = kind};
    unsigned texel = 1;
    int error = place(from, &box, &made.from_array, &made.from_at, &made.from, &texel);
    if (!error)
        error = place(to, &box, &made.to_array, &made.to_at, &made.to, &texel);
    made.extent = (struct extent){box.width / texel, box.height, box.depth};
    if (error || box.width % texel)
        return error ? error : ERROR_InvalidValue;
    return copy_box(&made, stream);
}

/* The sides of a copy: a rectangle of an array at x_bytes and `row`, or rows of memory. */
#define BOX(array_handle, x_bytes, row)                                                            \
    (&(struct side_3d){                                                                            \
        .type = MEMORY_ARRAY, .array = mutable(array_handle), .x = (x_bytes), .y = (row)})
#define ROWS(pointer, row_pitch)                                                                   \
    (&(struct side_3d){.type = MEMORY_UNIFIED, .device = mutable(pointer), .pitch = (row_pitch)})

static int copy_rectangle(const struct side_3d *to, const struct side_3d *from, size_t width,
                          size_t height, int kind, void *stream)
{
    bool is_narrow = (to->type == MEMORY_UNIFIED && to->pitch < width) ||
                     (from->type == MEMORY_UNIFIED && from->pitch < width);
    return is_narrow ? ERROR_InvalidPitchValue
                     : copy_sides(from, to, (struct extent){width, height, 1}, kind, stream);
}

API_FUNCTION_ASYNC(cudaMemcpy2DToArray,
                   (void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                    size_t height, int kind),
                   copy_rectangle(BOX(to, x, y), ROWS(from, pitch), width, height, kind, stream))
API_FUNCTION_ASYNC(cudaMemcpy2DFromArray,
                   (void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width,
                    size_t height, int kind),
                   copy_rectangle(ROWS(to, pitch), BOX(from, x, y), width, height, kind, stream))
API_FUNCTION(cudaMemcpy2DArrayToArray,
             (void *to, size_t to_x, size_t to_y, const void *from, size_t from_x, size_t from_y,
              size_t width, size_t height, int kind),
             copy_rectangle(BOX(to, to_x, to_y), BOX(from, from_x, from_y), width, height, kind,
                            NULL))
ALIAS(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds);

/* Copy consecutive bytes, which may begin inside the first row and end inside the last row. */
static int copy_running(bool to_array, const void *handle, size_t x, size_t y, const void *memory,
                        size_t bytes, int kind, void *stream)
{
    const struct array *array = array_of(handle);
    int error = array ? 0 : ERROR_InvalidResourceHandle;
    size_t row = array ? (size_t)array->level.width * array->texel_bytes : 0;
    if (array && x >= row)
        return ERROR_InvalidValue;
    for (const char *at = memory; bytes && !error;) {
        size_t width = bytes < row - x ? bytes : row - x;
        size_t height = width == row ? bytes / row : 1;
        const struct side_3d *box = BOX(handle, x, y), *rows = ROWS(at, width);
        error = copy_rectangle(to_array ? box : rows, to_array ? rows : box, width, height, kind,
                               stream);
        at += width * height;
        bytes -= width * height;
        y += height;
        x = 0;
    }
    return error;
}

API_FUNCTION_ASYNC(cudaMemcpyToArray,
                   (void *to, size_t x, size_t y, const void *from, size_t bytes, int kind),
                   copy_running(true, to, x, y, from, bytes, kind, stream))
API_FUNCTION_ASYNC(cudaMemcpyFromArray,
                   (void *to, const void *from, size_t x, size_t y, size_t bytes, int kind),
                   copy_running(false, from, x, y, to, bytes, kind, stream))

static int create_texture(unsigned long long *handle, const void *resource, size_t resource_bytes,
                          const struct texture_settings *settings, const void *view)
{
    if (view)
        runtime_note("texture resource views are not emulated");
    return view       ? ERROR_NotSupported
           : settings ? object_create(handle, resource, resource_bytes, settings)
                      : ERROR_InvalidValue;
}

#define GET_FUNCTION(name, type, member, use)                                                      \
    API_FUNCTION(name, (struct type * part, unsigned long long handle),                            \
                 WITH(found, part ? object_of(handle, use) : NULL, ERROR_InvalidValue,             \
                      (memcpy(part, &found->member, sizeof *part), 0)))
/* The resource structure of CUDA 12 is the first part of the structure of CUDA 13. */
#define OBJECT_FUNCTIONS(version)                                                                  \
    API_FUNCTION(cudaCreateTextureObject_##version,                                                \
                 (unsigned long long *handle, const struct resource_##version *resource,           \
                  const struct texture_settings *settings, const void *view),                      \
                 create_texture(handle, resource, sizeof *resource, settings, view))               \
    API_FUNCTION(cudaCreateSurfaceObject_##version,                                                \
                 (unsigned long long *handle, const struct resource_##version *resource),          \
                 object_create(handle, resource, sizeof *resource, NULL))                          \
    GET_FUNCTION(cudaGetTextureObjectResourceDesc_##version, resource_##version, resource,         \
                 TEXTURE_OBJECT)                                                                   \
    GET_FUNCTION(cudaGetSurfaceObjectResourceDesc_##version, resource_##version, resource,         \
                 TEXTURE_SURFACE)
OBJECT_FUNCTIONS(12)
OBJECT_FUNCTIONS(13)
GET_FUNCTION(cudaGetTextureObjectTextureDesc, texture_settings, settings, TEXTURE_OBJECT)

API_FUNCTION(cudaDestroyTextureObject, (unsigned long long handle),
             object_destroy(handle, TEXTURE_OBJECT))
API_FUNCTION(cudaDestroySurfaceObject, (unsigned long long handle),
             object_destroy(handle, TEXTURE_SURFACE))
