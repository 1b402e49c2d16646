/* cage_include.c: see cage_include.h.
 *
 * Theory of operation. A directive is a `#` (or its digraph %: or trigraph) that stands first in
 * its line, as far as one can tell without knowing where comments and raw strings begin: what a
 * writer could hide from us by such means must not be hidden, while an innocent line that only
 * looks like a directive is rare. So a `#` counts when only blanks stand before it, or the end of a
 * comment. Line continuations are taken out first.
 */
#define _GNU_SOURCE
#include "cage/cage_include.h"
#include "base/whole_file.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the files ---- */

static bool source_read(const FTSENT *entry, size_t root_bytes, struct cage_sources *sources,
                        struct failure *failure)
{
    if (sources->count == CAGE_SOURCES_MAX)
        return failure_harness(failure, "%s: too many files", entry->fts_path);
    struct cage_source *source = &sources->items[sources->count++];
    source->name = strdup(entry->fts_path + root_bytes + 1);
    source->text =
        whole_file_read(entry->fts_accpath, CAGE_SOURCE_BYTES_MAX, &source->bytes, failure);
    return source->text != NULL &&
           (source->name != NULL || failure_harness(failure, "not enough memory"));
}

/* Regular files count; links are not followed. */
static bool entry_read(const FTSENT *entry, size_t root_bytes, struct cage_sources *sources,
                       struct failure *failure)
{
    switch (entry->fts_info) {
    case FTS_D:
        return entry->fts_level <= CAGE_SOURCES_DEPTH ||
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

bool cage_sources_read(const char *directory, struct cage_sources *sources, struct failure *failure)
{
    *sources = (struct cage_sources){.items = calloc(CAGE_SOURCES_MAX, sizeof *sources->items)};
    if (sources->items == NULL)
        return failure_harness(failure, "not enough memory");
    char *const roots[] = {(char *)directory, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    bool done =
        walk != NULL || failure_harness(failure, "cannot read %s: %s", directory, strerror(errno));
    for (const FTSENT *entry; done && (entry = fts_read(walk)) != NULL;)
        done = entry_read(entry, strlen(directory), sources, failure);
    if (walk != NULL)
        fts_close(walk);
    if (!done)
        cage_sources_free(sources);
    return done;
}

void cage_sources_free(struct cage_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        free(sources->items[i].name);
        free(sources->items[i].text);
    }
    free(sources->items);
    *sources = (struct cage_sources){0};
}

/* ---- directives ---- */

/* Room for a name that we care about; the rest of a longer one is cut. */
enum { OPERAND_SIZE = 512 };

struct directive {
    unsigned line;
    char form; /* '"', '<', or 0: a macro's name, or nothing */
    char operand[OPERAND_SIZE];
};

/* A text without line continuations, as it is read. */
struct reader {
    const char *at, *end;
    unsigned line;
    bool fresh; /* nothing but blanks since the line began, or a comment ended */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\0';
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* Pass over continuations: a backslash, blanks perhaps, and the end of the line. */
static void reader_join(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at == '\\') {
        const char *at = reader->at + 1;
        while (at < reader->end && is_blank(*at))
            at++;
        if (at == reader->end || !is_newline(*at))
            return;
        bool pair = *at == '\r' && at + 1 < reader->end && at[1] == '\n';
        reader->at = at + 1 + pair;
        reader->line++;
    }
}

/* The next character, -1 at the end. */
static int reader_peek(struct reader *reader)
{
    reader_join(reader);
    return reader->at < reader->end ? (unsigned char)*reader->at : -1;
}

static int reader_next(struct reader *reader)
{
    int c = reader_peek(reader);
    if (c < 0)
        return c;
    reader->at++;
    if (c == '\n' || (c == '\r' && (reader->at == reader->end || *reader->at != '\n')))
        reader->line++;
    return c;
}

/* Pass over a text if it is next. */
static bool reader_take(struct reader *reader, const char *text)
{
    struct reader before = *reader;
    for (; *text != '\0'; text++)
        if (reader_next(reader) != (unsigned char)*text) {
            *reader = before;
            return false;
        }
    return true;
}

/* Blanks and comments inside a directive. */
static void reader_skip(struct reader *reader)
{
    for (;;) {
        int c = reader_peek(reader);
        if (c >= 0 && is_blank((char)c)) {
            reader_next(reader);
        } else if (reader_take(reader, "/*")) {
            while (reader_peek(reader) >= 0 && !reader_take(reader, "*/"))
                reader_next(reader);
        } else {
            return;
        }
    }
}

static void reader_copy(struct reader *reader, int close, char text[OPERAND_SIZE])
{
    size_t count = 0;
    for (int c; (c = reader_peek(reader)) >= 0 && c != close && !is_newline((char)c);) {
        reader_next(reader);
        if (count + 1 < OPERAND_SIZE)
            text[count++] = c < ' ' || c == 0x7f ? '?' : (char)c;
    }
    text[count] = '\0';
}

/* Behind a `#`: is it a directive that reads a file, and which? */
static bool directive_read(struct reader *reader, struct directive *directive)
{
    char name[32];
    size_t count = 0;
    reader_skip(reader);
    directive->line = reader->line;
    for (int c; (c = reader_peek(reader)) >= 0 && (isalnum(c) || c == '_');) {
        reader_next(reader);
        if (count + 1 < sizeof name)
            name[count++] = (char)c;
    }
    name[count] = '\0';
    if (strstr(name, "include") == NULL && strstr(name, "import") == NULL &&
        strstr(name, "embed") == NULL)
        return false;
    reader_skip(reader);
    int open = reader_peek(reader);
    directive->form = open == '"' || open == '<' ? (char)open : 0;
    if (directive->form != 0)
        reader_next(reader);
    reader_copy(reader, open == '<' ? '>' : open == '"' ? '"' : -1, directive->operand);
    return true;
}

/* The next directive that reads a file; false: there is none. */
static bool directive_find(struct reader *reader, struct directive *directive)
{
    while (reader_peek(reader) >= 0) {
        if (reader_take(reader, "*/")) {
            reader->fresh = true;
            continue;
        }
        bool hash = reader->fresh && (reader_take(reader, "#") || reader_take(reader, "%:") ||
                                      reader_take(reader, "\?\?="));
        if (hash) {
            reader->fresh = false;
            if (directive_read(reader, directive))
                return true;
            continue;
        }
        int c = reader_next(reader);
        if (is_newline((char)c))
            reader->fresh = true;
        else if (!is_blank((char)c))
            reader->fresh = false;
    }
    return false;
}

/* ---- judging ---- */

static const struct cage_source *source_find(const struct cage_sources *sources, const char *name)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->items[i].name, name) == 0)
            return &sources->items[i];
    return NULL;
}

