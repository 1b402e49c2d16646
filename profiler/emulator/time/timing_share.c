#include "emulator/time/timing_share.h"

#include "emulator/time/timing_code.h"

static enum bound largest_resource(const struct timing *timing)
{
    enum bound largest = BOUND_DRAM;
    for (unsigned b = 0; b < BOUND_COUNT; b++)
        if (b != BOUND_LAUNCH && timing->bound_us[b] > timing->bound_us[largest])
            largest = (enum bound)b;
    return largest;
}

static double work_of(enum bound resource, const struct ptx_instruction *instruction,
                      const struct instruction_stats *stats, const struct slots *slots,
                      const struct device *device)
{
    const bool stores = instruction->opcode == PTX_OP_ST, adds = instruction->opcode == PTX_OP_RED;
    switch (resource) {
    case BOUND_L2:
        return (double)stats->transactions;
    case BOUND_LSU:
    case BOUND_SHARED:
        return (double)stats->wavefronts + (double)stats->transactions;
    case BOUND_CONSTANT:
        return instruction->space == PTX_CONST ? (double)stats->executed : 0;
    case BOUND_ISSUE:
        return slots->issue * (double)stats->executed +
               device->issue_slots_per_conflict *
                   ((double)stats->wavefronts - (double)stats->ideal);
#define X(id, ...) case BOUND_##id:
        PIPE_LIST(X)
#undef X
        return slots->pipes[resource - BOUND_ISSUE - 1] * (double)stats->executed;
    case BOUND_ATOMIC:
        return stats->sectors && (adds || instruction->opcode == PTX_OP_ATOM) ? (double)stats->bytes
                                                                              : 0;
    case BOUND_LATENCY:
        return stats->sectors && !stores && !adds ? (double)stats->requests : 0;
    default:
        return (double)stats->sectors;
    }
}

bool timing_shares(const struct timing *timing, const struct program *program,
                   const struct instruction_stats *stats, const struct device *device,
                   double *shares)
{
    enum bound resource = largest_resource(timing);
    double total = 0, whole = 0;
    struct code code;
    bool good = code_read(program, device, &code);
    for (size_t f = 0; good && f < program->module->function_count; f++) {
        const struct ptx_function *function = &program->module->functions[f];
        uint32_t at = program->functions[f].stats_base;
        for (size_t i = 0; i < function->instruction_count; i++, at++)
            total += shares[at] = work_of(resource, &function->instructions[i], &stats[at],
                                          &code.costs[at].slots, device);
    }
    if (total > 0 && timing->time_us > 0)
        whole = (1 - timing->bound_us[BOUND_LAUNCH] / timing->time_us) / total;
    for (uint32_t i = 0; good && i < code.count; i++)
        shares[i] *= whole;
    code_free(&code);
    return good;
}
