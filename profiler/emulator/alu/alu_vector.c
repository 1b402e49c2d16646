/* alu_vector.c: the arithmetic that compilers vectorize, compiled once for each instruction set of
 * the host.
 *
 * The loop of a handler over 32 lanes has two versions. If all lanes are active (nearly always),
 * results are stored directly. Otherwise each result is blended with the register's old value. So
 * expressions have no branches, are also evaluated for inactive lanes, and are defined for every
 * operand: no integer overflow, no shift past the width, no division by zero, no conversion out of
 * range.
 *
 * Required flags: -O3 (vectorize); -ffp-contract=off (mul and add must round twice, fma once);
 * -fno-math-errno (sqrt as an instruction); -fno-trapping-math (floating-point selects may be
 * evaluated for both sides). -ffast-math and -Ofast would break NaNs, zeros and subnormals.
 *
 * If the PTX ISA leaves a result undefined, this file returns the result of the hardware. Results
 * of approximate instructions (`.approx`, `.full`) differ from the hardware's in the last bits. */
#include "emulator/alu/alu_lanes.h"

#include <math.h>

#define ALU_PASTE2(name, isa) name##_##isa
#define ALU_PASTE(name, isa) ALU_PASTE2(name, isa)
#define ALU_NAME(name) ALU_PASTE(name, ISA)

#define LANE_LOOPS(D, LOAD, expression)                                                            \
    const uint32_t control = instruction->control;                                                 \
    (void)control;                                                                                 \
    memory_##D *d = lanes_destination(instruction, lanes);                                         \
    if (mask == UINT32_MAX) {                                                                      \
        LANES_INDEPENDENT                                                                          \
        for (unsigned lane = 0; lane < LANES; lane++) {                                            \
            const memory_##D old = d[lane];                                                        \
            (void)old;                                                                             \
            LOAD d[lane] = write_##D(expression);                                                  \
        }                                                                                          \
        return;                                                                                    \
    }                                                                                              \
    LANES_INDEPENDENT                                                                              \
    for (unsigned lane = 0; lane < LANES; lane++) {                                                \
        const memory_##D old = d[lane];                                                            \
        LOAD const memory_##D result = write_##D(expression);                                      \
        d[lane] = mask & lane_bit[lane] ? result : old;                                            \
    }

/* Integers are divided in double precision. If b is not 0, the integer part of a / b is exact. The
 * rounding error is at most 2^-53 of the quotient, but the distance to the next larger integer is
 * at least 2^-32 of the quotient. Not all vector instruction sets convert unsigned integers. */
static inline double double_of_u32(uint32_t x)
{
    return (double)(int32_t)(x ^ 0x80000000u) + 0x1p31;
}

static inline uint32_t u32_of_double(double x)
{
    double low = x >= 0x1p31 ? x - 0x1p31 : x;
    return (uint32_t)(int32_t)low + (x >= 0x1p31 ? 0x80000000u : 0u);
}

static inline uint32_t divide_u32(uint32_t a, uint32_t b)
{
    uint32_t quotient = u32_of_double(double_of_u32(a) / double_of_u32(b | (b == 0)));
    return b == 0 ? UINT32_MAX : quotient;
}

static inline uint32_t remainder_u32(uint32_t a, uint32_t b)
{
    uint32_t quotient = u32_of_double(double_of_u32(a) / double_of_u32(b | (b == 0)));
    return b == 0 ? UINT32_MAX : a - quotient * b;
}

static inline uint32_t magnitude_s32(int32_t x)
{
    return x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
}

static inline int32_t divide_s32(int32_t a, int32_t b)
{
    uint32_t quotient = divide_u32(magnitude_s32(a), magnitude_s32(b));
    return (int32_t)(b == 0 ? UINT32_MAX : (a ^ b) < 0 ? 0u - quotient : quotient);
}

static inline int32_t remainder_s32(int32_t a, int32_t b)
{
    uint32_t rest = remainder_u32(magnitude_s32(a), magnitude_s32(b));
    return (int32_t)(b == 0 ? UINT32_MAX : a < 0 ? 0u - rest : rest);
}

static inline uint32_t clamp_s32(int64_t x)
{
    return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x);
}

static inline uint64_t product24_u32(uint32_t a, uint32_t b)
{
    return (uint64_t)(a & 0xffffffu) * (b & 0xffffffu);
}

static inline int32_t extend24(uint32_t x)
{
    return (int32_t)((x & 0xffffffu) ^ 0x800000u) - 0x800000;
}

static inline int64_t product24_s32(uint32_t a, uint32_t b)
{
    return (int64_t)extend24(a) * extend24(b);
}

static inline uint32_t population_u32(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8; /* gcc would replace a multiplication here with a scalar popcount. */
    x += x >> 16;
    return x & 0x3fu;
}

static inline uint32_t leading_zeros_u32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return population_u32(~x);
}

static inline uint32_t leading_zeros_u64(uint64_t x)
{
    uint32_t high = (uint32_t)(x >> 32);
    uint32_t zeros = leading_zeros_u32(high ? high : (uint32_t)x);
    return high ? zeros : zeros + 32;
}

static inline uint32_t reverse_u32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

/* PTX ISA 9.7.8: the shift amount is clamped to the width. */
#define SHIFTS(width)                                                                              \
    static inline uint##width##_t shift_left_u##width(uint##width##_t a, uint32_t n)               \
    {                                                                                              \
        return n > width - 1 ? 0 : a << (n & (width - 1));                                         \
    }                                                                                              \
    static inline uint##width##_t shift_right_u##width(uint##width##_t a, uint32_t n)              \
    {                                                                                              \
        return n > width - 1 ? 0 : a >> (n & (width - 1));                                         \
    }                                                                                              \
    static inline int##width##_t shift_right_s##width(int##width##_t a, uint32_t n)                \
    {                                                                                              \
        return a >> (n > width - 1 ? width - 1 : n);                                               \
    }
SHIFTS(32)
SHIFTS(64)

/* shf shifts the 64-bit value {high, low} by n <= 32 and returns the upper (left) or lower half. */
static inline uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)((((uint64_t)high << 32 | low) << n) >> 32);
}

static inline uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}

static inline uint32_t at_most_32(uint32_t n)
{
    return n > 32 ? 32 : n;
}

/* Bit fields (PTX ISA 9.7.1, bfe). A field that extends past the end of the register is truncated.
 * The PTX ISA does not define positions and lengths above 255. On an H200, 32-bit operations use
 * the low eight bits of position and length. 64-bit operations use all bits. */
static inline uint32_t field_u32(uint32_t a, uint32_t position, uint32_t length)
{
    position &= 0xff;
    length &= 0xff;
    return shift_right_u32(a, position) & ~(length > 31 ? 0u : UINT32_MAX << (length & 31));
}

