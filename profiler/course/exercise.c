#include "course/exercise.h"

#include "base/conf.h"
#include "base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const manifest_keys[] = {"title", "exercises",  "reference", "sizes",
                                            "tile",  "first_step", NULL};

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

/* Turn a manifest into the exercise it describes. */
static bool manifest_apply(const struct conf *conf, const char *lab, const char *name,
                           struct exercise *exercise, struct failure *failure)
{
    if (!conf_check_keys(conf, manifest_keys, failure))
        return false;
    const char *title = value_of(conf, "title"), *reference = value_of(conf, "reference");
    const char *sizes = value_of(conf, "sizes"), *tile = value_of(conf, "tile");
    const char *step = value_of(conf, "first_step");
    if (!title || !reference)
        return failure_harness(failure, "%s: `title` and `reference` are required", conf->path);
    int map = reference_find(reference);
    if (map < 0)
        return failure_harness(failure, "%s:%u: unknown reference `%s`", conf->path,
                               conf_find(conf, "reference")->line, reference);
    if (sizes && strcmp(sizes, "any") && strcmp(sizes, "tiles"))
        return failure_harness(failure, "%s:%u: sizes must be `any` or `tiles`, not `%s`",
                               conf->path, conf_find(conf, "sizes")->line, sizes);
    char *end = NULL;
    unsigned long width = tile ? strtoul(tile, &end, 10) : 32;
    if (tile && (*end || width < 1 || width > 1024))
        return failure_harness(failure, "%s:%u: tile must be a number from 1 to 1024", conf->path,
                               conf_find(conf, "tile")->line);
    snprintf(exercise->lab, sizeof exercise->lab, "%s", lab);
    snprintf(exercise->name, sizeof exercise->name, "%s", name);
    snprintf(exercise->title, sizeof exercise->title, "%s", title);
    snprintf(exercise->first_step, sizeof exercise->first_step, "%s", step ? step : "");
    exercise->reference = (enum reference)map;
    exercise->whole_tiles = sizes && !strcmp(sizes, "tiles");
    exercise->tile = (uint32_t)width;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory that `wanted` accepts, sorted. */
static bool list_directory(const char *directory, bool (*wanted)(const char *), char ***names,
                           size_t *count, struct failure *failure)
{
    *names = NULL;
    *count = 0;
    DIR *stream = opendir(directory);
    if (!stream)
        return failure_harness(failure, "cannot read directory %s: %s", directory, strerror(errno));
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(stream));) {
        if (!wanted(entry->d_name))
            continue;
        char **more = realloc(*names, (*count + 1) * sizeof **names);
        char *copy = strdup(entry->d_name);
        if (more)
            *names = more;
        if (!more || !copy) {
            free(copy);
            good = failure_harness(failure, "not enough memory to read %s", directory);
        } else {
            (*names)[(*count)++] = copy;
        }
    }
    closedir(stream);
    if (!good) {
        exercise_free_sources(*names, *count);
        *names = NULL;
        *count = 0;
    } else if (*count) {
        qsort(*names, *count, sizeof **names, by_name);
    }
    return good;
}

void exercise_free_sources(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

static bool is_visible(const char *name)
{
    return name[0] != '.';
}

static bool is_source(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && name[0] != '.' && !strcmp(name + length - 3, ".cu");
}

bool exercise_find(const char *root, const char *name, struct exercise *exercise,
                   struct failure *failure)
{
    char known[1024] = "";
    bool any = false;
    for (unsigned tree = 0; tree < 2 && !any; tree++) {
        char directory[PATH_SIZE];
        snprintf(directory, sizeof directory, "%s/%s", root, tree ? "solutions" : "labs");
        struct failure unreadable = {0};
        char **labs;
        size_t count;
        if (!list_directory(directory, is_visible, &labs, &count, &unreadable))
            continue;
        bool found = false, good = true;
        for (size_t i = 0; i < count && good && !found; i++) {
            char path[PATH_SIZE + 256];
            snprintf(path, sizeof path, "%s/%s/lab.conf", directory, labs[i]);
            struct stat status;
            if (stat(path, &status))
                continue;
            struct conf conf = {0};
            good = conf_read(path, &conf, failure);
            const char *names = good ? value_of(&conf, "exercises") : NULL;
            if (good && !names)
                good = failure_harness(failure, "%s: `exercises` is required", path);
            if (good) {
                any = true;
                size_t used = strlen(known);
                snprintf(known + used, sizeof known - used, "%s%s", used ? " " : "", names);
                found = word_in_list(names, name);
                if (found)
                    good = manifest_apply(&conf, labs[i], name, exercise, failure);
            }
            conf_free(&conf);
        }
        exercise_free_sources(labs, count);
        if (found || !good)
            return good;
    }
    if (!any)
        return failure_harness(failure, "%s holds no lab (no labs/*/lab.conf)", root);
    return failure_student(failure, STATUS_COMPILE_ERROR,
                           "LAB(%s) is no exercise of this course; there are: %s", name, known);
}

static bool append_source(const char *directory, const char *name, char ***paths, size_t *count,
                          struct failure *failure)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = malloc(size);
    char **more = path ? realloc(*paths, (*count + 1) * sizeof **paths) : NULL;
    if (!more) {
        free(path);
        return failure_harness(failure, "not enough memory to list %s", directory);
    }
    size_t length = strlen(directory);
    bool slash = length && directory[length - 1] == '/';
    snprintf(path, size, "%s%s%s", directory, slash ? "" : "/", name);
    *paths = more;
    (*paths)[(*count)++] = path;
    return true;
}

/* The manifest's order first, so that copy comes before copy_shared whatever the names are. */
static bool list_lab(const char *directory, char ***paths, size_t *count, struct failure *failure)
{
    char **names;
    size_t name_count;
    if (!list_directory(directory, is_source, &names, &name_count, failure))
        return false;
    bool good = true;
    char manifest[PATH_SIZE];
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
        for (size_t i = 0; i < name_count && good; i++)
            if (names[i][0] && !strcmp(names[i], file)) {
                good = append_source(directory, names[i], paths, count, failure);
                names[i][0] = 0;
            }
    }
    for (size_t i = 0; i < name_count && good; i++)
        if (names[i][0])
            good = append_source(directory, names[i], paths, count, failure);
    conf_free(&conf);
    exercise_free_sources(names, name_count);
    if (good && !*count)
        return failure_harness(failure, "%s holds no .cu file", directory);
    return good;
}

bool exercise_list_sources(const char *target, char ***paths, size_t *count,
                           struct failure *failure)
{
    *paths = NULL;
    *count = 0;
    struct stat status;
    bool good;
    if (stat(target, &status))
        good = failure_harness(failure, "%s: %s", target, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        good = list_lab(target, paths, count, failure);
    else if (!is_source(path_basename(target)))
        good = failure_harness(failure, "%s is neither a lab directory nor a .cu file", target);
    else {
        *paths = calloc(1, sizeof **paths);
        char *copy = strdup(target);
        good = *paths && copy;
        if (good) {
            (*paths)[(*count)++] = copy;
        } else {
            free(copy);
            failure_harness(failure, "not enough memory");
        }
    }
    if (!good) {
        exercise_free_sources(*paths, *count);
        *paths = NULL;
        *count = 0;
    }
    return good;
}
