/* source.c: the path of one source, top to bottom. */
#include "run.h"

#include "compile.h"
#include "emulator/emulator.h"
#include "matrix.h"
#include "parallel.h"
#include "paths.h"
#include "record_emulated.h"
#include "verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SHAPE_WORDS = 7,
    MATRIX_ALIGN = 2 << 20, /* guest addresses of the matrices; a multiple of all guard bands */
    MAX_DIMENSION = INT32_MAX,
};

/* Everything about the source that does not depend on the size. */
struct source {
    const char *path;
    const struct run_options *options;
    struct compile_result compiled;
    struct ptx_module module;
    struct exercise exercise;
    uint32_t tile;
};

/* One matrix on the host. */
struct buffer {
    uint32_t *words;
    size_t bytes;
};

/* One launch: its memory, program and results. */
struct attempt {
    struct source *source;
    uint64_t rows, cols;
    struct buffer input, output;
    struct guest_memory memory;
    struct program program;
    uint32_t shape[SHAPE_WORDS];
    struct emulator_launch launch;
    struct emulator_result result;
};

/* ---- Memory -----------------------------------------------------------------------------------
 */

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

/* Fill the input with its values and the output with poison, each worker a part. */
static void fill_part(void *context, unsigned index, unsigned count)
{
    struct attempt *attempt = context;
    uint64_t elements = attempt->rows * attempt->cols;
    uint64_t first = elements * index / count, end = elements * (index + 1) / count;
    matrix_fill(attempt->source->options->seed, first, attempt->input.words + first,
                (size_t)(end - first));
    for (uint64_t i = first; i < end; i++)
        attempt->output.words[i] = MATRIX_POISON;
}

/* Leave a gap of at least one guard band before the next region: what lies there is out of bounds.
 */
static bool map_matrix(struct guest_memory *memory, struct buffer *buffer, const char *name,
                       uint64_t row_elements, uint64_t *address)
{
    memory->next += GUEST_GUARD_BYTES;
    struct memory_region *region =
        memory_map(memory, (unsigned char *)buffer->words, buffer->bytes, MATRIX_ALIGN, name);
    if (!region)
        return false;
    region->element_bytes = 4;
    region->row_elements = row_elements;
    *address = region->base;
    memory->next += GUEST_GUARD_BYTES;
    return true;
}

/* ---- The source ---------------------------------------------------------------------------------
 */

/* The name that LAB() left in the module. */
static bool read_lab_name(const struct source *source, char *name, size_t size,
                          struct failure *failure)
{
    const struct ptx_variable *variable = ptx_find_variable(&source->module, "lab_name");
    if (!variable)
        return failure_student(
            failure, STATUS_COMPILE_ERROR,
            "%s names no exercise: write LAB(name); below its #include \"lab.h\"", source->path);
    size_t length = 0;
    while (variable->initial && length < variable->bytes && length + 1 < size &&
           variable->initial[length]) {
        name[length] = (char)variable->initial[length];
        length++;
    }
    name[length] = 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || (unsigned char)name[i] > 0x7e)
            name[i] = '?';
    return true;
}

static bool check_kernel(const struct source *source, const char *name, unsigned pointers,
                         unsigned integers, const char *wanted, struct failure *failure)
{
    const struct ptx_function *function = ptx_find_function(&source->module, name);
    if (!function || !function->is_entry || function->is_declaration) {
        for (size_t i = 0; i < source->module.function_count; i++) {
            const struct ptx_function *other = &source->module.functions[i];
            if (other->is_entry && !other->is_declaration && strstr(other->name, name) &&
                other->name[0] == '_')
                return failure_student(
                    failure, STATUS_COMPILE_ERROR,
                    "%s: the kernel %s is not declared extern \"C\": its name in "
                    "the module is %s. It must be\n  %s",
                    source->path, name, other->name, wanted);
        }
        return failure_student(failure, STATUS_COMPILE_ERROR,
                               "%s has no kernel %s. It must be\n  %s", source->path, name, wanted);
    }
    bool good = function->parameter_count == pointers + integers;
    for (size_t i = 0; good && i < function->parameter_count; i++)
        good = function->parameters[i].bytes == (i < pointers ? 8u : 4u) &&
               function->parameters[i].type != PTX_F32 && function->parameters[i].type != PTX_F64;
    return good ||
           failure_student(failure, STATUS_COMPILE_ERROR,
                           "%s: the kernel %s has other parameters than it must have:\n  %s",
                           source->path, name, wanted);
}

