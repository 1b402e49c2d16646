/* other_text.h: find the mistake in a failed source by changing one place in its text. */
#ifndef OTHER_TEXT_H
#define OTHER_TEXT_H

#include "diagnose/suspect.h"

/* Test the hypotheses of step `when` (FIRST, ALWAYS or LAST). Report the first correct change; with
 * ALWAYS, report one per hypothesis. If a hypothesis has no correct change, ask a question about
 * suspicious text. Returns true if a change is reported. */
bool other_text_report(const struct suspect *suspect, unsigned when, const struct failure *failure,
                       struct report *report);

/* Returns true if member y of `name`, such as blockIdx, has only one value in the launch, and the
 * code does not use this member. */
bool other_text_is_constant(const struct suspect *suspect, const char *name);

enum { TEXT_PLACES_MAX = 24 };

struct text_place {
    const char *at, *end;
    char text[320];
};

/* Find at most TEXT_PLACES_MAX matches of an extended regular expression, and return their number.
 * In `replacement`, \1 is group 1. */
unsigned other_text_places(const char *pattern, const char *replacement, const char *code,
                           struct text_place places[TEXT_PLACES_MAX]);

/* Report a change at the line of its first place. Always returns true. */
bool other_text_report_change(const struct suspect *suspect, enum finding_id finding,
                              const char *meaning, const struct text_place *places, unsigned count,
                              bool is_repair, struct report *report);

/* Each set contains the previous sets: exchanged names, the most common mistakes, all changes.
 * CHANGE_XOR contains only the exchanges of operands of `^`. */
enum change_set { CHANGE_NAMES, CHANGE_COMMON, CHANGE_ANY, CHANGE_XOR };

/* Test changes of one name, operator or number of the kernel. Report the first change that makes
 * the result correct at all tested sizes. Returns false if there is no such change. */
bool one_change_report(const struct suspect *suspect, const struct failure *failure,
                       enum change_set set, struct report *report);

#endif
