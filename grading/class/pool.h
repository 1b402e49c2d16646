/* pool.h: numbered tasks in forked processes, a few at a time.
 *
 * Theory of operation. Each task has a process of its own: what it leaks, breaks or opens is gone
 * with it, memory stays bounded whatever their number, and when one dies (out of memory, a fault)
 * it is known which. The processes die with the caller, also when that is killed. A task that dies,
 * or runs out of time, is tried once more, after all others.
 */
#ifndef POOL_H
#define POOL_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct pool {
    size_t count;     /* tasks 0..count */
    unsigned jobs;    /* at a time; at least 1 */
    unsigned seconds; /* wall clock, for one task */
    void *context;
    /* The task, in a process of its own. False: a harness failure. */
    bool (*work)(void *context, size_t task, struct failure *failure);
    /* In the caller, once a task: done, or why it is not. False ends the pool with that failure. */
    bool (*finished)(void *context, size_t task, const struct failure *why,
                     struct failure *failure);
    /* In the caller, about four times a second. May be NULL. */
    void (*tick)(void *context);
};

/* Run all tasks. False: `finished` said so, or no process could be made. */
bool pool_run(const struct pool *pool, struct failure *failure);

/* Seconds of a clock that nobody sets. */
time_t pool_now_seconds(void);

#endif
