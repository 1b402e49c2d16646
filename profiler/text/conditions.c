/* conditions.c: see conditions.h. Statements are read recursively. All but control statements end
 * at their semicolon or block, so functions and classes need no special rules. */
#include "text/conditions.h"

#include "text/tokens.h"

enum { MAX_DEPTH = 200 }; /* deeper statements are ignored */

struct statement {
    uint32_t first, last;
    bool returns, breaks;
};

struct reader {
    struct tokens tokens;
    struct conditions *conditions;
};

static struct token next(struct reader *reader)
{
    struct token token = tokens_next_code(&reader->tokens);
    while (token.kind == TOKEN_DIRECTIVE || (token.kind && token.in_directive))
        token = tokens_next_code(&reader->tokens);
    return token;
}

static struct token peek(const struct reader *reader)
{
    struct reader ahead = *reader;
    return next(&ahead);
}

static uint32_t read_parentheses(struct reader *reader, uint32_t line)
{
    unsigned depth = 0;
    while (depth || token_is(peek(reader), "(")) {
        struct token token = next(reader);
        depth += token_is(token, "(");
        depth -= token_is(token, ")");
        line = token.line;
        if (!token.kind)
            break;
    }
    return line;
}

static void add(struct conditions *conditions, struct source_condition condition)
{
    if (conditions->count < CONDITIONS_MAX)
        conditions->all[conditions->count++] = condition;
}

static struct statement read_statement(struct reader *reader, unsigned depth);

static struct statement read_block(struct reader *reader, unsigned depth, uint32_t line)
{
    struct statement all = {.first = line, .last = line};
    for (struct token token; (token = peek(reader)).kind;) {
        if (token_is(token, "}")) {
            all.last = next(reader).line;
            break;
        }
        struct statement one = read_statement(reader, depth + 1);
        all.returns |= one.returns;
        all.breaks |= one.breaks;
        all.last = one.last;
    }
    return all;
}

static struct statement read_if(struct reader *reader, unsigned depth, uint32_t line)
{
    if (token_is(peek(reader), "constexpr"))
        next(reader);
    uint32_t end = read_parentheses(reader, line);
    struct statement both = read_statement(reader, depth), other = {0};
    struct source_condition condition = {line,         end,   both.first, both.last,
                                         both.returns, false, false};
    bool has_else = token_is(peek(reader), "else");
    if (has_else) {
        next(reader);
        other = read_statement(reader, depth);
        add(reader->conditions, (struct source_condition){line, end, other.first, other.last,
                                                          other.returns, both.returns, false});
    }
    condition.other_returns = other.returns;
    add(reader->conditions, condition);
    if (both.breaks || other.breaks)
        add(reader->conditions,
            (struct source_condition){.line = line, .line_end = end, .leaves_loop = true});
    both.last = has_else ? other.last : both.last;
    both.returns |= other.returns;
    both.breaks |= other.breaks;
    return both;
}

static struct statement read_loop(struct reader *reader, unsigned depth, struct token word)
{
    size_t before = reader->conditions->count;
    uint32_t line = word.line, end = line;
    bool is_do = token_is(word, "do");
    if (!is_do)
        end = read_parentheses(reader, line);
    struct statement body = read_statement(reader, depth);
    if (is_do) {
        line = next(reader).line;
        end = read_parentheses(reader, line);
    }
    for (size_t i = before; i < reader->conditions->count; i++) {
        struct source_condition *inner = &reader->conditions->all[i];
        if (inner->leaves_loop && !token_is(word, "switch"))
            inner->first = body.first, inner->last = body.last;
        inner->leaves_loop = false;
    }
    add(reader->conditions,
        (struct source_condition){line, end, body.first, body.last, body.returns, false, false});
    body.breaks = false;
    return body;
}

static struct statement read_statement(struct reader *reader, unsigned depth)
{
    static const char *const loops[] = {"for", "while", "switch", "do", NULL};
    struct token token = next(reader);
    struct statement statement = {.first = token.line, .last = token.line};
    unsigned open = 0;
    if (token_is(token, "if") && depth < MAX_DEPTH)
        return read_if(reader, depth + 1, token.line);
    if (token_is_one_of(token, loops) && depth < MAX_DEPTH)
        return read_loop(reader, depth + 1, token);
    for (; token.kind; token = next(reader)) {
        statement.last = token.line;
        statement.returns |= token_is(token, "return");
        statement.breaks |= token_is(token, "break");
        open += token_is(token, "(");
        open -= open && token_is(token, ")");
        if (token_is(token, "{") && depth < MAX_DEPTH) {
            struct statement block = read_block(reader, depth, token.line);
            block.first = statement.first;
            block.returns |= statement.returns;
            statement = block;
            if (!open)
                return statement;
        }
        if ((!open && token_is(token, ";")) || token_is(peek(reader), "}"))
            break;
    }
    return statement;
}

void conditions_read(const char *text, size_t length, struct conditions *conditions)
{
    struct reader reader = {tokens_of(text, length), conditions};
    conditions->count = 0;
    while (peek(&reader).kind)
        read_statement(&reader, 0);
}

static bool has_condition(const struct source_condition *one, uint32_t line)
{
    return line >= one->line && line <= one->line_end;
}

static bool has_line(const struct source_condition *one, uint32_t line)
{
    return line >= one->first && line <= one->last && (line > one->line_end || !one->returns);
}

/* Returns true if threads may return between the first line that `outer` guards and `line`. */
static bool returns_before(const struct conditions *conditions,
                           const struct source_condition *outer, uint32_t line)
{
    for (size_t i = 0; outer->returns && i < conditions->count; i++) {
        const struct source_condition *one = &conditions->all[i];
        if (one->returns && one->line >= outer->first && one->last < line)
            return true;
    }
    return false;
}

bool conditions_guard(const struct conditions *conditions, uint32_t condition, uint32_t line)
{
    bool guards = false;
    for (const struct source_condition *one = conditions->all;
         one < conditions->all + conditions->count && !guards; one++)
        guards = has_condition(one, condition) && has_line(one, line) && !one->other_returns &&
                 !returns_before(conditions, one, line);
    return guards;
}

bool conditions_return(const struct conditions *conditions, uint32_t condition, uint32_t line)
{
    bool returns = false;
    for (const struct source_condition *one = conditions->all;
         one < conditions->all + conditions->count && !returns; one++)
        returns = has_condition(one, condition) && one->returns && !has_line(one, line);
    return returns;
}