/* Cut the last component of `path`. False: there is none. */
static bool path_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (path[0] == '\0')
        return false;
    *(slash != NULL ? slash : path) = '\0';
    return true;
}

/* `operand` as seen from the directory of `includer`, without dots. False: it leads out of the
 * submission. */
static bool path_resolve(const char *includer, const char *operand, char path[2 * OPERAND_SIZE])
{
    char copy[OPERAND_SIZE], *rest = copy;
    snprintf(path, OPERAND_SIZE, "%s", includer);
    path_up(path);
    strcpy(copy, operand);
    for (char *part; (part = strsep(&rest, "/")) != NULL;) {
        size_t used = strlen(path);
        if (part[0] == '\0' || strcmp(part, ".") == 0)
            continue;
        if (strcmp(part, "..") != 0)
            snprintf(path + used, 2 * OPERAND_SIZE - used, "%s%s", used > 0 ? "/" : "", part);
        else if (!path_up(path))
            return false;
    }
    return true;
}

static bool has_dots(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
            return true;
    return false;
}

static bool directive_judge(const struct cage_sources *sources, const struct cage_source *source,
                            const struct directive *directive, struct failure *failure)
{
    const char *operand = directive->operand;
    char path[2 * OPERAND_SIZE];
    if (directive->form == 0)
        return failure_student(failure, STATUS_UNTRUSTED,
                               "%s(%u): includes a file by the name of a macro (%s), which grading "
                               "does not follow: write the name itself",
                               source->name, directive->line, operand);
    bool outside = operand[0] == '/' ||
                   (has_dots(operand) &&
                    (directive->form != '"' || !path_resolve(source->name, operand, path) ||
                     source_find(sources, path) == NULL));
    return !outside || failure_student(failure, STATUS_UNTRUSTED,
                                       "%s(%u): includes %s, which is no part of the submission",
                                       source->name, directive->line, operand);
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool source_check(const struct cage_sources *sources, size_t index, bool *visited,
                         struct failure *failure)
{
    const struct cage_source *source = &sources->items[index];
    struct reader reader = {
        .at = source->text, .end = source->text + source->bytes, .line = 1, .fresh = true};
    struct directive directive;
    visited[index] = true;
    if (source->bytes >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0)
        reader.at += 3;
    while (directive_find(&reader, &directive)) {
        if (!directive_judge(sources, source, &directive, failure))
            return false;
        /* Whichever directory the compiler finds it in. */
        const char *name = last_component(directive.operand);
        for (size_t i = 0; i < sources->count; i++)
            if (!visited[i] && strcmp(last_component(sources->items[i].name), name) == 0 &&
                !source_check(sources, i, visited, failure))
                return false;
    }
    return true;
}

bool cage_sources_check(const struct cage_sources *sources, const char *name,
                        struct failure *failure)
{
    bool visited[CAGE_SOURCES_MAX] = {false};
    const struct cage_source *source = source_find(sources, name);
    return source == NULL ||
           source_check(sources, (size_t)(source - sources->items), visited, failure);
}
