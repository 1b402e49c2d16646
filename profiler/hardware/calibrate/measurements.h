/* measurements.h: results of the microbenchmarks, as a CSV file. */
#ifndef CALIBRATE_MEASUREMENTS_H
#define CALIBRATE_MEASUREMENTS_H

#include "base/failure.h"

#include <stddef.h>
#include <stdio.h>

enum { MEASUREMENTS_MAX = 1024 };

/* One result: microbenchmark, form, two parameters, work (number of bytes, wavefronts, lines, steps
 * or blocks, or an attribute's value), and the median time of a launch in microseconds. */
struct measurement {
    char what[16], form[64];
    long a, b;
    double work, us;
};

struct measurements {
    size_t count;
    struct measurement rows[MEASUREMENTS_MAX];
};

/* Write the line "what,form,a,b,work,us", or a row. Both functions return false on failure. */
bool measurements_write_header(FILE *file);
bool measurement_write(FILE *file, const struct measurement *row);

/* Read an untrusted CSV file. Returns false for a harness failure "PATH:LINE: message": more than
 * MEASUREMENTS_MAX rows, a number that is not finite, or a negative work or time. */
bool measurements_load(const char *path, struct measurements *measurements,
                       struct failure *failure);

/* Returns the first row with these values; NULL if there is none. A NULL `form` matches every form,
 * and a negative `a` or `b` matches every value. */
const struct measurement *measurements_find(const struct measurements *measurements,
                                            const char *what, const char *form, long a, long b);

#endif
