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

enum { TEXT_PLACES_MAX = 24 };

/* A place in a text, and its replacement. */
struct text_place {
    const char *at, *end;
    char text[200];
};

/* Find the first matches of an extended regular expression, at most TEXT_PLACES_MAX. In
 * `replacement`, \1 is group 1. Returns their number. */
unsigned other_text_places(const char *pattern, const char *replacement, const char *code,
                           struct text_place places[TEXT_PLACES_MAX]);

/* Exchanged names; also the most common mistakes; any change. */
enum change_set { CHANGE_NAMES, CHANGE_COMMON, CHANGE_ANY };

/* Test changes of one name, operator or number of the kernel. Report the first change that makes
 * the result correct at all tested sizes. Returns false if there is no such change. */
bool one_change_report(const struct suspect *suspect, const struct failure *failure,
                       enum change_set set, struct report *report);

#endif
