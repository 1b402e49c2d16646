/* checker.h: the callbacks through which core reports completed operations to the checks. */
#ifndef CHECKER_H
#define CHECKER_H

#include "cuda/core/heap.h"
#include "cuda/core/module.h"
#include "cuda/core/snapshot.h"
#include "cuda/core/timeline.h"

struct checker {
    /* Returns true if launches must record their reads. */
    bool (*needs_reads)(void);
    /* A checked launch has written memory; `before` is a snapshot from before the launch. */
    void (*launch_wrote)(const struct kernel *kernel, const struct snapshot *before);
    /* A launch in the stream has ended. `touched` contains the launch's accesses to each region;
     * the callback may move sets out of `touched`. `row` may be NULL. */
    void (*launch_ended)(const struct kernel *kernel, struct region_touch *touched,
                         unsigned regions, struct runtime_row *row, const struct stream *stream);
    /* A copy has ended. `direction` is the output of heap_copy. */
    void (*copy_ended)(const struct heap_copy *copy, unsigned direction,
                       const struct stream *stream);
    void (*set_ended)(const struct heap_set *set, const struct stream *stream);
};

#endif
