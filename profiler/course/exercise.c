/* exercise.c: see exercise.h. */
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
    return entry ? entry->value : NULL;
}

static bool fail_at(const struct conf *conf, const char *key, const char *what,
                    struct failure *failure)
{
    return failure_harness(failure, "%s:%u: %s", conf->path, conf_find(conf, key)->line, what);
}

/* Set the reference and the form of the kernel: transpose(odata, idata, width, height) for a map of
 * the matrix, the manifest's form for a function. */
static bool manifest_apply_reference(const struct conf *conf, struct exercise *exercise,
                                     struct failure *failure)
{
    const char *reference = value_of(conf, "reference"), *kernel = value_of(conf, "kernel");
    const char *parameters = value_of(conf, "parameters");
    char text[FAILURE_TEXT_SIZE];
    struct failure wrong = {0};
    int map = reference_find(reference);
    exercise->function = map < 0 ? function_find(reference) : -1;
    exercise->reference = map < 0 ? REFERENCE_COPY : (enum reference)map;
    if (map < 0 && exercise->function < 0) {
        snprintf(text, sizeof text, "unknown reference `%s`%s", reference,
                 value_of(conf, "expression") ? ": run `make skeletons`, then `make`" : "");
        return fail_at(conf, "reference", text, failure);
    }
    if (map >= 0 && (kernel || parameters))
        return fail_at(conf, kernel ? "kernel" : "parameters",
                       "an exercise whose reference is a map of the matrix has the kernel "
                       "transpose(odata, idata, width, height)",
                       failure);
    if (map < 0 && (!kernel || !parameters))
        return fail_at(conf, "reference",
                       "an exercise with a reference of its own needs `kernel` and `parameters`",
                       failure);
    if (map >= 0)
        return form_parse("transpose",
                          references[map].keeps_shape
                              ? "out float odata[height][width], in float idata[height][width], "
                                "width, height"
                              : "out float odata[width][height], in float idata[height][width], "
                                "width, height",
                          &exercise->form, failure);
    return form_parse(kernel, parameters, &exercise->form, &wrong) ||
           fail_at(conf, "parameters", wrong.text, failure);
}

/* Read a key's number from 1 to `most`; `normal` if there is none. */
static bool read_number(const struct conf *conf, const char *key, uint64_t normal, uint64_t most,
                        uint64_t *number, struct failure *failure)
{
    const char *value = value_of(conf, key);
    char *end = NULL;
    *number = value ? strtoul(value, &end, 10) : normal;
    return !value || (!*end && *number >= 1 && *number <= most) ||
           failure_harness(failure, "%s:%u: %s must be a number from 1 to %" PRIu64, conf->path,
                           conf_find(conf, key)->line, key, most);
}

/* Fill an exercise from its manifest. */
static bool manifest_apply(const struct conf *conf, const char *lab, const char *name,
                           struct exercise *exercise, struct failure *failure)
{
    if (!conf_check_keys(conf, manifest_keys, failure))
        return false;
    const char *title = value_of(conf, "title"), *reference = value_of(conf, "reference");
    const char *sizes = value_of(conf, "sizes");
    const char *step = value_of(conf, "first_step");
    if (!title || !reference)
        return failure_harness(failure, "%s: `title` and `reference` are required", conf->path);
    if (sizes && strcmp(sizes, "any") && strcmp(sizes, "tiles") && strcmp(sizes, "line") &&
        strcmp(sizes, "square"))
        return failure_harness(failure,
                               "%s:%u: sizes must be `any`, `tiles`, `line` or `square`, not `%s`",
                               conf->path, conf_find(conf, "sizes")->line, sizes);
    uint64_t width, matrices, side;
    if (!read_number(conf, "tile", 32, 1024, &width, failure) ||
        !read_number(conf, "rows", 0, INT32_MAX, &side, failure) ||
        !read_number(conf, "cols", 0, INT32_MAX, &side, failure) ||
        !read_number(conf, "matrices", 1, EXERCISE_MATRICES_MAX, &matrices, failure))
        return false;
    snprintf(exercise->lab, sizeof exercise->lab, "%.*s", (int)sizeof exercise->lab - 1, lab);
    snprintf(exercise->name, sizeof exercise->name, "%s", name);
    snprintf(exercise->title, sizeof exercise->title, "%s", title);
    snprintf(exercise->first_step, sizeof exercise->first_step, "%s", step ? step : "");
    exercise->whole_tiles = sizes && !strcmp(sizes, "tiles");
    exercise->one_row = sizes && !strcmp(sizes, "line");
    exercise->square = sizes && !strcmp(sizes, "square");
    exercise->tile = (uint32_t)width;
    if (!manifest_apply_reference(conf, exercise, failure))
        return false;
    exercise->form.matrices = matrices;
    if (form_is_batch(&exercise->form) != !!conf_find(conf, "matrices"))
        return fail_at(conf, conf_find(conf, "matrices") ? "matrices" : "parameters",
                       "`matrices` is required if arrays have that size, and not allowed otherwise",
                       failure);
    return !exercise->one_row || exercise->function >= 0 ||
           fail_at(conf, "sizes", "a map of the matrix requires rows and columns: `any` or `tiles`",
                   failure);
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
    size_t length = strlen(name);
    return length > 3 && name[0] != '.' && !strcmp(name + length - 3, ".cu");
}

