#include "emulator/sinks/undefined.h"

#include "emulator/decode/matrix.h"

#include <string.h>

static uint32_t operand_end(const struct operand *operand)
{
    return operand->offset + (operand->stride ? operand->stride * (uint32_t)LANES : 4);
}

static bool overlaps(const struct undefined_register *held, const struct frame *frame,
                     const struct operand *operand)
{
    return operand->used && operand->bank == BANK_FRAME && held->frame == frame &&
           operand->offset < held->end && held->begin < operand_end(operand);
}

const struct undefined_register *undefined_find(const struct undefined_registers *set,
                                                const struct frame *frame,
                                                const struct operand *operand, uint32_t mask)
{
    for (unsigned i = 0; set && i < set->count; i++)
        if (overlaps(&set->registers[i], frame, operand) && (set->registers[i].lanes & mask))
            return &set->registers[i];
    return NULL;
}

/* Mark an operand as defined in the lanes of `mask`. A NULL operand stands for the whole frame. */
static void forget(struct undefined_registers *set, const struct frame *frame,
                   const struct operand *operand, uint32_t mask)
{
    unsigned retained = 0;
    for (unsigned i = 0; i < set->count; i++) {
        struct undefined_register *held = &set->registers[i];
        if (operand ? overlaps(held, frame, operand) : held->frame == frame)
            held->lanes &= ~mask;
        if (!held->lanes)
            continue;
        if (retained < i)
            set->registers[retained] = *held;
        retained++;
    }
    set->count = retained;
}

static void remember(struct undefined_registers *set, const struct operand *destination,
                     const struct undefined_register *origin)
{
    if (!destination->used)
        return;
    if (set->count == UNDEFINED_REGISTERS)
        memmove(set->registers, set->registers + 1, --set->count * sizeof *set->registers);
    struct undefined_register *held = &set->registers[set->count++];
    *held = *origin;
    held->begin = destination->offset;
    held->end = operand_end(destination);
}

void undefined_add(struct undefined_registers *set, const struct frame *frame,
                   const struct operand *destination, const struct undefined_reader *reader,
                   uint32_t mask, const uint64_t *address)
{
    struct undefined_register origin = {.frame = frame, .lanes = mask, .reader = *reader};
    for (unsigned lane = 0; lane < LANES; lane++)
        origin.address[lane] = address[lane];
    remember(set, destination, &origin);
}

/* A result is undefined if an operand is undefined, with two exceptions: only the selected operand
 * of selp counts, and combinations of predicates count as defined. */
static void follow_arithmetic(struct undefined_registers *set, const struct frame *frame,
                              const struct instruction *instruction, uint32_t mask)
{
    struct undefined_register origins[LANES];
    unsigned count = 0;
    bool selects = instruction->opcode == PTX_OP_SELP;
    bool combines = instruction->destination.stride == 0 && instruction->source[0].stride == 0;
    uint32_t chosen = selects ? frame_predicate(frame, &instruction->source[2]) : 0, undefined = 0;
    for (unsigned i = 0; i < (combines ? 0u : 4u); i++) {
        uint32_t lanes = mask & (!selects ? ~0u : i == 0 ? chosen : i == 1 ? ~chosen : 0);
        for (unsigned k = 0; k < set->count; k++) {
            const struct undefined_register *held = &set->registers[k];
            uint32_t more = held->lanes & lanes & ~undefined;
            if (!more || !overlaps(held, frame, &instruction->source[i]))
                continue;
            origins[count] = *held;
            origins[count].is_computed |= instruction->opcode != PTX_OP_MOV;
            origins[count++].lanes = more;
            undefined |= more;
        }
    }
    forget(set, frame, &instruction->destination, mask);
    forget(set, frame, &instruction->destination2, mask);
    for (unsigned i = 0; i < count; i++) {
        remember(set, &instruction->destination, &origins[i]);
        remember(set, &instruction->destination2, &origins[i]);
    }
}

