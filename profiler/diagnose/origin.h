/* origin.h: find where the values of a wrong result came from, for exercises whose reference is a
 * function. Nothing here depends on the exercise. The inputs are known. Therefore, a difference can
 * be compared with sums of input elements (origin_sum.c, origin_terms.c), and elements can be
 * identified by their values (origin.c).
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "course/arrays.h"

/* If the origin of the wrong values is known, add it to a report. Returns true if the report also
 * has examples of wrong elements. */
bool origin_explain(const struct arrays_result *result, struct report *report);

/* One output and the input from which it is computed. */
struct origin {
    const struct arrays_result *result;
    unsigned output, input; /* Indices of parameters. */
};
/* Explain a wrong sum of all elements of the input, modulo 2^32. */
bool origin_explain_sum(const struct origin *origin, struct report *report);
/* Explain wrong outputs that are sums of neighbouring elements with constant factors. */
bool origin_explain_terms(const struct origin *origin, struct report *report);

#endif
