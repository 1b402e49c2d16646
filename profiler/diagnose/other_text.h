/* other_text.h: find the mistake in a failed source by changing one place in its text. */
#ifndef OTHER_TEXT_H
#define OTHER_TEXT_H

#include "diagnose/suspect.h"

/* Test the hypotheses of step `when` (FIRST, ALWAYS or LAST). Report the first correct change, or
 * with ALWAYS each. Also ask about suspicious text. Returns true if a change is reported. */
bool other_text_report(const struct suspect *suspect, unsigned when, const struct failure *failure,
                       struct report *report);

/* Returns true if member y of the built-in variable `name` has one value and the code lacks it. */
bool other_text_is_constant(const struct suspect *suspect, const char *name);

/* Test changes of one name, operator or number of the kernel. Report the first change that makes
 * the result correct at all tested sizes. If `is_quick` is true, test only exchanged names. Returns
 * false if there is no such change. */
bool one_change_report(const struct suspect *suspect, const struct failure *failure, bool is_quick,
                       struct report *report);

#endif
