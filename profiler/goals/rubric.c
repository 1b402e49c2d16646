/* rubric.c: reads rubrics from JSON with tables of fields (json_fields.h). A row of a table has the
 * type and range of a field. The function `take` of the row checks all other conditions. */
#include "goals/rubric.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "goals/digest.h"
#include "goals/json_fields.h"
#include "process/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FILE_BYTES_MAX = 1 << 20,
    EXTENT_MAX = 1 << 14,
    POINTS_MAX = 1000000,
    NAMING_SHARE = 20, /* By default, wrong names cost 1/20 of the points. */
    NAME_SIZE = 32
};

static const char *const measure_names[] = {
#define X(id, json, ...) json,
    RUBRIC_MEASURE_LIST(X)
#undef X
};
static const struct json_words measure_words = JSON_WORDS(measure_names);

static const char *const mechanism_names[] = {
#define X(id, json, ...) json,
    RUBRIC_MECHANISM_LIST(X)
#undef X
};
static const struct json_words mechanism_words = JSON_WORDS(mechanism_names);

static const char *const size_kind_names[] = {
#define X(id, json, ...) json,
    RUBRIC_SIZE_KIND_LIST(X)
#undef X
};
static const struct json_words size_kind_words = JSON_WORDS(size_kind_names);

struct making {
    struct rubric rubric;
    const char *file_name; /* File name without .json, which must be the exercise's name. */
    char name[64];
    struct draw draw; /* Source of the sizes, and then of the seeds. */
    unsigned turns;   /* Number of thin and far sizes that were drawn. */
};

#define EXTENT .low = 1, .high = EXTENT_MAX

/* Round a size up to whole tiles if the exercise requires them. A rubric can then be copied for
 * another exercise. */
static void fit_size(const struct exercise *exercise, uint64_t *rows, uint64_t *cols)
{
    const uint64_t tile = exercise->whole_tiles ? exercise->tile : 1;
    *rows = (*rows + tile - 1) / tile * tile;
    *cols = (*cols + tile - 1) / tile * tile;
    exercise_size(exercise, rows, cols);
}

static bool take_published(const struct json_place *place, const json_t *value, void *target)
{
    static const struct json_field pair = {NULL, FIELD_PAIR, EXTENT, .form = "[rows, columns]",
                                           .size = 2 * sizeof(uint64_t)};
    struct rubric *rubric = &((struct making *)target)->rubric;
    const struct exercise *exercise = &rubric->exercise;
    uint64_t sides[2];
    if (!json_value_take(place, value, &pair, JSON_REFUSE_OTHERS, sides))
        return false;
    fit_size(exercise, &sides[0], &sides[1]);
    rubric->sizes[rubric->size_count++] =
        (struct rubric_size){.rows = sides[0],
                             .cols = sides[1],
                             .kind = rubric_size_kind_of(exercise, sides[0], sides[1])};
    return true;
}

static bool take_size_kind(const struct json_place *place, const json_t *value,
                           enum rubric_size_kind *kind)
{
    static const struct json_field word = {NULL, FIELD_WORD, .words = &size_kind_words,
                                           .size = sizeof *kind};
    return json_value_take(place, value, &word, JSON_REFUSE_OTHERS, kind);
}

static bool take_hidden(const struct json_place *place, const json_t *value, void *target)
{
    struct making *making = target;
    struct rubric *rubric = &making->rubric;
    struct rubric_size size = {.hidden = true};
    if (!take_size_kind(place, value, &size.kind))
        return false;
    if (size.kind == RUBRIC_RAGGED && rubric->exercise.whole_tiles)
        size.kind = RUBRIC_OBLONG;
    rubric_size_draw(&making->draw, &rubric->exercise, &making->turns, &size);
    exercise_size(&rubric->exercise, &size.rows, &size.cols);
    rubric->sizes[rubric->size_count++] = size;
    return true;
}

static const char gpu_run[] = "gpu"; /* RUBRIC_RUN_GPU */

