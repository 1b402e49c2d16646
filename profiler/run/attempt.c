#include "run/attempt.h"

#include "base/paths.h"
#include "base/sanitized.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "diagnose/diagnose.h"
#include "diagnose/origin.h"
#include "diagnose/other_text.h"
#include "diagnose/verify.h"
#include "process/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MATRIX_ALIGN = 2 << 20 };
/* Smallest size of a new mapping, and largest size of a reused mapping, in bytes. */
enum { LEAST_MAPPED = 16 << 20, MOST_SPARED = 80 << 20 };
enum { BUFFER_GUARD = ADDRESS_SANITIZED ? 4096 : 0 }; /* Poisoned bytes per array. */

/* Freed mappings. They are reused, because the system must clear new pages. Most kernels have two
 * arrays. */
static _Thread_local struct buffer spares[2];

static _Thread_local struct buffer prepared;

static void buffer_unmap(struct buffer *buffer)
{
    if (buffer->words)
        munmap(buffer->words, buffer->mapped);
    *buffer = (struct buffer){0};
}

static bool is_filled(const struct buffer *buffer, uint64_t seed)
{
    return buffer->filled && buffer->seed == seed;
}

/* Move a free mapping to *buffer: for an input, preferably a mapping with the elements of `seed`;
 * otherwise, the mapping with fewer filled elements. Unmap the chosen mapping if it has fewer than
 * `mapped` bytes. */
static void take_spare(struct buffer *buffer, size_t mapped, bool is_input, uint64_t seed)
{
    const bool second =
        is_input && (is_filled(&spares[0], seed) || is_filled(&spares[1], seed))
            ? !is_filled(&spares[0], seed)
            : !spares[0].words || (spares[1].words && spares[1].filled < spares[0].filled);
    struct buffer *spare = is_input && is_filled(&prepared, seed) ? &prepared : &spares[second];
    *buffer = *spare;
    *spare = (struct buffer){0};
    if (buffer->mapped < mapped)
        buffer_unmap(buffer);
}

