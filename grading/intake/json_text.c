#include "intake/json_text.h"

#include "base/wording.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* If memory is full, the process must end, because a missing JSON value could give wrong points. */
static void *allocate_value(size_t bytes)
{
    return allocate_checked(malloc(bytes));
}

__attribute__((constructor)) static void allocate_for_jansson(void)
{
    json_set_alloc_funcs(allocate_value, free);
}

static bool is_invisible(int32_t character)
{
    return (utf8proc_category(character) == UTF8PROC_CATEGORY_CC && character != '\n' &&
            character != '\t') ||
           (character >= 0x202A && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

json_t *json_text(const char *text, size_t length)
{
    char *clean = allocate_checked(malloc(3 * length + 1)); /* U+FFFD has three bytes */
    size_t used = 0;
    for (size_t i = 0, count; i < length; i += count) {
        int32_t character;
        bool good = text_next_character(text + i, length - i, &character, &count);
        if (character == '\r' && i + 1 < length && text[i + 1] == '\n')
            continue;
        good = good && !is_invisible(character);
        memcpy(clean + used, good ? text + i : "\xef\xbf\xbd", good ? count : 3);
        used += good ? count : 3;
    }
    json_t *string = json_stringn(clean, used);
    free(clean);
    return string;
}

json_t *json_format(const char *format, ...)
{
    char text[16384];
    int length = FORMAT(text, sizeof text, format);
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

const char *json_text_of(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    return text ? text : "";
}

double json_number_of(const json_t *object, const char *field)
{
    return json_number_value(json_object_get(object, field));
}
