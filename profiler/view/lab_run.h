/* lab_run.h: one run of a lab file with all that commands show of it: the record, the goals, the
 * lines; and what was kept of the runs before (record_kept.h).
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "record/record_kept.h"
#include "run/run.h"
#include "view/goal_list.h"

struct lab_run {
    struct run_result *result; /* the record is the last of its records */
    struct line_watch lines;
    struct goal_watch *goals;
    struct failure wrong; /* of the student's */
};

/* Run and judge; free the run in any case. `options` are the caller's, and watched while it
 * runs. False: a harness failure, which names the file. */
bool lab_run_do(struct lab_run *run, const char *path, struct run_options *options,
                struct failure *failure);
void lab_run_free(struct lab_run *run);

/* The record that has the counters. */
const struct record *lab_run_record(const struct lab_run *run);
/* "03_padded", or "00_copy/copy_shared": as the table of `tlab run` has it. */
void lab_run_name(const struct record *record, char *name, size_t size);

/* Print the verdict: its failure, or the goals. */
void lab_run_print_verdict(FILE *out, const struct lab_run *run);

#endif
