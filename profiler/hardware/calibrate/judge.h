/* judge.h: a device file judged by the labs. Nothing in it was fitted to them on this GPU; the
 * naive one, on two others, gave a factor of the rate of stores (fit.c).
 */
#ifndef CALIBRATE_JUDGE_H
#define CALIBRATE_JUDGE_H

#include "emulator/device/device.h"
#include "record/record.h"

struct gpu;

/* Records of runs; free(records). */
struct judge_runs {
    struct record *records;
    size_t count;
};

/* Run the course's solutions (00 to 06 of `root`/solutions) on the GPU, or, with `device`, on
 * the emulator, at n x n, and append their records. Where the GPU's counters cannot be read,
 * `note` (FAILURE_TEXT_SIZE) says why. */
bool judge_run_course(const char *root, struct gpu *gpu, const struct device *device, uint64_t n,
                      uint64_t workers, struct judge_runs *runs, char *note,
                      struct failure *failure);

/* Emulate on `device` what was measured: each of those labs at each size. */
bool judge_emulate(const char *root, const struct judge_runs *measured, const struct device *device,
                   uint64_t workers, struct judge_runs *emulated, struct failure *failure);

/* Print a row a lab, with measured and modelled time and the deviation at each size, and which
 * exact counters differ. What was measured at one size only has that size. */
void judge_print(FILE *file, const struct judge_runs *measured, const struct judge_runs *emulated);

#endif
