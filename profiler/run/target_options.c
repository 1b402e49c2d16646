#include "run/target_options.h"

#include "course/exercise.h"
#include "process/parallel.h"

#include <stdlib.h>
#include <string.h>

struct target_options target_options_default(void)
{
    return (struct target_options){
        .run = {.size = {.seed = 1}, .build = {.repeats = 1}, .workers = parallel_processors()},
    };
}

bool target_options_parse(struct target_options *options, const struct command_line *line,
                          int count, char **values, struct failure *failure)
{
    struct command_line all = *line;
    all.operands = &options->targets;
    if (!command_line_parse(&all, count, values, failure))
        return false;
    options->run.build.defines = options->defines.words;
    options->run.build.define_count = options->defines.count;
    if (options->single && options->targets.count > 1)
        return failure_harness(failure, "tlab %s accepts one lab; remove `%s`", line->command,
                               options->targets.words[1]);
    return options->targets.count ||
           failure_harness(failure,
                           "tlab %s needs a lab directory or a .cu file, such as labs/01_naive",
                           line->command);
}

bool target_options_find_usual(const struct target_options *options, struct usual_run *usual,
                               struct failure *failure)
{
    char **paths = NULL;
    size_t count = 0;
    *usual = (struct usual_run){.rows = 0};
    const bool good = options->targets.count != 1 ||
                      (exercise_list_sources(options->targets.words[0], &paths, &count, failure) &&
                       exercise_find_usual_run(paths[0], usual, failure));
    exercise_free_sources(paths, count);
    return good;
}

bool target_options_find_device(struct target_options *options, struct failure *failure)
{
    struct usual_run usual;
    return target_options_find_usual(options, &usual, failure) &&
           target_options_take_usual(options, &usual, failure);
}

bool target_options_take_usual(struct target_options *options, const struct usual_run *usual,
                               struct failure *failure)
{
    options->run.device = &options->device;
    if (!options->run.size.rows && !options->run.size.cols) {
        options->run.size.rows = usual->rows;
        options->run.size.cols = usual->cols;
    }
    if (!options->device_name)
        options->device_name =
            strcpy(options->usual_device, *usual->device ? usual->device : OPTIONS_DEFAULT_DEVICE);
    return options_device(options->device_name, &options->device, failure);
}

int target_options_visit(struct target_options *options, const struct command_line *line, int count,
                         char **values,
                         bool (*visit)(void *context, const char *path, struct failure *failure),
                         void *context, const int *status, struct failure *failure)
{
    bool good = target_options_parse(options, line, count, values, failure) &&
                target_options_find_device(options, failure);
    for (size_t t = 0; good && t < options->targets.count; t++)
        good = exercise_visit_sources(options->targets.words[t], visit, context, failure);
    target_options_free(options);
    return good ? *status : 2;
}

void target_options_free(struct target_options *options)
{
    free(options->targets.words);
    free(options->defines.words);
}
