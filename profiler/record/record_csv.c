/* record_csv.c: records as CSV (RFC 4180).
 *
 * Theory of operation. Writing goes to a temporary file beside the target, which takes the target's
 * name when all of it has reached the disk; pipes and devices, which cannot be replaced, are
 * written as they are. Reading takes the whole file into memory and splits it in place: a field is
 * unquoted over its own bytes, because the result is never longer. Nothing in the file is trusted,
 * and there is one way out on an error, with the line at which the trouble is.
 */
#include "base/neutral_locale.h"
#include "base/whole_file.h"
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char unknown_text[] = "NA";

/* ---- Writing CSV (RFC 4180) ---- */

/* Text that reads as "unknown" is quoted, too: that is how the two differ. */
static bool text_needs_quotes(const char *text)
{
    return strpbrk(text, ",\"\r\n") || !strcmp(text, unknown_text);
}

static void text_write(FILE *file, const char *text)
{
    if (!text_needs_quotes(text)) {
        fputs(text, file);
        return;
    }
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

static void value_write(FILE *file, enum record_type type, const struct record_value *value)
{
    if (!value->known)
        fputs(unknown_text, file);
    else if (type == RECORD_TEXT)
        text_write(file, value->text);
    else if (type == RECORD_COUNT)
        fprintf(file, "%" PRIu64, value->count);
    else
        fprintf(file, "%.6g", value->real);
}

bool record_write_header(FILE *file)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        fprintf(file, "%s%s", i ? "," : "", column_describe((enum column)i)->name);
    putc('\n', file);
    return !ferror(file);
}

bool record_write(FILE *file, const struct record *record)
{
    struct locale_scope scope = locale_enter();
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (i)
            putc(',', file);
        value_write(file, column_describe((enum column)i)->type, &record->values[i]);
    }
    putc('\n', file);
    locale_leave(scope);
    return !ferror(file);
}

/* Everything, down to the operating system. False: errno. */
static bool records_write(FILE *file, const struct record *records, size_t count)
{
    bool good = record_write_header(file);
    for (size_t i = 0; i < count && good; i++)
        good = record_write(file, &records[i]);
    return fflush(file) == 0 && good;
}

/* ---- Saving: the whole file or nothing ---- */

static bool save_failure(struct failure *failure, const char *path, int error)
{
    return failure_harness(failure, "cannot write %s: %s", path, strerror(error));
}

/* Close in any case; report the first error. */
static bool stream_finish(FILE *file, bool written, int error, const char *path,
                          struct failure *failure)
{
    if (fclose(file) != 0 && written)
        return save_failure(failure, path, errno);
    return written || save_failure(failure, path, error);
}

/* A pipe or a device cannot be replaced, only written. */
static bool records_stream(int descriptor, const char *path, const struct record *records,
                           size_t count, struct failure *failure)
{
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) {
        save_failure(failure, path, errno);
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    bool written = records_write(file, records, count);
    return stream_finish(file, written, errno, path, failure);
}

/* A duplicate, so that closing it, which may be what finds the error, leaves the original open. */
static bool records_stream_standard(FILE *standard, const char *path, const struct record *records,
                                    size_t count, struct failure *failure)
{
    if (fflush(standard) != 0)
        return save_failure(failure, path, errno);
    return records_stream(dup(fileno(standard)), path, records, count, failure);
}

static bool records_replace(const char *path, const struct record *records, size_t count,
                            struct failure *failure)
{
    struct whole_file file;
    if (!whole_file_open(&file, path, failure))
        return false;
    records_write(file.stream, records, count); /* whole_file_keep finds what went wrong */
    return whole_file_keep(&file, failure);
}

bool records_save(const char *path, const struct record *records, size_t count,
                  struct failure *failure)
{
    if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
        return records_stream_standard(stdout, "standard output", records, count, failure);
    if (!strcmp(path, "/dev/stderr"))
        return records_stream_standard(stderr, "standard error", records, count, failure);

    struct stat entry, target;
    bool exists = lstat(path, &entry) == 0;
    if (exists && stat(path, &target) == 0 && (S_ISCHR(target.st_mode) || S_ISFIFO(target.st_mode)))
        return records_stream(open(path, O_WRONLY | O_CLOEXEC), path, records, count, failure);
    if (exists && S_ISLNK(entry.st_mode))
        return failure_harness(failure,
                               "cannot write %s: it is a symbolic link; name the file that it "
                               "should lead to",
                               path);
    if (exists && S_ISDIR(entry.st_mode))
        return save_failure(failure, path, EISDIR);
    if (exists && !S_ISREG(entry.st_mode))
        return failure_harness(failure, "cannot write %s: it is not a regular file", path);
    return records_replace(path, records, count, failure);
}

