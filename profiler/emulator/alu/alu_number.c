#include "emulator/alu/alu_number.h"

const struct number_format *number_format(enum ptx_type type)
{
    static const struct number_format formats[PTX_TYPE_COUNT] = {
        [PTX_F16] = {5, 10, 0, 0x7fff},       [PTX_F16X2] = {5, 10, 0, 0x7fff},
        [PTX_BF16] = {8, 7, 0, 0x7fff},       [PTX_BF16X2] = {8, 7, 0, 0x7fff},
        [PTX_TF32] = {8, 10, 13, 0x7fffffff}, [PTX_F32] = {8, 23, 0, 0x7fffffff},
        [PTX_F64] = {11, 52, 0, NAN_F64},
    };
    return formats[type].exponent_bits ? &formats[type] : NULL;
}

static uint64_t format_infinity(const struct number_format *format)
{
    return ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
}

static int format_bias(const struct number_format *format)
{
    return (1 << (format->exponent_bits - 1)) - 1;
}

static unsigned format_sign(const struct number_format *format)
{
    return (unsigned)(format->exponent_bits + format->fraction_bits);
}

struct number number_from_float(const struct number_format *format, uint64_t bits)
{
    bits >>= format->padding;
    const uint64_t infinity = format_infinity(format);
    const uint64_t magnitude = bits & ((UINT64_C(1) << format_sign(format)) - 1);
    const int exponent = (int)(magnitude >> format->fraction_bits);
    struct number number = {
        .negative = bits >> format_sign(format) & 1,
        .nan = magnitude > infinity,
        .infinite = magnitude == infinity,
        .exponent = (exponent ? exponent : 1) - format_bias(format) - format->fraction_bits,
        .significand = magnitude & ((UINT64_C(1) << format->fraction_bits) - 1),
    };
    if (number.nan)
        number.significand <<= 64 - format->fraction_bits;
    else if (exponent)
        number.significand |= UINT64_C(1) << format->fraction_bits;
    return number;
}

struct number number_from_integer(uint64_t bits, unsigned bytes, bool is_signed)
{
    if (bytes < 8)
        bits &= (UINT64_C(1) << 8 * bytes) - 1;
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    struct number number = {.significand = bits};
    if (is_signed && (bits & sign)) {
        number.negative = true;
        number.significand = 2 * (sign - 1) + 2 - bits; /* 2^width - bits, for all widths */
    }
    return number;
}

struct number number_canonical(struct number number)
{
    if (number.nan)
        number.significand = 0;
    return number;
}

static uint64_t shift_rounded(uint64_t significand, int shift, bool negative, uint32_t control)
{
    if (shift == 0)
        return significand;
    uint64_t truncated = shift > 63 ? 0 : significand >> shift;
    uint64_t rest = shift > 63 ? significand : significand & ((UINT64_C(1) << shift) - 1);
    uint64_t half = shift > 64 ? 0 : UINT64_C(1) << (shift - 1);
    int against_half = shift > 64 ? -1 : rest > half ? 1 : rest == half ? 0 : -1;
    if (rest == 0)
        return truncated;
    const uint32_t mode = control & ALU_CONTROL_ROUNDING;
    if (control & ALU_CONTROL_AWAY)
        return truncated + (against_half >= 0);
    return truncated + (mode == ROUND_ZERO   ? false
                        : mode == ROUND_DOWN ? negative
                        : mode == ROUND_UP   ? !negative
                                             : against_half >= !(truncated & 1));
}

struct number number_to_integral(struct number number, uint32_t control)
{
    if (number.nan || number.infinite || number.exponent >= 0)
        return number;
    number.significand =
        shift_rounded(number.significand, -number.exponent, number.negative, control);
    number.exponent = 0;
    return number;
}

static uint64_t overflow_bits(const struct number_format *format, bool negative, uint32_t control)
{
    const uint32_t rounding = control & ALU_CONTROL_ROUNDING;
    const bool to_finite = rounding == ROUND_ZERO || (rounding == ROUND_DOWN && !negative) ||
                           (rounding == ROUND_UP && negative);
    return format_infinity(format) - to_finite;
}

uint64_t number_to_float(struct number number, const struct number_format *format, uint32_t control)
{
    uint64_t bits = 0;
    if (number.nan) {
        if (number.significand == 0)
            return format->nan;
        bits = format_infinity(format) | UINT64_C(1) << (format->fraction_bits - 1) |
               number.significand >> (64 - format->fraction_bits);
    } else if (number.infinite) {
        bits = format_infinity(format);
    } else if (number.significand != 0) {
        int zeros = __builtin_clzll(number.significand);
        uint64_t significand = number.significand << zeros;
        int lead = number.exponent - zeros + 63;
        int smallest = 1 - format_bias(format);
        int shift = 63 - format->fraction_bits + (lead < smallest ? smallest - lead : 0);
        uint64_t rounded = shift_rounded(significand, shift, number.negative, control);
        /* The hidden bit of `rounded`, or a carry into this bit, adds one to the exponent field. */
        uint64_t field = lead < smallest ? 0 : (uint64_t)(lead - smallest);
        bits = field >= (UINT64_C(1) << format->exponent_bits)
                   ? format_infinity(format)
                   : (field << format->fraction_bits) + rounded;
        if (bits >= format_infinity(format))
            bits = overflow_bits(format, number.negative, control);
    }
    bits |= (uint64_t)number.negative << format_sign(format);
    return bits << format->padding;
}

