#define _GNU_SOURCE
#include "run/options.h"

#include "base/array.h"
#include "base/paths.h"
#include "base/wording.h"
#include "text/spelling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 32, HELP_COLUMN = 24 };

static bool list_append(struct word_list *list, const char *word, struct failure *failure)
{
    if (!array_make_room(&list->words, list->count, sizeof *list->words))
        return failure_harness(failure, "not enough memory");
    list->words[list->count++] = word;
    return true;
}

static bool take_number(const char **text, uint64_t low, uint64_t high, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = **text >= '0' && **text <= '9' ? strtoull(*text, &end, 10) : 0;
    if (**text < '0' || **text > '9' || errno || *value < low || *value > high)
        return false;
    *text = end;
    return true;
}

bool options_number(const char *option, const char *text, uint64_t low, uint64_t high,
                    uint64_t *value, struct failure *failure)
{
    const char *end = text;
    uint64_t number;
    if (!take_number(&end, low, high, &number) || *end)
        return failure_harness(
            failure, "%s must be a whole number from %" PRIu64 " to %" PRIu64 ", not `%s`", option,
            low, high, text);
    *value = number;
    return true;
}

static bool triple_parse(const char *option, const char *text, uint64_t low, uint32_t values[3],
                         struct failure *failure)
{
    uint64_t number;
    unsigned count = 0;
    values[0] = values[1] = values[2] = (uint32_t)low;
    for (const char *at = text; take_number(&at, low, INT32_MAX, &number); at++) {
        values[count] = (uint32_t)number;
        if (!*at)
            return true;
        if (*at != ',' || ++count == 3)
            break;
    }
    return failure_harness(failure, "%s must be X,Y or X,Y,Z, each at least %" PRIu64 ", not `%s`",
                           option, low, text);
}

static bool choose(const char *option, const char *text, const char *words, bool *second,
                   struct failure *failure)
{
    const size_t first = strcspn(words, "|");
    *second = !strcmp(text, words + first + 1);
    return *second || (strlen(text) == first && !strncmp(text, words, first)) ||
           failure_harness(failure, "%s must be `%.*s` or `%s`, not `%s`", option, (int)first,
                           words, words + first + 1, text);
}

bool options_device(const char *name, struct device *device, struct failure *failure)
{
    if (strchr(name, '/'))
        return device_read(name, device, failure);
    if (!strcmp(name, "gpu"))
        return failure_harness(failure, "--device gpu: this command only emulates; `tlab devices` "
                                        "lists the devices that can be emulated");
    char directory[PATH_SIZE];
    return paths_in_root("profiler/devices", directory, failure) &&
           device_find(directory, name, device, failure);
}

static void row_name(const struct option_row *row, char name[32])
{
    snprintf(name, 32, "%s%s", row->name[1] ? "--" : "-", row->name);
}

static bool row_take(const struct option_row *row, const char *value, struct failure *failure)
{
    char name[32];
    row_name(row, name);
    if (value && !*value)
        return failure_harness(failure, "%s needs a value", name);
    switch (row->kind) {
    case OPTION_FLAG:
        return *(bool *)row->value = true;
    case OPTION_TEXT:
        *(const char **)row->value = value;
        return true;
    case OPTION_LIST:
        return list_append(row->value, value, failure);
    case OPTION_NUMBER:
        return options_number(name, value, row->low, row->high, row->value, failure);
    case OPTION_TRIPLE:
        return triple_parse(name, value, row->low, row->value, failure);
    case OPTION_CHOICE:
        return choose(name, value, row->argument, row->value, failure);
    case OPTION_CALL:
        return row->take(row->value, value, failure);
    case OPTION_HEADING:
        break;
    }
    return false;
}

