/* other_text.h: mistakes that show when a part of a source's text is replaced, and the result is
 * right: `&` for `%`, an early return, and slips of the pen, a table of patterns.
 */
#ifndef OTHER_TEXT_H
#define OTHER_TEXT_H

#include "run/attempt.h"

/* Add what a failed attempt of at most a few ten thousand elements says of `&` and of returns. */
void other_text_tell(const struct attempt *failed, const struct failure *failure,
                     struct report *report);

/* Try what is often written for something else. `first`: only what goes before other guesses, or
 * only the rest. True: one makes the result right, and a line says which. */
bool other_text_edits(const struct attempt *failed, bool first, struct report *report);

#endif
