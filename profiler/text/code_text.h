/* code_text.h: C++ source text without comments, parts of the text, and comparisons of words. */
#ifndef CODE_TEXT_H
#define CODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns a copy of the same length with blanks in place of comments and NUL bytes. Line ends and
 * strings are unchanged. The copy is malloc'd and NUL-terminated; NULL if memory is exhausted. */
char *code_text(const unsigned char *bytes, size_t size);

/* Replace `length` bytes by blanks. Line ends are unchanged. */
void code_blank(char *text, size_t length);

/* Returns a copy of a text of *bytes bytes with `by` in place of `length` bytes at `offset`. *bytes
 * becomes the new size. The copy is malloc'd, with a final NUL; NULL if memory is exhausted. */
char *code_replace(const char *text, size_t *bytes, size_t offset, size_t length, const char *by);

bool code_is_word(char c);

/* Returns the line number of `at`, counted from 1. */
unsigned code_line(const char *text, const char *at);

/* Returns true if the text contains a phrase of the NULL-terminated list. */
bool text_has_one_of(const char *text, const char *const *phrases);

/* Describe the first index with a comma operator: "line 26: `[col, row]` contains a comma ...". C++
 * uses only the last operand of such an index. Returns false if there is no such index. */
bool code_describe_comma(const char *text, char *message, size_t size);

/* Find a variable that has no initial value and is first used in a change, such as `sum += x`.
 * Returns the line of the declaration, or 0. `name` receives the variable's name. */
unsigned code_find_uninitialized(const char *text, char *name, size_t size);

/* Returns true if `word` is at most `most` edits from `other`; case and punctuation are ignored. An
 * exchange of neighbouring letters is one edit. Returns false for words of more than 63 letters. */
bool code_word_is_like(const char *word, size_t length, const char *other, unsigned most);

/* A function or structure with braces, outside of other braces except extern "C" and namespaces. */
struct code_definition {
    unsigned first, last; /* first and last line, from 1 */
    bool is_kernel;
};

/* Find at most `most` definitions in a text. Returns their number. */
size_t code_definitions(const char *text, size_t size, struct code_definition *found, size_t most);

#endif
