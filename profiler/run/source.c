#include "run/source.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "course/arrays.h"
#include "diagnose/compile_hints.h"
#include "emulator/emulator.h"
#include "run/kernel_name.h"
#include "text/code_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DIMENSION = INT32_MAX,
    SHAPE_BUDGET = 1000 * 1000,
    /* Maximum size in bytes of a file that is searched for misspelt names. */
    SOURCE_TEXT_MAX = 1 << 20
};

/* Write the name in LAB() to `name`; "" if it is missing. An invalid name contains `?`. */
static void read_lab_name(const struct source *source, char *name, size_t size)
{
    const struct ptx_variable *variable = ptx_find_variable(&source->module, "lab_name");
    size_t length = 0;
    name[0] = 0;
    if (!variable)
        return;
    while (variable->initial && length < variable->bytes && length + 1 < size &&
           variable->initial[length]) {
        name[length] = (char)variable->initial[length];
        length++;
    }
    if (!length || length + 1 != variable->bytes)
        name[length < size - 1 ? length++ : length - 1] = '?';
    name[length] = 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || (unsigned char)name[i] > 0x7e)
            name[i] = '?';
}

bool source_fail_unnamed(const struct source *source, struct failure *failure)
{
    failure_student(failure, STATUS_COMPILE_ERROR,
                    "%s names no exercise. Below #include \"lab.h\", write LAB(name);",
                    source->path);
    failure_find(failure, FINDING_NO_EXERCISE, 0);
    return false;
}

static unsigned parameter_bytes(const struct form *form, unsigned i)
{
    return form->parameters[i].role == FORM_SCALAR ? 4 : 8;
}

static bool parameters_are(const struct ptx_function *function, const struct form *form)
{
    bool good = function->parameter_count == form->count;
    for (unsigned i = 0; good && i < form->count; i++)
        good = function->parameters[i].bytes == parameter_bytes(form, i) &&
               function->parameters[i].type != PTX_F32 && function->parameters[i].type != PTX_F64;
    return good;
}

static bool has_mangled(const struct source *source, const char *name)
{
    for (size_t i = 0; i < source->module.function_count; i++)
        if (source->module.functions[i].is_entry && strstr(source->module.functions[i].name, name))
            return true;
    return false;
}

static bool check_kernel(const struct source *source, const char *name, const struct form *form,
                         const char *required, struct failure *failure)
{
    const struct ptx_function *function = ptx_find_function(&source->module, name);
    const bool exists = function && function->is_entry && !function->is_declaration,
               mangled = !exists && has_mangled(source, name);
    if (exists && parameters_are(function, form))
        return true;
    if (exists)
        failure_student(failure, STATUS_COMPILE_ERROR,
                        "%s: the kernel %s has the wrong parameters. Required:\n  %s", source->path,
                        name, required);
    else
        failure_student(failure, STATUS_COMPILE_ERROR, "%s has no kernel %s%s. Required:\n  %s",
                        source->path, name, mangled ? " that is extern \"C\"" : "", required);
    failure_find(failure,
                 exists    ? FINDING_OTHER_PARAMETERS
                 : mangled ? FINDING_NOT_EXTERN_C
                           : FINDING_NO_KERNEL,
                 0);
    return false;
}

static bool find_exact_kernel(struct source *source, const char *required, struct failure *failure)
{
    const struct form *form = &source->exercise.form;
    source->kernel = ptx_find_function(&source->module, form->kernel);
    return check_kernel(source, form->kernel, form, required, failure);
}

static bool find_kernel(struct source *source, struct naming *naming, bool repair,
                        const char *required, struct failure *failure)
{
    if (source->exercise.function >= 0)
        return find_exact_kernel(source, required, failure);
    const struct ptx_function *kernel = kernel_name_find(naming, &source->module);
    for (unsigned char i = 0; i < 4; i++)
        source->order[i] = i;
    if (!kernel)
        return find_exact_kernel(source, required, failure);
    source->kernel = kernel;
    source->declares_other_order = naming_declared_order(naming, kernel->name, source->declared);
    if (!parameters_are(kernel, &source->exercise.form)) {
        naming_add(naming, 0, "the kernel has the wrong parameters");
        if (source->declares_other_order)
            memcpy(source->order, source->declared, sizeof source->order);
    }
    if (repair || !naming->text[0])
        return true;
    failure_student(failure, STATUS_COMPILE_ERROR, "%s. Required:\n  %s", naming->text, required);
    failure_find(failure, FINDING_NAME_MISSPELT, 0);
    return false;
}

