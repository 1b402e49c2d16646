/* measurement.h: what the harness sees of one lab file: verdicts and counters, in fixed records.
 *
 * The answer of a sandbox is plain data, which whoever receives it checks before believing it.
 */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "compile/compile.h"
#include "goals/measured.h"
#include "text/naming.h"

enum {
    MEASURE_LINES_MAX = 512,
    SOURCE_LINES_MAX = 4096, /* of which counters are gathered */
};

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
    /* The one mistake, and the runs as if it were repaired; of RUBRIC_MISTAKE_SQUARES, runs of as
     * many columns as rows. */
    enum rubric_mistake mistake;
    struct measured_run repaired[RUBRIC_COUNTED_MAX];
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
    const char *repaired;           /* sentences on what was repaired in the text; or NULL */
};

/* Is it well formed, and an answer to this job: texts end, counts are those of the rubric, enums in
 * range, numbers finite, columns that the harness sets as it set them? What the sandbox sent is
 * believed only then. */
bool measurement_check(const struct measurement *measurement, const struct measure_job *job);

/* A hidden size that is made of whole tiles, as those of counted runs are: where the kernel takes
 * another way there than in the first run, that run's twin is counted at this size. */
bool measurement_is_whole(const struct rubric_size *size);

#endif
