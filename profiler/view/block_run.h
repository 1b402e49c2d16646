/* block_run.h: run one lab file and show the accesses of one of its blocks (block_accesses.h): what
 * `tlab explain` and `tlab picture` have in common.
 */
#ifndef BLOCK_RUN_H
#define BLOCK_RUN_H

#include "run/run.h"
#include "view/block_accesses.h"

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
