#include "run/run_emulated.h"

#include "record/record_emulated.h"
#include "run/attempt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool attempt_run(struct attempt *attempt, struct source_asker *asker, bool model,
                        const struct source *source, struct source_size size,
                        struct failure *failure)
{
    struct failure local = {0};
    *attempt = (struct attempt){
        .source = source, .asker = asker, .size = size, .variation = attempt->variation};
    if (attempt_launch(attempt, model, &local) && attempt_verify(attempt, NULL, &local))
        return true;
    attempt_show_output(attempt);
    attempt_diagnose(attempt, &local);
    source_fail_at_size(size, &local, failure);
    source_report_order(source, failure);
    return false;
}

/* The work of a launch. Two launches predict the work of a larger launch. */
struct work {
    struct source_size size;
    uint64_t block, grid; /* Warp instructions of the busiest block, and of all blocks together. */
    uint64_t stored;
};

struct works {
    /* The smallest and the largest launch with at least WORK_LEAST elements. */
    struct work least, most;
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

static void works_probe(struct works *works, const struct source *source,
                        struct source_asker *asker)
{
    struct failure failure = {0};
    struct attempt attempt = {.source = source,
                              .asker = asker,
                              .size = source_size_of(source, (struct source_size){32, 32}),
                              .variation = {.is_silent = true, .trial.is_lenient = true}};
    if (attempt_launch(&attempt, false, &failure))
        works_add(works, &attempt);
    attempt_free(&attempt);
}

/* Extrapolate a count to `elements` by a power law through two counts. Returns 0 if a count is 0,
 * the two sizes are too close, or `elements` is not larger than both. */
static double extrapolate(const struct works *works, uint64_t least, uint64_t most, double elements)
{
    double from = size_elements(works->least.size), to = size_elements(works->most.size);
    if (!least || !most || to < 2 * from || elements <= to)
        return 0;
    double power = log((double)most / (double)least) / log(to / from);
    return (double)most * pow(elements / to, power);
}

/* Fail if the predicted work is more than twice the emulator's limits. Also fail if a long launch
 * would store each element of a map more than `many_times` times. */
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
        snprintf(stores, sizeof stores, " and stored each element %.0f times",
                 (double)most->stored / size_elements(most->size));
    failure_student(
        &wrong, STATUS_TIMEOUT,
        "not run because the kernel would take too long: about %.0f million warp "
        "instructions, %.0f million of these in one block\nAt %" PRIu64 " x %" PRIu64
        " the kernel executed %.0f warp instructions per element%s; at %" PRIu64 " x %" PRIu64
        " it executed %.0f.\nDoes every thread loop over a large part of the matrix? All threads "
        "together should process the matrix once.",
        grid / 1e6, block / 1e6, most->size.rows, most->size.cols,
        (double)most->grid / size_elements(most->size), stores, works->least.size.rows,
        works->least.size.cols, (double)works->least.grid / size_elements(works->least.size));
    failure_find(&wrong, FINDING_TOO_MUCH_WORK, 0);
    return source_fail_at_size(size, &wrong, failure);
}

static void warn_of_idle_threads(const struct attempt *attempt)
{
    FILE *output = attempt->source->options->report.output;
    const struct dimensions *grid = &attempt->launch.grid, *block = &attempt->launch.block;
    uint64_t threads = (uint64_t)grid->x * grid->y * grid->z * block->x * block->y * block->z,
             elements = attempt->size.rows * attempt->size.cols;
    if (!output || threads < SOURCE_WASTEFUL_THREADS * elements)
        return;
    fprintf(output,
            "%s: %" PRIu64 " threads per element at %" PRIu64 " x %" PRIu64
            " with a grid of %u x %u blocks of %u x %u threads. Does LAB_LAUNCH compute the grid "
            "in elements instead of tiles?\n",
            attempt->source->path, threads / elements, attempt->size.rows, attempt->size.cols,
            grid->x, grid->y, block->x, block->y);
    fflush(output);
}

static void report_edges_only(const struct source *source, struct source_size before,
                              struct source_size size, struct failure *failure)
{
    const uint64_t whole = source->tile > 32 ? source->tile : 32;
    struct report report = {.lines = 0};
    if (before.cols % whole ||
        ((size.rows % whole == 0 || size.rows == 1) && size.cols % whole == 0))
        return;
    report_add(&report, FINDING_EDGES_ONLY,
               "At %" PRIu64 " x %" PRIu64 ", where all tiles are complete, the result is correct",
               before.rows, before.cols);
    report_append(&report, failure);
}