static bool buffer_create(struct buffer *buffer, uint64_t elements, bool is_input, uint64_t seed,
                          struct failure *failure)
{
    const size_t bytes = elements * sizeof(uint32_t);
    take_spare(buffer, bytes + BUFFER_GUARD, is_input, seed);
    if (!is_input || buffer->seed != seed)
        buffer->filled = 0;
    buffer->seed = seed;
    if (!buffer->words) {
        buffer->mapped = (bytes < LEAST_MAPPED ? LEAST_MAPPED : bytes) + BUFFER_GUARD;
        void *words =
            mmap(NULL, buffer->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (words == MAP_FAILED) {
            *buffer = (struct buffer){0};
            return failure_harness(failure, "not enough memory for a matrix of %" PRIu64 " MiB",
                                   (elements * 4) >> 20);
        }
#ifdef MADV_HUGEPAGE
        madvise(words, buffer->mapped, MADV_HUGEPAGE);
#endif
        buffer->words = words;
    }
    buffer->bytes = bytes;
    POISON((char *)buffer->words + bytes, BUFFER_GUARD);
    return true;
}

static void buffer_free(struct buffer *buffer)
{
    if (buffer->words)
        UNPOISON((char *)buffer->words + buffer->bytes, BUFFER_GUARD);
    for (unsigned i = 0; i < 2 && buffer->mapped <= MOST_SPARED; i++)
        if (buffer->mapped >= spares[i].mapped) {
            const struct buffer smaller = spares[i];
            spares[i] = *buffer;
            *buffer = smaller;
        }
    buffer_unmap(buffer);
}

void attempt_prepare(uint64_t seed, uint64_t elements)
{
    struct failure unprepared = {0};
    buffer_unmap(&prepared);
    if (!buffer_create(&prepared, elements, false, seed, &unprepared))
        return;
    UNPOISON((char *)prepared.words + prepared.bytes, BUFFER_GUARD);
    matrix_fill(seed, 0, prepared.words, elements);
    prepared.filled = elements;
}

struct arrays attempt_arrays(const struct attempt *attempt)
{
    struct arrays arrays = {.form = &attempt->source->exercise.form,
                            .function = attempt->source->exercise.function,
                            .rows = attempt->size.rows,
                            .cols = attempt->size.cols,
                            .seed = attempt->source->options->size.seed,
                            .values = attempt->source->options->size.values,
                            .spares_margin = attempt->source->options->emulation.spares_margin};
    arrays.moves = function_moves(arrays.form, arrays.function);
    for (unsigned i = 0; i < arrays.form->count; i++)
        arrays.words[i] = attempt->buffers[i].words;
    return arrays;
}

static bool has_plain_elements(const struct arrays *arrays, unsigned i)
{
    return form_reads(&arrays->form->parameters[i]) && (arrays->function < 0 || arrays->moves);
}

static bool starts_undefined(const struct form_parameter *array)
{
    return array->role == FORM_OUTPUT && !array->zeroed;
}

static void fill_part(void *context, unsigned index, unsigned count)
{
    const struct attempt *attempt = context;
    const struct arrays arrays = attempt_arrays(attempt);
    for (unsigned i = 0; i < arrays.form->count; i++)
        if (arrays.words[i]) {
            const struct buffer *buffer = &attempt->buffers[i];
            const uint64_t elements = arrays_elements(&arrays, i),
                           end = elements * (index + 1) / count,
                           done = starts_undefined(&arrays.form->parameters[i]) ? buffer->unwritten
                                                                                : buffer->filled;
            uint64_t first = elements * index / count;
            if (first < done)
                first = done;
            if (first < end)
                arrays_fill(&arrays, i, first, end);
        }
}

static bool map_array(struct guest_memory *memory, struct buffer *buffer, const struct form *form,
                      const struct form_parameter *array, const char *name, struct source_size size,
                      uint64_t *address)
{
    memory->next += GUEST_GUARD_BYTES;
    struct memory_region *region =
        memory_map(memory, (unsigned char *)buffer->words, buffer->bytes, MATRIX_ALIGN, name);
    if (!region)
        return false;
    region->element_bytes = 4;
    region->row_elements =
        array->rows == FORM_ONE ? 0 : form_extent(form, array->cols, size.rows, size.cols);
    region->starts_undefined = starts_undefined(array);
    *address = region->base;
    memory->next += GUEST_GUARD_BYTES;
    return true;
}

static bool attempt_bind(struct attempt *attempt, unsigned char parameters[SOURCE_PARAMETER_BYTES],
                         struct failure *failure)
{
    const struct run_options *options = attempt->source->options;
    const struct form *form = &attempt->source->exercise.form;
    struct source_size size = attempt->size;
    const struct arrays arrays = attempt_arrays(attempt);
    for (unsigned i = 0; i < form->count; i++)
        if (form->parameters[i].role != FORM_SCALAR &&
            !buffer_create(&attempt->buffers[i], arrays_elements(&arrays, i),
                           has_plain_elements(&arrays, i), arrays_seed(&arrays, i), failure))
            return false;
    parallel_run((unsigned)options->workers, fill_part, attempt);
    for (unsigned i = 0; i < form->count; i++) {
        const bool undefined = starts_undefined(&form->parameters[i]);
        struct buffer *buffer = &attempt->buffers[i];
        uint64_t *done = undefined ? &buffer->unwritten : &buffer->filled;
        if ((undefined || has_plain_elements(&arrays, i)) && *done < arrays_elements(&arrays, i))
            *done = arrays_elements(&arrays, i);
    }
    const struct shared_taint *taint = attempt->taint;
    for (unsigned i = 0; taint && taint->changes_input && i < form->count; i++) {
        struct buffer *buffer = &attempt->buffers[i];
        for (size_t k = 0; form_reads(&form->parameters[i]) && k < buffer->bytes / 4; k++)
            buffer->words[k] = taint->alter(taint->context, buffer->words[k], TAINT_WAYS, 1);
        buffer->filled = 0;
    }
    uint64_t values[FORM_PARAMETERS_MAX];
    for (unsigned i = 0; i < form->count; i++) {
        const struct form_parameter *p = &form->parameters[i];
        values[i] = form_extent(form, p->cols, size.rows, size.cols);
        if (p->role != FORM_SCALAR &&
            !map_array(&attempt->memory, &attempt->buffers[i], form, p,
                       source_parameter_name(attempt->source, i), size, &values[i]))
            return failure_harness(failure, "not enough memory");
    }
    source_lay_parameters(attempt->source, values, parameters);
    return true;
}

static bool array_is_written(const struct attempt *attempt, unsigned i)
{
    for (unsigned r = 0; r < attempt->memory.count; r++)
        if (attempt->memory.regions[r].host == (const void *)attempt->buffers[i].words)
            return attempt->memory.regions[r].is_written;
    return true;
}

void attempt_free(struct attempt *attempt)
{
    free(attempt->printed);
    attempt->printed = NULL;
    free(attempt->result.stats);
    for (unsigned i = 0; i < FORM_PARAMETERS_MAX; i++) {
        if (array_is_written(attempt, i))
            attempt->buffers[i].filled = 0;
        if (!attempt->is_restored || i)
            attempt->buffers[i].unwritten = 0;
    }
    program_free(&attempt->program);
    memory_free(&attempt->memory);
    for (unsigned i = 0; i < FORM_PARAMETERS_MAX; i++)
        buffer_free(&attempt->buffers[i]);
}

void attempt_show_output(struct attempt *attempt)
{
    FILE *output = attempt->source->options->report.output;
    const uint64_t lines = attempt->result.output_lines;
    const size_t length = attempt->printed ? attempt->printed_bytes : 0;
    if (!length)
        return;
    fprintf(output, "printf at %" PRIu64 " x %" PRIu64 "%s:\n", attempt->size.rows,
            attempt->size.cols,
            attempt->asker->has_printed
                ? ""
                : " (the output at other sizes is printed only if the kernel fails there)");
    fwrite(attempt->printed, 1, length, output);
    if (attempt->printed[length - 1] != '\n')
        fputc('\n', output);
    if (lines > RUN_OUTPUT_LINES)
        fprintf(output, "(and %" PRIu64 " more line%s)\n", lines - RUN_OUTPUT_LINES,
                lines == RUN_OUTPUT_LINES + 1 ? "" : "s");
    attempt->printed_bytes = 0;
    attempt->asker->has_printed = true;
}

static bool attempt_emulate(struct attempt *attempt, struct failure *failure)
{
    bool prints = attempt->source->options->report.output && !attempt->variation.is_silent;
    FILE *output = prints ? open_memstream(&attempt->printed, &attempt->printed_bytes) : NULL;
    attempt->launch.output = output;
    attempt->launch.output_lines = RUN_OUTPUT_LINES;
    bool good = emulator_run(&attempt->launch, &attempt->result, failure);
    attempt->launch.output = NULL;
    if (output && !fclose(output) && !attempt->asker->has_printed)
        attempt_show_output(attempt);
    return good;
}

static void emulator_progress(void *context, double share)
{
    const struct attempt *attempt = context;
    const struct run_options *options = attempt->source->options;
    if (options->report.progress)
        options->report.progress(options->report.context, path_basename(attempt->source->path),
                                 share);
}

static enum launch_mode attempt_mode(const struct attempt *attempt, bool model)
{
    enum launch_mode mode = attempt->source->options->emulation.mode;
    if (model && mode == LAUNCH_COMPUTE)
        return LAUNCH_COUNT;
    if (mode == LAUNCH_CHECK && (attempt->taint || attempt->variation.trial.is_lenient))
        return LAUNCH_COUNT;
    if (attempt->variation.sample && attempt->source->options->emulation.samples == SAMPLES_COUNTED)
        return LAUNCH_COUNT;
    return mode;
}

/* Returns the limit of warp instructions; 0 for the emulator's limit. With too many threads, most
 * blocks are idle, so each of the first max(elements, IDLE_BLOCKS) blocks adds IDLE_COST. */
static uint64_t grid_budget(const struct attempt *attempt, const struct source_shape *shape)
{
    enum { IDLE_COST = 1024, IDLE_BLOCKS = 128 * 128 };
    const uint64_t budget = attempt->source->options->emulation.budget,
                   elements = attempt->size.rows * attempt->size.cols,
                   idle = elements > IDLE_BLOCKS ? elements : IDLE_BLOCKS;
    const bool wasteful = source_shape_threads(shape) >= SOURCE_WASTEFUL_THREADS * elements;
    const uint64_t blocks = (uint64_t)shape->grid.x * shape->grid.y * shape->grid.z;
    return !budget || !wasteful ? budget : budget + IDLE_COST * (blocks < idle ? blocks : idle);
}

static int find_kernel(const struct program *program, const char *name)
{
    int found = program_find_entry(program, name);
    for (size_t i = 0; found < 0 && i < program->module->function_count; i++)
        if (program->module->functions[i].is_entry &&
            !strcmp(ptx_plain_name(program->module->functions[i].name), name))
            found = (int)i;
    return found;
}

bool attempt_launch(struct attempt *attempt, bool model, struct failure *failure)
{
    const struct source *source = attempt->source;
    const struct run_options *options = source->options;
    const struct variation *variation = &attempt->variation;
    const struct trial *trial = &variation->trial;
    unsigned char parameters[SOURCE_PARAMETER_BYTES];
    struct source_shape shape;
    memory_init(&attempt->memory);
    if (!source_ask(attempt->asker, attempt->size, &shape, failure) ||
        !attempt_bind(attempt, parameters, failure) ||
        !program_copy(&attempt->asker->program, &attempt->memory, &attempt->program, failure))
        return false;
    if (options->emulation.shrinks_grid) {
        const uint32_t side = shape.block.x < shape.block.y ? shape.block.x : shape.block.y;
        const bool by_matrix = options->emulation.shrinks_grid == 1;
        const uint64_t x = by_matrix ? attempt->size.cols : shape.grid.x,
                       y = by_matrix ? attempt->size.rows : shape.grid.y;
        shape.grid.x = (uint32_t)fmin(shape.grid.x, ceil((double)x / side));
        shape.grid.y = (uint32_t)fmin(shape.grid.y, ceil((double)y / side));
    }
    program_take_shapes(&attempt->program, &attempt->memory, &source->shapes);
    attempt->launch = (struct emulator_launch){
        .program = &attempt->program,
        .function =
            find_kernel(&attempt->program, trial->kernel ? trial->kernel : source_kernel(source)),
        .grid = trial->grid ? *trial->grid : shape.grid,
        .block = trial->grid ? *trial->block : shape.block,
        .dynamic_shared = shape.dynamic_shared + trial->shared_more,
        .params = parameters,
        .memory = &attempt->memory,
        .device = attempt->asker->device,
        .workers = attempt->taint || trial->observer ? 1 : (unsigned)options->workers,
        .model_memory = model,
        .machine = source->machine.registers ? &source->machine : NULL,
        .grid_budget = grid_budget(attempt, &shape),
        .block_budget = variation->block_budget,
        .sample = variation->sample,
        .mode = attempt_mode(attempt, model),
        .taint = attempt->taint,
        .repair = options->emulation.repair | (trial->is_lenient ? EMULATOR_REPAIR_BOUNDS : 0) |
                  (trial->has_barriers ? EMULATOR_REPAIR_BARRIERS : 0),
        .is_anonymous = options->emulation.is_anonymous,
        .progress = model ? emulator_progress : NULL,
        .progress_context = attempt,
        .observer = model ? options->watch.observer : trial->observer,
        .history = model ? options->watch.history : NULL,
    };
    if (model && options->watch.begin)
        options->watch.begin(options->watch.context, &attempt->launch);
    bool good = attempt_emulate(attempt, failure);
    attempt->launch.params = NULL;
    return good;
}

uint64_t attempt_stored(const struct attempt *attempt)
{
    const struct program *program = attempt->launch.program;
    uint64_t bytes = 0;
    for (size_t f = 0; attempt->result.stats && f < program->module->function_count; f++) {
        const struct ptx_function *function = program->functions[f].source;
        for (size_t i = 0; i < function->instruction_count; i++) {
            const struct instruction_stats *stats =
                &attempt->result.stats[program->functions[f].stats_base + i];
            if (function->instructions[i].opcode == PTX_OP_ST && stats->sectors)
                bytes += stats->bytes;
        }
    }
    return bytes / sizeof(uint32_t);
}

struct problem attempt_problem(const struct attempt *attempt)
{
    const struct source *source = attempt->source;
    return (struct problem){.rows = attempt->size.rows,
                            .cols = attempt->size.cols,
                            .reference = source->exercise.reference,
                            .tile = source->tile,
                            .seed = source->options->size.seed};
}

/* Returns true if the source of a student does not compare a value with a single variable. */
static bool has_no_bound(const struct source *source)
{
    struct text_place places[TEXT_PLACES_MAX];
    return source->code && !other_text_places("(<|<=|>=) *[a-z]\\w* *(\\)|;|&&|\\|\\||\\?)", "",
                                              source->code, places);
}

static struct verify_input map_input(const struct attempt *attempt, const struct report *mistake)
{
    const struct source *source = attempt->source;
    return (struct verify_input){
        .problem = attempt_problem(attempt),
        .output = attempt->buffers[0].words,
        .input = attempt->buffers[1].words,
        .block_x = attempt->launch.block.x,
        .block_y = attempt->launch.block.y,
        .grid_x = attempt->launch.grid.x,
        .grid_y = attempt->launch.grid.y,
        .threads = (unsigned)source->options->workers,
        .stored = attempt_stored(attempt),
        .output_name = source_parameter_name(source, 0),
        .input_name = source_parameter_name(source, 1),
        .mistake = mistake,
        .has_no_races = attempt_mode(attempt, false) == LAUNCH_CHECK,
        .has_no_tile = !attempt->result.shared_bytes,
        .has_no_bound = has_no_bound(source),
        .is_unwritten = !array_is_written(attempt, 1),
        .is_brief = source->options->report.is_brief || attempt->variation.is_silent,
    };
}

static void correct_margin(const struct attempt *attempt)
{
    const struct problem problem = attempt_problem(attempt);
    uint32_t *output = attempt->buffers[0].words;
    uint64_t rows, cols;
    problem_output_shape(&problem, &rows, &cols);
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t col = row + 1 < rows ? cols - 1 : 0; col < cols; col++)
            output[row * cols + col] =
                attempt->buffers[1].words[problem_source(&problem, row, col)];
}

