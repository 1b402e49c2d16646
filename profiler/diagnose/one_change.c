/* one_change.c: see other_text.h.
 *
 * Theory of operation. Most mistakes are one wrong name, operator or number, or one missing factor.
 * Therefore copies of the kernel, each with one such change, are compiled together in one source
 * and launched in sequence. If a change gives the correct result at all tested sizes, the changed
 * text was the mistake. Likely changes, such as exchanging width and height, are tested first. The
 * text is not parsed as C++. A copy that does not compile is omitted.
 */
#define _GNU_SOURCE
#include "diagnose/other_text.h"

#include "base/paths.h"
#include "base/wording.h"
#include "diagnose/hypotheses.h"
#include "text/code_text.h"
#include "text/tokens.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOKENS_MAX = 3000,
    NAMES_MAX = 64,
    CHANGES_MAX = 1024,
    WORK_MAX = 360000, /* Limit of the number of changes times the number of tokens. */
    BATCH = 64,        /* Number of copies that are compiled together. */
    PLACES_MAX = 8,
    TEXT_MAX = sizeof((struct text_place *)NULL)->text,
};

enum name_type { NAME_INTEGER, NAME_FLOAT, NAME_POINTER, NAME_ARRAY };

struct name {
    struct token token;
    enum name_type type;
    size_t from, to;  /* The name is visible from token `from` to before token `to`. */
    size_t value;     /* The token after the initial value. The name has a value from here on. */
    bool is_constant; /* True for a macro, a constant of the file, or a parameter. */
    bool counts;      /* True for the variable of a loop. */
};

/* Parts of the text with their replacements, and the meaning of the mistake. */
struct change {
    struct text_place places[PLACES_MAX]; /* In the order of the text. */
    unsigned place_count;
    enum finding_id finding;
    char meaning[TEXT_MAX];
};

static const char *const statement_ends[] = {";", "{", "}", NULL}, *const logical_operators[] = {
                                                                       "&&", "||", NULL};

struct search {
    const struct suspect *suspect;
    struct token tokens[TOKENS_MAX]; /* The code up to the end of the kernel. */
    size_t match[TOKENS_MAX];        /* For a bracket: the token of the matching bracket. */
    size_t outer[TOKENS_MAX];        /* The token of the enclosing bracket, or TOKENS_MAX. */
    size_t count, first;             /* Number of tokens; the first token that may change. */
    struct name names[NAMES_MAX];
    unsigned name_count;
    struct change changes[CHANGES_MAX];
    unsigned change_count, change_max;
    enum finding_id finding; /* the finding of the changes that add_change adds */
    bool keeps_swizzle;      /* True if only lines with `^` may be changed. */
    bool is_rotated;         /* True if a macro or an index of the code contains `^` or `%`. */
    char kernel[TEXT_MAX];   /* The kernel's name in the source. */
};

/* ---- Tokens ---- */

static bool is_at(const struct search *s, size_t i, const char *text)
{
    return i < s->count && token_is(s->tokens[i], text);
}

static bool is_any(const struct search *s, size_t i, const char *const *texts)
{
    return i < s->count && token_is_one_of(s->tokens[i], texts);
}

static bool is_word(const struct search *s, size_t i)
{
    return i < s->count && s->tokens[i].kind == TOKEN_WORD;
}

static bool tokens_are_same(struct token a, struct token b)
{
    return a.length == b.length && !memcmp(a.text, b.text, a.length);
}

static bool match_brackets(struct search *s)
{
    size_t open[64], depth = 0;
    for (size_t i = 0; i < s->count; i++) {
        static const char *const opens[] = {"(", "[", "{", NULL}, *const closes[] = {")", "]", "}",
                                                                                     NULL};
        const bool closing = is_any(s, i, closes);
        if (closing && !depth)
            return false;
        depth -= closing;
        s->outer[i] = depth ? open[depth - 1] : TOKENS_MAX;
        s->match[i] = i;
        if (closing)
            s->match[s->match[i] = open[depth]] = i;
        if (!is_any(s, i, opens))
            continue;
        if (depth == sizeof open / sizeof *open)
            return false;
        open[depth++] = i;
    }
    return depth == 0;
}

/* Returns the token at which the scope of a name that is declared at token i ends. */
static size_t scope_end(const struct search *s, size_t i)
{
    const size_t outer = s->outer[i];
    if (outer == TOKENS_MAX)
        return s->count;
    size_t end = s->match[outer];
    if (is_at(s, outer, "{"))
        return end;
    if (is_at(s, end + 1, "{")) /* parameters of a function, or a loop variable */
        return s->match[end + 1];
    while (end < s->count && !is_at(s, end, ";"))
        end = is_at(s, end, "{") ? s->match[end] + 1 : end + 1;
    return end;
}

static void add_name(struct search *s, size_t i, enum name_type type, bool is_constant, bool counts)
{
    if (s->name_count < NAMES_MAX)
        s->names[s->name_count++] =
            (struct name){s->tokens[i], type, i + 1, scope_end(s, i), i + 1, is_constant, counts};
}

/* Add the names of the declaration that begins with the type at token i. */
static void add_declaration(struct search *s, size_t i)
{
    static const char *const types[] = {"int",    "unsigned", "long",     "short",        "size_t",
                                        "auto",   "int32_t",  "uint32_t", "uint64_t",     "int64_t",
                                        "double", "float",    "const",    "__restrict__", NULL},
                             *const reals[] = {"float", "double", NULL},
                             *const stars[] = {"*", "&", NULL}, *const ends[] = {"=", ";", ",",
                                                                                 ")", "[", NULL};
    bool real = is_any(s, i, reals);
    if (!is_any(s, i, types) || (i && is_any(s, i - 1, types)))
        return;
    for (; is_any(s, i, types); i++)
        real |= is_any(s, i, reals);
    const size_t outer = s->outer[i];
    const bool in_list = outer < TOKENS_MAX && is_at(s, outer, "("),
               is_loop = in_list && outer && is_at(s, outer - 1, "for");
    for (;;) {
        bool pointer = false;
        for (; is_any(s, i, stars) || is_any(s, i, types); i++)
            pointer |= is_any(s, i, stars);
        if (!is_word(s, i) || !is_any(s, i + 1, ends))
            return;
        const unsigned added = s->name_count;
        add_name(s, i,
                 pointer                ? NAME_POINTER
                 : is_at(s, i + 1, "[") ? NAME_ARRAY
                 : real                 ? NAME_FLOAT
                                        : NAME_INTEGER,
                 outer == TOKENS_MAX || (in_list && !is_loop), is_loop);
        while (i < s->count && !is_at(s, i, ",") && !is_at(s, i, ";") && !is_at(s, i, ")"))
            i = s->match[i] > i ? s->match[i] + 1 : i + 1;
        if (added < s->name_count)
            s->names[added].value = i;
        if (!is_at(s, i, ",") || (in_list && !is_loop))
            return;
        i++;
    }
}

static bool is_in_scope(const struct name *name, size_t i)
{
    return i >= name->value && i < name->to;
}

/* Returns the declaration of the name at token i, or NULL if the token is not a use of a name. */
static const struct name *name_at(const struct search *s, size_t i)
{
    static const char *const before[] = {".", "->", "::", NULL};
    if (!is_word(s, i) || (i && is_any(s, i - 1, before)) || is_at(s, i + 1, "("))
        return NULL;
    for (unsigned n = s->name_count; n-- > 0;)
        if (is_in_scope(&s->names[n], i) && tokens_are_same(s->tokens[i], s->names[n].token))
            return &s->names[n];
    return NULL;
}

static bool read_code(struct search *s)
{
    const char *code = s->suspect->code;
    struct tokens tokens = tokens_of(code, strlen(code));
    struct code_definition found[32];
    const size_t definitions = code_definitions(code, strlen(code), found, 32);
    unsigned last = 0;
    for (size_t i = 0; i < definitions; i++)
        if (found[i].is_kernel)
            last = found[i].last;
    struct token macro = {0};
    for (struct token token; last && (token = tokens_next_code(&tokens)).kind != TOKEN_END;) {
        if (token.line > last)
            break;
        if (token.in_directive || token.kind == TOKEN_DIRECTIVE) {
            s->is_rotated |= token_is(token, "^") || token_is(token, "%");
            const bool defines = token_is(token, "define");
            const struct token value = tokens_peek_code(&tokens);
            if (macro.length && token.kind == TOKEN_WORD && s->name_count < NAMES_MAX &&
                (value.kind == TOKEN_NUMBER || (token_is(value, "(") && value.follows_blank)))
                s->names[s->name_count++] =
                    (struct name){token, NAME_INTEGER, 0, TOKENS_MAX, 0, true, false};
            macro = defines ? token : (struct token){0};
            continue;
        }
        if (s->count == TOKENS_MAX)
            return false;
        s->tokens[s->count++] = token;
    }
    while (s->first < s->count && s->tokens[s->first].line < (definitions ? found[0].first : 0))
        s->first++;
    if (!last || !match_brackets(s))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        s->is_rotated |= is_at(s, i, "^") || (is_at(s, i, "%") && is_at(s, s->outer[i], "["));
        add_declaration(s, i);
    }
    for (size_t i = s->first; i + 3 < s->count; i++)
        for (unsigned n = 0; n < s->name_count; n++)
            s->names[n].counts |=
                is_at(s, i, "while") && is_at(s, i + 3, "<") && name_at(s, i + 2) == &s->names[n];
    for (size_t i = s->first; i + 1 < s->count; i++)
        if (is_word(s, i) && s->outer[i] == TOKENS_MAX && is_at(s, i + 1, "(") &&
            is_at(s, s->match[i + 1] + 1, "{"))
            token_copy(s->tokens[i], s->kernel, sizeof s->kernel);
    return s->kernel[0];
}

