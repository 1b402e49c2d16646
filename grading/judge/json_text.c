/* json_text.c: see json_text.h. */
#include "judge/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the character that begins here, 0 when none does. Overlong forms, surrogates and what is
 * above U+10FFFF are none (RFC 3629). */
static size_t character_bytes(const unsigned char *bytes, size_t left)
{
    static const uint32_t lowest[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t count = bytes[0] < 0x80             ? 1
                   : (bytes[0] & 0xe0) == 0xc0 ? 2
                   : (bytes[0] & 0xf0) == 0xe0 ? 3
                   : (bytes[0] & 0xf8) == 0xf0 ? 4
                                               : 0;
    if (!count || count > left)
        return 0;
    uint32_t code = count == 1 ? bytes[0] : bytes[0] & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    bool good = code >= lowest[count] && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return good ? count : 0;
}

/* Characters that act instead of being seen: controls of terminals (U+0000 to U+001F but for line
 * ends and tabs, U+007F to U+009F), and of the direction of writing (U+202A to U+202E, U+2066 to
 * U+2069), which make a source look like another one. */
static bool is_control(const unsigned char *bytes, size_t count)
{
    if (count == 1)
        return (*bytes < 0x20 && *bytes != '\n' && *bytes != '\t') || *bytes == 0x7f;
    if (count == 2)
        return bytes[0] == 0xc2 && bytes[1] < 0xa0;
    return count == 3 && bytes[0] == 0xe2 &&
           ((bytes[1] == 0x80 && bytes[2] >= 0xaa && bytes[2] <= 0xae) ||
            (bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9));
}

json_t *json_text(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    char *clean = malloc(3 * length + 1); /* U+FFFD takes three bytes */
    size_t used = 0;
    if (!clean)
        return NULL;
    for (size_t i = 0, count; i < length; i += count) {
        count = character_bytes(bytes + i, length - i);
        if (count && bytes[i] == '\r' && i + 1 < length && bytes[i + 1] == '\n')
            continue;
        bool good = count && !is_control(bytes + i, count);
        memcpy(clean + used, good ? text + i : "\xef\xbf\xbd", good ? count : 3);
        used += good ? count : 3;
        count += !count;
    }
    json_t *string = json_stringn(clean, used);
    free(clean);
    return string;
}

json_t *json_format(const char *format, ...)
{
    char text[16384];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : json_text(text, strlen(text));
}

json_t *json_number(double number)
{
    char text[32];
    if (!isfinite(number))
        return json_null();
    snprintf(text, sizeof text, "%.6g", number);
    return json_real(strtod(text, NULL));
}