static bool check_sizes(const struct source *source, struct source_asker *asker,
                        struct source_size size, struct failure *failure)
{
    /* The kernels of the course need 1/1000 of this limit, which stops endless loops early. */
    enum { BUDGET_LEAST = 2 << 20, BUDGET_EACH = 500 };
    /* With so many warp instructions per element, each further small size would take seconds. */
    const double many = 64;
    struct source_size sizes[SOURCE_SMALL_SIZES_MAX];
    struct works works = {0};
    unsigned count = source_small_sizes(source, sizes);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t limit = BUDGET_LEAST + BUDGET_EACH * sizes[i].rows * sizes[i].cols;
        struct attempt attempt = {
            .variation = {.block_budget = source->options->emulation.budget ? 0 : limit}};
        bool good = attempt_run(&attempt, asker, false, source, sizes[i], failure);
        if (!good && i)
            report_edges_only(source, sizes[0], sizes[i], failure);
        if (good && source->options->watch.small)
            source->options->watch.small(source->options->watch.context, &attempt.launch,
                                         &attempt.result, sizes[i].rows, sizes[i].cols);
        if (good)
            works_add(&works, &attempt);
        if (good && !i)
            warn_of_idle_threads(&attempt);
        attempt_free(&attempt);
        if (good && !i && (double)works.most.grid > many * size_elements(works.most.size))
            works_probe(&works, source, asker);
        if (!good || !check_work(source, &works, size, failure))
            return false;
    }
    return true;
}

