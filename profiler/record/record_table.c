/* record_table.c: print records as a table. Each cell is formatted twice, first to measure it. */
#include "base/neutral_locale.h"
#include "base/terminal.h"
#include "base/wording.h"
#include "emulator/time/timing_code.h"
#include "record/record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LINE_WIDTH = 100, CELL_SIZE = 64, RUN_WIDTH = 32 };

enum cell_kind {
    CELL_RUN,
    CELL_SIZE_TEXT,
    CELL_TEXT,
    CELL_NUMBER,      /* first, if second is known */
    CELL_PER_REQUEST, /* first / second */
    CELL_MEGABYTES,   /* first */
    CELL_MEGABYTES_2, /* first + second */
    CELL_IMBALANCE,   /* Only for a device with interleaved partitions. */
};

struct table_column {
    /* The two lines of the heading. Adjacent columns of one group share the first line. */
    const char *group, *title;
    enum cell_kind kind;
    enum column first, second;
    int importance; /* The least important columns are dropped first. 9: never dropped. */
};

static const struct table_column table_columns[] = {
    {"", "run", CELL_RUN, COLUMN_lab, COLUMN_variant, 9},
    {"", "size", CELL_SIZE_TEXT, COLUMN_rows, COLUMN_cols, 8},
    {"", "launches", CELL_NUMBER, COLUMN_launches, COLUMN_launches, 8},
    {NULL, "us", CELL_NUMBER, COLUMN_time_us, COLUMN_time_us, 9},
    {"", "GB/s", CELL_NUMBER, COLUMN_bandwidth_gbps, COLUMN_bandwidth_gbps, 9},
    {"% of", "copy", CELL_NUMBER, COLUMN_copy_pct, COLUMN_copy_pct, 5},
    {"sectors/req", "load", CELL_PER_REQUEST, COLUMN_global_load_sectors,
     COLUMN_global_load_requests, 7},
    {"sectors/req", "store", CELL_PER_REQUEST, COLUMN_global_store_sectors,
     COLUMN_global_store_requests, 7},
    {"conflicts/req", "load", CELL_PER_REQUEST, COLUMN_shared_load_conflicts,
     COLUMN_shared_load_requests, 6},
    {"conflicts/req", "store", CELL_PER_REQUEST, COLUMN_shared_store_conflicts,
     COLUMN_shared_store_requests, 6},
    {"L2 MB", "read", CELL_MEGABYTES, COLUMN_l2_read_bytes, COLUMN_l2_read_bytes, 2},
    {"L2 MB", "write", CELL_MEGABYTES, COLUMN_l2_write_bytes, COLUMN_l2_write_bytes, 2},
    {"DRAM", "MB", CELL_MEGABYTES_2, COLUMN_dram_read_bytes, COLUMN_dram_write_bytes, 3},
    {"DRAM", "GB/s", CELL_NUMBER, COLUMN_dram_throughput_gbps, COLUMN_launches, 8},
    {"partition", "imbalance", CELL_IMBALANCE, COLUMN_partition_imbalance,
     COLUMN_partition_imbalance, 6},
    {"", "bound", CELL_TEXT, COLUMN_bound, COLUMN_bound, 4},
    {"", "status", CELL_TEXT, COLUMN_status, COLUMN_status, 9},
};

enum { TABLE_COLUMNS = sizeof table_columns / sizeof *table_columns };

struct table {
    const struct record *records;
    size_t count;
    bool shown[TABLE_COLUMNS];
    int widths[TABLE_COLUMNS];
    bool one_size, modelled;
};

static int text_width(const char *text)
{
    return (int)terminal_columns(text, strlen(text));
}

static bool record_is(const struct record *record, enum column column, const char *text)
{
    return !strcmp(record_text(record, column), text);
}

