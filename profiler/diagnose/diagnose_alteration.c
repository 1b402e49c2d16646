/* diagnose_alteration.c: are the right elements in the right places, with other values?
 *
 * An alteration maps the bits that belong into an element to those that a wrong kernel writes. The
 * host's arithmetic is the GPU's here: both round to nearest as IEEE 754 says.
 */
#include "course/diagnose_guesses.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t alter_negate(uint32_t bits, float parameter)
{
    (void)parameter;
    return bits ^ 0x80000000;
}

static uint32_t alter_absolute(uint32_t bits, float parameter)
{
    (void)parameter;
    return bits & 0x7fffffff;
}

static uint32_t alter_flush(uint32_t bits, float parameter)
{
    (void)parameter;
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

/* Conversion to int saturates on a GPU (PTX ISA, cvt). */
static uint32_t alter_integer(uint32_t bits, float parameter)
{
    (void)parameter;
    float value = matrix_float(bits), limit = 2147483648.0f;
    if (value >= limit)
        return bits_of(limit);
    return bits_of(value <= -limit ? -limit : (float)(int32_t)value);
}

static uint32_t alter_bfloat(uint32_t bits, float parameter)
{
    (void)parameter;
    return bits & 0xffff0000;
}

static uint32_t alter_swap(uint32_t bits, float parameter)
{
    (void)parameter;
    return __builtin_bswap32(bits);
}

static uint32_t alter_constant(uint32_t bits, float parameter)
{
    (void)bits;
    return bits_of(parameter);
}

static uint32_t alter_scale(uint32_t bits, float parameter)
{
    return bits_of(matrix_float(bits) * parameter);
}

static uint32_t alter_add(uint32_t bits, float parameter)
{
    return bits_of(matrix_float(bits) + parameter);
}

/* Whether all written elements hold the altered right value. One element proves nothing, nor does
 * the sign of a zero, which depends on how the alteration is written. */
static bool alteration_explains(const struct diagnosis *d,
                                uint32_t (*alter)(uint32_t bits, float parameter), float parameter)
{
    uint64_t altered = 0;
    for (uint64_t i = 0; i < d->total; i++) {
        uint32_t bits = d->input->output[i], right = diagnosis_expected(d, i);
        uint32_t predicted = alter(right, parameter);
        if (bits == MATRIX_POISON && d->unwritten_fits)
            continue;
        bool both_nan = isnan(matrix_float(bits)) && isnan(matrix_float(predicted));
        bool both_zero = matrix_float(bits) == 0 && matrix_float(predicted) == 0;
        if (bits != predicted && !both_nan && !both_zero)
            return false;
        altered += matrix_float(bits) != matrix_float(right);
    }
    return altered >= 1;
}

/* The right value of least size among the foreign ones, and what was found there: where something
 * was added, that is what it was. */
static float addend_guess(const struct diagnosis *d)
{
    float least = INFINITY, addend = 0;
    for (uint64_t i = 0; i < d->total; i++) {
        if (!element_set_has(&d->wrong, i) || d->input->output[i] == MATRIX_POISON)
            continue;
        float right = matrix_float(diagnosis_expected(d, i)),
              found = matrix_float(d->input->output[i]);
        if (fabsf(right) < least) {
            least = fabsf(right);
            addend = found - right;
        }
    }
    return addend;
}

/* The ratio of what was found to what is right, to 1/4096, from the first element at which neither
 * is near the ends of the range. */
static float factor_guess(const struct diagnosis *d)
{
    for (uint64_t i = 0; i < d->total; i++) {
        float right = matrix_float(diagnosis_expected(d, i)),
              found = matrix_float(d->input->output[i]);
        if (d->input->output[i] != MATRIX_POISON && isnormal(right) && isnormal(found) &&
            fabsf(right) > 1e-30f && fabsf(right) < 1e30f)
            return roundf(found / right * 4096) / 4096;
    }
    return 1;
}

static bool diagnose_constant(const struct diagnosis *d, struct report *report)
{
    float value = matrix_float(d->input->output[d->first[FOUND_FOREIGN]]);
    if (d->total < 2 || !alteration_explains(d, alter_constant, value))
        return false;
    if (isnan(value))
        report_add(report, "every element of %s is a NaN", d->input->output_name);
    else
        report_add(report, "every element of %s holds the value %.9g", d->input->output_name,
                   value);
    return true;
}

bool diagnose_alteration(const struct diagnosis *d, struct report *report)
{
    static const struct {
        uint32_t (*alter)(uint32_t bits, float parameter);
        const char *text;
    } plain[] = {
        {alter_negate, "the elements are negated"},
        {alter_absolute, "the elements have lost their signs"},
        {alter_flush, "denormal elements became 0: arithmetic was done on the elements"},
        {alter_integer, "the elements were converted to int"},
        {alter_bfloat, "the elements have lost the lower half of their bits"},
        {alter_swap, "the bytes of the elements are in reverse order"},
    };
    if (diagnose_constant(d, report))
        return true;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (alteration_explains(d, plain[i].alter, 0)) {
            report_add(report, "%s", plain[i].text);
            return true;
        }
    if (d->total < 4) /* a factor and an addend can be found for any one element */
        return false;
    float factor = factor_guess(d), addend = addend_guess(d);
    if (alteration_explains(d, alter_scale, factor)) {
        report_add(report, "the elements are multiplied by %.9g", factor);
        return true;
    }
    if (alteration_explains(d, alter_add, addend)) {
        report_add(report, "%.9g is added to the elements", addend);
        return true;
    }
    return false;
}
