/* array_shapes.c: see array_shapes.h. */
#define _GNU_SOURCE
#include "emulator/ptx/array_shapes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_TEXT = 1 << 18,
    MAX_VALUE = 1 << 30,
    MAX_DEPTH = 24, /* of names that stand for names, and of brackets */
    MAX_STEPS = 500 /* names and numbers in all: each name is looked for in the whole text */
};

/* A reader of tokens. A token is an identifier, a number, or one character. */
struct reader {
    const char *at, *end;
};

struct token {
    const char *text;
    size_t length; /* 0: the end */
};

struct constants {
    const char *text;
    size_t length;
    const char *const *defines;
    size_t define_count;
    unsigned steps; /* so far */
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void skip_blank(struct reader *reader)
{
    while (reader->at < reader->end) {
        size_t left = (size_t)(reader->end - reader->at);
        if (isspace((unsigned char)*reader->at) || *reader->at == '\\') {
            reader->at++;
        } else if (left >= 2 && !strncmp(reader->at, "//", 2)) {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (left >= 2 && !strncmp(reader->at, "/*", 2)) {
            const char *close = memmem(reader->at + 2, left - 2, "*/", 2);
            reader->at = close ? close + 2 : reader->end;
        } else {
            return;
        }
    }
}

static struct token next_token(struct reader *reader)
{
    skip_blank(reader);
    struct token token = {.text = reader->at};
    if (reader->at == reader->end)
        return token;
    do
        reader->at++;
    while (is_word(*token.text) && reader->at < reader->end && is_word(*reader->at));
    token.length = (size_t)(reader->at - token.text);
    return token;
}

static bool token_is(struct token token, const char *text)
{
    return token.length == strlen(text) && !strncmp(token.text, text, token.length);
}

static bool same_token(struct token a, struct token b)
{
    return a.length == b.length && !strncmp(a.text, b.text, a.length);
}

static struct token peek_token(const struct reader *reader)
{
    struct reader copy = *reader;
    return next_token(&copy);
}

/* ---- Constant expressions ---- */

static bool evaluate(struct constants *constants, struct reader *reader, int level, unsigned depth,
                     int64_t *value);

/* What a macro given to the compiler stands for. */
static bool find_define(const struct constants *constants, struct token name,
                        struct reader *definition)
{
    for (size_t i = 0; i < constants->define_count; i++) {
        const char *define = constants->defines[i];
        if (strncmp(define, name.text, name.length) != 0 || define[name.length] != '=')
            continue;
        define += name.length + 1;
        *definition = (struct reader){define, define + strlen(define)};
        return true;
    }
    return false;
}

/* What `#define NAME` or `NAME =` in the text gives, the first of them. */
static bool find_in_text(const struct constants *constants, struct token name,
                         struct reader *definition)
{
    struct reader reader = {constants->text, constants->text + constants->length};
    struct token before = {0};
    for (struct token token; (token = next_token(&reader)).length; before = token) {
        if (!same_token(token, name))
            continue;
        bool macro = token_is(before, "define");
        struct reader rest = reader;
        if (!macro && (!token_is(next_token(&rest), "=") || token_is(peek_token(&rest), "=")))
            continue;
        *definition = (struct reader){rest.at, constants->text + constants->length};
        if (macro) {
            const char *line = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));
            definition->end = line ? line : rest.end;
        }
        return true;
    }
    return false;
}

static bool evaluate_name(struct constants *constants, struct token name, unsigned depth,
                          int64_t *value)
{
    struct reader definition;
    return (find_define(constants, name, &definition) ||
            find_in_text(constants, name, &definition)) &&
           evaluate(constants, &definition, 0, depth + 1, value);
}

static bool evaluate_primary(struct constants *constants, struct reader *reader, unsigned depth,
                             int64_t *value)
{
    struct token token = next_token(reader);
    if (depth > MAX_DEPTH || ++constants->steps > MAX_STEPS || !token.length)
        return false;
    if (token_is(token, "("))
        return evaluate(constants, reader, 0, depth + 1, value) &&
               token_is(next_token(reader), ")");
    if (isdigit((unsigned char)*token.text)) {
        char number[24];
        if (token.length >= sizeof number)
            return false;
        memcpy(number, token.text, token.length);
        number[token.length] = 0;
        char *end;
        unsigned long read = strtoul(number, &end, 0);
        *value = (int64_t)read;
        return read <= MAX_VALUE && !end[strspn(end, "uUlL")];
    }
    return is_word(*token.text) && evaluate_name(constants, token, depth, value);
}

/* Operators of a level: + - bind weaker than * / %. Every value, numbers included, is at most
 * MAX_VALUE, up or down, so that none of them overflows. */
