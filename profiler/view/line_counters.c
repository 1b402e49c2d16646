/* line_counters.c: see line_counters.h. */
#include "view/line_counters.h"

#include "base/terminal.h"
#include "base/whole_file.h"
#include "emulator/emulator.h"
#include "emulator/sinks/observer.h"
#include "emulator/time/timing_share.h"
#include "process/allocate.h"
#include "text/code_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CALL_DEPTH = 16,
    MAX_INLINE_DEPTH = 64,
    DEFINITIONS_MAX = 256,
    SOURCE_MAX = 16 << 20 /* Bytes. */
};

/* ---- The line of an instruction ---- */

/* Returns the innermost line of `path` at a location or at its inlined calls. */
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

/* ---- The cost of a line ---- */

/* A call instruction that was executed. */
struct call_site {
    size_t function, instruction; /* the place of the call */
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
    return instruction->opcode == PTX_OP_ST                                          ? LINE_STORE
           : instruction->opcode == PTX_OP_ATOM || instruction->opcode == PTX_OP_RED ? LINE_ATOMIC
                                                                                     : LINE_LOAD;
}

static void find_calls(struct gather *gather)
{
    const struct ptx_module *module = gather->launch->program->module;
    size_t room = 1;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++)
            room += module->functions[f].instructions[i].opcode == PTX_OP_CALL;
    gather->calls = allocate_checked(calloc(room, sizeof *gather->calls));
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++) {
            const struct ptx_instruction *call = &module->functions[f].instructions[i];
            double executed = (double)stats_of(gather, f, i)->executed;
            for (unsigned k = 0; call->opcode == PTX_OP_CALL && k < call->operand_count; k++)
                if (call->operands[k].kind == PTX_OPERAND_FUNCTION && executed > 0)
                    gather->calls[gather->call_count++] =
                        (struct call_site){f, i, (size_t)call->operands[k].index, executed};
        }
}

static void add_access(struct access_sums *sums, const struct instruction_stats *stats,
                       double requests, bool shared, double part)
{
    double over =
        shared ? (double)stats->wavefronts - (double)stats->ideal : (double)stats->sectors;
    double before = shared ? sums->wavefronts - sums->ideal : sums->sectors;
    if (!sums->requests || part * over > before)
        sums->distance = stats->distance;
    sums->requests += part * requests;
    sums->bytes += part * (double)stats->bytes * requests / (double)stats->requests;
    if (shared) {
        sums->wavefronts += part * (double)stats->wavefronts;
        sums->ideal += part * (double)stats->ideal;
    } else {
        sums->sectors += part * (double)stats->sectors;
    }
}

/* Add a part of the counters of an instruction to a line. A cp.async both loads and stores. */
static void add_instruction(const struct gather *gather, size_t function, size_t number,
                            struct line_counters *line, double part, double share)
{
    const struct ptx_instruction *instruction =
        &gather->launch->program->module->functions[function].instructions[number];
    const struct instruction_stats *stats = stats_of(gather, function, number);
    bool both = stats->sectors && stats->wavefronts;
    enum line_access access = access_of(instruction);
    struct access_sums *global = &line->global[access],
                       *shared = &line->shared[both ? LINE_STORE : access];
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

/* Charge a part of an instruction to the line of the place, or to the lines that call its
 * function. */
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
}

void line_watch_wrong(void *context, const struct failure *wrong)
{
    (void)context, (void)wrong;
}

/* ---- The list for goals ---- */

static struct measured_line access_line(size_t number, const struct access_sums *sums, bool shared,
                                        bool store, const struct device *device)
{
    const uint64_t bytes = (uint64_t)sums->bytes;
    return (struct measured_line){
        .line = (uint32_t)number,
        .shared = shared,
        .store = store,
        .requests = (uint64_t)sums->requests,
        .used = (uint64_t)(shared ? sums->wavefronts : sums->sectors),
        .ideal = shared ? (uint64_t)sums->ideal
                        : (bytes + device->sector_bytes - 1) / device->sector_bytes,
        .time_share = sums->share,
    };
}