static const char *define_value(const struct run_options *options, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < options->build.define_count; i++)
        if (!strncmp(options->build.defines[i], name, length) &&
            options->build.defines[i][length] == '=')
            return options->build.defines[i] + length + 1;
    return NULL;
}

/* Returns the value of -D NAME=... if it is from 1 to `most`, and `manifest` otherwise. */
static uint64_t swept(const struct source *source, const char *name, uint64_t most,
                      uint64_t manifest)
{
    const char *value = define_value(source->options, name);
    unsigned long number = value ? strtoul(value, NULL, 10) : 0;
    return number >= 1 && number <= most ? number : manifest;
}

const char *source_kernel(const struct source *source)
{
    return source->options->build.loop_in_kernel ? "lab_loop" : source->kernel->name;
}

void source_lay_parameters(const struct source *source, const uint64_t *values,
                           unsigned char bytes[SOURCE_PARAMETER_BYTES])
{
    const struct run_options *options = source->options;
    const struct form *form = &source->exercise.form;
    const bool repaired = source->exercise.function < 0 && !options->build.loop_in_kernel;
    size_t at = 0;
    memset(bytes, 0, SOURCE_PARAMETER_BYTES);
    for (unsigned i = 0; i < form->count; i++) {
        size_t size = repaired ? source->kernel->parameters[i].bytes : parameter_bytes(form, i);
        at = (at + size - 1) / size * size;
        memcpy(bytes + at, &values[repaired ? source->order[i] : i], size);
        at += size;
    }
    memcpy(bytes + at, &options->build.repeats, 4); /* The last parameter of lab_loop is an int. */
}

typedef bool compile_function(const struct compile_request *request, struct compile_result *result,
                              struct failure *failure);

static bool compile_source(const struct source *source, compile_function *compile,
                           unsigned architecture, struct compile_result *result,
                           struct failure *failure)
{
    const struct run_options *options = source->options;
    size_t count = options->build.define_count;
    const char **defines = calloc(count + 1, sizeof *defines);
    char include[PATH_SIZE];
    if (!defines || !paths_in_root("include", include, failure)) {
        free(defines);
        return failure_harness(failure, "not enough memory");
    }
    for (size_t i = 0; i < count; i++)
        defines[i] = options->build.defines[i];
    if (options->build.loop_in_kernel)
        defines[count++] = "LAB_LOOP";
    struct compile_request request = {.source_path = source->path,
                                      .defines = defines,
                                      .define_count = count,
                                      .include_directory = include,
                                      .is_lab = true,
                                      .is_trial = options->build.is_trial,
                                      .architecture = architecture};
    bool good = compile(&request, result, failure);
    free(defines);
    return good;
}

bool source_parse(struct source *source, const char *ptx, size_t bytes, char *name, size_t size,
                  struct failure *failure)
{
    if (!ptx_parse(ptx, bytes, source->path, &source->module, failure))
        return false;
    read_lab_name(source, name, size);
    return true;
}

