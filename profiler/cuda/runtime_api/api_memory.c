/* api_memory.c: allocation, copies, memset. Work in streams is done at once, so the functions with
 * and without Async differ in their time alone. */
#include "runtime/api.h"
#include "runtime/array.h"
#include "runtime/graph.h"
#include "runtime/module.h"

#include <string.h>

enum { DEFAULT_KIND = 4, PITCH_ALIGN = 512 };

/* ---- Allocate ---- */

static int allocate(enum heap_kind kind, void **pointer, size_t bytes, unsigned flags)
{
    const struct allocation *made;
    if (!pointer)
        return ERROR_InvalidValue;
    *pointer = NULL;
    if (!bytes)
        return kind == HEAP_MANAGED ? ERROR_InvalidValue : 0;
    int error = heap_allocate(kind, bytes, &made);
    timeline_settle_all();
    if (!error)
        *pointer = (void *)(uintptr_t)made->base;
    (void)flags;
    return error;
}

API_FUNCTION(cudaMalloc, (void **pointer, size_t bytes), allocate(HEAP_DEVICE, pointer, bytes, 0))
API_FUNCTION(cudaMallocManaged, (void **pointer, size_t bytes, unsigned flags),
             flags == 1 || flags == 2 ? allocate(HEAP_MANAGED, pointer, bytes, flags)
                                      : ERROR_InvalidValue)
API_FUNCTION(cudaHostAlloc, (void **pointer, size_t bytes, unsigned flags),
             allocate(HEAP_HOST, pointer, bytes, flags))
API_FUNCTION(cudaMallocHost, (void **pointer, size_t bytes), allocate(HEAP_HOST, pointer, bytes, 0))

static uint64_t pooled_high;

static int allocate_in(void **pointer, size_t bytes, const void *handle)
{
    struct stream *stream = timeline_stream(handle);
    struct graph_node node;
    if (!stream || !pointer)
        return stream ? ERROR_InvalidValue : ERROR_InvalidResourceHandle;
    int error;
    if (stream->capture.graph) {
        error = graph_allocate(bytes, &node);
        *pointer = error ? NULL : node.memory;
        return error ? error : graph_capture(stream, &node);
    }
    error = allocate(HEAP_DEVICE, pointer, bytes, 0);
    if (!error && *pointer)
        heap_pool(heap_find((uintptr_t)*pointer));
    pooled_high = heap_pooled() > pooled_high ? heap_pooled() : pooled_high;
    return error;
}

API_FUNCTION_PTSZ(cudaMallocAsync, (void **pointer, size_t bytes, void *stream),
                  allocate_in(pointer, bytes, stream))
API_FUNCTION_PTSZ(cudaMallocFromPoolAsync, (void **pointer, size_t bytes, void *pool, void *stream),
                  allocate_in(pointer, bytes, stream))

/* All pools are one: memory comes from the device's, and goes back to it at once. */
static int get_pool(void **pool, int device)
{
    static char the_pool;
    if (pool)
        *pool = &the_pool;
    return device ? ERROR_InvalidDevice : pool ? 0 : ERROR_InvalidValue;
}

API_FUNCTION(cudaDeviceGetDefaultMemPool, (void **pool, int device), get_pool(pool, device))
ALIAS(cudaDeviceGetDefaultMemPool, cudaDeviceGetMemPool);
API_FUNCTION(cudaMemPoolCreate, (void **pool, const void *properties), get_pool(pool, 0))

/* In CUDA 13 for a location, of which there is one for all. */
API_FUNCTION(cudaMemGetDefaultMemPool, (void **pool), get_pool(pool, 0))
ALIAS(cudaMemGetDefaultMemPool, cudaMemGetMemPool);
API_FUNCTION(cudaMemPoolGetAccess, (int *flags),
             GIVE(flags, 3)) /* cudaMemAccessFlagsProtReadWrite */

/* cudaMemPoolAttr: ints that say what may be used again, the threshold, and four sizes, of which
 * programs set the greatest ones back to 0. */
enum { POOL_THRESHOLD = 4, POOL_HIGHEST = 8, POOL_ATTRIBUTES };
static uint64_t pool_settings[POOL_ATTRIBUTES] = {0, 1, 1, 1};

static int get_pool_attribute(unsigned attribute, void *value)
{
    if (!value || !attribute || attribute >= POOL_ATTRIBUTES)
        return ERROR_InvalidValue;
    bool is_highest = attribute == 6 || attribute == POOL_HIGHEST;
    if (attribute < POOL_THRESHOLD)
        *(int *)value = (int)pool_settings[attribute];
    else if (attribute == POOL_THRESHOLD)
        *(uint64_t *)value = pool_settings[attribute];
    else
        *(uint64_t *)value = is_highest ? pooled_high : heap_pooled();
    return 0;
}

