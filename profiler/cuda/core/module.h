/* module.h: the modules of a program: fat binaries and PTX, with their kernels and variables. */
#ifndef MODULE_H
#define MODULE_H

#include "cuda/core/handle.h"
#include "emulator/decode/simt_decode.h"
#include "emulator/warp/simt.h"
#include "process/machine_code.h"
#include "text/array_shapes.h"

struct module {
    void *handle;
    struct module *next; /* Next unloaded module. */
    const struct wrapper
        *wrapper;  /* Registered fat binary; NULL if the program loaded the module. */
    bool is_tried; /* True after the first attempt to load. */
    int error;     /* Result of that attempt; 0 or a CUDA error. */
    struct ptx_module ptx;
    struct program program; /* Valid after module_load. */
    struct array_shapes shapes;
    char *text; /* PTX of the module, until it is assembled; NULL if several texts were linked. */
    size_t text_bytes;
    void *cubin; /* Machine code for the device; NULL until kernel_machine_code finds it. */
    size_t cubin_bytes;
    bool is_assembled; /* True after the first attempt to find the cubin. */
};

/* Launches with one configuration. */
struct kernel_shape {
    struct kernel_shape *next;
    struct dimensions grid, block;
    uint64_t dynamic_shared;
    uint64_t launches;
    double time_us;          /* Modelled time of the first launch. */
    struct runtime_row *row; /* NULL if the report is full. */
};

struct kernel {
    void *handle;
    struct kernel *next; /* Next kernel of an unloaded module. */
    struct module *module;
    const void *host;            /* Host function that represents the kernel; NULL if none. */
    const char *symbol;          /* Name in PTX. */
    char *name;                  /* Name in messages: "add", "transpose<32>". */
    int function;                /* Index in module->program; -1 until the first lookup. */
    uint64_t dynamic_shared_max; /* Limit set by cudaFuncSetAttribute, in bytes; 0: the default. */
    int carveout;                /* Value set by cudaFuncSetAttribute; has no effect. */
    struct kernel_shape *shapes;
};

struct variable {
    struct variable *next;
    struct module *module;
    const void *host;
    void **managed; /* Receives the address of a managed variable; NULL for other variables. */
    const char *name;
    uint64_t bytes;
};

/* Register a fat binary (its kernels, its variables). Returns the handle of its module. */
void *module_register(const void *fat_binary);
struct kernel *module_add_kernel(struct module *module, const void *host, const char *symbol);
void module_add_variable(struct variable variable); /* Does nothing without a module. */

/* Parse and decode the PTX on the first call. Returns 0 or a CUDA error. */
int module_load(struct module *module);

/* Returns the loaded kernel of a host function or handle; NULL with *error if there is none. */
struct kernel *module_find_kernel(const void *host, int *error);

/* Returns the decoded function of a loaded kernel. */
static inline const struct program_function *kernel_code(const struct kernel *kernel)
{
    return &kernel->module->program.functions[kernel->function];
}

/* Returns the bytes of static shared memory of a loaded kernel. */
static inline uint64_t kernel_static_shared(const struct kernel *kernel)
{
    return program_shared_bytes(&kernel->module->program, kernel->function);
}

/* Find the machine code of a loaded kernel in the program's fat binary. If there is none, the first
 * call for a module assembles the PTX with the toolkit. Returns zeros if no code is found. */
struct machine_code kernel_machine_code(const struct kernel *kernel);

/* Load an image: PTX that ends with NUL, a fat binary, or the result of module_link. Returns 0,
 * or a CUDA error with its message in *failure. */
int module_create(const void *image, void **made, struct failure *failure);
/* Combine several images (the array ends with NULL) into one. The result is malloc'd; the caller
 * still owns the images. */
const void *module_link(const void *const *images);
/* Returns the module of a handle; NULL if it is invalid or unloaded. */
HANDLE_LOOKUP(module_of, module, HANDLE_MODULE)
bool module_unload(const void *handle);
/* Find a kernel (a variable) by its name in PTX. Returns NULL (false) if there is none. */
struct kernel *module_kernel(struct module *module, const char *symbol);
bool module_variable(const struct module *module, const char *name, void **pointer,
                     uint64_t *bytes);

/* Find the device pointer and the size of a variable. Returns 0 or a CUDA error. */
int module_find_variable(const void *host, void **pointer, uint64_t *bytes);

#endif
