/* tlab.h: run PTX kernels on an emulated GPU, and read their counters. This is the only public
 * header of libtlab.a.
 *
 * The usual order of calls (docs/examples/emulate.c is a complete program):
 *
 *   tlab_device_open    open a GPU, by name or from a file of parameters
 *   tlab_module_open    open a PTX module, with its kernels
 *   tlab_allocate       allocate an array in the memory of the module's GPU; tlab_write fills it
 *   tlab_launch         run a kernel to its end
 *   tlab_counter, tlab_time_us, tlab_read      read the results of the launch
 *   tlab_module_close, tlab_device_close
 *
 * Handles. Several modules may use one device. Close the modules before the device. A module owns
 * its kernels, module variables and arrays, and the results of its last launch. Closing a NULL
 * handle has no effect.
 *
 * Errors. A function that fails returns NULL, 0 or a status other than TLAB_OK, as documented. If a
 * function has a parameter `error` that is not NULL, *error receives the details. No function
 * prints, exits or changes the locale.
 *
 * Threads. Two threads may use two modules at the same time, even if both modules use one device.
 * Only one thread at a time may use a module. A launch may start threads (tlab_shape.workers),
 * which end before tlab_launch returns. No result depends on the number of threads. */
#ifndef TLAB_H
#define TLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every status except TLAB_OK and TLAB_FAILED is an error of the PTX or of the launch. After most
 * errors, the kernel stops at once. The arrays contain the values that were stored until then. */
enum tlab_status {
    TLAB_OK,
    TLAB_COMPILE_ERROR, /* The module is not valid PTX. */
    TLAB_LAUNCH_ERROR,  /* An invalid launch or instruction, a trap, or a failed assertion. */
    TLAB_OUT_OF_BOUNDS, /* An access outside all arrays, or outside the array that it refers to. */
    TLAB_MISALIGNED,    /* An address that is not a multiple of the access's size. */
    TLAB_RACE,          /* Conflicting accesses to one address without synchronization. */
    TLAB_UNINITIALIZED, /* Use of an uninitialized value. */
    TLAB_DEADLOCK,      /* A barrier or warp operation that not all threads reach. */
    TLAB_TIMEOUT,       /* The launch or one of its blocks has executed too many instructions. */
    TLAB_UNSUPPORTED,   /* PTX that the emulator or this device does not support. */
    TLAB_FAILED,        /* Invalid arguments, exhausted memory, or a missing file. */
};

/* Returns the stable name of a status, such as "race". The string is constant. */
const char *tlab_status_name(enum tlab_status status);

struct tlab_error {
    enum tlab_status status;
    /* Stable constant name of the finding, such as "assertion-failed", or "" if there is none. */
    const char *finding;
    unsigned line; /* Line, from 1, of the source file that `text` names. 0 if unknown. */
    char text
        [4096]; /* Message: source position, thread, and what happened. The wording may change. */
};

typedef struct tlab_device tlab_device;
typedef struct tlab_module tlab_module;

/* Open a GPU. If `directory` is NULL, `name` is the path of a device file. Otherwise the file is
 * DIRECTORY/NAME.conf. The caller closes the device. Returns NULL for TLAB_FAILED (the file is
 * invalid, or memory is exhausted). */
tlab_device *tlab_device_open(const char *directory, const char *name, struct tlab_error *error);
void tlab_device_close(tlab_device *device);

/* Parse a module of `length` bytes of PTX, lay out its module variables and decode its functions.
 * `name` is the file name in messages. The caller may free both texts after the call. Returns NULL
 * for TLAB_COMPILE_ERROR, TLAB_UNSUPPORTED (an unsupported directive, or a size above a limit), or
 * TLAB_FAILED (no memory). */
tlab_module *tlab_module_open(const tlab_device *device, const char *ptx, size_t length,
                              const char *name, struct tlab_error *error);
void tlab_module_close(tlab_module *module);

/* Returns the number of the kernel with this (mangled) name in the PTX, or -1. */
int tlab_kernel(const tlab_module *module, const char *name);
/* Returns the size in bytes of a kernel's parameters, or 0 if `kernel` is -1. As in PTX, each
 * parameter begins at a multiple of its alignment. */
size_t tlab_params_bytes(const tlab_module *module, int kernel);

/* Allocate an array of `bytes` bytes (at least 1) in device memory, without initial values. A
 * kernel that uses an uninitialized value fails with TLAB_UNINITIALIZED. `name`, which is copied,
 * is for messages.
 * Returns the device address, a multiple of 256, for use as a kernel parameter, or 0 if memory is
 * exhausted. tlab_free or tlab_module_close frees the array. */
uint64_t tlab_allocate(tlab_module *module, size_t bytes, const char *name);
/* Free an array by its address. Returns 1, or 0 if no array begins there. */
int tlab_free(tlab_module *module, uint64_t address);
/* Copy `count` bytes to or from device memory. If the bytes are not all in one array or module
 * variable, nothing is copied, and the result is TLAB_OUT_OF_BOUNDS. */
enum tlab_status tlab_write(tlab_module *module, uint64_t address, const void *bytes, size_t count);
enum tlab_status tlab_read(const tlab_module *module, uint64_t address, void *bytes, size_t count);

enum tlab_mode {
    TLAB_CHECK,   /* Count, model time, and report races and other errors. */
    TLAB_COUNT,   /* Count and model time only. */
    TLAB_COMPUTE, /* Compute results only, without time. `warp_instructions` is the only counter. */
};

/* A launch configuration. Every field after `block` may be 0. */
struct tlab_shape {
    unsigned grid[3], block[3]; /* Sizes in x, y and z, each at least 1. */
    uint64_t dynamic_shared;
    unsigned workers; /* Number of threads that emulate the grid. 0 means one. */
    uint64_t budget;  /* Limit of warp instructions; 0 means 10^11. A block's limit is 5 * 10^7. */
};

/* Run a kernel to its end. `params` has tlab_params_bytes bytes. The output of device printf is
 * discarded. The results are valid until the next launch of the module. If several blocks fail, the
 * error of the block with the lowest number is reported. */
enum tlab_status tlab_launch(tlab_module *module, int kernel, const struct tlab_shape *shape,
                             const void *params, enum tlab_mode mode, struct tlab_error *error);

/* Write a counter of the last launch, summed over all warps, to *value. `name` is a name in
 * docs/counters.md, such as "global_load_sectors". All counters are 0 after a launch that failed.
 * Returns 1. If no counter has this name, returns 0 and does not change *value. */
int tlab_counter(const tlab_module *module, const char *name, uint64_t *value);
/* Returns the name of counter `number`, from 0, or NULL after the last counter. */
const char *tlab_counter_name(unsigned number);
/* Returns the modelled time of the last launch in microseconds, or 0 after TLAB_COMPUTE and after a
 * launch that failed. If `limit` is not NULL, *limit receives a sentence on the resource that
 * limits the time. The sentence is valid until the next launch, and empty if the time is 0. */
double tlab_time_us(const tlab_module *module, const char **limit);

#ifdef __cplusplus
}
#endif

#endif
