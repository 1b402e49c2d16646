/* calibration.h: check the hardware counters with three kernels of known counts. */
#ifndef GPU_CALIBRATION_H
#define GPU_CALIBRATION_H

#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each kernel moves CALIBRATION_ELEMENTS floats from `input` to `output`. */
enum calibration_kernel {
    CALIBRATION_COPY,     /* through registers */
    CALIBRATION_CONFLICT, /* through 32 x 32 tiles in shared memory, read by columns */
    CALIBRATION_PADDED,   /* through 32 x 33 tiles, read by columns */
    CALIBRATION_COUNT
};

enum {
    CALIBRATION_BLOCKS = 256,
    CALIBRATION_THREADS = 1024, /* Threads of a block, in x. */
    CALIBRATION_ELEMENTS = CALIBRATION_BLOCKS * CALIBRATION_THREADS
};

/* The PTX of all kernels, for compute capability 7.0 and later. The parameters of each entry are
 * output, input (64-bit addresses) and the pitch of the tile in elements (32 bits; not for the
 * copy). */
extern const char calibration_ptx[];
struct calibration {
    const char *name, *entry;
    uint32_t pitch;
    uint64_t shared_requests, load_conflicts; /* Expected counts per warp. */
};
extern const struct calibration calibrations[CALIBRATION_COUNT];

/* Returns true if the record of one launch has the expected counts. Otherwise, `why` names the
 * incorrect counter. Requests, sectors, L2 bytes and ideal wavefronts must be exact; conflicts may
 * include arbitration noise. Counters that the record does not contain are skipped. */
bool calibration_agrees(enum calibration_kernel kernel, const struct record *record, char *why,
                        size_t why_size);

#endif
