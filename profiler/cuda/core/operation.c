#include "cuda/core/operation.h"

#include "cuda/core/array.h"
#include "cuda/core/checker.h"
#include "cuda/core/runtime.h"

#include <string.h>

struct operation operation_launch(struct launch launch, const void *handle, void *const *arguments)
{
    int error;
    launch.kernel = module_find_kernel(handle, &error);
    if (error)
        return operation_failed(error);
    const struct program_function *function = kernel_code(launch.kernel);
    const struct ptx_function *source = function->source;
    for (size_t i = 0; i < source->parameter_count; i++)
        if (!arguments || !arguments[i])
            return operation_failed(ERROR_InvalidValue);
    launch.params = runtime_allocate(function->kernel_params_bytes + 1, 1);
    for (size_t i = 0; i < source->parameter_count; i++)
        memcpy(launch.params + function->parameter_offsets[i], arguments[i],
               source->parameters[i].bytes);
    return (struct operation){.kind = OPERATION_KERNEL, .launch = launch};
}

struct operation operation_copy(void *to, const void *from, size_t bytes, int kind)
{
    return (struct operation){
        .kind = OPERATION_COPY,
        .copy = {.to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind}};
}

/* Set *side to the array, or to `memory` if `handle` is NULL. Returns a texel's bytes, or 0. */
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

struct operation operation_copy_box(const struct copy_3d *parameters)
{
    if (!parameters)
        return operation_failed(ERROR_InvalidValue);
    const int kind = parameters->kind;
    struct extent extent = parameters->extent;
    struct array_side from, to;
    if (!extent.width || !extent.height || !extent.depth)
        return (struct operation){.kind = OPERATION_COPY, .copy.kind = kind};
    size_t from_bytes =
        place_side(parameters->from_array, parameters->from_at, &parameters->from, extent, &from);
    size_t to_bytes =
        place_side(parameters->to_array, parameters->to_at, &parameters->to, extent, &to);
    bool to_host = kind == COPY_HOST || kind == COPY_FROM_DEVICE;
    bool from_host = kind == COPY_HOST || kind == COPY_TO_DEVICE;
    if (!from_bytes || !to_bytes ||
        (parameters->from_array && parameters->to_array && from_bytes != to_bytes))
        return operation_failed(ERROR_InvalidValue);
    if ((parameters->to_array && to_host) || (parameters->from_array && from_host))
        return operation_failed(ERROR_InvalidMemcpyDirection);
    return (struct operation){
        .kind = OPERATION_COPY,
        .copy = {.from = from.pointer,
                 .from_pitch = from.pitch,
                 .from_slice = from.slice,
                 .to = to.pointer,
                 .to_pitch = to.pitch,
                 .to_slice = to.slice,
                 .width = extent.width * (from_bytes > to_bytes ? from_bytes : to_bytes),
                 .height = extent.height,
                 .depth = extent.depth,
                 .kind = kind}};
}

/* The kind of the copy is COPY_ANY, because the address of a constant is a host address. */
struct operation operation_copy_symbol(void *memory, const void *symbol, size_t bytes,
                                       size_t offset, bool to_symbol)
{
    void *pointer;
    uint64_t size;
    int error = module_find_variable(symbol, &pointer, &size);
    if (error || offset > size || bytes > size - offset)
        return operation_failed(error ? error : ERROR_InvalidValue);
    pointer = (char *)pointer + offset;
    return operation_copy(to_symbol ? pointer : memory, to_symbol ? memory : pointer, bytes,
                          COPY_ANY);
}

struct operation operation_set(const struct set_node *from)
{
    if (!from || (from->element != 1 && from->element != 2 && from->element != 4) ||
        from->width > SIZE_MAX / from->element || (uintptr_t)from->to % from->element)
        return operation_failed(ERROR_InvalidValue);
    return (struct operation){.kind = OPERATION_SET,
                              .set = {from->to, from->pitch, from->value, from->element,
                                      from->width * from->element, from->height}};
}

static double memory_us(double bytes)
{
    const struct device *device = runtime.device;
    return device->launch_us + bytes / (device->dram_gbps * device->dram_efficiency) / 1e3;
}

static int run_copy(const struct heap_copy *copy, struct stream *stream)
{
    static const enum engine engines[] = {ENGINE_KERNEL, ENGINE_COPY_IN, ENGINE_COPY_OUT,
                                          ENGINE_KERNEL};
    const struct device *device = runtime.device;
    double bytes = (double)copy->width * (double)copy->height * (double)copy->depth;
    unsigned direction;
    int error = heap_copy(copy, &direction);
    if (error)
        return error;
    if (direction)
        timeline_work(stream, engines[direction],
                      direction == 3 ? memory_us(2 * bytes)
                                     : device->link_latency_us + bytes / device->link_gbps / 1e3);
    if (direction == 2 && !heap_find((uintptr_t)copy->to) && !heap_find_registered(copy->to))
        timeline_await(stream); /* Copies to pageable memory are synchronous. */
    if (runtime.checker)
        runtime.checker->copy_ended(copy, direction, stream);
    return 0;
}

static int run_set(const struct heap_set *set, struct stream *stream)
{
    int error = heap_set(set);
    if (error)
        return error;
    timeline_work(stream, ENGINE_KERNEL, memory_us((double)set->width * (double)set->height));
    if (runtime.checker)
        runtime.checker->set_ended(set, stream);
    return 0;
}

int operation_run(const struct operation *operation, struct stream *stream)
{
    switch (operation->kind) {
    case OPERATION_KERNEL:
        return launch_run(&operation->launch, stream);
    case OPERATION_COPY:
        return run_copy(&operation->copy, stream);
    case OPERATION_SET:
        return run_set(&operation->set, stream);
    default:
        return 0;
    }
}
