/* measure_runs.c: verify a launch, or count a run; see measure_work.h. */
#include "judge/measure_work.h"

#include "emulator/emulator.h"
#include "record/record_emulated.h"
#include "run/run_emulated.h"
#include "view/explain.h"

#include <stdlib.h>
#include <string.h>

struct inspection {
    struct measure_work *work;
    struct measured_run *counted;
    bool first;
    bool lines;
};

/* Save the counters of the counted launch before the launch data are freed. */
static void inspect(void *context, const struct emulator_launch *launch,
                    const struct emulator_result *result)
{
    struct inspection *inspection = context;
    measured_count(launch, result, inspection->counted);
    if (inspection->first)
        measured_work_note(launch, result, &inspection->work->counted);
    if (!inspection->lines)
        return;
    struct line_counters *lines = calloc(SOURCE_LINES_MAX, sizeof *lines);
    if (!lines)
        return;
    struct measurement *measurement = inspection->work->measurement;
    line_counters_gather(launch, result, inspection->work->job->path, lines, SOURCE_LINES_MAX);
    struct time_goes time_goes = time_goes_where(result);
    measurement->line_count = line_counters_list(lines, SOURCE_LINES_MAX, launch->device,
                                                 measurement->lines, MEASURE_LINES_MAX);
    struct advice advice;
    explain_lines(lines, SOURCE_LINES_MAX, launch->device, &time_goes, &advice);
    snprintf(measurement->advice, sizeof measurement->advice, "%s", advice.text);
    free(lines);
}

void measure_blame_student(struct failure *failure)
{
    if (failure->kind != FAILURE_HARNESS)
        return;
    *failure = (struct failure){.kind = FAILURE_NONE};
    failure_student(failure, STATUS_TIMEOUT, "the run needs more memory than grading allows");
}

/* Only the first failure is diagnosed, because later failures probably have the same cause. */
static void evaluate(struct measure_work *work, struct failure *failure)
{
    measure_blame_student(failure);
    work->options.report.is_brief |= failure->kind == FAILURE_STUDENT;
    work->ran_away |= failure->kind == FAILURE_STUDENT && failure->status == STATUS_TIMEOUT;
}

bool measure_refuses(const struct measure_work *work, bool in_vain, struct failure *failure)
{
    if (work->ran_away)
        return !failure_student(failure, STATUS_TIMEOUT,
                                "not run, because an earlier launch did not end");
    return in_vain && work->published != STATUS_OK &&
           !failure_student(failure, work->published,
                            "not run, because the kernel already fails at a published size");
}

/* At hidden sizes, the number of matrices is random, so that the kernel must use the parameter. At
 * the smallest sizes, the number is large, so that the kernel cannot assume a maximum. */
static void set_batch(struct measure_work *work, const struct rubric_size *hidden)
{
    enum { LEAST = 1000, MANY = 40, MOST = 4000, LARGE = 1300 * 1300 };
    const uint64_t usual = work->rubric->exercise.form.matrices;
    const bool one = hidden && hidden->kind == RUBRIC_ONE,
               small = hidden && hidden->kind == RUBRIC_PRIMES;
    const uint64_t least = one ? LEAST : small ? 1 + 2 * usual : 1;
    const uint64_t many = one                                             ? MOST - LEAST
                          : small                                         ? MANY
                          : hidden && hidden->rows * hidden->cols > LARGE ? 2
                                                                          : 2 * usual;
    work->source.exercise.form.matrices = work->matrices         ? work->matrices
                                          : usual < 2 || !hidden ? usual
                                                                 : least + hidden->seed % many;
}

static uint64_t budget_at(const struct measure_work *work, uint64_t rows, uint64_t cols)
{
    return MEASURE_BUDGET(rows, cols) * work->source.exercise.form.matrices;
}

struct comparison {
    struct measure_work *work;
    const struct rubric_size *size;
};

/* Open a new asker if LAB_LAUNCH has changed a variable, because LAB_LAUNCH must not count
 * calls. */
static bool renew_asker(struct measure_work *work, struct failure *failure)
{
    if (work->asker.source && source_asker_is_new(&work->asker))
        return true;
    source_asker_close(&work->asker);
    if (source_asker_open(&work->asker, &work->source, &work->rubric->runs[0].device, failure))
        return true;
    work->asker.source = NULL;
    return false;
}