struct run_item {
    struct rubric_run run;
    char device[NAME_SIZE];
    const struct rubric *rubric;
};

/* Ranges consist of whole tiles, because most ratios are equal at all sizes of whole tiles. */
static bool check_range(const struct json_place *place, const json_t *value, void *target)
{
    const unsigned tile = ((struct run_item *)target)->rubric->exercise.tile;
    json_int_t low = json_integer_value(json_array_get(value, 0));
    json_int_t high = json_integer_value(json_array_get(value, 1));
    if (low % tile || high % tile)
        return json_place_fail(place, "must be multiples of the exercise's tile, %u", tile);
    return low <= high || json_place_fail(place, "must be [low, high] with low <= high");
}

static bool check_run_name(const struct json_place *place, const json_t *value, void *target)
{
    const struct rubric *rubric = ((struct run_item *)target)->rubric;
    const char *name = json_string_value(value);
    if (!strcmp(name, gpu_run))
        return json_place_fail(place, "`%s` is the run on a GPU and cannot be defined here",
                               gpu_run);
    for (unsigned i = 0; i < rubric->run_count; i++)
        if (!strcmp(rubric->runs[i].name, name))
            return json_place_fail(place, "`%s` is already used by runs[%u]", name, i);
    return true;
}

static bool find_device(const struct json_place *place, const json_t *value, void *target)
{
    struct run_item *item = target;
    char directory[PATH_SIZE];
    struct failure unknown = {0};
    return (paths_in_root("profiler/devices", directory, &unknown) &&
            device_find(directory, json_string_value(value), &item->run.device, &unknown)) ||
           json_place_fail(place, "%s", unknown.text);
}

#define RUN(member) JSON_INTO(struct run_item, run.member)
static const struct json_field twin_fields[] = {
    {"rows", FIELD_PAIR, RUN(twin_rows), EXTENT, .form = "[from, to]", .take = check_range},
    {"cols", FIELD_PAIR, RUN(twin_cols), EXTENT, .form = "[from, to]", .take = check_range},
    {0}};
static const struct json_field run_fields[] = {
    {"name", FIELD_NAME, RUN(name), .take = check_run_name},
    {"device", FIELD_NAME, JSON_INTO(struct run_item, device), .take = find_device},
    {"rows", FIELD_WHOLE, RUN(rows), EXTENT},
    {"cols", FIELD_WHOLE, RUN(cols), EXTENT},
    {"twin", FIELD_OBJECT, .optional = true, .fields = twin_fields},
    {0}};

static bool take_run(const struct json_place *place, const json_t *value, void *target)
{
    struct rubric *rubric = &((struct making *)target)->rubric;
    struct run_item item = {.rubric = rubric};
    struct rubric_run *run = &item.run;
    if (!json_fields_take(place, value, run_fields, JSON_REFUSE_OTHERS, &item))
        return false;
    if (rubric->exercise.whole_tiles)
        fit_size(&rubric->exercise, &run->rows, &run->cols);
    run->kind = rubric_size_kind_of(&rubric->exercise, run->rows, run->cols);
    rubric->runs[rubric->run_count++] = *run;
    return true;
}

/* Draw the size of a twin in multiples of the tile. If the run is wide and the ranges permit, the
 * twin is tall, to detect code that is fast only for wide matrices. */
static void draw_twin(struct draw *draw, const struct rubric_run *run, uint64_t tile,
                      struct rubric_run *twin)
{
    const struct rubric_range *rows = &run->twin_rows, *cols = &run->twin_cols;
    const uint64_t wide = rows->low * cols->high, tall = rows->high * cols->low;
    const bool turns = run->cols > run->rows && rows->high > cols->low;
    do {
        twin->rows = draw_number(draw, rows->low / tile, rows->high / tile) * tile;
        twin->cols = draw_number(draw, cols->low / tile, cols->high / tile) * tile;
    } while (twin->rows * twin->cols > (wide > tall ? wide : tall) ||
             (turns && twin->rows <= twin->cols));
}

