/* run_emulated.c: see run_emulated.h. */
#include "run/run_emulated.h"

#include "base/parallel.h"
#include "base/paths.h"
#include "course/arrays.h"
#include "course/verify.h"
#include "emulator/emulator.h"
#include "run/record_emulated.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MATRIX_ALIGN = 2 << 20 }; /* guest addresses of the matrices; holds all guard bands */

/* One matrix on the host. */
struct buffer {
    uint32_t *words;
    size_t bytes;
};

/* One launch: its memory, program and results. */
struct attempt {
    const struct source *source;
    struct source_asker *asker;
    struct source_size size;
    const struct shared_spoil *spoil;           /* NULL: an ordinary launch */
    struct buffer buffers[FORM_PARAMETERS_MAX]; /* by parameter; scalars have none */
    struct guest_memory memory;
    struct program program;
    struct emulator_launch launch;
    struct emulator_result result;
};

/* ---- Memory ---- */

static bool buffer_create(struct buffer *buffer, uint64_t elements, struct failure *failure)
{
    buffer->bytes = elements * sizeof(uint32_t);
    void *bytes =
        mmap(NULL, buffer->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        buffer->bytes = 0;
        return failure_harness(failure, "not enough memory for a matrix of %" PRIu64 " MB",
                               (elements * 4) >> 20);
    }
#ifdef MADV_HUGEPAGE
    madvise(bytes, buffer->bytes, MADV_HUGEPAGE);
#endif
    buffer->words = bytes;
    return true;
}

static void buffer_free(struct buffer *buffer)
{
    if (buffer->bytes)
        munmap(buffer->words, buffer->bytes);
    *buffer = (struct buffer){0};
}

static struct arrays attempt_arrays(const struct attempt *attempt)
{
    struct arrays arrays = {.form = &attempt->source->exercise.form,
                            .function = attempt->source->exercise.function,
                            .rows = attempt->size.rows,
                            .cols = attempt->size.cols,
                            .seed = attempt->source->options->size.seed};
    for (unsigned i = 0; i < arrays.form->count; i++)
        arrays.words[i] = attempt->buffers[i].words;
    return arrays;
}

/* Fill all arrays, each worker a part. */
static void fill_part(void *context, unsigned index, unsigned count)
{
    const struct arrays *arrays = context;
    for (unsigned i = 0; i < arrays->form->count; i++)
        if (arrays->words[i]) {
            uint64_t elements = form_elements(arrays->form, &arrays->form->parameters[i],
                                              arrays->rows, arrays->cols);
            arrays_fill(arrays, i, elements * index / count, elements * (index + 1) / count);
        }
}

/* Leave a gap of at least one guard band before the next region: what lies there is out of bounds.
 */
static bool map_array(struct guest_memory *memory, struct buffer *buffer, const struct form *form,
                      const struct form_parameter *array, struct source_size size,
                      uint64_t *address)
{
    memory->next += GUEST_GUARD_BYTES;
    struct memory_region *region = memory_map(memory, (unsigned char *)buffer->words, buffer->bytes,
                                              MATRIX_ALIGN, array->name);
    if (!region)
        return false;
    region->element_bytes = 4;
    region->row_elements =
        array->rows == FORM_ONE ? 0 : form_extent(form, array->cols, size.rows, size.cols);
    region->starts_undefined = array->role == FORM_OUTPUT && !array->zeroed;
    *address = region->base;
    memory->next += GUEST_GUARD_BYTES;
    return true;
}

/* Make, fill and map the arrays, and write the arguments. */
static bool attempt_bind(struct attempt *attempt, unsigned char parameters[SOURCE_PARAMETER_BYTES],
                         struct failure *failure)
{
    const struct run_options *options = attempt->source->options;
    const struct form *form = &attempt->source->exercise.form;
    struct source_size size = attempt->size;
    for (unsigned i = 0; i < form->count; i++)
        if (form->parameters[i].role != FORM_SCALAR &&
            !buffer_create(&attempt->buffers[i],
                           form_elements(form, &form->parameters[i], size.rows, size.cols),
                           failure))
            return false;
    struct arrays arrays = attempt_arrays(attempt);
    parallel_run((unsigned)options->workers, fill_part, &arrays);
    uint64_t values[FORM_PARAMETERS_MAX];
    for (unsigned i = 0; i < form->count; i++) {
        const struct form_parameter *p = &form->parameters[i];
        values[i] = form_extent(form, p->cols, size.rows, size.cols);
        if (p->role != FORM_SCALAR &&
            !map_array(&attempt->memory, &attempt->buffers[i], form, p, size, &values[i]))
            return failure_harness(failure, "not enough memory");
    }
    source_lay_parameters(attempt->source, values, parameters);
    return true;
}

