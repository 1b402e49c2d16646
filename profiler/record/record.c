#include "record/record.h"

#include "base/wording.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct record) <= 8192, "thousands of records are in memory at once");

#define TEXT_PLACE_TEXT(name)                                                                      \
    offsetof(struct record_texts, name), sizeof((struct record_texts *)NULL)->name
#define TEXT_PLACE_COUNT(name) 0, 0
#define TEXT_PLACE_REAL(name) 0, 0

static const struct column_info column_table[COLUMN_COUNT] = {
#define X(type, name, unit, cupti, emulator, meaning)                                              \
    [COLUMN_##name] = {RECORD_##type, false,    #name,   unit,                                     \
                       cupti,         emulator, meaning, TEXT_PLACE_##type(name)},
    COLUMN_LIST_RUN(X) COLUMN_LIST_VERDICT(X)
#undef X
#define X(type, name, unit, cupti, emulator, meaning)                                              \
    [COLUMN_##name] = {RECORD_##type, RECORD_##type == RECORD_COUNT, #name, unit, cupti, emulator, \
                       meaning,       TEXT_PLACE_##type(name)},
        COLUMN_LIST_COUNTERS(X)
#undef X
};

const struct column_info *column_describe(enum column column)
{
    return &column_table[column];
}

int column_find(const char *name)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (!strcmp(name, column_table[i].name))
            return i;
    return -1;
}

void record_clear(struct record *record)
{
    memset(record->values, 0, sizeof record->values);
}

static struct record_value *value_of_type(struct record *record, enum column column,
                                          enum record_type type)
{
    if ((unsigned)column >= COLUMN_COUNT || column_table[column].type != type)
        abort();
    return &record->values[column];
}

static bool text_is_known(const struct record *record, int column)
{
    return column_table[column].type == RECORD_TEXT && record->values[column].known;
}

static char *text_of(const struct record *record, int column)
{
    return (char *)&record->texts + column_table[column].text_at;
}

const char *record_text(const struct record *record, enum column column)
{
    return text_is_known(record, column) ? text_of(record, column) : "";
}

static void text_cut(char *text, size_t size)
{
    size_t end = size > 4 ? size - 4 : 0;
    while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    snprintf(text + end, size - end, "...");
}

void record_set_text(struct record *record, enum column column, const char *format, ...)
{
    struct record_value *value = value_of_type(record, column, RECORD_TEXT);
    char text[RECORD_TEXT_SIZE]; /* The old text may be an argument. */
    int length = FORMAT(text, sizeof text, format);
    size_t size = column_table[column].text_size;
    if (length >= 0 && (size_t)length >= size)
        text_cut(text, size);
    value->known = length >= 0;
    if (value->known)
        strcpy(text_of(record, column), text);
}

void record_set_count(struct record *record, enum column column, uint64_t count)
{
    struct record_value *value = value_of_type(record, column, RECORD_COUNT);
    value->known = true;
    value->count = count;
}

void record_set_real(struct record *record, enum column column, double real)
{
    struct record_value *value = value_of_type(record, column, RECORD_REAL);
    value->known = isfinite(real);
    value->real = real;
}

void record_set_verdict(struct record *record, const struct failure *wrong)
{
    char names[RECORD_TEXT_SIZE] = "";
    for (unsigned i = 0; i < wrong->findings.count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "",
                 finding_name(wrong->findings.list[i].id));
    record_set_text(record, COLUMN_status, "%s", status_name(wrong->status));
    record_set_text(record, COLUMN_reason, "%s", wrong->text);
    record_set_text(record, COLUMN_findings, "%s", names);
}

bool record_has(const struct record *record, enum finding_id id)
{
    const char *name = finding_name(id), *at = record_text(record, COLUMN_findings);
    const size_t length = strlen(name);
    while (*at) {
        const size_t word = strcspn(at, " ");
        if (word == length && !memcmp(at, name, length))
            return true;
        at += word + (at[word] == ' ');
    }
    return false;
}

void record_set_shape(struct record *record, const uint32_t grid[3], const uint32_t block[3])
{
    for (unsigned i = 0; i < 3; i++) {
        record_set_count(record, COLUMN_grid_x + i, grid[i]);
        record_set_count(record, COLUMN_block_x + i, block[i]);
    }
}

bool record_number(const struct record *record, enum column column, double *number)
{
    const struct record_value *value = &record->values[column];
    *number = column_table[column].type == RECORD_REAL ? value->real : (double)value->count;
    return value->known && column_table[column].type != RECORD_TEXT;
}

uint64_t record_blocks(const struct record *record)
{
    const struct record_value *v = record->values;
    return v[COLUMN_grid_x].count * v[COLUMN_grid_y].count * v[COLUMN_grid_z].count;
}

uint64_t record_threads(const struct record *record)
{
    const struct record_value *v = record->values;
    return v[COLUMN_block_x].count * v[COLUMN_block_y].count * v[COLUMN_block_z].count;
}

bool record_ratio(const struct record *record, enum column of, enum column per, double *ratio)
{
    double divisor = 1;
    if (!record_number(record, of, ratio) ||
        (per != COLUMN_COUNT && !record_number(record, per, &divisor)) || divisor == 0)
        return false;
    *ratio /= divisor;
    return true;
}

bool record_same(const struct record *a, const struct record *b, const enum column *columns,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct record_value *x = &a->values[columns[i]], *y = &b->values[columns[i]];
        if (column_table[columns[i]].type == RECORD_TEXT
                ? strcmp(record_text(a, columns[i]), record_text(b, columns[i])) != 0
                : x->known != y->known || (x->known && x->count != y->count))
            return false;
    }
    return true;
}

