/* alu_number.h: exact conversion of values between formats. Private to alu*.c.
 *
 * Theory of operation. A floating-point or integer value of any type is decomposed into sign,
 * 64-bit significand and exponent, without error. The value is rounded once, in the conversion to
 * the destination's format: the bits that do not fit are shifted out. These bits and the rounding
 * mode determine whether the remaining significand is incremented. The host's floating-point
 * arithmetic and rounding mode are not used. */
#ifndef ALU_NUMBER_H
#define ALU_NUMBER_H

#include "emulator/alu/alu_lanes.h"

struct number {
    bool negative, nan, infinite;
    int exponent;         /* The value is significand * 2^exponent. */
    uint64_t significand; /* 0 for a signed zero. For a NaN: the payload from bit 63 down, or 0 for
                           * the canonical NaN of the destination format. */
};

/* A binary format: sign, `exponent_bits`, `fraction_bits`, then `padding` zeros. */
struct number_format {
    int exponent_bits, fraction_bits, padding;
    uint64_t nan;
};

/* Returns the format of a floating-point type (of one half of an x2 type), or NULL. */
const struct number_format *number_format(enum ptx_type type);

struct number number_from_float(const struct number_format *format, uint64_t bits);
struct number number_from_integer(uint64_t bits, unsigned bytes, bool is_signed);

struct number number_canonical(struct number number);

/* Returns the number, rounded to an integer in the control's mode (alu_rounding,
 * ALU_CONTROL_AWAY). */
struct number number_to_integral(struct number number, uint32_t control);

/* Returns the bits of the number in the format, rounded in the control's mode. On overflow, returns
 * infinity or the largest finite value (IEEE 754). A NaN becomes quiet and retains its sign and
 * upper payload. */
uint64_t number_to_float(struct number number, const struct number_format *format,
                         uint32_t control);

/* Returns the number as an integer of `bytes` bytes, rounded in the control's mode and clamped to
 * the range of the type. For a NaN, returns `nan`. */
uint64_t number_to_integer(struct number number, unsigned bytes, bool is_signed, uint32_t control,
                           uint64_t nan);

/* Returns the bits of a value after a modifier is applied: .ftz (flush subnormal numbers), .sat
 * (clamp to [0, 1]), .relu (clamp to [0, infinity]), .satfinite (clamp infinities). */
uint64_t number_flush(const struct number_format *format, uint64_t bits);
uint64_t number_saturate(const struct number_format *format, uint64_t bits);
uint64_t number_rectify(const struct number_format *format, uint64_t bits);
uint64_t number_clamp(const struct number_format *format, uint64_t bits);

#endif
