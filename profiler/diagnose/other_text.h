/* other_text.h: what other texts of a failed source say about its mistake: with one place changed,
 * is the result right?
 */
#ifndef OTHER_TEXT_H
#define OTHER_TEXT_H

#include "diagnose/suspect.h"

/* Add what would make the result right, of the hypotheses of that time (FIRST, ALWAYS, LAST), and
 * questions. True: something does. */
bool other_text_tell(const struct suspect *suspect, unsigned when, const struct failure *failure,
                     struct report *report);

#endif
