/* intake_repair.c: repair sources that other systems or word processors have changed. Theory of
 * operation. A student's file system may ignore case or accept backslashes, and a word processor or
 * PDF replaces quotes and blanks. Outside comments and strings, such characters are replaced. The
 * file in an #include may not exist. If exactly one file of the submission or a header of the
 * course then matches, the name is replaced. A note states each repair. */
#define _GNU_SOURCE
#include "intake/intake_collect.h"

#include "base/paths.h"
#include "intake/text.h"
#include "process/allocate.h"
#include "text/code_text.h"
#include "text/includes.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* If `meant` is NULL, full-width characters become ASCII. No replacement is longer in UTF-8. */
static const struct {
    int32_t from, to;
    const char *meant;
} characters[] = {
    {0xA0, 0xA0, " "},      {0xAD, 0xAD, ""},       {0x37E, 0x37E, ";"},    {0x1680, 0x1680, " "},
    {0x2000, 0x200A, " "},  {0x200B, 0x200F, ""},   {0x2010, 0x2015, "-"},  {0x2018, 0x201B, "'"},
    {0x201C, 0x201F, "\""}, {0x2028, 0x2029, "\n"}, {0x202A, 0x202E, ""},   {0x202F, 0x202F, " "},
    {0x205F, 0x205F, " "},  {0x2060, 0x206F, ""},   {0x2212, 0x2212, "-"},  {0x2217, 0x2217, "*"},
    {0x3000, 0x3000, " "},  {0xFB00, 0xFB00, "ff"}, {0xFB01, 0xFB01, "fi"}, {0xFB02, 0xFB02, "fl"},
    {0xFEFF, 0xFEFF, ""},   {0xFF01, 0xFF5E, NULL},
};

static const char *character_meant(int32_t character, char single[2])
{
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++)
        if (character >= characters[i].from && character <= characters[i].to) {
            single[0] = (char)(character - 0xFF01 + '!');
            return characters[i].meant ? characters[i].meant : single;
        }
    return NULL;
}

static void repair_characters(struct reading *reading, struct intake_file *file)
{
    /* At the end of the file, remove DOS end-of-file marks, and zeros from a crashed editor. */
    for (size_t i = file->size; i && memchr("\x1A \r\n", file->bytes[i - 1], 5); i--)
        if (!isspace(file->bytes[i - 1]))
            file->bytes[i - 1] = ' ';
    char *code = allocate_checked(code_text(file->bytes, file->size));
    struct tokens tokens = tokens_of(code, file->size);
    for (struct token token; (token = tokens_next(&tokens)).kind;)
        if (token.kind == TOKEN_STRING || token.kind == TOKEN_RAW_STRING ||
            token.kind == TOKEN_CHARACTER || token.kind == TOKEN_HEADER)
            code_blank(code + (token.text - code), token.length);
    unsigned char *out = file->bytes;
    size_t count = 0, length;
    unsigned first_line = 0;
    int32_t first = 0;
    for (size_t i = 0; i < file->size; i += length) {
        char single[2] = "";
        int32_t character = 0;
        length = 1;
        if ((unsigned char)code[i] >= 0x80)
            text_next_character(code + i, file->size - i, &character, &length);
        const char *meant = character ? character_meant(character, single) : NULL;
        if (meant && !count++) {
            first = character;
            first_line = code_line(code, code + i);
        }
        size_t used = meant ? strlen(meant) : length;
        memmove(out, meant ? (const void *)meant : file->bytes + i, used);
        out += used;
    }
    free(code);
    file->size = (size_t)(out - file->bytes);
    *out = 0;
    char more[48] = "";
    if (count > 1)
        snprintf(more, sizeof more, ", and %zu more", count - 1);
    if (count)
        reading_note(reading, file->name,
                     "%s: line %u has a character that is not valid in C++ (U+%04X, typical of "
                     "word processors)%s, so it is read as a similar character",
                     file->name, first_line, (unsigned)first, more);
}

enum { INCLUDE_NAME_SIZE = 512, INCLUDES_REPAIRED_MAX = 64 };

static const struct intake_file *find_file(const struct intake *intake, const char *name)
{
    for (size_t i = 0; i < intake->count; i++)
        if (!strcmp(intake->files[i].name, name))
            return &intake->files[i];
    return NULL;
}

static bool is_there(const struct intake *intake, const struct intake_file *includer,
                     const char *name)
{
    char path[PATH_SIZE];
    return find_file(intake, name) ||
           (path_from_file(includer->name, name, path, sizeof path) && find_file(intake, path));
}

static bool is_header(const char *name)
{
    static const char *const folders[] = {"include", "profiler/compile/stand_ins",
                                          "profiler/compile/stand_ins/host"};
    char relative[INCLUDE_NAME_SIZE + 64], path[PATH_SIZE];
    struct failure failure = {0};
    if (!isalpha((unsigned char)*name) || strstr(name, ".."))
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(relative, sizeof relative, "%s/%s", folders[i], name);
        if (paths_in_root(relative, path, &failure) && !access(path, R_OK))
            return true;
    }
    return false;
}