static const char *define_value(const struct run_options *options, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < options->define_count; i++)
        if (!strncmp(options->defines[i], name, length) && options->defines[i][length] == '=')
            return options->defines[i] + length + 1;
    return NULL;
}

/* The manifest's tile, unless -D TILE_DIM=... sweeps it. */
static uint32_t tile_width(const struct source *source)
{
    const char *value = define_value(source->options, "TILE_DIM");
    unsigned long width = value ? strtoul(value, NULL, 10) : 0;
    return width >= 1 && width <= 1024 ? (uint32_t)width : source->exercise.tile;
}

static bool compile_source(struct source *source, struct failure *failure)
{
    const struct run_options *options = source->options;
    size_t count = options->define_count;
    const char **defines = calloc(count + 1, sizeof *defines);
    char include[PATH_SIZE], support[PATH_SIZE];
    if (!defines || !paths_in_root("include", include, failure) ||
        !paths_in_root("profiler", support, failure)) {
        free(defines);
        return failure_harness(failure, "not enough memory");
    }
    for (size_t i = 0; i < count; i++)
        defines[i] = options->defines[i];
    if (options->loop_in_kernel)
        defines[count++] = "LAB_LOOP";
    struct compile_request request = {.source_path = source->path,
                                      .defines = defines,
                                      .define_count = count,
                                      .include_directory = include,
                                      .architecture = 80,
                                      .support_directory = support};
    bool good = compile_to_ptx(&request, &source->compiled, failure);
    free(defines);
    return good;
}

