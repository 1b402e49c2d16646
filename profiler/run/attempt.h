/* attempt.h: one launch of a source on an emulated GPU, and the diagnosis of a failure. */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "course/arrays.h"
#include "diagnose/suspect.h"
#include "run/source.h"

struct buffer {
    uint32_t *words;
    size_t bytes, mapped; /* Sizes of the array and of its mapping. */
    /* The first `filled` elements equal those of matrix_fill for `seed`, even after a launch. */
    uint64_t seed, filled;
    /* Before a launch, the first `unwritten` elements of an output equal MATRIX_POISON. */
    uint64_t unwritten;
};

/* All-zero fields do not change the launch that LAB_LAUNCH requests. */
struct variation {
    struct trial trial;
    /* Discard the printf output of the kernel, and do not diagnose failures. */
    bool is_silent;
    uint64_t sample;       /* Seed that selects the blocks to run; 0 to run all blocks. */
    uint64_t block_budget; /* Limit of warp instructions per block; 0 for the emulator's limit. */
    double most_repeats;   /* With trial: limit of the mean number of stores per output element. */
    /* With trial: limits of the accesses; sectors are 0 for no limit. A trial with more wavefronts
     * is only used if no other trial is correct. */
    struct access_cost {
        double sectors, wavefronts; /* Per request of global and of shared memory. */
    } most;
};

struct attempt {
    const struct source *source;
    struct source_asker *asker;
    struct source_size size;
    struct variation variation;
    /* How to alter data in the launch; NULL if no data are altered. */
    const struct shared_taint *taint;
    struct buffer buffers[FORM_PARAMETERS_MAX]; /* A scalar has an empty buffer. */
    struct guest_memory memory;
    struct program program;
    struct emulator_launch launch;
    struct emulator_result result;
    bool is_restored; /* True if all elements of the output equal MATRIX_POISON again. */
    char *printed;    /* printf output that was not shown; NULL if there is none */
    size_t printed_bytes;
};

/* Fill an input array once, before fork(). Later launches with this seed use the array, in this
 * thread and in new processes. Each process changes only its private copy. */
void attempt_prepare(uint64_t seed, uint64_t elements);

/* Set up memory and program, evaluate LAB_LAUNCH, and launch the kernel on the emulator. `model`
 * requests counters even if the options select LAUNCH_COMPUTE. The caller sets source, asker, size
 * and variation. Returns false for a failure. Always call attempt_free. */
bool attempt_launch(struct attempt *attempt, bool model, struct failure *failure);
/* Print attempt->printed. attempt_launch prints only the first output of a source. */
void attempt_show_output(struct attempt *attempt);
/* Compare the result with the reference. The failure reports `mistake`; if `mistake` is NULL, the
 * function searches for the mistake. Returns false for a failure. */
bool attempt_verify(const struct attempt *attempt, const struct report *mistake,
                    struct failure *failure);
/* Returns true if all elements that a sample of blocks stored are correct and their number is the
 * sample's share of the output. With SAMPLES_NEARLY, an eighth of the elements may be missing,
 * because partial tiles have fewer elements. The exercise must be a map. Erases the output. */
bool attempt_verify_sample(struct attempt *attempt);
/* Returns the number of elements stored to global memory. Repeated stores count repeatedly. */
uint64_t attempt_stored(const struct attempt *attempt);
void attempt_free(struct attempt *attempt);
struct arrays attempt_arrays(const struct attempt *attempt);
struct problem attempt_problem(const struct attempt *attempt);

/* Add the launch configuration and the diagnosis to a student failure. */
void attempt_diagnose(struct attempt *attempt, struct failure *failure);

#endif
