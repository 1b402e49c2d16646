/* csv_file.h: read a CSV file (RFC 4180) field by field, with line numbers. libcsv is not used
 * because it has no line numbers and does not distinguish a quoted NA from an unquoted NA. */
#ifndef CSV_FILE_H
#define CSV_FILE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>

struct csv_file {
    const char *path;
    char *text, *next, *end; /* the file is at [text, end), followed by a NUL byte */
    char separator;          /* ',' by default */
    bool unmatched_quotes;   /* accept quotes inside unquoted fields */
    unsigned long line;
    struct failure *failure; /* receives all failures */
};

struct csv_field {
    char *text;        /* without quotes, NUL-terminated; valid until csv_file_close */
    size_t begin, end; /* offsets in the file, including the quotes */
    bool quoted, last_of_row;
};

/* Read a file of at most `max_bytes` bytes without NUL bytes. Skip a byte order mark. Returns false
 * for a failure. Call csv_file_close in any case. `path` and `failure` must outlive `file`. */
bool csv_file_open(struct csv_file *file, const char *path, size_t max_bytes,
                   struct failure *failure);

/* Skip empty lines. Call this function before each row. Returns false at the end of the file. */
bool csv_file_next_row(struct csv_file *file);

/* Read the next field of the current row, which must exist. Lines end with "\n" or "\r\n", also
 * inside quotes. Returns false (a harness failure) for an unclosed quote, text after a closing
 * quote, or a quote inside an unquoted field without `unmatched_quotes`. */
bool csv_file_read_field(struct csv_file *file, struct csv_field *field);

/* Record the harness failure "PATH:LINE: WHAT". Returns false. */
bool csv_file_fail(const struct csv_file *file, unsigned long line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void csv_file_close(struct csv_file *file);

/* Parse a finite decimal number. Returns false for blanks, "nan", "inf" and hexadecimal
 * numbers, which strtod accepts. A number that is too small becomes 0. */
bool csv_file_number(const char *text, double *number);

#endif
