/* order.h: which accesses of a block's other threads come before those of a thread.
 *
 * Theory of operation. A clock counts synchronisations; an access has the *stamp* of its time. What
 * a thread knows of another is a stamp: all that the other did before that time happened before
 * whatever the thread does next (these are vector clocks, of which Flanagan and Freund,
 * "FastTrack", 2009, keep epochs where they can). It learns by
 *   - a barrier of all threads: one stamp for all, the *epoch*, and the usual case;
 *   - a barrier of some: those who wait learn what those who arrive knew when they did;
 *   - bar.warp.sync: the lanes that it names learn of each other;
 *   - a flag (PTX ISA, "Memory Consistency Model", release and acquire patterns): a strong store or
 *     an atomic operation publishes at its address what its thread knew when it last executed a
 *     fence, and a strong load or atomic operation of that address *observes* that, to know it from
 *     the next fence (or barrier) on. .release and .acquire do so at once. Atomic operations add to
 *     what is published there, stores replace it.
 *
 * More than the epoch and the last full bar.warp.sync of a warp is kept only where a block does
 * more: a row for each warp, and for each lane that knows more than its warp, of the stamps that it
 * knows of each thread. Rows grow with the maximum, so nothing is ever cleared: what is older than
 * the epoch says nothing new.
 *
 * Two decisions beyond the text of the model. A fence that a thread executed before a barrier
 * counts for all who passed it (every thread fences, all meet, one raises the flag: it is in every
 * textbook). And a barrier serves the reader of a flag as a fence.
 */
#ifndef ORDER_H
#define ORDER_H

#include "emulator/ptx/ptx.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ORDER_BARRIERS = 16,              /* of a block */
    ORDER_PUBLISHED_BYTES = 16 << 20, /* of what flags publish; with more, flags order everything */
};

struct published;

struct order {
    unsigned threads, width;            /* of the block; of a warp */
    uint32_t now;                       /* the stamp */
    uint32_t block, epoch;              /* when the block began; its last barrier of all threads */
    uint32_t *sync;                     /* of each warp: its last bar.warp.sync of all lanes */
    bool has_rows;                      /* since the epoch, some know more */
    bool has_fences;                    /* a thread of this block has executed a fence */
    uint32_t *fence;                    /* of each thread: its last fence in this block, or 0, */
    uint32_t *fence_epoch, *fence_sync; /* and `epoch` and `sync` at the time */
    uint32_t *has_row, *has_observed, *has_fence_row; /* lanes of each warp */
    /* NULL until they are needed. Rows of `threads` stamps: */
    uint32_t *warp_rows;         /* what all lanes of a warp know */
    uint32_t *lane_rows;         /* what a thread knows besides */
    uint32_t *observed_rows;     /* what a thread will know after a fence */
    uint32_t *fence_rows;        /* what a thread knew at its last fence */
    uint32_t *arrived_rows;      /* of each barrier: what those who arrived knew */
    struct published *published; /* an open hash table */
    size_t published_count, published_capacity;
    uint64_t version;                     /* of what was published last, anywhere */
    uint64_t *seen_version, *had_version; /* of each thread: what it has observed last, or acquired:
                                              who polls reads the same again and again */
    uint32_t *known, *published_now;      /* rows in use for a moment */
};

/* For blocks of so many threads, of warps of `width`. False: no memory. */
bool order_create(struct order *order, unsigned threads, unsigned width);
void order_free(struct order *order);

/* A new block begins. Stamps go on, so that marks of the one before are older than the new epoch;
 * order_reset has them start again. */
void order_begin(struct order *order);
void order_reset(struct order *order);

/* All threads have met. */
void order_barrier(struct order *order);
/* The lanes of `mask` come to barrier `id`, where some threads meet; those of a warp pass it. After
 * the last one the barrier is order_reopened. */
void order_arrive(struct order *order, unsigned id, unsigned warp, uint32_t mask);
void order_pass(struct order *order, unsigned id, unsigned warp);
void order_reopen(struct order *order, unsigned id);
/* The lanes of `mask` have met; `alive` are all that the warp still has. */
void order_sync(struct order *order, unsigned warp, uint32_t mask, uint32_t alive);
/* The lanes of `mask` execute a fence. */
void order_fence(struct order *order, unsigned warp, uint32_t mask);
/* A thread writes to a place (any number) by a strong store, or with `adds` an atomic operation. */
void order_publish(struct order *order, uint32_t thread, uint64_t place, bool adds);
/* A thread reads it by a strong access, with `acquires` one that needs no fence. */
void order_observe(struct order *order, uint32_t thread, uint64_t place, bool acquires);

/* What a thread knew of each other at its last fence, which it has executed: a row. */
void order_at_fence(const struct order *order, uint32_t thread, uint32_t *row);

/* Accesses of `other` with stamps below this happened before whatever `thread` does next. */
static inline uint32_t order_known(const struct order *order, uint32_t thread, uint32_t other)
{
    uint32_t warp = thread / order->width, known = order->epoch;
    if (other / order->width == warp && order->sync[warp] > known)
        known = order->sync[warp];
    if (!order->has_rows)
        return known;
    uint32_t of_warp = order->warp_rows[(size_t)warp * order->threads + other];
    uint32_t of_lane = order->lane_rows[(size_t)thread * order->threads + other];
    known = of_warp > known ? of_warp : known;
    return of_lane > known ? of_lane : known;
}

#endif
