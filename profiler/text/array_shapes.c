#include "text/array_shapes.h"

#include "base/whole_file.h"
#include "text/tokens.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_TEXT = 1 << 18,
    MAX_VALUE = 1 << 30,
    MAX_DEPTH = 24,
    MAX_STEPS = 500,
    MAX_SEARCHED = 4 << 20 /* limit of searched bytes, because each search reads the whole text */
};

struct constants {
    struct tokens text;
    const char *const *defines;
    size_t define_count;
    size_t searched;
    unsigned steps;
};

static bool evaluate(struct constants *constants, struct tokens *tokens, int level, unsigned depth,
                     int64_t *value);

static bool find_define(const struct constants *constants, const char *name,
                        struct tokens *definition)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < constants->define_count; i++) {
        const char *define = constants->defines[i];
        if (strncmp(define, name, length) != 0 || define[length] != '=')
            continue;
        *definition = tokens_of(define + length + 1, strlen(define + length + 1));
        return true;
    }
    return false;
}

static bool find_in_text(struct constants *constants, const char *name, struct tokens *definition)
{
    struct token before = {0};
    constants->searched += (size_t)(constants->text.end - constants->text.at);
    if (constants->searched > MAX_SEARCHED)
        return false;
    *definition = constants->text;
    for (struct token token; (token = tokens_next_code(definition)).kind; before = token) {
        if (!token_is(token, name))
            continue;
        if (token_is(before, "define")) {
            const char *line =
                memchr(definition->at, '\n', (size_t)(definition->end - definition->at));
            definition->end = line ? line : definition->end;
            return true;
        }
        if (token_is(tokens_peek_code(definition), "=")) {
            tokens_next_code(definition);
            return true;
        }
    }
    return false;
}

static bool evaluate_name(struct constants *constants, struct token token, unsigned depth,
                          int64_t *value)
{
    struct tokens definition;
    char name[ARRAY_NAME_SIZE];
    token_copy(token, name, sizeof name);
    return (find_define(constants, name, &definition) ||
            find_in_text(constants, name, &definition)) &&
           evaluate(constants, &definition, 0, depth + 1, value);
}

static bool evaluate_primary(struct constants *constants, struct tokens *tokens, unsigned depth,
                             int64_t *value)
{
    struct token token = tokens_next_code(tokens);
    unsigned long number;
    if (depth > MAX_DEPTH || ++constants->steps > MAX_STEPS)
        return false;
    if (token_is(token, "("))
        return evaluate(constants, tokens, 0, depth + 1, value) &&
               token_is(tokens_next_code(tokens), ")");
    if (token_number(token, &number)) {
        *value = (int64_t)number;
        return number <= MAX_VALUE;
    }
    return token.kind == TOKEN_WORD && evaluate_name(constants, token, depth, value);
}

static bool apply(char sign, int64_t *left, int64_t right)
{
    if (!right && strchr("/%", sign))
        return false;
    *left = sign == '+'   ? *left + right
            : sign == '-' ? *left - right
            : sign == '*' ? *left * right
            : sign == '/' ? *left / right
                          : *left % right;
    return *left >= -MAX_VALUE && *left <= MAX_VALUE;
}

/* Evaluate an expression. Level 0 has the operators + and -, level 1 has *, / and %, and level 2
 * has none. An operand at a level is an expression of the next level. */
static bool evaluate(struct constants *constants, struct tokens *tokens, int level, unsigned depth,
                     int64_t *value)
{
    if (level == 2)
        return evaluate_primary(constants, tokens, depth, value);
    if (!evaluate(constants, tokens, level + 1, depth, value))
        return false;
    while (true) {
        struct token token = tokens_peek_code(tokens);
        if (token.length != 1 || !strchr(level == 0 ? "+-" : "*/%", *token.text))
            return true;
        tokens_next_code(tokens);
        int64_t right;
        if (!evaluate(constants, tokens, level + 1, depth, &right) ||
            !apply(*token.text, value, right))
            return false;
    }
}

static bool read_extents(struct constants *constants, struct tokens *tokens,
                         struct array_shape *shape)
{
    while (token_is(tokens_peek_code(tokens), "[")) {
        tokens_next_code(tokens);
        int64_t extent;
        if (shape->dimensions == ARRAY_DIMENSIONS_MAX ||
            !evaluate(constants, tokens, 0, 0, &extent) || extent <= 0 ||
            !token_is(tokens_next_code(tokens), "]"))
            return false;
        shape->extent[shape->dimensions++] = (uint32_t)extent;
    }
    return shape->dimensions > 0;
}

/* `tokens` starts after a memory specifier such as `__shared__`. */
static void read_declaration(struct constants *constants, struct tokens *tokens,
                             struct array_shapes *shapes)
{
    static const char *const alignments[] = {"__align__", "alignas", "__attribute__", "aligned",
                                             NULL},
                             *const ends[] = {";", "{", "}", NULL};
    struct token name = {0};
    for (struct token token = tokens_peek_code(tokens); token.kind && !token_is_one_of(token, ends);
         token = tokens_peek_code(tokens)) {
        struct array_shape shape = {0};
        if (token_is(token, "[") && name.length) {
            bool good = read_extents(constants, tokens, &shape);
            if (good && name.length < sizeof shape.name && shapes->count < ARRAY_SHAPES_MAX) {
                token_copy(name, shape.name, sizeof shape.name);
                shapes->shapes[shapes->count++] = shape;
            }
            name.length = 0;
            continue;
        }
        if (token_is(token, "(") && !token_is_one_of(name, alignments))
            return; /* a function, or an object with a constructor call */
        if (token.kind == TOKEN_WORD)
            name = token;
        tokens_next_code(tokens);
    }
}

void array_shapes_parse(const char *text, size_t length, const char *const *defines,
                        size_t define_count, struct array_shapes *shapes)
{
    static const char *const memories[] = {"__shared__", "__device__", "__constant__",
                                           "__managed__", NULL};
    struct tokens tokens = tokens_of(text, length);
    struct constants constants = {.text = tokens, .defines = defines, .define_count = define_count};
    shapes->count = 0;
    shapes->path = NULL;
    conditions_read(text, length, &shapes->conditions);
    for (struct token token; (token = tokens_next_code(&tokens)).kind;)
        if (token_is_one_of(token, memories) && shapes->count < ARRAY_SHAPES_MAX)
            read_declaration(&constants, &tokens, shapes);
}

void array_shapes_read(const char *path, const char *const *defines, size_t define_count,
                       struct array_shapes *shapes)
{
    shapes->count = 0;
    shapes->conditions.count = 0;
    struct failure unreadable = {0};
    size_t length;
    char *text = whole_file_read(path, MAX_TEXT, &length, &unreadable);
    if (text)
        array_shapes_parse(text, length, defines, define_count, shapes);
    shapes->path = path;
    free(text);
}

const struct array_shape *array_shapes_find(const struct array_shapes *shapes, const char *name,
                                            uint64_t bytes, unsigned *element_bytes)
{
    const struct array_shape *found = NULL;
    uint64_t width = *element_bytes;
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
        if (found && element != width)
            continue;
        found = shape;
        *element_bytes = (unsigned)element;
        if (element == width)
            break;
    }
    return found;
}
