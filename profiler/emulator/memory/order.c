/* order.c: see order.h. */
#include "emulator/memory/order.h"

#include "base/vectorised.h"

#include <stdlib.h>
#include <string.h>

/* What a strong write left at a place; known NULL: an empty slot. */
struct published {
    uint64_t place;
    uint32_t *known; /* a row */
};

/* ---- Rows ---- */

VECTORISED static void row_join(uint32_t *row, const uint32_t *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        row[i] = other[i] > row[i] ? other[i] : row[i];
}

static uint32_t *row_of(const struct order *order, uint32_t *rows, size_t index)
{
    return rows + index * order->threads;
}

static unsigned warp_count(const struct order *order)
{
    return (order->threads + order->width - 1) / order->width;
}

/* Lanes of a warp that are threads of the block. */
static uint32_t warp_lanes(const struct order *order, unsigned warp)
{
    unsigned left = order->threads - warp * order->width;
    unsigned lanes = left < order->width ? left : order->width;
    return lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
}

/* Make the rows. Without memory all threads are taken to have met: a race may be missed, but none is
 * invented. False then. */
static bool need_rows(struct order *order)
{
    size_t threads = order->threads, row = threads * sizeof(uint32_t);
    if (!order->warp_rows)
        order->warp_rows = calloc(warp_count(order), row);
    if (!order->lane_rows)
        order->lane_rows = calloc(threads, row);
    if (!order->observed_rows)
        order->observed_rows = calloc(threads, row);
    if (!order->arrived_rows)
        order->arrived_rows = calloc(ORDER_BARRIERS, row);
    if (!order->fence_rows)
        order->fence_rows = calloc(threads, row);
    if (order->warp_rows && order->lane_rows && order->observed_rows && order->arrived_rows &&
        order->fence_rows) {
        order->has_rows = true;
        return true;
    }
    order_barrier(order);
    return false;
}

/* ---- Made, begun ---- */

bool order_create(struct order *order, unsigned threads, unsigned width)
{
    *order = (struct order){.threads = threads, .width = width};
    unsigned warps = warp_count(order);
    order->sync = calloc(warps, sizeof *order->sync);
    order->has_row = calloc(warps, sizeof *order->has_row);
    order->has_observed = calloc(warps, sizeof *order->has_observed);
    order->has_fence_row = calloc(warps, sizeof *order->has_fence_row);
    order->fence = calloc(threads, sizeof *order->fence);
    order->fence_sync = calloc(threads, sizeof *order->fence_sync);
    order->fence_epoch = calloc(threads, sizeof *order->fence_epoch);
    if (order->sync && order->has_row && order->has_observed && order->has_fence_row &&
        order->fence && order->fence_epoch && order->fence_sync)
        return true;
    order_free(order);
    return false;
}

static void forget_published(struct order *order)
{
    for (size_t i = 0; i < order->published_capacity; i++)
        free(order->published[i].known);
    free(order->published);
    order->published = NULL;
    order->published_count = order->published_capacity = 0;
}

void order_free(struct order *order)
{
    forget_published(order);
    free(order->sync);
    free(order->has_row);
    free(order->has_observed);
    free(order->fence);
    free(order->fence_epoch);
    free(order->warp_rows);
    free(order->lane_rows);
    free(order->observed_rows);
    free(order->arrived_rows);
    free(order->fence_rows);
    free(order->fence_sync);
    free(order->has_fence_row);
    *order = (struct order){0};
}

void order_reset(struct order *order)
{
    size_t warps = warp_count(order), threads = order->threads;
    forget_published(order);
    memset(order->sync, 0, warps * sizeof *order->sync);
    memset(order->has_row, 0, warps * sizeof *order->has_row);
    memset(order->has_observed, 0, warps * sizeof *order->has_observed);
    memset(order->fence, 0, threads * sizeof *order->fence);
    uint32_t **rows[] = {&order->warp_rows, &order->lane_rows, &order->observed_rows,
                         &order->arrived_rows, &order->fence_rows};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        free(*rows[i]);
        *rows[i] = NULL;
    }
    order->has_rows = order->has_fences = false;
    order->now = order->block = order->epoch = 0;
}

