/* metrics.h: the table of the hardware metrics for each column, which does not require CUPTI. */
#ifndef GPU_METRICS_H
#define GPU_METRICS_H

#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

/* On every chip, METRIC_CORE needs one pass, and METRIC_REQUESTS needs three more passes. */
enum metric_group { METRIC_CORE, METRIC_REQUESTS };

enum { METRIC_NAMES = 2 };

/* The hardware metric of a column. */
struct metric {
    enum column column;
    enum metric_group group;
    double scale;
    const char *names[METRIC_NAMES]; /* The first name on the chip is used. Names may be NULL. */
};

extern const struct metric metrics[];
extern const size_t metrics_count;
enum { METRICS_MAX = 32 };

/* Set the columns of all metrics. `values` has the order of the table; NaN means unknown. */
void metrics_set_record(const double *values, struct record *record);

#endif
