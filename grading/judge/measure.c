/* measure.c: see measure.h. */
#include "judge/measure.h"

#include "base/child.h"
#include "base/code_text.h"
#include "emulator/emulator.h"
#include "run/record_emulated.h"
#include "run/run_emulated.h"
#include "view/listing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_LINES_MAX = 4096 };

/* ---- Runs ---- */

/* What is being measured. */
struct work {
    const struct measure_job *job;
    const struct rubric *rubric;
    struct measurement *measurement;
    struct run_options options; /* of the source: seed and budget change from launch to launch */
    struct source source;
    bool ran_away;
};

struct inspection {
    struct work *work;
    struct measured_run *counted;
    bool lines; /* keep them */
};

/* What only the launch's own statistics tell. */
static void inspect(void *context, const struct emulator_launch *launch,
                    const struct emulator_result *result)
{
    struct inspection *inspection = context;
    measured_count(launch, result, inspection->counted);
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
    listing_advise(lines, SOURCE_LINES_MAX, launch->device, &time_goes, measurement->advice,
                   sizeof measurement->advice);
    free(lines);
}

/* The cage leaves so much memory that only the student's kernel can want more. */
static void blame_student(struct failure *failure)
{
    if (failure->kind != FAILURE_HARNESS)
        return;
    *failure = (struct failure){.kind = FAILURE_NONE};
    failure_student(failure, STATUS_TIMEOUT, "the run needs more memory than grading allows");
}

/* Settle with what a launch said: its verdict, and whether others are worth while. */
static void settle(struct work *work, struct failure *failure)
{
    blame_student(failure);
    work->ran_away |= failure->kind == FAILURE_STUDENT && failure->status == STATUS_TIMEOUT;
}

static bool refuse_to_run(const struct work *work, struct failure *failure)
{
    return work->ran_away &&
           !failure_student(failure, STATUS_TIMEOUT, "not run, because the kernel ran away before");
}

/* A batch has as many matrices as the exercise says; at hidden sizes another number, drawn with the seed, so that it
 * must be taken from the parameters. */
static void set_batch(struct work *work, const struct rubric_size *hidden)
{
    const uint64_t usual = work->rubric->exercise.form.matrices;
    work->source.exercise.form.matrices =
        usual > 1 && hidden ? 1 + hidden->seed % (2 * usual) : usual;
}

static uint64_t budget_at(const struct work *work, uint64_t rows, uint64_t cols)
{
    return MEASURE_BUDGET(rows, cols) * work->source.exercise.form.matrices;
}

/* Is the kernel right at a size, on the first run's device? */
static bool verify_size(struct work *work, const struct rubric_size *size,
                        struct measured_size *measured)
{
    struct failure failure = {0};
    set_batch(work, size->hidden ? size : NULL);
    work->options.size.seed = size->seed;
    work->options.emulation.budget = budget_at(work, size->rows, size->cols);
    /* Races and undefined values show on the other sizes, too, and looking for them takes time. */
    work->options.emulation.unchecked = size->kind == RUBRIC_LARGE || size->kind == RUBRIC_LONG;
    if (!refuse_to_run(work, &failure)) {
        run_emulated_once(&work->source, &work->rubric->runs[0].device,
                          (struct source_size){size->rows, size->cols}, &failure);
        settle(work, &failure);
    }
    work->options.emulation.unchecked = false;
    measured->status = failure.status;
    snprintf(measured->reason, sizeof measured->reason, "%.*s", RECORD_TEXT_SIZE - 1, failure.text);
    return measured->status == STATUS_OK;
}

static uint64_t elements_of(const struct measured_run *counted)
{
    const struct record_value *values = counted->record.values;
    return values[COLUMN_rows].count * values[COLUMN_cols].count;
}

