/* code_text.h: what can be read off C++ source without compiling it.
 */
#ifndef CODE_TEXT_H
#define CODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A copy in which comments are blanks (line ends stay), and NULs, too; strings stay. As long as the
 * original, and ended by a NUL. malloc'd; NULL: no memory. */
char *code_text(const unsigned char *bytes, size_t size);

/* Make blanks of a part of a text; line ends stay. */
void code_blank(char *text, size_t length);

/* A copy of a text of *bytes bytes in which `by` replaces `length` bytes at `offset`, with a NUL at
 * its end; *bytes becomes its size. malloc'd; NULL: no memory. */
char *code_replace(const char *text, size_t *bytes, size_t offset, size_t length, const char *by);

/* May the character stand in a name? */
bool code_is_word(char c);

/* The line, from 1, in which `at` lies. */
unsigned code_line(const char *text, const char *at);

/* "line 26: `[col, row]` has a comma, ...": say of the first index with a comma, which C++ takes
 * for its last part alone, what it is. False: there is none. */
bool code_tell_comma(const char *text, char *told, size_t size);

/* Is the word, whatever its case and without underscores, `wanted` or no more than `most` letters
 * away from it (left out, added, changed, or swapped
 * with its neighbour)? Words of more than 63 letters are like nothing. */
bool code_word_is_like(const char *word, size_t length, const char *wanted, unsigned most);

#endif
