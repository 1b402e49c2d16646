/* decode_matrix.c: decode the matrix instructions of a warp. A matrix is loaded and stored by
 * ordinary loads and stores, which are counted and checked like all other accesses. First,
 * SIMT_MATRIX_ADDRESS writes the lanes' addresses to scratch registers. For ldmatrix and stmatrix,
 * SIMT_MATRIX_ROWS computes the addresses and counts the access. */
#include "emulator/alu/alu.h"
#include "emulator/decode/decoding.h"
#include "emulator/decode/matrix.h"

enum {
    ADDRESS_STRIDE = 8,
    ADDRESS_BYTES = ADDRESS_STRIDE * LANES,
    DATA_AT = MATRIX_MAX_ELEMENTS * ADDRESS_BYTES,
    SCRATCH_BYTES = DATA_AT + 4 * LANES,
};

unsigned matrix_scratch_bytes(const struct ptx_instruction *in)
{
    bool moves = in->opcode == PTX_OP_LDMATRIX || in->opcode == PTX_OP_STMATRIX ||
                 (in->opcode == PTX_OP_WMMA && !ptx_has(in, PTX_MOD_MMA));
    return moves ? SCRATCH_BYTES : 0;
}

static struct operand scratch_address(const struct decoder *decoder, unsigned number)
{
    return operand_make(BANK_FRAME, decoder->matrix_scratch + number * ADDRESS_BYTES,
                        ADDRESS_STRIDE);
}

static struct operand scratch_data(const struct decoder *decoder, unsigned stride)
{
    return operand_make(BANK_FRAME, decoder->matrix_scratch + DATA_AT, stride);
}

static bool take_fragment(struct decoder *decoder, const struct ptx_operand *operand,
                          const struct matrix_map *map, bool destination, uint32_t *first,
                          uint8_t *count)
{
    enum ptx_type type = map->bits == 64 ? PTX_F64 : PTX_B32;
    if (!decode_elements(decoder, operand, type, destination, first, count) ||
        *count % map->registers)
        return false;
    for (unsigned i = 0; i < *count; i++)
        if (decoder->function->operands[*first + i].stride != type_stride(type))
            return false;
    return true;
}

struct movement {
    const struct ptx_instruction *in;
    bool is_store, swaps;
    uint8_t flags, fused, space;
};

/* Emit one access of `count` elements of `bytes` bytes, with their registers at entry `first` of
 * the side table. Scratch register `number` contains the addresses. */
static bool emit_access(struct decoder *decoder, const struct movement *movement, unsigned number,
                        unsigned bytes, uint32_t first, unsigned count)
{
    struct instruction *out = decode_emit(decoder, movement->in);
    if (!out)
        return false;
    out->kind = movement->is_store ? SIMT_STORE : SIMT_LOAD;
    out->space = movement->space;
    out->fused = movement->fused;
    out->bytes = (uint8_t)bytes;
    out->vector = (uint8_t)count;
    out->extra = first;
    out->source[0] = scratch_address(decoder, number);
    return true;
}

static bool emit_transposition(struct decoder *decoder, const struct ptx_instruction *in,
                               struct operand from, struct operand to)
{
    struct instruction *out = decode_emit(decoder, in);
    if (!out)
        return false;
    out->kind = SIMT_MATRIX_TRANSPOSE;
    out->source[0] = from;
    out->destination = to;
    return true;
}

static bool emit_part(struct decoder *decoder, const struct movement *movement,
                      struct operand whole, unsigned bytes, unsigned part)
{
    struct alu_operation operation;
    struct instruction *out = decode_emit(decoder, movement->in);
    if (!out || !alu_select_part(!movement->is_store, 4, bytes, part, &operation))
        return false;
    out->kind = SIMT_ALU;
    out->handler = operation.handler;
    out->control = operation.control;
    out->source[0] = movement->is_store ? whole : scratch_data(decoder, 2);
    out->destination = movement->is_store ? scratch_data(decoder, 2) : whole;
    return true;
}

static bool move_register(struct decoder *decoder, const struct movement *movement, unsigned number,
                          uint32_t at)
{
    struct operand reg = decoder->function->operands[at], data = scratch_data(decoder, 4);
    if (!movement->swaps)
        return emit_access(decoder, movement, number, 4, at, 1);
    uint32_t by = operand_append(decoder, &data);
    if (by == UINT32_MAX)
        return false;
    return movement->is_store ? emit_transposition(decoder, movement->in, reg, data) &&
                                    emit_access(decoder, movement, number, 4, by, 1)
                              : emit_access(decoder, movement, number, 4, by, 1) &&
                                    emit_transposition(decoder, movement->in, data, reg);
}

