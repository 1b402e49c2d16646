/* arrays.h: the arrays of an exercise. They are filled before a launch, and verified after it if
 * the reference is a function (verify.h verifies maps of a matrix).
 *
 * A reference function (include/references/NAME.h) computes the correct outputs from the same
 * arrays. With a mistake number other than 0, it computes the outputs of a kernel with a known
 * mistake, which the header names. The function receives `inout` arrays with their contents before
 * the launch; other outputs are 0. All results are compared exactly. Unsigned elements are
 * encrypted indices (matrix_value), whose sums modulo 2^32 do not depend on the order of additions.
 * Float and int elements are integers below 2^18 in magnitude, so that the sum of up to 64 elements
 * is an exact float in any order, with or without fused operations.
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "course/form.h"
#include "course/verdict.h"

/* Returns the index of a reference function, or -1 if no function has that name. */
int function_find(const char *name);

/* Returns true if the function only moves elements: every output element is an input element. */
bool function_moves(const struct form *form, int function);

/* A run's arrays, before or after the launch. */
struct arrays {
    const struct form *form;
    int function; /* Negative: a map of the matrix, with the elements of matrix.h. */
    bool moves;   /* True if the function only moves elements, with the values of matrix.h. */
    uint64_t rows, cols, seed;
    uint32_t *words[FORM_PARAMETERS_MAX]; /* Index: parameter; NULL for a scalar. */
    bool spares_margin; /* Elements in an outermost row or column of a matrix are not checked. */
};

/* Check that all arrays have 1 to 2^31 elements. Returns false for a harness failure. */
bool arrays_check(const struct arrays *arrays, struct failure *failure);

/* Fill the elements from `first` to `end` - 1 of a parameter's array: an input with values, an
 * output with poison or 0. */
void arrays_fill(const struct arrays *arrays, unsigned parameter, uint64_t first, uint64_t end);

/* Returns true if no output was written. */
bool arrays_untouched(const struct arrays *arrays);

/* Returns the number of elements of a parameter's array. */
uint64_t arrays_elements(const struct arrays *arrays, unsigned parameter);
/* Returns the seed of an input. Inputs have different seeds; the first input has `seed` itself. */
uint64_t arrays_seed(const struct arrays *arrays, unsigned parameter);
/* Write the name of an element as in a program: "sum[0]", "out[3][4]". */
enum { ARRAYS_NAME = 96 };
const char *arrays_name_element(const struct arrays *arrays, unsigned parameter, uint64_t index,
                                char text[ARRAYS_NAME]);

/* The correct outputs, by parameter; NULL for inputs and scalars. */
struct arrays_result {
    const struct arrays *arrays;
    uint32_t *expected[FORM_PARAMETERS_MAX]; /* Correct outputs. */
    uint32_t *before[FORM_PARAMETERS_MAX];   /* Initial contents of inout arrays; else NULL. */
};
/* If a known mistake explains an incorrect result, add the mistake to the report. Returns true if
 * the report also has examples of wrong elements. */
typedef bool arrays_explain(const struct arrays_result *result, struct report *report);

/* Compare the outputs with the reference, check the inputs, and restore changed inputs. Returns
 * true if the result is correct. Otherwise returns false, and *failure is a student failure with at
 * most five lines (see verify_output). `explain` is called if no known mistake explains the result.
 * `explain` may be NULL. */
bool arrays_verify(const struct arrays *arrays, arrays_explain *explain, struct failure *failure);

/* Returns the difference between the first element of the first array and the correct element, or 0
 * if there is not enough memory. The first array must be an output. */
uint32_t arrays_excess(const struct arrays *arrays);

/* Returns the number of wrong output elements, or 0 if there is not enough memory. */
uint64_t arrays_count_wrong(const struct arrays *arrays);

#endif
