/* source_text.h: a student's file as the text that a compiler reads: UTF-8 without a mark in front,
 * whatever the editor wrote.
 */
#ifndef SOURCE_TEXT_H
#define SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

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