static bool check_small_sizes(const struct source *source, struct source_asker *asker,
                              struct source_size size, struct failure *failure)
{
    struct source few = *source;
    few.exercise.form.matrices = source->few_matrices;
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

static bool ends_after(const struct failure *wrong)
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

static void watch_wrong(const struct source *source, struct source_asker *asker,
                        struct source_size size, struct record *record, const struct failure *wrong)
{
    const struct run_options *options = source->options;
    struct failure failure = {0};
    struct attempt attempt = {.source = source,
                              .asker = asker,
                              .size = size,
                              .variation = {.is_silent = true, .trial.is_lenient = true}};
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
    if (!good && source->options->watch.wrong && ends_after(failure))
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

bool run_emulated_once_asked(struct source_asker *asker, struct source_size size,
                             struct failure *failure)
{
    const struct source *source = asker->source;
    const struct run_options *options = source->options;
    struct attempt attempt = {.source = source, .asker = asker, .size = size};
    struct failure unused = {0};
    bool good = true, verified = false;
    if (options->emulation.samples && source->exercise.function < 0) {
        attempt.variation.sample = options->size.seed | 1;
        verified = attempt_launch(&attempt, false, &unused) && attempt_verify_sample(&attempt);
    }
    if (!verified) {
        attempt_free(&attempt);
        attempt.variation.sample = 0;
        good = attempt_run(&attempt, asker, false, source, size, failure);
    }
    if (good && options->watch.once)
        options->watch.once(options->watch.context, &attempt.launch, &attempt.result);
    attempt_free(&attempt);
    return good;
}

bool run_emulated_once(const struct source *source, const struct device *device,
                       struct source_size size, struct failure *failure)
{
    struct source_asker asker;
    bool good = source_asker_open(&asker, source, device, failure) &&
                run_emulated_once_asked(&asker, size, failure);
    source_asker_close(&asker);
    return good;
}

static bool is_element(const void *context, uint32_t word)
{
    const struct attempt *attempt = context;
    const struct problem problem = attempt_problem(attempt);
    uint32_t index;
    return matrix_index(problem.seed, word, problem.rows * problem.cols, &index);
}

static bool is_large(const void *context, uint32_t word)
{
    enum { SMALL_BITS = 20 };
    (void)context;
    return word >> SMALL_BITS;
}

/* Returns the bits to change in a word on a path. A kernel cannot compute them without the seed. */
static uint32_t mark_of(const struct attempt *attempt, uint32_t word, unsigned way)
{
    uint64_t bits = attempt->source->options->size.seed + UINT64_C(0x9e3779b97f4a7c15) * (way + 1);
    bits = (bits ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 29) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(bits >> 32) | 1;
}

static uint32_t alter_element(const void *context, uint32_t word, enum taint_way way,
                              unsigned weight)
{
    (void)weight;
    return word ^ mark_of(context, word, way);
}

/* Count the output elements that were altered on each path. `replayed` has another input, but its
 * threads receive this launch's words; its output must have the altered or the original element. */
static void count_map_ways(const struct attempt *attempt, const struct attempt *replayed,
                           struct measured_ways *ways)
{
    const struct problem problem = attempt_problem(attempt);
    const uint32_t *output = attempt->buffers[0].words, *input = attempt->buffers[1].words,
                   *other = replayed->buffers[0].words;
    uint64_t rows, cols, by[TAINT_WAYS] = {0};
    problem_output_shape(&problem, &rows, &cols);
    for (uint64_t at = 0; at < rows * cols; at++) {
        const uint32_t element = input[problem_source(&problem, at / cols, at % cols)],
                       mark = output[at] ^ element;
        const bool arrives = other[at] == output[at] || other[at] == element;
        for (unsigned way = 0; mark && arrives && way < TAINT_WAYS; way++)
            by[way] += mark == mark_of(attempt, element, way);
    }
    ways->through_shared = by[TAINT_ITSELF] + by[TAINT_ANOTHER] + by[TAINT_REGROUPED];
    ways->between_threads = by[TAINT_REGROUPED];
    ways->through_shuffles = by[TAINT_SHUFFLE];
}

static bool follow_map(struct attempt *attempt, struct measured_ways *ways, uint8_t *loads,
                       struct failure *failure)
{
    struct attempt replayed = *attempt;
    struct taint_log log = {.count = 0};
    const struct shared_taint taint = {.is_data = is_element,
                                       .loads = loads,
                                       .alter = alter_element,
                                       .context = attempt,
                                       .totals = &ways->totals,
                                       .log = &log};
    struct shared_taint replay = taint;
    replay.changes_input = true;
    replay.replays = REPLAY_ALL;
    attempt->taint = &taint;
    replayed.taint = &replay;
    ways->elements = attempt->size.rows * attempt->size.cols;
    bool good = attempt_launch(attempt, false, failure);
    if (good)
        count_map_ways(attempt, attempt, ways);
    /* If each thread receives only one altered word per element, altered words cannot cancel. */
    if (good && (log.plain || log.count > ways->elements) &&
        ways->through_shared + ways->through_shuffles) {
        good = attempt_launch(&replayed, false, failure);
        if (good)
            count_map_ways(attempt, &replayed, ways);
        attempt_free(&replayed);
    }
    free(log.words);
    return good;
}

/* Most bits of a mantissa are altered, so that altered terms do not cancel in a sum. */
enum { MARK_COMPUTED = 0x3fffff };

struct following {
    const struct attempt *attempt;
    uint8_t *loads;
    bool learns; /* True if no data are altered. */
    struct taint_log *log;
    enum taint_replay replays;
    /* True to alter data from other lanes; false to alter data that other threads stored. */
    bool shuffles;
    /* True to increase each altered word by its weight. The error of a sum then counts these
     * words. */
    bool adds;
};

static uint32_t alter_computed(const void *context, uint32_t word, enum taint_way way,
                               unsigned weight)
{
    const struct following *following = context;
    if (way == TAINT_ITSELF || following->shuffles != (way == TAINT_SHUFFLE))
        return word;
    return following->adds ? word + weight
                           : word ^ ((mark_of(following->attempt, word, way) & MARK_COMPUTED) | 1);
}

/* Launch the kernel with altered data. *altered receives the number of results that change or, in a
 * sum, of altered words; 1 if nothing is altered; 0 if the launch fails. */
static bool count_altered(struct attempt attempt, struct following following, bool only_loaded,
                          uint64_t results, struct taint_totals *totals, uint64_t *altered,
                          struct failure *failure)
{
    enum { UNCHANGED_SHARE = 16, TIMES_MOST = 64 };
    struct failure fault = {0};
    following.attempt = &attempt;
    *totals = (struct taint_totals){0};
    if (!only_loaded)
        memset(following.loads, 0, TAINT_LOAD_BYTES);
    const struct shared_taint taint = {.is_data = is_large,
                                       .only_loaded = only_loaded,
                                       .learns = following.learns,
                                       .loads = following.loads,
                                       .alter = alter_computed,
                                       .changes_input = following.learns && following.log,
                                       .context = &following,
                                       .totals = totals,
                                       .log = following.log,
                                       .replays = following.replays};
    attempt.taint = &taint;
    const bool ended = attempt_launch(&attempt, false, &fault);
    const struct arrays arrays = attempt_arrays(&attempt);
    *altered = !ended             ? 0
               : following.learns ? 1
               : following.adds   ? arrays_excess(&arrays)
                                  : arrays_count_wrong(&arrays);
    if (following.adds && !following.replays && *altered > TIMES_MOST * totals->threads)
        *altered = 0;
    /* Some results may be equal by chance although their data were altered. */
    if (!following.adds && *altered >= results - results / UNCHANGED_SHARE)
        *altered = results;
    attempt_free(&attempt);
    if (fault.kind == FAILURE_HARNESS)
        *failure = fault;
    return fault.kind != FAILURE_HARNESS;
}

/* Reduce the count of each path to the results that depend on the words of this path. The kernel
 * runs with changed words of the input. Then it runs with the original input, but threads receive
 * the words of the first run on one path, or on both paths. In a sum of the input, at least half of
 * the changes must arrive. In other sums, any change is sufficient. */
static bool replay_computed(const struct attempt *attempt, struct following following,
                            bool only_loaded, uint64_t results, uint64_t inputs,
                            struct measured_ways *ways, struct failure *failure)
{
    struct taint_log log = {.count = 0};
    struct taint_totals totals;
    const bool is_sum = attempt->source->exercise.function == function_find("sum");
    uint64_t *counts[] = {&ways->through_shared, &ways->through_shuffles}, ended = 0, arrived;
    following.log = &log;
    following.learns = true;
    bool good = !(*counts[0] + *counts[1]) ||
                count_altered(*attempt, following, true, results, &totals, &ended, failure);
    following.learns = false;
    for (unsigned k = REPLAY_SHARED; good && ended && k <= REPLAY_FOREIGN; k++) {
        following.replays = k;
        log.next = 0;
        good = count_altered(*attempt, following, only_loaded, results, &totals, &arrived, failure);
        if (following.adds && is_sum)
            arrived = 2 * arrived < inputs || arrived > inputs + inputs / 8 ? 0 : UINT64_MAX;
        else if (following.adds)
            arrived = arrived ? UINT64_MAX : 0;
        for (unsigned path = 0; path < 2; path++)
            if ((k == REPLAY_FOREIGN || k == REPLAY_SHARED + path) && *counts[path] > arrived)
                *counts[path] = arrived;
    }
    free(log.words);
    return good;
}

static bool follow_computed(struct attempt *attempt, struct measured_ways *ways, uint8_t *loads,
                            struct failure *failure)
{
    enum { FEW = 8 };
    const struct form *form = &attempt->source->exercise.form;
    const uint64_t rows = attempt->size.rows, cols = attempt->size.cols,
                   results = form_bytes(form, FORM_OUTPUT, rows, cols) / sizeof(uint32_t),
                   inputs = form_bytes(form, FORM_INPUT, rows, cols) / sizeof(uint32_t);
    /* A reduction passes partial results between threads; other kernels pass loaded elements. */
    const bool reduces = results * FEW <= inputs,
               adds = results == 1 && form->parameters[0].type == FORM_UNSIGNED;
    const struct following learning = {.loads = loads, .learns = true},
                           shared = {.loads = loads, .adds = adds},
                           shuffles = {.loads = loads, .shuffles = true, .adds = adds};
    /* Words that the receiving thread also loads itself, even later, are not counted as passed. */
    const bool good = (reduces || count_altered(*attempt, learning, true, results, &ways->totals,
                                                &ways->through_shared, failure)) &&
                      count_altered(*attempt, shared, !reduces, results, &ways->totals,
                                    &ways->through_shared, failure) &&
                      count_altered(*attempt, shuffles, !reduces, results, &ways->totals,
                                    &ways->through_shuffles, failure) &&
                      replay_computed(attempt, shared, !reduces, results, inputs, ways, failure);
    ways->between_threads = ways->through_shared;
    ways->is_sum = adds;
    ways->elements = adds ? ways->totals.threads : results;
    return good;
}

bool run_emulated_ways(const struct source *source, const struct device *device,
                       struct source_size size, struct measured_ways *ways, struct failure *failure)
{
    struct source_asker asker = {0};
    struct attempt attempt = {.source = source, .asker = &asker, .size = size};
    uint8_t *loads = calloc(1, TAINT_LOAD_BYTES);
    *ways = (struct measured_ways){0};
    bool good = (loads || failure_harness(failure, "not enough memory")) &&
                source_asker_open(&asker, source, device, failure) &&
                (source->exercise.function < 0 ? follow_map : follow_computed)(&attempt, ways,
                                                                               loads, failure);
    free(loads);
    attempt_free(&attempt);
    source_asker_close(&asker);
    return good;
}
