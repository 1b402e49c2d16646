#include "record/prediction.h"

#include "base/conf.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "emulator/time/timing.h"
#include "process/allocate.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Relative tolerance of answers: for 33.55, the answer 34 is correct. */
#define TOLERANCE 0.02

enum { SHEET_MAX_BYTES = 1 << 16 };

static const struct shorthand {
    const char *name;
    enum prediction_how how;
    enum column first, second;
    const char *title;
} shorthands[] = {
    {"sectors_per_load", PREDICTION_QUOTIENT, COLUMN_global_load_sectors,
     COLUMN_global_load_requests, "sectors per global load of a warp"},
    {"sectors_per_store", PREDICTION_QUOTIENT, COLUMN_global_store_sectors,
     COLUMN_global_store_requests, "sectors per global store of a warp"},
    {"conflicts_per_load", PREDICTION_QUOTIENT, COLUMN_shared_load_conflicts,
     COLUMN_shared_load_requests, "bank conflicts per shared load of a warp"},
    {"conflicts_per_store", PREDICTION_QUOTIENT, COLUMN_shared_store_conflicts,
     COLUMN_shared_store_requests, "bank conflicts per shared store of a warp"},
    {"l2_mb", PREDICTION_MEGABYTES, COLUMN_l2_read_bytes, COLUMN_l2_write_bytes,
     "MB between the SMs and the L2"},
    {"dram_mb", PREDICTION_MEGABYTES, COLUMN_dram_read_bytes, COLUMN_dram_write_bytes,
     "MB read from and written to DRAM"},
    {"blocks", PREDICTION_PRODUCT, COLUMN_grid_x, COLUMN_grid_z, "blocks of the grid"},
    {"threads", PREDICTION_PRODUCT, COLUMN_block_x, COLUMN_block_z, "threads of a block"},
    {"bound", PREDICTION_BOUND, COLUMN_bound, COLUMN_bound, "what limits the time"},
    {"against", PREDICTION_AGAINST, COLUMN_time_us, COLUMN_time_us,
     "the time, compared with the previous lab"},
};
enum { SHORTHANDS = sizeof shorthands / sizeof *shorthands };

const char *prediction_shorthands(void)
{
    static char text[2048];
    *text = 0;
    for (size_t i = 0; i < SHORTHANDS; i++)
        APPEND(text, "  %-20s %s\n", shorthands[i].name, shorthands[i].title);
    return text;
}

static bool quantity_find(const char *name, struct prediction_quantity *quantity)
{
    const int column = column_find(name);
    size_t i = 0;
    while (i < SHORTHANDS && strcmp(name, shorthands[i].name) != 0)
        i++;
    *quantity = (struct prediction_quantity){.how = PREDICTION_COLUMN};
    if (i < SHORTHANDS) {
        quantity->how = shorthands[i].how;
        quantity->first = shorthands[i].first;
        quantity->second = shorthands[i].second;
        APPEND(quantity->title, "%s", shorthands[i].title);
    } else if (column >= 0 && column_describe((enum column)column)->type != RECORD_TEXT) {
        quantity->first = quantity->second = (enum column)column;
        APPEND(quantity->title, "%s (%s)", column_describe((enum column)column)->meaning, name);
    } else {
        return false;
    }
    APPEND(quantity->name, "%s", name);
    return true;
}

bool prediction_has_words(enum prediction_how how, const char *words[PREDICTION_WORDS_MAX])
{
    static const char *const against[] = {"faster", "slower", "same"};
    size_t count = 0;
    _Static_assert((int)BOUND_COUNT < (int)PREDICTION_WORDS_MAX,
                   "the words of all bounds and NULL");
    if (how == PREDICTION_BOUND)
        for (; count < BOUND_COUNT; count++)
            words[count] = bound_name((enum bound)count);
    else if (how == PREDICTION_AGAINST)
        for (; count < 3; count++)
            words[count] = against[count];
    words[count] = NULL;
    return count > 0;
}

bool prediction_value(const struct prediction_quantity *quantity, const struct record *record,
                      double *value)
{
    double numbers[2];
    for (unsigned i = 0; i < 2; i++) {
        enum column column = i ? quantity->second : quantity->first;
        if (!record->values[column].known)
            return false;
        record_number(record, column, &numbers[i]);
    }
    switch (quantity->how) {
    case PREDICTION_QUOTIENT:
        *value = numbers[1] ? numbers[0] / numbers[1] : 0;
        return true;
    case PREDICTION_MEGABYTES:
        *value = (numbers[0] + numbers[1]) / 1e6;
        return true;
    case PREDICTION_PRODUCT:
        *value = 1;
        for (enum column c = quantity->first; c <= quantity->second; c++)
            *value *= (double)record->values[c].count;
        return true;
    default:
        *value = numbers[0];
        return quantity->how == PREDICTION_COLUMN;
    }
}

