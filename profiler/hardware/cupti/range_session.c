/* range_session.c: CUPTI requires its calls in this order: initialize; query the device (support,
 * chip, available counters); schedule the metrics (metric_plan.c); enable the Range Profiler;
 * create a counter data image. The image and the configuration are set before each range. */
#include "hardware/cupti/range_session.h"

#ifdef HAVE_CUPTI

#include "hardware/cupti/driver.h"

#include <stdlib.h>
#include <string.h>

struct range_session {
    const struct cupti *cupti;
    CUcontext context;
    char chip[32];
    enum range_mode mode;
    struct metric_plan plan;
    CUpti_RangeProfiler_Object *profiler; /* NULL until enabled. */
    bool midway;                          /* True if a range was begun and not ended. */
    uint8_t *availability, *image;
    size_t image_size;
};

static bool initialise(const struct cupti *cupti, struct failure *failure)
{
    CUPTI_PARAMETERS(Profiler_Initialize, .pPriv = NULL);
    int error = cupti->ProfilerInitialize(&parameters), driver_version = 0;
    if (!error)
        return true;
    struct driver driver;
    struct failure no_driver = {0};
    uint32_t version = 0;
    if (driver_open(&driver, &no_driver) && !driver.version(&driver_version) && driver_version &&
        !cupti->GetVersion(&version) && cupti_newer_than_driver(version, driver_version))
        failure_harness(failure,
                        "hardware counters are not available: CUPTI is newer than the driver, "
                        "which supports CUDA %d.%d. Update the driver, or set TLAB_CUPTI to the "
                        "libcupti.so of that CUDA version",
                        driver_version / 1000, driver_version % 1000 / 10);
    driver_close(&driver);
    return cupti_failure(failure, "cuptiProfilerInitialize", error);
}