/* ---- Reading CSV ---- */

enum { CSV_MAX_BYTES = 64 << 20, CSV_MAX_COLUMNS = 4096 };

struct csv_reader {
    const char *path;
    char *text, *next, *end; /* text[0..end), and a NUL at end */
    unsigned long line;      /* of next */
    struct failure *failure;
};

struct csv_field {
    char *text; /* NUL-terminated, in place */
    bool quoted, last_of_row;
};

static bool csv_failure(const struct csv_reader *reader, unsigned long line, const char *what)
{
    return failure_harness(reader->failure, "%s:%lu: %s", reader->path, line, what);
}

/* Read FILE whole. */
static bool csv_read_stream(struct csv_reader *reader, FILE *file)
{
    size_t capacity = 1 << 16, length = 0;
    for (;;) {
        char *grown = realloc(reader->text, capacity + 1);
        if (!grown)
            return failure_harness(reader->failure, "%s: no memory to read it", reader->path);
        reader->text = grown;
        length += fread(grown + length, 1, capacity - length, file);
        if (ferror(file))
            return failure_harness(reader->failure, "cannot read %s: %s", reader->path,
                                   strerror(errno));
        if (length > CSV_MAX_BYTES)
            return failure_harness(reader->failure, "%s: larger than %d MB", reader->path,
                                   CSV_MAX_BYTES >> 20);
        if (length < capacity)
            break;
        capacity *= 2;
    }
    reader->next = reader->text;
    reader->end = reader->text + length;
    *reader->end = '\0';
    return true;
}

static bool csv_check_nul(const struct csv_reader *reader)
{
    const char *nul = memchr(reader->text, '\0', (size_t)(reader->end - reader->text));
    if (!nul)
        return true;
    unsigned long line = 1;
    for (const char *p = reader->text; p < nul; p++)
        line += *p == '\n';
    return csv_failure(reader, line, "a NUL byte: this is not a CSV file");
}

static bool csv_open(struct csv_reader *reader, const char *path, struct failure *failure)
{
    *reader = (struct csv_reader){.path = path, .line = 1, .failure = failure};
    FILE *file = fopen(path, "r");
    if (!file)
        return failure_harness(failure, "cannot read %s: %s", path, strerror(errno));
    bool good = csv_read_stream(reader, file) && csv_check_nul(reader);
    fclose(file);
    static const char byte_order_mark[] = "\xef\xbb\xbf"; /* spreadsheets write one */
    if (good && !strncmp(reader->next, byte_order_mark, 3))
        reader->next += 3;
    return good;
}

/* The length of the line end at p: 0, 1 or 2. */
static size_t line_end_length(const char *p)
{
    return *p == '\n' ? 1 : *p == '\r' && p[1] == '\n' ? 2 : 0;
}

static void csv_skip_empty_lines(struct csv_reader *reader)
{
    for (size_t length; (length = line_end_length(reader->next)); reader->line++)
        reader->next += length;
}

/* Unquote in place from the opening quote; the byte after the closing quote, or NULL. */
static char *field_unquote(struct csv_reader *reader, struct csv_field *field)
{
    unsigned long first_line = reader->line;
    char *to = reader->next, *from = reader->next + 1;
    field->text = to;
    for (; from < reader->end; from++) {
        if (*from == '"' && *++from != '"') {
            *to = '\0'; /* at most at the closing quote */
            return from;
        }
        reader->line += *from == '\n';
        *to++ = *from;
    }
    csv_failure(reader, first_line, "a quote is opened here and never closed");
    return NULL;
}

/* The next field of the current row, which has one: advance past its separator. */
static bool csv_read_field(struct csv_reader *reader, struct csv_field *field)
{
    char *end;
    field->quoted = *reader->next == '"';
    if (field->quoted) {
        end = field_unquote(reader, field);
        if (!end)
            return false;
    } else {
        field->text = reader->next;
        end = reader->next;
        while (end < reader->end && *end != ',' && !line_end_length(end)) {
            if (*end == '"')
                return csv_failure(reader, reader->line, "a quote inside a field without quotes");
            end++;
        }
    }
    size_t line_end = line_end_length(end);
    if (end < reader->end && *end != ',' && !line_end)
        return csv_failure(reader, reader->line, "text after a closing quote");
    field->last_of_row = *end != ',';
    reader->next = end < reader->end ? end + (line_end ? line_end : 1) : end;
    reader->line += line_end != 0;
    *end = '\0';
    return true;
}

/* Columns of the header; -1 for those that are not ours. */
struct csv_header {
    int columns[CSV_MAX_COLUMNS];
    size_t count;
};

