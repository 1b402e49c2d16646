#include "sandbox/sandbox_include.h"
#include "base/paths.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "process/allocate.h"
#include "text/includes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 512, SOURCE_BYTES_MAX = 16 << 20 };

struct search {
    enum include_search kind;
    char **visited;
    size_t count;
    struct failure *failure;
};

static bool has_dots(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
            return true;
    return false;
}

static bool include_judge(const struct search *search, const char *name,
                          const struct include *include, const char *operand)
{
    char path[PATH_SIZE];
    if (search->kind == INCLUDE_AFTER_SUCCESS && (operand[0] != '/' || access(operand, F_OK) != 0))
        return true;
    if (include->form == 0)
        return search->kind != INCLUDE_STRICT ||
               failure_student(search->failure, STATUS_UNTRUSTED,
                               "%s(%u): #include %s: grading supports only the name of a file, in "
                               "quotation marks or between < and >",
                               name, include->line, operand);
    bool outside = operand[0] == '/' ||
                   (has_dots(operand) &&
                    (include->form != '"' || !path_from_file(name, operand, path, sizeof path) ||
                     access(path, F_OK) != 0));
    return !outside || failure_student(search->failure, STATUS_UNTRUSTED,
                                       "%s(%u): the included file %s is not part of the submission",
                                       name, include->line, operand);
}

static bool file_check(struct search *search, const char *name)
{
    struct failure unread = {0};
    struct include include;
    char operand[NAME_SIZE], path[PATH_SIZE];
    size_t bytes;
    for (size_t i = 0; i < search->count; i++)
        if (strcmp(search->visited[i], name) == 0)
            return true;
    allocate_room(&search->visited, search->count, sizeof *search->visited);
    search->visited[search->count++] = allocate_checked(strdup(name));
    char *text = whole_file_read(name, SOURCE_BYTES_MAX, &bytes, &unread);
    struct tokens tokens = tokens_of(text, text != NULL ? bytes : 0);
    bool (*next)(struct tokens *, struct include *) =
        search->kind == INCLUDE_STRICT ? includes_next_possible : includes_next;
    bool good = true;
    while (good && next(&tokens, &include)) {
        text_defuse(token_copy(include.operand, operand, sizeof operand), "");
        good = include_judge(search, name, &include, operand) &&
               (!path_from_file(name, operand, path, sizeof path) || file_check(search, path)) &&
               (!path_from_file("", operand, path, sizeof path) || file_check(search, path));
    }
    free(text);
    return good;
}

bool sandbox_includes_check(const char *name, enum include_search kind, struct failure *failure)
{
    struct search search = {.kind = kind, .failure = failure};
    bool good = file_check(&search, name);
    for (size_t i = 0; i < search.count; i++)
        free(search.visited[i]);
    free(search.visited);
    return good;
}
