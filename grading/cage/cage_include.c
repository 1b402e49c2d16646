/* cage_include.c: see cage_include.h.
 *
 * Theory of operation. A directive is a `#` (or its digraph %: or trigraph) that stands first in
 * its line, as far as one can tell without knowing where comments and raw strings begin: what a
 * writer could hide from us by such means must not be hidden. So a `#` counts when only blanks
 * stand before it, or the end of a comment. Line continuations are taken out first.
 *
 * Then comments, raw strings and what stands between #if 0 and its #endif are taken from these, but
 * only where every compiler reads them alike: a second reader finds them by the rules of the
 * standard, and hides nothing in a text in which compilers are known to differ, or might
 * (hidden_find).
 */
#define _GNU_SOURCE
#include "cage/cage_include.h"
#include "base/paths.h"
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

/* Comments and the like of one file; what comes behind so many is not hidden. */
enum { CAGE_HIDDEN_MAX = 4096 };

/* A text without line continuations, as it is read. */
struct reader {
    const char *at, *end;
    unsigned line;
    bool fresh; /* nothing but blanks since the line began, or a comment ended */
};

struct directive {
    unsigned line;
    struct reader behind; /* its `#` */
    char form;            /* '"', '<', or 0: a macro's name, or nothing */
    char operand[OPERAND_SIZE];
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
            directive->behind = *reader;
            if (directive_read(reader, directive))
                return true;
            continue;
        }
        int c = reader_next(reader);
        if (is_newline((char)c))
            reader->fresh = true;
        else if (!is_blank((char)c) && c < 0x80) /* some compilers know blanks of Unicode */
            reader->fresh = false;
    }
    return false;
}

/* ---- what no compiler reads ---- */

/* Places in a text that are no code, in order. */
struct hidden {
    struct {
        size_t from, to;
    } places[CAGE_HIDDEN_MAX];
    size_t count;
};

static bool hidden_holds(const struct hidden *hidden, size_t offset)
{
    for (size_t i = 0; i < hidden->count; i++)
        if (offset >= hidden->places[i].from && offset < hidden->places[i].to)
            return true;
    return false;
}

static bool hidden_add(struct hidden *hidden, size_t from, size_t to)
{
    if (hidden->count == CAGE_HIDDEN_MAX)
        return false;
    hidden->places[hidden->count].from = from;
    hidden->places[hidden->count++].to = to;
    return true;
}

/* A text as the standard reads it (C++17, 5.2): bytes, not lines joined. */
struct lexer {
    const char *text, *at, *end;
    struct hidden *hidden;
    bool directive;   /* in the line of one */
    bool known;       /* in which comments and strings are as in code */
    bool angle;       /* in it, behind a "<" that may begin a file's name */
    bool blank;       /* nothing but blanks and comments since the line began */
    unsigned depth;   /* of #if within the group that is left out */
    const char *skip; /* where that began, or NULL */
};

/* Do compilers differ in how they read such a text? Ends of lines that are none to some, trigraphs,
 * blanks behind a backslash, NULs, and blanks that only Unicode knows. */
static bool text_is_doubtful(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i], next = i + 1 < bytes ? text[i + 1] : 0;
        if (c == 0 || (c == '\r' && next != '\n') || (c == '?' && next == '?') || c == '\f' ||
            c == '\v' || (c == '\\' && (next == ' ' || next == '\t')))
            return true;
    }
    return false;
}

static bool lexer_is(const struct lexer *lexer, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, text, length) == 0;
}

/* The length of a backslash with its end of line; 0: there is none. */
static size_t lexer_joint(const struct lexer *lexer)
{
    return lexer_is(lexer, "\\\n") ? 2 : lexer_is(lexer, "\\\r\n") ? 3 : 0;
}

/* Behind the end of the comment that begins here. False: it is not ended, or compilers may read
 * it otherwise: its marks are split, it stands where a file's name or free text may, or a `#`
 * behind it begins a line for who forgets what stands before it. */
