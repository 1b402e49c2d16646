/* options.h: the command line of all commands. --help and the parser use one table of options. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/failure.h"
#include "emulator/device/device.h"

#include <stddef.h>
#include <stdint.h>

/* The caller frees `words`; the list does not own the strings. */
struct word_list {
    const char **words;
    size_t count;
};

enum option_kind {
    OPTION_HEADING,
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST,
    OPTION_NUMBER,
    OPTION_TRIPLE,
    OPTION_CHOICE,
    OPTION_CALL
};

typedef bool option_take(void *context, const char *value, struct failure *failure);

/* An option with a name of one letter is short: -D VALUE or -DVALUE. A longer name is a long
 * option: --name VALUE or --name=VALUE. */
struct option_row {
    enum option_kind kind;
    const char *name;     /* Name without hyphens. */
    const char *argument; /* Placeholder for the value in --help. */
    const char *help;     /* Lines of text; if NULL, --help omits the option. */
    void *value;
    uint64_t low, high;
    option_take *take;
};

/* FLAG_ROW sets a bool to true. TEXT_ROW stores a string, which must not be empty. LIST_ROW appends
 * a string to a list. NUMBER_ROW stores a decimal number from `low` to `high`. TRIPLE_ROW stores
 * "X", "X,Y" or "X,Y,Z", each at least `low`, the default. CHOICE_ROW sets a bool to true for the
 * second of the words "FIRST|SECOND", and to false for the first. CALL_ROW calls a function. */
/* clang-format off */
#define HEADING_ROW(text) {.kind = OPTION_HEADING, .help = text}
#define FLAG_ROW(option, set, text) \
    {.kind = OPTION_FLAG, .name = option, .help = text, .value = (bool *){set}}
#define TEXT_ROW(option, of, set, text) \
    {.kind = OPTION_TEXT, .name = option, .argument = of, .help = text, .value = (const char **){set}}
#define LIST_ROW(option, of, set, text) \
    {.kind = OPTION_LIST, .name = option, .argument = of, .help = text, .value = (struct word_list *){set}}
#define NUMBER_ROW(option, of, set, from, to, text) \
    {.kind = OPTION_NUMBER, .name = option, .argument = of, .help = text, .value = (uint64_t *){set}, \
     .low = from, .high = to}
#define TRIPLE_ROW(option, set, from, text) \
    {.kind = OPTION_TRIPLE, .name = option, .argument = "X[,Y[,Z]]", .help = text, \
     .value = (uint32_t *){set}, .low = from}
#define CHOICE_ROW(option, of, set, text) \
    {.kind = OPTION_CHOICE, .name = option, .argument = of, .help = text, .value = (bool *){set}}
#define CALL_ROW(option, of, function, context, text) \
    {.kind = OPTION_CALL, .name = option, .argument = of, .help = text, .value = context, .take = function}
/* clang-format on */

#define ROWS(table) .rows = (table), .row_count = sizeof(table) / sizeof *(table)

struct command_line {
    const char *command;
    const char *synopsis;
    const char *about; /* Lines of text between the synopsis and the options. */
    const struct option_row *rows;
    size_t row_count;
    const char *ending;         /* Lines of text after the options; may be NULL. */
    struct word_list *operands; /* Receives the operands; NULL if none are permitted. */
    char ***rest;               /* Receives the arguments after `--`; NULL forbids `--`. */
};

/* Parse the arguments of a command. values[-1] is the name of the command. --help and -h print the
 * help and end the process. Returns false for a harness failure, which names the option and a
 * correction. The caller frees the word lists, also after a failure. */
bool command_line_parse(const struct command_line *line, int count, char **values,
                        struct failure *failure);

/* Parse a decimal number in [low, high]. Returns false for a failure, which names the option. */
bool options_number(const char *option, const char *text, uint64_t low, uint64_t high,
                    uint64_t *value, struct failure *failure);

/* Find an emulated device by name ("h200") or file ("./my.conf"). Returns false for a failure. */
bool options_device(const char *name, struct device *device, struct failure *failure);

#define OPTIONS_DEFAULT_DEVICE "h200"

#endif
