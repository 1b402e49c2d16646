/* calibration.h: do the counters tell the truth? Three kernels whose answers are known on paper.
 */
#ifndef GPU_CALIBRATION_H
#define GPU_CALIBRATION_H

#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernels; each moves CALIBRATION_ELEMENTS floats from `input` to `output`. */
enum calibration_kernel {
    CALIBRATION_COPY,     /* through registers */
    CALIBRATION_CONFLICT, /* through 32 x 32 tiles in shared memory, read by columns */
    CALIBRATION_PADDED,   /* the same with rows of 33 elements */
    CALIBRATION_COUNT
};

enum {
    CALIBRATION_BLOCKS = 256,
    CALIBRATION_THREADS = 1024, /* of a block, in x */
    CALIBRATION_ELEMENTS = CALIBRATION_BLOCKS * CALIBRATION_THREADS
};

/* One module with all kernels, for any chip from compute capability 7.0 on, and the entry that runs
 * each. The entry's parameters are output, input (64-bit addresses) and the tile's pitch in
 * elements (32 bits; absent for the copy). */
extern const char calibration_ptx[];
struct calibration {
    const char *name, *entry;
    uint32_t pitch;
    uint64_t shared_requests, load_conflicts; /* that a warp must count */
};
extern const struct calibration calibrations[CALIBRATION_COUNT];

/* Does the record of one launch hold what that kernel must count? Counters that are unknown are not
 * judged. Requests, sectors, L2 bytes and ideal wavefronts must be exact, conflicts within the band
 * of arbitration noise. False: `why` says which counter is off. */
bool calibration_agrees(enum calibration_kernel kernel, const struct record *record, char *why,
                        size_t why_size);

#endif
