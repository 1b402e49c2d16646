/* diagnose.h: find the mistake that explains a wrong output. This is the only entry point of the
 * diagnosis; diagnosis.h has its data and diagnose_guesses.h its parts.
 */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include "course/verdict.h"

/* Examine an output that differs from the reference. Add the mistake, the number of wrong elements
 * and examples to the report. Returns false for a harness failure: not enough memory. */
bool diagnose_output(const struct verify_input *input, struct report *report,
                     struct failure *failure);

/* Add only the mistake, if one hypothesis explains every element. Returns false if no hypothesis
 * does, or if there is not enough memory. */
bool diagnose_name(const struct verify_input *input, struct report *report);

#endif
