/* record.h: one record per run of any back end. A record contains no pointers, so it can be sent to
 * another process as bytes. If all bytes are 0, all values are unknown. */
#ifndef RECORD_H
#define RECORD_H

#include "base/failure.h"
#include "record/columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    RECORD_TEXT_SIZE = 1024, /* Maximum bytes of a text, including the NUL byte. */
    RECORDS_MAX = 1 << 13
};

enum record_type { RECORD_TEXT, RECORD_COUNT, RECORD_REAL };

enum column {
#define X(type, name, unit, cupti, emulator, meaning) COLUMN_##name,
    COLUMN_LIST(X)
#undef X
        COLUMN_COUNT
};

/* An unknown value is `NA` in the CSV. */
struct record_value {
    bool known;
    union {
        uint64_t count;
        double real;
    };
};

/* A text is valid only if the value of its column is known. */
struct record_texts {
    char kernel[RECORD_TEXT_SIZE], defines[RECORD_TEXT_SIZE], reason[RECORD_TEXT_SIZE];
    char findings[320], lab[128], variant[128], compiler[160], device[64], chip[64];
    char loop[16], cache[16], bound[32], status[32], source[32], time_basis[8];
};

struct record {
    struct record_value values[COLUMN_COUNT];
    uint32_t is_interleaved; /* 1 if the emulated device maps addresses to partitions in turn. */
    struct record_texts texts;
};

#define RECORD_UNKNOWN "NA"

struct column_info {
    enum record_type type;
    bool counts_events; /* True if the value is proportional to the work of the run. */
    const char *name, *unit, *cupti, *emulator, *meaning;
    size_t text_at, text_size; /* Offset and size in struct record_texts. */
};
const struct column_info *column_describe(enum column column);
/* Returns the column with this name; -1 if there is none. */
int column_find(const char *name);

void record_clear(struct record *record);
/* Set one value. Aborts if the column has another type. A real that is NaN or infinite becomes
 * unknown. A text that is too long for its column is shortened and ends with "...". */
void record_set_text(struct record *record, enum column column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void record_set_count(struct record *record, enum column column, uint64_t value);
void record_set_real(struct record *record, enum column column, double value);
void record_set_verdict(struct record *record, const struct failure *wrong);
bool record_has(const struct record *record, enum finding_id id);
void record_set_shape(struct record *record, const uint32_t grid[3], const uint32_t block[3]);
/* Returns the text in a text column; "" if the text is unknown. */
const char *record_text(const struct record *record, enum column column);
/* Write the number in a numeric column to *number. Returns false if the number is unknown. */
bool record_number(const struct record *record, enum column column, double *number);
/* Returns the number of blocks of the grid, or of threads of a block; 0 if unknown. */
uint64_t record_blocks(const struct record *record);
uint64_t record_threads(const struct record *record);
/* Divide the value of `of` by the value of `per`; by 1 if `per` is COLUMN_COUNT. Returns false if a
 * value is unknown or the divisor is 0. */
bool record_ratio(const struct record *record, enum column of, enum column per, double *ratio);
/* Returns true if two records have equal values in these columns. Two unknown values are equal. An
 * unknown text and an empty text are equal. */
bool record_same(const struct record *a, const struct record *b, const enum column *columns,
                 size_t count);
bool record_is_right(const struct record *record);
/* Initialize the record of a launch that is counted on a GPU and belongs to no lab. */
void record_set_launch(struct record *record, const char *kernel, const uint32_t grid[3],
                       const uint32_t block[3], uint64_t shared_bytes);
/* Set the DRAM throughput if DRAM bytes and time are known. `peak_gbps` is 0 if unknown. */
void record_set_dram(struct record *record, double peak_gbps);
/* Write "grid 64 x 64 x 1, block 32 x 8 x 1"; "" if unknown. Returns `text`. */
enum { RECORD_SHAPE_SIZE = 160 };
const char *record_shape(const struct record *record, char text[RECORD_SHAPE_SIZE]);
void record_merge(struct record *record, const struct record *from);
/* Returns true if a record that was received as bytes is valid: its flags are 0 or 1, its reals are
 * finite, and its texts are terminated. */
bool record_is_sound(const struct record *record);

/* Write the header line, or one record, as RFC 4180 CSV with "\n" line ends, and a decimal point in
 * every locale. Reals have 6 significant digits. Returns false with errno set for a write error. */
bool record_write_header(FILE *file);
bool record_write(FILE *file, const struct record *record);

/* Write records to `path` completely or not at all (whole_file.h). "-" is standard output; pipes
 * and character devices are written directly. Returns false for a harness failure, which names the
 * path and the reason; an existing file is then unchanged. */
bool records_save(const char *path, const struct record *records, size_t count,
                  struct failure *failure);

/* Read an untrusted CSV of at most 64 MiB with at most RECORDS_MAX records. Columns are identified
 * by name; at least one name must be known, and other columns are ignored. Values of missing
 * columns, unquoted NA and empty numbers are unknown. *records is malloc'd. Returns false for a
 * harness failure "PATH:LINE: what". */
bool records_load(const char *path, struct record **records, size_t *count,
                  struct failure *failure);

/* Print records as the table of `tlab run`. Columns without a known value are omitted, then the
 * least important columns until a line fits the terminal or 100 characters. Run, time, bandwidth
 * and status always remain. Failed runs follow with reasons. Control characters become "?". */
void records_print(FILE *file, const struct record *records, size_t count);

/* Returns true if the value of --csv requests CSV on standard output and no table. */
bool record_csv_only(const char *csv);

/* Print the table, unless `csv` (the value of --csv) is "-". Write the CSV to `csv`, unless NULL.
 * Returns false for a harness failure. */
bool records_output(const char *csv, const struct record *records, size_t count,
                    struct failure *failure);

/* Print the launch configuration and each known counter of each run. Call records_print first. */
void records_print_counters(FILE *file, const struct record *records, size_t count);

/* Print every column with its unit, CUPTI metric and source in the emulator, for `tlab metrics`.
 * With `markdown`, print the table of docs/counters.md. */
void columns_print(FILE *file, bool markdown);

#endif