/* What was seen at twins holds for their runs, in proportion. */
static void take_ways_of_twins(const struct rubric *rubric, struct measured_run *runs)
{
    for (unsigned i = 0; i < rubric->run_count && rubric->exercise.function < 0; i++) {
        const struct measured_run *twin = &runs[rubric->runs[i].twin];
        if (!rubric->runs[i].twin)
            continue;
        runs[i].through_shared = twin->through_shared * elements_of(&runs[i]) / elements_of(twin);
        runs[i].between_threads = twin->between_threads * elements_of(&runs[i]) / elements_of(twin);
    }
}

/* Count a run, or the square one of its rows. */
static void count_run(struct work *work, unsigned index, bool square, struct measured_run *counted)
{
    const struct rubric_run *wanted = &work->rubric->runs[index];
    const struct source_size size = {wanted->rows, square ? wanted->rows : wanted->cols};
    struct measurement *measurement = work->measurement;
    struct inspection inspection = {
        .work = work, .counted = counted, .lines = !index && !measurement->line_count};
    struct record *record = &counted->record;
    struct source_ways ways = {0};
    struct failure failure = {0}, unseen = {0};
    memset(counted, 0, sizeof *counted);
    counted->needs = measured_needs_at(&work->rubric->exercise, size.rows, size.cols);
    work->options.size.seed = wanted->seed;
    set_batch(work, NULL);
    work->options.emulation.budget = budget_at(work, size.rows, size.cols);
    work->options.watch.inspect = inspect;
    work->options.watch.context = &inspection;
    record_clear(record);
    source_record(&work->source, record);
    record_set_count(record, COLUMN_rows, size.rows);
    record_set_count(record, COLUMN_cols, size.cols);
    record_set_count(record, COLUMN_repeats, 1);
    record_set_text(record, COLUMN_compiler, "%s", work->job->compiled->description);
    record_emulated_device(record, &wanted->device);
    if (!refuse_to_run(work, &failure)) {
        run_emulated_count(&work->source, &wanted->device, size, record, &failure);
        settle(work, &failure);
        if (failure.status == STATUS_OK && work->rubric->exercise.function >= 0)
            counted->through_shared = counted->between_threads =
                measured_words_through_shared(counted);
        else if (failure.status == STATUS_OK && measured_asks_for_ways(work->rubric, index) &&
                 run_emulated_ways(&work->source, &wanted->device, size, &ways, &unseen)) {
            counted->through_shared = ways.through_shared;
            counted->between_threads = ways.between_threads;
        }
    }
    record_set_text(record, COLUMN_status, "%s", status_name(failure.status));
    record_set_text(record, COLUMN_reason, "%s", failure.text);
}

/* All that is published, or all that is hidden. */
static void measure_sizes(struct work *work, bool hidden)
{
    for (unsigned i = 0; i < work->rubric->size_count; i++)
        if (work->rubric->sizes[i].hidden == hidden)
            verify_size(work, &work->rubric->sizes[i], &work->measurement->sizes[i]);
}

static void measure_runs(struct work *work, bool hidden)
{
    for (unsigned i = 0; i < work->measurement->run_count; i++)
        if (work->rubric->runs[i].hidden == hidden)
            count_run(work, i, false, &work->measurement->runs[i]);
    if (hidden && work->measurement->run_count)
        take_ways_of_twins(work->rubric, work->measurement->runs);
}

/* ---- One mistake ---- */

/* How a mistake is mended, and where the kernel must be right then: everywhere, on whole tiles, or on
 * square ones. */
static const struct mending {
    unsigned mend; /* enum emulator_mend */
    bool whole, square;
} mendings[RUBRIC_MISTAKE_COUNT] = {
    [RUBRIC_MISTAKE_EDGES] = {.whole = true},
    [RUBRIC_MISTAKE_BARRIER] = {.mend = EMULATOR_MEND_BARRIERS},
    [RUBRIC_MISTAKE_SHARED] = {.mend = EMULATOR_MEND_SHARED},
    [RUBRIC_MISTAKE_SQUARES] = {.whole = true, .square = true},
};

