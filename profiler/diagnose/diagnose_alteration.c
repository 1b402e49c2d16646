/* diagnose_alteration.c: test whether the correct elements have altered values. An alteration maps
 * the correct bits of an element to the bits that a wrong kernel stores. The host and the GPU
 * compute the same bits, because both round to nearest even (IEEE 754). */
#include "base/bits.h"
#include "diagnose/diagnosis.h"
#include "diagnose/hypotheses.h"

#include <math.h>
#include <string.h>

static uint32_t alter(unsigned how, uint32_t bits, float parameter)
{
    const float value = matrix_float(bits), limit = 2147483648.0f;
    switch (how) {
    case VALUE_NEGATED:
        return bits ^ 0x80000000;
    case VALUE_ABSOLUTE:
        return bits & 0x7fffffff;
    case VALUE_FLUSHED:
        return bits & 0x7f800000 ? bits : bits & 0x80000000;
    case VALUE_INTEGER: /* the conversion saturates on a GPU (PTX ISA, cvt) */
        return bits_f32(value >= limit ? limit : value <= -limit ? -limit : (float)(int32_t)value);
    case VALUE_BFLOAT:
        return bits & 0xffff0000;
    case VALUE_SWAPPED:
        return __builtin_bswap32(bits);
    case VALUE_CONSTANT:
        return bits_f32(parameter);
    case VALUE_SCALED:
        return bits_f32(value * parameter);
    default: /* VALUE_ADDED */
        return bits_f32(value + parameter);
    }
}

/* Returns true if all written elements contain the altered correct value. The signs of zeros may
 * differ, because they depend on the expression in the source. */
static bool alteration_explains(const struct diagnosis *d, unsigned how, float parameter)
{
    uint64_t altered = 0;
    for (uint64_t i = 0; i < d->total; i++) {
        uint32_t bits = d->input->output[i], correct = diagnosis_expected(d, i);
        uint32_t predicted = alter(how, correct, parameter);
        if (bits == MATRIX_POISON && d->unwritten_fits)
            continue;
        bool both_nan = isnan(matrix_float(bits)) && isnan(matrix_float(predicted));
        bool both_zero = matrix_float(bits) == 0 && matrix_float(predicted) == 0;
        if (bits != predicted && !both_nan && !both_zero)
            return false;
        altered += matrix_float(bits) != matrix_float(correct);
    }
    return altered >= 1;
}

/* Returns found minus correct value at the wrong element with the smallest correct magnitude. The
 * rounding error of an addend is smallest there. */
static float addend_guess(const struct diagnosis *d)
{
    float least = INFINITY, addend = 0;
    for (uint64_t i = 0; i < d->total; i++) {
        if (!element_set_has(&d->wrong, i) || d->input->output[i] == MATRIX_POISON)
            continue;
        float correct = matrix_float(diagnosis_expected(d, i)),
              found = matrix_float(d->input->output[i]);
        if (fabsf(correct) < least) {
            least = fabsf(correct);
            addend = found - correct;
        }
    }
    return addend;
}

/* Returns the ratio of the found value to the correct value, rounded to 1/4096. The ratio is taken
 * from the first element where neither value is near the limits of the range. */
static float factor_guess(const struct diagnosis *d)
{
    for (uint64_t i = 0; i < d->total; i++) {
        float correct = matrix_float(diagnosis_expected(d, i)),
              found = matrix_float(d->input->output[i]);
        if (d->input->output[i] != MATRIX_POISON && isnormal(correct) && isnormal(found) &&
            fabsf(correct) > 1e-30f && fabsf(correct) < 1e30f)
            return roundf(found / correct * 4096) / 4096;
    }
    return 1;
}

static bool diagnose_constant(const struct diagnosis *d, struct report *report)
{
    float value = matrix_float(d->input->output[d->first[FOUND_FOREIGN]]);
    if (d->total < 2 || !alteration_explains(d, VALUE_CONSTANT, value))
        return false;
    if (isnan(value))
        return report_add(report, FINDING_VALUE_CONSTANT, "every element of %s is a NaN",
                          d->input->output_name);
    return report_add(report, FINDING_VALUE_CONSTANT, "every element of %s holds the value %.9g",
                      d->input->output_name, value);
}

bool diagnose_alteration(const struct diagnosis *d, struct report *report)
{
    const struct hypothesis *h = NULL;
    if (diagnose_constant(d, report))
        return true;
    while ((h = hypothesis_next(BY_VALUE, h)))
        if (alteration_explains(d, h->how, 0))
            return report_add(report, h->finding, "%s", h->text);
    if (d->total < 4) /* a single element always has a factor and an addend */
        return false;
    float factor = factor_guess(d), addend = addend_guess(d);
    if (alteration_explains(d, VALUE_SCALED, factor))
        return report_add(report, FINDING_VALUE_ALTERED, "the elements are multiplied by %.9g",
                          factor);
    return alteration_explains(d, VALUE_ADDED, addend) &&
           report_add(report, FINDING_VALUE_ALTERED, "%.9g is added to the elements", addend);
}
