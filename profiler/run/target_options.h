/* target_options.h: the arguments that commands on one emulated lab have in common: targets,
 * device, size, macros.
 */
#ifndef TARGET_OPTIONS_H
#define TARGET_OPTIONS_H

#include "run/options.h"
#include "run/run.h"

struct target_options {
    const char *command; /* "annotate", for messages */
    struct run_options run;
    const char *device_name;
    struct device device;
    char **targets;
    size_t target_count;
    const char **defines;
};

/* Is --help (or -h) among the arguments? */
bool target_options_help(int count, char **values);

/* Take one argument: a target, or one of --device, --rows, --cols, -D. False: a harness failure,
 * also for any other option; so a command asks for its own options first. */
bool target_options_parse(struct target_options *options, struct arguments *arguments,
                          struct failure *failure);

/* Before the first argument; there will be at most `count`. False: no memory. */
bool target_options_begin(struct target_options *options, const char *command, int count,
                          struct failure *failure);
/* See that there is a target. */
bool target_options_check(const struct target_options *options, struct failure *failure);
/* After the last: find the device, and see that there is a target. */
bool target_options_end(struct target_options *options, struct failure *failure);
void target_options_free(struct target_options *options);

#endif