uint64_t number_to_integer(struct number number, unsigned bytes, bool is_signed, uint32_t control,
                           uint64_t nan)
{
    const unsigned width = 8 * bytes;
    const uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    const uint64_t largest = is_signed ? all >> 1 : all;
    const uint64_t smallest = is_signed ? largest + 1 : 0;
    if (number.nan)
        return nan & all;
    number = number_to_integral(number, control);
    const uint64_t limit = number.negative ? smallest : largest;
    uint64_t magnitude = number.significand;
    if (number.infinite || (magnitude != 0 && number.exponent >= 64))
        magnitude = limit;
    else if (magnitude != 0 && number.exponent > 0)
        magnitude =
            number.exponent > __builtin_clzll(magnitude) ? limit : magnitude << number.exponent;
    if (magnitude > limit)
        magnitude = limit;
    return (number.negative ? 0 - magnitude : magnitude) & all;
}

uint64_t number_flush(const struct number_format *format, uint64_t bits)
{
    return bits & format_infinity(format) << format->padding
               ? bits
               : bits & UINT64_C(1) << (format_sign(format) + (unsigned)format->padding);
}

uint64_t number_saturate(const struct number_format *format, uint64_t bits)
{
    const uint64_t one = (uint64_t)format_bias(format) << format->fraction_bits;
    const uint64_t infinity = format_infinity(format);
    if (bits >> format_sign(format) & 1 || bits > infinity)
        return 0;
    return bits < one ? bits : one;
}

uint64_t number_rectify(const struct number_format *format, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << format_sign(format);
    if ((bits & ~sign) > format_infinity(format))
        return format->nan;
    return bits & sign ? 0 : bits;
}

uint64_t number_clamp(const struct number_format *format, uint64_t bits)
{
    const uint64_t infinity = format_infinity(format) << format->padding;
    const uint64_t magnitude =
        bits & ((UINT64_C(1) << (format_sign(format) + format->padding)) - 1);
    return magnitude == infinity ? bits - (UINT64_C(1) << format->padding) : bits;
}

/* This part implements cvt between any two types, one lane at a time. alu_vector.c converts the
 * frequent types faster. */

/* Returns the result of cvt from a NaN to an integer (PTX ISA 9.7.9). */
static uint64_t nan_integer(enum ptx_type to, enum ptx_type from)
{
    const unsigned bytes = ptx_type_bytes(to);
    return from == PTX_F64 || bytes == 8 ? UINT64_C(1) << (8 * bytes - 1) : 0;
}

/* Only these conversions retain a NaN's payload (H200): to f64, from f64, from bf16 to f32, and
 * from f32 to tf32. */
static uint64_t convert_nan(enum ptx_type to, enum ptx_type from, uint64_t bits,
                            struct number number)
{
    if (from == PTX_BF16 && to == PTX_F32)
        return bits << 16;
    if (to == PTX_TF32)
        return bits & ~UINT64_C(0x1fff);
    if (from != PTX_F64 && to != PTX_F64)
        number = number_canonical(number);
    return number_to_float(number, number_format(to), 0);
}

static uint64_t convert_value(enum ptx_type to, enum ptx_type from, uint32_t control, uint64_t bits)
{
    const struct number_format *source = number_format(from), *target = number_format(to);
    const unsigned bytes = ptx_type_bytes(to);
    if ((control & ALU_CONTROL_FTZ) && from == PTX_F32)
        bits = bits_f32(canonical_f32(flush_f32(float_f32((uint32_t)bits))));
    struct number number =
        source ? number_from_float(source, bits)
               : number_from_integer(bits, ptx_type_bytes(from), ptx_type_is_signed(from));
    if (target) {
        if (control & ALU_CONTROL_INTEGRAL)
            number = number_to_integral(number, control);
        uint64_t result = number.nan ? convert_nan(to, from, bits, number)
                                     : number_to_float(number, target, control);
        if ((control & ALU_CONTROL_FTZ) && to == PTX_F32)
            result = number_flush(target, result);
        if (control & ALU_CONTROL_SAT)
            result = number_saturate(target, result);
        if (control & ALU_CONTROL_FINITE)
            result = number_clamp(target, result);
        return control & ALU_CONTROL_RELU ? number_rectify(target, result) : result;
    }
    const bool is_signed = ptx_type_is_signed(to);
    if (!source && !(control & ALU_CONTROL_SAT)) {
        bits = number.negative ? 0 - number.significand : number.significand;
        number = number_from_integer(bits, bytes, is_signed);
    }
    uint64_t result = number_to_integer(number, bytes, is_signed, control, nan_integer(to, from));
    struct number extended = number_from_integer(result, bytes, is_signed);
    return extended.negative ? 0 - extended.significand : extended.significand;
}

void alu_convert(const struct instruction *instruction, const struct lanes *lanes, uint32_t mask)
{
    const enum ptx_type to = instruction->control >> ALU_CONTROL_TO & ALU_TYPE_MASK;
    const enum ptx_type from = instruction->control >> ALU_CONTROL_FROM & ALU_TYPE_MASK;
    const unsigned char *source = lanes_source(instruction, lanes, 0);
    unsigned char *destination = lanes_destination(instruction, lanes);
    const size_t source_stride = instruction->source[0].stride;
    const size_t stride = instruction->destination.stride;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(mask & lane_bit[lane]))
            continue;
        uint64_t bits = 0;
        memcpy(&bits, source + lane * source_stride, source_stride);
        bits = convert_value(to, from, instruction->control, bits);
        memcpy(destination + lane * stride, &bits, stride);
    }
}
