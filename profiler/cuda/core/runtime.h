/* runtime.h: the state of the emulated CUDA runtime, which replaces libcudart in a program.
 *
 * Theory of operation. `tlab exec` puts this libcudart.so first in LD_LIBRARY_PATH, creates a file
 * that both processes map (report.h), and starts the program. The program's constructors register
 * its fat binaries, kernels and variables (module.c). A launch (launch.c) runs to completion inside
 * the call. Streams and events (timeline.c) model order and time. Device memory (heap.c) has guest
 * addresses that the host cannot access, so host code that dereferences a device pointer crashes,
 * as with a GPU. Managed and pinned memory has the same address on host and device. The driver API
 * (cuda/driver_api/driver.h) uses the same state. One lock protects all calls. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "cuda/core/errors.h"
#include "cuda/exec/report.h"
#include "emulator/emulator.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct runtime {
    struct runtime_report *report; /* NULL (no device) if `tlab exec` did not start the program. */
    const struct device *device;
    struct guest_memory memory;
    int pending; /* Kernel error that the next runtime_enter reports. */
    int sticky;  /* Reported kernel error; all later calls return it. */
    void (*call_begins)(void), (*call_ends)(void); /* Hooks around each call; may be NULL. */
    const struct checker *checker;                 /* NULL if operations are not checked. */
};
extern struct runtime runtime;

/* Start a call and take the lock. Returns 0, or the error that the call must return. runtime_leave
 * stores an error as the thread's last error (except ERROR_NotReady), and releases the lock. */
int runtime_enter(void);
int runtime_leave(int error);
/* Like runtime_enter, for calls that do not report pending errors, such as cudaGetLastError. */
int runtime_enter_quietly(void);

struct runtime_thread {
    int last_error;
    bool has_context;
    const void *context; /* Current driver context; NULL for the primary context. */
};
struct runtime_thread *runtime_thread(void);

/* Returns the thread's last error. If `clear` is true, the error becomes the sticky error or 0. */
int runtime_last_error(bool clear);

/* Print a line on standard error. runtime_note prints each `format` only once. */
void runtime_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void runtime_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Report once that a function is not emulated. Always returns ERROR_NotSupported. */
int runtime_refuse(const char *name);

/* Print a race, and set the status and the reason of `row`, which may be NULL. */
void runtime_report_race(struct runtime_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Record for `tlab exec` why tlab cannot run this program. Only the first reason is stored. */
void runtime_trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns zeroed memory. If memory is exhausted, the program ends with a message. */
void *runtime_allocate(size_t count, size_t size);
/* Like array_make_room, for item `count` (from 0). If memory is exhausted, the program ends. */
void runtime_make_room(void *array, size_t count, size_t item_bytes);

#endif
