/* measurements.h: the results of the microbenchmarks, as a CSV file that is stored next to the
 * device file.
 */
#ifndef CALIBRATE_MEASUREMENTS_H
#define CALIBRATE_MEASUREMENTS_H

#include "base/failure.h"

#include <stddef.h>
#include <stdio.h>

enum { MEASUREMENTS_MAX = 1024 };

/* One row: the microbenchmark, its form, two parameters, its work (bytes, wavefronts, lines,
 * steps or blocks; the value of an attribute), and the median time of a launch. */
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

/* Read such a file. The file is untrusted: harness failure "PATH:LINE: message" for more than
 * MEASUREMENTS_MAX rows, a number that is not finite, or a negative work or time. */
bool measurements_load(const char *path, struct measurements *measurements,
                       struct failure *failure);

/* Returns the first row with this kind, form (NULL: any), a and b (negative: any); else NULL. */
const struct measurement *measurements_find(const struct measurements *measurements,
                                            const char *what, const char *form, long a, long b);

#endif
