/* api_memory.c: allocations, copies and memsets. Async variants differ only in modelled time. */
#include "cuda/core/graph.h"
#include "cuda/core/handle.h"
#include "cuda/runtime_api/api.h"
#include "cuda/runtime_api/calls.h"

#include <string.h>

enum { PITCH_ALIGN = 512 };

static int allocate(enum heap_kind kind, void **pointer, size_t bytes)
{
    struct allocation *made;
    if (!pointer)
        return ERROR_InvalidValue;
    *pointer = NULL;
    if (!bytes)
        return kind == HEAP_MANAGED ? ERROR_InvalidValue : 0;
    int error = heap_allocate(kind, bytes, &made);
    timeline_settle_all();
    if (!error)
        *pointer = (void *)(uintptr_t)made->base;
    return error;
}

API_FUNCTION(cudaMalloc, (void **pointer, size_t bytes), allocate(HEAP_DEVICE, pointer, bytes))
API_FUNCTION(cudaMallocManaged, (void **pointer, size_t bytes, unsigned flags),
             flags == 1 || flags == 2 ? allocate(HEAP_MANAGED, pointer, bytes) : ERROR_InvalidValue)
API_FUNCTION(cudaHostAlloc, (void **pointer, size_t bytes, unsigned flags),
             allocate(HEAP_HOST, pointer, bytes))
API_FUNCTION(cudaMallocHost, (void **pointer, size_t bytes), allocate(HEAP_HOST, pointer, bytes))

static uint64_t pooled_high;

static int allocate_in(void **pointer, size_t bytes, const void *handle)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream || !pointer)
        return stream ? ERROR_InvalidValue : ERROR_InvalidResourceHandle;
    if (stream->capture.graph) {
        struct operation node = graph_allocate(bytes);
        *pointer = node.kind == OPERATION_NONE ? NULL : node.memory;
        return graph_submit(&node, handle);
    }
    int error = allocate(HEAP_DEVICE, pointer, bytes);
    if (!error && *pointer)
        heap_find((uintptr_t)*pointer)->is_pooled = true;
    const uint64_t pooled = heap_use().pooled;
    pooled_high = pooled > pooled_high ? pooled : pooled_high;
    return error;
}

API_FUNCTION_PTSZ(cudaMallocAsync, (void **pointer, size_t bytes, void *stream),
                  allocate_in(pointer, bytes, stream))

/* The object of every pool handle. A pool has no memory: freed memory returns to the device. */
static char the_pool;
static void *default_pool;

static bool is_pool(const void *handle)
{
    return handle_find(HANDLE_POOL, handle);
}

static int get_pool(void **pool, int device)
{
    if (!default_pool)
        default_pool = handle_make(HANDLE_POOL, &the_pool);
    return device ? ERROR_InvalidDevice : GIVE(pool, default_pool);
}

API_FUNCTION(cudaMemPoolDestroy, (void *pool),
             pool != default_pool && handle_forget(HANDLE_POOL, pool) ? 0 : ERROR_InvalidValue)
API_FUNCTION_PTSZ(cudaMallocFromPoolAsync, (void **pointer, size_t bytes, void *pool, void *stream),
                  is_pool(pool) ? allocate_in(pointer, bytes, stream) : ERROR_InvalidValue)
API_FUNCTION(cudaDeviceGetDefaultMemPool, (void **pool, int device), get_pool(pool, device))
ALIAS(cudaDeviceGetDefaultMemPool, cudaDeviceGetMemPool);
API_FUNCTION(cudaDeviceSetMemPool, (int device, void *pool),
             device          ? ERROR_InvalidDevice
             : is_pool(pool) ? 0
                             : ERROR_InvalidValue)
API_FUNCTION(cudaMemPoolCreate, (void **pool, const void *properties),
             properties ? GIVE(pool, handle_make(HANDLE_POOL, &the_pool)) : ERROR_InvalidValue)
