/* run.h: one run of one lab file: target -> compile -> load -> launch -> verify -> count -> record.
 */
#ifndef RUN_H
#define RUN_H

#include "record/record.h"
#include "run/run_options.h"

enum { RUN_RECORDS_MAX = 2 };

/* The result of a run: one record. If the counters of a GPU cannot be read, there are two records:
 * the GPU's with times, and the emulator's with counters. `note` has the reason for the second
 * record, or for emulation instead of a run on the GPU. */
struct run_result {
    struct record records[RUN_RECORDS_MAX];
    unsigned count;
    char note[FAILURE_TEXT_SIZE];
};

/* Compile a lab file, verify it at several small and ragged sizes and at the requested size, and
 * count. Returns true if the result is filled. `failure` then has the student failure, if there is
 * one. Returns false for a harness failure; there is then no result. */
bool run_source(const char *path, const struct run_options *options, struct run_result *result,
                struct failure *failure);

/* Like run_source, with a malloc'd result. NULL for a harness failure, which names the file. */
struct run_result *run_source_new(const char *path, const struct run_options *options,
                                  struct failure *wrong, struct failure *failure);

/* run_source in three steps, so that the next source can be prepared while a GPU runs the first.
 * run_prepare compiles; it returns NULL if there is not enough memory. run_start submits the work
 * to the GPU after the previous run has finished. run_finish waits for the GPU (or emulates),
 * reports all failures, and frees the run. `path` and `options` must outlive the run. */
struct run;
struct run *run_prepare(const char *path, const struct run_options *options);
void run_start(struct run *work);
bool run_finish(struct run *work, struct run_result *result, struct failure *failure);
/* Free a run that was not started. `work` may be NULL. */
void run_abandon(struct run *work);

#endif
