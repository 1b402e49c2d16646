/* sinks.h: the sinks of a launch (sink.h). count.c counts the cost of accesses, fills the trace of
 * the block, and passes accesses to the launch's observer. Each of the other sinks has one purpose,
 * which the first comment of its file describes. */
#ifndef SINKS_H
#define SINKS_H

#include "emulator/sinks/observer.h"
#include "emulator/warp/sink.h"

/* The indices of sinks in a launch, and of their states in a block. */
enum { SINK_CHECK, SINK_TAINT, SINK_CLOCK, SINK_COUNT, SINK_REPAIR };

extern const struct sink check_sink; /* The sink's plan is a struct check_plan (check.h). */
extern const struct sink count_sink, clock_sink, taint_sink, repair_sink;

#endif
