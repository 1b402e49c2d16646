/* metric_plan.h: schedule metrics into passes with CUPTI's Host API, which requires no GPU. */
#ifndef GPU_METRIC_PLAN_H
#define GPU_METRIC_PLAN_H

#ifdef HAVE_CUPTI

#include "hardware/cupti/cupti_library.h"
#include "hardware/cupti/metrics.h"

#include <stdint.h>

struct metric_plan {
    const struct cupti *cupti;
    CUpti_Profiler_Host_Object *host;
    const char *names[METRICS_MAX]; /* Names of the metrics that this chip has. */
    size_t rows[METRICS_MAX];       /* names[i] is a name of metrics[rows[i]]. */
    size_t count;
    uint8_t *config; /* Configuration image: the metrics of each pass. */
    size_t config_size;
    unsigned passes;
};

/* Schedule all metrics of `chip` ("GH100") that exist on the chip. If they need more than
 * `max_passes` passes (0: no limit), schedule only METRIC_CORE. `availability` is the counter
 * availability image of the context; NULL without a GPU. Returns false for a harness failure: an
 * unknown chip, or an error of CUPTI. The caller calls metric_plan_free, also after a failure. */
bool metric_plan_make(const struct cupti *cupti, const char *chip, const uint8_t *availability,
                      unsigned max_passes, struct metric_plan *plan, struct failure *failure);

/* Read the values of range `range` from a counter data image, in the order of metrics[]; NaN if the
 * metric is not in the plan. Returns false for a harness failure. */
bool metric_plan_evaluate(const struct metric_plan *plan, const uint8_t *image, size_t image_size,
                          size_t range, double values[METRICS_MAX], struct failure *failure);

void metric_plan_free(struct metric_plan *plan);

#endif
#endif
