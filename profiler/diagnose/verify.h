/* verify.h: compare the output with the reference, and find the mistake if they differ.
 * matrix_index finds the input element that a wrong value comes from. The wrong elements are
 * compared with the predictions of known mistakes. */
#ifndef VERIFY_H
#define VERIFY_H

#include "course/verdict.h"

/* Compare the output bit for bit with the reference, and check that the guard bands and the input
 * are unchanged. Returns true if the result is correct. Otherwise, sets a harness failure (memory)
 * or a student failure: STATUS_OUT_OF_BOUNDS for a guard band, or STATUS_WRONG_RESULT. The text has
 * at most five lines: the mistake if it is recognized, the number of wrong elements, and one or two
 * examples. The text does not depend on the number of threads. */
bool verify_output(const struct verify_input *input, struct failure *failure);

/* Compare only the parts of rows (16 elements each) that contain stored elements. Returns true if
 * all elements of these parts are stored and correct. *stored receives the number of elements in
 * the parts. Guard bands and the input are not checked. Correct parts are overwritten with
 * MATRIX_POISON: `restored` is the same array as input->output. */
bool verify_stored(const struct verify_input *input, uint32_t *restored, uint64_t *stored);

#endif
