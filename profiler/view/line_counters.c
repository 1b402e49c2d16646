#include "view/line_counters.h"

#include "base/terminal.h"
#include "base/whole_file.h"
#include "base/wording.h"
#include "emulator/emulator.h"
#include "emulator/sinks/observer.h"
#include "emulator/time/timing_share.h"
#include "process/allocate.h"
#include "process/machine_code.h"
#include "text/code_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CALL_DEPTH = 16,
    MAX_INLINE_DEPTH = 64,
    DEFINITIONS_MAX = 256,
    SOURCE_MAX = 16 << 20 /* In bytes. */
};

#define KIND(space, access, accesses, verb, is_shared, columns)                                    \
    {                                                                                              \
#space, #access, accesses, verb, is_shared, COLUMN_##space##_##access##_requests, columns  \
    }
const struct line_access_info line_accesses[LINE_ACCESSES] = {
    KIND(global, load, "loads", "read", false, 2),
    KIND(global, store, "stores", "write", false, 2),
    {"global", "atomic", "atomic operations", "update", false, COLUMN_COUNT, 0},
    KIND(shared, load, "loads", "read", true, 4),
    KIND(shared, store, "stores", "write", true, 4),
    {"shared", "atomic", "atomic operations", "update", true, COLUMN_COUNT, 0},
};

/* Returns the line in `path` of a location or of its innermost inlined call there; otherwise 0. */
static uint32_t line_at(const struct ptx_module *module, int32_t location, const char *path)
{
    for (unsigned depth = 0; depth < MAX_INLINE_DEPTH && location >= 0; depth++) {
        if ((size_t)location >= module->location_count)
            return 0;
        const struct ptx_location *at = &module->locations[location];
        const char *file = at->file < module->file_count ? module->files[at->file] : NULL;
        if (file && at->line && !strcmp(file, path))
            return at->line;
        location = at->inlined_at;
    }
    return 0;
}

uint32_t source_line(const struct ptx_module *module, const struct ptx_function *function,
                     size_t instruction, const char *path)
{
    uint32_t line = 0;
    for (size_t i = instruction + 1; !line && i-- > 0;)
        line = line_at(module, function->instructions[i].location, path);
    return line;
}

uint32_t source_line_of_access(const struct ptx_module *module,
                               const struct observed_access *access, const char *path)
{
    const struct observed_place *place = &access->place;
    for (unsigned depth = 0;; place = &access->callers[depth++]) {
        uint32_t line =
            source_line(module, &module->functions[place->function], place->instruction, path);
        if (line || depth == access->caller_count)
            return line;
    }
}

struct call_site {
    size_t function, instruction;
    size_t callee;
    double executed;
};

struct gather {
    const struct emulator_launch *launch;
    const struct emulator_result *result;
    const char *path;
    struct line_counters *lines;
    size_t count;
    struct call_site *calls;
    size_t call_count;
};

static const struct instruction_stats *stats_of(const struct gather *gather, size_t function,
                                                size_t instruction)
{
    uint32_t base = gather->launch->program->functions[function].stats_base;
    return &gather->result->stats[base + instruction];
}

static enum line_access access_of(const struct ptx_instruction *instruction)
{
    return instruction->opcode == PTX_OP_ST                                          ? GLOBAL_STORE
           : instruction->opcode == PTX_OP_ATOM || instruction->opcode == PTX_OP_RED ? GLOBAL_ATOMIC
                                                                                     : GLOBAL_LOAD;
}

static void find_calls(struct gather *gather)
{
    const struct ptx_module *module = gather->launch->program->module;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++) {
            const struct ptx_instruction *call = &module->functions[f].instructions[i];
            double executed = (double)stats_of(gather, f, i)->executed;
            for (unsigned k = 0; call->opcode == PTX_OP_CALL && k < call->operand_count; k++)
                if (call->operands[k].kind == PTX_OPERAND_FUNCTION && executed > 0) {
                    allocate_room(&gather->calls, gather->call_count, sizeof *gather->calls);
                    gather->calls[gather->call_count++] =
                        (struct call_site){f, i, (size_t)call->operands[k].index, executed};
                }
        }
}

