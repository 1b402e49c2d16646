/* lab_run.c: see lab_run.h. */
#include "view/lab_run.h"

#include <stdlib.h>
#include <string.h>

bool lab_run_do(struct lab_run *run, const char *path, struct run_options *options,
                struct failure *failure)
{
    *run = (struct lab_run){.result = calloc(1, sizeof *run->result),
                            .goals = calloc(1, sizeof *run->goals),
                            .lines = {.path = path}};
    if (!run->result || !run->goals)
        return failure_harness(failure, "not enough memory");
    goal_watch_attach(run->goals, options);
    goal_watch_begin(run->goals, &run->lines);
    return run_source(path, options, run->result, &run->wrong) ||
           failure_harness(failure, "%s: %s", path, run->wrong.text);
}

void lab_run_free(struct lab_run *run)
{
    free(run->result);
    free(run->goals);
    free(run->lines.lines);
}

const struct record *lab_run_record(const struct lab_run *run)
{
    return &run->result->records[run->result->count - 1];
}

void lab_run_name(const struct record *record, char *name, size_t size)
{
    const char *lab = record_text(record, COLUMN_lab);
    const char *variant = record_text(record, COLUMN_variant), *lab_name = strchr(lab, '_');
    const bool more = !lab_name || strcmp(lab_name + 1, variant);
    snprintf(name, size, "%s%s%s", lab, more ? "/" : "", more ? variant : "");
}

void lab_run_print_verdict(FILE *out, const struct lab_run *run)
{
    char name[256];
    lab_run_name(lab_run_record(run), name, sizeof name);
    if (run->wrong.kind == FAILURE_NONE)
        goal_list_print(out, name, &run->goals->list);
    else
        fprintf(out, "%s: %s\n%s\n", name, status_name(run->wrong.status), run->wrong.text);
}
