/* sinks.h: the sinks of a launch (sink.h). count.c counts the cost of accesses, fills the block's
 * trace, and calls the observer. The first comments of the other files describe their sinks. */
#ifndef SINKS_H
#define SINKS_H

#include "emulator/sinks/observer.h"
#include "emulator/warp/sink.h"

enum { SINK_CHECK, SINK_TAINT, SINK_CLOCK, SINK_COUNT, SINK_REPAIR };

extern const struct sink check_sink; /* The sink's plan is a struct check_plan (check.h). */
extern const struct sink count_sink, clock_sink, taint_sink, repair_sink;

static inline uint32_t step_number(const struct step *step)
{
    return step->fragment->frame->function->stats_base + step->instruction->number;
}

#endif
