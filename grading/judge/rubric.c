/* rubric.c: rubrics from JSON, field by field.
 *
 * Every value is taken by a function that knows its field's name ("checks[2].full"), checks its
 * type and range, and fails with file and field. An object's fields are checked against the list of
 * known ones before any is taken.
 */
#include "judge/rubric.h"

#include "base/paths.h"
#include "judge/draw.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_BYTES_MAX = 1 << 20,
    SIZE_MAX_EXTENT = 1 << 14, /* of a published size or run */
    POINTS_MAX = 1000000,
    FIELD_SIZE = 128
};

/* ---- Words for enums ---- */

static const struct {
    const char *name, *unit, *phrase;
    double scale;
} measures[RUBRIC_MEASURE_COUNT] = {
#define X(id, json, unit, formula, scale, phrase) {json, unit, phrase, scale},
    RUBRIC_MEASURE_LIST(X)
#undef X
};

static const struct {
    const char *name, *with, *without;
} mechanisms[RUBRIC_MECHANISM_COUNT] = {
#define X(id, json, meaning, with, without) {json, with, without},
    RUBRIC_MECHANISM_LIST(X)
#undef X
};

static const struct {
    const char *name, *phrase;
} size_kinds[RUBRIC_SIZE_KIND_COUNT] = {
#define X(id, json, phrase) {json, phrase},
    RUBRIC_SIZE_KIND_LIST(X)
#undef X
};

const char *rubric_measure_unit(enum rubric_measure measure)
{
    return measures[measure].unit;
}

const char *rubric_measure_phrase(enum rubric_measure measure, double *scale)
{
    *scale = measures[measure].scale;
    return measures[measure].phrase;
}

const char *rubric_mechanism_phrase(enum rubric_mechanism mechanism, bool with)
{
    return with ? mechanisms[mechanism].with : mechanisms[mechanism].without;
}

const char *rubric_size_kind_name(enum rubric_size_kind kind)
{
    return size_kinds[kind].name;
}

const char *rubric_size_kind_phrase(enum rubric_size_kind kind)
{
    return size_kinds[kind].phrase;
}

void rubric_hexadecimal(const unsigned char digest[32], char text[65])
{
    for (int i = 0; i < 32; i++)
        sprintf(text + 2 * i, "%02x", digest[i]);
}

/* ---- Taking fields ---- */

/* Where we are: an object of the file, and its name in messages ("checks[2]."). */
struct reader {
    const char *path;
    char prefix[FIELD_SIZE];
    json_t *object;
    struct failure *failure;
};

static bool fail(const struct reader *reader, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const struct reader *reader, const char *field, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return failure_harness(reader->failure, "%s: %s%s: %s", reader->path, reader->prefix, field,
                           what);
}

/* An element of a list, which must be an object with no other than the known fields. */
static bool reader_enter(const struct reader *outer, const char *list, size_t index, json_t *object,
                         const char *const *known, struct reader *reader)
{
    *reader = *outer;
    if (list)
        snprintf(reader->prefix, sizeof reader->prefix, "%s[%zu].", list, index);
    reader->object = object;
    if (!json_is_object(object))
        return failure_harness(outer->failure, "%s: %s%.*s must be an object", outer->path,
                               list ? "" : "the file", (int)strcspn(reader->prefix, "."),
                               reader->prefix);
    const char *key;
    json_t *value;
    json_object_foreach (object, key, value) {
        bool found = false;
        for (size_t i = 0; known[i]; i++)
            found |= !strcmp(known[i], key);
        if (!found)
            return fail(reader, key, "is no field of a rubric");
    }
    return true;
}

static bool has(const struct reader *reader, const char *field)
{
    return json_object_get(reader->object, field) != NULL;
}

