#define _GNU_SOURCE
#include "cuda/core/module.h"

#include "cuda/core/heap.h"
#include "cuda/core/runtime.h"
#include "cuda/exec/fatbin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_LINKED = 2, WANTED_ARCHITECTURE = 80 };

/* Contents of the section .nvFatBinSegment (fatbinary_section.h). */
struct wrapper {
    int magic, version;
    const void *data;
    const void *const *linked; /* In version 2: the fat binaries of the linked objects. */
};

static struct variable *variables;

void *module_register(const void *fat_binary)
{
    struct module *module = runtime_allocate(1, sizeof *module);
    module->wrapper = fat_binary;
    return module->handle = handle_make(HANDLE_MODULE, module);
}

/* Remove `void` and the parameters: "void add<int>(int*)" becomes "add<int>". */
static void shorten(char *name)
{
    unsigned depth = 0;
    for (char *at = name; *at; at++) {
        depth += *at == '<';
        depth -= *at == '>' && depth;
        if (*at == '(' && !depth && strncmp(at, "(anonymous", 10) != 0) {
            *at = '\0';
            break;
        }
    }
    if (!strncmp(name, "void ", 5))
        memmove(name, name + 5, strlen(name + 5) + 1);
}

static char *demangle(const char *symbol)
{
    char *(*function)(const char *, char *, size_t *, int *);
    int status = -1;
    *(void **)&function = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    char *name = function ? function(symbol, NULL, NULL, &status) : NULL;
    if (!name || status) {
        name = strdup(symbol);
        return name ? name : runtime_allocate(1, 1);
    }
    shorten(name);
    return name;
}

struct kernel *module_add_kernel(struct module *module, const void *host, const char *symbol)
{
    struct kernel *kernel = runtime_allocate(1, sizeof *kernel);
    *kernel = (struct kernel){.module = module, .host = host, .symbol = symbol, .function = -1};
    kernel->name = demangle(symbol);
    kernel->handle = handle_make(HANDLE_KERNEL, kernel);
    return kernel;
}

void module_add_variable(struct variable variable)
{
    if (!variable.module)
        return;
    struct variable *copy = runtime_allocate(1, sizeof *copy);
    *copy = variable;
    copy->next = variables;
    variables = copy;
}

/* The PTX of a module. Objects without PTX, which come from NVIDIA's libraries, are skipped. */
struct texts {
    struct ptx_text *all;
    size_t count;
};

static bool add_text(struct texts *texts, const void *fat_binary, struct failure *failure)
{
    struct fatbin_ptx ptx;
    if (!fatbin_read(fat_binary, SIZE_MAX, WANTED_ARCHITECTURE, &ptx, failure))
        return false;
    texts->all[texts->count++] = (struct ptx_text){ptx.text, ptx.length};
    return true;
}

static bool read_texts(const struct wrapper *wrapper, struct texts *texts, struct failure *failure)
{
    bool is_linked = wrapper->version == WRAPPER_LINKED;
    size_t objects = 0;
    if (wrapper->magic != WRAPPER_MAGIC)
        return failure_harness(failure, "the program registers a fat binary of an unknown format");
    while (is_linked && wrapper->linked && wrapper->linked[objects])
        objects++;
    texts->all = runtime_allocate(objects + 1, sizeof *texts->all);
    if (!is_linked)
        return add_text(texts, wrapper->data, failure);
    for (size_t i = 0; i < objects; i++) {
        struct failure none = {0};
        if (!add_text(texts, wrapper->linked[i], &none) && failure->kind == FAILURE_NONE)
            *failure = none;
    }
    if (texts->count)
        *failure = (struct failure){0};
    return texts->count;
}

static void free_texts(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free((char *)(uintptr_t)texts->all[i].text);
    free(texts->all);
}

