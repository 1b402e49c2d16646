/* command_emulate.c: tlab emulate FILE ...: run any kernel on an emulated GPU. */
#include "base/paths.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "commands/command.h"
#include "compile/compile.h"
#include "emulator/emulator.h"
#include "picture/picture.h"
#include "process/allocate.h"
#include "process/machine_code.h"
#include "process/parallel.h"
#include "record/record.h"
#include "record/record_emulated.h"
#include "run/guest_argument.h"
#include "run/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Runs any kernel and counts its memory accesses. Each ARG is a kernel argument, in order:\n"
    "  out:TYPE:COUNT[@FILE]    an array that the kernel writes; FILE receives its raw bytes\n"
    "  in:TYPE:COUNT[@FILE]     an array that is only read, with seeded data or FILE's raw bytes\n"
    "  inout:TYPE:COUNT[@FILE]  an array that the kernel reads and writes\n"
    "  TYPE:VALUE               a scalar\n"
    "  raw:HEX                  the bytes of a structure, two hexadecimal digits each\n"
    "TYPE is f32 f64 i8 u8 i16 u16 i32 u32 i64 u64; for arrays also f16 bf16. Outputs are filled\n"
    "with bytes 0xff before the launch.\n";

enum { MAX_ARGUMENTS = 64, PARAMS_BYTES = 4096 };

struct emulate_command {
    const char *file, *kernel, *csv, *device_name;
    bool unchecked;
    uint32_t grid[3], block[3];
    uint64_t shared, seed, workers;
    struct device device;
    struct word_list defines, includes, symbols, operands;
    struct guest_argument arguments[MAX_ARGUMENTS];
    unsigned argument_count;
    struct compile_result compiled;
    struct ptx_module module;
    struct guest_memory memory;
    struct program program;
    struct array_shapes shapes;
    unsigned char params[PARAMS_BYTES];
    const char *picture, *out;
    uint32_t watched[3];
    uint64_t line, warp, time;
    struct block_accesses accesses;
    struct picture_file drawing;
};