unsigned line_counters_list(const struct line_counters *lines, size_t count,
                            const struct device *device, struct measured_line *list, unsigned most)
{
    unsigned found = 0;
    for (size_t number = 1; number < count; number++)
        for (int access = 0; access < LINE_ATOMIC; access++)
            for (int shared = 0; shared < 2; shared++) {
                const struct access_sums *sums =
                    shared ? &lines[number].shared[access] : &lines[number].global[access];
                if (sums->requests > 0 && found < most)
                    list[found++] = access_line(number, sums, shared, access == LINE_STORE, device);
            }
    return found;
}

double line_ideal_sectors(const struct access_sums *sums, const struct device *device)
{
    bool is_sector = device->coalescing == COALESCE_SECTORS;
    double bytes = sums->bytes / sums->requests, each = sums->sectors / sums->requests;
    double ideal = is_sector ? fmax(1, bytes / (double)device->sector_bytes)
                             : fmax((double)device->warp_lanes / (double)device->shared_lanes,
                                    bytes / (double)device->line_bytes);
    return ideal < each ? ideal : each;
}

/* ---- The listing ---- */

/* The columns left of the source: access, "32/4", share of the time, number of the line. */
enum { ACCESS_COLUMNS = 13, EACH_COLUMNS = 9, SHARE_COLUMNS = 6, GUTTER_COLUMNS = 34 };

/* "global store      32/4": sectors or wavefronts per request, and the minimum. */
static void print_counters(FILE *out, const char *what, const struct access_sums *sums, bool shared,
                           const struct device *device)
{
    char each[32];
    snprintf(each, sizeof each, "%.3g/%.3g",
             (shared ? sums->wavefronts : sums->sectors) / sums->requests,
             shared ? sums->ideal / sums->requests : line_ideal_sectors(sums, device));
    fprintf(out, "%-*s%*s", ACCESS_COLUMNS, what, EACH_COLUMNS, each);
}

static void print_share(FILE *out, double share)
{
    if (share >= 0.0005)
        fprintf(out, "%*.1f", SHARE_COLUMNS, 100 * share);
    else
        fprintf(out, "%*s", SHARE_COLUMNS, "");
}

/* Row r of a line: accesses to global memory, then to shared memory. */
enum { ROWS = 2 * LINE_ACCESSES };
static const char *const row_names[ROWS] = {"global load", "global store", "global atomic",
                                            "shared load", "shared store", "shared atomic"};

static bool row_is_shared(unsigned row)
{
    return row >= LINE_ACCESSES;
}

static const struct access_sums *row_of(const struct line_counters *line, unsigned row)
{
    return row_is_shared(row) ? &line->shared[row - LINE_ACCESSES] : &line->global[row];
}

/* Print the text of a line, whose continuation lines begin below it. */
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

/* Print one source line with a row for each kind of access. The first row includes the share of the
 * line's other instructions. */
static void print_line(FILE *out, size_t number, const char *text, const struct line_counters *line,
                       const struct device *device)
{
    double others = line->share;
    bool printed = false;
    for (unsigned row = 0; row < ROWS; row++)
        others -= row_of(line, row)->share;
    for (unsigned row = 0; row < ROWS; row++) {
        const struct access_sums *sums = row_of(line, row);
        if (!sums->requests)
            continue;
        print_counters(out, row_names[row], sums, row_is_shared(row), device);
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
    for (unsigned row = 0; row < ROWS; row++)
        requests += row_of(line, row)->requests;
    return requests > 0;
}

/* True if a definition is a kernel or has costs. */
static bool is_shown(const struct code_definition *definition, const struct line_counters *lines,
                     size_t count)
{
    bool costs = definition->is_kernel;
    for (size_t i = definition->first; i <= definition->last && i < count; i++)
        costs |= lines[i].share > 0 || has_accesses(&lines[i]);
    return costs;
}

/* Print the lines from `first` to `last`. */
static void print_range(FILE *out, char *code, size_t first, size_t last,
                        const struct line_counters *lines, size_t count,
                        const struct device *device)
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
        print_line(out, number, line, number < count ? &lines[number] : &nothing, device);
        free(line);
    }
}

bool line_counters_print(FILE *out, const char *path, const struct line_counters *lines,
                         size_t count, const struct device *device)
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
            print_range(out, code, found[i].first, found[i].last, lines, count, device);
        }
    if (!shown)
        print_range(out, code, 1, SIZE_MAX, lines, count, device);
    if (has_accesses(&lines[0]))
        print_line(out, 0, "(called from no line of this file)", &lines[0], device);
    free(code);
    return true;
}
