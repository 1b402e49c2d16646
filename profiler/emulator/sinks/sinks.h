/* sinks.h: the sinks of a launch (sink.h), and what they leave.
 *
 * check.c and its like look for races and uninitialized values (check.h); count.c counts what
 * accesses cost, fills the trace of the block, and shows accesses to the launch's observer; clock.c
 * times kernels that read a clock; taint.c marks data that go through shared memory; repair.c lets
 * warps synchronize where barriers are missing.
 */
#ifndef SINKS_H
#define SINKS_H

#include "emulator/sinks/observer.h"
#include "emulator/warp/sink.h"

/* The places of sinks in a launch, and so of their states in a block. */
enum { SINK_CHECK, SINK_TAINT, SINK_CLOCK, SINK_COUNT, SINK_REPAIR };

extern const struct sink check_sink; /* its plan: struct check_plan (check.h) */
extern const struct sink count_sink, clock_sink, taint_sink, repair_sink;

#endif
