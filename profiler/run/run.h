/* run.h: one run of one lab file: target -> compile -> load -> launch -> verify -> count -> record.
 */
#ifndef RUN_H
#define RUN_H

#include "record/record.h"
#include "run/run_options.h"

enum { RUN_RECORDS_MAX = 2 };

/* The result of a run: one record; or two if the counters of a GPU cannot be read, the GPU's with
 * times and the emulator's with counters. `note` has the reason for that, or for emulation instead
 * of a run on the GPU. */
struct run_result {
    struct record records[RUN_RECORDS_MAX];
    unsigned count;
    char note[FAILURE_TEXT_SIZE];
};

/* Compile a lab file, verify it at several small and ragged sizes and at the requested size, and
 * count. True: the result is filled, also after a student failure, which is also in `failure`.
 * False: a harness failure, and no result. */
bool run_source(const char *path, const struct run_options *options, struct run_result *result,
                struct failure *failure);

/* The same with a malloc'd result. NULL: a harness failure, which names the file. */
struct run_result *run_source_new(const char *path, const struct run_options *options,
                                  struct failure *wrong, struct failure *failure);

/* The same in three steps, so that the next source can be prepared while a GPU runs this one:
 * run_prepare compiles; run_start submits the work to the GPU after the previous run has
 * finished; run_finish waits for it (or emulates) and frees the run. run_finish reports all
 * failures. NULL: not enough memory. `path` and `options` must outlive the run. */
struct run;
struct run *run_prepare(const char *path, const struct run_options *options);
void run_start(struct run *work);
bool run_finish(struct run *work, struct run_result *result, struct failure *failure);
/* Free a run that was not started. `work` may be NULL. */
void run_abandon(struct run *work);

#endif
