/* timeline.h: streams and events, in modelled time.
 *
 * Work is done when it is asked for, one after the other, which is an order that CUDA allows. What
 * a GPU would overlap is only in the times: a stream has the time at which its work so far ends,
 * and the device three engines, one for kernels and one for copies in each direction, each with the
 * time from which it is free. Work begins when its stream and its engine are free. The legacy
 * default stream waits for all blocking streams, and they for it (CUDA Programming Guide, "Default
 * Stream"). What the host does in between takes no time.
 *
 * What a program has ordered is a question apart, because time orders nothing: each stream, event
 * and the host have a clock, how much of each stream's work is known to have ended. Clocks are
 * joined where one waits for another; work begins with what the host knows.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "cuda/abi.h"

#include <stdbool.h>

/* The graph that work is captured into, and the nodes that the next one depends on: handles. */
struct capture {
    void *graph; /* NULL: nothing is captured */
    void **dependencies;
    size_t count;
};

struct clock {
    uint64_t *ended; /* by the numbers of streams */
    size_t count;
};

struct stream {
    void *handle;        /* NULL: a default stream */
    const void *context; /* of the driver API, in which it was made; NULL: the primary one */
    size_t number;
    struct clock known; /* when its next work begins */
    double now_us;
    unsigned flags; /* of cudaStreamCreateWithFlags: 1 does not block */
    int priority;
    bool is_default;
    struct capture capture;
    union attribute_value attributes[ATTRIBUTE_COUNT]; /* which change nothing here */
};

struct event {
    struct clock known; /* where it was recorded */
    double at_us;
    bool is_recorded;
    unsigned flags;         /* of cudaEventCreateWithFlags: 2 has no time */
    struct capture capture; /* of the stream that it was recorded in */
};

enum engine { ENGINE_KERNEL, ENGINE_COPY_IN, ENGINE_COPY_OUT, ENGINE_COUNT };

/* The stream of a handle: 0 and 1 are the legacy default stream, 2 the thread's. NULL: no such. */
struct stream *timeline_stream(const void *handle);
/* Returns the handle. */
void *timeline_create_stream(unsigned flags, int priority);
bool timeline_destroy_stream(const void *handle);

struct event *timeline_event(const void *handle);
void *timeline_create_event(unsigned flags);
bool timeline_destroy_event(const void *handle);

/* Work that takes so long. */
void timeline_work(struct stream *stream, enum engine engine, double us);
void timeline_record(struct event *event, struct stream *stream);
/* All streams that are captured into the graph are ordinary ones again. */
void timeline_end_capture(const void *graph);
/* Capture the stream into a graph. The next node depends on one more node (NULL: none). */
void timeline_capture(struct stream *stream, void *graph, void *node);
/* Copy the dependencies of a captured stream to an event, or from there to another stream. */
void timeline_share_capture(struct capture *to, const struct capture *from);

void timeline_wait(struct stream *stream, const struct event *event);

/* The host waits for a stream's work so far, an event, or all there is; and until when it has. */
void timeline_await(struct stream *stream);
void timeline_await_event(const struct event *event);
void timeline_await_all(void);
double timeline_awaited(void);
/* Calls that do not return before other streams' work could begin (CUDA Programming Guide,
 * "Implicit Synchronization"): what follows comes behind what the stream, or all, did so far. */
void timeline_settle(struct stream *stream);
void timeline_settle_all(void);

/* Part of the work of a graph, which a stream carries out: its clock becomes what that part knows,
 * and its number one of `part`'s own; timeline_end_part gives it its own number back. */
void timeline_begin_part(struct stream *stream, unsigned part, const struct clock *known);
void timeline_end_part(struct stream *stream, size_t number);
void clock_join(struct clock *clock, const struct clock *other);
/* What the stream's next command comes behind. */
const struct clock *timeline_clock(struct stream *stream);

/* Whether there was ever more than the legacy default stream. */
bool timeline_is_parallel(void);
/* How much work the stream has done; whether it, or the host, knows that so much of that of stream
 * `number` has ended. */
uint64_t timeline_done(const struct stream *stream);
bool timeline_knows(const struct stream *stream, size_t number, uint64_t done);
bool timeline_host_knows(size_t number, uint64_t done);

#endif
