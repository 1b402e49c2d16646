/* simt_matrix.c: matrix instructions of a warp (decode/matrix.h): addresses of fragments,
 * transposition of core matrices, and multiplication. Products are exact. The sum starts with C's
 * element. The sum is rounded to double precision at each step and to the type of D at the end. For
 * .f64, each step is one fma. The hardware adds with fewer bits and in a different order. Integer
 * sums wrap around or, with .satfinite, saturate. */
#include "emulator/alu/alu_number.h"
#include "emulator/decode/matrix.h"
#include "emulator/warp/simt_state.h"

#include "base/vectorised.h"

#include <math.h>
#include <string.h>

static bool require_all_lanes(const struct step *step)
{
    if (step->mask == 0xffffffffu)
        return true;
    const struct program_function *function = step->fragment->frame->function;
    return simt_fault(
        step, (unsigned)__builtin_ctz(step->mask), STATUS_DEADLOCK,
        "executes %s with %d lanes of its warp: all 32 lanes must execute it together",
        function->source->instructions[step->instruction->number].text,
        __builtin_popcount(step->mask));
}

static void set_addresses(const struct step *step, unsigned number, const uint64_t address[LANES])
{
    struct operand to = step->instruction->destination;
    to.offset += number * LANES * to.stride;
    for (unsigned lane = 0; lane < LANES; lane++)
        frame_set_lane(step->fragment->frame, &to, lane, address[lane]);
}

static uint64_t base_address(const struct step *step, unsigned lane)
{
    uint64_t address = step_source(step, 0, lane) + (uint64_t)step->instruction->immediate;
    return step->instruction->source[0].stride == 4 ? (uint32_t)address : address;
}

bool simt_matrix_address(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    uint32_t control = instruction->control;
    const struct matrix_shape *shape = matrix_shape_at(control & ((1 << MATRIX_TYPES) - 1));
    bool by_rows = control & MATRIX_ROW_MAJOR;
    struct matrix_map map;
    if (!require_all_lanes(step))
        return false;
    matrix_map_make(shape, (enum matrix_role)(control >> MATRIX_ROLE & 3), matrix_type(control, 0),
                    &map);
    for (unsigned access = 0; access < instruction->vector; access++) {
        uint64_t address[LANES];
        for (unsigned lane = 0; lane < LANES; lane++) {
            struct matrix_place place =
                matrix_place(&map, lane, control & MATRIX_BY_ELEMENT ? access : access * map.run,
                             control & MATRIX_SWAPS);
            unsigned major = by_rows ? place.row : place.column;
            unsigned minor = by_rows ? place.column : place.row;
            uint64_t distance = by_rows ? map.columns : map.rows;
            unsigned counted = map.bits; /* Bits per unit of `distance`. */
            if (instruction->source[1].used) {
                distance = step_source(step, 1, lane);
                counted = map.type == PTX_B1 ? 1 : map.bits;
            }
            address[lane] =
                base_address(step, lane) + (major * distance * counted + minor * map.bits) / 8;
        }
        set_addresses(step, access, address);
    }
    return true;
}

bool simt_matrix_rows(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    unsigned count = instruction->vector;
    uint64_t rows[LANES] = {0};
    if (!require_all_lanes(step))
        return false;
    for (unsigned lane = 0; lane < 8 * count; lane++) {
        rows[lane] = base_address(step, lane);
        if (instruction->control && rows[lane] >> 48 == GUEST_SHARED_BASE >> 48)
            rows[lane] -= GUEST_SHARED_BASE;
    }
    if (!memory_access_rows(step, 8 * count, instruction->flags & SIMT_TO_SPACE, rows))
        return false;
    for (unsigned core = 0; core < count; core++) {
        uint64_t address[LANES];
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = rows[8 * core + lane / 4] + lane % 4 * 4;
        set_addresses(step, core, address);
    }
    return true;
}

/* Transpose a core matrix. Lane l contains the two elements of row l / 4 from column 2 * (l % 4).
 * The lane receives the two elements of column l / 4 from row 2 * (l % 4). */
bool simt_matrix_transpose(const struct step *step)
{
    uint32_t words[LANES];
    if (!require_all_lanes(step))
        return false;
    for (unsigned lane = 0; lane < LANES; lane++)
        words[lane] = (uint32_t)step_source(step, 0, lane);
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned row = lane % 4 * 2, column = lane / 4, shift = column % 2 * 16;
        uint32_t low = words[4 * row + column / 2] >> shift & 0xffff;
        uint32_t high = words[4 * (row + 1) + column / 2] >> shift;
        frame_set_lane(step->fragment->frame, &step->instruction->destination, lane,
                       high << 16 | low);
    }
    return true;
}

