/* run_emulated.c: see run_emulated.h. */
#include "run/run_emulated.h"

#include "course/arrays.h"
#include "record/record_emulated.h"
#include "run/attempt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Launch and verify; a student's failure says at which size. */
static bool attempt_run(struct attempt *attempt, struct source_asker *asker, bool model,
                        const struct source *source, struct source_size size,
                        struct failure *failure)
{
    struct failure local = {0};
    *attempt = (struct attempt){
        .source = source, .asker = asker, .size = size, .variation = attempt->variation};
    if (attempt_launch(attempt, model, &local) && attempt_verify(attempt, NULL, &local))
        return true;
    attempt_look_again(attempt, &local);
    source_fail_at_size(size, &local, failure);
    source_tell_order(source, failure);
    return false;
}

/* ---- Too much work ---- */

/* What one launch cost, to tell what a larger one will. */
struct work {
    struct source_size size;
    uint64_t block, grid; /* warp instructions of the busiest block, and of all */
    uint64_t stored;      /* elements */
};

struct works {
    struct work least, most; /* of the small sizes that have at least WORK_LEAST elements */
};
enum { WORK_LEAST = 1024 };

static double size_elements(struct source_size size)
{
    return (double)size.rows * (double)size.cols;
}

static void works_add(struct works *works, const struct attempt *attempt)
{
    struct work work = {attempt->size, attempt->result.busiest_block,
                        attempt->result.counters.warp_instructions, attempt_stored(attempt)};
    double elements = size_elements(work.size);
    if (elements < WORK_LEAST)
        return;
    if (!works->least.grid || elements < size_elements(works->least.size))
        works->least = work;
    if (!works->most.grid || elements > size_elements(works->most.size))
        works->most = work;
}

/* Far more than kernels of the course need? Then the other small sizes take seconds, too. */
static bool works_look_large(const struct works *works)
{
    const double many = 64;
    return (double)works->most.grid > many * size_elements(works->most.size);
}

/* Add what the smallest matrix of whole tiles costs, without checks. */
static void works_probe(struct works *works, const struct source *source,
                        struct source_asker *asker)
{
    struct failure failure = {0};
    struct attempt attempt = {.source = source,
                              .asker = asker,
                              .size = source_size_of(source, (struct source_size){32, 32}),
                              .variation = {.is_silent = true, .is_lenient = true}};
    if (attempt_launch(&attempt, false, &failure))
        works_add(works, &attempt);
    attempt_free(&attempt);
}

/* What a power of the elements that goes through both says of `elements`, if these are more. */
static double extrapolate(const struct works *works, uint64_t least, uint64_t most, double elements)
{
    double from = size_elements(works->least.size), to = size_elements(works->most.size);
    if (!least || !most || to < 2 * from || elements <= to)
        return 0;
    double power = log((double)most / (double)least) / log(to / from);
    return (double)most * pow(elements / to, power);
}

/* Fail where the kernel will certainly not end within the emulator's limits, because these are
 * exceeded twice over; or where a map of the matrix, which has each element to store once,
 * stores them the more often the more there are, and would do so for minutes. */
static bool check_work(const struct source *source, const struct works *works,
                       struct source_size size, struct failure *failure)
{
    const double certain = 2, many_times = 64, many_instructions = 2e7;
    const double elements = size_elements(size);
    const struct run_options *options = source->options;
    const struct work *most = &works->most;
    double budget =
        (double)(options->emulation.budget ? options->emulation.budget : EMULATOR_GRID_BUDGET);
    double block = extrapolate(works, works->least.block, works->most.block, elements),
           grid = extrapolate(works, works->least.grid, works->most.grid, elements);
    struct failure wrong = {0};
    char stores[120] = "";
    bool repeats =
        source->exercise.function < 0 && grid > many_instructions &&
        extrapolate(works, works->least.stored, most->stored, elements) > many_times * elements;
    if (block < certain * (double)EMULATOR_BLOCK_BUDGET && grid < certain * budget && !repeats)
        return true;
    if (most->stored >= 2 * most->size.rows * most->size.cols)
        snprintf(stores, sizeof stores, " and stored each %.0f times",
                 (double)most->stored / size_elements(most->size));
    failure_student(
        &wrong, STATUS_TIMEOUT,
        "not run, it would take too long: about %.0f million warp "
        "instructions, %.0f million of them in one block\nAt %" PRIu64 " x %" PRIu64
        " the kernel executed %.0f warp instructions for each element%s; at %" PRIu64 " x %" PRIu64
        " it was %.0f.\nDoes every thread loop over much of the matrix, where all threads "
        "together should go through it once?",
        grid / 1e6, block / 1e6, most->size.rows, most->size.cols,
        (double)most->grid / size_elements(most->size), stores, works->least.size.rows,
        works->least.size.cols, (double)works->least.grid / size_elements(works->least.size));
    failure_find(&wrong, FINDING_TOO_MUCH_WORK, 0);
    return source_fail_at_size(size, &wrong, failure);
}

