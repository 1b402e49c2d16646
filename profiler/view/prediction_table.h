/* prediction_table.h: what was predicted (record/prediction.h) beside what was counted, and a line
 * on why they differ.
 */
#ifndef PREDICTION_TABLE_H
#define PREDICTION_TABLE_H

#include "record/prediction.h"
#include "run/run.h"
#include "view/line_counters.h"

#include <stdio.h>

/* Print what the sheet predicts of a source beside its record, at most 100 columns wide: nothing
 * where nothing was predicted of this exercise, or where it is not right. `watch` is what the
 * run told of its lines, or NULL. Where the sheet compares the time with that of another lab,
 * that lab is run with the same options. False: a harness failure of that run. */
bool prediction_table_print(FILE *out, const char *path, const struct prediction_sheet *sheet,
                            const struct record *record, const struct line_watch *watch,
                            const struct run_options *options, struct failure *failure);

#endif