/* Compile, parse, and see that the file is the exercise it says it is. */
static bool load_source(struct source *source, struct failure *failure)
{
    char name[64];
    const char *root = paths_root(failure);
    if (!root || !compile_source(source, failure))
        return false;
    const char *kernel = source->options->loop_in_kernel ? "lab_loop" : "transpose";
    if (!ptx_parse(source->compiled.ptx, source->compiled.ptx_bytes, source->path, &source->module,
                   failure) ||
        !read_lab_name(source, name, sizeof name, failure) ||
        !exercise_find(root, name, &source->exercise, failure))
        return false;
    source->tile = tile_width(source);
    return check_kernel(source, kernel, 2, source->options->loop_in_kernel ? 3 : 2,
                        "extern \"C\" __global__ void transpose(float *odata, const float *idata, "
                        "int width, int height)",
                        failure) &&
           check_kernel(source, "lab_launch_shape", 1, 2,
                        "LAB_LAUNCH(width, height) { return {grid, block}; }", failure);
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

/* Ask LAB_LAUNCH for the shape: a kernel of one thread. */
static bool ask_shape(struct attempt *attempt, uint64_t shape_address, struct failure *failure)
{
    struct {
        uint64_t shape;
        int32_t width, height;
    } params = {shape_address, (int32_t)attempt->cols, (int32_t)attempt->rows};
    struct emulator_launch launch = {
        .program = &attempt->program,
        .function = program_find_entry(&attempt->program, "lab_launch_shape"),
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .params = (const unsigned char *)&params,
        .memory = &attempt->memory,
        .device = attempt->source->options->device,
        .workers = 1,
        .block_budget = 1000 * 1000,
    };
    struct emulator_result result;
    bool good = emulator_run(&launch, &result, failure);
    free(result.stats);
    return good;
}

/* The last parameter is there for lab_loop only. */
struct kernel_params {
    uint64_t output, input;
    int32_t width, height, repeats;
};

static void emulator_progress(void *context, double share)
{
    const struct attempt *attempt = context;
    const struct run_options *options = attempt->source->options;
    if (options->progress)
        options->progress(options->progress_context, path_basename(attempt->source->path), share);
}

/* Set up memory and program, find the launch shape, source. */
static bool attempt_launch(struct attempt *attempt, bool model, struct failure *failure)
{
    struct source *source = attempt->source;
    const struct run_options *options = source->options;
    uint64_t elements = attempt->rows * attempt->cols;
    struct problem problem = {.rows = attempt->rows,
                              .cols = attempt->cols,
                              .reference = source->exercise.reference,
                              .tile = source->tile,
                              .seed = options->seed};
    uint64_t out_rows, out_cols, shape_address = 0;
    problem_output_shape(&problem, &out_rows, &out_cols);
    struct kernel_params params = {.width = (int32_t)attempt->cols,
                                   .height = (int32_t)attempt->rows,
                                   .repeats = (int32_t)options->repeats};
    memory_init(&attempt->memory);
    if (!buffer_create(&attempt->input, elements, failure) ||
        !buffer_create(&attempt->output, elements, failure))
        return false;
    parallel_run(options->workers, fill_part, attempt);
    if (!map_matrix(&attempt->memory, &attempt->output, "odata", out_cols, &params.output) ||
        !map_matrix(&attempt->memory, &attempt->input, "idata", attempt->cols, &params.input))
        return failure_harness(failure, "not enough memory");
    struct memory_region *shape = memory_map(&attempt->memory, (unsigned char *)attempt->shape,
                                             sizeof attempt->shape, 256, "the launch shape");
    if (!shape)
        return failure_harness(failure, "not enough memory");
    shape_address = shape->base;
    if (!program_create(&source->module, &attempt->memory, &attempt->program, failure) ||
        !ask_shape(attempt, shape_address, failure))
        return false;
    const uint32_t *words = attempt->shape;
    attempt->launch = (struct emulator_launch){
        .program = &attempt->program,
        .function = program_find_entry(&attempt->program,
                                       options->loop_in_kernel ? "lab_loop" : "transpose"),
        .grid = {words[0], words[1], words[2]},
        .block = {words[3], words[4], words[5]},
        .dynamic_shared = words[6],
        .params = (const unsigned char *)&params,
        .memory = &attempt->memory,
        .device = options->device,
        .workers = options->workers,
        .model_memory = model,
        .output = options->output,
        .progress = model ? emulator_progress : NULL,
        .progress_context = attempt,
    };
    bool good = emulator_run(&attempt->launch, &attempt->result, failure);
    attempt->launch.params = NULL;
    return good;
}

static bool never_written(const struct attempt *attempt)
{
    for (uint64_t i = 0; i < attempt->rows * attempt->cols; i++)
        if (attempt->output.words[i] != MATRIX_POISON)
            return false;
    return true;
}

static bool attempt_verify(const struct attempt *attempt, struct failure *failure)
{
    const struct source *source = attempt->source;
    struct verify_input input = {
        .problem = {.rows = attempt->rows,
                    .cols = attempt->cols,
                    .reference = source->exercise.reference,
                    .tile = source->tile,
                    .seed = source->options->seed},
        .input = attempt->input.words,
        .output = attempt->output.words,
        .block_x = attempt->launch.block.x,
        .block_y = attempt->launch.block.y,
        .grid_x = attempt->launch.grid.x,
        .grid_y = attempt->launch.grid.y,
        .threads = source->options->workers,
        .output_name = "odata",
        .input_name = "idata",
    };
    struct failure wrong = {0};
    if (verify_output(&input, &wrong))
        return true;
    if (wrong.kind == FAILURE_HARNESS)
        return failure_harness(failure, "%s", wrong.text);
    if (source->exercise.first_step[0] && never_written(attempt))
        return failure_student(failure, wrong.status, "%s\n%s", wrong.text,
                               source->exercise.first_step);
    return failure_student(failure, wrong.status, "%s", wrong.text);
}

/* Launch and verify; a student's failure says at which size. */
static bool attempt_run(struct attempt *attempt, struct source *source, uint64_t rows,
                        uint64_t cols, bool model, struct failure *failure)
{
    struct failure local = {0};
    *attempt = (struct attempt){.source = source, .rows = rows, .cols = cols};
    if (attempt_launch(attempt, model, &local) && attempt_verify(attempt, &local))
        return true;
    if (local.kind == FAILURE_HARNESS)
        return failure_harness(failure, "%s", local.text);
    return failure_student(failure, local.status, "at %" PRIu64 " x %" PRIu64 ": %s", rows, cols,
                           local.text);
}

/* ---- Checks on small sizes
 * ----------------------------------------------------------------------- */

struct size {
    uint64_t rows, cols;
};

/* rows x cols. Whole tiles, not square, first: a mistake shows its pattern best there, and the first
 * failure is what the student reads. Then ragged, square, thin, and one element. */
static const struct size any_sizes[] = {{64, 96}, {100, 77}, {33, 65}, {95, 161},
                                        {32, 32}, {1, 70},   {70, 1},  {1, 1}};
/* In tiles. */
static const struct size tile_sizes[] = {{2, 3}, {3, 2}, {4, 4}, {1, 1}};

static bool check_small_sizes(struct source *source, struct failure *failure)
{
    bool tiles = source->exercise.whole_tiles;
    size_t count =
        tiles ? sizeof tile_sizes / sizeof *tile_sizes : sizeof any_sizes / sizeof *any_sizes;
    for (size_t i = 0; i < count; i++) {
        struct size size = tiles ? tile_sizes[i] : any_sizes[i];
        uint64_t unit = tiles ? source->tile : 1;
        struct attempt attempt;
        bool good =
            attempt_run(&attempt, source, size.rows * unit, size.cols * unit, false, failure);
        attempt_free(&attempt);
        if (!good)
            return false;
    }
    return true;
}

/* ---- The record
 * ---------------------------------------------------------------------------------- */

static void record_source(const struct source *source, struct record *record)
{
    const struct run_options *options = source->options;
    char directory[PATH_SIZE];
    snprintf(directory, sizeof directory, "%s", source->path);
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = 0;
    /* A file that does not compile has not said its name: the file's own must do. */
    char stem[128];
    snprintf(stem, sizeof stem, "%s", path_basename(source->path));
    char *dot = strrchr(stem, '.');
    if (dot)
        *dot = 0;
    bool known = source->exercise.lab[0];
    record_set_text(record, COLUMN_lab, "%s",
                    known   ? source->exercise.lab
                    : slash ? path_basename(directory)
                            : "-");
    record_set_text(record, COLUMN_variant, "%s", known ? source->exercise.name : stem);
    record_set_text(record, COLUMN_kernel, "transpose");
    record_emulated_device(record, options->device);
    char defines[RECORD_TEXT_SIZE] = "";
    for (size_t i = 0; i < options->define_count; i++) {
        size_t used = strlen(defines);
        snprintf(defines + used, sizeof defines - used, "%s%s", i ? " " : "", options->defines[i]);
    }
    record_set_text(record, COLUMN_defines, "%s", defines);
    record_set_text(record, COLUMN_loop, "%s", options->loop_in_kernel ? "kernel" : "launch");
    record_set_count(record, COLUMN_repeats, options->loop_in_kernel ? options->repeats : 1);
    record_set_count(record, COLUMN_seed, options->seed);
    if (source->compiled.ptx)
        record_set_text(record, COLUMN_compiler, "%s", source->compiled.description);
}

/* ---- The run
 * -------------------------------------------------------------------------------------- */

static bool check_size(const struct source *source, uint64_t rows, uint64_t cols,
                       struct failure *failure)
{
    if (rows > MAX_DIMENSION || cols > MAX_DIMENSION || rows * cols >= MATRIX_MAX_ELEMENTS)
        return failure_harness(failure,
                               "%" PRIu64 " x %" PRIu64
                               " is too large: a matrix may have at most %llu "
                               "elements",
                               rows, cols, (unsigned long long)MATRIX_MAX_ELEMENTS - 1);
    if (source->exercise.whole_tiles && (rows % source->tile || cols % source->tile))
        return failure_harness(
            failure,
            "lab %s works on whole tiles: rows and cols must be multiples of %u, "
            "not %" PRIu64 " x %" PRIu64,
            source->exercise.lab, source->tile, rows, cols);
    return true;
}

bool run_source(const char *path, const struct run_options *options, struct record *record,
                struct failure *failure)
{
    struct source source = {.path = path, .options = options};
    uint64_t rows = options->rows ? options->rows : RUN_DEFAULT_SIZE;
    uint64_t cols = options->cols ? options->cols : RUN_DEFAULT_SIZE;
    struct attempt attempt = {0};
    bool good = load_source(&source, failure) && check_size(&source, rows, cols, failure) &&
                check_small_sizes(&source, failure) &&
                attempt_run(&attempt, &source, rows, cols, true, failure);
    record_clear(record);
    record_source(&source, record);
    record_set_count(record, COLUMN_rows, rows);
    record_set_count(record, COLUMN_cols, cols);
    if (attempt.launch.program)
        record_emulated_shape(record, &attempt.launch, &attempt.result);
    if (good) {
        record_emulated_counters(record, &attempt.launch, &attempt.result,
                                 options->loop_in_kernel ? options->repeats : 1);
        record_emulated_bandwidth(record, options->device, 4.0 * (double)rows * (double)cols,
                                  !options->loop_in_kernel);
    }
    record_set_text(record, COLUMN_status, "%s", status_name(good ? STATUS_OK : failure->status));
    record_set_text(record, COLUMN_reason, "%s", good ? "" : failure->text);
    attempt_free(&attempt);
    ptx_module_free(&source.module);
    compile_result_free(&source.compiled);
    return failure->kind != FAILURE_HARNESS;
}
