/* ptx_lexer.c: a hand-written scanner. A dot starts a number (.5) if a digit follows, otherwise a
 * word (.global). Directly after a name or word, a dot always starts a word, as in `tex.2d`. The
 * prefix of a number selects its format: 0x, 0b, 0f, 0d, or 0 for octal (PTX ISA 4.5.1, 4.5.2). */
#include "emulator/ptx/ptx_lexer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DECIMAL_FLOAT = 64 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_character(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static unsigned digit_value(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t length)
{
    lexer->text = lexer->next = text;
    lexer->end = text + length;
    lexer->line = 1;
}

static char peek(const struct ptx_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->next) > ahead ? lexer->next[ahead] : '\0';
}

static bool skip_block_comment(struct ptx_lexer *lexer)
{
    for (lexer->next += 2; lexer->next < lexer->end; lexer->next++) {
        if (*lexer->next == '\n')
            lexer->line++;
        if (*lexer->next == '*' && peek(lexer, 1) == '/') {
            lexer->next += 2;
            return true;
        }
    }
    return false;
}

static bool skip_blank(struct ptx_lexer *lexer)
{
    while (lexer->next < lexer->end) {
        char c = *lexer->next;
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            lexer->line += c == '\n';
            lexer->next++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            const char *newline = memchr(lexer->next, '\n', (size_t)(lexer->end - lexer->next));
            lexer->next = newline ? newline : lexer->end;
        } else if (c == '/' && peek(lexer, 1) == '*') {
            if (!skip_block_comment(lexer))
                return false;
        } else {
            break;
        }
    }
    return true;
}

static void bad(struct ptx_token *token, const char *problem)
{
    token->kind = PTX_TOKEN_BAD;
    token->problem = problem;
}

static void scan_name(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->kind = PTX_TOKEN_NAME;
    do
        lexer->next++;
    while (is_name_character(peek(lexer, 0)));
}

static void scan_word(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->kind = PTX_TOKEN_WORD;
    token->start = ++lexer->next;
    for (;;) {
        while (is_name_character(peek(lexer, 0)))
            lexer->next++;
        if (peek(lexer, 0) != ':' || peek(lexer, 1) != ':' || !is_name_character(peek(lexer, 2)))
            break;
        lexer->next += 2;
    }
}

static bool scan_digits(struct ptx_lexer *lexer, unsigned base, uint64_t *value)
{
    *value = 0;
    for (; digit_value(peek(lexer, 0)) < base; lexer->next++)
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit_value(peek(lexer, 0)), value))
            return false;
    return true;
}

static void scan_float_bits(struct ptx_lexer *lexer, struct ptx_token *token, unsigned bytes)
{
    token->kind = PTX_TOKEN_FLOAT;
    token->float_bytes = (uint8_t)bytes;
    lexer->next += 2;
    const char *digits = lexer->next;
    if (!scan_digits(lexer, 16, &token->value) || lexer->next - digits != 2 * (ptrdiff_t)bytes)
        bad(token, bytes == 4 ? "a 0f constant must have 8 hexadecimal digits"
                              : "a 0d constant must have 16 hexadecimal digits");
}

static size_t decimal_float_length(const struct ptx_lexer *lexer)
{
    size_t length = 0;
    bool is_float = false;
    while (is_digit(peek(lexer, length)))
        length++;
    if (peek(lexer, length) == '.') {
        is_float = true;
        do
            length++;
        while (is_digit(peek(lexer, length)));
    }
    if (peek(lexer, length) == 'e' || peek(lexer, length) == 'E') {
        size_t sign = peek(lexer, length + 1) == '-' || peek(lexer, length + 1) == '+';
        if (is_digit(peek(lexer, length + 1 + sign))) {
            is_float = true;
            for (length += 1 + sign; is_digit(peek(lexer, length));)
                length++;
        }
    }
    return is_float ? length : 0;
}

