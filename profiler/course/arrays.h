/* arrays.h: the arrays of an exercise: filled before a launch; and judged after it where the
 * reference is a function (verify.h judges maps of a matrix).
 *
 * A function stands in include/references/NAME.h: it makes what the kernel must make, from the same
 * arrays, and with a number other than 0 what a kernel with a known mistake makes, which the header
 * names. The function finds the arrays' contents before the launch where a kernel reads them and
 * writes them, too (inout), and 0 in other outputs. What is in an input decides how results can be
 * compared. Everything is compared exactly: unsigned elements are enciphered indices
 * (matrix_value), whose sums modulo 2^32 do not depend on the order of adding; float and int
 * elements are whole numbers below 2^18 in magnitude, so that sums of up to 64 of them are exact
 * floats in any order, with or without fused operations.
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "course/form.h"

/* The reference function of that name, or -1. */
int function_find(const char *name);

/* A run's arrays, before or after the launch. */
struct arrays {
    const struct form *form;
    int function; /* negative: a map of the matrix, whose elements are those of matrix.h */
    uint64_t rows, cols, seed;
    uint32_t *words[FORM_PARAMETERS_MAX]; /* by parameter; NULL for a scalar */
    size_t guard_elements;                /* of MATRIX_GUARD before and behind each array; or 0 */
};

/* Whether all arrays have between 1 and 2^31 elements. A harness failure when not. */
bool arrays_check(const struct arrays *arrays, struct failure *failure);

/* Fill elements first to end-1 of a parameter's array: an input with its values, an output with
 * poison or 0. */
void arrays_fill(const struct arrays *arrays, unsigned parameter, uint64_t first, uint64_t end);

/* Whether no output was written at all. */
bool arrays_untouched(const struct arrays *arrays);

/* Compare with the reference, check guards and that inputs are unchanged (and make them so). True:
 * all is right. Otherwise a student failure as verify_output has it, in at most five lines. */
bool arrays_verify(const struct arrays *arrays, struct failure *failure);

/* How many elements of the outputs are wrong; 0 where there is no memory to compare, too. */
uint64_t arrays_count_wrong(const struct arrays *arrays);

#endif
