/* naming.c: see naming.h. */
#include "run/naming.h"

#include "base/code_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char wanted_kernel[] = "transpose";

void naming_add(struct naming *naming, const char *word, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(naming->text);
    char line[16] = "";
    if (word)
        snprintf(line, sizeof line, "(%u)", code_line(naming->code, word));
    int more = snprintf(naming->text + used, NAMING_TEXT - used, "%s%.200s%s: ", used ? "\n" : "",
                        naming->path, line);
    used += (size_t)more;
    if (used >= NAMING_TEXT)
        return;
    va_start(arguments, format);
    vsnprintf(naming->text + used, NAMING_TEXT - used, format, arguments);
    va_end(arguments);
}

/* ---- Words of the text ---- */

struct word {
    const char *at;
    size_t length; /* 0: there is none */
};

/* The first word at or behind `at`; strings and numbers are none. */
static struct word word_next(const char *at)
{
    while (*at) {
        if (*at == '"' || *at == '\'') {
            char quote = *at++;
            while (*at && *at != quote && *at != '\n')
                at += at[0] == '\\' && at[1] ? 2 : 1;
            at += *at == quote;
        } else if (isdigit((unsigned char)*at)) {
            while (code_is_word(*at) || *at == '.' || *at == '\'')
                at++;
        } else if (code_is_word(*at)) {
            struct word word = {at, 0};
            while (code_is_word(at[word.length]))
                word.length++;
            return word;
        } else {
            at++;
        }
    }
    return (struct word){at, 0};
}

static bool word_is(struct word word, const char *text)
{
    return word.length == strlen(text) && !memcmp(word.at, text, word.length);
}

static const char *blanks_skip(const char *at)
{
    return at + strspn(at, " \t\r\n\v\f");
}

/* Does the text hold the word with a bracket behind it? */
static bool text_calls(const char *code, const char *name)
{
    for (struct word word = word_next(code); word.length; word = word_next(word.at + word.length))
        if (word_is(word, name) && *blanks_skip(word.at + word.length) == '(')
            return true;
    return false;
}

/* ---- Mending the text ---- */

/* Behind "(" and `names` names in a list, each perhaps in quotes and behind a type; NULL: something
 * else is there. */
static const char *list_skip(const char *at, unsigned names)
{
    at = blanks_skip(at);
    for (unsigned i = 0; i < names; i++) {
        if (*at++ != (i ? ',' : '('))
            return NULL;
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
                                   "\" \t");
        if (!length)
            return NULL;
        at += length;
    }
    return *at == ')' ? blanks_skip(at + 1) : NULL;
}

/* LAB(name); and LAB_LAUNCH(width, height) { */
static const struct macro {
    const char *name;
    unsigned names, misspelt; /* in its list; letters that may be wrong */
    char behind;
} macros[] = {{"LAB", 1, 1, ';'}, {"LAB_LAUNCH", 2, 2, '{'}};

/* The word that was meant to be the macro, outside of all brackets; NULL: none. */
static const char *macro_find_misspelt(const char *code, const struct macro *macro, size_t *length)
{
    const char *depth_at = code;
    int depth = 0;
    for (struct word word = word_next(code); word.length; word = word_next(word.at + word.length)) {
        for (; depth_at < word.at; depth_at++)
            depth += (*depth_at == '{') - (*depth_at == '}');
        const char *behind = list_skip(word.at + word.length, macro->names);
        if (depth || !behind || *behind != macro->behind ||
            !code_word_is_like(word.at, word.length, macro->name, macro->misspelt))
            continue;
        *length = word.length;
        return word.at;
    }
    return NULL;
}

/* Where the declaration with `at` in it begins: behind the last statement or directive. */
static const char *declaration_begin(const char *code, const char *at)
{
    for (; at > code && !strchr(";{}", at[-1]); at--) {
        const char *line = at - 1;
        if (at[-1] != '\n')
            continue;
        while (line > code && line[-1] != '\n')
            line--;
        if (line[strspn(line, " \t")] == '#')
            break;
    }
    return at;
}

/* `static` or `inline` among the words that declare a kernel. */
static const char *storage_find(const char *code, size_t *length)
{
    for (struct word global = word_next(code); global.length;
         global = word_next(global.at + global.length)) {
        if (!word_is(global, "__global__"))
            continue;
        const char *end = global.at + strcspn(global.at, ";{}(");
        for (struct word word = word_next(declaration_begin(code, global.at));
             word.length && word.at < end; word = word_next(word.at + word.length))
            if (word_is(word, "static") || word_is(word, "inline")) {
                *length = word.length;
                return word.at;
            }
    }
    return NULL;
}

