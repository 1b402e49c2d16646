#define _GNU_SOURCE
#include "intake/text.h"

#include "goals/digest.h"
#include "process/allocate.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

enum { REPLACEMENT = 0xFFFD };

/* Latin letters that do not decompose into a letter and an accent. */
static const struct {
    int32_t character;
    const char *letters;
} ligatures[] = {{0xC6, "AE"},  {0xD0, "D"},  {0xD8, "O"},   {0xDE, "Th"}, {0xDF, "ss"},
                 {0xE6, "ae"},  {0xF0, "d"},  {0xF8, "o"},   {0xFE, "th"}, {0x110, "D"},
                 {0x111, "d"},  {0x131, "i"}, {0x141, "L"},  {0x142, "l"}, {0x152, "OE"},
                 {0x153, "oe"}, {0x17F, "s"}, {0x1E9E, "SS"}};

bool text_next_character(const char *bytes, size_t size, int32_t *character, size_t *length)
{
    utf8proc_ssize_t found =
        utf8proc_iterate((const utf8proc_uint8_t *)bytes, (utf8proc_ssize_t)size, character);
    *length = found > 0 ? (size_t)found : 1;
    if (found <= 0)
        *character = REPLACEMENT;
    return found > 0;
}

static size_t encode(int32_t character, char *bytes)
{
    return (size_t)utf8proc_encode_char(character, (utf8proc_uint8_t *)bytes);
}

/* Returns true also for characters that have no width or change the direction of text. */
static bool is_control(int32_t character)
{
    switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return true;
    default:
        return false;
    }
}

char *text_clean(const char *bytes, size_t size)
{
    char *valid = allocate_checked(malloc(3 * size + 1)), *end = valid;
    for (size_t length; size; bytes += length, size -= length) {
        int32_t character;
        text_next_character(bytes, size, &character, &length);
        end += encode(is_control(character) ? '_' : character, end);
    }
    *end = 0;
    char *clean = allocate_checked(utf8proc_NFC((const utf8proc_uint8_t *)valid));
    free(valid);
    return clean;
}

bool text_is_utf8(const char *bytes, size_t size)
{
    int32_t character;
    for (size_t length; size; bytes += length, size -= length)
        if (!text_next_character(bytes, size, &character, &length))
            return false;
    return true;
}

char *text_convert(const char *charset, const char *bytes, size_t size, size_t *length)
{
    iconv_t converter = iconv_open("UTF-8", charset);
    if (converter == (iconv_t)-1)
        return NULL;
    size_t room = 3 * size + 4;
    char *text = allocate_checked(malloc(room + 1)), *in = (char *)bytes, *out = text;
    bool good = iconv(converter, &in, &size, &out, &room) != (size_t)-1 || errno == EINVAL;
    iconv_close(converter);
    if (!good) {
        free(text);
        return NULL;
    }
    *out = 0;
    *length = (size_t)(out - text);
    return text;
}

char *text_clean_path(const char *bytes, size_t size, const char *charset)
{
    char *converted = text_is_utf8(bytes, size) ? NULL : text_convert(charset, bytes, size, &size);
    char *clean = text_clean(converted ? converted : bytes, size);
    free(converted);
    for (char *c = clean; (c = strchr(c, '\\'));)
        *c = '/';
    return clean;
}

/* Returns the ASCII letters of a Latin letter, or "". A single letter is stored in `single`. */
static const char *latin(int32_t character, char single[2])
{
    utf8proc_int32_t parts[8]; /* in Unicode 15, a character has at most four parts */
    int boundary = 0;
    for (size_t i = 0; i < sizeof ligatures / sizeof *ligatures; i++)
        if (ligatures[i].character == character)
            return ligatures[i].letters;
    utf8proc_ssize_t count = utf8proc_decompose_char(character, parts, sizeof parts / sizeof *parts,
                                                     UTF8PROC_DECOMPOSE, &boundary);
    single[0] = count > 0 && parts[0] < 0x80 ? (char)parts[0] : 0;
    single[1] = 0;
    return single;
}

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_other_letter(int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    bool accent = character >= 0x300 && character <= 0x36F;
    bool punctuation = category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
    bool space = category == UTF8PROC_CATEGORY_ZS;
    return character >= 0x80 && !accent && !punctuation && !space;
}

void text_fold(const char *text, char *folded, size_t size)
{
    size_t count = 0;
    int32_t character;
    for (size_t left = strlen(text), length; left; text += length, left -= length) {
        char single[2], other[5] = "";
        if (!text_next_character(text, left, &character, &length))
            break;
        const char *letters = latin(character, single);
        if (!*letters && is_other_letter(character)) {
            encode(utf8proc_tolower(character), other);
            letters = other;
        }
        for (; *letters && count + 1 < size; letters++)
            if (is_alphanumeric(*letters) || (unsigned char)*letters >= 0x80)
                folded[count++] =
                    *letters >= 'A' && *letters <= 'Z' ? *letters + ('a' - 'A') : *letters;
    }
    folded[count] = 0;
}

