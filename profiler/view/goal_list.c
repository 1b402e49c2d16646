#include "view/goal_list.h"

#include "base/terminal.h"
#include "base/wording.h"
#include "diagnose/plain_mistakes.h"
#include "emulator/emulator.h"
#include "goals/rubric_here.h"
#include "process/allocate.h"
#include "record/record_emulated.h"
#include "run/index_width.h"
#include "run/options.h"
#include "run/run_emulated.h"
#include "text/code_text.h"
#include "view/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SOURCE_LINES_MAX = 4096,
    LONGER = 4 /* check_longer lengthens a side of the matrix by this factor. */
};

static void note(struct goal_watch *watch, enum finding_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note(struct goal_watch *watch, enum finding_id id, const char *format, ...)
{
    struct goal_list *list = &watch->list;
    if (list->note_count == GOAL_LIST_NOTES)
        return;
    list->notes[list->note_count].id = id;
    FORMAT(list->notes[list->note_count++].text, GOAL_LIST_TEXT, format);
}

/* Find a __syncthreads() that some warps of a block do not execute. In a correct launch, all warps
 * execute a barrier equally often, so the sum over a block is a multiple of the number of warps. */
static void see_barriers(struct goal_watch *watch, const struct emulator_launch *launch,
                         const struct emulator_result *result)
{
    const struct program_function *kernel = &launch->program->functions[launch->function];
    const unsigned threads = launch->block.x * launch->block.y * launch->block.z,
                   lanes = (unsigned)launch->device->warp_lanes;
    for (size_t i = 0; i < kernel->source->instruction_count; i++) {
        const struct ptx_instruction *at = &kernel->source->instructions[i];
        if (at->opcode == PTX_OP_BAR && ptx_has(at, PTX_MOD_SYNC) && !ptx_has(at, PTX_MOD_WARP) &&
            at->location >= 0 && at->operand_count == 1 &&
            at->operands[0].kind == PTX_OPERAND_INTEGER &&
            result->stats[kernel->stats_base + i].executed % ((threads + lanes - 1) / lanes))
            watch->barrier_line = launch->program->module->locations[at->location].line;
    }
}

static void see_small(void *context, const struct emulator_launch *launch,
                      const struct emulator_result *result, uint64_t rows, uint64_t cols)
{
    struct goal_watch *watch = context;
    see_barriers(watch, launch, result);
    if (watch->smallest_grid.x && rows * cols >= watch->smallest_rows * watch->smallest_cols)
        return;
    watch->smallest_grid = launch->grid;
    watch->smallest_rows = rows;
    watch->smallest_cols = cols;
    watch->smallest_work = result->counters.warp_instructions;
}

/* store_line becomes the line of all stores, or 0 if the stores are on several lines. */
static void see_stores(struct goal_watch *watch, const struct emulator_launch *launch,
                       const struct emulator_result *result)
{
    const struct program_function *kernel = &launch->program->functions[launch->function];
    const struct ptx_location *locations = launch->program->module->locations;
    const double threads = (double)launch->block.x * launch->block.y * launch->block.z,
                 blocks = (double)launch->grid.x * launch->grid.y * launch->grid.z;
    bool is_one = true;
    watch->store_line = 0;
    watch->store_runs = 0;
    for (size_t i = 0; i < kernel->source->instruction_count; i++) {
        const struct ptx_instruction *at = &kernel->source->instructions[i];
        if (at->opcode != PTX_OP_ST || at->location < 0 ||
            (at->space != PTX_GLOBAL && at->space != PTX_GENERIC))
            continue;
        const uint32_t line = locations[at->location].line;
        is_one = is_one && (!watch->store_line || watch->store_line == line);
        watch->store_line = line;
        watch->store_runs +=
            (double)result->stats[kernel->stats_base + i].executed / (blocks * ceil(threads / 32));
    }
    watch->store_line = is_one ? watch->store_line : 0;
}

static void see_run(void *context, const struct emulator_launch *launch,
                    const struct emulator_result *result)
{
    struct goal_watch *watch = context;
    line_watch_inspect(watch->lines_seen, launch, result);
    measured_count(launch, result, &watch->seen);
    bool loads;
    watch->odd_shared = plain_odd_element(launch, PTX_SHARED, &loads);
    watch->line_count = line_counters_list(watch->lines_seen->lines, SOURCE_LINES_MAX,
                                           launch->device, watch->lines, GOAL_LIST_LINES);
    watch->has_seen = true;
    see_stores(watch, launch, result);
}

static const char *times(double bytes, double compulsory, char text[32])
{
    const double ratio = bytes / compulsory;
    if (!(compulsory > 0) || ratio < 1.02)
        return NULL;
    snprintf(text, 32, fabs(ratio - round(ratio)) < 0.02 ? "%.0f" : "%.3g", ratio);
    return text;
}

static void note_loop(struct goal_watch *watch)
{
    const struct record *record = &watch->seen.record;
    const double elements = (double)record->values[COLUMN_rows].count *
                            (double)record->values[COLUMN_cols].count,
                 blocks = (double)record_blocks(record), own = elements / blocks,
                 each = (double)watch->seen.stored_bytes / 4 / blocks,
                 share = ceil(own / (double)record_threads(record)), runs = ceil(watch->store_runs);
    /* If a block stores no more elements than fit in its tile, the cause is not a loop. */
    if (runs > share && each <= (double)record->values[COLUMN_shared_bytes].count / 4)
        note(watch, FINDING_BLOCK_OVERLAP,
             "a block stores %.0f elements, but its share of the elements is %.0f: do neighbouring "
             "blocks store the same elements?",
             each, own);
    else if (watch->store_line && runs > share)
        note(watch, FINDING_LOOP_TOO_LONG,
             "a thread executes the store in line %u up to %.0f times, but its share of the "
             "elements is %.0f: is the number of iterations correct?",
             watch->store_line, runs, share);
}

/* Add notes on elements that are written or read repeatedly. A stencil may read repeatedly. */
static void note_repetitions(struct goal_watch *watch, const struct source *source)
{
    char text[32];
    const struct exercise *exercise = &source->exercise;
    const struct record_value *values = watch->seen.record.values;
    const uint64_t rows = values[COLUMN_rows].count, cols = values[COLUMN_cols].count;
    const struct form *form = &exercise->form;
    double written = (double)form_bytes(form, FORM_OUTPUT, rows, cols);
    double read = (double)form_bytes(form, FORM_INPUT, rows, cols);
    if (times((double)watch->seen.stored_bytes, written, text))
        note(watch, FINDING_WRITTEN_REPEATEDLY, "each element of the result is written %s times%s",
             text, strchr(text, '.') ? " on average" : "");
    if (exercise->function < 0 && watch->list.note_count)
        note_loop(watch);
    if ((exercise->function < 0 || exercise->one_row) &&
        times((double)watch->seen.loaded_bytes, read, text))
        note(watch, FINDING_READ_REPEATEDLY, "each element of the input is read %s times%s", text,
             strchr(text, '.') ? " on average" : "");
}

static void note_width(struct goal_watch *watch, const struct source *source)
{
    if (source->exercise.function < 0 && watch->odd_shared)
        note(watch, FINDING_ELEMENT_WIDTH,
             "elements have %u bytes in shared memory, but 4 bytes in %s: does the tile have "
             "another type?",
             watch->odd_shared, source_parameter_name(source, 1));
}

/* Add a note if a tile has padding rows, but each of its columns is in one bank. */
static void note_padding(struct goal_watch *watch, const struct source *source)
{
    enum { BANKS = 32, PADDING_MOST = 4 };
    const struct record_value *values = watch->seen.record.values;
    const uint64_t conflicts = values[COLUMN_shared_load_conflicts].count +
                               values[COLUMN_shared_store_conflicts].count,
                   requests = values[COLUMN_shared_load_requests].count +
                              values[COLUMN_shared_store_requests].count;
    char macro[64];
    const bool has_macro = source->code && plain_macro_find(source->code, macro, sizeof macro);
    for (unsigned i = 0; i < source->shapes.count; i++) {
        const struct array_shape *shape = &source->shapes.shapes[i];
        const bool is_line = shape->dimensions == 1 && !has_macro; /* Assume a square tile. */
        uint32_t rows = shape->extent[0], cols = shape->dimensions == 2 ? shape->extent[1] : BANKS;
        while (is_line && 4 * cols * cols <= rows)
            cols *= 2;
        rows /= is_line ? cols : 1;
        if ((shape->dimensions == 2 || is_line) && rows > BANKS && cols >= BANKS &&
            cols % BANKS == 0 && rows % BANKS && rows % BANKS <= PADDING_MOST &&
            conflicts > (is_line ? requests * BANKS / 3 : 0))
            note(watch, FINDING_PADDING_MISPLACED,
                 "%s has %" PRIu32 " rows of %" PRIu32
                 " elements: the padding adds rows, but only a longer row changes the banks of a "
                 "column",
                 shape->name, rows, cols);
    }
}

static void note_text(struct goal_watch *watch, const struct source *source)
{
    uint32_t line = 0;
    char text[GOAL_LIST_TEXT];
    const char *at = source->compiled.warnings ? source->compiled.warnings : "";
    for (unsigned i = 0; i < 2 && plain_warning_next(&at, text, sizeof text, &line); i++)
        note(watch, FINDING_COMPILER_WARNING, "%s", text);
    if ((line = source->code ? code_find_uninitialized(source->code, text, sizeof text) : 0))
        note(watch, FINDING_VARIABLE_UNINITIALISED,
             "line %u: %.60s has no initial value, so its value is arbitrary", line, text);
    /* A warp that has returned is not required at a barrier. */
    if (watch->barrier_line && source->code && !strstr(source->code, "return;"))
        note(watch, FINDING_BARRIER_SKIPPED,
             "line %u: some warps of a block do not execute this __syncthreads(). All threads of "
             "the block must reach every barrier: move the barrier out of the condition",
             watch->barrier_line);
    if (source->exercise.form.parameters[0].type == FORM_FLOAT &&
        (line = plain_truncation_line(&source->module, source->kernel)))
        note(watch, FINDING_VALUE_CONVERTED,
             "line %u converts a float to an integer, which discards the fraction. The result is "
             "correct only because the test data are whole numbers: declare the variable as float",
             line);
    if ((line = source->code ? plain_macro_find(source->code, text, sizeof text) : 0))
        note(
            watch, FINDING_PRECEDENCE,
            "line %u: the macro %.60s lacks parentheses around its sum, so a factor applies to one "
            "operand only",
            line, text);
    if (index_width_find(&source->module, source->kernel, &line))
        note(watch, FINDING_INDEX_32_BIT,
             "line %u: this index is computed with 32 bits. In this lab, 32 bits are enough, "
             "because an array has at most 2^31 elements. For larger arrays, write (size_t) "
             "before the first factor",
             line);
}

static uint64_t blocks_of(const struct dimensions *grid)
{
    return (uint64_t)grid->x * grid->y * grid->z;
}

/* Add a note if fewer than 3/4 of the blocks access elements. For a square matrix, the limit is
 * 1/4, because a block may process a pair of tiles. With fewer threads than elements, at least half
 * of the blocks must also be idle. A grid that does not grow with the size gets no note. */
static void note_idle(struct goal_watch *watch, const struct source *source)
{
    const struct record_value *values = watch->seen.record.values;
    const uint64_t blocks = record_blocks(&watch->seen.record),
                   threads = record_threads(&watch->seen.record),
                   elements = values[COLUMN_rows].count * values[COLUMN_cols].count,
                   active = watch->seen.active_blocks, quarters = source->exercise.square ? 1 : 3;
    if (active && 4 * active < quarters * blocks && blocks != blocks_of(&watch->smallest_grid) &&
        (blocks * threads >= elements || 2 * active <= blocks))
        note(watch, FINDING_BLOCKS_IDLE,
             "%" PRIu64 " of %" PRIu64 " blocks access no element: does the grid have more blocks "
             "than there are tiles?",
             blocks - active, blocks);
}

static const char *describe_grid(const struct dimensions *grid, char text[64])
{
    if (grid->z > 1)
        snprintf(text, 64, "%u x %u x %u blocks", grid->x, grid->y, grid->z);
    else if (grid->y > 1)
        snprintf(text, 64, "%u x %u blocks", grid->x, grid->y);
    else
        snprintf(text, 64, "%u block%s", grid->x, plural(grid->x));
    return text;
}

struct other_run {
    struct source source;
    struct run_options options;
};

static struct other_run *other_run_new(const struct source *source, struct source_size size,
                                       uint64_t matrices)
{
    struct other_run *other = allocate_checked(malloc(sizeof *other));
    other->options = *source->options;
    memset(&other->options.watch, 0, sizeof other->options.watch);
    other->options.report.output = NULL;
    other->options.report.progress = NULL;
    other->options.emulation.budget = MEASURE_BUDGET(size.rows, size.cols) * matrices;
    other->source = *source;
    other->source.exercise.form.matrices = matrices;
    other->source.options = &other->options;
    return other;
}

/* Call LAB_LAUNCH for a matrix that is more than LONGER times as high (or as wide). If the number
 * of blocks does not grow in proportion, verify the kernel on a strip of that length. If LAB_LAUNCH
 * fails or the result is incorrect, adds a note and returns false. */
static bool check_longer(struct goal_watch *watch, const struct source *source,
                         struct source_asker *asker, struct source_size size, bool height)
{
    const uint32_t tile = source->tile ? source->tile : 32;
    const uint64_t side = height ? size.rows : size.cols;
    const uint64_t length = (LONGER * side + tile - 1) / tile * tile + tile;
    const struct source_size longer =
        source_size_of(source, height ? (struct source_size){length, size.cols}
                                      : (struct source_size){size.rows, length});
    const struct source_size strip = source_size_of(
        source, height ? (struct source_size){length, tile} : (struct source_size){tile, length});
    struct source_shape here, there;
    struct failure wrong = {0}, unseen = {0};
    char grid[64];
    if (!source_check_size(source, longer, &unseen) || !source_ask(asker, size, &here, &unseen))
        return true;
    const bool known = source_ask(asker, longer, &there, &wrong);
    if (known && (double)blocks_of(&there.grid) * (double)side >=
                     0.75 * (double)blocks_of(&here.grid) * (double)length)
        return true;
    struct other_run *other = other_run_new(source, strip, source->few_matrices);
    other->options.emulation.mode = LAUNCH_COUNT;
    const bool right = known && run_emulated_once(&other->source, asker->device, strip, &wrong);
    free(other);
    if (right || wrong.kind == FAILURE_HARNESS)
        return true;
    const char *dimension = source->exercise.one_row ? "length" : height ? "height" : "width";
    wrong.text[strcspn(wrong.text, "\n")] = 0;
    if (known && blocks_of(&there.grid) == blocks_of(&here.grid))
        note(watch, FINDING_GRID_CONSTANT,
             "the grid has %s for every %s: at %" PRIu64 " x %" PRIu64
             " the result is incorrect (%s). Grading uses other sizes, too",
             describe_grid(&here.grid, grid), dimension, strip.rows, strip.cols,
             status_name(wrong.status));
    else
        note(watch, FINDING_WRONG_BEYOND, "%s", wrong.text);
    return false;
}

/* Run a batch with more matrices than a grid has blocks in y or in z. */
static void check_batch(struct goal_watch *watch, const struct source *source,
                        const struct device *device)
{
    enum { MATRICES = 70000 };
    const struct source_size size = {4, 3};
    struct failure wrong = {0};
    struct other_run *other = other_run_new(source, size, MATRICES);
    other->options.emulation.mode = LAUNCH_COUNT;
    run_emulated_once(&other->source, device, size, &wrong);
    free(other);
    wrong.text[strcspn(wrong.text, "\n")] = 0;
    if (wrong.kind == FAILURE_STUDENT)
        note(watch, FINDING_WRONG_BEYOND, "with %d matrices, %s", MATRICES, wrong.text);
}

/* A grid for more than 65535 tiles in height has blocks in z (lab_grid in lab.h). Add a note if the
 * kernel does not read blockIdx.z. */
static void check_height(struct goal_watch *watch, const struct source *source,
                         struct source_asker *asker)
{
    enum { MOST = 65535 };
    const uint64_t tile = source->tile ? source->tile : 32;
    const struct source_size high =
        source_size_of(source, (struct source_size){(MOST + 1) * tile, 1});
    struct source_shape shape;
    struct failure unseen = {0};
    bool used[PTX_SPECIAL_COUNT] = {false};
    plain_find_specials(&source->module, source->kernel, used);
    if (high.rows > MOST * tile && !used[PTX_SPECIAL_CTAID_Z] &&
        source_ask(asker, high, &shape, &unseen) && shape.grid.z > 1)
        note(watch, FINDING_WRONG_BEYOND,
             "at %" PRIu64 " x %" PRIu64 ", the grid has %u x %u x %u blocks, but the kernel does "
             "not use blockIdx.z, so it does not process all rows. In the handouts, block_y "
             "includes blockIdx.z",
             high.rows, high.cols, shape.grid.x, shape.grid.y, shape.grid.z);
}

static void note_grid(struct goal_watch *watch, const struct source *source,
                      const struct device *device, struct source_size size)
{
    struct source_asker asker;
    struct failure unseen = {0};
    char grid[64];
    const uint64_t allowed = MEASURE_BUDGET(watch->smallest_rows, watch->smallest_cols);
    if (watch->smallest_grid.x && watch->smallest_work > allowed)
        note(watch, FINDING_GRID_EXPENSIVE,
             "at %" PRIu64 " x %" PRIu64 " LAB_LAUNCH requests %s, and the launch executes %" PRIu64
             " warp instructions. Grading reports a timeout, because it allows at most %" PRIu64
             " warp instructions at this size",
             watch->smallest_rows, watch->smallest_cols, describe_grid(&watch->smallest_grid, grid),
             watch->smallest_work, allowed);
    if (source_asker_open(&asker, source, device, &unseen)) {
        if (check_longer(watch, source, &asker, size, !source->exercise.one_row) &&
            !source->exercise.one_row)
            check_longer(watch, source, &asker, size, false);
        if (!form_is_batch(&source->exercise.form))
            check_height(watch, source, &asker);
    }
    source_asker_close(&asker);
    if (form_is_batch(&source->exercise.form))
        check_batch(watch, source, device);
}

struct judging {
    struct goal_watch *watch;
    const struct source *source;
    struct rubric *rubric;
    struct goal_watch *runs[RUBRIC_RUNS_MAX];
    bool passed[RUBRIC_CHECKS_MAX];
    double shares[RUBRIC_CHECKS_MAX];
};

static bool depends_on_size(const struct rubric_check *check)
{
    return check->kind == RUBRIC_RATIO ? goal_measure_of(check->measure) & GOAL_VARIES
                                       : check->mechanism == RUBRIC_USES_ORDER;
}

/* Returns true if the observed run can replace run `index` of the rubric. The observed run must
 * have the same device, only full tiles, and at least as many elements. No check of run `index` may
 * depend on the size. Grading (`points`) always uses the run of the rubric. */
static bool can_use_seen(const struct judging *judging, unsigned index)
{
    const struct rubric *rubric = judging->rubric;
    const struct rubric_run *required = &rubric->runs[index];
    for (unsigned i = 0; i < rubric->check_count; i++)
        if (rubric->checks[i].kind != RUBRIC_CORRECT && rubric->checks[i].run == index &&
            depends_on_size(&rubric->checks[i]))
            return false;
    const struct goal_watch *watch = judging->watch;
    const struct record *record = &watch->seen.record;
    const uint64_t rows = record->values[COLUMN_rows].count;
    const uint64_t cols = record->values[COLUMN_cols].count;
    const uint64_t tile = rubric->exercise.tile;
    return watch->has_seen && !watch->points && rows * cols >= required->rows * required->cols &&
           rows % tile == 0 && cols % tile == 0 &&
           !strcmp(record_text(record, COLUMN_device), required->device.name);
}

static void count_run(const struct judging *judging, unsigned index, struct goal_watch *watch)
{
    const struct rubric_run *required = &judging->rubric->runs[index];
    const struct source_size size = {required->rows, required->cols};
    struct failure failure = {0};
    struct other_run *other =
        other_run_new(judging->source, size, judging->rubric->exercise.form.matrices);
    struct line_watch lines = {.path = judging->source->path};
    struct record *record = &watch->seen.record;
    watch->lines_seen = &lines;
    other->options.watch.inspect = see_run;
    other->options.watch.context = watch;
    record_set_count(record, COLUMN_rows, size.rows);
    record_set_count(record, COLUMN_cols, size.cols);
    record_emulated_device(record, &required->device);
    watch->seen.needs = measured_needs_at(&judging->rubric->exercise, size.rows, size.cols);
    run_emulated_count(&other->source, &required->device, size, record, &failure);
    record_set_text(record, COLUMN_status, "%s",
                    failure.kind == FAILURE_HARNESS ? "unsupported" : status_name(failure.status));
    record_set_text(record, COLUMN_reason, "%s", failure.text);
    free(lines.lines);
    free(other);
}

/* Follow the elements at the smallest size of the run's twin; without a twin, at the run's size. */
static void follow_elements(const struct judging *judging, unsigned index,
                            struct measured_run *counted)
{
    const struct rubric_run *required = &judging->rubric->runs[index];
    struct source_size size =
        required->twin ? (struct source_size){required->twin_rows.low, required->twin_cols.low}
                       : (struct source_size){required->rows, required->cols};
    struct failure unseen = {0};
    exercise_size(&judging->rubric->exercise, &size.rows, &size.cols);
    if (!measured_asks_for_ways(judging->rubric, required->twin ? required->twin : index, counted))
        return;
    struct other_run *other =
        other_run_new(judging->source, size, judging->rubric->exercise.form.matrices);
    if (!run_emulated_ways(&other->source, &required->device, size, &counted->ways, &unseen))
        counted->ways = (struct measured_ways){0};
    free(other);
}

static const struct goal_watch *run_of(struct judging *judging, unsigned index)
{
    struct goal_watch *run = judging->runs[index];
    if (run)
        return run;
    run = judging->runs[index] = allocate_checked(calloc(1, sizeof *run));
    if (can_use_seen(judging, index))
        *run = *judging->watch;
    else
        count_run(judging, index, run);
    if (measured_status(&run->seen) == STATUS_OK)
        follow_elements(judging, index, &run->seen);
    return run;
}

static void judge_goal(struct judging *judging, unsigned index, struct goal_item *item)
{
    const struct rubric *rubric = judging->rubric;
    const struct rubric_check *check = &rubric->checks[index];
    item->is_goal = true;
    if (!judging->watch->right) {
        snprintf(item->text, sizeof item->text,
                 "this goal counts only if the result is correct at every size (a kernel with one "
                 "mistake gets a part of the points)");
        return;
    }
    const struct goal_watch *run = run_of(judging, check->run);
    const struct measured_run *counted = &run->seen;
    const bool either = check->either >= 0 && judging->passed[check->either];
    struct measured_finding found = {.narrow = 1};
    const struct measured_line *line = NULL;
    if (measured_status(counted) == STATUS_OK) {
        found = measured_judge(check, counted);
        if (check->kind == RUBRIC_MECHANISM)
            snprintf(item->text, sizeof item->text, "the goal requires a kernel that %s",
                     goal_mechanism_phrase(check->mechanism, !check->forbid));
        else
            explain_goal(check, counted, &found, item->text, sizeof item->text);
    } else {
        const char *reason = record_text(&counted->record, COLUMN_reason);
        snprintf(item->text, sizeof item->text, "%.*s", (int)strcspn(reason, "\n"), reason);
    }
    if (either)
        found.share = found.narrow = 1;
    item->narrow = found.share >= 1 && found.narrow < 1;
    if (item->narrow)
        snprintf(item->text, sizeof item->text,
                 "the goal requires full sectors, or a kernel that %s",
                 goal_mechanism_phrase(check->with, true));
    item->reached = found.share * found.narrow >= 1;
    if (check->kind == RUBRIC_RATIO && !check->run && !item->reached && found.has_value)
        line = measured_worst_line(run->lines, run->line_count, check->measure);
    item->line = line ? line->line : 0;
    if (line && line->distance)
        APPEND(item->text,
               " (line %u: the addresses of neighbouring threads are %" PRId64 " bytes apart)",
               line->line, line->distance < 0 ? -line->distance : line->distance);
    else if (line)
        APPEND(item->text, " (line %u)", line->line);
    else if (check->run)
        APPEND(item->text, " (on %s)", rubric->runs[check->run].device.name);
    item->redundant = check->either >= 0 && !judging->passed[check->either];
    const double scale = check->after < 0 ? 1 : measured_scale_after(judging->shares[check->after]);
    judging->shares[index] = found.share * scale;
    judging->passed[index] = item->reached && scale >= 1;
    item->earned = check->points * judging->shares[index] * found.narrow;
}

static void judge_sizes(struct judging *judging, unsigned index, struct goal_item *item)
{
    const struct rubric *rubric = judging->rubric;
    const struct rubric_check *check = &rubric->checks[index];
    unsigned total = 0, right = 0;
    for (unsigned i = 0; i < rubric->size_count; i++) {
        const struct rubric_size *size = &rubric->sizes[i];
        const struct source_size at = {size->rows, size->cols};
        struct failure failure = {0};
        if (size->hidden || !check->of_kind[size->kind])
            continue;
        struct other_run *other =
            other_run_new(judging->source, at, rubric->exercise.form.matrices);
        other->options.size.seed = size->seed;
        total++;
        if (run_emulated_once(&other->source, &rubric->runs[0].device, at, &failure))
            right++;
        else if (!*item->text)
            snprintf(item->text, sizeof item->text, "%.*s", GOAL_LIST_TEXT - 1, failure.text);
        free(other);
    }
    for (unsigned i = 0; i < rubric->run_count; i++)
        if (!rubric->runs[i].hidden && check->of_kind[rubric->runs[i].kind]) {
            total++;
            right += measured_right(rubric, i, &run_of(judging, i)->seen);
        }
    item->reached = right == total;
    item->earned = check->points * (check->all ? item->reached : total ? (double)right / total : 0);
    judging->passed[index] = item->reached;
    judging->shares[index] = check->points > 0 ? item->earned / check->points : item->reached;
}

static void judge_check(struct judging *judging, unsigned index, struct goal_list *list)
{
    const struct rubric_check *check = &judging->rubric->checks[index];
    const bool of_sizes = check->kind == RUBRIC_CORRECT;
    if (check->kind == RUBRIC_EXPLANATION)
        list->person_points += check->points;
    else if (!of_sizes && check->run == RUBRIC_RUN_GPU)
        list->gpu_points += check->points;
    else if (!check->visible || (of_sizes && check->of_hidden[true]))
        list->hidden_points += check->points;
    else if (!of_sizes || judging->watch->points) {
        struct goal_item *item = &list->items[list->count++];
        snprintf(item->id, sizeof item->id, "%s", check->id);
        snprintf(item->title, sizeof item->title, "%s", check->title);
        snprintf(item->hint, sizeof item->hint, "%s", check->hint);
        item->points = check->points;
        (of_sizes ? judge_sizes : judge_goal)(judging, index, item);
        list->goals += item->is_goal;
        list->reached += item->is_goal && item->reached;
        list->points += item->points;
        list->earned += item->earned;
    }
}

/* Order: checks of sizes as in the rubric, missed goals by descending loss, reached goals. */
static int by_loss(const void *a, const void *b)
{
    const struct goal_item *x = a, *y = b;
    if (x->is_goal != y->is_goal)
        return x->is_goal ? 1 : -1;
    if (x->reached != y->reached)
        return x->reached ? 1 : -1;
    const double loss = (y->points - y->earned) - (x->points - x->earned);
    return x->is_goal ? (loss > 0) - (loss < 0) : 0;
}

static void judge(struct goal_watch *watch, const struct source *source)
{
    struct rubric *rubric = allocate_checked(malloc(sizeof *rubric));
    struct judging *judging = allocate_checked(calloc(1, sizeof *judging));
    const enum rubric_here here =
        rubric_here_read(source->exercise.name, rubric, &watch->list.absent);
    if (here == RUBRIC_UNREADABLE && watch->right)
        note(watch, FINDING_GOALS_UNKNOWN, "the goals of this lab are not available: %s",
             watch->list.absent.text);
    if (here == RUBRIC_HERE) {
        *judging = (struct judging){.watch = watch, .source = source, .rubric = rubric};
        watch->list.hidden_points = rubric->elsewhere;
        for (unsigned i = 0; i < rubric->check_count; i++)
            judge_check(judging, i, &watch->list);
        qsort(watch->list.items, watch->list.count, sizeof *watch->list.items, by_loss);
    }
    for (unsigned i = 0; i < RUBRIC_RUNS_MAX; i++)
        free(judging->runs[i]);
    free(judging);
    free(rubric);
}

static void judge_run(void *context, const struct source *source, struct record *record,
                      const struct failure *wrong)
{
    struct goal_watch *watch = context;
    const struct record_value *values = record->values;
    const struct source_size size = {values[COLUMN_rows].count, values[COLUMN_cols].count};
    const struct run_options *options = source->options;
    const uint64_t rows = options->size.rows, cols = options->size.cols;
    struct device usual;
    struct failure unseen = {0};
    if (options->build.loop_in_kernel || !source->exercise.name[0] ||
        (wrong->kind != FAILURE_NONE && !(watch->points && source->kernel)))
        return;
    watch->right = wrong->kind == FAILURE_NONE;
    if (!watch->right) {
        judge(watch, source);
        return;
    }
    watch->seen.record = *record;
    watch->seen.needs = measured_needs_at(&source->exercise, size.rows, size.cols);
    judge(watch, source);
    if (watch->has_seen) {
        note_repetitions(watch, source);
        note_width(watch, source);
        note_padding(watch, source);
        note_idle(watch, source);
        note_text(watch, source);
    }
    if (rows && cols && (rows != size.rows || cols != size.cols))
        note(watch, FINDING_OTHER_SIZE,
             "this lab cannot run at %" PRIu64 " x %" PRIu64 "; it ran at %" PRIu64 " x %" PRIu64,
             rows, cols, size.rows, size.cols);
    if (options->device || options_device(OPTIONS_DEFAULT_DEVICE, &usual, &unseen))
        note_grid(watch, source, options->device ? options->device : &usual, size);
    if (watch->list.goals) {
        record_set_count(record, COLUMN_goals, watch->list.goals);
        record_set_count(record, COLUMN_goals_reached, watch->list.reached);
    }
}

void goal_watch_attach(struct goal_watch *watch, struct run_options *options)
{
    options->watch.small = see_small;
    options->watch.inspect = see_run;
    options->watch.done = judge_run;
    options->watch.context = watch;
}

void goal_watch_begin(struct goal_watch *watch, struct line_watch *lines)
{
    const bool points = watch->points;
    memset(watch, 0, sizeof *watch);
    watch->points = points;
    watch->lines_seen = lines;
}

static bool is_repetition(enum finding_id id)
{
    return id == FINDING_WRITTEN_REPEATEDLY || id == FINDING_READ_REPEATEDLY ||
           id == FINDING_LOOP_TOO_LONG || id == FINDING_BLOCK_OVERLAP;
}

void goal_list_print(FILE *out, const char *name, const struct goal_list *list)
{
    const char *good = terminal_paint(TERMINAL_GOOD), *part = terminal_paint(TERMINAL_PART),
               *plain = terminal_paint(TERMINAL_PLAIN);
    const struct goal_item *last = NULL;
    unsigned first = 0;
    /* Print repeated work first, because it is often the reason for missed goals. */
    for (; first < list->note_count && is_repetition(list->notes[first].id); first++)
        fprintf(out, "%s%s%s\n", first ? "    and: " : name, first ? "" : ": correct, but ",
                list->notes[first].text);
    for (unsigned i = 0; i < list->count; i++) {
        const struct goal_item *item = &list->items[i];
        /* Several goals may be missed for one reason. Print each reason once. */
        if (!item->is_goal || item->reached || item->redundant ||
            (last && !strcmp(last->text, item->text)))
            continue;
        if (last || first)
            fprintf(out, "    %sand%s%s: %s\n", part, last ? "" : " goal not reached", plain,
                    item->text);
        else
            fprintf(out, "%s: correct; %sgoal not reached%s: %s\n", name, part, plain, item->text);
        last = item;
    }
    bool is_beyond = false;
    for (unsigned i = 0; i < list->note_count; i++)
        is_beyond |= list->notes[i].id == FINDING_WRONG_BEYOND;
    if (!last && list->goals && !first && is_beyond)
        fprintf(out, "%s: %sall goals reached, but the result is incorrect at larger sizes%s\n",
                name, part, plain);
    else if (!last && list->goals && !first)
        fprintf(out, "%s: %scorrect; all goals reached%s\n", name, good, plain);
    else if (!last && list->note_count && !first)
        fprintf(out, "%s: correct, but\n", name);
    for (unsigned i = first; i < list->note_count; i++)
        fprintf(out, "    %snote%s: %s\n", part, plain, list->notes[i].text);
}

void goal_list_print_points(FILE *out, const char *name, const struct goal_list *list)
{
    fprintf(out, "%s: %.4g of %.4g published points\n", name, list->earned, list->points);
    for (unsigned i = 0; i < list->count; i++) {
        const struct goal_item *item = &list->items[i];
        const bool explains = !item->reached && !item->redundant && *item->text;
        fprintf(out, "  %6.2f of %5.2f  %s%s%.*s\n", item->earned, item->points, item->title,
                explains ? ": " : "", explains ? (int)strcspn(item->text, "\n") : 0, item->text);
    }
    if (list->hidden_points > 0)
        fprintf(out, "  checks at hidden test sizes are worth at most %.4g points\n",
                list->hidden_points);
    if (list->person_points > 0)
        fprintf(out, "  the instructor gives at most %.4g points\n", list->person_points);
    if (list->gpu_points > 0)
        fprintf(out, "  the run on a GPU is worth at most %.4g points\n", list->gpu_points);
    fputs("  goals give points only if the result is also correct at the hidden test sizes\n", out);
}
