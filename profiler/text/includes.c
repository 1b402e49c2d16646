#include "text/includes.h"

#include <string.h>

/* The directive starts at its name. Returns false if the directive reads no file. */
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
            tokens->is_fresh = false; /* some compilers accept Unicode blanks */
        if (ahead.in_name && include_read(ahead, include))
            return true;
    }
    return false;
}
