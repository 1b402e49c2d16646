/* target_options.c: see target_options.h. */
#include "run/target_options.h"

#include "course/exercise.h"
#include "process/parallel.h"

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
    if (!*helped && options->single && options->targets.count > 1)
        return failure_harness(failure, "tlab %s accepts one lab; `%s` is one too many",
                               line->command, options->targets.words[1]);
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

int target_options_visit(struct target_options *options, const struct command_line *line, int count,
                         char **values,
                         bool (*visit)(void *context, const char *path, struct failure *failure),
                         void *context, const int *status, struct failure *failure)
{
    bool helped, good = target_options_parse(options, line, count, values, &helped, failure);
    good = good && (helped || target_options_find_device(options, failure));
    for (size_t t = 0; good && !helped && t < options->targets.count; t++)
        good = exercise_visit_sources(options->targets.words[t], visit, context, failure);
    target_options_free(options);
    return good ? *status : 2;
}

void target_options_free(struct target_options *options)
{
    free(options->targets.words);
    free(options->defines.words);
}