static bool device_check(const struct cupti *cupti, CUdevice device, struct failure *failure)
{
    CUPTI_PARAMETERS(Profiler_DeviceSupported, .cuDevice = device,
                     .api = CUPTI_PROFILER_RANGE_PROFILING);
    if (!CUPTI_CALL(cupti, ProfilerDeviceSupported, failure))
        return false;
    if (parameters.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
        return true;
    const CUpti_Profiler_Support_Level levels[CUPTI_OBSTACLE_COUNT] = {
        [CUPTI_OBSTACLE_ARCHITECTURE] = parameters.architecture,
        [CUPTI_OBSTACLE_SLI] = parameters.sli,
        [CUPTI_OBSTACLE_VGPU] = parameters.vGpu,
        [CUPTI_OBSTACLE_CONFIDENTIAL] = parameters.confidentialCompute,
        [CUPTI_OBSTACLE_CMP] = parameters.cmp,
        [CUPTI_OBSTACLE_WSL] = parameters.wsl,
    };
    for (int i = 0; i < CUPTI_OBSTACLE_COUNT; i++) {
        bool disabled = levels[i] == CUPTI_PROFILER_CONFIGURATION_DISABLED;
        if (disabled || levels[i] == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED)
            return failure_harness(failure, "hardware counters are not available: %s",
                                   cupti_obstacle_remedy((enum cupti_obstacle)i, disabled));
    }
    return failure_harness(failure,
                           "hardware counters are not available: CUPTI does not support this GPU "
                           "in its current configuration (MIG, a virtual GPU, a container). "
                           "`nvidia-smi -q` shows its modes");
}

static bool get_chip(struct range_session *session, CUdevice device, struct failure *failure)
{
    CUPTI_PARAMETERS(Device_GetChipName, .deviceIndex = (size_t)device);
    if (!CUPTI_CALL(session->cupti, DeviceGetChipName, failure))
        return false;
    strncpy(session->chip, parameters.pChipName, sizeof session->chip - 1);
    return true;
}

static bool get_availability(struct range_session *session, struct failure *failure)
{
    CUPTI_PARAMETERS(Profiler_GetCounterAvailability, .ctx = session->context);
    if (!CUPTI_CALL(session->cupti, ProfilerGetCounterAvailability, failure))
        return false;
    session->availability = calloc(1, parameters.counterAvailabilityImageSize);
    if (!session->availability)
        return failure_harness(failure, "not enough memory");
    parameters.pCounterAvailabilityImage = session->availability;
    return CUPTI_CALL(session->cupti, ProfilerGetCounterAvailability, failure);
}

static bool enable(struct range_session *session, struct failure *failure)
{
    CUPTI_PARAMETERS(RangeProfiler_Enable, .ctx = session->context);
    if (!CUPTI_CALL(session->cupti, RangeProfilerEnable, failure))
        return false;
    session->profiler = parameters.pRangeProfilerObject;
    return true;
}

#define RANGE_TRY(session, function, failure, ...)                                                 \
    CUPTI_TRY((session)->cupti, RangeProfiler##function, RangeProfiler_##function, failure,        \
              .pRangeProfilerObject = (session)->profiler, __VA_ARGS__)

static void disable(struct range_session *session)
{
    if (session->profiler)
        RANGE_TRY(session, Disable, &(struct failure){0});
    session->profiler = NULL;
}

static bool make_image(struct range_session *session, struct failure *failure)
{
    CUPTI_PARAMETERS(RangeProfiler_GetCounterDataSize, .pRangeProfilerObject = session->profiler,
                     .pMetricNames = session->plan.names, .numMetrics = session->plan.count,
                     .maxNumOfRanges = 1, .maxNumRangeTreeNodes = 1);
    if (!CUPTI_CALL(session->cupti, RangeProfilerGetCounterDataSize, failure))
        return false;
    session->image_size = parameters.counterDataSize;
    session->image = calloc(1, session->image_size);
    return session->image || failure_harness(failure, "not enough memory");
}

bool range_session_open(CUcontext context, CUdevice device, enum range_mode mode,
                        unsigned max_passes, struct range_session **session_out,
                        struct failure *failure)
{
    const struct cupti *cupti = cupti_open(failure);
    struct range_session *session = calloc(1, sizeof *session);
    *session_out = NULL;
    if (!session)
        return failure_harness(failure, "not enough memory");
    *session = (struct range_session){.cupti = cupti, .context = context, .mode = mode};
    if (cupti && initialise(cupti, failure) && device_check(cupti, device, failure) &&
        get_chip(session, device, failure) && get_availability(session, failure) &&
        metric_plan_make(cupti, session->chip, session->availability, max_passes, &session->plan,
                         failure) &&
        enable(session, failure) && make_image(session, failure)) {
        *session_out = session;
        return true;
    }
    range_session_close(session);
    return false;
}

void range_session_close(struct range_session *session)
{
    if (!session)
        return;
    disable(session);
    metric_plan_free(&session->plan);
    free(session->availability);
    free(session->image);
    free(session);
}

unsigned range_session_passes(const struct range_session *session)
{
    return session->plan.passes;
}

const char *range_session_chip(const struct range_session *session)
{
    return session->chip;
}

/* Discard a range that was not ended because a launch failed. A new profiler is necessary, because
 * the old profiler would continue the range. */
static bool discard_range(struct range_session *session, struct failure *failure)
{
    disable(session);
    free(session->image); /* The image belongs to the old profiler. */
    session->image = NULL;
    return enable(session, failure) && make_image(session, failure);
}

bool range_begin(struct range_session *session, struct failure *failure)
{
    if ((session->midway && !discard_range(session, failure)) ||
        !CUPTI_TRY(session->cupti, RangeProfilerCounterDataImageInitialize,
                   RangeProfiler_CounterDataImage_Initialize, failure,
                   .pRangeProfilerObject = session->profiler,
                   .counterDataSize = session->image_size, .pCounterData = session->image))
        return false;
    session->midway = true;
    return RANGE_TRY(session, SetConfig, failure, .configSize = session->plan.config_size,
                     .pConfig = session->plan.config, .counterDataImageSize = session->image_size,
                     .pCounterDataImage = session->image,
                     .range = session->mode == RANGE_USER ? CUPTI_UserRange : CUPTI_AutoRange,
                     .replayMode =
                         session->mode == RANGE_USER ? CUPTI_UserReplay : CUPTI_KernelReplay,
                     .maxRangesPerPass = 1, .numNestingLevels = 1, .minNestingLevel = 1);
}

bool range_start(struct range_session *session, struct failure *failure)
{
    return RANGE_TRY(session, Start, failure) &&
           (session->mode != RANGE_USER ||
            RANGE_TRY(session, PushRange, failure, .pRangeName = "launch"));
}

bool range_stop(struct range_session *session, bool *complete, struct failure *failure)
{
    bool popped = session->mode != RANGE_USER || RANGE_TRY(session, PopRange, failure);
    CUPTI_PARAMETERS(RangeProfiler_Stop, .pRangeProfilerObject = session->profiler);
    bool stopped = CUPTI_CALL(session->cupti, RangeProfilerStop, failure);
    *complete = parameters.isAllPassSubmitted;
    return popped && stopped;
}

bool range_end(struct range_session *session, double values[METRICS_MAX], bool *counted,
               struct failure *failure)
{
    if (!RANGE_TRY(session, DecodeData, failure))
        return false;
    session->midway = false;
    CUPTI_PARAMETERS(RangeProfiler_GetCounterDataInfo, .pCounterDataImage = session->image,
                     .counterDataImageSize = session->image_size);
    if (!CUPTI_CALL(session->cupti, RangeProfilerGetCounterDataInfo, failure))
        return false;
    *counted = parameters.numTotalRanges > 0;
    return !*counted || metric_plan_evaluate(&session->plan, session->image, session->image_size, 0,
                                             values, failure);
}

#endif
