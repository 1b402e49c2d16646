/* code_text.c: see code_text.h. */
#include "base/code_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *code_text(const unsigned char *bytes, size_t size)
{
    enum { CODE, LINE, BLOCK, QUOTED } state = CODE;
    char *code = malloc(size + 1);
    char quote = 0;
    for (size_t i = 0; code && i < size; i++) {
        char c = (char)bytes[i], next = i + 1 < size ? (char)bytes[i + 1] : 0;
        code[i] = c ? c : ' ';
        switch (state) {
        case CODE:
            if (c == '/' && (next == '/' || next == '*')) {
                state = next == '/' ? LINE : BLOCK;
                code[i] = ' ';
                if (state == BLOCK)
                    code[++i] = ' '; /* so that a lone slash-star-slash does not end it */
            } else if (c == '"' || c == '\'') {
                state = QUOTED;
                quote = c;
            }
            break;
        case QUOTED:
            if (c == '\\' && next && next != '\n')
                code[i + 1] = next, i++;
            else if (c == quote || c == '\n')
                state = CODE;
            break;
        case LINE: /* goes on behind a backslash at its end */
            if (c != '\n')
                code[i] = ' ';
            else if (bytes[i - 1] != '\\')
                state = CODE;
            break;
        case BLOCK:
            if (c != '\n')
                code[i] = ' ';
            if (c == '*' && next == '/') {
                code[++i] = ' ';
                state = CODE;
            }
            break;
        }
    }
    if (code)
        code[size] = 0;
    return code;
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

/* ---- Commas ---- */

bool code_tell_comma(const char *text, char *told, size_t size)
{
    for (const char *at = text; at && *at && (at = strchr(at + 1, '['));) {
        const char *end = at + 1, *comma = NULL;
        for (int depth = 0; *end && *end != ';' && (depth || *end != ']'); end++) {
            depth += (*end == '(' || *end == '[') - (*end == ')' || *end == ']');
            if (*end == ',' && !depth && !comma)
                comma = end;
        }
        /* Neither the captures of a lambda nor a structured binding. */
        if (!comma || *end != ']' || !code_is_word(at[-1]))
            continue;
        snprintf(told, size,
                 "line %u: `%.*s` has a comma, of which C++ takes the last part alone; with two "
                 "indices an array of rows and columns has [row][column]",
                 code_line(text, at), (int)(end + 1 - at > 60 ? 60 : end + 1 - at), at);
        return true;
    }
    return false;
}

/* ---- Likeness ---- */

enum { WORD_SIZE = 64 };

/* Letters and digits alone, small. The length; WORD_SIZE: too long. */
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

/* Levenshtein's distance, in which neighbours that changed places are one mistake, too (optimal
 * string alignment). */
static unsigned word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][WORD_SIZE]; /* by turns: this one, the one before, the one before that */
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

bool code_word_is_like(const char *word, size_t length, const char *wanted, unsigned most)
{
    char plain[WORD_SIZE], goal[WORD_SIZE];
    size_t used = word_plain(word, length, plain),
           goal_used = word_plain(wanted, strlen(wanted), goal);
    return used && used < WORD_SIZE && goal_used < WORD_SIZE &&
           word_distance(plain, used, goal, goal_used) <= most;
}