static inline int32_t field_s32(int32_t a, uint32_t position, uint32_t length)
{
    position &= 0xff;
    length &= 0xff;
    int32_t shifted = shift_right_s32(a, position);
    uint32_t spare = length > 31 ? 0 : 32 - length;
    int32_t extended = (int32_t)((uint32_t)shifted << (spare & 31)) >> (spare & 31);
    return length == 0 ? 0 : extended;
}

static inline uint64_t field_u64(uint64_t a, uint32_t position, uint32_t length)
{
    return shift_right_u64(a, position) & ~(length > 63 ? 0 : UINT64_MAX << (length & 63));
}

static inline int64_t field_s64(int64_t a, uint32_t position, uint32_t length)
{
    int64_t shifted = shift_right_s64(a, position);
    uint32_t spare = length > 63 ? 0 : 64 - length;
    int64_t extended = (int64_t)((uint64_t)shifted << (spare & 63)) >> (spare & 63);
    return length == 0 ? 0 : extended;
}

/* prmt without a mode: each nibble of the selector selects one of eight bytes. If bit 3 of the
 * nibble is set, the byte's sign is replicated. */
static inline uint32_t permute_byte(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t word = selector & 4 ? b : a;
    uint32_t byte = word >> (selector & 3) * 8 & 0xff;
    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
    return permute_byte(a, b, selector) | permute_byte(a, b, selector >> 4) << 8 |
           permute_byte(a, b, selector >> 8) << 16 | permute_byte(a, b, selector >> 12) << 24;
}

static inline uint32_t table_column(uint32_t table, unsigned pair, uint32_t c)
{
    uint32_t with_0 = 0u - (table >> 2 * pair & 1), with_1 = 0u - (table >> (2 * pair + 1) & 1);
    return with_0 ^ (c & (with_0 ^ with_1));
}

static inline uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t a_set = (b & table_column(table, 3, c)) | (~b & table_column(table, 2, c));
    uint32_t a_clear = (b & table_column(table, 1, c)) | (~b & table_column(table, 0, c));
    return (a & a_set) | (~a & a_clear);
}

static inline float nan_of(float a, float b, float otherwise)
{
    return a != a || b != b ? a + b : otherwise;
}

/* The product of two halves is exact in a float. The sum is rounded to odd (sum_odd_f64). */
static inline float fma_f16(float a, float b, float c)
{
    float product = a * b;
    float sum = product + c;
    float part = sum - product;
    float error = (product - (sum - part)) + (c - part);
    uint32_t bits = bits_f32(sum);
    uint32_t toward_zero = (error < 0) != (sum < 0);
    uint32_t odd = toward_zero ? bits - 1 : bits + 1;
    bool inexact = error < 0 || error > 0;
    return float_f32(inexact && !(bits & 1) ? odd : bits);
}

/* The products of bf16 require the range of a double. The sum, rounded to odd, is truncated to a
 * float. The last bit is set if a truncated bit was set. */
static inline float fma_bf16(float a, float b, float c)
{
    double exact = sum_odd_f64((double)a * b, c);
    float nearest = (float)exact;
    uint32_t cut = bits_f32(nearest);
    double back = nearest;
    uint32_t away = (back > exact) == (exact > 0) && exact != 0;
    uint32_t truncated = away ? cut - 1 : cut;
    bool rounded = back < exact || back > exact;
    return float_f32(rounded ? truncated | 1 : cut);
}

/* Round toward zero, and clamp to the range. A NaN becomes 0 (PTX ISA 9.7.9, cvt). */
static inline int32_t s32_of_f32(float x)
{
    float inside = x >= -0x1p31f && x < 0x1p31f ? x : 0.0f;
    int32_t result = (int32_t)inside;
    result = x >= 0x1p31f ? INT32_MAX : result;
    return x < -0x1p31f ? INT32_MIN : result;
}

static inline uint32_t u32_of_f32(float x)
{
    float inside = x > 0.0f && x < 0x1p32f ? x : 0.0f;
    float low = inside >= 0x1p31f ? inside - 0x1p31f : inside;
    uint32_t result = (uint32_t)(int32_t)low + (inside >= 0x1p31f ? 0x80000000u : 0u);
    return x >= 0x1p32f ? UINT32_MAX : result;
}

/* For a NaN, only the top bit of the result is set (see nan_integer). */
static inline int32_t s32_of_f64(double x)
{
    double inside = x > -0x1p31 - 1 && x < 0x1p31 ? x : 0.0;
    int32_t result = (int32_t)inside;
    result = x >= 0x1p31 ? INT32_MAX : result;
    return x != x || x <= -0x1p31 - 1 ? INT32_MIN : result;
}

static inline int64_t s64_of_f64(double x)
{
    double inside = x >= -0x1p63 && x < 0x1p63 ? x : 0.0;
    int64_t result = (int64_t)inside;
    result = x >= 0x1p63 ? INT64_MAX : result;
    return x != x || x < -0x1p63 ? INT64_MIN : result;
}

/* div.approx (PTX ISA 9.7.3.8): the reciprocal of b is 0 if |b| is finite and above 2^126. */
static inline float divide_approximately(float a, float b)
{
    float magnitude = fabsf(b);
    bool beyond = magnitude > 0x1p126f && magnitude < INFINITY;
    float zero = float_f32(bits_f32(b) & 0x80000000u);
    return beyond ? a * zero : a / b;
}

