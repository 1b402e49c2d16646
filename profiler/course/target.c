#define _GNU_SOURCE
#include "course/target.h"

#include "base/wording.h"
#include "text/spelling.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct labs {
    const char *directory;
    struct dirent **entries;
    size_t count;
};

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int directory_list(const char *directory, int (*filter)(const struct dirent *),
                   struct dirent ***entries)
{
    return scandir(directory, entries, filter ? filter : is_visible, by_name);
}

void directory_free(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

bool target_manifest(const char *directory, const char *lab, char path[PATH_SIZE])
{
    struct stat status;
    return snprintf(path, PATH_SIZE, "%s%s%s/lab.conf", directory, lab ? "/" : "", lab ? lab : "") <
               PATH_SIZE &&
           !stat(path, &status);
}

static void labs_list(struct labs *labs)
{
    char manifest[PATH_SIZE];
    int found = directory_list(labs->directory, NULL, &labs->entries);
    for (int i = 0; i < found; i++)
        if (target_manifest(labs->directory, labs->entries[i]->d_name, manifest))
            labs->entries[labs->count++] = labs->entries[i];
        else
            free(labs->entries[i]);
}

static const char *without_number(const char *lab)
{
    const char *at = lab;
    while (isdigit((unsigned char)*at))
        at++;
    return at > lab && *at == '_' ? at + 1 : lab;
}

static bool is_number(const char *word, const char *lab)
{
    char *end;
    if (!strncasecmp(word, "lab", 3)) /* such as "lab01" */
        word += 3;
    unsigned long number = strtoul(word, &end, 10);
    return isdigit((unsigned char)*word) && !*end && isdigit((unsigned char)*lab) &&
           strtoul(lab, NULL, 10) == number;
}

enum way { BY_NUMBER, BY_NAME, BY_PREFIX, BY_PREFIX_OF_NAME, WAYS };

static bool is_named(enum way way, const char *word, const char *lab)
{
    const char *name = without_number(lab);
    return way == BY_NUMBER   ? is_number(word, lab)
           : way == BY_NAME   ? !strcmp(word, name)
           : way == BY_PREFIX ? !strncmp(word, lab, strlen(word))
                              : !strncmp(word, name, strlen(word));
}

static bool fail_several(const char *target, const struct labs *labs, enum way way,
                         const char *word, struct failure *failure)
{
    char list[512] = "";
    for (size_t i = 0; i < labs->count; i++)
        if (is_named(way, word, labs->entries[i]->d_name))
            APPEND(list, "%s%s", *list ? ", " : "", labs->entries[i]->d_name);
    return failure_harness(failure, "`%.200s` matches several labs: %s", target, list);
}

static bool labs_find(const struct labs *labs, const char *target, const char *word,
                      char path[PATH_SIZE], struct failure *failure)
{
    size_t count = 0, last = 0;
    enum way way = 0;
    for (; *word && !count && way < WAYS; way++)
        for (size_t i = 0; i < labs->count; i++)
            if (is_named(way, word, labs->entries[i]->d_name))
                count++, last = i;
    const bool here = !strcmp(labs->directory, ".");
    bool good = count == 1 && snprintf(path, PATH_SIZE, "%s%s%s", here ? "" : labs->directory,
                                       here ? "" : "/", labs->entries[last]->d_name) < PATH_SIZE;
    if (count > 1)
        fail_several(target, labs, way - 1, word, failure);
    return good;
}

static bool fail_unknown(const struct labs *labs, const char *target, const char *word,
                         bool only_here, struct failure *failure)
{
    char advice[SPELLING_ADVICE] = "";
    const char **names = calloc(2 * labs->count + 1, sizeof *names);
    for (size_t i = 0; names && i < labs->count; i++) {
        names[2 * i] = labs->entries[i]->d_name;
        names[2 * i + 1] = without_number(labs->entries[i]->d_name);
    }
    if (names)
        spelling_advise(word, "", names, 2 * labs->count, advice);
    free(names);
    return failure_harness(failure, "%.1000s: %s%s", target, strerror(ENOENT),
                           *advice       ? advice
                           : only_here   ? "; no lab of that name is in this directory"
                           : labs->count ? "; `tlab status` lists the labs"
                                         : "");
}

bool target_find(const char *target, bool only_here, char path[PATH_SIZE], struct failure *failure)
{
    struct stat status;
    struct failure none = {0};
    char text[PATH_SIZE], installed[PATH_SIZE];
    if ((size_t)snprintf(text, sizeof text, "%s", target) >= sizeof text)
        return failure_harness(failure, "%.100s...: %s", target, strerror(ENAMETOOLONG));
    if (!stat(target, &status)) {
        memcpy(path, text, sizeof text);
        return true;
    }
    if (errno != ENOENT && errno != ENOTDIR)
        return failure_harness(failure, "%s: %s", target, strerror(errno));
    for (size_t length = strlen(text); length > 1 && text[length - 1] == '/';)
        text[--length] = 0;
    char *slash = strrchr(text, '/');
    const char *word = slash ? slash + 1 : text, *places[] = {"labs", ".", installed};
    const size_t count = slash ? 1 : only_here || !paths_in_root("labs", installed, &none) ? 2 : 3;
    if (slash) {
        places[0] = slash == text ? "/" : text;
        *slash = 0;
    }
    bool good = false;
    for (size_t i = 0; i < count && !good && failure->kind == FAILURE_NONE; i++) {
        struct labs labs = {.directory = places[i]};
        labs_list(&labs);
        good = labs_find(&labs, target, word, path, failure);
        if (!good && failure->kind == FAILURE_NONE && i + 1 == count)
            fail_unknown(&labs, target, word, only_here, failure);
        directory_free(labs.entries, (int)labs.count);
    }
    return good;
}
