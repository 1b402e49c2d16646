/* scan.c: see scan.h. */
#include "judge/scan.h"

#include "base/code_text.h"
#include "course/matrix.h"
#include "goals/digest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- LAB(name) ---- */

/* The first LAB(name) at or behind `code`, and its end; NULL: none. */
static const char *find_lab(const char *code, const char **name, size_t *length, const char **end)
{
    for (const char *at = code; (at = strstr(at, "LAB")); at++) {
        if (at > code && code_is_word(at[-1]))
            continue;
        const char *c = at + 3;
        c += strspn(c, " \t\r\n");
        if (*c++ != '(')
            continue;
        c += strspn(c, " \t\r\n");
        *name = c;
        while (code_is_word(*c))
            c++;
        *length = (size_t)(c - *name);
        c += strspn(c, " \t\r\n");
        if (*length && *c == ')') {
            *end = c + 1;
            return at;
        }
    }
    return NULL;
}

void scan_lab_name(const char *code, char name[64])
{
    const char *found, *end;
    size_t length;
    name[0] = 0;
    if (find_lab(code, &found, &length, &end) && length < 64)
        snprintf(name, 64, "%.*s", (int)length, found);
}

void scan_digest(const char *code, unsigned char digest[32])
{
    struct sha256_ctx hash;
    const char *name, *end = NULL;
    size_t length;
    const char *lab = find_lab(code, &name, &length, &end);
    sha256_init(&hash);
    for (const char *c = code; *c; c++) {
        if (lab && c == lab)
            c = end;
        if (!*c)
            break;
        if (!isspace((unsigned char)*c))
            sha256_update(&hash, 1, (const uint8_t *)c);
    }
    sha256_digest(&hash, SHA256_DIGEST_SIZE, digest);
}

/* ---- What people should look at ---- */

static const struct {
    const char *text; /* in lower case; a word where it begins and ends with one */
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
    {"../", "a path out of the submission"},
    {"solutions", "the solutions' directory"},
    {"include_next", "a search for other headers"},
    {"__has_include", "a search for files"},
    {"incbin", "a file taken into the program"},
    {"#embed", "a file taken into the program"},
    {"system", "a host command"},
    {"popen", "a host command"},
    {"getenv", "the host's environment"},
    {"fopen", "a host file"},
    {"ifstream", "a host file"},
    {"lab_harness", "a test for being graded"},
    {"lab_launch_shape", "the harness's own kernel"},
    {"lab_name", "the harness's own variable"},
    {MATRIX_SPELLED(MATRIX_POISON), "the bits that mark unwritten output"},
    {MATRIX_SPELLED(MATRIX_GUARD), "the bits that mark guard bands"},
    {"matrix_value", "the harness's own input"},
    {"clock64", "a look at the clock"},
    {"globaltimer", "a look at the clock"},
};

/* `text` occurs at `at`, and is no part of a longer word. */
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
        size_t length = strcspn(line, "\n"), kept = length < 120 ? length : 120;
        char text[121], whole[1024];
        snprintf(whole, sizeof whole, "%.*s", (int)(length < 1023 ? length : 1023), line);
        snprintf(text, sizeof text, "%.*s", (int)kept, line);
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

/* The number's own digits, and what stands before or behind it. */
bool scan_compares(const char *code, unsigned long number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lu", number);
    for (const char *at = code; (at = strstr(at, digits)); at++) {
        const char *before = at, *behind = at + strlen(digits);
        behind += strspn(behind, "uUlL");
        if ((at > code && code_is_word(at[-1])) || code_is_word(*behind))
            continue;
        while (before > code && strchr(" \t(", before[-1]))
            before--;
        behind += strspn(behind, " \t)");
        bool left = before - code >= 2 && (before[-1] == '=' && strchr("=!", before[-2]));
        bool label = before - code >= 4 && !strncmp(before - 4, "case", 4);
        if (left || label || !strncmp(behind, "==", 2) || !strncmp(behind, "!=", 2))
            return true;
    }
    return false;
}