bool prediction_is_right(const struct prediction *prediction, double value)
{
    return fabs(prediction->number - value) <= TOLERANCE * fabs(value);
}

bool prediction_is_for(const struct prediction *prediction, const char *exercise, bool first)
{
    return *prediction->exercise ? !strcmp(prediction->exercise, exercise) : first;
}

/* Parse a finite number of 0 or more: "131 072", "4_194_304", "16.8M". */
static bool number_parse(const char *text, double *number)
{
    char digits[PREDICTION_TEXT_SIZE];
    size_t used = 0;
    unsigned points = 0;
    double factor = 1;
    for (; *text && used + 1 < sizeof digits; text++) {
        if (isdigit((unsigned char)*text) || (*text == '.' && !points++))
            digits[used++] = *text;
        else if ((*text != ' ' && *text != '_') || !used)
            break;
    }
    digits[used] = 0;
    if (*text && strchr("KMG", toupper((unsigned char)*text)))
        factor = pow(1e3, (double)(strchr("KMG", toupper((unsigned char)*text++)) - "KMG" + 1));
    if (*text || used == points)
        return false;
    *number = factor * strtod(digits, NULL);
    return isfinite(*number);
}

static bool fail_word(const struct prediction *prediction, const char *text,
                      const char *const *words, struct failure *failure)
{
    char list[256] = "";
    for (size_t i = 0; words[i]; i++)
        APPEND(list, "%s%s", i ? ", " : "", words[i]);
    return failure_harness(failure, "%s must be one of %s, not `%.40s`", prediction->quantity.name,
                           list, text);
}

bool prediction_answer(struct prediction *prediction, const char *text, struct failure *failure)
{
    const char *words[PREDICTION_WORDS_MAX];
    bool open = !*text || !strcmp(text, "?"), known = open;
    double number = 0;
    if (!open && strlen(text) >= PREDICTION_TEXT_SIZE)
        return failure_harness(failure, "%s: the answer is longer than %d characters",
                               prediction->quantity.name, PREDICTION_TEXT_SIZE - 1);
    if (prediction_has_words(prediction->quantity.how, words)) {
        for (size_t i = 0; words[i]; i++)
            known |= !strcmp(words[i], text);
        if (!known)
            return fail_word(prediction, text, words, failure);
    } else if (!open && !number_parse(text, &number)) {
        return failure_harness(failure,
                               "%s must be a number, such as 32 or 131 072, or ?; not `%.40s`",
                               prediction->quantity.name, text);
    }
    prediction->filled = !open;
    prediction->number = number;
    snprintf(prediction->text, sizeof prediction->text, "%s", open ? "?" : text);
    return true;
}

static bool take_size(const struct conf *conf, const struct conf_entry *entry, uint64_t *size,
                      struct failure *failure)
{
    double number;
    if (!number_parse(entry->value, &number) || number < 1 || number > INT32_MAX ||
        number != floor(number))
        return failure_harness(failure, "%s:%u: %s must be a whole number above 0, not `%.40s`",
                               conf->path, entry->line, entry->key, entry->value);
    *size = (uint64_t)number;
    return true;
}

static bool is_printable(const char *text)
{
    while (*text >= ' ' && *text <= '~')
        text++;
    return !*text;
}

static bool take_text(const struct conf *conf, const struct conf_entry *entry, char *text,
                      size_t size, struct failure *failure)
{
    if (strlen(entry->value) >= size || !is_printable(entry->value) || strchr(entry->value, '/') ||
        entry->value[0] == '.')
        return failure_harness(failure, "%s:%u: `%.40s` cannot be the value of %s", conf->path,
                               entry->line, entry->value, entry->key);
    snprintf(text, size, "%s", entry->value);
    return true;
}

static bool take_prediction(const struct conf *conf, const struct conf_entry *entry,
                            struct prediction *prediction, struct failure *failure)
{
    struct failure wrong = {0};
    const char *point = strchr(entry->key, '.'), *name = point ? point + 1 : entry->key;
    size_t length = point ? (size_t)(point - entry->key) : 0;
    *prediction = (struct prediction){.line = entry->line};
    if (length >= sizeof prediction->exercise || !quantity_find(name, &prediction->quantity))
        return failure_harness(failure,
                               "%s:%u: `%.60s` is not a quantity; `tlab predict --help` lists the "
                               "quantities",
                               conf->path, entry->line, entry->key);
    memcpy(prediction->exercise, entry->key, length);
    return prediction_answer(prediction, entry->value, &wrong) ||
           failure_harness(failure, "%s:%u: %s", conf->path, entry->line, wrong.text);
}