static bool verify_map(const struct attempt *attempt, const struct report *mistake,
                       struct failure *failure)
{
    if (attempt->source->options->emulation.spares_margin)
        correct_margin(attempt);
    const struct verify_input input = map_input(attempt, mistake);
    return verify_output(&input, failure);
}

/* Returns the line of a store to global memory that no thread executed; 0 if there is none. */
static uint32_t find_unreached_store(const struct attempt *attempt)
{
    const struct program *program = attempt->launch.program;
    const struct program_function *kernel = &program->functions[attempt->launch.function];
    for (size_t i = 0; i < kernel->source->instruction_count; i++) {
        const struct ptx_instruction *instruction = &kernel->source->instructions[i];
        if (instruction->opcode == PTX_OP_ST && instruction->location >= 0 &&
            (instruction->space == PTX_GLOBAL || instruction->space == PTX_GENERIC) &&
            !attempt->result.stats[kernel->stats_base + i].sectors)
            return program->module->locations[instruction->location].line;
    }
    return 0;
}

static bool fail_unreached(const struct attempt *attempt, const struct arrays *arrays,
                           struct failure *wrong)
{
    const uint32_t line = arrays_untouched(arrays) ? find_unreached_store(attempt) : 0;
    struct report report = {.lines = 0};
    if (!line || wrong->kind != FAILURE_STUDENT)
        return false;
    report_add_at(&report, FINDING_STORE_UNREACHED, line,
                  "No thread reaches the store in line %" PRIu32
                  ". Is the condition of the store, or of the loop around it, ever true?",
                  line);
    report_append(&report, wrong);
    return true;
}

