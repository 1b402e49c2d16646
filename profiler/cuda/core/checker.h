/* checker.h: how core reports finished work to the checks of its order (cuda/checks), which stand
 * above it. Without them (runtime.checker is NULL) work is only carried out. */
#ifndef CHECKER_H
#define CHECKER_H

#include "cuda/core/heap.h"
#include "cuda/core/module.h"
#include "cuda/core/snapshot.h"
#include "cuda/core/timeline.h"

struct checker {
    /* True if launches are to note what they read. */
    bool (*needs_reads)(void);
    /* A launch with checks wrote; `before` is memory as it was. */
    void (*launch_wrote)(const struct kernel *kernel, const struct snapshot *before);
    /* The launch, the last work in the stream, ended. `touched`: each region of memory; the
     * function may take sets out. `row` may be NULL. */
    void (*launch_ended)(const struct kernel *kernel, struct region_touch *touched,
                         unsigned regions, struct runtime_row *row, const struct stream *stream);
    /* `direction` as heap_copy reports it. */
    void (*copy_ended)(const struct heap_copy *copy, unsigned direction,
                       const struct stream *stream);
    void (*set_ended)(const struct heap_set *set, const struct stream *stream);
};

#endif
