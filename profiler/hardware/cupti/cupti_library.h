/* cupti_library.h: NVIDIA's CUPTI, opened at run time, and what its errors mean to a person.
 *
 * One tlab runs on machines with and without CUPTI, so the library is opened when counters are
 * asked for. The structures come from CUPTI's headers; HAVE_CUPTI says that they were there when
 * tlab was built (12.6 or newer, the first with the Range Profiler).
 */
#ifndef GPU_CUPTI_LIBRARY_H
#define GPU_CUPTI_LIBRARY_H

#include "base/failure.h"

#include <stddef.h>

/* ---- what errors mean; also without CUPTI's headers ---- */

/* Why this machine does not give counters, and what to do about it: a sentence for CUPTI's error
 * number `code`, or NULL for an error that only a programming mistake here could cause. The text
 * names no function. */
const char *cupti_remedy(int code);

/* The parts of cuptiProfilerDeviceSupported's answer, by which a device can refuse to be profiled.
 */
enum cupti_obstacle {
    CUPTI_OBSTACLE_ARCHITECTURE,
    CUPTI_OBSTACLE_SLI,
    CUPTI_OBSTACLE_VGPU,
    CUPTI_OBSTACLE_CONFIDENTIAL,
    CUPTI_OBSTACLE_CMP,
    CUPTI_OBSTACLE_WSL,
    CUPTI_OBSTACLE_COUNT
};

/* The sentence for that part, when it says "unsupported", or (`disabled`) "supported but switched
 * off". */
const char *cupti_obstacle_remedy(enum cupti_obstacle obstacle, bool disabled);

/* Record "hardware counters are not available: ..." for error `code` of function `name`. Always
 * returns false. */
bool cupti_failure(struct failure *failure, const char *name, int code);

/* True when `code` is success; otherwise cupti_failure. */
bool cupti_check(struct failure *failure, const char *name, int code);

/* Is CUPTI of API version `cupti` (cuptiGetVersion: 130001 is CUDA 13.0's, small numbers are those
 * of CUDA 12) of a later major CUDA version than the driver supports (cuDriverGetVersion: 12040 is
 * 12.4)? */
bool cupti_newer_than_driver(unsigned cupti, int driver);

/* Where libcupti is: TLAB_CUPTI (a file), the CUDA Toolkit, or left to the loader ("libcupti.so").
 * The loader's name is also the answer when the toolkit is hidden. */
void cupti_library_path(char *path, size_t path_size);

#ifdef HAVE_CUPTI

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

/* The functions that are used, by the name after "cupti". */
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

/* A parameter block: CUPTI_PARAMETERS(RangeProfiler_Enable, .ctx = context) declares `parameters`.
 */
#define CUPTI_PARAMETERS(function, ...)                                                            \
    CUpti_##function##_Params parameters = {.structSize = CUpti_##function##_Params_STRUCT_SIZE,   \
                                            __VA_ARGS__}

/* Call a function with the `parameters` that were declared. False: a harness failure names it. */
#define CUPTI_CALL(cupti, function, failure)                                                       \
    cupti_check(failure, "cupti" #function, (cupti)->function(&parameters))

struct cupti {
#define X(name) __typeof__(&cupti##name) name;
    CUPTI_FUNCTIONS(X)
#undef X
};

/* The library, opened on the first call and never closed. NULL with a harness failure: it is not
 * here, or too old. A copy that the process has loaded already is preferred: two do not get along.
 */
const struct cupti *cupti_open(struct failure *failure);

#endif
#endif