bool attempt_verify(const struct attempt *attempt, const struct report *mistake,
                    struct failure *failure)
{
    const struct source *source = attempt->source;
    const struct arrays arrays = attempt_arrays(attempt);
    struct failure wrong = {0};
    bool correct =
        arrays.function < 0
            ? verify_map(attempt, mistake, &wrong)
            : arrays_verify(&arrays, source->options->report.is_brief ? NULL : origin_explain,
                            &wrong);
    if (correct)
        return failure_pass(failure, &attempt->result.later_race);
    const bool unreached = fail_unreached(attempt, &arrays, &wrong);
    return source_fail_verification(source, &wrong, !unreached && arrays_untouched(&arrays),
                                    failure);
}

bool attempt_verify_sample(struct attempt *attempt)
{
    enum { FEWEST = 16, PARTIAL = 8 };
    const struct dimensions *grid = &attempt->launch.grid;
    const uint64_t elements = attempt->size.rows * attempt->size.cols,
                   blocks = (uint64_t)grid->x * grid->y * grid->z,
                   each = (elements + blocks - 1) / blocks, missing = blocks * each - elements,
                   expected = attempt->result.blocks_run * each,
                   share = attempt->result.blocks_run * elements / blocks;
    const struct verify_input input = map_input(attempt, NULL);
    uint64_t stored;
    if (attempt->result.blocks_run < FEWEST ||
        !verify_stored(&input, attempt->buffers[0].words, &stored))
        return false;
    attempt->is_restored = true;
    if (attempt->source->options->emulation.samples == SAMPLES_NEARLY)
        return stored >= share - share / PARTIAL;
    return missing < each && stored <= expected && stored + missing >= expected;
}