/* `text` with `length` bytes at `offset` replaced. Frees it. */
static char *text_splice(char *text, size_t *bytes, size_t offset, size_t length, const char *by)
{
    size_t more = strlen(by);
    char *result = malloc(*bytes - length + more + 1);
    if (result) {
        memcpy(result, text, offset);
        memcpy(result + offset, by, more);
        memcpy(result + offset + more, text + offset + length, *bytes - offset - length);
        *bytes = *bytes - length + more;
        result[*bytes] = 0;
    }
    free(text);
    return result;
}

/* Code and text are changed alike, so that offsets stay common. */
struct mending {
    struct naming *naming;
    char *text, *code;
    size_t bytes, code_bytes;
    bool mended;
};

static void mending_replace(struct mending *mending, const char *at, size_t length, const char *by)
{
    size_t offset = (size_t)(at - mending->code);
    mending->text = text_splice(mending->text, &mending->bytes, offset, length, by);
    mending->code = text_splice(mending->code, &mending->code_bytes, offset, length, by);
    mending->mended = true;
}

static void mend_macros(struct mending *mending)
{
    for (size_t i = 0; i < sizeof macros / sizeof *macros && mending->code; i++) {
        size_t length;
        const char *at = text_calls(mending->code, macros[i].name)
                             ? NULL
                             : macro_find_misspelt(mending->code, &macros[i], &length);
        if (!at)
            continue;
        mending->naming->code = mending->code;
        naming_add(mending->naming, at, "%.*s is misspelt: write %s", (int)length, at,
                   macros[i].name);
        mending_replace(mending, at, length, macros[i].name);
    }
}

static void mend_storage(struct mending *mending)
{
    enum { MOST = 16 };
    size_t length;
    const char *at;
    for (int i = 0; i < MOST && mending->code && (at = storage_find(mending->code, &length)); i++) {
        mending->naming->code = mending->code;
        naming_add(mending->naming, at,
                   "the kernel is %.*s, so that compilers leave it out: take that word away",
                   (int)length, at);
        mending_replace(mending, at, length, "");
    }
}

char *naming_mend(struct naming *naming, const char *text, size_t bytes, size_t *mended_bytes)
{
    const char *code = naming->code;
    struct mending mending = {.naming = naming,
                              .text = malloc(bytes + 1),
                              .code = malloc(bytes + 1),
                              .bytes = bytes,
                              .code_bytes = bytes};
    if (mending.text && mending.code) {
        memcpy(mending.text, text, bytes);
        memcpy(mending.code, code, bytes);
        mending.text[bytes] = mending.code[bytes] = 0;
        mend_macros(&mending);
        mend_storage(&mending);
    }
    naming->code = code;
    free(mending.code);
    if (!mending.mended) {
        free(mending.text);
        return NULL;
    }
    *mended_bytes = mending.bytes;
    return mending.text;
}

/* ---- The kernel ---- */

/* The last name of a mangled one: "transpose" of _ZN2my9transposeILi32EEvPfPKfii (Itanium C++ ABI,
 * 5.1). A name that is not mangled is its own. */
static struct word plain_name(const char *name)
{
    struct word plain = {name, strlen(name)};
    if (strncmp(name, "_Z", 2))
        return plain;
    name += 2;
    name += strspn(name, "NKVL"); /* nested, of internal linkage */
    while (isdigit((unsigned char)*name)) {
        char *end;
        unsigned long length = strtoul(name, &end, 10);
        if (length > strlen(end))
            break;
        plain = (struct word){end, length};
        name = end + length;
    }
    return plain;
}

static bool is_integer(const struct ptx_variable *parameter, uint64_t bytes)
{
    return parameter->bytes == bytes && parameter->type != PTX_F32 && parameter->type != PTX_F64;
}

/* Two addresses and two integers, of 4 or 8 bytes, in some order. */
static bool parameters_fit(const struct ptx_function *function)
{
    unsigned words = 0, longs = 0;
    for (size_t i = 0; i < function->parameter_count; i++) {
        words += is_integer(&function->parameters[i], 4);
        longs += is_integer(&function->parameters[i], 8);
    }
    return function->parameter_count == 4 && words + longs == 4 && longs >= 2;
}