/* Write "01_naive" or "00_copy/copy_shared" (without a lab: the kernel), and then the macros. */
static void cell_run(const struct record *record, char *cell)
{
    const char *lab = record_text(record, COLUMN_lab),
               *variant = record_text(record, COLUMN_variant),
               *kernel = record_text(record, COLUMN_kernel),
               *defines = record_text(record, COLUMN_defines);
    const char *lab_name = strchr(lab, '_') ? strchr(lab, '_') + 1 : lab;
    bool has_lab = *lab && strcmp(lab, "-") != 0;
    bool more = has_lab && *variant && strcmp(variant, lab_name) != 0;
    const char *name = has_lab ? lab : *variant ? variant : *kernel ? kernel : "-";
    char text[CELL_SIZE];
    int length = snprintf(text, sizeof text, "%s%s%s%s%s", name, more ? "/" : "",
                          more ? variant : "", *defines ? " " : "", defines);
    if (length > RUN_WIDTH)
        strcpy(text + RUN_WIDTH - 3, "...");
    strcpy(cell, text);
}

static void cell_number(double number, char *cell)
{
    double size = fabs(number);
    bool whole = fabs(number - round(number)) < 0.005;
    int decimals = whole || size >= 1000 ? 0 : size < 10 ? 2 : 1;
    snprintf(cell, CELL_SIZE, size < 1e15 ? "%.*f" : "%.*e", decimals, number);
}

static bool cell_value(const struct table_column *column, const struct record *record,
                       double *number)
{
    double second;
    if (column->kind == CELL_PER_REQUEST)
        return record_ratio(record, column->first, column->second, number);
    if (!record_number(record, column->first, number) ||
        !record_number(record, column->second, &second))
        return false;
    switch (column->kind) {
    case CELL_MEGABYTES:
        *number /= 1e6;
        return true;
    case CELL_MEGABYTES_2:
        *number = (*number + second) / 1e6;
        return true;
    default:
        return column->kind != CELL_IMBALANCE || record->is_interleaved;
    }
}

static void cell_render(const struct table_column *column, const struct record *record, char *cell)
{
    const struct record_value *first = &record->values[column->first],
                              *second = &record->values[column->second];
    double number;
    strcpy(cell, "-");
    if (column->kind == CELL_RUN) {
        cell_run(record, cell);
    } else if (column->kind == CELL_TEXT) {
        if (*record_text(record, column->first))
            snprintf(cell, CELL_SIZE, "%.*s", RUN_WIDTH, record_text(record, column->first));
    } else if (column->kind == CELL_SIZE_TEXT) {
        if (first->known && second->known)
            snprintf(cell, CELL_SIZE, "%" PRIu64 "x%" PRIu64, first->count, second->count);
    } else if (cell_value(column, record, &number)) {
        cell_number(number, cell);
    }
    text_defuse(cell, "");
}

static const char *table_group(const struct table *table, int i)
{
    const char *group = table_columns[i].group;
    return group ? group : table->modelled ? "modelled" : "";
}

/* Returns the index after the last (shown or hidden) column with the group heading of column i. */
static int table_group_end(const struct table *table, int i)
{
    int end = i + 1;
    while (end < TABLE_COLUMNS && *table_group(table, i) &&
           !strcmp(table_group(table, end), table_group(table, i)))
        end++;
    return end;
}

static int table_group_width(const struct table *table, int i, int end)
{
    int width = 0;
    for (; i < end; i++)
        if (table->shown[i])
            width += (width ? 2 : 0) + table->widths[i];
    return width;
}

static void table_widen_groups(struct table *table)
{
    for (int i = 0, end; i < TABLE_COLUMNS; i = end) {
        end = table_group_end(table, i);
        int shown = i;
        while (shown < end && !table->shown[shown])
            shown++;
        int lack = text_width(table_group(table, i)) - table_group_width(table, i, end);
        if (shown < end && lack > 0)
            table->widths[shown] += lack;
    }
}

static void table_measure_column(struct table *table, int i)
{
    char cell[CELL_SIZE];
    bool known = false;
    table->widths[i] = text_width(table_columns[i].title);
    for (size_t r = 0; r < table->count; r++) {
        cell_render(&table_columns[i], &table->records[r], cell);
        known |= strcmp(cell, "-") != 0;
        if (text_width(cell) > table->widths[i])
            table->widths[i] = text_width(cell);
    }
    table->shown[i] = known || table_columns[i].importance == 9;
    if (table_columns[i].kind == CELL_SIZE_TEXT && table->one_size)
        table->shown[i] = false;
}

