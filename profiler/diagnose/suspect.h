/* suspect.h: a failed launch, and callbacks that try another launch. The diagnosis does not depend
 * on how a source is compiled and run; run/attempt.c supplies the callbacks.
 */
#ifndef SUSPECT_H
#define SUSPECT_H

#include "course/verdict.h"
#include "emulator/emulator.h"

/* The changes for another launch of the same size. All zero: no change. */
struct trial {
    const struct dimensions *grid, *block; /* NULL: the grid and block of LAB_LAUNCH. */
    const char *code;                      /* A changed source; NULL: the same source. */
    bool at_all_sizes; /* For `code`: after a correct launch, also test all small sizes. */
    bool is_lenient;   /* Skip out-of-bounds accesses, and disable all checks. */
    /* Insert barriers between all stores to shared memory and loads from it. */
    bool has_barriers;
    unsigned shared_times; /* Factor for the bytes of dynamic shared memory; 0: none. */
};

struct suspect {
    const char *path, *code; /* The source's path; its text without comments, or NULL. */
    const char *warnings;    /* The compiler's warnings, or NULL. */
    const struct array_shapes *shapes;
    const struct emulator_launch *launch;
    const struct emulator_result *result;
    struct verify_input input; /* Valid if is_map. */
    bool is_map;               /* The exercise is a map of the matrix. */
    bool has_floats;           /* The elements are floats; false: integers. */
    void *context;             /* Passed to the callbacks. */
    /* Returns true if the launch of a trial gives the correct result. Otherwise `named`, if it is
     * not NULL, receives the mistake if the mistake is known. */
    bool (*is_correct)(void *context, const struct trial *trial, struct report *named);
    /* Verify the failed launch again, with this mistake as the diagnosis. */
    void (*blame)(void *context, const struct report *mistake, struct failure *failure);
};

/* Add the launch configuration to a student failure; unless `is_brief`, also add the mistake that
 * other launches, the program and changed sources reveal. Matrices of more than 65,536 elements are
 * not examined. */
void suspect_look_again(const struct suspect *suspect, bool is_brief, struct failure *failure);

#endif
