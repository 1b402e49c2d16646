/* verdict.h: what is judged after a launch, a run's memory, and the lines in which that is said.
 * verify.h judges; diagnose.h finds the mistake.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "course/matrix.h"

/* The lines of a verdict: at most five, each ended by a newline except the last. */
enum { REPORT_MAX_LINES = 5 };
struct report {
    char text[FAILURE_TEXT_SIZE];
    unsigned lines;
    struct findings findings; /* of the lines */
};
/* Add a line, and what it says; a sixth is dropped. Always true. */
bool report_add(struct report *report, enum finding_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same about a line of the source; 0: none. */
bool report_add_at(struct report *report, enum finding_id id, uint32_t line, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
/* Add all lines of another report. */
void report_join(struct report *report, const struct report *other);
/* Put a report after the text of a student's failure. */
void report_append(const struct report *report, struct failure *failure);
/* Fail with a report. Always false. */
bool report_fail(const struct report *report, enum status status, struct failure *failure);

/* A run's memory after the launch. Arrays are 32-bit patterns of floats. */
struct verify_input {
    struct problem problem;
    const uint32_t *input, *output;
    size_t guard_elements; /* of MATRIX_GUARD, that stood before and behind each of them; or 0 */
    uint32_t block_x, block_y, grid_x, grid_y; /* launch shape, to speak of blocks; 0: unknown */
    uint64_t stored;  /* elements that were stored, as often as they were; 0: unknown */
    unsigned threads; /* worker threads to use, >= 1 */
    const char *output_name, *input_name; /* "odata", "idata" */
    const struct report *mistake; /* what the mistake is, where that is known already; or NULL */
    bool is_brief;                /* what is wrong is said, and the mistake not looked for */
};

#endif