static struct source_shape shape_at(struct measure_work *work, struct source_size size)
{
    struct source_shape shape;
    struct failure unused = {0};
    if (!renew_asker(work, &unused) || !source_ask(&work->asker, size, &shape, &unused))
        shape = (struct source_shape){.grid = {0, 0, 0}};
    return shape;
}

static uint64_t blocks_of(const struct source_shape *shape)
{
    return (uint64_t)shape->grid.x * shape->grid.y * shape->grid.z;
}

uint64_t measure_blocks(struct measure_work *work, struct source_size size)
{
    const struct source_shape shape = shape_at(work, size);
    return blocks_of(&shape);
}

/* Returns true if the grid has far more threads than elements. Sets work->last_blocks. */
static bool is_wasteful(struct measure_work *work, const struct rubric_size *size)
{
    const struct source_shape shape = shape_at(work, (struct source_size){size->rows, size->cols});
    const uint64_t matrices = work->source.exercise.form.matrices,
                   elements = size->rows * size->cols * matrices,
                   tiles = MEASURE_TILES(size->rows) * MEASURE_TILES(size->cols),
                   covered = work->rubric->exercise.one_row ? elements : tiles * 32 * 32;
    work->last_blocks = blocks_of(&shape);
    return elements > 1 && source_shape_threads(&shape) >= SOURCE_WASTEFUL_THREADS * covered;
}

static void compare(void *context, const struct emulator_launch *launch,
                    const struct emulator_result *result)
{
    const double nearly_all = 0.9, part = 0.1;
    const struct comparison *comparison = context;
    const struct rubric_size *size = comparison->size;
    struct measure_work *work = comparison->work;
    const uint64_t elements = size->rows * size->cols * work->source.exercise.form.matrices;
    if (launch->mode == LAUNCH_CHECK && work->last_blocks &&
        elements / work->last_blocks > work->per_block)
        work->per_block = elements / work->last_blocks;
    measure_conditions_note(work, launch, result);
    if (size->kind == RUBRIC_HUGE && result->counters.warp_instructions)
        work->measurement->busiest_share =
            (double)result->busiest_block / (double)result->counters.warp_instructions;
    if (!measurement_is_whole(size) || !work->counted.count)
        return;
    /* At smaller sizes, edges of large tiles can also cause different instructions. */
    const double other = measured_other_work(launch, result, &work->counted);
    if (size->kind == RUBRIC_HUGE ? other >= part && !work->elsewhere.rows : other >= nearly_all)
        work->elsewhere = (struct source_size){size->rows, size->cols};
}

/* A sample of the blocks is sufficient at large sizes, if the grid has enough blocks. `compare`
 * uses the counters only at the huge size. */
static unsigned samples_at(const struct measure_work *work, const struct rubric_size *size)
{
    enum { FEWEST = 128 };
    if (work->last_blocks < FEWEST)
        return SAMPLES_NONE;
    if (work->samples_nearly)
        return SAMPLES_NEARLY;
    return size->kind == RUBRIC_HUGE  ? SAMPLES_COUNTED
           : size->kind == RUBRIC_FAR ? SAMPLES_SHARE
                                      : SAMPLES_NONE;
}

/* If idle blocks make emulation too slow, verify with half the longer side, and return true. */
static bool verify_smaller(struct measure_work *work, const struct rubric_size *size,
                           enum launch_mode mode, bool wasteful, struct failure *failure)
{
    enum { BLOCKS_MOST = 1 << 14, SIDE_LEAST = 1024 };
    const uint64_t unit = work->rubric->exercise.whole_tiles ? work->rubric->exercise.tile : 1;
    struct rubric_size smaller = *size;
    uint64_t *side = size->rows > size->cols ? &smaller.rows : &smaller.cols;
    if (!wasteful || work->last_blocks <= BLOCKS_MOST || *side <= SIDE_LEAST)
        return false;
    *side = (*side / 2 + unit - 1) / unit * unit;
    work->measurement->is_idle = true;
    *failure = (struct failure){0};
    measure_verify(work, &smaller, mode, failure);
    return true;
}

