/* simt_check.h: the bugs that a warp's memory accesses show: races, and reads of what was never
 * written. See shadow.h for the theory.
 *
 * What orders two threads of a block is a barrier that both took part in (barrier.sync, bar.red; of
 * bar.arrive: the one that arrived before those that waited), between lanes of one warp also
 * bar.warp.sync of both, and a flag with fences on both sides (order.h). Shuffles and votes order
 * nothing (CUDA Programming Guide, "Warp Shuffle Functions": no memory barrier is implied), nor do
 * fences alone, clocks, or anything that takes time. But what all lanes give to a shuffle they have
 * read before, so that a store behind it comes too late for those reads (read_is_shuffled).
 *
 * Reading what was never written is a bug once the value is used (simt_undefined.h). It is reported
 * when the block comes to its next barrier, or ends: where a barrier is missing, the reader may be
 * just too early, and the write that comes after it tells that this is a race.
 *
 * Blocks of a launch are ordered by flags only (messages.h). Their accesses to global memory are
 * checked against each other in small launches (check_plan_create), by one worker, block by block,
 * or in turns where blocks communicate (launch->is_ordered).
 */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "emulator/decode/address_origins.h"
#include "emulator/races/messages.h"
#include "emulator/races/shadow.h"
#include "emulator/simt/simt_state.h"

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
    bool shared;     /* the kernel has shared memory */
    bool global;     /* one worker must run all blocks, in order or in turns */
    bool fences;     /* the kernel has fences */
    uint8_t *widths; /* in bytes, of the elements that each instruction of the program accesses */
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

/* Decide what to check. False: no memory. checker_plan_free must follow in any case. */
bool check_plan_create(struct check_plan *plan, const struct simt_launch *launch);
void check_plan_free(struct check_plan *plan);
/* What was done to region number `region`, in a launch that ended with its checks of global memory
 * on; `reads`: also what was read. */
void check_plan_touched(const struct check_plan *plan, const struct guest_memory *memory,
                        unsigned region, bool reads, struct region_touch *touch);

/* The state of one block object. NULL without memory. */
struct checker *checker_create(const struct simt_launch *launch, uint64_t shared_bytes);
void checker_free(struct checker *checker);

/* Begin a block; a checker may be NULL here and below. */
void checker_begin(struct checker *checker, uint64_t block_number);
/* The block gets a turn, and gives it back. */
void checker_resume(struct checker *checker);
void checker_pause(struct checker *checker);
/* All threads of the block have passed a barrier. */
void checker_barrier(struct checker *checker);
/* Lanes of a warp come to barrier `id`, which names a number of threads; the warp passes it; all
 * that waited there have. */
void checker_arrive(struct checker *checker, unsigned id, const struct warp *warp, uint32_t mask);
void checker_pass(struct checker *checker, unsigned id, const struct warp *warp);
void checker_reopen(struct checker *checker, unsigned id);
/* Lanes of the warp have met in bar.warp.sync. */
void checker_warp_sync(struct checker *checker, const struct warp *warp, uint32_t mask);
/* A lane arrives at an mbarrier in its phase, as the `first`; or finds that a phase is complete. */
void checker_mbarrier_arrive(const struct step *step, unsigned lane, uint64_t address,
                             uint64_t phase, bool first);
void checker_mbarrier_wait(const struct step *step, unsigned lane, uint64_t address,
                           uint64_t phase);
/* An instruction without effect is executed, which may be a fence. */
void checker_fence(const struct step *step);

/* A lane has been given a block of malloc(), or gives it back: no other thread may be at it then.
 * False after a fault. */
void checker_allocated(const struct step *step, const struct memory_region *heap, uint64_t offset,
                       uint64_t bytes);
bool checker_freed(const struct step *step, unsigned lane, const struct memory_region *heap,
                   uint64_t offset, uint64_t bytes);

/* An instruction is about to be executed, for the step's lanes (maybe none), while the warp has
 * undefined registers. */
void checker_follow(const struct step *step);

/* Lanes of `mask` are about to take each the value of lane from[lane] by a shuffle, which passes on
 * what is undefined; that of a lane which takes no part always is. */
void checker_shuffle(const struct simt_block *block, struct warp *warp, const struct frame *frame,
                     const struct instruction *instruction, uint32_t mask,
                     const uint8_t from[LANES]);

/* An undefined value was used, and its fault is due: no other thread has turned out to write the
 * element in question, which would make it a race. `ends`: the block does. True: the fault stands
 * in block->failure. */
bool checker_fault_is_due(struct simt_block *block, bool ends);

/* One access, before it is carried out. `bytes` of each lane; `address` has the address in the
 * space (shared: offset) of every lane. `delivered`: what the only lane stores, where that is
 * not in registers. */
struct checked_access {
    enum ptx_space space; /* shared or global */
    enum shadow_kind kind;
    uint32_t mask;
    unsigned bytes;
    enum half_pattern halves[2];
    const unsigned char *delivered;
    const uint64_t *address;
    uint64_t low, high; /* the lowest and the highest of these */
};

/* False after a fault. */
bool checker_access(const struct step *step, const struct checked_access *access);

#endif