#define FOR_WIDTHS(R, X, SET, ...)                                                                 \
    R(X, u16, SET##16, __VA_ARGS__)                                                                \
    R(X, u32, SET##32, __VA_ARGS__)                                                                \
    R(X, u64, SET##64, __VA_ARGS__)
#define FOR_INTEGERS(R, X, ...)                                                                    \
    R(X, u16, T(U16), __VA_ARGS__)                                                                 \
    R(X, s16, T(S16), __VA_ARGS__)                                                                 \
    R(X, u32, T(U32), __VA_ARGS__)                                                                 \
    R(X, s32, T(S32), __VA_ARGS__)                                                                 \
    R(X, u64, T(U64), __VA_ARGS__)                                                                 \
    R(X, s64, T(S64), __VA_ARGS__)
#define WIDTH_ROW1(X, type, types, name, code, expression)                                         \
    X(name##_##type, code, types, 0, 0, type, type, (value_##type)(expression))
#define WIDTH_ROW2(X, type, types, name, code, need, expression)                                   \
    X(name##_##type, code, types, need, 0, type, type, type, (value_##type)(expression))
#define WIDTH_ROW3(X, type, types, name, code, need, expression)                                   \
    X(name##_##type, code, types, need, 0, type, type, type, type, (value_##type)(expression))

#define FLOAT_ROWS1(X, name, code, need, may, expression)                                          \
    X(name##_f32, code, T(F32), need, may, f32, f32, expression)                                   \
    X(name##_ftz_f32, code, T(F32), (need) | M(FTZ), may, f32z, f32z, expression)
#define FLOAT_ROWS2(X, name, code, need, may, expression)                                          \
    X(name##_f32, code, T(F32), need, may, f32, f32, f32, expression)                              \
    X(name##_ftz_f32, code, T(F32), (need) | M(FTZ), may, f32z, f32z, f32z, expression)

/* Columns: name, opcode, types, modifiers required, modifiers allowed, lane types, expression. */
#define UNARY_LIST(X)                                                                              \
    FOR_WIDTHS(WIDTH_ROW1, X, T_BITS, not, NOT, ~a)                                                \
    FOR_WIDTHS(WIDTH_ROW1, X, T_BITS, cnot, CNOT, a == 0)                                          \
    FLOAT_ROWS1(X, neg, NEG, 0, 0, -a)                                                             \
    FLOAT_ROWS1(X, abs, ABS, 0, 0, fabsf(a))                                                       \
    FLOAT_ROWS1(X, rcp, RCP, 0, M(RN) | M(APPROX), 1.0f / a)                                       \
    FLOAT_ROWS1(X, sqrt, SQRT, 0, M(RN) | M(APPROX), sqrtf(a))                                     \
    FLOAT_ROWS1(X, rsqrt, RSQRT, M(APPROX), 0, (float)(1.0 / sqrt((double)a)))                     \
    X(abs_s16, ABS, T(S16), 0, 0, u16, s16, (uint16_t)(a < 0 ? -a : a))                            \
    X(abs_s32, ABS, T(S32), 0, 0, u32, s32, magnitude_s32(a))                                      \
    X(abs_s64, ABS, T(S64), 0, 0, u64, s64, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)                 \
    X(neg_s16, NEG, T(S16), 0, 0, u16, u16, (uint16_t)(0 - a))                                     \
    X(neg_s32, NEG, T(S32), 0, 0, u32, u32, 0 - a)                                                 \
    X(neg_s64, NEG, T(S64), 0, 0, u64, u64, 0 - a)                                                 \
    X(popc_b32, POPC, T_BITS32, 0, 0, u32, u32, population_u32(a))                                 \
    X(popc_b64, POPC, T_BITS64, 0, 0, u32, u64,                                                    \
      population_u32((uint32_t)a) + population_u32((uint32_t)(a >> 32)))                           \
    X(clz_b32, CLZ, T_BITS32, 0, 0, u32, u32, leading_zeros_u32(a))                                \
    X(clz_b64, CLZ, T_BITS64, 0, 0, u32, u64, leading_zeros_u64(a))                                \
    X(brev_b32, BREV, T_BITS32, 0, 0, u32, u32, reverse_u32(a))                                    \
    X(brev_b64, BREV, T_BITS64, 0, 0, u64, u64,                                                    \
      (uint64_t)reverse_u32((uint32_t)a) << 32 | reverse_u32((uint32_t)(a >> 32)))                 \
    X(neg_f64, NEG, T(F64), 0, 0, f64, f64, nan1_f64(a, -a))                                       \
    X(abs_f64, ABS, T(F64), 0, 0, f64, f64, nan1_f64(a, fabs(a)))                                  \
    X(rcp_f64, RCP, T(F64), M(RN), 0, f64, f64, nan1_f64(a, 1.0 / a))                              \
    X(sqrt_f64, SQRT, T(F64), M(RN), 0, f64, f64, nan1_f64(a, sqrt(a)))

#define BINARY_LIST(X)                                                                             \
    FOR_WIDTHS(WIDTH_ROW2, X, T_INT, add, ADD, 0, a + b)                                           \
    FOR_WIDTHS(WIDTH_ROW2, X, T_INT, sub, SUB, 0, a - b)                                           \
    FOR_WIDTHS(WIDTH_ROW2, X, T_INT, mul_lo, MUL, M(LO), 1u * a * b)                               \
    FOR_WIDTHS(WIDTH_ROW2, X, T_BITS, and, AND, 0, a &b)                                           \
    FOR_WIDTHS(WIDTH_ROW2, X, T_BITS, or, OR, 0, a | b)                                            \
    FOR_WIDTHS(WIDTH_ROW2, X, T_BITS, xor, XOR, 0, a ^ b)                                          \
    FOR_INTEGERS(WIDTH_ROW2, X, min, MIN, 0, a < b ? a : b)                                        \
    FOR_INTEGERS(WIDTH_ROW2, X, max, MAX, 0, a > b ? a : b)                                        \
    FLOAT_ROWS2(X, add, ADD, 0, M(RN), a + b)                                                      \
    FLOAT_ROWS2(X, sub, SUB, 0, M(RN), a - b)                                                      \
    FLOAT_ROWS2(X, div, DIV, 0, M(RN) | M(FULL), a / b)                                            \
    FLOAT_ROWS2(X, div_approx, DIV, M(APPROX), 0, divide_approximately(a, b))                      \
    FLOAT_ROWS2(X, min, MIN, 0, 0, minimum_f32(a, b))                                              \
    FLOAT_ROWS2(X, max, MAX, 0, 0, maximum_f32(a, b))                                              \
    X(add_sat_s32, ADD, T(S32), M(SAT), 0, u32, s32, s32, clamp_s32((int64_t)a + b))               \
    X(sub_sat_s32, SUB, T(S32), M(SAT), 0, u32, s32, s32, clamp_s32((int64_t)a - b))               \
    X(mul_hi_u32, MUL, T(U32), M(HI), 0, u32, u32, u32, (uint32_t)((uint64_t)a * b >> 32))         \
    X(mul_hi_s32, MUL, T(S32), M(HI), 0, u32, s32, s32, (uint32_t)(((int64_t)a * b) >> 32))        \
    X(mul_wide_u16, MUL, T(U16), M(WIDE), 0, u32, u16, u16, ((uint32_t)a * b))                     \
    X(mul_wide_s16, MUL, T(S16), M(WIDE), 0, s32, s16, s16, ((int32_t)a * b))                      \
    X(mul_wide_u32, MUL, T(U32), M(WIDE), 0, u64, u32, u32, ((uint64_t)a * b))                     \
    X(mul_wide_s32, MUL, T(S32), M(WIDE), 0, s64, s32, s32, ((int64_t)a * b))                      \
    X(mul24_lo_u32, MUL24, T(U32), M(LO), 0, u32, u32, u32, (uint32_t)product24_u32(a, b))         \
    X(mul24_hi_u32, MUL24, T(U32), M(HI), 0, u32, u32, u32, (uint32_t)(product24_u32(a, b) >> 16)) \
    X(mul24_lo_s32, MUL24, T(S32), M(LO), 0, u32, u32, u32, (uint32_t)product24_s32(a, b))         \
    X(mul24_hi_s32, MUL24, T(S32), M(HI), 0, u32, u32, u32, (uint32_t)(product24_s32(a, b) >> 16)) \
    X(div_u16, DIV, T(U16), 0, 0, u16, u16, u16, (uint16_t)divide_u32(a, b))                       \
    X(div_s16, DIV, T(S16), 0, 0, u16, s16, s16, (uint16_t)divide_s32(a, b))                       \
    X(div_u32, DIV, T(U32), 0, 0, u32, u32, u32, divide_u32(a, b))                                 \
    X(div_s32, DIV, T(S32), 0, 0, s32, s32, s32, divide_s32(a, b))                                 \
    X(rem_u16, REM, T(U16), 0, 0, u16, u16, u16, (uint16_t)remainder_u32(a, b))                    \
    X(rem_s16, REM, T(S16), 0, 0, u16, s16, s16, (uint16_t)remainder_s32(a, b))                    \
    X(rem_u32, REM, T(U32), 0, 0, u32, u32, u32, remainder_u32(a, b))                              \
    X(rem_s32, REM, T(S32), 0, 0, s32, s32, s32, remainder_s32(a, b))                              \
    X(shl_16, SHL, T_BITS16, 0, 0, u16, u16, u32, (uint16_t)shift_left_u32(a, b))                  \
    X(shl_32, SHL, T_BITS32, 0, 0, u32, u32, u32, shift_left_u32(a, b))                            \
    X(shl_64, SHL, T_BITS64, 0, 0, u64, u64, u32, shift_left_u64(a, b))                            \
    X(shr_u16, SHR, T(U16) | T(B16), 0, 0, u16, u16, u32, (uint16_t)shift_right_u32(a, b))         \
    X(shr_s16, SHR, T(S16), 0, 0, s16, s16, u32, (int16_t)shift_right_s32(a, b))                   \
    X(shr_u32, SHR, T(U32) | T(B32), 0, 0, u32, u32, u32, shift_right_u32(a, b))                   \
    X(shr_s32, SHR, T(S32), 0, 0, s32, s32, u32, shift_right_s32(a, b))                            \
    X(shr_u64, SHR, T(U64) | T(B64), 0, 0, u64, u64, u32, shift_right_u64(a, b))                   \
    X(shr_s64, SHR, T(S64), 0, 0, s64, s64, u32, shift_right_s64(a, b))                            \
    X(add_f64, ADD, T(F64), 0, M(RN), f64, f64, f64, nan2_f64(a, b, a + b))                        \
    X(sub_f64, SUB, T(F64), 0, M(RN), f64, f64, f64, nan2_f64(a, b, a - b))                        \
    X(mul_f32, MUL, T(F32), 0, M(RN), f32, f32, f32, (a * b))                                      \
    X(mul_ftz_f32, MUL, T(F32), M(FTZ), M(RN), f32z, f32z, f32z,                                   \
      flush_tiny_f32((a * SCALE_F32) * b, (a * b)))                                                \
    X(mul_f64, MUL, T(F64), 0, M(RN), f64, f64, f64, nan2_f64(a, b, (a * b)))                      \
    X(div_f64, DIV, T(F64), M(RN), 0, f64, f64, f64, nan2_f64(b, a, a / b))                        \
    X(min_nan_f32, MIN, T(F32), M(NAN), 0, f32, f32, f32, nan_of(a, b, minimum_f32(a, b)))         \
    X(min_f64, MIN, T(F64), 0, 0, f64, f64, f64, minimum_f64(a, b))                                \
    X(max_nan_f32, MAX, T(F32), M(NAN), 0, f32, f32, f32, nan_of(a, b, maximum_f32(a, b)))         \
    X(max_f64, MAX, T(F64), 0, 0, f64, f64, f64, maximum_f64(a, b))

#define DISTANCE(U) (a > b ? (U)a - (U)b : (U)b - (U)a)
#define SAD_ROWS(X, bits)                                                                          \
    X(sad_u##bits, SAD, T(U##bits), 0, 0, u##bits, u##bits, u##bits, u##bits,                      \
      (value_u##bits)(DISTANCE(value_u##bits) + c))                                                \
    X(sad_s##bits, SAD, T(S##bits), 0, 0, u##bits, s##bits, s##bits, u##bits,                      \
      (value_u##bits)(DISTANCE(value_u##bits) + c))

#define TERNARY_LIST(X)                                                                            \
    FOR_WIDTHS(WIDTH_ROW3, X, T_INT, mad_lo, MAD, M(LO), 1u * a * b + c)                           \
    X(mad_hi_u32, MAD, T(U32), M(HI), 0, u32, u32, u32, u32,                                       \
      (uint32_t)((uint64_t)a * b >> 32) + c)                                                       \
    X(mad_hi_s32, MAD, T(S32), M(HI), 0, u32, s32, s32, u32,                                       \
      (uint32_t)(((int64_t)a * b) >> 32) + c)                                                      \
    X(mad_hi_sat_s32, MAD, T(S32), M(HI) | M(SAT), 0, u32, s32, s32, s32,                          \
      clamp_s32((((int64_t)a * b) >> 32) + c))                                                     \
    X(mad_wide_u16, MAD, T(U16), M(WIDE), 0, u32, u16, u16, u32, b *(uint32_t)a + c)               \
    X(mad_wide_s16, MAD, T(S16), M(WIDE), 0, u32, s16, s16, u32, (uint32_t)((int32_t)a * b) + c)   \
    X(mad_wide_u32, MAD, T(U32), M(WIDE), 0, u64, u32, u32, u64, b *(uint64_t)a + c)               \
    X(mad_wide_s32, MAD, T(S32), M(WIDE), 0, u64, s32, s32, u64, (uint64_t)((int64_t)a * b) + c)   \
    X(mad24_lo_u32, MAD24, T(U32), M(LO), 0, u32, u32, u32, u32,                                   \
      (uint32_t)product24_u32(a, b) + c)                                                           \
    X(mad24_hi_u32, MAD24, T(U32), M(HI), 0, u32, u32, u32, u32,                                   \
      (uint32_t)(product24_u32(a, b) >> 16) + c)                                                   \
    X(mad24_lo_s32, MAD24, T(S32), M(LO), 0, u32, u32, u32, u32,                                   \
      (uint32_t)product24_s32(a, b) + c)                                                           \
    X(mad24_hi_s32, MAD24, T(S32), M(HI), 0, u32, u32, u32, u32,                                   \
      (uint32_t)(product24_s32(a, b) >> 16) + c)                                                   \
    X(mad24_hi_sat_s32, MAD24, T(S32), M(HI) | M(SAT), 0, u32, u32, u32, s32,                      \
      clamp_s32((product24_s32(a, b) >> 16) + c))                                                  \
    SAD_ROWS(X, 16)                                                                                \
    SAD_ROWS(X, 32)                                                                                \
    SAD_ROWS(X, 64)                                                                                \
    X(bfe_u32, BFE, T(U32), 0, 0, u32, u32, u32, u32, field_u32(a, b, c))                          \
    X(bfe_s32, BFE, T(S32), 0, 0, s32, s32, u32, u32, field_s32(a, b, c))                          \
    X(bfe_u64, BFE, T(U64), 0, 0, u64, u64, u32, u32, field_u64(a, b, c))                          \
    X(bfe_s64, BFE, T(S64), 0, 0, s64, s64, u32, u32, field_s64(a, b, c))                          \
    X(prmt_b32, PRMT, T_BITS32, 0, 0, u32, u32, u32, u32, permute(a, b, c))                        \
    X(shf_l_clamp, SHF, T_BITS32, M(L) | M(CLAMP), 0, u32, u32, u32, u32,                          \
      funnel_left(a, b, at_most_32(c)))                                                            \
    X(shf_l_wrap, SHF, T_BITS32, M(L) | M(WRAP), 0, u32, u32, u32, u32, funnel_left(a, b, c & 31)) \
    X(shf_r_clamp, SHF, T_BITS32, M(R) | M(CLAMP), 0, u32, u32, u32, u32,                          \
      funnel_right(a, b, at_most_32(c)))                                                           \
    X(shf_r_wrap, SHF, T_BITS32, M(R) | M(WRAP), 0, u32, u32, u32, u32,                            \
      funnel_right(a, b, c & 31))                                                                  \
    X(fma_f32, FMA, T(F32), M(RN), 0, f32, f32, f32, f32, fmaf(a, b, c))                           \
    X(fma_ftz_f32, FMA, T(F32), M(RN) | M(FTZ), 0, f32z, f32z, f32z, f32z,                         \
      flush_tiny_f32(fmaf(a * SCALE_F32, b, c * SCALE_F32), fmaf(a, b, c)))                        \
    X(fma_f64, FMA, T(F64), M(RN), 0, f64, f64, f64, f64, nan3_f64(a, b, c, fma(a, b, c)))

/* On sm_20 and later, mad is another name of fma. */
#define MAD_LIST(X)                                                                                \
    X(fma_f32, MAD, T(F32), 0, M(RN), f32, f32, f32, f32, )                                        \
    X(fma_ftz_f32, MAD, T(F32), M(FTZ), M(RN), f32z, f32z, f32z, f32z, )                           \
    X(fma_f64, MAD, T(F64), M(RN), 0, f64, f64, f64, f64, )

/* Each row makes a handler for one half and a handler for pairs (x2 types). Columns: operands,
 * name, opcode, types, types of pairs, modifiers, lane type, expression. */
#define HALF_LIST(X, type, pair, half)                                                             \
    X(1, neg_##type, NEG, T(type), T(pair), 0, half, -a)                                           \
    X(1, abs_##type, ABS, T(type), T(pair), 0, half, fabsf(a))                                     \
    X(2, add_##type, ADD, T(type), T(pair), M(RN), half, a + b)                                    \
    X(2, sub_##type, SUB, T(type), T(pair), M(RN), half, a - b)                                    \
    X(2, mul_##type, MUL, T(type), T(pair), M(RN), half, a *(b))                                   \
    X(2, min_##type, MIN, T(type), T(pair), 0, half, minimum_f32(a, b))                            \
    X(2, max_##type, MAX, T(type), T(pair), 0, half, maximum_f32(a, b))                            \
    X(3, fma_##type, FMA, T(type), T(pair), M(RN), half, fma_##half(a, b, c))

UNARY_LIST(HANDLER1)
BINARY_LIST(HANDLER2)
TERNARY_LIST(HANDLER3)

#define HALF_CALL1(name, shift) name##_half(a >> shift, 0, 0)
#define HALF_CALL2(name, shift) name##_half(a >> shift, b >> shift, 0)
#define HALF_CALL3(name, shift) name##_half(a >> shift, b >> shift, c >> shift)
#define HALF_HANDLERS(n, name, code, one, two, may, half, expression)                              \
    static inline uint32_t name##_half(uint32_t x, uint32_t y, uint32_t z)                         \
    {                                                                                              \
        const value_##half a = read_##half((uint16_t)x), b = read_##half((uint16_t)y),             \
                           c = read_##half((uint16_t)z);                                           \
        (void)b, (void)c;                                                                          \
        return write_##half(expression);                                                           \
    }                                                                                              \
    EXPAND(HANDLER##n, name, code, , , , SAME##n(u16), (uint16_t)HALF_CALL##n(name, 0))            \
    EXPAND(HANDLER##n, name##X2, code, , , , SAME##n(u32),                                         \
           HALF_CALL##n(name, 0) | HALF_CALL##n(name, 16) << 16)
#define HALF_ROWS(n, name, code, one, two, may, half, expression)                                  \
    EXPAND(ROW##n, name, code, one, 0, may, SAME##n(u16), )                                        \
    EXPAND(ROW##n, name##X2, code, two, 0, may, SAME##n(u32), )

HALF_LIST(HALF_HANDLERS, F16, F16X2, f16)
HALF_LIST(HALF_HANDLERS, BF16, BF16X2, bf16)

HANDLER(lop3_b32)
{
    SOURCE(a, u32, 0)
    SOURCE(b, u32, 1)
    SOURCE(c, u32, 2)
    SOURCE(tables, u32, 3)
    const uint32_t table = ptables[0];
    LANE_LOOPS(u32, LOAD(a, u32) LOAD(b, u32) LOAD(c, u32), logic3(a, b, c, table))
}

/* bfi f, a, b, position, length: insert the low `length` bits of a into b at `position`. */
#define INSERT_HANDLER(name, type, shift_left, all_ones, limit)                                    \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SOURCE(a, type, 0)                                                                         \
        SOURCE(b, type, 1)                                                                         \
        SOURCE(c, u32, 2)                                                                          \
        SOURCE(lengths, u32, 3)                                                                    \
        LANE_LOOPS(type,                                                                           \
                   LOAD(a, type) LOAD(b, type) LOAD(c, u32) const uint32_t position = c & limit;   \
                   const value_##type field =                                                      \
                       shift_left(~shift_left(all_ones, plengths[lane] & limit), position);        \
                   , (b & ~field) | (shift_left(a, position) & field))                             \
    }
INSERT_HANDLER(bfi_b32, u32, shift_left_u32, UINT32_MAX, 0xff)
INSERT_HANDLER(bfi_b64, u64, shift_left_u64, UINT64_MAX, UINT32_MAX)

/* clang-format off */
#define FOUR_LIST(X)                                                                               \
    X(lop3_b32, LOP3, T_BITS32, u32)                                                               \
    X(bfi_b32, BFI, T_BITS32, u32)                                                                 \
    X(bfi_b64, BFI, T_BITS64, u64)
/* clang-format on */
#define FOUR_ROW(name, code, types, type)                                                          \
    ROW(name, code, types, 0, 0, 0, false, ptx_##type, 4, ptx_##type, ptx_##type, ptx_u32, ptx_u32)

/* clang-format off */
#define SELECT_LIST(X)                                                                             \
    X(selp_16, SELP, T_ANY16, u16)                                                                 \
    X(selp_32, SELP, T_ANY32, u32)                                                                 \
    X(selp_64, SELP, T_ANY64, u64)
/* clang-format on */
#define SELECT_HANDLER(name, code, types, type)                                                    \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SOURCE(a, type, 0)                                                                         \
        SOURCE(b, type, 1)                                                                         \
        const uint32_t predicate = lanes_predicate(instruction, lanes, 2);                         \
        LANE_LOOPS(type, LOAD(a, type) LOAD(b, type), (predicate & lane_bit[lane]) != 0 ? a : b)   \
    }
SELECT_LIST(SELECT_HANDLER)
#define SELECT_ROW(name, code, types, type)                                                        \
    ROW(name, code, types, 0, 0, 0, false, ptx_##type, 3, ptx_##type, ptx_##type, PTX_PRED)

/* clang-format off */
#define PREDICATE_LIST(X)                                                                          \
    X(mov_pred, MOV, 1, a)                                                                         \
    X(not_pred, NOT, 1, ~a)                                                                        \
    X(and_pred, AND, 2, a & b)                                                                     \
    X(or_pred, OR, 2, a | b)                                                                       \
    X(xor_pred, XOR, 2, a ^ b)
/* clang-format on */
#define PREDICATE_HANDLER(name, code, count, expression)                                           \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        const uint32_t a = lanes_predicate(instruction, lanes, 0);                                 \
        const uint32_t b = lanes_predicate(instruction, lanes, (count)-1);                         \
        (void)b;                                                                                   \
        lanes_set_predicate(&instruction->destination, lanes, mask, expression);                   \
    }
PREDICATE_LIST(PREDICATE_HANDLER)
#define PREDICATE_ROW(name, code, count, expression)                                               \
    ROW(name, code, T(PRED), 0, 0, 0, false, PTX_PRED, count, PTX_PRED, PTX_PRED)

/* Frequent conversions of registers as wide as their types. alu_convert handles the rest. Columns:
 * name, result and source types, modifiers required, allowed, lane types, expression. */
#define CONVERT_LIST(X)                                                                            \
    X(cvt_64_u8, T_INT64, T(U8), 0, 0, u64, u8, a)                                                 \
    X(cvt_64_s8, T_INT64, T(S8), 0, 0, s64, s8, a)                                                 \
    X(cvt_64_u16, T_INT64, T(U16), 0, 0, u64, u16, a)                                              \
    X(cvt_64_s16, T_INT64, T(S16), 0, 0, s64, s16, a)                                              \
    X(cvt_64_u32, T_INT64, T(U32), 0, 0, u64, u32, a)                                              \
    X(cvt_64_s32, T_INT64, T(S32), 0, 0, s64, s32, a)                                              \
    X(cvt_64_64, T_INT64, T_INT64, 0, 0, u64, u64, a)                                              \
    X(cvt_32_u8, T_INT32, T(U8), 0, 0, u32, u8, a)                                                 \
    X(cvt_32_s8, T_INT32, T(S8), 0, 0, s32, s8, a)                                                 \
    X(cvt_32_u16, T_INT32, T(U16), 0, 0, u32, u16, a)                                              \
    X(cvt_32_s16, T_INT32, T(S16), 0, 0, s32, s16, a)                                              \
    X(cvt_32_32, T_INT32, T_INT32, 0, 0, u32, u32, a)                                              \
    X(cvt_32_64, T_INT32, T_INT64, 0, 0, u32, u64, (uint32_t)a)                                    \
    X(cvt_16_u8, T_INT16, T(U8), 0, 0, u16, u8, a)                                                 \
    X(cvt_16_s8, T_INT16, T(S8), 0, 0, s16, s8, a)                                                 \
    X(cvt_16_16, T_INT16, T_INT16, 0, 0, u16, u16, a)                                              \
    X(cvt_16_32, T_INT16, T_INT32, 0, 0, u16, u32, (uint16_t)a)                                    \
    X(cvt_16_64, T_INT16, T_INT64, 0, 0, u16, u64, (uint16_t)a)                                    \
    X(cvt_u8_16, T(U8), T_INT16 | T(U8) | T(S8), 0, 0, u8, u16, (uint8_t)a)                        \
    X(cvt_u8_32, T(U8), T_INT32, 0, 0, u8, u32, (uint8_t)a)                                        \
    X(cvt_u8_64, T(U8), T_INT64, 0, 0, u8, u64, (uint8_t)a)                                        \
    X(cvt_s8_16, T(S8), T_INT16 | T(U8) | T(S8), 0, 0, s8, u16, (int8_t)a)                         \
    X(cvt_s8_32, T(S8), T_INT32, 0, 0, s8, u32, (int8_t)a)                                         \
    X(cvt_s8_64, T(S8), T_INT64, 0, 0, s8, u64, (int8_t)a)                                         \
    X(cvt_f32_s8, T(F32), T(S8), M(RN), 0, f32, s8, a)                                             \
    X(cvt_f32_u8, T(F32), T(U8), M(RN), 0, f32, u8, a)                                             \
    X(cvt_f32_s16, T(F32), T(S16), M(RN), 0, f32, s16, a)                                          \
    X(cvt_f32_u16, T(F32), T(U16), M(RN), 0, f32, u16, a)                                          \
    X(cvt_f32_s32, T(F32), T(S32), M(RN), 0, f32, s32, (float)a)                                   \
    X(cvt_f32_u32, T(F32), T(U32), M(RN), 0, f32, u32, (float)double_of_u32(a))                    \
    X(cvt_f32_s64, T(F32), T(S64), M(RN), 0, f32, s64, (float)a)                                   \
    X(cvt_f32_u64, T(F32), T(U64), M(RN), 0, f32, u64, (float)a)                                   \
    X(cvt_f64_s64, T(F64), T(S64), M(RN), 0, f64, s64, (double)a)                                  \
    X(cvt_f64_u64, T(F64), T(U64), M(RN), 0, f64, u64, (double)a)                                  \
    X(cvt_f64_s32, T(F64), T(S32), M(RN), 0, f64, s32, a)                                          \
    X(cvt_f64_u32, T(F64), T(U32), M(RN), 0, f64, u32, double_of_u32(a))                           \
    X(cvt_f64_f32, T(F64), T(F32), 0, 0, f64, f32, double_f32(a))                                  \
    X(cvt_f32_f64, T(F32), T(F64), M(RN), 0, b32, f64, single_f64(a))                              \
    X(cvt_s32_f32, T(S32), T(F32), M(RZI), M(FTZ), s32, f32, s32_of_f32(a))                        \
    X(cvt_u32_f32, T(U32), T(F32), M(RZI), M(FTZ), u32, f32, u32_of_f32(a))                        \
    X(cvt_s32_f64, T(S32), T(F64), M(RZI), 0, s32, f64, s32_of_f64(a))                             \
    X(cvt_s64_f32, T(S64), T(F32), M(RZI), M(FTZ), s64, f32, s64_of_f64(a))                        \
    X(cvt_s64_f64, T(S64), T(F64), M(RZI), 0, s64, f64, s64_of_f64(a))                             \
    X(cvt_rni_s32_f32, T(S32), T(F32), M(RNI), 0, s32, f32, s32_of_f32(rintf(a)))                  \
    X(cvt_rmi_s32_f32, T(S32), T(F32), M(RMI), 0, s32, f32, s32_of_f32(floorf(a)))                 \
    X(cvt_rpi_s32_f32, T(S32), T(F32), M(RPI), 0, s32, f32, s32_of_f32(ceilf(a)))                  \
    X(cvt_rni_f32, T(F32), T(F32), M(RNI), 0, f32, f32, rintf(a))                                  \
    X(cvt_rzi_f32, T(F32), T(F32), M(RZI), 0, f32, f32, truncf(a))                                 \
    X(cvt_rmi_f32, T(F32), T(F32), M(RMI), 0, f32, f32, floorf(a))                                 \
    X(cvt_rpi_f32, T(F32), T(F32), M(RPI), 0, f32, f32, ceilf(a))                                  \
    X(cvt_rni_f64, T(F64), T(F64), M(RNI), 0, f64, f64, nan1_f64(a, rint(a)))                      \
    X(cvt_rzi_f64, T(F64), T(F64), M(RZI), 0, f64, f64, nan1_f64(a, trunc(a)))                     \
    X(cvt_rmi_f64, T(F64), T(F64), M(RMI), 0, f64, f64, nan1_f64(a, floor(a)))                     \
    X(cvt_rpi_f64, T(F64), T(F64), M(RPI), 0, f64, f64, nan1_f64(a, ceil(a)))                      \
    X(cvt_sat_f32, T(F32), T(F32), M(SAT), 0, f32, f32, a > 0 ? (a < 1 ? a : 1) : 0)               \
    X(cvt_sat_ftz_f32, T(F32), T(F32), M(SAT) | M(FTZ), 0, f32z, f32z,                             \
      a > 0 ? (a < 1 ? a : 1) : 0)                                                                 \
    X(cvt_f32_f16, T(F32), T(F16), 0, M(FTZ), f32, f16, a)                                         \
    X(cvt_f16_f32, T(F16), T(F32), M(RN), 0, f16, f32, a)                                          \
    X(cvt_f32_bf16, T(F32), T(BF16), 0, 0, b32, bf16, a)                                           \
    X(cvt_bf16_f32, T(BF16), T(F32), M(RN), 0, bf16, f32, a)

#define CONVERT_HANDLER(name, to, from, need, may, D, A, expression)                               \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        if (instruction->source[0].stride != sizeof(memory_##A) ||                                 \
            instruction->destination.stride != sizeof(memory_##D)) {                               \
            alu_convert(instruction, lanes, mask);                                                 \
            return;                                                                                \
        }                                                                                          \
        SOURCE(a, A, 0)                                                                            \
        LANE_LOOPS(D, LOAD(a, A), expression)                                                      \
    }
CONVERT_LIST(CONVERT_HANDLER)
#define CONVERT_ROW(name, to, from, need, may, D, A, expression)                                   \
    ROW(name, CVT, to, from, need, may, true, ptx_##D, 1, ptx_##A)

/* clang-format off */
#define MOVE_LIST(X)                                                                               \
    X(mov_16, T_ANY16, u16)                                                                        \
    X(mov_32, T_ANY32, u32)                                                                        \
    X(mov_64, T_ANY64, u64)
/* clang-format on */
#define MOVE_HANDLER(name, types, type) CONVERT_HANDLER(name, types, , 0, 0, type, type, a)
MOVE_LIST(MOVE_HANDLER)
#define MOVE_ROW(name, types, type) ROW(name, MOV, types, 0, 0, 0, true, ptx_##type, 1, ptx_##type)

/* The first float becomes the upper half. */
/* clang-format off */
#define PACK_LIST(X)                                                                               \
    X(cvt_f16x2_f32, T(F16X2), (uint32_t)bits_f16(a) << 16 | bits_f16(b))                          \
    X(cvt_bf16x2_f32, T(BF16X2), (uint32_t)bits_bf16(a) << 16 | bits_bf16(b))
/* clang-format on */
#define PACK_HANDLER(name, to, expression)                                                         \
    HANDLER2(name, CVT, to, M(RN), 0, u32, f32, f32, expression)
PACK_LIST(PACK_HANDLER)
#define PACK_ROW(name, to, expression)                                                             \
    ROW(name, CVT, to, T(F32), M(RN), 0, false, PTX_U32, 2, PTX_F32, PTX_F32)

/* Columns: name, bytes of the whole register, bytes of the part, lane types. The control of a
 * handler is the number of the part's first bit. */
/* clang-format off */
#define PART_LIST(X)                                                                               \
    X(64_32, 8, 4, u64, u32)                                                                       \
    X(64_16, 8, 2, u64, u16)                                                                       \
    X(64_8, 8, 1, u64, u8)                                                                         \
    X(32_16, 4, 2, u32, u16)                                                                       \
    X(32_8, 4, 1, u32, u8)                                                                         \
    X(16_8, 2, 1, u16, u8)
/* clang-format on */
#define PART_HANDLERS(name, whole, part, W, P)                                                     \
    HANDLER1(extract_##name, MOV, 0, 0, 0, P, W, (value_##P)(a >> control))                        \
    HANDLER1(                                                                                      \
        insert_##name, MOV, 0, 0, 0, W, P,                                                         \
        (value_##W)((old & ~((value_##W)(value_##P) ~0 << control)) | (value_##W)a << control))
PART_LIST(PART_HANDLERS)

static const struct part_row {
    alu_handler *extract, *insert;
    uint8_t whole_bytes, part_bytes;
    uint8_t whole_type, part_type;
} part_rows[] = {
#define X(name, whole, part, W, P) {extract_##name, insert_##name, whole, part, ptx_##W, ptx_##P},
    PART_LIST(X)
#undef X
};

bool ALU_NAME(alu_select_part)(bool insert, unsigned whole_bytes, unsigned part_bytes,
                               unsigned part, struct alu_operation *operation)
{
    const struct part_row *row = part_rows, *end = part_rows + ROW_COUNT(part_rows);
    while (row < end && (row->whole_bytes != whole_bytes || row->part_bytes != part_bytes))
        row++;
    if (row == end || part >= whole_bytes / part_bytes)
        return false;
    *operation =
        (struct alu_operation){.handler = insert ? row->insert : row->extract,
                               .control = 8 * part_bytes * part,
                               .source_count = 1,
                               .destination_type = insert ? row->whole_type : row->part_type,
                               .source_type = {insert ? row->part_type : row->whole_type}};
    return true;
}

/* Each row implements a comparison and its opposite. The opposites of eq, lt and gt are ne, ge and
 * le for integers, and neu, geu and leu for floating point. Columns: name, comparisons, opposites,
 * types, M(FTZ) or 0, lane type, expression. */
#define COMPARE_LIST(X)                                                                            \
    COMPARE_INTEGER_LIST(X, 16)                                                                    \
    COMPARE_INTEGER_LIST(X, 32)                                                                    \
    COMPARE_INTEGER_LIST(X, 64)                                                                    \
    COMPARE_FLOAT_LIST(X, f32, T(F32), 0)                                                          \
    COMPARE_FLOAT_LIST(X, f32z, T(F32), M(FTZ))                                                    \
    COMPARE_FLOAT_LIST(X, f64, T(F64), 0)                                                          \
    COMPARE_FLOAT_LIST(X, f16, T(F16), 0)                                                          \
    COMPARE_FLOAT_LIST(X, bf16, T(BF16), 0)
#define COMPARE_INTEGER_LIST(X, bits)                                                              \
    X(eq_##bits, M(EQ), M(NE), T_BITS##bits, 0, u##bits, a == b)                                   \
    X(lt_u##bits, M(LT) | M(LO), M(GE) | M(HS), T(U##bits), 0, u##bits, a < b)                     \
    X(gt_u##bits, M(GT) | M(HI), M(LE) | M(LS), T(U##bits), 0, u##bits, a > b)                     \
    X(lt_s##bits, M(LT), M(GE), T(S##bits), 0, s##bits, a < b)                                     \
    X(gt_s##bits, M(GT), M(LE), T(S##bits), 0, s##bits, a > b)
#define COMPARE_FLOAT_LIST(X, type, types, ftz)                                                    \
    X(eq_##type, M(EQ), M(NEU), types, ftz, type, a == b)                                          \
    X(ne_##type, M(NE), M(EQU), types, ftz, type, (a < b) | (a > b))                               \
    X(lt_##type, M(LT), M(GEU), types, ftz, type, a < b)                                           \
    X(le_##type, M(LE), M(GTU), types, ftz, type, a <= b)                                          \
    X(gt_##type, M(GT), M(LEU), types, ftz, type, a > b)                                           \
    X(ge_##type, M(GE), M(LTU), types, ftz, type, a >= b)                                          \
    X(num_##type, M(NUM), M(NAN), types, ftz, type, (a == a) & (b == b))

/* Write p = outcome combined with c, q = opposite outcome combined with c (PTX ISA 9.7.6). */
static inline void predicates_store(const struct instruction *instruction,
                                    const struct lanes *lanes, uint32_t mask, uint32_t outcome)
{
    const uint32_t control = instruction->control;
    if (control & ALU_INVERT)
        outcome = ~outcome;
    uint32_t predicate = 0;
    if (control & ALU_COMBINE)
        predicate = lanes_predicate(instruction, lanes, 2);
    if (instruction->destination2.used)
        lanes_set_predicate(&instruction->destination2, lanes, mask,
                            lanes_combined(control, ~outcome, predicate));
    lanes_set_predicate(&instruction->destination, lanes, mask,
                        lanes_combined(control, outcome, predicate));
}

#define COMPARE_HANDLER(name, direct, opposite, types, ftz, A, expression)                         \
    HANDLER(setp_##name)                                                                           \
    {                                                                                              \
        SOURCE(a, A, 0)                                                                            \
        SOURCE(b, A, 1)                                                                            \
        uint32_t outcome = 0;                                                                      \
        LANES_INDEPENDENT                                                                          \
        for (unsigned lane = 0; lane < LANES; lane++) {                                            \
            LOAD(a, A) LOAD(b, A) outcome |= (expression) ? lane_bit[lane] : 0;                    \
        }                                                                                          \
        predicates_store(instruction, lanes, mask, outcome);                                       \
    }
COMPARE_LIST(COMPARE_HANDLER)

static const struct compare_row {
    alu_handler *handler;
    uint64_t direct, opposite, ftz;
    uint32_t types;
    uint8_t source;
} compare_rows[] = {
#define X(name, direct, opposite, types, ftz, A, expression)                                       \
    {setp_##name, direct, opposite, ftz, types, ptx_##A},
    COMPARE_LIST(X)
#undef X
};

static bool select_compare(const struct alu_query *query, struct alu_operation *operation)
{
    const uint64_t combining = M(AND) | M(OR) | M(XOR);
    const uint64_t modifiers = query->modifiers & ~combining;
    for (size_t i = 0; i < ROW_COUNT(compare_rows); i++) {
        const struct compare_row *row = &compare_rows[i];
        const uint64_t comparison = modifiers & ~row->ftz;
        if (!(row->types >> query->types[0] & 1) || (modifiers & row->ftz) != row->ftz ||
            !(comparison & (row->direct | row->opposite)) || (comparison & (comparison - 1)))
            continue;
        *operation = (struct alu_operation){.handler = row->handler,
                                            .source_count = 2,
                                            .destination_type = PTX_PRED,
                                            .destination2_type = PTX_PRED,
                                            .source_type = {row->source, row->source, PTX_PRED}};
        operation->control = alu_combine(query->modifiers, &operation->source_count) |
                             (comparison & row->opposite ? ALU_INVERT : 0);
        return true;
    }
    return false;
}

/* clang-format off */
static const struct alu_row rows[] = {
    UNARY_LIST(ROW1)
    BINARY_LIST(ROW2)
    TERNARY_LIST(ROW3)
    MAD_LIST(ROW3)
    SELECT_LIST(SELECT_ROW)
    MOVE_LIST(MOVE_ROW)
    PREDICATE_LIST(PREDICATE_ROW)
    CONVERT_LIST(CONVERT_ROW)
    PACK_LIST(PACK_ROW)
    HALF_LIST(HALF_ROWS, F16, F16X2, f16)
    HALF_LIST(HALF_ROWS, BF16, BF16X2, bf16)
    FOUR_LIST(FOUR_ROW)
};
/* clang-format on */

bool ALU_NAME(alu_select)(const struct alu_query *query, struct alu_operation *operation)
{
    if (query->opcode == PTX_OP_SETP)
        return query->types[1] == PTX_NONE && select_compare(query, operation);
    return alu_rows_find(rows, ROW_COUNT(rows), query, operation);
}
