/* timeline.h: streams and events, in modelled time.
 *
 * Work is done when it is asked for, one after the other, which is an order that CUDA allows. What
 * a GPU would overlap is only in the times: a stream has the time at which its work so far ends,
 * and the device three engines, one for kernels and one for copies in each direction, each with the
 * time from which it is free. Work begins when its stream and its engine are free. The legacy
 * default stream waits for all blocking streams, and they for it (CUDA Programming Guide, "Default
 * Stream"). What the host does in between takes no time.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>

struct graph;

struct stream {
    struct stream *next;
    double now_us;
    unsigned flags; /* of cudaStreamCreateWithFlags: 1 does not block */
    int priority;
    bool is_default;
    struct graph *capture; /* what it is captured into, or NULL */
};

struct event {
    struct event *next;
    double at_us;
    bool is_recorded;
    unsigned flags;        /* of cudaEventCreateWithFlags: 2 has no time */
    struct graph *capture; /* recorded in a stream that is captured */
};

enum engine { ENGINE_KERNEL, ENGINE_COPY_IN, ENGINE_COPY_OUT, ENGINE_COUNT };

/* The stream of a handle: 0 and 1 are the legacy default stream, 2 the thread's. NULL: no such. */
struct stream *timeline_stream(const void *handle);
struct stream *timeline_create_stream(unsigned flags, int priority);
bool timeline_destroy_stream(const void *handle);

struct event *timeline_event(const void *handle);
struct event *timeline_create_event(unsigned flags);
bool timeline_destroy_event(const void *handle);

/* Work that takes so long. */
void timeline_work(struct stream *stream, enum engine engine, double us);
void timeline_record(struct event *event, struct stream *stream);
/* All streams that are captured into the graph are ordinary ones again. */
void timeline_end_capture(const struct graph *graph);

void timeline_wait(struct stream *stream, const struct event *event);

/* The host waits for a stream's work so far, an event, or all there is; and until when it has. */
void timeline_await(const struct stream *stream);
void timeline_await_event(const struct event *event);
void timeline_await_all(void);
double timeline_awaited(void);

#endif
