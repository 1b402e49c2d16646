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

#include "runtime/heap.h"
#include "runtime/module.h"
#include "runtime/timeline.h"

/* Behind a launch: `before` has the bytes of all regions of memory as they were, one behind the
 * other. Kernels whose accesses are volatile or for the whole system talk to the host while they
 * run; those are left alone. */
void watch_launch(const struct kernel *kernel, const unsigned char *before);
/* When that launch, the last one, ends, and its row (or NULL). */
void watch_launch_ends(double at_us, struct runtime_row *row);
/* Behind a copy in the stream: `direction` as heap_copy says. */
void watch_copy(const struct heap_copy *copy, unsigned direction, struct stream *stream);

#endif
