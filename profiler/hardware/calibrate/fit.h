/* fit.h: compute a device file from the results of microbenchmarks. */
#ifndef CALIBRATE_FIT_H
#define CALIBRATE_FIT_H

#include "emulator/device/device.h"
#include "hardware/calibrate/measurements.h"

enum { FIT_SOURCES_MAX = 64 };

struct fit {
    struct device device;
    char nearest[64]; /* Source of the numbers that `sources` does not list. */
    size_t count;
    struct fit_source {
        const char *field;
        char text[160];
    } sources[FIT_SOURCES_MAX];
};

/* Compute the numbers of the measured GPU. A number comes from the driver, from the microbenchmark
 * that isolates the parameter, or from `nearest`, a device of a similar architecture. Returns false
 * for a harness failure: rows are missing. */
bool fit_device(const struct measurements *measurements, const struct device *nearest,
                struct fit *fit, struct failure *failure);

/* Callback of device_write: returns the source of a field. `context` is the struct fit. */
const char *fit_source(void *context, const char *field);

/* Returns the modelled time in microseconds of a row `launch`, `copy`, `pages`, unpermuted
 * `pieces`, or tiles in row order; NaN for other rows, which the model does not describe. */
double fit_model_us(const struct device *device, const struct measurements *measurements,
                    const struct measurement *row);

/* Find the device in `directory` with a compute capability that is nearest to the measured GPU's.
 * The measured GPU is skipped, because an earlier calibration may have written its file. Devices
 * without the caches of CC 7 and later are skipped, too. Returns false for a harness failure. */
bool fit_find_nearest(const char *directory, const struct measurements *measurements,
                      struct device *nearest, struct failure *failure);

#endif
