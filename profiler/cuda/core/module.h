/* module.h: the modules of a program (fat binaries and PTX), their kernels and their variables. */
#ifndef MODULE_H
#define MODULE_H

#include "cuda/core/handle.h"
#include "emulator/decode/simt_decode.h"
#include "emulator/warp/simt.h"
#include "process/machine_code.h"
#include "text/array_shapes.h"

struct module {
    void *handle;
    struct module *next;
    const struct wrapper
        *wrapper;  /* Registered fat binary; NULL if the program loaded the module. */
    bool is_tried; /* True after the first call of module_load. */
    int error;     /* Result of the first call: 0 or a CUDA error. */
    struct ptx_module ptx;
    struct program program;
    struct array_shapes shapes;
    char *text; /* PTX until it is assembled; NULL if several texts were linked. */
    size_t text_bytes;
    void *cubin; /* Machine code for the device; NULL until found. */
    size_t cubin_bytes;
    bool is_assembled; /* True after the first search for the cubin. */
};

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
    struct kernel *next;
    struct module *module;
    const void *host; /* Host function that represents the kernel; may be NULL. */
    const char *symbol;
    char *name;                  /* In messages: "add", "transpose<32>". */
    int function;                /* Index in module->program; -1 until the first lookup. */
    uint64_t dynamic_shared_max; /* Bytes set by cudaFuncSetAttribute; 0 for the default limit. */
    int carveout;                /* Set by cudaFuncSetAttribute; has no effect. */
    struct kernel_shape *shapes;
};

struct variable {
    struct variable *next;
    struct module *module;
    const void *host;
    void **managed; /* Receives the address of a managed variable; otherwise NULL. */
    const char *name;
};

/* module_register returns a handle of the module. */
void *module_register(const void *fat_binary);
struct kernel *module_add_kernel(struct module *module, const void *host, const char *symbol);
void module_add_variable(struct variable variable);

/* Parse and decode the PTX on the first call. Returns 0 or a CUDA error. */
int module_load(struct module *module);

/* Returns the loaded kernel of a host function or handle; NULL with a CUDA error in *error. */
struct kernel *module_find_kernel(const void *host, int *error);

static inline const struct program_function *kernel_code(const struct kernel *kernel)
{
    return &kernel->module->program.functions[kernel->function];
}

static inline uint64_t kernel_static_shared(const struct kernel *kernel)
{
    return program_shared_bytes(&kernel->module->program, kernel->function);
}

/* Returns a loaded kernel's use of registers and memory, from the program's machine code or, if it
 * has none, from PTX that the toolkit assembles. Returns zeros if neither is available. */
struct machine_code kernel_machine_code(const struct kernel *kernel);

/* Load an image: NUL-terminated PTX, a fat binary, or the result of module_link. Sets *made to the
 * module's handle. Returns 0, or a CUDA error with its message in *failure. */
int module_create(const void *image, void **made, struct failure *failure);
/* Combine a NULL-terminated list of images. Returns a malloc'd image that refers to the list. */
const void *module_link(const void *const *images);
HANDLE_LOOKUP(module_of, module, HANDLE_MODULE)
bool module_unload(const void *handle);
/* Find a kernel or a variable by its name in PTX. For an unknown name, return NULL or false. */
struct kernel *module_kernel(struct module *module, const char *symbol);
bool module_variable(const struct module *module, const char *name, void **pointer,
                     uint64_t *bytes);

/* Find the device pointer and the size of a variable. Returns 0 or a CUDA error. */
int module_find_variable(const void *host, void **pointer, uint64_t *bytes);

#endif
