/* collector.h: collect hardware counters of launches with CUPTI's Range Profiler in user replay.
 * The caller launches the same work once per pass, and each pass counts a different subset of the
 * metrics. If tlab was built without CUPTI's headers, collector_open always fails. */
#ifndef GPU_COLLECTOR_H
#define GPU_COLLECTOR_H

#include "base/failure.h"
#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

struct collector;

/* Prepare to count launches on device `device_ordinal` in `context`, a CUcontext that is current to
 * the calling thread and outlives the collector. The calibration kernels (calibration.h) are
 * measured first. If the counter columns need more than `max_passes` passes (0: no limit), requests
 * and sectors of global memory are not collected, and all other columns need one pass. Returns
 * false for a harness failure with a remedy: counters are not available. */
bool collector_open(void *context, int device_ordinal, unsigned max_passes,
                    struct collector **collector, struct failure *failure);

/* Returns the name of the chip, such as "GH100". The collector owns the string. */
const char *collector_chip(const struct collector *collector);

/* The launch to measure. `launch` launches and synchronizes; only this function is counted.
 * `prepare` restores the input and the caches before the launch, and `check` verifies the output
 * after the launch; both may be NULL. Each function is called once per pass. */
struct collector_work {
    bool (*prepare)(void *context, struct failure *failure);
    bool (*launch)(void *context, struct failure *failure);
    bool (*check)(void *context, struct failure *failure);
    void *context;
};

/* Measure the work and set the counter columns of the record: l2_*, shared_*, global_*,
 * dram_read_bytes, dram_write_bytes, sass_warp_instructions, passes. The caller has set the status
 * `ok`. If the calibration failed, the status becomes `untrusted`, with the reason. If a step of
 * the work fails, returns false and leaves the record unchanged. */
bool collector_measure(struct collector *collector, const struct collector_work *work,
                       struct record *record, struct failure *failure);

void collector_close(struct collector *collector);

/* Try to count on this device in a new context. Returns true if the counts are correct. `text`
 * receives the result, or the obstacle and its remedy. */
bool collector_probe(int device_ordinal, char *text, size_t text_size);

#endif
