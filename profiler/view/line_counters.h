/* line_counters.h: what each line of a source cost in a whole launch: the counters of its
 * instructions, summed, and its share of the time.
 *
 * The line table of the PTX gives each instruction a position, and NVIDIA's compilers also say
 * where inlined code was called from. The line that counts is the innermost one in the student's
 * own file: of a helper in the same file its own line, of one in a header the line that calls it. A
 * function of another file that is not inlined has none: what it does is charged to the lines that
 * call it, in proportion to how often each does.
 */
#ifndef LINE_COUNTERS_H
#define LINE_COUNTERS_H

#include "emulator/device/device.h"
#include "emulator/ptx/ptx.h"
#include "goals/measured.h"

#include <stdio.h>

struct emulator_launch;
struct emulator_result;
struct observed_access;

/* The line of `path` (as the PTX spells it) that an instruction of a function belongs to, or 0:
 * none of the function is in that file. Where the compiler does not say from where it inlined code
 * (clang before version 21), that is the line of the instruction before. */
uint32_t source_line(const struct ptx_module *module, const struct ptx_function *function,
                     size_t instruction, const char *path);

/* The line of an access: its own, or that of the innermost call that has one. 0: unknown. */
uint32_t source_line_of_access(const struct ptx_module *module,
                               const struct observed_access *access, const char *path);

/* Sums over the instructions of one line. Indexed by enum line_access. */
enum line_access { LINE_LOAD, LINE_STORE, LINE_ACCESSES };

struct access_sums {
    double requests, sectors, wavefronts, ideal, bytes;
    double share;     /* of the modelled time, 0 to 1 */
    int64_t distance; /* bytes between neighbouring lanes, of the access with the most excess */
};

struct line_counters {
    double share; /* of its accesses, and of its other instructions where those count */
    struct access_sums global[LINE_ACCESSES], shared[LINE_ACCESSES];
};

/* Sum a launch's statistics by line of the file `path` (as the PTX spells it). lines[0] takes what
 * belongs to no line of it. `count` is the number of lines, beginning with 0.
 *
 * A line's share of the time is that of its instructions (timing_share.h). False: no memory. */
bool line_counters_gather(const struct emulator_launch *launch,
                          const struct emulator_result *result, const char *path,
                          struct line_counters *lines, size_t count);

/* Where the time goes, as far as advice must know it. */
struct time_goes {
    const char *bound;     /* the CSV's name of what limits it */
    bool to_launch;        /* which is the launch: the work hardly counts */
    bool to_partition;     /* which is the busiest partition of DRAM */
    double conflict_share; /* emulator.h */
};
struct time_goes time_goes_where(const struct emulator_result *result);

enum { LINE_WATCH_LINES = 1 << 16 };

/* What a run tells of its lines and its time while the launch is there to look at: give
 * line_watch_inspect and a watch to run_options.watch. Set the path before; free(lines) behind. */
struct line_watch {
    const char *path;
    struct line_counters *lines; /* LINE_WATCH_LINES of them; NULL: nothing was counted */
    bool no_memory;
    double launch_share; /* of the time: the launch's own */
    struct time_goes time_goes;
    char explanation[256]; /* of the time */
};
void line_watch_inspect(void *context, const struct emulator_launch *launch,
                        const struct emulator_result *result);

/* Of a wrong kernel, too: nothing is forgotten, and the last launch stays. */
void line_watch_wrong(void *context, const struct failure *wrong);

/* What accesses each line has, ascending, as goals are judged by them: at most `most`. How many. */
unsigned line_counters_list(const struct line_counters *lines, size_t count,
                            const struct device *device, struct measured_line *list, unsigned most);

/* Sectors (or segments, of each half-warp) that the bytes of an average global request need. Lanes
 * that share their bytes need fewer, and then have them. */
double line_ideal_sectors(const struct access_sums *sums, const struct device *device);

/* Print a source with the counters of its lines. Sectors are segments (transactions) on CC 1.x.
 * False when the file cannot be read. */
bool line_counters_print(FILE *out, const char *path, const struct line_counters *lines,
                         size_t count, const struct device *device);

#endif