static bool move_element(struct decoder *decoder, const struct movement *movement,
                         const struct matrix_map *map, uint32_t first, unsigned element)
{
    uint32_t at = first + element / map->per_register;
    unsigned bytes = map->bits / 8, part = element % map->per_register;
    if (map->per_register == 1)
        return emit_access(decoder, movement, element, bytes, at, 1);
    struct operand whole = decoder->function->operands[at], data = scratch_data(decoder, 2);
    uint32_t by = operand_append(decoder, &data);
    if (by == UINT32_MAX || map->bits < 8)
        return false;
    return movement->is_store ? emit_part(decoder, movement, whole, bytes, part) &&
                                    emit_access(decoder, movement, element, bytes, by, 1)
                              : emit_access(decoder, movement, element, bytes, by, 1) &&
                                    emit_part(decoder, movement, whole, bytes, part);
}

static bool emit_copies(struct decoder *decoder, const struct ptx_instruction *in,
                        const struct matrix_map *map, uint32_t first, unsigned count)
{
    struct ptx_instruction move = {.opcode = PTX_OP_MOV, .type_count = 1, .types = {PTX_B32}};
    struct alu_operation operation;
    if (!alu_select(&move, &operation))
        return false;
    for (unsigned i = map->registers; i < count; i++) {
        struct instruction *out = decode_emit(decoder, in);
        if (!out)
            return false;
        out->kind = SIMT_ALU;
        out->handler = operation.handler;
        out->control = operation.control;
        out->source[0] = decoder->function->operands[first + i - map->registers];
        out->destination = decoder->function->operands[first + i];
    }
    return true;
}

static bool decode_wmma_access(struct decoder *decoder, const struct ptx_instruction *in)
{
    bool is_store = ptx_has(in, PTX_MOD_STORE), by_rows = ptx_has(in, PTX_MOD_ROW);
    const struct matrix_shape *shape = matrix_shape_find(in);
    enum matrix_role role = ptx_has(in, PTX_MOD_A)   ? MATRIX_A
                            : ptx_has(in, PTX_MOD_B) ? MATRIX_B
                                                     : MATRIX_C;
    struct matrix_map map;
    if (!shape || in->type_count != 1 || in->operand_count < 2 ||
        by_rows == ptx_has(in, PTX_MOD_COL) ||
        !matrix_map_make(shape, role, (enum ptx_type)in->types[0], &map))
        return false;
    bool is_natural = by_rows != map.is_turned;
    bool swaps = !is_natural && map.bits == 16, by_element = !is_natural && !swaps;
    if (by_element && (map.bits < 8 || map.type == PTX_B1))
        return false;
    struct instruction *out = decode_emit(decoder, in);
    if (!out)
        return false;
    out->kind = SIMT_MATRIX_ADDRESS;
    out->space = in->space;
    out->destination = scratch_address(decoder, 0);
    out->vector = (uint8_t)(by_element ? map.elements : map.elements / map.run);
    out->control = matrix_shape_number(shape) | (uint32_t)map.type << MATRIX_TYPES |
                   (uint32_t)role << MATRIX_ROLE | (by_rows ? MATRIX_ROW_MAJOR : 0) |
                   (by_element ? MATRIX_BY_ELEMENT : 0) | (swaps ? MATRIX_SWAPS : 0);
    if (!decode_address(decoder, &in->operands[is_store ? 0 : 1], out) ||
        (in->operand_count > 2 && !take_source(decoder, in, 2, PTX_U32, &out->source[1])))
        return false;
    struct movement movement = {
        .in = in, .is_store = is_store, .swaps = swaps, .space = out->space};
    unsigned accesses = out->vector;
    uint32_t first;
    uint8_t count;
    bool good =
        take_fragment(decoder, &in->operands[is_store ? 1 : 0], &map, !is_store, &first, &count);
    for (unsigned i = 0; good && i < accesses; i++) {
        unsigned registers = map.run / map.per_register;
        good = by_element ? move_element(decoder, &movement, &map, first, i)
               : swaps    ? move_register(decoder, &movement, i, first + i)
                          : emit_access(decoder, &movement, i, map.bits == 64 ? 8 : 4,
                                        first + i * registers, registers);
    }
    return good && (is_store || emit_copies(decoder, in, &map, first, count));
}

/* Decode ldmatrix and stmatrix, which move up to four 8 x 8 matrices (cores). Lane l has the
 * address of row l % 8 (16 bytes) of core l / 8. */
