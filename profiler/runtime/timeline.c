#include "runtime/timeline.h"

#include "runtime/runtime.h"

#include <stdint.h>
#include <stdlib.h>

enum { NON_BLOCKING = 1 };

static struct stream legacy = {.is_default = true};
static struct stream of_threads = {.is_default = false}; /* one for all threads' default streams */
static struct stream *streams;
static struct event *events;
static double free_from[ENGINE_COUNT];

struct stream *timeline_stream(const void *handle)
{
    if ((uintptr_t)handle <= 1)
        return &legacy;
    if ((uintptr_t)handle == 2)
        return &of_threads;
    for (struct stream *at = streams; at; at = at->next)
        if (at == handle)
            return at;
    return NULL;
}

struct stream *timeline_create_stream(unsigned flags, int priority)
{
    struct stream *stream = runtime_allocate(1, sizeof *stream);
    *stream = (struct stream){
        .next = streams, .now_us = legacy.now_us, .flags = flags, .priority = priority};
    return streams = stream;
}

bool timeline_destroy_stream(const void *handle)
{
    for (struct stream **at = &streams; *at; at = &(*at)->next)
        if (*at == handle) {
            struct stream *gone = *at;
            *at = gone->next;
            if (gone->now_us > of_threads.now_us && !(gone->flags & NON_BLOCKING))
                of_threads.now_us = gone->now_us; /* its work still ends */
            free(gone);
            return true;
        }
    return false;
}

struct event *timeline_event(const void *handle)
{
    for (struct event *at = events; at; at = at->next)
        if (at == handle)
            return at;
    return NULL;
}

struct event *timeline_create_event(unsigned flags)
{
    struct event *event = runtime_allocate(1, sizeof *event);
    *event = (struct event){.next = events, .flags = flags};
    return events = event;
}

bool timeline_destroy_event(const void *handle)
{
    for (struct event **at = &events; *at; at = &(*at)->next)
        if (*at == handle) {
            struct event *gone = *at;
            *at = gone->next;
            free(gone);
            return true;
        }
    return false;
}

/* When the stream's next work may begin. */
static double ready(const struct stream *stream)
{
    double at = stream->now_us;
    if (!stream->is_default)
        return at;
    if (of_threads.now_us > at)
        at = of_threads.now_us;
    for (const struct stream *other = streams; other; other = other->next)
        if (!(other->flags & NON_BLOCKING) && other->now_us > at)
            at = other->now_us;
    return at;
}

/* The stream's work ends then. */
static void advance(struct stream *stream, double us)
{
    stream->now_us = us;
    if (!stream->is_default)
        return;
    if (us > of_threads.now_us)
        of_threads.now_us = us;
    for (struct stream *other = streams; other; other = other->next)
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
}

void timeline_record(struct event *event, struct stream *stream)
{
    event->is_recorded = true;
    event->at_us = ready(stream);
    event->capture = NULL;
}

void timeline_wait(struct stream *stream, const struct event *event)
{
    if (event->is_recorded && event->at_us > stream->now_us)
        advance(stream, event->at_us);
}

static double awaited_us;

static void await_until(double us)
{
    awaited_us = us > awaited_us ? us : awaited_us;
}

void timeline_await(const struct stream *stream)
{
    await_until(ready(stream));
}

void timeline_await_event(const struct event *event)
{
    await_until(event->at_us);
}

void timeline_await_all(void)
{
    await_until(ready(&legacy));
    for (const struct stream *at = streams; at; at = at->next)
        await_until(at->now_us);
}

double timeline_awaited(void)
{
    return awaited_us;
}

void timeline_end_capture(const struct graph *graph)
{
    for (struct stream *at = streams; at; at = at->next)
        if (at->capture == graph)
            at->capture = NULL;
    if (of_threads.capture == graph)
        of_threads.capture = NULL;
}
