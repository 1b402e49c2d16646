#include "intake/text.h"

#include "intake/text_latin.h"

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD };

/* Latin letters that are no letter with an accent. */
static const struct {
    uint32_t character;
    const char *letters;
} ligatures[] = {{0xC6, "AE"},  {0xD0, "D"},  {0xD8, "O"},   {0xDE, "Th"}, {0xDF, "ss"},
                 {0xE6, "ae"},  {0xF0, "d"},  {0xF8, "o"},   {0xFE, "th"}, {0x110, "D"},
                 {0x111, "d"},  {0x131, "i"}, {0x141, "L"},  {0x142, "l"}, {0x152, "OE"},
                 {0x153, "oe"}, {0x17F, "s"}, {0x1E9E, "SS"}};

/* Decode one character; its length, or 0 where the bytes are no UTF-8 (Unicode, table 3-7). */
static size_t decode(const unsigned char *bytes, size_t size, uint32_t *character)
{
    if (!size)
        return 0;
    if (bytes[0] < 0x80) {
        *character = bytes[0];
        return 1;
    }
    size_t length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2;
    if (bytes[0] < 0xC2 || bytes[0] > 0xF4 || length > size)
        return 0;
    uint32_t value = bytes[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *character = value;
    return length;
}

static size_t encode(uint32_t character, char *bytes)
{
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i; i--, character >>= 6)
        bytes[i] = (char)(0x80 | (character & 0x3F));
    bytes[0] = (char)((0xF00u >> length & 0xF0) | character);
    return length;
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

/* The one character for a letter and the mark behind it, or 0. */
static uint32_t compose(uint32_t letter, uint32_t mark)
{
    if (mark < 0x300 || mark > 0x36F)
        return 0;
    for (size_t i = 0; i < sizeof accented / sizeof *accented; i++)
        if (accented[i].letter == letter && accented[i].mark == mark)
            return accented[i].character;
    return 0;
}

char *text_clean(const char *bytes, size_t size)
{
    char *clean = malloc(3 * size + 1), *end = clean;
    if (!clean)
        return NULL;
    char *last_at = clean; /* of the character before */
    uint32_t last = 0, character;
    while (size) {
        size_t length = decode((const unsigned char *)bytes, size, &character);
        if (!length) {
            character = REPLACEMENT;
            length = 1;
        }
        bytes += length;
        size -= length;
        if (is_control(character))
            character = '_';
        uint32_t composed = compose(last, character);
        if (composed)
            end = last_at;
        last = composed ? composed : character;
        last_at = end;
        end += encode(last, end);
    }
    *end = 0;
    return clean;
}

int text_is_utf8(const char *bytes, size_t size)
{
    uint32_t character;
    while (size) {
        size_t length = decode((const unsigned char *)bytes, size, &character);
        if (!length)
            return 0;
        bytes += length;
        size -= length;
    }
    return 1;
}

/* The letters without accents for a character, in ASCII; "" when there are none. */
static const char *latin(uint32_t character, char single[2])
{
    for (size_t i = 0; i < sizeof ligatures / sizeof *ligatures; i++)
        if (ligatures[i].character == character)
            return ligatures[i].letters;
    for (size_t i = sizeof accented / sizeof *accented; i--;)
        if (accented[i].character == character)
            character = accented[i].letter;
    single[0] = character < 0x80 ? (char)character : 0;
    single[1] = 0;
    return single;
}

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void text_fold(const char *text, char *folded, size_t size)
{
    size_t count = 0, left = strlen(text);
    while (left) {
        uint32_t character;
        char single[2], raw[5] = "";
        size_t length = decode((const unsigned char *)text, left, &character);
        if (!length)
            break;
        const char *letters = latin(character, single);
        if (!*letters && (character < 0x300 || character > 0x36F) && character >= 0xC0) {
            raw[encode(character, raw)] = 0;
            letters = raw;
        }
        for (; *letters && count + 1 < size; letters++) {
            char c = *letters;
            if (c >= 'A' && c <= 'Z')
                c = (char)(c - 'A' + 'a');
            if (is_alphanumeric(c) || (unsigned char)c >= 0x80)
                folded[count++] = c;
        }
        text += length;
        left -= length;
    }
    folded[count] = 0;
}

/* "x" and 12 digits of the text's SHA-256. */
static void hash_id(const char *text, char *id, size_t size)
{
    unsigned char digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx hash;
    sha256_init(&hash);
    sha256_update(&hash, strlen(text), (const uint8_t *)text);
    sha256_digest(&hash, sizeof digest, digest);
    snprintf(id, size, "x%02x%02x%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3],
             digest[4], digest[5]);
}

void text_id(const char *text, char *id, size_t size)
{
    size_t count = 0, letters_seen = 0, left = strlen(text);
    const char *next = text;
    while (left) {
        uint32_t character;
        char single[2];
        size_t length = decode((const unsigned char *)next, left, &character);
        if (!length)
            break;
        for (const char *c = latin(character, single); *c && count + 1 < size; c++) {
            bool good = is_alphanumeric(*c);
            letters_seen += good;
            if (good || (count && (*c == '.' || *c == '-')))
                id[count++] = *c;
            else if (count && id[count - 1] != '_')
                id[count++] = '_';
        }
        next += length;
        left -= length;
    }
    while (count && !is_alphanumeric(id[count - 1]))
        count--;
    id[count] = 0;
    if (!letters_seen)
        hash_id(text, id, size);
}
