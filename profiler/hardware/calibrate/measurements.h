/* measurements.h: the results of the microbenchmarks, as a CSV file beside the device file. */
#ifndef CALIBRATE_MEASUREMENTS_H
#define CALIBRATE_MEASUREMENTS_H

#include "base/failure.h"

#include <stddef.h>
#include <stdio.h>

enum { MEASUREMENTS_MAX = 1024 };

/* A row: the microbenchmark, its form, two parameters, its work (bytes, wavefronts, lines, steps or
 * blocks; or the value of an attribute), and the median time of a launch in microseconds. */
struct measurement {
    char what[16], form[64];
    long a, b;
    double work, us;
};

struct measurements {
    size_t count;
    struct measurement rows[MEASUREMENTS_MAX];
};

/* Write the first line of the CSV (what,form,a,b,work,us), or a row. Returns false on failure. */
bool measurements_write_header(FILE *file);
bool measurement_write(FILE *file, const struct measurement *row);

/* Read an untrusted CSV file. Returns false for a harness failure "PATH:LINE: message": more than
 * MEASUREMENTS_MAX rows, a number that is not finite, or a negative work or time. */
bool measurements_load(const char *path, struct measurements *measurements,
                       struct failure *failure);

/* Returns the first row with this `what`, form (NULL: any), a and b (negative: any); or NULL. */
const struct measurement *measurements_find(const struct measurements *measurements,
                                            const char *what, const char *form, long a, long b);

#endif
