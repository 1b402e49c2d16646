/* verdict.h: the data that verify.h verifies after a launch, and the lines of a verdict. */
#ifndef VERDICT_H
#define VERDICT_H

#include "course/matrix.h"

/* A verdict of at most five lines, separated by newlines. */
enum { REPORT_MAX_LINES = 5 };
struct report {
    char text[FAILURE_TEXT_SIZE];
    unsigned lines;
    struct findings findings;
};
/* Add a line, its finding and a source line (or 0), unless the report is full. Returns true. */
bool report_add_at(struct report *report, enum finding_id id, uint32_t line, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
#define report_add(report, id, ...) report_add_at(report, id, 0, __VA_ARGS__)
/* Add a finding that describes the last finding more precisely, such as the shape of the unwritten
 * elements. The hints of the more precise finding apply. */
void report_refine(struct report *report, enum finding_id id);
bool report_has_repair(const struct report *report);
/* Append a sentence on a change that makes the result correct (FINDING_REPAIR_TESTED) to the last
 * line. Does nothing if the report is full or has such a sentence. Always returns true. */
bool report_add_repair(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_join(struct report *report, const struct report *other);
void report_append(const struct report *report, struct failure *failure);
/* Record the report as a student failure. Always returns false. */
bool report_fail(const struct report *report, enum status status, struct failure *failure);

/* The memory of a run after the launch. Arrays contain the bits of floats. */
struct verify_input {
    struct problem problem;
    const uint32_t *input, *output;
    size_t guard_elements; /* number of MATRIX_GUARD elements before and after each array */
    uint32_t block_x, block_y, grid_x, grid_y;
    uint64_t stored; /* stored elements, with repetitions; 0 if unknown */
    unsigned threads;
    const char *output_name, *input_name; /* names in messages: "odata", "idata" */
    const struct report *mistake;         /* the mistake if it is known; otherwise NULL */
    bool has_no_races;                    /* the launch was checked for races and has none */
    bool has_no_tile;                     /* the kernel does not use shared memory */
    bool has_no_bound;                    /* the source compares nothing with a variable */
    bool is_unwritten;                    /* no kernel has written to the input */
    bool is_brief;                        /* report the wrong elements without a diagnosis */
};

#endif