/* A text without control characters that fits. */
static bool take_text(const struct reader *reader, const char *field, char *text, size_t size)
{
    json_t *value = json_object_get(reader->object, field);
    if (!json_is_string(value))
        return fail(reader, field, value ? "must be a text" : "is missing");
    const char *string = json_string_value(value);
    if (json_string_length(value) >= size)
        return fail(reader, field, "must be shorter than %zu bytes", size);
    if (strlen(string) != json_string_length(value))
        return fail(reader, field, "must not hold control characters");
    for (const char *c = string; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return fail(reader, field, "must not hold control characters");
    snprintf(text, size, "%s", string);
    return true;
}

/* A name that other places refer to. */
static bool take_name(const struct reader *reader, const char *field, char *text, size_t size)
{
    if (!take_text(reader, field, text, size))
        return false;
    size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return (length && !text[length]) ||
           fail(reader, field, "must be made of letters, digits, `_` and `-`");
}

static bool take_number(const struct reader *reader, const char *field, double low, double high,
                        double *number)
{
    json_t *value = json_object_get(reader->object, field);
    if (!json_is_number(value))
        return fail(reader, field, value ? "must be a number" : "is missing");
    *number = json_number_value(value);
    if (!(*number >= low && *number <= high))
        return fail(reader, field, "must be a number from %g to %g", low, high);
    return true;
}

static bool extent(const struct reader *reader, const char *field, json_t *value, uint64_t *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 1 ||
        json_integer_value(value) > SIZE_MAX_EXTENT)
        return fail(reader, field, "must be a whole number from 1 to %d", SIZE_MAX_EXTENT);
    *number = (uint64_t)json_integer_value(value);
    return true;
}

static bool take_flag(const struct reader *reader, const char *field, bool *flag)
{
    json_t *value = json_object_get(reader->object, field);
    if (value && !json_is_boolean(value))
        return fail(reader, field, "must be true or false");
    *flag = json_is_true(value);
    return true;
}

static bool take_list(const struct reader *reader, const char *field, size_t low, size_t high,
                      json_t **list)
{
    *list = json_object_get(reader->object, field);
    if (!json_is_array(*list))
        return fail(reader, field, *list ? "must be a list" : "is missing");
    if (json_array_size(*list) < low || json_array_size(*list) > high)
        return fail(reader, field, "must have %zu to %zu elements", low, high);
    return true;
}

/* The number of a word in a table whose rows begin with it. */
static bool find_word(const struct reader *reader, const char *field, const char *word,
                      const void *table, size_t row_bytes, unsigned count, unsigned *number)
{
    char known[512] = "";
    for (*number = 0; *number < count; ++*number) {
        const char *name;
        memcpy(&name, (const char *)table + *number * row_bytes, sizeof name);
        if (!strcmp(name, word))
            return true;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", name);
    }
    return fail(reader, field, "`%s` is not one of %s", word, known);
}

static bool find_size_kind(const struct reader *reader, const char *list, size_t index,
                           json_t *value, unsigned *kind)
{
    char field[FIELD_SIZE];
    snprintf(field, sizeof field, "%s[%zu]", list, index);
    if (!json_is_string(value))
        return fail(reader, field, "must be a text");
    return find_word(reader, field, json_string_value(value), size_kinds, sizeof *size_kinds,
                     RUBRIC_SIZE_KIND_COUNT, kind);
}

/* ---- Sizes ---- */

/* The kind that a size is; a whole-tile exercise counts in tiles. */
static enum rubric_size_kind kind_of(const struct exercise *exercise, uint64_t rows, uint64_t cols)
{
    uint64_t tile = exercise->tile, unit = exercise->whole_tiles ? tile : 1;
    if (rows == unit && cols == unit)
        return RUBRIC_ONE;
    if (rows == unit || cols == unit)
        return RUBRIC_THIN;
    if (rows % tile || cols % tile)
        return RUBRIC_RAGGED;
    return rows == cols ? RUBRIC_SQUARE : RUBRIC_OBLONG;
}

static bool whole_tiles(const struct reader *reader, const struct exercise *exercise,
                        const char *field, uint64_t rows, uint64_t cols)
{
    if (exercise->whole_tiles && (rows % exercise->tile || cols % exercise->tile))
        return fail(reader, field, "must be a multiple of the exercise's tile, %u", exercise->tile);
    return true;
}

