/* compile_text.c: summaries of compilers' messages, and PTX without paths of this machine. */
#define _GNU_SOURCE
#include "base/bits.h"
#include "base/wording.h"
#include "compile/compile_backend.h"
#include "process/allocate.h"
#include "text/code_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ERRORS_SHOWN = 4 };

/* Only long phrases are used, because quoted source lines rarely contain them. */
bool messages_show_exhaustion(const char *messages)
{
    static const char *const phrases[] = {
        "LLVM ERROR: out of memory",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "catastrophic error: out of memory",
        "virtual memory exhausted: Cannot allocate memory",
        "' died due to signal ",
        "Killed signal terminated program",
        "PLEASE submit a bug report to https://github.com/llvm",
        NULL,
    };
    return text_has_one_of(messages, phrases);
}

enum line_kind { LINE_ERROR, LINE_OTHER_DIAGNOSTIC, LINE_TOTAL, LINE_CONTINUATION };

static const struct {
    const char *phrase;
    enum line_kind kind;
} line_phrases[] = {
    /* "1 catastrophic error detected ..." also looks like an error, so search for totals first. */
    {"detected in the compilation of", LINE_TOTAL},
    {"error generated", LINE_TOTAL},
    {"errors generated", LINE_TOTAL},
    {"warning generated", LINE_TOTAL},
    {"warnings generated", LINE_TOTAL},
    {"ompilation terminated.", LINE_TOTAL},
    {"In file included from ", LINE_TOTAL},
    /* Few quoted source lines contain a colon as in "a.cu(3): error: ". */
    {": error: ", LINE_ERROR},
    {": error #", LINE_ERROR},
    {": fatal error: ", LINE_ERROR},
    {": catastrophic error: ", LINE_ERROR},
    {"Command-line error", LINE_ERROR},
    {"nvcc fatal", LINE_ERROR},
    {": warning: ", LINE_OTHER_DIAGNOSTIC},
    {": warning #", LINE_OTHER_DIAGNOSTIC},
    {"emark: ", LINE_OTHER_DIAGNOSTIC},
};

static enum line_kind line_classify(const char *line, size_t length)
{
    /* Quoted source lines are indented. */
    if (length == 0 || line[0] == ' ' || line[0] == '\t')
        return LINE_CONTINUATION;
    for (size_t i = 0; i < sizeof line_phrases / sizeof line_phrases[0]; i++)
        if (memmem(line, length, line_phrases[i].phrase, strlen(line_phrases[i].phrase)) != NULL)
            return line_phrases[i].kind;
    return LINE_CONTINUATION;
}