/* Many times more threads than elements: right, and mostly idle. Said before it takes long. */
static void tell_idle_threads(const struct attempt *attempt)
{
    enum { MANY = 8 };
    FILE *output = attempt->source->options->report.output;
    const struct dimensions *grid = &attempt->launch.grid, *block = &attempt->launch.block;
    uint64_t threads = (uint64_t)grid->x * grid->y * grid->z * block->x * block->y * block->z,
             elements = attempt->size.rows * attempt->size.cols;
    if (!output || threads < MANY * elements)
        return;
    fprintf(output,
            "%s: %" PRIu64 " threads for each element at %" PRIu64 " x %" PRIu64
            ", in a grid of %u x %u blocks of %u x %u threads: is the grid counted in elements, "
            "not in tiles?\n",
            attempt->source->path, threads / elements, attempt->size.rows, attempt->size.cols,
            grid->x, grid->y, block->x, block->y);
    fflush(output);
}

/* ---- The run ---- */

/* Warp instructions of a block at a small size: a thousand times what kernels of the course need,
 * so that an endless loop ends soon. */
static uint64_t small_budget(const struct source *source, struct source_size size)
{
    enum { LEAST = 2 << 20, EACH = 500 };
    return source->options->emulation.budget ? 0 : LEAST + EACH * size.rows * size.cols;
}

/* What fails where tiles hang over the edges, and nowhere else. */
static void tell_right_before(struct source_size before, struct source_size size,
                              struct failure *failure)
{
    enum { WHOLE = 32 };
    struct report report = {.lines = 0};
    if (before.cols % WHOLE ||
        ((size.rows % WHOLE == 0 || size.rows == 1) && size.cols % WHOLE == 0))
        return;
    report_add(&report, FINDING_EDGES_ONLY,
               "At %" PRIu64 " x %" PRIu64 ", where nothing hangs over an edge, it was right",
               before.rows, before.cols);
    report_append(&report, failure);
}

/* All small sizes, and whether `size` can be expected to end. */
static bool check_sizes(const struct source *source, struct source_asker *asker,
                        struct source_size size, struct failure *failure)
{
    struct source_size sizes[SOURCE_SMALL_SIZES_MAX];
    struct works works = {0};
    unsigned count = source_small_sizes(source, sizes);
    for (unsigned i = 0; i < count; i++) {
        struct attempt attempt = {.variation = {.block_budget = small_budget(source, sizes[i])}};
        bool good = attempt_run(&attempt, asker, false, source, sizes[i], failure);
        if (!good && i)
            tell_right_before(sizes[0], sizes[i], failure);
        if (good && source->options->watch.small)
            source->options->watch.small(source->options->watch.context, &attempt.launch,
                                         &attempt.result, sizes[i].rows, sizes[i].cols);
        if (good)
            works_add(&works, &attempt);
        if (good && !i)
            tell_idle_threads(&attempt);
        attempt_free(&attempt);
        if (good && !i && works_look_large(&works))
            works_probe(&works, source, asker);
        if (!good || !check_work(source, &works, size, failure))
            return false;
    }
    return true;
}

static bool check_small_sizes(const struct source *source, struct source_asker *asker,
                              struct source_size size, struct failure *failure)
{
    const struct source few = source_of_few(source);
    asker->source = &few;
    bool good = check_sizes(&few, asker, size, failure);
    asker->source = source;
    return good;
}