static void draw_twins(struct draw *draw, struct rubric *rubric)
{
    const unsigned named = rubric->run_count;
    for (unsigned i = 0; i < named; i++) {
        struct rubric_run *run = &rubric->runs[i], *twin = &rubric->runs[rubric->run_count];
        if (!run->twin_rows.low)
            continue;
        *twin = *run;
        twin->hidden = true;
        draw_twin(draw, run, rubric->exercise.tile, twin);
        twin->kind = rubric_size_kind_of(&rubric->exercise, twin->rows, twin->cols);
        twin->seed = draw_bits(draw);
        run->twin = rubric->run_count++;
    }
}

struct check_item {
    struct rubric_check check;
    char run[NAME_SIZE], after[NAME_SIZE], either[NAME_SIZE];
    bool require;
    const struct rubric *rubric;
};

static bool check_id(const struct json_place *place, const json_t *value, void *target)
{
    const struct rubric *rubric = ((struct check_item *)target)->rubric;
    for (unsigned i = 0; i < rubric->check_count; i++)
        if (!strcmp(rubric->checks[i].id, json_string_value(value)))
            return json_place_fail(place, "`%s` is already used by checks[%u]",
                                   json_string_value(value), i);
    return true;
}

static bool take_hiddenness(const struct json_place *place, const json_t *value, void *target)
{
    struct rubric_check *check = &((struct check_item *)target)->check;
    (void)place;
    check->of_hidden[json_is_false(value)] = false;
    check->of_hidden[json_is_true(value)] = true;
    return true;
}

/* The first kind of a list replaces the default, which is all kinds. */
static bool add_size_kind(const struct json_place *place, const json_t *value, void *target)
{
    struct rubric_check *check = &((struct check_item *)target)->check;
    enum rubric_size_kind kind;
    if (!take_size_kind(place, value, &kind))
        return false;
    if (place->index == 0)
        memset(check->of_kind, 0, sizeof check->of_kind);
    check->of_kind[kind] = true;
    return true;
}

static bool find_run(const struct json_place *place, const json_t *value, void *target)
{
    struct check_item *item = target;
    const char *name = json_string_value(value);
    unsigned *run = &item->check.run;
    for (*run = 0; *run < item->rubric->run_count; ++*run)
        if (!strcmp(item->rubric->runs[*run].name, name))
            return true;
    *run = RUBRIC_RUN_GPU;
    return !strcmp(name, gpu_run) || json_place_fail(place, "there is no run `%s`", name);
}

static bool find_check(const struct json_place *place, const json_t *value, void *target)
{
    struct check_item *item = target;
    const struct rubric *rubric = item->rubric;
    const char *id = json_string_value(value);
    int *index = strcmp(place->name, "or") ? &item->check.after : &item->check.either;
    for (*index = (int)rubric->check_count - 1; *index >= 0; --*index)
        if (!strcmp(rubric->checks[*index].id, id))
            return rubric->checks[*index].kind == RUBRIC_EXPLANATION
                       ? json_place_fail(
                             place,
                             "the check `%s` is marked by a person, so it cannot be used here", id)
                       : rubric->checks[*index].run != RUBRIC_RUN_GPU ||
                             json_place_fail(place,
                                             "the check `%s` is judged later, with the results of "
                                             "the GPU, so it cannot be used here",
                                             id);
    return json_place_fail(place, "there is no earlier check `%s`", id);
}

static bool note_require(const struct json_place *place, const json_t *value, void *target)
{
    (void)place;
    (void)value;
    ((struct check_item *)target)->require = true;
    return true;
}

static bool note_forbid(const struct json_place *place, const json_t *value, void *target)
{
    struct check_item *item = target;
    (void)value;
    item->check.forbid = true;
    return !item->require || json_place_fail(place, "cannot be used together with `require`");
}

