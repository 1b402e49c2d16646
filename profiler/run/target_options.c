/* target_options.c: see target_options.h. */
#include "run/target_options.h"

#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

bool target_options_help(int count, char **values)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(values[i], "--help") || !strcmp(values[i], "-h"))
            return true;
    return false;
}

bool target_options_begin(struct target_options *options, const char *command, int count,
                          struct failure *failure)
{
    *options = (struct target_options){
        .command = command,
        .run = {.seed = 1, .repeats = 1, .workers = parallel_processors()},
        .device_name = OPTIONS_DEFAULT_DEVICE,
        .targets = calloc((size_t)count + 1, sizeof *options->targets),
        .defines = calloc((size_t)count + 1, sizeof *options->defines),
    };
    options->run.defines = options->defines;
    return (options->targets && options->defines) || failure_harness(failure, "not enough memory");
}

bool target_options_parse(struct target_options *options, struct arguments *arguments,
                          struct failure *failure)
{
    struct run_options *run = &options->run;
    const char *value;
    int found = arguments_option(arguments, "--device", 0, &options->device_name, failure);
    if (found)
        return found > 0;
    if ((found = arguments_option(arguments, "--rows", 0, &value, failure)))
        return found > 0 && options_number("--rows", value, 1, INT32_MAX, &run->rows, failure);
    if ((found = arguments_option(arguments, "--cols", 0, &value, failure)))
        return found > 0 && options_number("--cols", value, 1, INT32_MAX, &run->cols, failure);
    if ((found = arguments_option(arguments, "-D", 'D', &value, failure))) {
        if (found > 0)
            options->defines[run->define_count++] = value;
        return found > 0;
    }
    char *argument = arguments->values[arguments->at++];
    if (argument[0] == '-')
        return failure_harness(failure, "tlab %s has no option `%s`; see `tlab %s --help`",
                               options->command, argument, options->command);
    options->targets[options->target_count++] = argument;
    return true;
}

bool target_options_check(const struct target_options *options, struct failure *failure)
{
    return options->target_count ||
           failure_harness(failure,
                           "tlab %s needs a lab directory or a .cu file, such as labs/01_naive",
                           options->command);
}

bool target_options_end(struct target_options *options, struct failure *failure)
{
    options->run.device = &options->device;
    return target_options_check(options, failure) &&
           options_device(options->device_name, &options->device, failure);
}

void target_options_free(struct target_options *options)
{
    free(options->targets);
    free(options->defines);
}
