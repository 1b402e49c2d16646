/* runtime.h: the state of the CUDA runtime that runs in a student's program, in place of NVIDIA's
 * libcudart, on an emulated GPU.
 *
 * Theory of operation. `tlab exec` starts the program with our libcudart.so in front of all others
 * (LD_LIBRARY_PATH) and with a file that both map (report.h). The program's constructors register
 * its fat binaries, kernels and variables (module.c); PTX is parsed when a kernel or a variable of
 * it is first used. A launch (launch.c) runs to its end inside the call: emulator_run with the
 * device of the report. Streams and events (timeline.c) keep the order, and modelled time. Device
 * memory (heap.c) has the emulator's fixed guest addresses, where the host finds nothing, so that
 * host code which follows a device pointer crashes as it does with a GPU; managed and pinned memory
 * lies at the same address for both.
 *
 * The driver API (cuda/driver_api/driver.h) stands on the same state, so that a program may use
 * both.
 *
 * The program's own are its signals, its standard streams and its threads: no thread of ours
 * outlives a call, no handler is installed but that of watch.h, and one lock serves all calls. The
 * exported functions are in api_*.c; what they do not have is in absent.h.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "cuda/core/errors.h"
#include "cuda/exec/report.h"
#include "emulator/emulator.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct runtime {
    struct runtime_report *report; /* NULL: not started by `tlab exec`, so there is no device */
    const struct device *device;
    struct guest_memory memory;
    int pending; /* an error of a kernel, which the next call that waits for the device reports, */
    int sticky;  /* and which all calls report from then on */
    void (*call_begins)(void), (*call_ends)(void); /* of the program's calls; NULL: nothing to do */
    const struct checker *checker;                 /* NULL: the order of work is not checked */
};
extern struct runtime runtime;

/* Begin a call: take the lock, start the runtime with the first. Returns what the call must
 * return at once (a sticky error, no device), or 0. runtime_leave gives the lock back, makes
 * `error` the thread's last error, and returns it. */
int runtime_enter(void);
int runtime_leave(int error);
/* The same for calls that do not ask the device for its errors: launches, cudaGetLastError. */
int runtime_enter_quietly(void);

struct runtime_thread {
    int last_error;
    bool has_context;    /* the primary one, from the thread's first call of the runtime on */
    const void *context; /* the handle of the driver's current context; NULL: the primary one */
};
struct runtime_thread *runtime_thread(void);

/* The thread's last error. */
int runtime_last_error(bool clear);

/* Say something to the person: one line on standard error; a note once for each `format`. */
void runtime_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void runtime_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Name a function that is not emulated, once. Returns ERROR_NotSupported. */
int runtime_refuse(const char *name);

/* tlab cannot run this program: `tlab exec` will say so. The first reason counts. */
void runtime_trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory without which we cannot go on. Never NULL: the program ends with a sentence. */
void *runtime_allocate(size_t count, size_t size);
/* Room for item number `count` (from 0) of a growing array, as array_make_room gives it. */
void runtime_make_room(void *array, size_t count, size_t item_bytes);

#endif