static int set_pool_attribute(unsigned attribute, const void *value)
{
    if (!value || !attribute || attribute >= POOL_ATTRIBUTES)
        return ERROR_InvalidValue;
    if (attribute < POOL_THRESHOLD)
        pool_settings[attribute] = *(const int *)value != 0;
    else if (attribute == POOL_THRESHOLD)
        pool_settings[attribute] = *(const uint64_t *)value;
    else if (attribute == 5 || attribute == 7 || *(const uint64_t *)value)
        return ERROR_InvalidValue;
    else
        pooled_high = heap_pooled();
    return 0;
}

API_FUNCTION(cudaMemPoolGetAttribute, (void *pool, unsigned attribute, void *value),
             get_pool_attribute(attribute, value))
API_FUNCTION(cudaMemPoolSetAttribute, (void *pool, unsigned attribute, const void *value),
             set_pool_attribute(attribute, value))

/* ---- Advice for managed memory ---- */

enum { ON_HOST = -1, NOWHERE = -2 };
enum { LOCATION_DEVICE = 1 }; /* cudaMemLocationType: 0 none, others are of the host */
struct location {             /* cudaMemLocation */
    int type, id;
};

/* CUDA 12 names a device where 13 has a location. */
static int device_of(struct location location)
{
    extern const int runtime_version;
    if (runtime_version < 13000)
        return location.type;
    return location.type == LOCATION_DEVICE ? location.id : location.type ? ON_HOST : NOWHERE;
}

static int advise(const void *pointer, int advice, struct location location)
{
    enum {
        READ_MOSTLY = 1,
        PREFERRED = 3,
        ACCESSED_BY = 5,
        ADVICES = 6
    }; /* odd: set, even: unset */
    struct heap_advice *kept = heap_advice(pointer);
    bool is_set = advice % 2;
    int device = device_of(location);
    if (advice < READ_MOSTLY || advice > ADVICES)
        return ERROR_InvalidValue;
    if (kept && advice <= READ_MOSTLY + 1)
        kept->is_read_mostly = is_set;
    else if (kept && advice <= PREFERRED + 1)
        kept->preferred = is_set ? device : NOWHERE;
    else if (kept)
        kept->is_accessed_by[device == ON_HOST] = is_set;
    return 0;
}

API_FUNCTION(cudaMemAdvise,
             (const void *pointer, size_t bytes, int advice, struct location location),
             advise(pointer, advice, location))

static int prefetch(const void *pointer, struct location location)
{
    struct heap_advice *kept = heap_advice(pointer);
    if (kept)
        kept->prefetched = device_of(location);
    return 0;
}

API_FUNCTION_PTSZ(cudaMemPrefetchAsync,
                  (const void *pointer, size_t bytes, struct location location),
                  prefetch(pointer, location))

static int range_attribute(void *data, size_t size, int attribute, const void *pointer)
{
    enum { READ_MOSTLY = 1, PREFERRED, ACCESSED_BY, PREFETCHED, PREFERRED_TYPE };
    const struct allocation *found = heap_find((uintptr_t)pointer);
    const struct heap_advice *kept = found ? heap_advice(pointer) : NULL;
    int *values = data, count = (int)(size / sizeof *values), used = 0;
    if (!kept || found->kind == HEAP_DEVICE || !data || !count || size % sizeof *values ||
        attribute < READ_MOSTLY || attribute > PREFERRED_TYPE + 3)
        return ERROR_InvalidValue;
    if (attribute == ACCESSED_BY) {
        for (int i = 0; i < 2; i++)
            if (kept->is_accessed_by[i] && used < count)
                values[used++] = -i;
        while (used < count)
            values[used++] = NOWHERE;
        return 0;
    }
    bool is_preferred = attribute == PREFERRED || (attribute - PREFERRED_TYPE) / 2 == 0;
    int device = attribute != PREFETCHED && is_preferred ? kept->preferred : kept->prefetched;
    bool asks_type = attribute >= PREFERRED_TYPE && (attribute - PREFERRED_TYPE) % 2 == 0;
    *values = attribute == READ_MOSTLY ? kept->is_read_mostly
              : !asks_type             ? device
              : device == NOWHERE      ? 0
                                       : LOCATION_DEVICE + (device == ON_HOST);
    return 0;
}

