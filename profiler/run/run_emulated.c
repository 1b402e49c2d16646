/* run_emulated.c: see run_emulated.h. */
#include "run/run_emulated.h"

#include "course/arrays.h"
#include "run/attempt.h"
#include "run/record_emulated.h"

/* Launch and verify; a student's failure says at which size. */
static bool attempt_run(struct attempt *attempt, struct source_asker *asker, bool model,
                        const struct source *source, struct source_size size,
                        struct failure *failure)
{
    struct failure local = {0};
    *attempt = (struct attempt){.source = source, .asker = asker, .size = size};
    if (attempt_launch(attempt, model, &local) && attempt_verify(attempt, NULL, &local))
        return true;
    attempt_look_again(attempt, &local);
    source_fail_at_size(size, &local, failure);
    return source_tell_order(source, failure);
}

/* ---- The run ---- */

static bool check_small_sizes(const struct source *source, struct source_asker *asker,
                              struct failure *failure)
{
    struct source_size sizes[SOURCE_SMALL_SIZES_MAX];
    unsigned count = source_small_sizes(source, sizes);
    for (unsigned i = 0; i < count; i++) {
        struct attempt attempt;
        bool good = attempt_run(&attempt, asker, false, source, sizes[i], failure);
        if (good && source->options->watch.small)
            source->options->watch.small(source->options->watch.context, &attempt.launch,
                                         &attempt.result, sizes[i].rows, sizes[i].cols);
        if (good && source->options->watch.small)
            source->options->watch.small(source->options->watch.context, &attempt.launch,
                                         &attempt.result, sizes[i].rows, sizes[i].cols);
        attempt_free(&attempt);
        if (!good)
            return false;
    }
    return true;
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
    struct attempt attempt;
    bool good = attempt_run(&attempt, asker, true, source, size, failure);
    record_attempt(&attempt, good, record);
    if (good && source->options->watch.inspect)
        source->options->watch.inspect(source->options->watch.context, &attempt.launch,
                                       &attempt.result);
    attempt_free(&attempt);
    return good;
}

bool run_emulated(const struct source *source, const struct device *device, struct source_size size,
                  struct record *record, struct failure *failure)
{
    struct source_asker asker;
    bool good = source_asker_open(&asker, source, device, failure) &&
                check_small_sizes(source, &asker, failure) &&
                count(source, &asker, size, record, failure);
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

static void count_map_ways(const struct attempt *attempt, struct source_ways *ways)
{
    const struct problem problem = attempt_problem(attempt);
    const uint32_t *output = attempt->buffers[0].words, *input = attempt->buffers[1].words;
    uint64_t rows, cols;
    problem_output_shape(&problem, &rows, &cols);
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t col = 0; col < cols; col++) {
            uint32_t mark = output[row * cols + col] ^ input[problem_source(&problem, row, col)];
            ways->through_shared += mark == SPOIL_BY_ITSELF || mark == SPOIL_BY_ANOTHER;
            ways->between_threads += mark == SPOIL_BY_ANOTHER;
        }
}

bool run_emulated_ways(const struct source *source, const struct device *device,
                       struct source_size size, struct source_ways *ways, struct failure *failure)
{
    struct source_asker asker;
    struct attempt attempt = {.source = source, .asker = &asker, .size = size};
    const struct shared_spoil spoil = {is_element, &attempt};
    struct failure wrong = {0};
    attempt.spoil = &spoil;
    *ways = (struct source_ways){.elements = size.rows * size.cols};
    bool good = source_asker_open(&asker, source, device, failure) &&
                attempt_launch(&attempt, false, failure);
    if (good && source->exercise.function < 0)
        count_map_ways(&attempt, ways);
    else if (good && !attempt_verify(&attempt, NULL, &wrong))
        ways->through_shared = ways->between_threads = ways->elements;
    attempt_free(&attempt);
    source_asker_close(&asker);
    return good;
}