static bool concerns(const struct work *work, const struct mending *mending,
                     const struct rubric_size *size)
{
    const uint64_t tile = work->rubric->exercise.tile;
    return (!mending->whole || !(size->rows % tile || size->cols % tile)) &&
           (!mending->square || size->rows == size->cols);
}

static bool mended_sizes(struct work *work, const struct mending *mending, bool hidden)
{
    struct measured_size measured;
    for (unsigned i = 0; i < work->rubric->size_count; i++) {
        const struct rubric_size *size = &work->rubric->sizes[i];
        if (size->hidden != hidden || !concerns(work, mending, size))
            continue;
        if (mending->mend ? !verify_size(work, size, &measured)
                          : work->measurement->sizes[i].status != STATUS_OK)
            return false;
    }
    return true;
}

static bool mended_runs(struct work *work, const struct mending *mending, bool hidden)
{
    for (unsigned i = 0; i < work->rubric->run_count; i++) {
        struct measured_run *counted = &work->measurement->mended[i];
        if (work->rubric->runs[i].hidden != hidden)
            continue;
        count_run(work, i, mending->square, counted);
        if (!measured_right(work->rubric, i, counted))
            return false;
    }
    if (hidden)
        take_ways_of_twins(work->rubric, work->measurement->mended);
    return true;
}

static bool mended_at_large(struct work *work, const struct mending *mending)
{
    struct rubric_size size = work->rubric->whole;
    struct measured_size measured;
    if (mending->square)
        size.rows = size.cols = size.rows < size.cols ? size.rows : size.cols;
    return verify_size(work, &size, &measured);
}

/* Is the kernel right when that is mended? */
static bool is_right_mended(struct work *work, const struct mending *mending)
{
    work->options.emulation.mend = mending->mend;
    bool right = mended_sizes(work, mending, false) && mended_runs(work, mending, false) &&
                 mended_sizes(work, mending, true) && mended_runs(work, mending, true) &&
                 mended_at_large(work, mending);
    work->options.emulation.mend = 0;
    return right;
}

/* Is it wrong where sizes are published? One that is wrong in hiding only depends on the size, and has
 * no idea to be right. */
static bool published_wrong(const struct work *work)
{
    const struct measurement *measurement = work->measurement;
    for (unsigned i = 0; i < measurement->size_count; i++)
        if (!work->rubric->sizes[i].hidden && measurement->sizes[i].status != STATUS_OK)
            return true;
    for (unsigned i = 0; i < measurement->run_count; i++)
        if (!work->rubric->runs[i].hidden &&
            !measured_right(work->rubric, i, &measurement->runs[i]))
            return true;
    return false;
}

/* A barrier of some threads only, or one that has a number: not what __syncthreads() is. */
static bool is_partial_barrier(const struct ptx_instruction *instruction)
{
    const struct ptx_operand *number = &instruction->operands[0];
    const bool of_block =
        instruction->opcode == PTX_OP_BAR || instruction->opcode == PTX_OP_BARRIER;
    return of_block && !ptx_has(instruction, PTX_MOD_WARP) &&
           (instruction->operand_count != 1 || number->kind != PTX_OPERAND_INTEGER ||
            number->integer);
}

static bool orders_threads(const struct ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case PTX_OP_ATOM:
    case PTX_OP_RED:
    case PTX_OP_FENCE:
    case PTX_OP_MEMBAR:
    case PTX_OP_NANOSLEEP:
        return true;
    case PTX_OP_LD:
    case PTX_OP_ST:
        return ptx_has(instruction, PTX_MOD_VOLATILE) || ptx_has(instruction, PTX_MOD_RELAXED) ||
               ptx_has(instruction, PTX_MOD_ACQUIRE) || ptx_has(instruction, PTX_MOD_RELEASE);
    case PTX_OP_MOV:
        return instruction->operands[1].kind == PTX_OPERAND_SPECIAL &&
               instruction->operands[1].index >= PTX_SPECIAL_CLOCK &&
               instruction->operands[1].index <= PTX_SPECIAL_GLOBALTIMER_HI;
    default:
        return is_partial_barrier(instruction);
    }
}

