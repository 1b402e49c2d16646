/* alu_convert.c: cvt between any two types, one lane at a time, through the exact numbers of
 * alu_number.h. alu_vector.c has faster handlers for the frequent conversions. */
#include "emulator/alu/alu_number.h"

/* Returns the result of cvt from a NaN to an integer (PTX ISA 9.7.9). */
static uint64_t nan_integer(enum ptx_type to, enum ptx_type from)
{
    const unsigned bytes = ptx_type_bytes(to);
    return from == PTX_F64 || bytes == 8 ? UINT64_C(1) << (8 * bytes - 1) : 0;
}

/* Only conversions to and from f64, bf16 to f32, and f32 to tf32 retain a NaN's payload (H200). */
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
