/* csv_file.h: read the fields of a CSV file (RFC 4180) one after the other, with line numbers.
 * libcsv is not used because it has no line numbers and does not distinguish a quoted NA from an
 * unquoted NA.
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
    char separator;          /* ',' by default */
    bool unmatched_quotes;   /* permit a quote inside an unquoted field */
    unsigned long line;      /* line number of `next` */
    struct failure *failure; /* receives all failures */
};

struct csv_field {
    char *text;        /* unquoted, NUL-terminated; lives until csv_file_close */
    size_t begin, end; /* offsets in the text of the file, including quotes */
    bool quoted, last_of_row;
};

/* Read a file of at most `max_bytes` without NUL bytes into memory; a byte order mark is skipped.
 * Call csv_file_close in any case. `path` and `failure` must outlive `file`. */
bool csv_file_open(struct csv_file *file, const char *path, size_t max_bytes,
                   struct failure *failure);

/* Skip empty lines; call this function between rows. Returns false at the end of the file. */
bool csv_file_next_row(struct csv_file *file);

/* Read the next field of a row. The row must have a next field. Lines end in "\n" or "\r\n", even
 * inside quotes. Harness failure for a quote that is not closed, a quote inside an unquoted field
 * (except with `unmatched_quotes`), and text after a closing quote. */
bool csv_file_read_field(struct csv_file *file, struct csv_field *field);

/* Record the harness failure "PATH:LINE: WHAT". Returns false. */
bool csv_file_fail(const struct csv_file *file, unsigned long line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void csv_file_close(struct csv_file *file);

/* Parse a finite decimal number. Blanks, "nan", "inf" and hexadecimal digits, which strtod accepts,
 * are rejected. A number that is too small becomes 0. */
bool csv_file_number(const char *text, double *number);

#endif
