/* run_options.h: how one lab file is to be run: what commands ask for, and all of run/ reads.
 */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "base/failure.h"
#include "emulator/emulator.h"

#include <stdio.h>

struct gpu;
struct record;
struct source;

/* How to run a source. All zero is a run of one worker on an emulated device that is yet to be
 * set. */
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
        uint64_t budget;       /* warp instructions of one launch; 0: EMULATOR_GRID_BUDGET */
        enum launch_mode mode; /* the run that is modelled counts in any case */
        bool is_anonymous;     /* the kernel cannot read which device it runs on */
        unsigned repair;       /* enum emulator_repair: run as if mistakes were not there */
    } emulation;
    struct {
        FILE *output; /* of the device's printf */
        void (*progress)(void *context, const char *what, double share);
        void *context; /* of progress */
        bool is_brief; /* a failure's text says what is wrong; nobody looks for the mistake */
    } report;
    /* All may be NULL. */
    struct {
        /* Called for each small size that was verified first, emulated. */
        void (*small)(void *context, const struct emulator_launch *launch,
                      const struct emulator_result *result, uint64_t rows, uint64_t cols);
        /* Of run_emulated_once, when the result was right. */
        void (*once)(void *context, const struct emulator_launch *launch,
                     const struct emulator_result *result);
        /* Called at the end of a run, right or wrong, that is recorded, while its source is
         * still there. */
        void (*done)(void *context, const struct source *source, struct record *record,
                     const struct failure *wrong);
        /* Of the last emulated launch of a run: called before it, when its memory is there; and
         * after it was verified. */
        void (*begin)(void *context, const struct emulator_launch *launch);
        void (*inspect)(void *context, const struct emulator_launch *launch,
                        const struct emulator_result *result);
        /* A kernel is wrong, but will be launched once more to be looked at, without checks and
         * without its accesses out of bounds; `inspect` follows where that launch ends. What was
         * seen of launches before is to be forgotten. NULL: wrong kernels are not looked at. */
        void (*wrong)(void *context, const struct failure *wrong);
        void *context;                     /* of these */
        const struct observer *observer;   /* shown one block's accesses */
        struct partition_history *history; /* filled */
    } watch;
};

enum {
    RUN_DEFAULT_SIZE = 2048,
    RUN_DEFAULT_SIZE_GPU = 8192,
    RUN_DEFAULT_REPEATS = 10,
    RUN_DEFAULT_SAMPLES = 20,
    RUN_OUTPUT_LINES = 32, /* of device printf that are shown of a launch */
};

#endif
