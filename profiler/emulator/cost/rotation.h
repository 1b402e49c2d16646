/* rotation.h: the order in which caches see the traces of many blocks.
 *
 * A *request* is one access of one warp. Resident blocks run concurrently, so their traces are
 * taken round robin: one *step* is one request of every block that has one left. Serial order would
 * hide partition camping and flatter the caches.
 */
#ifndef ROTATION_H
#define ROTATION_H

#include "emulator/cost/coalesce.h"

#include <stdlib.h>

/* A request: the runs [begin, end) of a trace. */
struct turn {
    size_t trace, begin, end;
};

struct rotation {
    struct turn *turns; /* the last turn of every trace that has more, in order */
    size_t live, next, kept;
    uint64_t step;
    unsigned burst, left; /* requests of a turn, and how many the current turn may still pass */
    struct turn current;
};

enum { EVERY_SM = ~0u };

/* Begin with the traces of one SM, or of all. The caller frees rotation->turns. False: no memory.
 * */
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

/* The next request of a trace; whether it has more behind it. */
static inline bool turn_advance(struct turn *turn, const struct trace *trace)
{
    turn->begin = turn->end++;
    while (turn->end < trace->count && !run_first(trace->runs[turn->end]))
        turn->end++;
    return turn->end < trace->count;
}

/* Another worker may have written the trace: ask for what its next turn will read first while
 * another is passed. Behind that the host sees by itself which way it goes. */
static inline void trace_prefetch(const struct trace *trace, size_t at)
{
    enum { HOST_LINE_RUNS = 64 / sizeof(trace_run), HOST_LINES = 4 };
    for (unsigned line = 0; line < HOST_LINES; line++)
        if (at + line * HOST_LINE_RUNS < trace->count)
            __builtin_prefetch(trace->runs + at + line * HOST_LINE_RUNS);
}

/* The next request; false when all traces are at their end. rotation->step counts the requests that
 * every trace with so many has passed. */
static inline bool rotation_next(struct rotation *rotation, const struct trace *traces,
                                 struct turn *turn)
{
    if (rotation->left == 0) {
        if (rotation->next == rotation->live) {
            rotation->live = rotation->kept;
            rotation->next = rotation->kept = 0;
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
    bool more = turn_advance(&rotation->current, &traces[rotation->current.trace]);
    *turn = rotation->current;
    rotation->left = more ? rotation->left - 1 : 0;
    if (more && rotation->left == 0)
        rotation->turns[rotation->kept++] = rotation->current;
    return true;
}

#endif