static int is_source_entry(const struct dirent *entry)
{
    return is_source(entry->d_name);
}

/* ---- Finding an exercise ---- */

struct search {
    const char *name;
    struct exercise *exercise;
    bool any, found;  /* A manifest was found; the name was found in it. */
    char known[1024]; /* All names, for the message. */
};

/* Search a lab's manifest, if it has one. False: the manifest is invalid. */
static bool search_lab(struct search *search, const char *directory, const char *lab,
                       struct failure *failure)
{
    char path[PATH_SIZE + NAME_MAX + sizeof "//lab.conf"];
    struct stat status;
    struct conf conf = {0};
    snprintf(path, sizeof path, "%s/%s/lab.conf", directory, lab);
    if (stat(path, &status))
        return true;
    bool good = conf_read(path, &conf, failure);
    const char *names = good ? value_of(&conf, "exercises") : NULL;
    if (good && !names)
        good = failure_harness(failure, "%s: `exercises` is required", path);
    if (good) {
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

/* Write "; did you mean LAB(padded)?" for a similar known name, or "". */
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
                           "LAB(%s) is not an exercise of this course; there are: %s%s", name,
                           search.known, name_advice(search.known, name, advice));
}

/* ---- The lab of a file ---- */

/* Read the manifest of the lab whose directory contains a file. False: there is none, or it is
 * invalid. */
static bool place_find(const char *root, const char *path, struct conf *conf,
                       char lab[NAME_MAX + 1], struct failure *failure)
{
    char directory[PATH_MAX], file[PATH_MAX], manifest[3][2 * PATH_MAX];
    struct stat status;
    if (!realpath(path, file))
        return false;
    snprintf(directory, sizeof directory, "%.*s", (int)(path_basename(file) - file - 1), file);
    snprintf(lab, NAME_MAX + 1, "%.*s", NAME_MAX, path_basename(directory));
    snprintf(manifest[0], sizeof manifest[0], "%s/lab.conf", directory);
    snprintf(manifest[1], sizeof manifest[1], "%s/labs/%s/lab.conf", root, lab);
    snprintf(manifest[2], sizeof manifest[2], "%s/solutions/%s/lab.conf", root, lab);
    for (int i = 0; i < 3; i++)
        if (!stat(manifest[i], &status))
            return conf_read(manifest[i], conf, failure);
    return false;
}

