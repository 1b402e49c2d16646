/* line_counters.c: from the counters of instructions to those of lines. See line_counters.h. */
#include "view/line_counters.h"
#include "view/source_line.h"

#include <stdlib.h>

enum { MAX_CALL_DEPTH = 16 };

/* A call instruction that was executed. */
struct call_site {
    size_t function, instruction; /* where it stands */
    size_t callee;
    double executed;
};

struct gather {
    const struct emulator_launch *launch;
    const struct emulator_result *result;
    const char *path;
    struct line_counters *lines;
    size_t count;
    enum bound resource; /* that the time without the launch goes to */
    struct call_site *calls;
    size_t call_count;
};

static const struct instruction_stats *stats_of(const struct gather *gather, size_t function,
                                                size_t instruction)
{
    uint32_t base = gather->launch->program->functions[function].stats_base;
    return &gather->result->stats[base + instruction];
}

/* ---- Shares of the time ---- */

/* The largest bound, the launch aside. */
static enum bound find_resource(const struct timing *timing)
{
    enum bound largest = BOUND_DRAM;
    for (unsigned b = 0; b < BOUND_COUNT; b++)
        if (b != BOUND_LAUNCH && timing->bound_us[b] > timing->bound_us[largest])
            largest = (enum bound)b;
    return largest;
}

static bool is_store(const struct ptx_instruction *instruction)
{
    return instruction->opcode == PTX_OP_ST || instruction->opcode == PTX_OP_RED;
}

/* What an instruction asks of the resource. */
static double work_of(const struct gather *gather, size_t function, size_t number)
{
    const struct ptx_instruction *instruction =
        &gather->launch->program->module->functions[function].instructions[number];
    const struct instruction_stats *stats = stats_of(gather, function, number);
    switch (gather->resource) {
    case BOUND_L2:
        return (double)stats->transactions;
    case BOUND_LSU:
    case BOUND_SHARED:
        return (double)stats->wavefronts + (double)stats->transactions;
    case BOUND_ISSUE:
        return (double)stats->executed;
    case BOUND_LATENCY:
        return stats->sectors && !is_store(instruction) ? (double)stats->requests : 0;
    default:
        return (double)stats->sectors;
    }
}

static double total_work(const struct gather *gather)
{
    const struct ptx_module *module = gather->launch->program->module;
    double total = 0;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++)
            total += work_of(gather, f, i);
    return total;
}

/* ---- Lines ---- */

static bool find_calls(struct gather *gather)
{
    const struct ptx_module *module = gather->launch->program->module;
    size_t room = 1;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++)
            room += module->functions[f].instructions[i].opcode == PTX_OP_CALL;
    gather->calls = calloc(room, sizeof *gather->calls);
    for (size_t f = 0; gather->calls && f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++) {
            const struct ptx_instruction *call = &module->functions[f].instructions[i];
            double executed = (double)stats_of(gather, f, i)->executed;
            for (unsigned k = 0; call->opcode == PTX_OP_CALL && k < call->operand_count; k++)
                if (call->operands[k].kind == PTX_OPERAND_FUNCTION && executed > 0)
                    gather->calls[gather->call_count++] =
                        (struct call_site){f, i, (size_t)call->operands[k].index, executed};
        }
    return gather->calls != NULL;
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

/* Add `part` of what an instruction did to a line. A cp.async loads and stores. */
static void add_instruction(const struct gather *gather, size_t function, size_t number,
                            struct line_counters *line, double part, double share)
{
    const struct ptx_instruction *instruction =
        &gather->launch->program->module->functions[function].instructions[number];
    const struct instruction_stats *stats = stats_of(gather, function, number);
    bool both = stats->sectors && stats->wavefronts;
    enum line_access access = is_store(instruction) ? LINE_STORE : LINE_LOAD;
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

/* Charge `part` of an instruction to the line of the place, or to those that call its function. */
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

bool line_counters_gather(const struct emulator_launch *launch,
                          const struct emulator_result *result, const char *path,
                          struct line_counters *lines, size_t count)
{
    struct gather gather = {.launch = launch,
                            .result = result,
                            .path = path,
                            .lines = lines,
                            .count = count,
                            .resource = find_resource(&result->timing)};
    const struct ptx_module *module = launch->program->module;
    const struct timing *timing = &result->timing;
    if (!find_calls(&gather))
        return false;
    double total = total_work(&gather), share = 0;
    if (total > 0 && timing->time_us > 0)
        share = (1 - timing->bound_us[BOUND_LAUNCH] / timing->time_us) / total;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++)
            if (stats_of(&gather, f, i)->executed)
                charge(&gather, f, i, f, i, 1, share * work_of(&gather, f, i), 0);
    free(gather.calls);
    return true;
}