void messages_summarise_errors(const char *messages, char *text, size_t text_size)
{
    enum { CLOSING_LINE = 64 };
    size_t space = text_size - CLOSING_LINE;
    unsigned errors = 0, shown = 0;
    bool is_shown = false;
    text[0] = '\0';
    for (const char *line = messages; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        enum line_kind kind = line_classify(line, length);
        if (kind == LINE_ERROR) {
            bool full = strlen(text) + length + 1 >= space;
            errors++;
            is_shown = shown < ERRORS_SHOWN && !(full && shown > 0);
            shown += is_shown;
        } else if (kind != LINE_CONTINUATION) {
            is_shown = false;
        }
        if (is_shown && length > 0)
            text_append(text, space, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (errors == 0) /* the format is unknown */
        text_append(text, space, "%s", messages);
    for (size_t count = strlen(text); count > 0 && isspace((unsigned char)text[count - 1]);)
        text[--count] = '\0';
    if (errors > shown)
        text_append(text, text_size, "\n(and %u more error%s)", errors - shown,
                    plural(errors - shown));
    text_defuse(text, "\n\t");
}

char *text_replace(const char *text, const char *from, const char *to)
{
    size_t from_length = strlen(from), to_length = strlen(to), hits = 0;
    for (const char *hit = text; (hit = strstr(hit, from)) != NULL; hit += from_length)
        hits++;
    char *result = allocate_checked(malloc(strlen(text) + hits * to_length + 1)), *end = result;
    for (const char *hit; (hit = strstr(text, from)) != NULL; text = hit + from_length) {
        end = mempcpy(end, text, (size_t)(hit - text));
        end = mempcpy(end, to, to_length);
    }
    strcpy(end, text);
    return result;
}

bool path_escape(const char *path, char *text, size_t text_size)
{
    size_t count = 0;
    for (; *path != '\0'; path++) {
        if (count + 3 > text_size)
            return false;
        if (*path == '"' || *path == '\\')
            text[count++] = '\\';
        text[count++] = *path;
    }
    if (count >= text_size)
        return false;
    text[count] = '\0';
    return true;
}

static void path_unescape(const char *text, size_t length, char path[PATH_MAX])
{
    static const char letters[] = "btnfr", meanings[] = "\b\t\n\f\r";
    size_t count = 0;
    for (size_t i = 0; i < length && count + 1 < PATH_MAX; i++) {
        unsigned byte = 0, digits = 0;
        const char *letter;
        if (text[i] != '\\' || i + 1 == length) {
            path[count++] = text[i];
            continue;
        }
        while (digits < 3 && i + 1 < length && text[i + 1] >= '0' && text[i + 1] <= '7') {
            byte = byte * 8 + (unsigned)(text[++i] - '0');
            digits++;
        }
        if (digits == 0) {
            letter = strchr(letters, text[++i]);
            byte = (unsigned char)(letter != NULL ? meanings[letter - letters] : text[i]);
        }
        path[count++] = (char)byte;
    }
    path[count] = '\0';
}

static bool is_same_file(const char *path, const struct stat *file)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_dev == file->st_dev &&
           status.st_ino == file->st_ino;
}

/* Set *start and *end to the limits of the path in a line such as .file 1 "path". */
static bool line_is_file(const char *line, size_t length, size_t *start, size_t *end)
{
    size_t at = 0;
    while (at < length && isspace((unsigned char)line[at]))
        at++;
    if (length - at < 6 || strncmp(line + at, ".file", 5) != 0 ||
        !isspace((unsigned char)line[at + 5]))
        return false;
    const char *open = memchr(line, '"', length), *close = memrchr(line, '"', length);
    if (open == NULL || close <= open)
        return false;
    *start = (size_t)(open + 1 - line);
    *end = (size_t)(close - line);
    return true;
}

char *ptx_name_source(const char *ptx, const char *source_path)
{
    char escaped[2 * PATH_MAX];
    struct stat source;
    if (stat(source_path, &source) != 0 || !path_escape(source_path, escaped, sizeof escaped))
        return allocate_checked(strdup(ptx));
    size_t bytes = strlen(ptx);
    char *result = allocate_checked(strdup(ptx));
    for (size_t at = 0, length; result[at] != '\0'; at += length + (result[at + length] == '\n')) {
        size_t start, end;
        char path[PATH_MAX];
        length = strcspn(result + at, "\n");
        if (!line_is_file(result + at, length, &start, &end))
            continue;
        path_unescape(result + at + start, end - start, path);
        if (!is_same_file(path, &source))
            continue;
        char *renamed =
            allocate_checked(code_replace(result, &bytes, at + start, end - start, escaped));
        free(result);
        result = renamed;
        length += strlen(escaped) - (end - start);
    }
    return result;
}

/* Returns the length of the hash of a path in an internal function's name, _INTERNAL_1a2b3c4d_ or
 * _GLOBAL__N__1a2b3c4d; 0 if there is none. The hash begins after *skip bytes. */
static size_t internal_hash_length(const char *text, size_t length, size_t *skip)
{
    static const char *const prefixes[] = {"_INTERNAL_", "_GLOBAL__N__"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t prefix = strlen(prefixes[i]), digits = 0;
        if (length < prefix || memcmp(text, prefixes[i], prefix) != 0)
            continue;
        while (prefix + digits < length && isxdigit((unsigned char)text[prefix + digits]) &&
               digits < 8)
            digits++;
        *skip = prefix;
        return digits;
    }
    return 0;
}

static uint64_t hash_line(uint64_t hash, const char *line, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t prefix = 0, digits = internal_hash_length(line + i, length - i, &prefix);
        size_t hashed = digits > 0 ? prefix : 1;
        hash = hash_bytes(hash, line + i, hashed);
        i += hashed + digits;
    }
    return hash_bytes(hash, "\n", 1);
}

static size_t line_length_uncommented(const char *line, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i + 1 < length; i++) {
        quoted ^= line[i] == '"';
        if (!quoted && line[i] == '/' && line[i + 1] == '/')
            length = i;
    }
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    return length;
}

uint64_t cubin_hash(const char *cubin, size_t bytes)
{
    return hash_bytes(HASH_START, cubin, bytes);
}

uint64_t ptx_hash(const char *ptx)
{
    uint64_t hash = HASH_START;
    bool in_section = false; /* true in .section .debug_str { ... } */
    while (*ptx != '\0') {
        size_t whole = strcspn(ptx, "\n"), indent = 0, start, end;
        size_t length = line_length_uncommented(ptx, whole);
        while (indent < length && isspace((unsigned char)ptx[indent]))
            indent++;
        const char *line = ptx + indent;
        bool opens = strncmp(line, ".section", 8) == 0;
        in_section |= opens;
        if (length > indent && !in_section && !line_is_file(ptx, length, &start, &end))
            hash = hash_line(hash, line, length - indent);
        if (in_section && memchr(line, '}', length - indent) != NULL)
            in_section = false;
        ptx += whole + (ptx[whole] == '\n');
    }
    return hash;
}
