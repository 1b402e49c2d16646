/* table.h: CSV files of learning platforms and spreadsheets: rosters, pairs, marks. Commas,
 * semicolons or tabs separate the fields. The text is UTF-8 with or without BOM, or Latin-1. Quotes
 * follow RFC 4180. Lines end with LF, CRLF or CR. The first row names the columns.
 */
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
    struct csv_field places[TABLE_COLUMNS_MAX]; /* offsets of these fields in the file */
    size_t field_count;
    unsigned long line; /* number of the line in which the row begins */
    char *original;     /* text of the file in UTF-8, with its original line ends */
    bool latin_1;       /* the file is in Latin-1 */
};

/* Open a file of at most 16 MiB, and read the first row. Always call table_close. Returns false for
 * a harness failure, which names the file. */
bool table_open(struct table *table, const char *path, struct failure *failure);

/* Read the next row. Returns false at the end of the file, or after a harness failure. */
bool table_next(struct table *table);

/* Returns the index of the column with this folded header (text_fold), or TABLE_COLUMNS_MAX. */
size_t table_column(const struct table *table, const char *folded);

/* Returns the field of the current row in `column`; "" if the row has no such column. */
const char *table_field(const struct table *table, size_t column);

/* Returns the current row's field in the column with header `folded`; "" if it is missing. */
const char *table_field_of(const struct table *table, const char *folded);

/* Fail with the harness failure "FILE:LINE: WHAT". Returns false. */
bool table_fail(const struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Write the bytes of the file from offset `begin` to before `end` to `out`, unchanged. */
void table_copy(const struct table *table, size_t begin, size_t end, FILE *out);

void table_close(struct table *table);

#endif