static bool lexer_comment(struct lexer *lexer)
{
    const char *begin = lexer->at;
    bool block = begin[1] == '*', lines = false;
    if (lexer->directive && (!lexer->known || lexer->angle))
        return false;
    lexer->at += 2;
    while (lexer->at < lexer->end && (block ? !lexer_is(lexer, "*/") : *lexer->at != '\n')) {
        size_t joint = lexer_joint(lexer);
        if (block && joint > 0 && lexer->at[-1] == '*')
            return false;
        lines |= *lexer->at == '\n';
        lexer->at += joint > 0 ? joint : 1;
    }
    if (lexer->at >= lexer->end && block)
        return false;
    if (lexer->at > lexer->end)
        lexer->at = lexer->end;
    lexer->at += block ? 2 : 0;
    if (lines && !lexer->blank) {
        const char *next = lexer->at;
        while (next < lexer->end && (*next == ' ' || *next == '\t'))
            next++;
        if (next < lexer->end && strchr("#%/\\", *next) != NULL)
            return false;
    }
    return hidden_add(lexer->hidden, (size_t)(begin - lexer->text),
                      (size_t)(lexer->at - lexer->text));
}

/* Behind the string or character that begins here. False: it does not end in its line, or it may be
 * a file's name, in which a backslash is none. */
static bool lexer_string(struct lexer *lexer)
{
    char quote = *lexer->at++;
    if (lexer->directive && (!lexer->known || lexer->angle))
        return false;
    while (lexer->at < lexer->end && *lexer->at != quote) {
        size_t joint = lexer_joint(lexer);
        if (*lexer->at == '\n' || (lexer->directive && *lexer->at == '\\'))
            return false;
        lexer->at += joint > 0 ? joint : *lexer->at == '\\' ? 2 : 1;
    }
    if (lexer->at >= lexer->end)
        return false;
    lexer->at++;
    return true;
}

/* Behind the raw string whose quotation mark is here. False: in a directive, or in what is left
 * out, where compilers differ; or it has no end. */
static bool lexer_raw_string(struct lexer *lexer)
{
    const char *begin = lexer->at, *open = memchr(begin, '(', (size_t)(lexer->end - begin));
    char close[24];
    if (lexer->directive || lexer->skip != NULL || open == NULL || open - begin > 17)
        return false;
    int length = snprintf(close, sizeof close, ")%.*s\"", (int)(open - begin - 1), begin + 1);
    const char *end = memmem(open, (size_t)(lexer->end - open), close, (size_t)length);
    if (end == NULL || strpbrk(close, " \\\t\n") != NULL)
        return false;
    lexer->at = end + length;
    return hidden_add(lexer->hidden, (size_t)(begin - lexer->text),
                      (size_t)(lexer->at - lexer->text));
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind a number (C++17, 5.9), which may hold quotation marks: 1'000. */
static bool lexer_number(struct lexer *lexer)
{
    for (char last = '0'; lexer->at < lexer->end; last = *lexer->at++) {
        char c = *lexer->at, next = lexer->at + 1 < lexer->end ? lexer->at[1] : 0;
        bool sign = (c == '+' || c == '-') && strchr("eEpP", last) != NULL;
        if (c == '\'' && (lexer->directive || lexer->skip != NULL))
            return false;
        if (!is_word(c) && c != '.' && !sign && !(c == '\'' && is_word(next)))
            break;
    }
    return lexer_joint(lexer) == 0;
}

/* Behind a name, or the raw string that it begins. False: it goes on in the next line. */
static bool lexer_word(struct lexer *lexer)
{
    static const char *const prefixes[] = {"R", "u8R", "uR", "UR", "LR"};
    const char *begin = lexer->at;
    while (lexer->at < lexer->end && is_word(*lexer->at))
        lexer->at++;
    if (lexer_joint(lexer) > 0)
        return false;
    size_t length = (size_t)(lexer->at - begin);
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (length == strlen(prefixes[i]) && memcmp(begin, prefixes[i], length) == 0 &&
            lexer->at < lexer->end && *lexer->at == '"')
            return lexer_raw_string(lexer);
    return true;
}

static bool word_is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

/* Does the line, from `at`, hold "0" and nothing more, but for a comment to its end? */
static bool line_is_zero(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == end || *at++ != '0')
        return false;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at == end || *at == '\n' || (end - at >= 2 && at[0] == '/' && at[1] == '/');
}