bool exercise_check_place(const char *root, const char *path, const char *name,
                          struct failure *failure)
{
    char lab[NAME_MAX + 1], stem[NAME_MAX + 1];
    struct conf conf = {0};
    if (!place_find(root, path, &conf, lab, failure))
        return failure->kind == FAILURE_NONE;
    const char *names = value_of(&conf, "exercises");
    snprintf(stem, sizeof stem, "%s", path_basename(path));
    stem[strcspn(stem, ".")] = 0;
    const char *required = !names                      ? NULL
                           : word_in_list(names, stem) ? stem
                           : strchr(names, ' ')        ? NULL
                                                       : names;
    bool good = !names || (required ? !strcmp(name, required) : word_in_list(names, name));
    const char *remedy = required ? required : names;
    if (!good && !*name)
        failure_student(failure, STATUS_COMPILE_ERROR,
                        "%s names no exercise: write LAB(%s); below #include \"lab.h\"%s", path,
                        remedy, required ? "" : " (one of these)");
    else if (!good)
        failure_student(
            failure, STATUS_COMPILE_ERROR,
            "%s: LAB(%s) is the wrong exercise for this file of lab %s: write LAB(%s)%s", path,
            name, lab, remedy, required ? "" : " (one of these)");
    conf_free(&conf);
    return good;
}

bool exercise_find_usual_run(const char *path, struct usual_run *usual, struct failure *failure)
{
    char root[PATH_SIZE], lab[NAME_MAX + 1];
    struct conf conf = {0};
    *usual = (struct usual_run){.rows = 0};
    if (!paths_root(root, failure) || !place_find(root, path, &conf, lab, failure))
        return failure->kind == FAILURE_NONE;
    const char *device = value_of(&conf, "device");
    snprintf(usual->device, sizeof usual->device, "%s", device ? device : "");
    const bool good = read_number(&conf, "rows", 0, INT32_MAX, &usual->rows, failure) &&
                      read_number(&conf, "cols", usual->rows, INT32_MAX, &usual->cols, failure);
    conf_free(&conf);
    return good;
}

/* Read the course of a lab, "" for the transposes. False: there is no manifest. */
static bool course_of(const char *parent, const char *lab, char course[EXERCISE_TEXT])
{
    char path[PATH_SIZE + NAME_MAX + sizeof "//lab.conf"];
    struct failure unreadable = {0};
    struct stat status;
    struct conf conf = {0};
    snprintf(path, sizeof path, "%s/%s/lab.conf", parent, lab);
    if (stat(path, &status) || !conf_read(path, &conf, &unreadable))
        return false;
    const char *value = value_of(&conf, "course");
    snprintf(course, EXERCISE_TEXT, "%s", value ? value : "");
    conf_free(&conf);
    return true;
}

bool exercise_find_before(const char *path, const char *name, char directory[PATH_SIZE])
{
    char file[PATH_MAX], lab[NAME_MAX + 1], course[EXERCISE_TEXT], other[EXERCISE_TEXT];
    struct dirent **labs;
    if (!realpath(path, file))
        return false;
    for (int i = 0; i < 2; i++) { /* First the file's directory, then its parent. */
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

/* ---- The sources of a lab ---- */

void exercise_free_sources(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

/* Add DIRECTORY/NAME, or NAME if `directory` is NULL. */
static void append_source(const char *directory, const char *name, char ***paths, size_t *count)
{
    size_t length = directory ? strlen(directory) : 0;
    const char *slash = length && directory[length - 1] != '/' ? "/" : "";
    allocate_room(paths, *count, sizeof **paths);
    (*paths)[(*count)++] = allocate_format("%s%s%s", directory ? directory : "", slash, name);
}

/* List the sources in the manifest's order, then the others. */
static bool list_lab(const char *directory, char ***paths, size_t *count, struct failure *failure)
{
    struct dirent **entries;
    int entry_count = directory_list(directory, is_source_entry, &entries);
    bool good = true;
    if (entry_count < 0)
        return failure_harness(failure, "cannot read directory %s: %s", directory, strerror(errno));
    char manifest[PATH_SIZE + sizeof "/lab.conf"];
    struct conf conf = {0};
    struct stat status;
    snprintf(manifest, sizeof manifest, "%s/lab.conf", directory);
    if (!stat(manifest, &status))
        good = conf_read(manifest, &conf, failure);
    const char *order = good ? value_of(&conf, "exercises") : NULL;
    char copy[EXERCISE_TEXT];
    snprintf(copy, sizeof copy, "%s", order ? order : "");
    char *state = NULL;
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
    if (!target_find(target, path, failure))
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
