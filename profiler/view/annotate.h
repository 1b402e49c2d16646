/* annotate.h: counters beside the lines of source that cause them, and their share of the time.
 *
 * source_line.h says to which line an instruction belongs. A function of another file that is not
 * inlined has none: what it does is charged to the lines that call it, in proportion to how often
 * each does.
 */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "emulator/emulator.h"

/* Sums over the instructions of one line. Indexed by enum annotate_access. */
enum annotate_access { ANNOTATE_LOAD, ANNOTATE_STORE, ANNOTATE_ACCESSES };

struct annotate_sums {
    double requests, sectors, wavefronts, ideal, bytes;
    double share;     /* of the modelled time, 0 to 1 */
    int64_t distance; /* bytes between neighbouring lanes, of the access with the most excess */
};

struct annotate_line {
    double share; /* of its accesses, and of its other instructions where those count */
    struct annotate_sums global[ANNOTATE_ACCESSES], shared[ANNOTATE_ACCESSES];
};

/* Sum a launch's statistics by line of the file `path` (as the PTX spells it). lines[0] takes what
 * belongs to no line of it. `count` is the number of lines, beginning with 0.
 *
 * The time model names one resource that bounds the time (timing.h). Of that time, which is all but
 * the launch's own, a line has the share that it has of the work of that resource: of sectors
 * (dram, dram_partition), of lines exchanged with the L2 (l2), of wavefronts and lines (shared,
 * lsu), of instructions (issue), of loads (latency). All shares and the launch's add up to 1.
 * False: no memory. */
bool annotate_gather(const struct emulator_launch *launch, const struct emulator_result *result,
                     const char *path, struct annotate_line *lines, size_t count);

/* One sentence on the worst access, or that there is none, at most `size` bytes. */
void annotate_advise(const struct annotate_line *lines, size_t count, const struct device *device,
                     char *text, size_t size);

/* Print the source with its counters. Sectors are segments (transactions) on CC 1.x. False when the
 * file cannot be read. */
bool annotate_print(FILE *out, const char *path, const struct annotate_line *lines, size_t count,
                    const struct device *device);

#endif
