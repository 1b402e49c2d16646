/* command_new.c: `tlab new`: create an exercise with the script solutions/new_lab. */
#include "base/paths.h"
#include "commands/command.h"
#include "process/child.h"
#include "run/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Copies an exercise: creates a directory in solutions/ with kernel, manifest, handout and\n"
    "notes; the students' version in labs/; and a rubric. LAB is the name of a lab, such as\n"
    "03_padded, or of an exercise.\n";

enum { SCRIPT_SECONDS = 60, SCRIPT_OUTPUT = 1 << 16, SCRIPT_GB = 4 };

static bool make(const char *name, const char *like, const char *number, struct failure *failure)
{
    const struct child_limits limits = {.seconds = SCRIPT_SECONDS,
                                        .memory_bytes = (uint64_t)SCRIPT_GB << 30,
                                        .output_bytes = SCRIPT_OUTPUT,
                                        .starts_others = true};
    struct child_result result = {0};
    char script[PATH_SIZE];
    if (!paths_in_root("solutions/new_lab", script, failure))
        return false;
    if (access(script, X_OK))
        return failure_harness(failure, "tlab new is for authors of labs: it requires the "
                                        "solutions, which this installation does not contain");
    const char *const argv[] = {script, name, like, number, NULL};
    if (!child_run_required(argv, "solutions/new_lab", &limits, &result, failure))
        return false;
    fputs(result.output, stdout);
    child_result_free(&result);
    return true;
}

int command_new(int count, char **values, struct failure *failure)
{
    struct word_list names = {0};
    const char *like = NULL, *number = NULL;
    const struct option_row rows[] = {
        TEXT_ROW("like", "LAB", &like, "the lab to copy (required)"),
        TEXT_ROW("number", "NN", &number,
                 "position in the course (default: the first free number from 40)"),
    };
    const struct command_line line = {"new", "NAME --like LAB [--number NN]", about, ROWS(rows),
                                      .operands = &names};
    bool good = command_line_parse(&line, count, values, failure);
    if (good && (names.count != 1 || !like))
        good = failure_harness(failure, "tlab new requires one name and a lab to copy: tlab new "
                                        "rotated --like 03_padded");
    else if (good)
        good = make(names.words[0], like, number, failure);
    free(names.words);
    return good ? 0 : 2;
}