static bool table_drop_least(struct table *table)
{
    int least = 9;
    for (int i = 0; i < TABLE_COLUMNS; i++)
        if (table->shown[i] && table_columns[i].importance < least)
            least = table_columns[i].importance;
    for (int i = 0; i < TABLE_COLUMNS; i++)
        if (table_columns[i].importance == least && least < 9)
            table->shown[i] = false;
    return least < 9;
}

static void table_layout(struct table *table)
{
    const int terminal = (int)terminal_width(), line_width = terminal ? terminal : LINE_WIDTH;
    do {
        int shown[TABLE_COLUMNS];
        for (int i = 0; i < TABLE_COLUMNS; i++)
            shown[i] = table->shown[i];
        for (int i = 0; i < TABLE_COLUMNS; i++) {
            table_measure_column(table, i);
            table->shown[i] &= shown[i];
        }
        table_widen_groups(table);
    } while (table_group_width(table, 0, TABLE_COLUMNS) > line_width && table_drop_least(table));
}

static bool column_is_text(int i)
{
    enum cell_kind kind = table_columns[i].kind;
    return kind == CELL_RUN || kind == CELL_TEXT;
}

/* Returns the number of blanks before the next cell. Lines never end with blanks. */
static int table_put(FILE *file, int pending, const char *text, int width, bool left)
{
    int rest = width - text_width(text);
    fprintf(file, "%*s%s", pending + (left ? 0 : rest), "", text);
    return 2 + (left ? rest : 0);
}

static void table_print_groups(FILE *file, const struct table *table)
{
    int pending = 0;
    for (int i = 0, end; i < TABLE_COLUMNS; i = end) {
        end = table_group_end(table, i);
        int width = table_group_width(table, i, end);
        const char *group = table_group(table, i);
        if (width && *group)
            pending = table_put(file, pending, group, width, false);
        else if (width)
            pending += width + 2;
    }
    putc('\n', file);
}

static const char *status_paint(const struct record *record)
{
    return terminal_paint(record_is_right(record) ? TERMINAL_GOOD : TERMINAL_BAD);
}

static void table_print_line(FILE *file, const struct table *table, const struct record *record)
{
    char cell[CELL_SIZE];
    int pending = 0;
    for (int i = 0; i < TABLE_COLUMNS; i++) {
        if (!table->shown[i])
            continue;
        const bool is_status = record && table_columns[i].first == COLUMN_status;
        if (record)
            cell_render(&table_columns[i], record, cell);
        if (is_status)
            fputs(status_paint(record), file);
        pending = table_put(file, pending, record ? cell : table_columns[i].title, table->widths[i],
                            column_is_text(i));
        if (is_status)
            fputs(terminal_paint(TERMINAL_PLAIN), file);
    }
    putc('\n', file);
}

static void table_print_heading(FILE *file, const struct table *table)
{
    const struct record *record = table->records;
    char device[CELL_SIZE], chip[CELL_SIZE];
    snprintf(device, sizeof device, "%.*s", RUN_WIDTH, record_text(record, COLUMN_device));
    snprintf(chip, sizeof chip, "%.*s", RUN_WIDTH, record_text(record, COLUMN_chip));
    text_defuse(device, "");
    text_defuse(chip, "");
    fprintf(file, "device %s", *device ? device : "unknown");
    if (*chip)
        fprintf(file, " (%s)", chip);
    if (table->one_size)
        fprintf(file, ", %" PRIu64 " x %" PRIu64, record->values[COLUMN_rows].count,
                record->values[COLUMN_cols].count);
    if (table->modelled)
        fputs(", emulated: times are modelled, not measured", file);
    else if (record_is(record, COLUMN_source, "published"))
        fputs(", published results", file);
    putc('\n', file);
}

static void failure_print(FILE *file, const struct record *record)
{
    char run[CELL_SIZE], size[CELL_SIZE], status[CELL_SIZE], reason[RECORD_TEXT_SIZE];
    cell_render(&table_columns[0], record, run);
    cell_render(&table_columns[1], record, size);
    cell_render(&table_columns[TABLE_COLUMNS - 1], record, status);
    fprintf(file, "%s, %s: %s%s%s\n", run, size, status_paint(record), status,
            terminal_paint(TERMINAL_PLAIN));
    snprintf(reason, sizeof reason, "%s", record_text(record, COLUMN_reason));
    for (char *line = reason, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        text_defuse(line, "");
        if (*line)
            text_wrap(file, "    ", line, 6);
    }
}