static void add_access(struct access_sums *sums, const struct instruction_stats *stats,
                       double requests, bool shared, double part)
{
    const double used = (double)(shared ? stats->wavefronts : stats->sectors),
                 ideal = shared ? (double)stats->ideal : 0;
    if (!sums->requests || part * (used - ideal) > sums->used - sums->ideal)
        sums->distance = stats->distance;
    sums->requests += part * requests;
    sums->bytes += part * (double)stats->bytes * requests / (double)stats->requests;
    sums->used += part * used;
    sums->ideal += part * ideal;
}

/* Add the fraction `part` of an instruction's counters to a line. A cp.async instruction counts as
 * a load and as a store. */
static void add_instruction(const struct gather *gather, size_t function, size_t number,
                            struct line_counters *line, double part, double share)
{
    const struct ptx_instruction *instruction =
        &gather->launch->program->module->functions[function].instructions[number];
    const struct instruction_stats *stats = stats_of(gather, function, number);
    bool both = stats->sectors && stats->wavefronts;
    const enum line_access access = access_of(instruction);
    struct access_sums *global = &line->accesses[access],
                       *shared = &line->accesses[both ? SHARED_STORE : SHARED_LOAD + access];
    double requests = (double)stats->requests / (both ? 2 : 1);
    line->share += part * share;
    if (stats->sectors) {
        add_access(global, stats, requests, false, part);
        global->share += part * share;
    }
    if (stats->wavefronts) {
        add_access(shared, stats, requests, true, part);
        shared->share += both ? 0 : part * share;
    }
}

/* Charge the line of a place or, without a line, the lines that call the place's function. */
static void charge(const struct gather *gather, size_t function, size_t number,
                   size_t place_function, size_t place, double part, double share, unsigned depth)
{
    const struct ptx_module *module = gather->launch->program->module;
    uint32_t line = source_line(module, &module->functions[place_function], place, gather->path);
    double executed = 0;
    for (size_t c = 0; !line && depth < MAX_CALL_DEPTH && c < gather->call_count; c++)
        if (gather->calls[c].callee == place_function)
            executed += gather->calls[c].executed;
    if (executed <= 0) {
        struct line_counters *to = &gather->lines[line < gather->count ? line : 0];
        add_instruction(gather, function, number, to, part, share);
        return;
    }
    for (size_t c = 0; c < gather->call_count; c++) {
        const struct call_site *call = &gather->calls[c];
        if (call->callee == place_function)
            charge(gather, function, number, call->function, call->instruction,
                   part * call->executed / executed, share, depth + 1);
    }
}

/* Returns the minimum of sectors (CC 1.x: segments) for the bytes of an average global request. If
 * lanes access the same bytes and the actual number is lower, returns the actual number. */
static double ideal_sectors(const struct access_sums *sums, const struct device *device)
{
    const bool is_sector = device->coalescing == COALESCE_SECTORS;
    const double bytes = sums->bytes / sums->requests, each = sums->used / sums->requests;
    const double ideal = is_sector ? fmax(1, bytes / (double)device->sector_bytes)
                                   : fmax((double)device->warp_lanes / (double)device->shared_lanes,
                                          bytes / (double)device->line_bytes);
    return ideal < each ? ideal : each;
}