bool source_pose(struct source *source, const struct exercise *exercise, struct naming *naming,
                 bool repair, struct failure *failure)
{
    const bool batch = form_is_batch(&exercise->form);
    const char *launch = batch ? "LAB_LAUNCH(width, height, matrices) { return {grid, block}; }"
                               : "LAB_LAUNCH(width, height) { return {grid, block}; }";
    struct form loop = exercise->form, ask;
    char required[FORM_PROTOTYPE];
    source->exercise = *exercise;
    source->tile = (uint32_t)swept(source, "TILE_DIM", 1024, exercise->tile);
    if (batch)
        source->exercise.form.matrices =
            swept(source, "MATRICES", EXERCISE_MATRICES_MAX, exercise->form.matrices);
    /* At small sizes, the number of matrices differs from the run's, to detect constant grids. */
    const uint64_t few = exercise->form.matrices, matrices = source->exercise.form.matrices;
    source->few_matrices = matrices < few ? matrices : few + (batch && matrices == few);
    form_prototype(&exercise->form, required);
    if (source->options->build.loop_in_kernel && exercise->function >= 0)
        return failure_harness(failure, "--loop kernel repeats transposes only, not %s",
                               exercise->name);
    if (source->options->build.loop_in_kernel)
        loop.parameters[loop.count++].role = FORM_SCALAR;
    bool found = source->options->build.loop_in_kernel
                     ? check_kernel(source, "lab_loop", &loop, required, failure)
                     : find_kernel(source, naming, repair, required, failure);
    if (found && !ptx_find_function(&source->module, "lab_launch_shape")) {
        failure_student(failure, STATUS_COMPILE_ERROR,
                        "%s has no LAB_LAUNCH, which returns the launch configuration:\n  %s",
                        source->path, launch);
        failure_find(failure, FINDING_NO_LAUNCH, 0);
        return false;
    }
    const struct ptx_function *shape = ptx_find_function(&source->module, "lab_launch_shape");
    return found &&
           form_parse("lab_launch_shape",
                      shape->parameter_count > 3 ? "out unsigned shape[1], width, height, matrices"
                                                 : "out unsigned shape[1], width, height",
                      &ask, failure) &&
           check_kernel(source, "lab_launch_shape", &ask, launch, failure);
}

static bool find_exercise(const struct source *source, const char *name, struct exercise *exercise,
                          struct failure *failure)
{
    char root[PATH_SIZE];
    if (!paths_root(root, failure) || !exercise_check_place(root, source->path, name, failure))
        return false;
    return name[0] ? exercise_find(root, name, exercise, failure)
                   : source_fail_unnamed(source, failure);
}

bool source_load(struct source *source, const char *path, const struct run_options *options,
                 struct failure *failure)
{
    *source = (struct source){.path = path, .options = options};
    struct naming naming = {.path = path};
    struct failure unreadable = {0};
    struct exercise exercise;
    char name[64];
    size_t bytes = 0;
    char *text = whole_file_read(path, SOURCE_TEXT_MAX, &bytes, &unreadable);
    if (text)
        naming.code = source->code = code_text((const unsigned char *)text, bytes);
    array_shapes_read(path, options->build.defines, options->build.define_count, &source->shapes);
    bool good = compile_source(source, compile_to_ptx, COMPILE_EMULATED_ARCHITECTURE,
                               &source->compiled, failure) &&
                source_parse(source, source->compiled.ptx, source->compiled.ptx_bytes, name,
                             sizeof name, failure) &&
                find_exercise(source, name, &exercise, failure) &&
                source_pose(source, &exercise, &naming, false, failure);
    if (!good && source->code && failure->kind == FAILURE_STUDENT && !options->build.is_trial)
        compile_hints_add(source->code, &source->shapes, &naming, text, bytes, failure);
    free(text);
    return good;
}

bool source_compile_cubin(const struct source *source, unsigned architecture,
                          struct compile_result *result, struct failure *failure)
{
    return compile_source(source, compile_to_cubin, architecture, result, failure);
}

void source_find_machine_code(struct source *source, const struct device *device)
{
    const struct compile_result *ptx = &source->compiled;
    const unsigned architecture = (unsigned)device->compute_capability;
    const char *kernel = source_kernel(source);
    struct compile_result compiled = {0};
    struct failure failure = {0};
    if (architecture < COMPILE_EMULATED_ARCHITECTURE ||
        machine_code_of_ptx(ptx->ptx, ptx->ptx_bytes, architecture, kernel, &source->machine))
        return;
    if (source_compile_cubin(source, architecture, &compiled, &failure))
        machine_code_read(compiled.cubin, compiled.cubin_bytes, kernel, &source->machine);
    compile_result_free(&compiled);
}

