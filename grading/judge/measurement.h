/* measurement.h: verdicts and counters of one lab file. A sandbox sends these structures as plain
 * data, which is untrusted until measurement_check. */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "compile/compile.h"
#include "goals/measured.h"
#include "text/naming.h"

enum {
    MEASURE_LINES_MAX = 512,
    SOURCE_LINES_MAX = 4096, /* only lines below this number have counters */
};

struct measured_size {
    enum status status;
    char reason[RECORD_TEXT_SIZE]; /* message of `tlab run`; "" if the status is ok */
};

void measured_size_set(struct measured_size *size, const struct failure *failure);

struct measurement {
    char exercise[64]; /* name in LAB(), repaired if it was wrong; "" if missing */
    bool has_rubric;
    char naming[NAMING_TEXT];
    enum status status; /* status of loading the file */
    char reason[FAILURE_TEXT_SIZE];
    struct measured_size sizes[RUBRIC_SIZES_MAX];
    unsigned size_count;
    struct measured_run runs[RUBRIC_COUNTED_MAX];
    unsigned run_count;
    /* Mistakes without which the kernel is correct, and the runs after their repair (`repaired`).
     * For RUBRIC_MISTAKE_SQUARES, the matrices of these runs are square. */
    enum rubric_mistake mistake, second_mistake;
    /* Line of a condition on the size that had the same result at all sizes; 0 if none. */
    uint32_t untried_line;
    bool spares_margin; /* only elements at the edges are incorrect (see run_options.h) */
    bool is_idle;       /* a smaller size was verified instead, because most blocks are idle */
    /* Busiest block's share of the warp instructions at the huge size; 0 if unknown. */
    double busiest_share;
    struct measured_run repaired[RUBRIC_COUNTED_MAX];
    struct measured_line lines[MEASURE_LINES_MAX]; /* lines of the first run, ascending */
    unsigned line_count;
    char advice[512];
};

/* A compiled file, and the rubrics of the exercises to which it may belong. */
struct measure_job {
    const char *path;          /* path of the file, as in the .file lines of the PTX */
    const unsigned char *text; /* source, for the shapes of shared arrays; may be NULL */
    size_t text_bytes;
    const struct compile_result *compiled;
    const struct rubric *rubrics;
    size_t rubric_count;
    const struct rubric *suggested; /* rubric for the file name, or NULL */
    bool overrules;                 /* `suggested` replaces the exercise in LAB() */
    const char *repaired;           /* sentences on repairs in the text, or NULL */
};

/* Returns true if the measurement is well formed and belongs to this job: texts, counts,
 * enumerations and numbers are valid, and columns that no kernel affects have the job's values. */
bool measurement_check(const struct measurement *measurement, const struct measure_job *job);

/* Returns true for a hidden size of whole tiles. If the instructions at this size differ from the
 * first run, the first run's twin is counted at this size. */
bool measurement_is_whole(const struct rubric_size *size);

#endif