static bool parse_arguments(struct emulate_command *emulate, int count, char **values,
                            struct failure *failure)
{
    const struct option_row rows[] = {
        TEXT_ROW("kernel", "NAME", &emulate->kernel, "name of the kernel"),
        TRIPLE_ROW("grid", emulate->grid, 1, "blocks of the grid"),
        TRIPLE_ROW("block", emulate->block, 1, "threads of a block"),
        NUMBER_ROW("shared", "BYTES", &emulate->shared, 0, 1 << 24,
                   "dynamic shared memory per block (default 0)"),
        TEXT_ROW("device", "NAME", &emulate->device_name,
                 "the GPU to emulate (default " OPTIONS_DEFAULT_DEVICE
                 "; `tlab devices` lists the GPUs)"),
        NUMBER_ROW("seed", "S", &emulate->seed, 0, UINT64_MAX, "seed of the data (default 1)"),
        TEXT_ROW("csv", "FILE", &emulate->csv,
                 "write the record as CSV; `-` prints only CSV, to standard output"),
        LIST_ROW("D", "NAME=VALUE", &emulate->defines, "define a macro"),
        LIST_ROW("I", "DIR", &emulate->includes, "search DIR for #include files"),
        LIST_ROW("set", "NAME=VALUES", &emulate->symbols,
                 "initialize a __constant__ or __device__ variable:\n"
                 "TYPE:VALUE,VALUE,..., raw:HEX or @FILE"),
        FLAG_ROW("no-checks", &emulate->unchecked,
                 "do not check for races and uninitialized reads"),
        NUMBER_ROW("threads", "N", &emulate->workers, 1, 64,
                   "number of worker threads (default: number of processors); the number has\n"
                   "no effect on results"),
        HEADING_ROW("Pictures"),
        TEXT_ROW("picture", "KIND", &emulate->picture,
                 "draw the `banks` or `sectors` of an access, like `tlab picture`"),
        TEXT_ROW("out", "FILE", &emulate->out,
                 "path of the picture: .png, .svg or .pdf (default KIND-FILE.png)"),
        NUMBER_ROW("line", "N", &emulate->line, 1, INT32_MAX,
                   "line of the .cu file (default: the line with the most conflicts or\n"
                   "excess sectors)"),
        TRIPLE_ROW("of-block", emulate->watched, 0, "block (default 0,0,0)"),
        NUMBER_ROW("warp", "W", &emulate->warp, 0, INT32_MAX, "warp of the block (default 0)"),
        NUMBER_ROW("time", "K", &emulate->time, 1, INT32_MAX,
                   "the warp's K-th access at that line (default 1)"),
    };
    const struct command_line line = {
        "emulate", "FILE.cu|FILE.ptx --kernel NAME --grid X --block X [OPTION...] ARG...", about,
        ROWS(rows), .operands = &emulate->operands};
    emulate->seed = emulate->time = 1;
    emulate->workers = parallel_processors();
    emulate->device_name = OPTIONS_DEFAULT_DEVICE;
    if (!command_line_parse(&line, count, values, failure))
        return false;
    const struct word_list *operands = &emulate->operands;
    if (!operands->count || !emulate->kernel || !emulate->grid[0] || !emulate->block[0])
        return failure_harness(failure, "tlab emulate requires a file, --kernel, --grid and "
                                        "--block; see `tlab emulate --help`");
    if (operands->count - 1 > MAX_ARGUMENTS)
        return failure_harness(failure, "more than %d kernel arguments", MAX_ARGUMENTS);
    if (emulate->picture && strcmp(emulate->picture, "banks") != 0 &&
        strcmp(emulate->picture, "sectors") != 0)
        return failure_harness(failure, "--picture must be banks or sectors, not `%s`",
                               emulate->picture);
    if (emulate->out && (!emulate->picture || !picture_file_check(emulate->out, failure)))
        return failure->kind != FAILURE_NONE ? false
                                             : failure_harness(failure, "--out requires --picture");
    emulate->file = operands->words[0];
    for (unsigned number = 1; number < operands->count; number++)
        if (!guest_argument_parse(operands->words[number], number,
                                  &emulate->arguments[emulate->argument_count++], failure))
            return false;
    return options_device(emulate->device_name, &emulate->device, failure);
}

/* Make the -I options with absolute paths, because compilers may run in other directories. */
static bool add_includes(const struct emulate_command *emulate, char ***options,
                         struct failure *failure)
{
    *options = allocate_checked(calloc(emulate->includes.count + 1, sizeof **options));
    for (size_t i = 0; i < emulate->includes.count; i++) {
        const char *directory = emulate->includes.words[i];
        char *path = realpath(directory, NULL);
        if (!path)
            return failure_harness(failure, "-I %s: %s", directory, strerror(errno));
        (*options)[i] = allocate_format("-I%s", path);
        free(path);
    }
    return true;
}

static bool load_module(struct emulate_command *emulate, struct failure *failure)
{
    if (text_ends_with(emulate->file, ".ptx")) {
        emulate->compiled.ptx =
            whole_file_read(emulate->file, PTX_MAX_TEXT, &emulate->compiled.ptx_bytes, failure);
        if (!emulate->compiled.ptx)
            return false;
    } else if (text_ends_with(emulate->file, ".cu")) {
        char include[PATH_SIZE], **options = NULL;
        bool good =
            paths_in_root("include", include, failure) && add_includes(emulate, &options, failure);
        struct compile_request request = {.source_path = emulate->file,
                                          .defines = emulate->defines.words,
                                          .define_count = emulate->defines.count,
                                          .include_directory = include,
                                          .options = (const char *const *)options,
                                          .option_count = emulate->includes.count,
                                          .architecture = COMPILE_EMULATED_ARCHITECTURE};
        good = good && compile_to_ptx(&request, &emulate->compiled, failure);
        for (size_t i = 0; options && i < emulate->includes.count; i++)
            free(options[i]);
        free(options);
        if (!good)
            return false;
        array_shapes_read(emulate->file, emulate->defines.words, emulate->defines.count,
                          &emulate->shapes);
    } else {
        return failure_harness(failure, "%s: only .cu and .ptx files can be emulated",
                               emulate->file);
    }
    return ptx_parse(emulate->compiled.ptx, emulate->compiled.ptx_bytes, emulate->file,
                     &emulate->module, failure);
}

