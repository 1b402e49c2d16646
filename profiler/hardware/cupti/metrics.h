/* metrics.h: which hardware metrics stand behind the columns, chip by chip. The one table of
 * metric names; it needs no CUPTI.
 */
#ifndef GPU_METRICS_H
#define GPU_METRICS_H

#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Metrics of the core are counted in one pass on every chip; the others take three more. */
enum metric_group { METRIC_CORE, METRIC_REQUESTS };

enum { METRIC_NAMES = 2 };

/* One metric. A chip knows it by the first of its names that the chip has. */
struct metric {
    enum column column;
    enum metric_group group;
    double scale;                    /* column = value x scale */
    const char *names[METRIC_NAMES]; /* unused ones are NULL */
};

extern const struct metric metrics[];
extern const size_t metrics_count;
enum { METRICS_MAX = 32 };

/* Set the columns of all metrics from their values, in the table's order; NaN leaves a column
 * unknown. Ideal wavefronts follow from wavefronts and conflicts. */
void metrics_set_record(const double *values, struct record *record);

#endif
