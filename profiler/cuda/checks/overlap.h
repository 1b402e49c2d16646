/* overlap.h: work in streams of which neither waits for the other, on the same memory.
 *
 * Theory of operation. Work is done when it is asked for, one after the other, so a program that
 * forgets to let one stream wait for another gets the right values all the same; on a GPU it may
 * not. For each piece of work (a checked launch, a copy, a memset) the bytes that it read and wrote
 * are remembered until the host has waited for it. New work that touches the same bytes, one of
 * both writing, races with it unless its stream knows that it has ended (timeline.h). What launches
 * write that was there before, and what only atomic operations meet in, does not count. One finding
 * is enough.
 */
#ifndef OVERLAP_H
#define OVERLAP_H

#include "cuda/core/heap.h"
#include "cuda/core/module.h"
#include "cuda/core/timeline.h"

/* Whether the program has work that could run at the same time, which is to be noted. */
bool overlap_is_possible(void);

/* After a launch, the last work in the stream: what it did to each region of memory, of which this
 * takes what it needs; and its row (or NULL). */
void overlap_launch(const struct kernel *kernel, struct region_touch *touched, unsigned regions,
                    struct runtime_row *row, const struct stream *stream);
/* After a copy, or a memset of rows. */
void overlap_copy(const struct heap_copy *copy, const struct stream *stream);
void overlap_set(const struct heap_set *set, const struct stream *stream);

#endif
