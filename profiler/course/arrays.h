/* arrays.h: fill the arrays of an exercise before a launch and, if the reference is a function,
 * verify the arrays after the launch.
 *
 * A reference function (include/references/NAME.h) computes the correct outputs or, if its argument
 * `mistake` is not 0, the outputs of a kernel with this mistake. The function receives `inout`
 * arrays with their contents before the launch; other outputs are 0. All results are compared
 * exactly, so float and int elements are integers from -2^18 to 2^18: sums of 64 are exact. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "course/form.h"
#include "course/verdict.h"

/* Returns the index of the reference function with this name; -1 if there is none. */
int function_find(const char *name);

/* Returns true if every output element of the function is an input element. */
bool function_moves(const struct form *form, int function);

/* Unsigned inputs have random values, equal values, small ascending values, or the maximum. */
enum arrays_values { VALUES_RANDOM, VALUES_EQUAL, VALUES_ASCENDING, VALUES_LARGEST, VALUES_COUNT };

struct arrays {
    const struct form *form;
    int function; /* Index of the function; negative for a map of the matrix. */
    bool moves;   /* Result of function_moves; elements then have the values of matrix.h. */
    uint64_t rows, cols, seed;
    uint32_t *words[FORM_PARAMETERS_MAX]; /* One array per parameter; NULL for a scalar. */
    enum arrays_values values;
    /* Ignore outputs in the margin: two rows and columns at each border; the last element of a
     * line. */
    bool spares_margin;
};

/* Check that all arrays have 1 to 2^31 elements. Returns false for a harness failure. */
bool arrays_check(const struct arrays *arrays, struct failure *failure);

/* Fill elements [first, end) of an array: with values if the kernel reads the array, with 0 if the
 * array is zeroed, otherwise with poison. */
void arrays_fill(const struct arrays *arrays, unsigned parameter, uint64_t first, uint64_t end);

bool arrays_untouched(const struct arrays *arrays);

uint64_t arrays_elements(const struct arrays *arrays, unsigned parameter);
/* Returns the seed of an input: arrays->seed for the first input, a derived seed for the others. */
uint64_t arrays_seed(const struct arrays *arrays, unsigned parameter);
/* Write the name of an element as in a program: "sum[0]", "out[3][4]". Returns `text`. */
enum { ARRAYS_NAME = 96 };
const char *arrays_name_element(const struct arrays *arrays, unsigned parameter, uint64_t index,
                                char text[ARRAYS_NAME]);

struct arrays_result {
    const struct arrays *arrays;
    uint32_t *expected[FORM_PARAMETERS_MAX];
    uint32_t *before[FORM_PARAMETERS_MAX]; /* initial contents of inout arrays; otherwise NULL */
};
/* A function that explains an incorrect result and adds its finding to the report. Returns true if
 * the report also contains examples of wrong elements. */
typedef bool arrays_explain(const struct arrays_result *result, struct report *report);

/* Compare the outputs with the reference, and check and restore the inputs. Returns true if the
 * result is correct. Otherwise, *failure is a student failure, or a harness failure if memory is
 * exhausted. `explain` (or NULL) is called if no known mistake explains the written elements. */
bool arrays_verify(const struct arrays *arrays, arrays_explain *explain, struct failure *failure);

/* Returns output element 0 minus its correct value, modulo 2^32; 0 if memory is exhausted. The
 * first array must be an output. */
uint32_t arrays_excess(const struct arrays *arrays);

/* Returns the number of wrong output elements; 0 if memory is exhausted. */
uint64_t arrays_count_wrong(const struct arrays *arrays);

#endif
