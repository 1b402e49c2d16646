/* metric_plan.c: each name is looked up first, because a list with an unknown name makes
 * ConfigAddMetrics fail with a misleading code and leaves the host object unusable. Then one call
 * adds all names, because each call schedules its own passes. */
#include "hardware/cupti/metric_plan.h"

#ifdef HAVE_CUPTI

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOST_TRY(plan, function, failure, ...)                                                     \
    CUPTI_TRY((plan)->cupti, ProfilerHost##function, Profiler_Host_##function, failure,            \
              .pHostObject = (plan)->host, __VA_ARGS__)

static bool host_open(struct metric_plan *plan, const char *chip, const uint8_t *availability,
                      struct failure *failure)
{
    CUPTI_PARAMETERS(Profiler_Host_Initialize, .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
                     .pChipName = chip, .pCounterAvailabilityImage = availability);
    bool good = CUPTI_CALL(plan->cupti, ProfilerHostInitialize, failure);
    plan->host = parameters.pHostObject;
    return good;
}

static void select_names(struct metric_plan *plan, bool core_only)
{
    plan->count = 0;
    for (size_t row = 0; row < metrics_count; row++) {
        if (core_only && metrics[row].group != METRIC_CORE)
            continue;
        for (size_t n = 0; n < METRIC_NAMES && metrics[row].names[n]; n++)
            if (HOST_TRY(plan, GetMetricProperties, &(struct failure){0},
                         .pMetricName = metrics[row].names[n])) {
                plan->names[plan->count] = metrics[row].names[n];
                plan->rows[plan->count++] = row;
                break;
            }
    }
}

static bool schedule(struct metric_plan *plan, struct failure *failure)
{
    const struct cupti *cupti = plan->cupti;
    if (!HOST_TRY(plan, ConfigAddMetrics, failure, .ppMetricNames = plan->names,
                  .numMetrics = plan->count))
        return false;
    {
        CUPTI_PARAMETERS(Profiler_Host_GetConfigImageSize, .pHostObject = plan->host);
        if (!CUPTI_CALL(cupti, ProfilerHostGetConfigImageSize, failure))
            return false;
        plan->config_size = parameters.configImageSize;
    }
    plan->config = calloc(1, plan->config_size);
    if (!plan->config)
        return failure_harness(failure, "not enough memory");
    if (!HOST_TRY(plan, GetConfigImage, failure, .configImageSize = plan->config_size,
                  .pConfigImage = plan->config))
        return false;
    CUPTI_PARAMETERS(Profiler_Host_GetNumOfPasses, .configImageSize = plan->config_size,
                     .pConfigImage = plan->config);
    bool good = CUPTI_CALL(cupti, ProfilerHostGetNumOfPasses, failure);
    plan->passes = (unsigned)parameters.numOfPasses;
    return good;
}

static bool plan_make(const struct cupti *cupti, const char *chip, const uint8_t *availability,
                      bool core_only, struct metric_plan *plan, struct failure *failure)
{
    *plan = (struct metric_plan){.cupti = cupti};
    if (!host_open(plan, chip, availability, failure))
        return false;
    select_names(plan, core_only);
    if (!plan->count)
        return failure_harness(failure,
                               "hardware counters are not available: chip %s has none of the "
                               "metrics that tlab requires. Install a newer CUDA Toolkit",
                               chip);
    return schedule(plan, failure);
}

bool metric_plan_make(const struct cupti *cupti, const char *chip, const uint8_t *availability,
                      unsigned max_passes, struct metric_plan *plan, struct failure *failure)
{
    if (max_passes != 1) {
        if (!plan_make(cupti, chip, availability, false, plan, failure))
            return false;
        if (!max_passes || plan->passes <= max_passes)
            return true;
        metric_plan_free(plan);
    }
    return plan_make(cupti, chip, availability, true, plan, failure);
}

bool metric_plan_evaluate(const struct metric_plan *plan, const uint8_t *image, size_t image_size,
                          size_t range, double values[METRICS_MAX], struct failure *failure)
{
    double found[METRICS_MAX];
    const char *names[METRICS_MAX];
    memcpy(names, plan->names, sizeof names); /* CUPTI requires a pointer to non-const. */
    if (!HOST_TRY(plan, EvaluateToGpuValues, failure, .pCounterDataImage = image,
                  .counterDataImageSize = image_size, .rangeIndex = range, .ppMetricNames = names,
                  .numMetrics = plan->count, .pMetricValues = found))
        return false;
    for (size_t row = 0; row < METRICS_MAX; row++)
        values[row] = NAN;
    for (size_t i = 0; i < plan->count; i++)
        values[plan->rows[i]] = found[i];
    return true;
}

void metric_plan_free(struct metric_plan *plan)
{
    if (plan->host)
        HOST_TRY(plan, Deinitialize, &(struct failure){0});
    free(plan->config);
    plan->host = NULL;
    plan->config = NULL;
}

#endif