/* Has the kernel means of its own to order its threads? Then a barrier is not what it forgot: it relies
 * on something else. */
static bool has_own_order(const struct ptx_module *module)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++)
            if (orders_threads(&module->functions[f].instructions[i]))
                return true;
    return false;
}

static bool may_be(const struct work *work, enum rubric_mistake mistake)
{
    return work->rubric->mistakes[mistake] > 0 && !work->ran_away &&
           (mistake != RUBRIC_MISTAKE_BARRIER || !has_own_order(&work->source.module));
}

static void find_mistake(struct work *work)
{
    struct measurement *measurement = work->measurement;
    if (!published_wrong(work))
        return;
    for (unsigned i = RUBRIC_MISTAKE_NONE + 1; i < RUBRIC_MISTAKE_COUNT; i++)
        if (may_be(work, (enum rubric_mistake)i) && is_right_mended(work, &mendings[i])) {
            measurement->mistake = (enum rubric_mistake)i;
            return;
        }
    memset(measurement->mended, 0, sizeof measurement->mended);
}

/* ---- The whole ---- */

static bool fail_exercise(const struct measure_job *job, const char *name, struct failure *failure)
{
    char known[1024] = "";
    for (size_t i = 0; i < job->rubric_count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? " " : "",
                 job->rubrics[i].exercise.name);
    }
    return failure_student(failure, STATUS_COMPILE_ERROR,
                           "LAB(%s) is no exercise that is graded; there are: %s", name, known);
}

/* May it be a name that somebody meant? Quotes are a habit. */
static bool is_word(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_\"")];
}

/* The one exercise whose name is spelt like that, but for `most` letters; NULL: none, or several. */
static const struct rubric *rubric_spelt(const struct measure_job *job, const char *name,
                                         unsigned most)
{
    const struct rubric *found = NULL;
    for (size_t i = 0; i < job->rubric_count; i++)
        if (code_word_is_like(name, strlen(name), job->rubrics[i].exercise.name, most)) {
            if (found)
                return NULL;
            found = &job->rubrics[i];
        }
    return found;
}

/* The rubric for what LAB() says, or must mean. NULL: none. */
static const struct rubric *find_rubric(const struct measure_job *job, const char *said,
                                        struct naming *naming)
{
    const struct rubric *exact = rubric_find(job->rubrics, job->rubric_count, said), *meant = NULL;
    if (exact && !(job->overrules && job->suggested->mends_names))
        return exact;
    if (!*said || is_word(said))
        meant = exact ? job->suggested : rubric_spelt(job, said, 0);
    if (!meant && !*said)
        meant = job->suggested;
    else if (!meant && is_word(said))
        meant = job->suggested ? job->suggested : rubric_spelt(job, said, 2);
    if (!meant)
        return NULL;
    if (*said)
        naming_add(naming, NULL, "LAB(%s) is wrong here: it must be LAB(%s)", said,
                   meant->exercise.name);
    else
        naming_add(naming, NULL, "there is no LAB(): it must say LAB(%s)", meant->exercise.name);
    return meant;
}

/* The first published size that tells width and height apart. */
static const struct rubric_size *telling_size(const struct rubric *rubric)
{
    for (unsigned i = 0; i < rubric->size_count; i++)
        if (rubric->sizes[i].rows != rubric->sizes[i].cols && !rubric->sizes[i].hidden)
            return &rubric->sizes[i];
    return NULL;
}

static bool right_at(struct work *work, const struct rubric_size *size)
{
    struct failure failure = {0};
    set_batch(work, size->hidden ? size : NULL);
    work->options.size.seed = size->seed;
    work->options.emulation.budget = budget_at(work, size->rows, size->cols);
    return run_emulated_once(&work->source, &work->rubric->runs[0].device,
                             (struct source_size){size->rows, size->cols}, &failure);
}

/* A kernel that is wrong as the course calls it, and right when its parameters are what the text
 * says they are, has them in another order. */
