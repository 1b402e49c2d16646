/* calibration.h: check the hardware counters with three kernels that have known counts. */
#ifndef GPU_CALIBRATION_H
#define GPU_CALIBRATION_H

#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each kernel moves CALIBRATION_ELEMENTS floats from `input` to `output`. */
enum calibration_kernel {
    CALIBRATION_COPY,     /* Through registers. */
    CALIBRATION_CONFLICT, /* Through 32 x 32 tiles in shared memory, which warps read by columns. */
    CALIBRATION_PADDED,   /* Through 32 x 33 tiles in shared memory, which warps read by columns. */
    CALIBRATION_COUNT
};

enum {
    CALIBRATION_BLOCKS = 256,
    CALIBRATION_THREADS = 1024,
    CALIBRATION_ELEMENTS = CALIBRATION_BLOCKS * CALIBRATION_THREADS
};

/* PTX for compute capability 7.0 and later. The parameters of an entry are the addresses of output
 * and input (64 bits) and, except for the copy, the pitch of the tile in elements (32 bits). */
extern const char calibration_ptx[];
struct calibration {
    const char *name, *entry;
    uint32_t pitch;
    uint64_t shared_requests, load_conflicts; /* Expected counts per warp. */
};
extern const struct calibration calibrations[CALIBRATION_COUNT];

/* Returns true if the record of one launch has the expected counts. Otherwise, `why` names the
 * incorrect counter. Requests, sectors, L2 bytes and ideal wavefronts must be exact. Conflicts may
 * include arbitration noise. Counters that are not in the record are not checked. */
bool calibration_agrees(enum calibration_kernel kernel, const struct record *record, char *why,
                        size_t why_size);

#endif