static void record_attempt(const struct attempt *attempt, bool good, struct record *record)
{
    const struct run_options *options = attempt->source->options;
    const struct device *device = attempt->asker->device;
    uint64_t bytes = form_compulsory_bytes(&attempt->source->exercise.form, attempt->size.rows,
                                           attempt->size.cols);
    if (attempt->launch.program)
        record_emulated_shape(record, &attempt->launch, &attempt->result);
    if (!good)
        return;
    record_emulated_counters(record, &attempt->launch, &attempt->result,
                             options->build.loop_in_kernel ? options->build.repeats : 1);
    record_emulated_bandwidth(record, device, (double)bytes / 2, !options->build.loop_in_kernel);
}

/* Verify and count at one size. */
static bool count(const struct source *source, struct source_asker *asker, struct source_size size,
                  struct record *record, struct failure *failure)
{
    struct attempt attempt = {.source = source};
    bool good = attempt_run(&attempt, asker, true, source, size, failure);
    record_attempt(&attempt, good, record);
    if (good && source->options->watch.inspect)
        source->options->watch.inspect(source->options->watch.context, &attempt.launch,
                                       &attempt.result);
    attempt_free(&attempt);
    return good;
}

/* Does a launch of a kernel that is so wrong end? */
static bool is_worth_watching(const struct failure *wrong)
{
    switch (wrong->status) {
    case STATUS_WRONG_RESULT:
    case STATUS_OUT_OF_BOUNDS:
    case STATUS_MISALIGNED:
    case STATUS_RACE:
    case STATUS_UNINITIALISED:
        return wrong->kind == FAILURE_STUDENT;
    default:
        return false;
    }
}

/* Show a wrong kernel to who wants to see it: one more launch, without what it may not access. */
static void watch_wrong(const struct source *source, struct source_asker *asker,
                        struct source_size size, struct record *record, const struct failure *wrong)
{
    const struct run_options *options = source->options;
    struct failure failure = {0};
    struct attempt attempt = {.source = source,
                              .asker = asker,
                              .size = size,
                              .variation = {.is_silent = true, .is_lenient = true}};
    options->watch.wrong(options->watch.context, wrong);
    if (attempt_launch(&attempt, true, &failure)) {
        record_attempt(&attempt, true, record);
        if (options->watch.inspect)
            options->watch.inspect(options->watch.context, &attempt.launch, &attempt.result);
    }
    attempt_free(&attempt);
}

bool run_emulated(const struct source *source, const struct device *device, struct source_size size,
                  struct record *record, struct failure *failure)
{
    struct source_asker asker;
    bool good = source_asker_open(&asker, source, device, failure) &&
                check_small_sizes(source, &asker, size, failure) &&
                count(source, &asker, size, record, failure);
    if (!good && source->options->watch.wrong && is_worth_watching(failure))
        watch_wrong(source, &asker, size, record, failure);
    source_asker_close(&asker);
    return good;
}

bool run_emulated_count(const struct source *source, const struct device *device,
                        struct source_size size, struct record *record, struct failure *failure)
{
    struct source_asker asker;
    bool good = source_asker_open(&asker, source, device, failure) &&
                count(source, &asker, size, record, failure);
    source_asker_close(&asker);
    return good;
}

bool run_emulated_once(const struct source *source, const struct device *device,
                       struct source_size size, struct failure *failure)
{
    struct source_asker asker;
    struct attempt attempt = {.source = source, .asker = &asker};
    bool good = source_asker_open(&asker, source, device, failure) &&
                attempt_run(&attempt, &asker, false, source, size, failure);
    if (good && source->options->watch.once)
        source->options->watch.once(source->options->watch.context, &attempt.launch,
                                    &attempt.result);
    attempt_free(&attempt);
    source_asker_close(&asker);
    return good;
}

/* ---- The way of the elements ---- */

static struct problem attempt_problem(const struct attempt *attempt)
{
    const struct source *source = attempt->source;
    return (struct problem){.rows = attempt->size.rows,
                            .cols = attempt->size.cols,
                            .reference = source->exercise.reference,
                            .tile = source->tile,
                            .seed = source->options->size.seed};
}