enum {
    TRIAL_BUDGET = 4 << 20,       /* Warp instructions per block of a trial. */
    TRIAL_BUDGET_CODE = 64 << 10, /* Limit for a changed source, which may contain endless loops. */
};

/* Sectors and wavefronts per request (of 4 bytes per thread) that a repair may always have. */
enum { SECTORS = 8, WAVEFRONTS = 2, WHOLE = 32 };

/* Limit of stores per element: a wrong repair may repeat stores until all elements are correct. */
#define REPEATS 1.25

static double attempt_repeats(const struct attempt *attempt)
{
    const struct arrays arrays = attempt_arrays(attempt);
    const double least = (double)arrays.rows * (double)arrays.cols;
    double elements = 0;
    for (unsigned i = 0; i < arrays.form->count; i++)
        if (form_writes(&arrays.form->parameters[i]) && !form_reads(&arrays.form->parameters[i]))
            elements += (double)arrays_elements(&arrays, i);
    return elements < least ? 0 : (double)attempt_stored(attempt) / elements;
}

/* A missing term alone does not name a mistake, because skipped loads may also cause it. */
static bool is_named(const struct findings *findings)
{
    const enum finding_id first = findings->count ? findings->list[0].id : FINDING_NONE,
                          next = findings->count > 1 ? findings->list[1].id : FINDING_NONE;
    return first != FINDING_NONE && first != FINDING_WRONG_ELEMENTS && first != FINDING_UNWRITTEN &&
           !(first == FINDING_TERM_MISSING &&
             (next == FINDING_NONE || next == FINDING_WRONG_ELEMENTS));
}

