/* shadow.h: shadow memory, which records the last accesses to each granule of memory, and finds
 * races and reads of uninitialized memory.
 *
 * Memory is divided into *granules*, as small as the smallest access of the program, so that
 * accesses cover whole granules. For each granule the shadow has *marks*: of its last writer, of
 * its last reader, and of one more reader. A mark has 64 bits: a stamp (order.h) in the highest
 * bits, flags, the instruction and the thread. So marks can be compared like stamps.
 *
 * Marks are not cleared at barriers or between blocks. A mark with a stamp before the block's start
 * belongs to another block. An access with a stamp before the block's last barrier happened before
 * all later accesses (for other orders, see order.h). Two unordered accesses are a race if one of
 * them writes, unless both store the same value, or both are *strong* (atomic, volatile or with a
 * memory order).
 *
 * Strong accesses of different threads also race if only the timing determines which value is read.
 * In one warp, this rule applies only to passed values (see below) on devices that schedule the
 * lanes independently:
 * - A strong access reads the value of an unordered write, and no write that happened before both
 *   accesses initialized the memory. Then an earlier read would read uninitialized memory.
 * - A loaded value is *passed on* (stored or used as an address), not only tested until it changes.
 *   The load reads the value of an unordered write, or an unordered write follows the load. A load
 *   that names a memory order (cuda::atomic_ref) is allowed, because its author expects any value.
 *
 * Two strong accesses race like other accesses (they are not "morally strong") if their widths
 * differ, or if they belong to different blocks and one access has block scope.
 *
 * A load of constant data conflicts with every earlier write of the launch, even with an ordered
 * write, because the load may find an old value in a cache.
 *
 * An atomic operation that does not change the value (it adds 0) counts as a load.
 *
 * Two readers are enough, because any writer differs from at least one of them. If possible, the
 * two readers are in different warps. */
#ifndef SHADOW_H
#define SHADOW_H

#include "emulator/cost/coalesce.h"
#include "emulator/races/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHADOW_THREAD_BITS = 10,
    SHADOW_INSTRUCTION_BITS = 20, /* A program has at most PTX_MAX_INSTRUCTIONS. */
    SHADOW_STAMP_SHIFT = 33,
    SHADOW_STAMP_LIMIT = 1 << 29, /* The limit of stamps makes marks positive as signed numbers. */
};
#define SHADOW_STRONG (1ull << (SHADOW_THREAD_BITS + SHADOW_INSTRUCTION_BITS))
#define SHADOW_PASSED (SHADOW_STRONG << 1) /* A strong load with a value that is passed on. */
#define SHADOW_ADDED (SHADOW_STRONG << 2)  /* An atomic operation that reads and writes. */
enum { SHADOW_BLOCK_SCOPE = 128 };         /* Flag in `forms` (below) for block scope. */

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

/* Marks of `count` granules of 1 << shift bytes, in one allocation. Mark 0 means no access. */
struct shadow {
    uint64_t *write, *read, *other_read;
    uint64_t *first; /* The last write before the present unordered strong writes. */
    uint64_t count;
    unsigned shift;
};

/* Create the shadow memory of `bytes` bytes, with granules of 1 << shift bytes. Returns false if
 * memory is exhausted. */
bool shadow_create(struct shadow *shadow, uint64_t bytes, unsigned shift);
void shadow_free(struct shadow *shadow);
/* Clear the marks of the granules in bytes [offset, offset + bytes). */
void shadow_forget(const struct shadow *shadow, uint64_t offset, uint64_t bytes);

enum shadow_kind { SHADOW_LOAD, SHADOW_STORE, SHADOW_ATOMIC };

/* FOREIGN means another block. KNOWN means that the earlier access happened before this access. */
enum shadow_origin { SHADOW_OWN, SHADOW_FOREIGN, SHADOW_FOREIGN_KNOWN };

struct shadow_access {
    enum shadow_kind kind;
    bool is_strong;             /* Then `mark` has SHADOW_STRONG. */
    bool is_passed;             /* The loaded value is passed on. Then `mark` has SHADOW_PASSED. */
    bool has_independent_lanes; /* True for compute capability 7.0 and later. */
    bool is_constant;           /* The access loads data that no thread of the launch may write. */
    enum half_pattern halves[2];
    uint32_t mask;
    unsigned bytes;          /* Bytes per lane, a multiple of the granule's size. */
    const uint64_t *address; /* LANES offsets, multiples of the granule's size, even if inactive. */
    uint64_t mark;           /* Mark of lane 0 with the current stamp. Lane l has `mark` + l. */
    uint64_t block, epoch;   /* Lowest marks since the block's start, and since order->epoch. */
    const struct order *order;
    bool across_blocks; /* All blocks share the memory, so older marks belong to other blocks. */
    /* Returns which block left a mark. `is_read` is true for a read's mark. NULL if blocks do not
     * take turns. Then all marks since this block's start belong to this block. */
    enum shadow_origin (*origin)(void *context, unsigned lane, uint64_t mark, bool is_read);
    bool only_undefined;
    /* For each instruction, its form: bytes of an element, plus SHADOW_BLOCK_SCOPE for block scope.
     * If `forms` is NULL, all strong accesses are morally strong (shadow_forms_agree). */
    const uint8_t *forms;
    uint8_t form;
    uint64_t defined; /* A granule is uninitialized if its last write has a lower mark. */
    /* Returns true if `lane` stores the value that the granule at `address` has (other_lane < 0),
     * or the value that other_lane stores there in this access. */
    bool (*stores_same)(void *context, unsigned lane, uint64_t address, int other_lane);
    /* Returns true if this store always follows the other lane's read that left `mark`; or NULL. */
    bool (*is_after_read)(void *context, uint64_t mark);
    /* Called if `lane` reads the uninitialized granule at `address`. */
    void (*note_undefined)(void *context, unsigned lane, uint64_t address);
    void *context;
};

enum shadow_verdict {
    SHADOW_GOOD,
    SHADOW_READ_AFTER_WRITE,
    SHADOW_WRITE_AFTER_READ,
    SHADOW_WRITE_AFTER_WRITE,
};

/* The race of the lowest lane that has a race. `other` is the mark of the earlier access. */
struct shadow_finding {
    enum shadow_verdict verdict;
    unsigned lane;
    uint64_t address;
    uint64_t other;
};

/* Returns true if two strong accesses with these forms are morally strong (PTX ISA, "Memory
 * Consistency Model"). `across_blocks` is true if the accesses are in different blocks. */
bool shadow_forms_agree(uint8_t one, uint8_t other, bool across_blocks);

/* Check an access, and update its shadow memory. Returns false if there is a race, which *finding
 * receives. Then the marks of some lanes may be missing. */
bool shadow_check(const struct shadow *shadow, const struct shadow_access *access,
                  struct shadow_finding *finding);

#endif
