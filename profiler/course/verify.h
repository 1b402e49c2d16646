/* verify.h: is the output right, and if not, what is the mistake?
 *
 * A wrong element is traced to where its value came from (matrix_index), and the pattern of all
 * wrong elements is matched against the known mistakes, so that the message names one.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include "course/matrix.h"

/* A run's memory after the launch. Arrays are 32-bit patterns of floats. */
struct verify_input {
    struct problem problem;
    const uint32_t *input, *output;
    /* Guard bands that were filled with MATRIX_GUARD: before and after each matrix. May be NULL /
     * 0. */
    const uint32_t *guards[4];
    const char *guard_names[4]; /* "before odata", ... */
    size_t guard_elements[4];
    uint32_t block_x, block_y, grid_x, grid_y; /* launch shape, to speak of blocks; 0: unknown */
    unsigned threads;                          /* worker threads to use, >= 1 */
    const char *output_name, *input_name;      /* "odata", "idata" */
};

/* Compare bit for bit with the reference, check guards and that the input is unchanged. True: all
 * is right. Otherwise a student failure: STATUS_WRONG_RESULT (or STATUS_OUT_OF_BOUNDS for a guard)
 * whose text is at most five short lines: what the mistake is (named when recognised), how many
 * elements are wrong, and one or two examples as odata[row][col] with the expected and found source
 * elements as idata[row][col]. Deterministic for any number of threads. */
bool verify_output(const struct verify_input *input, struct failure *failure);

#endif
