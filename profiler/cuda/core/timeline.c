#include "cuda/core/timeline.h"

#include "cuda/core/runtime.h"

#include <stdint.h>
#include <stdlib.h>

enum { NON_BLOCKING = 1 };
enum { NUMBER_LEGACY, NUMBER_OF_THREADS, FIRST_NUMBER };

static struct stream legacy = {.is_default = true, .number = NUMBER_LEGACY};
/* All threads share one per-thread default stream. */
static struct stream of_threads = {.number = NUMBER_OF_THREADS};
static double free_from[ENGINE_COUNT];

static struct clock done;         /* Number of executed operations of each stream. */
static struct clock host;         /* Operations that have ended before the host continues. */
static struct clock gone_blocked; /* Joined clocks of the destroyed blocking streams. */

static void clock_reach(struct clock *clock, size_t number, uint64_t ended)
{
    while (clock->count <= number) {
        runtime_make_room(&clock->ended, clock->count, sizeof *clock->ended);
        clock->ended[clock->count++] = 0;
    }
    if (ended > clock->ended[number])
        clock->ended[number] = ended;
}

void clock_join(struct clock *clock, const struct clock *other)
{
    for (size_t i = 0; i < other->count; i++)
        clock_reach(clock, i, other->ended[i]);
}

static size_t *parts;
static unsigned part_count;
static size_t *given_back;
static size_t given_back_count, next_number = FIRST_NUMBER;

/* Returns a stream number. Numbers of destroyed streams are reused, so that clocks stay small. */
static size_t free_number(void)
{
    size_t number = given_back_count ? given_back[--given_back_count] : next_number++;
    clock_reach(&done, number, 0);
    return number;
}

static void update_clock(struct stream *stream)
{
    clock_join(&stream->known, &host);
    if (!stream->is_default) {
        if (!(stream->flags & NON_BLOCKING))
            clock_join(&stream->known, &legacy.known);
        return;
    }
    clock_join(&stream->known, &of_threads.known);
    clock_join(&stream->known, &gone_blocked);
    FOR_OBJECTS (other, stream, HANDLE_STREAM)
        if (!(other->flags & NON_BLOCKING))
            clock_join(&stream->known, &other->known);
}

bool timeline_is_parallel(void)
{
    return done.count > FIRST_NUMBER - 1;
}

uint64_t timeline_done(const struct stream *stream)
{
    return stream->number < done.count ? done.ended[stream->number] : 0;
}

bool timeline_has(const struct stream *stream, size_t number, uint64_t ended)
{
    const struct clock *clock = stream ? &stream->known : &host;
    return number < clock->count && clock->ended[number] >= ended;
}

void timeline_settle(struct stream *stream)
{
    update_clock(stream);
    clock_join(&host, &stream->known);
}

void timeline_settle_all(void)
{
    clock_join(&host, &done);
}

const struct clock *timeline_clock(struct stream *stream)
{
    update_clock(stream);
    return &stream->known;
}

void timeline_begin_part(struct stream *stream, unsigned part, const struct clock *known)
{
    while (part >= part_count) {
        runtime_make_room(&parts, part_count, sizeof *parts);
        parts[part_count] = free_number();
        part_count++;
    }
    stream->number = parts[part];
    stream->known.count = 0;
    clock_join(&stream->known, known);
}

static void capture_free(struct capture *capture)
{
    free(capture->dependencies);
    *capture = (struct capture){0};
}

struct stream *timeline_stream(const void *handle)
{
    if ((uintptr_t)handle <= 1)
        return &legacy;
    if ((uintptr_t)handle == 2)
        return &of_threads;
    return handle_find(HANDLE_STREAM, handle);
}

void *timeline_create_stream(unsigned flags, int priority)
{
    struct stream *stream = runtime_allocate(1, sizeof *stream);
    *stream = (struct stream){.context = runtime_thread()->context,
                              .number = free_number(),
                              .now_us = legacy.now_us,
                              .flags = flags,
                              .priority = priority};
    clock_reach(&stream->known, stream->number, timeline_done(stream));
    return stream->handle = handle_make(HANDLE_STREAM, stream);
}

