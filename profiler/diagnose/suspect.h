/* suspect.h: a launch that failed, as the diagnosis sees it, and how another one is tried. The
 * diagnosis knows nothing of how a source is compiled and run: who has launched it says so here
 * (run/attempt.c).
 */
#ifndef SUSPECT_H
#define SUSPECT_H

#include "course/verdict.h"
#include "emulator/emulator.h"

/* What is different in another launch of the same size; all zero: nothing. */
struct trial {
    const struct dimensions *grid, *block; /* NULL: those of LAB_LAUNCH */
    const char *code;                      /* another text of the source; NULL: the same */
    bool is_lenient; /* accesses out of bounds are left out, and nothing is checked */
};

struct suspect {
    const char *path, *code; /* of the source; its text without comments, or NULL */
    const char *warnings;    /* of the compiler; or NULL */
    const struct array_shapes *shapes;
    const struct emulator_launch *launch;
    const struct emulator_result *result;
    struct verify_input input; /* where the exercise is a map of the matrix */
    bool is_map;
    void *context; /* of the functions */
    /* Is the result right there? `named`, unless it is NULL, gets the mistake in a result that is
     * wrong, where it is known. */
    bool (*is_right)(void *context, const struct trial *trial, struct report *named);
    /* Judge the result of the failed launch anew, and say that this is the mistake. */
    void (*blame)(void *context, const struct report *mistake, struct failure *failure);
};

/* Add to a student's failure how it was launched, and what other launches, the program and other
 * texts of it say about the mistake. Matrices of at most a few ten thousand elements are looked at.
 * `is_brief`: only how it was launched. */
void suspect_look_again(const struct suspect *suspect, bool is_brief, struct failure *failure);

#endif
