#define _GNU_SOURCE
#include "text/naming.h"

#include "base/wording.h"
#include "text/code_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void naming_add(struct naming *naming, unsigned line, const char *format, ...)
{
    size_t used = strlen(naming->text);
    char place[16] = "";
    if (line)
        snprintf(place, sizeof place, "(%u)", line);
    int more = snprintf(naming->text + used, NAMING_TEXT - used, "%s%.200s%s: ", used ? "\n" : "",
                        naming->path, place);
    used += (size_t)more;
    if (used >= NAMING_TEXT)
        return;
    FORMAT(naming->text + used, NAMING_TEXT - used, format);
}

/* The macros of a lab file, used as `LAB(name);` and `LAB_LAUNCH(width, height) {`. */
static const struct macro {
    const char *name;
    unsigned names, misspelt; /* number of names in parentheses; maximum number of wrong letters */
    const char *next;
} macros[] = {{"LAB", 1, 1, ";"}, {"LAB_LAUNCH", 2, 2, "{"}};

/* Returns true if the macro's arguments follow. A name may be quoted or follow a type. */
static bool list_fits(struct tokens tokens, const struct macro *macro)
{
    bool fits = token_is(tokens_next_code(&tokens), "(");
    for (unsigned i = 0; fits && i < macro->names; i++) {
        struct token token;
        for (fits = false; (token = tokens_next_code(&tokens)).kind == TOKEN_WORD ||
                           token.kind == TOKEN_NUMBER || token.kind == TOKEN_STRING;)
            fits = true;
        fits = fits && token_is(token, i + 1 < macro->names ? "," : ")");
    }
    return fits && token_is(tokens_next_code(&tokens), macro->next);
}

/* Returns the misspelt name; an empty token if there is none or the correct name exists. */
static struct token macro_find_misspelt(struct tokens tokens, const struct macro *macro)
{
    struct token found = {0};
    int depth = 0;
    for (struct token token; (token = tokens_next_code(&tokens)).kind;) {
        depth += token_is(token, "{") - token_is(token, "}");
        if (token.kind != TOKEN_WORD)
            continue;
        if (token_is(token, macro->name) && token_is(tokens_peek_code(&tokens), "("))
            return (struct token){0};
        if (!found.length && !depth && list_fits(tokens, macro) &&
            code_word_is_like(token.text, token.length, macro->name, macro->misspelt))
            found = token;
    }
    return found;
}

static struct token storage_find(struct tokens tokens)
{
    static const char *const storages[] = {"static", "inline", NULL}, *const ends[] = {";", "{",
                                                                                       "}", NULL};
    struct token storage = {0};
    bool global = false;
    for (struct token token; (token = tokens_next_code(&tokens)).kind;) {
        if (token.in_directive || token_is_one_of(token, ends) ||
            (global && token_is(token, "("))) {
            storage.length = 0;
            global = false;
        } else if (!storage.length && token_is_one_of(token, storages)) {
            storage = token;
        }
        global |= token_is(token, "__global__");
        if (global && storage.length)
            return storage;
    }
    return (struct token){0};
}

struct repairing {
    char *text;
    size_t bytes;
    bool repaired;
};

static struct tokens repairing_tokens(const struct repairing *repairing)
{
    return tokens_of(repairing->text, repairing->text ? repairing->bytes : 0);
}

static void repairing_replace(struct repairing *repairing, struct token token, const char *by)
{
    char *text = code_replace(repairing->text, &repairing->bytes,
                              (size_t)(token.text - repairing->text), token.length, by);
    free(repairing->text);
    repairing->text = text;
    repairing->repaired = true;
}

char *naming_repair(struct naming *naming, const char *text, size_t bytes, size_t *repaired_bytes)
{
    enum { MOST_STORAGES = 16 };
    struct repairing repairing = {.bytes = bytes};
    struct token token;
    repairing.text = code_replace(text, &repairing.bytes, 0, 0, "");
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        if ((token = macro_find_misspelt(repairing_tokens(&repairing), &macros[i])).length) {
            naming_add(naming, token.line, "%.*s is misspelt: write %s", (int)token.length,
                       token.text, macros[i].name);
            repairing_replace(&repairing, token, macros[i].name);
        }
    for (int i = 0;
         i < MOST_STORAGES && (token = storage_find(repairing_tokens(&repairing))).length; i++) {
        naming_add(naming, token.line,
                   "the kernel is %.*s, so the compiler removes the kernel: delete `%.*s`",
                   (int)token.length, token.text, (int)token.length, token.text);
        repairing_replace(&repairing, token, "");
    }
    if (!repairing.repaired) {
        free(repairing.text);
        return NULL;
    }
    *repaired_bytes = repairing.bytes;
    return repairing.text;
}

