/* notebook.c: Jupyter's nbformat 3 (not 4) has cells in worksheets, with their text in `input`. */
#include "intake/notebook.h"

#include "process/allocate.h"
#include "text/code_text.h"
#include "text/tokens.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

static char *text_of(const json_t *source)
{
    if (json_is_string(source))
        return allocate_checked(strdup(json_string_value(source)));
    size_t length = 0, used = 0, i;
    json_t *line;
    json_array_foreach (source, i, line)
        length += json_string_length(line);
    char *text = json_is_array(source) ? allocate_checked(calloc(1, length + 1)) : NULL;
    json_array_foreach (source, i, line)
        if (json_is_string(line)) {
            memcpy(text + used, json_string_value(line), json_string_length(line));
            used += json_string_length(line);
        }
    return text;
}

static void take_word(const char **at, char word[NAME_BYTES])
{
    *at += strspn(*at, " \t=");
    const char *stops = **at == '"' ? "\"\n" : **at == '\'' ? "'\n" : " \t=\n";
    *at += **at == '"' || **at == '\'';
    size_t length = strcspn(*at, stops);
    snprintf(word, NAME_BYTES, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), *at);
    *at += length;
    *at += **at == '"' || **at == '\'';
}

static void file_name(const char *at, bool write, char name[NAME_BYTES])
{
    char word[NAME_BYTES];
    *name = 0;
    while (*at && *at != '\n' && *at != '\r') {
        bool option = false;
        take_word(&at, word);
        option = !strcmp(word, "-n") || !strcmp(word, "--name");
        if (option && *at && *at != '\n')
            take_word(&at, name);
        else if (write && *word && *word != '-')
            snprintf(name, NAME_BYTES, "%s", word);
        at += strspn(at, " \t");
    }
}

static const char *program_of(const char *text, size_t number, char name[NAME_BYTES])
{
    static const char *const write[] = {"%%writefile", "%%file"};
    static const char *const compile[] = {"%%cu", "%%nvcc"};
    text += strspn(text, " \t\r\n");
    const char *behind = text + strcspn(text, " \t\r\n");
    bool writes = false, compiles = false;
    for (size_t i = 0; i < 2; i++) {
        writes |= strlen(write[i]) == (size_t)(behind - text) &&
                  !strncmp(text, write[i], strlen(write[i]));
        compiles |= !strncmp(text, compile[i], strlen(compile[i]));
    }
    file_name(writes || compiles ? behind : "", writes, name);
    if (!*name)
        snprintf(name, NAME_BYTES, "cell-%zu.cu", number);
    if (writes || compiles) {
        const char *line = strchr(text, '\n');
        return line ? line + 1 : "";
    }
    bool quoted = strstr(text, "\"\"\"") || strstr(text, "'''");
    return strstr(text, "__global__") && strstr(text, "LAB(") && !quoted && *text != '%' ? text
                                                                                         : NULL;
}

static void read_cells(const json_t *cells, void (*found)(void *, const char *, const char *),
                       void *context, size_t *number, size_t *programs)
{
    size_t i;
    json_t *cell;
    json_array_foreach (cells, i, cell) {
        char name[NAME_BYTES];
        const char *type = json_string_value(json_object_get(cell, "cell_type"));
        if (!type || strcmp(type, "code"))
            continue;
        json_t *source = json_object_get(cell, "source");
        char *text = text_of(source ? source : json_object_get(cell, "input"));
        const char *program = text ? program_of(text, ++*number, name) : NULL;
        if (program) {
            ++*programs;
            found(context, name, program);
        }
        free(text);
    }
}

bool notebook_read(const void *bytes, size_t size,
                   void (*found)(void *context, const char *name, const char *text), void *context,
                   size_t *programs)
{
    size_t number = 0, i;
    json_t *worksheet, *notebook = json_loadb(bytes, size, 0, NULL);
    const json_t *cells = json_object_get(notebook, "cells");
    const json_t *worksheets = json_object_get(notebook, "worksheets");
    *programs = 0;
    bool valid = json_is_array(cells) || json_is_array(worksheets);
    read_cells(cells, found, context, &number, programs);
    json_array_foreach (worksheets, i, worksheet)
        read_cells(json_object_get(worksheet, "cells"), found, context, &number, programs);
    json_decref(notebook);
    return valid;
}

enum { SECTIONS_MAX = 64 };

/* The part of a source that belongs to one LAB(), from the end of the preceding function. */
struct section {
    char lab[64];
    size_t begin, lab_at;
    bool has_kernel, has_include;
};

/* Returns the number of parts; 0 for fewer than two LAB(), too many, or a part without a kernel. */
static size_t find_sections(const char *code, size_t size, struct section *sections)
{
    struct tokens tokens = tokens_of(code, size);
    size_t count = 0, end = 0;
    int depth = 0;
    bool include = false, whole = true;
    for (struct token token, name; (token = tokens_next_code(&tokens)).kind;) {
        struct tokens list = tokens;
        depth += token_is(token, "{") - token_is(token, "}");
        if (token_is(token, "}") && !depth) {
            end = (size_t)(token.text - code) + 1;
            include = false;
        }
        include |= token.in_directive && token_is(token, "include");
        if (count)
            sections[count - 1].has_kernel |= token_is(token, "__global__");
        if (depth || token.in_directive || !token_is(token, "LAB") ||
            !token_is(tokens_next_code(&list), "("))
            continue;
        name = tokens_next_code(&list);
        if (name.kind != TOKEN_WORD || count == SECTIONS_MAX)
            return 0;
        whole &= !count || sections[count - 1].has_kernel;
        sections[count] = (struct section){.begin = count ? end : 0,
                                           .lab_at = (size_t)(token.text - code),
                                           .has_include = include};
        token_copy(name, sections[count++].lab, sizeof sections->lab);
    }
    return whole && count > 1 && sections[count - 1].has_kernel ? count : 0;
}

size_t sections_read(const char *text, size_t size,
                     void (*found)(void *context, const char *lab, char *part, size_t size),
                     void *context)
{
    struct section *sections = allocate_checked(calloc(SECTIONS_MAX, sizeof *sections));
    char *code = allocate_checked(code_text((const unsigned char *)text, size));
    size_t count = find_sections(code, size, sections);
    for (size_t i = 0; i < count; i++) {
        size_t common = i && sections[i].has_include ? 0 : sections[0].lab_at;
        size_t end = i + 1 < count ? sections[i + 1].begin : size;
        char *part = allocate_checked(malloc(size + 1));
        memcpy(part, text, size);
        part[size] = 0;
        if (i)
            code_blank(part + common, sections[i].begin - common);
        code_blank(part + end, size - end);
        found(context, sections[i].lab, part, size);
    }
    free(code);
    free(sections);
    return count;
}