/* --kernel is an exact name or an unambiguous C++ name. Returns the kernel's index, or -1. */
static int find_kernel(const struct emulate_command *emulate, struct failure *failure)
{
    int exact = program_find_entry(&emulate->program, emulate->kernel);
    if (exact >= 0)
        return exact;
    char mangled[256], names[1024] = "";
    snprintf(mangled, sizeof mangled, "_Z%zu%s", strlen(emulate->kernel), emulate->kernel);
    int found = -1, matches = 0;
    for (size_t i = 0; i < emulate->module.function_count; i++) {
        const struct ptx_function *function = &emulate->module.functions[i];
        if (!function->is_entry || function->is_declaration)
            continue;
        if (!strncmp(function->name, mangled, strlen(mangled))) {
            found = (int)i;
            matches++;
        }
        APPEND(names, "%s%s", *names ? ", " : "", function->name);
    }
    if (matches == 1)
        return found;
    failure_harness(failure, "%s has %s kernel `%s`; its kernels: %s", emulate->file,
                    matches ? "more than one" : "no", emulate->kernel, *names ? names : "none");
    return -1;
}

static unsigned char *find_variable(const struct emulate_command *emulate, const char *name,
                                    size_t length, uint64_t *bytes)
{
    for (size_t i = 0; i < emulate->module.variable_count; i++) {
        const struct ptx_variable *variable = &emulate->module.variables[i];
        uint64_t address = emulate->program.variables[i];
        if (strncmp(variable->name, name, length) || variable->name[length] ||
            address == UINT64_MAX)
            continue;
        *bytes = variable->bytes;
        if (variable->space == PTX_CONST)
            return emulate->program.constants + address;
        const struct memory_region *region =
            variable->space == PTX_GLOBAL ? memory_find(&emulate->memory, address) : NULL;
        return region ? region->host + (address - region->base) : NULL;
    }
    return NULL;
}

static bool set_variables(struct emulate_command *emulate, struct failure *failure)
{
    for (size_t i = 0; i < emulate->symbols.count; i++) {
        const char *text = emulate->symbols.words[i], *values = strchr(text, '=');
        uint64_t held = 0, given = 0;
        size_t length = values ? (size_t)(values - text) : 0;
        unsigned char *bytes = length ? find_variable(emulate, text, length, &held) : NULL;
        if (!bytes)
            return failure_harness(
                failure,
                "--set %s: %s has no __constant__ or __device__ variable of this name; "
                "write NAME=TYPE:VALUE,..., NAME=raw:HEX or NAME=@FILE",
                text, emulate->file);
        if (values[1] == '@') {
            size_t size = 0;
            char *file = whole_file_read(values + 2, held, &size, failure);
            if (!file)
                return false;
            given = size;
            memcpy(bytes, file, size);
            free(file);
        } else if (!guest_values_parse(values + 1, bytes, held, &given, failure)) {
            return false;
        }
        if (given > held || (values[1] == '@' && given != held))
            return failure_harness(failure,
                                   "--set %s: the variable has %" PRIu64
                                   " bytes, but the values have %" PRIu64 " bytes",
                                   text, held, given);
    }
    return true;
}

