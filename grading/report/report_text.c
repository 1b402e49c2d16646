/* report_text.c: see report_text.h. */
#include "report/report_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *report_string(const json_t *object, const char *field)
{
    const char *text = json_string_value(json_object_get(object, field));
    return text ? text : "";
}

double report_number(const json_t *object, const char *field)
{
    return json_number_value(json_object_get(object, field));
}

bool report_true(const json_t *object, const char *field)
{
    return json_is_true(json_object_get(object, field));
}

bool report_has(const json_t *object, const char *field)
{
    const json_t *value = json_object_get(object, field);
    return value && !json_is_null(value);
}

const char *report_points(double points, char *text)
{
    snprintf(text, 32, "%.2f", points);
    char *end = text + strlen(text);
    while (end[-1] == '0')
        *--end = 0;
    if (end[-1] == '.')
        end[-1] = 0;
    return text;
}

void report_escape(FILE *stream, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        switch (*at) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        case '\'':
            fputs("&#39;", stream);
            break;
        default:
            /* U+FFFE and U+FFFF, the other characters that XML lacks, are EF BF BE and EF BF BF. */
            if ((*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f)
                fputs("\xef\xbf\xbd", stream);
            else if (*at == 0xef && at[1] == 0xbf && (at[2] == 0xbe || at[2] == 0xbf)) {
                fputs("\xef\xbf\xbd", stream);
                at += 2;
            } else
                putc(*at, stream);
        }
}

void report_markup(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            putc(*at, stream);
            continue;
        }
        char conversion[16] = "%";
        size_t length = 1 + strcspn(at + 1, "sdugf%") + 1;
        if (length >= sizeof conversion)
            abort(); /* a mistake of the caller */
        memcpy(conversion, at, length);
        at += length - 1;
        if (*at == 's')
            report_escape(stream, va_arg(arguments, const char *));
        else if (*at == '%')
            putc('%', stream);
        else if (*at == 'd')
            fprintf(stream, "%d", va_arg(arguments, int));
        else if (*at == 'u') /* only as %zu */
            fprintf(stream, "%zu", va_arg(arguments, size_t));
        else {
            char text[64];
            double value = va_arg(arguments, double);
            int decimals = length > 2 && conversion[1] == '.' ? atoi(conversion + 2) : 6;
            snprintf(text, sizeof text, *at == 'g' ? "%.*g" : "%.*f", decimals, value);
            fputs(text, stream);
        }
    }
    va_end(arguments);
}

double report_share(double score, double points)
{
    return points > 0 ? score / points : 1;
}

const char *report_result(const json_t *check)
{
    static const char *const words[][2] = {{"passed", "full points"},
                                           {"partial", "partly"},
                                           {"failed", "no points"},
                                           {"skipped", "not judged"}};
    const char *result = report_string(check, "result");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(result, words[i][0]))
            return words[i][1];
    return result;
}
