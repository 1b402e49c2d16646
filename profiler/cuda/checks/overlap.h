/* overlap.h: find races between operations in unsynchronized streams.
 *
 * Theory of operation. The emulator executes operations one after the other, so a program with a
 * race gets correct values here, but possibly not on a GPU. For each checked launch, copy and
 * memset, this module stores which bytes the operation accessed, until the host waits for it. Two
 * operations race if both access the same bytes, at least one writes, and the timeline does not
 * order them. A store of the value that was already in memory, or a conflict between atomic
 * operations, is not a race. Only the first race is reported. */
#ifndef OVERLAP_H
#define OVERLAP_H

#include "cuda/core/heap.h"
#include "cuda/core/module.h"
#include "cuda/core/timeline.h"

/* Returns true if several operations may run at the same time, so that they must be recorded. */
bool overlap_is_possible(void);

/* Check a launch that has just ended in the stream. `touched` contains its accesses to each region
 * of memory; the function may move sets out of `touched`. `row` may be NULL. */
void overlap_launch(const struct kernel *kernel, struct region_touch *touched, unsigned regions,
                    struct runtime_row *row, const struct stream *stream);
/* Check a copy of one slice, or a memset, that has just ended in the stream. */
void overlap_copy(const struct heap_copy *copy, const struct stream *stream);
void overlap_set(const struct heap_set *set, const struct stream *stream);

#endif
