/* run.h: one run of one lab file: target -> compile -> load -> launch -> verify -> count -> record.
 */
#ifndef RUN_H
#define RUN_H

#include "emulator/device.h"
#include "exercise.h"
#include "record.h"

struct run_options {
    const struct device *device;
    uint64_t rows, cols; /* 0: RUN_DEFAULT_SIZE */
    uint64_t seed;
    const char *const *defines; /* -D */
    size_t define_count;
    bool loop_in_kernel; /* --loop kernel */
    unsigned repeats;    /* repetitions inside the kernel, for loop_in_kernel */
    unsigned workers;
    FILE *output; /* device printf */
    void (*progress)(void *context, const char *what, double share);
    void *progress_context;
};

enum { RUN_DEFAULT_SIZE = 2048, RUN_DEFAULT_REPEATS = 10 };

/* Compile a lab file, verify it on a few small and ragged sizes and at the wanted size, and count.
 * True: the record is filled, also when the student's program failed (its status and reason then
 * stand in `failure` too, as FAILURE_STUDENT). False: a harness failure, and no record. */
bool run_source(const char *path, const struct run_options *options, struct record *record,
                struct failure *failure);

#endif