/* An element of the input, by its value. Where the result is made of elements, and is none of them,
 * everything is taken for data. */
static bool is_element(const void *context, uint32_t word)
{
    const struct attempt *attempt = context;
    const struct problem problem = attempt_problem(attempt);
    uint32_t index;
    return attempt->source->exercise.function >= 0 ||
           matrix_index(problem.seed, word, problem.rows * problem.cols, &index);
}

/* Bits that change. A computed result does not tell one mark from another, so that each way
 * takes a launch of its own, and only what another thread stored is marked; the mark has so many
 * bits that sums of them do not come to nothing. */
enum {
    MARK_ITSELF = 1,
    MARK_ANOTHER = 2,
    MARK_SHUFFLE = 4,
    MARKS = 8,
    MARK_COMPUTED = 0x3fffff, /* most of a float's mantissa */
    STAYED_MOST = 16          /* one result in that many may be the same by chance */
};

static void count_map_ways(const struct attempt *attempt, struct source_ways *ways)
{
    const struct problem problem = attempt_problem(attempt);
    const uint32_t *output = attempt->buffers[0].words, *input = attempt->buffers[1].words;
    uint64_t rows, cols;
    problem_output_shape(&problem, &rows, &cols);
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t col = 0; col < cols; col++) {
            uint32_t mark = output[row * cols + col] ^ input[problem_source(&problem, row, col)];
            ways->through_shared += mark < MARKS && mark & (MARK_ITSELF | MARK_ANOTHER);
            ways->between_threads += mark < MARKS && mark & MARK_ANOTHER;
            ways->through_shuffles += mark < MARKS && mark & MARK_SHUFFLE;
        }
}

static bool follow_map(struct attempt *attempt, struct source_ways *ways, struct failure *failure)
{
    const struct shared_taint taint = {is_element, attempt, MARK_SHUFFLE, MARK_ITSELF,
                                       MARK_ANOTHER};
    attempt->taint = &taint;
    ways->elements = attempt->size.rows * attempt->size.cols;
    if (!attempt_launch(attempt, false, failure))
        return false;
    count_map_ways(attempt, ways);
    return true;
}

/* Results that are other ones with that mark; all of them where the kernel fails for what it
 * finds. */
static bool count_altered(struct attempt *attempt, const struct shared_taint *taint,
                          uint64_t results, uint64_t *altered, struct failure *failure)
{
    struct failure fault = {0};
    attempt->taint = taint;
    const bool ended = attempt_launch(attempt, false, &fault);
    const uint64_t wrong = ended ? attempt_count_wrong(attempt) : results;
    *altered = wrong >= results - results / STAYED_MOST ? results : wrong;
    attempt_free(attempt);
    if (fault.kind == FAILURE_HARNESS)
        *failure = fault;
    return fault.kind != FAILURE_HARNESS;
}

static bool follow_computed(const struct attempt *attempt, struct source_ways *ways,
                            struct failure *failure)
{
    struct attempt one = *attempt, other = *attempt;
    const struct shared_taint of_shared = {is_element, &one, .by_another = MARK_COMPUTED};
    const struct shared_taint of_shuffles = {is_element, &other, .by_shuffle = MARK_COMPUTED};
    ways->elements = form_bytes(&attempt->source->exercise.form, FORM_OUTPUT, attempt->size.rows,
                                attempt->size.cols) /
                     sizeof(uint32_t);
    bool good =
        count_altered(&one, &of_shared, ways->elements, &ways->through_shared, failure) &&
        count_altered(&other, &of_shuffles, ways->elements, &ways->through_shuffles, failure);
    ways->between_threads = ways->through_shared;
    return good;
}

bool run_emulated_ways(const struct source *source, const struct device *device,
                       struct source_size size, struct source_ways *ways, struct failure *failure)
{
    struct source_asker asker;
    struct attempt attempt = {.source = source, .asker = &asker, .size = size};
    *ways = (struct source_ways){0};
    bool good = source_asker_open(&asker, source, device, failure) &&
                (source->exercise.function < 0 ? follow_map(&attempt, ways, failure)
                                               : follow_computed(&attempt, ways, failure));
    attempt_free(&attempt);
    source_asker_close(&asker);
    return good;
}
