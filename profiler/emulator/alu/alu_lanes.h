/* alu_lanes.h: macros that make the handlers of arithmetic instructions. Private to alu*.c and
 * their test.
 *
 * A handler is a loop over the LANES elements of its operands. A list has one row per operation.
 * The row has the types of the operands and the expression for a lane's result from a, b and c. The
 * list is expanded twice: into handlers, and into the table that alu_select searches.
 *
 * For each lane type T, such as s32, this file defines:
 *
 *   memory_T    the type of an element in the register file (unsigned or floating-point)
 *   value_T     the type of the value in the expression
 *   read_T      converts memory_T to value_T
 *   write_T     converts value_T to memory_T
 *   ptx_T       the type that the decoder converts immediates to
 *
 * f16 and bf16 are computed in float and rounded by write_T. f32z is f32 under `.ftz`: subnormal
 * operands and results become zeros. write_T replaces a NaN with the NaN of the hardware, so that
 * no result depends on the host processor. Only the expressions of type f64 and b32 (f32 without
 * the replacement) handle NaNs themselves. */
#ifndef ALU_LANES_H
#define ALU_LANES_H

#include "base/bits.h"
#include "emulator/alu/alu.h"

#include <string.h>

/* clang-format off */
#define ALU_MODIFIER_LIST(X)                                                                       \
    X(LO) X(HI) X(WIDE) X(SAT) X(FTZ) X(RN) X(RZ) X(RM) X(RP) X(RNA) X(RNI) X(RZI) X(RMI)          \
    X(RPI) X(APPROX) X(FULL) X(CC) X(WRAP) X(CLAMP) X(L) X(R) X(SHIFTAMT) X(F4E) X(B4E) X(RC8)     \
    X(ECL) X(ECR) X(RC16) X(FINITE) X(INFINITE) X(NUMBER) X(NOTANUMBER) X(NORMAL) X(SUBNORMAL)     \
    X(XORSIGN) X(ABS) X(RELU) X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE) X(LS) X(HS) X(EQU) X(NEU)        \
    X(LTU) X(LEU) X(GTU) X(GEU) X(NUM) X(NAN) X(AND) X(OR) X(XOR) X(PACK) X(SATFINITE)
/* clang-format on */

enum alu_modifier {
#define X(id) ALU_##id,
    ALU_MODIFIER_LIST(X)
#undef X
        ALU_MODIFIER_COUNT
};

#define M(id) (UINT64_C(1) << ALU_##id)
#define T(id) (UINT32_C(1) << PTX_##id)

#define T_INT16 (T(U16) | T(S16))
#define T_INT32 (T(U32) | T(S32))
#define T_INT64 (T(U64) | T(S64))
#define T_BITS16 (T_INT16 | T(B16))
#define T_BITS32 (T_INT32 | T(B32))
#define T_BITS64 (T_INT64 | T(B64))
#define T_ANY16 (T_BITS16 | T(F16) | T(BF16))
#define T_ANY32 (T_BITS32 | T(F32) | T(F16X2) | T(BF16X2) | T(TF32) | T(U16X2) | T(S16X2))
#define T_ANY64 (T_BITS64 | T(F64))

struct alu_query {
    enum ptx_opcode opcode;
    enum ptx_type types[2];
    uint64_t modifiers; /* Bit set of enum alu_modifier. */
};

/* A row matches an instruction if the opcodes are equal, `types` and `types2` contain the
 * instruction's types, all `required` modifiers are present, and every other modifier is in
 * `optional`. If types2 is empty, the instruction must have exactly one type. */
struct alu_row {
    alu_handler *handler;
    uint64_t required, optional;
    uint32_t types, types2;
    uint16_t opcode;
    uint8_t destination; /* A value of enum ptx_type, like the source types. */
    uint8_t source_count;
    uint8_t source[4];
    bool any_stride;
};

