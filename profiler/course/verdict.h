/* verdict.h: the data that is verified after a launch, and the lines of a verdict. verify.h
 * verifies the data, and diagnose.h finds the mistake.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "course/matrix.h"

/* The lines of a verdict, at most five, separated by newlines. */
enum { REPORT_MAX_LINES = 5 };
struct report {
    char text[FAILURE_TEXT_SIZE];
    unsigned lines;
    struct findings findings; /* Findings of the lines. */
};
/* Add a line with its finding and a line number of the source (0: none). A sixth line is dropped.
 * Always returns true. */
bool report_add_at(struct report *report, enum finding_id id, uint32_t line, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
#define report_add(report, id, ...) report_add_at(report, id, 0, __VA_ARGS__)
/* Append to the last line a sentence with the change that makes the result correct. Its finding is
 * FINDING_REPAIR_TESTED. If the report is full, the sentence is dropped. Always returns true. */
bool report_add_repair(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Add all lines of another report. */
void report_join(struct report *report, const struct report *other);
/* Append a report to the text of a student failure. */
void report_append(const struct report *report, struct failure *failure);
/* Fail with a report. Always returns false. */
bool report_fail(const struct report *report, enum status status, struct failure *failure);

/* The memory of a run after the launch. The arrays contain the bits of floats. */
struct verify_input {
    struct problem problem;
    const uint32_t *input, *output;
    size_t guard_elements; /* Elements of MATRIX_GUARD before and after each array; or 0. */
    uint32_t block_x, block_y, grid_x, grid_y; /* The launch configuration; 0: unknown. */
    uint64_t stored;                           /* Stored elements, with repetitions; 0: unknown. */
    unsigned threads;                          /* Worker threads to use, at least 1. */
    const char *output_name, *input_name;      /* "odata", "idata" */
    const struct report *mistake;              /* The mistake, if it is known; or NULL. */
    bool has_no_races;                         /* The launch was checked for races. */
    bool has_no_tile;                          /* The kernel uses no shared memory. */
    bool is_unwritten;                         /* No kernel has written to the input. */
    bool is_brief;                             /* Report the wrong elements without a diagnosis. */
};

#endif
