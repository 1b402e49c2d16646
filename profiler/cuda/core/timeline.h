/* timeline.h: streams and events in modelled time.
 *
 * Operations are executed immediately, one after the other, and overlap only in modelled time. The
 * device has one engine for kernels and one for copies in each direction. An operation starts when
 * its stream and its engine are free. The legacy default stream waits for all blocking streams, and
 * they wait for it (CUDA Programming Guide, "Default Stream"). Host code takes no modelled time.
 *
 * The order of operations does not follow from the times. Therefore each stream, each event and the
 * host have a vector clock, which contains, for each stream, the number of operations that must
 * have ended. A wait joins two clocks. A new operation starts with the clock of the host. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "cuda/abi.h"
#include "cuda/core/handle.h"

#include <stdbool.h>

struct capture {
    void *graph;         /* NULL if the stream is not captured. */
    void **dependencies; /* The next node will depend on these nodes. */
    size_t count;
};

struct clock {
    uint64_t *ended; /* Number of ended operations, by stream number. */
    size_t count;
};

struct stream {
    void *handle;        /* NULL for a default stream. */
    const void *context; /* Driver API context; NULL for the primary context. */
    size_t number;
    struct clock known; /* Clock at the start of the next operation. */
    double now_us;      /* Modelled end of the last operation. */
    unsigned flags;     /* Flags of cudaStreamCreateWithFlags; 1 is non-blocking. */
    int priority;
    bool is_default;
    struct capture capture;
    union attribute_value attributes[ATTRIBUTE_COUNT]; /* The attributes have no effect. */
};

struct event {
    struct clock known;
    double at_us;
    bool is_recorded;
    unsigned flags; /* Flags of cudaEventCreateWithFlags; 2 is cudaEventDisableTiming. */
    struct capture capture;
};

enum engine { ENGINE_KERNEL, ENGINE_COPY_IN, ENGINE_COPY_OUT, ENGINE_COUNT };

/* Returns the stream of a handle; NULL if the handle is invalid. Handles 0 and 1 are the legacy
 * default stream, 2 is the per-thread default stream. */
struct stream *timeline_stream(const void *handle);
void *timeline_create_stream(unsigned flags, int priority);
bool timeline_destroy_stream(const void *handle);

HANDLE_LOOKUP(timeline_event, event, HANDLE_EVENT)
void *timeline_create_event(unsigned flags);
bool timeline_destroy_event(const void *handle);

/* Add an operation that uses `engine` for `us` microseconds of modelled time. */
void timeline_work(struct stream *stream, enum engine engine, double us);
void timeline_record(struct event *event, struct stream *stream);
void timeline_end_capture(const void *graph);
/* Capture the stream. The next captured node also depends on `node`, which may be NULL. */
void timeline_capture(struct stream *stream, void *graph, void *node);
/* Copy the dependencies of a captured stream to an event, or of an event to a stream. */
void timeline_share_capture(struct capture *to, const struct capture *from);

void timeline_wait(struct stream *stream, const struct event *event);

/* The host waits for the operations of a stream, for an event, or for all operations.
 * timeline_awaited returns the time up to which the host has waited, in microseconds. */
void timeline_await(struct stream *stream);
void timeline_await_event(const struct event *event);
void timeline_await_all(void);
double timeline_awaited(void);
/* Order all later operations after the earlier operations of one stream or of all streams, as calls
 * with implicit synchronization do (CUDA Programming Guide). */
void timeline_settle(struct stream *stream);
void timeline_settle_all(void);

/* Set the stream's number to the number of a part of a graph, and its clock to `known`. */
void timeline_begin_part(struct stream *stream, unsigned part, const struct clock *known);
void clock_join(struct clock *clock, const struct clock *other);
const struct clock *timeline_clock(struct stream *stream);

/* Returns true if the program may have operations in several streams or graph branches. */
bool timeline_is_parallel(void);
/* Returns the number of operations that the stream has executed. */
uint64_t timeline_done(const struct stream *stream);
/* Returns true if operation `done` of stream `number` ends before the next operation of `stream`
 * starts, or before the host continues if `stream` is NULL. */
bool timeline_has(const struct stream *stream, size_t number, uint64_t done);

#endif
