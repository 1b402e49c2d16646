#define _GNU_SOURCE
#include "runtime/module.h"

#include "runtime/fatbin.h"
#include "runtime/heap.h"
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_LINKED = 2, WANTED_ARCHITECTURE = 80 };

/* What the compiler puts into .nvFatBinSegment (fatbinary_section.h). */
struct wrapper {
    int magic, version;
    const void *data;
    const void *const *linked; /* version 2: the fat binaries of the objects that were linked */
};

struct module {
    struct module *next;
    const struct wrapper *wrapper;
    bool is_tried;
    int error; /* of loading it */
    struct ptx_module ptx;
    struct program program;
    struct array_shapes shapes;
};

static struct module *modules;
static struct kernel *kernels;
static struct variable *variables;

/* ---- Register ---- */

struct module *module_register(const void *fat_binary)
{
    struct module *module = runtime_allocate(1, sizeof *module);
    *module = (struct module){.next = modules, .wrapper = fat_binary};
    return modules = module;
}

void module_unregister(struct module *module)
{
    (void)module; /* the process ends, and what runs until then may still use it */
}

/* "void add<int>(int*)" without what the kernel takes and gives back. */
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

/* The C++ library, which a C++ program has, knows how. */
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

void module_add_kernel(struct module *module, const void *host, const char *symbol)
{
    struct kernel *kernel = runtime_allocate(1, sizeof *kernel);
    *kernel = (struct kernel){
        .next = kernels, .module = module, .host = host, .symbol = symbol, .function = -1};
    kernel->name = demangle(symbol);
    kernels = kernel;
}

void module_add_variable(struct module *module, struct variable variable)
{
    struct variable *kept = runtime_allocate(1, sizeof *kept);
    *kept = variable;
    kept->module = module;
    kept->next = variables;
    variables = kept;
}

/* ---- Load ---- */

/* The PTX of the object, or of all objects of a program that was linked with -rdc=true; those without
 * (NVIDIA's own libraries, whose functions the emulator has) are left out. */
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
        return failure_harness(failure, "the program registers a fat binary of an unknown form");
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

/* The shapes of shared arrays are in the source, where it still is. */
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

static bool load(struct module *module, struct failure *failure)
{
    struct texts texts = {0};
    bool good =
        read_texts(module->wrapper, &texts, failure) &&
        ptx_parse_linked(texts.all, texts.count, "the program's PTX", &module->ptx, failure);
    free_texts(&texts);
    uint64_t begin = heap_begin_variables();
    if (!good || !program_create(&module->ptx, &runtime.memory, &module->program, failure))
        return false;
    if (!heap_adopt_variables(begin))
        return failure_harness(failure, "not enough memory for the program's variables");
    read_shapes(module);
    module->program.shapes = &module->shapes;
    return true;
}

int module_load(struct module *module)
{
    if (module->is_tried)
        return module->error;
    struct failure failure = {0};
    module->is_tried = true;
    if (!load(module, &failure)) {
        runtime_trouble("%s", failure.text);
        module->error =
            failure.kind == FAILURE_HARNESS ? ERROR_NoKernelImageForDevice : ERROR_InvalidPtx;
        return module->error;
    }
    for (struct variable *at = variables; at; at = at->next)
        if (at->module == module && at->managed) {
            uint64_t bytes;
            module_find_variable(at->host, at->managed, &bytes);
        }
    return 0;
}

bool module_map_heap(struct module *module, struct failure *failure)
{
    return program_map_heap(&module->program, failure);
}

const struct program *module_program(const struct module *module)
{
    return &module->program;
}

const struct ptx_module *module_ptx(const struct module *module)
{
    return &module->ptx;
}

/* ---- Find ---- */

struct kernel *module_find_kernel(const void *host, int *error)
{
    struct kernel *kernel = kernels;
    while (kernel && kernel->host != host && kernel != host)
        kernel = kernel->next;
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
    struct module *module = variable->module;
    int error = module_load(module);
    if (error)
        return error;
    const struct ptx_variable *found = ptx_find_variable(&module->ptx, variable->name);
    if (!found)
        return ERROR_InvalidSymbol; /* unused, so the compiler left it out */
    uint64_t offset = module->program.variables[found - module->ptx.variables];
    *bytes = found->bytes;
    *pointer = found->space == PTX_CONST ? (void *)(module->program.constants + offset)
                                         : (void *)(uintptr_t)offset;
    return 0;
}
