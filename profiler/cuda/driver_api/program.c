/* program.c: modules and libraries that the program loads, their kernels, and launches. */
#define _GNU_SOURCE
#include "cuda/driver_api/driver.h"
#include "cuda/runtime_api/calls.h"

#include "base/whole_file.h"
#include "base/wording.h"
#include "cuda/core/handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The options of a load (CUjit_option) include the buffer for error messages and its size. */
struct options {
    unsigned count;
    const int *names;
    void **values;
};
enum { JIT_ERROR_BUFFER = 5, JIT_ERROR_SIZE = 6 };

static void log_error(const struct options *options, const char *text)
{
    char *buffer = NULL;
    void **size = NULL;
    for (unsigned i = 0; i < options->count && options->names && options->values; i++) {
        if (options->names[i] == JIT_ERROR_BUFFER)
            buffer = options->values[i];
        if (options->names[i] == JIT_ERROR_SIZE)
            size = &options->values[i];
    }
    if (buffer && size && *size)
        snprintf(buffer, (size_t)*size, "%s", text);
}

static int load(void **made, const void *image, const struct options *options)
{
    struct failure failure = {0};
    if (!made || !image)
        return ERROR_InvalidValue;
    int error = module_create(image, made, &failure);
    if (!error)
        return 0;
    runtime_say("cannot load a module: %s", failure.text);
    log_error(options, failure.text);
    return error;
}

enum { IMAGE_MAX_BYTES = 256 << 20 };

static char *read_image(const char *path, int *error)
{
    struct failure failure = {0};
    size_t size;
    char *image = path ? whole_file_read(path, IMAGE_MAX_BYTES, &size, &failure) : NULL;
    *error = image ? 0 : path ? ERROR_FileNotFound : ERROR_InvalidValue;
    if (path && !image)
        runtime_say("cannot load a module: %s", failure.text);
    return image;
}

static int load_file(void **made, const char *path)
{
    int error;
    char *image = read_image(path, &error);
    if (image)
        error = load(made, image, &(struct options){0});
    free(image);
    return error;
}

DRIVER_FUNCTION(NEED_CONTEXT, cuModuleLoad, (void **module, const char *path),
                load_file(module, path))
DRIVER_FUNCTION(NEED_CONTEXT, cuModuleLoadData, (void **module, const void *image),
                load(module, image, &(struct options){0}))
ALIAS(cuModuleLoadData, cuModuleLoadFatBinary);
DRIVER_FUNCTION(NEED_CONTEXT, cuModuleLoadDataEx,
                (void **module, const void *image, unsigned count, const int *names, void **values),
                load(module, image, &(struct options){count, names, values}))

DRIVER_FUNCTION(NEED_INIT, cuModuleGetLoadingMode, (int *mode), GIVE(mode, 1)) /* eager */

static int get_kernel(void **kernel, const void *handle, const char *name)
{
    struct module *module = module_of(handle);
    char names[512] = "";
    if (!kernel || !name)
        return ERROR_InvalidValue;
    if (!module) {
        runtime_say(
            "cannot find a kernel: the module handle is invalid, or the module was unloaded");
        return ERROR_InvalidResourceHandle;
    }
    const struct kernel *found = module_kernel(module, name);
    if (found)
        return GIVE(kernel, found->handle);
    for (size_t i = 0; i < module->ptx.function_count; i++)
        if (module->ptx.functions[i].is_entry)
            APPEND(names, "%s%s", *names ? ", " : "", module->ptx.functions[i].name);
    runtime_say(
        "the module has no kernel %s. Its kernels are: %s. nvcc mangles the names of kernels "
        "that are not extern \"C\"",
        name, *names ? names : "none");
    return ERROR_SymbolNotFound;
}

static int get_variable(void **pointer, size_t *bytes, const void *handle, const char *name)
{
    const struct module *module = module_of(handle);
    void *found = NULL;
    uint64_t size = 0;
    if (!module || !name)
        return module ? ERROR_InvalidValue : ERROR_InvalidResourceHandle;
    if (!module_variable(module, name, &found, &size)) {
        runtime_say("the module has no variable %s. nvcc mangles names in namespaces, and removes "
                    "variables that no kernel uses",
                    name);
        return ERROR_SymbolNotFound;
    }
    MAY_GIVE(pointer, found);
    MAY_GIVE(bytes, size);
    return 0;
}