/* ---- Changes ---- */

/* Returns true if the line of the place contains `^`. */
static bool is_swizzle(const struct search *s, const char *at)
{
    while (at > s->tokens[s->first].text && at[-1] != '\n')
        at--;
    return memchr(at, '^', strcspn(at, "\n")) != NULL;
}

/* Returns true if a larger array could hide a wrong index: the place is in a declaration of shared
 * memory, and an index is rotated or permuted. */
static bool hides_rotation(const struct search *s, const char *at)
{
    while (at > s->tokens[s->first].text && !strchr(";{}", at[-1]))
        at--;
    const char *shared = s->is_rotated ? strstr(at, "__shared__") : NULL;
    return shared && (size_t)(shared - at) < strcspn(at, ";");
}

/* Add a change unless the same change was added before. If only one access to the tile is swizzled,
 * omit changes of lines without `^`. Such a change could make the result correct without the
 * swizzle. */
static void add_places(struct search *s, const struct change *change)
{
    if ((s->keeps_swizzle && !is_swizzle(s, change->places[0].at)) ||
        hides_rotation(s, change->places[0].at))
        return;
    for (unsigned c = 0; c < s->change_count; c++)
        if (s->changes[c].place_count == change->place_count &&
            !memcmp(s->changes[c].places, change->places, sizeof change->places))
            return;
    if (s->change_count < s->change_max && s->change_count * (s->count - s->first) < WORK_MAX)
        s->changes[s->change_count++] = *change;
}

/* Returns true if the text is not a name, or a name that is visible at token i. */
static bool is_visible(const struct search *s, const char *text, size_t i)
{
    bool is_name = false;
    for (unsigned n = 0; n < s->name_count; n++)
        if (token_is(s->names[n].token, text)) {
            if (is_in_scope(&s->names[n], i))
                return true;
            is_name = true;
        }
    return !is_name;
}

/* Returns the type of the variable that the operator at token i changes, or -1. */
static int changed_type(const struct search *s, size_t i)
{
    static const char *const operators[] = {"+=", "-=", NULL};
    const struct name *name = i && is_any(s, i, operators) ? name_at(s, i - 1) : NULL;
    return name ? (int)name->type : -1;
}

/* Returns true if tokens a and b are the same, and so are the tokens before and after them. If both
 * are right sides of += or -=, the variables must also have the same type. */
static bool are_alike(const struct search *s, size_t a, size_t b)
{
    return tokens_are_same(s->tokens[a], s->tokens[b]) && a && b &&
           tokens_are_same(s->tokens[a - 1], s->tokens[b - 1]) && a + 1 < s->count &&
           changed_type(s, a - 1) == changed_type(s, b - 1) && b + 1 < s->count &&
           tokens_are_same(s->tokens[a + 1], s->tokens[b + 1]);
}

/* Returns true if operands a and b are the same and follow the same word and operator. Operators /
 * and % count as the same, and so do + and -. */
static bool are_operands_alike(const struct search *s, size_t a, size_t b)
{
    static const char *const divisions[] = {"/", "%", NULL}, *const signs[] = {"+", "-", NULL};
    return a > 1 && b > 1 && tokens_are_same(s->tokens[a], s->tokens[b]) && is_word(s, a - 2) &&
           tokens_are_same(s->tokens[a - 2], s->tokens[b - 2]) &&
           (tokens_are_same(s->tokens[a - 1], s->tokens[b - 1]) ||
            (is_any(s, a - 1, divisions) && is_any(s, b - 1, divisions)) ||
            (is_any(s, a - 1, signs) && is_any(s, b - 1, signs)));
}

/* Returns true if the statement of token i tests a remainder. Such a test selects vector accesses.
 * A change of the test could disable these accesses, and then hides a mistake in them. */
static bool tests_remainder(const struct search *s, size_t i)
{
    bool divides = false, compares = false;
    while (i > s->first && !is_any(s, i - 1, statement_ends))
        i--;
    for (; i < s->count && !is_any(s, i, statement_ends); i++) {
        divides |= is_at(s, i, "%") || is_at(s, i, "&");
        compares |= is_at(s, i, "==");
    }
    return divides && compares;
}

/* If token i is part of an index, returns the token of the indexed name; otherwise TOKENS_MAX. The
 * size in a declaration is no index. */
static size_t indexed_name(const struct search *s, size_t i)
{
    const size_t bracket = s->outer[i];
    bool is_size = bracket == TOKENS_MAX || !is_at(s, bracket, "[") || !is_word(s, bracket - 1);
    for (unsigned n = 0; n < s->name_count; n++)
        is_size |= s->names[n].from == bracket;
    return is_size ? TOKENS_MAX : bracket - 1;
}

/* Returns true if tokens a and b are the same, and are part of indices of the same name. */
static bool are_indices_alike(const struct search *s, size_t a, size_t b)
{
    const size_t one = indexed_name(s, a), other = indexed_name(s, b);
    return one < TOKENS_MAX && other < TOKENS_MAX && tokens_are_same(s->tokens[a], s->tokens[b]) &&
           tokens_are_same(s->tokens[one], s->tokens[other]);
}

/* Returns true if tokens a and b are the same, and both follow a comparison. */
static bool are_bounds_alike(const struct search *s, size_t a, size_t b)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", NULL};
    return a && b && tokens_are_same(s->tokens[a], s->tokens[b]) && is_any(s, a - 1, comparisons) &&
           is_any(s, b - 1, comparisons);
}

static void add_place(const struct search *s, struct change *change, size_t i, size_t j,
                      const char *text)
{
    struct text_place *place = &change->places[change->place_count++];
    place->at = s->tokens[i].text;
    place->end = s->tokens[j].text + s->tokens[j].length;
    snprintf(place->text, sizeof place->text, "%s", text);
}

/* Returns true if replacing token i makes no sense: the row and the column of an index, or both
 * operands of a division, would be equal; token i is the divisor in the size of an array; or token
 * i is the warp size in an exercise in which each warp has its own sum or counts. */
static bool is_senseless(const struct search *s, size_t i, const char *name)
{
    static const char *const divisions[] = {"/", "%", NULL};
    const bool squares = (is_at(s, i + 1, "*") && is_at(s, i + 2, name)) ||
                         (i > 1 && is_at(s, i - 1, "*") && is_at(s, i - 2, name));
    for (unsigned n = 0; squares && n < s->name_count; n++)
        if (s->names[n].to == TOKENS_MAX && token_is(s->names[n].token, name))
            return true; /* the square of a macro may be equal to another macro by chance */
    if (is_any(s, i + 1, divisions) && is_at(s, i + 2, name))
        return true;
    if (!s->suspect->is_map && is_at(s, i, "32") && i && is_any(s, i - 1, divisions))
        return true;
    if (i > 1 && is_any(s, i - 1, divisions) &&
        (is_at(s, i - 2, name) || (is_at(s, s->outer[i], "[") && indexed_name(s, i) == TOKENS_MAX)))
        return true;
    return (is_at(s, i + 1, "*") && is_at(s, i + 3, "+") && is_at(s, i + 4, name)) ||
           (i > 4 && is_at(s, i - 1, "+") && is_at(s, i - 3, "*") && is_at(s, i - 4, name));
}

/* Add a change of the tokens from i to j. If token i is changed alone, also add the change of all
 * tokens like it. */
__attribute__((format(printf, 5, 6))) static void
add_change(struct search *s, size_t i, size_t j, const char *text, const char *meaning, ...)
{
    struct change change = {.finding = s->finding};
    va_list arguments;
    if (strlen(text) >= TEXT_MAX || (i == j && is_senseless(s, i, text)))
        return;
    va_start(arguments, meaning);
    vsnprintf(change.meaning, sizeof change.meaning, meaning, arguments);
    va_end(arguments);
    add_place(s, &change, i, j, text);
    add_places(s, &change);
    static bool (*const alike[])(const struct search *s, size_t a, size_t b) = {
        are_alike, are_operands_alike, are_indices_alike, are_bounds_alike};
    for (size_t a = 0; a < sizeof alike / sizeof *alike; a++) {
        change.place_count = 0;
        memset(change.places, 0, sizeof change.places);
        for (size_t k = s->first; i == j && k < s->count && change.place_count < PLACES_MAX; k++)
            if (alike[a](s, i, k) && is_visible(s, text, k) && (k == i || !tests_remainder(s, k)))
                add_place(s, &change, k, k, text);
        if (change.place_count > 1)
            add_places(s, &change);
    }
}

/* Exchange the tokens from a to a_end with those from b to b_end, which follow. */
static void add_exchange(struct search *s, size_t a, size_t a_end, size_t b, size_t b_end,
                         const char *meaning)
{
    char text[TEXT_MAX];
    const char *one = s->tokens[a].text, *one_end = s->tokens[a_end].text + s->tokens[a_end].length,
               *other = s->tokens[b].text,
               *other_end = s->tokens[b_end].text + s->tokens[b_end].length;
    if (snprintf(text, sizeof text, "%.*s%.*s%.*s", (int)(other_end - other), other,
                 (int)(other - one_end), one_end, (int)(one_end - one), one) < TEXT_MAX)
        add_change(s, a, b_end, text, "%s", meaning);
}

