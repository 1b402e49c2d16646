/* alu_scalar.c: arithmetic that is computed one lane at a time and only in active lanes, so that
 * expressions may branch and call functions. alu_select searches the tables of alu_vector.c first,
 * so a row here may also match instructions that alu_vector.c executes faster. Approximate
 * functions are computed in double precision. The hardware's last bits may differ. */
#include "emulator/alu/alu_number.h"

#include <fenv.h>
#include <math.h>

__extension__ typedef unsigned __int128 wide_u64;
__extension__ typedef __int128 wide_s64;

#define ACTIVE_LANES                                                                               \
    for (unsigned lane = 0; lane < LANES; lane++)                                                  \
        if (mask & lane_bit[lane])

#define LANE_LOOPS(D, LOADS, expression)                                                           \
    const uint32_t control = instruction->control;                                                 \
    (void)control;                                                                                 \
    memory_##D *d = lanes_destination(instruction, lanes);                                         \
    ACTIVE_LANES                                                                                   \
    {                                                                                              \
        LOADS d[lane] = write_##D(expression);                                                     \
    }

static uint64_t product_high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((wide_u64)a * b >> 64);
}

static uint64_t product_high_s64(int64_t a, int64_t b)
{
    return (uint64_t)(((wide_s64)a * b) >> 64);
}

static uint32_t find_bit(uint64_t value)
{
    return value ? 63 - (uint32_t)__builtin_clzll(value) : UINT32_MAX;
}

static uint32_t find_shift(uint64_t value, uint32_t width)
{
    return value ? width - 1 - find_bit(value) : UINT32_MAX;
}

/* fns (PTX ISA 9.7.1): find the |offset|-th set bit from bit `base`, downward if `offset` < 0. If
 * `offset` is 0, test only bit `base`. Returns the position, or all ones if no such bit exists. */
static uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    if (base >= 32)
        return UINT32_MAX;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    int64_t left = offset < 0 ? -(int64_t)offset : offset;
    int step = offset < 0 ? -1 : 1;
    for (int position = (int)base; position >= 0 && position < 32; position += step)
        if ((mask >> position & 1) && --left == 0)
            return (uint32_t)position;
    return UINT32_MAX;
}

static uint32_t bit_mask(uint32_t start, uint32_t width)
{
    uint64_t ones = (UINT64_C(1) << (width > 32 ? 32 : width)) - 1;
    return start > 31 ? 0 : (uint32_t)(ones << start);
}

static uint32_t extend_bits(uint32_t a, uint32_t width, bool is_signed)
{
    if (width == 0 || width > 31)
        return width ? a : 0;
    uint32_t high = UINT32_MAX << width;
    return is_signed && (a >> (width - 1) & 1) ? a | high : a & ~high;
}

static int32_t byte_of(uint32_t x, unsigned number, bool is_signed)
{
    uint32_t byte = x >> 8 * number & 0xff;
    return is_signed ? (int8_t)byte : (int32_t)byte;
}

static int32_t half_of(uint32_t x, unsigned number, bool is_signed)
{
    uint32_t half = x >> 16 * number & 0xffff;
    return is_signed ? (int16_t)half : (int32_t)half;
}

static uint32_t dot4(uint32_t a, bool a_signed, uint32_t b, bool b_signed, uint32_t c)
{
    for (unsigned i = 0; i < 4; i++)
        c += (uint32_t)(byte_of(a, i, a_signed) * byte_of(b, i, b_signed));
    return c;
}

static uint32_t dot2(uint32_t a, bool a_signed, uint32_t b, bool b_signed, uint32_t c,
                     unsigned first)
{
    for (unsigned i = 0; i < 2; i++)
        c += (uint32_t)(half_of(a, i, a_signed) * byte_of(b, first + i, b_signed));
    return c;
}

static uint32_t pick_bytes(uint32_t a, uint32_t b, unsigned n0, unsigned n1, unsigned n2,
                           unsigned n3)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    return (uint32_t)((bytes >> 8 * (n0 & 7) & 0xff) | (bytes >> 8 * (n1 & 7) & 0xff) << 8 |
                      (bytes >> 8 * (n2 & 7) & 0xff) << 16 | (bytes >> 8 * (n3 & 7) & 0xff) << 24);
}

static unsigned at_least(unsigned n, uint32_t limit)
{
    return n > limit ? n : limit;
}

static unsigned at_most(unsigned n, uint32_t limit)
{
    return n < limit ? n : limit;
}

/* Columns: name, opcode, types, modifiers required, modifiers allowed, lane types, expression. */
#define INTEGER_LIST1(X)                                                                           \
    X(bfind_u32, BFIND, T(U32), 0, 0, u32, u32, find_bit(a))                                       \
    X(bfind_s32, BFIND, T(S32), 0, 0, u32, s32, find_bit((uint32_t)(a < 0 ? ~a : a)))              \
    X(bfind_u64, BFIND, T(U64), 0, 0, u32, u64, find_bit(a))                                       \
    X(bfind_s64, BFIND, T(S64), 0, 0, u32, s64, find_bit((uint64_t)(a < 0 ? ~a : a)))              \
    X(bfind_shift_u32, BFIND, T(U32), M(SHIFTAMT), 0, u32, u32, find_shift(a, 32))                 \
    X(bfind_shift_s32, BFIND, T(S32), M(SHIFTAMT), 0, u32, s32,                                    \
      find_shift((uint32_t)(a < 0 ? ~a : a), 32))                                                  \
    X(bfind_shift_u64, BFIND, T(U64), M(SHIFTAMT), 0, u32, u64, find_shift(a, 64))                 \
    X(bfind_shift_s64, BFIND, T(S64), M(SHIFTAMT), 0, u32, s64,                                    \
      find_shift((uint64_t)(a < 0 ? ~a : a), 64))

/* The upper halves of 16-bit products are in this file because gcc 12.2 vectorizes them
 * incorrectly: in a blended loop, gcc uses the unsigned instruction for the signed product.
 * As on hardware, a division by zero returns all ones, and INT64_MIN / -1 wraps. */