/* ---- One launch
 * ---------------------------------------------------------------------------------- */

static void attempt_free(struct attempt *attempt)
{
    free(attempt->result.stats);
    program_free(&attempt->program);
    memory_free(&attempt->memory);
    for (unsigned i = 0; i < FORM_PARAMETERS_MAX; i++)
        buffer_free(&attempt->buffers[i]);
}

static void emulator_progress(void *context, double share)
{
    const struct attempt *attempt = context;
    const struct run_options *options = attempt->source->options;
    if (options->report.progress)
        options->report.progress(options->report.context, path_basename(attempt->source->path),
                                 share);
}

/* Set up memory and program, ask for the launch shape, launch. */
static bool attempt_launch(struct attempt *attempt, bool model, struct failure *failure)
{
    const struct source *source = attempt->source;
    const struct run_options *options = source->options;
    unsigned char parameters[SOURCE_PARAMETER_BYTES];
    struct source_shape shape;
    memory_init(&attempt->memory);
    if (!source_ask(attempt->asker, attempt->size, &shape, failure) ||
        !attempt_bind(attempt, parameters, failure) ||
        !program_create(&source->module, &attempt->memory, &attempt->program, failure))
        return false;
    attempt->program.shapes = &source->shapes;
    attempt->launch = (struct emulator_launch){
        .program = &attempt->program,
        .function = program_find_entry(&attempt->program, source_kernel(source)),
        .grid = shape.grid,
        .block = shape.block,
        .dynamic_shared = shape.dynamic_shared,
        .params = parameters,
        .memory = &attempt->memory,
        .device = attempt->asker->device,
        .workers = (unsigned)options->workers,
        .model_memory = model,
        .grid_budget = options->emulation.budget,
        .unchecked = options->emulation.unchecked || attempt->spoil,
        .spoil = attempt->spoil,
        .mend = options->emulation.mend,
        .is_anonymous = options->emulation.is_anonymous,
        .output = options->report.output,
        .progress = model ? emulator_progress : NULL,
        .progress_context = attempt,
        .observer = model ? options->watch.observer : NULL,
        .history = model ? options->watch.history : NULL,
    };
    bool good = emulator_run(&attempt->launch, &attempt->result, failure);
    attempt->launch.params = NULL;
    return good;
}

/* A map of the matrix: bit for bit, with the mistakes that move elements elsewhere. */
static bool verify_map(const struct attempt *attempt, struct failure *failure)
{
    const struct source *source = attempt->source;
    const struct form_parameter *parameters = source->exercise.form.parameters;
    struct verify_input input = {
        .problem = {.rows = attempt->size.rows,
                    .cols = attempt->size.cols,
                    .reference = source->exercise.reference,
                    .tile = source->tile,
                    .seed = source->options->size.seed},
        .output = attempt->buffers[0].words,
        .input = attempt->buffers[1].words,
        .block_x = attempt->launch.block.x,
        .block_y = attempt->launch.block.y,
        .grid_x = attempt->launch.grid.x,
        .grid_y = attempt->launch.grid.y,
        .threads = (unsigned)source->options->workers,
        .output_name = parameters[0].name,
        .input_name = parameters[1].name,
    };
    return verify_output(&input, failure);
}

static bool attempt_verify(const struct attempt *attempt, struct failure *failure)
{
    const struct source *source = attempt->source;
    const struct arrays arrays = attempt_arrays(attempt);
    const struct failure *race = &attempt->result.later_race;
    struct failure wrong = {0};
    bool right = arrays.function < 0 ? verify_map(attempt, &wrong) : arrays_verify(&arrays, &wrong);
    if (right)
        return race->kind == FAILURE_NONE ||
               failure_student(failure, race->status, "%s", race->text);
    return source_fail_verification(source, &wrong, arrays_untouched(&arrays), failure);
}

/* Launch and verify; a student's failure says at which size. */
static bool attempt_run(struct attempt *attempt, struct source_asker *asker, bool model,
                        const struct source *source, struct source_size size,
                        struct failure *failure)
{
    struct failure local = {0};
    *attempt = (struct attempt){.source = source, .asker = asker, .size = size};
    if (attempt_launch(attempt, model, &local) && attempt_verify(attempt, &local))
        return true;
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
    else if (good && !attempt_verify(&attempt, &wrong))
        ways->through_shared = ways->between_threads = ways->elements;
    attempt_free(&attempt);
    source_asker_close(&asker);
    return good;
}
