/* spelling.h: "did you mean": the known word that is most similar to an unknown one. */
#ifndef SPELLING_H
#define SPELLING_H

#include <stddef.h>

enum { SPELLING_ADVICE = 128 };

/* Returns the known word that is probably meant: the only one that begins with `word` (of at least
 * two letters), or the nearest one within one edit (three or four letters) or two edits (more
 * letters). NULL: none. */
const char *spelling_nearest(const char *word, const char *const *known, size_t count);

/* Write "; did you mean `--rows`?", with `mark` ("--", "") before the nearest word, or "". Returns
 * `advice`. */
const char *spelling_advise(const char *word, const char *mark, const char *const *known,
                            size_t count, char advice[SPELLING_ADVICE]);

#endif
