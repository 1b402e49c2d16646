/* api_launch.c: functions that nvcc's code calls (crt/host_runtime.h), launches, and attributes. */
#include "cuda/core/graph.h"
#include "cuda/runtime_api/api.h"
#include "cuda/runtime_api/calls.h"

#include <string.h>

EXPORT void **__cudaRegisterFatBinary(void *fat_binary)
{
    runtime_enter_quietly();
    void *module = module_register(fat_binary);
    runtime_leave(0);
    return module;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
}

/* The module remains at the end of the process, because other destructors may use its kernels. */
EXPORT void __cudaUnregisterFatBinary(void **handle)
{
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int thread_limit, void *tid, void *bid, void *block, void *grid,
                                   int *warp_size)
{
    struct module *module = module_of(handle);
    if (module)
        module_add_kernel(module, host, name);
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    module_add_variable((struct variable){.module = module_of(handle), .host = host, .name = name});
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                     int ext, size_t size, int constant, int global)
{
    module_add_variable((struct variable){
        .module = module_of(handle), .host = host, .managed = host, .name = name});
}

EXPORT char __cudaInitModule(void **handle)
{
    if (!runtime_enter_quietly() && module_of(handle))
        module_load(module_of(handle));
    runtime_leave(0);
    return 1;
}

enum { CONFIGURATIONS = 16 }; /* maximum number of nested <<<...>>> */
static __thread struct launch_config configurations[CONFIGURATIONS];
static __thread unsigned configuration_count;

EXPORT unsigned __cudaPushCallConfiguration(struct dimensions grid, struct dimensions block,
                                            size_t shared, void *stream)
{
    if (configuration_count == CONFIGURATIONS)
        return 1;
    configurations[configuration_count++] =
        (struct launch_config){grid, block, shared, stream, NULL, 0};
    return 0;
}

EXPORT int __cudaPopCallConfiguration(struct dimensions *grid, struct dimensions *block,
                                      size_t *shared, void *stream)
{
    if (!configuration_count)
        return ERROR_MissingConfiguration;
    const struct launch_config *top = &configurations[--configuration_count];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(void **)stream = top->stream;
    return 0;
}

static int read_attributes(const struct launch_config *config, bool *is_cooperative)
{
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const struct launch_attribute *attribute = &config->attributes[i];
        if (attribute->id == ATTRIBUTE_COOPERATIVE)
            *is_cooperative = attribute->value.cooperative;
        const struct dimensions *cluster = &attribute->value.cluster;
        if (attribute->id == ATTRIBUTE_CLUSTER && cluster->x * cluster->y * cluster->z > 1) {
            runtime_note("launches with thread block clusters are not emulated");
            return ERROR_NotSupported;
        }
    }
    return 0;
}

int launch_kernel(const void *function, const struct launch_config *config, void *const *arguments,
                  bool is_cooperative)
{
    int error = config ? read_attributes(config, &is_cooperative) : ERROR_InvalidValue;
    if (error)
        return error;
    if (!timeline_stream(config->stream))
        return ERROR_InvalidResourceHandle;
    struct launch launch = {.grid = config->grid,
                            .block = config->block,
                            .dynamic_shared = config->shared,
                            .is_cooperative = is_cooperative};
    struct operation work = operation_launch(launch, function, arguments);
    return graph_submit(&work, config->stream);
}

#define LAUNCH_FUNCTION(name, is_cooperative)                                                      \
    API_FUNCTION_PTSZ(name,                                                                        \
                      (const void *function, struct dimensions grid, struct dimensions block,      \
                       void **arguments, size_t shared, void *stream),                             \
                      launch_kernel(function,                                                      \
                                    &(struct launch_config){grid, block, shared, stream, NULL, 0}, \
                                    arguments, is_cooperative))
LAUNCH_FUNCTION(cudaLaunchKernel, false)
ALIAS(cudaLaunchKernel, __cudaLaunchKernel);
ALIAS(cudaLaunchKernel, __cudaLaunchKernel_ptsz);
LAUNCH_FUNCTION(cudaLaunchCooperativeKernel, true)
API_FUNCTION_PTSZ(cudaLaunchKernelExC,
                  (const struct launch_config *config, const void *function, void **arguments),
                  launch_kernel(function, config, arguments, false))

API_FUNCTION(__cudaGetKernel, (const void **kernel, const void *function),
             WITH_KERNEL(found, function, GIVE(kernel, found->handle)))
ALIAS(__cudaGetKernel, cudaGetKernel);
ALIAS(__cudaGetKernel, cudaGetFuncBySymbol);

enum { ASSUMED_REGISTERS = 32 }; /* reported if there is no machine code */

static uint64_t dynamic_shared_limit(const struct kernel *kernel)
{
    uint64_t fixed = kernel_static_shared(kernel);
    uint64_t limit = runtime.device->shared_per_block;
    if (kernel->dynamic_shared_max > 0)
        return kernel->dynamic_shared_max;
    return fixed < limit ? limit - fixed : 0;
}

