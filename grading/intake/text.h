/* text.h: convert untrusted text. Names of people and files become safe and comparable. Students'
 * files become UTF-8 without a byte order mark, as compilers require. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a malloc'd copy that is valid UTF-8 without control characters. Invalid bytes become
 * U+FFFD. Control characters, and characters that have no width or change the direction of text,
 * become '_'. A letter with a combining accent (macOS file names) becomes one character. */
char *text_clean(const char *bytes, size_t size);

/* Like text_clean, for a path. Bytes that are not UTF-8 are in `charset`. '\\' becomes '/'. */
char *text_clean_path(const char *bytes, size_t size, const char *charset);

/* Write the letters and digits of a clean text, in lower case and without the accents of Latin
 * letters, to `folded` (`size` bytes): "Ångström, Alice" becomes "angstromalice". */
void text_fold(const char *text, char *folded, size_t size);

/* Write a safe file name of [A-Za-z0-9._-] to `id` (`size` bytes, at least 16): "Alice Ångström"
 * becomes "Alice_Angstrom". A text without Latin letters becomes "x" and a hash. The result is
 * never empty and does not begin with '.' or '-'. */
void text_id(const char *text, char *id, size_t size);

/* Set *character to the first character of `bytes` (at least one byte), and *length to its length
 * in bytes. For invalid UTF-8, returns false and sets *character to U+FFFD and *length to 1. */
bool text_next_character(const char *bytes, size_t size, int32_t *character, size_t *length);

bool text_is_utf8(const char *bytes, size_t size);

/* Convert from a charset of iconv to UTF-8, without an incomplete last character. Returns a
 * malloc'd text of *length bytes and a NUL; NULL for invalid bytes or an unknown charset. */
char *text_convert(const char *charset, const char *bytes, size_t size, size_t *length);

enum source_text_kind {
    SOURCE_TEXT_PLAIN,     /* the bytes were already valid UTF-8 */
    SOURCE_TEXT_CONVERTED, /* the bytes were converted from *charset */
    SOURCE_TEXT_BINARY,    /* the bytes are not text */
};

/* Convert a source to UTF-8. *bytes (malloc'd, *size bytes and a NUL) is changed or replaced.
 * UTF-16 and UTF-32 are recognized by their byte order marks; UTF-16 is also recognized by zeros in
 * every second byte. Other bytes that are not UTF-8 are read as Windows-1252. More than 5 % control
 * characters make a text binary. Without line feeds, carriage returns become line feeds. */
enum source_text_kind source_text_convert(unsigned char **bytes, size_t *size,
                                          const char **charset);

/* Convert HTML in place to its text without markup, with line feeds for line breaks and paragraphs.
 * Canvas and Moodle store text that was typed into a form as HTML. */
void source_text_from_page(unsigned char *bytes, size_t *size);

/* Returns true if the text contains a kernel and `LAB(`. */
bool source_text_has_lab(const unsigned char *bytes, size_t size);
/* Returns true if the text contains a kernel. */
bool source_text_has_kernel(const unsigned char *bytes, size_t size);

#endif