bool record_is_right(const struct record *record)
{
    return !strcmp(record_text(record, COLUMN_status), status_name(STATUS_OK));
}

void record_set_launch(struct record *record, const char *kernel, const uint32_t grid[3],
                       const uint32_t block[3], uint64_t shared_bytes)
{
    record_clear(record);
    record_set_text(record, COLUMN_lab, "-");
    record_set_text(record, COLUMN_kernel, "%s", kernel);
    record_set_text(record, COLUMN_device, "gpu");
    record_set_shape(record, grid, block);
    record_set_count(record, COLUMN_shared_bytes, shared_bytes);
    record_set_text(record, COLUMN_status, "%s", status_name(STATUS_OK));
    record_set_text(record, COLUMN_source, "cupti");
}

void record_set_dram(struct record *record, double peak_gbps)
{
    double read, written, us;
    if (!record_number(record, COLUMN_dram_read_bytes, &read) ||
        !record_number(record, COLUMN_dram_write_bytes, &written) ||
        !record_number(record, COLUMN_time_us, &us) || us <= 0)
        return;
    double gbps = (read + written) / us / 1e3;
    record_set_real(record, COLUMN_dram_throughput_gbps, gbps);
    if (peak_gbps > 0)
        record_set_real(record, COLUMN_dram_throughput_pct, 100 * gbps / peak_gbps);
}

const char *record_shape(const struct record *record, char text[RECORD_SHAPE_SIZE])
{
    const struct record_value *grid = &record->values[COLUMN_grid_x],
                              *block = &record->values[COLUMN_block_x];
    *text = 0;
    if (grid->known && block->known)
        snprintf(text, RECORD_SHAPE_SIZE,
                 "grid %" PRIu64 " x %" PRIu64 " x %" PRIu64 ", block %" PRIu64 " x %" PRIu64
                 " x %" PRIu64,
                 grid[0].count, grid[1].count, grid[2].count, block[0].count, block[1].count,
                 block[2].count);
    return text;
}

void record_merge(struct record *record, const struct record *from)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (text_is_known(from, i))
            record_set_text(record, (enum column)i, "%s", record_text(from, (enum column)i));
        else if (from->values[i].known)
            record->values[i] = from->values[i];
}

/* The access to a received bool with a value other than 0 or 1 would be undefined behaviour. */
static bool value_is_sound(const struct record_value *value, enum record_type type)
{
    unsigned char known;
    memcpy(&known, &value->known, 1);
    return known <= 1 && (!known || type != RECORD_REAL || isfinite(value->real));
}

bool record_is_sound(const struct record *record)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (!value_is_sound(&record->values[i], column_table[i].type) ||
            (text_is_known(record, i) && !memchr(text_of(record, i), 0, column_table[i].text_size)))
            return false;
    return record->is_interleaved <= 1;
}

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

void columns_print(FILE *file, bool markdown)
{
    if (markdown)
        fputs("# Every column of the CSV\n\n| column | unit | meaning | CUPTI | emulator |\n"
              "|---|---|---|---|---|\n",
              file);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct column_info *info = &column_table[i];
        if (markdown)
            fprintf(file, "| `%s` | %s | %s | %s%s%s | %s |\n", info->name, or_dash(info->unit),
                    info->meaning, strstr(info->cupti, "__") ? "`" : "", or_dash(info->cupti),
                    strstr(info->cupti, "__") ? "`" : "", or_dash(info->emulator));
        else
            fprintf(file, "%s%s%s%s: %s\n    CUPTI     %s\n    emulator  %s\n", info->name,
                    *info->unit ? " (" : "", info->unit, *info->unit ? ")" : "", info->meaning,
                    or_dash(info->cupti), or_dash(info->emulator));
    }
}