static bool csv_read_header(struct csv_reader *reader, struct csv_header *header)
{
    bool seen[COLUMN_COUNT] = {false}, any = false;
    struct csv_field field = {.last_of_row = false};
    csv_skip_empty_lines(reader);
    unsigned long line = reader->line;
    if (reader->next == reader->end)
        return csv_failure(reader, line, "the file is empty: no header line");
    for (header->count = 0; !field.last_of_row; header->count++) {
        if (!csv_read_field(reader, &field))
            return false;
        if (header->count == CSV_MAX_COLUMNS)
            return csv_failure(reader, line, "too many columns");
        int column = column_find(field.text);
        header->columns[header->count] = column;
        if (column < 0)
            continue;
        if (seen[column])
            return failure_harness(reader->failure, "%s:%lu: the column %s appears twice",
                                   reader->path, line, column_describe((enum column)column)->name);
        seen[column] = any = true;
    }
    return any || csv_failure(reader, line, "the header names no column that is known here");
}

static bool number_ends_well(const char *text, const char *end)
{
    return end != text && *end == '\0' && errno == 0;
}

/* A number that starts as a number does: strtoull and strtod also take spaces, and strtod "nan",
 * "inf" and hexadecimals. */
static bool number_parse(enum record_type type, const char *text, struct record_value *value)
{
    char *end;
    errno = 0;
    if (type == RECORD_COUNT) {
        value->count = strtoull(text, &end, 10);
        return *text >= '0' && *text <= '9' && number_ends_well(text, end);
    }
    if (text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    value->real = strtod(text, &end);
    if (errno == ERANGE && fabs(value->real) <= 1)
        errno = 0; /* too small to matter is no error */
    return number_ends_well(text, end);
}

static bool value_parse(const struct csv_reader *reader, unsigned long line, int column,
                        const struct csv_field *field, struct record *record)
{
    const struct column_info *info = column_describe((enum column)column);
    struct record_value *value = &record->values[column];
    if (!field->quoted && !strcmp(field->text, unknown_text))
        return true;
    if (info->type == RECORD_TEXT) {
        record_set_text(record, (enum column)column, "%s", field->text);
        return true;
    }
    if (!*field->text)
        return true;
    value->known = number_parse(info->type, field->text, value);
    return value->known || failure_harness(reader->failure, "%s:%lu: %s is not a number: \"%.40s\"",
                                           reader->path, line, info->name, field->text);
}

static bool csv_read_row(struct csv_reader *reader, const struct csv_header *header,
                         struct record *record)
{
    struct csv_field field = {.last_of_row = false};
    unsigned long line = reader->line;
    size_t i = 0;
    record_clear(record);
    for (; !field.last_of_row; i++) {
        if (!csv_read_field(reader, &field))
            return false;
        if (i == header->count)
            return csv_failure(reader, line, "more fields than the header has columns");
        if (header->columns[i] >= 0 &&
            !value_parse(reader, line, header->columns[i], &field, record))
            return false;
    }
    return i == header->count ||
           failure_harness(reader->failure, "%s:%lu: %zu fields where the header has %zu columns",
                           reader->path, line, i, header->count);
}

/* Room for one more record. */
static bool records_grow(const struct csv_reader *reader, struct record **records, size_t count,
                         size_t *capacity)
{
    if (count < *capacity)
        return true;
    if (count == RECORDS_MAX)
        return csv_failure(reader, reader->line, "too many records");
    *capacity = *capacity ? *capacity * 2 : 8;
    struct record *grown = realloc(*records, *capacity * sizeof **records);
    if (!grown)
        return csv_failure(reader, reader->line, "no memory for more records");
    *records = grown;
    return true;
}

static bool csv_read_rows(struct csv_reader *reader, const struct csv_header *header,
                          struct record **records, size_t *count)
{
    size_t capacity = 0;
    for (csv_skip_empty_lines(reader); reader->next < reader->end; csv_skip_empty_lines(reader)) {
        if (!records_grow(reader, records, *count, &capacity) ||
            !csv_read_row(reader, header, &(*records)[*count]))
            return false;
        ++*count;
    }
    return true;
}

bool records_load(const char *path, struct record **records, size_t *count, struct failure *failure)
{
    struct csv_reader reader;
    struct csv_header header = {.count = 0};
    *records = NULL;
    *count = 0;
    struct locale_scope scope = locale_enter();
    bool good = csv_open(&reader, path, failure) && csv_read_header(&reader, &header) &&
                csv_read_rows(&reader, &header, records, count);
    locale_leave(scope);
    free(reader.text);
    if (!good) {
        free(*records);
        *records = NULL;
        *count = 0;
    }
    return good;
}