static bool take_published(const struct reader *reader, struct rubric *rubric)
{
    json_t *list;
    if (!take_list(reader, "published", 1, RUBRIC_SIZES_MAX / 2, &list))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *pair = json_array_get(list, i);
        char field[FIELD_SIZE];
        struct rubric_size size = {.hidden = false};
        snprintf(field, sizeof field, "published[%zu]", i);
        if (!json_is_array(pair) || json_array_size(pair) != 2)
            return fail(reader, field, "must be [rows, columns]");
        if (!extent(reader, field, json_array_get(pair, 0), &size.rows) ||
            !extent(reader, field, json_array_get(pair, 1), &size.cols) ||
            !whole_tiles(reader, &rubric->exercise, field, size.rows, size.cols))
            return false;
        size.kind = kind_of(&rubric->exercise, size.rows, size.cols);
        rubric->sizes[rubric->size_count++] = size;
    }
    return true;
}

/* A number that no tile of 32 or 16 divides, and no power of two at all. */
static uint64_t draw_ragged(struct draw *draw, uint64_t low, uint64_t high)
{
    return draw_number(draw, low / 2, (high - 1) / 2) * 2 + 1;
}

/* `thin` counts the thin sizes so far: rows and columns take turns. */
static void draw_size(struct draw *draw, const struct exercise *exercise, unsigned *thin,
                      struct rubric_size *size)
{
    uint64_t tile = exercise->tile, a = draw_number(draw, 2, 5), b = draw_number(draw, 2, 4);
    uint64_t unit = exercise->whole_tiles ? tile : 1, length;
    switch (size->kind) {
    case RUBRIC_SQUARE:
        size->rows = size->cols = a * tile;
        break;
    case RUBRIC_OBLONG:
        size->rows = a * tile;
        size->cols = (b >= a ? b + 1 : b) * tile; /* not equal */
        break;
    case RUBRIC_RAGGED:
        size->rows = draw_ragged(draw, tile, 5 * tile);
        size->cols = draw_ragged(draw, tile, 5 * tile);
        if (size->rows == size->cols)
            size->cols += 2;
        break;
    case RUBRIC_THIN:
        length = exercise->whole_tiles ? a * tile : draw_ragged(draw, tile, 10 * tile);
        size->rows = *thin % 2 ? length : unit;
        size->cols = *thin % 2 ? unit : length;
        ++*thin;
        break;
    default:
        size->rows = size->cols = unit;
    }
}

static bool take_hidden(const struct reader *reader, struct draw *draw, struct rubric *rubric)
{
    json_t *list;
    unsigned thin = 0;
    if (!take_list(reader, "hidden", 0, RUBRIC_SIZES_MAX / 2, &list))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct rubric_size size = {.hidden = true};
        unsigned kind;
        if (!find_size_kind(reader, "hidden", i, json_array_get(list, i), &kind))
            return false;
        size.kind = (enum rubric_size_kind)kind;
        if (kind == RUBRIC_RAGGED && rubric->exercise.whole_tiles)
            return fail(reader, "hidden",
                        "the exercise works on whole tiles, so no size is ragged");
        draw_size(draw, &rubric->exercise, &thin, &size);
        rubric->sizes[rubric->size_count++] = size;
    }
    return true;
}

/* ---- Runs ---- */

static const char gpu_run[] = "gpu"; /* RUBRIC_RUN_GPU */
static const char *const run_fields[] = {"name", "device", "rows", "cols", "twin", NULL};
static const char *const twin_fields[] = {"rows", "cols", NULL};

/* [from, to], of whole tiles, so that ratios do not change with the size. */
static bool take_range(const struct reader *reader, const char *field,
                       const struct exercise *exercise, struct rubric_range *range)
{
    json_t *pair = json_object_get(reader->object, field);
    if (!json_is_array(pair) || json_array_size(pair) != 2)
        return fail(reader, field, "must be [from, to]");
    if (!extent(reader, field, json_array_get(pair, 0), &range->low) ||
        !extent(reader, field, json_array_get(pair, 1), &range->high))
        return false;
    if (range->low % exercise->tile || range->high % exercise->tile)
        return fail(reader, field, "must be multiples of the exercise's tile, %u", exercise->tile);
    return range->low <= range->high || fail(reader, field, "must not end before it begins");
}

