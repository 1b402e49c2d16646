#define _GNU_SOURCE
#include "diagnose/compile_hints.h"

#include "course/verdict.h"
#include "text/code_text.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the name of a one-dimensional array that is used with two indices, or NULL. */
static const char *flat_array(const char *code, const struct array_shapes *shapes)
{
    for (unsigned i = 0; i < shapes->count; i++) {
        char use[ARRAY_NAME_SIZE + 4];
        snprintf(use, sizeof use, "%s[", shapes->shapes[i].name);
        const char *end = NULL;
        for (const char *at = code; (at = strstr(at, use)) && shapes->shapes[i].dimensions == 1;
             at++)
            if ((end = strchr(at, ']')) && end[1] == '[')
                return shapes->shapes[i].name;
    }
    return NULL;
}

static bool find_flat(const char *message, const char *code, const struct array_shapes *shapes,
                      struct report *hint)
{
    static const char *const phrases[] = {
        "must have pointer-to-object type but it has type \"float\"",
        "subscripted value is not an array, pointer, or vector", NULL};
    const char *array = flat_array(code, shapes);
    if (!text_has_one_of(message, phrases))
        return false;
    return array ? report_add(hint, FINDING_ONE_DIMENSION,
                              "%s is declared with one dimension: %s[r] is already an element and "
                              "cannot be indexed with [c]",
                              array, array)
                 : report_add(hint, FINDING_ONE_DIMENSION,
                              "odata and idata are pointers to float: odata[r] is already a "
                              "float and cannot be indexed with [c]. Compute one index from the "
                              "row, the length of a row, and the column.");
}

static bool find_typo(const char *message, const char *code, struct report *hint)
{
    static const char *const phrases[] = {"identifier \"", "undeclared identifier '",
                                          "unknown type name '", "was not declared in this scope"};
    static const char *const known[] = {
        "__syncthreads", "__syncwarp", "__shared__",       "threadIdx",      "blockIdx",
        "blockDim",      "gridDim",    "TILE_DIM",         "BLOCK_ROWS",     "odata",
        "idata",         "width",      "height",           "lab_grid",       "lab_ceil_div",
        "LAB_LAUNCH",    "atomicAdd",  "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync",
        "__shfl_sync"};
    for (size_t p = 0; p < sizeof phrases / sizeof *phrases; p++)
        for (const char *at = message; (at = strstr(at, phrases[p]));) {
            at += strlen(phrases[p]);
            size_t length = 0;
            while (code_is_word(at[length]))
                length++;
            /* A name that the file does not contain comes from a macro, such as LAB_LAUNCH. */
            if (!memmem(code, strlen(code), at, length))
                continue;
            for (size_t k = 0; k < sizeof known / sizeof *known; k++)
                if (!(strlen(known[k]) == length && !memcmp(at, known[k], length)) &&
                    (code_word_is_like(at, length, known[k], length > 6 ? 2 : 1) ||
                     (length > 6 && !strncmp(at, known[k], length))))
                    return report_add(hint, FINDING_NAME_UNKNOWN,
                                      "%.*s is unknown. Did you mean %s?",
                                      (int)(length > 60 ? 60 : length), at, known[k]);
        }
    return false;
}

static bool find_comma(const char *code, struct report *hint)
{
    char comma[300];
    return code_describe_comma(code, comma, sizeof comma) &&
           report_add(hint, FINDING_COMMA_IN_INDEX, "%s", comma);
}

/* Add a hint about unmatched brackets, because compilers report a later position. */
static bool find_brackets(const char *code, struct report *hint)
{
    static const char pairs[][3] = {"{}", "()", "[]"};
    for (size_t p = sizeof pairs / sizeof *pairs; p-- > 0;) {
        unsigned opened = 0, closed = 0;
        for (const char *at = code; *at; at++) {
            opened += *at == pairs[p][0];
            closed += *at == pairs[p][1];
        }
        if (opened != closed)
            return report_add(hint, FINDING_BRACKETS,
                              "the file has %u `%c` but %u `%c`. Which bracket is unmatched?",
                              opened, pairs[p][0], closed, pairs[p][1]);
    }
    return false;
}

static bool find_text(const char *pattern, const char *code, regmatch_t groups[3])
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE))
        return false;
    const bool found = !regexec(&regex, code, 3, groups, 0);
    regfree(&regex);
    return found;
}

/* Add a hint about LAB(name) without a semicolon, because compilers report the next declaration. */
static bool find_lab(const char *code, struct report *hint)
{
    regmatch_t groups[3];
    if (!find_text("^[ \t]*LAB\\([^)]*\\)[ \t]*$", code, groups))
        return false;
    const unsigned line = code_line(code, code + groups[0].rm_so);
    return report_add_at(hint, FINDING_SEMICOLON_MISSING, line,
                         "line %u: a semicolon is missing after `%.*s`", line,
                         (int)(groups[0].rm_eo - groups[0].rm_so), code + groups[0].rm_so);
}