API_FUNCTION(cudaMemPoolTrimTo, (void *pool, size_t bytes), is_pool(pool) ? 0 : ERROR_InvalidValue)
API_FUNCTION(cudaMemPoolSetAccess, (void *pool, const void *access, size_t count),
             is_pool(pool) ? 0 : ERROR_InvalidValue)

/* Since CUDA 13, a location has a pool. All locations have the same pool. */
API_FUNCTION(cudaMemGetDefaultMemPool, (void **pool, const struct location *location, int type),
             location ? get_pool(pool, 0) : ERROR_InvalidValue)
ALIAS(cudaMemGetDefaultMemPool, cudaMemGetMemPool);
API_FUNCTION(cudaMemPoolGetAccess, (int *flags, void *pool, const struct location *location),
             is_pool(pool) ? GIVE(flags, 3) /* cudaMemAccessFlagsProtReadWrite */
                           : ERROR_InvalidValue)

/* cudaMemPoolAttr: three ints control the reuse, one number is the threshold, four are sizes. */
enum { POOL_THRESHOLD = 4, POOL_HIGHEST = 8, POOL_ATTRIBUTES };
static uint64_t pool_settings[POOL_ATTRIBUTES] = {0, 1, 1, 1};

API_BODY(API_FUNCTION, cudaMemPoolGetAttribute, (void *pool, unsigned attribute, void *value),
         (pool, attribute, value))
{
    if (!is_pool(pool) || !value || !attribute || attribute >= POOL_ATTRIBUTES)
        return ERROR_InvalidValue;
    bool is_highest = attribute == 6 || attribute == POOL_HIGHEST;
    if (attribute < POOL_THRESHOLD)
        *(int *)value = (int)pool_settings[attribute];
    else if (attribute == POOL_THRESHOLD)
        *(uint64_t *)value = pool_settings[attribute];
    else
        *(uint64_t *)value = is_highest ? pooled_high : heap_use().pooled;
    return 0;
}

API_BODY(API_FUNCTION, cudaMemPoolSetAttribute, (void *pool, unsigned attribute, const void *value),
         (pool, attribute, value))
{
    if (!is_pool(pool) || !value || !attribute || attribute >= POOL_ATTRIBUTES)
        return ERROR_InvalidValue;
    if (attribute < POOL_THRESHOLD)
        pool_settings[attribute] = *(const int *)value != 0;
    else if (attribute == POOL_THRESHOLD)
        pool_settings[attribute] = *(const uint64_t *)value;
    else if (attribute == 5 || attribute == 7 || *(const uint64_t *)value)
        return ERROR_InvalidValue;
    else
        pooled_high = heap_use().pooled;
    return 0;
}

enum { ON_HOST = -1, NOWHERE = -2 };

static int device_of(struct location location)
{
    return location.type == LOCATION_DEVICE ? location.id : location.type ? ON_HOST : NOWHERE;
}

static int advise(const void *pointer, int advice, int device)
{
    enum { READ_MOSTLY = 1, PREFERRED = 3, ADVICES = 6 }; /* odd: set, even: unset */
    struct allocation *found = heap_find((uintptr_t)pointer);
    struct heap_advice *stored = found ? &found->advice : NULL;
    bool is_set = advice % 2;
    if (advice < READ_MOSTLY || advice > ADVICES)
        return ERROR_InvalidValue;
    if (stored && advice <= READ_MOSTLY + 1)
        stored->is_read_mostly = is_set;
    else if (stored && advice <= PREFERRED + 1)
        stored->preferred = is_set ? device : NOWHERE;
    else if (stored)
        stored->is_accessed_by[device == ON_HOST] = is_set;
    return 0;
}

API_FUNCTION(cudaMemAdvise_12, (const void *pointer, size_t bytes, int advice, int device),
             advise(pointer, advice, device))
