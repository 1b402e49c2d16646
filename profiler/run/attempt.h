/* attempt.h: one launch of a source on an emulated GPU: its memory, its verdict, and the diagnosis
 * of a failure (diagnose/suspect.h).
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "diagnose/suspect.h"
#include "run/source.h"

/* One matrix on the host. */
struct buffer {
    uint32_t *words;
    size_t bytes, mapped; /* Bytes of the array, and of its mapping (not less). */
};

/* The changes to the launch that LAB_LAUNCH requests. All zero: no change. */
struct variation {
    struct trial trial;
    bool is_silent;        /* Discard the kernel's printf output, and do not diagnose. */
    uint64_t sample;       /* Run the blocks of this sample only; 0: all. */
    uint64_t block_budget; /* Warp instructions per block; 0: the emulator's limit. */
};

/* One launch: its memory, program and results. */
struct attempt {
    const struct source *source;
    struct source_asker *asker;
    struct source_size size;
    struct variation variation;
    const struct shared_taint *taint;           /* NULL: no data is tainted. */
    struct buffer buffers[FORM_PARAMETERS_MAX]; /* By parameter; none for a scalar. */
    struct guest_memory memory;
    struct program program;
    struct emulator_launch launch;
    struct emulator_result result;
    char *printed; /* output of printf that was not shown, or NULL */
    size_t printed_bytes;
};

/* Set up memory and program, evaluate LAB_LAUNCH, and launch the kernel. The caller sets source,
 * asker, size and variation, and calls attempt_free in any case. */
bool attempt_launch(struct attempt *attempt, bool model, struct failure *failure);
/* Show the output of printf if it was not shown. attempt_launch shows only the first output. */
void attempt_show_output(struct attempt *attempt);
/* Compare the result with the reference. `mistake` is the known mistake, or NULL. */
bool attempt_verify(const struct attempt *attempt, const struct report *mistake,
                    struct failure *failure);
/* Call this function after a sample of blocks, for a map of the matrix. Returns true if each block
 * stored the same number of elements, all correct, and enough for the grid to fill the output. With
 * SAMPLES_NEARLY, an eighth of the elements may be missing, because partial tiles have fewer. */
bool attempt_verify_sample(const struct attempt *attempt);
/* Returns the number of output elements that differ from the reference, for an exercise with a
 * reference function. Also returns 0 if there is not enough memory. */
uint64_t attempt_count_wrong(const struct attempt *attempt);
/* Returns the difference of the only result from the correct result, modulo 2^32. */
uint32_t attempt_excess(const struct attempt *attempt);
/* Returns the number of elements that were stored to global memory, with repetitions. */
uint64_t attempt_stored(const struct attempt *attempt);
void attempt_free(struct attempt *attempt);
/* Returns the map of the matrix and its size. */
struct problem attempt_problem(const struct attempt *attempt);

/* Add the launch configuration and the diagnosis to a student failure (suspect_look_again). */
void attempt_diagnose(struct attempt *attempt, struct failure *failure);

#endif
