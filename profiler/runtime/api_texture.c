/* api_texture.c: CUDA arrays, their copies, and texture and surface objects. */
#include "runtime/api.h"
#include "runtime/array.h"
#include "runtime/graph.h"

#include <string.h>

/* ---- Arrays ---- */

API_FUNCTION(cudaMallocArray,
             (struct array * *array, const struct channel_format *format, size_t width,
              size_t height, unsigned flags),
             array_create(array, format, (struct extent){width, height, 0}, 0, flags))
API_FUNCTION(cudaMalloc3DArray,
             (struct array * *array, const struct channel_format *format, struct extent extent,
              unsigned flags),
             array_create(array, format, extent, 0, flags))
API_FUNCTION(cudaMallocMipmappedArray,
             (struct array * *array, const struct channel_format *format, struct extent extent,
              unsigned levels, unsigned flags),
             levels ? array_create(array, format, extent, levels, flags) : ERROR_InvalidValue)

static int level_of(struct array **level, const void *handle, unsigned number)
{
    struct array *array = array_of(handle);
    for (; array && number; number--)
        array = array->smaller;
    if (array && level)
        *level = array;
    return array && level ? 0 : ERROR_InvalidValue;
}

API_FUNCTION(cudaGetMipmappedArrayLevel,
             (struct array * *level, const void *mipmapped, unsigned number),
             level_of(level, mipmapped, number))
API_FUNCTION(cudaFreeArray, (const void *array), array_free(array, false))
API_FUNCTION(cudaFreeMipmappedArray, (const void *array), array_free(array, true))

static int array_info(struct channel_format *format, struct extent *extent, unsigned *flags,
                      const void *handle)
{
    const struct array *array = array_of(handle);
    if (!array)
        return ERROR_InvalidResourceHandle;
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return 0;
}

API_FUNCTION(cudaArrayGetInfo,
             (struct channel_format * format, struct extent *extent, unsigned *flags,
              const void *array),
             array_info(format, extent, flags, array))

EXPORT struct channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct channel_format){{x, y, z, w}, kind};
}

API_FUNCTION(cudaGetChannelDesc, (struct channel_format * format, const void *array),
             format ? array_info(format, NULL, NULL, array) : ERROR_InvalidValue)

static int linear_width(size_t *width, const struct channel_format *format, int device)
{
    unsigned bytes = format ? channel_format_bytes(format) : 0;
    if (device || !width || !bytes)
        return device ? ERROR_InvalidDevice : ERROR_InvalidValue;
    *width = (1ull << TEXTURE_LINEAR_BITS) / bytes;
    return 0;
}

API_FUNCTION(cudaDeviceGetTexture1DLinearMaxWidth,
             (size_t * width, const struct channel_format *format, int device),
             linear_width(width, format, device))

/* ---- Copies ---- */

/* A rectangle of rows of an array, from (x, y) in bytes and rows. */
struct rectangle {
    const void *array;
    size_t x, y;
};
/* ... or of memory. */
struct rows {
    const void *pointer;
    size_t pitch;
};

static int copy_rectangle(const struct rectangle *to_array, const struct rows *to,
                          const struct rectangle *from_array, const struct rows *from, size_t width,
                          size_t height, int kind, void *stream)
{
    struct copy_3d copy = {.extent = {width, height, 1}, .kind = kind};
    const struct array *array = array_of((to_array ? to_array : from_array)->array);
    if (!array)
        return ERROR_InvalidResourceHandle;
    if ((to && to->pitch < width) || (from && from->pitch < width))
        return ERROR_InvalidPitchValue;
    if (width % array->texel_bytes)
        return ERROR_InvalidValue;
    copy.extent.width /= array->texel_bytes;
    if (to_array) {
        copy.to_array = mutable(to_array->array);
        copy.to_at = (struct position){to_array->x / array->texel_bytes, to_array->y, 0};
    } else {
        copy.to = (struct pitched){mutable(to->pointer), to->pitch, width, height};
    }
    if (from_array) {
        copy.from_array = mutable(from_array->array);
        copy.from_at = (struct position){from_array->x / array->texel_bytes, from_array->y, 0};
    } else {
        copy.from = (struct pitched){mutable(from->pointer), from->pitch, width, height};
    }
    return copy_box(&copy, stream);
}

