/* measure.h: what the harness sees of one lab file: verdicts and counters, in fixed records.
 *
 * measure_in_cage runs in the interpreter's cage (cage.h): it parses the PTX, finds the exercise,
 * verifies it on every size and counts it in every run. Its answer is plain data that the parent
 * checks with measurement_check before believing it.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "rubric.h"

#include "emulator/device.h"
#include "exercise.h"
#include "record.h"

enum { MEASURE_LINES_MAX = 512 };

/* One verified size. */
struct measured_size {
    enum status status;
    char reason[RECORD_TEXT_SIZE]; /* the text of `tlab run`; "" when ok */
};

/* One counted run. */
struct measured_run {
    struct record record;     /* status and reason included */
    uint64_t vector_elements; /* moved by 16-byte global accesses */
    uint64_t shuffles, barriers;
    double block_order; /* mean distance, in tiles, between the columns of consecutive blocks' first
                           stores */
};

/* One source line with its cost, for the annotated source. */
struct measured_line {
    uint32_t line;
    bool shared; /* wavefronts, else sectors */
    uint64_t requests, used, ideal;
    double time_share;
};

struct measurement {
    char exercise[64];  /* what LAB() said; "" when nothing was said */
    enum status status; /* of loading: ok, compile_error, unsupported, untrusted, ... */
    char reason[FAILURE_TEXT_SIZE];
    struct measured_size sizes[RUBRIC_SIZES_MAX];
    unsigned size_count;
    struct measured_run runs[RUBRIC_RUNS_MAX];
    unsigned run_count;
    struct measured_line lines[MEASURE_LINES_MAX];
    unsigned line_count;
    char advice[512];
};

/* Is it well formed: texts end, counts and enums in range, numbers finite? What the cage sent is
 * believed only then. */
bool measurement_check(const struct measurement *measurement);

#endif