/* Returns true if all rows are aligned, but the vector loads or the vector stores of the kernel
 * move less than a quarter of it. A repair that disables vector accesses hides a mistake. */
static bool attempt_omits_vectors(const struct attempt *attempt)
{
    enum { ALIGNED = 64, WORDS_PER_SECTOR = 8 };
    const struct program_function *kernel = &attempt->program.functions[attempt->launch.function];
    const uint64_t least = attempt->size.rows * attempt->size.cols / 4;
    uint64_t words[2] = {0};
    bool has[2] = {false};
    for (size_t i = 0; i < kernel->code_count && attempt->result.stats; i++) {
        const struct instruction *at = &kernel->code[i];
        const bool stores = at->kind == SIMT_STORE;
        if (at->vector != 4 || at->space != PTX_GLOBAL)
            continue;
        has[stores] = true;
        words[stores] +=
            WORDS_PER_SECTOR * attempt->result.stats[kernel->stats_base + at->number].sectors;
    }
    return attempt->size.rows % ALIGNED == 0 && attempt->size.cols % ALIGNED == 0 &&
           ((has[0] && words[0] < least) || (has[1] && words[1] < least));
}

/* Mean sectors per request of global memory, and wavefronts per request of shared memory; 0 without
 * requests. */
static struct access_cost attempt_cost(const struct attempt *attempt)
{
    const struct program_function *kernel = &attempt->program.functions[attempt->launch.function];
    uint64_t requests[2] = {0}, sectors = 0, wavefronts = 0;
    for (size_t i = 0; i < kernel->code_count && attempt->result.stats; i++) {
        const struct instruction *at = &kernel->code[i];
        const struct instruction_stats *stats =
            &attempt->result.stats[kernel->stats_base + at->number];
        if (at->space != PTX_GLOBAL && at->space != PTX_SHARED)
            continue;
        /* A vector access of 16 bytes per thread needs four times the sectors. */
        requests[at->space == PTX_SHARED] += stats->requests * (at->vector > 1 ? at->vector : 1);
        *(at->space == PTX_SHARED ? &wavefronts : &sectors) +=
            at->space == PTX_SHARED ? stats->wavefronts : stats->sectors;
    }
    return (struct access_cost){requests[0] ? (double)sectors / (double)requests[0] : 0,
                                requests[1] ? (double)wavefronts / (double)requests[1] : 0};
}