#define TO_ARRAY(to, x, y, from, pitch, width, height, kind, stream)                               \
    copy_rectangle(&(struct rectangle){to, x, y}, NULL, NULL, &(struct rows){from, pitch}, width,  \
                   height, kind, stream)
#define FROM_ARRAY(to, pitch, from, x, y, width, height, kind, stream)                             \
    copy_rectangle(NULL, &(struct rows){to, pitch}, &(struct rectangle){from, x, y}, NULL, width,  \
                   height, kind, stream)

API_FUNCTION_ASYNC(cudaMemcpy2DToArray,
                   (void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                    size_t height, int kind),
                   TO_ARRAY(to, x, y, from, pitch, width, height, kind, stream))
API_FUNCTION_ASYNC(cudaMemcpy2DFromArray,
                   (void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width,
                    size_t height, int kind),
                   FROM_ARRAY(to, pitch, from, x, y, width, height, kind, stream))
API_FUNCTION(cudaMemcpy2DArrayToArray,
             (void *to, size_t to_x, size_t to_y, const void *from, size_t from_x, size_t from_y,
              size_t width, size_t height, int kind),
             copy_rectangle(&(struct rectangle){to, to_x, to_y}, NULL,
                            &(struct rectangle){from, from_x, from_y}, NULL, width, height, kind,
                            NULL))
ALIAS(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds);

/* The old copies of so many bytes, which go on from row to row: the rest of the first row, whole
 * rows, and what is left. */
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
        error = to_array ? TO_ARRAY(handle, x, y, at, width, width, height, kind, stream)
                         : FROM_ARRAY(at, width, handle, x, y, width, height, kind, stream);
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

/* ---- Objects ---- */

static int create_texture(unsigned long long *handle, const struct resource *resource,
                          const struct texture_settings *settings, const void *view)
{
    if (view)
        runtime_note("resource views of textures are not emulated");
    return view       ? ERROR_NotSupported
           : settings ? object_create(handle, resource, settings)
                      : ERROR_InvalidValue;
}

API_FUNCTION(cudaCreateTextureObject,
             (unsigned long long *handle, const struct resource *resource,
              const struct texture_settings *settings, const void *view),
             create_texture(handle, resource, settings, view))
API_FUNCTION(cudaDestroyTextureObject, (unsigned long long handle),
             object_destroy(handle, TEXTURE_OBJECT))
API_FUNCTION(cudaCreateSurfaceObject, (unsigned long long *handle, const struct resource *resource),
             object_create(handle, resource, NULL))
API_FUNCTION(cudaDestroySurfaceObject, (unsigned long long handle),
             object_destroy(handle, TEXTURE_SURFACE))

/* One part of what an object was made of. */
static int get_object(void *part, size_t offset, size_t bytes, unsigned long long handle,
                      enum texture_use use)
{
    const struct object *object = object_of(handle, use);
    if (object && part)
        memcpy(part, (const char *)object + offset, bytes);
    return object && part ? 0 : ERROR_InvalidValue;
}
#define GET(part, member, handle, use)                                                             \
    get_object(part, offsetof(struct object, member), sizeof *(part), handle, use)

API_FUNCTION(cudaGetTextureObjectResourceDesc,
             (struct resource * resource, unsigned long long handle),
             GET(resource, resource, handle, TEXTURE_OBJECT))
API_FUNCTION(cudaGetTextureObjectTextureDesc,
             (struct texture_settings * settings, unsigned long long handle),
             GET(settings, settings, handle, TEXTURE_OBJECT))
API_FUNCTION(cudaGetSurfaceObjectResourceDesc,
             (struct resource * resource, unsigned long long handle),
             GET(resource, resource, handle, TEXTURE_SURFACE))