void line_counters_gather(const struct emulator_launch *launch,
                          const struct emulator_result *result, const char *path,
                          struct line_counters *lines, size_t count)
{
    struct gather gather = {
        .launch = launch, .result = result, .path = path, .lines = lines, .count = count};
    const struct ptx_module *module = launch->program->module;
    double *shares =
        allocate_checked(calloc(launch->program->instruction_count + 1, sizeof *shares));
    find_calls(&gather);
    if (!timing_shares(&result->timing, launch->program, result->stats, launch->device, shares))
        allocate_checked(NULL);
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++)
            if (stats_of(&gather, f, i)->executed)
                charge(&gather, f, i, f, i, 1, shares[launch->program->functions[f].stats_base + i],
                       0);
    for (size_t line = 0; line < count; line++)
        for (unsigned a = 0; a < SHARED_LOAD; a++) {
            struct access_sums *sums = &lines[line].accesses[a];
            if (sums->requests > 0)
                sums->ideal = sums->requests * ideal_sectors(sums, launch->device);
        }
    free(gather.calls);
    free(shares);
}

struct time_goes time_goes_where(const struct emulator_result *result)
{
    return (struct time_goes){.bound = bound_name(result->timing.bound),
                              .to_launch = result->timing.bound == BOUND_LAUNCH,
                              .to_partition = result->timing.bound == BOUND_PARTITION,
                              .conflict_share = result->conflict_share};
}

void line_watch_inspect(void *context, const struct emulator_launch *launch,
                        const struct emulator_result *result)
{
    struct line_watch *watch = context;
    free(watch->lines);
    watch->lines = allocate_checked(calloc(LINE_WATCH_LINES, sizeof *watch->lines));
    line_counters_gather(launch, result, watch->path, watch->lines, LINE_WATCH_LINES);
    watch->time_goes = time_goes_where(result);
    watch->launch_share = result->timing.bound_us[BOUND_LAUNCH] / result->timing.time_us;
    snprintf(watch->explanation, sizeof watch->explanation, "%s", result->explanation);
    timing_explain(&result->timing, watch->limits, sizeof watch->limits);
    if (launch->machine)
        text_append(watch->limits, sizeof watch->limits,
                    "; machine code: %u registers, %" PRIu64 " bytes of local memory, %" PRIu64
                    " instructions, occupancy %.3g %%",
                    launch->machine->registers, launch->machine->local_bytes,
                    launch->machine->instructions, result->occupancy_pct);
}

void line_watch_wrong(void *context, const struct failure *wrong)
{
    (void)context, (void)wrong;
}

static struct measured_line access_line(size_t number, const struct access_sums *sums,
                                        enum line_access access, const struct device *device)
{
    const uint64_t bytes = (uint64_t)sums->bytes;
    const bool shared = line_accesses[access].is_shared;
    return (struct measured_line){
        .line = (uint32_t)number,
        .shared = shared,
        .store = access == GLOBAL_STORE || access == SHARED_STORE,
        .requests = (uint64_t)sums->requests,
        .used = (uint64_t)sums->used,
        .ideal = shared ? (uint64_t)sums->ideal
                        : (bytes + device->sector_bytes - 1) / device->sector_bytes,
        .distance = sums->distance,
        .time_share = sums->share,
    };
}

unsigned line_counters_list(const struct line_counters *lines, size_t count,
                            const struct device *device, struct measured_line *list, unsigned most)
{
    unsigned found = 0;
    for (size_t number = 1; number < count; number++)
        for (enum line_access access = 0; access < LINE_ACCESSES; access++) {
            const struct access_sums *sums = &lines[number].accesses[access];
            if (line_accesses[access].columns && sums->requests > 0 && found < most)
                list[found++] = access_line(number, sums, access, device);
        }
    return found;
}

/* GUTTER_COLUMNS is the width of all columns to the left of the source. */
enum { ACCESS_COLUMNS = 13, EACH_COLUMNS = 9, SHARE_COLUMNS = 6, GUTTER_COLUMNS = 34 };

static void print_counters(FILE *out, enum line_access access, const struct access_sums *sums)
{
    char what[32], each[32];
    snprintf(what, sizeof what, "%s %s", line_accesses[access].space, line_accesses[access].access);
    snprintf(each, sizeof each, "%.3g/%.3g", sums->used / sums->requests,
             sums->ideal / sums->requests);
    fprintf(out, "%-*s%*s", ACCESS_COLUMNS, what, EACH_COLUMNS, each);
}

