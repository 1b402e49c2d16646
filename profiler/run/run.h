/* run.h: one run of one lab file: target -> compile -> load -> launch -> verify -> count -> record.
 */
#ifndef RUN_H
#define RUN_H

#include "record/record.h"
#include "run/run_options.h"

enum { RUN_RECORDS_MAX = 2 };

/* What a run leaves: one record, or two where a GPU's counters cannot be read: the GPU's with
 * times, and the emulator's with counters. `note` then says why, and why a run that asked for a
 * GPU was emulated. */
struct run_result {
    struct record records[RUN_RECORDS_MAX];
    unsigned count;
    char note[FAILURE_TEXT_SIZE];
};

/* Compile a lab file, verify it on a few small and ragged sizes and at the wanted size, and count.
 * True: the result is filled, also when the student's program failed (its status and reason then
 * stand in `failure` too, as FAILURE_STUDENT). False: a harness failure, and no result. */
bool run_source(const char *path, const struct run_options *options, struct run_result *result,
                struct failure *failure);

/* The same, with a result of its own, malloc'd. NULL: a harness failure, which names the file. */
struct run_result *run_source_new(const char *path, const struct run_options *options,
                                  struct failure *wrong, struct failure *failure);

/* The same in three steps, so that the next source can be prepared while a GPU works on this one:
 * run_prepare compiles; run_start, after the run before it was finished, gives work to the GPU;
 * run_finish waits for it (or emulates) and frees the run. Failures show in run_finish. NULL: no
 * memory. `path` and `options` must outlive the run. */
struct run;
struct run *run_prepare(const char *path, const struct run_options *options);
void run_start(struct run *work);
bool run_finish(struct run *work, struct run_result *result, struct failure *failure);
/* Free a run that was not started. May be NULL. */
void run_abandon(struct run *work);

#endif
