/* verdict.h: what is judged after a launch, a run's memory, and the lines in which that is said.
 * verify.h judges; diagnose.h finds the mistake.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "course/matrix.h"

/* A run's memory after the launch. Arrays are 32-bit patterns of floats. */
struct verify_input {
    struct problem problem;
    const uint32_t *input, *output;
    size_t guard_elements; /* of MATRIX_GUARD, that stood before and behind each of them; or 0 */
    uint32_t block_x, block_y, grid_x, grid_y; /* launch shape, to speak of blocks; 0: unknown */
    uint64_t stored;  /* elements that were stored, as often as they were; 0: unknown */
    unsigned threads; /* worker threads to use, >= 1 */
    const char *output_name, *input_name; /* "odata", "idata" */
    const char *mistake; /* what the mistake is, where that is known already; or NULL */
    bool is_brief;       /* what is wrong is said, and the mistake not looked for */
};

/* The lines of a verdict: at most five, each ended by a newline except the last. */
enum { REPORT_MAX_LINES = 5 };
struct report {
    char text[FAILURE_TEXT_SIZE];
    unsigned lines;
};
/* Add a line; a sixth is dropped. */
void report_add(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