/* Returns true for names that are often confused: they differ in one letter or contain `twins`.
 * Only some pairs of names of one letter are often confused. */
static bool are_twins(struct token a, struct token b)
{
    static const char *const twins[][2] = {
        {"width", "height"}, {"row", "col"},  {"in", "out"},     {"src", "dst"}, {"across", "down"},
        {"row", "column"},   {"DIM", "ROWS"}, {"left", "right"}, {"up", "down"}};
    size_t before = 0, after = 0;
    const size_t least = a.length < b.length ? a.length : b.length;
    while (before < least && a.text[before] == b.text[before])
        before++;
    while (after < least - before && a.text[a.length - 1 - after] == b.text[b.length - 1 - after])
        after++;
    const size_t left = a.length - before - after, right = b.length - before - after;
    if (a.length == 1 && b.length == 1) {
        for (const char *pair = "xywhrcijikjkmnuvabst"; *pair; pair += 2)
            if ((*a.text == pair[0] && *b.text == pair[1]) ||
                (*a.text == pair[1] && *b.text == pair[0]))
                return true;
        return false;
    }
    if (left <= 1 && right <= 1)
        return true;
    for (size_t t = 0; t < sizeof twins / sizeof *twins; t++)
        for (int k = 0; k < 2; k++)
            if (memmem(a.text, a.length, twins[t][k], strlen(twins[t][k])) &&
                memmem(b.text, b.length, twins[t][!k], strlen(twins[t][!k])))
                return true;
    return false;
}

/* Returns the last token of the operand after the operator at token i. */
static size_t right_end(const struct search *s, size_t i)
{
    static const char *const ends[] = {"]", ")", ",", ";", NULL};
    while (i + 1 < s->count && !is_any(s, i + 1, ends))
        i = is_at(s, i + 1, "(") || is_at(s, i + 1, "[") ? s->match[i + 1] : i + 1;
    return i;
}

/* Replace the right operand of the `^` at token i by the right operand of another `^`. */
static void change_xor(struct search *s, size_t i)
{
    char text[TEXT_MAX];
    for (size_t k = s->first; k < s->count && is_at(s, i, "^"); k++) {
        const size_t end = right_end(s, k);
        if (k != i && is_at(s, k, "^") && end > k && right_end(s, i) > i &&
            snprintf(text, sizeof text, "%.*s",
                     (int)(s->tokens[end].text + s->tokens[end].length - s->tokens[k + 1].text),
                     s->tokens[k + 1].text) < TEXT_MAX)
            add_change(s, i + 1, right_end(s, i), text,
                       "the other access to the tile has another operand of `^`");
    }
}

/* Replace a number by the number of a similar expression. Beside both numbers, these expressions
 * have the same name and the same operator (`*`, `/` or `%`). */
static void change_to_similar(struct search *s, size_t i)
{
    static const char *const factors[] = {"*", "/", "%", NULL};
    char text[TEXT_MAX];
    for (size_t k = s->first + 2; k + 2 < s->count && i > 1 && i + 2 < s->count; k++) {
        const struct token a = s->tokens[i], b = s->tokens[k];
        const bool before = is_any(s, i - 1, factors) && is_word(s, i - 2) &&
                            tokens_are_same(s->tokens[i - 1], s->tokens[k - 1]) &&
                            tokens_are_same(s->tokens[i - 2], s->tokens[k - 2]),
                   after = is_any(s, i + 1, factors) && is_word(s, i + 2) &&
                           tokens_are_same(s->tokens[i + 1], s->tokens[k + 1]) &&
                           tokens_are_same(s->tokens[i + 2], s->tokens[k + 2]);
        if ((before || after) && a.kind == TOKEN_NUMBER && b.kind == TOKEN_NUMBER &&
            !tokens_are_same(a, b) && !tests_remainder(s, i))
            add_change(s, i, i, token_copy(b, text, sizeof text),
                       "%.*s differs from the %s of similar expressions", (int)a.length, a.text,
                       text);
    }
}

/* Replace a name by its quotient or remainder if another expression has the remainder or the
 * quotient of this name. */
static void change_to_quotient(struct search *s, size_t i)
{
    static const char *const divisions[] = {"/", "%", NULL};
    char text[TEXT_MAX];
    for (size_t k = s->first; k + 2 < s->count && name_at(s, i); k++)
        if (is_any(s, k + 1, divisions) && tokens_are_same(s->tokens[k], s->tokens[i]) &&
            is_word(s, k + 2) && !is_any(s, i + 1, divisions) && !is_any(s, i - 1, divisions) &&
            !is_at(s, i + 1, "=")) {
            snprintf(text, sizeof text, "(%.*s %c %.*s)", (int)s->tokens[i].length,
                     s->tokens[i].text, is_at(s, k + 1, "/") ? '%' : '/',
                     (int)s->tokens[k + 2].length, s->tokens[k + 2].text);
            add_change(s, i, i, text, "a division or a remainder is missing here");
        }
}

static void change_names(struct search *s, size_t i, bool twins)
{
    const struct name *name = name_at(s, i);
    static const char *const assignments[] = {"=", "+=", "-=", "*=", "/=", NULL};
    char text[TEXT_MAX];
    if (!name || name->type == NAME_ARRAY || is_any(s, i + 1, assignments))
        return;
    s->finding = FINDING_TILE_PITCH;
    for (int more = 1; more <= 2; more++)
        if (twins && name->is_constant && indexed_name(s, i) < TOKENS_MAX &&
            !strchr(s->suspect->code, '^')) { /* a larger array would hide a wrong operand of ^ */
            snprintf(text, sizeof text, "(%.*s + %d)", (int)name->token.length, name->token.text,
                     more);
            add_change(s, i, i, text, "a row of the array has more elements than this constant");
        }
    s->finding = FINDING_EXPRESSION;
    for (unsigned n = s->name_count; n-- > 0;) {
        const struct name *other = &s->names[n];
        if (other->type == name->type && is_in_scope(other, i) &&
            !tokens_are_same(other->token, name->token) &&
            are_twins(other->token, name->token) == twins &&
            (twins || (other->is_constant == name->is_constant && !name->counts && !other->counts)))
            add_change(s, i, i, token_copy(other->token, text, sizeof text),
                       "`%.*s` is the wrong name here", (int)name->token.length, name->token.text);
        if (twins && i && is_at(s, i - 1, "<") && other->to == TOKENS_MAX &&
            are_twins(other->token, name->token)) {
            snprintf(text, sizeof text, "%.*s / %.*s", (int)other->token.length, other->token.text,
                     (int)name->token.length, name->token.text);
            add_change(s, i, i, text, "the limit of this loop must be the number of iterations");
        }
    }
}

/* Exchange two members of a variable, such as v.x and v.y. */
static void exchange_members(struct search *s, size_t a, size_t b)
{
    if (is_at(s, a - 1, ".") && is_at(s, b - 1, ".") && s->tokens[a].length == 1 &&
        s->tokens[b].length == 1 && tokens_are_same(s->tokens[a - 2], s->tokens[b - 2]) &&
        !tokens_are_same(s->tokens[a], s->tokens[b]))
        add_exchange(s, a, a, b, b, "two members are exchanged");
}

/* Exchange two names in the tokens from `i` to before `end`. */
static void exchange_between(struct search *s, size_t i, size_t end)
{
    for (size_t a = i; a < end; a++)
        for (size_t b = a + 1; b < end; b++) {
            exchange_members(s, a, b);
            const struct name *one = name_at(s, a), *other = name_at(s, b);
            char text[TEXT_MAX] = "";
            size_t length = 0;
            if (!one || !other || one == other || one->type != other->type ||
                is_at(s, a + 1, "=") || is_at(s, b + 1, "=") ||
                !are_twins(one->token, other->token))
                continue;
            for (size_t k = i; k < end && length < TEXT_MAX; k++) {
                const struct name *name = name_at(s, k);
                const struct token token = name == one     ? other->token
                                           : name == other ? one->token
                                                           : s->tokens[k];
                length += (size_t)snprintf(text + length, TEXT_MAX - length, "%s%.*s",
                                           k > i && s->tokens[k].follows_blank ? " " : "",
                                           (int)token.length, token.text);
            }
            if (length < TEXT_MAX)
                add_change(s, i, end - 1, text, "`%.*s` and `%.*s` are exchanged",
                           (int)one->token.length, one->token.text, (int)other->token.length,
                           other->token.text);
        }
}

/* Exchange two names in the index, the condition, or the one or two statements at token i. */
static void exchange_names(struct search *s, size_t i)
{
    size_t end = i;
    if (is_at(s, i, "[") || (i && is_at(s, i, "(") && is_at(s, i - 1, "if")))
        exchange_between(s, i + 1, s->match[i]);
    if ((i && !is_any(s, i - 1, statement_ends)) || !is_at(s, s->outer[i], "{"))
        return;
    for (int statements = 0; statements < 2 && end < s->count; statements++, end++) {
        while (end < s->count && !is_any(s, end, statement_ends))
            end++;
        if (end > i && end < s->count)
            exchange_between(s, i, end);
        if (!is_at(s, end, ";"))
            return;
    }
}

/* Replace threadIdx.x or blockIdx.x by a variable that is computed from it. If such a variable is
 * compared by ==, replace it by threadIdx. */
