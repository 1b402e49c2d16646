#define _GNU_SOURCE
#include "course/exercise.h"

#include "base/conf.h"
#include "base/wording.h"
#include "course/arrays.h"
#include "course/target.h"
#include "process/allocate.h"
#include "text/spelling.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const manifest_keys[] = {
    "title", "exercises", "course",     "kernel", "parameters", "reference", "expression", "sizes",
    "tile",  "matrices",  "first_step", "device", "rows",       "cols",      NULL};

static bool word_in_list(const char *list, const char *word)
{
    size_t length = strchr(word, ' ') ? 0 : strlen(word);
    for (const char *at = list; length && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static const char *value_of(const struct conf *conf, const char *key)
{
    const struct conf_entry *entry = conf_find(conf, key);
    return entry ? entry->value : "";
}

/* If there is no manifest, `conf` is empty. Returns false for an invalid manifest. */
static bool manifest_read(const char *directory, const char *lab, struct conf *conf,
                          struct failure *failure)
{
    char path[PATH_SIZE];
    *conf = (struct conf){0};
    return !target_manifest(directory, lab, path) || conf_read(path, conf, failure);
}

static bool fail_at(const struct conf *conf, const char *key, struct failure *failure,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool fail_at(const struct conf *conf, const char *key, struct failure *failure,
                    const char *format, ...)
{
    char what[FAILURE_TEXT_SIZE];
    FORMAT(what, sizeof what, format);
    return failure_harness(failure, "%s:%u: %s", conf->path, conf_find(conf, key)->line, what);
}

/* Set the reference and the form. Every map of the matrix has the form of transpose. */
static bool manifest_apply_reference(const struct conf *conf, struct exercise *exercise,
                                     struct failure *failure)
{
    const char *reference = value_of(conf, "reference"), *kernel = value_of(conf, "kernel");
    const char *parameters = value_of(conf, "parameters");
    struct failure wrong = {0};
    int map = reference_find(reference);
    exercise->function = map < 0 ? function_find(reference) : -1;
    exercise->reference = map < 0 ? REFERENCE_COPY : (enum reference)map;
    if (map < 0 && exercise->function < 0)
        return fail_at(conf, "reference", failure, "unknown reference `%s`%s", reference,
                       *value_of(conf, "expression") ? ": run `make skeletons`, then `make`" : "");
    if (map >= 0 && (*kernel || *parameters))
        return fail_at(conf, *kernel ? "kernel" : "parameters", failure,
                       "the reference is a map of the matrix, so the kernel must be "
                       "transpose(odata, idata, width, height): remove this key");
    if (map < 0 && (!*kernel || !*parameters))
        return fail_at(conf, "reference", failure,
                       "if the reference is a function, `kernel` and `parameters` are required");
    if (map >= 0)
        return form_parse("transpose",
                          references[map].keeps_shape
                              ? "out float odata[height][width], in float idata[height][width], "
                                "width, height"
                              : "out float odata[width][height], in float idata[height][width], "
                                "width, height",
                          &exercise->form, failure);
    return form_parse(kernel, parameters, &exercise->form, &wrong) ||
           fail_at(conf, "parameters", failure, "%s", wrong.text);
}

/* Read the number of a key, from 1 to `most`; `normal` if the key is missing. */
static bool read_number(const struct conf *conf, const char *key, uint64_t normal, uint64_t most,
                        uint64_t *number, struct failure *failure)
{
    const char *value = value_of(conf, key);
    char *end = NULL;
    *number = *value ? strtoul(value, &end, 10) : normal;
    return !*value || (!*end && *number >= 1 && *number <= most) ||
           fail_at(conf, key, failure, "%s must be a number from 1 to %" PRIu64, key, most);
}

static bool manifest_apply(const struct conf *conf, const char *lab, const char *name,
                           struct exercise *exercise, struct failure *failure)
{
    if (!conf_check_keys(conf, manifest_keys, failure))
        return false;
    const char *title = value_of(conf, "title"), *sizes = value_of(conf, "sizes");
    if (!*title || !*value_of(conf, "reference"))
        return failure_harness(failure, "%s: `title` and `reference` are required", conf->path);
    if (*sizes && !word_in_list("any tiles line square", sizes))
        return fail_at(conf, "sizes", failure,
                       "sizes must be `any`, `tiles`, `line` or `square`, not `%s`", sizes);
    uint64_t width, matrices, side;
    if (!read_number(conf, "tile", 32, 1024, &width, failure) ||
        !read_number(conf, "rows", 0, INT32_MAX, &side, failure) ||
        !read_number(conf, "cols", 0, INT32_MAX, &side, failure) ||
        !read_number(conf, "matrices", 1, EXERCISE_MATRICES_MAX, &matrices, failure))
        return false;
    snprintf(exercise->lab, sizeof exercise->lab, "%.*s", (int)sizeof exercise->lab - 1, lab);
    snprintf(exercise->name, sizeof exercise->name, "%s", name);
    snprintf(exercise->title, sizeof exercise->title, "%s", title);
    snprintf(exercise->first_step, sizeof exercise->first_step, "%s", value_of(conf, "first_step"));
    exercise->whole_tiles = !strcmp(sizes, "tiles");
    exercise->one_row = !strcmp(sizes, "line");
    exercise->square = !strcmp(sizes, "square");
    exercise->tile = (uint32_t)width;
    if (!manifest_apply_reference(conf, exercise, failure))
        return false;
    exercise->form.matrices = matrices;
    if (form_is_batch(&exercise->form) != !!conf_find(conf, "matrices"))
        return fail_at(
            conf, conf_find(conf, "matrices") ? "matrices" : "parameters", failure,
            "`matrices` is required if arrays have the size [matrices], and not allowed otherwise");
    return !exercise->one_row || exercise->function >= 0 ||
           fail_at(conf, "sizes", failure,
                   "sizes cannot be `line` if the reference is a map of the matrix");
}

void exercise_size(const struct exercise *exercise, uint64_t *rows, uint64_t *cols)
{
    uint64_t count = *rows * *cols, side = 0;
    if (exercise->one_row) {
        *rows = 1;
        *cols = count;
    } else if (exercise->square && *rows != *cols) {
        for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
            if ((side | bit) * (side | bit) <= count)
                side |= bit;
        if (*rows % exercise->tile == 0 && *cols % exercise->tile == 0)
            side -= side % exercise->tile;
        *rows = *cols = side;
    }
}

static bool is_source(const char *name)
{
    return name[0] != '.' && text_ends_with(name, ".cu");
}

static int is_source_entry(const struct dirent *entry)
{
    return is_source(entry->d_name);
}

struct search {
    const char *name;
    struct exercise *exercise;
    bool any, found; /* any: a manifest exists; found: a manifest describes `name` */
    char known[1024];
};

static bool search_lab(struct search *search, const char *directory, const char *lab,
                       struct failure *failure)
{
    struct conf conf;
    bool good = manifest_read(directory, lab, &conf, failure);
    const char *names = value_of(&conf, "exercises");
    if (conf.path && !*names)
        good = failure_harness(failure, "%s: `exercises` is required", conf.path);
    if (*names) {
        APPEND(search->known, "%s%s", *search->known ? " " : "", names);
        search->any = true;
        search->found = word_in_list(names, search->name);
        if (search->found)
            good = manifest_apply(&conf, lab, search->name, search->exercise, failure);
    }
    conf_free(&conf);
    return good;
}

static bool search_labs(struct search *search, const char *directory, struct failure *failure)
{
    struct dirent **labs;
    bool good = true;
    int count = directory_list(directory, NULL, &labs);
    if (count < 0)
        return true;
    for (int i = 0; i < count && good && !search->found; i++)
        good = search_lab(search, directory, labs[i]->d_name, failure);
    directory_free(labs, count);
    return good;
}

static const char *name_advice(const char *known, const char *name, char advice[96])
{
    enum { NAMES_MAX = 128 };
    const char *names[NAMES_MAX];
    char words[1024];
    char *state = NULL;
    size_t count = 0;
    snprintf(words, sizeof words, "%s", known);
    for (char *word = strtok_r(words, " ", &state); word && count < NAMES_MAX;
         word = strtok_r(NULL, " ", &state))
        names[count++] = word;
    const char *nearest = spelling_nearest(name, names, count);
    *advice = 0;
    if (nearest)
        snprintf(advice, 96, "; did you mean LAB(%.64s)?", nearest);
    return advice;
}

bool exercise_find(const char *root, const char *name, struct exercise *exercise,
                   struct failure *failure)
{
    char advice[96];
    static const char *const trees[] = {"labs", "solutions"};
    struct search search = {.name = name, .exercise = exercise};
    for (size_t i = 0; i < sizeof trees / sizeof *trees && !search.any; i++) {
        char directory[PATH_SIZE];
        snprintf(directory, sizeof directory, "%s/%s", root, trees[i]);
        if (!search_labs(&search, directory, failure))
            return false;
    }
    if (search.found)
        return true;
    if (!search.any)
        return failure_harness(failure, "%s has no lab (no labs/*/lab.conf)", root);
    return failure_student(failure, STATUS_COMPILE_ERROR,
                           "LAB(%s) is not an exercise of this course; the exercises are: %s%s",
                           name, search.known, name_advice(search.known, name, advice));
}

/* Read the manifest in the file's directory or, if there is none, of the installation's lab with
 * the same directory name. Without a manifest, `conf` is empty. */
static bool place_find(const char *root, const char *path, struct conf *conf,
                       char lab[NAME_MAX + 1], struct failure *failure)
{
    char directory[PATH_MAX], file[PATH_MAX], labs[2][PATH_SIZE + 16];
    *conf = (struct conf){0};
    if (!realpath(path, file))
        return true;
    snprintf(directory, sizeof directory, "%.*s", (int)(path_basename(file) - file - 1), file);
    snprintf(lab, NAME_MAX + 1, "%.*s", NAME_MAX, path_basename(directory));
    snprintf(labs[0], sizeof labs[0], "%s/labs", root);
    snprintf(labs[1], sizeof labs[1], "%s/solutions", root);
    bool good = manifest_read(directory, NULL, conf, failure);
    for (int i = 0; good && !conf->path && i < 2; i++)
        good = manifest_read(labs[i], lab, conf, failure);
    return good;
}

bool exercise_check_place(const char *root, const char *path, const char *name,
                          struct failure *failure)
{
    char lab[NAME_MAX + 1], stem[NAME_MAX + 1];
    struct conf conf;
    if (!place_find(root, path, &conf, lab, failure))
        return false;
    const char *names = value_of(&conf, "exercises");
    snprintf(stem, sizeof stem, "%s", path_basename(path));
    stem[strcspn(stem, ".")] = 0;
    const char *required = word_in_list(names, stem) ? stem : strchr(names, ' ') ? NULL : names;
    bool good = !*names || (required ? !strcmp(name, required) : word_in_list(names, name));
    const char *remedy = required ? required : names;
    if (!good && !*name)
        failure_student(failure, STATUS_COMPILE_ERROR,
                        "%s names no exercise: below #include \"lab.h\", write LAB(%s);%s", path,
                        remedy, required ? "" : " with one of these names");
    else if (!good)
        failure_student(
            failure, STATUS_COMPILE_ERROR,
            "%s: LAB(%s) is the wrong exercise for this file of lab %s: write LAB(%s)%s", path,
            name, lab, remedy, required ? "" : " with one of these names");
    conf_free(&conf);
    return good;
}

bool exercise_find_usual_run(const char *path, struct usual_run *usual, struct failure *failure)
{
    char root[PATH_SIZE], lab[NAME_MAX + 1];
    struct conf conf;
    *usual = (struct usual_run){.rows = 0};
    if (!paths_root(root, failure) || !place_find(root, path, &conf, lab, failure))
        return false;
    snprintf(usual->device, sizeof usual->device, "%s", value_of(&conf, "device"));
    const bool good = read_number(&conf, "rows", 0, INT32_MAX, &usual->rows, failure) &&
                      read_number(&conf, "cols", usual->rows, INT32_MAX, &usual->cols, failure);
    conf_free(&conf);
    return good;
}

static bool course_of(const char *parent, const char *lab, char course[EXERCISE_TEXT])
{
    struct failure unreadable = {0};
    struct conf conf;
    manifest_read(parent, lab, &conf, &unreadable);
    const bool exists = conf.path;
    snprintf(course, EXERCISE_TEXT, "%s", value_of(&conf, "course"));
    conf_free(&conf);
    return exists;
}

bool exercise_find_before(const char *path, const char *name, char directory[PATH_SIZE])
{
    char file[PATH_MAX], lab[NAME_MAX + 1], course[EXERCISE_TEXT], other[EXERCISE_TEXT];
    struct dirent **labs;
    if (!realpath(path, file))
        return false;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(file, '/');
        if (!slash)
            return false;
        *slash = 0;
        snprintf(lab, sizeof lab, "%.*s", NAME_MAX, i ? slash + 1 : "");
    }
    int found = -1, count = course_of(file, lab, course) ? directory_list(file, NULL, &labs) : -1;
    for (int i = 0; i < count; i++)
        if ((*name ? !strcmp(labs[i]->d_name, name) : strcmp(labs[i]->d_name, lab) < 0) &&
            course_of(file, labs[i]->d_name, other) && (*name || !strcmp(course, other)))
            found = i;
    if (found >= 0 &&
        snprintf(directory, PATH_SIZE, "%s/%s", file, labs[found]->d_name) >= PATH_SIZE)
        found = -1;
    if (count >= 0)
        directory_free(labs, count);
    return found >= 0;
}

void exercise_free_sources(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

static void append_source(const char *directory, const char *name, char ***paths, size_t *count)
{
    size_t length = directory ? strlen(directory) : 0;
    const char *slash = length && directory[length - 1] != '/' ? "/" : "";
    allocate_room(paths, *count, sizeof **paths);
    (*paths)[(*count)++] = allocate_format("%s%s%s", directory ? directory : "", slash, name);
}

static bool list_lab(const char *directory, char ***paths, size_t *count, struct failure *failure)
{
    struct dirent **entries;
    int entry_count = directory_list(directory, is_source_entry, &entries);
    if (entry_count < 0)
        return failure_harness(failure, "cannot read directory %s: %s", directory, strerror(errno));
    struct conf conf;
    const bool good = manifest_read(directory, NULL, &conf, failure);
    char copy[EXERCISE_TEXT], *state = NULL;
    snprintf(copy, sizeof copy, "%s", value_of(&conf, "exercises"));
    for (char *word = strtok_r(copy, " ", &state); word && good;
         word = strtok_r(NULL, " ", &state)) {
        char file[128];
        snprintf(file, sizeof file, "%s.cu", word);
        for (int i = 0; i < entry_count; i++)
            if (!strcmp(entries[i]->d_name, file)) {
                append_source(directory, file, paths, count);
                entries[i]->d_name[0] = 0;
            }
    }
    for (int i = 0; i < entry_count && good; i++)
        if (entries[i]->d_name[0])
            append_source(directory, entries[i]->d_name, paths, count);
    conf_free(&conf);
    directory_free(entries, entry_count);
    if (good && !*count)
        return failure_harness(
            failure, "%s has no .cu file: name the directory of a lab, or a .cu file", directory);
    return good;
}

bool exercise_list_sources(const char *target, char ***paths, size_t *count,
                           struct failure *failure)
{
    *paths = NULL;
    *count = 0;
    struct stat status;
    bool good = true;
    char path[PATH_SIZE];
    if (!target_find(target, false, path, failure))
        return false;
    if (stat(path, &status))
        good = failure_harness(failure, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        good = list_lab(path, paths, count, failure);
    else if (!is_source(path_basename(path)))
        good = failure_harness(failure, "%s is neither a lab directory nor a .cu file", path);
    else
        append_source(NULL, path, paths, count);
    if (!good) {
        exercise_free_sources(*paths, *count);
        *paths = NULL;
        *count = 0;
    }
    return good;
}

bool exercise_visit_sources(const char *target,
                            bool (*visit)(void *context, const char *path, struct failure *failure),
                            void *context, struct failure *failure)
{
    char **paths;
    size_t count;
    if (!exercise_list_sources(target, &paths, &count, failure))
        return false;
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = visit(context, paths[i], failure);
    exercise_free_sources(paths, count);
    return good;
}