API_FUNCTION(cudaMemRangeGetAttribute,
             (void *data, size_t size, int attribute, const void *pointer, size_t bytes),
             range_attribute(data, size, attribute, pointer))

static int range_attributes(void **data, const size_t *sizes, const int *attributes, size_t count,
                            const void *pointer)
{
    int error = data && sizes && attributes && count ? 0 : ERROR_InvalidValue;
    for (size_t i = 0; i < count && !error; i++)
        error = range_attribute(data[i], sizes[i], attributes[i], pointer);
    return error;
}

API_FUNCTION(cudaMemRangeGetAttributes,
             (void **data, const size_t *sizes, const int *attributes, size_t count,
              const void *pointer, size_t bytes),
             range_attributes(data, sizes, attributes, count, pointer))

static size_t pitch_of(size_t width)
{
    return (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
}

static int allocate_pitched(void **pointer, size_t *pitch, size_t width, size_t rows)
{
    if (!pointer || !pitch || width > SIZE_MAX / 2 || (rows && pitch_of(width) > SIZE_MAX / rows))
        return ERROR_InvalidValue;
    *pitch = pitch_of(width);
    return allocate(HEAP_DEVICE, pointer, *pitch * rows, 0);
}

API_FUNCTION(cudaMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height),
             allocate_pitched(pointer, pitch, width, height))

static int allocate_3d(struct pitched *pitched, struct extent extent)
{
    if (!pitched)
        return ERROR_InvalidValue;
    pitched->width = extent.width;
    pitched->height = extent.height;
    return allocate_pitched(&pitched->pointer, &pitched->pitch, extent.width,
                            extent.height * extent.depth);
}

API_FUNCTION(cudaMalloc3D, (struct pitched * pitched, struct extent extent),
             allocate_3d(pitched, extent))

static int release(const void *pointer, unsigned kinds)
{
    timeline_await_all();
    return pointer ? heap_free(pointer, kinds) : 0;
}

API_FUNCTION(cudaFree, (void *pointer), release(pointer, HEAP_DEVICE | HEAP_MANAGED))
API_FUNCTION(cudaFreeHost, (void *pointer), release(pointer, HEAP_HOST))

static int release_in(void *pointer, const void *handle)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream)
        return ERROR_InvalidResourceHandle;
    return stream->capture.graph
               ? graph_capture(stream, &(struct graph_node){.kind = NODE_FREE, .memory = pointer})
               : release(pointer, HEAP_DEVICE | HEAP_MANAGED);
}

API_FUNCTION_PTSZ(cudaFreeAsync, (void *pointer, void *stream), release_in(pointer, stream))
API_FUNCTION(cudaHostRegister, (void *pointer, size_t bytes, unsigned flags),
             heap_register(pointer, bytes, flags))
API_FUNCTION(cudaHostUnregister, (void *pointer),
             heap_free(pointer, HEAP_REGISTERED) ? ERROR_HostMemoryNotRegistered : 0)

static int device_pointer(void **device, void *host)
{
    const struct allocation *found = heap_find((uint64_t)(uintptr_t)host);
    if (!device)
        return ERROR_InvalidValue;
    if (found && found->kind & (HEAP_HOST | HEAP_MANAGED)) {
        *device = host;
        return 0;
    }
    found = heap_find_registered(host);
    if (!found)
        return ERROR_InvalidValue;
    *device = (void *)(uintptr_t)(found->base + ((uintptr_t)host - (uintptr_t)found->host));
    return 0;
}

API_FUNCTION(cudaHostGetDevicePointer, (void **device, void *host, unsigned flags),
             device_pointer(device, host))

static int host_flags(unsigned *flags, void *host)
{
    const struct allocation *found = heap_find((uint64_t)(uintptr_t)host);
    if (!found)
        found = heap_find_registered(host);
    return !found ? ERROR_InvalidValue
                  : GIVE(flags, found->flags | 2); /* mapped, as all is with unified addresses */
}

API_FUNCTION(cudaHostGetFlags, (unsigned *flags, void *host), host_flags(flags, host))

static int memory_info(size_t *unused, size_t *total)
{
    const size_t bytes = runtime.device->memory_bytes;
    return GIVE(total, bytes) | GIVE(unused, bytes - heap_used());
}

API_FUNCTION(cudaMemGetInfo, (size_t * unused, size_t *total), memory_info(unused, total))

struct pointer_attributes { /* cudaPointerAttributes */
    int type, device;
    void *device_pointer, *host_pointer;
    long reserved[8];
};
enum { TYPE_UNREGISTERED, TYPE_HOST, TYPE_DEVICE, TYPE_MANAGED };

