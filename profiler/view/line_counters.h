/* line_counters.h: what each line of a source cost in a whole launch: the counters of its
 * instructions, summed, and its share of the time. listing.h prints them.
 *
 * source_line.h says to which line an instruction belongs. A function of another file that is not
 * inlined has none: what it does is charged to the lines that call it, in proportion to how often
 * each does.
 */
#ifndef LINE_COUNTERS_H
#define LINE_COUNTERS_H

#include "emulator/device/device.h"
#include "goals/measured.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emulator_launch;
struct emulator_result;

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

/* What accesses each line has, ascending, as goals are judged by them: at most `most`. How many. */
unsigned line_counters_list(const struct line_counters *lines, size_t count,
                            const struct device *device, struct measured_line *list, unsigned most);

#endif
