/* record.c: the columns, and the values of a record.
 *
 * COLUMN_LIST is the only list of columns; the table made from it here is what everything that
 * writes, reads, prints or explains columns walks (record_csv.c, record_table.c).
 */
#include "record/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct column_info column_table[COLUMN_COUNT] = {
#define X(type, name, unit, cupti, emulator, meaning)                                              \
    [COLUMN_##name] = {RECORD_##type, #name, unit, cupti, emulator, meaning},
    COLUMN_LIST(X)
#undef X
};

const struct column_info *column_describe(enum column column)
{
    return &column_table[column];
}

int column_find(const char *name)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (!strcmp(name, column_table[i].name))
            return i;
    return -1;
}

void record_clear(struct record *record)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        record->values[i].known = false;
}

/* A value of another type than its column's is a mistake in our own source. */
static struct record_value *value_of_type(struct record *record, enum column column,
                                          enum record_type type)
{
    if ((unsigned)column >= COLUMN_COUNT || column_table[column].type != type)
        abort();
    return &record->values[column];
}

/* Mark a text that was cut with "...", at a character's first byte where the text is UTF-8. */
static void text_mark_cut(char *text)
{
    size_t end = RECORD_TEXT_SIZE - 4;
    while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    strcpy(text + end, "...");
}

void record_set_text(struct record *record, enum column column, const char *format, ...)
{
    struct record_value *value = value_of_type(record, column, RECORD_TEXT);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(value->text, sizeof value->text, format, arguments);
    va_end(arguments);
    value->known = length >= 0;
    if (length >= RECORD_TEXT_SIZE)
        text_mark_cut(value->text);
}

void record_set_count(struct record *record, enum column column, uint64_t count)
{
    struct record_value *value = value_of_type(record, column, RECORD_COUNT);
    value->known = true;
    value->count = count;
}

void record_set_real(struct record *record, enum column column, double real)
{
    struct record_value *value = value_of_type(record, column, RECORD_REAL);
    value->known = isfinite(real);
    value->real = real;
}

/* ---- The columns themselves ---- */

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

void columns_print(FILE *file, bool markdown)
{
    if (markdown)
        fputs("| column | unit | meaning | CUPTI | emulator |\n|---|---|---|---|---|\n", file);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct column_info *info = &column_table[i];
        if (markdown)
            fprintf(file, "| `%s` | %s | %s | %s%s%s | %s |\n", info->name, or_dash(info->unit),
                    info->meaning, strstr(info->cupti, "__") ? "`" : "", or_dash(info->cupti),
                    strstr(info->cupti, "__") ? "`" : "", or_dash(info->emulator));
        else
            fprintf(file, "%s%s%s%s: %s\n    CUPTI     %s\n    emulator  %s\n", info->name,
                    *info->unit ? " (" : "", info->unit, *info->unit ? ")" : "", info->meaning,
                    or_dash(info->cupti), or_dash(info->emulator));
    }
}