static bool complete_correct(const struct json_place *place, struct check_item *item)
{
    const struct rubric *rubric = item->rubric;
    struct rubric_check *check = &item->check;
    bool every = true;
    for (unsigned i = 0; i < RUBRIC_SIZE_KIND_COUNT; i++)
        every &= check->of_kind[i];
    if (check->of_hidden[1] && !every)
        return json_field_fail(place, "sizes",
                               "hidden sizes have one common verdict, so a check cannot select "
                               "some of these sizes: add \"hidden\": false");
    if (check->of_hidden[1] && !check->all)
        return json_field_fail(place, "all", "must be true if hidden sizes count");
    for (unsigned i = 0; i < rubric->size_count; i++)
        if (check->of_hidden[rubric->sizes[i].hidden] && check->of_kind[rubric->sizes[i].kind])
            return true;
    if (every)
        return json_field_fail(place, "hidden", "no size of the rubric has this value of `hidden`");
    /* If no size of the rubric matches these kinds, the check applies to all kinds. */
    memset(check->of_kind, true, sizeof check->of_kind);
    return complete_correct(place, item);
}

static bool complete_ratio(const struct json_place *place, struct check_item *item)
{
    const struct rubric_check *check = &item->check;
    if (check->full == check->zero)
        return json_field_fail(place, "zero", "must differ from `full`");
    if (!(check->full > 0) || !(check->zero > 0))
        return json_field_fail(place, check->full > 0 ? "zero" : "full",
                               "must be above 0, because the points depend on the logarithm of the "
                               "measure");
    if (check->run == RUBRIC_RUN_GPU)
        return check->measure == RUBRIC_COPY_PCT ||
               json_field_fail(place, "measure", "only copy_pct is available on a GPU");
    const struct device *device = &item->rubric->runs[check->run].device;
    if (check->without_shared && !(goal_measure_of(check->measure) & GOAL_OF_SHARED))
        return json_field_fail(place, "without_shared",
                               "is allowed only with wavefronts, ways and conflicts");
    return check->measure != RUBRIC_L2_BYTES || device->l2_bytes ||
           json_field_fail(place, "measure", "a %s has no L2", device->name);
}

static bool complete_mechanism(const struct json_place *place, struct check_item *item)
{
    if (!item->require && !item->check.forbid)
        return json_field_fail(place, "require", "is missing");
    return item->check.run != RUBRIC_RUN_GPU ||
           json_field_fail(
               place, "run",
               "must be an emulated run, because mechanisms are observed only in emulated runs");
}

static const struct json_words kind_words;

#define CHECK(member) JSON_INTO(struct check_item, check.member)
#define KIND                                                                                       \
    {                                                                                              \
        "kind", FIELD_WORD, CHECK(kind), .words = &kind_words                                      \
    }
#define COMMON_FIELDS                                                                              \
    KIND, {"id", FIELD_NAME, CHECK(id), .take = check_id}, {"title", FIELD_LINE, CHECK(title)},    \
        {"points", FIELD_NUMBER, CHECK(points), .low = 0, .high = POINTS_MAX},                     \
        {"hint", FIELD_LINE, CHECK(hint), .optional = true},                                       \
    {                                                                                              \
        "visible", FIELD_TRUTH, CHECK(visible), .optional = true                                   \
    }
#define RUN_FIELDS                                                                                 \
    {"run", FIELD_NAME, JSON_INTO(struct check_item, run), .take = find_run},                      \
        {"after", FIELD_NAME, JSON_INTO(struct check_item, after), .optional = true,               \
         .take = find_check},                                                                      \
    {                                                                                              \
        "with", FIELD_WORD, CHECK(with), .optional = true, .words = &mechanism_words               \
    }

static const struct json_field kind_alone[] = {KIND, {0}};
static const struct json_field correct_fields[] = {
    COMMON_FIELDS,
    {"hidden", FIELD_TRUTH, .optional = true, .take = take_hiddenness},
    {"sizes", FIELD_LIST, .optional = true, .low = 1, .high = RUBRIC_SIZE_KIND_COUNT,
     .take = add_size_kind},
    {"all", FIELD_TRUTH, CHECK(all), .optional = true},
    {0}};
