/* shadow.h: who touched each piece of memory last; finds races and reads of what nobody wrote.
 *
 * Theory of operation. Memory is divided into *granules*, as small as the smallest access of the
 * program, so that an access covers whole granules. For each granule a shadow keeps *marks*: of its
 * last writer, of its last reader, and of one more reader. A mark packs a time stamp, the
 * instruction and the thread into 64 bits, the stamp on top, so that marks compare like stamps.
 *
 * Stamps count synchronisations, not accesses, so nothing is ever cleared: what has an older stamp
 * than the block's beginning is another block's, and what is older than its last barrier came
 * before (order.h has the rest). Unordered accesses of which one writes are a race, unless both
 * store the same value, or both are *strong* (atomic, volatile or with a memory order).
 *
 * Between threads of different warps or blocks strong accesses race, too, where it depends on time
 * alone which value arrives:
 *   - a strong access reads what an unordered one wrote, and nothing that comes before both was
 *     written there: had it been earlier, it would have read what nobody wrote;
 *   - a load whose value is *passed on* (stored, or used as an address), rather than tested until
 *     it changes, reads what an unordered access wrote, or is followed by an unordered write. A
 *     load that names a memory order (cuda::atomic_ref) may: its author expects any of the values.
 * Strong accesses are not strong to each other ("morally strong") if their widths differ, or if
 * they are of different blocks and one has the scope of its block only.
 *
 * A load of data that are constant conflicts with each write of the launch that came before it,
 * whoever's, however ordered: it may find what a cache kept.
 *
 * An atomic operation that leaves the value as it was (it adds 0) is a load.
 *
 * A whole warp whose granules show nothing suspicious (no mark as new as the last barrier) is dealt
 * with in three short loops over its lanes; halves of it that touch rows of granules, or one each,
 * in loops over marks side by side; atomic operations of one instruction since the last barrier in
 * one loop, too. Everything else goes lane by lane, and leaves the same marks.
 *
 * Two readers are enough: the second is kept from another warp than the first where there is one,
 * and whoever writes is another thread than at least one of two. The instruction that is named is
 * the last one of each, so of many racing pairs one is found, always the same.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include "emulator/cost/coalesce.h"
#include "emulator/races/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHADOW_THREAD_BITS = 10,      /* of a block: 1024 at most */
    SHADOW_INSTRUCTION_BITS = 20, /* of a program: PTX_MAX_INSTRUCTIONS */
    SHADOW_STAMP_SHIFT = 33,
    SHADOW_STAMP_LIMIT = 1 << 29, /* marks stay positive as signed numbers */
};
#define SHADOW_STRONG (1ull << (SHADOW_THREAD_BITS + SHADOW_INSTRUCTION_BITS))
#define SHADOW_PASSED (SHADOW_STRONG << 1) /* a strong load whose value is passed on */
#define SHADOW_ADDED (SHADOW_STRONG << 2)  /* an atomic operation that also read */
enum { SHADOW_BLOCK_SCOPE = 128 };         /* of a form: strong to the own block only */

/* The parts of a mark. */
static inline uint64_t shadow_mark(uint32_t stamp, uint32_t instruction, uint32_t thread)
{
    return (uint64_t)stamp << SHADOW_STAMP_SHIFT | (uint64_t)instruction << SHADOW_THREAD_BITS |
           thread;
}
static inline uint32_t shadow_thread(uint64_t mark)
{
    return (uint32_t)mark & ((1u << SHADOW_THREAD_BITS) - 1);
}
static inline uint32_t shadow_instruction(uint64_t mark)
{
    return (uint32_t)mark >> SHADOW_THREAD_BITS & ((1u << SHADOW_INSTRUCTION_BITS) - 1);
}
static inline uint32_t shadow_stamp(uint64_t mark)
{
    return (uint32_t)(mark >> SHADOW_STAMP_SHIFT);
}

/* Marks of `count` granules of 1 << shift bytes; 0: never. */
struct shadow {
    uint64_t *write, *read, *other_read;
    uint64_t
        *first; /* what was written before strong writes that nothing orders, and always the last
                        write that was not strong */
    uint64_t count;
    unsigned shift;
};

/* The shadow of `bytes` bytes in granules of 1 << shift. False: no memory. */
bool shadow_create(struct shadow *shadow, uint64_t bytes, unsigned shift);
void shadow_free(struct shadow *shadow);
/* Forget everything, so that stamps can start again; or what was at some bytes. */
void shadow_clear(struct shadow *shadow);
void shadow_forget(const struct shadow *shadow, uint64_t offset, uint64_t bytes);

enum shadow_kind { SHADOW_LOAD, SHADOW_STORE, SHADOW_ATOMIC };

/* Whose a mark is: the block's, another's, or another's that it comes behind. */
enum shadow_origin { SHADOW_OWN, SHADOW_FOREIGN, SHADOW_FOREIGN_KNOWN };

/* One access of a warp. */
struct shadow_access {
    enum shadow_kind kind;
    bool is_strong;   /* atomic, or as good as that; the mark then has SHADOW_STRONG */
    bool is_passed;   /* its value is passed on; the mark then has SHADOW_PASSED */
    bool is_constant; /* a load of what nobody writes, neither before it nor after */
    enum half_pattern halves[2];
    uint32_t mask;           /* not 0 */
    unsigned bytes;          /* of each lane: a multiple of the granule */
    const uint64_t *address; /* LANES offsets into the shadowed memory, multiples of the granule,
                                also those of lanes outside the mask */
    uint64_t mark;           /* of lane 0, stamp now; lane l is thread + l */
    uint64_t block, epoch;   /* marks from which on: see above */
    const struct order *order;
    bool across_blocks; /* the memory is everyone's: older marks are other blocks' */
    /* Where blocks take turns, marks since this block began may be others', and it may know of
     * others': whose a mark is, of a read or a write, for `lane`. NULL: neither. */
    enum shadow_origin (*origin)(void *context, unsigned lane, uint64_t mark, bool is_read);
    bool only_undefined; /* look for no races */
    /* Of each instruction, bytes of an element and SHADOW_BLOCK_SCOPE, which tell whether strong
     * accesses are strong to each other; or NULL. */
    const uint8_t *forms;
    uint8_t form;     /* of this one's */
    uint64_t defined; /* granules whose writer's mark is lower hold nothing yet */
    /* Whether `lane` stores the same value into the granule at `address` as is there already, or,
     * with other_lane >= 0, as that lane of the same access does. */
    bool (*stores_same)(void *context, unsigned lane, uint64_t address, int other_lane);
    /* Whether a store cannot come before another lane's read, which left the mark. NULL: it can. */
    bool (*comes_behind)(void *context, uint64_t mark);
    /* `lane` reads the granule at `address`, which holds nothing. */
    void (*note_undefined)(void *context, unsigned lane, uint64_t address);
    void *context;
};

enum shadow_verdict {
    SHADOW_GOOD,
    SHADOW_READ_AFTER_WRITE, /* a race with `other` */
    SHADOW_WRITE_AFTER_READ,
    SHADOW_WRITE_AFTER_WRITE,
};

/* What is wrong with the lowest lane for which something is. */
struct shadow_finding {
    enum shadow_verdict verdict;
    unsigned lane;
    uint64_t address;
    uint64_t other; /* mark of the other access */
};

/* Whether strong accesses of these forms are strong to each other. */
bool shadow_forms_agree(uint8_t one, uint8_t other, bool across_blocks);

/* Check an access, and enter its marks unless there is a race. True: there is none. */
bool shadow_check(const struct shadow *shadow, const struct shadow_access *access,
                  struct shadow_finding *finding);

#endif