static bool decode_matrix_rows(struct decoder *decoder, const struct ptx_instruction *in)
{
    bool is_store = in->opcode == PTX_OP_STMATRIX;
    unsigned count = ptx_has(in, PTX_MOD_X4)   ? 4
                     : ptx_has(in, PTX_MOD_X2) ? 2
                     : ptx_has(in, PTX_MOD_X1) ? 1
                                               : 0;
    if (!count || !ptx_has(in, PTX_MOD_M8N8) || in->type_count != 1 || in->types[0] != PTX_B16 ||
        in->operand_count != 2 || (in->space != PTX_SHARED && in->space != PTX_GENERIC))
        return false;
    struct instruction *out = decode_emit(decoder, in);
    if (!out)
        return false;
    out->kind = SIMT_MATRIX_ROWS;
    out->space = PTX_SHARED;
    out->control = in->space == PTX_GENERIC;
    out->bytes = 16;
    out->vector = (uint8_t)count;
    out->destination = scratch_address(decoder, 0);
    if (is_store)
        out->flags = SIMT_TO_SPACE;
    uint32_t first;
    uint8_t registers;
    struct movement movement = {.in = in,
                                .is_store = is_store,
                                .swaps = ptx_has(in, PTX_MOD_TRANS),
                                .fused = SIMT_FUSED_AWAY,
                                .space = PTX_SHARED};
    if (!decode_address(decoder, &in->operands[is_store ? 0 : 1], out) ||
        !decode_elements(decoder, &in->operands[is_store ? 1 : 0], PTX_B32, !is_store, &first,
                         &registers) ||
        registers != count)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (decoder->function->operands[first + i].stride != 4 ||
            !move_register(decoder, &movement, i, first + i))
            return false;
    return true;
}

static bool decode_transposition(struct decoder *decoder, const struct ptx_instruction *in)
{
    struct instruction *out = decode_emit(decoder, in);
    if (!out || !ptx_has(in, PTX_MOD_M8N8) || !ptx_has(in, PTX_MOD_TRANS))
        return false;
    out->kind = SIMT_MATRIX_TRANSPOSE;
    return take_destination(decoder, in, PTX_B32, out) &&
           take_source(decoder, in, 1, PTX_B32, &out->source[0]);
}

static bool types_agree(enum ptx_type a, enum ptx_type b, enum ptx_type c)
{
    switch (a) {
    case PTX_F16:
        return b == a && (c == PTX_F16 || c == PTX_F32);
    case PTX_BF16:
    case PTX_TF32:
        return b == a && c == PTX_F32;
    case PTX_F64:
        return b == a && c == PTX_F64;
    case PTX_S8:
    case PTX_U8:
        return (b == PTX_S8 || b == PTX_U8) && c == PTX_S32;
    case PTX_S4:
    case PTX_U4:
        return (b == PTX_S4 || b == PTX_U4) && c == PTX_S32;
    case PTX_B1:
        return b == a && c == PTX_S32;
    default:
        return false;
    }
}

/* The layouts of A and B have no effect here, because the fragments already depend on them. */
static bool decode_multiplication(struct decoder *decoder, const struct ptx_instruction *in)
{
    static const enum matrix_role roles[] = {MATRIX_C, MATRIX_A, MATRIX_B, MATRIX_C};
    const struct matrix_shape *shape = matrix_shape_find(in);
    const uint8_t *types = in->types;
    bool is_short = in->type_count == 2; /* wmma of f16 names only the types of D and C. */
    enum ptx_type type[] = {types[0], is_short ? PTX_F16 : types[1], is_short ? PTX_F16 : types[2],
                            types[is_short ? 1 : 3]};
    bool counts_bits = ptx_has(in, PTX_MOD_POPC), xors = ptx_has(in, PTX_MOD_XOR);
    if (!shape || in->operand_count != 4 || (in->type_count != 4 && !is_short) ||
        !types_agree(type[1], type[2], type[0]) || !types_agree(type[1], type[2], type[3]) ||
        ptx_has(in, PTX_MOD_RZ) || ptx_has(in, PTX_MOD_RM) || ptx_has(in, PTX_MOD_RP) ||
        (in->opcode == PTX_OP_MMA && !(ptx_has(in, PTX_MOD_ROW) && ptx_has(in, PTX_MOD_COL))) ||
        counts_bits != (type[1] == PTX_B1) || (counts_bits && xors == ptx_has(in, PTX_MOD_AND)))
        return false;
    struct instruction *out = decode_emit(decoder, in);
    if (!out)
        return false;
    out->kind = SIMT_MATRIX_MULTIPLY;
    out->control = matrix_shape_number(shape) | (xors ? MATRIX_XOR : 0) |
                   (ptx_has(in, PTX_MOD_SATFINITE) ? MATRIX_SATURATES : 0);
    out->extra = (uint32_t)decoder->function->operand_count;
    for (unsigned i = 0; i < 4; i++) {
        struct matrix_map map;
        uint32_t first;
        uint8_t count;
        if (!matrix_map_make(shape, roles[i], type[i], &map) ||
            !take_fragment(decoder, &in->operands[i], &map, i == 0, &first, &count))
            return false;
        out->control |= (uint32_t)type[i] << (MATRIX_TYPES + MATRIX_TYPE_BITS * i);
        decoder->function->operand_count = first + map.registers;
    }
    return true;
}

bool decode_matrix(struct decoder *decoder, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_MMA:
        return decode_multiplication(decoder, in);
    case PTX_OP_WMMA:
        return ptx_has(in, PTX_MOD_MMA) ? decode_multiplication(decoder, in)
                                        : decode_wmma_access(decoder, in);
    case PTX_OP_MOVMATRIX:
        return decode_transposition(decoder, in);
    default:
        return decode_matrix_rows(decoder, in);
    }
}
