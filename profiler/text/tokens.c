#define _GNU_SOURCE
#include "text/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DELIMITER_MAX = 16 }; /* maximum length of the delimiter of a raw string (C++17, 5.13.5) */

/* Returns the length of the line continuations at `at`: backslash, optional blanks, line end. */
static size_t joint_length(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && *at == '\\') {
        const char *next = at + 1;
        while (next < end && (*next == ' ' || *next == '\t'))
            next++;
        next += next < end && *next == '\r';
        if (next == end || *next != '\n')
            break;
        at = next + 1;
    }
    return (size_t)(at - begin);
}

static void pass(struct tokens *tokens, size_t length)
{
    for (; length; length--)
        tokens->line += *tokens->at++ == '\n';
}

static void pass_joints(struct tokens *tokens)
{
    pass(tokens, joint_length(tokens->at, tokens->end));
}

static int peek(const struct tokens *tokens)
{
    const char *at = tokens->at + joint_length(tokens->at, tokens->end);
    return at < tokens->end ? (unsigned char)*at : -1;
}

static int take(struct tokens *tokens)
{
    int c = peek(tokens);
    pass_joints(tokens);
    if (c >= 0)
        pass(tokens, 1);
    return c;
}

bool tokens_take(struct tokens *tokens, const char *text)
{
    struct tokens ahead = *tokens;
    for (; *text; text++)
        if (take(&ahead) != (unsigned char)*text)
            return false;
    *tokens = ahead;
    return true;
}

static bool is_blank(int c)
{
    return c == 0 || (c > 0 && isspace(c));
}

