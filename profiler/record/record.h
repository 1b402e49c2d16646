/* record.h: one record per run, the same for every back end; its CSV form and its table for people.
 * Everything downstream (charts, grades, comparisons) reads only records.
 *
 * A record is plain data without pointers: it may be copied, and sent to another process as bytes.
 * Its texts stand one behind the other in `texts`, so that a record takes about 4 KB, and not room
 * for the longest text in each of its columns. All zero is a record of which nothing is known.
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
    RECORD_TEXT_SIZE = 1024,  /* of one text, with its NUL */
    RECORD_TEXTS_SIZE = 3212, /* of all together: three of the longest, and all that are short */
    RECORDS_MAX = 1 << 13
};

enum record_type { RECORD_TEXT, RECORD_COUNT, RECORD_REAL };

enum column {
#define X(type, name, unit, cupti, emulator, meaning) COLUMN_##name,
    COLUMN_LIST(X)
#undef X
        COLUMN_COUNT
};

/* A value that may be unknown (`NA` in the CSV: never 0). */
struct record_value {
    bool known;
    union {
        uint64_t count;
        double real;
        uint16_t text; /* where it begins in the record's texts: read it with record_text */
    };
};

struct record {
    struct record_value values[COLUMN_COUNT];
    uint32_t takes_turns : 1; /* of an emulated device: addresses go to its partitions in turn */
    uint32_t text_bytes : 31; /* of `texts` in use: the known texts with their NULs, in any order */
    char texts[RECORD_TEXTS_SIZE];
};

/* What the CSV says for an unknown value. */
#define RECORD_UNKNOWN "NA"

/* A column's description. */
struct column_info {
    enum record_type type;
    bool counts_events; /* of the run: twice the work has twice as many */
    const char *name, *unit, *cupti, *emulator, *meaning;
};
const struct column_info *column_describe(enum column column);
/* The column of that name, or -1. */
int column_find(const char *name);

/* All values unknown. */
void record_clear(struct record *record);
/* Set one value; the column must have that type (a mistake is a programming error: abort). A NaN or
 * infinite real stays unknown. A text of RECORD_TEXT_SIZE bytes or more, or one for which the
 * record's other texts leave too little room, is cut with "..."; without any room it is unknown. */
void record_set_text(struct record *record, enum column column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void record_set_count(struct record *record, enum column column, uint64_t value);
void record_set_real(struct record *record, enum column column, double value);
/* A verdict: status, reason and findings. */
void record_set_verdict(struct record *record, const struct failure *wrong);
/* Has the record's verdict that finding? */
bool record_has(const struct record *record, enum finding_id id);
/* Blocks of the grid and threads of a block, in x, y and z. */
void record_set_shape(struct record *record, const uint32_t grid[3], const uint32_t block[3]);
/* The text of a text column; "" where it is unknown. It lives until a text of the record is set. */
const char *record_text(const struct record *record, enum column column);
/* The number in a column that is no text. False: unknown. */
bool record_number(const struct record *record, enum column column, double *number);
/* One column divided by another (COLUMN_COUNT: by 1). False: unknown, or a division by 0. */
bool record_ratio(const struct record *record, enum column of, enum column per, double *ratio);
/* Have two records the same values in these columns? Unknown ones are the same; an unknown text is
 * an empty one. */
bool record_same(const struct record *a, const struct record *b, const enum column *columns,
                 size_t count);
/* Is its status `ok`? */
bool record_is_right(const struct record *record);
/* A launch on a GPU that CUPTI has counted and that is no lab's; nothing else is known. */
void record_set_launch(struct record *record, const char *kernel, const uint32_t grid[3],
                       const uint32_t block[3], uint64_t shared_bytes);
/* Set DRAM's throughput from its bytes and the time, where these are known. `peak_gbps` 0:
 * unknown. */
void record_set_dram(struct record *record, double peak_gbps);
/* "grid 64 x 64 x 1, block 32 x 8 x 1"; "" where it is unknown. */
enum { RECORD_SHAPE_SIZE = 160 };
const char *record_shape(const struct record *record, char text[RECORD_SHAPE_SIZE]);
/* Set all that `from` knows. */
void record_merge(struct record *record, const struct record *from);
/* Can a record that came as bytes from elsewhere be read: flags that are flags, finite reals, texts
 * that lie inside and end? */
bool record_is_sound(const struct record *record);

/* Write the header line, or one record, as RFC 4180 CSV with `.` decimals whatever the locale,
 * lines ending in "\n". Reals have 6 significant digits. False: a write error (errno). */
bool record_write_header(FILE *file);
bool record_write(FILE *file, const struct record *record);

/* Write records to PATH as a whole or not at all: a temporary file in the same directory, fsync,
 * rename. "-" is standard output; pipes and character devices are written directly. A harness
 * failure names the path and the reason (full disk, a directory, a symbolic link, ...), and an
 * existing file is then untouched. */
bool records_save(const char *path, const struct record *records, size_t count,
                  struct failure *failure);

/* Read a CSV that has at least one known column, columns by name in any order, unknown columns
 * ignored, absent ones unknown, quoting as in RFC 4180, "\r\n" allowed, empty lines skipped, at
 * most 64 MB and RECORDS_MAX records. An unquoted NA, or a number left empty, is unknown.
 * Untrusted: any bytes give records or a harness failure "PATH:LINE: what". *records is malloc'd.
 */
bool records_load(const char *path, struct record **records, size_t *count,
                  struct failure *failure);

/* Print records as the table that `tlab run` shows: a row per run (lab or variant, size, time,
 * bandwidth, % of copy, sectors per request for loads and stores, conflicts per shared load and
 * store, L2 read and written MB, DRAM MB, bound, status), columns aligned, unknown as "-". A
 * line above names the device; times of the emulator are headed "modelled"; a line below says
 * what the bounds mean that occur. The imbalance of partitions has a column where addresses go
 * to them in turn. What is the same for all runs, or unknown for all, gets no column, and the
 * least important columns give way so that a line fits in 100 characters. Failures follow below
 * with their reason. Control characters that came with a text are shown as "?". */
void records_print(FILE *file, const struct record *records, size_t count);

/* Print the totals behind that table: of each run its grid, its block, and every counter that is
 * known, by the names of the CSV. */
void records_print_counters(FILE *file, const struct record *records, size_t count);

/* Print every column with unit, CUPTI metric and emulator source: `tlab metrics`. With `markdown`,
 * as the table of docs/counters.md. */
void columns_print(FILE *file, bool markdown);

#endif
