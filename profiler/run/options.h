/* options.h: the command line, for all commands alike. A command describes its options in a table;
 * what --help prints and what is accepted are both made from it.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/failure.h"
#include "emulator/device/device.h"

#include <stddef.h>
#include <stdint.h>

/* Words of the command line, borrowed; free(words). */
struct word_list {
    const char **words;
    size_t count;
};

/* How an option's value is taken. */
enum option_kind {
    OPTION_HEADING,
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST,
    OPTION_NUMBER,
    OPTION_TRIPLE,
    OPTION_CALL
};

/* Where a value goes that a function takes. False: a harness failure. */
typedef bool option_take(void *context, const char *value, struct failure *failure);

/* A row of the table. An option of one letter is short: -D VALUE or -DVALUE; any other is long:
 * --name VALUE or --name=VALUE. */
struct option_row {
    enum option_kind kind;
    const char *name;     /* without hyphens */
    const char *argument; /* its name in --help */
    const char *help;     /* lines; NULL: the option is not shown */
    void *value;
    uint64_t low, high;
    option_take *take;
};

/* The rows: a heading between options, and what sets *value to
 *   true;
 *   the text, which is not empty;
 *   a list to which the text is appended;
 *   a decimal number (uint64_t) from low to high;
 *   "X", "X,Y" or "X,Y,Z" (uint32_t[3]), each at least low, which those left out are;
 *   whatever the function makes of it. */
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
#define CALL_ROW(option, of, function, context, text) \
    {.kind = OPTION_CALL, .name = option, .argument = of, .help = text, .value = context, .take = function}
/* clang-format on */

#define ROWS(table) .rows = (table), .row_count = sizeof(table) / sizeof *(table)

struct command_line {
    const char *command;  /* "run" */
    const char *synopsis; /* "TARGET... [OPTION...]" */
    const char *about;    /* lines between the synopsis and the options */
    const struct option_row *rows;
    size_t row_count;
    const char *ending;         /* lines behind the options; may be NULL */
    struct word_list *operands; /* which may stand between options; NULL: there are none */
    char ***rest; /* NULL, or set to what stands behind `--`, of which nothing else is an operand */
};

/* Parse a command's arguments; values[-1] is the command. *helped: --help or -h was among them, and
 * answered. False: a harness failure, which names the option and says what to do. The lists must be
 * freed in any case. */
bool command_line_parse(const struct command_line *line, int count, char **values, bool *helped,
                        struct failure *failure);

/* A decimal number within [low, high], or a failure that names the option ("--rows"). */
bool options_number(const char *option, const char *text, uint64_t low, uint64_t high,
                    uint64_t *value, struct failure *failure);

/* The index of `text` among words ("launch", "kernel", NULL), or a failure that names the
 * option. */
bool options_choose(const char *option, const char *text, const char *const *words,
                    unsigned *chosen, struct failure *failure);

/* The emulated device of that name ("h200"), or a file of parameters ("./my.conf"). */
bool options_device(const char *name, struct device *device, struct failure *failure);

/* The device when none is named. */
#define OPTIONS_DEFAULT_DEVICE "h200"

#endif
