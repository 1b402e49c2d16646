/* record.c: records, their CSV form and their table for people.
 *
 * Theory of operation. COLUMN_LIST is the only list of columns; everything here walks the table
 * made from it. Numbers are written and read in the "C" locale whatever the program's locale is.
 *
 * Reading takes the whole file into memory and splits it in place: a field is unquoted over its own
 * bytes, because the result is never longer. Nothing in the file is trusted, and there is one way
 * out on an error, with the line at which the trouble is.
 *
 * The table for people measures its cells first, drops columns that say nothing, then drops the
 * least important ones until a line fits.
 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct column_info column_table[COLUMN_COUNT] = {
#define X(type, name, unit, cupti, emulator, meaning)                                              \
    [COLUMN_##name] = {RECORD_##type, #name, unit, cupti, emulator, meaning},
    COLUMN_LIST(X)
#undef X
};

static const char unknown_text[] = "NA";

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

/* ---- Locale: numbers look the same everywhere ---- */

struct locale_scope {
    locale_t neutral, previous;
};

/* Without memory for a locale the program's own stays: almost always "C" as well. */
static struct locale_scope locale_enter(void)
{
    struct locale_scope scope = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (scope.neutral)
        scope.previous = uselocale(scope.neutral);
    return scope;
}

static void locale_leave(struct locale_scope scope)
{
    if (!scope.neutral)
        return;
    uselocale(scope.previous);
    freelocale(scope.neutral);
}

/* ---- Values ---- */

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
        fprintf(file, "%s%s", i ? "," : "", column_table[i].name);
    putc('\n', file);
    return !ferror(file);
}

