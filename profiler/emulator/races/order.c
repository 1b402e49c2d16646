#include "emulator/races/order.h"

#include "base/vectorised.h"

#include <stdlib.h>
#include <string.h>

struct published {
    uint64_t place, version;
    uint32_t *known; /* Published stamps, one per thread. NULL if the slot is empty. */
};

/* Raise each stamp in `row` to at least the stamp in `other`. Returns true if `row` has changed. */
VECTORISED static bool row_join(uint32_t *row, const uint32_t *other, size_t count)
{
    uint32_t grown = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t joined = other[i] > row[i] ? other[i] : row[i];
        grown |= joined ^ row[i];
        row[i] = joined;
    }
    return grown;
}

VECTORISED static void row_raise(uint32_t *row, uint32_t stamp, size_t count)
{
    for (size_t i = 0; i < count; i++)
        row[i] = stamp > row[i] ? stamp : row[i];
}

VECTORISED static void row_join_both(uint32_t *row, const uint32_t *a, const uint32_t *b,
                                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t both = a[i] < b[i] ? a[i] : b[i];
        row[i] = both > row[i] ? both : row[i];
    }
}

static uint32_t *row_of(const struct order *order, uint32_t *rows, size_t index)
{
    return rows + index * order->threads;
}

static unsigned warp_count(const struct order *order)
{
    return (order->threads + order->width - 1) / order->width;
}

static uint32_t warp_lanes(const struct order *order, unsigned warp)
{
    unsigned left = order->threads - warp * order->width;
    unsigned lanes = left < order->width ? left : order->width;
    return lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
}

static void row_raise_warp(const struct order *order, uint32_t *row, unsigned warp, uint32_t stamp)
{
    size_t first = (size_t)warp * order->width, left = order->threads - first;
    row_raise(row + first, stamp, left < order->width ? left : order->width);
}

static void row_of_known(const struct order *order, uint32_t thread, uint32_t *row)
{
    unsigned warp = thread / order->width;
    size_t bytes = order->threads * sizeof *row;
    if (order->has_rows) {
        memcpy(row, row_of(order, order->lane_rows, thread), bytes);
        row_join(row, row_of(order, order->warp_rows, warp), order->threads);
    } else {
        memset(row, 0, bytes);
    }
    row_raise(row, order->epoch, order->threads);
    row_raise_warp(order, row, warp, order->sync[warp]);
}

/* Allocate the rows. If memory is exhausted, record a barrier of all threads, and return false. */
static bool need_rows(struct order *order)
{
    const size_t threads = order->threads, warps = warp_count(order);
    if (!order->warp_rows) {
        uint32_t *rows =
            calloc(warps + 3 * threads + ORDER_BARRIERS, threads * sizeof *order->warp_rows);
        if (!rows) {
            order_barrier(order);
            return false;
        }
        order->warp_rows = rows;
        order->lane_rows = row_of(order, rows, warps);
        order->observed_rows = row_of(order, order->lane_rows, threads);
        order->fence_rows = row_of(order, order->observed_rows, threads);
        order->arrived_rows = row_of(order, order->fence_rows, threads);
    }
    order->has_rows = true;
    return true;
}

enum { WARP_ARRAYS = 4, THREAD_ARRAYS = 5 };

static size_t array_bytes(const struct order *order)
{
    return 2 * order->threads * sizeof(uint64_t) +
           (WARP_ARRAYS * warp_count(order) + THREAD_ARRAYS * order->threads) * sizeof(uint32_t);
}

bool order_create(struct order *order, unsigned threads, unsigned width)
{
    *order = (struct order){.threads = threads, .width = width};
    const unsigned warps = warp_count(order);
    order->seen_version = calloc(1, array_bytes(order));
    if (!order->seen_version)
        return false;
    order->had_version = order->seen_version + threads;
    order->fence = (uint32_t *)(order->had_version + threads);
    order->fence_epoch = order->fence + threads;
    order->fence_sync = order->fence_epoch + threads;
    order->known = order->fence_sync + threads;
    order->published_now = order->known + threads;
    order->sync = order->published_now + threads;
    order->has_row = order->sync + warps;
    order->has_observed = order->has_row + warps;
    order->has_fence_row = order->has_observed + warps;
    return true;
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
    free(order->seen_version);
    free(order->warp_rows);
    *order = (struct order){0};
}

