/* lab_run.h: one run of a lab file with everything that commands print: the record, the goals and
 * the counters of the lines; or with the accesses of one block (block_accesses.h), which `tlab
 * explain` and `tlab picture` show.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "record/record_history.h"
#include "run/run.h"
#include "view/goal_list.h"

struct block_accesses;
struct emulator_launch;

struct lab_run {
    struct run_result *result; /* its last record has the counters */
    struct line_watch lines;
    struct goal_watch *goals;
    struct failure wrong; /* the student failure, if any */
};

/* Run and judge a lab file; free the run in any case. Sets options->watch. Returns false for a
 * harness failure, which names the file. */
bool lab_run_do(struct lab_run *run, const char *path, struct run_options *options,
                struct failure *failure);
void lab_run_free(struct lab_run *run);

/* Returns the record that has the counters. */
const struct record *lab_run_record(const struct lab_run *run);
/* "03_padded" or "00_copy/copy_shared", as in the table of `tlab run`. */
void lab_run_name(const struct record *record, char *name, size_t size);

/* Print the failure, or else the goals. */
void lab_run_print_verdict(FILE *out, const struct lab_run *run);

/* ---- One block ---- */

/* Called after the run was verified, with the accesses arranged. `launch` is valid only during the
 * call. Returns false for a harness failure. */
typedef bool block_run_show(void *context, const struct emulator_launch *launch,
                            const struct block_accesses *accesses, struct failure *failure);

#define BLOCK_RUN_ANY UINT32_MAX

struct block_run {
    const char *path;
    struct run_options options; /* a copy; block_run sets its hooks */
    /* The block; or BLOCK_RUN_ANY, 0, 0 for block 0,0 or a neighbour that makes an access. After
     * the run, the block that was shown. */
    uint32_t block[3];
    bool is_reported;            /* the verdict of an incorrect kernel was printed */
    const struct record *record; /* the record of the run, for `show` */
    block_run_show *show;
    void *context;
};

/* Returns the one file of a target: a .cu file, or a lab directory with a single file. malloc'd;
 * NULL with a failure that lists the files if there are several. */
char *block_run_source(const char *target, struct failure *failure);

/* Run. *status becomes 1 if the student's program is incorrect. The verdict is then printed in one
 * line, and `show` is still called if the kernel can be launched (run_options.h, watch.wrong). A
 * block outside the grid is a harness failure; for an incorrect kernel it is only a message. */
bool block_run(struct block_run *run, int *status, struct failure *failure);

/* Print that line: "tile.cu: wrong_result, at 64 x 96: nothing was written to odata". */
void block_run_print_wrong(const char *path, const struct failure *wrong);

#endif
