/* annotate.h: counters beside the lines of source that cause them.
 *
 * The line table of the PTX says which line an instruction came from; of an inlined function or a
 * macro it is the line in the student's own file that counts, innermost first.
 */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "emulator/emulator.h"

/* Sums over the instructions of one line. Indexed by enum annotate_access. */
enum annotate_access { ANNOTATE_LOAD, ANNOTATE_STORE, ANNOTATE_ACCESSES };

struct annotate_sums {
    uint64_t requests, sectors, wavefronts, ideal, bytes;
    int64_t distance; /* bytes between neighbouring lanes, of the access with the most excess */
};

struct annotate_line {
    uint64_t executed;
    struct annotate_sums global[ANNOTATE_ACCESSES], shared[ANNOTATE_ACCESSES];
};

/* Sum a launch's statistics by line of the file `path` (as the PTX spells it). lines[0] takes what
 * belongs to no line of it. `count` is the number of lines, beginning with 0. */
void annotate_gather(const struct emulator_launch *launch, const struct emulator_result *result,
                     const char *path, struct annotate_line *lines, size_t count);

/* One sentence on the worst access, or that there is none, at most `size` bytes. */
void annotate_advise(const struct annotate_line *lines, size_t count, const struct device *device,
                     char *text, size_t size);

/* Print the source with its counters. False when the file cannot be read. */
bool annotate_print(FILE *out, const char *path, const struct annotate_line *lines, size_t count,
                    const struct device *device);

#endif
