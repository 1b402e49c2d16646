/* run_options.h: the options of one run of a lab file, set by commands. */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "base/failure.h"
#include "emulator/emulator.h"

#include <stdio.h>

struct gpu;
struct record;
struct source;

/* The caller must set the device. All other fields may be zero. */
struct run_options {
    const struct device *device;
    struct gpu *gpu; /* NULL to emulate. */
    uint64_t workers;
    struct {
        /* Size of the input; if 0, RUN_DEFAULT_SIZE, or RUN_DEFAULT_SIZE_GPU on a GPU. */
        uint64_t rows, cols;
        uint64_t seed;
        unsigned values; /* An enum arrays_values. */
    } size;
    struct {
        const char *const *defines; /* Operands of -D. */
        size_t define_count;
        bool loop_in_kernel; /* True for --loop kernel. */
        bool is_trial;       /* True to compile fast, because only the result is used. */
        uint64_t repeats;    /* Number of repetitions in the kernel with --loop kernel. */
    } build;
    struct {
        uint64_t samples; /* Number of timed launches on a GPU. */
        bool warm;        /* True to skip the cache flush before timed launches. */
    } timing;
    struct {
        uint64_t budget; /* Limit of warp instructions per launch; if 0, EMULATOR_GRID_BUDGET. */
        /* Mode of launches; LAUNCH_COMPUTE becomes LAUNCH_COUNT where counters are required. */
        enum launch_mode mode;
        bool is_anonymous; /* True if the kernel must not be able to identify its device. */
        unsigned repair;
        /* Unless this is SAMPLES_NONE, run_emulated_once first runs one eighth of the blocks of a
         * map. If these blocks store their share of the output correctly, no other block runs.
         * SAMPLES_NEARLY accepts slightly less than this share, because of partial tiles. With
         * SAMPLES_COUNTED, these blocks also count accesses for `watch.once`. */
        enum { SAMPLES_NONE, SAMPLES_SHARE, SAMPLES_NEARLY, SAMPLES_COUNTED } samples;
        /* If this is 1 or 2, fewer blocks are launched. In each dimension, the maximum is the side
         * of the matrix (1) or of the grid (2), divided by the block's shorter side. */
        unsigned shrinks_grid;
        /* Accept wrong elements in the last row and column of a map, and in the margin (arrays.h)
         * of a computed result. */
        bool spares_margin;
    } emulation;
    struct {
        FILE *output; /* Receives the printf output of kernels; NULL to discard the output. */
        void (*progress)(void *context, const char *what, double share);
        void *context;
        bool is_brief;
        bool repairs; /* True to include the tested repair in the text of a failure. */
    } report;
    struct {
        /* Called after each verified small size. */
        void (*small)(void *context, const struct emulator_launch *launch,
                      const struct emulator_result *result, uint64_t rows, uint64_t cols);
        /* Called by run_emulated_once for a correct result. */
        void (*once)(void *context, const struct emulator_launch *launch,
                     const struct emulator_result *result);
        /* Called at the end of a run. `source` is valid only during the call. */
        void (*done)(void *context, const struct source *source, struct record *record,
                     const struct failure *wrong);
        /* Called for the last emulated launch of a run: `begin` after the memory was set up, and
         * `inspect` after the result was verified. */
        void (*begin)(void *context, const struct emulator_launch *launch);
        void (*inspect)(void *context, const struct emulator_launch *launch,
                        const struct emulator_result *result);
        /* Called for an incorrect kernel before one more launch, which skips checks and
         * out-of-bounds accesses. The callback must discard the data of earlier launches. `inspect`
         * is called after this launch unless the launch fails. If NULL, there is no such launch. */
        void (*wrong)(void *context, const struct failure *wrong);
        void *context;
        const struct observer *observer;   /* Receives the accesses of one block. */
        struct partition_history *history; /* Receives the accesses to DRAM partitions. */
    } watch;
};

enum {
    RUN_DEFAULT_SIZE = 2048,
    RUN_DEFAULT_SIZE_GPU = 8192,
    RUN_DEFAULT_REPEATS = 10,
    RUN_DEFAULT_SAMPLES = 20,
    RUN_OUTPUT_LINES = 32,
};

#endif
