/* overlap.c: find races between operations in unsynchronized streams. When the library is loaded,
 * this file registers this check and the check of watch.h with core.
 *
 * Theory of operation. The emulator executes operations in sequence. So a program with a race has
 * correct results in the emulator, but possibly not on a GPU. For each checked launch, copy and
 * memset, this module records the accessed bytes, and drops the record after the host has waited.
 * Two operations race if both access the same bytes, at least one operation writes, and
 * the timeline does not order them. A store of the value that was already in memory, or a conflict
 * between atomic operations, is not a race. Only the first race is reported. */
#include "cuda/checks/watch.h"
#include "cuda/core/checker.h"
#include "cuda/core/runtime.h"

#include <stdlib.h>
#include <string.h>

enum { WORKS_MAX = 1024, SAVED_RANGES_MAX = 1 << 18 };

/* The accesses of an operation to one region of memory. */
struct work {
    struct work *next;
    uint64_t region;
    struct region_touch touch;
    size_t stream;
    uint64_t done;    /* Position of the operation in its stream, from 1. */
    const char *what; /* "kernel ", "a copy" or "a memset". */
    char kernel[96];
    struct runtime_row *row;
};

static struct work *works;
static bool has_finished;

/* Returns true if operations may overlap, so that they must be recorded. */
static bool is_possible(void)
{
    return !has_finished && timeline_is_parallel();
}

static size_t range_count(const struct region_touch *touch)
{
    return touch->read.count + touch->written.count + touch->strongly_read.count +
           touch->strongly_written.count;
}

static bool are_same(const struct ranges *one, const struct ranges *other)
{
    return one->count == other->count &&
           (!one->count || !memcmp(one->items, other->items, one->count * sizeof *one->items));
}

/* Returns true if every operation that conflicts with `older` also conflicts with `newer`. */
static bool is_replaced(const struct work *older, const struct work *newer)
{
    const struct region_touch *a = &older->touch, *b = &newer->touch;
    return older->region == newer->region && older->stream == newer->stream &&
           are_same(&a->read, &b->read) && are_same(&a->written, &b->written) &&
           are_same(&a->strongly_read, &b->strongly_read) &&
           are_same(&a->strongly_written, &b->strongly_written);
}

/* Add an operation. Drop old operations that can no longer conflict or that exceed the limits. */
static void add_work(struct work *work)
{
    size_t count = 0, ranges = 0;
    work->next = works;
    works = work;
    for (struct work **at = &works; *at;) {
        struct work *here = *at;
        count++;
        ranges += range_count(&here->touch);
        if (here != work &&
            (count > WORKS_MAX || ranges > SAVED_RANGES_MAX || has_finished ||
             timeline_has(NULL, here->stream, here->done) || is_replaced(here, work))) {
            *at = here->next;
            region_touch_free(&here->touch);
            free(here);
        } else {
            at = &here->next;
        }
    }
}

static void report_found(const struct work *older, const struct work *newer, uint64_t offset,
                         bool older_writes, bool newer_writes)
{
    char where[256];
    memory_describe(&runtime.memory, newer->region + offset, where, sizeof where);
    runtime_report_race(
        newer->row ? newer->row : older->row,
        "%s%s %s %s, and %s%s in another stream or graph branch %s the same memory. The two "
        "operations are not synchronized. On a GPU, %s. Add cudaStreamWaitEvent() or "
        "cudaStreamSynchronize() between the two operations",
        newer->what, newer->kernel, newer_writes ? "writes" : "reads", where, older->what,
        older->kernel, older_writes ? "writes" : "reads",
        !newer_writes   ? "the old value may be read"
        : !older_writes ? "the new value may be read"
                        : "either value may remain");
    has_finished = true;
}

