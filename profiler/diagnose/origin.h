/* origin.h: find the origin of the values in a wrong result, for exercises with a reference
 * function. The search, which does not depend on the exercise, compares errors with sums of input
 * elements (origin_sum.c, origin_terms.c), and identifies elements by their values (origin.c). */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "course/arrays.h"

/* If the origin of the wrong values is known, add it to a report. Returns true if the report also
 * contains examples of wrong elements. */
bool origin_explain(const struct arrays_result *result, struct report *report);

/* One output, and the input from which it is computed. */
struct origin {
    const struct arrays_result *result;
    unsigned output, input; /* indices of the parameters */
};
/* Explain a wrong sum of the input modulo 2^32. Returns true if the mistake is found. */
bool origin_explain_sum(const struct origin *origin, struct report *report);
/* Explain an output in which each element should be a sum of neighbouring elements with constant
 * factors. Returns true if the mistake is found. */
bool origin_explain_terms(const struct origin *origin, struct report *report);

#endif