void source_free(struct source *source)
{
    ptx_module_free(&source->module);
    compile_result_free(&source->compiled);
    free(source->code);
}

/* The first size, which is not square, has whole tiles, because it shows the pattern of a mistake
 * best. In the next sizes, the rows, the columns, or neither are a multiple of 4 (float4). Two
 * sizes have whole tiles in one direction and partial tiles in the other. */
static const struct source_size any_sizes[] = {{64, 96},  {100, 77}, {77, 100}, {33, 65},
                                               {95, 161}, {40, 96},  {96, 40},  {32, 32},
                                               {1, 70},   {70, 1},   {1, 1}};
static const struct source_size square_size = {128, 128};
/* Rows and columns, in tiles. */
static const struct source_size tile_sizes[] = {{2, 3}, {3, 2}, {4, 4}, {1, 1}};
struct source_size source_size_of(const struct source *source, struct source_size size)
{
    exercise_size(&source->exercise, &size.rows, &size.cols);
    return size;
}

unsigned source_small_sizes(const struct source *source, struct source_size *list)
{
    bool tiles = source->exercise.whole_tiles;
    const struct source_size *sizes = tiles ? tile_sizes : any_sizes;
    unsigned count =
        tiles ? sizeof tile_sizes / sizeof *tile_sizes : sizeof any_sizes / sizeof *any_sizes;
    uint64_t unit = tiles ? source->tile : 1;
    for (unsigned i = 0; i < count; i++)
        list[i] = source_size_of(source,
                                 (struct source_size){sizes[i].rows * unit, sizes[i].cols * unit});
    if (source->exercise.square && !tiles)
        list[0] = square_size;
    return count;
}

bool source_check_size(const struct source *source, struct source_size size,
                       struct failure *failure)
{
    uint64_t rows = size.rows, cols = size.cols;
    if (rows > MAX_DIMENSION || cols > MAX_DIMENSION || rows * cols >= MATRIX_MAX_ELEMENTS)
        return failure_harness(failure,
                               "%" PRIu64 " x %" PRIu64
                               " is too large: a matrix may have at most %llu elements",
                               rows, cols, (unsigned long long)MATRIX_MAX_ELEMENTS - 1);
    if (source->exercise.function >= 0) {
        struct arrays arrays = {.form = &source->exercise.form, .rows = rows, .cols = cols};
        if (!arrays_check(&arrays, failure))
            return false;
    }
    if (source->exercise.whole_tiles && (rows % source->tile || cols % source->tile))
        return failure_harness(
            failure,
            "lab %s works on whole tiles: rows and cols must be multiples of %u, "
            "not %" PRIu64 " x %" PRIu64,
            source->exercise.lab, source->tile, rows, cols);
    return true;
}

bool source_asker_open(struct source_asker *asker, const struct source *source,
                       const struct device *device, struct failure *failure)
{
    *asker = (struct source_asker){.device = device,
                                   .source = source,
                                   .is_anonymous = source->options->emulation.is_anonymous};
    memory_init(&asker->memory);
    struct memory_region *region = memory_map(&asker->memory, (unsigned char *)asker->words,
                                              sizeof asker->words, 256, "the launch shape");
    if (!region)
        return failure_harness(failure, "not enough memory");
    asker->address = region->base;
    return program_create(&source->module, &asker->memory, &asker->program, failure);
}

bool source_ask(struct source_asker *asker, struct source_size size, struct source_shape *shape,
                struct failure *failure)
{
    struct {
        uint64_t shape;
        int32_t width, height, matrices;
    } params = {asker->address, (int32_t)size.cols, (int32_t)size.rows,
                (int32_t)asker->source->exercise.form.matrices};
    struct emulator_launch launch = {
        .program = &asker->program,
        .function = program_find_entry(&asker->program, "lab_launch_shape"),
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .params = (const unsigned char *)&params,
        .memory = &asker->memory,
        .device = asker->device,
        .workers = 1,
        .block_budget = SHAPE_BUDGET,
        .is_anonymous = asker->is_anonymous,
    };
    struct emulator_result result;
    const uint32_t *words = asker->words;
    memset(asker->words, 0, sizeof asker->words);
    bool good = emulator_run(&launch, &result, failure);
    free(result.stats);
    *shape = (struct source_shape){.grid = {words[0], words[1], words[2]},
                                   .block = {words[3], words[4], words[5]},
                                   .dynamic_shared = words[6]};
    return good;
}

