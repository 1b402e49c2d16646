/* check.h: the bugs that a warp's memory accesses show: races, and reads of what was never
 * written. See shadow.h for the theory.
 *
 * What orders two threads of a block is a barrier that both took part in (barrier.sync, bar.red; of
 * bar.arrive: the one that arrived before those that waited), between lanes of one warp also
 * bar.warp.sync of both, and a flag with fences on both sides (order.h). Shuffles and votes order
 * nothing (CUDA Programming Guide, "Warp Shuffle Functions": no memory barrier is implied), nor do
 * fences alone, clocks, or anything that takes time. But what all lanes give to a shuffle they have
 * read before, so that a store behind it comes too late for those reads (read_is_shuffled).
 *
 * Reading what was never written is a bug once the value is used (undefined.h). It is reported
 * when the block comes to its next barrier, or ends: where a barrier is missing, the reader may be
 * just too early, and the write that comes after it tells that this is a race.
 *
 * Blocks of a launch are ordered by flags only (messages.h). Their accesses to global memory are
 * checked against each other in small launches (check_plan_create), by one worker, block by block,
 * or in turns where blocks communicate (run->is_ordered).
 */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "emulator/decode/address_origins.h"
#include "emulator/races/messages.h"
#include "emulator/sinks/sinks.h"

enum {
    CHECK_GLOBAL_BYTES = 1 << 20,  /* of global memory, and */
    CHECK_GLOBAL_BLOCKS = 1 << 16, /* blocks: launches up to these have global memory checked */
    CHECK_PARTS_WORK = 1 << 24     /* accesses of lanes: of larger launches the first so many are */
};

/* What the text of a load or store says of it. */
enum check_trait {
    CHECK_CONSTANT = 1, /* nobody writes there during the launch (ld.global.nc) */
    CHECK_COMPARED = 2, /* a compare-and-swap finds out whether the value is still there */
    CHECK_UPDATES = 4,  /* a store to where its thread has loaded from before */
};

/* What is checked in a launch; shared by its blocks. */
struct check_plan {
    bool shared;    /* the kernel has shared memory */
    bool global;    /* one worker must run all blocks, in order or in turns */
    bool fences;    /* the kernel has fences */
    uint8_t *forms; /* of each instruction of the program: see struct shadow_access */
    struct address_origin *origins; /* of each instruction's address, */
    uint8_t *traits;                /* and enum check_trait */
    uint8_t *read_uses;  /* enum read_use of each instruction of the program, as they are found */
    uint64_t read_work;  /* instructions looked at for that, */
    uint64_t trait_work; /* and for the traits */
    unsigned shift;      /* of granules */
    struct shadow *regions; /* of memory->regions, when global: of their first `part` bytes, */
    bool *written;          /* and whether a checked access wrote there, */
    bool *starts_undefined; /* and whether it held nothing before */
    unsigned region_count;
    uint64_t part;
    uint64_t work; /* accesses of lanes that may still be checked */
    /* When global: blocks share a clock, and the turns of blocks are known. */
    uint32_t now;
    struct check_turn {
        uint32_t stamp; /* of its beginning */
        uint32_t block;
    } * turns;
    size_t turn_count;
    struct messages messages;
    /* Launches that do nothing but set marks: all plain stores to a region put one value there, and
     * there are no others. Who only asks whether a mark is there yet, as a search in breadth does,
     * comes to the same end when it is too early. So such a race counts once a store varies. */
    struct check_marks {
        uint64_t value;
        bool is_set;
    } * marks; /* of memory->regions */
    bool stores_vary;
    struct failure mark_race;
    struct failure later_race; /* two threads stored different values to one element of global
                                  memory: often the sign of a wrong index, which can be told better
                                  from the result, so the run goes on */
};

/* Decide what to check. False: no memory. check_plan_free must follow in any case. */
bool check_plan_create(struct check_plan *plan, const struct simt_run *run);
void check_plan_free(struct check_plan *plan);
/* What was done to region number `region`, in a launch that ended with its checks of global memory
 * on; `reads`: also what was read. */
void check_plan_touched(const struct check_plan *plan, const struct guest_memory *memory,
                        unsigned region, bool reads, struct region_touch *touch);

#endif
