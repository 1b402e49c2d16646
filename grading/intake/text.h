/* text.h: texts that come in every shape. The names of people and files are made safe, and
 * comparable; a student's file becomes what a compiler reads: UTF-8 without a mark in front,
 * whatever the editor wrote.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy that is valid UTF-8 without control characters: invalid bytes become U+FFFD, control
 * characters (those of bidirectional text and of no width included, which make a name look like
 * another) become '_', and a letter followed by a combining accent (as macOS writes file names)
 * becomes the one character that the rest of the world writes (NFC). malloc'd; NULL: no memory. */
char *text_clean(const char *bytes, size_t size);

/* The letters and digits of a clean text for comparison: case is gone, and so are the accents of
 * Latin letters; characters of other scripts stay, all else is left out: "Ångström, Alice" and
 * "angstromalice" fold alike. Cut to `size`, which counts the NUL. */
void text_fold(const char *text, char *folded, size_t size);

/* The same, as a safe file name of [A-Za-z0-9._-] that a person still recognises:
 * "Alice Ångström" gives "Alice_Angstrom". What no Latin letter stands for gives "x" and a hash of
 * the text. Never empty, never with a '.' or '-' in front. `size` is at least 16. */
void text_id(const char *text, char *id, size_t size);

/* The first character of at least one byte, and its length. False: the bytes are no UTF-8; then the
 * character is U+FFFD, which stands for one of them. */
bool text_next_character(const char *bytes, size_t size, int32_t *character, size_t *length);

bool text_is_utf8(const char *bytes, size_t size);

/* Bytes of a charset that iconv knows as UTF-8, malloc'd, with a NUL behind the last of *length;
 * of a character that is cut at the end, nothing. NULL: they are not of that charset, it is not
 * known on this machine, or no memory. */
char *text_convert(const char *charset, const char *bytes, size_t size, size_t *length);

enum source_text_kind {
    SOURCE_TEXT_PLAIN,     /* as it is */
    SOURCE_TEXT_CONVERTED, /* it was of the charset *charset */
    SOURCE_TEXT_BINARY,    /* no text */
    SOURCE_TEXT_NO_MEMORY
};

/* Convert the malloc'd bytes, with a NUL behind the last of *size, in place. UTF-16 and UTF-32 are
 * told by their marks, UTF-16 without one by every other byte being zero; what else is no UTF-8 is
 * taken for Windows-1252, which holds Latin-1. Binary is what has more than one control character
 * in twenty. A text without a line feed has one for each carriage return. */
enum source_text_kind source_text_convert(unsigned char **bytes, size_t *size,
                                          const char **charset);

/* Is there a kernel in the text, in one of a lab or in any CUDA program? */
bool source_text_has_lab(const unsigned char *bytes, size_t size);
bool source_text_has_kernel(const unsigned char *bytes, size_t size);

#endif
