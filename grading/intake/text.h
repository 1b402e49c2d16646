/* text.h: convert untrusted text. Names of people and files become safe and comparable. Compilers
 * require UTF-8 without a byte order mark, so students' files are converted to it.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a malloc'd copy that is valid UTF-8 without control characters. Invalid bytes become
 * U+FFFD. Control characters become '_', and so do characters that have no width or change the
 * direction of text. A letter with a combining accent (macOS file names) becomes one character. */
char *text_clean(const char *bytes, size_t size);

/* Like text_clean, for a path: bytes that are not UTF-8 are in `charset`; '\\' becomes '/'. */
char *text_clean_path(const char *bytes, size_t size, const char *charset);

/* Keep only the letters and digits of a clean text, in lower case, without the accents of Latin
 * letters: "Ångström, Alice" becomes "angstromalice". Writes at most `size` bytes, including the
 * NUL. */
void text_fold(const char *text, char *folded, size_t size);

/* Make a safe file name of [A-Za-z0-9._-]: "Alice Ångström" becomes "Alice_Angstrom". A text
 * without Latin letters becomes "x" and a hash. The result is never empty and does not begin with
 * '.' or '-'. `size` is at least 16. */
void text_id(const char *text, char *id, size_t size);

/* Read the first character of `bytes` (at least one byte) and its length in bytes. For invalid
 * UTF-8, returns false, *character is U+FFFD, and *length is 1. */
bool text_next_character(const char *bytes, size_t size, int32_t *character, size_t *length);

bool text_is_utf8(const char *bytes, size_t size);

/* Convert from a charset of iconv to UTF-8. Returns malloc'd text of *length bytes and a NUL. An
 * incomplete last character is dropped. NULL: the bytes are invalid, or the charset is unknown. */
char *text_convert(const char *charset, const char *bytes, size_t size, size_t *length);

enum source_text_kind {
    SOURCE_TEXT_PLAIN,     /* the bytes were valid UTF-8 */
    SOURCE_TEXT_CONVERTED, /* the bytes were converted from *charset */
    SOURCE_TEXT_BINARY,    /* the bytes are not a text */
};

/* Convert *size malloc'd bytes, which a NUL follows, in place. UTF-16 and UTF-32 are recognized by
 * their byte order marks; UTF-16 is also recognized by zeros in every second byte. Other bytes that
 * are not UTF-8 are read as Windows-1252. A text with more than 5 % control characters is binary.
 * In a text without line feeds, carriage returns become line feeds. */
enum source_text_kind source_text_convert(unsigned char **bytes, size_t *size,
                                          const char **charset);

/* Convert HTML in place to the text that it shows: without markup, with line feeds for line breaks
 * and paragraphs. Canvas and Moodle store text that was typed into a form in this way. */
void source_text_from_page(unsigned char *bytes, size_t *size);

/* Returns true if the text contains a kernel and `LAB(`. */
bool source_text_has_lab(const unsigned char *bytes, size_t size);
/* Returns true if the text contains a kernel. */
bool source_text_has_kernel(const unsigned char *bytes, size_t size);

#endif