enum {
    ALU_CONTROL_ROUNDING = 3, /* Mask of the bits of an enum alu_rounding. */
    ALU_CONTROL_FTZ = 1 << 2,
    ALU_CONTROL_SAT = 1 << 3,
    ALU_CONTROL_RELU = 1 << 4,
    ALU_CONTROL_NAN = 1 << 5, /* min.NaN, max.NaN */
    ALU_CONTROL_XORSIGN = 1 << 6,
    ALU_CONTROL_AWAY = 1 << 7, /* .rna: to nearest, ties away from zero */
    ALU_CONTROL_INTEGRAL = 1 << 8,
    ALU_CONTROL_TO = 9,    /* Bit position of the destination type (conversions and set). */
    ALU_CONTROL_FROM = 14, /* Bit position of the source type (conversions and comparisons). */
    ALU_CONTROL_FINITE = 1 << 19,
    ALU_CONTROL_SHIFT = 20,
    ALU_TYPE_MASK = 31,
};

enum alu_rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

/* How setp and set combine the outcome of a comparison with a predicate. */
enum {
    ALU_COMBINE_NONE,
    ALU_COMBINE_AND,
    ALU_COMBINE_OR,
    ALU_COMBINE_XOR,
    ALU_COMBINE = 3,
    ALU_INVERT = 1 << 2,
};

enum alu_isa { ALU_ISA_GENERIC, ALU_ISA_AVX2, ALU_ISA_AVX512, ALU_ISA_COUNT };

bool alu_isa_available(enum alu_isa isa);

bool alu_isa_select(enum alu_isa isa, const struct ptx_instruction *instruction,
                    struct alu_operation *operation);
bool alu_isa_select_part(enum alu_isa isa, bool insert, unsigned whole_bytes, unsigned part_bytes,
                         unsigned part, struct alu_operation *operation);

bool alu_query_fill(const struct ptx_instruction *instruction, struct alu_query *query);

/* Fill `operation` from the first row that matches the query. Returns false if no row matches. */
bool alu_rows_find(const struct alu_row *rows, size_t count, const struct alu_query *query,
                   struct alu_operation *operation);

uint32_t alu_control(uint64_t modifiers);

/* Returns an ALU_COMBINE_* value. Sets *source_count to 3 if the comparison reads a predicate. */
uint32_t alu_combine(uint64_t modifiers, uint8_t *source_count);

bool alu_select_scalar(const struct alu_query *query, struct alu_operation *operation);

bool alu_select_video(const struct ptx_instruction *instruction, struct alu_operation *operation);

alu_handler alu_convert;
uint32_t alu_convert_control(const struct alu_query *query);

#define ALU_DECLARE(isa)                                                                           \
    bool alu_select_##isa(const struct alu_query *query, struct alu_operation *operation);         \
    bool alu_select_part_##isa(bool insert, unsigned whole_bytes, unsigned part_bytes,             \
                               unsigned part, struct alu_operation *operation);
ALU_DECLARE(generic)
#ifdef __x86_64__
ALU_DECLARE(avx2)
ALU_DECLARE(avx512)
#endif
#undef ALU_DECLARE

/* Returns `value` or, for any NaN, the only NaN of the hardware: 0x7fffffff (PTX ISA 9.7.3). The
 * function computes on integers, because compilers may treat all NaNs alike. */