static bool find_for(const char *code, struct report *hint)
{
    regmatch_t groups[3];
    if (!find_text("\\<for[ \t]*\\([^;:{}]*;?[^;:{}]*\\)[ \t]*(\\{|$)", code, groups))
        return false;
    const unsigned line = code_line(code, code + groups[0].rm_so);
    return report_add_at(hint, FINDING_SEMICOLON_MISSING, line,
                         "line %u: the three parts of a for loop are separated by two semicolons",
                         line);
}

/* Add a hint about an incomplete statement. NVRTC prints the line, and a `^` below the unexpected
 * symbol. If the symbol starts its line, the semicolon of an earlier line is missing. */
static bool find_statement(const char *message, const char *code, struct report *hint)
{
    regmatch_t groups[3];
    if (!find_text("\\(([0-9]+)\\): error: expected a \";\"\n([^\n]*)\n", message, groups))
        return false;
    unsigned line = (unsigned)strtoul(message + groups[1].rm_so, NULL, 10);
    const char *shown = message + groups[2].rm_so,
               *symbol = shown + strspn(message + groups[0].rm_eo, " "), *start = code;
    if (symbol >= message + groups[2].rm_eo)
        return false;
    if (shown + strspn(shown, " \t") < symbol) {
        const int length = *symbol == '=' ? 2 : code_is_word(*symbol) ? 60 : 1;
        int end = 1;
        while (end < length && (length == 2 || code_is_word(symbol[end])))
            end++;
        return report_add_at(hint, FINDING_SYMBOL_UNEXPECTED, line,
                             strncmp(symbol, "==", 2)
                                 ? "line %u: the statement cannot continue with `%.*s`. Is an "
                                   "operator or a semicolon missing before it?"
                                 : "line %u: `%.*s` compares two values; `=` assigns a value",
                             line, end, symbol);
    }
    for (unsigned i = 1; i < line && (start = strchr(start, '\n')); i++)
        start++;
    while (start && start > code && strchr(" \t\n", start[-1]))
        start--;
    if (start)
        line = code_line(code, start);
    return report_add_at(hint, FINDING_SEMICOLON_MISSING, line,
                         "line %u: a semicolon is missing at the end of this line", line);
}

/* Add a hint about float4(...) without make_, a parameter float **, or an atomic on a value. */
static bool find_call(const char *message, const char *code, struct report *hint)
{
    regmatch_t groups[3];
    if (find_text("(^|[^A-Za-z0-9_])((float|double|u?int|u?char|u?short)[234])[ \t]*\\([^)]*,",
                  code, groups)) {
        const unsigned line = code_line(code, code + groups[2].rm_so);
        const int length = (int)(groups[2].rm_eo - groups[2].rm_so);
        const char *type = code + groups[2].rm_so;
        return report_add_at(hint, FINDING_CALL_WRONG, line,
                             "line %u: write make_%.*s(...): %.*s is a type without a constructor",
                             line, length, type, length, type);
    }
    if (strstr(message, "float **") && find_text("(float[ \t]*\\*[ \t]*\\*)", code, groups))
        return report_add_at(hint, FINDING_CALL_WRONG, code_line(code, code + groups[1].rm_so),
                             "float ** is not a 2-D array: for float a[R][C], write float (*a)[C]");
    if (!strstr(message, "overloaded function \"atomic") &&
        !strstr(message, "matching function for call to 'atomic"))
        return false;
    if (!find_text("\\<(atomic[A-Z][A-Za-z]*)[ \t]*\\([ \t]*([A-Za-z_][A-Za-z0-9_]*\\[)", code,
                   groups))
        return false;
    const unsigned line = code_line(code, code + groups[1].rm_so);
    return report_add_at(hint, FINDING_CALL_WRONG, line,
                         "line %u: the first argument of %.*s must be an address: write &%.*s...]",
                         line, (int)(groups[1].rm_eo - groups[1].rm_so), code + groups[1].rm_so,
                         (int)(groups[2].rm_eo - groups[2].rm_so), code + groups[2].rm_so);
}

