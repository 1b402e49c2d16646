/* judge.h: validate a device file with runs of the labs. No number is fitted to these runs. */
#ifndef CALIBRATE_JUDGE_H
#define CALIBRATE_JUDGE_H

#include "emulator/device/device.h"
#include "record/record.h"

struct gpu;

/* The caller frees `records`. */
struct judge_runs {
    struct record *records;
    size_t count;
};

/* Run the solutions 00 to 06 of `root`/solutions at n x n, on the GPU or, if `device` is not NULL,
 * on the emulator. Append their records to `runs`. If the GPU's counters cannot be read, `note`
 * (FAILURE_TEXT_SIZE bytes, or NULL) receives the reason. Returns false for a failure. */
bool judge_run_course(const char *root, struct gpu *gpu, const struct device *device, uint64_t n,
                      uint64_t workers, struct judge_runs *runs, char *note,
                      struct failure *failure);

/* Emulate each solution at each size in `measured`, and append the records to `emulated`. Returns
 * false for a failure. */
bool judge_emulate(const char *root, const struct judge_runs *measured, const struct device *device,
                   uint64_t workers, struct judge_runs *emulated, struct failure *failure);

/* Print one row per lab with the measured and modelled times, and the counters that differ. */
void judge_print(FILE *file, const struct judge_runs *measured, const struct judge_runs *emulated);

#endif