static double element_value(enum ptx_type type, uint64_t bits)
{
    switch (type) {
    case PTX_F16:
        return (double)float_f16((uint16_t)bits);
    case PTX_BF16:
        return (double)float_bf16((uint16_t)bits);
    case PTX_TF32:
        return (double)float_f32((uint32_t)bits & ~UINT32_C(0x1fff));
    case PTX_F32:
        return (double)float_f32((uint32_t)bits);
    case PTX_F64:
        return float_f64(bits);
    case PTX_S8:
        return (int8_t)(uint8_t)bits;
    case PTX_U8:
        return (uint8_t)bits;
    case PTX_S4:
        return (double)(((int)bits & 15) ^ 8) - 8;
    case PTX_U4:
        return (double)(bits & 15);
    default: /* s32, or .b1 with unchanged bits. */
        return (double)(int32_t)(uint32_t)bits;
    }
}

static uint64_t element_bits(enum ptx_type type, double value, bool saturates)
{
    switch (type) {
    case PTX_F16: {
        struct number number = number_from_float(number_format(PTX_F64), bits_f64(value));
        return number_to_float(number_canonical(number), number_format(PTX_F16), ROUND_NEAREST);
    }
    case PTX_F32:
        return bits_f32(canonical_f32((float)value));
    case PTX_F64:
        return value != value ? NAN_F64 : bits_f64(value);
    default:
        if (saturates)
            value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
        return (uint32_t)(int64_t)value;
    }
}

typedef double matrix_values[MATRIX_MAX_EDGE][MATRIX_MAX_EDGE];

static void gather(const struct frame *frame, const struct operand *registers,
                   const struct matrix_map *map, matrix_values values)
{
    for (unsigned e = 0; e < map->elements; e++) {
        const struct operand *from = &registers[e / map->per_register];
        unsigned shift = e % map->per_register * map->bits;
        for (unsigned lane = 0; lane < LANES; lane++) {
            struct matrix_place place = matrix_place(map, lane, e, false);
            values[place.row][place.column] =
                element_value(map->type, frame_lane(frame, from, lane) >> shift);
        }
    }
}

static void scatter(struct frame *frame, const struct operand *registers,
                    const struct matrix_map *map, matrix_values values, bool saturates)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t bits = 0;
        for (unsigned e = 0; e < map->elements; e++) {
            struct matrix_place place = matrix_place(map, lane, e, false);
            unsigned shift = e % map->per_register * map->bits;
            uint64_t element = element_bits(map->type, values[place.row][place.column], saturates);
            bits = shift ? bits | element << shift : element;
            if ((e + 1) % map->per_register == 0)
                frame_set_lane(frame, &registers[e / map->per_register], lane, bits);
        }
    }
}

VECTORISED static void multiply(const struct matrix_map *a, unsigned columns, matrix_values left,
                                matrix_values right, matrix_values sums)
{
    for (unsigned i = 0; i < a->rows; i++)
        for (unsigned k = 0; k < a->columns; k++)
            for (unsigned j = 0; j < columns; j++)
                sums[i][j] += left[i][k] * right[k][j];
}

static void multiply_f64(const struct matrix_map *a, unsigned columns, matrix_values left,
                         matrix_values right, matrix_values sums)
{
    for (unsigned i = 0; i < a->rows; i++)
        for (unsigned j = 0; j < columns; j++)
            for (unsigned k = 0; k < a->columns; k++)
                sums[i][j] = fma(left[i][k], right[k][j], sums[i][j]);
}

static void multiply_bits(const struct matrix_map *a, unsigned columns, bool differ,
                          matrix_values left, matrix_values right, matrix_values sums)
{
    for (unsigned i = 0; i < a->rows; i++)
        for (unsigned k = 0; k < a->columns; k++)
            for (unsigned j = 0; j < columns; j++) {
                int32_t l = (int32_t)left[i][k], r = (int32_t)right[k][j];
                sums[i][j] += __builtin_popcount((uint32_t)(differ ? l ^ r : l & r));
            }
}

bool simt_matrix_multiply(const struct step *step)
{
    struct frame *frame = step->fragment->frame;
    uint32_t control = step->instruction->control;
    const struct operand *registers = &frame->function->operands[step->instruction->extra];
    struct matrix_map maps[MATRIX_FRAGMENTS];
    matrix_values left, right,
        sums,
            *const values[] = {
                [MATRIX_LEFT] = &left, [MATRIX_RIGHT] = &right, [MATRIX_ADDEND] = &sums};
    if (!require_all_lanes(step))
        return false;
    matrix_maps_find(control, maps);
    const struct operand *from = registers + maps[MATRIX_D].registers;
    for (unsigned i = MATRIX_LEFT; i < MATRIX_FRAGMENTS; from += maps[i++].registers)
        gather(frame, from, &maps[i], *values[i]);
    const struct matrix_map *a = &maps[MATRIX_LEFT];
    unsigned columns = maps[MATRIX_RIGHT].columns;
    if (a->type == PTX_F64)
        multiply_f64(a, columns, left, right, sums);
    else if (a->type == PTX_B1)
        multiply_bits(a, columns, control & MATRIX_XOR, left, right, sums);
    else
        multiply(a, columns, left, right, sums);
    scatter(frame, registers, &maps[MATRIX_D], sums, control & MATRIX_SATURATES);
    return true;
}
