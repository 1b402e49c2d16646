/* command_hint.c: tlab hint LAB: the next hint on the largest problem. */
#include "base/wording.h"
#include "commands/command.h"
#include "course/exercise.h"
#include "run/target_options.h"
#include "view/hint.h"
#include "view/lab_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Runs a lab and prints one hint on its largest problem: the mistake that makes the kernel\n"
    "incorrect, or the missed goal that loses the most points. Each call prints the next level: a\n"
    "question, where to look, an idea, and a repair if tlab has tested one. After a new mistake,\n"
    "the hints begin with a question again. LAB is the directory of a lab or one of its files.\n";

static const char *const level_names[HINT_LEVELS] = {"a question", "where to look", "an idea",
                                                     "a repair that was tested"};

static void print_hint(const char *path, const struct lab_run *run, const struct hint *hint,
                       bool again)
{
    unsigned count = 0, given = hint->given, shown = 0;
    for (unsigned i = 0; i < HINT_LEVELS; i++)
        count += hint->levels[i] != NULL;
    unsigned last = again ? given : given < count ? given + 1 : count;
    char name[256];
    lab_run_name(lab_run_record(run), name, sizeof name);
    printf("%s: %s\n", name, hint->about);
    for (unsigned i = 0; i < HINT_LEVELS && shown < last; i++) {
        if (!hint->levels[i])
            continue;
        shown++;
        if (!again && shown < last)
            continue;
        printf("hint %u of %u, %s:\n", shown, count, level_names[i]);
        text_wrap(stdout, "    ", hint->levels[i], 4);
    }
    if (again && !given)
        printf("No hint was given on this problem yet. Run tlab hint without --again.\n");
    if (!again && given >= count)
        printf("There is no further hint on this problem.\n");
    if (!again)
        hint_remember(path, &run->wrong, &run->goals->list, last);
}

static bool hint_source(const char *path, struct run_options *options, bool again, bool *repair,
                        int *status, struct failure *failure)
{
    struct lab_run run;
    struct hint hint = {0};
    options->report.repairs = true;
    bool good = lab_run_do(&run, path, options, failure) &&
                hint_find(path, lab_run_record(&run), &run.wrong, &run.goals->list, &hint, failure);
    if (good && hint.is_empty && *run.goals->list.absent.text)
        good = failure_harness(failure, "%s: the goals of this lab are not available: %s", path,
                               run.goals->list.absent.text);
    *repair = good && !hint.is_empty;
    if (*repair)
        print_hint(path, &run, &hint, again);
    *status = good ? failure_exit_status(&run.wrong) : 2;
    hint_free(&hint);
    lab_run_free(&run);
    return good;
}

static bool hint_lab(const char *lab, struct run_options *options, bool again, int *status,
                     struct failure *failure)
{
    char **sources;
    size_t count;
    bool good = exercise_list_sources(lab, &sources, &count, failure), repair = false;
    if (!good)
        return false;
    for (size_t i = 0; i < count && good && !repair; i++)
        good = hint_source(sources[i], options, again, &repair, status, failure);
    if (good && !repair)
        printf("%s is correct and reaches all goals of the rubric. Continue with the stretch goal "
               "of the handout.\n",
               lab);
    exercise_free_sources(sources, count);
    return good;
}

int command_hint(int count, char **values, struct failure *failure)
{
    struct target_options options = target_options_default();
    bool again = false;
    int status = 0;
    options.single = true;
    const struct option_row rows[] = {
        FLAG_ROW("again", &again, "print the earlier hints on this problem again"),
        TARGET_ROWS(&options),
    };
    const struct command_line line = {"hint", "LAB [OPTION...]", about, ROWS(rows)};
    const bool good = target_options_parse(&options, &line, count, values, failure) &&
                      target_options_find_device(&options, failure) &&
                      hint_lab(options.targets.words[0], &options.run, again, &status, failure);
    target_options_free(&options);
    return good ? status : 2;
}
