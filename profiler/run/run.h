/* run.h: a run of a lab file: compile -> load -> launch -> verify -> count -> record. */
#ifndef RUN_H
#define RUN_H

#include "record/record.h"
#include "run/run_options.h"

enum { RUN_RECORDS_MAX = 2 };

/* If the counters of a GPU cannot be read, the emulator's record with counters follows the GPU's
 * record with times. `note` is the reason for the second record, or for emulation. */
struct run_result {
    struct record records[RUN_RECORDS_MAX];
    unsigned count;
    char note[FAILURE_TEXT_SIZE];
};

/* Compile a lab file, verify it at several small sizes and at the requested size, and collect its
 * counters. Returns false for a harness failure; otherwise, `failure` may be a student failure. */
bool run_source(const char *path, const struct run_options *options, struct run_result *result,
                struct failure *failure);

/* Like run_source, but returns a malloc'd result. `wrong` receives a student failure. Returns NULL
 * for a harness failure, which names the file. */
struct run_result *run_source_new(const char *path, const struct run_options *options,
                                  struct failure *wrong, struct failure *failure);

/* The steps of run_source, so that the caller can prepare the next source while a GPU runs.
 * run_prepare compiles; it returns NULL if there is not enough memory. run_start submits the work
 * to the GPU after the previous run has finished. run_finish waits for the GPU (or emulates),
 * reports all failures, and frees the run. `path` and `options` must outlive the run. */
struct run;
struct run *run_prepare(const char *path, const struct run_options *options);
void run_start(struct run *work);
bool run_finish(struct run *work, struct run_result *result, struct failure *failure);
/* Free a run without run_finish. `work` may be NULL. */
void run_abandon(struct run *work);

#endif
