/* metric_plan.h: the metrics of one chip, scheduled into passes by CUPTI's Host API, which needs no
 * GPU. Only with CUPTI's headers.
 */
#ifndef GPU_METRIC_PLAN_H
#define GPU_METRIC_PLAN_H

#ifdef HAVE_CUPTI

#include "hardware/cupti/cupti_library.h"
#include "hardware/cupti/metrics.h"

#include <stdint.h>

struct metric_plan {
    const struct cupti *cupti;
    CUpti_Profiler_Host_Object *host;
    const char *names[METRICS_MAX]; /* that this chip knows */
    size_t rows[METRICS_MAX];       /* names[i] belongs to metrics[rows[i]] */
    size_t count;
    uint8_t *config; /* the config image: what to count in which pass */
    size_t config_size;
    unsigned passes;
};

/* Schedule the metrics of `chip` ("GH100"): all, or the core's where all take more than
 * `max_passes` (0: any number). `availability` is the context's counter availability image, NULL
 * without a GPU. A metric that the chip does not have is left out. Harness failure: an unknown
 * chip, or CUPTI's error. Release with metric_plan_free, also after a failure. */
bool metric_plan_make(const struct cupti *cupti, const char *chip, const uint8_t *availability,
                      unsigned max_passes, struct metric_plan *plan, struct failure *failure);

/* The values of range `range` of a counter data image, in the order of metrics[]: NaN where the
 * plan has no such metric. */
bool metric_plan_evaluate(const struct metric_plan *plan, const uint8_t *image, size_t image_size,
                          size_t range, double values[METRICS_MAX], struct failure *failure);

void metric_plan_free(struct metric_plan *plan);

#endif
#endif