static int pointer_attributes(struct pointer_attributes *attributes, const void *pointer)
{
    const struct allocation *found = heap_find((uint64_t)(uintptr_t)pointer);
    const struct allocation *registered = found ? NULL : heap_find_registered(pointer);
    void *same = mutable(pointer);
    *attributes = (struct pointer_attributes){.device = -2, .host_pointer = same};
    if (registered) {
        attributes->type = TYPE_HOST;
        attributes->device = 0;
        device_pointer(&attributes->device_pointer, same);
    } else if (found) {
        attributes->type = found->kind == HEAP_MANAGED ? TYPE_MANAGED
                           : found->kind == HEAP_HOST  ? TYPE_HOST
                                                       : TYPE_DEVICE;
        attributes->device = 0;
        attributes->device_pointer = same;
        attributes->host_pointer = attributes->type == TYPE_DEVICE ? NULL : same;
    }
    return 0;
}

API_FUNCTION(cudaPointerGetAttributes,
             (struct pointer_attributes * attributes, const void *pointer),
             attributes ? pointer_attributes(attributes, pointer) : ERROR_InvalidValue)

/* ---- Copies ---- */

static int copy_in(const struct heap_copy *copy, void *handle)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream)
        return ERROR_InvalidResourceHandle;
    if (stream->capture.graph)
        return graph_capture(stream, &(struct graph_node){.kind = NODE_COPY, .copy = *copy});
    int error = work_copy(copy, stream);
    if (!handle) /* and most of these are not asynchronous */
        timeline_await(stream);
    return error;
}

static int copy_flat(void *to, const void *from, size_t bytes, int kind, void *stream)
{
    struct heap_copy copy = {
        .to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    return copy_in(&copy, stream);
}

API_FUNCTION_ASYNC(cudaMemcpy, (void *to, const void *from, size_t bytes, int kind),
                   copy_flat(to, from, bytes, kind, stream))
API_FUNCTION(cudaMemcpyPeer,
             (void *to, int to_device, const void *from, int from_device, size_t bytes),
             to_device || from_device ? ERROR_InvalidDevice
                                      : copy_flat(to, from, bytes, DEFAULT_KIND, NULL))
API_FUNCTION(cudaMemcpyPeerAsync,
             (void *to, int to_device, const void *from, int from_device, size_t bytes,
              void *stream),
             to_device || from_device ? ERROR_InvalidDevice
                                      : copy_flat(to, from, bytes, DEFAULT_KIND, stream))

static int copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                     size_t height, int kind, void *stream)
{
    struct heap_copy copy = {.to = to,
                             .to_pitch = to_pitch,
                             .from = from,
                             .from_pitch = from_pitch,
                             .width = width,
                             .height = height,
                             .depth = 1,
                             .kind = kind};
    return to_pitch < width || from_pitch < width ? ERROR_InvalidPitchValue
                                                  : copy_in(&copy, stream);
}

API_FUNCTION_ASYNC(cudaMemcpy2D,
                   (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                    size_t height, int kind),
                   copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream))

/* One side of a copy: a box of an array, whose position is in texels, or of memory. Its texels'
 * bytes, 1 of memory; 0: it reaches over the array's edge. */
static size_t place_side(const void *handle, struct position at, const struct pitched *memory,
                         struct extent box, struct array_side *side)
{
    const struct array *array = array_of(handle);
    if (array)
        return array_side(array, at, box, side) ? array->texel_bytes : 0;
    side->pitch = memory->pitch;
    side->slice = memory->pitch * memory->height;
    side->pointer = (char *)memory->pointer + at.x + at.y * side->pitch + at.z * side->slice;
    return handle ? 0 : 1;
}

int copy_of_3d(const struct copy_3d *parameters, struct heap_copy *copy)
{
    struct extent extent = parameters->extent;
    struct array_side from, to;
    if (!parameters->extent.width || !extent.height || !extent.depth) {
        *copy = (struct heap_copy){.kind = parameters->kind};
        return 0;
    }
    size_t from_bytes =
        place_side(parameters->from_array, parameters->from_at, &parameters->from, extent, &from);
    size_t to_bytes =
        place_side(parameters->to_array, parameters->to_at, &parameters->to, extent, &to);
    bool to_host = parameters->kind == 0 || parameters->kind == 2; /* enum cudaMemcpyKind */
    bool from_host = parameters->kind == 0 || parameters->kind == 1;
    if (!from_bytes || !to_bytes ||
        (parameters->from_array && parameters->to_array && from_bytes != to_bytes))
        return ERROR_InvalidValue;
    if ((parameters->to_array && to_host) || (parameters->from_array && from_host))
        return ERROR_InvalidMemcpyDirection;
    *copy =
        (struct heap_copy){.from = from.pointer,
                           .from_pitch = from.pitch,
                           .from_slice = from.slice,
                           .to = to.pointer,
                           .to_pitch = to.pitch,
                           .to_slice = to.slice,
                           .width = extent.width * (from_bytes > to_bytes ? from_bytes : to_bytes),
                           .height = extent.height,
                           .depth = extent.depth,
                           .kind = parameters->kind};
    return 0;
}

