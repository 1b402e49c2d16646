/* includes.c: see includes.h. */
#include "text/includes.h"

#include "text/code_text.h"

#include <string.h>

/* Read a directive from its name on. False: it reads no file. */
static bool include_read(struct tokens tokens, struct include *include)
{
    char name[32];
    struct token token = tokens_next_code(&tokens);
    token_copy(token, name, sizeof name);
    if (!token.in_directive || token.kind != TOKEN_WORD ||
        (!strstr(name, "include") && !strstr(name, "import") && !strstr(name, "embed")))
        return false;
    include->line = token.line;
    token = tokens_next_code(&tokens);
    include->form = token.kind == TOKEN_HEADER ? *token.text : 0;
    include->operand = token;
    if (include->form) {
        include->operand.text++;
        include->operand.length -= token.is_open ? 1 : 2;
    } else {
        size_t rest = (size_t)(tokens.end - token.text), length = 0;
        while (token.in_directive && length < rest && !strchr("\r\n", token.text[length]))
            length++;
        include->operand.length = length;
    }
    return true;
}

bool includes_next(struct tokens *tokens, struct include *include)
{
    for (struct token token; (token = tokens_next(tokens)).kind;)
        if (token.kind == TOKEN_DIRECTIVE && include_read(*tokens, include))
            return true;
    return false;
}

bool includes_next_possible(struct tokens *tokens, struct include *include)
{
    while (tokens->at < tokens->end) {
        struct tokens ahead = *tokens;
        char c = *tokens->at;
        if (c == '*' && tokens_take(tokens, "*/")) {
            tokens->is_fresh = true;
            continue;
        }
        if (tokens->is_fresh && c != '\\' &&
            (tokens_take(&ahead, "#") || tokens_take(&ahead, "%:") ||
             tokens_take(&ahead, "\?\?="))) {
            ahead.in_directive = ahead.in_name = true;
            ahead.is_fresh = false;
        }
        tokens->at++;
        tokens->line += c == '\n';
        if (c == '\n' || c == '\r')
            tokens->is_fresh = true;
        else if ((unsigned char)c < 0x80 && c != 0 && !strchr(" \t\v\f", c))
            tokens->is_fresh = false; /* Some compilers accept Unicode blanks. */
        if (ahead.in_name && include_read(ahead, include))
            return true;
    }
    return false;
}

/* ---- Text that no compiler reads ---- */

/* True if compilers read such bytes differently: unusual line ends, trigraphs, blanks after a
 * backslash, and NULs. */
static bool bytes_are_doubtful(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i], next = i + 1 < bytes ? text[i + 1] : 0;
        if (c == 0 || (c == '\r' && next != '\n') || (c == '?' && next == '?') || c == '\f' ||
            c == '\v' || (c == '\\' && (next == ' ' || next == '\t')))
            return true;
    }
    return false;
}

static bool token_has(struct token token, char c)
{
    return memchr(token.text, c, token.length);
}

/* True if compilers may read the token, or the text after it, differently. `is_known`: it is in a
 * directive with the comments and strings of code. `is_skipped`: it follows #if 0. */
static bool token_is_doubtful(struct token token, bool is_known, bool is_skipped)
{
    bool restricted = token.in_directive || is_skipped;
    if (token.is_open || (token.is_joined && memcmp(token.text, "//", 2) != 0))
        return true;
    switch (token.kind) {
    case TOKEN_COMMENT:
        return token.in_directive && !is_known;
    case TOKEN_STRING:
    case TOKEN_CHARACTER:
    case TOKEN_HEADER:
        return token.in_directive && (!is_known || token_has(token, '\\'));
    case TOKEN_RAW_STRING:
        return restricted;
    case TOKEN_DIRECTIVE:
        return token.follows_joint;
    case TOKEN_PUNCTUATION:
        return strchr("\\@`", *token.text) || (*token.text == '#' && !token.in_directive);
    default: /* Bytes that are names to some compilers and blanks to others; separators. */
        if (restricted && token_has(token, '\''))
            return true;
        for (size_t i = 0; i < token.length; i++)
            if ((unsigned char)token.text[i] >= 0x80 || token.text[i] == '$')
                return true;
        return false;
    }
}

/* True if the rest of the directive is 0, perhaps with a comment to the end of the line. */
static bool condition_is_zero(struct tokens tokens)
{
    struct token zero = tokens_next(&tokens), next = tokens_next(&tokens);
    return token_is(zero, "0") && !zero.follows_joint && !zero.is_joined &&
           (!next.in_directive || (next.kind == TOKEN_COMMENT && next.text[1] == '/'));
}

void includes_blank_unread(char *text, size_t bytes)
{
    static const char *const opening[] = {"if", "ifdef", "ifndef", NULL};
    static const char *const known[] = {"define", "undef", "include", "if",    "ifdef",
                                        "ifndef", "elif",  "else",    "endif", NULL};
    struct tokens tokens = tokens_of(text, bytes);
    char *skipped = NULL; /* The start of a skipped group. */
    unsigned depth = 0;   /* Nested #if in it. */
    bool is_known = false, named = false;
    if (bytes_are_doubtful(text, bytes))
        return;
    for (struct token token; (token = tokens_next(&tokens)).kind; named = tokens.in_name) {
        named &= token.in_directive;
        if (named)
            is_known = token_is_one_of(token, known);
        if (token_is_doubtful(token, is_known, skipped) ||
            (named && (token.kind != TOKEN_WORD || token.follows_joint)))
            return;
        if (token.kind == TOKEN_COMMENT || token.kind == TOKEN_RAW_STRING) {
            code_blank(text + (token.text - text), token.length);
        } else if (!named) {
            continue;
        } else if (!skipped && token_is(token, "if") && condition_is_zero(tokens)) {
            skipped = text + (tokens.at - text);
            depth = 0;
        } else if (skipped && token_is_one_of(token, opening)) {
            depth++;
        } else if (skipped && depth) {
            depth -= token_is(token, "endif");
        } else if (skipped && (token_is(token, "endif") || !strncmp(token.text, "el", 2))) {
            code_blank(skipped, (size_t)(token.text - skipped));
            skipped = NULL;
        }
    }
}
