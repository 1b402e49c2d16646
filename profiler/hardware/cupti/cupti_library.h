/* cupti_library.h: open NVIDIA's CUPTI when counters are requested, and translate its errors to
 * messages. The same tlab runs on machines without CUPTI. HAVE_CUPTI is defined if CUPTI's
 * headers were available when tlab was built. The Range Profiler requires headers of CUPTI 12.6
 * or newer. */
#ifndef GPU_CUPTI_LIBRARY_H
#define GPU_CUPTI_LIBRARY_H

#include "base/failure.h"
#include "process/toolkit.h"

#include <stddef.h>

/* Returns a message with the reason and the remedy for CUPTI's error `code`, without function
 * names; NULL for an error that only a bug in tlab can cause. */
const char *cupti_remedy(int code);

/* Reasons that cuptiProfilerDeviceSupported reports for a device that cannot be profiled. */
enum cupti_obstacle {
    CUPTI_OBSTACLE_ARCHITECTURE,
    CUPTI_OBSTACLE_SLI,
    CUPTI_OBSTACLE_VGPU,
    CUPTI_OBSTACLE_CONFIDENTIAL,
    CUPTI_OBSTACLE_CMP,
    CUPTI_OBSTACLE_WSL,
    CUPTI_OBSTACLE_COUNT
};

/* Returns the message for an obstacle that CUPTI reports as unsupported, or as disabled. */
const char *cupti_obstacle_remedy(enum cupti_obstacle obstacle, bool disabled);

/* Set the harness failure for error `code` of the CUPTI function `name`. Returns false. */
bool cupti_failure(struct failure *failure, const char *name, int code);

bool cupti_check(struct failure *failure, const char *name, int code);

/* Returns true if CUPTI belongs to a later major CUDA version than the driver supports. `cupti` is
 * the result of cuptiGetVersion: 130001 for CUDA 13.0, numbers below 10000 for CUDA 12. `driver` is
 * the result of cuDriverGetVersion: 12040 for 12.4. */
bool cupti_newer_than_driver(unsigned cupti, int driver);

/* Set `path` to TLAB_CUPTI, to the library in the CUDA Toolkit, or to "libcupti.so". */
void cupti_library_path(char path[TOOLKIT_PATH_SIZE]);

#ifdef HAVE_CUPTI

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

#define CUPTI_FUNCTIONS(X)                                                                         \
    X(GetVersion)                                                                                  \
    X(DeviceGetChipName)                                                                           \
    X(ProfilerInitialize)                                                                          \
    X(ProfilerDeviceSupported)                                                                     \
    X(ProfilerGetCounterAvailability)                                                              \
    X(ProfilerHostInitialize)                                                                      \
    X(ProfilerHostDeinitialize)                                                                    \
    X(ProfilerHostGetMetricProperties)                                                             \
    X(ProfilerHostConfigAddMetrics)                                                                \
    X(ProfilerHostGetConfigImageSize)                                                              \
    X(ProfilerHostGetConfigImage)                                                                  \
    X(ProfilerHostGetNumOfPasses)                                                                  \
    X(ProfilerHostEvaluateToGpuValues)                                                             \
    X(RangeProfilerEnable)                                                                         \
    X(RangeProfilerDisable)                                                                        \
    X(RangeProfilerSetConfig)                                                                      \
    X(RangeProfilerStart)                                                                          \
    X(RangeProfilerStop)                                                                           \
    X(RangeProfilerPushRange)                                                                      \
    X(RangeProfilerPopRange)                                                                       \
    X(RangeProfilerDecodeData)                                                                     \
    X(RangeProfilerGetCounterDataSize)                                                             \
    X(RangeProfilerCounterDataImageInitialize)                                                     \
    X(RangeProfilerGetCounterDataInfo)                                                             \
    X(Subscribe)                                                                                   \
    X(EnableCallback)

/* Declares `parameters`, for example: CUPTI_PARAMETERS(RangeProfiler_Enable, .ctx = context). */
#define CUPTI_PARAMETERS(function, ...)                                                            \
    CUpti_##function##_Params parameters = {.structSize = CUpti_##function##_Params_STRUCT_SIZE,   \
                                            __VA_ARGS__}

#define CUPTI_CALL(cupti, function, failure)                                                       \
    cupti_check(failure, "cupti" #function, (cupti)->function(&parameters))

#define CUPTI_TRY(cupti, function, block, failure, ...)                                            \
    cupti_check(failure, "cupti" #function,                                                        \
                (cupti)->function(&(CUpti_##block##_Params){                                       \
                    .structSize = CUpti_##block##_Params_STRUCT_SIZE, __VA_ARGS__}))

struct cupti {
#define X(name) __typeof__(&cupti##name) name;
    CUPTI_FUNCTIONS(X)
#undef X
};

/* Returns the library, which is opened on the first call and never closed. If the process has
 * already loaded a copy, this copy is used, because two copies conflict. Returns NULL for a harness
 * failure: the library is missing or too old. */
const struct cupti *cupti_open(struct failure *failure);

#endif
#endif