void undefined_shuffle(struct undefined_registers *set, const struct frame *frame,
                       const struct instruction *instruction, uint32_t mask,
                       const uint32_t from[LANES], const uint32_t also_from[LANES])
{
    struct undefined_register moved[UNDEFINED_REGISTERS];
    unsigned count = 0;
    for (unsigned i = 0; i < set->count; i++) {
        const struct undefined_register *held = &set->registers[i];
        if (!overlaps(held, frame, &instruction->source[0]))
            continue;
        struct undefined_register *to = &moved[count];
        *to = *held;
        to->lanes = 0;
        FOR_LANES (lane, mask) {
            unsigned origin = held->lanes >> from[lane] & 1 ? from[lane] : also_from[lane];
            if (held->lanes >> origin & 1) {
                to->lanes |= 1u << lane;
                to->address[lane] = held->address[origin];
            }
        }
        count += to->lanes != 0;
    }
    forget(set, frame, &instruction->destination, mask);
    forget(set, frame, &instruction->destination2, mask);
    for (unsigned i = 0; i < count; i++)
        remember(set, &instruction->destination, &moved[i]);
}

static void follow_transposition(struct undefined_registers *set, const struct frame *frame,
                                 const struct instruction *instruction, uint32_t mask)
{
    uint32_t low[LANES], high[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        low[lane] = lane % 4 * 8 + lane / 8;
        high[lane] = low[lane] + 4;
    }
    undefined_shuffle(set, frame, instruction, mask, low, high);
}

/* An undefined element of A affects one row of the result. An element of B affects one column, and
 * an element of C affects one element. */
static void follow_multiplication(struct undefined_registers *set, const struct frame *frame,
                                  const struct instruction *instruction)
{
    const struct operand *registers = &frame->function->operands[instruction->extra];
    struct matrix_map maps[MATRIX_FRAGMENTS];
    struct undefined_register origin = {0};
    uint64_t rows = 0, columns = 0, places[MATRIX_MAX_EDGE] = {0};
    matrix_maps_find(instruction->control, maps);
    const struct operand *at = registers + maps[MATRIX_D].registers;
    for (unsigned f = MATRIX_LEFT; f < MATRIX_FRAGMENTS; at += maps[f++].registers)
        for (unsigned e = 0; e < maps[f].elements; e++)
            for (unsigned i = 0; i < set->count; i++) {
                const struct undefined_register *held = &set->registers[i];
                if (!overlaps(held, frame, &at[e / maps[f].per_register]))
                    continue;
                origin = *held;
                FOR_LANES (lane, held->lanes) {
                    struct matrix_place place = matrix_place(&maps[f], lane, e, false);
                    rows |= (uint64_t)(f == MATRIX_LEFT) << place.row;
                    columns |= (uint64_t)(f == MATRIX_RIGHT) << place.column;
                    places[place.row] |= (uint64_t)(f == MATRIX_ADDEND) << place.column;
                }
            }
    for (unsigned r = 0; r < maps[MATRIX_D].registers; r++)
        forget(set, frame, &registers[r], ~0u);
    if (!origin.lanes)
        return;
    uint64_t address = origin.address[__builtin_ctz(origin.lanes)];
    for (unsigned lane = 0; lane < LANES; lane++)
        origin.address[lane] = address;
    for (unsigned r = 0; r < maps[MATRIX_D].registers; r++) {
        origin.lanes = 0;
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned i = 0; i < maps[MATRIX_D].per_register; i++) {
                struct matrix_place place =
                    matrix_place(&maps[MATRIX_D], lane, r * maps[MATRIX_D].per_register + i, false);
                if ((rows >> place.row | columns >> place.column |
                     places[place.row] >> place.column) &
                    1)
                    origin.lanes |= 1u << lane;
            }
        if (origin.lanes)
            remember(set, &registers[r], &origin);
    }
}