static bool take_twin(const struct reader *outer, const struct exercise *exercise,
                      struct rubric_run *run)
{
    struct reader named = *outer, reader;
    json_t *twin = json_object_get(outer->object, "twin");
    size_t used = strlen(named.prefix);
    if (!twin)
        return true;
    if (!json_is_object(twin))
        return fail(outer, "twin", "must be an object");
    snprintf(named.prefix + used, sizeof named.prefix - used, "twin.");
    if (!reader_enter(&named, NULL, 0, twin, twin_fields, &reader))
        return false;
    return take_range(&reader, "rows", exercise, &run->twin_rows) &&
           take_range(&reader, "cols", exercise, &run->twin_cols);
}

static bool take_run(const struct reader *outer, size_t index, json_t *object,
                     struct rubric *rubric)
{
    struct reader reader;
    struct rubric_run *run = &rubric->runs[rubric->run_count];
    char device[32], directory[PATH_SIZE];
    struct failure unknown = {0};
    if (!reader_enter(outer, "runs", index, object, run_fields, &reader) ||
        !take_name(&reader, "name", run->name, sizeof run->name) ||
        !take_name(&reader, "device", device, sizeof device) ||
        !extent(&reader, "rows", json_object_get(object, "rows"), &run->rows) ||
        !extent(&reader, "cols", json_object_get(object, "cols"), &run->cols) ||
        !whole_tiles(&reader, &rubric->exercise, "rows", run->rows, run->cols) ||
        !take_twin(&reader, &rubric->exercise, run) ||
        !paths_in_root("profiler/devices", directory, outer->failure))
        return false;
    if (!strcmp(run->name, gpu_run))
        return fail(&reader, "name", "`%s` is the run on a GPU, and not defined here", gpu_run);
    for (unsigned i = 0; i < rubric->run_count; i++)
        if (!strcmp(rubric->runs[i].name, run->name))
            return fail(&reader, "name", "`%s` is taken by runs[%u]", run->name, i);
    if (!device_find(directory, device, &run->device, &unknown))
        return fail(&reader, "device", "%s", unknown.text);
    run->kind = kind_of(&rubric->exercise, run->rows, run->cols);
    rubric->run_count++;
    return true;
}

static bool take_runs(const struct reader *reader, struct rubric *rubric)
{
    json_t *list;
    if (!take_list(reader, "runs", 1, RUBRIC_RUNS_MAX, &list))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!take_run(reader, i, json_array_get(list, i), rubric))
            return false;
    return true;
}

/* A multiple of the tile. */
static uint64_t draw_extent(struct draw *draw, const struct rubric_range *range, uint64_t tile)
{
    return draw_number(draw, range->low / tile, range->high / tile) * tile;
}

/* After all named runs, each one's twin. */
static void draw_twins(struct draw *draw, struct rubric *rubric)
{
    const unsigned named = rubric->run_count;
    for (unsigned i = 0; i < named; i++) {
        struct rubric_run *run = &rubric->runs[i], *twin = &rubric->runs[rubric->run_count];
        if (!run->twin_rows.low)
            continue;
        *twin = *run;
        twin->hidden = true;
        twin->rows = draw_extent(draw, &run->twin_rows, rubric->exercise.tile);
        twin->cols = draw_extent(draw, &run->twin_cols, rubric->exercise.tile);
        twin->kind = kind_of(&rubric->exercise, twin->rows, twin->cols);
        twin->seed = draw_bits(draw);
        run->twin = rubric->run_count++;
    }
}

/* ---- Checks ---- */

/* Fields of every check, then of each kind. */
#define COMMON_FIELDS "id", "kind", "title", "hint", "points", "visible"
static const char *const check_fields[][16] = {
    [RUBRIC_CORRECT] = {COMMON_FIELDS, "hidden", "sizes", "all", NULL},
    [RUBRIC_RATIO] = {COMMON_FIELDS, "run", "after", "measure", "full", "zero", "without_shared",
                      NULL},
    [RUBRIC_MECHANISM] = {COMMON_FIELDS, "run", "after", "require", "forbid", NULL},
};
static const char *const kind_names[] = {"correct", "ratio", "mechanism"};

