#include "text/code_text.h"

#include "text/tokens.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *code_text(const unsigned char *bytes, size_t size)
{
    char *code = malloc(size + 1);
    if (!code)
        return NULL;
    for (size_t i = 0; i < size; i++)
        code[i] = bytes[i] ? (char)bytes[i] : ' ';
    code[size] = 0;
    struct tokens tokens = tokens_of((const char *)bytes, size);
    for (struct token token; (token = tokens_next(&tokens)).kind;)
        if (token.kind == TOKEN_COMMENT)
            code_blank(code + (token.text - (const char *)bytes), token.length);
    return code;
}

void code_blank(char *text, size_t length)
{
    for (; length; text++, length--)
        if (*text != '\n')
            *text = ' ';
}

char *code_replace(const char *text, size_t *bytes, size_t offset, size_t length, const char *by)
{
    size_t more = strlen(by), rest = *bytes - offset - length;
    char *result = malloc(offset + more + rest + 1);
    if (!result)
        return NULL;
    memcpy(result, text, offset);
    memcpy(result + offset, by, more);
    memcpy(result + offset + more, text + offset + length, rest);
    *bytes = offset + more + rest;
    result[*bytes] = 0;
    return result;
}

bool code_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

unsigned code_line(const char *text, const char *at)
{
    unsigned line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

bool text_has_one_of(const char *text, const char *const *phrases)
{
    while (*phrases && !strstr(text, *phrases))
        phrases++;
    return *phrases;
}

enum { INDEX_TOKENS_MAX = 100 }; /* limits the time for a text that consists of brackets */

static bool index_has_comma(struct tokens tokens, struct token *end)
{
    bool comma = false;
    int depth = 0, left = INDEX_TOKENS_MAX;
    while ((*end = tokens_next_code(&tokens)).kind && !token_is(*end, ";") &&
           (depth || !token_is(*end, "]")) && left-- > 0) {
        depth += token_is(*end, "(") || token_is(*end, "[");
        depth -= token_is(*end, ")") || token_is(*end, "]");
        comma |= !depth && token_is(*end, ",");
    }
    return comma && token_is(*end, "]");
}

bool code_describe_comma(const char *text, char *message, size_t size)
{
    struct tokens tokens = tokens_of(text, strlen(text));
    struct token before = {0}, end;
    for (struct token token; (token = tokens_next_code(&tokens)).kind; before = token) {
        /* Skip indexes without a comma, the captures of lambdas, and structured bindings. */
        if (!token_is(token, "[") || token.follows_blank ||
            (before.kind != TOKEN_WORD && before.kind != TOKEN_NUMBER) ||
            !index_has_comma(tokens, &end))
            continue;
        size_t length = (size_t)(end.text + 1 - token.text);
        snprintf(message, size,
                 "line %u: `%.*s` contains a comma operator, so C++ uses only the value after the "
                 "comma. Index an array of rows and columns as [row][column]",
                 token.line, (int)(length > 60 ? 60 : length), token.text);
        return true;
    }
    return false;
}

unsigned code_find_uninitialized(const char *text, char *name, size_t size)
{
    static const char *const types[] = {"int", "unsigned", "float", "double", "size_t", ",", NULL},
                             *const changes[] = {"+=", "-=", "*=", "^=", "|=", "++", NULL};
    struct tokens tokens = tokens_of(text, strlen(text)), rest;
    struct token before = {0}, later;
    unsigned left = 1 << 16;
    for (struct token token; (token = tokens_next_code(&tokens)).kind; before = token) {
        if (token.kind != TOKEN_WORD || !token_is_one_of(before, types) ||
            !token_is(tokens_peek_code(&tokens), ";"))
            continue;
        token_copy(token, name, size);
        for (rest = tokens;
             left && (later = tokens_next_code(&rest)).kind && !token_is(later, name);)
            left--;
        if (left && token_is_one_of(tokens_peek_code(&rest), changes))
            return token.line;
    }
    return 0;
}

enum { WORD_SIZE = 64 };

static size_t word_plain(const char *word, size_t length, char plain[WORD_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++)
        if (isalnum((unsigned char)word[i])) {
            if (used == WORD_SIZE - 1)
                return WORD_SIZE;
            plain[used++] = (char)tolower((unsigned char)word[i]);
        }
    return used;
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* Returns the edit distance (optimal string alignment: an exchange of neighbours is one edit). */
static unsigned word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][WORD_SIZE];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *top = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                top[j - 2] + 1 < row[j])
                row[j] = top[j - 2] + 1;
        }
    }
    return rows[a_length % 3][b_length];
}

bool code_word_is_like(const char *word, size_t length, const char *other, unsigned most)
{
    char plain[WORD_SIZE], goal[WORD_SIZE];
    size_t used = word_plain(word, length, plain),
           goal_used = word_plain(other, strlen(other), goal);
    return used && used < WORD_SIZE && goal_used < WORD_SIZE &&
           word_distance(plain, used, goal, goal_used) <= most;
}

size_t code_definitions(const char *text, size_t size, struct code_definition *found, size_t most)
{
    struct tokens tokens = tokens_of(text, size);
    struct code_definition now = {0};
    bool in_frame = false; /* true between `extern "C"` or a namespace and its brace */
    size_t count = 0;
    unsigned depth = 0;
    for (struct token token; (token = tokens_next_code(&tokens)).kind != TOKEN_END;) {
        if (token.in_directive || token.kind == TOKEN_DIRECTIVE)
            continue;
        if (!now.first)
            now.first = token.line;
        now.is_kernel |= token_is(token, "__global__");
        if (token_is(token, "namespace") || (!depth && token.kind == TOKEN_STRING))
            in_frame = true;
        else if (token.kind == TOKEN_WORD && tokens_peek_code(&tokens).kind == TOKEN_PUNCTUATION)
            in_frame &= token_is(tokens_peek_code(&tokens), "{");
        if (token_is(token, "{") && !(in_frame && !depth))
            depth++;
        else if (token_is(token, "}") && depth > 1)
            depth--;
        else if (token_is(token, "}") && depth == 1 && count < most) {
            now.last = token.line;
            found[count++] = now;
            depth = 0;
            now = (struct code_definition){0};
        } else if (!depth &&
                   (token_is(token, ";") || token_is(token, "{") || token_is(token, "}"))) {
            now = (struct code_definition){0};
        }
    }
    return count;
}