/* Where the text declares that kernel: the word itself, its list of parameters behind it. */
static const char *declaration_find(const struct naming *naming, struct word name)
{
    bool kernel = false; /* behind __global__ */
    if (!naming->code)
        return NULL;
    for (struct word word = word_next(naming->code); word.length;
         word = word_next(word.at + word.length)) {
        char behind = *blanks_skip(word.at + word.length);
        if (word_is(word, "__global__"))
            kernel = true;
        else if (kernel && behind == '(' && word.length == name.length &&
                 !memcmp(word.at, name.at, name.length))
            return word.at;
        else if (kernel && behind == '(' && !word_is(word, "__launch_bounds__"))
            kernel = false;
    }
    return NULL;
}

const struct ptx_function *naming_find_kernel(struct naming *naming,
                                              const struct ptx_module *module)
{
    const struct ptx_function *exact = ptx_find_function(module, wanted_kernel);
    const struct ptx_function *of_name = NULL, *of_form = NULL;
    unsigned of_names = 0, of_forms = 0;
    if (exact && exact->is_entry && !exact->is_declaration)
        return parameters_fit(exact) ? exact : NULL;
    for (size_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (!function->is_entry || function->is_declaration || !parameters_fit(function))
            continue;
        of_form = function;
        of_forms++;
        if (word_is(plain_name(function->name), wanted_kernel)) {
            of_name = function;
            of_names++;
        }
    }
    const struct ptx_function *found = of_names == 1 ? of_name : of_forms == 1 ? of_form : NULL;
    if (!found)
        return NULL;
    struct word plain = plain_name(found->name);
    const char *place = declaration_find(naming, plain);
    if (!word_is(plain, wanted_kernel))
        naming_add(naming, place, "the kernel is called %.*s: its name must be %s",
                   plain.length < 64 ? (int)plain.length : 64, plain.at, wanted_kernel);
    if (plain.at != found->name)
        naming_add(naming, place,
                   "the kernel is not declared extern \"C\" (its name in the module is %.64s)",
                   found->name);
    return found;
}

/* ---- The order of parameters ---- */

enum role { ROLE_OUTPUT, ROLE_INPUT, ROLE_WIDTH, ROLE_HEIGHT, ROLE_ADDRESS, ROLE_INTEGER };

static bool word_has(struct word word, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= word.length; i++)
        if (!strncasecmp(word.at + i, part, length))
            return true;
    return false;
}

/* What a declared parameter is, as far as its type and its name tell. */
static enum role role_of(const char *from, const char *end)
{
    struct word name = {from, 0}, next;
    bool address = memchr(from, '*', (size_t)(end - from)), constant = false;
    for (const char *at = from; (next = word_next(at)).length && next.at < end;
         at = next.at + next.length) {
        constant |= word_is(next, "const") && !memchr(from, '*', (size_t)(next.at - from));
        name = next;
    }
    if (address) {
        if (constant || word_has(name, "src") || word_has(name, "idata") ||
            word_has(name, "input") || (name.length >= 2 && word_has(name, "in")))
            return ROLE_INPUT;
        return word_has(name, "out") || word_has(name, "odata") || word_has(name, "dst")
                   ? ROLE_OUTPUT
                   : ROLE_ADDRESS;
    }
    if (word_has(name, "w") || word_has(name, "col") || word_has(name, "nx"))
        return word_has(name, "row") ? ROLE_HEIGHT : ROLE_WIDTH;
    return word_has(name, "h") || word_has(name, "row") || word_has(name, "ny") ? ROLE_HEIGHT
                                                                                : ROLE_INTEGER;
}

/* What is left to `other` where its partner is known. */
static void role_infer(enum role *role, enum role partner, enum role unknown, enum role first,
                       enum role second)
{
    if (*role == unknown && partner == first)
        *role = second;
    else if (*role == unknown && partner == second)
        *role = first;
}

bool naming_declared_order(const struct naming *naming, const struct ptx_function *kernel,
                           unsigned char order[4])
{
    const char *at = declaration_find(naming, plain_name(kernel->name));
    enum role roles[4];
    bool seen[4] = {false}, differs = false;
    if (!at)
        return false;
    at = strchr(at, '(');
    for (int i = 0; i < 4; i++) {
        const char *end = at + 1 + strcspn(at + 1, ",()");
        if (*end != (i < 3 ? ',' : ')'))
            return false;
        roles[i] = role_of(at + 1, end);
        at = end;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            role_infer(&roles[i], roles[j], ROLE_ADDRESS, ROLE_OUTPUT, ROLE_INPUT);
            role_infer(&roles[i], roles[j], ROLE_INTEGER, ROLE_WIDTH, ROLE_HEIGHT);
        }
    /* Who says nothing keeps the course's order. */
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
