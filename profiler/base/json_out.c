/* json_out.c: see json_out.h. */
#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>
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

void json_out_bool(struct json_out *out, const char *key, bool value)
{
    json_out_word(out, key, value ? "true" : "false");
}
