/* measure_mistake.c: find the mistakes of an incorrect kernel; see measure_work.h. */
#include "judge/measure_work.h"

#include "emulator/emulator.h"

#include <string.h>

/* The repair of a mistake, and the sizes at which the mistake has no effect. */
static const struct repairing {
    unsigned repair;
    bool whole, square;
    bool margin; /* accept incorrect elements in the outermost rows and columns */
} repairs[RUBRIC_MISTAKE_COUNT] = {
    [RUBRIC_MISTAKE_EDGES] = {.whole = true},
    [RUBRIC_MISTAKE_BARRIER] = {.repair = EMULATOR_REPAIR_BARRIERS},
    [RUBRIC_MISTAKE_SHARED] = {.repair = EMULATOR_REPAIR_SHARED},
    [RUBRIC_MISTAKE_SQUARES] = {.whole = true, .square = true},
};

static bool applies_to(const struct measure_work *work, const struct repairing *repairing,
                       const struct rubric_size *size)
{
    const uint64_t tile = work->rubric->exercise.tile;
    return (!repairing->whole || !(size->rows % tile || size->cols % tile)) &&
           (!repairing->square || size->rows == size->cols);
}

static bool repaired_sizes(struct measure_work *work, const struct repairing *repairing,
                           bool hidden)
{
    struct measured_size measured;
    for (unsigned i = 0; i < work->rubric->size_count; i++) {
        const struct rubric_size *size = &work->rubric->sizes[i];
        if (size->hidden != hidden || !applies_to(work, repairing, size))
            continue;
        /* Repaired kernels are slow, and repaired_at_large verifies a large size. */
        if (size->kind == RUBRIC_HUGE && repairing->repair && work->is_right_at_huge)
            continue;
        const bool anew = repairing->repair || repairing->margin || measure_takes_long(size);
        if (anew ? !measure_size(work, size, &measured)
                 : work->measurement->sizes[i].status != STATUS_OK)
            return false;
    }
    return true;
}

static bool repaired_runs(struct measure_work *work, const struct repairing *repairing, bool hidden)
{
    for (unsigned i = 0; i < work->rubric->run_count; i++) {
        struct measured_run *counted = &work->measurement->repaired[i];
        if (work->rubric->runs[i].hidden != hidden)
            continue;
        if (repairing->repair || repairing->square || repairing->margin || hidden)
            measure_run(work, i, repairing->square, counted);
        else
            *counted = work->measurement->runs[i];
        if (!measured_right(work->rubric, i, counted))
            return false;
    }
    if (hidden)
        measure_twins(work->rubric, work->measurement->repaired);
    return true;
}

static bool repaired_at_large(struct measure_work *work, const struct repairing *repairing)
{
    struct rubric_size size = work->rubric->whole;
    struct measured_size measured;
    if (repairing->square)
        size.rows = size.cols = size.rows < size.cols ? size.rows : size.cols;
    return measure_size(work, &size, &measured);
}

static bool is_right_repaired(struct measure_work *work, const struct repairing *repairing)
{
    const bool computes = work->rubric->exercise.function >= 0;
    work->options.emulation.repair =
        repairing->repair | (repairing->margin && computes ? EMULATOR_REPAIR_BOUNDS : 0);
    work->options.emulation.spares_margin = repairing->margin;
    work->wrong_in_hiding = false;
    work->whole_only = repairing->whole;
    work->square_only = repairing->square;
    bool right = repaired_sizes(work, repairing, false) && repaired_runs(work, repairing, false) &&
                 repaired_sizes(work, repairing, true) && repaired_runs(work, repairing, true) &&
                 repaired_at_large(work, repairing);
    work->options.emulation.repair = 0;
    work->options.emulation.spares_margin = false;
    return right;
}

/* Returns true for a barrier for some of the threads, or with a number other than 0. */
static bool is_partial_barrier(const struct ptx_instruction *instruction)
{
    const struct ptx_operand *number = &instruction->operands[0];
    const bool of_block =
        instruction->opcode == PTX_OP_BAR || instruction->opcode == PTX_OP_BARRIER;
    return of_block && !ptx_has(instruction, PTX_MOD_WARP) &&
           (instruction->operand_count != 1 || number->kind != PTX_OPERAND_INTEGER ||
            number->integer);
}

static bool is_register(const struct ptx_operand *operand, int32_t number)
{
    const bool holds =
        operand->kind == PTX_OPERAND_REGISTER ||
        (operand->kind == PTX_OPERAND_ADDRESS && operand->address_kind == PTX_OPERAND_REGISTER);
    return (holds && operand->index == number) || operand->second == number;
}