static void replace_index(struct search *s, size_t i)
{
    char text[TEXT_MAX];
    const struct name *name = is_at(s, i + 1, "==") ? name_at(s, i) : NULL;
    for (size_t k = name ? name->from : 0; name && !name->is_constant && k + 2 < name->value; k++)
        if (is_at(s, k, "threadIdx") && is_at(s, k + 1, ".")) {
            snprintf(text, sizeof text, "threadIdx.%.1s", s->tokens[k + 2].text);
            add_change(s, i, i, text, "the index of the thread in its block is required");
        }
    for (unsigned n = 0; n < s->name_count && is_at(s, i + 1, "."); n++)
        for (size_t k = s->names[n].from;
             is_at(s, s->names[n].from, "=") && k + 2 < i && is_in_scope(&s->names[n], i) &&
             !is_at(s, k, ";") && !is_at(s, k, ",");
             k++)
            if (is_at(s, k + 1, ".") && tokens_are_same(s->tokens[k], s->tokens[i]) &&
                tokens_are_same(s->tokens[k + 2], s->tokens[i + 2]))
                add_change(s, i, i + 2, token_copy(s->names[n].token, text, sizeof text),
                           "a variable that is computed from this index is required");
}

/* Change components, built-in variables and functions: threadIdx.x, v.w, __shfl_up_sync. */
static void change_built_ins(struct search *s, size_t i)
{
    static const char *const components[] = {"x", "y", "z", "w", NULL},
                             *const names[][2] = {{"threadIdx", "blockIdx"},
                                                  {"blockIdx", "threadIdx"},
                                                  {"blockDim", "gridDim"},
                                                  {"gridDim", "blockDim"},
                                                  {"__shfl_up_sync", "__shfl_down_sync"},
                                                  {"__shfl_down_sync", "__shfl_up_sync"},
                                                  {"__shfl_up_sync", "__shfl_xor_sync"},
                                                  {"__syncwarp", "__syncthreads"},
                                                  {"min", "max"},
                                                  {"max", "min"}};
    bool is_built_in = false;
    for (size_t b = 0; b < sizeof names / sizeof *names; b++) {
        is_built_in |= i > 1 && is_at(s, i - 2, names[b][0]);
        if (is_at(s, i, names[b][0]))
            add_change(s, i, i, names[b][1], "`%s` is the wrong name here", names[b][0]);
    }
    if (!i || !is_at(s, i - 1, ".") || !is_any(s, i, components))
        return;
    for (unsigned c = 0; c < (is_built_in ? 2 : 4); c++)
        if (!is_at(s, i, components[c]) &&
            !(is_built_in && c && other_text_is_constant(s->suspect, s->tokens[i - 2].text)))
            add_change(s, i, i, components[c], "`.%.*s` is the wrong component here",
                       (int)s->tokens[i].length, s->tokens[i].text);
}

/* Returns true if the quotient of the operands of token i is also computed. */
static bool has_quotient(const struct search *s, size_t i)
{
    size_t k = s->first + 1;
    while (k + 1 < s->count &&
           !(is_at(s, k, "/") && tokens_are_same(s->tokens[k - 1], s->tokens[i - 1]) &&
             tokens_are_same(s->tokens[k + 1], s->tokens[i + 1])))
        k++;
    return k + 1 < s->count;
}

static void change_operators(struct search *s, size_t i)
{
    static const char *const operators[][2] = {
        {"/", "%"},   {"%", "/"},  {"+", "-"},   {"-", "+"},   {"<", "<="},  {"<=", "<"},
        {">", ">="},  {">=", ">"}, {"==", "!="}, {"!=", "=="}, {"&&", "||"}, {"||", "&&"},
        {"*", "/"},   {"*", "+"},  {"+", "*"},   {"<", ">"},   {">", "<"},   {"==", "<"},
        {"&", "%"},   {"&", "&&"}, {"<<", ">>"}, {">>", "<<"}, {"+=", "-="}, {"==", ">="},
        {"^", "+"},   {"!=", "<"}, {"=", "+="},  {"+=", "="},  {"/=", "-="}, {"*=", "+="},
        {"+=", "*="}, {"/", "*"}};
    static const char *const casts[] = {"reinterpret_cast", "static_cast", "template", "const_cast",
                                        NULL},
                             *const divisions[] = {"/", "%", NULL};
    const bool is_binary = i && (is_word(s, i - 1) || s->tokens[i - 1].kind == TOKEN_NUMBER ||
                                 is_at(s, i - 1, ")") || is_at(s, i - 1, "]"));
    const bool is_pointer = is_at(s, i, "*") && (is_at(s, i + 1, ")") || is_at(s, i + 1, ">"));
    if (s->tokens[i].kind != TOKEN_PUNCTUATION || !is_binary || is_any(s, i - 1, casts) ||
        is_pointer || (is_at(s, i, "=") && !name_at(s, i - 1)))
        return;
    for (size_t o = 0; o < sizeof operators / sizeof *operators; o++)
        /* Do not divide a quotient or a remainder: `a % b / c` is usually 0. A second quotient
         * makes the row and the column of a tile equal, or removes the diagonal order. */
        if (is_at(s, i, operators[o][0]) &&
            !(*operators[o][1] == '/' &&
              ((i > 1 && is_any(s, i - 2, divisions)) || (is_at(s, i, "%") && has_quotient(s, i)))))
            add_change(s, i, i, operators[o][1], "`%s` is the wrong operator here",
                       operators[o][0]);
}

static void change_numbers(struct search *s, size_t i)
{
    unsigned long value;
    char text[TEXT_MAX];
    if (!token_number(s->tokens[i], &value) || value > 1 << 16)
        return;
    const unsigned long others[] = {value + 1, value ? value - 1 : 1, value / 2, 2 * value,
                                    value + 3};
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        if (others[o] != value) {
            snprintf(text, sizeof text, "%lu", others[o]);
            add_change(s, i, i, text, "%lu is the wrong number here", value);
        }
}

/* Add an operation to the end of the expression from token i to j, or apply it to the whole. */
static void add_operation(struct search *s, size_t i, size_t j, const char *operation,
                          const char *operand)
{
    static const char *const factors[] = {"*", "/", "%", NULL};
    char text[2 * TEXT_MAX];
    const char *at = s->tokens[i].text;
    const int length = (int)(s->tokens[j].text + s->tokens[j].length - at);
    const bool is_single = i == j;
    snprintf(text, sizeof text,
             is_single && i && is_any(s, i - 1, factors) ? "(%.*s %s %s)"
             : is_single                                 ? "%.*s %s %s"
                                                         : "(%.*s) %s %s",
             length < TEXT_MAX ? length : TEXT_MAX, at, operation, operand);
    add_change(s, i, j, text, "%s is missing here",
               *operation == '*'   ? "a factor"
               : *operation == '/' ? "a division"
               : *operation == '%' ? "a remainder (`%`)"
                                   : "an offset");
}

static bool changes_integer(const struct search *s, size_t i)
{
    const struct name *name = name_at(s, i - 1);
    for (unsigned n = 0; !name && n < s->name_count; n++)
        if (s->names[n].from == i)
            name = &s->names[n];
    return name && (name->type == NAME_INTEGER || !is_at(s, i, "="));
}

/* Returns true if the name is declared with a quotient, such as a number of tiles. */
static bool is_quotient(const struct search *s, const struct name *name)
{
    bool divides = false;
    for (size_t k = name->from; k < name->value && is_at(s, name->from, "="); k++)
        divides |= is_at(s, k, "/") || is_at(s, k, "lab_ceil_div");
    return divides && name->type == NAME_INTEGER;
}

/* Returns true if the text from token a to token a_end also begins at token b. */
static bool are_texts_alike(const struct search *s, size_t a, size_t a_end, size_t b)
{
    size_t n = 0;
    while (a + n <= a_end && b + n < s->count &&
           tokens_are_same(s->tokens[a + n], s->tokens[b + n]))
        n++;
    return a + n > a_end;
}

/* Returns the last token of the operand at token i: a name, or a coordinate such as threadIdx.x.
 * Returns TOKENS_MAX if token i is no operand that may have an offset. */
static size_t operand_end(const struct search *s, size_t i)
{
    static const char *const ends[] = {"]", ")", "*", "<", ";", NULL};
    const struct name *name = name_at(s, i);
    const bool is_thread = is_at(s, i, "threadIdx") && i + 2 < s->count;
    const size_t end = is_thread ? i + 2 : i;
    return (is_thread ||
            (name && name->type == NAME_INTEGER && !name->counts && !name->is_constant)) &&
                   is_any(s, end + 1, ends)
               ? end
               : TOKENS_MAX;
}

static bool is_in_index(const struct search *s, size_t i)
{
    size_t bracket = s->outer[i];
    while (bracket < TOKENS_MAX && is_at(s, bracket, "("))
        bracket = s->outer[bracket];
    return bracket < TOKENS_MAX && is_at(s, bracket, "[");
}

/* Returns true if token i is part of an index, or of the initial value of a name in an index. */
static bool is_for_index(const struct search *s, size_t i)
{
    size_t k = i;
    while (k > s->first && !is_any(s, k, statement_ends) && !is_at(s, k, "="))
        k--;
    if (is_in_index(s, i) || !is_at(s, k, "=") || !is_word(s, k - 1) || !is_word(s, k - 2))
        return is_in_index(s, i);
    for (size_t use = i; use < s->count; use++)
        if (tokens_are_same(s->tokens[use], s->tokens[k - 1]) && is_in_index(s, use))
            return true;
    return false;
}