struct token naming_plain(const char *name)
{
    struct token plain = {.kind = TOKEN_WORD, .text = name, .length = strlen(name)};
    if (strncmp(name, "_Z", 2))
        return plain;
    name += 2;
    name += strspn(name, "NKVL"); /* prefixes of nested names, and of internal linkage */
    while (isdigit((unsigned char)*name)) {
        char *end;
        unsigned long length = strtoul(name, &end, 10);
        if (length > strlen(end))
            break;
        plain.text = end;
        plain.length = length;
        name = end + length;
    }
    return plain;
}

static bool declaration_find(const struct naming *naming, const char *kernel, struct tokens *tokens,
                             unsigned *line)
{
    struct token name = naming_plain(kernel);
    bool global = false;
    *tokens = tokens_of(naming->code, naming->code ? strlen(naming->code) : 0);
    for (struct token token; (token = tokens_next_code(tokens)).kind;) {
        if (token.kind != TOKEN_WORD)
            continue;
        bool called = token_is(tokens_peek_code(tokens), "(");
        *line = token.line;
        if (token_is(token, "__global__"))
            global = true;
        else if (global && called && token.length == name.length &&
                 !memcmp(token.text, name.text, name.length))
            return true;
        else if (called && !token_is(token, "__launch_bounds__"))
            global = false;
    }
    *line = 0;
    return false;
}

unsigned naming_kernel_line(const struct naming *naming, const char *kernel)
{
    struct tokens tokens;
    unsigned line;
    declaration_find(naming, kernel, &tokens, &line);
    return line;
}

enum role { ROLE_OUTPUT, ROLE_INPUT, ROLE_WIDTH, ROLE_HEIGHT, ROLE_ADDRESS, ROLE_INTEGER };

/* Read a parameter, and the `,` or `)` after it. Returns the role that type and name indicate. */
static enum role parameter_read(struct tokens *tokens, struct token *end)
{
    static const char *const ends[] = {",", ")", "(", NULL};
    char name[64] = "";
    bool address = false, constant = false;
    while ((*end = tokens_next_code(tokens)).kind && !token_is_one_of(*end, ends)) {
        address |= token_is(*end, "*");
        constant |= !address && token_is(*end, "const");
        if (end->kind == TOKEN_WORD)
            token_copy(*end, name, sizeof name);
    }
    if (address) {
        if (constant || strcasestr(name, "src") || strcasestr(name, "idata") ||
            strcasestr(name, "in"))
            return ROLE_INPUT;
        return strcasestr(name, "out") || strcasestr(name, "odata") || strcasestr(name, "dst")
                   ? ROLE_OUTPUT
                   : ROLE_ADDRESS;
    }
    if (strcasestr(name, "w") || strcasestr(name, "col") || strcasestr(name, "nx"))
        return strcasestr(name, "row") ? ROLE_HEIGHT : ROLE_WIDTH;
    return strcasestr(name, "h") || strcasestr(name, "row") || strcasestr(name, "ny")
               ? ROLE_HEIGHT
               : ROLE_INTEGER;
}

/* If *role is `unknown`, set *role to `first` or `second`, whichever `partner` does not have. */
static void role_infer(enum role *role, enum role partner, enum role unknown, enum role first,
                       enum role second)
{
    if (*role == unknown && partner == first)
        *role = second;
    else if (*role == unknown && partner == second)
        *role = first;
}

bool naming_declared_order(const struct naming *naming, const char *kernel, unsigned char order[4])
{
    struct tokens tokens;
    struct token end;
    unsigned line;
    enum role roles[4];
    bool seen[4] = {false}, differs = false;
    if (!declaration_find(naming, kernel, &tokens, &line))
        return false;
    tokens_next_code(&tokens);
    for (int i = 0; i < 4; i++) {
        roles[i] = parameter_read(&tokens, &end);
        if (!token_is(end, i < 3 ? "," : ")"))
            return false;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            role_infer(&roles[i], roles[j], ROLE_ADDRESS, ROLE_OUTPUT, ROLE_INPUT);
            role_infer(&roles[i], roles[j], ROLE_INTEGER, ROLE_WIDTH, ROLE_HEIGHT);
        }
    /* Parameters that are still unknown get the remaining roles in the order of the course. */
    for (enum role unknown = ROLE_ADDRESS; unknown <= ROLE_INTEGER; unknown++) {
        enum role next = unknown == ROLE_ADDRESS ? ROLE_OUTPUT : ROLE_WIDTH;
        for (int i = 0; i < 4; i++)
            if (roles[i] == unknown)
                roles[i] = next++;
    }
    for (int i = 0; i < 4; i++) {
        if (roles[i] > ROLE_HEIGHT || seen[roles[i]])
            return false;
        seen[roles[i]] = true;
        differs |= roles[i] != (enum role)i;
        order[i] = (unsigned char)roles[i];
    }
    return differs;
}
