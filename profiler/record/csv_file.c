/* Fields are unquoted in place, because the result is never longer. */
#include "record/csv_file.h"

#include "base/whole_file.h"
#include "base/wording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool csv_file_fail(const struct csv_file *file, unsigned long line, const char *format, ...)
{
    char what[256];
    FORMAT(what, sizeof what, format);
    return failure_harness(file->failure, "%s:%lu: %s", file->path, line, what);
}

static bool check_nul(const struct csv_file *file)
{
    const char *nul = memchr(file->text, '\0', (size_t)(file->end - file->text));
    if (!nul)
        return true;
    unsigned long line = 1;
    for (const char *p = file->text; p < nul; p++)
        line += *p == '\n';
    return csv_file_fail(file, line, "a NUL byte: this is not a CSV file in UTF-8");
}

bool csv_file_open(struct csv_file *file, const char *path, size_t max_bytes,
                   struct failure *failure)
{
    size_t size;
    *file = (struct csv_file){.path = path, .separator = ',', .line = 1, .failure = failure};
    file->text = whole_file_read(path, max_bytes, &size, failure);
    if (!file->text)
        return false;
    file->next = file->text;
    file->end = file->text + size;
    bool good = check_nul(file);
    static const char byte_order_mark[] = "\xef\xbb\xbf"; /* Spreadsheets write this mark. */
    if (good && !strncmp(file->next, byte_order_mark, 3))
        file->next += 3;
    return good;
}

void csv_file_close(struct csv_file *file)
{
    free(file->text);
    file->text = NULL;
}

static size_t line_end_length(const char *p)
{
    return *p == '\n' ? 1 : *p == '\r' && p[1] == '\n' ? 2 : 0;
}

bool csv_file_next_row(struct csv_file *file)
{
    for (size_t length; (length = line_end_length(file->next)); file->line++)
        file->next += length;
    return file->next < file->end;
}

static char *field_unquote(struct csv_file *file, struct csv_field *field)
{
    unsigned long first_line = file->line;
    char *to = file->next, *from = file->next + 1;
    field->text = to;
    for (; from < file->end; from++) {
        if (*from == '"' && *++from != '"') {
            *to = '\0';
            return from;
        }
        file->line += *from == '\n';
        *to++ = *from;
    }
    csv_file_fail(file, first_line, "a quote is opened here and never closed");
    return NULL;
}

bool csv_file_read_field(struct csv_file *file, struct csv_field *field)
{
    char *begin = file->next, *end = field->text = begin;
    field->quoted = *end == '"';
    if (field->quoted) {
        end = field_unquote(file, field);
        if (!end)
            return false;
    }
    for (; !field->quoted && end < file->end && *end != file->separator && !line_end_length(end);
         end++)
        if (*end == '"' && !file->unmatched_quotes)
            return csv_file_fail(file, file->line,
                                 "a quote inside a field that does not start with a quote");
    size_t line_end = line_end_length(end);
    if (end < file->end && *end != file->separator && !line_end)
        return csv_file_fail(file, file->line, "text after a closing quote");
    field->last_of_row = *end != file->separator;
    field->begin = (size_t)(begin - file->text);
    field->end = (size_t)(end - file->text);
    file->next = end < file->end ? end + (line_end ? line_end : 1) : end;
    file->line += line_end != 0;
    *end = '\0';
    return true;
}

bool csv_file_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && !text[strspn(text, "0123456789+-.eE")] && isfinite(*number);
}