/* Add the variable of a loop to the operand of an index at token i. One change moves the variable
 * from another operand of an index in the same statement. Two changes insert the variable: here
 * only, or here and in all equal indices. */
static void change_offset(struct search *s, size_t i)
{
    const size_t i_end = operand_end(s, i);
    size_t from = i, to = i;
    if (i_end == TOKENS_MAX || !is_for_index(s, i))
        return;
    while (from > s->first && !is_any(s, from - 1, statement_ends))
        from--;
    while (to < s->count && !is_any(s, to, statement_ends))
        to++;
    for (unsigned n = 0; n < s->name_count; n++) {
        const struct name *name = &s->names[n];
        char text[TEXT_MAX], loop[TEXT_MAX];
        token_copy(name->token, loop, sizeof loop);
        if (!name->counts || !is_in_scope(name, i) ||
            snprintf(text, sizeof text, is_at(s, i_end + 1, "*") ? "(%.*s + %s)" : "%.*s + %s",
                     (int)(s->tokens[i_end].text + s->tokens[i_end].length - s->tokens[i].text),
                     s->tokens[i].text, loop) >= TEXT_MAX)
            continue;
        for (size_t k = from; k + 1 < to; k++) {
            struct change moved = {.finding = FINDING_STEP_MISPLACED,
                                   .meaning = "the loop offset is added to the wrong operand"};
            if (!is_at(s, k, "+") || name_at(s, k + 1) != name || !is_in_index(s, k))
                continue;
            if (k < i)
                add_place(s, &moved, k, k + 1, "");
            add_place(s, &moved, i, i_end, text);
            if (k > i)
                add_place(s, &moved, k, k + 1, "");
            add_places(s, &moved);
        }
        for (int all = 0; all < 2; all++) {
            struct change missing = {.finding = FINDING_STEP_MISSING,
                                     .meaning = "the loop offset is missing here"};
            for (size_t k = s->first; k < s->count && missing.place_count < PLACES_MAX; k++)
                if (k == i || (all && s->outer[k] < TOKENS_MAX && is_at(s, s->outer[k], "[") &&
                               are_texts_alike(s, i, i_end + 1, k) && is_visible(s, loop, k)))
                    add_place(s, &missing, k, k + i_end - i, text);
            add_places(s, &missing);
        }
    }
}

/* Apply `%` to a sum in parentheses that is a factor, and to all equal sums. The divisor is a
 * quotient, such as a number of tiles. */
static void add_remainder(struct search *s, size_t i)
{
    char text[TEXT_MAX];
    const size_t end = s->match[i];
    if (!is_at(s, i, "(") || !is_at(s, end + 1, "*") || !is_word(s, i + 1) || !is_at(s, i + 2, "+"))
        return;
    for (unsigned n = 0; n < s->name_count; n++) {
        const struct name *name = &s->names[n];
        struct change change = {.finding = FINDING_EXPRESSION,
                                .meaning = "a remainder (`%`) is missing here"};
        if (!is_in_scope(name, i) || !is_quotient(s, name) ||
            snprintf(text, sizeof text, "(%.*s %% %.*s)",
                     (int)(s->tokens[end].text + 1 - s->tokens[i].text), s->tokens[i].text,
                     (int)name->token.length, name->token.text) >= TEXT_MAX)
            continue;
        for (size_t k = s->first; k < s->count && change.place_count < PLACES_MAX; k++)
            if (are_texts_alike(s, i, end, k) && is_in_scope(name, k))
                add_place(s, &change, k, k + end - i, text);
        add_places(s, &change);
    }
}

/* Apply an operation to the expression after token i: an index, or a value that is assigned. */
static void change_expression(struct search *s, size_t i)
{
    static const char *const ends[] = {";", "]", ")", ",", NULL}, *const starts[] = {
                                                                      "=", "+=", "-=", "[", NULL};
    const bool is_index = is_at(s, i, "["), is_value = is_at(s, i, "=");
    bool has_factor = false, is_size = false;
    char name[TEXT_MAX];
    size_t end = i + 1;
    add_remainder(s, i);
    if (!is_any(s, i, starts) || (!is_index && !changes_integer(s, i)))
        return;
    while (end < s->count && !is_any(s, end, ends)) {
        has_factor |= is_at(s, end, "*");
        end = s->match[end] > end ? s->match[end] + 1 : end + 1;
    }
    if (end >= s->count || end == i + 1 || s->tokens[end - 1].kind == TOKEN_NUMBER)
        return;
    for (unsigned n = 0; n < s->name_count; n++) {
        const struct name *other = &s->names[n];
        is_size |= is_index && other->from == i;
        if (other->type != NAME_INTEGER || other->counts || !is_in_scope(other, i))
            continue;
        token_copy(other->token, name, sizeof name);
        if (other->is_constant && !is_index && !has_factor)
            add_operation(s, i + 1, end - 1, "*", name);
        if (is_value && end > i + 2)
            add_operation(s, i + 1, end - 1, "%", name);
    }
    add_operation(s, i + 1, end - 1, "+", "1");
    add_operation(s, i + 1, end - 1, "-", "1");
    /* An array with four times the elements hides a wrong index. */
    if ((!is_index || has_factor) && !is_size) {
        add_operation(s, i + 1, end - 1, "*", "4");
        add_operation(s, i + 1, end - 1, "/", "4");
    }
}

static void change_operand(struct search *s, size_t i)
{
    static const char *const ends[] = {";", "]", ")", ",", NULL};
    char name[TEXT_MAX];
    if (!is_any(s, i + 1, ends) || !name_at(s, i))
        return;
    add_operation(s, i, i, "-", "1");
    add_operation(s, i, i, "+", "1");
    for (unsigned n = 0; n < s->name_count && is_at(s, i + 1, ";"); n++)
        if ((s->names[n].is_constant || is_at(s, i - 1, "/")) && s->names[n].type == NAME_INTEGER &&
            is_in_scope(&s->names[n], i))
            add_operation(s, i, i, "*", token_copy(s->names[n].token, name, sizeof name));
}

/* Use a local variable that the kernel does not use: as an operand, or in place of another name. */
static void add_unused(struct search *s, const struct name *unused)
{
    static const char *const assignments[] = {"=", "+=", "-=", "*=", "/=", NULL};
    char text[TEXT_MAX];
    if (unused->type != NAME_INTEGER || unused->is_constant || unused->counts)
        return;
    token_copy(unused->token, text, sizeof text);
    for (size_t i = unused->value; i < unused->to; i++)
        if (name_at(s, i) == unused)
            return;
    for (size_t i = unused->to; i-- > unused->value;) {
        const struct name *name = name_at(s, i);
        size_t end = i + 1;
        while (end < s->count && !is_any(s, end, statement_ends) && !is_at(s, end, ","))
            end = s->match[end] > end ? s->match[end] + 1 : end + 1;
        if (name && name->type == NAME_INTEGER && !is_any(s, i + 1, assignments))
            add_change(s, i, i, text, "`%.*s` is the wrong name here", (int)name->token.length,
                       name->token.text);
        for (const char *operation = "%*+"; is_at(s, i, "=") && changes_integer(s, i) && *operation;
             operation++)
            add_operation(s, i + 1, end - 1, (char[]){*operation, 0}, text);
        add_remainder(s, i);
    }
}

/* Find the first name from token i to before token `end`. Returns `end` if there is none. */
static size_t next_name(const struct search *s, size_t i, size_t end)
{
    while (i < end && !(name_at(s, i) && name_at(s, i)->type == NAME_INTEGER))
        i++;
    return i;
}

/* In an `if` that compares two names, compare the row and the column of an access instead. */
static void change_condition(struct search *s, size_t i)
{
    size_t compared[2], end, count = 0;
    const size_t close = is_at(s, i, "if") ? s->match[i + 1] : 0;
    for (size_t k = i + 2; k < close; k++)
        if (is_at(s, k, "<") && count < 2) {
            size_t from = k;
            while (from > i + 2 && !is_at(s, from - 1, "&&") && !is_at(s, from - 1, "("))
                from--;
            compared[count] = next_name(s, from, k);
            count += compared[count] < k;
        }
    if (count < 2)
        return;
    for (end = close + 1; end < s->count && !is_any(s, end, statement_ends); end++)
        ;
    end = is_at(s, end, "{") ? s->match[end] : end;
    for (size_t k = close + 1; k < end; k++) {
        const struct name *array = is_at(s, k, "[") ? name_at(s, k - 1) : NULL;
        if (!array || array->type != NAME_POINTER)
            continue;
        const size_t row = next_name(s, k + 1, s->match[k]);
        size_t star = row;
        while (star < s->match[k] && !is_at(s, star, "*"))
            star++;
        while (star < s->match[k] && !is_at(s, star, "+"))
            star++;
        const size_t column = next_name(s, star, s->match[k]), by[] = {row, column, row};
        for (int turned = 0; turned < 2 && column < s->match[k]; turned++) {
            struct change change = {.finding = FINDING_BOUNDS_OF_OTHER};
            char text[2][TEXT_MAX];
            snprintf(change.meaning, TEXT_MAX,
                     "the condition tests the row and the column of another element");
            for (int c = 0; c < 2; c++)
                token_copy(s->tokens[by[c + turned]], text[c], TEXT_MAX);
            if (is_visible(s, text[0], i) && is_visible(s, text[1], i)) {
                add_place(s, &change, compared[0], compared[0], text[0]);
                add_place(s, &change, compared[1], compared[1], text[1]);
                add_places(s, &change);
            }
        }
    }
}

