/* record.h: one record per run, with the same form for every back end. A record can be written as
 * CSV and printed in a table. Charts, grades and comparisons read only records.
 *
 * A record is plain data without pointers: it can be copied, and sent to another process as bytes.
 * In a zeroed record, all values are unknown.
 */
#ifndef RECORD_H
#define RECORD_H

#include "base/failure.h"
#include "record/columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    RECORD_TEXT_SIZE = 1024, /* maximum bytes of a text, including its NUL */
    RECORDS_MAX = 1 << 13
};

enum record_type { RECORD_TEXT, RECORD_COUNT, RECORD_REAL };

enum column {
#define X(type, name, unit, cupti, emulator, meaning) COLUMN_##name,
    COLUMN_LIST(X)
#undef X
        COLUMN_COUNT
};

/* A value, which may be unknown (`NA` in the CSV, not 0). */
struct record_value {
    bool known;
    union {
        uint64_t count;
        double real;
    };
};

/* The texts of the text columns, if known. */
struct record_texts {
    char kernel[RECORD_TEXT_SIZE], defines[RECORD_TEXT_SIZE], reason[RECORD_TEXT_SIZE];
    char findings[320], lab[128], variant[128], compiler[160], device[64], chip[64];
    char loop[16], cache[16], bound[32], status[32], source[32], time_basis[8];
};

struct record {
    struct record_value values[COLUMN_COUNT];
    uint32_t is_interleaved; /* 1: the emulated device interleaves addresses over its partitions */
    struct record_texts texts;
};

/* An unknown value in the CSV. */
#define RECORD_UNKNOWN "NA"

/* A column's description. */
struct column_info {
    enum record_type type;
    bool counts_events; /* the value is proportional to the work of the run */
    const char *name, *unit, *cupti, *emulator, *meaning;
    size_t text_at, text_size; /* in struct record_texts */
};
const struct column_info *column_describe(enum column column);
/* Returns the column of that name, or -1. */
int column_find(const char *name);

/* Make all values unknown. */
void record_clear(struct record *record);
/* Set one value. The column must have that type; otherwise the program aborts. A NaN or infinite
 * real is unknown. A text that is too long for its column is shortened with "...". */
void record_set_text(struct record *record, enum column column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void record_set_count(struct record *record, enum column column, uint64_t value);
void record_set_real(struct record *record, enum column column, double value);
/* Set the verdict: status, reason and findings. */
void record_set_verdict(struct record *record, const struct failure *wrong);
/* Returns true if the record's verdict contains that finding. */
bool record_has(const struct record *record, enum finding_id id);
/* Set the blocks of the grid and the threads of a block, in x, y and z. */
void record_set_shape(struct record *record, const uint32_t grid[3], const uint32_t block[3]);
/* Returns the text of a text column, "" if unknown. */
const char *record_text(const struct record *record, enum column column);
/* Get the number in a numeric column. Returns false if it is unknown. */
bool record_number(const struct record *record, enum column column, double *number);
/* Return the blocks of the grid, and the threads of a block; 0 if unknown. */
uint64_t record_blocks(const struct record *record);
uint64_t record_threads(const struct record *record);
/* Divide the value of `of` by the value of `per`, or by 1 if `per` is COLUMN_COUNT. Returns false
 * if a value is unknown, or if the divisor is 0. */
bool record_ratio(const struct record *record, enum column of, enum column per, double *ratio);
/* Returns true if two records have the same values in these columns. Unknown values are equal; an
 * unknown text equals an empty text. */
bool record_same(const struct record *a, const struct record *b, const enum column *columns,
                 size_t count);
/* Returns true if the status is `ok`. */
bool record_is_right(const struct record *record);
/* Make a record of a launch that belongs to no lab and that CUPTI counts on a GPU. */
void record_set_launch(struct record *record, const char *kernel, const uint32_t grid[3],
                       const uint32_t block[3], uint64_t shared_bytes);
/* Set the DRAM throughput from the DRAM bytes and the time, if these are known. `peak_gbps` is 0 if
 * unknown. */
void record_set_dram(struct record *record, double peak_gbps);
/* Write "grid 64 x 64 x 1, block 32 x 8 x 1", or "" if unknown. Returns `text`. */
enum { RECORD_SHAPE_SIZE = 160 };
const char *record_shape(const struct record *record, char text[RECORD_SHAPE_SIZE]);
/* Copy all known values of `from`. */
void record_merge(struct record *record, const struct record *from);
/* Returns true if a record that was received as bytes is valid: flags are 0 or 1, reals are finite,
 * texts are terminated. */
bool record_is_sound(const struct record *record);

/* Write the header line, or one record, as RFC 4180 CSV with `.` decimals in every locale and with
 * "\n" line ends. Reals have 6 significant digits. Returns false for a write error (errno). */
bool record_write_header(FILE *file);
bool record_write(FILE *file, const struct record *record);

/* Write records to `path` completely or not at all: a temporary file in the same directory,
 * fsync, rename. "-" is standard output; pipes and character devices are written directly. A
 * harness failure names the path and the reason (full disk, a directory, a symbolic link, ...)
 * and leaves an existing file unchanged. */
bool records_save(const char *path, const struct record *records, size_t count,
                  struct failure *failure);

/* Read a CSV with at least one known column, at most 64 MB and RECORDS_MAX records. Columns are
 * found by name, in any order; unknown columns are ignored, and missing columns are unknown.
 * Quotes follow RFC 4180; "\r\n" is allowed, and empty lines are skipped. An unquoted NA and an
 * empty number are unknown. The bytes are untrusted: a malformed file is a harness failure
 * "PATH:LINE: what". *records is malloc'd. */
bool records_load(const char *path, struct record **records, size_t *count,
                  struct failure *failure);

/* Print records as the table of `tlab run`: a row per run (lab or variant, size, time, bandwidth, %
 * of copy, sectors per request for loads and stores, conflicts per shared load and store, L2 read
 * and written MB, DRAM MB, bound, status), with "-" for unknown values. The line above the table
 * names the device, and the line below explains the bounds. The times of the emulator have the
 * heading "modelled". The imbalance of partitions has a column if addresses are interleaved over
 * the partitions. A value that is the same or unknown for all runs has no column, and the least
 * important columns are dropped so that a line fits in 100 characters. Failed runs follow with
 * their reasons. Control characters are printed as "?". */
void records_print(FILE *file, const struct record *records, size_t count);

/* Returns true if the value of --csv is "-", which requests only CSV, on standard output. */
bool record_csv_only(const char *csv);

/* Write the CSV of the option --csv (NULL: none) and, unless it is "-", print the table. */
bool records_output(const char *csv, const struct record *records, size_t count,
                    struct failure *failure);

/* Print the totals after the table of records_print: grid and block of each run, and every known
 * counter with its name in the CSV. */
void records_print_counters(FILE *file, const struct record *records, size_t count);

/* Print every column with unit, CUPTI metric and emulator source: `tlab metrics`. With `markdown`,
 * print the table of docs/counters.md. */
void columns_print(FILE *file, bool markdown);

#endif
