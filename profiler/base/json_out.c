#include "base/json_out.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static void write_string(FILE *file, const char *text, size_t length)
{
    putc('"', file);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (!c)
            fputs("\\ufffd", file);
        else if (c < ' ' || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            putc(c, file);
    }
    putc('"', file);
}

static void begin(struct json_out *out, const char *key)
{
    if (out->follows)
        fputs(",\n", out->file);
    out->follows = true;
    if (!key)
        return;
    write_string(out->file, key, strlen(key));
    fputs(": ", out->file);
}

void json_out_open(struct json_out *out, const char *key, char bracket)
{
    begin(out, key);
    putc(bracket, out->file);
    out->follows = false;
}

void json_out_close(struct json_out *out, char bracket)
{
    putc(bracket, out->file);
    out->follows = true;
}

void json_out_bytes(struct json_out *out, const char *key, const char *text, size_t length)
{
    begin(out, key);
    write_string(out->file, text, length);
}

void json_out_text(struct json_out *out, const char *key, const char *text)
{
    json_out_bytes(out, key, text, strlen(text));
}

void json_out_count(struct json_out *out, const char *key, uint64_t number)
{
    begin(out, key);
    fprintf(out->file, "%" PRIu64, number);
}

void json_out_real(struct json_out *out, const char *key, double number)
{
    begin(out, key);
    if (isfinite(number))
        fprintf(out->file, "%.6g", number);
    else
        fputs("null", out->file);
}

void json_out_word(struct json_out *out, const char *key, const char *word)
{
    begin(out, key);
    fputs(word, out->file);
}

static const char *write_conversion(struct json_out *out, const char *key, const char *at,
                                    va_list *values)
{
    switch (*at) {
    case 's':
        json_out_text(out, key, va_arg(*values, const char *));
        return at;
    case 'g':
        json_out_real(out, key, va_arg(*values, double));
        return at;
    case 'd':
        json_out_word(out, key, va_arg(*values, int) ? "true" : "false");
        return at;
    case 'u':
        json_out_count(out, key, va_arg(*values, unsigned));
        return at;
    default:
        json_out_count(out, key, va_arg(*values, size_t));
        return at + 1;
    }
}

void json_out_format(struct json_out *out, const char *format, ...)
{
    char name[64];
    const char *key = NULL;
    va_list values;
    va_start(values, format);
    for (const char *at = format; *at; at++) {
        if (isalpha((unsigned char)*at)) {
            const size_t length = strcspn(at, ":");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            key = name;
            at += length;
            continue;
        }
        if (strchr(", ", *at))
            continue;
        if (*at == '%')
            at = write_conversion(out, key, at + 1, &values);
        else if (strchr("{[", *at))
            json_out_open(out, key, *at);
        else
            json_out_close(out, *at);
        key = NULL;
    }
    va_end(values);
}