static inline float canonical_f32(float value)
{
    uint32_t bits = bits_f32(value);
    return float_f32((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : bits);
}

/* Double precision propagates payloads: an operation returns one of its NaN operands as a quiet
 * NaN. An invalid operation returns NAN_F64. The order of precedence was observed on an H200:
 * second, third, first operand; in a division, dividend, then divisor. */
#define NAN_F64 UINT64_C(0xfff8000000000000)

static inline uint64_t quiet_f64(double operand, uint64_t otherwise)
{
    return operand != operand ? bits_f64(operand) | UINT64_C(0x0008000000000000) : otherwise;
}

static inline double nan1_f64(double operand, double result)
{
    return float_f64(quiet_f64(operand, result != result ? NAN_F64 : bits_f64(result)));
}

static inline double nan2_f64(double weak, double strong, double result)
{
    return float_f64(quiet_f64(strong, bits_f64(nan1_f64(weak, result))));
}

static inline double nan3_f64(double a, double b, double c, double result)
{
    return float_f64(quiet_f64(b, bits_f64(nan2_f64(a, c, result))));
}

/* Conversions between single and double precision retain a NaN's sign and upper payload bits. */
static inline double double_f32(float value)
{
    uint32_t bits = bits_f32(value);
    uint64_t nan = (uint64_t)(bits & 0x80000000u) << 32 | UINT64_C(0x7ff8000000000000) |
                   (uint64_t)(bits & 0x7fffffu) << 29;
    return float_f64(value != value ? nan : bits_f64((double)value));
}

static inline float single_f64(double value)
{
    uint64_t bits = bits_f64(value);
    uint32_t nan =
        (uint32_t)(bits >> 32 & 0x80000000u) | 0x7fc00000u | (uint32_t)(bits >> 29 & 0x7fffffu);
    return float_f32(value != value ? nan : bits_f32((float)value));
}

/* `.ftz`: subnormal numbers become zeros of the same sign. Hardware flushes a result that is below
 * the smallest normal number after rounding to 24 bits with an unbounded exponent (observed on an
 * H200). The host may round this result up to a normal number. So flush_tiny_f32 tests `scaled`,
 * the result times SCALE_F32, which is far from the subnormal range. */
#define SCALE_F32 0x1p24f
#define TINY_F32 0x1p-102f

static inline float flush_f32(float value)
{
    uint32_t bits = bits_f32(value);
    return float_f32((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

static inline float flush_tiny_f32(float scaled, float value)
{
    uint32_t bits = bits_f32(value);
    uint32_t magnitude = bits_f32(scaled) & 0x7fffffffu;
    return float_f32(magnitude < bits_f32(TINY_F32) ? bits & 0x80000000u : bits);
}

/* PTX ISA 9.7.3: if one operand is a NaN, the result is the other operand. -0 is less than +0, so
 * the OR of the bits of equal operands is their minimum, and the AND is their maximum. */
static inline float minimum_f32(float a, float b)
{
    float result = a == b ? float_f32(bits_f32(a) | bits_f32(b)) : a < b ? a : b;
    result = a != a ? b : result;
    return b != b ? a : result;
}

static inline float maximum_f32(float a, float b)
{
    float result = a == b ? float_f32(bits_f32(a) & bits_f32(b)) : a > b ? a : b;
    result = a != a ? b : result;
    return b != b ? a : result;
}

static inline double minimum_f64(double a, double b)
{
    double result = a == b ? float_f64(bits_f64(a) | bits_f64(b)) : a < b ? a : b;
    result = b != b ? a : result;
    return a != a ? float_f64(quiet_f64(b, bits_f64(b))) : result;
}

static inline double maximum_f64(double a, double b)
{
    double result = a == b ? float_f64(bits_f64(a) & bits_f64(b)) : a > b ? a : b;
    result = b != b ? a : result;
    return a != a ? float_f64(quiet_f64(b, bits_f64(b))) : result;
}

/* Returns a + b, rounded to odd: an inexact sum has an odd last bit. If this sum is rounded again,
 * to at least two fewer bits, the result is the rounded exact sum (Boldo and Melquiond, 2005). */
static inline double sum_odd_f64(double a, double b)
{
    double sum = a + b;
    double part = sum - a;
    double error = (a - (sum - part)) + (b - part);
    uint64_t bits = bits_f64(sum);
    uint64_t odd = (error < 0) != (sum < 0) ? bits - 1 : bits + 1;
    bool inexact = error < 0 || error > 0;
    return float_f64(inexact && !(bits & 1) ? odd : bits);
}

static inline float float_f16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t magnitude = (uint32_t)(half & 0x7fffu) << 13;
    uint32_t scaled = bits_f32(float_f32(magnitude) * 0x1p112f);
    uint32_t special = magnitude | 0x7f800000u;
    return float_f32(sign | (magnitude >= 0x0f800000u ? special : scaled));
}

/* Returns the nearest half; ties are rounded to even. Below the smallest normal half, the addition
 * of 0.5 rounds, because the unit in the last place of 0.5 and of subnormal halves is 2^-24. */
static inline uint16_t bits_f16(float value)
{
    uint32_t bits = bits_f32(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t subnormal = bits_f32(float_f32(magnitude) + 0.5f) - bits_f32(0.5f);
    uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23)) >> 13;
    uint32_t result = magnitude < 113u << 23 ? subnormal : normal;
    result = magnitude >= 0x477ff000u ? 0x7c00u : result; /* 65520 and above become infinity. */
    return (uint16_t)(magnitude > 0x7f800000u ? 0x7fffu : sign | result);
}

static inline float float_bf16(uint16_t half)
{
    return float_f32((uint32_t)half << 16);
}

static inline uint16_t bits_bf16(float value)
{
    uint32_t bits = bits_f32(value);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}

/* The register file is accessed both as integers and as floating-point numbers. */
#define LANE_MEMORY(name, type) typedef type memory_##name __attribute__((may_alias));
LANE_MEMORY(u8, uint16_t)
LANE_MEMORY(s8, uint16_t)
LANE_MEMORY(u16, uint16_t)
LANE_MEMORY(s16, uint16_t)
LANE_MEMORY(u32, uint32_t)
LANE_MEMORY(s32, uint32_t)
LANE_MEMORY(u64, uint64_t)
LANE_MEMORY(s64, uint64_t)
LANE_MEMORY(f32, float)
LANE_MEMORY(f32z, float)
LANE_MEMORY(f64, double)
LANE_MEMORY(b32, float)
LANE_MEMORY(f16, uint16_t)
LANE_MEMORY(bf16, uint16_t)
#undef LANE_MEMORY

enum {
    ptx_u8 = PTX_U8,
    ptx_s8 = PTX_S8,
    ptx_u16 = PTX_U16,
    ptx_s16 = PTX_S16,
    ptx_u32 = PTX_U32,
    ptx_s32 = PTX_S32,
    ptx_u64 = PTX_U64,
    ptx_s64 = PTX_S64,
    ptx_f32 = PTX_F32,
    ptx_f32z = PTX_F32,
    ptx_f64 = PTX_F64,
    ptx_b32 = PTX_F32,
    ptx_f16 = PTX_F16,
    ptx_bf16 = PTX_BF16,
};

#define LANE_VALUE(name, type, read, write)                                                        \
    typedef type value_##name;                                                                     \
    static inline type read_##name(memory_##name x)                                                \
    {                                                                                              \
        return read;                                                                               \
    }                                                                                              \
    static inline memory_##name write_##name(type x)                                               \
    {                                                                                              \
        return write;                                                                              \
    }
LANE_VALUE(u8, uint8_t, (uint8_t)x, x)
LANE_VALUE(s8, int8_t, (int8_t)x, (uint16_t)x)
LANE_VALUE(u16, uint16_t, x, x)
LANE_VALUE(s16, int16_t, (int16_t)x, (uint16_t)x)
LANE_VALUE(u32, uint32_t, x, x)
LANE_VALUE(s32, int32_t, (int32_t)x, (uint32_t)x)
LANE_VALUE(u64, uint64_t, x, x)
LANE_VALUE(s64, int64_t, (int64_t)x, (uint64_t)x)
LANE_VALUE(f32, float, x, canonical_f32(x))
LANE_VALUE(f32z, float, flush_f32(x), flush_f32(canonical_f32(x)))
LANE_VALUE(f64, double, x, x)
LANE_VALUE(b32, float, x, x)
LANE_VALUE(f16, float, float_f16(x), bits_f16(x))
LANE_VALUE(bf16, float, float_bf16(x), bits_bf16(x))
#undef LANE_VALUE

static inline void *lanes_destination(const struct instruction *instruction,
                                      const struct lanes *lanes)
{
    return lanes->bytes[BANK_FRAME] + instruction->destination.offset;
}

static inline const void *lanes_source(const struct instruction *instruction,
                                       const struct lanes *lanes, unsigned number)
{
    const struct operand *operand = &instruction->source[number];
    return lanes->bytes[operand->bank] + operand->offset;
}

static inline uint32_t lanes_predicate(const struct instruction *instruction,
                                       const struct lanes *lanes, unsigned number)
{
    uint32_t value;
    memcpy(&value, lanes_source(instruction, lanes, number), sizeof value);
    return instruction->source[number].negated ? ~value : value;
}

static inline void lanes_set_predicate(const struct operand *operand, const struct lanes *lanes,
                                       uint32_t mask, uint32_t value)
{
    unsigned char *place = lanes->bytes[BANK_FRAME] + operand->offset;
    uint32_t old;
    memcpy(&old, place, sizeof old);
    value = (old & ~mask) | (value & mask);
    memcpy(place, &value, sizeof value);
}

static inline uint32_t lanes_combined(uint32_t control, uint32_t outcome, uint32_t predicate)
{
    switch (control & ALU_COMBINE) {
    case ALU_COMBINE_AND:
        return outcome & predicate;
    case ALU_COMBINE_OR:
        return outcome | predicate;
    case ALU_COMBINE_XOR:
        return outcome ^ predicate;
    default:
        return outcome;
    }
}

/* Two registers of an instruction are identical or disjoint, so no lane depends on another lane's
 * result. clang vectorizes the loop only with unroll(disable). */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* some processors lack vector operations */
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

#define HANDLER(name)                                                                              \
    static void name(const struct instruction *instruction, const struct lanes *lanes,             \
                     uint32_t mask)

/* HANDLERn makes a handler of n operands from a row of a list. The including file defines the loop
 * LANE_LOOPS(D, LOADS, expression). D is the result's lane type. LOADS declares a, b and c. */
#define SOURCE(variable, A, number)                                                                \
    const memory_##A *const p##variable = lanes_source(instruction, lanes, number);
#define LOAD(variable, A) const value_##A variable = read_##A(p##variable[lane]);

#define HANDLER1(name, code, types, need, may, D, A, expression)                                   \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SOURCE(a, A, 0)                                                                            \
        LANE_LOOPS(D, LOAD(a, A), expression)                                                      \
    }
#define HANDLER2(name, code, types, need, may, D, A, B, expression)                                \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SOURCE(a, A, 0)                                                                            \
        SOURCE(b, B, 1)                                                                            \
        LANE_LOOPS(D, LOAD(a, A) LOAD(b, B), expression)                                           \
    }