static const struct json_field ratio_fields[] = {
    COMMON_FIELDS,
    RUN_FIELDS,
    {"measure", FIELD_WORD, CHECK(measure), .words = &measure_words},
    {"full", FIELD_NUMBER, CHECK(full), .low = 0, .high = 1e9},
    {"zero", FIELD_NUMBER, CHECK(zero), .low = 0, .high = 1e9},
    {"without_shared", FIELD_TRUTH, CHECK(without_shared), .optional = true},
    {0}};
static const struct json_field mechanism_fields[] = {
    COMMON_FIELDS,
    RUN_FIELDS,
    {"require", FIELD_WORD, CHECK(mechanism), .optional = true, .words = &mechanism_words,
     .take = note_require},
    {"forbid", FIELD_WORD, CHECK(mechanism), .optional = true, .words = &mechanism_words,
     .take = note_forbid},
    {"or", FIELD_NAME, JSON_INTO(struct check_item, either), .optional = true, .take = find_check},
    {0}};

static const struct json_field explanation_fields[] = {COMMON_FIELDS, {0}};

static const struct {
    const char *name;
    const struct json_field *fields;
    bool (*complete)(const struct json_place *place, struct check_item *item);
} kinds[] = {
    [RUBRIC_CORRECT] = {"correct", correct_fields, complete_correct},
    [RUBRIC_RATIO] = {"ratio", ratio_fields, complete_ratio},
    [RUBRIC_MECHANISM] = {"mechanism", mechanism_fields, complete_mechanism},
    [RUBRIC_EXPLANATION] = {"explanation", explanation_fields, NULL},
};
static const struct json_words kind_words = JSON_WORDS(kinds);

const char *rubric_kind_name(enum rubric_kind kind)
{
    return kinds[kind].name;
}

static bool take_check(const struct json_place *place, const json_t *value, void *target)
{
    struct rubric *rubric = &((struct making *)target)->rubric;
    struct check_item item = {
        .rubric = rubric,
        .check = {.after = -1, .either = -1, .with = RUBRIC_MECHANISM_COUNT, .visible = true}};
    struct rubric_check *check = &item.check;
    memset(check->of_hidden, true, sizeof check->of_hidden);
    memset(check->of_kind, true, sizeof check->of_kind);
    if (!json_fields_take(place, value, kind_alone, JSON_LEAVE_OTHERS, &item) ||
        !json_fields_take(place, value, kinds[check->kind].fields, JSON_REFUSE_OTHERS, &item) ||
        (kinds[check->kind].complete && !kinds[check->kind].complete(place, &item)))
        return false;
    rubric->needs_gpu |= check->run == RUBRIC_RUN_GPU;
    rubric->checks[rubric->check_count++] = *check;
    return true;
}

static bool find_exercise(const struct json_place *place, const json_t *value, void *target)
{
    struct making *making = target;
    struct failure unknown = {0};
    const char *name = json_string_value(value);
    char root[PATH_SIZE];
    if (strcmp(name, making->file_name))
        return json_place_fail(place, "must be `%s`, the name of the file", making->file_name);
    return (paths_root(root, &unknown) &&
            exercise_find(root, name, &making->rubric.exercise, &unknown)) ||
           json_place_fail(place, "%s", unknown.text);
}

