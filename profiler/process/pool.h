/* pool.h: numbered tasks in forked processes, a few at a time. The end of a process, even by a
 * crash, releases its task's memory and files. The processes end with the caller, even if the
 * caller is killed. If a process dies or exceeds its time, its task is repeated once, at the
 * end. */
#ifndef POOL_H
#define POOL_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>

struct pool {
    size_t count;
    unsigned jobs; /* Maximum number of concurrent tasks; at least 1. */
    unsigned seconds;
    void *context;
    /* Executes a task, in the process of this task. Returns false for a harness failure. */
    bool (*work)(void *context, size_t task, struct failure *failure);
    /* Called once per task, in the process of the caller; `why` is the failure of the task. If the
     * callback returns false, pool_run ends with `failure`. */
    bool (*finished)(void *context, size_t task, const struct failure *why,
                     struct failure *failure);
    /* Called about four times a second, in the process of the caller; may be NULL. */
    void (*tick)(void *context);
};

/* Run all tasks. Returns false if `finished` returned false or a process could not be started. */
bool pool_run(const struct pool *pool, struct failure *failure);

#endif