#define INTEGER_LIST2(X)                                                                           \
    X(mul_hi_u16, MUL, T(U16), M(HI), 0, u16, u16, u16, (uint16_t)((uint32_t)a * b >> 16))         \
    X(mul_hi_s16, MUL, T(S16), M(HI), 0, u16, s16, s16, (uint16_t)(((int32_t)a * b) >> 16))        \
    X(mul_hi_u64, MUL, T(U64), M(HI), 0, u64, u64, u64, product_high_u64(a, b))                    \
    X(mul_hi_s64, MUL, T(S64), M(HI), 0, u64, s64, s64, product_high_s64(a, b))                    \
    X(div_u64, DIV, T(U64), 0, 0, u64, u64, u64, b == 0 ? UINT64_MAX : a / b)                      \
    X(div_s64, DIV, T(S64), 0, 0, u64, s64, s64,                                                   \
      b == 0    ? UINT64_MAX                                                                       \
      : b == -1 ? 0 - (uint64_t)a                                                                  \
                : (uint64_t)(a / b))                                                               \
    X(rem_u64, REM, T(U64), 0, 0, u64, u64, u64, b == 0 ? UINT64_MAX : a % b)                      \
    X(rem_s64, REM, T(S64), 0, 0, u64, s64, s64,                                                   \
      b == 0    ? UINT64_MAX                                                                       \
      : b == -1 ? 0                                                                                \
                : (uint64_t)(a % b))                                                               \
    X(bmsk_clamp, BMSK, T(B32), M(CLAMP), 0, u32, u32, u32, bit_mask(a, b))                        \
    X(bmsk_wrap, BMSK, T(B32), M(WRAP), 0, u32, u32, u32, bit_mask(a & 31, b & 31))                \
    X(szext_clamp_u32, SZEXT, T(U32), M(CLAMP), 0, u32, u32, u32, extend_bits(a, b, false))        \
    X(szext_clamp_s32, SZEXT, T(S32), M(CLAMP), 0, u32, u32, u32, extend_bits(a, b, true))         \
    X(szext_wrap_u32, SZEXT, T(U32), M(WRAP), 0, u32, u32, u32, extend_bits(a, b & 31, false))     \
    X(szext_wrap_s32, SZEXT, T(S32), M(WRAP), 0, u32, u32, u32, extend_bits(a, b & 31, true))

#define INTEGER_LIST3(X)                                                                           \
    X(mad_hi_u16, MAD, T(U16), M(HI), 0, u16, u16, u16, u16,                                       \
      (uint16_t)(((uint32_t)a * b >> 16) + c))                                                     \
    X(mad_hi_s16, MAD, T(S16), M(HI), 0, u16, s16, s16, u16,                                       \
      (uint16_t)((((int32_t)a * b) >> 16) + c))                                                    \
    X(mad_hi_u64, MAD, T(U64), M(HI), 0, u64, u64, u64, u64, product_high_u64(a, b) + c)           \
    X(mad_hi_s64, MAD, T(S64), M(HI), 0, u64, s64, s64, u64, product_high_s64(a, b) + c)           \
    X(fns_b32, FNS, T(B32), 0, 0, u32, u32, u32, s32, find_nth_set(a, b, c))                       \
    X(prmt_f4e, PRMT, T_BITS32, M(F4E), 0, u32, u32, u32, u32,                                     \
      pick_bytes(a, b, c & 3, (c & 3) + 1, (c & 3) + 2, (c & 3) + 3))                              \
    X(prmt_b4e, PRMT, T_BITS32, M(B4E), 0, u32, u32, u32, u32,                                     \
      pick_bytes(a, b, c & 3, (c & 3) - 1, (c & 3) - 2, (c & 3) - 3))                              \
    X(prmt_rc8, PRMT, T_BITS32, M(RC8), 0, u32, u32, u32, u32,                                     \
      pick_bytes(a, b, c & 3, c & 3, c & 3, c & 3))                                                \
    X(prmt_ecl, PRMT, T_BITS32, M(ECL), 0, u32, u32, u32, u32,                                     \
      pick_bytes(a, b, at_least(0, c & 3), at_least(1, c & 3), at_least(2, c & 3), 3))             \
    X(prmt_ecr, PRMT, T_BITS32, M(ECR), 0, u32, u32, u32, u32,                                     \
      pick_bytes(a, b, 0, at_most(1, c & 3), at_most(2, c & 3), at_most(3, c & 3)))                \
    X(prmt_rc16, PRMT, T_BITS32, M(RC16), 0, u32, u32, u32, u32,                                   \
      pick_bytes(a, b, (c & 1) * 2, (c & 1) * 2 + 1, (c & 1) * 2, (c & 1) * 2 + 1))

INTEGER_LIST1(HANDLER1)
INTEGER_LIST2(HANDLER2)
INTEGER_LIST3(HANDLER3)

/* The columns are those of INTEGER_LIST1, with the second types after the types. */
#define TYPED_LIST(X)                                                                              \
    X(slct_16_s32, SLCT, T_ANY16, T(S32), 0, 0, u16, u16, u16, s32, c >= 0 ? a : b)                \
    X(slct_32_s32, SLCT, T_ANY32, T(S32), 0, 0, u32, u32, u32, s32, c >= 0 ? a : b)                \
    X(slct_64_s32, SLCT, T_ANY64, T(S32), 0, 0, u64, u64, u64, s32, c >= 0 ? a : b)                \
    X(slct_16_f32, SLCT, T_ANY16, T(F32), 0, 0, u16, u16, u16, f32, c >= 0 ? a : b)                \
    X(slct_32_f32, SLCT, T_ANY32, T(F32), 0, 0, u32, u32, u32, f32, c >= 0 ? a : b)                \
    X(slct_64_f32, SLCT, T_ANY64, T(F32), 0, 0, u64, u64, u64, f32, c >= 0 ? a : b)                \
    X(slct_16_ftz, SLCT, T_ANY16, T(F32), M(FTZ), 0, u16, u16, u16, f32z, c >= 0 ? a : b)          \
    X(slct_32_ftz, SLCT, T_ANY32, T(F32), M(FTZ), 0, u32, u32, u32, f32z, c >= 0 ? a : b)          \
    X(slct_64_ftz, SLCT, T_ANY64, T(F32), M(FTZ), 0, u64, u64, u64, f32z, c >= 0 ? a : b)          \
    DOT_LIST(X, uu, U32, U32, false, false)                                                        \
    DOT_LIST(X, us, U32, S32, false, true)                                                         \
    DOT_LIST(X, su, S32, U32, true, false)                                                         \
    DOT_LIST(X, ss, S32, S32, true, true)
