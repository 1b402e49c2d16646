/* run_options.h: the options of one run of a lab file, set by commands. */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "base/failure.h"
#include "emulator/emulator.h"

#include <stdio.h>

struct gpu;
struct record;
struct source;

/* The options of a run. All zero: one worker, and an emulated device that must be set. */
struct run_options {
    const struct device *device; /* The device to emulate. */
    struct gpu *gpu;             /* The GPU to run on, or NULL. */
    uint64_t workers;            /* Number of worker threads. */
    struct {
        uint64_t rows, cols; /* Size of the input; 0: RUN_DEFAULT_SIZE or RUN_DEFAULT_SIZE_GPU. */
        uint64_t seed;       /* Seed of the input's elements. */
    } size;
    struct {
        const char *const *defines; /* Macros of -D. */
        size_t define_count;
        bool loop_in_kernel; /* --loop kernel. */
        uint64_t repeats;    /* Repetitions in the kernel. */
    } build;
    struct {
        uint64_t samples; /* Timed launches on a GPU. */
        bool warm;        /* Do not flush the caches before timed launches. */
    } timing;
    struct {
        uint64_t budget;       /* Warp instructions per launch; 0: EMULATOR_GRID_BUDGET. */
        enum launch_mode mode; /* With a modelled time, accesses are always counted. */
        bool is_anonymous;     /* The kernel cannot identify its device. */
        unsigned repair;       /* enum emulator_repair: mistakes to repair during the launch. */
        /* run_emulated_once first runs one block in eight of a map of the matrix. All blocks run
         * only if the sample did not store its share of the output correctly (SAMPLES_NEARLY:
         * nearly its share, for partial tiles). */
        enum { SAMPLES_NONE, SAMPLES_SHARE, SAMPLES_NEARLY } samples;
        /* 1 or 2: launch fewer blocks. In each dimension, the new number is the number of matrix
         * elements (1) or of the grid's blocks (2), divided by the shorter side of a block. */
        unsigned shrinks_grid;
        /* Accept wrong elements in the last row and column. For a computed result, accept them in
         * the first and the last row and column. */
        bool spares_margin;
    } emulation;
    struct {
        FILE *output; /* Receives the output of printf in kernels; NULL: discarded. */
        void (*progress)(void *context, const char *what, double share);
        void *context; /* Passed to progress. */
        bool is_brief; /* Report failures without a diagnosis. */
        bool repairs;  /* Retain the tested repair in the text of a failure. */
    } report;
    /* Callbacks; all may be NULL. */
    struct {
        /* Called after each small size that was verified. */
        void (*small)(void *context, const struct emulator_launch *launch,
                      const struct emulator_result *result, uint64_t rows, uint64_t cols);
        /* Called by run_emulated_once if the result is correct. */
        void (*once)(void *context, const struct emulator_launch *launch,
                     const struct emulator_result *result);
        /* Called at the end of a recorded run, while its source still exists. */
        void (*done)(void *context, const struct source *source, struct record *record,
                     const struct failure *wrong);
        /* Called for the last emulated launch of a run: after its memory was set up, and after it
         * was verified. */
        void (*begin)(void *context, const struct emulator_launch *launch);
        void (*inspect)(void *context, const struct emulator_launch *launch,
                        const struct emulator_result *result);
        /* Called for a wrong kernel, before one more launch without checks and out-of-bounds
         * accesses. The callback must discard the data of earlier launches. `inspect` is called if
         * the additional launch ends. NULL: wrong kernels are not launched again. */
        void (*wrong)(void *context, const struct failure *wrong);
        void *context;                     /* Passed to these callbacks. */
        const struct observer *observer;   /* Receives the accesses of one block. */
        struct partition_history *history; /* Receives the accesses to DRAM partitions. */
    } watch;
};

enum {
    RUN_DEFAULT_SIZE = 2048,
    RUN_DEFAULT_SIZE_GPU = 8192,
    RUN_DEFAULT_REPEATS = 10,
    RUN_DEFAULT_SAMPLES = 20,
    RUN_OUTPUT_LINES = 32, /* Lines of printf output that are shown per launch. */
};

#endif
