/* line_counters.h: the counters of each source line in a launch, and its share of the time. An
 * instruction belongs to the innermost line in the student's own file, according to the line table
 * of the PTX. If a function of another file is not inlined, its cost is charged to the lines that
 * call the function, in proportion to the numbers of calls. */
#ifndef LINE_COUNTERS_H
#define LINE_COUNTERS_H

#include "emulator/device/device.h"
#include "emulator/ptx/ptx.h"
#include "goals/measured.h"

#include <stdio.h>

struct emulator_launch;
struct emulator_result;
struct observed_access;

/* Returns the line of an instruction in the file `path` (as spelled in the PTX); 0 if no position
 * up to this instruction is in that file. The call position of inlined code may be unknown (clang
 * before version 21). The result is then the line of the nearest previous instruction in the
 * file. */
uint32_t source_line(const struct ptx_module *module, const struct ptx_function *function,
                     size_t instruction, const char *path);

/* Returns the line of an access, or of the innermost call with a known line; 0 if unknown. */
uint32_t source_line_of_access(const struct ptx_module *module,
                               const struct observed_access *access, const char *path);

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
    const char *space, *access;  /* For example, "global", "load". */
    const char *accesses, *verb; /* For example, "loads", "read". */
    bool is_shared;
    enum column requests; /* First column of this kind of access; COLUMN_COUNT if there is none. */
    unsigned columns;     /* Number of consecutive columns of this kind of access. */
} line_accesses[LINE_ACCESSES];

struct access_sums {
    double requests, bytes;
    /* Sectors (CC 1.x: segments) in global memory, or wavefronts in shared memory. */
    double used;
    double ideal;     /* Minimum of `used` for the same requests and bytes. */
    double share;     /* Share of the modelled time, 0 to 1. */
    int64_t distance; /* Bytes between neighbouring lanes in the access with the largest excess. */
};

struct line_counters {
    double share; /* Share of the modelled time of all instructions of the line, 0 to 1. */
    struct access_sums accesses[LINE_ACCESSES];
};

/* Add the statistics of a launch to the lines of the file `path` (as spelled in the PTX). `lines`
 * has `count` elements; lines[0] receives the instructions without a line. The time share of a line
 * is the sum of the shares of its instructions (timing_share.h). */
void line_counters_gather(const struct emulator_launch *launch,
                          const struct emulator_result *result, const char *path,
                          struct line_counters *lines, size_t count);

struct time_goes {
    const char *bound; /* Name of the bound as in the CSV. */
    bool to_launch;
    bool to_partition;     /* True if the busiest DRAM partition limits the time. */
    double conflict_share; /* See struct emulator_result in emulator.h. */
};
struct time_goes time_goes_where(const struct emulator_result *result);

enum { LINE_WATCH_LINES = 1 << 16 };

/* The counters of the source lines of a run. Pass a line_watch and line_watch_inspect to
 * run_options.watch. The caller sets `path` before the run, and frees `lines` after it. */
struct line_watch {
    const char *path;
    struct line_counters *lines; /* LINE_WATCH_LINES elements; NULL if nothing was counted. */
    double launch_share;         /* Share of the launch overhead in the modelled time. */
    struct time_goes time_goes;
    char explanation[256];
    char limits[512]; /* Time of each bound, and data about the machine code. */
};
void line_watch_inspect(void *context, const struct emulator_launch *launch,
                        const struct emulator_result *result);

/* An empty callback for run_options.watch.wrong, so that incorrect kernels are counted, too. */
void line_watch_wrong(void *context, const struct failure *wrong);

/* Write the loads and stores of all lines to `list`, in ascending order of lines, for the check of
 * goals. Returns the number of written entries, at most `most`. */
unsigned line_counters_list(const struct line_counters *lines, size_t count,
                            const struct device *device, struct measured_line *list, unsigned most);

/* Print the kernels of a source, and the functions that have a cost, with the counters of their
 * lines; the whole source if it contains no kernel. Returns false if the file cannot be read. */
bool line_counters_print(FILE *out, const char *path, const struct line_counters *lines,
                         size_t count);

#endif
