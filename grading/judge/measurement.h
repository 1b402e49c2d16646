/* measurement.h: verdicts and counters of one lab file, in structures of fixed size.
 *
 * A sandbox sends a measurement as plain data, which is untrusted until measurement_check.
 */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "compile/compile.h"
#include "goals/measured.h"
#include "text/naming.h"

enum {
    MEASURE_LINES_MAX = 512,
    SOURCE_LINES_MAX = 4096, /* maximum number of lines with counters */
};

struct measured_size {
    enum status status;
    char reason[RECORD_TEXT_SIZE]; /* message of `tlab run`; "" if the status is ok */
};

/* Set status and reason from a failure; without a failure, set the status to ok. */
void measured_size_set(struct measured_size *size, const struct failure *failure);

struct measurement {
    char exercise[64];        /* name in LAB(), repaired if it was wrong; "" if missing */
    bool has_rubric;          /* the exercise has a rubric */
    char naming[NAMING_TEXT]; /* sentences on repaired names (naming.h) */
    enum status status; /* status of loading: ok, compile_error, unsupported, untrusted, ... */
    char reason[FAILURE_TEXT_SIZE];
    struct measured_size sizes[RUBRIC_SIZES_MAX]; /* in the order of the rubric */
    unsigned size_count;
    struct measured_run runs[RUBRIC_COUNTED_MAX]; /* in the order of the rubric */
    unsigned run_count;
    /* Mistakes without which the kernel is correct. `repaired` has the runs with these mistakes
     * repaired. For RUBRIC_MISTAKE_SQUARES, the matrices of these runs are square. */
    enum rubric_mistake mistake, second_mistake;
    /* Line of a condition on the size that had the same result at all sizes; 0: none. */
    uint32_t untried_line;
    bool spares_margin; /* RUBRIC_MISTAKE_EDGES: only outermost rows and columns are incorrect */
    bool is_idle;       /* a size was replaced by a smaller size, because most blocks are idle */
    struct measured_run repaired[RUBRIC_COUNTED_MAX];
    struct measured_line lines[MEASURE_LINES_MAX]; /* lines of the first run, ascending */
    unsigned line_count;
    char advice[512]; /* advice on the most expensive line of the first run */
};

/* A compiled file, and the exercises to which it may belong. */
struct measure_job {
    const char *path;          /* path of the file, as in the .file lines of the PTX */
    const unsigned char *text; /* source, for the shapes of shared arrays; may be NULL */
    size_t text_bytes;
    const struct compile_result *compiled;
    const struct rubric *rubrics;
    size_t rubric_count;
    const struct rubric *suggested; /* exercise in the file name; NULL if there is none */
    bool overrules;                 /* true: `suggested` replaces the exercise in LAB() */
    const char *repaired;           /* sentences on repairs in the text; NULL if there are none */
};

/* Returns true if the measurement is well formed and belongs to this job. Texts must end with NUL,
 * counts must match the rubric, enumerations must be in range, and numbers must be finite. Columns
 * that the harness sets must have the harness's values. */
bool measurement_check(const struct measurement *measurement, const struct measure_job *job);

/* Returns true for a hidden size of whole tiles. If the kernel executes different instructions at
 * this size than in the first run, the first run's twin is counted at this size. */
bool measurement_is_whole(const struct rubric_size *size);

#endif
