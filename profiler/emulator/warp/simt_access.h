/* simt_access.h: the lanes of one access to memory, shared by the files that move data
 * (simt_memory.c, simt_atomic.c, simt_async.c) and by sinks.
 *
 * Every access first becomes a list of host pointers, one a lane, after checking bounds and
 * alignment; then data moves, and for global and shared memory the pattern of addresses is counted
 * (coalesce.h).
 */
#ifndef SIMT_ACCESS_H
#define SIMT_ACCESS_H

#include "emulator/warp/sink.h"

/* The lanes of one access in one state space. Lanes outside `mask` hold the first active lane's
 * address, so that loops over all lanes need no mask. */
struct access {
    enum ptx_space space;
    uint32_t mask;
    unsigned bytes; /* of the whole (vector) access of a lane */
    bool is_store;
    bool consecutive; /* all lanes active, each `bytes` behind the one before */
    enum half_pattern halves[2];
    bool is_uniform;         /* all at the same address */
    bool has_range;          /* see access_find_range: */
    uint64_t low, high;      /* lowest and highest address */
    uint64_t bits;           /* all addresses or-ed together */
    uint64_t address[LANES]; /* in the space; global: guest address */
    /* Where the bytes are: lane l at `base` + address[l] when all lanes lie in one array (base 0:
     * memory that the host has at the guest's address), and otherwise at host[l]. */
    bool in_one_array;
    uintptr_t base;
    unsigned char *host[LANES];
};

/* Bytes that the lanes ask for together. (The host's instruction that counts bits is not in its
 * basic set.) */
static inline unsigned access_all_bytes(const struct access *access)
{
    unsigned lanes = LANES;
    if (access->mask != UINT32_MAX)
        lanes = (unsigned)__builtin_popcount(access->mask);
    return lanes * access->bytes;
}

static inline unsigned char *access_host(const struct access *access, unsigned lane)
{
    return access->in_one_array ? (unsigned char *)(access->base + access->address[lane])
                                : access->host[lane];
}

/* As coalesce.h sees it. */
static inline struct warp_access access_pattern(const struct access *access)
{
    return (struct warp_access){.mask = access->mask,
                                .bytes = access->bytes,
                                .is_store = access->is_store,
                                .address = access->address,
                                .halves = {access->halves[0], access->halves[1]}};
}

/* ---- simt_access.c: which bytes these are ---- */

/* Addresses of the lanes in `mask`, from an operand; `access` has its mask and bytes. */
void access_addresses(const struct frame *frame, const struct operand *base, int64_t offset,
                      struct access *access);
/* The same from the addresses that it has. */
void access_summarise(struct access *access);
/* An access to addresses that no instruction's operand says. */
struct access access_given(enum ptx_space space, uint32_t mask, unsigned bytes,
                           const uint64_t address[LANES]);
/* The lanes of *left that access one space: all of them, or of a generic access those of the first
 * lane's window, which are taken from *left. */
void access_begin(const struct step *step, struct access *access, uint32_t *left);
/* Whether each half of a warp has addresses one `bytes` behind the other, or one address. */
bool lanes_find_halves(const void *lanes, unsigned stride, unsigned bytes,
                       enum half_pattern halves[2]);
/* The space whose window holds a generic address. */
enum ptx_space window_space(uint64_t address);
/* The step's instruction, whose addresses others may take, moves without having been asked for
 * them: what the warp keeps of it is old. */
void access_forget(const struct step *step);
/* Leave out the lanes that access what they may not (EMULATOR_REPAIR_BOUNDS). False: no lane
 * stays. */
bool access_repair(const struct step *step, struct access *access);
/* Find the bytes. False after a fault: out of bounds, or misaligned. */
bool access_resolve(const struct step *step, struct access *access);

/* Show sinks an access before the data move. False after a fault. */
static inline bool access_check(const struct step *step, const struct access *access,
                                enum shadow_kind kind)
{
    if (step->block->observation != OBSERVED_ALL)
        return true;
    struct checked_access checked = {.space = access->space,
                                     .kind = kind,
                                     .mask = access->mask,
                                     .bytes = access->bytes,
                                     .halves = {access->halves[0], access->halves[1]},
                                     .low = access->low,
                                     .high = access->high,
                                     .address = access->address};
    return ASK(true, step->block, access, step, &checked);
}

/* ---- Requests ---- */

/* The memory system gets a request. False after a fault. */
static inline bool access_request(const struct step *step, const struct access *access,
                                  enum access_kind kind)
{
    if (access->space == PTX_GLOBAL)
        step->warp->hands_over |= step->block->run->keeps_turns;
    return ASK(true, step->block, request, step, access, kind);
}

/* What the step's access costs, if it is known: where all lanes access what they did before. */
static inline struct bank_count *invariant_banks(const struct step *step, uint32_t mask)
{
    unsigned number = step->instruction->invariant_access;
    return number && mask == UINT32_MAX ? &step->warp->invariant_banks[number - 1] : NULL;
}

/* ---- simt_atomic.c ---- */

/* Lanes take their turns in lane order. */
void move_atomic(const struct instruction *instruction, struct frame *frame,
                 const struct access *access);
/* A strong access has read shared memory. If the warp has last read the same by the same
 * instruction, it waits for others, and these go on at once. */
void warp_ask(const struct step *step, const struct access *access,
              const struct operand *destination);

/* ---- One element ---- */

static inline uint64_t load_element(const unsigned char *host, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return __atomic_load_n(host, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const uint16_t *)(const void *)host, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const uint32_t *)(const void *)host, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const uint64_t *)(const void *)host, __ATOMIC_RELAXED);
    }
}

static inline void store_element(unsigned char *host, unsigned bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        __atomic_store_n(host, (uint8_t)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)(void *)host, (uint16_t)value, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)(void *)host, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)(void *)host, value, __ATOMIC_RELAXED);
        break;
    }
}

#endif
