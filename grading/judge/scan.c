#include "judge/scan.h"

#include "course/matrix.h"
#include "goals/digest.h"
#include "text/code_text.h"
#include "text/tokens.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the token LAB of the first LAB(name), and moves *tokens past it; length 0 if none. */
static struct token find_lab(struct tokens *tokens, struct token *name)
{
    for (struct token lab; (lab = tokens_next_code(tokens)).kind;) {
        struct tokens list = *tokens;
        if (!token_is(lab, "LAB") || !token_is(tokens_next_code(&list), "("))
            continue;
        *name = tokens_next_code(&list);
        if ((name->kind == TOKEN_WORD || name->kind == TOKEN_NUMBER) &&
            token_is(tokens_next_code(&list), ")")) {
            *tokens = list;
            return lab;
        }
    }
    return (struct token){0};
}

void scan_lab_name(const char *code, char name[64])
{
    struct tokens tokens = tokens_of(code, strlen(code));
    struct token found;
    name[0] = 0;
    if (find_lab(&tokens, &found).length && found.length < 64)
        token_copy(found, name, 64);
}

void scan_digest(const char *code, unsigned char digest[32])
{
    struct sha256_ctx hash;
    struct tokens tokens = tokens_of(code, strlen(code));
    struct token name, lab = find_lab(&tokens, &name);
    sha256_init(&hash);
    for (const char *c = code; *c; c++)
        if (lab.length && c == lab.text)
            c = tokens.at - 1;
        else if (!isspace((unsigned char)*c))
            sha256_update(&hash, 1, (const uint8_t *)c);
    sha256_digest(&hash, SHA256_DIGEST_SIZE, digest);
}

static const struct {
    const char *text; /* in lower case; must be a whole word in the code */
    const char *why;
} suspicious[] = {
    {"asm", "inline PTX"},
    {"__asm__", "inline PTX"},
    {"#pragma comment", "a directive for the linker"},
    {"constructor", "code that runs before main"},
    {"/etc/", "a system path"},
    {"/proc", "a system path"},
    {"/dev/", "a system path"},
    {"/home", "a system path"},
    {"/root", "a system path"},
    {"../", "a path that leaves the submission"},
    {"solutions", "the solutions' directory"},
    {"include_next", "a search for headers outside the submission"},
    {"__has_include", "a search for files"},
    {"incbin", "a file embedded in the program"},
    {"#embed", "a file embedded in the program"},
    {"system", "a host command"},
    {"popen", "a host command"},
    {"getenv", "the host's environment"},
    {"fopen", "a host file"},
    {"ifstream", "a host file"},
    {"lab_harness", "a test of whether the kernel is graded"},
    {"lab_launch_shape", "the harness's own kernel"},
    {"lab_name", "the harness's own variable"},
    {MATRIX_SPELLED(MATRIX_POISON), "the bits that mark unwritten output"},
    {MATRIX_SPELLED(MATRIX_GUARD), "the bits that mark guard bands"},
    {"matrix_value", "the harness's own input"},
    {"clock64", "a read of the clock"},
    {"globaltimer", "a read of the clock"},
};

static bool stands_alone(const char *code, const char *at, const char *text)
{
    size_t length = strlen(text);
    bool begins = at == code || !code_is_word(at[-1]) || !code_is_word(text[0]);
    bool ends = !code_is_word(at[length]) || !code_is_word(text[length - 1]);
    return begins && ends;
}

void scan_suspicions(const char *code,
                     void (*found)(void *context, size_t line, const char *text, const char *why),
                     void *context)
{
    size_t number = 1;
    for (const char *line = code; *line; number++) {
        size_t length = strcspn(line, "\n"), retained = length < 120 ? length : 120;
        char text[121], whole[1024];
        snprintf(whole, sizeof whole, "%.*s", (int)(length < 1023 ? length : 1023), line);
        snprintf(text, sizeof text, "%.*s", (int)retained, line);
        for (char *c = whole; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        for (size_t i = 0; i < sizeof suspicious / sizeof *suspicious; i++) {
            const char *at = strstr(whole, suspicious[i].text);
            if (at && stands_alone(whole, at, suspicious[i].text))
                found(context, number, text, suspicious[i].why);
        }
        line += length + (line[length] == '\n');
    }
}

static void line_of(const char *code, unsigned long number, char text[121])
{
    for (; number > 1 && *code; number--)
        code += strcspn(code, "\n") + (code[strcspn(code, "\n")] == '\n');
    snprintf(text, 121, "%.*s", (int)(strcspn(code, "\n") < 120 ? strcspn(code, "\n") : 120), code);
}

static bool is_file(const char *ptx, unsigned long number, const char *name)
{
    char directive[32];
    snprintf(directive, sizeof directive, ".file\t%lu \"", number);
    const char *path = strstr(ptx, directive);
    if (!path)
        return false;
    path += strlen(directive);
    const size_t length = strcspn(path, "\""), size = strlen(name);
    return length >= size && !memcmp(path + length - size, name, size);
}

void scan_inline_ptx(const char *ptx, const char *file, const char *code,
                     void (*found)(void *context, size_t line, const char *text, const char *why),
                     void *context)
{
    unsigned long number = 0, line = 0, last = 0;
    for (const char *at = ptx; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char text[121], *end;
        if (!strncmp(at, "\t.loc\t", 6)) {
            number = strtoul(at + 6, &end, 10);
            line = strtoul(end, NULL, 10);
        }
        if (strncmp(at, "\t// begin inline asm", 20) || line == last || !is_file(ptx, number, file))
            continue;
        last = line;
        line_of(code, line, text);
        if (!strstr(text, "asm") && !strstr(text, "__") && !strstr(text, "::"))
            found(context, line, text, "inline PTX that macros or line splices hide");
    }
}

void scan_compared(const char *code,
                   void (*found)(void *context, unsigned long number, bool for_equality),
                   void *context)
{
    static const char *const equalities[] = {"==", "!=", "case", NULL}, *const orders[] = {
                                                                            "<", ">",
                                                                            "<=", ">=", NULL};
    struct tokens tokens = tokens_of(code, strlen(code));
    struct token before = {0};
    for (struct token token; (token = tokens_next_code(&tokens)).kind;) {
        unsigned long value;
        if (token_is(token, "("))
            continue;
        struct tokens ahead = tokens;
        struct token after = tokens_next_code(&ahead);
        const bool is_number = token_number(token, &value);
        while (is_number && token_is(after, ")"))
            after = tokens_next_code(&ahead);
        const bool equality =
            token_is_one_of(before, equalities) || token_is_one_of(after, equalities);
        if (is_number &&
            (equality || token_is_one_of(before, orders) || token_is_one_of(after, orders)))
            found(context, value, equality);
        before = token;
    }
}