bool record_write(FILE *file, const struct record *record)
{
    struct locale_scope scope = locale_enter();
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (i)
            putc(',', file);
        value_write(file, column_table[i].type, &record->values[i]);
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

/* A new file beside PATH, with the permissions that the umask leaves; its name in temporary. */
static int temporary_create(const char *path, char *temporary, size_t size)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        int length = snprintf(temporary, size, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Some file systems have no fsync; that is no loss of ours. */
static bool descriptor_sync(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

static bool records_replace(const char *path, const struct record *records, size_t count,
                            struct failure *failure)
{
    char temporary[PATH_MAX];
    int descriptor = temporary_create(path, temporary, sizeof temporary);
    if (descriptor < 0)
        return save_failure(failure, path, errno);

    bool saved = false;
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        save_failure(failure, path, errno);
        close(descriptor);
    } else {
        bool written = records_write(file, records, count) && descriptor_sync(descriptor);
        saved = stream_finish(file, written, errno, path, failure);
    }
    if (saved && rename(temporary, path) != 0)
        saved = save_failure(failure, path, errno);
    if (!saved)
        unlink(temporary);
    return saved;
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
                                   reader->path, line, column_table[column].name);
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
    const struct column_info *info = &column_table[column];
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

/* ---- The table for people ---- */

enum { LINE_WIDTH = 100, CELL_SIZE = 64, RUN_WIDTH = 32 };

/* How a cell is made from one or two columns. */
enum cell_kind {
    CELL_RUN,
    CELL_SIZE_TEXT, /* rows x cols */
    CELL_TEXT,
    CELL_REAL,
    CELL_PER_REQUEST, /* first / second */
    CELL_MEGABYTES,   /* first */
    CELL_MEGABYTES_2, /* first + second */
};

struct table_column {
    const char *group, *title; /* two lines of heading; equal neighbouring groups are one */
    enum cell_kind kind;
    enum column first, second;
    int importance; /* the least important column gives way first; 9: stays */
};

/* The heading of times that no clock measured. */
static const char modelled_group[] = "modelled", measured_group[] = "";

static const struct table_column table_columns[] = {
    {"", "run", CELL_RUN, COLUMN_lab, COLUMN_variant, 9},
    {"", "size", CELL_SIZE_TEXT, COLUMN_rows, COLUMN_cols, 8},
    {NULL, "us", CELL_REAL, COLUMN_time_us, COLUMN_time_us, 9}, /* group: modelled or measured */
    {"", "GB/s", CELL_REAL, COLUMN_bandwidth_gbps, COLUMN_bandwidth_gbps, 9},
    {"% of", "copy", CELL_REAL, COLUMN_copy_pct, COLUMN_copy_pct, 5},
    {"sectors/req", "load", CELL_PER_REQUEST, COLUMN_global_load_sectors,
     COLUMN_global_load_requests, 7},
    {"sectors/req", "store", CELL_PER_REQUEST, COLUMN_global_store_sectors,
     COLUMN_global_store_requests, 7},
    {"conflicts/req", "load", CELL_PER_REQUEST, COLUMN_shared_load_conflicts,
     COLUMN_shared_load_requests, 6},
    {"conflicts/req", "store", CELL_PER_REQUEST, COLUMN_shared_store_conflicts,
     COLUMN_shared_store_requests, 6},
    {"L2 MB", "read", CELL_MEGABYTES, COLUMN_l2_read_bytes, COLUMN_l2_read_bytes, 2},
    {"L2 MB", "write", CELL_MEGABYTES, COLUMN_l2_write_bytes, COLUMN_l2_write_bytes, 2},
    {"DRAM", "MB", CELL_MEGABYTES_2, COLUMN_dram_read_bytes, COLUMN_dram_write_bytes, 3},
    {"", "bound", CELL_TEXT, COLUMN_bound, COLUMN_bound, 4},
    {"", "status", CELL_TEXT, COLUMN_status, COLUMN_status, 9},
};

enum { TABLE_COLUMNS = sizeof table_columns / sizeof *table_columns };

struct table {
    const struct record *records;
    size_t count;
    bool shown[TABLE_COLUMNS];
    int widths[TABLE_COLUMNS];
    bool one_size, modelled;
};

/* Characters on a terminal; every UTF-8 sequence counts as one. */
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Texts come from students' files and from CSV: nothing in them may steer a terminal. */
static void text_defuse(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++)
        if (*p < ' ' || *p == 0x7f)
            *p = '?';
        else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* the control characters of Latin-1 */
            p[0] = p[1] = '?';
}

static const char *record_text(const struct record *record, enum column column)
{
    const struct record_value *value = &record->values[column];
    return value->known ? value->text : "";
}

static bool record_is(const struct record *record, enum column column, const char *text)
{
    return !strcmp(record_text(record, column), text);
}

/* "01_naive", "00_copy/copy_shared", or the kernel's name where there is no lab; then the macros.
 */
static void cell_run(const struct record *record, char *cell)
{
    const char *lab = record_text(record, COLUMN_lab),
               *variant = record_text(record, COLUMN_variant),
               *kernel = record_text(record, COLUMN_kernel),
               *defines = record_text(record, COLUMN_defines);
    const char *lab_name = strchr(lab, '_') ? strchr(lab, '_') + 1 : lab;
    bool has_lab = *lab && strcmp(lab, "-") != 0;
    bool more = has_lab && *variant && strcmp(variant, lab_name) != 0;
    const char *name = has_lab ? lab : *variant ? variant : *kernel ? kernel : "-";
    char text[CELL_SIZE];
    int length = snprintf(text, sizeof text, "%s%s%s%s%s", name, more ? "/" : "",
                          more ? variant : "", *defines ? " " : "", defines);
    if (length > RUN_WIDTH)
        strcpy(text + RUN_WIDTH - 3, "...");
    strcpy(cell, text);
}

/* Three or four digits, and no decimals for a whole number. */
static void cell_number(double number, char *cell)
{
    double size = fabs(number);
    bool whole = fabs(number - round(number)) < 0.005;
    int decimals = whole || size >= 1000 ? 0 : size < 10 ? 2 : 1;
    snprintf(cell, CELL_SIZE, size < 1e15 ? "%.*f" : "%.*e", decimals, number);
}

/* False: unknown. */
static bool cell_value(const struct table_column *column, const struct record *record,
                       double *number)
{
    const struct record_value *first = &record->values[column->first],
                              *second = &record->values[column->second];
    if (!first->known || !second->known)
        return false;
    switch (column->kind) {
    case CELL_PER_REQUEST:
        *number = (double)first->count / (double)second->count;
        return second->count != 0;
    case CELL_MEGABYTES:
        *number = (double)first->count / 1e6;
        return true;
    case CELL_MEGABYTES_2:
        *number = ((double)first->count + (double)second->count) / 1e6;
        return true;
    default:
        *number = first->real;
        return true;
    }
}

static void cell_render(const struct table_column *column, const struct record *record, char *cell)
{
    const struct record_value *first = &record->values[column->first],
                              *second = &record->values[column->second];
    double number;
    strcpy(cell, "-");
    if (column->kind == CELL_RUN) {
        cell_run(record, cell);
    } else if (column->kind == CELL_TEXT) {
        if (first->known && *first->text)
            snprintf(cell, CELL_SIZE, "%.*s", RUN_WIDTH, first->text);
    } else if (column->kind == CELL_SIZE_TEXT) {
        if (first->known && second->known)
            snprintf(cell, CELL_SIZE, "%" PRIu64 "x%" PRIu64, first->count, second->count);
    } else if (cell_value(column, record, &number)) {
        cell_number(number, cell);
    }
    text_defuse(cell);
}

static const char *table_group(const struct table *table, int i)
{
    const char *group = table_columns[i].group;
    return group ? group : table->modelled ? modelled_group : measured_group;
}

/* The columns i..result-1 stand under one group heading; hidden ones in between do not count. */
static int table_group_end(const struct table *table, int i)
{
    int end = i + 1;
    while (end < TABLE_COLUMNS && *table_group(table, i) &&
           !strcmp(table_group(table, end), table_group(table, i)))
        end++;
    return end;
}

static int table_group_width(const struct table *table, int i, int end)
{
    int width = 0;
    for (; i < end; i++)
        if (table->shown[i])
            width += (width ? 2 : 0) + table->widths[i];
    return width;
}

/* Make the first shown column of a group as wide as the group's heading needs. */
static void table_widen_groups(struct table *table)
{
    for (int i = 0, end; i < TABLE_COLUMNS; i = end) {
        end = table_group_end(table, i);
        int shown = i;
        while (shown < end && !table->shown[shown])
            shown++;
        int lack = text_width(table_group(table, i)) - table_group_width(table, i, end);
        if (shown < end && lack > 0)
            table->widths[shown] += lack;
    }
}

/* Widths from the cells; a column whose cells are all unknown is hidden. */
static void table_measure_column(struct table *table, int i)
{
    char cell[CELL_SIZE];
    bool known = false;
    table->widths[i] = text_width(table_columns[i].title);
    for (size_t r = 0; r < table->count; r++) {
        cell_render(&table_columns[i], &table->records[r], cell);
        known |= strcmp(cell, "-") != 0;
        if (text_width(cell) > table->widths[i])
            table->widths[i] = text_width(cell);
    }
    table->shown[i] = known || table_columns[i].importance == 9;
    if (table_columns[i].kind == CELL_SIZE_TEXT && table->one_size)
        table->shown[i] = false;
}

static bool table_drop_least(struct table *table)
{
    int least = 9;
    for (int i = 0; i < TABLE_COLUMNS; i++)
        if (table->shown[i] && table_columns[i].importance < least)
            least = table_columns[i].importance;
    for (int i = 0; i < TABLE_COLUMNS; i++)
        if (table_columns[i].importance == least && least < 9)
            table->shown[i] = false;
    return least < 9;
}

static void table_layout(struct table *table)
{
    do {
        int shown[TABLE_COLUMNS];
        for (int i = 0; i < TABLE_COLUMNS; i++)
            shown[i] = table->shown[i];
        for (int i = 0; i < TABLE_COLUMNS; i++) {
            table_measure_column(table, i);
            table->shown[i] &= shown[i];
        }
        table_widen_groups(table);
    } while (table_group_width(table, 0, TABLE_COLUMNS) > LINE_WIDTH && table_drop_least(table));
}

/* Texts are set to the left, numbers to the right; nothing trails at the end of a line. */
static bool column_is_text(int i)
{
    enum cell_kind kind = table_columns[i].kind;
    return kind == CELL_RUN || kind == CELL_TEXT;
}

/* One cell after `pending` blanks; returns the blanks that a next cell needs before it. */
static int table_put(FILE *file, int pending, const char *text, int width, bool left)
{
    int rest = width - text_width(text);
    fprintf(file, "%*s%s", pending + (left ? 0 : rest), "", text);
    return 2 + (left ? rest : 0);
}

static void table_print_groups(FILE *file, const struct table *table)
{
    int pending = 0;
    for (int i = 0, end; i < TABLE_COLUMNS; i = end) {
        end = table_group_end(table, i);
        int width = table_group_width(table, i, end);
        const char *group = table_group(table, i);
        if (width && *group)
            pending = table_put(file, pending, group, width, false);
        else if (width)
            pending += width + 2;
    }
    putc('\n', file);
}

static void table_print_line(FILE *file, const struct table *table, const struct record *record)
{
    char cell[CELL_SIZE];
    int pending = 0;
    for (int i = 0; i < TABLE_COLUMNS; i++) {
        if (!table->shown[i])
            continue;
        if (record)
            cell_render(&table_columns[i], record, cell);
        pending = table_put(file, pending, record ? cell : table_columns[i].title, table->widths[i],
                            column_is_text(i));
    }
    putc('\n', file);
}

/* "h200 (GH100), 2048 x 2048, emulated: times are modelled, not measured" */
static void table_print_heading(FILE *file, const struct table *table)
{
    const struct record *record = table->records;
    char device[CELL_SIZE], chip[CELL_SIZE];
    snprintf(device, sizeof device, "%.*s", RUN_WIDTH, record_text(record, COLUMN_device));
    snprintf(chip, sizeof chip, "%.*s", RUN_WIDTH, record_text(record, COLUMN_chip));
    text_defuse(device);
    text_defuse(chip);
    fprintf(file, "device %s", *device ? device : "unknown");
    if (*chip)
        fprintf(file, " (%s)", chip);
    if (table->one_size)
        fprintf(file, ", %" PRIu64 " x %" PRIu64, record->values[COLUMN_rows].count,
                record->values[COLUMN_cols].count);
    if (table->modelled)
        fputs(", emulated: times are modelled, not measured", file);
    else if (record_is(record, COLUMN_source, "published"))
        fputs(", published figures", file);
    putc('\n', file);
}

/* One line of a reason, broken at blanks where it is long. Columns count bytes here, which at worst
 * breaks a line early. */
static void reason_print_line(FILE *file, const char *line, size_t length)
{
    size_t room = LINE_WIDTH - 4;
    int indent = 4;
    while (length > room) {
        size_t cut = room;
        while (cut > room / 2 && line[cut] != ' ')
            cut--;
        if (line[cut] != ' ')
            cut = room;
        fprintf(file, "%*s%.*s\n", indent, "", (int)cut, line);
        line += cut;
        length -= cut;
        for (; length && *line == ' '; length--)
            line++;
        indent = 6;
        room = LINE_WIDTH - 6;
    }
    fprintf(file, "%*s%.*s\n", indent, "", (int)length, line);
}

static void failure_print(FILE *file, const struct record *record)
{
    char run[CELL_SIZE], size[CELL_SIZE], status[CELL_SIZE], reason[RECORD_TEXT_SIZE];
    cell_render(&table_columns[0], record, run);
    cell_render(&table_columns[1], record, size);
    cell_render(&table_columns[TABLE_COLUMNS - 1], record, status);
    fprintf(file, "%s, %s: %s\n", run, size, status);
    snprintf(reason, sizeof reason, "%s", record_text(record, COLUMN_reason));
    for (char *line = reason, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        text_defuse(line);
        if (*line)
            reason_print_line(file, line, strlen(line));
    }
}

/* Whether two records belong into one table. */
static bool record_same_device(const struct record *a, const struct record *b)
{
    static const enum column columns[] = {COLUMN_device, COLUMN_chip, COLUMN_source};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(record_text(a, columns[i]), record_text(b, columns[i])) != 0)
            return false;
    return true;
}