static void read_shapes(struct module *module)
{
    for (size_t i = 0; i < module->ptx.file_count; i++) {
        const char *file = module->ptx.files[i];
        size_t length = file ? strlen(file) : 0;
        if (length > 3 && !strcmp(file + length - 3, ".cu")) {
            array_shapes_read(file, NULL, 0, &module->shapes);
            return;
        }
    }
}

static bool load(struct module *module, struct texts *texts, struct failure *failure)
{
    if (!ptx_parse_linked(texts->all, texts->count, "the program's PTX", &module->ptx, failure))
        return false;
    uint64_t begin = heap_begin_variables();
    if (!program_create(&module->ptx, &runtime.memory, &module->program, failure))
        return false;
    if (!heap_adopt_variables(begin))
        return failure_harness(failure, "not enough memory for the program's variables");
    heap_adopt_constants(module->program.constants, module->program.constants_bytes);
    read_shapes(module);
    program_take_shapes(&module->program, &runtime.memory, &module->shapes);
    if (texts->count == 1) {
        module->text = (char *)(uintptr_t)texts->all[0].text;
        module->text_bytes = texts->all[0].length;
        texts->count = 0;
    }
    return true;
}

int module_load(struct module *module)
{
    if (module->is_tried)
        return module->error;
    struct failure failure = {0};
    struct texts texts = {0};
    module->is_tried = true;
    bool good = read_texts(module->wrapper, &texts, &failure) && load(module, &texts, &failure);
    free_texts(&texts);
    if (!good) {
        runtime_trouble("%s", failure.text);
        module->error =
            failure.kind == FAILURE_HARNESS ? ERROR_NoKernelImageForDevice : ERROR_InvalidPtx;
        return module->error;
    }
    for (struct variable *at = variables; at; at = at->next)
        if (at->module == module && at->managed)
            module_find_variable(at->host, at->managed, &(uint64_t){0});
    return 0;
}

static void find_cubin(struct module *module)
{
    const struct wrapper *wrapper = module->wrapper;
    const unsigned architecture = (unsigned)runtime.device->compute_capability;
    struct fatbin_ptx found;
    if (wrapper && wrapper->version != WRAPPER_LINKED &&
        fatbin_read_cubin(wrapper->data, SIZE_MAX, architecture, &found)) {
        module->cubin = found.text;
        module->cubin_bytes = found.length;
    } else if (module->text) {
        module->cubin = machine_code_assemble(module->text, module->text_bytes, architecture,
                                              &module->cubin_bytes);
    }
    free(module->text);
    module->text = NULL;
    module->is_assembled = true;
}

struct machine_code kernel_machine_code(const struct kernel *kernel)
{
    struct module *module = kernel->module;
    struct machine_code code = {0};
    if (!module->is_assembled)
        find_cubin(module);
    if (module->cubin)
        machine_code_read(module->cubin, module->cubin_bytes, kernel->symbol, &code);
    return code;
}

/* Returns true if `image`, which may be shorter than 4 bytes, begins with these 4 bytes. */
static bool begins(const void *image, const char *magic)
{
    return !strncmp(image, magic, 4);
}

static bool is_wrapper(const void *image)
{
    return begins(image, "\xb1\x43\x62\x46");
}

static bool take_image(struct texts *texts, const void *image, struct failure *failure)
{
    if (begins(image, "\x50\xed\x55\xba"))
        return add_text(texts, image, failure);
    if (is_wrapper(image))
        return add_text(texts, ((const struct wrapper *)image)->data, failure);
    if (begins(image, "\x7f"
                      "ELF"))
        return failure_harness(failure,
                               "a cubin is machine code, which tlab cannot emulate. Load PTX (from "
                               "`nvcc -ptx` or nvrtcGetPTX) or a fat binary that contains PTX");
    size_t length = strlen(image);
    char *copy = runtime_allocate(length + 1, 1);
    memcpy(copy, image, length);
    texts->all[texts->count++] = (struct ptx_text){copy, length};
    return true;
}