/* For an if statement without braces and without else, add `else a[i] = 0;`. If && joins several
 * conditions, also change `if (p && q) a[i] = v;` to `if (p) a[i] = q ? v : 0;`. */
static void add_else(struct search *s, size_t i)
{
    char text[TEXT_MAX];
    size_t at = i, equals = 0;
    if (!is_at(s, i, ";") || is_at(s, i + 1, "else"))
        return;
    while (at > s->first && s->outer[at - 1] == s->outer[i] && !is_at(s, at - 1, ";") &&
           !is_at(s, at - 1, "}")) {
        at--;
        if (s->match[at] < at)
            at = s->match[at];
        if (is_at(s, at, "="))
            equals = at;
    }
    if (!is_at(s, at, "if") || !equals || !is_at(s, at + 1, "("))
        return;
    const char *start = s->tokens[s->match[at + 1] + 1].text;
    const int length = (int)(s->tokens[equals].text - start);
    if (length > 0 && length < TEXT_MAX / 2 && equals > s->match[at + 1]) {
        snprintf(text, sizeof text, "; else %.*s= 0;", length, start);
        add_change(s, i, i, text, "if the condition is false, nothing is stored");
    }
    const size_t close = s->match[at + 1];
    for (size_t k = at + 2; k < close && equals > close; k++)
        if (is_at(s, k, "&&") && s->outer[k] == at + 1 &&
            snprintf(text, sizeof text, ") %.*s= %.*s ? %.*s : 0;", length, start,
                     (int)(s->tokens[close].text - s->tokens[k + 1].text), s->tokens[k + 1].text,
                     (int)(s->tokens[i].text - s->tokens[equals + 1].text),
                     s->tokens[equals + 1].text) < TEXT_MAX)
            add_change(s, k, i, text, "if `%.*s` is false, the element must be 0",
                       (int)(s->tokens[close].text - s->tokens[k + 1].text), s->tokens[k + 1].text);
}

/* Append the header of the block at token `brace`, and its integer declarations before `end`. */
static void append_header(const struct search *s, size_t brace, size_t end, char *text)
{
    static const char *const integers[] = {"const", "bool", "int", "unsigned", "size_t", NULL};
    const char *header = s->tokens[s->match[brace - 1] - 1].text;
    text_append(text, TEXT_MAX, "%.*s", (int)(s->tokens[brace].text + 1 - header), header);
    for (size_t k = brace + 1, last; k < end; k = last + 1) {
        for (last = k; last < end && !is_any(s, last, statement_ends); last++)
            ;
        if (is_any(s, k, integers) && last < end)
            text_append(text, TEXT_MAX, " %.*s;", (int)(s->tokens[last].text - s->tokens[k].text),
                        s->tokens[k].text);
    }
}

/* End the loop before its barrier, and begin a second loop after the barrier. The second loop also
 * has the if statements that contain the barrier. */
static void add_split(struct search *s, size_t i)
{
    enum { DEPTH_MAX = 3 };
    struct change change = {.finding = FINDING_LOOP_SPLIT};
    size_t braces[DEPTH_MAX + 1] = {i}, header = 0;
    unsigned depth = 0;
    bool is_loop = false;
    while (is_at(s, i, "__syncthreads") && !is_loop && depth < DEPTH_MAX) {
        const size_t brace = s->outer[braces[depth]];
        header = brace && brace < TOKENS_MAX && is_at(s, brace - 1, ")") ? s->match[brace - 1] : 0;
        is_loop = header && is_at(s, header - 1, "for");
        if (!is_loop && !(header && is_at(s, header - 1, "if")))
            return;
        braces[++depth] = brace;
    }
    if (!is_loop)
        return;
    snprintf(change.meaning, TEXT_MAX,
             "the loads after this barrier require the stores of all iterations");
    add_place(s, &change, i, i + 3, "");
    for (unsigned d = 0; d < depth; d++)
        text_append(change.places[0].text, TEXT_MAX, "} ");
    text_append(change.places[0].text, TEXT_MAX, "__syncthreads(); ");
    for (unsigned d = depth; d > 0; d--)
        append_header(s, braces[d], braces[d - 1], change.places[0].text);
    add_places(s, &change);
}

/* Returns true if the tokens contain threadIdx, or a name whose initial value depends on it. */
static bool has_thread(const struct search *s, size_t from, size_t end, unsigned depth)
{
    for (size_t k = from; k < end; k++) {
        const struct name *name = name_at(s, k);
        if (is_at(s, k, "threadIdx") || (depth && name && !name->is_constant &&
                                         has_thread(s, name->from, name->value, depth - 1)))
            return true;
    }
    return false;
}

/* Returns true if token i is in an if or a loop whose condition depends on threadIdx. */
static bool is_divergent(const struct search *s, size_t i)
{
    for (size_t brace = s->outer[i]; brace < TOKENS_MAX && is_at(s, brace, "{");) {
        const size_t head = is_at(s, brace - 1, ")") ? s->match[brace - 1] : brace;
        if (has_thread(s, head, brace, 2))
            return true;
        brace = s->outer[brace];
    }
    return false;
}

/* Add changes that insert a barrier after token i. */
static void add_barrier(struct search *s, size_t i)
{
    struct change change = {.finding = FINDING_RACE_NO_BARRIER};
    add_split(s, i);
    if (is_divergent(s, i))
        return;
    const bool is_block = is_at(s, i, "}") && !is_at(s, i + 1, "else") && !is_at(s, i + 1, ";");
    if (s->outer[i] >= TOKENS_MAX || !is_at(s, s->outer[i], "{") || !(is_block || is_at(s, i, ";")))
        return;
    snprintf(change.meaning, TEXT_MAX, "a barrier is missing after this %s",
             is_block ? "block" : "statement");
    add_place(s, &change, i, i, is_block ? "} __syncthreads();" : "; __syncthreads();");
    add_places(s, &change);
}

/* The array must be declared `[A * B]`. If all its indices multiply the row by one name other than
 * B, replace B with this name. */
static void change_array_size(struct search *s, const struct name *array)
{
    const size_t open = array->from;
    const struct name *pitch = NULL;
    char text[TEXT_MAX];
    if (array->type != NAME_ARRAY || s->match[open] != open + 4 || !is_at(s, open + 2, "*"))
        return;
    for (size_t i = array->value; i < array->to; i++) {
        const struct name *factor = NULL;
        if (name_at(s, i) != array || !is_at(s, i + 1, "["))
            continue;
        for (size_t k = i + 2; k < s->match[i + 1]; k++) {
            const struct name *name = is_at(s, k, "*") ? name_at(s, k + 1) : NULL;
            factor = !factor && name && name->is_constant ? name : factor;
        }
        if (!factor || (pitch && factor != pitch))
            return;
        pitch = factor;
    }
    if (!pitch || tokens_are_same(pitch->token, s->tokens[open + 3]))
        return;
    token_copy(pitch->token, text, sizeof text);
    add_change(s, open + 3, open + 3, text,
               "the array is too small, because each of its rows has %s elements", text);
}

/* Token i must begin the last statement of an if in a loop. If this statement assigns a variable of
 * the loop's condition, move the statement after the if. */
static void move_out_of_if(struct search *s, size_t i)
{
    size_t end = i, heads[2];
    char text[TEXT_MAX];
    if (!is_word(s, i) || !is_any(s, i - 1, statement_ends))
        return;
    while (end < s->count && !is_any(s, end, statement_ends))
        end++;
    for (size_t k = 0, at = i; k < 2; k++, at = heads[k - 1] - 1) { /* the if, and then the loop */
        const size_t brace = s->outer[at];
        if (brace >= TOKENS_MAX || !is_at(s, brace, "{") || !is_at(s, brace - 1, ")"))
            return;
        heads[k] = s->match[brace - 1];
    }
    bool is_tested = false;
    for (size_t k = heads[1]; k < s->match[heads[1]]; k++)
        is_tested |= tokens_are_same(s->tokens[k], s->tokens[i]);
    if (!is_tested || !is_at(s, heads[0] - 1, "if") || is_at(s, heads[1] - 1, "if") ||
        !is_at(s, end, ";") || !is_at(s, end + 1, "}") || is_at(s, end + 2, "else"))
        return;
    snprintf(text, sizeof text, "} %.*s;", (int)(s->tokens[end].text - s->tokens[i].text),
             s->tokens[i].text);
    add_change(s, i, end + 1, text,
               "only threads that fulfil the condition of the if in line %u "
               "execute this statement",
               s->tokens[heads[0]].line);
}

/* Returns true if the word at token i is assigned and occurs in `line`. */
static bool assigns_name_of(const struct search *s, size_t i, unsigned line)
{
    static const char *const assignments[] = {"=", "+=", "-=", "*=", "/=", NULL};
    if (!is_word(s, i) || !is_any(s, i + 1, assignments))
        return false;
    for (size_t k = s->first; k < s->count; k++)
        if (s->tokens[k].line == line && tokens_are_same(s->tokens[k], s->tokens[i]))
            return true;
    return false;
}

/* Returns true if token i is relevant. Rank 0: token i is in `line`, the line of the failure. Rank
 * 1: the line of token i assigns a variable of `line`. Rank 2: always. */
static bool is_relevant(const struct search *s, size_t i, unsigned line, int rank)
{
    const bool is_here = s->tokens[i].line == line;
    bool assigns = false;
    for (size_t k = s->first; rank == 1 && !is_here && line && k < s->count; k++)
        assigns |= s->tokens[k].line == s->tokens[i].line && assigns_name_of(s, k, line);
    return rank == 0 ? is_here : rank == 2 || assigns;
}

