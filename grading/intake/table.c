#include "intake/table.h"

#include "base/wording.h"
#include "intake/text.h"
#include "process/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BYTES_MAX = 16 << 20, HEADER_SIZE = 256 };

static void make_usual(struct table *table)
{
    struct csv_file *file = &table->file;
    size_t mark = (size_t)(file->next - file->text), length = (size_t)(file->end - file->text);
    table->latin_1 = !text_is_utf8(file->text, length);
    if (table->latin_1) {
        char *text = allocate_checked(text_convert("ISO-8859-1", file->text, length, &length));
        free(file->text);
        file->text = text;
        file->next = text + 2 * mark;
        file->end = text + length;
    }
    table->original = allocate_checked(malloc(length + 1));
    memcpy(table->original, file->text, length);
    if (!strchr(file->next, '\n'))
        for (char *c = file->next; (c = strchr(c, '\r'));)
            *c = '\n';
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = 0;
    return text;
}

static char find_separator(const char *text, const char *end)
{
    static const char separators[] = ",;\t";
    size_t counts[sizeof separators - 1] = {0}, best = 0;
    bool quoted = false;
    for (; text < end && (quoted || (*text != '\n' && *text != '\r')); text++) {
        const char *found =
            quoted ? NULL : memchr(separators, *text, sizeof counts / sizeof *counts);
        if (found)
            counts[found - separators]++;
        quoted ^= *text == '"';
    }
    for (size_t i = 1; i < sizeof counts / sizeof *counts; i++)
        best = counts[i] > counts[best] ? i : best;
    return separators[best];
}

bool table_next(struct table *table)
{
    struct csv_file *file = &table->file;
    bool last = false;
    if (!csv_file_next_row(file))
        return false;
    table->line = file->line;
    for (table->field_count = 0; !last; table->field_count++) {
        struct csv_field field;
        if (!csv_file_read_field(file, &field))
            return false;
        if (table->field_count == TABLE_COLUMNS_MAX)
            return table_fail(table, "more than %d columns", TABLE_COLUMNS_MAX);
        table->fields[table->field_count] = trim(field.text);
        table->places[table->field_count] = field;
        last = field.last_of_row;
    }
    return true;
}

bool table_open(struct table *table, const char *path, struct failure *failure)
{
    table->column_count = table->field_count = 0;
    table->original = NULL;
    if (!csv_file_open(&table->file, path, TABLE_BYTES_MAX, failure))
        return false;
    make_usual(table);
    table->file.separator = find_separator(table->file.next, table->file.end);
    table->file.unmatched_quotes = true;
    if (!table_next(table))
        return failure->kind == FAILURE_NONE && failure_harness(failure, "%s is empty", path);
    memcpy(table->headers, table->fields, sizeof table->headers);
    table->column_count = table->field_count;
    return true;
}

size_t table_column(const struct table *table, const char *folded)
{
    char header[HEADER_SIZE];
    for (size_t i = 0; i < table->column_count; i++) {
        text_fold(table->headers[i], header, sizeof header);
        if (!strcmp(header, folded))
            return i;
    }
    return TABLE_COLUMNS_MAX;
}

const char *table_field(const struct table *table, size_t column)
{
    return column < table->field_count ? table->fields[column] : "";
}

const char *table_field_of(const struct table *table, const char *folded)
{
    return table_field(table, table_column(table, folded));
}

bool table_fail(const struct table *table, const char *format, ...)
{
    char what[512];
    FORMAT(what, sizeof what, format);
    return csv_file_fail(&table->file, table->line, "%s", what);
}

void table_copy(const struct table *table, size_t begin, size_t end, FILE *out)
{
    for (const char *at = table->original + begin; at < table->original + end; at++) {
        bool two = table->latin_1 && (*at & 0x80);
        putc(two ? (at[0] & 3) << 6 | (at[1] & 0x3F) : *at, out);
        at += two;
    }
}

void table_close(struct table *table)
{
    free(table->original);
    table->original = NULL;
    csv_file_close(&table->file);
}
