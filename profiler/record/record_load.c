/* record_load.c: read records from an untrusted CSV file. */
#include "base/array.h"
#include "base/neutral_locale.h"
#include "record/csv_file.h"
#include "record/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CSV_MAX_BYTES = 64 << 20, CSV_MAX_COLUMNS = 4096 };

/* Column of each field in the header; -1 for an unknown name. */
struct csv_header {
    int columns[CSV_MAX_COLUMNS];
    size_t count;
};

static bool header_read(struct csv_file *file, struct csv_header *header)
{
    bool seen[COLUMN_COUNT] = {false}, any = false;
    struct csv_field field = {.last_of_row = false};
    bool has_header = csv_file_next_row(file);
    unsigned long line = file->line;
    if (!has_header)
        return csv_file_fail(file, line, "the file is empty: no header line");
    for (header->count = 0; !field.last_of_row; header->count++) {
        if (!csv_file_read_field(file, &field))
            return false;
        if (header->count == CSV_MAX_COLUMNS)
            return csv_file_fail(file, line, "too many columns");
        int column = column_find(field.text);
        header->columns[header->count] = column;
        if (column < 0)
            continue;
        if (seen[column])
            return csv_file_fail(file, line, "the column %s appears twice", field.text);
        seen[column] = any = true;
    }
    return any || csv_file_fail(file, line, "the header has no known column");
}

/* A count must start with a digit, because strtoull also accepts blanks and signs. */
static bool number_parse(enum record_type type, const char *text, struct record_value *value)
{
    char *end;
    if (type == RECORD_REAL)
        return csv_file_number(text, &value->real);
    errno = 0;
    value->count = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool value_parse(const struct csv_file *file, unsigned long line, int column,
                        const struct csv_field *field, struct record *record)
{
    const struct column_info *info = column_describe((enum column)column);
    struct record_value *value = &record->values[column];
    if (!field->quoted && !strcmp(field->text, RECORD_UNKNOWN))
        return true;
    if (info->type == RECORD_TEXT) {
        record_set_text(record, (enum column)column, "%s", field->text);
        return true;
    }
    if (!*field->text)
        return true;
    value->known = number_parse(info->type, field->text, value);
    return value->known ||
           csv_file_fail(file, line, "%s is not a number: \"%.40s\"", info->name, field->text);
}

static bool row_read(struct csv_file *file, const struct csv_header *header, struct record *record)
{
    struct csv_field field = {.last_of_row = false};
    unsigned long line = file->line;
    size_t i = 0;
    record_clear(record);
    for (; !field.last_of_row; i++) {
        if (!csv_file_read_field(file, &field))
            return false;
        if (i == header->count)
            return csv_file_fail(file, line, "the row has more fields than the header has columns");
        if (header->columns[i] >= 0 && !value_parse(file, line, header->columns[i], &field, record))
            return false;
    }
    return i == header->count ||
           csv_file_fail(file, line, "the row has %zu field%s, but the header has %zu column%s", i,
                         i == 1 ? "" : "s", header->count, header->count == 1 ? "" : "s");
}

static bool records_grow(const struct csv_file *file, struct record **records, size_t count)
{
    if (count == RECORDS_MAX)
        return csv_file_fail(file, file->line, "too many records");
    return array_make_room(records, count, sizeof **records) ||
           csv_file_fail(file, file->line, "not enough memory for more records");
}

static bool rows_read(struct csv_file *file, const struct csv_header *header,
                      struct record **records, size_t *count)
{
    while (csv_file_next_row(file)) {
        if (!records_grow(file, records, *count) || !row_read(file, header, &(*records)[*count]))
            return false;
        ++*count;
    }
    return true;
}

bool records_load(const char *path, struct record **records, size_t *count, struct failure *failure)
{
    struct csv_file file;
    struct csv_header header = {.count = 0};
    *records = NULL;
    *count = 0;
    struct locale_scope scope = locale_enter();
    bool good = csv_file_open(&file, path, CSV_MAX_BYTES, failure) && header_read(&file, &header) &&
                rows_read(&file, &header, records, count);
    locale_leave(scope);
    csv_file_close(&file);
    if (!good) {
        free(*records);
        *records = NULL;
        *count = 0;
    }
    return good;
}