void measure_verify(struct measure_work *work, const struct rubric_size *size,
                    enum launch_mode mode, struct failure *failure)
{
    struct comparison comparison = {work, size};
    struct run_options *options = &work->options;
    options->watch.once = compare;
    options->watch.context = &comparison;
    set_batch(work, size->hidden ? size : NULL);
    options->size.seed = size->input_seed;
    options->emulation.budget = budget_at(work, size->rows, size->cols);
    options->emulation.mode = work->unchecked ? LAUNCH_COMPUTE : mode;
    /* With far more threads than elements, large sizes take too long, so fewer blocks run. */
    const bool wasteful = is_wasteful(work, size);
    if (work->measurement->is_idle && verify_smaller(work, size, mode, wasteful, failure))
        return;
    options->emulation.shrinks_grid = wasteful && mode == LAUNCH_COMPUTE;
    if (mode == LAUNCH_COMPUTE && !options->emulation.shrinks_grid)
        options->emulation.samples = samples_at(work, size);
    for (;; options->emulation.shrinks_grid = (options->emulation.shrinks_grid + 1) % 3,
            *failure = (struct failure){0}) {
        if (renew_asker(work, failure))
            run_emulated_once_asked(&work->asker, (struct source_size){size->rows, size->cols},
                                    failure);
        if (!options->emulation.shrinks_grid || failure->status == STATUS_OK)
            break;
    }
    options->emulation.shrinks_grid = 0;
    options->emulation.samples = SAMPLES_NONE;
    if (failure->status == STATUS_TIMEOUT && verify_smaller(work, size, mode, wasteful, failure))
        return;
    evaluate(work, failure);
    options->emulation.mode = LAUNCH_CHECK;
    options->watch.once = NULL;
}

void measure_twins(const struct rubric *rubric, struct measured_run *runs)
{
    for (unsigned i = 0; i < rubric->run_count; i++) {
        if (rubric->runs[i].twin)
            runs[i].ways = runs[rubric->runs[i].twin].ways;
    }
}

void measure_run(struct measure_work *work, unsigned index, bool square,
                 struct measured_run *counted)
{
    const struct rubric_run *wanted = &work->rubric->runs[index];
    const bool away = index == work->rubric->runs[0].twin && work->elsewhere.rows;
    const struct source_size size =
        away ? work->elsewhere
             : (struct source_size){wanted->rows, square ? wanted->rows : wanted->cols};
    struct measurement *measurement = work->measurement;
    struct inspection inspection = {.work = work,
                                    .counted = counted,
                                    .first = !index,
                                    .lines = !index && !measurement->line_count};
    struct record *record = &counted->record;
    struct failure failure = {0}, unseen = {0};
    memset(counted, 0, sizeof *counted);
    counted->needs = measured_needs_at(&work->rubric->exercise, size.rows, size.cols);
    if (work->options.emulation.spares_margin)
        counted->spared_bytes = MEASURE_MARGIN(size.rows, size.cols);
    work->options.size.seed = wanted->seed;
    set_batch(work, NULL);
    work->options.emulation.budget = budget_at(work, size.rows, size.cols);
    work->options.emulation.mode = work->unchecked ? LAUNCH_COMPUTE : LAUNCH_CHECK;
    work->options.watch.inspect = inspect;
    work->options.watch.context = &inspection;
    record_clear(record);
    source_record(&work->source, record);
    record_set_count(record, COLUMN_rows, size.rows);
    record_set_count(record, COLUMN_cols, size.cols);
    record_set_count(record, COLUMN_repeats, 1);
    record_set_text(record, COLUMN_compiler, "%s", work->job->compiled->description);
    record_emulated_device(record, &wanted->device);
    if (!measure_refuses(work, wanted->hidden, &failure)) {
        run_emulated_count(&work->source, &wanted->device, size, record, &failure);
        evaluate(work, &failure);
        if (failure.status == STATUS_OK && measured_asks_for_ways(work->rubric, index, counted) &&
            !run_emulated_ways(&work->source, &wanted->device, size, &counted->ways, &unseen))
            counted->ways = (struct measured_ways){0};
    }
    record_set_verdict(record, &failure);
}

bool measure_tries(struct measure_work *work, const struct rubric_size *size)
{
    struct failure failure = {0};
    set_batch(work, size->hidden ? size : NULL);
    work->options.size.seed = size->input_seed;
    work->options.emulation.budget = budget_at(work, size->rows, size->cols);
    return renew_asker(work, &failure) &&
           run_emulated_once_asked(&work->asker, (struct source_size){size->rows, size->cols},
                                   &failure);
}
