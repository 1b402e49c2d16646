/* prediction_table.h: the predictions of a student beside the counted values. */
#ifndef PREDICTION_TABLE_H
#define PREDICTION_TABLE_H

#include "record/prediction.h"
#include "run/run.h"
#include "view/line_counters.h"

#include <stdio.h>

/* Print the predictions for a source beside the values of its record, at most 100 columns wide.
 * Prints nothing without a prediction for this exercise, or for an incorrect result. `watch` has
 * the counters of the lines; it may be NULL. If the worksheet compares the time with another lab,
 * this function runs that lab. Returns false for a harness failure of that run. */
bool prediction_table_print(FILE *out, const char *path, const struct prediction_sheet *sheet,
                            const struct record *record, const struct line_watch *watch,
                            const struct run_options *options, struct failure *failure);

#endif
