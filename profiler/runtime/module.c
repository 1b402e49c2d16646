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
    const struct wrapper *wrapper; /* NULL: of a part */
    const void *fat_binary;        /* of a part */
    struct module *part;           /* of a linked program: the first object's module, */
    struct module *next_part;      /* and the next one's */
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

static bool read_ptx(const struct wrapper *wrapper, struct fatbin_ptx *ptx, struct failure *failure)
{
    if (wrapper->magic != WRAPPER_MAGIC)
        return failure_harness(failure, "the program registers a fat binary of an unknown form");
    return fatbin_read(wrapper->data, SIZE_MAX, WANTED_ARCHITECTURE, ptx, failure);
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

static bool load(struct module *module, struct failure *failure);

/* The objects of a program that was linked with -rdc=true, each a module of its own: what calls from
 * one into the other is refused when it is reached. Objects without PTX (NVIDIA's own) are left out. */
static bool load_parts(struct module *module, struct failure *failure)
{
    for (const void *const *at = module->wrapper->linked; at && *at; at++) {
        struct module *part = runtime_allocate(1, sizeof *part);
        struct failure none = {0};
        *part = (struct module){.fat_binary = *at, .next_part = module->part, .is_tried = true};
        if (load(part, &none))
            module->part = part;
        else if (none.kind == FAILURE_STUDENT || failure->kind == FAILURE_NONE)
            *failure = none;
    }
    if (module->part)
        failure->kind = FAILURE_NONE;
    return module->part;
}

static bool load(struct module *module, struct failure *failure)
{
    struct fatbin_ptx ptx;
    if (module->wrapper && module->wrapper->version == WRAPPER_LINKED)
        return load_parts(module, failure);
    if (module->wrapper
            ? !read_ptx(module->wrapper, &ptx, failure)
            : !fatbin_read(module->fat_binary, SIZE_MAX, WANTED_ARCHITECTURE, &ptx, failure))
        return false;
    bool good = ptx_parse(ptx.text, ptx.length, "the program's PTX", &module->ptx, failure);
    free(ptx.text);
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
    struct module *part = kernel->module->part;
    if (kernel->function < 0 && !part)
        kernel->function = program_find_entry(&kernel->module->program, kernel->symbol);
    for (; kernel->function < 0 && part; part = part->next_part) {
        kernel->function = program_find_entry(&part->program, kernel->symbol);
        if (kernel->function >= 0)
            kernel->module = part;
    }
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
    const struct ptx_variable *found = NULL;
    if (!module->part)
        found = ptx_find_variable(&module->ptx, variable->name);
    for (struct module *part = module->part; part && !found; part = part->next_part) {
        found = ptx_find_variable(&part->ptx, variable->name);
        found = found && found->is_extern ? NULL : found; /* another part has it */
        module = found ? part : module;
    }
    if (!found)
        return ERROR_InvalidSymbol; /* unused, so the compiler left it out */
    uint64_t offset = module->program.variables[found - module->ptx.variables];
    *bytes = found->bytes;
    *pointer = found->space == PTX_CONST ? (void *)(module->program.constants + offset)
                                         : (void *)(uintptr_t)offset;
    return 0;
}