int copy_box(const struct copy_3d *parameters, void *stream)
{
    struct heap_copy copy;
    int error = parameters ? copy_of_3d(parameters, &copy) : ERROR_InvalidValue;
    return error ? error : copy_in(&copy, stream);
}

API_FUNCTION_ASYNC(cudaMemcpy3D, (const struct copy_3d *parameters), copy_box(parameters, stream))

/* In CUDA 12 with one argument more, where the copy that failed is told. */
static int copy_batch(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                      void *stream)
{
    int error = to && from && bytes ? 0 : ERROR_InvalidValue;
    for (size_t i = 0; i < count && !error; i++)
        error = copy_flat(to[i], from[i], bytes[i], DEFAULT_KIND, stream);
    return error;
}

API_FUNCTION_PTSZ(cudaMemcpyBatchAsync,
                  (void *const *to, const void *const *from, const size_t *bytes, size_t count,
                   const void *attributes, const size_t *indices, size_t attribute_count,
                   void *stream),
                  copy_batch(to, from, bytes, count, stream))

/* ---- Symbols ---- */

/* Constants have no address of the device's; those of the host serve the copy. */
static int copy_symbol(void *other, const void *symbol, size_t bytes, size_t offset, bool to_symbol,
                       int kind, void *stream)
{
    void *pointer;
    uint64_t size;
    int error = module_find_variable(symbol, &pointer, &size);
    if (error)
        return error;
    if (offset > size || bytes > size - offset)
        return ERROR_InvalidValue;
    if (kind == (to_symbol ? 2 : 1))
        return ERROR_InvalidMemcpyDirection;
    pointer = (char *)pointer + offset;
    return to_symbol ? copy_flat(pointer, other, bytes, DEFAULT_KIND, stream)
                     : copy_flat(other, pointer, bytes, DEFAULT_KIND, stream);
}

API_FUNCTION_ASYNC(cudaMemcpyToSymbol,
                   (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
                   copy_symbol(mutable(from), symbol, bytes, offset, true, kind, stream))
API_FUNCTION_ASYNC(cudaMemcpyFromSymbol,
                   (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
                   copy_symbol(to, symbol, bytes, offset, false, kind, stream))

EXPORT int cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    uint64_t bytes;
    API(pointer ? module_find_variable(symbol, pointer, &bytes) : ERROR_InvalidValue);
}

static int symbol_size(size_t *size, const void *symbol)
{
    void *pointer;
    uint64_t bytes = 0;
    int error = module_find_variable(symbol, &pointer, &bytes);
    return error ? error : GIVE(size, bytes);
}

API_FUNCTION(cudaGetSymbolSize, (size_t * size, const void *symbol), symbol_size(size, symbol))

/* ---- Memset ---- */

int set_in(const struct graph_set *set, const void *handle)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream)
        return ERROR_InvalidResourceHandle;
    if (stream->capture.graph)
        return graph_capture(stream, &(struct graph_node){.kind = NODE_SET, .set = *set});
    int error = work_set(set, stream);
    if (!handle) /* and most of these are not asynchronous */
        timeline_settle(stream);
    return error;
}

static int set_rows(void *to, size_t pitch, int value, size_t width, size_t height, void *stream)
{
    return set_in(&(struct graph_set){to, pitch, (unsigned char)value, 1, width, height}, stream);
}

API_FUNCTION_ASYNC(cudaMemset, (void *to, int value, size_t bytes),
                   set_rows(to, bytes, value, bytes, 1, stream))
API_FUNCTION_ASYNC(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
                   set_rows(to, pitch, value, width, height, stream))

static int set_box(struct pitched to, int value, struct extent extent, void *stream)
{
    int error = 0;
    for (size_t z = 0; z < extent.depth && !error; z++)
        error = set_rows((char *)to.pointer + z * to.pitch * to.height, to.pitch, value,
                         extent.width, extent.height, stream);
    return error;
}

API_FUNCTION_ASYNC(cudaMemset3D, (struct pitched to, int value, struct extent extent),
                   set_box(to, value, extent, stream))