void text_id(const char *text, char *id, size_t size)
{
    size_t count = 0, letters_seen = 0;
    const char *next = text;
    int32_t character;
    for (size_t left = strlen(text), length; left; next += length, left -= length) {
        char single[2];
        if (!text_next_character(next, left, &character, &length))
            break;
        for (const char *c = latin(character, single); *c && count + 1 < size; c++) {
            bool good = is_alphanumeric(*c);
            letters_seen += good;
            if (good || (count && (*c == '.' || *c == '-')))
                id[count++] = *c;
            else if (count && id[count - 1] != '_')
                id[count++] = '_';
        }
    }
    while (count && !is_alphanumeric(id[count - 1]))
        count--;
    id[count] = 0;
    if (!letters_seen) {
        unsigned char digest[DIGEST_SIZE];
        digest_bytes(text, strlen(text), digest);
        *id = 'x';
        digest_text(digest, 6, id + 1);
    }
}

/* UTF-32 comes first, because its mark begins with the mark of UTF-16. */
static const struct {
    const char *bytes, *charset;
    size_t size;
} marks[] = {{"\xFF\xFE\0\0", "UTF-32LE", 4},
             {"\0\0\xFE\xFF", "UTF-32BE", 4},
             {"\xEF\xBB\xBF", NULL, 3},
             {"\xFF\xFE", "UTF-16LE", 2},
             {"\xFE\xFF", "UTF-16BE", 2}};

/* Returns the charset if nearly every second byte is zero, as in a program in UTF-16; or NULL. */
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

static bool replace_by_utf8(unsigned char **bytes, size_t *size, const char *charset, size_t skip)
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

static bool to_utf8(unsigned char **bytes, size_t *size, const char **charset)
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
        return false;
    if (!*charset && text_is_utf8((const char *)*bytes, *size))
        return true;
    /* Windows-1252 does not define five bytes; ISO-8859-1 defines all bytes. */
    if (!replace_by_utf8(bytes, size, *charset ? *charset : "WINDOWS-1252", *charset ? skip : 0) &&
        (*charset || !replace_by_utf8(bytes, size, "ISO-8859-1", 0)))
        return false;
    *charset = *charset ? *charset : "Windows-1252";
    return !is_binary(*bytes, *size);
}

bool source_text_convert(unsigned char **bytes, size_t *size, const char **charset)
{
    const bool is_text = to_utf8(bytes, size, charset);
    if (is_text && !memchr(*bytes, '\n', *size))
        for (unsigned char *at = *bytes; (at = memchr(at, '\r', *size - (size_t)(at - *bytes)));)
            *at = '\n';
    return is_text;
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

/* Returns the length in bytes of a reference such as "&lt;" or "&#60;"; 0 if there is none. */
static size_t read_reference(const char *text, int32_t *character)
{
    static const struct {
        const char *name;
        int32_t character;
    } names[] = {{"&lt;", '<'},   {"&gt;", '>'},    {"&amp;", '&'},
                 {"&quot;", '"'}, {"&apos;", '\''}, {"&nbsp;", ' '}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(text, names[i].name, strlen(names[i].name))) {
            *character = names[i].character;
            return strlen(names[i].name);
        }
    if (strncmp(text, "&#", 2))
        return 0;
    bool hexadecimal = (text[2] | 32) == 'x';
    char *end;
    const char *digits = text + 2 + hexadecimal;
    unsigned long value = strtoul(digits, &end, hexadecimal ? 16 : 10);
    if (end == digits || *end != ';' || !value || value > 0xFFFF ||
        (value >= 0xD800 && value < 0xE000))
        return 0;
    *character = value == 0xA0 ? ' ' : (int32_t)value;
    return (size_t)(end + 1 - text);
}

enum { TAG_BYTES_MAX = 4096 };

static size_t read_tag(const char *text, size_t size, bool *breaks)
{
    static const char *const lines[] = {"br", "/p", "/div", "/li", "/tr", "/h", "/pre"};
    if (!isalpha((unsigned char)text[1]) && text[1] != '/' && text[1] != '!')
        return 0;
    const char *end = memchr(text, '>', size < TAG_BYTES_MAX ? size : TAG_BYTES_MAX);
    *breaks = false;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        *breaks |= !strncasecmp(text + 1, lines[i], strlen(lines[i])) &&
                   (lines[i][1] == 'h' || !isalnum((unsigned char)text[1 + strlen(lines[i])]));
    return end ? (size_t)(end + 1 - text) : 0;
}

void source_text_from_page(unsigned char *bytes, size_t *size)
{
    char *out = (char *)bytes;
    for (const char *in = out, *end = in + *size; in < end;) {
        int32_t character = 0;
        bool breaks = false;
        size_t length = *in == '<'   ? read_tag(in, (size_t)(end - in), &breaks)
                        : *in == '&' ? read_reference(in, &character)
                                     : 0;
        if (character)
            out += encode(character, out);
        else if (breaks)
            *out++ = '\n';
        else if (!length)
            *out++ = *in;
        in += length ? length : 1;
    }
    *out = 0;
    *size = (size_t)(out - (char *)bytes);
}