/* Returns true if a change only moves the padding of an array: `[N][N + 1]` to `[N + 1][N]`. All
 * indices of the array are then correct with both declarations, but bank conflicts return. */
static bool is_padding_moved(const char *code, const char *text)
{
    const char *row = strchr(code, '['), *column = strchr(text, '[');
    const size_t length = row && column ? strcspn(row, "]") : 0;
    return length && !strncmp(row + length, "][", 2) && !strncmp(row, row + length + 1, length) &&
           !strncmp(row + 2 * length + 1, " + ", 3) && strcspn(column, "]") > length;
}

/* Returns true if the statement of token i, or the statement after it, is a shuffle. */
static bool is_of_shuffle(const struct search *s, size_t i)
{
    for (unsigned statements = 0; i < s->count && statements < 4; i++) {
        statements += is_any(s, i, statement_ends);
        if (is_word(s, i) && !strncmp(s->tokens[i].text, "__shfl_", 7))
            return true;
    }
    return false;
}

static size_t token_at(const struct search *s, const char *at)
{
    size_t i = s->first;
    while (s->tokens[i].text + s->tokens[i].length <= at)
        i++;
    return i;
}

/* Returns false if the place is after the kernel, or if its change has no effect or makes no
 * sense. */
static bool may_change(const struct search *s, const struct text_place *place)
{
    return place->end <= s->tokens[s->count - 1].text &&
           strncmp(place->at, place->text, (size_t)(place->end - place->at)) != 0 &&
           !is_senseless(s, token_at(s, place->at), "");
}

/* Add the changes of a hypothesis at relevant places, each alone. With COMMON_ALL, also add two
 * changes of several places: to the end of the statement, and in the whole kernel. */
static void add_hypothesis(struct search *s, const struct hypothesis *edit, const char *replacement,
                           unsigned line, int rank)
{
    struct text_place places[TEXT_PLACES_MAX];
    const unsigned count =
        other_text_places(edit->pattern, replacement, s->tokens[s->first].text, places);
    for (unsigned n = 0; n < count; n++) {
        /* In a statement, change the index of the store first; otherwise, the last place first. */
        const unsigned p = edit->where == COMMON ? n : count - 1 - n;
        if (!may_change(s, &places[p]))
            continue;
        const size_t i = token_at(s, places[p].at);
        if (s->outer[i] == TOKENS_MAX || !is_relevant(s, i, line, rank) ||
            (edit->finding != FINDING_BOUNDS_UNCHECKED && edit->finding != FINDING_ADDING_THREADS &&
             tests_remainder(s, i)) ||
            is_padding_moved(places[p].at, places[p].text) ||
            (s->tokens[i].kind == TOKEN_NUMBER && is_of_shuffle(s, i)))
            continue;
        for (int scope = 0; scope < (edit->where == COMMON ? 1 : 3); scope++) {
            struct change change = {.finding = edit->finding};
            snprintf(change.meaning, sizeof change.meaning, "%s", edit->text);
            for (unsigned k = scope == 2 ? 0 : p; k < count && change.place_count < PLACES_MAX; k++)
                if (may_change(s, &places[k]) &&
                    (scope == 2 || k == p ||
                     (scope && !memchr(places[p].at, ';', (size_t)(places[k].at - places[p].at)))))
                    change.places[change.place_count++] = places[k];
            add_places(s, &change);
        }
    }
}

/* Add the changes of the hypotheses with COMMON. In a replacement, {m} is each macro with a number,
 * {p} each parameter or constant, {c} each variable of a loop, {i} each other variable, and {a}
 * each array. */
static void add_common(struct search *s, unsigned line, int rank)
{
    const struct emulator_launch *launch = s->suspect->launch;
    const struct program_function *kernel = &launch->program->functions[launch->function];
    const struct hypothesis *edit = NULL;
    bool has_vectors = false;
    char text[TEXT_MAX];
    for (size_t i = 0; i < kernel->code_count; i++)
        has_vectors |= kernel->code[i].vector == 4;
    while ((edit = hypothesis_next(BY_TEXT, edit))) {
        const char *brace = strchr(edit->replacement, '{');
        if (edit->finding == FINDING_VECTOR_PITCH && !has_vectors)
            continue;
        for (unsigned n = s->name_count; brace && edit->where >= COMMON && n-- > 0;) {
            const struct name *name = &s->names[n];
            const char kind = name->type == NAME_ARRAY     ? 'a'
                              : name->counts               ? 'c'
                              : name->type != NAME_INTEGER ? '?'
                              : !name->is_constant         ? 'i'
                              : name->to == TOKENS_MAX     ? 'm'
                                                           : 'p';
            snprintf(text, sizeof text, "%.*s%.*s%s", (int)(brace - edit->replacement),
                     edit->replacement, (int)name->token.length, name->token.text, brace + 3);
            if (brace[1] == kind)
                add_hypothesis(s, edit, text, line, rank);
        }
        if (!brace && edit->where >= COMMON)
            add_hypothesis(s, edit, edit->replacement, line, rank);
    }
}

static void make_changes(struct search *s, const struct failure *failure, enum change_set set)
{
    enum {
        TWINS = CHANGE_NAMES,
        LIKELY = CHANGE_COMMON,
        OPERATORS = CHANGE_ANY,
        OPERATIONS,
        NAMES
    };
    static const struct {
        int step, rank;
    } passes[] = {{TWINS, 0},      {LIKELY, 0},    {OPERATORS, 0}, {TWINS, 1},      {LIKELY, 1},
                  {OPERATIONS, 0}, {OPERATORS, 1}, {TWINS, 2},     {LIKELY, 2},     {OPERATIONS, 1},
                  {NAMES, 0},      {OPERATORS, 2}, {NAMES, 1},     {OPERATIONS, 2}, {NAMES, 2}};
    for (size_t i = s->first; i < s->count && set == CHANGE_XOR; i++)
        change_xor(s, i);
    if (set == CHANGE_XOR)
        return;
    s->finding = FINDING_RACE_NO_BARRIER;
    for (size_t i = s->first; failure->status == STATUS_RACE && i < s->count; i++)
        if (is_at(s, i, "__syncwarp") && !is_divergent(s, i))
            add_change(s, i, i, "__syncthreads",
                       "only the threads of a warp wait for each other here");
    s->finding = FINDING_EXPRESSION;
    /* Begin at the end: the first barrier that repairs a race is then directly before the load. */
    for (size_t i = s->count; failure->status == STATUS_RACE && i-- > s->first;)
        if (s->outer[i] < TOKENS_MAX)
            add_barrier(s, i);
    for (unsigned n = 0; n < s->name_count && failure->status == STATUS_OUT_OF_BOUNDS; n++)
        change_array_size(s, &s->names[n]);
    for (unsigned n = 0; n < s->name_count; n++)
        add_unused(s, &s->names[n]);
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++) {
        const int step = passes[pass].step;
        if ((int)set < step && set != CHANGE_ANY)
            continue;
        if (step == LIKELY)
            add_common(s, failure->line, passes[pass].rank);
        for (size_t i = s->count; step != LIKELY && i-- > s->first;) {
            if (s->outer[i] == TOKENS_MAX || !is_relevant(s, i, failure->line, passes[pass].rank))
                continue;
            if (step == TWINS) {
                change_names(s, i, true);
                change_to_similar(s, i);
                change_to_quotient(s, i);
                change_built_ins(s, i);
                add_else(s, i);
                change_condition(s, i);
                exchange_names(s, i);
                replace_index(s, i);
                change_offset(s, i);
                move_out_of_if(s, i);
                if (is_any(s, i, logical_operators))
                    change_operators(s, i);
            } else if (step == NAMES) {
                change_names(s, i, false);
            } else if (tests_remainder(s, i)) {
                continue;
            } else if (step == OPERATORS) {
                change_operators(s, i);
                change_numbers(s, i);
            } else {
                change_operand(s, i);
                change_expression(s, i);
            }
        }
    }
}

/* ---- Positions that no condition tests ---- */

/* Returns true if the comparison at token i can prevent the access at token `access`. The statement
 * that the comparison controls then contains the access, or leaves the kernel or an iteration. */
static bool is_guard(const struct search *s, size_t i, size_t access)
{
    static const char *const controls[] = {"if", "for", "while", NULL}, *const leaves[] = {
                                                                            "return", "continue",
                                                                            "break", NULL};
    size_t outer = s->outer[i];
    while (outer < TOKENS_MAX && is_at(s, outer, "(") && !is_any(s, outer - 1, controls))
        outer = s->outer[outer];
    if (outer == TOKENS_MAX || !is_at(s, outer, "("))
        return true;
    size_t end = s->match[outer] + 1;
    bool is_left = false;
    for (; end < s->count && !is_at(s, end, ";") && !is_at(s, end, "{"); end++)
        is_left |= is_any(s, end, leaves);
    for (const size_t brace = end; is_at(s, brace, "{") && end < s->match[brace]; end++)
        is_left |= is_any(s, end, leaves);
    return is_left || (access > i && access <= end) || is_at(s, outer - 1, "for");
}

