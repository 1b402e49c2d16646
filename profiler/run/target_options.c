/* target_options.c: see target_options.h. */
#include "run/target_options.h"

#include "base/parallel.h"

#include <stdlib.h>

struct target_options target_options_default(void)
{
    return (struct target_options){
        .run = {.size = {.seed = 1}, .build = {.repeats = 1}, .workers = parallel_processors()},
        .device_name = OPTIONS_DEFAULT_DEVICE,
    };
}

bool target_options_parse(struct target_options *options, const struct command_line *line,
                          int count, char **values, bool *helped, struct failure *failure)
{
    struct command_line all = *line;
    all.operands = &options->targets;
    if (!command_line_parse(&all, count, values, helped, failure))
        return false;
    options->run.build.defines = options->defines.words;
    options->run.build.define_count = options->defines.count;
    return *helped || options->targets.count ||
           failure_harness(failure,
                           "tlab %s needs a lab directory or a .cu file, such as labs/01_naive",
                           line->command);
}

bool target_options_find_device(struct target_options *options, struct failure *failure)
{
    options->run.device = &options->device;
    return options_device(options->device_name, &options->device, failure);
}

void target_options_free(struct target_options *options)
{
    free(options->targets.words);
    free(options->defines.words);
}