static bool goes_on(const struct instruction *instruction, const struct frame *frame, uint32_t mask)
{
    if (instruction->space != PTX_GENERIC)
        return instruction->space != PTX_GLOBAL;
    uint64_t window =
        frame_lane(frame, &instruction->source[0], (unsigned)__builtin_ctz(mask)) >> 48 << 48;
    return window == GUEST_SHARED_BASE || window == GUEST_LOCAL_BASE;
}

/* Returns an undefined register that a store uses, or NULL. Undefined elements that were only
 * copied count as padding if the lane also stores a defined element. */
static const struct undefined_register *find_stored(const struct undefined_registers *set,
                                                    const struct frame *frame,
                                                    const struct instruction *instruction,
                                                    uint32_t mask)
{
    const struct operand *elements = &frame->function->operands[instruction->extra];
    uint32_t whole = mask;
    for (unsigned e = 0; e < instruction->vector; e++) {
        uint32_t lanes = 0;
        for (unsigned i = 0; i < set->count; i++)
            if (overlaps(&set->registers[i], frame, &elements[e]))
                lanes |= set->registers[i].lanes;
        whole &= lanes;
    }
    for (unsigned e = 0; e < instruction->vector; e++)
        for (unsigned i = 0; i < set->count; i++) {
            const struct undefined_register *held = &set->registers[i];
            if (overlaps(held, frame, &elements[e]) &&
                (held->lanes & (held->is_computed ? mask : whole)))
                return held;
        }
    return NULL;
}

static const struct undefined_register *follow_use(struct undefined_registers *set,
                                                   const struct frame *frame,
                                                   const struct instruction *instruction,
                                                   uint32_t mask)
{
    const struct undefined_register *used = NULL;
    const struct operand *elements = &frame->function->operands[instruction->extra];
    bool stores = instruction->kind == SIMT_STORE || instruction->kind == SIMT_SURFACE_STORE;
    bool loads = instruction->kind == SIMT_LOAD || instruction->kind == SIMT_SURFACE_LOAD ||
                 instruction->kind == SIMT_TEXTURE;
    bool shuffles = instruction->kind == SIMT_SHUFFLE;
    for (unsigned i = shuffles ? 1 : 0; i < 4 && !used; i++)
        used = undefined_find(set, frame, &instruction->source[i], mask);
    if (stores && !used && !goes_on(instruction, frame, mask))
        used = find_stored(set, frame, instruction, mask);
    for (unsigned e = 0; e < texture_inputs(instruction) && !used; e++)
        used = undefined_find(set, frame, &elements[instruction->vector + e], mask);
    if (used || shuffles)
        return used;
    for (unsigned e = 0; loads && e < instruction->vector; e++)
        forget(set, frame, &elements[e], mask);
    forget(set, frame, &instruction->destination, mask);
    forget(set, frame, &instruction->destination2, mask);
    return NULL;
}

const struct undefined_register *undefined_follow(struct undefined_registers *set,
                                                  const struct frame *frame,
                                                  const struct instruction *instruction,
                                                  uint32_t fragment_mask, uint32_t mask,
                                                  unsigned *lane)
{
    const struct undefined_register *used =
        undefined_find(set, frame, &instruction->guard, fragment_mask);
    if (used) {
        *lane = (unsigned)__builtin_ctz(used->lanes & fragment_mask);
        return used;
    }
    if (!mask)
        return NULL;
    switch (instruction->kind) {
    case SIMT_ALU:
    case SIMT_CONVERT_ADDRESS:
        follow_arithmetic(set, frame, instruction, mask);
        return NULL;
    case SIMT_MATRIX_TRANSPOSE:
        follow_transposition(set, frame, instruction, mask);
        return NULL;
    case SIMT_MATRIX_MULTIPLY:
        follow_multiplication(set, frame, instruction);
        return NULL;
    case SIMT_RETURN:
    case SIMT_EXIT:
        forget(set, frame, NULL, mask);
        return NULL;
    default:
        used = follow_use(set, frame, instruction, mask);
        if (used)
            *lane = (unsigned)__builtin_ctz(used->lanes & mask);
        return used;
    }
}
