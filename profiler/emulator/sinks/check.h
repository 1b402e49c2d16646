/* check.h: finds races and uses of uninitialized values from memory accesses (shadow.h).
 *
 * Two threads of a block are ordered by
 * - a barrier that both reached (with bar.arrive, the thread that arrived comes before the threads
 *   that waited);
 * - a bar.warp.sync that both executed, for lanes of one warp;
 * - a flag with fences on both sides (order.h).
 *
 * Shuffles and votes order nothing (CUDA Programming Guide, "Warp Shuffle Functions": no memory
 * barrier is implied). There is one exception: if all lanes pass loaded values to a shuffle, a
 * store after the shuffle follows all these loads (read_is_shuffled).
 *
 * Reading uninitialized memory is a bug if the value is used (undefined.h). The bug is reported
 * when the block reaches its next barrier, or ends. If the block writes to the address before the
 * report, a race is reported instead.
 *
 * If global memory is checked, the accesses of blocks are checked against each other. One worker
 * then runs the blocks, one after the other, or in turns if blocks communicate (run->is_ordered).
 * Only flags order the blocks of a launch (messages.h). */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "emulator/decode/address_origins.h"
#include "emulator/races/messages.h"
#include "emulator/sinks/sinks.h"

enum {
    /* Limits of launches in which global memory is checked completely. */
    CHECK_GLOBAL_BYTES = 1 << 20,
    CHECK_GLOBAL_BLOCKS = 1 << 16,
    CHECK_PARTS_WORK = 1 << 24 /* Limit of checked lane accesses in larger launches. */
};

enum check_trait {
    CHECK_CONSTANT = 1, /* A load of data that no thread may write in the launch (ld.global.nc). */
    CHECK_COMPARED = 2, /* A load of the value with which a compare-and-swap compares memory. */
    CHECK_UPDATES = 4,  /* A store to an address from which the same thread has loaded. */
};

struct check_region {
    struct shadow shadow;
    bool is_written;
    bool starts_undefined;
    bool has_flag;
    uint64_t flag;
};

struct check_plan {
    bool shared;
    bool global; /* Global memory is checked, by one worker. */
    bool fences;
    struct address_origin *origins; /* For each instruction: the origin of the accessed address. */
    uint8_t *forms;                 /* For each instruction: form (struct shadow_access). */
    uint8_t *traits;                /* A set of enum check_trait for each instruction. */
    uint8_t *read_uses;             /* For each instruction: enum read_use, or 0 if not found. */
    uint64_t read_work;             /* Number of instructions visited to find read_uses. */
    uint64_t trait_work;            /* Number of instructions visited to find traits. */
    unsigned shift;                 /* log2 of the bytes of a granule (shadow.h). */
    struct check_region *regions;
    unsigned region_count;
    uint64_t part; /* Number of bytes at the beginning of each region that are checked. */
    uint64_t work; /* Number of lane accesses to global memory that may still be checked. */
    /* If `global` is true: the clock of all blocks (order.h), and their turns by stamp. */
    uint32_t now;
    struct check_turn {
        uint32_t stamp;
        uint32_t block;
    } * turns;
    size_t turn_count;
    struct messages messages;
    /* True if blocks communicate, or if a region receives stores of different values. A region that
     * receives stores of only one value is a flag. A thread that only tests a flag, as in
     * breadth-first search, computes the same result if it tests too early. So flag_race is
     * reported only if stores_vary becomes true. */
    bool stores_vary;
    struct failure flag_race;
    /* The first race of two stores of different values to one element of global memory. The run
     * continues, because the incorrect result often shows a wrong index. */
    struct failure later_race;
};

/* Decide what to check. Returns false if memory is exhausted. Always call check_plan_free. */
bool check_plan_create(struct check_plan *plan, const struct simt_run *run);
void check_plan_free(struct check_plan *plan);
/* Set *touch to the accesses of the launch to region number `region`. The bytes that were read are
 * recorded only if `reads` is true. plan->global must be true. */
void check_plan_touched(const struct check_plan *plan, const struct guest_memory *memory,
                        unsigned region, bool reads, struct region_touch *touch);

#endif