static bool pack_params(struct emulate_command *emulate, int function, struct failure *failure)
{
    const struct program_function *kernel = &emulate->program.functions[function];
    const struct ptx_function *source = kernel->source;
    if (source->parameter_count != emulate->argument_count)
        return failure_harness(failure, "kernel %s requires %zu arguments, not %u", source->name,
                               source->parameter_count, emulate->argument_count);
    if (kernel->kernel_params_bytes > PARAMS_BYTES)
        return failure_harness(failure, "kernel %s has more than %d bytes of parameters",
                               source->name, PARAMS_BYTES);
    for (unsigned i = 0; i < emulate->argument_count; i++) {
        const struct guest_argument *argument = &emulate->arguments[i];
        unsigned bytes = argument->is_array ? 8 : argument->element_bytes;
        uint64_t wanted = source->parameters[i].bytes;
        if (wanted != bytes)
            return failure_harness(failure,
                                   "argument %u of kernel %s has %" PRIu64
                                   " bytes, but %s given for this argument has %u bytes",
                                   i + 1, source->name, wanted,
                                   argument->is_array ? "the array's address" : "the value", bytes);
        memcpy(emulate->params + kernel->parameter_offsets[i],
               argument->is_raw ? (const void *)argument->bytes : &argument->bits, bytes);
    }
    return true;
}

enum { CHECKED_BYTES = 16 << 20, CHECKED_BLOCKS = 1 << 16 }; /* the same limits as in `tlab exec` */

static void note_unchecked(const struct emulator_launch *launch)
{
    uint64_t bytes = 0, blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    for (unsigned i = 0; i < launch->memory->count; i++)
        if (!launch->memory->regions[i].is_guard && !launch->memory->regions[i].is_heap)
            bytes += launch->memory->regions[i].bytes;
    if (launch->mode == LAUNCH_CHECK && (bytes > CHECKED_BYTES || blocks > CHECKED_BLOCKS))
        fprintf(stderr,
                "note: races in global memory were not checked: this check is limited to %d MiB of "
                "arrays and %d blocks\n",
                CHECKED_BYTES >> 20, CHECKED_BLOCKS);
}

static bool draw_picture(struct emulate_command *emulate, const struct emulator_launch *launch,
                         struct failure *failure)
{
    struct block_accesses *accesses = &emulate->accesses;
    struct picture_paths paths;
    struct picture_view view = {.path = emulate->file,
                                .line = (uint32_t)emulate->line,
                                .warp = (unsigned)emulate->warp,
                                .time = (unsigned)emulate->time};
    block_accesses_arrange(accesses, &emulate->module, emulate->file);
    return picture_paths_choose(&paths, emulate->picture, emulate->file, emulate->out, NULL,
                                failure) &&
           picture_file_begin(&emulate->drawing, paths.out, failure) &&
           (*emulate->picture == 'b' ? picture_banks : picture_sectors)(
               &emulate->drawing, &view, launch, accesses, failure) &&
           picture_file_finish(&emulate->drawing, emulate->picture, &paths, failure);
}

