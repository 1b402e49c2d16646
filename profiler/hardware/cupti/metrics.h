/* metrics.h: the hardware metrics of each column. The table contains all metric names and does not
 * require CUPTI. */
#ifndef GPU_METRICS_H
#define GPU_METRICS_H

#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

/* METRIC_CORE needs one pass on every chip. METRIC_REQUESTS needs three more passes. */
enum metric_group { METRIC_CORE, METRIC_REQUESTS };

enum { METRIC_NAMES = 2 };

/* A metric. The first name that the chip has is used. */
struct metric {
    enum column column;
    enum metric_group group;
    double scale;                    /* column = value x scale */
    const char *names[METRIC_NAMES]; /* Unused names are NULL. */
};

extern const struct metric metrics[];
extern const size_t metrics_count;
enum { METRICS_MAX = 32 };

/* Set the columns of all metrics. `values` are in the order of the table; NaN: unknown. Ideal
 * wavefronts are computed from wavefronts and conflicts. */
void metrics_set_record(const double *values, struct record *record);

#endif
