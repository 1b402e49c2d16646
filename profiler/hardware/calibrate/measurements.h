/* measurements.h: what the microbenchmarks measured, as rows of a CSV that is kept beside a device
 * file.
 */
#ifndef CALIBRATE_MEASUREMENTS_H
#define CALIBRATE_MEASUREMENTS_H

#include "base/failure.h"

#include <stddef.h>
#include <stdio.h>

enum { MEASUREMENTS_MAX = 1024 };

/* One row: which microbenchmark, in which form, its two parameters, the work that it did (bytes,
 * wavefronts, lines, steps, blocks; of an attribute its value) and the median time of a launch. */
struct measurement {
    char what[16], form[64];
    long a, b;
    double work, us;
};

struct measurements {
    size_t count;
    struct measurement rows[MEASUREMENTS_MAX];
};

/* The CSV's first line: what,form,a,b,work,us */
bool measurements_write_header(FILE *file);
bool measurement_write(FILE *file, const struct measurement *row);

/* Read such a file: at most MEASUREMENTS_MAX rows. Untrusted: any bytes give rows with finite
 * numbers, work and time not negative, or a harness failure "PATH:LINE: what". */
bool measurements_load(const char *path, struct measurements *measurements,
                       struct failure *failure);

/* The first row of that kind, form (NULL: any), a and b (negative: any); NULL: there is none. */
const struct measurement *measurements_find(const struct measurements *measurements,
                                            const char *what, const char *form, long a, long b);

#endif
