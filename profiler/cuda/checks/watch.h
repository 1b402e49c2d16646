/* watch.h: memory that the host must not touch yet, because work that it has not waited for writes
 * there, or still reads it.
 *
 * Theory of operation. Work is done inside the calls that ask for it, so a host that forgets to
 * wait finds the new values all the same; on a GPU it finds the old ones. Pages that a checked
 * launch changed in managed or mapped memory, or that an asynchronous copy writes or reads in
 * pinned memory, are therefore closed (mprotect) while the program's own code runs, until it has
 * waited, in modelled time, for the end of that work. A handler of SIGSEGV, which is there for just
 * as long and never where the program has one of its own, sees who comes too early, opens the
 * pages, and lets the program go on. What it found is said with the next call, or at the end. One
 * finding is enough: then nothing is closed any more.
 */
#ifndef WATCH_H
#define WATCH_H

#include "cuda/core/heap.h"
#include "cuda/core/module.h"
#include "cuda/core/snapshot.h"
#include "cuda/core/timeline.h"

/* After a launch, with memory as it was before it. Kernels whose accesses are volatile or for the
 * whole system communicate with the host while they run and are not checked. */
void watch_launch(const struct kernel *kernel, const struct snapshot *before);
/* When that launch, the last one, ends, and its row (or NULL). */
void watch_launch_ends(double at_us, struct runtime_row *row);
/* After a copy in the stream: `direction` as heap_copy reports it. */
void watch_copy(const struct heap_copy *copy, unsigned direction, const struct stream *stream);

#endif
