/* verify.h: compare the output with the reference, and find the mistake if they differ.
 *
 * The value of a wrong element gives the input element that it comes from (matrix_index). All wrong
 * elements are matched against the known mistakes, so that the message names the mistake.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include "course/verdict.h"

/* Compare the output bit for bit with the reference, and check that guards and input are unchanged.
 * Returns true if the result is correct. Returns false for a student failure: STATUS_WRONG_RESULT,
 * or STATUS_OUT_OF_BOUNDS for a guard. Its text has at most five short lines: the mistake if it is
 * recognized, the number of wrong elements, and one or two examples with the expected and the found
 * element of the input. The text is the same for any number of threads. */
bool verify_output(const struct verify_input *input, struct failure *failure);

/* Compare only the parts of rows (16 elements each) that were stored. Returns true if these
 * parts are complete and correct; *stored is their number of elements. Guards and input are not
 * checked. */
bool verify_stored(const struct verify_input *input, uint64_t *stored);

#endif
