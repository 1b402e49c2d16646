/* order.h: finds which accesses of other threads of a block happen before a thread's next access.
 *
 * A clock counts synchronizations. The *stamp* of an access is the clock at the time of the access.
 * Thread A has a *known stamp* of each other thread B: all accesses of B with lower stamps happened
 * before A's next access. The known stamps of a thread are a vector clock.
 * As in Flanagan and Freund, "FastTrack", 2009, one number replaces the vector where possible. A
 * thread learns stamps
 * - at a barrier of all threads: one stamp for all threads, the *epoch* (the usual case);
 * - at a barrier of some threads: the threads that wait learn the arriving threads' stamps;
 * - at bar.warp.sync: the lanes in the member mask learn each other's stamps;
 * - from a flag (PTX ISA, "Memory Consistency Model", release and acquire patterns): a strong store
 *   or an atomic operation publishes its thread's known stamps at the last fence. A strong load or
 *   an atomic operation of the same address *observes* these stamps. They become known at the
 *   loading thread's next fence or barrier, or at once with .acquire. An access with .release
 *   includes a fence. A store replaces the published stamps of its address. An atomic operation
 *   adds its stamps to them.
 *
 * The epoch and the last bar.warp.sync of all lanes of each warp are enough for most blocks.
 * Otherwise, each warp has a row of known stamps, one per thread, and so has each lane that has
 * learned more than its warp. Rows are not cleared at barriers of all threads, because a stamp that
 * is older than the epoch has no effect.
 *
 * Two decisions go beyond the text of the PTX ISA. A fence that a thread executed before a barrier
 * counts for all threads that passed the barrier (as in textbooks: every thread executes a fence,
 * all threads synchronize, one thread sets the flag). A barrier is a fence for threads that read
 * flags. */
#ifndef ORDER_H
#define ORDER_H

#include "emulator/ptx/ptx.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ORDER_BARRIERS = 16,
    ORDER_PUBLISHED_BYTES = 16 << 20, /* Limit, after which writes of flags count as barriers. */
};

struct published;

struct order {
    unsigned threads, width;
    uint32_t now;
    uint32_t block, epoch; /* Stamps of the block's start and of its last barrier of all threads. */
    bool has_rows;         /* True if some threads have learned more than `epoch` and `sync`. */
    bool has_fences;
    uint32_t *sync; /* For each warp: stamp of its last bar.warp.sync of all lanes. */
    uint32_t *has_row, *has_observed, *has_fence_row; /* For each warp: lanes with rows (below). */
    uint32_t *fence;                                  /* Stamp of each thread's last fence, or 0. */
    uint32_t *fence_epoch, *fence_sync; /* For each thread: `epoch` and `sync` at its last fence. */
    uint32_t *known, *published_now;    /* Temporary rows, valid only inside a function. */
    /* For each thread: versions last observed and last acquired, to skip repeated reads. */
    uint64_t *seen_version, *had_version;
    /* The following rows of `threads` stamps are one allocation. NULL until they are needed. */
    uint32_t *warp_rows;     /* For each warp: stamps that all its lanes know. */
    uint32_t *lane_rows;     /* For each thread: additional known stamps. */
    uint32_t *observed_rows; /* For each thread: stamps that its next fence makes known. */
    uint32_t *fence_rows;    /* For each thread: its known stamps at its last fence. */
    uint32_t *arrived_rows;  /* For each barrier: known stamps of the arrived threads. */
    struct published *published;
    size_t published_count, published_capacity;
    uint64_t version; /* Number of changes of published stamps. */
};

/* Create an order for warps of `width` lanes. Returns false if memory is exhausted. */
bool order_create(struct order *order, unsigned threads, unsigned width);
void order_free(struct order *order);

/* Begin a new block. All accesses of the previous block are before the new epoch. */
void order_begin(struct order *order);
void order_reset(struct order *order);

void order_barrier(struct order *order);
/* Record that the lanes of `mask` arrive at barrier `id`, which only some threads use. */
void order_arrive(struct order *order, unsigned id, unsigned warp, uint32_t mask);
/* Record that the waiting lanes of a warp pass barrier `id`. */
void order_pass(struct order *order, unsigned id, unsigned warp);
/* Record that the last warp has passed barrier `id`. */
void order_reopen(struct order *order, unsigned id);
/* Record that the lanes of `mask` synchronized. `alive` contains the lanes that have not exited. */
void order_sync(struct order *order, unsigned warp, uint32_t mask, uint32_t alive);
void order_fence(struct order *order, unsigned warp, uint32_t mask);
/* Record a strong write to a place (an address). `adds` is true for an atomic operation. */
void order_publish(struct order *order, uint32_t thread, uint64_t place, bool adds);
/* Record a strong read of a place. If `acquires` is true, the thread learns the stamps at once. */
void order_observe(struct order *order, uint32_t thread, uint64_t place, bool acquires);

/* Write a thread's known stamps at its last fence, which must exist, to `row`. */
void order_at_fence(const struct order *order, uint32_t thread, uint32_t *row);

/* Returns the known stamp that `thread` has of `other`. */
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