void order_begin(struct order *order)
{
    forget_published(order);
    if (order->has_fences)
        memset(order->fence, 0, order->threads * sizeof *order->fence);
    order->has_fences = false;
    order_barrier(order);
    order->block = order->epoch;
}

/* ---- Meeting ---- */

void order_barrier(struct order *order)
{
    order->epoch = ++order->now;
    if (!order->has_rows)
        return;
    order->has_rows = false;
    memset(order->has_row, 0, warp_count(order) * sizeof *order->has_row);
    memset(order->has_observed, 0, warp_count(order) * sizeof *order->has_observed);
}

/* A lane's row is about to grow. */
static uint32_t *lane_learns(struct order *order, unsigned warp, unsigned lane)
{
    uint32_t thread = warp * order->width + lane;
    order->has_row[warp] |= 1u << lane;
    return row_of(order, order->lane_rows, thread);
}

/* What lanes of `mask` have observed they now know. */
static void learn_observed(struct order *order, unsigned warp, uint32_t mask)
{
    mask &= order->has_rows ? order->has_observed[warp] : 0;
    order->has_observed[warp] &= ~mask;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        row_join(lane_learns(order, warp, lane),
                 row_of(order, order->observed_rows, warp * order->width + lane), order->threads);
    }
}

/* Add to a row what the lanes of `mask` know that their warp does not, and that they were here. */
static void join_lanes(struct order *order, uint32_t *row, unsigned warp, uint32_t mask)
{
    for (uint32_t left = mask & order->has_row[warp]; left; left &= left - 1)
        row_join(
            row,
            row_of(order, order->lane_rows, warp * order->width + (unsigned)__builtin_ctz(left)),
            order->threads);
    for (uint32_t left = mask & warp_lanes(order, warp); left; left &= left - 1)
        row[warp * order->width + (unsigned)__builtin_ctz(left)] = order->now;
}

void order_arrive(struct order *order, unsigned id, unsigned warp, uint32_t mask)
{
    if (!need_rows(order))
        return;
    learn_observed(order, warp, mask);
    uint32_t *row = row_of(order, order->arrived_rows, id);
    order->now++;
    row_join(row, row_of(order, order->warp_rows, warp), order->threads);
    for (unsigned lane = 0; lane < order->width; lane++) {
        /* The warp's last bar.warp.sync. */
        uint32_t thread = warp * order->width + lane;
        if (thread < order->threads && row[thread] < order->sync[warp])
            row[thread] = order->sync[warp];
    }
    join_lanes(order, row, warp, mask);
}

void order_pass(struct order *order, unsigned id, unsigned warp)
{
    if (!need_rows(order))
        return;
    row_join(row_of(order, order->warp_rows, warp), row_of(order, order->arrived_rows, id),
             order->threads);
}

void order_reopen(struct order *order, unsigned id)
{
    order->now++;
    if (order->arrived_rows)
        memset(row_of(order, order->arrived_rows, id), 0,
               order->threads * sizeof *order->arrived_rows);
}

void order_sync(struct order *order, unsigned warp, uint32_t mask, uint32_t alive)
{
    mask &= alive;
    bool whole = mask == alive;
    if (whole && !order->has_rows) {
        order->sync[warp] = ++order->now;
        return;
    }
    if (!need_rows(order))
        return;
    learn_observed(order, warp, mask);
    order->now++;
    uint32_t rowed = order->has_row[warp] & mask;
    if (whole) {
        uint32_t *row = row_of(order, order->warp_rows, warp);
        join_lanes(order, row, warp, rowed);
        order->has_row[warp] &= ~rowed;
        order->sync[warp] = order->now;
        return;
    }
    /* The first lane's row becomes that of all; of other warps it may have nothing to say. */
    uint32_t *row = lane_learns(order, warp, (unsigned)__builtin_ctz(mask));
    join_lanes(order, row, warp, mask);
    size_t begin = rowed ? 0 : warp * order->width, end = order->threads;
    if (!rowed && end - begin > order->width)
        end = begin + order->width;
    for (uint32_t left = mask & (mask - 1); left; left &= left - 1)
        row_join(lane_learns(order, warp, (unsigned)__builtin_ctz(left)) + begin, row + begin,
                 end - begin);
}

/* ---- Flags ---- */

