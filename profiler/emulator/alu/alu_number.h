/* alu_number.h: exact conversion of values between formats. Private to alu*.c. A value is
 * decomposed into sign, 64-bit significand and exponent, without error. Only the conversion to the
 * destination's format rounds. The host's floating-point arithmetic is not used. */
#ifndef ALU_NUMBER_H
#define ALU_NUMBER_H

#include "emulator/alu/alu_lanes.h"

struct number {
    bool negative, nan, infinite;
    int exponent; /* The value is significand * 2^exponent. */
    /* For a NaN, the payload in the upper bits, or 0 for the destination format's canonical NaN. */
    uint64_t significand;
};

/* A floating-point format. From the highest bit: sign, exponent, fraction, `padding` zeros. */
struct number_format {
    int exponent_bits, fraction_bits, padding;
    uint64_t nan;
};

/* Returns the format of a floating-point type or of each half of an x2 type; NULL for other
 * types. */
const struct number_format *number_format(enum ptx_type type);

struct number number_from_float(const struct number_format *format, uint64_t bits);
struct number number_from_integer(uint64_t bits, unsigned bytes, bool is_signed);

struct number number_canonical(struct number number);

/* The following functions round in the mode that `control` contains (ALU_CONTROL_ROUNDING). */
struct number number_to_integral(struct number number, uint32_t control);

/* Returns the bits of `number` in `format`. On overflow, returns infinity or the largest finite
 * value (IEEE 754). A NaN becomes quiet. */
uint64_t number_to_float(struct number number, const struct number_format *format,
                         uint32_t control);

/* Returns `number` as an integer, clamped to the range of the type, or `nan` for a NaN. */
uint64_t number_to_integer(struct number number, unsigned bytes, bool is_signed, uint32_t control,
                           uint64_t nan);

/* Each function returns `bits` after one modifier is applied: .ftz (flush subnormal numbers), .sat
 * (clamp to [0, 1]), .relu (clamp to [0, infinity]), .satfinite (make infinities finite). */
uint64_t number_flush(const struct number_format *format, uint64_t bits);
uint64_t number_saturate(const struct number_format *format, uint64_t bits);
uint64_t number_rectify(const struct number_format *format, uint64_t bits);
uint64_t number_clamp(const struct number_format *format, uint64_t bits);

#endif