static bool launch_kernel(struct emulate_command *emulate, struct record *record,
                          struct failure *wrong, struct failure *failure)
{
    memory_init(&emulate->memory);
    for (unsigned i = 0; i < emulate->argument_count; i++)
        if (!guest_argument_create(&emulate->arguments[i], emulate->seed + i, &emulate->memory,
                                   failure))
            return false;
    if (!program_create(&emulate->module, &emulate->memory, &emulate->program, wrong))
        return wrong->kind != FAILURE_HARNESS || failure_harness(failure, "%s", wrong->text);
    program_take_shapes(&emulate->program, &emulate->memory, &emulate->shapes);
    int function = find_kernel(emulate, failure);
    if (function < 0 || !pack_params(emulate, function, failure) ||
        !set_variables(emulate, failure))
        return false;
    struct machine_code machine;
    const bool is_known = machine_code_of_ptx(emulate->compiled.ptx, emulate->compiled.ptx_bytes,
                                              (unsigned)emulate->device.compute_capability,
                                              emulate->module.functions[function].name, &machine);
    struct emulator_launch launch = {
        .program = &emulate->program,
        .function = function,
        .grid = {emulate->grid[0], emulate->grid[1], emulate->grid[2]},
        .block = {emulate->block[0], emulate->block[1], emulate->block[2]},
        .dynamic_shared = emulate->shared,
        .params = emulate->params,
        .memory = &emulate->memory,
        .device = &emulate->device,
        .workers = (unsigned)emulate->workers,
        .model_memory = true,
        .machine = is_known ? &machine : NULL,
        .mode = emulate->unchecked ? LAUNCH_COUNT : LAUNCH_CHECK,
        .checked_bytes = CHECKED_BYTES,
        .output = record_csv_only(emulate->csv) ? stderr : stdout,
    };
    struct emulator_result result;
    block_accesses_begin(&emulate->accesses, emulate->watched[0], emulate->watched[1],
                         emulate->watched[2]);
    launch.observer = emulate->picture ? &emulate->accesses.observer : NULL;
    bool good = emulator_run(&launch, &result, wrong);
    note_unchecked(&launch);
    if (good && result.later_race.kind != FAILURE_NONE)
        good = failure_student(wrong, result.later_race.status, "%s", result.later_race.text);
    record_set_text(record, COLUMN_kernel, "%s", emulate->module.functions[function].name);
    record_emulated_shape(record, &launch, &result);
    if (good)
        record_emulated_counters(record, &launch, &result, 1);
    free(result.stats);
    if (wrong->kind == FAILURE_HARNESS)
        return failure_harness(failure, "%s", wrong->text);
    for (unsigned i = 0; good && i < emulate->argument_count; i++)
        if (!guest_argument_save(&emulate->arguments[i], failure))
            return false;
    return !good || !emulate->picture || draw_picture(emulate, &launch, failure);
}

static bool emulate_kernel(struct emulate_command *emulate, struct record *record, int *status,
                           struct failure *failure)
{
    struct failure wrong = {0};
    record_clear(record);
    record_set_text(record, COLUMN_lab, "-");
    record_set_text(record, COLUMN_variant, "%s", path_basename(emulate->file));
    record_set_text(record, COLUMN_kernel, "%s", emulate->kernel);
    record_emulated_device(record, &emulate->device);
    record_set_text(record, COLUMN_loop, "launch");
    record_set_count(record, COLUMN_seed, emulate->seed);
    record_set_count(record, COLUMN_repeats, 1);
    if (load_module(emulate, &wrong)) {
        if (!launch_kernel(emulate, record, &wrong, failure))
            return false;
    } else if (wrong.kind == FAILURE_HARNESS) {
        return failure_harness(failure, "%s", wrong.text);
    }
    if (emulate->compiled.ptx)
        record_set_text(record, COLUMN_compiler, "%s", emulate->compiled.description);
    *status = failure_exit_status(&wrong);
    record_set_verdict(record, &wrong);
    return true;
}

int command_emulate(int count, char **values, struct failure *failure)
{
    struct emulate_command emulate = {0};
    struct record record = {0};
    int status = 0;
    if (parse_arguments(&emulate, count, values, failure) &&
        emulate_kernel(&emulate, &record, &status, failure) &&
        records_output(emulate.csv, &record, 1, failure) && status && record_csv_only(emulate.csv))
        fprintf(stderr, "%s\n", record_text(&record, COLUMN_reason));
    block_accesses_free(&emulate.accesses);
    picture_file_free(&emulate.drawing);
    program_free(&emulate.program);
    ptx_module_free(&emulate.module);
    compile_result_free(&emulate.compiled);
    memory_free(&emulate.memory);
    for (unsigned i = 0; i < emulate.argument_count; i++)
        guest_argument_free(&emulate.arguments[i]);
    free(emulate.defines.words);
    free(emulate.includes.words);
    free(emulate.symbols.words);
    free(emulate.operands.words);
    return failure->kind == FAILURE_HARNESS ? 2 : status;
}
