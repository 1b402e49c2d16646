#include "view/lab_run.h"

#include "base/terminal.h"
#include "base/wording.h"
#include "course/exercise.h"
#include "process/allocate.h"
#include "view/block_accesses.h"
#include "view/hint.h"

#include <stdlib.h>
#include <string.h>

bool lab_run_do(struct lab_run *lab, const char *path, struct run_options *options,
                struct failure *failure)
{
    *lab = (struct lab_run){.goals = allocate_checked(calloc(1, sizeof *lab->goals)),
                            .lines = {.path = path}};
    goal_watch_attach(lab->goals, options);
    goal_watch_begin(lab->goals, &lab->lines);
    if (!(lab->result = run_source_new(path, options, &lab->wrong, failure)))
        return false;
    hint_remember(path, &lab->wrong, &lab->goals->list, 0);
    return true;
}

void lab_run_free(struct lab_run *lab)
{
    free(lab->result);
    free(lab->goals);
    free(lab->lines.lines);
}

const struct record *lab_run_record(const struct lab_run *lab)
{
    return &lab->result->records[lab->result->count - 1];
}

void lab_run_name(const struct record *record, char *name, size_t size)
{
    const char *lab = record_text(record, COLUMN_lab);
    const char *variant = record_text(record, COLUMN_variant), *lab_name = strchr(lab, '_');
    const bool more = !lab_name || strcmp(lab_name + 1, variant);
    snprintf(name, size, "%s%s%s", lab, more ? "/" : "", more ? variant : "");
}

void lab_run_print_verdict(FILE *out, const struct lab_run *lab)
{
    char name[256];
    lab_run_name(lab_run_record(lab), name, sizeof name);
    if (lab->wrong.kind == FAILURE_NONE)
        goal_list_print(out, name, &lab->goals->list);
    else
        fprintf(out, "%s: %s%s%s\n%s\n%s", name, terminal_paint(TERMINAL_BAD),
                status_name(lab->wrong.status), terminal_paint(TERMINAL_PLAIN), lab->wrong.text,
                lab->wrong.map);
}

struct watch {
    struct block_run *run;
    struct block_accesses accesses;
    struct failure failure;
    bool is_wrong;
    bool again;   /* True to repeat the run with the new block in `run`. */
    bool is_free; /* True if the caller did not request a block. */
    unsigned others;
};

/* Blocks to try if block 0,0 is idle, as in half of some grids. */
static const uint32_t neighbours[][2] = {{0, 1}, {1, 0}};

char *block_run_source(const char *target, struct failure *failure)
{
    char **paths;
    size_t count;
    char *path = NULL;
    if (!exercise_list_sources(target, &paths, &count, failure))
        return NULL;
    if (count == 1) {
        path = allocate_checked(strdup(paths[0]));
    } else {
        char list[1024] = "";
        for (size_t i = 0; i < count; i++)
            APPEND(list, "%s%s", i ? ", " : "", paths[i]);
        failure_harness(failure, "%s has several files; name one file: %s", target, list);
    }
    exercise_free_sources(paths, count);
    return path;
}

void block_run_print_wrong(const char *path, const struct failure *wrong)
{
    int length = (int)strcspn(wrong->text, "\n");
    printf("%s: %s, %.*s%s\n", path, status_name(wrong->status), length, wrong->text,
           wrong->text[length] ? " (`tlab run` prints details)" : "");
}

static void begin(struct watch *watch)
{
    const uint32_t *block = watch->run->block;
    block_accesses_begin(&watch->accesses, block[0], block[1], block[2]);
}

static void watch_wrong(void *context, const struct failure *wrong)
{
    struct watch *watch = context;
    if (!watch->run->is_reported)
        block_run_print_wrong(watch->run->path, wrong);
    watch->is_wrong = true;
    block_accesses_free(&watch->accesses);
    begin(watch);
}

static void inspect(void *context, const struct emulator_launch *launch,
                    const struct emulator_result *result)
{
    struct watch *watch = context;
    struct block_run *run = watch->run;
    uint32_t *block = run->block;
    const struct dimensions *grid = &launch->grid;
    (void)result;
    while (!watch->accesses.count && watch->others) {
        const uint32_t *other = neighbours[--watch->others];
        watch->again = other[0] < grid->x && other[1] < grid->y;
        if (watch->again) {
            block[0] = other[0];
            block[1] = other[1];
            return;
        }
    }
    if (watch->is_free && !watch->accesses.count)
        memset(run->block, 0, sizeof run->block);
    if (block[0] >= grid->x || block[1] >= grid->y || block[2] >= grid->z) {
        failure_harness(&watch->failure,
                        "block %u,%u,%u does not exist: the grid has %u x %u x %u blocks, "
                        "numbered from 0,0,0",
                        block[0], block[1], block[2], grid->x, grid->y, grid->z);
        return;
    }
    block_accesses_arrange(&watch->accesses, launch->program->module, run->path);
    run->show(run->context, launch, &watch->accesses, &watch->failure);
}

bool block_run(struct block_run *run, int *status, struct failure *failure)
{
    struct watch watch = {.run = run};
    struct failure wrong = {0};
    struct run_result *result = allocate_checked(calloc(1, sizeof *result));
    if (run->block[0] == BLOCK_RUN_ANY) {
        run->block[0] = 0;
        watch.is_free = true;
        watch.others = sizeof neighbours / sizeof *neighbours;
    }
    run->record = &result->records[0];
    run->options.watch.wrong = watch_wrong;
    run->options.watch.observer = &watch.accesses.observer;
    run->options.watch.inspect = inspect;
    run->options.watch.context = &watch;
    bool good;
    do {
        watch.again = false;
        block_accesses_free(&watch.accesses);
        begin(&watch);
        good = run_source(run->path, &run->options, result, &wrong) ||
               failure_harness(failure, "%s: %s", run->path, wrong.text);
        run->is_reported |= watch.is_wrong;
    } while (good && watch.again);
    if (good && wrong.kind == FAILURE_STUDENT) {
        if (!watch.is_wrong)
            printf("%s: %s\n%s\n", run->path, status_name(wrong.status), wrong.text);
        *status = 1;
    }
    if (good && watch.is_wrong && watch.failure.kind != FAILURE_NONE)
        printf("%s\n", watch.failure.text);
    else if (good && watch.failure.kind != FAILURE_NONE)
        good = failure_harness(failure, "%s: %s", run->path, watch.failure.text);
    block_accesses_free(&watch.accesses);
    free(result);
    return good;
}