/* Write a name for comparisons to `plain`: "inc/Kernel-1.cuh.txt" becomes "kernel.cuh". */
static void plain_name(const char *name, char plain[INCLUDE_NAME_SIZE])
{
    snprintf(plain, INCLUDE_NAME_SIZE, "%s", path_basename(name));
    for (char *c = plain; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    size_t length = strlen(plain);
    if (length > 4 && !strcmp(plain + length - 4, ".txt") && memchr(plain, '.', length - 4))
        plain[length - 4] = 0;
    regex_t copy;
    regmatch_t parts[4];
    if (regcomp(&copy, "^(.*[^ ]) *(-[0-9]+|\\([0-9]+\\))(\\.[^.]*)$", REG_EXTENDED))
        allocate_checked(NULL);
    if (!regexec(&copy, plain, 4, parts, 0))
        memmove(plain + parts[1].rm_eo, plain + parts[3].rm_so, strlen(plain + parts[3].rm_so) + 1);
    regfree(&copy);
}

static unsigned alike_from_end(const char *one, const char *other)
{
    size_t a = strlen(one), b = strlen(other);
    unsigned alike = 0;
    for (; a && b; a--, b--) {
        if (tolower((unsigned char)one[a - 1]) != tolower((unsigned char)other[b - 1]))
            return alike;
        alike += one[a - 1] == '/';
    }
    return alike + ((!a || one[a - 1] == '/') && (!b || other[b - 1] == '/'));
}

static const struct intake_file *guess_file(const struct intake *intake,
                                            const struct intake_file *includer, const char *name)
{
    char wanted[INCLUDE_NAME_SIZE], plain[INCLUDE_NAME_SIZE];
    const struct intake_file *best = NULL;
    unsigned best_alike = 0;
    bool several = false;
    plain_name(name, wanted);
    for (size_t i = 0; i < intake->count; i++) {
        const struct intake_file *file = &intake->files[i];
        plain_name(file->name, plain);
        if (file == includer || strcmp(plain, wanted))
            continue;
        unsigned alike = alike_from_end(name, file->name);
        several = best && alike == best_alike;
        if (!best || alike > best_alike) {
            best = file;
            best_alike = alike;
            several = false;
        }
    }
    return several ? NULL : best;
}

static void relative_path(const char *includer, const char *file, char path[INCLUDE_NAME_SIZE])
{
    size_t common = 0, used = 0;
    for (size_t i = 0; includer[i] && includer[i] == file[i]; i++)
        common = includer[i] == '/' ? i + 1 : common;
    for (const char *c = includer + common; (c = strchr(c, '/')) && used + 4 < INCLUDE_NAME_SIZE;
         c++)
        used += (size_t)sprintf(path + used, "../");
    snprintf(path + used, INCLUDE_NAME_SIZE - used, "%s", file + common);
}

static bool include_meant(const struct intake *intake, const struct intake_file *includer,
                          const char *operand, char meant[INCLUDE_NAME_SIZE])
{
    char name[INCLUDE_NAME_SIZE];
    operand += strspn(operand, " \t");
    snprintf(name, sizeof name, "%s", operand);
    for (size_t length = strlen(name); length && isspace((unsigned char)name[length - 1]);)
        name[--length] = 0;
    for (char *c = name; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    bool elsewhere = *name == '/' || strstr(name, "..") || strchr(operand, '\\');
    if (!*name)
        return false;
    if (is_there(intake, includer, name) || is_header(name)) {
        snprintf(meant, INCLUDE_NAME_SIZE, "%s", name);
        return true;
    }
    const struct intake_file *file = guess_file(intake, includer, name);
    if (file) {
        relative_path(includer->name, file->name, meant);
        return true;
    }
    if (!strcasecmp(path_basename(name), "lab.h")) {
        strcpy(meant, "lab.h");
        return true;
    }
    /* The end of an absolute path may name a header: /usr/include/cooperative_groups/reduce.h */
    for (const char *part = name; elsewhere && part;
         part = (part = strchr(part, '/')) ? part + 1 : NULL)
        if (is_header(part)) {
            snprintf(meant, INCLUDE_NAME_SIZE, "%s", part);
            return true;
        }
    return false;
}

static void repair_includes(struct reading *reading, struct intake_file *file)
{
    struct tokens tokens = tokens_of((const char *)file->bytes, file->size);
    struct include include;
    for (size_t count = 0; count < INCLUDES_REPAIRED_MAX && includes_next(&tokens, &include);) {
        char operand[INCLUDE_NAME_SIZE], meant[INCLUDE_NAME_SIZE];
        size_t from = (size_t)(include.operand.text - (const char *)file->bytes);
        token_copy(include.operand, operand, sizeof operand);
        if (!include.form || include.operand.is_open || include.operand.length >= sizeof operand ||
            !include_meant(reading->intake, file, operand, meant) || !strcmp(meant, operand))
            continue;
        char *text = allocate_checked(code_replace((const char *)file->bytes, &file->size, from,
                                                   include.operand.length, meant));
        free(file->bytes);
        file->bytes = (unsigned char *)text;
        tokens.at = text + from + strlen(meant) + 1;
        tokens.end = text + file->size;
        count++;
        reading_note(reading, file->name,
                     "%s: line %u includes \"%s\", which does not exist, so \"%s\" is read",
                     file->name, include.line, operand, meant);
    }
}

void reading_repair(struct reading *reading)
{
    struct intake *intake = reading->intake;
    for (size_t i = 0; i < intake->count; i++)
        repair_characters(reading, &intake->files[i]);
    for (size_t i = 0; i < intake->count; i++)
        repair_includes(reading, &intake->files[i]);
}