static void compare(const struct work *older, const struct work *newer)
{
    const struct region_touch *a = &older->touch, *b = &newer->touch;
    const struct {
        const struct ranges *older, *newer;
        bool older_writes, newer_writes;
    } conflicts[] = {
        {&a->written, &b->read, true, false},
        {&a->strongly_written, &b->read, true, false},
        {&a->written, &b->strongly_read, true, false},
        {&a->written, &b->written, true, true},
        {&a->strongly_written, &b->written, true, true},
        {&a->written, &b->strongly_written, true, true},
        {&a->read, &b->written, false, true},
        {&a->read, &b->strongly_written, false, true},
        {&a->strongly_read, &b->written, false, true},
    };
    uint64_t offset;
    for (unsigned i = 0; i < sizeof conflicts / sizeof *conflicts && !has_finished; i++)
        if (ranges_common(conflicts[i].older, conflicts[i].newer, &offset))
            report_found(older, newer, offset, conflicts[i].older_writes,
                         conflicts[i].newer_writes);
}

/* Report a race with an earlier operation, or store `work`. Takes ownership of work.touch. */
static void check_work(struct work work, const struct stream *stream)
{
    work.stream = stream->number;
    work.done = timeline_done(stream);
    for (const struct work *at = works; at && !has_finished; at = at->next)
        if (at->region == work.region && !timeline_has(stream, at->stream, at->done))
            compare(at, &work);
    if (has_finished || !range_count(&work.touch)) {
        region_touch_free(&work.touch);
        return;
    }
    struct work *copy = runtime_allocate(1, sizeof *copy);
    *copy = work;
    add_work(copy);
}

static void launch_ended(const struct kernel *kernel, struct region_touch *touched,
                         unsigned regions, struct runtime_row *row, const struct stream *stream)
{
    watch_launch_ends(stream->now_us, row);
    for (unsigned i = 0; i < regions && is_possible(); i++) {
        struct work work = {.region = runtime.memory.regions[i].base,
                            .touch = touched[i],
                            .what = "kernel ",
                            .row = row};
        snprintf(work.kernel, sizeof work.kernel, "%s", kernel->name);
        touched[i] = (struct region_touch){0};
        check_work(work, stream);
    }
}

/* Add the bytes of rows to `set`, as offsets from the base of their memory region. Sets *region to
 * the base. Returns false if there is no region or memory is exhausted. */
static bool add_rows(uint64_t address, size_t pitch, size_t width, size_t height, uint64_t *region,
                     struct ranges *set)
{
    const struct memory_region *found = memory_find(&runtime.memory, address);
    bool good = found && !found->is_guard;
    *region = good ? found->base : 0;
    for (size_t y = 0; good && y < height; y++)
        good =
            ranges_add(set, address + y * pitch - *region, address + y * pitch - *region + width);
    if (!good)
        ranges_free(set);
    return good;
}

static void copy_ended(const struct heap_copy *copy, unsigned direction,
                       const struct stream *stream)
{
    watch_copy(copy, direction, stream);
    if (!direction || !is_possible() || copy->depth != 1)
        return;
    struct work from = {.what = "a copy"}, to = {.what = "a copy"};
    if (add_rows((uintptr_t)copy->from, copy->from_pitch, copy->width, copy->height, &from.region,
                 &from.touch.read))
        check_work(from, stream);
    if (add_rows((uintptr_t)copy->to, copy->to_pitch, copy->width, copy->height, &to.region,
                 &to.touch.written))
        check_work(to, stream);
}

static void set_ended(const struct heap_set *set, const struct stream *stream)
{
    struct work work = {.what = "a memset"};
    if (is_possible() && add_rows((uintptr_t)set->to, set->pitch, set->width, set->height,
                                  &work.region, &work.touch.written))
        check_work(work, stream);
}

__attribute__((constructor)) static void install(void)
{
    static const struct checker checker = {.needs_reads = is_possible,
                                           .launch_wrote = watch_launch,
                                           .launch_ended = launch_ended,
                                           .copy_ended = copy_ended,
                                           .set_ended = set_ended};
    runtime.checker = &checker;
}