/* Add a hint about a variable with the name of a macro, which the preprocessor replaces. */
static bool find_macro(const char *code, struct report *hint)
{
    regmatch_t define[3], use[3];
    char pattern[200];
    for (const char *at = code;
         find_text("^[ \t]*#[ \t]*define[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]+", at, define);
         at += define[0].rm_eo) {
        const int length = (int)(define[1].rm_eo - define[1].rm_so);
        const char *name = at + define[1].rm_so;
        snprintf(
            pattern, sizeof pattern,
            "^[^#\n]*\\<(int|unsigned|size_t|float|bool|auto|enum) *\\{?[ \t]*%.*s[ \t]*[=;[{]",
            length < 64 ? length : 64, name);
        if (!find_text(pattern, code, use))
            continue;
        const unsigned line = code_line(code, code + use[1].rm_so);
        return report_add_at(hint, FINDING_MACRO_REDECLARED, line,
                             "line %u declares a variable %.*s, but %.*s is a macro (line %u): the "
                             "preprocessor replaces this name. Remove the macro or the variable.",
                             line, length, name, length, name, code_line(code, name));
    }
    return false;
}

/* Add a hint about a character that is not ASCII, such as a multiplication sign from a PDF. */
static bool find_character(const char *code, struct report *hint)
{
    static const struct {
        const char *character, *code_point, *instead;
    } known[] = {
        {"\xc3\x97", "00D7", "*"},       {"\xe2\x80\x9c", "201C", "\""},
        {"\xe2\x80\x9d", "201D", "\""},  {"\xe2\x80\x98", "2018", "'"},
        {"\xe2\x80\x99", "2019", "'"},   {"\xe2\x88\x92", "2212", "-"},
        {"\xe2\x80\x93", "2013", "-"},   {"\xe2\x80\x94", "2014", "-"},
        {"\xc2\xa0", "00A0", "a blank"}, {"\xe2\x80\x8b", "200B", "nothing"},
        {"\xcd\xbe", "037E", ";"},       {"\xe2\x89\xa4", "2264", "<="},
        {"\xe2\x89\xa5", "2265", ">="},  {"\xe2\x89\xa0", "2260", "!="},
        {"\xe2\x8b\x85", "22C5", "*"},   {"\xc2\xb7", "00B7", "*"},
    };
    for (const char *at = code; *at; at++) {
        if (*at == '"')
            at += 1 + strcspn(at + 1, "\"\n");
        if (!*at)
            break;
        if (!(*at & 0x80) || !strncmp(at, "\xef\xbb\xbf", 3))
            continue;
        const unsigned line = code_line(code, at);
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!strncmp(at, known[k].character, strlen(known[k].character)))
                return report_add_at(
                    hint, FINDING_CHARACTER_FOREIGN, line,
                    "line %u contains `%s` (U+%s), perhaps copied from a formatted "
                    "document. Write %s instead.",
                    line, known[k].character, known[k].code_point, known[k].instead);
        if (at == code || !(at[-1] & 0x80))
            return report_add_at(hint, FINDING_CHARACTER_FOREIGN, line,
                                 "line %u contains a character that is not in ASCII (byte 0x%02x). "
                                 "C++ code outside of comments and strings uses ASCII.",
                                 line, *at & 0xffu);
    }
    return false;
}

void compile_hints_add(const char *code, const struct array_shapes *shapes, struct naming *naming,
                       const char *text, size_t bytes, struct failure *failure)
{
    static const char *const of_index[] = {"expected a \"]\"", "lvalue", "cannot be assigned",
                                           "initialize", NULL};
    const char *message = failure->text;
    const bool includes = strstr(naming->code, "lab.h\"") || strstr(naming->code, "lab.h>"),
               has_kernel = strstr(naming->code, "__global__");
    struct report hint = {.lines = 0}, flat = {.lines = 0};
    size_t repaired;
    naming->text[0] = 0;
    free(naming_repair(naming, text, bytes, &repaired));
    const bool is_misspelt = naming->text[0];
    if (!includes && !find_character(code, &hint))
        naming_add(naming, 0, "#include \"lab.h\" is missing; lab.h defines LAB and LAB_LAUNCH");
    if (!has_kernel)
        naming_add(naming, 0, "no function is declared __global__; declare the kernel __global__");
    find_flat(message, code, shapes, &flat);
    if (!hint.lines && !find_character(code, &hint) && !find_lab(code, &hint) &&
        !find_macro(code, &hint) && !find_typo(message, code, &hint) &&
        !find_call(message, code, &hint) &&
        !((flat.lines || text_has_one_of(message, of_index)) && find_comma(code, &hint)))
        report_join(&hint, &flat);
    if (!hint.lines && strstr(message, "error"))
        find_brackets(code, &hint);
    if (!hint.lines && strstr(message, "error") && !find_for(code, &hint))
        find_statement(message, code, &hint);
    if (naming->text[0])
        failure_prepend(failure, "%s\n", naming->text);
    failure_find(failure, is_misspelt ? FINDING_NAME_MISSPELT : FINDING_NONE, 0);
    failure_find(failure, includes ? FINDING_NONE : FINDING_NO_INCLUDE, 0);
    failure_find(failure, has_kernel ? FINDING_NONE : FINDING_NO_GLOBAL, 0);
    report_append(&hint, failure);
}
