/* ptx_tokens.c: reads tokens, types and constant expressions, and reports the parser's errors. */
#include "base/wording.h"
#include "emulator/ptx/ptx_parser.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 512, SHOWN_TOKEN = 60 };

bool ptx_fail_with(struct ptx_parser *parser, enum status status, uint32_t line, const char *format,
                   ...)
{
    char message[MESSAGE_SIZE];
    FORMAT(message, sizeof message, format);
    return failure_student(parser->failure, status, "%s:%u: %s", parser->name, line, message);
}

bool ptx_fail_memory(struct ptx_parser *parser)
{
    return failure_harness(parser->failure, "not enough memory to parse %s", parser->name);
}

bool ptx_append(struct ptx_parser *parser, struct ptx_vector *vector, const void *item)
{
    void *added = ptx_vector_push(vector);
    if (!added)
        return ptx_fail_memory(parser);
    memcpy(added, item, vector->item_bytes);
    return true;
}

bool ptx_fail_expected(struct ptx_parser *parser, const char *what)
{
    const struct ptx_token *token = &parser->token;
    int shown = token->length < SHOWN_TOKEN ? (int)token->length : SHOWN_TOKEN;
    switch (token->kind) {
    case PTX_TOKEN_BAD:
        return ptx_fail(parser, "%s", token->problem);
    case PTX_TOKEN_END:
        return ptx_fail(parser, "expected %s but the text ends", what);
    case PTX_TOKEN_STRING:
        return ptx_fail(parser, "expected %s but found a string", what);
    default:
        return ptx_fail(parser, "expected %s but found '%s%.*s'", what,
                        token->kind == PTX_TOKEN_WORD ? "." : "", shown, token->start);
    }
}

bool ptx_advance(struct ptx_parser *parser)
{
    if (parser->token.kind == PTX_TOKEN_BAD)
        return ptx_fail(parser, "%s", parser->token.problem);
    if (parser->token.kind != PTX_TOKEN_END)
        parser->token = ptx_lexer_next(&parser->lexer);
    return true;
}

static bool token_is(const struct ptx_token *token, enum ptx_token_kind kind, const char *text)
{
    return token->kind == kind && strlen(text) == token->length &&
           memcmp(token->start, text, token->length) == 0;
}

bool ptx_at_name(const struct ptx_parser *parser, const char *text)
{
    return token_is(&parser->token, PTX_TOKEN_NAME, text);
}

bool ptx_at_word(const struct ptx_parser *parser, const char *text)
{
    return token_is(&parser->token, PTX_TOKEN_WORD, text);
}

bool ptx_accept(struct ptx_parser *parser, char punctuation)
{
    return ptx_at(parser, punctuation) && ptx_advance(parser);
}

bool ptx_accept_word(struct ptx_parser *parser, const char *text)
{
    return ptx_at_word(parser, text) && ptx_advance(parser);
}

bool ptx_expect(struct ptx_parser *parser, char punctuation)
{
    const char what[] = {'\'', punctuation, '\'', '\0'};
    return ptx_accept(parser, punctuation) || ptx_fail_expected(parser, what);
}

bool ptx_expect_atom(struct ptx_parser *parser, struct ptx_atom **atom)
{
    if (parser->token.kind != PTX_TOKEN_NAME)
        return ptx_fail_expected(parser, "a name");
    *atom = ptx_names_intern(&parser->names, parser->token.start, parser->token.length);
    if (!*atom)
        return ptx_fail_memory(parser);
    return ptx_advance(parser);
}

bool ptx_expect_count(struct ptx_parser *parser, uint64_t limit, const char *what, uint64_t *value)
{
    if (parser->token.kind != PTX_TOKEN_INTEGER)
        return ptx_fail_expected(parser, what);
    if (parser->token.value > limit)
        return ptx_fail(parser, "%s must be at most %llu", what, (unsigned long long)limit);
    *value = parser->token.value;
    return ptx_advance(parser);
}

bool ptx_parse_type(const struct ptx_token *token, enum ptx_type *type)
{
    for (int i = PTX_NONE + 1; i < PTX_TYPE_COUNT; i++)
        if (token_is(token, PTX_TOKEN_WORD, ptx_type_name((enum ptx_type)i))) {
            *type = (enum ptx_type)i;
            return true;
        }
    return false;
}