static bool is_letter(int c)
{
    return c >= 0x80 || c == '_' || c == '$' || (c > 0 && isalnum(c));
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Read the rest of a quoted text. Returns false if the closing quote is not in the same line. */
static bool read_quoted(struct tokens *tokens, int close, bool has_escapes)
{
    for (int c; (c = peek(tokens)) >= 0 && c != '\n';) {
        take(tokens);
        if (c == close)
            return true;
        if (c == '\\' && has_escapes && peek(tokens) != '\n')
            take(tokens);
    }
    return false;
}

/* Read a raw string, which has no line continuations. Returns false if it is not closed. */
static bool read_raw_string(struct tokens *tokens)
{
    char close[DELIMITER_MAX + 2] = ")";
    const char *at = tokens->at, *end = NULL;
    size_t left = (size_t)(tokens->end - at), length = 0;
    while (length < left && length <= DELIMITER_MAX && !is_blank((unsigned char)at[length]) &&
           !strchr("()\\\"", at[length]))
        length++;
    if (length < left && length <= DELIMITER_MAX && at[length] == '(') {
        memcpy(close + 1, at, length);
        close[length + 1] = '"';
        end = memmem(at + length, left - length, close, length + 2);
    }
    pass(tokens, end ? (size_t)(end - at) + length + 2 : left);
    return end;
}

static void read_number(struct tokens *tokens)
{
    for (int c, last = '0'; (c = peek(tokens)) >= 0; last = c) {
        struct tokens ahead = *tokens;
        take(&ahead);
        bool sign = (c == '+' || c == '-') && strchr("eEpP", last);
        if (!is_letter(c) && c != '.' && !sign && !(c == '\'' && is_letter(peek(&ahead))))
            return;
        *tokens = ahead;
    }
}

static bool read_comment(struct tokens *tokens)
{
    if (tokens_take(tokens, "//")) {
        for (int c; (c = peek(tokens)) >= 0 && c != '\n';)
            take(tokens);
        return true;
    }
    tokens_take(tokens, "/*");
    while (!tokens_take(tokens, "*/"))
        if (take(tokens) < 0)
            return false;
    return true;
}

/* Read a word and, if it is a prefix such as u8R, the string or character after it. */
static void read_word(struct tokens *tokens, struct token *token)
{
    static const char *const raw[] = {"R", "u8R", "uR", "UR", "LR", NULL};
    static const char *const plain[] = {"u8", "u", "U", "L", NULL};
    while (is_letter(peek(tokens)))
        take(tokens);
    token->kind = TOKEN_WORD;
    token->length = (size_t)(tokens->at - token->text);
    int quote = peek(tokens);
    if (quote == '"' && token_is_one_of(*token, raw)) {
        take(tokens);
        token->kind = TOKEN_RAW_STRING;
        token->is_open = !read_raw_string(tokens);
    } else if ((quote == '"' || quote == '\'') && token_is_one_of(*token, plain)) {
        take(tokens);
        token->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
        token->is_open = !read_quoted(tokens, quote, true);
    }
}

static void read_punctuation(struct tokens *tokens)
{
    static const char pairs[][3] = {
        "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->", "::", "++",
        "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (tokens_take(tokens, pairs[i]))
            return;
    take(tokens);
}

static void read_token(struct tokens *tokens, struct token *token)
{
    struct tokens ahead = *tokens;
    int c = take(&ahead), next = peek(&ahead);
    if (c == '/' && (next == '/' || next == '*')) {
        token->kind = TOKEN_COMMENT;
        token->is_open = !read_comment(tokens);
    } else if (tokens->is_fresh && (c == '#' || (c == '%' && next == ':'))) {
        token->kind = TOKEN_DIRECTIVE;
        tokens_take(tokens, c == '#' ? "#" : "%:");
    } else if (tokens->takes_header && (c == '<' || c == '"')) {
        token->kind = TOKEN_HEADER;
        take(tokens);
        token->is_open = !read_quoted(tokens, c == '<' ? '>' : c, false);
    } else if (c == '"' || c == '\'') {
        token->kind = c == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
        take(tokens);
        token->is_open = !read_quoted(tokens, c, true);
    } else if (is_digit(c) || (c == '.' && is_digit(next))) {
        token->kind = TOKEN_NUMBER;
        read_number(tokens);
    } else if (is_letter(c)) {
        read_word(tokens, token);
    } else {
        token->kind = TOKEN_PUNCTUATION;
        read_punctuation(tokens);
    }
}

/* Returns true for the name of a directive such as #include, for __has_include, and for its `(`. */
static bool precedes_header(const struct tokens *tokens, struct token token)
{
    static const char *const asking[] = {"__has_include", "__has_include_next", "__has_embed",
                                         NULL};
    char name[32];
    if (token.kind != TOKEN_WORD)
        return tokens->takes_header && token_is(token, "(");
    token_copy(token, name, sizeof name);
    return tokens->in_name
               ? strstr(name, "include") || strstr(name, "import") || strstr(name, "embed")
               : tokens->in_directive && token_is_one_of(token, asking);
}

struct tokens tokens_of(const char *text, size_t size)
{
    text = text ? text : "";
    return (struct tokens){.at = text, .end = text + size, .line = 1, .is_fresh = true};
}

struct token tokens_next(struct tokens *tokens)
{
    struct token token = {.follows_blank = tokens->is_fresh};
    for (int c; is_blank(c = peek(tokens));) {
        token.follows_blank = true;
        if (c == '\n') {
            tokens->is_fresh = true;
            tokens->in_directive = tokens->in_name = tokens->takes_header = false;
        }
        take(tokens);
    }
    pass_joints(tokens);
    token.text = tokens->at;
    token.line = tokens->line;
    if (tokens->at == tokens->end)
        return token;
    read_token(tokens, &token);
    token.length = (size_t)(tokens->at - token.text);
    token.in_directive = tokens->in_directive;
    tokens->in_directive |= token.kind == TOKEN_DIRECTIVE;
    if (token.kind != TOKEN_COMMENT) {
        tokens->is_fresh = false;
        tokens->takes_header = precedes_header(tokens, token);
        tokens->in_name = token.kind == TOKEN_DIRECTIVE;
    }
    return token;
}

struct token tokens_next_code(struct tokens *tokens)
{
    struct token token;
    bool follows_blank = false;
    while ((token = tokens_next(tokens)).kind == TOKEN_COMMENT)
        follows_blank = true;
    token.follows_blank |= follows_blank;
    return token;
}

struct token tokens_peek_code(const struct tokens *tokens)
{
    struct tokens ahead = *tokens;
    return tokens_next_code(&ahead);
}

bool token_is(struct token token, const char *text)
{
    if (!token.length)
        return !*text;
    const char *at = token.text, *end = at + token.length;
    for (; *text; text++) {
        at += joint_length(at, end);
        if (at == end || *at++ != *text)
            return false;
    }
    return at + joint_length(at, end) == end;
}

bool token_is_one_of(struct token token, const char *const *texts)
{
    while (*texts && !token_is(token, *texts))
        texts++;
    return *texts;
}

char *token_copy(struct token token, char *text, size_t size)
{
    const char *end = token.length ? token.text + token.length : NULL;
    size_t used = 0;
    for (const char *at = token.text; end && (at += joint_length(at, end)) < end && used + 1 < size;
         at++)
        text[used++] = *at;
    text[used] = 0;
    return text;
}

bool token_number(struct token token, unsigned long *value)
{
    char digits[64], *out = digits, *end;
    token_copy(token, digits, sizeof digits);
    for (const char *c = digits; *c; c++)
        if (*c != '\'')
            *out++ = *c;
    *out = 0;
    *value = strtoul(digits, &end, 0);
    return token.kind == TOKEN_NUMBER && token.length < sizeof digits && end != digits &&
           !end[strspn(end, "uUlL")];
}