static const struct {
    const char *bound, *meaning;
} bounds[] = {
    {"dram", "DRAM traffic"},
    {"dram_partition", "traffic of the busiest DRAM partition (memory channel)"},
    {"l2", "L2 traffic"},
    {"atomic", "atomic operations, which the L2 executes one at a time for each address"},
    {"lsu", "the load/store units, which split global requests into sectors"},
    {"constant", "constant memory, with lanes that load from different addresses"},
    {"shared", "shared memory, including bank conflicts"},
    {"issue", "instruction issue"},
#define X(id, text, field, meaning) {text, meaning},
    PIPE_LIST(X)
#undef X
        {"latency", "memory latency, with too few accesses in flight"},
    {"launch", "launch overhead"},
};

static void bounds_print(FILE *file, const struct record *records, size_t count)
{
    char text[1024] = "";
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (size_t i = 0; i < count; i++)
            if (record_is(&records[i], COLUMN_bound, bounds[b].bound)) {
                APPEND(text, "%s%s = %s",
                       *text ? "; " : "bound, what limits the time: ", bounds[b].bound,
                       bounds[b].meaning);
                break;
            }
    if (*text)
        text_wrap(file, "", text, 2);
}

static void table_print(FILE *file, const struct record *records, size_t count)
{
    static const enum column size[] = {COLUMN_rows, COLUMN_cols};
    struct table table = {.records = records, .count = count};
    table.modelled = record_is(records, COLUMN_source, "emulator");
    table.one_size = records->values[COLUMN_rows].known && records->values[COLUMN_cols].known;
    for (size_t i = 0; i < count; i++)
        table.one_size &= record_same(records, &records[i], size, 2);
    for (int i = 0; i < TABLE_COLUMNS; i++)
        table.shown[i] = true;
    table_layout(&table);

    table_print_heading(file, &table);
    table_print_groups(file, &table);
    table_print_line(file, &table, NULL);
    for (size_t i = 0; i < count; i++)
        table_print_line(file, &table, &records[i]);
    for (int i = 0; i < TABLE_COLUMNS; i++)
        if (table.shown[i] && table_columns[i].first == COLUMN_bound)
            bounds_print(file, records, count);
    for (size_t i = 0; i < count; i++)
        if (!record_is_right(&records[i]) && *record_text(&records[i], COLUMN_status))
            failure_print(file, &records[i]);
}

void records_print(FILE *file, const struct record *records, size_t count)
{
    static const enum column device[] = {COLUMN_device, COLUMN_chip, COLUMN_source};
    struct locale_scope scope = locale_enter();
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1;
             end < count && record_same(&records[first], &records[end], device, 3);)
            end++;
        if (first)
            putc('\n', file);
        table_print(file, records + first, end - first);
    }
    locale_leave(scope);
}

bool record_csv_only(const char *csv)
{
    return csv && !strcmp(csv, "-");
}

bool records_output(const char *csv, const struct record *records, size_t count,
                    struct failure *failure)
{
    if (csv && !records_save(csv, records, count, failure))
        return false;
    if (!record_csv_only(csv))
        records_print(stdout, records, count);
    return true;
}

enum { TOTAL_FIRST = COLUMN_global_load_requests, TOTAL_LAST = COLUMN_sass_warp_instructions };

void records_print_counters(FILE *file, const struct record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[RECORD_SHAPE_SIZE];
        cell_render(&table_columns[0], &records[i], text);
        fprintf(file, "\n%s\n", text);
        if (*record_shape(&records[i], text))
            fprintf(file, "    %s, %" PRIu64 " bytes of shared memory\n", text,
                    records[i].values[COLUMN_shared_bytes].count);
        for (int c = TOTAL_FIRST; c <= TOTAL_LAST; c++) {
            const struct column_info *column = column_describe((enum column)c);
            const struct record_value *value = &records[i].values[c];
            if (value->known && column->type == RECORD_COUNT)
                fprintf(file, "    %-30s %15" PRIu64 "\n", column->name, value->count);
            else if (value->known)
                fprintf(file, "    %-30s %15.4g\n", column->name, value->real);
        }
    }
}