static bool take_correct(const struct reader *reader, const struct rubric *rubric,
                         struct rubric_check *check)
{
    bool hidden = false;
    if (!take_flag(reader, "all", &check->all) || !take_flag(reader, "hidden", &hidden))
        return false;
    bool both = !has(reader, "hidden"), every = !has(reader, "sizes");
    check->of_hidden[0] = both || !hidden;
    check->of_hidden[1] = both || hidden;
    json_t *list = NULL;
    if (!every && !take_list(reader, "sizes", 1, RUBRIC_SIZE_KIND_COUNT, &list))
        return false;
    for (unsigned i = 0; i < RUBRIC_SIZE_KIND_COUNT; i++)
        check->of_kind[i] = every;
    for (size_t i = 0; i < json_array_size(list); i++) {
        unsigned kind;
        if (!find_size_kind(reader, "sizes", i, json_array_get(list, i), &kind))
            return false;
        check->of_kind[kind] = true;
    }
    for (unsigned i = 0; i < rubric->size_count; i++)
        if (check->of_hidden[rubric->sizes[i].hidden] && check->of_kind[rubric->sizes[i].kind])
            return true;
    return fail(reader, every ? "hidden" : "sizes", "no size of the rubric is of that kind");
}

/* The run and the earlier check that a check refers to. */
static bool take_references(const struct reader *reader, const struct rubric *rubric,
                            struct rubric_check *check)
{
    char name[32];
    if (!take_name(reader, "run", name, sizeof name))
        return false;
    while (check->run < rubric->run_count && strcmp(rubric->runs[check->run].name, name))
        check->run++;
    if (!strcmp(name, gpu_run))
        check->run = RUBRIC_RUN_GPU;
    else if (check->run == rubric->run_count)
        return fail(reader, "run", "there is no run `%s`", name);
    if (!has(reader, "after"))
        return true;
    if (!take_name(reader, "after", name, sizeof name))
        return false;
    for (unsigned i = 0; i < rubric->check_count; i++)
        if (!strcmp(rubric->checks[i].id, name))
            check->after = (int)i;
    if (check->after >= 0 && rubric->checks[check->after].run == RUBRIC_RUN_GPU)
        return fail(reader, "after", "`%s` is judged last, with what the GPU says", name);
    return check->after >= 0 || fail(reader, "after", "there is no check `%s` before it", name);
}

static bool take_ratio(const struct reader *reader, const struct rubric *rubric,
                       struct rubric_check *check)
{
    char name[64];
    unsigned number;
    if (!take_references(reader, rubric, check) ||
        !take_text(reader, "measure", name, sizeof name) ||
        !find_word(reader, "measure", name, measures, sizeof *measures, RUBRIC_MEASURE_COUNT,
                   &number) ||
        !take_number(reader, "full", 0, 1e9, &check->full) ||
        !take_number(reader, "zero", 0, 1e9, &check->zero) ||
        !take_flag(reader, "without_shared", &check->without_shared))
        return false;
    check->measure = (enum rubric_measure)number;
    if (check->full == check->zero)
        return fail(reader, "zero", "must differ from `full`");
    if (check->run == RUBRIC_RUN_GPU)
        return number == RUBRIC_COPY_PCT ||
               fail(reader, "measure", "only copy_pct can be asked of a GPU");
    const struct device *device = &rubric->runs[check->run].device;
    if (check->without_shared && number != RUBRIC_WAVEFRONTS && number != RUBRIC_CONFLICTS)
        return fail(reader, "without_shared", "goes with wavefronts and conflicts only");
    if (number == RUBRIC_L2_BYTES && !device->l2_bytes)
        return fail(reader, "measure", "a %s has no L2", device->name);
    return true;
}

static bool take_mechanism(const struct reader *reader, const struct rubric *rubric,
                           struct rubric_check *check)
{
    char name[64];
    unsigned number;
    check->forbid = has(reader, "forbid");
    const char *field = check->forbid ? "forbid" : "require";
    if (check->forbid && has(reader, "require"))
        return fail(reader, "forbid", "and `require` exclude each other");
    if (!take_references(reader, rubric, check) || !take_text(reader, field, name, sizeof name) ||
        !find_word(reader, field, name, mechanisms, sizeof *mechanisms, RUBRIC_MECHANISM_COUNT,
                   &number))
        return false;
    check->mechanism = (enum rubric_mechanism)number;
    if (check->run == RUBRIC_RUN_GPU)
        return fail(reader, "run", "mechanisms are seen in emulated runs only");
    return true;
}

