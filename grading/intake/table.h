/* table.h: read CSV files of learning platforms and spreadsheets, in UTF-8 or Latin-1, separated by
 * commas, semicolons or tabs. Quotes follow RFC 4180. The first row contains headers. */
#ifndef TABLE_H
#define TABLE_H

#include "record/csv_file.h"

#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 256 };

struct table {
    struct csv_file file;
    char *headers[TABLE_COLUMNS_MAX];
    size_t column_count;
    char *fields[TABLE_COLUMNS_MAX];            /* fields of the row, without surrounding blanks */
    struct csv_field places[TABLE_COLUMNS_MAX]; /* offsets of the fields in `original` */
    size_t field_count;
    unsigned long line;
    char *original; /* text in UTF-8 with its original line ends */
    bool latin_1;
};

/* Open a file of at most 16 MiB, and read the headers. Always call table_close. */
bool table_open(struct table *table, const char *path, struct failure *failure);

/* Read the next row. Returns false at the end of the file or for a harness failure. */
bool table_next(struct table *table);

/* Returns the column with this folded header (text_fold), or TABLE_COLUMNS_MAX. */
size_t table_column(const struct table *table, const char *folded);

const char *table_field(const struct table *table, size_t column);

const char *table_field_of(const struct table *table, const char *folded);

/* Set the harness failure "FILE:LINE: WHAT". Returns false. */
bool table_fail(const struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Write the file's original bytes for the range from `begin` to before `end` in `original`. */
void table_copy(const struct table *table, size_t begin, size_t end, FILE *out);

void table_close(struct table *table);

#endif
