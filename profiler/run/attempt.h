/* attempt.h: one launch of a source on an emulated GPU: its memory, its verdict, and what a second
 * look at a failed one tells (diagnose/suspect.h).
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "course/verdict.h"
#include "emulator/emulator.h"
#include "run/source.h"

/* One matrix on the host. */
struct buffer {
    uint32_t *words;
    size_t bytes;
};

/* How a launch differs from what its source asks for; all zero: not at all. */
struct variation {
    bool is_reshaped; /* grid and block instead of those of LAB_LAUNCH */
    struct dimensions grid, block;
    bool is_silent;        /* what the kernel prints is dropped, and no mistake is looked for */
    bool is_lenient;       /* accesses out of bounds are left out, and nothing is checked */
    uint64_t block_budget; /* 0: the emulator's */
};

/* One launch: its memory, program and results. */
struct attempt {
    const struct source *source;
    struct source_asker *asker;
    struct source_size size;
    struct variation variation;
    const struct shared_taint *taint;           /* NULL: an ordinary launch */
    struct buffer buffers[FORM_PARAMETERS_MAX]; /* by parameter; scalars have none */
    struct guest_memory memory;
    struct program program;
    struct emulator_launch launch;
    struct emulator_result result;
};

/* Set up memory and program, ask for the launch shape, launch. `attempt` has source, asker, size
 * and what it varies; attempt_free in any case. */
bool attempt_launch(struct attempt *attempt, bool model, struct failure *failure);
/* Compare what it left with the reference. `mistake`: what is wrong, where that is known; or
 * NULL. */
bool attempt_verify(const struct attempt *attempt, const struct report *mistake,
                    struct failure *failure);
/* How many elements of the outputs differ from the reference, of an exercise that computes. 0
 * where there is no memory to compare, too. */
uint64_t attempt_count_wrong(const struct attempt *attempt);
/* Elements that its stores to global memory wrote, as often as they did. */
uint64_t attempt_stored(const struct attempt *attempt);
void attempt_free(struct attempt *attempt);

/* Add to a student's failure of an attempt how it was launched, and what other launches of the same
 * source say about the mistake. Matrices of at most a few ten thousand elements are looked at. */
void attempt_look_again(struct attempt *attempt, struct failure *failure);

#endif
