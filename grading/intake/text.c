/* text.c: see text.h. Unicode's tables are utf8proc's. */
#include "intake/text.h"

#include "goals/digest.h"

#include <errno.h>
#include <iconv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { REPLACEMENT = 0xFFFD };

/* Latin letters that are no letter with an accent. */
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

/* Controls of terminals, of lines, and of the direction of writing; what has no width. */
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
    char *valid = malloc(3 * size + 1), *end = valid; /* U+FFFD takes three bytes */
    if (!valid)
        return NULL;
    for (size_t length; size; bytes += length, size -= length) {
        int32_t character;
        text_next_character(bytes, size, &character, &length);
        end += encode(is_control(character) ? '_' : character, end);
    }
    *end = 0;
    char *clean = (char *)utf8proc_NFC((const utf8proc_uint8_t *)valid);
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
    size_t room = 3 * size + 4; /* no charset's byte becomes more */
    char *text = malloc(room + 1), *in = (char *)bytes, *out = text;
    bool good = text && (iconv(converter, &in, &size, &out, &room) != (size_t)-1 ||
                         errno == EINVAL /* cut */);
    iconv_close(converter);
    if (!good) {
        free(text);
        return NULL;
    }
    *out = 0;
    *length = (size_t)(out - text);
    return text;
}

/* The letters without accents for a character, in ASCII; "" when there are none. */
static const char *latin(int32_t character, char single[2])
{
    utf8proc_int32_t parts[8]; /* no character has more (Unicode 15: four) */
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

/* What no Latin letter stands for, and names are told apart by: not punctuation, nor accents that
 * stand alone. */
static bool is_telling(int32_t character)
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
        if (!*letters && is_telling(character)) {
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

/* "x" and 12 digits of the text's SHA-256. */
static void hash_id(const char *text, char *id)
{
    unsigned char digest[DIGEST_SIZE];
    digest_bytes(text, strlen(text), digest);
    *id = 'x';
    digest_text(digest, 6, id + 1);
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
    if (!letters_seen)
        hash_id(text, id);
}