static void try_declared_order(struct work *work, struct naming *naming)
{
    const struct rubric_size *size = telling_size(work->rubric);
    struct source *source = &work->source;
    unsigned char order[sizeof source->order];
    if (!source->declares_other_order || !size || right_at(work, size))
        return;
    memcpy(order, source->order, sizeof order);
    memcpy(source->order, source->declared, sizeof order);
    if (right_at(work, size))
        naming_add(naming, NULL,
                   "the kernel's parameters are in another order than (odata, idata, width, "
                   "height)");
    else
        memcpy(source->order, order, sizeof order);
}

/* Find the exercise and the kernel; what has another name is used where the rubric allows it. */
static bool pose(struct work *work, const char *said, struct naming *naming,
                 struct failure *failure)
{
    const struct measure_job *job = work->job;
    struct measurement *measurement = work->measurement;
    work->rubric = find_rubric(job, said, naming);
    measurement->has_rubric = work->rubric;
    snprintf(measurement->exercise, sizeof measurement->exercise, "%s",
             work->rubric ? work->rubric->exercise.name : said);
    if (!work->rubric)
        return *said ? fail_exercise(job, said, failure)
                     : source_fail_unnamed(&work->source, failure);
    if (!source_pose(&work->source, &work->rubric->exercise, naming, true, failure))
        return false;
    try_declared_order(work, naming);
    return !naming->text[0] || work->rubric->mends_names ||
           failure_student(failure, STATUS_COMPILE_ERROR, "%s", naming->text);
}

static bool load(struct work *work, struct failure *failure)
{
    const struct measure_job *job = work->job;
    char said[sizeof work->measurement->exercise], *code = NULL;
    struct naming naming = {.path = job->path};
    work->source = (struct source){.path = job->path, .options = &work->options};
    if (job->mended)
        snprintf(naming.text, sizeof naming.text, "%s", job->mended);
    if (job->text) {
        array_shapes_parse((const char *)job->text, job->text_bytes, NULL, 0, &work->source.shapes);
        naming.code = code = code_text(job->text, job->text_bytes);
    }
    bool good = source_parse(&work->source, job->compiled->ptx, job->compiled->ptx_bytes, said,
                             sizeof said, failure) &&
                pose(work, said, &naming, failure);
    snprintf(work->measurement->naming, NAMING_TEXT, "%s", naming.text);
    free(code);
    return good;
}

/* A kernel that is right nowhere has nothing to count. What is hidden has no say in it. */
static bool anything_right(const struct work *work)
{
    for (unsigned i = 0; i < work->measurement->size_count; i++)
        if (!work->rubric->sizes[i].hidden && work->measurement->sizes[i].status == STATUS_OK)
            return true;
    return false;
}

void measure(const struct measure_job *job, struct measurement *measurement)
{
    struct work work = {
        .job = job,
        .measurement = measurement,
        /* No kernel can be right, or fast, on one of a rubric's devices only. */
        .options = {.build = {.repeats = 1}, .workers = 1, .emulation = {.is_anonymous = true}}};
    struct failure failure = {0};
    memset(measurement, 0, sizeof *measurement);
    if (load(&work, &failure)) {
        measurement->size_count = work.rubric->size_count;
        measure_sizes(&work, false);
        if (anything_right(&work))
            measurement->run_count = work.rubric->run_count;
        measure_runs(&work, false);
        measure_sizes(&work, true);
        measure_runs(&work, true);
        find_mistake(&work);
    }
    blame_student(&failure);
    measurement->status = failure.status;
    snprintf(measurement->reason, sizeof measurement->reason, "%s", failure.text);
    source_free(&work.source);
}

bool measure_caged(int output, void *context)
{
    struct measurement *measurement = calloc(1, sizeof *measurement);
    if (!measurement)
        return false;
    measure(context, measurement);
    bool sent = child_send(output, measurement, sizeof *measurement);
    free(measurement);
    return sent;
}

/* ---- Is it believable? ---- */

static bool text_ends(const char *text, size_t size)
{
    return memchr(text, 0, size) != NULL;
}

