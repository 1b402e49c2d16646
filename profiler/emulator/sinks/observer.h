/* observer.h: observes the memory accesses of one block, or of all blocks, while a kernel runs.
 *
 * A launch may have one observer. The observer is called for every access of its block's warps to
 * global or shared memory. The calls come in the order of execution, after the data has moved, and
 * from one thread. Other blocks are not affected. An observer of every block is called from the
 * thread that runs the block, so the launch must have one worker.
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

/* One access of one warp by the lanes of `mask`. */
struct observed_access {
    struct observed_place place;
    /* Calls that were not inlined, innermost first; the outermost calls may be missing. */
    struct observed_place callers[OBSERVED_CALLERS];
    unsigned caller_count;
    uint64_t block; /* Number of the block, x fastest. */
    unsigned warp;  /* Number of the warp in its block. */
    bool is_shared, is_store;
    unsigned bytes; /* Bytes of one lane. */
    uint32_t mask;
    uint64_t address[LANES]; /* Guest address, or offset in the block's shared memory. */
    /* The contents of memory after the access, in words of 4 bytes. A cp.async is observed when it
     * starts, so `words` has the shared memory before the copy. */
    uint32_t words[LANES][OBSERVED_WORDS];
};

struct observer {
    uint32_t block[3]; /* blockIdx of the observed block. */
    bool every_block;  /* Observe all blocks. */
    void (*access)(void *context, const struct observed_access *access);
    void *context;
};

/* How a thread receives data. ITSELF: from shared words that it stored. ANOTHER: from words that
 * another thread stored, in the same groups as the load; REGROUPED: in other groups. */
enum taint_way { TAINT_ITSELF, TAINT_ANOTHER, TAINT_REGROUPED, TAINT_SHUFFLE, TAINT_WAYS };

/* The counts of a launch with taint. */
struct taint_totals {
    uint64_t blocks, threads; /* Blocks and threads that loaded from global memory. */
    uint64_t lonely_blocks;   /* One thread loaded many of the words, or few threads loaded any. */
    uint64_t uneven_blocks;   /* One thread loaded more shared words than a tree reduction needs. */
    uint64_t private_blocks;  /* Blocks that are not lonely and not uneven. The number of stored
                                 shared words was at least half the number of loaded words, and
                                 warps rarely replaced words of another warp. */
    uint64_t atomics;         /* Atomic operations on global memory, counted per lane. */
};

/* To follow the data flow, words that are data are altered when a thread receives them. is_data is
 * called when a word is stored. With `only_loaded`, data are instead the words other than 0 that
 * the thread itself has loaded from global memory. `loads` is a set of the words that each thread
 * has loaded. A launch that `learns` only adds words to this set, for the next launch. `alter`
 * returns the altered word, which must not show how other words are altered. `weight` is the number
 * of words that an atomic operation or a warp reduction has added. See taint.c. */
enum { TAINT_LOAD_BITS = 26, TAINT_LOAD_BYTES = 1 << (TAINT_LOAD_BITS - 3) };
struct shared_taint {
    bool (*is_data)(const void *context, uint32_t word);
    bool only_loaded, learns;
    uint8_t *loads; /* TAINT_LOAD_BYTES */
    uint32_t (*alter)(const void *context, uint32_t word, enum taint_way way, unsigned weight);
    const void *context;
    struct taint_totals *totals;
};

/* How a launch has accessed a region of memory. */
struct region_touch {
    bool may_be_written;
    bool is_known;               /* The sets below are complete; else they are empty. */
    struct ranges read, written; /* Bytes, counted from the region's beginning. */
    struct ranges strongly_read, strongly_written; /* Bytes with strong accesses only. */
};
void region_touch_free(struct region_touch *touch);

#endif
