/* table.h: a CSV that people keep: a class, pairs, marks. As learning platforms and spreadsheets
 * write it: separated by commas, semicolons or tabs; UTF-8 with or without BOM, or Latin-1; quoted
 * as in RFC 4180; LF, CRLF, or the CR of old Macs. The first row names the columns.
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
    char *fields[TABLE_COLUMNS_MAX];            /* of the row, without blanks around */
    struct csv_field places[TABLE_COLUMNS_MAX]; /* of the same */
    size_t field_count;
    unsigned long line; /* on which the row begins */
    char *original;     /* the text as it was read, in UTF-8 */
    bool latin_1;       /* that it was converted from */
};

/* Read at most 16 MB, and the first row. A harness failure names the file. Close it in any case. */
bool table_open(struct table *table, const char *path, struct failure *failure);

/* The next row. False: the end, or a failure, which names file and line. */
bool table_next(struct table *table);

/* The number of the column with that header, whatever its case and punctuation ("SIS Login ID" is
 * sisloginid); TABLE_COLUMNS_MAX: none. */
size_t table_column(const struct table *table, const char *folded);

/* The row's field of that column; "": none. */
const char *table_field(const struct table *table, size_t column);

/* The same of the column with that header. */
const char *table_field_of(const struct table *table, const char *folded);

/* The harness failure "FILE:LINE: WHAT" of the row; false. */
bool table_fail(const struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Write the part of the file between two places, byte for byte as it was. */
void table_copy(const struct table *table, size_t begin, size_t end, FILE *out);

void table_close(struct table *table);

#endif