/* A bool from elsewhere may hold any byte, and reading it as a bool is then undefined. */
static bool flag_is_good(const bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, 1);
    return byte <= 1;
}

static bool status_is_good(const enum status *status)
{
    unsigned number;
    memcpy(&number, status, sizeof number);
    return number < STATUS_COUNT;
}

static bool mistake_is_good(const enum rubric_mistake *mistake)
{
    unsigned number;
    memcpy(&number, mistake, sizeof number);
    return number < RUBRIC_MISTAKE_COUNT;
}

static bool record_is_good(const struct record *record)
{
    if (!record_is_sound(record))
        return false;
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        const struct record_value *value = &record->values[i];
        if (value->known && column_describe((enum column)i)->type == RECORD_COUNT &&
            value->count > INT64_MAX && i != COLUMN_seed)
            return false; /* a number of JSON */
    }
    return true;
}

/* The columns that judging relies on, beyond their form. */
static bool run_is_good(const struct measured_run *counted, const struct rubric *rubric,
                        unsigned index, bool square)
{
    const struct record_value *values = counted->record.values;
    const struct rubric_run *wanted = &rubric->runs[index];
    struct goal_needs needs =
        measured_needs_at(&rubric->exercise, wanted->rows, square ? wanted->rows : wanted->cols);
    return !memcmp(&needs, &counted->needs, sizeof needs) && record_is_good(&counted->record) &&
           values[COLUMN_rows].known && values[COLUMN_rows].count == wanted->rows &&
           values[COLUMN_cols].known &&
           values[COLUMN_cols].count == (square ? wanted->rows : wanted->cols) &&
           values[COLUMN_device].known &&
           !strcmp(record_text(&counted->record, COLUMN_device), wanted->device.name) &&
           values[COLUMN_status].known && values[COLUMN_reason].known;
}

static bool line_is_good(const struct measured_line *line)
{
    return flag_is_good(&line->shared) && flag_is_good(&line->store) &&
           isfinite(line->time_share) && line->line < SOURCE_LINES_MAX &&
           line->requests <= INT64_MAX && line->used <= INT64_MAX && line->ideal <= INT64_MAX;
}

bool measurement_check(const struct measurement *m, const struct measure_job *job)
{
    if (!text_ends(m->exercise, sizeof m->exercise) || !flag_is_good(&m->has_rubric) ||
        !status_is_good(&m->status) || !text_ends(m->reason, sizeof m->reason) ||
        !text_ends(m->naming, sizeof m->naming) || !text_ends(m->advice, sizeof m->advice) ||
        (job->mended && strncmp(m->naming, job->mended, strlen(job->mended))) ||
        m->line_count > MEASURE_LINES_MAX)
        return false;
    const struct rubric *rubric = rubric_find(job->rubrics, job->rubric_count, m->exercise);
    if (m->has_rubric != (rubric != NULL))
        return false;
    bool measured = m->status == STATUS_OK;
    if (m->size_count != (measured && rubric ? rubric->size_count : 0) ||
        (m->run_count && (!measured || !rubric || m->run_count != rubric->run_count)) ||
        (measured && !rubric))
        return false;
    for (unsigned i = 0; i < m->size_count; i++)
        if (!status_is_good(&m->sizes[i].status) ||
            !text_ends(m->sizes[i].reason, sizeof m->sizes[i].reason))
            return false;
    for (unsigned i = 0; i < m->run_count; i++)
        if (!run_is_good(&m->runs[i], rubric, i, false))
            return false;
    if (!mistake_is_good(&m->mistake) || (m->mistake && !m->size_count))
        return false;
    for (unsigned i = 0; m->mistake && i < rubric->run_count; i++)
        if (!run_is_good(&m->mended[i], rubric, i, m->mistake == RUBRIC_MISTAKE_SQUARES))
            return false;
    for (unsigned i = 0; i < m->line_count; i++)
        if (!line_is_good(&m->lines[i]))
            return false;
    return true;
}
