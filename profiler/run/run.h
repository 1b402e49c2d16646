/* run.h: one run of one lab file: target -> compile -> load -> launch -> verify -> count -> record.
 */
#ifndef RUN_H
#define RUN_H

#include "course/exercise.h"
#include "emulator/device/device.h"
#include "record/record.h"

struct gpu;
struct emulator_launch;
struct emulator_result;
struct observer;
struct partition_history;

/* How to run a source. All zero is a run of one worker on an emulated device that is yet to be set. */
struct run_options {
    const struct device *device; /* to emulate, */
    struct gpu *gpu;             /* or the GPU to run on */
    uint64_t workers;            /* threads of this process */
    struct {
        uint64_t rows, cols; /* of the input matrix; 0: RUN_DEFAULT_SIZE, RUN_DEFAULT_SIZE_GPU */
        uint64_t seed;       /* of its elements */
    } size;
    struct {
        const char *const *defines; /* -D */
        size_t define_count;
        bool loop_in_kernel; /* --loop kernel, */
        uint64_t repeats;    /* which repeats inside the kernel */
    } build;
    struct {
        uint64_t samples; /* timed launches on a GPU */
        bool warm;        /* caches are not flushed before them */
    } timing;
    struct {
        uint64_t budget; /* warp instructions of one launch; 0: EMULATOR_GRID_BUDGET */
        bool unchecked;  /* do not look for races and undefined reads */
    } emulation;
    struct {
        FILE *output; /* of the device's printf */
        void (*progress)(void *context, const char *what, double share);
        void *context; /* of progress */
    } report;
    /* Of the last emulated launch of a run; all may be NULL. */
    struct {
        /* Called after it was verified. */
        void (*inspect)(void *context, const struct emulator_launch *launch,
                        const struct emulator_result *result);
        void *context;                     /* of inspect */
        const struct observer *observer;   /* shown one block's accesses */
        struct partition_history *history; /* filled */
    } watch;
};

enum {
    RUN_DEFAULT_SIZE = 2048,
    RUN_DEFAULT_SIZE_GPU = 8192,
    RUN_DEFAULT_REPEATS = 10,
    RUN_DEFAULT_SAMPLES = 20,
    RUN_RECORDS_MAX = 2,
};

/* What a run leaves: one record, or two where a GPU's counters cannot be read: the GPU's with
 * times, and the emulator's with counters. `note` then says why, in a sentence. */
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