static void scan_decimal_float(struct ptx_lexer *lexer, struct ptx_token *token, size_t length)
{
    char text[MAX_DECIMAL_FLOAT + 1];
    token->kind = PTX_TOKEN_FLOAT;
    token->float_bytes = 8;
    if (length > MAX_DECIMAL_FLOAT) {
        bad(token, "a floating-point constant is too long");
        return;
    }
    memcpy(text, lexer->next, length);
    text[length] = '\0';
    double value = strtod(text, NULL);
    memcpy(&token->value, &value, sizeof value);
    lexer->next += length;
}

static void scan_integer(struct ptx_lexer *lexer, struct ptx_token *token)
{
    unsigned base = 10;
    token->kind = PTX_TOKEN_INTEGER;
    if (peek(lexer, 0) == '0') {
        char prefix = (char)(peek(lexer, 1) | 0x20);
        base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
        if (base != 8) {
            lexer->next += 2;
            if (digit_value(peek(lexer, 0)) >= base) {
                bad(token, "a constant has no digits");
                return;
            }
        }
    }
    if (!scan_digits(lexer, base, &token->value)) {
        bad(token, "an integer constant does not fit in 64 bits");
        return;
    }
    if (peek(lexer, 0) == 'U')
        lexer->next++;
}

static void scan_number(struct ptx_lexer *lexer, struct ptx_token *token)
{
    char prefix = peek(lexer, 0) == '0' ? (char)(peek(lexer, 1) | 0x20) : '\0';
    size_t float_length = decimal_float_length(lexer);
    if (prefix == 'f')
        scan_float_bits(lexer, token, 4);
    else if (prefix == 'd')
        scan_float_bits(lexer, token, 8);
    else if (float_length)
        scan_decimal_float(lexer, token, float_length);
    else
        scan_integer(lexer, token);
    if (token->kind != PTX_TOKEN_BAD && is_name_character(peek(lexer, 0)))
        bad(token, "a letter follows a number");
}

static void scan_string(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->kind = PTX_TOKEN_STRING;
    token->start = ++lexer->next;
    for (; lexer->next < lexer->end && *lexer->next != '\n'; lexer->next++) {
        if (*lexer->next == '"') {
            token->length = (size_t)(lexer->next++ - token->start);
            return;
        }
        if (*lexer->next == '\\' && lexer->end - lexer->next > 1 && lexer->next[1] != '\n')
            lexer->next++;
    }
    bad(token, "a string has no closing quote");
}

static void scan_punctuation(struct ptx_lexer *lexer, struct ptx_token *token)
{
    char c = *lexer->next;
    if (c == '\0' || !strchr("()[]{},;:+-*/%<>=!~&|^@?.", c)) {
        bad(token, "a character is not valid in PTX");
        return;
    }
    token->kind = PTX_TOKEN_PUNCTUATION;
    token->punctuation = c;
    lexer->next++;
    if ((c == '<' || c == '>') && peek(lexer, 0) == c) {
        token->punctuation = c == '<' ? PTX_SHIFT_LEFT : PTX_SHIFT_RIGHT;
        lexer->next++;
    }
}

struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer)
{
    struct ptx_token token = {.kind = PTX_TOKEN_END};
    bool blank_ends = skip_blank(lexer);
    token.line = lexer->line;
    token.start = lexer->next;
    if (!blank_ends)
        bad(&token, "a comment has no end");
    if (!blank_ends || lexer->next == lexer->end)
        return token;

    const char *start = lexer->next;
    char c = *start;
    bool touches_name = start > lexer->text && is_name_character(start[-1]);
    if (is_letter(c) || c == '_' || c == '$' || (c == '%' && is_name_character(peek(lexer, 1))))
        scan_name(lexer, &token);
    else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)) && !touches_name))
        scan_number(lexer, &token);
    else if (c == '.' && is_name_character(peek(lexer, 1)))
        scan_word(lexer, &token);
    else if (c == '"')
        scan_string(lexer, &token);
    else
        scan_punctuation(lexer, &token);

    if (token.kind == PTX_TOKEN_BAD)
        lexer->next = start; /* The next call returns the same token. */
    else if (token.kind != PTX_TOKEN_STRING)
        token.length = (size_t)(lexer->next - token.start);
    return token;
}