void order_fence(struct order *order, unsigned warp, uint32_t mask)
{
    learn_observed(order, warp, mask);
    order->now++;
    order->has_fences = true;
    order->has_fence_row[warp] &= ~mask;
    order->has_fence_row[warp] |= order->has_rows ? mask : 0;
    for (uint32_t left = mask & warp_lanes(order, warp); left; left &= left - 1) {
        uint32_t thread = warp * order->width + (unsigned)__builtin_ctz(left);
        order->fence[thread] = order->now;
        order->fence_epoch[thread] = order->epoch;
        order->fence_sync[thread] = order->sync[warp];
        for (uint32_t other = 0; order->has_rows && other < order->threads; other++)
            order->fence_rows[(size_t)thread * order->threads + other] =
                order_known(order, thread, other);
    }
}

/* The slot of a place: its own, or the empty one where it belongs. NULL: the table is empty. */
static struct published *find(const struct order *order, uint64_t place)
{
    size_t mask = order->published_capacity - 1;
    if (!order->published)
        return NULL;
    for (size_t at = (place * 0x9e3779b97f4a7c15ull) >> 20;; at++)
        if (!order->published[at & mask].known || order->published[at & mask].place == place)
            return &order->published[at & mask];
}

/* The row of a place, made if need be; NULL: no memory, or too many. */
static uint32_t *published_row(struct order *order, uint64_t place)
{
    struct published *slot = find(order, place);
    if (slot && slot->known)
        return slot->known;
    if (order->published_count * order->threads * sizeof *slot->known > ORDER_PUBLISHED_BYTES)
        return NULL;
    if (2 * order->published_count >= order->published_capacity) {
        struct order bigger = *order;
        bigger.published_capacity = order->published_capacity ? 2 * order->published_capacity : 64;
        bigger.published = calloc(bigger.published_capacity, sizeof *bigger.published);
        if (!bigger.published)
            return NULL;
        for (size_t i = 0; i < order->published_capacity; i++)
            if (order->published[i].known)
                *find(&bigger, order->published[i].place) = order->published[i];
        free(order->published);
        order->published = bigger.published;
        order->published_capacity = bigger.published_capacity;
        slot = find(order, place);
    }
    slot->known = calloc(order->threads, sizeof *slot->known);
    slot->place = place;
    order->published_count += slot->known != NULL;
    return slot->known;
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* What `thread` knew of `other` at its last fence. What it learned of it since then counts as far as
 * the other's own fence went. */
static uint32_t known_at_fence(const struct order *order, uint32_t thread, uint32_t other)
{
    uint32_t warp = thread / order->width, known = order->fence_epoch[thread];
    if (other == thread)
        return order->fence[thread];
    if (order->has_fence_row[warp] >> thread % order->width & 1)
        known = order->fence_rows[(size_t)thread * order->threads + other];
    else if (other / order->width == warp)
        known = later(known, order->fence_sync[thread]);
    return later(known, earlier(order_known(order, thread, other), order->fence[other]));
}

void order_at_fence(const struct order *order, uint32_t thread, uint32_t *row)
{
    for (uint32_t other = 0; other < order->threads; other++)
        row[other] = known_at_fence(order, thread, other);
}

void order_publish(struct order *order, uint32_t thread, uint64_t place, bool adds)
{
    if (!order->has_fences)
        return;
    struct published *old = find(order, place);
    if (old && old->known && !adds)
        memset(old->known, 0, order->threads * sizeof *old->known);
    if (!order->fence[thread])
        return;
    uint32_t *row = published_row(order, place);
    if (!row) {
        order_barrier(order);
        return;
    }
    for (uint32_t other = 0; other < order->threads; other++)
        row[other] = later(row[other], known_at_fence(order, thread, other));
}

void order_observe(struct order *order, uint32_t thread, uint64_t place, bool acquires)
{
    const struct published *slot = find(order, place);
    if (!slot || !slot->known || !need_rows(order))
        return;
    unsigned warp = thread / order->width, lane = thread % order->width;
    if (!acquires)
        order->has_observed[warp] |= 1u << lane;
    row_join(acquires ? lane_learns(order, warp, lane)
                      : row_of(order, order->observed_rows, thread),
             slot->known, order->threads);
}
