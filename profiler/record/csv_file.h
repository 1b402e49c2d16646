/* csv_file.h: the fields of a CSV file (RFC 4180), one after the other, with their line.
 *
 * Why not libcsv: it does not tell a quoted NA from a bare one, which mean different things in our
 * files, and knows no lines.
 */
#ifndef CSV_FILE_H
#define CSV_FILE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>

/* A file that is being read. */
struct csv_file {
    const char *path;
    char *text, *next, *end; /* text[0..end), and a NUL at end */
    char separator;          /* ',', until one says otherwise */
    bool stray_quotes;       /* a quote inside a field without quotes is a letter like others */
    unsigned long line;      /* of next */
    struct failure *failure; /* where everything that goes wrong is said */
};

struct csv_field {
    char *text;        /* unquoted, NUL-terminated; lives until csv_file_close */
    size_t begin, end; /* where it was in the text of the file, quotes included */
    bool quoted, last_of_row;
};

/* Read a file of at most `max_bytes` without NUL bytes into memory; a byte order mark is skipped.
 * Close it in any case. `path` and `failure` must outlive it. */
bool csv_file_open(struct csv_file *file, const char *path, size_t max_bytes,
                   struct failure *failure);

/* Go to the next line that is not empty; to be called between rows. False: there is none. */
bool csv_file_next_row(struct csv_file *file);

/* Read the next field of the row, which has one more. Lines end in "\n" or "\r\n", also inside
 * quotes. A harness failure: a quote that is not closed, or stands inside a field without quotes
 * (but for `stray_quotes`), or text after a closing quote. */
bool csv_file_read_field(struct csv_file *file, struct csv_field *field);

/* The harness failure "PATH:LINE: WHAT"; false. */
bool csv_file_fail(const struct csv_file *file, unsigned long line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void csv_file_close(struct csv_file *file);

/* A decimal number, finite, and nothing else: strtod also takes blanks, "nan", "inf" and
 * hexadecimals. One that is too small becomes 0. */
bool csv_file_number(const char *text, double *number);

#endif