#define DOT_LIST(X, name, A, B, a_signed, b_signed)                                                \
    X(dp4a_##name, DP4A, T(A), T(B), 0, 0, u32, u32, u32, u32, dot4(a, a_signed, b, b_signed, c))  \
    X(dp2a_lo_##name, DP2A, T(A), T(B), M(LO), 0, u32, u32, u32, u32,                              \
      dot2(a, a_signed, b, b_signed, c, 0))                                                        \
    X(dp2a_hi_##name, DP2A, T(A), T(B), M(HI), 0, u32, u32, u32, u32,                              \
      dot2(a, a_signed, b, b_signed, c, 2))

#define TYPED_HANDLER(name, code, types, second, need, may, D, A, B, C, expression)                \
    HANDLER3(name, code, types, need, may, D, A, B, C, expression)
TYPED_LIST(TYPED_HANDLER)
#define TYPED_ROW(name, code, types, second, need, may, D, A, B, C, expression)                    \
    ROW(name, code, types, second, need, may, false, ptx_##D, 3, ptx_##A, ptx_##B, ptx_##C)

/* Extended precision (PTX ISA 9.7.2): each row computes x + y + carry in a wide type. Subtraction
 * adds the complement, so the carry flag is set if there is no borrow (observed on an H200). The
 * flags are the frame's first word (instruction.h).
 *
 * Columns: name, opcode, types, modifiers required, source count, lane type of a and b, of c and
 * the result, wide type, x, y, carry if the flags are not read, reads flags, writes flags. */
#define LOW(D) ((D##_t)a * (D##_t)b)
#define HIGH(D, P) ((D##_t)(((P)a * b) >> 8 * sizeof(D##_t))) /* P is the product's type. */
#define CARRY_LIST(X, T32, A, D, W, P)                                                             \
    X(add_cc_##A, ADD, T32, M(CC), 2, A, D, W, a, b, 0, 0, 1)                                      \
    X(addc_##A, ADDC, T32, 0, 2, A, D, W, a, b, 0, 1, 0)                                           \
    X(addc_cc_##A, ADDC, T32, M(CC), 2, A, D, W, a, b, 0, 1, 1)                                    \
    X(sub_cc_##A, SUB, T32, M(CC), 2, A, D, W, a, ~(D##_t)b, 1, 0, 1)                              \
    X(subc_##A, SUBC, T32, 0, 2, A, D, W, a, ~(D##_t)b, 1, 1, 0)                                   \
    X(subc_cc_##A, SUBC, T32, M(CC), 2, A, D, W, a, ~(D##_t)b, 1, 1, 1)                            \
    X(mad_lo_cc_##A, MAD, T32, M(LO) | M(CC), 3, A, D, W, LOW(D), c, 0, 0, 1)                      \
    X(madc_lo_##A, MADC, T32, M(LO), 3, A, D, W, LOW(D), c, 0, 1, 0)                               \
    X(madc_lo_cc_##A, MADC, T32, M(LO) | M(CC), 3, A, D, W, LOW(D), c, 0, 1, 1)                    \
    X(mad_hi_cc_##A, MAD, T32, M(HI) | M(CC), 3, A, D, W, HIGH(D, P), c, 0, 0, 1)                  \
    X(madc_hi_##A, MADC, T32, M(HI), 3, A, D, W, HIGH(D, P), c, 0, 1, 0)                           \
    X(madc_hi_cc_##A, MADC, T32, M(HI) | M(CC), 3, A, D, W, HIGH(D, P), c, 0, 1, 1)
#define CARRY_LISTS(X)                                                                             \
    CARRY_LIST(X, T(U32), u32, u32, uint64_t, uint64_t)                                            \
    CARRY_LIST(X, T(S32), s32, u32, uint64_t, int64_t)                                             \
    CARRY_LIST(X, T(U64), u64, u64, wide_u64, wide_u64)                                            \
    CARRY_LIST(X, T(S64), s64, u64, wide_u64, wide_s64)

typedef uint32_t u32_t;
typedef uint64_t u64_t;

#define CARRY_HANDLER(name, code, types, need, count, A, D, W, x, y, first, reads, writes)         \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SOURCE(a, A, 0)                                                                            \
        SOURCE(b, A, 1)                                                                            \
        SOURCE(c, D, (count)-1)                                                                    \
        memory_##D *d = lanes_destination(instruction, lanes);                                     \
        uint32_t flags;                                                                            \
        memcpy(&flags, lanes->bytes[BANK_FRAME], sizeof flags);                                    \
        ACTIVE_LANES                                                                               \
        {                                                                                          \
            LOAD(a, A)                                                                             \
            LOAD(b, A)                                                                             \
            LOAD(c, D)                                                                             \
            (void)c;                                                                               \
            const unsigned carry = reads ? flags >> lane & 1 : first;                              \
            const W sum = (W)(value_##D)(x) + (value_##D)(y) + carry;                              \
            d[lane] = (value_##D)sum;                                                              \
            if (writes)                                                                            \
                flags = (flags & ~lane_bit[lane]) |                                                \
                        (sum >> 8 * sizeof(value_##D) ? lane_bit[lane] : 0);                       \
        }                                                                                          \
        memcpy(lanes->bytes[BANK_FRAME], &flags, sizeof flags);                                    \
    }
CARRY_LISTS(CARRY_HANDLER)
#define CARRY_ROW(name, code, types, need, count, A, D, W, x, y, first, reads, writes)             \
    ROW(name, code, types, 0, need, 0, false, ptx_##D, count, ptx_##A, ptx_##A, ptx_##D)

static const int host_rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/* Operands and result are volatile: the compiler must not move the arithmetic past fesetround. */
#define ROUNDED_FUNCTION(name, type, expression)                                                   \
    static type name(type a, type b, type c, uint32_t control)                                     \
    {                                                                                              \
        volatile type x = a, y = b, z = c, result = 0;                                             \
        (void)y, (void)z;                                                                          \
        fesetround(host_rounding[control & ALU_CONTROL_ROUNDING]);                                 \
        result = expression;                                                                       \
        fesetround(FE_TONEAREST);                                                                  \
        return result;                                                                             \
    }
#define ROUNDED_FUNCTIONS(name, on_float, on_double)                                               \
    ROUNDED_FUNCTION(name##_f32, float, on_float)                                                  \
    ROUNDED_FUNCTION(name##_f64, double, on_double)
ROUNDED_FUNCTIONS(rounded_add, x + y, x + y)
ROUNDED_FUNCTIONS(rounded_sub, x - y, x - y)
ROUNDED_FUNCTIONS(rounded_mul, x *y, x *y)
ROUNDED_FUNCTIONS(rounded_div, x / y, x / y)
ROUNDED_FUNCTIONS(rounded_fma, fmaf(x, y, z), fma(x, y, z))
ROUNDED_FUNCTIONS(rounded_sqrt, sqrtf(x), sqrt(x))

static float flush_if(float value, uint32_t control)
{
    return control & ALU_CONTROL_FTZ ? flush_f32(value) : value;
}

static float finish_f32(float value, uint32_t control)
{
    value = flush_if(value, control);
    if (control & ALU_CONTROL_SAT)
        return value > 0 ? (value < 1 ? value : 1) : 0;
    return value;
}

static float rounded_f32(float (*operation)(float, float, float, uint32_t), float a, float b,
                         float c, uint32_t control)
{
    a = flush_if(a, control);
    b = flush_if(b, control);
    c = flush_if(c, control);
    float result = operation(a, b, c, control);
    if ((control & ALU_CONTROL_FTZ) &&
        (operation == rounded_mul_f32 || operation == rounded_fma_f32))
        result = flush_tiny_f32(operation(a * SCALE_F32, b, c * SCALE_F32, control), result);
    return finish_f32(result, control);
}

#define ROUNDINGS (M(RN) | M(RZ) | M(RM) | M(RP))
#define ROUNDED_ROWS1(X, name, code, operation, x, y)                                              \
    X(name##_rnd_f32, code, T(F32), 0, ROUNDINGS | M(FTZ), f32, f32,                               \
      rounded_f32(operation##_f32, x, y, 0, control))                                              \
    X(name##_rnd_f64, code, T(F64), 0, ROUNDINGS, f64, f64,                                        \
      nan1_f64(a, operation##_f64(x, y, 0, control)))
#define ROUNDED_ROWS2(X, name, code, saturates, weak, strong)                                      \
    X(name##_rnd_f32, code, T(F32), 0, ROUNDINGS | M(FTZ) | (saturates), f32, f32, f32,            \
      rounded_f32(rounded_##name##_f32, a, b, 0, control))                                         \
    X(name##_rnd_f64, code, T(F64), 0, ROUNDINGS, f64, f64, f64,                                   \
      nan2_f64(weak, strong, rounded_##name##_f64(a, b, 0, control)))
#define ROUNDED_LIST1(X)                                                                           \
    ROUNDED_ROWS1(X, rcp, RCP, rounded_div, 1, a)                                                  \
    ROUNDED_ROWS1(X, sqrt, SQRT, rounded_sqrt, a, 0)
#define ROUNDED_LIST2(X)                                                                           \
    ROUNDED_ROWS2(X, add, ADD, M(SAT), a, b)                                                       \
    ROUNDED_ROWS2(X, sub, SUB, M(SAT), a, b)                                                       \
    ROUNDED_ROWS2(X, mul, MUL, M(SAT), a, b)                                                       \
    ROUNDED_ROWS2(X, div, DIV, 0, b, a)
#define ROUNDED_LIST3(X)                                                                           \
    X(fma_rnd_f32, FMA, T(F32), 0, ROUNDINGS | M(FTZ) | M(SAT), f32, f32, f32, f32,                \
      rounded_f32(rounded_fma_f32, a, b, c, control))                                              \
    X(fma_rnd_f64, FMA, T(F64), 0, ROUNDINGS, f64, f64, f64, f64,                                  \
      nan3_f64(a, b, c, rounded_fma_f64(a, b, c, control)))
#define ROUNDED_MAD_LIST(X)                                                                        \
    X(fma_rnd_f32, MAD, T(F32), 0, ROUNDINGS | M(FTZ) | M(SAT), f32, f32, f32, f32, )              \
    X(fma_rnd_f64, MAD, T(F64), 0, ROUNDINGS, f64, f64, f64, f64, )

ROUNDED_LIST1(HANDLER1)
ROUNDED_LIST2(HANDLER2)
ROUNDED_LIST3(HANDLER3)

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 use only a double's upper word (PTX ISA 9.7.3). */
static double flush_f64(double value)
{
    return float_f64(number_flush(number_format(PTX_F64), bits_f64(value)));
}

static double upper_operand(double value)
{
    return flush_f64(float_f64(bits_f64(value) & UINT64_C(0xffffffff00000000)));
}

static double upper_result(double value)
{
    uint64_t bits = isnan(value) ? UINT64_C(0x7fffffff00000000) : bits_f64(value);
    return flush_f64(float_f64(bits & UINT64_C(0xffffffff00000000)));
}

/* sin.approx and cos.approx: the hardware first converts radians to turns by one single-precision
 * multiplication, rounded toward zero. angle_of has the same error for large angles. */
static double angle_of(float radians)
{
    const double exact = (double)radians * 0x1.45f306p-3; /* 1 / (2 pi), as a float. */
    float turns = (float)exact;
    if (fabs((double)turns) > fabs(exact))
        turns = float_f32(bits_f32(turns) - 1);
    return 6.28318530717958647692 * remainder(flush_f32(turns), 1);
}

static float extreme_f32(bool want_maximum, float a, float b, uint32_t control)
{
    a = flush_if(a, control);
    b = flush_if(b, control);
    uint32_t sign = 0;
    if (control & ALU_CONTROL_XORSIGN) {
        sign = (bits_f32(a) ^ bits_f32(b)) & 0x80000000u;
        a = fabsf(a);
        b = fabsf(b);
    }
    if ((control & ALU_CONTROL_NAN) && (isnan(a) || isnan(b)))
        return a + b;
    return float_f32(bits_f32(want_maximum ? maximum_f32(a, b) : minimum_f32(a, b)) | sign);
}

#define APPROXIMATE(function) finish_f32((float)function((double)flush_if(a, control)), control)

#define FUNCTION_LIST1(X)                                                                          \
    X(sin_f32, SIN, T(F32), M(APPROX), M(FTZ), f32, f32,                                           \
      finish_f32((float)sin(angle_of(flush_if(a, control))), control))                             \
    X(cos_f32, COS, T(F32), M(APPROX), M(FTZ), f32, f32,                                           \
      finish_f32((float)cos(angle_of(flush_if(a, control))), control))                             \
    X(lg2_f32, LG2, T(F32), M(APPROX), M(FTZ), f32, f32, APPROXIMATE(log2))                        \
    X(ex2_f32, EX2, T(F32), M(APPROX), M(FTZ), f32, f32, APPROXIMATE(exp2))                        \
    X(tanh_f32, TANH, T(F32), M(APPROX), 0, f32, f32, APPROXIMATE(tanh))                           \
    X(rsqrt_f64, RSQRT, T(F64), M(APPROX), 0, f64, f64, nan1_f64(a, 1 / sqrt(a)))                  \
    X(rsqrt_upper_f64, RSQRT, T(F64), M(APPROX) | M(FTZ), 0, f64, f64,                             \
      upper_result(1 / sqrt(upper_operand(a))))                                                    \
    X(rcp_upper_f64, RCP, T(F64), M(APPROX) | M(FTZ), 0, f64, f64,                                 \
      upper_result(1 / upper_operand(a)))
#define FUNCTION_LIST2(X)                                                                          \
    X(min_any_f32, MIN, T(F32), 0, M(FTZ) | M(NAN), f32, f32, f32,                                 \
      extreme_f32(false, a, b, control))                                                           \
    X(max_any_f32, MAX, T(F32), 0, M(FTZ) | M(NAN), f32, f32, f32,                                 \
      extreme_f32(true, a, b, control))                                                            \
    X(min_xorsign_f32, MIN, T(F32), M(XORSIGN) | M(ABS), M(FTZ) | M(NAN), f32, f32, f32,           \
      extreme_f32(false, a, b, control))                                                           \
    X(max_xorsign_f32, MAX, T(F32), M(XORSIGN) | M(ABS), M(FTZ) | M(NAN), f32, f32, f32,           \
      extreme_f32(true, a, b, control))                                                            \
    X(copysign_f32, COPYSIGN, T(F32), 0, 0, u32, u32, u32, (a & 0x80000000u) | (b & INT32_MAX))    \
    X(copysign_f64, COPYSIGN, T(F64), 0, 0, u64, u64, u64,                                         \
      (a & ~(uint64_t)INT64_MAX) | (b & INT64_MAX))

FUNCTION_LIST1(HANDLER1)
FUNCTION_LIST2(HANDLER2)

/* testp (PTX ISA 9.7.3). Columns: name, modifier, the test. */
#define TEST_LIST(X)                                                                               \
    X(finite, FINITE, isfinite(a))                                                                 \
    X(infinite, INFINITE, isinf(a))                                                                \
    X(number, NUMBER, !isnan(a))                                                                   \
    X(notanumber, NOTANUMBER, isnan(a))                                                            \
    X(normal, NORMAL, isnormal(a) || a == 0)                                                       \
    X(subnormal, SUBNORMAL, fpclassify(a) == FP_SUBNORMAL)
#define TEST_HANDLER(name, A, test)                                                                \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SOURCE(a, A, 0)                                                                            \
        uint32_t outcome = 0;                                                                      \
        ACTIVE_LANES                                                                               \
        {                                                                                          \
            LOAD(a, A)                                                                             \
            if (test)                                                                              \
                outcome |= lane_bit[lane];                                                         \
        }                                                                                          \
        lanes_set_predicate(&instruction->destination, lanes, mask, outcome);                      \
    }
#define TEST_HANDLERS(name, modifier, test)                                                        \
    TEST_HANDLER(testp_##name##_f32, f32, test)                                                    \
    TEST_HANDLER(testp_##name##_f64, f64, test)
TEST_LIST(TEST_HANDLERS)
#define TEST_ROW(name, type, A, modifier)                                                          \
    ROW(name, TESTP, T(type), 0, M(modifier), 0, false, PTX_PRED, 1, ptx_##A)
#define TEST_ROWS(name, modifier, test)                                                            \
    TEST_ROW(testp_##name##_f32, F32, f32, modifier)                                               \
    TEST_ROW(testp_##name##_f64, F64, f64, modifier)

/* An operation on halves, computed in double precision. Inexact sums are rounded to odd. */
typedef double half_operation(double a, double b, double c, uint32_t control);
#define HALF_OPERATION(name, expression)                                                           \
    static double half_##name(double a, double b, double c, uint32_t control)                      \
    {                                                                                              \
        (void)b, (void)c, (void)control;                                                           \
        return expression;                                                                         \
    }
HALF_OPERATION(add, sum_odd_f64(a, b))
HALF_OPERATION(sub, sum_odd_f64(a, -b))
HALF_OPERATION(mul, a *b)
HALF_OPERATION(fma, sum_odd_f64(a *b, c))
HALF_OPERATION(min, extreme_f32(false, (float)a, (float)b, control & ~ALU_CONTROL_FTZ))
HALF_OPERATION(max, extreme_f32(true, (float)a, (float)b, control & ~ALU_CONTROL_FTZ))
HALF_OPERATION(tanh, tanh(a))
HALF_OPERATION(ex2, exp2(a))
HALF_OPERATION(neg, -a)
HALF_OPERATION(abs, fabs(a))

static double half_value(const struct number_format *format, uint32_t bits, uint32_t control)
{
    uint64_t half = control & ALU_CONTROL_FTZ ? number_flush(format, bits & 0xffff) : bits & 0xffff;
    return float_f64(number_to_float(number_from_float(format, half), number_format(PTX_F64), 0));
}

static double half_tiny(enum ptx_type type)
{
    const bool is_f16 = type == PTX_F16 || type == PTX_F16X2;
    return is_f16 ? 0x1p-14 - 0x1p-26 : 0x1p-126 - 0x1p-135;
}

static uint32_t half_one(half_operation *operation, enum ptx_type type, uint32_t a, uint32_t b,
                         uint32_t c, uint32_t control)
{
    const struct number_format *format = number_format(type);
    double result = operation(half_value(format, a, control), half_value(format, b, control),
                              half_value(format, c, control), control);
    struct number number = number_from_float(number_format(PTX_F64), bits_f64(result));
    uint64_t bits = number_to_float(number_canonical(number), format, ROUND_NEAREST);
    if ((control & ALU_CONTROL_FTZ) && fabs(result) < half_tiny(type))
        bits &= 0x8000;
    if (control & ALU_CONTROL_SAT)
        bits = number_saturate(format, bits);
    if (control & ALU_CONTROL_RELU)
        bits = number_rectify(format, bits);
    if ((control & ALU_CONTROL_XORSIGN) && bits != format->nan)
        bits = (bits & 0x7fff) | ((a ^ b) & 0x8000); /* The sign of a NaN operand counts, too. */
    return (uint32_t)bits;
}

static uint32_t half_pair(half_operation *operation, enum ptx_type type, uint32_t a, uint32_t b,
                          uint32_t c, uint32_t control)
{
    return half_one(operation, type, a, b, c, control) |
           half_one(operation, type, a >> 16, b >> 16, c >> 16, control) << 16;
}

/* Columns: operands, name, opcode, modifiers required, modifiers allowed, operation. */
#define HALF_LIST(X)                                                                               \
    X(1, tanh, TANH, M(APPROX), 0, half_tanh)                                                      \
    X(1, ex2, EX2, M(APPROX), M(FTZ), half_ex2)                                                    \
    X(1, neg, NEG, 0, M(FTZ), half_neg)                                                            \
    X(1, abs, ABS, 0, M(FTZ), half_abs)                                                            \
    X(2, add, ADD, 0, M(RN) | M(FTZ) | M(SAT), half_add)                                           \
    X(2, sub, SUB, 0, M(RN) | M(FTZ) | M(SAT), half_sub)                                           \
    X(2, mul, MUL, 0, M(RN) | M(FTZ) | M(SAT), half_mul)                                           \
    X(2, min, MIN, 0, M(FTZ) | M(NAN), half_min)                                                   \
    X(2, max, MAX, 0, M(FTZ) | M(NAN), half_max)                                                   \
    X(2, min_xorsign, MIN, M(XORSIGN) | M(ABS), M(FTZ) | M(NAN), half_min)                         \
    X(2, max_xorsign, MAX, M(XORSIGN) | M(ABS), M(FTZ) | M(NAN), half_max)                         \
    X(3, fma, FMA, M(RN), M(FTZ) | M(SAT) | M(RELU), half_fma)

#define HALF_TYPES(X, ...)                                                                         \
    X(__VA_ARGS__, F16, u16, half_one)                                                             \
    X(__VA_ARGS__, F16X2, u32, half_pair)                                                          \
    X(__VA_ARGS__, BF16, u16, half_one)                                                            \
    X(__VA_ARGS__, BF16X2, u32, half_pair)

#define HALF_OPERANDS1 a, 0, 0
#define HALF_OPERANDS2 a, b, 0
#define HALF_OPERANDS3 a, b, c
#define HALF_HANDLER(n, name, code, need, may, operation, type, A, function)                       \
    EXPAND(HANDLER##n, name##_##type, code, , , , SAME##n(A),                                      \
           (value_##A)function(operation, PTX_##type, HALF_OPERANDS##n, control))
#define HALF_HANDLERS(...) HALF_TYPES(HALF_HANDLER, __VA_ARGS__)
HALF_LIST(HALF_HANDLERS)

#define HALF_ROW(n, name, code, need, may, operation, type, A, function)                           \
    EXPAND(ROW##n, name##_##type, code, T(type), need, may, SAME##n(A), )
#define HALF_ROWS(...) HALF_TYPES(HALF_ROW, __VA_ARGS__)

static uint32_t convert_half(enum ptx_type type, float value, uint32_t control)
{
    const struct number_format *format = number_format(type);
    struct number number = number_from_float(number_format(PTX_F32), bits_f32(value));
    uint64_t bits = number_to_float(number_canonical(number), format, control);
    if (control & ALU_CONTROL_FINITE)
        bits = number_clamp(format, bits);
    return (uint32_t)(control & ALU_CONTROL_RELU ? number_rectify(format, bits) : bits);
}

/* clang-format off */
#define PAIR_LIST(X)                                                                               \
    X(cvt_any_f16x2, F16X2)                                                                        \
    X(cvt_any_bf16x2, BF16X2)
/* clang-format on */
#define PAIR_HANDLER(name, type)                                                                   \
    HANDLER2(name, CVT, , , , u32, f32, f32,                                                       \
             convert_half(PTX_##type, a, control) << 16 | convert_half(PTX_##type, b, control))
PAIR_LIST(PAIR_HANDLER)
#define PAIR_ROW(name, type)                                                                       \
    ROW(name, CVT, T(type), T(F32), 0, M(RN) | M(RZ) | M(RELU) | M(SATFINITE), false, PTX_U32, 2,  \
        PTX_F32, PTX_F32)

/* cvt.pack: from the highest bit, the result contains the low bits of c, then a, then b. The values
 * a and b are saturated to `bits` bits. */
static uint32_t pack_saturated(int32_t a, int32_t b, uint32_t c, unsigned bits, bool is_signed)
{
    const int32_t least = is_signed ? -(1 << (bits - 1)) : 0;
    const int32_t most = (int32_t)((UINT32_C(1) << (bits - is_signed)) - 1);
    const uint32_t ones = (UINT32_C(1) << bits) - 1;
    const uint32_t high = (uint32_t)(a < least ? least : a > most ? most : a) & ones;
    const uint32_t low = (uint32_t)(b < least ? least : b > most ? most : b) & ones;
    return (uint32_t)((uint64_t)c << 2 * bits) | high << bits | low;
}

#define PACK_LIST(X)                                                                               \
    X(cvt_pack_u8, U8, 8, false)                                                                   \
    X(cvt_pack_s8, S8, 8, true)                                                                    \
    X(cvt_pack_u4, U4, 4, false)                                                                   \
    X(cvt_pack_s4, S4, 4, true)
#define PACK_HANDLER(name, type, bits, is_signed)                                                  \
    HANDLER3(name, CVT, , , , u32, s32, s32, u32, pack_saturated(a, b, c, bits, is_signed))
PACK_LIST(PACK_HANDLER)
HANDLER2(cvt_pack_u16, CVT, , , , u32, s32, s32, pack_saturated(a, b, 0, 16, false))
HANDLER2(cvt_pack_s16, CVT, , , , u32, s32, s32, pack_saturated(a, b, 0, 16, true))
#define PACK_ROW(name, type, bits, is_signed)                                                      \
    ROW(name, CVT, T(type), T(S32), M(PACK) | M(SAT), 0, false, PTX_U32, 3, PTX_S32, PTX_S32,      \
        PTX_U32)
#define PACK_ROW2(name, type)                                                                      \
    ROW(name, CVT, T(type), T(S32), M(PACK) | M(SAT), 0, false, PTX_U32, 2, PTX_S32, PTX_S32)

/* A comparison operator is the set of outcomes for which the comparison is true. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const struct {
    uint64_t modifier;
    uint8_t outcomes;
} comparisons[] = {
    {M(EQ), EQUAL},
    {M(NE), LESS | GREATER},
    {M(LT), LESS},
    {M(LO), LESS},
    {M(LE), LESS | EQUAL},
    {M(LS), LESS | EQUAL},
    {M(GT), GREATER},
    {M(HI), GREATER},
    {M(GE), GREATER | EQUAL},
    {M(HS), GREATER | EQUAL},
    {M(EQU), EQUAL | UNORDERED},
    {M(NEU), LESS | GREATER | UNORDERED},
    {M(LTU), LESS | UNORDERED},
    {M(LEU), LESS | EQUAL | UNORDERED},
    {M(GTU), GREATER | UNORDERED},
    {M(GEU), GREATER | EQUAL | UNORDERED},
    {M(NUM), LESS | EQUAL | GREATER},
    {M(NAN), UNORDERED},
};

enum { SET_COMBINE_SHIFT = ALU_CONTROL_SHIFT, SET_OUTCOMES_SHIFT = SET_COMBINE_SHIFT + 2 };

static unsigned compare_integers(enum ptx_type type, uint64_t a, uint64_t b)
{
    const unsigned unused = 64 - 8 * ptx_type_bytes(type);
    a <<= unused;
    b <<= unused;
    if (type == PTX_S16 || type == PTX_S32 || type == PTX_S64) {
        a ^= UINT64_C(1) << 63;
        b ^= UINT64_C(1) << 63;
    }
    return a < b ? LESS : a > b ? GREATER : EQUAL;
}

static unsigned compare_values(enum ptx_type type, uint64_t a, uint64_t b, uint32_t control)
{
    const struct number_format *format = number_format(type), *wide = number_format(PTX_F64);
    if (!format)
        return compare_integers(type, a, b);
    if ((control & ALU_CONTROL_FTZ) && type != PTX_F64) {
        a = number_flush(format, a);
        b = number_flush(format, b);
    }
    double x = float_f64(number_to_float(number_from_float(format, a), wide, 0));
    double y = float_f64(number_to_float(number_from_float(format, b), wide, 0));
    return x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : UNORDERED;
}

static bool is_pair(enum ptx_type type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2;
}

/* Find the lanes in which the comparison, combined with the predicate, is true. outcome[0] is for
 * lower halves or single values. outcome[1] is for upper halves or for the opposite comparison. */
static void compare_lanes(const struct instruction *instruction, const struct lanes *lanes,
                          uint32_t mask, uint32_t outcome[2])
{
    const uint32_t control = instruction->control;
    const enum ptx_type type = control >> ALU_CONTROL_FROM & ALU_TYPE_MASK;
    const unsigned outcomes = control >> SET_OUTCOMES_SHIFT & 15;
    const uint32_t combine = control >> SET_COMBINE_SHIFT & ALU_COMBINE;
    const unsigned bytes = ptx_type_bytes(type);
    const unsigned char *pa = lanes_source(instruction, lanes, 0);
    const unsigned char *pb = lanes_source(instruction, lanes, 1);
    outcome[0] = outcome[1] = 0;
    ACTIVE_LANES
    {
        uint64_t a = 0, b = 0;
        memcpy(&a, pa + lane * bytes, bytes);
        memcpy(&b, pb + lane * bytes, bytes);
        for (unsigned part = 0; part < (is_pair(type) ? 2 : 1); part++) {
            const uint64_t keep = is_pair(type) ? 0xffff : UINT64_MAX;
            if (compare_values(type, a >> 16 * part & keep, b >> 16 * part & keep, control) &
                outcomes)
                outcome[part] |= lane_bit[lane];
        }
    }
    if (!is_pair(type))
        outcome[1] = ~outcome[0];
    if (combine != ALU_COMBINE_NONE) {
        const uint32_t predicate = lanes_predicate(instruction, lanes, 2);
        outcome[0] = lanes_combined(combine, outcome[0], predicate);
        outcome[1] = lanes_combined(combine, outcome[1], predicate);
    }
}

static uint32_t true_value(enum ptx_type type)
{
    switch (type) {
    case PTX_F32:
        return 0x3f800000;
    case PTX_F16:
    case PTX_F16X2:
        return 0x3c00;
    case PTX_BF16:
    case PTX_BF16X2:
        return 0x3f80;
    default:
        return UINT32_MAX;
    }
}

HANDLER(set_any)
{
    const enum ptx_type to = instruction->control >> ALU_CONTROL_TO & ALU_TYPE_MASK;
    const bool pair = is_pair(instruction->control >> ALU_CONTROL_FROM & ALU_TYPE_MASK);
    const unsigned bytes = ptx_type_bytes(to);
    const uint32_t truth = true_value(to) & (pair ? 0xffff : UINT32_MAX);
    unsigned char *d = lanes_destination(instruction, lanes);
    uint32_t outcome[2];
    compare_lanes(instruction, lanes, mask, outcome);
    ACTIVE_LANES
    {
        uint32_t value = outcome[0] & lane_bit[lane] ? truth : 0;
        if (pair && (outcome[1] & lane_bit[lane]))
            value |= truth << 16;
        memcpy(d + lane * bytes, &value, bytes);
    }
}

HANDLER(setp_half)
{
    uint32_t outcome[2];
    compare_lanes(instruction, lanes, mask, outcome);
    if (instruction->destination2.used)
        lanes_set_predicate(&instruction->destination2, lanes, mask, outcome[1]);
    lanes_set_predicate(&instruction->destination, lanes, mask, outcome[0]);
}

#define T_HALVES (T(F16) | T(F16X2) | T(BF16) | T(BF16X2))

static bool select_set(const struct alu_query *query, struct alu_operation *operation)
{
    const bool is_setp = query->opcode == PTX_OP_SETP;
    const enum ptx_type to = is_setp ? PTX_PRED : query->types[0];
    const enum ptx_type from = query->types[is_setp ? 0 : 1];
    const uint32_t comparable = T_BITS16 | T_BITS32 | T_BITS64 | T(F16) | T(BF16) | T(F32) | T(F64);
    const uint32_t settable = T_INT32 | T(F32) | T_INT16 | T(F16) | T(BF16);
    bool pair_to_pair = is_pair(from) && (to == from || (T_INT32 >> to & 1));
    if (is_setp ? !(T_HALVES >> from & 1) || query->types[1] != PTX_NONE
                : !pair_to_pair && !((comparable >> from & 1) && (settable >> to & 1)))
        return false;
    const uint64_t comparison = query->modifiers & ~(M(FTZ) | M(AND) | M(OR) | M(XOR));
    for (size_t i = 0; i < ROW_COUNT(comparisons); i++) {
        if (comparisons[i].modifier != comparison)
            continue;
        *operation = (struct alu_operation){.handler = is_setp ? setp_half : set_any,
                                            .source_count = 2,
                                            .destination_type = to,
                                            .destination2_type = is_setp ? PTX_PRED : PTX_NONE,
                                            .source_type = {from, from, PTX_PRED}};
        operation->control = alu_control(query->modifiers & M(FTZ)) |
                             alu_combine(query->modifiers, &operation->source_count)
                                 << SET_COMBINE_SHIFT |
                             (uint32_t)comparisons[i].outcomes << SET_OUTCOMES_SHIFT |
                             (uint32_t)to << ALU_CONTROL_TO | (uint32_t)from << ALU_CONTROL_FROM;
        return true;
    }
    return false;
}

#define T_INTEGERS (T(U8) | T(S8) | T_INT16 | T_INT32 | T_INT64)
#define T_FLOATS (T(F16) | T(BF16) | T(F32) | T(F64))

static bool select_convert(const struct alu_query *query, struct alu_operation *operation)
{
    const uint64_t allowed =
        ROUNDINGS | M(RNA) | M(RNI) | M(RZI) | M(RMI) | M(RPI) | M(FTZ) | M(SAT) | M(RELU);
    const enum ptx_type to = query->types[0], from = query->types[1];
    const bool tensor = to == PTX_TF32 && from == PTX_F32;
    if (!tensor && !((T_INTEGERS | T_FLOATS) >> to & (T_INTEGERS | T_FLOATS) >> from & 1))
        return false;
    const bool narrows = to == PTX_F16 || to == PTX_BF16 || to == PTX_TF32;
    const uint64_t also = narrows && from == PTX_F32 ? M(SATFINITE) : 0;
    if (query->modifiers & ~(allowed | also))
        return false;
    *operation = (struct alu_operation){.handler = alu_convert,
                                        .control = alu_convert_control(query),
                                        .source_count = 1,
                                        .destination_type = to,
                                        .source_type = {from},
                                        .any_stride = true};
    return true;
}

/* clang-format off */
static const struct alu_row rows[] = {
    INTEGER_LIST1(ROW1)
    INTEGER_LIST2(ROW2)
    INTEGER_LIST3(ROW3)
    TYPED_LIST(TYPED_ROW)
    CARRY_LISTS(CARRY_ROW)
    ROUNDED_LIST1(ROW1)
    ROUNDED_LIST2(ROW2)
    ROUNDED_LIST3(ROW3)
    ROUNDED_MAD_LIST(ROW3)
    FUNCTION_LIST1(ROW1)
    FUNCTION_LIST2(ROW2)
    TEST_LIST(TEST_ROWS)
    HALF_LIST(HALF_ROWS)
    PAIR_LIST(PAIR_ROW)
    PACK_LIST(PACK_ROW)
    PACK_ROW2(cvt_pack_u16, U16)
    PACK_ROW2(cvt_pack_s16, S16)
};
/* clang-format on */

bool alu_select_scalar(const struct alu_query *query, struct alu_operation *operation)
{
    if (query->opcode == PTX_OP_SET || query->opcode == PTX_OP_SETP)
        return select_set(query, operation);
    return alu_rows_find(rows, ROW_COUNT(rows), query, operation) ||
           (query->opcode == PTX_OP_CVT && select_convert(query, operation));
}