static bool apply(char sign, int64_t *left, int64_t right)
{
    switch (sign) {
    case '+':
        *left += right;
        break;
    case '-':
        *left -= right;
        break;
    case '*':
        *left *= right;
        break;
    default:
        if (!right)
            return false;
        *left = sign == '/' ? *left / right : *left % right;
        break;
    }
    return *left >= -MAX_VALUE && *left <= MAX_VALUE;
}

static bool evaluate(struct constants *constants, struct reader *reader, int level, unsigned depth,
                     int64_t *value)
{
    if (level == 2)
        return evaluate_primary(constants, reader, depth, value);
    if (!evaluate(constants, reader, level + 1, depth, value))
        return false;
    while (true) {
        struct token token = peek_token(reader);
        if (token.length != 1 || !strchr(level == 0 ? "+-" : "*/%", *token.text))
            return true;
        next_token(reader);
        int64_t right;
        if (!evaluate(constants, reader, level + 1, depth, &right) ||
            !apply(*token.text, value, right))
            return false;
    }
}

/* ---- Declarations ---- */

/* The brackets behind a name. False: there is something that is no constant. */
static bool read_extents(struct constants *constants, struct reader *reader,
                         struct array_shape *shape)
{
    while (token_is(peek_token(reader), "[")) {
        next_token(reader);
        int64_t extent;
        if (shape->dimensions == ARRAY_DIMENSIONS_MAX ||
            !evaluate(constants, reader, 0, 0, &extent) || extent <= 0 ||
            !token_is(next_token(reader), "]"))
            return false;
        shape->extent[shape->dimensions++] = (uint32_t)extent;
    }
    return shape->dimensions > 0;
}

static bool is_any(struct token token, const char *const *words)
{
    while (*words && !token_is(token, *words))
        words++;
    return *words;
}

/* The declaration behind `__shared__` and the like, up to its end. */
static void read_declaration(struct constants *constants, struct reader *reader,
                             struct array_shapes *shapes)
{
    static const char *const alignments[] = {"__align__", "alignas", "__attribute__", "aligned",
                                             NULL};
    struct token name = {0};
    for (struct token token; (token = next_token(reader)).length;) {
        if (token_is(token, ";") || token_is(token, "{") || token_is(token, "}"))
            return;
        if (is_word(*token.text)) {
            name = token;
            continue;
        }
        if (token_is(token, "(") && !is_any(name, alignments))
            return; /* a function, or an object that is constructed */
        if (!token_is(token, "[") || !name.length)
            continue;
        reader->at = token.text;
        struct array_shape shape = {0};
        bool good = read_extents(constants, reader, &shape);
        if (good && name.length < sizeof shape.name && shapes->count < ARRAY_SHAPES_MAX) {
            memcpy(shape.name, name.text, name.length);
            shapes->shapes[shapes->count++] = shape;
        }
        name = (struct token){0};
    }
}

void array_shapes_parse(const char *text, size_t length, const char *const *defines,
                        size_t define_count, struct array_shapes *shapes)
{
    static const char *const memories[] = {"__shared__", "__device__", "__constant__",
                                           "__managed__", NULL};
    struct constants constants = {
        .text = text, .length = length, .defines = defines, .define_count = define_count};
    struct reader reader = {text, text + length};
    shapes->count = 0;
    for (struct token token; (token = next_token(&reader)).length;)
        if (is_any(token, memories) && shapes->count < ARRAY_SHAPES_MAX)
            read_declaration(&constants, &reader, shapes);
}

void array_shapes_read(const char *path, const char *const *defines, size_t define_count,
                       struct array_shapes *shapes)
{
    shapes->count = 0;
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MAX_TEXT) : NULL;
    size_t length = text ? fread(text, 1, MAX_TEXT, file) : 0;
    if (length && length < MAX_TEXT && !ferror(file))
        array_shapes_parse(text, length, defines, define_count, shapes);
    free(text);
    if (file)
        fclose(file);
}

const struct array_shape *array_shapes_find(const struct array_shapes *shapes, const char *name,
                                            uint64_t bytes, unsigned *element_bytes)
{
    const struct array_shape *found = NULL;
    uint64_t wanted = *element_bytes;
    for (unsigned i = 0; shapes && i < shapes->count; i++) {
        const struct array_shape *shape = &shapes->shapes[i];
        uint64_t elements = 1;
        for (unsigned d = 0; d < shape->dimensions && elements <= bytes; d++)
            elements *= shape->extent[d];
        if (strcmp(shape->name, name) != 0 || elements > bytes || bytes % elements)
            continue;
        uint64_t element = bytes / elements;
        if (element > 16 || (element & (element - 1)))
            continue;
        if (found && element != wanted)
            continue;
        found = shape;
        *element_bytes = (unsigned)element;
        if (element == wanted)
            break;
    }
    return found;
}
