/* observer.h: observes the memory accesses of one block, or of all blocks, while a kernel runs. The
 * observer is called in the order of execution, after the data has moved, for accesses to global
 * and shared memory (except textures, surfaces and atomic operations on shared memory). The calls
 * come from the thread that runs the block. To observe every block, use one worker. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "base/ranges.h"
#include "emulator/alu/instruction.h"

enum { OBSERVED_CALLERS = 8, OBSERVED_WORDS = 4 };

struct observed_place {
    int function;
    uint32_t instruction;
};

struct observed_access {
    struct observed_place place;
    /* Calls that were not inlined, innermost first. The outermost calls may be missing. */
    struct observed_place callers[OBSERVED_CALLERS];
    unsigned caller_count;
    uint64_t block; /* Number of the block, with x as the fastest dimension. */
    unsigned warp;
    bool is_shared, is_store;
    unsigned bytes;
    uint32_t mask;
    uint64_t address[LANES]; /* Guest address, or offset in the block's shared memory. */
    /* The contents of memory after the access, in words of 4 bytes. A cp.async is observed when it
     * starts, so `words` has the shared memory before the copy. */
    uint32_t words[LANES][OBSERVED_WORDS];
};

struct observer {
    uint32_t block[3]; /* blockIdx of the observed block. Used if every_block is false. */
    bool every_block;
    void (*access)(void *context, const struct observed_access *access);
    void *context;
};

/* How a thread gets a data word. ITSELF: the thread has stored the word, or loaded it from global
 * memory. ANOTHER: another thread has stored the word. REGROUPED: like ANOTHER, and the load
 * collects words of many stores or distant threads. SHUFFLE: another lane has passed the word. */
enum taint_way { TAINT_ITSELF, TAINT_ANOTHER, TAINT_REGROUPED, TAINT_SHUFFLE, TAINT_WAYS };

struct taint_totals {
    uint64_t blocks, threads; /* Number of blocks and of threads that loaded from global memory. */
    uint64_t lonely_blocks;   /* Blocks in which few threads loaded words, or one loaded many. */
    uint64_t uneven_blocks;   /* Blocks in which threads loaded more than a tree reduction needs. */
    /* Blocks that are neither lonely nor uneven. They stored at least half as many shared words as
     * they loaded from global memory, and rarely replaced words of another warp. */
    uint64_t private_blocks;
    uint64_t atomics;
};

/* struct shared_taint: to follow the data flow, data words are altered when a thread gets them
 * (taint.c). `is_data` classifies a word when a thread stores it or passes it to other lanes. If
 * `only_loaded` is true, data are instead the words other than 0 that the thread itself has loaded
 * from global memory. `loads` is the set of words that each thread has loaded. A launch with
 * `learns` alters nothing. It only fills this set for the next launch. `alter` returns the altered
 * word. `weight` is 1, or more if atomic operations or a warp reduction have added several words.
 *
 * An altered word and its unaltered complement do not cancel each other, so the alteration may show
 * a data flow that does not exist. Therefore, a launch with `log` stores all received words, and a
 * launch with `replays` and a different input receives the words of the log. */
enum { TAINT_LOAD_BITS = 26, TAINT_LOAD_BYTES = 1 << (TAINT_LOAD_BITS - 3) };
/* The received words that a replay replaces. REPLAY_SHARED: words that other threads stored in
 * shared memory. REPLAY_SHUFFLES: words of other lanes. REPLAY_FOREIGN: both of these kinds. */
enum taint_replay { REPLAY_NONE, REPLAY_ALL, REPLAY_SHARED, REPLAY_SHUFFLES, REPLAY_FOREIGN };
struct taint_log {
    uint32_t *words;
    size_t count, capacity, next; /* `next` is the number of words that a replay has received. */
    size_t plain;                 /* Number of words that came from other lanes or are not data. */
};
struct shared_taint {
    bool (*is_data)(const void *context, uint32_t word);
    bool only_loaded, learns;
    uint8_t *loads; /* TAINT_LOAD_BYTES bytes that the caller owns. */
    uint32_t (*alter)(const void *context, uint32_t word, enum taint_way way, unsigned weight);
    bool changes_input; /* Before the launch, all words of the input are altered (TAINT_WAYS). */
    const void *context;
    struct taint_totals *totals;
    struct taint_log *log;
    enum taint_replay replays;
};

struct region_touch {
    bool may_be_written;
    bool is_known;               /* False if the sets below are unknown and therefore empty. */
    struct ranges read, written; /* Bytes, counted from the region's beginning. */
    struct ranges strongly_read, strongly_written;
};
void region_touch_free(struct region_touch *touch);

#endif
