/* simt_access.h: the lanes of one memory access. The access is checked, the lanes' host pointers
 * are computed, and data is moved. For global and shared memory, the cost is counted. */
#ifndef SIMT_ACCESS_H
#define SIMT_ACCESS_H

#include "emulator/warp/sink.h"

/* The lanes of one access in one state space. Inactive lanes have the first active lane's address,
 * so that loops over all lanes need no mask. */
struct access {
    enum ptx_space space;
    uint32_t mask;
    unsigned bytes; /* Bytes of the (vector) access of one lane. */
    bool is_store;
    bool consecutive; /* All lanes are active, and addresses ascend by `bytes`. */
    enum half_pattern halves[2];
    bool is_uniform;
    bool has_range;
    uint64_t low, high;
    uint64_t bits;
    uint64_t address[LANES]; /* Address in the state space. For global memory, the guest address. */
    /* Host address of lane l: base + address[l] if all lanes access one array, else host[l]. */
    bool in_one_array;
    uintptr_t base;
    unsigned char *host[LANES];
};

/* A full mask is a special case, because the host's basic instruction set cannot count bits. */
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

static inline struct warp_access access_pattern(const struct access *access)
{
    return (struct warp_access){.mask = access->mask,
                                .bytes = access->bytes,
                                .is_store = access->is_store,
                                .address = access->address,
                                .halves = {access->halves[0], access->halves[1]}};
}

void access_addresses(const struct frame *frame, const struct operand *base, int64_t offset,
                      struct access *access);
void access_summarise(struct access *access);
struct access access_given(enum ptx_space space, uint32_t mask, unsigned bytes,
                           const uint64_t address[LANES]);
/* Begin an access of lanes of *left, and remove these lanes from *left. A generic access contains
 * only the lanes that have the first lane's state space. Any other access contains all lanes. */
void access_begin(const struct step *step, struct access *access, uint32_t *left);
/* Returns true if each half of `lanes` has consecutive values, `bytes` apart, or one value. Then
 * `halves` receives the patterns of both halves. */
bool lanes_find_halves(const void *lanes, unsigned stride, unsigned bytes,
                       enum half_pattern halves[2]);
enum ptx_space window_space(uint64_t address);
void access_forget(const struct step *step);
/* Remove lanes with invalid addresses (EMULATOR_REPAIR_BOUNDS). Returns false if none remain. */
bool access_repair(const struct step *step, struct access *access);
/* Find the host addresses. Returns false after an out-of-bounds or misaligned address. */
bool access_resolve(const struct step *step, struct access *access);

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

static inline bool access_request(const struct step *step, const struct access *access,
                                  enum access_kind kind)
{
    if (access->space == PTX_GLOBAL)
        step->warp->hands_over |= step->block->run->keeps_turns;
    return ASK(true, step->block, request, step, access, kind);
}

/* Returns the cached cost (0 if unknown) if all lanes make an invariant access; otherwise NULL. */
static inline struct bank_count *invariant_banks(const struct step *step, uint32_t mask)
{
    unsigned number = step->instruction->invariant_access;
    return number && mask == UINT32_MAX ? &step->warp->invariant_banks[number - 1] : NULL;
}

void move_atomic(const struct instruction *instruction, struct frame *frame,
                 const struct access *access);
/* Record a volatile load or an atomic operation that has read shared memory. If the warp's previous
 * record is equal, the warp polls, and its turn ends. */
void warp_note_poll(const struct step *step, const struct access *access,
                    const struct operand *destination);

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