static bool print_help(const struct command_line *line, struct failure *failure)
{
    printf("usage: tlab %s %s\n\n%s%s", line->command, line->synopsis, line->about,
           line->row_count ? "\n" : "");
    for (size_t i = 0; i < line->row_count; i++) {
        const struct option_row *row = &line->rows[i];
        char label[64];
        if (row->kind == OPTION_HEADING)
            printf("\n%s\n", row->help);
        if (row->kind == OPTION_HEADING || !row->help)
            continue;
        row_name(row, label);
        if (row->argument)
            APPEND(label, " %s", row->argument);
        for (const char *text = row->help, *end; *text; text = end + (*end == '\n')) {
            end = strchrnul(text, '\n');
            printf("  %-*s%.*s\n", HELP_COLUMN - 2, text == row->help ? label : "",
                   (int)(end - text), text);
        }
    }
    if (line->ending)
        printf("\n%s", line->ending);
    if (!fflush(stdout) || errno == EPIPE)
        exit(0);
    return failure_harness(failure, "cannot write to standard output");
}

static void option_advise(const struct command_line *line, const char *word,
                          char advice[SPELLING_ADVICE])
{
    const char *names[ROWS_MAX + 1] = {"help"};
    char name[64];
    size_t count = 1;
    for (size_t i = 0; i < line->row_count && count <= ROWS_MAX; i++)
        if (line->rows[i].name && line->rows[i].name[1] && line->rows[i].help)
            names[count++] = line->rows[i].name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    spelling_advise(name, "--", names, count, advice);
}

static bool fail_unknown(const struct command_line *line, const char *word, struct failure *failure)
{
    if (line->rest)
        return failure_harness(
            failure,
            "tlab %s has no option `%s`; write the program to run after `--`, as in: "
            "tlab %s -- ./program",
            line->command, word, line->command);
    bool is_option = word[0] == '-' && word[1];
    char advice[SPELLING_ADVICE] = "";
    if (is_option && word[1] == '-')
        option_advise(line, word + 2, advice);
    return failure_harness(failure, "tlab %s %s `%s`%s%s `tlab %s --help`", line->command,
                           is_option ? "has no option" : "accepts no argument", word, advice,
                           *advice ? " See" : "; see", line->command);
}

/* Returns the option with this name, or the only option that begins with `name`; or NULL. */
static const struct option_row *row_find(const struct command_line *line, const char *name,
                                         size_t length, bool is_long)
{
    const struct option_row *found = NULL;
    bool is_only = length;
    for (size_t i = 0; i < line->row_count; i++) {
        const struct option_row *row = &line->rows[i];
        if (!row->name || is_long != (row->name[1] != 0) || strncmp(row->name, name, length) != 0)
            continue;
        if (!row->name[length])
            return row;
        is_only &= !found;
        found = row;
    }
    return is_only ? found : NULL;
}

static bool take_option(const struct command_line *line, int count, char **values, int *at,
                        struct failure *failure)
{
    const char *word = values[*at], *value = NULL;
    const bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long;
    const size_t length = is_long ? strcspn(name, "=") : 1;
    const struct option_row *row = row_find(line, name, length, is_long);
    char text[32];
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return print_help(line, failure);
    if (name[length])
        value = name + length + is_long;
    if (!row || (row->kind == OPTION_FLAG && value))
        return fail_unknown(line, word, failure);
    if (row->kind != OPTION_FLAG && !value) {
        row_name(row, text);
        if (++*at == count)
            return failure_harness(failure, "%s needs a value", text);
        value = values[*at];
    }
    return row_take(row, value, failure);
}

static bool take_operand(const struct command_line *line, const char *word, struct failure *failure)
{
    return line->operands ? list_append(line->operands, word, failure)
                          : fail_unknown(line, word, failure);
}

bool command_line_parse(const struct command_line *line, int count, char **values,
                        struct failure *failure)
{
    bool good = true;
    int at = 0;
    for (; good && at < count && strcmp(values[at], "--") != 0; at++)
        good = values[at][0] == '-' && values[at][1]
                   ? take_option(line, count, values, &at, failure)
                   : take_operand(line, values[at], failure);
    at += at < count;
    if (line->rest)
        *line->rest = values + at;
    for (; good && !line->rest && at < count; at++)
        good = take_operand(line, values[at], failure);
    return good;
}
