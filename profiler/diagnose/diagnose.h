/* diagnose.h: find the mistake that explains a wrong output. */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include "course/verdict.h"

/* Examine an output that differs from the reference. Add the mistake, the number of wrong elements
 * and examples to the report. Returns false for a harness failure (not enough memory). */
bool diagnose_output(const struct verify_input *input, struct report *report,
                     struct failure *failure);

/* Add only the mistake. Returns false if no hypothesis explains every element or memory is full. */
bool diagnose_name(const struct verify_input *input, struct report *report);

#endif