API_FUNCTION(cudaMemAdvise_13,
             (const void *pointer, size_t bytes, int advice, struct location location),
             advise(pointer, advice, device_of(location)))
ALIAS(cudaMemAdvise_13, cudaMemAdvise_v2);

static int prefetch(const void *pointer, int device, const void *stream)
{
    struct allocation *found = heap_find((uintptr_t)pointer);
    if (!timeline_stream(stream))
        return ERROR_InvalidResourceHandle;
    if (found)
        found->advice.prefetched = device;
    return 0;
}

API_FUNCTION(cudaMemPrefetchAsync_12, (const void *pointer, size_t bytes, int device, void *stream),
             prefetch(pointer, device, stream))
API_FUNCTION(cudaMemPrefetchAsync_13,
             (const void *pointer, size_t bytes, struct location location, unsigned flags,
              void *stream),
             prefetch(pointer, device_of(location), stream))
ALIAS(cudaMemPrefetchAsync_13, cudaMemPrefetchAsync_v2);
ALIAS(cudaMemPrefetchAsync_13, cudaMemPrefetchAsync_v2_ptsz);

static int range_attribute(void *data, size_t size, int attribute, const void *pointer)
{
    enum { READ_MOSTLY = 1, PREFERRED, ACCESSED_BY, PREFETCHED, PREFERRED_TYPE };
    const struct allocation *found = heap_find((uintptr_t)pointer);
    const struct heap_advice *stored = found ? &found->advice : NULL;
    int *values = data, count = (int)(size / sizeof *values), used = 0;
    if (!stored || found->kind == HEAP_DEVICE || !data || !count || size % sizeof *values ||
        attribute < READ_MOSTLY || attribute > PREFERRED_TYPE + 3)
        return ERROR_InvalidValue;
    if (attribute == ACCESSED_BY) {
        for (int i = 0; i < 2; i++)
            if (stored->is_accessed_by[i] && used < count)
                values[used++] = -i;
        while (used < count)
            values[used++] = NOWHERE;
        return 0;
    }
    bool is_preferred = attribute == PREFERRED || (attribute - PREFERRED_TYPE) / 2 == 0;
    int device = attribute != PREFETCHED && is_preferred ? stored->preferred : stored->prefetched;
    bool asks_type = attribute >= PREFERRED_TYPE && (attribute - PREFERRED_TYPE) % 2 == 0;
    *values = attribute == READ_MOSTLY ? stored->is_read_mostly
              : !asks_type             ? device
              : device == NOWHERE      ? 0
                                       : LOCATION_DEVICE + (device == ON_HOST);
    return 0;
}

API_FUNCTION(cudaMemRangeGetAttribute,
             (void *data, size_t size, int attribute, const void *pointer, size_t bytes),
             range_attribute(data, size, attribute, pointer))

API_BODY(API_FUNCTION, cudaMemRangeGetAttributes,
         (void **data, const size_t *sizes, const int *attributes, size_t count,
          const void *pointer, size_t bytes),
         (data, sizes, attributes, count, pointer, bytes))
{
    int error = data && sizes && attributes && count ? 0 : ERROR_InvalidValue;
    for (size_t i = 0; i < count && !error; i++)
        error = range_attribute(data[i], sizes[i], attributes[i], pointer);
    return error;
}

static int allocate_pitched(void **pointer, size_t *pitch, size_t width, size_t rows)
{
    size_t aligned = round_up(width, PITCH_ALIGN);
    if (!pointer || !pitch || width > SIZE_MAX / 2 || (rows && aligned > SIZE_MAX / rows))
        return ERROR_InvalidValue;
    *pitch = aligned;
    return allocate(HEAP_DEVICE, pointer, *pitch * rows);
}

API_FUNCTION(cudaMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height),
             allocate_pitched(pointer, pitch, width, height))

