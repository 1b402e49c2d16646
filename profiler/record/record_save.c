/* record_save.c: write records as CSV, without other libraries, for use in libtlab_inject.so. */
#include "base/neutral_locale.h"
#include "base/whole_file.h"
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text "NA" is quoted, because an unquoted NA is an unknown value. */
static void text_write(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n") && strcmp(text, RECORD_UNKNOWN)) {
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

static void value_write(FILE *file, const struct record *record, enum column column)
{
    enum record_type type = column_describe(column)->type;
    const struct record_value *value = &record->values[column];
    if (!value->known)
        fputs(RECORD_UNKNOWN, file);
    else if (type == RECORD_TEXT)
        text_write(file, record_text(record, column));
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
        value_write(file, record, (enum column)i);
    }
    putc('\n', file);
    locale_leave(scope);
    return !ferror(file);
}

static bool records_write(FILE *file, const struct record *records, size_t count)
{
    bool good = record_write_header(file);
    for (size_t i = 0; i < count && good; i++)
        good = record_write(file, &records[i]);
    return fflush(file) == 0 && good;
}

static bool records_stream(int descriptor, const char *path, const struct record *records,
                           size_t count, struct failure *failure)
{
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    bool good = file && records_write(file, records, count);
    int error = good ? 0 : errno;
    if (file && fclose(file) != 0 && good)
        error = errno;
    return !error || failure_harness(failure, "cannot write %s: %s", path, strerror(error));
}

bool records_save(const char *path, const struct record *records, size_t count,
                  struct failure *failure)
{
    const bool to_output = !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
    struct stat entry, target;
    struct whole_file file;
    if (to_output || !strcmp(path, "/dev/stderr")) {
        FILE *standard = to_output ? stdout : stderr;
        const char *name = to_output ? "standard output" : "standard error";
        /* Write to a duplicate, because closing reports errors, and the original must stay open. */
        return records_stream(fflush(standard) ? -1 : dup(fileno(standard)), name, records, count,
                              failure);
    }
    if (!stat(path, &target) && (S_ISCHR(target.st_mode) || S_ISFIFO(target.st_mode)))
        return records_stream(open(path, O_WRONLY | O_CLOEXEC), path, records, count, failure);
    if (!lstat(path, &entry) && !S_ISREG(entry.st_mode) && !S_ISDIR(entry.st_mode))
        return failure_harness(failure,
                               "cannot write %s: it is not a regular file; if it is a symbolic "
                               "link, use the name of the file to which the link refers",
                               path);
    if (!whole_file_open(&file, path, failure))
        return false;
    records_write(file.stream, records, count); /* whole_file_keep reports errors. */
    return whole_file_keep(&file, failure);
}