/* Returns true if the result is correct and not due to a trick: too many stores, no vector
 * accesses, or uncoalesced accesses in a kernel with shared memory. Accesses are compared only at
 * sizes of whole tiles. If `cost` is not NULL, *cost receives the cost of the accesses. If the
 * result is wrong, *named receives a known mistake. */
static bool attempt_try(struct attempt *attempt, struct access_cost *cost, struct report *named)
{
    struct failure failure = {0};
    const bool ended = attempt_launch(attempt, false, &failure);
    const bool correct = ended && attempt_verify(attempt, NULL, &failure);
    const struct access_cost now = correct ? attempt_cost(attempt) : (struct access_cost){0};
    const bool is_whole = attempt->size.rows % WHOLE == 0 && attempt->size.cols % WHOLE == 0,
               is_trick = correct &&
                          (attempt_repeats(attempt) > attempt->variation.most_repeats ||
                           attempt_omits_vectors(attempt) ||
                           (is_whole && now.wavefronts > 0 && attempt->variation.most.sectors > 0 &&
                            now.sectors > attempt->variation.most.sectors));
    if (cost)
        *cost = now;
    if (named && ended && !correct && attempt->source->exercise.function < 0) {
        const struct verify_input input = map_input(attempt, NULL);
        diagnose_name(&input, named);
    } else if (named && ended && !correct && is_named(&failure.findings)) {
        named->lines = 1;
        named->findings = failure.findings;
        snprintf(named->text, sizeof named->text, "%.*s", (int)strcspn(failure.text, "\n"),
                 failure.text);
    }
    attempt_free(attempt);
    return correct && !is_trick;
}

/* Returns true if a changed source is correct at the size of `again`. Unless at_one_size, also
 * tests all small sizes, and larger sizes with whole and (if permitted) partial tiles. *cost
 * receives the cost at the size of `again`. */
static bool try_sizes(struct attempt again, struct access_cost *cost)
{
    /* The first three sizes have whole tiles of 64 in both directions, or in one direction. With
     * 2^16 + 33 elements in one row, the last of several blocks has 33 elements. */
    static const struct source_size larger[] = {
        {5 * 64, 7 * 64}, {3 * 64, 3 * 32}, {5 * 32, 64}, {1, (1 << 16) + 33}};
    enum { LARGER = sizeof larger / sizeof *larger };
    struct source_size sizes[SOURCE_SMALL_SIZES_MAX + 1 + LARGER];
    const uint64_t unit = again.source->exercise.whole_tiles ? again.source->tile : 41;
    const struct attempt first = again;
    unsigned count = 0;
    if (!again.variation.trial.at_one_size) {
        count = source_small_sizes(again.source, sizes);
        sizes[count++] = source_size_of(again.source, (struct source_size){7 * unit, 10 * unit});
        for (unsigned i = 0; i < LARGER && !again.source->exercise.whole_tiles; i++)
            if (larger[i].rows > 1 || again.source->exercise.one_row)
                sizes[count++] = source_size_of(again.source, larger[i]);
    }
    bool correct = attempt_try(&again, cost, NULL);
    for (unsigned i = 0; correct && i < count; i++) {
        again = first;
        again.size = sizes[i];
        correct = attempt_try(&again, NULL, NULL);
    }
    return correct;
}

/* Like attempt_try, with a changed source. With `copies`, returns the index of the first correct
 * copy, or the number of copies if none is correct. If that copy has more bank conflicts than the
 * failed attempt, or any in a source with `^`, returns the correct copy with the fewest conflicts.
 * Without `copies`, returns 0
 * for a correct result, otherwise 1. Returns -1 if the source cannot be compiled. */