API_BODY(API_FUNCTION, cudaMalloc3D, (struct pitched * pitched, struct extent extent),
         (pitched, extent))
{
    size_t rows;
    if (!pitched || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return ERROR_InvalidValue;
    pitched->width = extent.width;
    pitched->height = extent.height;
    return allocate_pitched(&pitched->pointer, &pitched->pitch, extent.width, rows);
}

static int release(const void *pointer, unsigned kinds)
{
    timeline_await_all();
    return pointer ? heap_free(pointer, kinds) : 0;
}

API_FUNCTION(cudaFree, (void *pointer), release(pointer, HEAP_DEVICE | HEAP_MANAGED))
API_FUNCTION(cudaFreeHost, (void *pointer), release(pointer, HEAP_HOST))

API_BODY(API_FUNCTION_PTSZ, cudaFreeAsync, (void *pointer, void *handle), (pointer, handle))
{
    struct stream *stream = timeline_stream(handle);
    if (!stream)
        return ERROR_InvalidResourceHandle;
    return stream->capture.graph ? graph_capture(stream, &(struct operation){.kind = OPERATION_FREE,
                                                                             .memory = pointer})
                                 : release(pointer, HEAP_DEVICE | HEAP_MANAGED);
}

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

/* Flag 2 (mapped) is always set, because addresses are unified. */
API_FUNCTION(cudaHostGetFlags, (unsigned *flags, void *host),
             WITH(found, heap_find_any(host), ERROR_InvalidValue, GIVE(flags, found->flags | 2)))
API_FUNCTION(cudaMemGetInfo, (size_t * unused, size_t *total),
             GIVE(total, runtime.device->memory_bytes) |
                 GIVE(unused, runtime.device->memory_bytes - heap_use().device))

static struct pointer_attributes_12 pointer_attributes(const void *pointer)
{
    const struct allocation *found = heap_find((uint64_t)(uintptr_t)pointer);
    const struct allocation *registered = found ? NULL : heap_find_registered(pointer);
    void *same = mutable(pointer);
    struct pointer_attributes_12 all = {.device = -2, .host_pointer = same};
    if (registered) {
        all.type = TYPE_HOST;
        all.device = 0;
        device_pointer(&all.device_pointer, same);
    } else if (found) {
        all.type = found->kind == HEAP_MANAGED ? TYPE_MANAGED
                   : found->kind == HEAP_HOST  ? TYPE_HOST
                                               : TYPE_DEVICE;
        all.device = 0;
        all.device_pointer = same;
        all.host_pointer = all.type == TYPE_DEVICE ? NULL : same;
    }
    return all;
}

API_FUNCTION(cudaPointerGetAttributes_12,
             (struct pointer_attributes_12 * attributes, const void *pointer),
             GIVE(attributes, pointer_attributes(pointer)))
API_FUNCTION(cudaPointerGetAttributes_13,
             (struct pointer_attributes_13 * attributes, const void *pointer),
             GIVE(attributes, (struct pointer_attributes_13){.old = pointer_attributes(pointer)}))

static int copy_flat(void *to, const void *from, size_t bytes, int kind, void *stream)
{
    struct operation copy = operation_copy(to, from, bytes, kind);
    return graph_submit(&copy, stream);
}

API_FUNCTION_ASYNC(cudaMemcpy, (void *to, const void *from, size_t bytes, int kind),
                   copy_flat(to, from, bytes, kind, stream))
API_FUNCTION_ASYNC(cudaMemcpyPeer,
                   (void *to, int to_device, const void *from, int from_device, size_t bytes),
                   to_device || from_device ? ERROR_InvalidDevice
                                            : copy_flat(to, from, bytes, COPY_ANY, stream))

static int copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                     size_t height, int kind, void *stream)
{
    struct operation copy = operation_copy(to, from, width, kind);
    copy.copy.to_pitch = to_pitch;
    copy.copy.from_pitch = from_pitch;
    copy.copy.height = height;
    return to_pitch < width || from_pitch < width ? ERROR_InvalidPitchValue
                                                  : graph_submit(&copy, stream);
}