static bool is_named_elsewhere(const struct ptx_function *function, int32_t number, size_t at)
{
    for (size_t i = 0; i < function->vector_operand_count; i++)
        if (is_register(&function->vector_operands[i], number))
            return true;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        if (instruction->guarded && instruction->guard == number)
            return true;
        for (unsigned o = i == at; o < instruction->operand_count; o++)
            if (is_register(&instruction->operands[o], number))
                return true;
    }
    return false;
}

/* Returns true if the result of the atomic operation is used. Only such an operation orders
 * threads. */
static bool has_result(const struct ptx_function *function, size_t at)
{
    const struct ptx_operand *old = &function->instructions[at].operands[0];
    return old->kind != PTX_OPERAND_SINK &&
           (old->kind != PTX_OPERAND_REGISTER || is_named_elsewhere(function, old->index, at));
}

static bool orders_threads(const struct ptx_function *function, size_t at)
{
    const struct ptx_instruction *instruction = &function->instructions[at];
    switch (instruction->opcode) {
    case PTX_OP_ATOM:
        return has_result(function, at);
    case PTX_OP_NANOSLEEP:
        return true;
    case PTX_OP_LD:
    case PTX_OP_ST:
        return ptx_has(instruction, PTX_MOD_VOLATILE) || ptx_has(instruction, PTX_MOD_RELAXED) ||
               ptx_has(instruction, PTX_MOD_ACQUIRE) || ptx_has(instruction, PTX_MOD_RELEASE);
    case PTX_OP_MOV:
        return instruction->operands[1].kind == PTX_OPERAND_SPECIAL &&
               instruction->operands[1].index >= PTX_SPECIAL_CLOCK &&
               instruction->operands[1].index <= PTX_SPECIAL_GLOBALTIMER_HI;
    default:
        return is_partial_barrier(instruction);
    }
}

static bool has_own_order(const struct ptx_module *module)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++)
            if (orders_threads(&module->functions[f], i))
                return true;
    return false;
}

static bool may_be(const struct measure_work *work, enum rubric_mistake mistake)
{
    return work->rubric->mistakes[mistake] > 0 && !work->ran_away &&
           (mistake != RUBRIC_MISTAKE_BARRIER || !has_own_order(&work->source.module));
}

/* Returns true if the kernel is correct after the repair of both mistakes, and saves the mistakes
 * in the measurement. `second` may be RUBRIC_MISTAKE_NONE. */
static bool try_mistakes(struct measure_work *work, enum rubric_mistake first,
                         enum rubric_mistake second, bool margin)
{
    struct measurement *measurement = work->measurement;
    const struct repairing *a = &repairs[first], *b = &repairs[second];
    const struct repairing both = {a->repair | b->repair, a->whole || b->whole,
                                   a->square || b->square, margin};
    if (!may_be(work, first) || (second && !may_be(work, second)) ||
        !is_right_repaired(work, &both))
        return false;
    measurement->mistake = first;
    measurement->second_mistake = second;
    measurement->spares_margin = margin;
    return true;
}

/* Find one mistake; otherwise a guard that is off by one; otherwise two mistakes. */
static bool find_mistake(struct measure_work *work)
{
    for (unsigned i = RUBRIC_MISTAKE_NONE + 1; i < RUBRIC_MISTAKE_COUNT; i++)
        if (try_mistakes(work, (enum rubric_mistake)i, RUBRIC_MISTAKE_NONE, false))
            return true;
    /* If a guard of a load is off by one, part of shared memory is uninitialized. Therefore, the
     * second iteration of this loop disables the checks. */
    const bool uninitialised = work->measurement->sizes[0].status == STATUS_UNINITIALISED;
    for (work->unchecked = false;; work->unchecked = true) {
        const bool found = try_mistakes(work, RUBRIC_MISTAKE_EDGES, RUBRIC_MISTAKE_NONE, true);
        if (found || work->unchecked || !uninitialised) {
            work->unchecked = false;
            if (found)
                return true;
            break;
        }
    }
    for (unsigned i = RUBRIC_MISTAKE_NONE + 1; i < RUBRIC_MISTAKE_COUNT; i++)
        for (unsigned j = i + 1; j < RUBRIC_MISTAKE_COUNT; j++)
            if (try_mistakes(work, (enum rubric_mistake)i, (enum rubric_mistake)j, false))
                return true;
    return false;
}

void measure_mistake(struct measure_work *work)
{
    const bool published = work->published != STATUS_OK;
    work->is_right_at_huge = published;
    work->published = STATUS_OK;
    if (published ? !find_mistake(work)
                  : !try_mistakes(work, RUBRIC_MISTAKE_BARRIER, RUBRIC_MISTAKE_NONE, false))
        memset(work->measurement->repaired, 0, sizeof work->measurement->repaired);
}