static int list(void **kernels, unsigned room, unsigned *count, const void *handle)
{
    struct module *module = module_of(handle);
    unsigned found = 0;
    if (!module)
        return ERROR_InvalidResourceHandle;
    const struct ptx_module *ptx = &module->ptx;
    for (size_t i = 0; i < ptx->function_count; i++) {
        if (!ptx->functions[i].is_entry)
            continue;
        if (kernels && found < room)
            kernels[found] = module_kernel(module, ptx->functions[i].name)->handle;
        found++;
    }
    MAY_GIVE(count, found);
    return 0;
}

#define LIBRARY(name, parameters, call)                                                            \
    DRIVER_FUNCTION(NEED_INIT, cu##name, parameters, call)                                         \
    API_FUNCTION(cuda##name, parameters, call)
#define MODULE(name, library_name, parameters, call)                                               \
    DRIVER_FUNCTION(NEED_CONTEXT, cu##name, parameters, call)                                      \
    LIBRARY(library_name, parameters, call)

LIBRARY(LibraryLoadData,
        (void **library, const void *image, const int *names, void **values, unsigned count,
         const int *others, void **other_values, unsigned other_count),
        load(library, image, &(struct options){count, names, values}))
LIBRARY(LibraryLoadFromFile,
        (void **library, const char *path, const int *names, void **values, unsigned count,
         const int *others, void **other_values, unsigned other_count),
        load_file(library, path))
MODULE(ModuleUnload, LibraryUnload, (void *module),
       module_unload(module) ? 0 : ERROR_InvalidResourceHandle)
MODULE(ModuleGetFunction, LibraryGetKernel, (void **kernel, void *module, const char *name),
       get_kernel(kernel, module, name))
MODULE(ModuleGetGlobal_v2, LibraryGetGlobal,
       (void **pointer, size_t *bytes, void *module, const char *name),
       get_variable(pointer, bytes, module, name))
LIBRARY(LibraryGetManaged, (void **pointer, size_t *bytes, void *library, const char *name),
        get_variable(pointer, bytes, library, name))
MODULE(ModuleGetFunctionCount, LibraryGetKernelCount, (unsigned *count, void *module),
       list(NULL, 0, count, module))
MODULE(ModuleEnumerateFunctions, LibraryEnumerateKernels,
       (void **kernels, unsigned room, void *module), list(kernels, room, NULL, module))

/* A library and its module have the same handle, and so do a kernel and its function. */
static int same(enum handle_kind kind, void **made, void *handle)
{
    return handle_find(kind, handle) ? GIVE(made, handle) : ERROR_InvalidResourceHandle;
}

DRIVER_FUNCTION(NEED_CONTEXT, cuLibraryGetModule, (void **module, void *library),
                same(HANDLE_MODULE, module, library))
DRIVER_FUNCTION(NEED_CONTEXT, cuKernelGetFunction, (void **function, void *kernel),
                same(HANDLE_KERNEL, function, kernel))

DRIVER_FUNCTION(NEED_CONTEXT, cuFuncGetModule, (void **module, void *function),
                WITH_KERNEL(found, function, same(HANDLE_MODULE, module, found->module->handle)))
ALIAS(cuFuncGetModule, cuKernelGetLibrary);
DRIVER_FUNCTION(NEED_CONTEXT, cuFuncIsLoaded, (int *state, void *function),
                handle_find(HANDLE_KERNEL, function) ? GIVE(state, 1) : ERROR_InvalidResourceHandle)

struct link {
    void **images; /* After cuLinkComplete, the array ends with NULL. */
    size_t count;
    const void *linked;
};
enum { INPUT_PTX = 1, INPUT_FAT_BINARY = 2 };

DRIVER_FUNCTION(NEED_CONTEXT, cuLinkCreate_v2,
                (unsigned count, const int *names, void **values, void **made),
                made
                    ? GIVE(made, handle_make(HANDLE_LINK, runtime_allocate(1, sizeof(struct link))))
                    : ERROR_InvalidValue)

static int add_image(struct link *link, int type, char *image)
{
    runtime_make_room(&link->images, link->count, sizeof *link->images);
    link->images[link->count++] = image;
    if (type == INPUT_PTX || type == INPUT_FAT_BINARY)
        return 0;
    runtime_say("cubins, objects and libraries contain machine code, which tlab cannot emulate. "
                "Link PTX, or fat binaries that contain PTX");
    return ERROR_NoKernelImageForDevice;
}

DRIVER_BODY(NEED_CONTEXT, cuLinkAddData_v2,
            (void *handle, int type, void *data, size_t bytes, const char *name, unsigned count,
             const int *names, void **values),
            (handle, type, data, bytes, name, count, names, values))
{
    struct link *link = handle_find(HANDLE_LINK, handle);
    if (!link || link->linked || !data)
        return ERROR_InvalidValue;
    char *copy = runtime_allocate(bytes + 1, 1);
    memcpy(copy, data, bytes);
    return add_image(link, type, copy);
}

DRIVER_BODY(NEED_CONTEXT, cuLinkAddFile_v2,
            (void *handle, int type, const char *path, unsigned count, const int *names,
             void **values),
            (handle, type, path, count, names, values))
{
    struct link *link = handle_find(HANDLE_LINK, handle);
    int error = ERROR_InvalidValue;
    char *image = link && !link->linked ? read_image(path, &error) : NULL;
    return image ? add_image(link, type, image) : error;
}

/* *image receives the linked image, which the link owns. Only tlab can load the image. */
DRIVER_BODY(NEED_CONTEXT, cuLinkComplete, (void *handle, const void **image, size_t *bytes),
            (handle, image, bytes))
{
    struct link *link = handle_find(HANDLE_LINK, handle);
    if (!link || !link->count || !image)
        return ERROR_InvalidValue;
    if (!link->linked) {
        runtime_make_room(&link->images, link->count, sizeof *link->images);
        link->images[link->count] = NULL;
        link->linked = module_link((const void *const *)link->images);
    }
    *image = link->linked;
    MAY_GIVE(bytes, sizeof(void *));
    return 0;
}

DRIVER_BODY(NEED_CONTEXT, cuLinkDestroy, (void *handle), (handle))
{
    struct link *link = handle_forget(HANDLE_LINK, handle);
    if (!link)
        return ERROR_InvalidValue;
    for (size_t i = 0; i < link->count; i++)
        free(link->images[i]);
    free((void *)(uintptr_t)link->linked);
    free(link->images);
    free(link);
    return 0;
}

/* The `extra` argument of a launch is a list of these keys and of values. */
enum { EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_SIZE = 2 };

/* Returns false if a byte cannot be read. At most 4096 bytes are tested. */
static bool is_readable(const void *pointer, size_t bytes)
{
    char copy[4096];
    struct iovec to = {copy, bytes < sizeof copy ? bytes : sizeof copy};
    struct iovec from = {mutable(pointer), to.iov_len};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    return got == (ssize_t)to.iov_len || (got < 0 && errno != EFAULT);
}

static int take_pointers(void *const *params, void **arguments, const struct kernel *kernel,
                         const struct ptx_function *source)
{
    for (size_t i = 0; i < source->parameter_count; i++) {
        if (!params || !is_readable(&params[i], sizeof *params) ||
            !is_readable(params[i], source->parameters[i].bytes)) {
            runtime_note("%s has %zu parameter%s, but argument %zu cannot be read", kernel->name,
                         source->parameter_count, plural((double)source->parameter_count), i + 1);
            return ERROR_InvalidValue;
        }
        arguments[i] = params[i];
    }
    return 0;
}

static int take_buffer(void *const *extra, void **arguments, const struct kernel *kernel,
                       const struct program_function *function)
{
    char *buffer = NULL;
    size_t size = 0;
    for (; *extra != (void *)EXTRA_END; extra += 2) {
        if (*extra == (void *)EXTRA_BUFFER)
            buffer = extra[1];
        if (*extra == (void *)EXTRA_SIZE)
            size = *(const size_t *)extra[1];
    }
    for (size_t i = 0; i < function->source->parameter_count; i++) {
        size_t end = function->parameter_offsets[i] + function->source->parameters[i].bytes;
        if (!buffer || end > size) {
            runtime_note("parameter %zu of kernel %s ends at byte %zu, but the argument buffer has "
                         "%zu byte%s",
                         i + 1, kernel->name, end, size, plural((double)size));
            return ERROR_InvalidValue;
        }
        arguments[i] = buffer + function->parameter_offsets[i];
    }
    return 0;
}

static int launch(void *handle, const struct launch_config *config, void *const *params,
                  void *const *extra, bool is_cooperative)
{
    int error;
    const struct kernel *kernel = module_find_kernel(handle, &error);
    if (error) {
        runtime_note("cannot launch: the handle is not a kernel (CUfunction)");
        return error;
    }
    const struct program_function *function = kernel_code(kernel);
    void **arguments = runtime_allocate(function->source->parameter_count, sizeof *arguments);
    error = extra ? take_buffer(extra, arguments, kernel, function)
                  : take_pointers(params, arguments, kernel, function->source);
    if (!error)
        error = launch_kernel(handle, config, arguments, is_cooperative);
    free(arguments);
    return error;
}

#define CONFIG                                                                                     \
    (&(struct launch_config){                                                                      \
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, NULL, 0})
DRIVER_FUNCTION(NEED_CONTEXT, cuLaunchKernel,
                (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                 void *stream, void **params, void **extra),
                launch(function, CONFIG, params, extra, false))
ALIAS(cuLaunchKernel, cuLaunchKernel_ptsz);
DRIVER_FUNCTION(NEED_CONTEXT, cuLaunchCooperativeKernel,
                (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                 void *stream, void **params),
                launch(function, CONFIG, params, NULL, true))
ALIAS(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz);

DRIVER_FUNCTION(
    NEED_CONTEXT, cuLaunchKernelEx,
    (const struct driver_launch_config *from, void *function, void **params, void **extra),
    from ? launch(function,
                  &(struct launch_config){from->grid, from->block, from->shared, from->stream,
                                          from->attributes, from->attribute_count},
                  params, extra, false)
         : ERROR_InvalidValue)
ALIAS(cuLaunchKernelEx, cuLaunchKernelEx_ptsz);

static int get_attribute(int *value, int number, const void *function)
{
    struct function_attributes all;
    int error = value ? cudaFuncGetAttributes(&all, function) : ERROR_InvalidValue;
    if (error)
        return error;
    const int values[] = {all.max_threads,      (int)all.shared_bytes, (int)all.constant_bytes,
                          (int)all.local_bytes, all.registers,         all.ptx_version,
                          all.binary_version,   all.cache_mode,        all.max_dynamic_shared,
                          all.carveout};
    if (number < 0 || (size_t)number >= sizeof values / sizeof *values)
        return ERROR_InvalidValue;
    *value = values[number];
    return 0;
}

DRIVER_FUNCTION(NEED_CONTEXT, cuFuncGetAttribute, (int *value, int number, void *function),
                get_attribute(value, number, function))
DRIVER_FUNCTION(NEED_INIT, cuKernelGetAttribute, (int *value, int number, void *kernel, int device),
                device ? ERROR_InvalidDevice : get_attribute(value, number, kernel))
DRIVER_FUNCTION(NEED_INIT, cuKernelSetAttribute, (int number, int value, void *kernel, int device),
                device ? ERROR_InvalidDevice : cudaFuncSetAttribute(kernel, number, value))

/* Set *block to the block size with the most resident threads (the largest of several such sizes),
 * and *grid to the number of resident blocks on the device. */
static int best_block(int *grid, int *block, const void *function, size_t (*shared_of)(int),
                      size_t shared, int limit)
{
    struct function_attributes all;
    int error = cudaFuncGetAttributes(&all, function), most = 0;
    int warp = (int)runtime.device->warp_lanes;
    if (error || !grid || !block)
        return error ? error : ERROR_InvalidValue;
    if (limit <= 0 || limit > all.max_threads)
        limit = all.max_threads;
    *grid = *block = 0;
    for (int threads = (limit + warp - 1) / warp * warp; threads > 0; threads -= warp) {
        int size = threads < limit ? threads : limit, fit = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, function, size,
                                                              shared_of ? shared_of(size) : shared);
        if (error || fit * size <= most)
            continue;
        most = fit * size;
        *block = size;
        *grid = fit * (int)runtime.device->multiprocessors;
    }
    return error;
}

DRIVER_FUNCTION(NEED_CONTEXT, cuOccupancyMaxPotentialBlockSize,
                (int *grid, int *block, void *function, size_t (*shared_of)(int), size_t shared,
                 int limit),
                best_block(grid, block, function, shared_of, shared, limit))
DRIVER_FUNCTION(NEED_CONTEXT, cuOccupancyMaxPotentialBlockSizeWithFlags,
                (int *grid, int *block, void *function, size_t (*shared_of)(int), size_t shared,
                 int limit, unsigned flags),
                best_block(grid, block, function, shared_of, shared, limit))
