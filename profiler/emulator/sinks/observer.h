/* observer.h: to look at the memory accesses of one block, or of all, while a kernel runs.
 *
 * A launch may carry one observer. It is called for every access of a warp of its block to global
 * or shared memory, in the order of execution and after the data has moved, always from one thread.
 * Other blocks run as if it were not there. One that looks at every block is called from the thread
 * that runs the block, so the launch must have one worker.
 */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "emulator/alu/instruction.h"

enum { OBSERVED_CALLERS = 8, OBSERVED_WORDS = 4 };

/* An instruction of the module: function and PTX instruction number. */
struct observed_place {
    int function;
    uint32_t instruction;
};

/* One access of one warp. Lanes outside `mask` took no part. */
struct observed_access {
    struct observed_place place;
    struct observed_place callers[OBSERVED_CALLERS]; /* of calls that were not inlined, innermost
                                                        first; the outermost are left out when there
                                                        are more */
    unsigned caller_count;
    uint64_t block; /* its number, x fastest */
    unsigned warp;  /* in its block */
    bool is_shared, is_store;
    unsigned bytes; /* of one lane */
    uint32_t mask;
    uint64_t address[LANES]; /* guest address; of shared memory: offset in the block's */
    /* What memory holds there afterwards, in words of 4 bytes. A cp.async is seen when it starts,
     * so its words in shared memory are those before. */
    uint32_t words[LANES][OBSERVED_WORDS];
};

struct observer {
    uint32_t block[3]; /* blockIdx, */
    bool every_block;  /* or all */
    void (*access)(void *context, const struct observed_access *access);
    void *context;
};

#endif
