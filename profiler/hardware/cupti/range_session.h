/* range_session.h: count events in a context with CUPTI's Range Profiler. A session counts one
 * range at a time: range_begin; then range_start, the work and range_stop for each pass; then
 * range_end. In RANGE_USER mode, the caller executes the work once per pass. In RANGE_KERNEL mode,
 * CUPTI replays the kernel between start and stop. Functions of type bool return false for a
 * harness failure. */
#ifndef GPU_RANGE_SESSION_H
#define GPU_RANGE_SESSION_H

#ifdef HAVE_CUPTI

#include "hardware/cupti/metric_plan.h"

enum range_mode { RANGE_USER, RANGE_KERNEL };

struct range_session;

/* Enable counting in `context`, a context of `device`. See collector_open for `max_passes`. A
 * harness failure names the obstacle and the remedy. */
bool range_session_open(CUcontext context, CUdevice device, enum range_mode mode,
                        unsigned max_passes, struct range_session **session,
                        struct failure *failure);

unsigned range_session_passes(const struct range_session *session);
const char *range_session_chip(const struct range_session *session);

bool range_begin(struct range_session *session, struct failure *failure);
bool range_start(struct range_session *session, struct failure *failure);
/* End a pass. *complete becomes true after the last pass. */
bool range_stop(struct range_session *session, bool *complete, struct failure *failure);
/* Set `values`, in the order of metrics[]. *counted becomes false if no kernel ran. */
bool range_end(struct range_session *session, double values[METRICS_MAX], bool *counted,
               struct failure *failure);

void range_session_close(struct range_session *session);

#endif
#endif
