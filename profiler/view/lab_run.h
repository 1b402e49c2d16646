/* lab_run.h: one run of a lab file with all that commands show of it: the record, the goals, the
 * lines; and what was kept of the runs before (record_kept.h). Or with the accesses of one of its
 * blocks (block_accesses.h), which `tlab explain` and `tlab picture` show.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "record/record_kept.h"
#include "run/run.h"
#include "view/goal_list.h"

struct block_accesses;
struct emulator_launch;
struct emulator_result;

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

/* ---- One block ---- */

/* `show` is called after the run was verified, with the accesses arranged; what it needs of the
 * launch must be used there. `result` has the record. False: a harness failure. */
typedef bool block_run_show(void *context, const struct emulator_launch *launch,
                            const struct emulator_result *result,
                            const struct block_accesses *accesses, struct failure *failure);

#define BLOCK_RUN_ANY UINT32_MAX

struct block_run {
    const char *path;
    struct run_options options; /* a copy: the hooks in it are set here */
    /* Or BLOCK_RUN_ANY and 0, 0: block 0,0 or, where that makes no access, a neighbour that
     * does. Then the block that is shown. */
    uint32_t block[3];
    bool is_told;                /* that the kernel is wrong, before */
    const struct record *record; /* of the run, for `show`: its size is the lab's */
    block_run_show *show;
    void *context;
};

/* The one file that a target names: a .cu file, or a lab directory with only one. malloc'd; NULL
 * with a failure that lists the files when there are several. */
char *block_run_source(const char *target, struct failure *failure);

/* Run. *status becomes 1 when the student's program is wrong: the verdict is printed in a line, and
 * `show` is called all the same where the kernel can be launched (run_options.h, watch.wrong). A
 * block outside the grid is a harness failure, of a wrong kernel a message. */
bool block_run(struct block_run *wanted, int *status, struct failure *failure);

/* Print that line: "tile.cu: wrong_result, at 64 x 96: nothing was written to odata". */
void block_run_say_wrong(const char *path, const struct failure *wrong);

#endif