#define HANDLER3(name, code, types, need, may, D, A, B, C, expression)                             \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SOURCE(a, A, 0)                                                                            \
        SOURCE(b, B, 1)                                                                            \
        SOURCE(c, C, 2)                                                                            \
        LANE_LOOPS(D, LOAD(a, A) LOAD(b, B) LOAD(c, C), expression)                                \
    }

#define ROW(name, code, types, types2, need, may, any_stride, D, count, ...)                       \
    {name, need, may, types, types2, PTX_OP_##code, D, count, {__VA_ARGS__}, any_stride},

#define ROW1(name, code, types, need, may, D, A, expression)                                       \
    ROW(name, code, types, 0, need, may, false, ptx_##D, 1, ptx_##A)
#define ROW2(name, code, types, need, may, D, A, B, expression)                                    \
    ROW(name, code, types, 0, need, may, false, ptx_##D, 2, ptx_##A, ptx_##B)
#define ROW3(name, code, types, need, may, D, A, B, C, expression)                                 \
    ROW(name, code, types, 0, need, may, false, ptx_##D, 3, ptx_##A, ptx_##B, ptx_##C)

#define EXPAND(M, ...) M(__VA_ARGS__)
#define SAME1(type) type, type
#define SAME2(type) type, type, type
#define SAME3(type) type, type, type, type

#define ROW_COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

#endif
