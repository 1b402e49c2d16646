/* measure.h: what the harness sees of one lab file: verdicts and counters, in fixed records.
 *
 * Theory of operation. The file was compiled already; all that is done here happens in memory, so
 * that it can happen in the interpreter's cage (cage.h): parse the PTX, find the rubric of the
 * exercise that it names, verify it on every size of the rubric, count it in every run: what is
 * published first, so that nothing there depends on what happens in hiding. All sizes are judged,
 * whatever the others said, but a kernel that runs away ends it. The answer is plain data, which
 * whoever receives it checks with measurement_check before believing it.
 *
 * A kernel that is wrong where its sizes are published may be right but for one mistake. Then it is run
 * as if that were mended, and must be right on the published and on the hidden sizes that the mistake
 * leaves, and on one large size more; what is counted is counted in such runs.
 *
 * A launch may execute a number of instructions that follows from the size of its matrix, so a slow
 * kernel gets the same verdict on a slow machine as on a fast one.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "compile/compile.h"
#include "goals/measured.h"
#include "run/naming.h"

enum { MEASURE_LINES_MAX = 512 };

/* One verified size. */
struct measured_size {
    enum status status;
    char reason[RECORD_TEXT_SIZE]; /* the text of `tlab run`; "" when ok */
};

struct measurement {
    char exercise[64]; /* what LAB() said, or was understood to say; "" when nothing was said */
    bool has_rubric;   /* a rubric was given for it */
    char naming[NAMING_TEXT]; /* names that are wrong, and were put right (naming.h) */
    enum status status;       /* of loading: ok, compile_error, unsupported, untrusted, ... */
    char reason[FAILURE_TEXT_SIZE];
    struct measured_size sizes[RUBRIC_SIZES_MAX]; /* as in the rubric */
    unsigned size_count;
    struct measured_run runs[RUBRIC_COUNTED_MAX]; /* as in the rubric */
    unsigned run_count;
    /* The one mistake, and the runs as if it were mended; of RUBRIC_MISTAKE_SQUARES, runs of as many
     * columns as rows. */
    enum rubric_mistake mistake;
    struct measured_run mended[RUBRIC_COUNTED_MAX];
    struct measured_line lines[MEASURE_LINES_MAX]; /* of the first run, ascending */
    unsigned line_count;
    char advice[512]; /* on the worst line of the first run */
};

/* A compiled file, and what it may be. */
struct measure_job {
    const char *path;          /* as the PTX's .file lines spell it */
    const unsigned char *text; /* the source, in which the shapes of shared arrays stand; or NULL */
    size_t text_bytes;
    const struct compile_result *compiled;
    const struct rubric *rubrics;
    size_t rubric_count;
    const struct rubric *suggested; /* by the file's name, where LAB() says nothing; or NULL */
    bool overrules;                 /* also where LAB() says something else */
    const char *mended;             /* sentences on what was mended in the text; or NULL */
};

/* Measure. Running out of memory, which the cage limits, is the student's: a timeout. */
void measure(const struct measure_job *job, struct measurement *measurement);

/* The same as a function for cage_interpret: `context` is a struct measure_job, the answer a struct
 * measurement. */
bool measure_caged(int output, void *context);

/* Is it well formed, and an answer to this job: texts end, counts are those of the rubric, enums in
 * range, numbers finite, columns that the harness sets as it set them? What the cage sent is
 * believed only then. */
bool measurement_check(const struct measurement *measurement, const struct measure_job *job);

#endif