/* A directive's name, from behind its `#`: what groups are left out. Only `#if 0`, just so, begins
 * one; what its #else and #elif hold may be read. False: the name cannot be told. */
static bool lexer_directive(struct lexer *lexer)
{
    static const char *const opening[] = {"if", "ifdef", "ifndef", NULL};
    static const char *const known[] = {"define", "undef", "include", "if",    "ifdef",
                                        "ifndef", "elif",  "else",    "endif", NULL};
    char name[16] = "";
    size_t length = 0;
    while (lexer->at < lexer->end && (*lexer->at == ' ' || *lexer->at == '\t'))
        lexer->at++;
    const char *at = lexer->at;
    while (at < lexer->end && is_word(*at) && length + 1 < sizeof name)
        name[length++] = *at++;
    name[length] = 0;
    lexer->directive = true;
    lexer->angle = false;
    lexer->known = word_is_one_of(name, known);
    if (length == 0)
        return at == lexer->end || *at == '\n' || *at == '\r';
    if (lexer->skip == NULL) {
        if (strcmp(name, "if") == 0 && line_is_zero(at, lexer->end)) {
            lexer->skip = at;
            lexer->depth = 0;
        }
    } else if (word_is_one_of(name, opening)) {
        lexer->depth++;
    } else if (lexer->depth > 0) {
        lexer->depth -= strcmp(name, "endif") == 0;
    } else if (strcmp(name, "endif") == 0 || strncmp(name, "el", 2) == 0) {
        const char *begin = lexer->skip;
        lexer->skip = NULL;
        return hidden_add(lexer->hidden, (size_t)(begin - lexer->text),
                          (size_t)(lexer->at - lexer->text));
    }
    return true;
}

/* One piece of the text. False: doubtful. */
static bool lexer_step(struct lexer *lexer)
{
    char c = *lexer->at;
    size_t joint = lexer_joint(lexer);
    if (c == '\n') {
        lexer->at++;
        lexer->blank = true;
        lexer->directive = false;
    } else if (joint > 0) {
        /* A mark of two characters must not be split, nor a directive begin behind it. */
        bool split = lexer->at > lexer->text && strchr("/*%\"'", lexer->at[-1]) != NULL;
        lexer->at += joint;
        return !split && !lexer->blank;
    } else if (c == ' ' || c == '\t' || c == '\r') {
        lexer->at++;
    } else if (lexer_is(lexer, "//") || lexer_is(lexer, "/*")) {
        return lexer_comment(lexer);
    } else if (lexer->blank && (c == '#' || lexer_is(lexer, "%:"))) {
        lexer->at += c == '#' ? 1 : 2;
        lexer->blank = false;
        return lexer_directive(lexer);
    } else {
        lexer->blank = false;
        if (c == '"' || c == '\'')
            return lexer_string(lexer);
        if (isdigit((unsigned char)c))
            return lexer_number(lexer);
        if (is_word(c))
            return lexer_word(lexer);
        if ((unsigned char)c >= 0x80 || strchr("\\$@`", c) != NULL)
            return false; /* names and blanks to some */
        if (lexer->directive && (c == '<' || c == '>'))
            lexer->angle = c == '<';
        lexer->at++;
    }
    return true;
}

/* The places that no compiler reads. Nothing is hidden behind the first doubt, and from a doubtful
 * text nothing at all. */
