/* sandbox_include.c: see sandbox_include.h. */
#define _GNU_SOURCE
#include "sandbox/sandbox_include.h"
#include "base/paths.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "process/allocate.h"
#include "text/code_text.h"
#include "text/includes.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

/* Space for a relevant name; a longer name is truncated. */
enum { OPERAND_SIZE = 512 };

/* ---- the files ---- */

static bool source_read(const FTSENT *entry, size_t root_bytes, struct sandbox_sources *sources,
                        struct failure *failure)
{
    if (sources->count == SANDBOX_SOURCES_MAX)
        return failure_harness(failure, "%s: too many files", entry->fts_path);
    struct sandbox_source *source = &sources->items[sources->count++];
    source->name = allocate_checked(strdup(entry->fts_path + root_bytes + 1));
    source->text =
        whole_file_read(entry->fts_accpath, SANDBOX_SOURCE_BYTES_MAX, &source->bytes, failure);
    return source->text != NULL;
}

/* Only regular files count; links are not followed. */
static bool entry_read(const FTSENT *entry, size_t root_bytes, struct sandbox_sources *sources,
                       struct failure *failure)
{
    switch (entry->fts_info) {
    case FTS_D:
        return entry->fts_level <= SANDBOX_SOURCES_DEPTH ||
               failure_harness(failure, "%s: too deep", entry->fts_path);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return failure_harness(failure, "cannot read %s: %s", entry->fts_path,
                               strerror(entry->fts_errno));
    case FTS_F:
        return source_read(entry, root_bytes, sources, failure);
    default:
        return true;
    }
}

bool sandbox_sources_read(const char *directory, struct sandbox_sources *sources,
                          struct failure *failure)
{
    *sources = (struct sandbox_sources){
        .items = allocate_checked(calloc(SANDBOX_SOURCES_MAX, sizeof *sources->items))};
    char *const roots[] = {(char *)directory, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    bool done =
        walk != NULL || failure_harness(failure, "cannot read %s: %s", directory, strerror(errno));
    for (const FTSENT *entry; done && (entry = fts_read(walk)) != NULL;)
        done = entry_read(entry, strlen(directory), sources, failure);
    if (walk != NULL)
        fts_close(walk);
    if (!done)
        sandbox_sources_free(sources);
    return done;
}

void sandbox_sources_free(struct sandbox_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        free(sources->items[i].name);
        free(sources->items[i].text);
    }
    free(sources->items);
    *sources = (struct sandbox_sources){0};
}

/* ---- judging ---- */

static const struct sandbox_source *source_find(const struct sandbox_sources *sources,
                                                const char *name)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->items[i].name, name) == 0)
            return &sources->items[i];
    return NULL;
}

static bool has_dots(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
            return true;
    return false;
}

/* True if the operand, which has no quotation marks, may be a macro of the submission. Otherwise it
 * is a mistake. (Both are rejected.) */
static bool is_macro(const struct sandbox_sources *sources, const char *operand)
{
    char name[OPERAND_SIZE];
    struct tokens words = tokens_of(operand, strlen(operand));
    token_copy(tokens_next(&words), name, sizeof name);
    for (size_t i = 0; i < sources->count; i++) {
        struct tokens tokens = tokens_of(sources->items[i].text, sources->items[i].bytes);
        for (struct token token; (token = tokens_next_code(&tokens)).kind;)
            if (token_is(token, "define") && token_is(tokens_peek_code(&tokens), name))
                return true;
    }
    return false;
}

static bool include_judge(const struct sandbox_sources *sources,
                          const struct sandbox_source *source, const struct include *include,
                          const char *operand, struct failure *failure)
{
    char path[2 * OPERAND_SIZE];
    if (include->form == 0 && !is_macro(sources, operand))
        return failure_student(
            failure, STATUS_COMPILE_ERROR,
            "%s(%u): #include %s: the file's name must stand in quotation marks, "
            "or between < and >",
            source->name, include->line, operand);
    if (include->form == 0)
        return failure_student(failure, STATUS_UNTRUSTED,
                               "%s(%u): includes a file by a macro (%s), which grading does not "
                               "support: write the file name itself",
                               source->name, include->line, operand);
    bool outside =
        operand[0] == '/' ||
        (has_dots(operand) &&
         (include->form != '"' || !path_from_file(source->name, operand, path, sizeof path) ||
          source_find(sources, path) == NULL));
    return !outside || failure_student(failure, STATUS_UNTRUSTED,
                                       "%s(%u): includes %s, which is not part of the submission",
                                       source->name, include->line, operand);
}

static bool source_check(const struct sandbox_sources *sources, size_t index, bool *visited,
                         struct failure *failure)
{
    const struct sandbox_source *source = &sources->items[index];
    struct include include;
    char operand[OPERAND_SIZE];
    size_t bytes = source->bytes;
    char *text = allocate_checked(code_replace(source->text, &bytes, 0, 0, ""));
    visited[index] = true;
    includes_blank_unread(text, bytes);
    struct tokens tokens = tokens_of(text, bytes);
    bool good = true;
    while (good && includes_next_possible(&tokens, &include)) {
        text_defuse(token_copy(include.operand, operand, sizeof operand), "");
        good = include_judge(sources, source, &include, operand, failure);
        /* In any directory in which the compiler may find it. */
        const char *name = path_basename(operand);
        for (size_t i = 0; good && i < sources->count; i++)
            if (!visited[i] && strcmp(path_basename(sources->items[i].name), name) == 0)
                good = source_check(sources, i, visited, failure);
    }
    free(text);
    return good;
}

bool sandbox_sources_check(const struct sandbox_sources *sources, const char *name,
                           struct failure *failure)
{
    bool visited[SANDBOX_SOURCES_MAX] = {false};
    const struct sandbox_source *source = source_find(sources, name);
    return source == NULL ||
           source_check(sources, (size_t)(source - sources->items), visited, failure);
}
