/* rotation.h: the order in which the requests of many blocks reach the caches. A *request* is one
 * access of one warp. Resident blocks run concurrently, so their traces are processed round robin:
 * one *step* is one request of every block that has requests left. A serial order would hide
 * partition camping and give too many cache hits. */
#ifndef ROTATION_H
#define ROTATION_H

#include "emulator/cost/coalesce.h"

#include <stdlib.h>

struct turn {
    size_t trace, begin, end;
};

struct rotation {
    struct turn *turns; /* Most recent turn of each trace that has requests left, in trace order. */
    size_t live;        /* Number of traces that have a turn in this pass over all traces. */
    size_t next;
    size_t remaining; /* Number of traces that also have a turn in the next pass. */
    uint64_t step;
    unsigned burst, left; /* Requests of a full turn, and remaining requests of the current turn. */
    struct turn current;
};

enum { EVERY_SM = ~0u };

/* Start a rotation of the traces of SM `sm`, or of all traces if `sm` is EVERY_SM. Each turn has up
 * to `burst` requests. The caller frees rotation->turns. Returns false if memory is exhausted. */
static inline bool rotation_create(struct rotation *rotation, const struct trace *traces,
                                   size_t count, unsigned sm, unsigned burst)
{
    *rotation =
        (struct rotation){.turns = malloc((count + 1) * sizeof *rotation->turns), .burst = burst};
    if (!rotation->turns)
        return false;
    for (size_t i = 0; i < count; i++)
        if (traces[i].count > 0 && (sm == EVERY_SM || traces[i].sm == sm))
            rotation->turns[rotation->live++] = (struct turn){i, 0, 0};
    return true;
}

/* Prefetch the runs of the next turn, which another worker may have written. */
static inline void trace_prefetch(const struct trace *trace, size_t at)
{
    enum { HOST_LINE_RUNS = 64 / sizeof(trace_run), HOST_LINES = 4 };
    for (unsigned line = 0; line < HOST_LINES; line++)
        if (at + line * HOST_LINE_RUNS < trace->count)
            __builtin_prefetch(trace->runs + at + line * HOST_LINE_RUNS);
}

/* Set *turn to the next request. Returns false if no request is left. rotation->step is the number
 * of requests of each trace that were returned before the current turns. */
static inline bool rotation_next(struct rotation *rotation, const struct trace *traces,
                                 struct turn *turn)
{
    if (rotation->left == 0) {
        if (rotation->next == rotation->live) {
            rotation->live = rotation->remaining;
            rotation->next = rotation->remaining = 0;
            rotation->step += rotation->burst;
            if (rotation->live == 0)
                return false;
        }
        rotation->current = rotation->turns[rotation->next++];
        rotation->left = rotation->burst;
        if (rotation->next < rotation->live) {
            const struct turn *after = &rotation->turns[rotation->next];
            trace_prefetch(&traces[after->trace], after->end);
        }
    }
    struct turn *current = &rotation->current;
    const struct trace *trace = &traces[current->trace];
    current->begin = current->end++;
    while (current->end < trace->count && !run_first(trace->runs[current->end]))
        current->end++;
    bool more = current->end < trace->count;
    *turn = *current;
    rotation->left = more ? rotation->left - 1 : 0;
    if (more && rotation->left == 0)
        rotation->turns[rotation->remaining++] = *current;
    return true;
}

#endif