bool source_asker_is_new(const struct source_asker *asker)
{
    for (unsigned i = 0; i < asker->memory.count; i++) {
        const struct memory_region *region = &asker->memory.regions[i];
        if (region->base != asker->address && (region->is_written || region->is_heap))
            return false;
    }
    return true;
}

void source_asker_close(struct source_asker *asker)
{
    program_free(&asker->program);
    memory_free(&asker->memory);
}

bool source_fail_verification(const struct source *source, struct failure *wrong,
                              bool never_written, struct failure *failure)
{
    if (never_written && source->exercise.first_step[0]) {
        wrong->text[strcspn(wrong->text, "\n")] = 0;
        wrong->map[0] = 0;
        failure_append(wrong, NULL, "%s", source->exercise.first_step);
        failure_find(wrong, FINDING_NOT_BEGUN, 0);
    }
    return failure_pass(failure, wrong);
}

bool source_fail_at_size(struct source_size size, struct failure *wrong, struct failure *failure)
{
    wrong->rows = size.rows;
    wrong->cols = size.cols;
    failure_prepend(wrong, "at %" PRIu64 " x %" PRIu64 ": ", size.rows, size.cols);
    return failure_pass(failure, wrong);
}

static bool takes_other_order(const struct source *source)
{
    return source->declares_other_order &&
           memcmp(source->declared, source->order, sizeof source->order) != 0;
}

static const char *const roles[] = {"odata", "idata", "width", "height"};

const char *source_parameter_name(const struct source *source, unsigned i)
{
    return takes_other_order(source) ? roles[source->declared[i]]
                                     : source->exercise.form.parameters[i].name;
}

void source_report_order(const struct source *source, struct failure *failure)
{
    const unsigned char *order = source->declared;
    if (!takes_other_order(source) || failure->kind != FAILURE_STUDENT)
        return;
    failure_prepend(failure,
                    "the kernel declares its parameters as (%s, %s, %s, %s), but is called with "
                    "(odata, idata, width, height); this message uses the kernel's names\n",
                    roles[order[0]], roles[order[1]], roles[order[2]], roles[order[3]]);
    failure_find(failure, FINDING_PARAMETER_ORDER, 0);
}

void source_record(const struct source *source, struct record *record)
{
    const struct run_options *options = source->options;
    char directory[PATH_SIZE];
    snprintf(directory, sizeof directory, "%s", source->path);
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = 0;
    /* If the exercise is unknown or the file is in `variants`, the variant is the file's name. */
    char stem[128];
    snprintf(stem, sizeof stem, "%s", path_basename(source->path));
    char *dot = strrchr(stem, '.');
    if (dot)
        *dot = 0;
    bool known = source->exercise.lab[0];
    bool variant = slash && !strcmp(path_basename(directory), "variants");
    record_set_text(record, COLUMN_lab, "%s",
                    known   ? source->exercise.lab
                    : slash ? path_basename(directory)
                            : "-");
    record_set_text(record, COLUMN_variant, "%s", known && !variant ? source->exercise.name : stem);
    record_set_text(record, COLUMN_kernel, "%s",
                    known ? source->exercise.form.kernel : "transpose");
    char defines[RECORD_TEXT_SIZE] = "";
    for (size_t i = 0; i < options->build.define_count; i++)
        APPEND(defines, "%s%s", i ? " " : "", options->build.defines[i]);
    record_set_text(record, COLUMN_defines, "%s", defines);
    record_set_text(record, COLUMN_loop, "%s", options->build.loop_in_kernel ? "kernel" : "launch");
    record_set_count(record, COLUMN_seed, options->size.seed);
    if (source->compiled.ptx)
        record_set_text(record, COLUMN_compiler, "%s", source->compiled.description);
}
