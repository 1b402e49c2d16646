/* text.h: convert untrusted text to safe and comparable names, and sources to UTF-8. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a malloc'd copy in valid UTF-8. Invalid bytes become U+FFFD. Control characters, and
 * characters that have no width or change the direction of text, become '_'. A letter with a
 * combining accent (macOS file names) becomes one character. */
char *text_clean(const char *bytes, size_t size);

/* Like text_clean. If the bytes are not UTF-8, converts them from `charset`. '\\' becomes '/'. */
char *text_clean_path(const char *bytes, size_t size, const char *charset);

/* Write the letters and digits of a text in lower case and without accents to `folded` (`size`
 * bytes): "Ångström, Alice" becomes "angstromalice". */
void text_fold(const char *text, char *folded, size_t size);

/* Write a safe file name [A-Za-z0-9._-]+ to `id` (`size` bytes, at least 16): "Alice Ångström"
 * becomes "Alice_Angstrom". A text without Latin letters and digits becomes "x" and a digest. The
 * name does not begin with '.' or '-'. */
void text_id(const char *text, char *id, size_t size);

/* Set *character to the first character, and *length to its length in bytes. For invalid UTF-8,
 * returns false and sets *character to U+FFFD and *length to 1. `size` is at least 1. */
bool text_next_character(const char *bytes, size_t size, int32_t *character, size_t *length);

bool text_is_utf8(const char *bytes, size_t size);

/* Convert from a charset of iconv to UTF-8, without an incomplete last character. Returns a
 * malloc'd text of *length bytes and a NUL; NULL for invalid bytes or an unknown charset. */
char *text_convert(const char *charset, const char *bytes, size_t size, size_t *length);

/* Convert a source to UTF-8. *bytes (malloc'd; a NUL follows) is changed or replaced, and *charset
 * becomes the original charset, or NULL for UTF-8. Byte order marks identify UTF-16 and UTF-32;
 * zeros in every second byte also identify UTF-16. Other bytes that are not UTF-8 are read as
 * Windows-1252. If a text has no line feeds, carriage returns become line feeds. Returns false if
 * more than 5 % of the characters are control characters, as in a binary file. */
bool source_text_convert(unsigned char **bytes, size_t *size, const char **charset);

/* Convert HTML in place to text. Canvas and Moodle store text from an input form as HTML. */
void source_text_from_page(unsigned char *bytes, size_t *size);

/* Returns true if the text contains "__global__" and "LAB(". */
bool source_text_has_lab(const unsigned char *bytes, size_t size);
bool source_text_has_kernel(const unsigned char *bytes, size_t size);

#endif