API_FUNCTION_ASYNC(cudaMemcpy2D,
                   (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                    size_t height, int kind),
                   copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream))

int copy_box(const struct copy_3d *parameters, void *stream)
{
    struct operation copy = operation_copy_box(parameters);
    return graph_submit(&copy, stream);
}

API_FUNCTION_ASYNC(cudaMemcpy3D, (const struct copy_3d *parameters), copy_box(parameters, stream))

static int copy_batch(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                      size_t *failed, void *stream)
{
    int error = to && from && bytes ? 0 : ERROR_InvalidValue;
    size_t done = 0;
    for (; done < count && !error; done++)
        error = copy_flat(to[done], from[done], bytes[done], COPY_ANY, stream);
    if (error && failed)
        *failed = done - 1; /* SIZE_MAX if no copy was started */
    return error;
}

API_FUNCTION(cudaMemcpyBatchAsync_12,
             (void *const *to, const void *const *from, const size_t *bytes, size_t count,
              const void *attributes, const size_t *indices, size_t attribute_count, size_t *failed,
              void *stream),
             copy_batch(to, from, bytes, count, failed, stream))
API_FUNCTION(cudaMemcpyBatchAsync_13,
             (void *const *to, const void *const *from, const size_t *bytes, size_t count,
              const void *attributes, const size_t *indices, size_t attribute_count, void *stream),
             copy_batch(to, from, bytes, count, NULL, stream))

static int copy_symbol(void *memory, const void *symbol, size_t bytes, size_t offset,
                       bool to_symbol, int kind, void *stream)
{
    struct operation copy = operation_copy_symbol(memory, symbol, bytes, offset, to_symbol);
    if (copy.kind == OPERATION_COPY && kind == (to_symbol ? COPY_FROM_DEVICE : COPY_TO_DEVICE))
        return ERROR_InvalidMemcpyDirection;
    return graph_submit(&copy, stream);
}

API_FUNCTION_ASYNC(cudaMemcpyToSymbol,
                   (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
                   copy_symbol(mutable(from), symbol, bytes, offset, true, kind, stream))
API_FUNCTION_ASYNC(cudaMemcpyFromSymbol,
                   (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
                   copy_symbol(to, symbol, bytes, offset, false, kind, stream))

API_FUNCTION(cudaGetSymbolAddress, (void **pointer, const void *symbol),
             pointer ? module_find_variable(symbol, pointer, &(uint64_t){0}) : ERROR_InvalidValue)

API_BODY(API_FUNCTION, cudaGetSymbolSize, (size_t * size, const void *symbol), (size, symbol))
{
    void *pointer;
    uint64_t bytes = 0;
    int error = module_find_variable(symbol, &pointer, &bytes);
    return error ? error : GIVE(size, bytes);
}

int set_rows(const struct set_node *set, void *stream)
{
    struct operation made = operation_set(set);
    return graph_submit(&made, stream);
}
#define SET_ROWS(to, pitch, value, width, height)                                                  \
    set_rows(&(struct set_node){to, pitch, (unsigned char)(value), 1, width, height}, stream)

API_FUNCTION_ASYNC(cudaMemset, (void *to, int value, size_t bytes),
                   SET_ROWS(to, bytes, value, bytes, 1))
API_FUNCTION_ASYNC(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
                   SET_ROWS(to, pitch, value, width, height))

static int set_box(struct pitched to, int value, struct extent extent, void *stream)
{
    int error = 0;
    for (size_t z = 0; z < extent.depth && !error; z++)
        error = SET_ROWS((char *)to.pointer + z * to.pitch * to.height, to.pitch, value,
                         extent.width, extent.height);
    return error;
}

API_FUNCTION_ASYNC(cudaMemset3D, (struct pitched to, int value, struct extent extent),
                   set_box(to, value, extent, stream))