static bool take_check(const struct reader *outer, size_t index, json_t *object,
                       struct rubric *rubric)
{
    struct reader reader = *outer;
    struct rubric_check *check = &rubric->checks[rubric->check_count];
    char name[32];
    unsigned kind;
    snprintf(reader.prefix, sizeof reader.prefix, "checks[%zu].", index);
    reader.object = object;
    check->after = -1;
    if (!json_is_object(object))
        return failure_harness(outer->failure, "%s: checks[%zu] must be an object", outer->path,
                               index);
    if (!take_name(&reader, "kind", name, sizeof name) ||
        !find_word(&reader, "kind", name, kind_names, sizeof *kind_names, 3, &kind) ||
        !reader_enter(outer, "checks", index, object, check_fields[kind], &reader) ||
        !take_name(&reader, "id", check->id, sizeof check->id) ||
        !take_text(&reader, "title", check->title, sizeof check->title) ||
        !take_number(&reader, "points", 0, POINTS_MAX, &check->points) ||
        !take_flag(&reader, "visible", &check->visible) ||
        (has(&reader, "hint") && !take_text(&reader, "hint", check->hint, sizeof check->hint)))
        return false;
    check->kind = (enum rubric_kind)kind;
    if (!has(&reader, "visible"))
        check->visible = true;
    for (unsigned i = 0; i < rubric->check_count; i++)
        if (!strcmp(rubric->checks[i].id, check->id))
            return fail(&reader, "id", "`%s` is taken by checks[%u]", check->id, i);
    bool good = kind == RUBRIC_CORRECT ? take_correct(&reader, rubric, check)
                : kind == RUBRIC_RATIO ? take_ratio(&reader, rubric, check)
                                       : take_mechanism(&reader, rubric, check);
    rubric->check_count += good;
    rubric->needs_gpu |= check->run == RUBRIC_RUN_GPU;
    return good;
}

static bool take_checks(const struct reader *reader, struct rubric *rubric)
{
    json_t *list;
    double sum = 0;
    if (!take_list(reader, "checks", 1, RUBRIC_CHECKS_MAX, &list) ||
        !take_number(reader, "points", 0, POINTS_MAX, &rubric->points))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!take_check(reader, i, json_array_get(list, i), rubric))
            return false;
        sum += rubric->checks[i].points;
    }
    return fabs(sum - rubric->points) < 1e-9 ||
           fail(reader, "points", "is %g, but the checks have %g together", rubric->points, sum);
}

/* ---- The file ---- */

static const char *const rubric_fields[] = {"exercise", "title", "points", "published",
                                            "hidden",   "runs",  "checks", NULL};

static bool take_rubric(const struct reader *reader, const char *exercise,
                        const unsigned char secret[32], struct rubric *rubric)
{
    char name[64];
    struct failure unknown = {0};
    struct draw sizes = {.secret = secret, .label = exercise};
    const char *root = paths_root(reader->failure);
    if (!root || !take_name(reader, "exercise", name, sizeof name) ||
        !take_text(reader, "title", rubric->title, sizeof rubric->title))
        return false;
    if (strcmp(name, exercise))
        return fail(reader, "exercise", "must be `%s`, as the file is named", exercise);
    if (!exercise_find(root, name, &rubric->exercise, &unknown))
        return fail(reader, "exercise", "%s", unknown.text);
    if (!take_published(reader, rubric) || !take_hidden(reader, &sizes, rubric) ||
        !take_runs(reader, rubric) || !take_checks(reader, rubric))
        return false;
    for (unsigned i = 0; i < rubric->size_count; i++)
        rubric->sizes[i].seed = rubric->sizes[i].hidden ? draw_bits(&sizes) : RUBRIC_PUBLISHED_SEED;
    for (unsigned i = 0; i < rubric->run_count; i++)
        rubric->runs[i].seed = draw_bits(&sizes);
    draw_twins(&sizes, rubric);
    return true;
}

