/* text.h: the names of people and files, which come in every shape: made safe, and comparable.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* A copy that is valid UTF-8 without control characters: invalid bytes become U+FFFD, control
 * characters (those of bidirectional text and of no width included, which make a name look like
 * another) become '_', and a Latin letter followed by a combining accent (as macOS writes file
 * names) becomes the one character that the rest of the world writes. malloc'd; NULL: no memory. */
char *text_clean(const char *bytes, size_t size);

/* The letters and digits of a clean text for comparison: accents and case of Latin letters are
 * gone, characters of other scripts stay, all else is left out: "Ångström, Alice" and
 * "angstromalice" fold alike. Cut to `size`, which counts the NUL. */
void text_fold(const char *text, char *folded, size_t size);

/* The same, as a safe file name of [A-Za-z0-9._-] that a person still recognises:
 * "Alice Ångström" gives "Alice_Angstrom". What no Latin letter stands for gives "x" and a hash of
 * the text. Never empty, never with a '.' or '-' in front. `size` is at least 16. */
void text_id(const char *text, char *id, size_t size);

/* Is the text valid UTF-8? */
int text_is_utf8(const char *bytes, size_t size);

#endif