/* Returns true if a comparison before token `access` has tokens [a, a_end) as one of its sides. */
static bool is_compared(const struct search *s, size_t a, size_t a_end, size_t access)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", NULL},
                             *const before[] = {"(", "&&", "||", ";", "=", "!", ",", NULL},
                             *const after[] = {")", "&&", "||", ";", "?", ",", NULL};
    for (size_t i = s->first + 1; i < s->count; i++) {
        const size_t end = i + a_end - a;
        if (are_texts_alike(s, a, a_end - 1, i) && is_guard(s, i, access) &&
            ((is_any(s, i - 1, before) && is_any(s, end, comparisons)) ||
             (is_any(s, i - 1, comparisons) && is_any(s, end, after))))
            return true;
    }
    return false;
}

/* Like is_compared, also for a name's initial value. Any other single token needs no test. */
static bool is_tested(const struct search *s, size_t a, size_t a_end, size_t access)
{
    const struct name *name = a + 1 == a_end ? name_at(s, a) : NULL;
    return is_compared(s, a, a_end, access) ||
           (name && is_at(s, name->from, "=") &&
            is_compared(s, name->from + 1, name->value, access)) ||
           (a + 1 == a_end && !name);
}

static bool is_shared(const struct search *s, struct token word)
{
    for (size_t k = s->first; k + 3 < s->count; k++)
        if (is_at(s, k, "__shared__") &&
            (tokens_are_same(s->tokens[k + 2], word) || tokens_are_same(s->tokens[k + 3], word)))
            return true;
    return false;
}

/* Returns true if the name is an array in shared memory, or a pointer to one. */
static bool is_tile(const struct search *s, const struct name *array)
{
    bool is_pointer = false;
    for (size_t k = array->from; k < array->value && !is_pointer; k++)
        is_pointer = is_word(s, k) && is_shared(s, s->tokens[k]);
    return is_pointer || is_shared(s, array->token);
}

/* If a tile is accessed in a line, ask about the `^` in this line, or about the first `^`. */
static void report_xor(const struct search *s, unsigned line, struct report *report)
{
    size_t key = 0;
    bool has_tile = false;
    for (size_t i = s->first + 1; i + 1 < s->count; i++) {
        const struct name *array = is_at(s, i, "[") ? name_at(s, i - 1) : NULL;
        if (s->tokens[i].line == line && is_at(s, i, "["))
            has_tile |= array ? is_tile(s, array) : is_shared(s, s->tokens[i - 1]);
        if (is_at(s, i, "^") && (!key || s->tokens[i].line == line))
            key = i;
    }
    if (!has_tile || !key)
        return;
    const size_t first = is_at(s, key - 1, ")") ? s->match[key - 1] : key - 1,
                 last = is_at(s, key + 1, "(") ? s->match[key + 1] : key + 1;
    report_add_at(report, FINDING_XOR_RANGE, s->tokens[key].line,
                  "%s:%u: `%.*s`: the result of `^` can exceed both operands. Are both operands "
                  "less than the same power of two, and is this number at most the number of "
                  "places in a row?",
                  path_basename(s->suspect->path), s->tokens[key].line,
                  (int)(s->tokens[last].text + s->tokens[last].length - s->tokens[first].text),
                  s->tokens[first].text);
}

/* If a condition compares another sum of the name at token a, sets *end to the token after this
 * sum, and returns its first token; otherwise returns 0. */
static size_t find_other_sum(const struct search *s, size_t a, size_t access, size_t *end)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", NULL}, *const before[] = {
                                                                               "(", "&&", "||", ";",
                                                                               NULL};
    enum { LENGTH_MAX = 6 };
    for (size_t i = s->first + 1; i < s->count && name_at(s, a); i++)
        for (*end = i + 1;
             is_any(s, i - 1, before) && tokens_are_same(s->tokens[i], s->tokens[a]) &&
             is_guard(s, i, access) && *end < i + LENGTH_MAX;
             ++*end)
            if (is_any(s, *end, comparisons))
                return i;
    return 0;
}

/* Report an index `row * pitch + column` in a line if no condition tests the row or the column. */
static void report_untested(const struct search *s, unsigned line, struct report *report)
{
    for (size_t i = s->first + 1; i < s->count; i++) {
        const struct name *array = is_at(s, i, "[") ? name_at(s, i - 1) : NULL;
        const size_t end = s->match[i];
        size_t star = 0, plus = 0, stars = 0;
        if (s->tokens[i].line != line || !array || array->type != NAME_POINTER || is_tile(s, array))
            continue;
        for (size_t k = i + 1; k < end; k++) {
            stars += s->outer[k] == i && is_at(s, k, "*");
            star = s->outer[k] == i && is_at(s, k, "*") && !star ? k : star;
            plus = s->outer[k] == i && is_at(s, k, "+") && star && !plus ? k : plus;
        }
        if (stars != 1 || !plus)
            continue;
        const bool is_sum = is_at(s, star - 1, ")");
        const size_t row = is_sum ? s->match[star - 1] + 1 : star - 1, row_end = star - is_sum,
                     untested[] = {is_tested(s, row, row_end, i) ? 0 : row,
                                   is_tested(s, plus + 1, end, i) ? 0 : plus + 1},
                     ends[] = {row_end, end};
        for (size_t k = 0; k < 2; k++) {
            size_t other_end = 0;
            const size_t other = find_other_sum(s, untested[k], i, &other_end);
            char tests[TEXT_MAX] = "no condition tests";
            if (other && untested[k])
                snprintf(tests, sizeof tests, "the condition in line %u tests `%.*s`, but not",
                         s->tokens[other].line,
                         (int)(s->tokens[other_end - 1].text + s->tokens[other_end - 1].length -
                               s->tokens[other].text),
                         s->tokens[other].text);
            if (untested[k])
                report_add_at(report, FINDING_BOUNDS_UNCHECKED, line,
                              "%s:%u: %s `%.*s`, the %s of this access",
                              path_basename(s->suspect->path), line, tests,
                              (int)(s->tokens[ends[k] - 1].text + s->tokens[ends[k] - 1].length -
                                    s->tokens[untested[k]].text),
                              s->tokens[untested[k]].text, k ? "column" : "row");
        }
        return;
    }
}

/* ---- Launches ---- */

/* Write the source with copies of the kernel, each with one change. Copy c has the lines of a file
 * "copyNNN", so that the compiler's messages name the copy. Returns malloc'd text, or NULL. */
static char *write_copies(const struct search *s, const unsigned *batch, unsigned count)
{
    const char *code = s->suspect->code, *start = s->tokens[s->first].text,
               *end = s->tokens[s->count - 1].text + 1;
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return NULL;
    fprintf(file, "%s\n#undef LAB\n#define LAB(name)\n", code);
    for (unsigned c = 0; c < count; c++) {
        const struct change *change = &s->changes[batch[c]];
        const char *at = start;
        fprintf(file, "#define %s %s_copy%03u\nnamespace copy%03u {\n#line 1 \"copy%03u\"\n",
                s->kernel, s->kernel, c, c, c);
        for (unsigned p = 0; p < change->place_count; at = change->places[p++].end)
            fprintf(file, "%.*s%s", (int)(change->places[p].at - at), at, change->places[p].text);
        fprintf(file, "%.*s\n}\n#undef %s\n", (int)(end - at), at, s->kernel);
    }
    if (fclose(file)) {
        free(text);
        return NULL;
    }
    return text;
}

/* Launch the copies of a batch that compile. Returns the first correct change, or CHANGES_MAX. */
static unsigned launch_batch(const struct search *s, unsigned *batch, unsigned count)
{
    bool is_bad[BATCH] = {0};
    char *text = count ? write_copies(s, batch, count) : NULL;
    const struct copies copies = {text, s->kernel, count, is_bad};
    const int found = text ? s->suspect->find_copy(s->suspect->context, &copies) : 0;
    const unsigned half = count / 2;
    unsigned good = 0;
    free(text);
    if (!text || found >= 0)
        return found < (int)count ? batch[found] : CHANGES_MAX;
    for (unsigned c = 0; c < count; c++)
        if (!is_bad[c])
            batch[good++] = batch[c];
    if (good < count)
        return launch_batch(s, batch, good);
    if (!half)
        return CHANGES_MAX;
    const unsigned first = launch_batch(s, batch, half);
    return first < CHANGES_MAX ? first : launch_batch(s, batch + half, count - half);
}

bool one_change_report(const struct suspect *suspect, const struct failure *failure,
                       enum change_set set, struct report *report)
{
    struct search *s = calloc(1, sizeof *s);
    bool found = false;
    if (!s)
        return false;
    s->suspect = suspect;
    s->finding = FINDING_EXPRESSION;
    s->keeps_swizzle = failure_has(failure, FINDING_SWIZZLE_ONE_SIDED);
    s->change_max = failure_has(failure, FINDING_REFERENCE_MISTAKE) ? CHANGES_MAX / 2 : CHANGES_MAX;
    if (suspect->code && read_code(s))
        make_changes(s, failure, set);
    for (unsigned c = 0; c < s->change_count && !found; c += BATCH) {
        unsigned batch[BATCH], count = 0;
        for (; count < BATCH && c + count < s->change_count; count++)
            batch[count] = c + count;
        const unsigned change = launch_batch(s, batch, count);
        found = change < CHANGES_MAX;
        const struct change *good = &s->changes[found ? change : 0];
        if (found)
            other_text_report_change(suspect, good->finding, good->meaning, good->places,
                                     good->place_count, true, report);
    }
    if (!found && s->count && failure->status == STATUS_OUT_OF_BOUNDS) {
        report_untested(s, failure->line, report);
        report_xor(s, failure->line, report);
    }
    free(s);
    return found;
}