/* The whole file, malloc'd. */
static char *read_whole(const char *path, size_t *size, struct failure *failure)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(FILE_BYTES_MAX + 1);
    *size = file && text ? fread(text, 1, FILE_BYTES_MAX + 1, file) : 0;
    bool good = file && text && !ferror(file) && *size <= FILE_BYTES_MAX;
    if (!file)
        failure_harness(failure, "%s: %s", path, strerror(errno));
    else if (!text)
        failure_harness(failure, "not enough memory");
    else if (!good)
        failure_harness(failure, "%s: %s", path,
                        ferror(file) ? strerror(errno) : "is too long for a rubric");
    if (file)
        fclose(file);
    if (!good) {
        free(text);
        return NULL;
    }
    return text;
}

bool rubric_read(const char *directory, const char *exercise, const unsigned char secret[32],
                 struct rubric *rubric, struct failure *failure)
{
    char path[PATH_SIZE];
    size_t size;
    struct sha256_ctx hash;
    uint8_t digest[SHA256_DIGEST_SIZE];
    json_error_t error;
    memset(rubric, 0, sizeof *rubric);
    if (snprintf(path, sizeof path, "%s/%s.json", directory, exercise) >= (int)sizeof path)
        return failure_harness(failure, "path too long: %s", directory);
    char *text = read_whole(path, &size, failure);
    if (!text)
        return false;
    sha256_init(&hash);
    sha256_update(&hash, size, (const uint8_t *)text);
    sha256_digest(&hash, sizeof digest, digest);
    rubric_hexadecimal(digest, rubric->digest);
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!root)
        return failure_harness(failure, "%s:%d: %s", path, error.line, error.text);
    struct reader file = {.path = path, .failure = failure}, reader;
    bool good = reader_enter(&file, NULL, 0, root, rubric_fields, &reader) &&
                take_rubric(&reader, exercise, secret, rubric);
    json_decref(root);
    return good;
}

/* ---- The directory ---- */

static const char suffix[] = ".json";

static bool is_rubric(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), end = sizeof suffix - 1;
    return entry->d_name[0] != '.' && length > end && !strcmp(entry->d_name + length - end, suffix);
}

static int accept_rubric(const struct dirent *entry)
{
    return is_rubric(entry);
}

/* Byte by byte, whatever the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

char **rubric_list(const char *directory, size_t *count, struct failure *failure)
{
    struct dirent **entries = NULL;
    int found = scandir(directory, &entries, accept_rubric, by_bytes);
    char **names = NULL;
    *count = 0;
    if (found < 0) {
        failure_harness(failure, "%s: %s", directory, strerror(errno));
        return NULL;
    }
    size_t bytes = 0;
    for (int i = 0; i < found; i++)
        bytes += sizeof *names + strlen(entries[i]->d_name) + 1;
    if (!found)
        failure_harness(failure, "%s holds no rubric (EXERCISE.json)", directory);
    else if (!(names = malloc(bytes)))
        failure_harness(failure, "not enough memory");
    char *text = names ? (char *)(names + found) : NULL;
    for (int i = 0; i < found; i++) {
        if (names) {
            size_t length = strlen(entries[i]->d_name) - (sizeof suffix - 1);
            names[i] = text;
            memcpy(text, entries[i]->d_name, length);
            text[length] = 0;
            text += length + 1;
            ++*count;
        }
        free(entries[i]);
    }
    free(entries);
    return names;
}

static int by_lab(const void *a, const void *b)
{
    const struct rubric *left = a, *right = b;
    int order = strcmp(left->exercise.lab, right->exercise.lab);
    return order ? order : strcmp(left->exercise.name, right->exercise.name);
}

struct rubric *rubric_read_all(const char *directory, const char *const *names, size_t name_count,
                               const unsigned char secret[32], size_t *count,
                               struct failure *failure)
{
    char **listed = names ? NULL : rubric_list(directory, &name_count, failure);
    *count = 0;
    if (!names && !listed)
        return NULL;
    struct rubric *rubrics = calloc(name_count + 1, sizeof *rubrics);
    bool good = rubrics || failure_harness(failure, "not enough memory");
    for (size_t i = 0; i < name_count && good; i++)
        good = rubric_read(directory, names ? names[i] : listed[i], secret, &rubrics[i], failure);
    free(listed);
    if (!good) {
        free(rubrics);
        return NULL;
    }
    qsort(rubrics, name_count, sizeof *rubrics, by_lab);
    *count = name_count;
    return rubrics;
}
