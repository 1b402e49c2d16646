#include "hardware/calibrate/measurements.h"

#include "record/csv_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6, FILE_MAX_BYTES = 1 << 20 };

static const char header[] = "what,form,a,b,work,us";

bool measurements_write_header(FILE *file)
{
    return fprintf(file, "%s\n", header) > 0;
}

bool measurement_write(FILE *file, const struct measurement *row)
{
    return fprintf(file, "%s,%s,%ld,%ld,%.0f,%.3f\n", row->what, row->form, row->a, row->b,
                   row->work, row->us) > 0;
}

static bool take_field(struct measurement *row, unsigned field, const char *text)
{
    double value = 0;
    const size_t size = field ? sizeof row->form : sizeof row->what;
    if (field < 2)
        return *text && snprintf(field ? row->form : row->what, size, "%s", text) < (int)size;
    if (!csv_file_number(text, &value) || (field >= 4 && value < 0) || fabs(value) > 1e15)
        return false;
    if (field < 4)
        *(field == 2 ? &row->a : &row->b) = (long)value;
    else
        *(field == 4 ? &row->work : &row->us) = value;
    return true;
}

static bool read_row(struct csv_file *file, struct measurement *row)
{
    struct csv_field field = {.last_of_row = false};
    unsigned long line = file->line;
    unsigned count = 0;
    *row = (struct measurement){.a = 0};
    for (; !field.last_of_row; count++) {
        if (!csv_file_read_field(file, &field))
            return false;
        if (count < FIELDS && !take_field(row, count, field.text))
            return csv_file_fail(file, line, "`%.40s` is not valid for field %u of %s", field.text,
                                 count + 1, header);
    }
    return count == FIELDS || csv_file_fail(file, line, "the row has %u field%s, not %d: %s", count,
                                            count == 1 ? "" : "s", FIELDS, header);
}

static bool read_rows(struct csv_file *file, struct measurements *measurements)
{
    size_t length = strcspn(file->next, "\r\n");
    if (length != strlen(header) || memcmp(file->next, header, length))
        return csv_file_fail(file, file->line, "the header is not %s", header);
    file->next += length;
    while (csv_file_next_row(file)) {
        if (measurements->count == MEASUREMENTS_MAX)
            return csv_file_fail(file, file->line, "more than %d rows", MEASUREMENTS_MAX);
        if (!read_row(file, &measurements->rows[measurements->count]))
            return false;
        measurements->count++;
    }
    return true;
}

bool measurements_load(const char *path, struct measurements *measurements, struct failure *failure)
{
    struct csv_file file;
    measurements->count = 0;
    bool good =
        csv_file_open(&file, path, FILE_MAX_BYTES, failure) && read_rows(&file, measurements);
    csv_file_close(&file);
    return good;
}

const struct measurement *measurements_find(const struct measurements *measurements,
                                            const char *what, const char *form, long a, long b)
{
    for (size_t i = 0; i < measurements->count; i++) {
        const struct measurement *row = &measurements->rows[i];
        if (!strcmp(row->what, what) && (!form || !strcmp(row->form, form)) &&
            (a < 0 || row->a == a) && (b < 0 || row->b == b))
            return row;
    }
    return NULL;
}
