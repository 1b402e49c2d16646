/* verify.h: is the output right, and if not, what is the mistake?
 *
 * A wrong element is traced to where its value came from (matrix_index), and the pattern of all
 * wrong elements is matched against the known mistakes, so that the message names one.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include "course/verdict.h"

/* Compare bit for bit with the reference, check guards and that the input is unchanged. True: all
 * is right. Otherwise a student failure: STATUS_WRONG_RESULT (or STATUS_OUT_OF_BOUNDS for a guard)
 * whose text is at most five short lines: what the mistake is (named when recognised), how many
 * elements are wrong, and one or two examples as odata[row][col] with the expected and found source
 * elements as idata[row][col]. Deterministic for any number of threads. */
bool verify_output(const struct verify_input *input, struct failure *failure);

#endif
