/* spelling.h: "did you mean": the known word that somebody meant who wrote another.
 */
#ifndef SPELLING_H
#define SPELLING_H

#include <stddef.h>

enum { SPELLING_ADVICE = 128 };

/* The one of `known` that is meant by `word`: the only one that begins with it (from two letters
 * on), or the nearest one that is spelt like it: one letter away if it has three or four, two if it
 * has more. NULL: none is. */
const char *spelling_nearest(const char *word, const char *const *known, size_t count);

/* "; did you mean `--rows`?" with `mark` ("--", "") before the nearest word, or "". Returns
 * `advice`. */
const char *spelling_advise(const char *word, const char *mark, const char *const *known,
                            size_t count, char advice[SPELLING_ADVICE]);

#endif
