/* watch.h: find host accesses to memory that unfinished device work still writes or reads.
 *
 * Theory of operation. The emulator executes operations inside the CUDA calls. So host code that
 * does not wait reads the new values, but on a GPU, it may read the old values. This module
 * protects (mprotect) pages of managed or mapped memory that a checked launch changed, and of
 * pinned memory that an asynchronous 1D copy accesses. The pages are protected while code of the
 * program runs, until the host has waited for the work in modelled time. A SIGSEGV handler records
 * an early access and lets the program continue. A program with its own SIGSEGV handler is not
 * watched. Only the first race is reported. */
#ifndef WATCH_H
#define WATCH_H

#include "cuda/core/heap.h"
#include "cuda/core/module.h"
#include "cuda/core/snapshot.h"
#include "cuda/core/timeline.h"

/* Watch the memory that a launch changed; `before` is a snapshot from before the launch. Kernels
 * that communicate with the host (volatile or system-scope accesses) are not watched. */
void watch_launch(const struct kernel *kernel, const struct snapshot *before);
/* Set the modelled end of the watched launch, in microseconds, and its row, which may be NULL. */
void watch_launch_ends(double at_us, struct runtime_row *row);
/* Watch the host memory of a copy. `direction` is the output of heap_copy. */
void watch_copy(const struct heap_copy *copy, unsigned direction, const struct stream *stream);

#endif
