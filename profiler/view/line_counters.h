/* line_counters.h: the cost of each source line in a launch: the sums of the counters of its
 * instructions, and its share of the time.
 *
 * The line table of the PTX has a position for each instruction. NVIDIA's compilers also record the
 * call position of inlined code. An instruction belongs to the innermost line in the student's own
 * file. For a helper in the same file, this is the line in the helper. For a helper in a header,
 * the innermost line is the line of the call. A function that is in another file and is not inlined
 * has no line. The cost of such a function is charged to the lines that call it, in proportion to
 * the numbers of calls. */
#ifndef LINE_COUNTERS_H
#define LINE_COUNTERS_H

#include "emulator/device/device.h"
#include "emulator/ptx/ptx.h"
#include "goals/measured.h"

#include <stdio.h>

struct emulator_launch;
struct emulator_result;
struct observed_access;

/* Returns the line of an instruction in `path` (as spelled in the PTX); 0 if no instruction of
 * the function is in that file. If the call position of inlined code is unknown (clang before
 * version 21), returns the line of the previous instruction. */
uint32_t source_line(const struct ptx_module *module, const struct ptx_function *function,
                     size_t instruction, const char *path);

/* Returns the line of an access, or of the innermost call with a known line; 0 if unknown. */
uint32_t source_line_of_access(const struct ptx_module *module,
                               const struct observed_access *access, const char *path);

/* The kinds of access. */
enum line_access {
    GLOBAL_LOAD,
    GLOBAL_STORE,
    GLOBAL_ATOMIC,
    SHARED_LOAD,
    SHARED_STORE,
    SHARED_ATOMIC,
    LINE_ACCESSES
};
extern const struct line_access_info {
    const char *space, *access;  /* "global", "load" */
    const char *accesses, *verb; /* "loads", "read" */
    bool is_shared;
    enum column requests; /* the first column of this kind; COLUMN_COUNT if there is none */
    unsigned columns;     /* number of columns of this kind, which follow each other */
} line_accesses[LINE_ACCESSES];

/* Sums over the instructions of one line. */
struct access_sums {
    double requests, bytes;
    double used;      /* sectors (CC 1.x: segments) of global memory; wavefronts of shared memory */
    double ideal;     /* the minimum of `used` for these requests and bytes */
    double share;     /* share of the modelled time, 0 to 1 */
    int64_t distance; /* bytes between neighbouring lanes of the access with the largest excess */
};

struct line_counters {
    double share; /* share of the modelled time of its accesses and other instructions */
    struct access_sums accesses[LINE_ACCESSES];
};

/* Sum the statistics of a launch by line of the file `path` (as spelled in the PTX). lines[0]
 * receives instructions without a line. `count` is the number of lines, including line 0. A
 * line's share of the time is the sum of the shares of its instructions (timing_share.h). */
void line_counters_gather(const struct emulator_launch *launch,
                          const struct emulator_result *result, const char *path,
                          struct line_counters *lines, size_t count);

/* The bound of the time, for advice. */
struct time_goes {
    const char *bound;     /* name of the bound in the CSV */
    bool to_launch;        /* the bound is the launch overhead, and the work is negligible */
    bool to_partition;     /* the bound is the busiest DRAM partition */
    double conflict_share; /* see emulator.h */
};
struct time_goes time_goes_where(const struct emulator_result *result);

enum { LINE_WATCH_LINES = 1 << 16 };

/* The counters of the lines of a run: pass line_watch_inspect and a line_watch to
 * run_options.watch. Set `path` before the run, and free(lines) after it. */
struct line_watch {
    const char *path;
    struct line_counters *lines; /* LINE_WATCH_LINES elements; NULL if nothing was counted */
    double launch_share;         /* share of the launch overhead in the time */
    struct time_goes time_goes;
    char explanation[256]; /* explanation of the time */
    char limits[512];      /* the time of each bound, and figures of the machine code */
};
void line_watch_inspect(void *context, const struct emulator_launch *launch,
                        const struct emulator_result *result);

/* A callback for run_options.watch.wrong that retains the counters of an incorrect kernel. */
void line_watch_wrong(void *context, const struct failure *wrong);

/* List the accesses in ascending order of lines, to judge goals. Returns the number of accesses, at
 * most `most`. */
unsigned line_counters_list(const struct line_counters *lines, size_t count,
                            const struct device *device, struct measured_line *list, unsigned most);

/* Print the kernels of a source, and the functions that cost time, with the counters of their
 * lines. If the source has no kernel, print all of it. On CC 1.x, sectors are segments
 * (transactions). Returns false if the file cannot be read. */
bool line_counters_print(FILE *out, const char *path, const struct line_counters *lines,
                         size_t count);

#endif
