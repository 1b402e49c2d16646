/* target_options.h: the options of all commands on labs: targets, device, size, macros. */
#ifndef TARGET_OPTIONS_H
#define TARGET_OPTIONS_H

#include "course/exercise.h"
#include "run/options.h"
#include "run/run.h"

struct target_options {
    struct run_options run;
    const char *device_name; /* Operand of --device, or NULL. */
    char usual_device[64];
    struct device device;
    struct word_list targets, defines;
    bool single; /* True if only one target is permitted. */
};

#define TARGET_SIZES_ROWS(options, default_rows, columns)                                          \
    NUMBER_ROW("rows", "R", &(options)->run.size.rows, 1, INT32_MAX,                               \
               "rows of the input matrix (default " default_rows ")"),                             \
        NUMBER_ROW("cols", "C", &(options)->run.size.cols, 1, INT32_MAX,                           \
                   "columns of the input matrix (" columns ")"),                                   \
        LIST_ROW("D", "NAME=VALUE", &(options)->defines, "define a macro; may be repeated")
#define TARGET_SIZE_ROWS(options, default_size) TARGET_SIZES_ROWS(options, default_size, "the same")
#define TARGET_DEVICE_ROW(options)                                                                 \
    TEXT_ROW("device", "NAME", &(options)->device_name,                                            \
             "device to emulate (default: the lab's device, or " OPTIONS_DEFAULT_DEVICE            \
             "); `tlab devices`\n"                                                                 \
             "lists the devices")
#define TARGET_ROWS(options)                                                                       \
    TARGET_DEVICE_ROW(options), TARGET_SIZE_ROWS(options, "the lab's, or 2048")

struct target_options target_options_default(void);

/* Parse the arguments of a command with one or more targets; see command_line_parse. */
bool target_options_parse(struct target_options *options, const struct command_line *line,
                          int count, char **values, struct failure *failure);

/* Find the device to emulate. For a single target, the lab's manifest defines the default device
 * and size; several targets use the same device and size. Returns false for a harness failure. */
bool target_options_find_device(struct target_options *options, struct failure *failure);
/* The steps of target_options_find_device: read the defaults of the manifest, and use them. */
bool target_options_find_usual(const struct target_options *options, struct usual_run *usual,
                               struct failure *failure);
bool target_options_take_usual(struct target_options *options, const struct usual_run *usual,
                               struct failure *failure);

/* Execute a command: parse the arguments, find the device, call `visit` for the sources of each
 * target, and free the options. Returns 2 for a harness failure, otherwise *status. */
int target_options_visit(struct target_options *options, const struct command_line *line, int count,
                         char **values,
                         bool (*visit)(void *context, const char *path, struct failure *failure),
                         void *context, const int *status, struct failure *failure);

void target_options_free(struct target_options *options);

#endif
