/* fit.h: from what microbenchmarks measured to a device file.
 */
#ifndef CALIBRATE_FIT_H
#define CALIBRATE_FIT_H

#include "emulator/device/device.h"
#include "hardware/calibrate/measurements.h"

enum { FIT_SOURCES_MAX = 64 };

/* A device whose numbers have sources. */
struct fit {
    struct device device;
    char nearest[64]; /* the source of what has no other */
    size_t count;
    struct fit_source {
        const char *field;
        char text[160];
    } sources[FIT_SOURCES_MAX];
};

/* The numbers of the measured GPU. What the driver says replaces what `nearest`, the device of
 * the nearest architecture, has; what a microbenchmark isolates follows from its rows; the rest
 * is taken over from `nearest`, and its source says so. False: a harness failure names the rows
 * that are missing, or that cannot be right. */
bool fit_device(const struct measurements *measurements, const struct device *nearest,
                struct fit *fit, struct failure *failure);

/* The source of a field, for device_write; `context` is the struct fit. */
const char *fit_source(void *context, const char *field);

/* The time that the model gives a row of kind `copy`, `tiles`, `tiles64`, `pieces` or `pages`;
 * NaN for others, and for orders of tiles that are scattered. */
double fit_model_us(const struct device *device, const struct measurements *measurements,
                    const struct measurement *row);

/* The device whose compute capability is nearest to that of the measured GPU, of those in
 * `directory` with the caches of CC 7 and later; not one of that GPU's name, which calibration
 * may have made. */
bool fit_find_nearest(const char *directory, const struct measurements *measurements,
                      struct device *nearest, struct failure *failure);

#endif
