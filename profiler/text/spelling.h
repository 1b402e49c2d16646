/* spelling.h: suggests the known word that is most similar to an unknown word ("did you mean"). */
#ifndef SPELLING_H
#define SPELLING_H

#include <stddef.h>

enum { SPELLING_ADVICE = 128 };

/* Returns the known word that is probably meant; NULL if there is none. The only known word that
 * begins with `word` (at least two letters) has precedence. Otherwise, the result is the nearest
 * known word, within one edit for three or four letters, or two edits for longer words. */
const char *spelling_nearest(const char *word, const char *const *known, size_t count);

/* Set `advice` to "; did you mean `--rows`?", or to "" if no known word is similar. `mark` is the
 * text before the word, "--" or "". Returns `advice`. */
const char *spelling_advise(const char *word, const char *mark, const char *const *known,
                            size_t count, char advice[SPELLING_ADVICE]);

#endif
