/* observer.h: to look at the memory accesses of one block, or of all, while a kernel runs.
 *
 * A launch may carry one observer. It is called for every access of a warp of its block to global
 * or shared memory, in the order of execution and after the data has moved, always from one thread.
 * Other blocks run as if it were not there. One that looks at every block is called from the thread
 * that runs the block, so the launch must have one worker.
 */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "base/ranges.h"
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

/* To see which way data go: words that are data (asked when they are stored) come out of shared
 * memory with some bits changed. taint.c. */
struct shared_taint {
    bool (*is_data)(const void *context, uint32_t word);
    const void *context;
    uint32_t by_shuffle; /* bits that change in data that a lane gets from others */
    uint32_t by_itself,
        by_another; /* bits that change where the thread that loads had stored it, or not */
};

/* What a launch did to a region of memory. */
struct region_touch {
    bool may_be_written;
    bool is_known;                                 /* the sets below say all; else they are empty */
    struct ranges read, written;                   /* bytes, counted from its beginning, */
    struct ranges strongly_read, strongly_written; /* and those only by atomic operations and the
                                                      like, which may meet each other */
};
void region_touch_free(struct region_touch *touch);

#endif