static int try_source(const struct attempt *failed, const char *code, struct attempt again,
                      const struct copies *copies)
{
    const int count = copies ? (int)copies->count : 1;
    struct failure failure = {0};
    struct source changed = {0};
    struct source_asker asker;
    struct run_options options = *failed->source->options;
    char directory[PATH_SIZE], path[2 * PATH_SIZE], kernel[PATH_SIZE];
    int copy = -1;
    options.build.is_trial = true;
    options.workers = 1; /* The start of a second worker takes longer than the run. */
    /* In grading, the sandbox of the interpreter has no files and no compiler. */
    if (failed->source->options->emulation.is_anonymous ||
        !scratch_make(directory, "change", &failure))
        return -1;
    snprintf(path, sizeof path, "%s/%s", directory, path_basename(failed->source->path));
    if (whole_file_write(path, code, strlen(code), true, &failure)) {
        if (source_load(&changed, path, &options, &failure) &&
            source_asker_open(&asker, &changed, failed->asker->device, &failure)) {
            again.source = &changed;
            again.asker = &asker;
            struct access_cost cost, least = {0};
            copy = count;
            for (int c = 0; c < count; c++) {
                if (copies) {
                    snprintf(kernel, sizeof kernel, "%s_copy%03d", copies->kernel, c);
                    again.variation.trial.kernel = kernel;
                }
                if (!try_sizes(again, &cost) ||
                    (copy < count && cost.wavefronts >= least.wavefronts))
                    continue;
                copy = c;
                least = cost;
                if (cost.wavefronts <= (strchr(code, '^') ? 1 : again.variation.most.wavefronts))
                    break;
            }
            source_asker_close(&asker);
        }
        source_free(&changed);
    }
    scratch_remove(directory);
    /* NVRTC writes "copy003(12): error"; nvcc and clang may write "copy003:12". */
    for (int c = 0; copies && copy < 0 && c < count; c++)
        for (const char *separator = "(:"; *separator; separator++) {
            snprintf(kernel, sizeof kernel, "copy%03d%c", c, *separator);
            copies->is_bad[c] |= strstr(failure.text, kernel) != NULL;
        }
    return copy;
}

static struct attempt attempt_again(const struct attempt *failed, struct trial trial)
{
    const double repeats = attempt_repeats(failed);
    const struct access_cost cost = attempt_cost(failed);
    return (struct attempt){
        .source = failed->source,
        .asker = failed->asker,
        .size = failed->size,
        .variation = {.trial = trial,
                      .is_silent = true,
                      .most_repeats = repeats > REPEATS ? repeats : REPEATS,
                      .most = {cost.sectors > 0 ? fmax(2 * cost.sectors, SECTORS) : 0,
                               fmax(cost.wavefronts, WAVEFRONTS)},
                      .block_budget = trial.code ? TRIAL_BUDGET_CODE : TRIAL_BUDGET}};
}

static bool trial_is_correct(void *context, const struct trial *trial, struct report *named)
{
    struct attempt again = attempt_again(context, *trial);
    return trial->code ? !try_source(context, trial->code, again, NULL)
                       : attempt_try(&again, NULL, named);
}

static int find_copy(void *context, const struct copies *copies)
{
    const struct trial trial = {.code = copies->code};
    return try_source(context, copies->code, attempt_again(context, trial), copies);
}

static void blame(void *context, const struct report *mistake, struct failure *failure)
{
    attempt_verify(context, mistake, failure);
}

void attempt_diagnose(struct attempt *attempt, struct failure *failure)
{
    const struct source *source = attempt->source;
    if (failure->kind != FAILURE_STUDENT || !attempt->launch.program)
        return;
    const struct suspect suspect = {
        .path = source->path,
        .code = source->code,
        .warnings = source->compiled.warnings,
        .shapes = &source->shapes,
        .launch = &attempt->launch,
        .result = &attempt->result,
        .input = map_input(attempt, NULL),
        .whole = source->tile > WHOLE ? source->tile : WHOLE,
        .matrices = (uint32_t)source->exercise.form.matrices,
        .is_map = source->exercise.function < 0,
        .has_floats = source->exercise.form.parameters[0].type == FORM_FLOAT,
        .context = attempt,
        .is_correct = trial_is_correct,
        .find_copy = find_copy,
        .blame = blame,
    };
    suspect_look_again(&suspect, source->options->report.is_brief, failure);
}