static int function_attributes(struct function_attributes *attributes, const void *function)
{
    int error;
    const struct kernel *kernel = module_find_kernel(function, &error);
    if (error || !attributes)
        return error ? error : ERROR_InvalidValue;
    const struct program_function *code = kernel_code(kernel);
    unsigned capability = (unsigned)runtime.device->compute_capability;
    uint64_t threads = runtime.device->max_threads_per_block;
    const struct machine_code machine = kernel_machine_code(kernel);
    bool is_known = machine.registers > 0;
    if (code->source->max_threads && code->source->max_threads < threads)
        threads = code->source->max_threads;
    while (threads > runtime.device->warp_lanes &&
           !device_resident_blocks(runtime.device, (unsigned)threads, 0, machine.registers))
        threads -= runtime.device->warp_lanes;
    *attributes = (struct function_attributes){
        .shared_bytes = kernel_static_shared(kernel),
        .constant_bytes = kernel->module->program.constants_bytes,
        .local_bytes = is_known ? machine.local_bytes : code->local_bytes,
        .max_threads = (int)threads,
        .registers = is_known ? (int)machine.registers : ASSUMED_REGISTERS,
        .ptx_version = 80,
        .binary_version = (int)capability,
        .max_dynamic_shared = (int)dynamic_shared_limit(kernel),
        .carveout = kernel->carveout,
    };
    return 0;
}

API_FUNCTION(cudaFuncGetAttributes, (struct function_attributes * attributes, const void *function),
             function_attributes(attributes, function))

enum { FUNCTION_MAX_DYNAMIC_SHARED = 8, FUNCTION_CARVEOUT = 9 };

API_BODY(API_FUNCTION, cudaFuncSetAttribute, (const void *function, int attribute, int value),
         (function, attribute, value))
{
    int error;
    struct kernel *kernel = module_find_kernel(function, &error);
    if (error)
        return error;
    if (attribute == FUNCTION_CARVEOUT) {
        kernel->carveout = value;
    } else if (attribute == FUNCTION_MAX_DYNAMIC_SHARED) {
        if (value < 0 ||
            kernel_static_shared(kernel) + (uint64_t)value > runtime.device->shared_per_block_optin)
            return ERROR_InvalidValue;
        kernel->dynamic_shared_max = (uint64_t)value;
    }
    return 0;
}

API_FUNCTION(cudaFuncGetName, (const char **name, const void *function),
             WITH_KERNEL(found, function, GIVE(name, found->symbol)))

API_BODY(API_FUNCTION, cudaFuncGetParamInfo,
         (const void *function, size_t number, size_t *offset, size_t *bytes),
         (function, number, offset, bytes))
{
    int error;
    const struct kernel *kernel = module_find_kernel(function, &error);
    if (error)
        return error;
    const struct program_function *code = kernel_code(kernel);
    if (!offset || number >= code->source->parameter_count)
        return ERROR_InvalidValue;
    *offset = code->parameter_offsets[number];
    MAY_GIVE(bytes, code->source->parameters[number].bytes);
    return 0;
}

static int max_active_blocks(int *blocks, const void *function, int threads, size_t dynamic_shared)
{
    int error;
    const struct kernel *kernel = module_find_kernel(function, &error);
    if (error)
        return error;
    if (threads <= 0 || !blocks)
        return ERROR_InvalidValue;
    uint64_t shared = kernel_static_shared(kernel) + dynamic_shared;
    *blocks = (uint64_t)threads > runtime.device->max_threads_per_block ||
                      dynamic_shared > dynamic_shared_limit(kernel)
                  ? 0
                  : (int)device_resident_blocks(runtime.device, (unsigned)threads, shared,
                                                kernel_machine_code(kernel).registers);
    return 0;
}

API_FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
             (int *blocks, const void *function, int threads, size_t dynamic_shared),
             max_active_blocks(blocks, function, threads, dynamic_shared))
API_FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
             (int *blocks, const void *function, int threads, size_t dynamic_shared,
              unsigned flags),
             max_active_blocks(blocks, function, threads, dynamic_shared))

API_BODY(API_FUNCTION, cudaOccupancyAvailableDynamicSMemPerBlock,
         (size_t * bytes, const void *function, int blocks, int threads),
         (bytes, function, blocks, threads))
{
    int error, fit = 0;
    const struct kernel *kernel = module_find_kernel(function, &error);
    if (error || !bytes)
        return error ? error : ERROR_InvalidValue;
    uint64_t limit = dynamic_shared_limit(kernel);
    for (*bytes = limit / 256 * 256; *bytes; *bytes -= 256) {
        max_active_blocks(&fit, function, threads, *bytes);
        if (fit >= blocks)
            return 0;
    }
    return 0;
}