bool timeline_destroy_stream(const void *handle)
{
    struct stream *gone = handle_forget(HANDLE_STREAM, handle);
    if (!gone)
        return false;
    if (gone->now_us > of_threads.now_us && !(gone->flags & NON_BLOCKING))
        of_threads.now_us = gone->now_us; /* The last operation may still be running. */
    if (!(gone->flags & NON_BLOCKING))
        clock_join(&gone_blocked, &gone->known);
    runtime_make_room(&given_back, given_back_count, sizeof *given_back);
    given_back[given_back_count++] = gone->number;
    capture_free(&gone->capture);
    free(gone->known.ended);
    free(gone);
    return true;
}

void *timeline_create_event(unsigned flags)
{
    struct event *event = runtime_allocate(1, sizeof *event);
    event->flags = flags;
    return handle_make(HANDLE_EVENT, event);
}

bool timeline_destroy_event(const void *handle)
{
    struct event *gone = handle_forget(HANDLE_EVENT, handle);
    if (!gone)
        return false;
    capture_free(&gone->capture);
    free(gone->known.ended);
    free(gone);
    return true;
}

static double ready(const struct stream *stream)
{
    double at = stream->now_us;
    if (!stream->is_default)
        return at;
    if (of_threads.now_us > at)
        at = of_threads.now_us;
    FOR_OBJECTS (other, stream, HANDLE_STREAM)
        if (!(other->flags & NON_BLOCKING) && other->now_us > at)
            at = other->now_us;
    return at;
}

static void advance(struct stream *stream, double us)
{
    stream->now_us = us;
    if (!stream->is_default)
        return;
    if (us > of_threads.now_us)
        of_threads.now_us = us;
    FOR_OBJECTS (other, stream, HANDLE_STREAM)
        if (!(other->flags & NON_BLOCKING) && us > other->now_us)
            other->now_us = us;
}

void timeline_work(struct stream *stream, enum engine engine, double us)
{
    double begin = ready(stream);
    if (free_from[engine] > begin)
        begin = free_from[engine];
    free_from[engine] = begin + us;
    advance(stream, begin + us);
    update_clock(stream);
    clock_reach(&done, stream->number, timeline_done(stream) + 1);
    clock_reach(&stream->known, stream->number, timeline_done(stream));
}

void timeline_record(struct event *event, struct stream *stream)
{
    event->is_recorded = true;
    event->at_us = ready(stream);
    capture_free(&event->capture);
    update_clock(stream);
    event->known.count = 0;
    clock_join(&event->known, &stream->known);
}

void timeline_wait(struct stream *stream, const struct event *event)
{
    if (event->is_recorded && event->at_us > stream->now_us)
        advance(stream, event->at_us);
    if (event->is_recorded)
        clock_join(&stream->known, &event->known);
}

static double awaited_us;

static void await_until(double us)
{
    awaited_us = us > awaited_us ? us : awaited_us;
}

void timeline_await(struct stream *stream)
{
    await_until(ready(stream));
    timeline_settle(stream);
}

void timeline_await_event(const struct event *event)
{
    await_until(event->at_us);
    clock_join(&host, &event->known);
}

void timeline_await_all(void)
{
    await_until(ready(&legacy));
    FOR_OBJECTS (at, stream, HANDLE_STREAM)
        await_until(at->now_us);
    timeline_settle_all();
}

double timeline_awaited(void)
{
    return awaited_us;
}

void timeline_end_capture(const void *graph)
{
    FOR_OBJECTS (at, stream, HANDLE_STREAM)
        if (at->capture.graph == graph)
            capture_free(&at->capture);
    if (of_threads.capture.graph == graph)
        capture_free(&of_threads.capture);
}

static void add_dependency(struct capture *capture, void *node)
{
    for (size_t i = 0; i < capture->count; i++)
        if (capture->dependencies[i] == node)
            return;
    runtime_make_room(&capture->dependencies, capture->count, sizeof *capture->dependencies);
    capture->dependencies[capture->count++] = node;
}

void timeline_capture(struct stream *stream, void *graph, void *node)
{
    stream->capture.graph = graph;
    if (node)
        add_dependency(&stream->capture, node);
}

void timeline_share_capture(struct capture *to, const struct capture *from)
{
    to->graph = from->graph;
    for (size_t i = 0; i < from->count; i++)
        add_dependency(to, from->dependencies[i]);
}
