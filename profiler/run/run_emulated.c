/* run_emulated.c: see run_emulated.h. */
#include "run/run_emulated.h"

#include "base/parallel.h"
#include "base/paths.h"
#include "course/matrix.h"
#include "course/verify.h"
#include "emulator/emulator.h"
#include "run/record_emulated.h"

#include <inttypes.h>
#include <stdlib.h>
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
    struct buffer input, output;
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

static struct problem attempt_problem(const struct attempt *attempt)
{
    return (struct problem){.rows = attempt->size.rows,
                            .cols = attempt->size.cols,
                            .reference = attempt->source->exercise.reference,
                            .tile = attempt->source->tile,
                            .seed = attempt->source->options->size.seed};
}

/* Fill the input with its values and the output with poison, each worker a part. */
static void fill_part(void *context, unsigned index, unsigned count)
{
    struct attempt *attempt = context;
    uint64_t elements = attempt->size.rows * attempt->size.cols;
    uint64_t first = elements * index / count, end = elements * (index + 1) / count;
    matrix_fill(attempt->source->options->size.seed, first, attempt->input.words + first,
                (size_t)(end - first));
    for (uint64_t i = first; i < end; i++)
        attempt->output.words[i] = MATRIX_POISON;
}

/* Leave a gap of at least one guard band before the next region: what lies there is out of bounds.
 */
static bool map_matrix(struct guest_memory *memory, struct buffer *buffer, const char *name,
                       bool is_output, uint64_t row_elements, uint64_t *address)
{
    memory->next += GUEST_GUARD_BYTES;
    struct memory_region *region =
        memory_map(memory, (unsigned char *)buffer->words, buffer->bytes, MATRIX_ALIGN, name);
    if (!region)
        return false;
    region->element_bytes = 4;
    region->row_elements = row_elements;
    region->starts_undefined = is_output;
    *address = region->base;
    memory->next += GUEST_GUARD_BYTES;
    return true;
}

/* ---- One launch
 * ---------------------------------------------------------------------------------- */

static void attempt_free(struct attempt *attempt)
{
    free(attempt->result.stats);
    program_free(&attempt->program);
    memory_free(&attempt->memory);
    buffer_free(&attempt->input);
    buffer_free(&attempt->output);
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
    struct source_size size = attempt->size;
    struct problem problem = attempt_problem(attempt);
    struct source_shape shape;
    uint64_t out_rows, out_cols;
    problem_output_shape(&problem, &out_rows, &out_cols);
    struct source_arguments arguments = {.width = (int32_t)size.cols,
                                         .height = (int32_t)size.rows,
                                         .repeats = (int32_t)options->build.repeats};
    memory_init(&attempt->memory);
    if (!source_ask(attempt->asker, size, &shape, failure) ||
        !buffer_create(&attempt->input, size.rows * size.cols, failure) ||
        !buffer_create(&attempt->output, size.rows * size.cols, failure))
        return false;
    parallel_run((unsigned)options->workers, fill_part, attempt);
    if (!map_matrix(&attempt->memory, &attempt->output, "odata", true, out_cols,
                    &arguments.output) ||
        !map_matrix(&attempt->memory, &attempt->input, "idata", false, size.cols, &arguments.input))
        return failure_harness(failure, "not enough memory");
    if (!program_create(&source->module, &attempt->memory, &attempt->program, failure))
        return false;
    unsigned char parameters[SOURCE_PARAMETER_BYTES];
    source_lay_parameters(source, &arguments, parameters);
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
        .unchecked = options->emulation.unchecked,
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

static bool never_written(const struct attempt *attempt)
{
    for (uint64_t i = 0; i < attempt->size.rows * attempt->size.cols; i++)
        if (attempt->output.words[i] != MATRIX_POISON)
            return false;
    return true;
}

static bool attempt_verify(const struct attempt *attempt, struct failure *failure)
{
    const struct source *source = attempt->source;
    struct verify_input input = {
        .problem = attempt_problem(attempt),
        .input = attempt->input.words,
        .output = attempt->output.words,
        .block_x = attempt->launch.block.x,
        .block_y = attempt->launch.block.y,
        .grid_x = attempt->launch.grid.x,
        .grid_y = attempt->launch.grid.y,
        .threads = (unsigned)source->options->workers,
        .output_name = "odata",
        .input_name = "idata",
    };
    struct failure wrong = {0};
    const struct failure *race = &attempt->result.later_race;
    if (verify_output(&input, &wrong))
        return race->kind == FAILURE_NONE ||
               failure_student(failure, race->status, "%s", race->text);
    return source_fail_verification(source, &wrong, never_written(attempt), failure);
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
    double matrix_bytes = 4.0 * (double)attempt->size.rows * (double)attempt->size.cols;
    if (attempt->launch.program)
        record_emulated_shape(record, &attempt->launch, &attempt->result);
    if (!good)
        return;
    record_emulated_counters(record, &attempt->launch, &attempt->result,
                             options->build.loop_in_kernel ? options->build.repeats : 1);
    record_emulated_bandwidth(record, device, matrix_bytes, !options->build.loop_in_kernel);
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