static void hidden_find(const struct cage_source *source, struct hidden *hidden)
{
    struct lexer lexer = {.text = source->text,
                          .at = source->text,
                          .end = source->text + source->bytes,
                          .hidden = hidden,
                          .blank = true};
    hidden->count = 0;
    if (text_is_doubtful(source->text, source->bytes))
        return;
    while (lexer.at < lexer.end)
        if (!lexer_step(&lexer))
            return;
}

/* ---- judging ---- */

static const struct cage_source *source_find(const struct cage_sources *sources, const char *name)
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

/* May the operand, which stands in no quotation marks, be a macro of the submission's? Else it is a
 * slip. (It is refused in any case.) */
static bool is_macro(const struct cage_sources *sources, const char *operand)
{
    static const char define[] = "define";
    size_t length = 0;
    while (is_word(operand[length]))
        length++;
    for (size_t i = 0; length > 0 && i < sources->count; i++) {
        const char *at = sources->items[i].text, *end = at + sources->items[i].bytes;
        while ((at = memmem(at, (size_t)(end - at), define, sizeof define - 1)) != NULL) {
            at += sizeof define - 1;
            while (at < end && is_blank(*at))
                at++;
            if ((size_t)(end - at) > length && strncmp(at, operand, length) == 0 &&
                !is_word(at[length]))
                return true;
        }
    }
    return false;
}

static bool directive_judge(const struct cage_sources *sources, const struct cage_source *source,
                            const struct directive *directive, struct failure *failure)
{
    const char *operand = directive->operand;
    char path[2 * OPERAND_SIZE];
    if (directive->form == 0 && !is_macro(sources, operand))
        return failure_student(
            failure, STATUS_COMPILE_ERROR,
            "%s(%u): #include %s: the file's name must stand in quotation marks, "
            "or between < and >",
            source->name, directive->line, operand);
    if (directive->form == 0)
        return failure_student(failure, STATUS_UNTRUSTED,
                               "%s(%u): includes a file by the name of a macro (%s), which grading "
                               "does not follow: write the name itself",
                               source->name, directive->line, operand);
    bool outside =
        operand[0] == '/' ||
        (has_dots(operand) &&
         (directive->form != '"' || !path_from_file(source->name, operand, path, sizeof path) ||
          source_find(sources, path) == NULL));
    return !outside || failure_student(failure, STATUS_UNTRUSTED,
                                       "%s(%u): includes %s, which is no part of the submission",
                                       source->name, directive->line, operand);
}

static bool source_check(const struct cage_sources *sources, size_t index, bool *visited,
                         struct failure *failure)
{
    const struct cage_source *source = &sources->items[index];
    struct reader reader = {
        .at = source->text, .end = source->text + source->bytes, .line = 1, .fresh = true};
    struct directive directive;
    struct hidden *hidden = calloc(1, sizeof *hidden);
    visited[index] = true;
    if (hidden == NULL)
        return failure_harness(failure, "not enough memory");
    hidden_find(source, hidden);
    if (source->bytes >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0)
        reader.at += 3;
    bool good = true;
    while (good && directive_find(&reader, &directive)) {
        if (hidden_holds(hidden, (size_t)(directive.behind.at - 1 - source->text))) {
            reader = directive.behind;
            continue;
        }
        good = directive_judge(sources, source, &directive, failure);
        /* Whichever directory the compiler finds it in. */
        const char *name = path_basename(directive.operand);
        for (size_t i = 0; good && i < sources->count; i++)
            if (!visited[i] && strcmp(path_basename(sources->items[i].name), name) == 0)
                good = source_check(sources, i, visited, failure);
    }
    free(hidden);
    return good;
}

bool cage_sources_check(const struct cage_sources *sources, const char *name,
                        struct failure *failure)
{
    bool visited[CAGE_SOURCES_MAX] = {false};
    const struct cage_source *source = source_find(sources, name);
    return source == NULL ||
           source_check(sources, (size_t)(source - sources->items), visited, failure);
}