void order_reset(struct order *order)
{
    forget_published(order);
    memset(order->seen_version, 0, array_bytes(order));
    free(order->warp_rows);
    order->warp_rows = order->lane_rows = order->observed_rows = order->fence_rows =
        order->arrived_rows = NULL;
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

void order_barrier(struct order *order)
{
    order->epoch = ++order->now;
    if (!order->has_rows)
        return;
    order->has_rows = false;
    memset(order->has_row, 0, warp_count(order) * sizeof *order->has_row);
    memset(order->has_observed, 0, warp_count(order) * sizeof *order->has_observed);
}

static uint32_t *lane_learns(struct order *order, unsigned warp, unsigned lane)
{
    uint32_t thread = warp * order->width + lane;
    order->has_row[warp] |= 1u << lane;
    return row_of(order, order->lane_rows, thread);
}

static void learn_observed(struct order *order, unsigned warp, uint32_t mask)
{
    mask &= order->has_rows ? order->has_observed[warp] : 0;
    order->has_observed[warp] &= ~mask;
    FOR_LANES (lane, mask)
        row_join(lane_learns(order, warp, lane),
                 row_of(order, order->observed_rows, warp * order->width + lane), order->threads);
}

static void join_lanes(struct order *order, uint32_t *row, unsigned warp, uint32_t mask)
{
    FOR_LANES (lane, mask & order->has_row[warp])
        row_join(row, row_of(order, order->lane_rows, warp * order->width + lane), order->threads);
    FOR_LANES (lane, mask & warp_lanes(order, warp))
        row[warp * order->width + lane] = order->now;
}

void order_arrive(struct order *order, unsigned id, unsigned warp, uint32_t mask)
{
    if (!need_rows(order))
        return;
    learn_observed(order, warp, mask);
    uint32_t *row = row_of(order, order->arrived_rows, id);
    order->now++;
    row_join(row, row_of(order, order->warp_rows, warp), order->threads);
    row_raise_warp(order, row, warp, order->sync[warp]);
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
    uint32_t *row = lane_learns(order, warp, (unsigned)__builtin_ctz(mask));
    join_lanes(order, row, warp, mask);
    size_t begin = rowed ? 0 : warp * order->width, end = order->threads;
    if (!rowed && end - begin > order->width)
        end = begin + order->width;
    FOR_LANES (lane, mask & (mask - 1))
        row_join(lane_learns(order, warp, lane) + begin, row + begin, end - begin);
}

void order_fence(struct order *order, unsigned warp, uint32_t mask)
{
    learn_observed(order, warp, mask);
    order->now++;
    order->has_fences = true;
    order->has_fence_row[warp] &= ~mask;
    order->has_fence_row[warp] |= order->has_rows ? mask : 0;
    FOR_LANES (lane, mask & warp_lanes(order, warp)) {
        uint32_t thread = warp * order->width + lane;
        order->fence[thread] = order->now;
        order->fence_epoch[thread] = order->epoch;
        order->fence_sync[thread] = order->sync[warp];
        if (order->has_rows)
            row_of_known(order, thread, row_of(order, order->fence_rows, thread));
    }
}

/* Returns the slot of a place or the empty slot for it. Returns NULL if there is no table. */
static struct published *find(const struct order *order, uint64_t place)
{
    size_t mask = order->published_capacity - 1;
    if (!order->published)
        return NULL;
    for (size_t at = (place * 0x9e3779b97f4a7c15ull) >> 20;; at++)
        if (!order->published[at & mask].known || order->published[at & mask].place == place)
            return &order->published[at & mask];
}

/* Returns the slot, created if necessary, or NULL if memory or the limit is exhausted. */
static struct published *published_slot(struct order *order, uint64_t place)
{
    struct published *slot = find(order, place);
    if (slot && slot->known)
        return slot;
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
    slot->version = 0; /* Version 0 means that nothing is published yet. */
    order->published_count += slot->known != NULL;
    return slot->known ? slot : NULL;
}

/* A fence of another thread also counts if `thread` has learned it (order.h). So `row` is raised
 * to the smaller of the other thread's last fence and the stamp that `thread` knows. */
void order_at_fence(const struct order *order, uint32_t thread, uint32_t *row)
{
    unsigned warp = thread / order->width;
    size_t bytes = order->threads * sizeof *row;
    if (order->has_fence_row[warp] >> thread % order->width & 1) {
        memcpy(row, row_of(order, order->fence_rows, thread), bytes);
    } else {
        memset(row, 0, bytes);
        row_raise(row, order->fence_epoch[thread], order->threads);
        row_raise_warp(order, row, warp, order->fence_sync[thread]);
    }
    row_of_known(order, thread, order->known);
    row_join_both(row, order->known, order->fence, order->threads);
    row[thread] = order->fence[thread];
}

void order_publish(struct order *order, uint32_t thread, uint64_t place, bool adds)
{
    if (!order->has_fences)
        return;
    struct published *old = find(order, place);
    if (old && old->known && !adds) {
        memset(old->known, 0, order->threads * sizeof *old->known);
        old->version = ++order->version;
    }
    if (!order->fence[thread])
        return;
    struct published *slot = published_slot(order, place);
    if (!slot) {
        order_barrier(order);
        return;
    }
    order_at_fence(order, thread, order->published_now);
    if (row_join(slot->known, order->published_now, order->threads))
        slot->version = ++order->version;
}

void order_observe(struct order *order, uint32_t thread, uint64_t place, bool acquires)
{
    const struct published *slot = find(order, place);
    if (!slot || !slot->known || order->had_version[thread] == slot->version ||
        (!acquires && order->seen_version[thread] == slot->version) || !need_rows(order))
        return;
    unsigned warp = thread / order->width, lane = thread % order->width;
    (acquires ? order->had_version : order->seen_version)[thread] = slot->version;
    if (!acquires)
        order->has_observed[warp] |= 1u << lane;
    row_join(acquires ? lane_learns(order, warp, lane)
                      : row_of(order, order->observed_rows, thread),
             slot->known, order->threads);
}
