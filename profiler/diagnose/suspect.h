/* suspect.h: a failed launch, and callbacks for further launches. run/attempt.c supplies the
 * callbacks, so the diagnosis does not depend on how a source is compiled and run. */
#ifndef SUSPECT_H
#define SUSPECT_H

#include "course/verdict.h"
#include "emulator/emulator.h"

/* The changes for another launch of the same size. If all fields are zero, nothing is changed. */
struct trial {
    const struct dimensions *grid, *block; /* NULL for the value that LAB_LAUNCH returns */
    const char *code;                      /* a changed source; NULL for no change */
    const char *kernel;                    /* name of the kernel in `code`; NULL for no change */
    bool at_one_size;                      /* if `code` is set: test no other size */
    bool is_lenient;                       /* skip out-of-bounds accesses, and disable all checks */
    /* Insert barriers between all stores to shared memory and all loads from shared memory. */
    bool has_barriers;
    uint32_t shared_more;            /* further bytes of dynamic shared memory */
    const struct observer *observer; /* NULL: none */
};

/* A source with changed copies of the kernel, named KERNEL_copy000, KERNEL_copy001, ... */
struct copies {
    const char *code, *kernel;
    unsigned count;
    bool *is_bad; /* becomes true for each copy that does not compile */
};

struct suspect {
    const char *path, *code; /* path of the source; its text without comments, or NULL */
    const char *warnings;    /* warnings of the compiler, or NULL */
    const struct array_shapes *shapes;
    const struct emulator_launch *launch;
    const struct emulator_result *result;
    struct verify_input input; /* valid if is_map */
    uint64_t whole;            /* sides that are multiples of this number have no partial tiles */
    uint32_t matrices;         /* number of matrices in a batch; 1 without a batch */
    bool is_map;               /* the reference is a map of the matrix */
    bool has_floats;           /* true if the elements are floats, false if they are integers */
    void *context;             /* passed to the callbacks */
    /* Returns true if the launch of a trial gives the correct result. A changed source must also be
     * correct at the other small sizes and at up to four larger sizes. Otherwise, `named` (may be
     * NULL) receives the mistake if it is known. */
    bool (*is_correct)(void *context, const struct trial *trial, struct report *named);
    /* Returns the index of the first copy that is correct at the sizes of is_correct; `count` if
     * there is none; -1 if the source does not compile. */
    int (*find_copy)(void *context, const struct copies *copies);
    /* Verify the failed launch again, so that the failure reports `mistake`. */
    void (*blame)(void *context, const struct report *mistake, struct failure *failure);
};

/* Add the launch configuration to a student failure. Unless `is_brief`, also add the mistake that
 * the program, further launches, and changed sources reveal, for at most 65,536 elements. */
void suspect_look_again(const struct suspect *suspect, bool is_brief, struct failure *failure);

#endif