static bool take_entry(const struct conf *conf, const struct conf_entry *entry,
                       struct prediction_sheet *sheet, struct failure *failure)
{
    if (!strcmp(entry->key, "rows"))
        return take_size(conf, entry, &sheet->rows, failure);
    if (!strcmp(entry->key, "cols"))
        return take_size(conf, entry, &sheet->cols, failure);
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {{"device", sheet->device, sizeof sheet->device},
                 {"defines", sheet->defines, sizeof sheet->defines},
                 {"before", sheet->before, sizeof sheet->before}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(entry->key, texts[i].key))
            return take_text(conf, entry, texts[i].text, texts[i].size, failure);
    if (sheet->count == PREDICTIONS_MAX)
        return failure_harness(failure, "%s:%u: more than %d predictions", conf->path, entry->line,
                               PREDICTIONS_MAX);
    const bool good = take_prediction(conf, entry, &sheet->predictions[sheet->count], failure);
    sheet->count += good;
    return good;
}

bool prediction_read(const char *path, struct prediction_sheet *sheet, struct failure *failure)
{
    struct conf conf = {0};
    *sheet = (struct prediction_sheet){
        .predictions = allocate_checked(calloc(PREDICTIONS_MAX, sizeof *sheet->predictions))};
    snprintf(sheet->path, sizeof sheet->path, "%s", path);
    bool good = conf_read(path, &conf, failure);
    for (size_t i = 0; i < conf.count; i++) {
        struct failure wrong = {0};
        if (take_entry(&conf, &conf.entries[i], sheet, &wrong))
            continue;
        failure->kind = FAILURE_HARNESS;
        APPEND(failure->text, "%s%s", good ? "" : "\n", wrong.text);
        good = false;
    }
    conf_free(&conf);
    return good;
}

bool prediction_find(const char *target, struct prediction_sheet *sheet, struct failure *failure)
{
    char path[PATH_SIZE];
    struct stat status;
    *sheet = (struct prediction_sheet){0};
    bool is_directory = !stat(target, &status) && S_ISDIR(status.st_mode);
    int length = is_directory ? (int)strlen(target) : (int)(path_basename(target) - target);
    const char *slash = is_directory && length && target[length - 1] != '/' ? "/" : "";
    if (snprintf(path, sizeof path, "%.*s%s" PREDICTION_FILE, length, target, slash) >=
        (int)sizeof path)
        return failure_harness(failure, "the path %.60s... is too long", target);
    if (stat(path, &status) && errno == ENOENT)
        return true;
    return prediction_read(path, sheet, failure);
}

void prediction_free(struct prediction_sheet *sheet)
{
    free(sheet->predictions);
    sheet->predictions = NULL;
    sheet->count = 0;
}

static const struct prediction *prediction_on_line(const struct prediction_sheet *sheet,
                                                   unsigned line)
{
    for (size_t i = 0; i < sheet->count; i++)
        if (sheet->predictions[i].line == line)
            return &sheet->predictions[i];
    return NULL;
}

/* `length` excludes the line end. A comment after the answer stays in its column if possible. */
static void line_write(FILE *file, const char *line, size_t length,
                       const struct prediction *prediction)
{
    const char *comment = memchr(line, '#', length), *end = comment ? comment : line + length;
    const char *equals = memchr(line, '=', (size_t)(end - line));
    if (!prediction || !equals) {
        fwrite(line, 1, length, file);
        return;
    }
    int before = (int)(equals + 1 - line);
    int written = fprintf(file, "%.*s %s", before, line, prediction->text);
    if (comment)
        fprintf(file, "%*s%.*s", written < comment - line ? (int)(comment - line) - written : 1, "",
                (int)(line + length - comment), comment);
}

bool prediction_write(const struct prediction_sheet *sheet, struct failure *failure)
{
    struct whole_file file;
    size_t size;
    char *text = whole_file_read(sheet->path, SHEET_MAX_BYTES, &size, failure);
    bool good = text && whole_file_open(&file, sheet->path, failure);
    unsigned number = 0;
    for (const char *line = text, *end; good && line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (!end)
            end = text + size;
        line_write(file.stream, line, (size_t)(end - line), prediction_on_line(sheet, ++number));
        fputc('\n', file.stream);
    }
    good = good && whole_file_keep(&file, failure);
    free(text);
    return good;
}