static bool record_same_size(const struct record *a, const struct record *b)
{
    static const enum column columns[] = {COLUMN_rows, COLUMN_cols};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct record_value *x = &a->values[columns[i]], *y = &b->values[columns[i]];
        if (!x->known || !y->known || x->count != y->count)
            return false;
    }
    return true;
}

static void table_print(FILE *file, const struct record *records, size_t count)
{
    struct table table = {.records = records, .count = count, .one_size = true};
    table.modelled = record_is(records, COLUMN_source, "emulator");
    for (size_t i = 0; i < count; i++)
        table.one_size &= record_same_size(records, &records[i]);
    for (int i = 0; i < TABLE_COLUMNS; i++)
        table.shown[i] = true;
    table_layout(&table);

    table_print_heading(file, &table);
    table_print_groups(file, &table);
    table_print_line(file, &table, NULL);
    for (size_t i = 0; i < count; i++)
        table_print_line(file, &table, &records[i]);
    for (size_t i = 0; i < count; i++)
        if (!record_is(&records[i], COLUMN_status, "ok") &&
            *record_text(&records[i], COLUMN_status))
            failure_print(file, &records[i]);
}

void records_print(FILE *file, const struct record *records, size_t count)
{
    struct locale_scope scope = locale_enter();
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && record_same_device(&records[first], &records[end]);)
            end++;
        if (first)
            putc('\n', file);
        table_print(file, records + first, end - first);
    }
    locale_leave(scope);
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