const void *module_link(const void *const *images)
{
    struct wrapper *wrapper = runtime_allocate(1, sizeof *wrapper);
    *wrapper = (struct wrapper){WRAPPER_MAGIC, WRAPPER_LINKED, NULL, images};
    return wrapper;
}

int module_create(const void *image, void **made, struct failure *failure)
{
    const struct wrapper *wrapper = is_wrapper(image) ? image : NULL;
    const void *const one[] = {image, NULL};
    const void *const *images =
        wrapper && wrapper->version == WRAPPER_LINKED ? wrapper->linked : one;
    size_t count = 0;
    while (images[count])
        count++;
    struct texts texts = {.all = runtime_allocate(count + 1, sizeof *texts.all)};
    struct module *module = runtime_allocate(1, sizeof *module);
    bool is_read = count > 0;
    module->is_tried = true;
    for (size_t i = 0; i < count && is_read; i++)
        is_read = take_image(&texts, images[i], failure);
    bool good = is_read && load(module, &texts, failure);
    free_texts(&texts);
    if (!good) {
        ptx_module_free(&module->ptx);
        free(module);
        return is_read ? ERROR_InvalidPtx : ERROR_NoKernelImageForDevice;
    }
    *made = module->handle = handle_make(HANDLE_MODULE, module);
    return 0;
}

/* Nothing is freed, because records and checks use the names of launched kernels. */
bool module_unload(const void *handle)
{
    static struct module *modules;
    static struct kernel *kernels;
    struct module *module = handle_forget(HANDLE_MODULE, handle);
    if (!module)
        return false;
    module->next = modules;
    modules = module;
    FOR_OBJECTS (at, kernel, HANDLE_KERNEL)
        if (at->module == module) {
            handle_forget(HANDLE_KERNEL, at->handle);
            at->next = kernels;
            kernels = at;
        }
    return true;
}

struct kernel *module_kernel(struct module *module, const char *symbol)
{
    const struct ptx_function *found = ptx_find_function(&module->ptx, symbol);
    if (!found || !found->is_entry)
        return NULL;
    FOR_OBJECTS (at, kernel, HANDLE_KERNEL)
        if (at->module == module && !strcmp(at->symbol, symbol))
            return at;
    return module_add_kernel(module, NULL, found->name);
}

bool module_variable(const struct module *module, const char *name, void **pointer, uint64_t *bytes)
{
    const struct ptx_variable *found = ptx_find_variable(&module->ptx, name);
    if (!found)
        return false;
    uint64_t offset = module->program.variables[found - module->ptx.variables];
    *bytes = found->bytes;
    *pointer = found->space == PTX_CONST ? (void *)(module->program.constants + offset)
                                         : (void *)(uintptr_t)offset;
    return true;
}

struct kernel *module_find_kernel(const void *host, int *error)
{
    struct kernel *kernel = handle_find(HANDLE_KERNEL, host);
    size_t place = 0;
    if (!kernel && host)
        while ((kernel = handle_next(HANDLE_KERNEL, &place)) && kernel->host != host)
            ;
    *error = kernel ? module_load(kernel->module) : ERROR_InvalidDeviceFunction;
    if (*error)
        return NULL;
    if (kernel->function < 0)
        kernel->function = program_find_entry(&kernel->module->program, kernel->symbol);
    if (kernel->function >= 0)
        return kernel;
    *error = ERROR_InvalidDeviceFunction;
    return NULL;
}

int module_find_variable(const void *host, void **pointer, uint64_t *bytes)
{
    const struct variable *variable = variables;
    while (variable && variable->host != host && variable->managed != host)
        variable = variable->next;
    if (!variable)
        return ERROR_InvalidSymbol;
    int error = module_load(variable->module);
    if (error)
        return error;
    /* The compiler may have removed an unused variable. */
    return module_variable(variable->module, variable->name, pointer, bytes) ? 0
                                                                             : ERROR_InvalidSymbol;
}
