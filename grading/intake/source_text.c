/* source_text.c: see source_text.h. */
#define _GNU_SOURCE
#include "intake/source_text.h"

#include "intake/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The longest first: UTF-32's mark begins with that of UTF-16. */
static const struct {
    const char *bytes, *charset;
    size_t size;
} marks[] = {{"\xFF\xFE\0\0", "UTF-32LE", 4},
             {"\0\0\xFE\xFF", "UTF-32BE", 4},
             {"\xEF\xBB\xBF", NULL, 3},
             {"\xFF\xFE", "UTF-16LE", 2},
             {"\xFE\xFF", "UTF-16BE", 2}};

/* A program in UTF-16 is mostly of characters below 256, whose other byte is zero. */
static const char *guess_wide(const unsigned char *bytes, size_t size)
{
    size_t zeros[2] = {0, 0};
    for (size_t i = 0; i < size; i++)
        zeros[i & 1] += !bytes[i];
    size_t most = size / 2 - size / 8;
    return size < 4                                    ? NULL
           : zeros[1] > most && zeros[0] <= size / 100 ? "UTF-16LE"
           : zeros[0] > most && zeros[1] <= size / 100 ? "UTF-16BE"
                                                       : NULL;
}

static bool is_binary(const unsigned char *bytes, size_t size)
{
    size_t controls = 0;
    for (size_t i = 0; i < size; i++)
        controls +=
            (bytes[i] < ' ' && !strchr("\t\n\v\f\r", bytes[i])) || bytes[i] == 0x7F || !bytes[i];
    return controls > size / 20;
}

/* Put the converted text in the place of the bytes. */
static bool replace(unsigned char **bytes, size_t *size, const char *charset, size_t skip)
{
    size_t length;
    char *text = text_convert(charset, (const char *)*bytes + skip, *size - skip, &length);
    if (!text)
        return false;
    free(*bytes);
    *bytes = (unsigned char *)text;
    *size = length;
    return true;
}

/* Lines that end as on a Mac of the nineties: a compiler would take all for one line, or a
 * comment. */
static void end_lines(unsigned char *bytes, size_t size)
{
    if (!memchr(bytes, '\n', size))
        for (unsigned char *at = bytes; (at = memchr(at, '\r', size - (size_t)(at - bytes)));)
            *at = '\n';
}

static enum source_text_kind to_utf8(unsigned char **bytes, size_t *size, const char **charset)
{
    size_t skip = 0;
    *charset = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !skip; i++)
        if (*size >= marks[i].size && !memcmp(*bytes, marks[i].bytes, marks[i].size)) {
            skip = marks[i].size;
            *charset = marks[i].charset;
        }
    if (!skip)
        *charset = guess_wide(*bytes, *size);
    if (skip && !*charset) {
        memmove(*bytes, *bytes + skip, *size - skip + 1);
        *size -= skip;
    }
    if (!*charset && is_binary(*bytes, *size))
        return SOURCE_TEXT_BINARY;
    if (!*charset && text_is_utf8((const char *)*bytes, *size))
        return SOURCE_TEXT_PLAIN;
    errno = 0;
    if (!replace(bytes, size, *charset ? *charset : "WINDOWS-1252", *charset ? skip : 0)) {
        if (errno == ENOMEM)
            return SOURCE_TEXT_NO_MEMORY;
        /* Five bytes stand for nothing in Windows-1252. */
        if (*charset || !replace(bytes, size, "ISO-8859-1", 0))
            return SOURCE_TEXT_BINARY;
    }
    *charset = *charset ? *charset : "Windows-1252";
    return is_binary(*bytes, *size) ? SOURCE_TEXT_BINARY : SOURCE_TEXT_CONVERTED;
}

enum source_text_kind source_text_convert(unsigned char **bytes, size_t *size, const char **charset)
{
    enum source_text_kind kind = to_utf8(bytes, size, charset);
    if (kind == SOURCE_TEXT_PLAIN || kind == SOURCE_TEXT_CONVERTED)
        end_lines(*bytes, *size);
    return kind;
}

static bool holds(const unsigned char *bytes, size_t size, const char *word)
{
    return memmem(bytes, size, word, strlen(word)) != NULL;
}

bool source_text_has_lab(const unsigned char *bytes, size_t size)
{
    return holds(bytes, size, "LAB(") && source_text_has_kernel(bytes, size);
}

bool source_text_has_kernel(const unsigned char *bytes, size_t size)
{
    return holds(bytes, size, "__global__");
}