bool ptx_parse_space(const struct ptx_token *token, enum ptx_space *space)
{
    static const struct {
        const char *text;
        enum ptx_space space;
    } spaces[] = {
        {"global", PTX_GLOBAL},      {"shared", PTX_SHARED},
        {"shared::cta", PTX_SHARED}, {"shared::cluster", PTX_SHARED},
        {"local", PTX_LOCAL},        {"const", PTX_CONST},
        {"param", PTX_PARAM},        {"param::entry", PTX_PARAM},
        {"param::func", PTX_PARAM},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (token_is(token, PTX_TOKEN_WORD, spaces[i].text)) {
            *space = spaces[i].space;
            return true;
        }
    return false;
}

/* Constant expressions are parsed by precedence climbing on unsigned 64-bit values, which wrap. */

enum { MAX_EXPRESSION_DEPTH = 32, LOWEST = 1, PRODUCT = 6 };

static int operator_precedence(const struct ptx_token *token)
{
    static const uint8_t precedences[128] = {
        ['|'] = LOWEST, ['^'] = 2, ['&'] = 3,       [PTX_SHIFT_LEFT] = 4, [PTX_SHIFT_RIGHT] = 4,
        ['+'] = 5,      ['-'] = 5, ['*'] = PRODUCT, ['/'] = PRODUCT,
    };
    return token->kind == PTX_TOKEN_PUNCTUATION ? precedences[token->punctuation & 127] : 0;
}

static uint64_t apply_operator(char operation, uint64_t left, uint64_t right)
{
    switch (operation) {
    case '|':
        return left | right;
    case '^':
        return left ^ right;
    case '&':
        return left & right;
    case PTX_SHIFT_LEFT:
        return right < 64 ? left << right : 0;
    case PTX_SHIFT_RIGHT: /* The shift is arithmetic, because constants have type .s64. */
        return (uint64_t)((int64_t)left >> (right < 64 ? right : 63));
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '*':
        return left * right;
    default: /* 0 - left avoids the overflow of INT64_MIN / -1. */
        return right == UINT64_MAX ? 0 - left : (uint64_t)((int64_t)left / (int64_t)right);
    }
}

static bool parse_unary(struct ptx_parser *parser, int depth, uint64_t *value);

static bool parse_operators(struct ptx_parser *parser, int lowest, int depth, uint64_t *value)
{
    for (;;) {
        int precedence = operator_precedence(&parser->token);
        if (precedence == 0 || precedence < lowest)
            return true;
        char operation = parser->token.punctuation;
        uint64_t right;
        if (!ptx_advance(parser) || !parse_unary(parser, depth, &right) ||
            !parse_operators(parser, precedence + 1, depth, &right))
            return false;
        if (operation == '/' && right == 0)
            return ptx_fail(parser, "a constant is divided by zero");
        *value = apply_operator(operation, *value, right);
    }
}

static bool parse_unary(struct ptx_parser *parser, int depth, uint64_t *value)
{
    if (depth > MAX_EXPRESSION_DEPTH)
        return ptx_fail(parser, "a constant expression is nested too deeply");
    if (parser->token.kind == PTX_TOKEN_INTEGER) {
        *value = parser->token.value;
        return ptx_advance(parser);
    }
    if (ptx_at_name(parser, "WARP_SZ")) {
        *value = LANES;
        return ptx_advance(parser);
    }
    if (ptx_accept(parser, '('))
        return parse_unary(parser, depth + 1, value) &&
               parse_operators(parser, LOWEST, depth + 1, value) && ptx_expect(parser, ')');
    if (ptx_accept(parser, '+'))
        return parse_unary(parser, depth + 1, value);
    char operation = parser->token.punctuation;
    if (!ptx_at(parser, '-') && !ptx_at(parser, '~') && !ptx_at(parser, '!'))
        return ptx_fail_expected(parser, "a constant");
    if (!ptx_advance(parser) || !parse_unary(parser, depth + 1, value))
        return false;
    *value = operation == '-' ? 0 - *value : operation == '~' ? ~*value : !*value;
    return true;
}

static bool parse_float(struct ptx_parser *parser, bool negative, struct ptx_constant *constant)
{
    unsigned bytes = parser->token.float_bytes;
    constant->float_bytes = (uint8_t)bytes;
    constant->bits = parser->token.value ^ (uint64_t)negative << (8 * bytes - 1);
    return ptx_advance(parser);
}

bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_constant *constant)
{
    constant->float_bytes = 0;
    if (parser->token.kind == PTX_TOKEN_FLOAT)
        return parse_float(parser, false, constant);
    if (ptx_accept(parser, '-')) {
        if (parser->token.kind == PTX_TOKEN_FLOAT)
            return parse_float(parser, true, constant);
        if (!parse_unary(parser, 1, &constant->bits))
            return false;
        constant->bits = 0 - constant->bits;
    } else if (!parse_unary(parser, 0, &constant->bits)) {
        return false;
    }
    return parse_operators(parser, LOWEST, 0, &constant->bits);
}

bool ptx_parse_constant_not(struct ptx_parser *parser, struct ptx_constant *constant)
{
    constant->float_bytes = 0;
    if (!parse_unary(parser, 1, &constant->bits))
        return false;
    constant->bits = !constant->bits;
    return parse_operators(parser, LOWEST, 0, &constant->bits);
}

bool ptx_parse_offset(struct ptx_parser *parser, int64_t *value)
{
    uint64_t sum = 0;
    while (ptx_at(parser, '+') || ptx_at(parser, '-')) {
        bool negative = ptx_at(parser, '-');
        uint64_t term;
        if (!ptx_advance(parser) || !parse_unary(parser, 0, &term) ||
            !parse_operators(parser, PRODUCT, 0, &term))
            return false;
        sum += negative ? 0 - term : term;
    }
    *value = (int64_t)sum;
    return true;
}

bool ptx_skip_brackets(struct ptx_parser *parser)
{
    size_t open = 0;
    do {
        if (ptx_at(parser, '(') || ptx_at(parser, '[') || ptx_at(parser, '{'))
            open++;
        else if (open == 0)
            return ptx_fail_expected(parser, "an opening bracket");
        else if (ptx_at(parser, ')') || ptx_at(parser, ']') || ptx_at(parser, '}'))
            open--;
        else if (parser->token.kind == PTX_TOKEN_END || parser->token.kind == PTX_TOKEN_BAD)
            return ptx_fail_expected(parser, "a closing bracket");
        if (!ptx_advance(parser))
            return false;
    } while (open);
    return true;
}
