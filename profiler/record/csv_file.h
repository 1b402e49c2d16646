/* csv_file.h: read a CSV file (RFC 4180) field by field, with line numbers. libcsv has no line
 * numbers and does not distinguish a quoted NA from an unquoted NA. */
#ifndef CSV_FILE_H
#define CSV_FILE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>

struct csv_file {
    const char *path;
    char *text, *next, *end; /* The file is at [text, end), followed by a NUL byte. */
    char separator;          /* ',' by default. */
    bool unmatched_quotes;   /* True if quotes inside unquoted fields are accepted. */
    unsigned long line;
    struct failure *failure;
};

struct csv_field {
    char *text;        /* Without quotes, NUL-terminated; valid until csv_file_close. */
    size_t begin, end; /* Offsets in the file, including the quotes. */
    bool quoted, last_of_row;
};

/* Read a file of at most `max_bytes` bytes without NUL bytes, and skip a byte order mark. `path`
 * and `failure` must outlive `file`. Returns false for a failure. Always call csv_file_close. */
bool csv_file_open(struct csv_file *file, const char *path, size_t max_bytes,
                   struct failure *failure);

/* Skip empty lines. Call this function before each row. Returns false at the end of the file. */
bool csv_file_next_row(struct csv_file *file);

/* Read the next field of the current row, which must have another field. Lines end with "\n" or
 * "\r\n". Quoted fields may contain line ends. Returns false (a harness failure) for an unclosed
 * quote, text after a closing quote, or a quote in an unquoted field (see unmatched_quotes). */
bool csv_file_read_field(struct csv_file *file, struct csv_field *field);

/* Set the harness failure "PATH:LINE: WHAT". Returns false. */
bool csv_file_fail(const struct csv_file *file, unsigned long line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void csv_file_close(struct csv_file *file);

/* Parse a finite decimal number. Returns false for blanks, "nan", "inf" and hexadecimal numbers,
 * which strtod accepts. A number that is too small becomes 0. */
bool csv_file_number(const char *text, double *number);

#endif
