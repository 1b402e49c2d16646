/* command_explain.c: tlab explain TARGET --line N: the accesses of a warp at a line. */
#include "base/wording.h"
#include "commands/command.h"
#include "run/target_options.h"
#include "view/block_accesses.h"
#include "view/explain.h"
#include "view/lab_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Emulates a lab and shows the memory accesses of one warp at a line of its source: the\n"
    "address of each lane, its bank (shared memory) or sector (global memory), and the number of\n"
    "wavefronts or sectors compared with the minimum. Every load and store of the line is shown.\n"
    "For an incorrect kernel, tlab prints the verdict first, in one line, and omits accesses out\n"
    "of bounds.\n";

struct explain_command {
    struct target_options target;
    struct block_run run;
    uint64_t line, warp, time; /* `line` is 0 if --line is missing */
    FILE *out;
};

static bool parse_arguments(struct explain_command *explain, int count, char **values,
                            struct failure *failure)
{
    const struct option_row rows[] = {
        NUMBER_ROW("line", "N", &explain->line, 1, INT32_MAX, "line of the .cu file"),
        TRIPLE_ROW("block", explain->run.block, 0,
                   "block (default 0,0, or a neighbour if block 0,0 makes no access)"),
        NUMBER_ROW("warp", "W", &explain->warp, 0, INT32_MAX, "warp of the block (default 0)"),
        NUMBER_ROW("time", "K", &explain->time, 1, INT32_MAX,
                   "for a line in a loop, the warp's K-th access at that line (default 1)"),
        TARGET_ROWS(&explain->target),
    };
    const struct command_line line = {"explain", "TARGET --line N [OPTION...]", about, ROWS(rows)};
    explain->target.single = true;
    if (!target_options_parse(&explain->target, &line, count, values, failure))
        return false;
    if (!explain->line)
        return failure_harness(failure,
                               "tlab explain requires --line N; `tlab annotate %s` shows the "
                               "lines that access memory",
                               explain->target.targets.words[0]);
    return target_options_find_device(&explain->target, failure);
}

static void list_lines(const struct block_accesses *accesses, char *text, size_t size)
{
    uint32_t last = 0;
    *text = 0;
    while (true) {
        uint32_t next = UINT32_MAX;
        for (size_t i = 0; i < accesses->count; i++) {
            uint32_t line = accesses->list[i].line;
            next = line > last && line < next ? line : next;
        }
        if (next == UINT32_MAX)
            return;
        text_append(text, size, "%s%u", last ? ", " : "", next);
        last = next;
    }
}

static bool fail_nothing(const struct explain_command *explain,
                         const struct block_accesses *accesses, struct failure *failure)
{
    const uint32_t *block = explain->run.block;
    bool elsewhere = false;
    char lines[256];
    for (size_t i = 0; i < accesses->count; i++)
        elsewhere |= accesses->list[i].line == explain->line;
    if (elsewhere)
        return failure_harness(failure,
                               "warp %" PRIu64 " of block %u,%u makes no access at line %" PRIu64
                               "; choose another warp of the block with --warp",
                               explain->warp, block[0], block[1], explain->line);
    if (accesses->is_cut)
        return failure_harness(
            failure,
            "the first %d accesses of block %u,%u include no access at line %" PRIu64
            " by warp %" PRIu64 "; later accesses are not recorded",
            BLOCK_ACCESSES_MAX, block[0], block[1], explain->line, explain->warp);
    list_lines(accesses, lines, sizeof lines);
    if (!*lines)
        return failure_harness(failure, "block %u,%u makes no access to global or shared memory",
                               block[0], block[1]);
    return failure_harness(failure,
                           "block %u,%u makes no access to global or shared memory at line %" PRIu64
                           "; it accesses memory at lines %s",
                           block[0], block[1], explain->line, lines);
}

static void print_heading(const struct explain_command *explain,
                          const struct emulator_launch *launch)
{
    const struct record_value *values = explain->run.record->values;
    const struct dimensions *block = &launch->block;
    char quote[97];
    unsigned threads = block->x * block->y * block->z, lanes = (unsigned)launch->device->warp_lanes;
    fprintf(explain->out, "%s, line %" PRIu64 ", on %s, %" PRIu64 " x %" PRIu64 "\n",
            explain->run.path, explain->line, launch->device->title, values[COLUMN_rows].count,
            values[COLUMN_cols].count);
    if (text_quote_line(explain->run.path, explain->line, quote, sizeof quote))
        fprintf(explain->out, "    %s\n", quote);
    fprintf(explain->out, "block %u,%u of %u x %u, warp %" PRIu64 " of %u\n", explain->run.block[0],
            explain->run.block[1], launch->grid.x, launch->grid.y, explain->warp,
            (threads + lanes - 1) / lanes);
}

static bool show(void *context, const struct emulator_launch *launch,
                 const struct block_accesses *accesses, struct failure *failure)
{
    struct explain_command *explain = context;
    unsigned shown = 0, times = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct block_access *one = &accesses->list[i];
        if (one->line != explain->line || one->access.warp != explain->warp)
            continue;
        times = one->times > times ? one->times : times;
        if (one->time != explain->time)
            continue;
        if (!shown++)
            print_heading(explain, launch);
        fputc('\n', explain->out);
        explain_access(explain->out, launch, one);
    }
    if (!shown && times)
        return failure_harness(
            failure, "the warp makes %u access%s at line %" PRIu64 ": --time must be from 1 to %u",
            times, times == 1 ? "" : "es", explain->line, times);
    if (shown)
        fputs("\nTerms: `tlab help TERM` for lane, bank, bank conflict, wavefront, sector, "
              "segment, line\n",
              explain->out);
    return shown || fail_nothing(explain, accesses, failure);
}

int command_explain(int count, char **values, struct failure *failure)
{
    struct explain_command explain = {.target = target_options_default(), .time = 1, .out = stdout};
    explain.run.block[0] = BLOCK_RUN_ANY;
    int status = 0;
    char *path = NULL;
    bool good = parse_arguments(&explain, count, values, failure);
    if (good) {
        path = block_run_source(explain.target.targets.words[0], failure);
        explain.run.path = path;
        explain.run.options = explain.target.run;
        explain.run.show = show;
        explain.run.context = &explain;
        good = path && block_run(&explain.run, &status, failure);
    }
    free(path);
    target_options_free(&explain.target);
    return good ? status : 2;
}
