/* checks.c: register the checks with core when the library is loaded. */
#include "cuda/checks/overlap.h"
#include "cuda/checks/watch.h"
#include "cuda/core/checker.h"
#include "cuda/core/runtime.h"

static void launch_ended(const struct kernel *kernel, struct region_touch *touched,
                         unsigned regions, struct runtime_row *row, const struct stream *stream)
{
    watch_launch_ends(stream->now_us, row);
    overlap_launch(kernel, touched, regions, row, stream);
}

static void copy_ended(const struct heap_copy *copy, unsigned direction,
                       const struct stream *stream)
{
    watch_copy(copy, direction, stream);
    if (direction)
        overlap_copy(copy, stream);
}

__attribute__((constructor)) static void install(void)
{
    static const struct checker checker = {.needs_reads = overlap_is_possible,
                                           .launch_wrote = watch_launch,
                                           .launch_ended = launch_ended,
                                           .copy_ended = copy_ended,
                                           .set_ended = overlap_set};
    runtime.checker = &checker;
}
