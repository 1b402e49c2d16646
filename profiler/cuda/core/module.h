/* module.h: what the program registers: fat binaries, with their kernels and variables. */
#ifndef MODULE_H
#define MODULE_H

#include "emulator/decode/simt_decode.h"
#include "emulator/warp/simt.h"

struct module;

/* Launches of one shape. */
struct kernel_shape {
    struct kernel_shape *next;
    struct dimensions grid, block;
    uint64_t dynamic_shared;
    uint64_t launches;
    double time_us;          /* modelled */
    struct runtime_row *row; /* NULL: there was no room */
};

struct kernel {
    void *handle;
    struct kernel *next; /* the next one of an unloaded module */
    struct module *module;
    const void *host;            /* the function that the program knows it by */
    const char *symbol;          /* its name in PTX, */
    char *name;                  /* and for people: "add", "transpose<32>" */
    int function;                /* of the program; -1: not looked for yet */
    uint64_t dynamic_shared_max; /* that cudaFuncSetAttribute allowed; 0: the default */
    int carveout;                /* which it set, too; kept to be asked for */
    struct kernel_shape *shapes;
};

struct variable {
    struct variable *next;
    struct module *module;
    const void *host;
    void **managed; /* where the program expects its address; NULL: not managed */
    const char *name;
    uint64_t bytes;
    bool is_constant;
};

/* What the program has in itself. Modules are known by handles from here on. */
void *module_register(const void *fat_binary);
struct kernel *module_add_kernel(struct module *module, const void *host, const char *symbol);
void module_add_variable(struct module *module, struct variable variable);

/* Load the PTX, if that was not done before: 0 or an error. */
int module_load(struct module *module);
/* Its kernels are about to be launched: the heap of malloc() has its size now. */
bool module_map_heap(struct module *module, struct failure *failure);
const struct program *module_program(const struct module *module);
const struct ptx_module *module_ptx(const struct module *module);

/* The kernel of that host function, or handle, loaded. NULL with *error. */
struct kernel *module_find_kernel(const void *host, int *error);

/* A module that the program loads itself: PTX, ended by NUL, a fat binary, or what module_link
 * made. 0 or an error, with a sentence. */
int module_create(const void *image, void **made, struct failure *failure);
/* Several images, NULL behind the last, as one; malloc'd, and the images stay the caller's. */
const void *module_link(const void *const *images);
/* The module of a handle; NULL: none, or unloaded. */
struct module *module_of(const void *handle);
bool module_unload(const void *handle);
void *module_handle(const struct module *module);
/* By their names in PTX: NULL or false where there is none. */
struct kernel *module_kernel(struct module *module, const char *symbol);
bool module_variable(const struct module *module, const char *name, void **pointer,
                     uint64_t *bytes);

/* Where a variable is: its (device) pointer, and size. 0 or an error. */
int module_find_variable(const void *host, void **pointer, uint64_t *bytes);

#endif
