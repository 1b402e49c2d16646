/* target_options.h: the arguments that all commands on labs share: targets, device, size,
 * macros. */
#ifndef TARGET_OPTIONS_H
#define TARGET_OPTIONS_H

#include "run/options.h"
#include "run/run.h"

struct target_options {
    struct run_options run;
    const char *device_name; /* NULL: no device was named, and there is no default. */
    struct device device;
    struct word_list targets, defines;
    bool single; /* Only one target is allowed. */
};

/* Their rows in a command's table. */
#define TARGET_SIZES_ROWS(options, default_rows, columns)                                          \
    NUMBER_ROW("rows", "R", &(options)->run.size.rows, 1, INT32_MAX,                               \
               "rows of the input matrix (default " default_rows ")"),                             \
        NUMBER_ROW("cols", "C", &(options)->run.size.cols, 1, INT32_MAX,                           \
                   "its columns (" columns ")"),                                                   \
        LIST_ROW("D", "NAME=VALUE", &(options)->defines, "define a macro; may be repeated")
#define TARGET_SIZE_ROWS(options, default_size) TARGET_SIZES_ROWS(options, default_size, "the same")
#define TARGET_DEVICE_ROW(options)                                                                 \
    TEXT_ROW("device", "NAME", &(options)->device_name,                                            \
             "device to emulate (default " OPTIONS_DEFAULT_DEVICE "); `tlab devices` lists them")
#define TARGET_ROWS(options) TARGET_DEVICE_ROW(options), TARGET_SIZE_ROWS(options, "2048")

/* Returns the defaults: emulation on OPTIONS_DEFAULT_DEVICE. */
struct target_options target_options_default(void);

/* Parse a command whose operands are targets, at least one. *helped: see command_line_parse. */
bool target_options_parse(struct target_options *options, const struct command_line *line,
                          int count, char **values, bool *helped, struct failure *failure);

/* Find the device to emulate. */
bool target_options_find_device(struct target_options *options, struct failure *failure);

/* Execute a command: parse, find the device, visit the sources of each target, and free the
 * options. Returns the exit status: 2 for a harness failure, else *status. */
int target_options_visit(struct target_options *options, const struct command_line *line, int count,
                         char **values,
                         bool (*visit)(void *context, const char *path, struct failure *failure),
                         void *context, const int *status, struct failure *failure);

void target_options_free(struct target_options *options);

#endif