static void print_share(FILE *out, double share)
{
    if (share >= 0.0005)
        fprintf(out, "%*.1f", SHARE_COLUMNS, 100 * share);
    else
        fprintf(out, "%*s", SHARE_COLUMNS, "");
}

static void print_text(FILE *out, size_t number, const char *text)
{
    const size_t width = terminal_width(), own = GUTTER_COLUMNS + strspn(text, " ") + 2;
    struct fold fold = {.out = out,
                        .width = width ? width : SIZE_MAX,
                        .indent = own < width - width / 4 ? own : GUTTER_COLUMNS,
                        .column = GUTTER_COLUMNS};
    fprintf(out, "%4zu  ", number);
    fold_write(&fold, text, strlen(text));
}

/* The first row also contains the time share of all other instructions of the line. */
static void print_line(FILE *out, size_t number, const char *text, const struct line_counters *line)
{
    double others = line->share;
    bool printed = false;
    for (unsigned a = 0; a < LINE_ACCESSES; a++)
        others -= line->accesses[a].share;
    for (enum line_access a = 0; a < LINE_ACCESSES; a++) {
        const struct access_sums *sums = &line->accesses[a];
        if (!sums->requests)
            continue;
        print_counters(out, a, sums);
        print_share(out, sums->share + (printed ? 0 : others));
        if (!printed)
            print_text(out, number, text);
        fputc('\n', out);
        printed = true;
    }
    if (printed)
        return;
    fprintf(out, "%*s", ACCESS_COLUMNS + EACH_COLUMNS, "");
    print_share(out, line->share);
    print_text(out, number, text);
    fputc('\n', out);
}

static bool has_accesses(const struct line_counters *line)
{
    double requests = 0;
    for (unsigned a = 0; a < LINE_ACCESSES; a++)
        requests += line->accesses[a].requests;
    return requests > 0;
}

static bool is_shown(const struct code_definition *definition, const struct line_counters *lines,
                     size_t count)
{
    bool costs = definition->is_kernel;
    for (size_t i = definition->first; i <= definition->last && i < count; i++)
        costs |= lines[i].share > 0 || has_accesses(&lines[i]);
    return costs;
}

static void print_range(FILE *out, char *code, size_t first, size_t last,
                        const struct line_counters *lines, size_t count)
{
    static const struct line_counters nothing;
    size_t number = 1;
    for (char *text = code, *end; *text && number <= last; text = end, number++) {
        const size_t length = strcspn(text, "\n");
        end = text + length + (text[length] == '\n');
        if (number < first)
            continue;
        char *line = allocate_checked(strndup(text, length));
        line[strcspn(line, "\r")] = 0;
        print_line(out, number, line, number < count ? &lines[number] : &nothing);
        free(line);
    }
}

bool line_counters_print(FILE *out, const char *path, const struct line_counters *lines,
                         size_t count)
{
    struct code_definition found[DEFINITIONS_MAX];
    struct failure failure = {0};
    size_t size, shown = 0;
    char *code = whole_file_read(path, SOURCE_MAX, &size, &failure);
    if (!code)
        return false;
    fprintf(out, "%-*s%*s%*s  line\n", ACCESS_COLUMNS, "access", EACH_COLUMNS, "each/min",
            SHARE_COLUMNS, "time%");
    const size_t definitions = code_definitions(code, size, found, DEFINITIONS_MAX);
    for (size_t i = 0; i < definitions; i++)
        if (is_shown(&found[i], lines, count)) {
            if (shown++)
                putc('\n', out);
            print_range(out, code, found[i].first, found[i].last, lines, count);
        }
    if (!shown)
        print_range(out, code, 1, SIZE_MAX, lines, count);
    if (has_accesses(&lines[0]))
        print_line(out, 0, "(called from no line of this file)", &lines[0]);
    free(code);
    return true;
}
