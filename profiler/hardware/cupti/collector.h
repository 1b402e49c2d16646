/* collector.h: hardware counters of launches in a context, by CUPTI's Range Profiler.
 *
 * The launch is measured by user replay: the caller launches the same work once per pass, and each
 * pass counts another part of the metrics. Compiled without CUPTI's headers, collector_open fails
 * with a sentence.
 */
#ifndef GPU_COLLECTOR_H
#define GPU_COLLECTOR_H

#include "base/failure.h"
#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

struct collector;

/* Prepare to count launches in `context`, a CUcontext that is current to the calling thread and
 * outlives the collector, on device `device_ordinal`. `max_passes` 0 collects all counter columns,
 * in as many passes as they take; 1 only what one pass can count (requests and sectors of global
 * memory stay unknown). The calibration kernels (calibration.h) are measured first. A harness
 * failure says what is missing and how to get it. */
bool collector_open(void *context, int device_ordinal, unsigned max_passes,
                    struct collector **collector, struct failure *failure);

/* The chip, "GH100". */
const char *collector_chip(const struct collector *collector);

/* One launch to measure. Only what `launch` does is counted: it launches and synchronises.
 * `prepare` restores the input and brings the caches into their state before it, `check` verifies
 * the output after it; either may be NULL. Each is called once per pass. */
struct collector_work {
    bool (*prepare)(void *context, unsigned pass, struct failure *failure);
    bool (*launch)(void *context, unsigned pass, struct failure *failure);
    bool (*check)(void *context, unsigned pass, struct failure *failure);
    void *context;
};

/* Measure the work, then set the record's counter columns: l2_*, shared_*, global_*,
 * dram_read_bytes, dram_write_bytes, sass_warp_instructions, passes. When a step of the work fails,
 * so does this, with its failure, and the record is left as it was. After a calibration that was
 * off, the record's status is `untrusted`, with the reason: set `ok` before this call, not after.
 */
bool collector_measure(struct collector *collector, const struct collector_work *work,
                       struct record *record, struct failure *failure);

/* May be NULL. */
void collector_close(struct collector *collector);

/* Can counters be had of this device? Tries it in a context of its own, and says what it found, or
 * what stands in the way and the remedy, in a sentence. */
bool collector_probe(int device_ordinal, char *text, size_t text_size);

#endif
