/* tlab.h: run kernels in PTX on an emulated GPU, and count what they do. The public header of
 * libtlab.a; it needs no other.
 *
 * The usual order of calls (docs/examples/emulate.c is a complete program):
 *
 *   tlab_device_open    a GPU, by name or from a file of parameters
 *   tlab_module_open    the text of a PTX module, with its kernels
 *   tlab_allocate       an array in the memory of the module's GPU; tlab_write fills it
 *   tlab_launch         runs a kernel to its end
 *   tlab_counter, tlab_time_us, tlab_read      what the launch did
 *   tlab_module_close, tlab_device_close
 *
 * Handles. A device may serve several modules, and must be closed after them. A module owns its
 * kernels, module variables and arrays, and the results of its last launch. Closing NULL does
 * nothing.
 *
 * Errors. A function that can fail returns NULL, 0 or a status other than TLAB_OK, as documented,
 * and fills in `error`, which may be NULL. No function prints, exits or changes the locale.
 *
 * Threads. Two threads may use two modules at the same time, also with one device. A module may be
 * used by one thread at a time. A launch starts threads of its own as struct tlab_shape asks, and
 * they have ended when it returns. No result depends on their number.
 */
#ifndef TLAB_H
#define TLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of a call. The first group are mistakes of the kernel, which stopped; its arrays hold
 * what it had stored so far. */
enum tlab_status {
    TLAB_OK,
    TLAB_COMPILE_ERROR, /* the module is no valid PTX */
    TLAB_LAUNCH_ERROR,  /* a wrong shape, a trap, an assertion, a wrong use of an instruction */
    TLAB_OUT_OF_BOUNDS, /* an access outside every array, or outside the one it was meant for */
    TLAB_MISALIGNED,    /* an address that is no multiple of the access's size */
    TLAB_RACE,          /* accesses to one place that nothing orders */
    TLAB_UNINITIALIZED, /* use of a value that nothing wrote */
    TLAB_DEADLOCK,      /* a barrier or warp operation that not all threads reach */
    TLAB_TIMEOUT,       /* more warp instructions than the launch may execute */
    TLAB_UNSUPPORTED,   /* PTX that the emulator, or this device, does not support */
    TLAB_FAILED,        /* no mistake of the kernel: wrong arguments, no memory, no such file */
};

/* The stable name of a status, such as "race". */
const char *tlab_status_name(enum tlab_status status);

/* What went wrong. */
struct tlab_error {
    enum tlab_status status;
    /* Name of the finding, such as "assertion-failed", or "" where the status says all. Stable,
     * unlike `text`. The string is constant. */
    const char *finding;
    unsigned line;   /* Line of the source file that the text names, from 1; 0: unknown. */
    char text[4096]; /* For a person: where it happened, in which thread, and what. */
};

typedef struct tlab_device tlab_device;
typedef struct tlab_module tlab_module;

/* A GPU by its `name` ("h200"; DIRECTORY/h200.conf describes it), or, where `directory` is NULL, by
 * the path of its file. The caller closes it. NULL: TLAB_FAILED, no such device or no memory. */
tlab_device *tlab_device_open(const char *directory, const char *name, struct tlab_error *error);
void tlab_device_close(tlab_device *device);

/* Parse a module of `length` bytes of PTX, lay out its module variables and decode its functions.
 * `name` stands for the file in messages. The texts may be freed afterwards. NULL:
 * TLAB_COMPILE_ERROR, or TLAB_UNSUPPORTED where no function can run, or TLAB_FAILED. */
tlab_module *tlab_module_open(const tlab_device *device, const char *ptx, size_t length,
                              const char *name, struct tlab_error *error);
void tlab_module_close(tlab_module *module);

/* The number of a kernel, by its name in the PTX; -1: the module has no such kernel. */
int tlab_kernel(const tlab_module *module, const char *name);
/* Bytes of a kernel's parameters, laid out as PTX does: each aligned to its own size. */
size_t tlab_params_bytes(const tlab_module *module, int kernel);

/* An array of `bytes` bytes of device memory, which hold nothing yet: to use a value before one was
 * written is an error of the kernel (TLAB_UNINITIALIZED). `name` is for messages, and copied.
 * Returns its device address, a multiple of 256, which kernels take as a parameter; 0: no
 * memory. */
uint64_t tlab_allocate(tlab_module *module, size_t bytes, const char *name);
/* Free an array by its address. False (0): no array begins there. */
int tlab_free(tlab_module *module, uint64_t address);
/* Copy bytes to device memory, and from it. They must lie within one array or module variable. */
enum tlab_status tlab_write(tlab_module *module, uint64_t address, const void *bytes, size_t count);
enum tlab_status tlab_read(const tlab_module *module, uint64_t address, void *bytes, size_t count);

/* How closely a launch is observed. */
enum tlab_mode {
    TLAB_CHECK,   /* count, and look for races, uninitialized values and unmatched barriers */
    TLAB_COUNT,   /* count, and model caches, DRAM and time; as in TLAB_CHECK */
    TLAB_COMPUTE, /* only compute: `warp_instructions` is the only counter, and there is no time */
};

/* The shape of a launch. Zero is a good value for all fields after `block`. */
struct tlab_shape {
    unsigned grid[3], block[3]; /* x, y, z, each at least 1 */
    uint64_t dynamic_shared;    /* Bytes of dynamic shared memory of a block. */
    unsigned workers;           /* Threads of this process; 0: one. */
    uint64_t budget;            /* Warp instructions of the whole grid; 0: 10^11. */
};

/* Run a kernel to its end. `params` are tlab_params_bytes bytes. What device printf writes is
 * dropped. The results stay until the next launch of the module. Of several mistakes, the one of
 * the lowest block is reported. */
enum tlab_status tlab_launch(tlab_module *module, int kernel, const struct tlab_shape *shape,
                             const void *params, enum tlab_mode mode, struct tlab_error *error);

/* A counter of the last launch that ended with TLAB_OK, by its name in docs/counters.md
 * ("global_load_sectors"), summed over all warps. False (0), and *value stays: no such counter. */
int tlab_counter(const tlab_module *module, const char *name, uint64_t *value);
/* The names of the counters, by number from 0; NULL after the last. */
const char *tlab_counter_name(unsigned number);
/* The modelled time of the last launch, in microseconds, and in a sentence what limits it (NULL:
 * not asked for); 0 after TLAB_COMPUTE and after failures. The sentence is valid until the next
 * launch. */
double tlab_time_us(const tlab_module *module, const char **limit);

#ifdef __cplusplus
}
#endif

#endif
