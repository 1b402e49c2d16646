/* diagnose.h: name the mistake in a wrong output.
 */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include "course/verify.h"

/* The lines of a verdict: at most five, each ended by a newline except the last. */
enum { REPORT_MAX_LINES = 5 };
struct report {
    char text[FAILURE_TEXT_SIZE];
    unsigned lines;
};
/* Add a line; a sixth is dropped. */
void report_add(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Look at an output that differs from the reference somewhere and add what the mistake is, how many
 * elements are wrong, and examples. False: no memory (harness failure). */
bool diagnose_output(const struct verify_input *input, struct report *report,
                     struct failure *failure);

#endif
