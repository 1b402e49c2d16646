/* lab_run.h: one run of a lab file for a command, with its record, goals and line counters
 * (lab_run), or with the accesses of one block (block_run). */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "record/record_history.h"
#include "run/run.h"
#include "view/goal_list.h"

struct block_accesses;
struct emulator_launch;

struct lab_run {
    struct run_result *result; /* The last record contains the counters. */
    struct line_watch lines;
    struct goal_watch *goals;
    struct failure wrong;
};

/* Run and judge a lab file. Sets options->watch. Returns false for a harness failure, which names
 * the file. Always call lab_run_free. */
bool lab_run_do(struct lab_run *run, const char *path, struct run_options *options,
                struct failure *failure);
void lab_run_free(struct lab_run *run);

/* Returns the record that contains the counters. The run owns the record. */
const struct record *lab_run_record(const struct lab_run *run);
/* Write the name of a lab as in the table of `tlab run`: "03_padded" or "00_copy/copy_shared". */
void lab_run_name(const struct record *record, char *name, size_t size);

void lab_run_print_verdict(FILE *out, const struct lab_run *run);

/* Receives the arranged accesses after the run was verified. `launch` is valid only during the
 * call. Returns false for a harness failure. */
typedef bool block_run_show(void *context, const struct emulator_launch *launch,
                            const struct block_accesses *accesses, struct failure *failure);

#define BLOCK_RUN_ANY UINT32_MAX

struct block_run {
    const char *path;
    struct run_options options; /* A copy of the caller's options; block_run sets its callbacks. */
    /* The block to show. BLOCK_RUN_ANY, 0, 0 selects block 0,0, or a neighbour if block 0,0 makes
     * no access. block_run replaces this value by the block that was shown. */
    uint32_t block[3];
    /* True if the verdict of an incorrect kernel was already printed. */
    bool is_reported;
    const struct record *record; /* Record of the run, valid during `show`. */
    block_run_show *show;
    void *context;
};

/* Returns the malloc'd path of the only file of a target, which is a .cu file or a lab directory.
 * If the directory has several files, returns NULL, and the failure lists the files. */
char *block_run_source(const char *target, struct failure *failure);

/* Run the file. If the kernel is incorrect, *status becomes 1, and the verdict is printed in one
 * line. `show` is still called if the kernel can be launched. Returns false for a harness failure.
 * A block outside the grid is a harness failure only for a correct kernel. */
bool block_run(struct block_run *run, int *status, struct failure *failure);

/* Print a verdict in one line: "a.cu: wrong_result, at 64 x 96: nothing was written to odata". */
void block_run_print_wrong(const char *path, const struct failure *wrong);

#endif
