/* diagnose.h: name the mistake in a wrong output: the one entry to the diagnosis. diagnosis.h is
 * what its parts know, diagnose_guesses.h lists them.
 */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include "course/verdict.h"

/* Look at an output that differs from the reference somewhere and add what the mistake is, how many
 * elements are wrong, and examples. False: no memory (harness failure). */
bool diagnose_output(const struct verify_input *input, struct report *report,
                     struct failure *failure);

/* Only what the mistake is, where a guess explains every element. False: none does, or no
 * memory. */
bool diagnose_name(const struct verify_input *input, struct report *report);

#endif