static const struct json_field mistake_fields[] = {
#define X(id, json, phrase)                                                                        \
    {json,                                                                                         \
     FIELD_NUMBER,                                                                                 \
     JSON_INTO(struct making, rubric.mistakes[RUBRIC_MISTAKE_##id]),                               \
     .optional = true,                                                                             \
     .low = 0,                                                                                     \
     .high = 1},
    RUBRIC_MISTAKE_LIST(X)
#undef X
        {0}};

/* Read fields in this order, because sizes depend on the exercise, and checks depend on runs. */
#define MAKING(member) JSON_INTO(struct making, member)
static const struct json_field rubric_fields[] = {
    {"exercise", FIELD_NAME, MAKING(name), .take = find_exercise},
    {"title", FIELD_LINE, MAKING(rubric.title)},
    {"points", FIELD_NUMBER, MAKING(rubric.points), .low = 0, .high = POINTS_MAX},
    {"elsewhere", FIELD_NUMBER, MAKING(rubric.elsewhere), .optional = true, .low = 0,
     .high = POINTS_MAX},
    {"repair_names", FIELD_TRUTH, MAKING(rubric.repairs_names), .optional = true},
    {"naming", FIELD_NUMBER, MAKING(rubric.naming), .optional = true, .low = 0, .high = POINTS_MAX},
    {"mistakes", FIELD_OBJECT, .optional = true, .fields = mistake_fields},
    {"published", FIELD_LIST, .low = 1, .high = RUBRIC_SIZES_MAX / 2, .take = take_published},
    {"hidden", FIELD_LIST, .low = 0, .high = RUBRIC_SIZES_MAX / 2, .take = take_hidden},
    {"runs", FIELD_LIST, .low = 1, .high = RUBRIC_RUNS_MAX, .take = take_run},
    {"checks", FIELD_LIST, .low = 1, .high = RUBRIC_CHECKS_MAX, .take = take_check},
    {0}};

uint64_t rubric_huge_seed(const unsigned char secret[32])
{
    struct draw draw = {.secret = secret, .label = "huge"};
    return draw_bits(&draw);
}

static bool take_rubric(const json_t *document, struct making *making, struct failure *failure)
{
    const struct json_place top = {NULL, "", JSON_NO_INDEX, failure};
    struct rubric *rubric = &making->rubric;
    double sum = 0;
    if (!json_fields_take(&top, document, rubric_fields, JSON_REFUSE_OTHERS, making))
        return false;
    if (rubric->naming < 0) /* The field is missing. */
        rubric->naming = rubric->points / NAMING_SHARE;
    for (unsigned i = 0; i < rubric->check_count; i++)
        sum += rubric->checks[i].points;
    if (fabs(sum - rubric->points) >= 1e-9)
        return json_field_fail(&top, "points", "is %g, but the points of the checks add up to %g",
                               rubric->points, sum);
    struct draw *draw = &making->draw;
    const uint64_t huge_seed = rubric_huge_seed(draw->secret);
    for (unsigned i = 0; i < rubric->size_count; i++) {
        struct rubric_size *drawn = &rubric->sizes[i];
        drawn->seed = drawn->hidden ? draw_bits(draw) : RUBRIC_PUBLISHED_SEED;
        drawn->input_seed = drawn->hidden ? huge_seed : RUBRIC_PUBLISHED_SEED;
        if (drawn->kind == RUBRIC_HUGE)
            drawn->seed = huge_seed;
    }
    for (unsigned i = 0; i < rubric->run_count; i++)
        rubric->runs[i].seed = draw_bits(draw);
    draw_twins(draw, rubric);
    for (unsigned i = 0; i < rubric->run_count; i++)
        exercise_size(&rubric->exercise, &rubric->runs[i].rows, &rubric->runs[i].cols);
    rubric->whole = (struct rubric_size){.kind = RUBRIC_OBLONG, .hidden = true};
    rubric_size_draw_whole(draw, rubric->exercise.tile, &rubric->whole);
    exercise_size(&rubric->exercise, &rubric->whole.rows, &rubric->whole.cols);
    rubric->whole.seed = draw_bits(draw);
    rubric->whole.input_seed = huge_seed;
    return true;
}

bool rubric_read(const char *directory, const char *exercise, const unsigned char secret[32],
                 struct rubric *rubric, struct failure *failure)
{
    char path[PATH_SIZE];
    size_t size;
    unsigned char digest[DIGEST_SIZE];
    json_error_t error;
    struct failure why = {0};
    struct making making = {.rubric = {.repairs_names = true, .naming = -1},
                            .file_name = exercise,
                            .draw = {.secret = secret, .label = exercise}};
    if (snprintf(path, sizeof path, "%s/%s.json", directory, exercise) >= (int)sizeof path)
        return failure_harness(failure, "the path is too long: %s", directory);
    char *text = whole_file_read(path, FILE_BYTES_MAX, &size, failure);
    if (!text)
        return false;
    digest_bytes(text, size, digest);
    digest_text(digest, sizeof digest, making.rubric.digest);
    json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    bool good = document ? take_rubric(document, &making, &why) ||
                               failure_harness(failure, "%s: %s", path, why.text)
                         : failure_harness(failure, "%s:%d: %s", path, error.line, error.text);
    json_decref(document);
    *rubric = making.rubric;
    return good;
}

static int is_rubric(const struct dirent *entry)
{
    return !fnmatch("*.json", entry->d_name, FNM_PERIOD) && strcmp(entry->d_name, RUBRIC_POLICY);
}

static int by_lab(const void *a, const void *b)
{
    const struct rubric *left = a, *right = b;
    int order = strcmp(left->exercise.lab, right->exercise.lab);
    return order ? order : strcmp(left->exercise.name, right->exercise.name);
}

static bool check_name(const char *directory, const char *name, struct failure *failure)
{
    char path[PATH_SIZE], elsewhere[PATH_SIZE];
    glob_t found = {0};
    bool good = snprintf(path, sizeof path, "%s/%s.json", directory, name) < (int)sizeof path &&
                snprintf(elsewhere, sizeof elsewhere, "%s/*/%s.json", directory, name) <
                    (int)sizeof elsewhere;
    if (!good || strchr(name, '/') || !access(path, F_OK) || errno != ENOENT)
        return true; /* rubric_read reports other failures. */
    if (!glob(elsewhere, 0, NULL, &found) && found.gl_pathc)
        failure_harness(
            failure,
            "no rubric for `%s` in %s, but a subfolder has this rubric: use --rubrics %.*s", name,
            directory, (int)(strrchr(*found.gl_pathv, '/') - *found.gl_pathv), *found.gl_pathv);
    else
        failure_harness(failure, "no rubric for `%s` in %s (%s.json)", name, directory, name);
    globfree(&found);
    return false;
}

struct rubric *rubric_read_all(const char *directory, const char *const *names, size_t name_count,
                               const unsigned char secret[32], size_t *count,
                               struct failure *failure)
{
    struct dirent **entries = NULL;
    int found = names ? (int)name_count : scandir(directory, &entries, is_rubric, alphasort);
    *count = 0;
    if (found < 0) {
        failure_harness(failure, "%s: %s", directory, strerror(errno));
        return NULL;
    }
    struct rubric *rubrics = allocate_checked(calloc((size_t)found + 1, sizeof *rubrics));
    struct failure broken = {0};
    bool good = true;
    if (!names && !found)
        good = failure_harness(failure, "%s contains no rubric (EXERCISE.json)", directory);
    for (int i = 0; i < found; i++) {
        if (entries) /* Remove ".json". */
            entries[i]->d_name[strlen(entries[i]->d_name) - strlen(".json")] = 0;
        struct failure why = {0};
        if (good && (entries || check_name(directory, names[i], &why)) &&
            rubric_read(directory, entries ? entries[i]->d_name : names[i], secret,
                        &rubrics[*count], &why))
            ++*count;
        else if (good && !*broken.text)
            broken = why;
        if (entries)
            free(entries[i]);
    }
    free(entries);
    if (!good || (*broken.text && (names || !*count))) {
        free(rubrics);
        *count = 0;
        if (good)
            failure_pass(failure, &broken);
        return NULL;
    }
    qsort(rubrics, *count, sizeof *rubrics, by_lab);
    snprintf(failure->text, sizeof failure->text, "%s", broken.text);
    return rubrics;
}

const struct rubric *rubric_find(const struct rubric *rubrics, size_t count, const char *exercise)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rubrics[i].exercise.name, exercise))
            return &rubrics[i];
    return NULL;
}
