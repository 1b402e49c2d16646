/* simt_atomic.c: atomic operations on memory. */
#include "emulator/warp/simt_access.h"

#include "base/vectorised.h"
#include "emulator/alu/alu_lanes.h"

#include <string.h>

/* Returns a hash of the active lanes' addresses and values. */
#define POLL_HASH(name, type)                                                                      \
    VECTORISED static uint64_t name(const uint64_t *address, const type *values, uint32_t mask)    \
    {                                                                                              \
        uint64_t poll_hash = mask;                                                                 \
        for (unsigned lane = 0; lane < LANES; lane++) {                                            \
            uint32_t key = 0x9e3779b9u * (lane + 1);                                               \
            uint32_t value = (uint32_t)(values[lane] ^ (uint64_t)values[lane] >> 32);              \
            uint64_t product =                                                                     \
                (uint64_t)((uint32_t)address[lane] + key) * (value + (key ^ 0x85ebca6bu));         \
            poll_hash += mask & lane_bit[lane] ? product : 0;                                      \
        }                                                                                          \
        return poll_hash;                                                                          \
    }
POLL_HASH(poll_hash_wide, uint64_t)
POLL_HASH(poll_hash_words, uint32_t)
POLL_HASH(poll_hash_narrow, uint16_t)
#undef POLL_HASH

void warp_note_poll(const struct step *step, const struct access *access,
                    const struct operand *destination)
{
    struct warp *warp = step->warp;
    const void *values = frame_source(step->fragment->frame, destination);
    uint64_t poll_hash =
        destination->stride == 8   ? poll_hash_wide(access->address, values, access->mask)
        : destination->stride == 4 ? poll_hash_words(access->address, values, access->mask)
                                   : poll_hash_narrow(access->address, values, access->mask);
    poll_hash = (poll_hash ^ (step->instruction->number + 1)) * 0x9e3779b97f4a7c15ull;
    warp->hands_over |= poll_hash == warp->poll_hash;
    warp->poll_hash = poll_hash;
}

static uint64_t float_add(uint64_t a, uint64_t b, unsigned bytes)
{
    return bytes == 8 ? bits_f64(float_f64(a) + float_f64(b))
                      : bits_f32(float_f32((uint32_t)a) + float_f32((uint32_t)b));
}

static uint64_t half_add(uint64_t a, uint64_t b, unsigned bytes, bool is_bf16)
{
    uint64_t sums = 0;
    for (unsigned shift = 0; shift < 8 * bytes; shift += 16) {
        uint16_t x = (uint16_t)(a >> shift), y = (uint16_t)(b >> shift);
        uint16_t sum = is_bf16 ? bits_bf16(float_bf16(x) + float_bf16(y))
                               : bits_f16(float_f16(x) + float_f16(y));
        sums |= (uint64_t)sum << shift;
    }
    return sums;
}

uint64_t simt_atomic_result(const struct instruction *instruction, unsigned bytes, uint64_t old,
                            uint64_t b, uint64_t c)
{
    /* With flipped sign bits, signed numbers can be compared like unsigned numbers. */
    uint64_t sign = instruction->flags & SIMT_SIGNED ? 1ull << (8 * bytes - 1) : 0;
    bool less = (b ^ sign)<(old ^ sign), greater = (b ^ sign)>(old ^ sign);
    switch ((enum simt_atomic)instruction->control) {
    case ATOMIC_ADD:
        return instruction->flags & SIMT_FLOAT ? float_add(old, b, bytes) : old + b;
    case ATOMIC_ADD_F16:
    case ATOMIC_ADD_BF16:
        return half_add(old, b, bytes, instruction->control == ATOMIC_ADD_BF16);
    case ATOMIC_MIN:
        return less ? b : old;
    case ATOMIC_MAX:
        return greater ? b : old;
    case ATOMIC_AND:
        return old & b;
    case ATOMIC_OR:
        return old | b;
    case ATOMIC_XOR:
        return old ^ b;
    case ATOMIC_EXCH:
        return b;
    case ATOMIC_CAS:
        return old == b ? c : old;
    case ATOMIC_INC:
        return old >= b ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > b ? b : old - 1;
    }
    return old;
}

static bool is_usual(const struct instruction *instruction, const struct access *access)
{
    return access->space == PTX_SHARED && instruction->control == ATOMIC_ADD &&
           instruction->bytes == 4 && access->in_one_array && !(instruction->flags & SIMT_FLOAT);
}

static void add_words(const struct instruction *instruction, struct frame *frame,
                      const struct access *access)
{
    const uint32_t *addends = (const void *)frame_source(frame, &instruction->source[1]);
    uint32_t *results = (void *)(frame->registers + instruction->destination.offset);
    FOR_LANES (lane, access->mask) {
        uint32_t *word = (uint32_t *)(access->base + access->address[lane]), old = *word;
        *word = old + addends[lane];
        if (!(instruction->flags & SIMT_NO_RESULT))
            results[lane] = old;
    }
}

#define EXCHANGE(type)                                                                             \
    {                                                                                              \
        type old = (type)*expected;                                                                \
        bool done = __atomic_compare_exchange_n((type *)(void *)host, &old, (type)value, false,    \
                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);               \
        *expected = old;                                                                           \
        return done;                                                                               \
    }

static bool exchange_element(unsigned char *host, unsigned bytes, uint64_t *expected,
                             uint64_t value)
{
    if (bytes == 2)
        EXCHANGE(uint16_t)
    if (bytes == 4)
        EXCHANGE(uint32_t)
    EXCHANGE(uint64_t)
}

void move_atomic(const struct instruction *instruction, struct frame *frame,
                 const struct access *access)
{
    unsigned bytes = instruction->bytes;
    if (is_usual(instruction, access)) {
        add_words(instruction, frame, access);
        return;
    }
    FOR_LANES (lane, access->mask) {
        uint64_t b = frame_lane(frame, &instruction->source[1], lane);
        uint64_t c =
            instruction->source[2].used ? frame_lane(frame, &instruction->source[2], lane) : 0;
        unsigned char *host = access_host(access, lane);
        uint64_t old = load_element(host, bytes);
        if (access->space == PTX_SHARED) /* Only one worker accesses this memory. */
            store_element(host, bytes, simt_atomic_result(instruction, bytes, old, b, c));
        else
            while (!exchange_element(host, bytes, &old,
                                     simt_atomic_result(instruction, bytes, old, b, c)))
                ;
        if (!(instruction->flags & SIMT_NO_RESULT))
            frame_set_lane(frame, &instruction->destination, lane, old);
    }
}

bool simt_atomic(const struct step *step)
{
    struct access access;
    access.bytes = step->instruction->bytes;
    access.is_store = true;
    step->warp->polls = true;
    for (uint32_t left = step->mask; left;) {
        access_begin(step, &access, &left);
        if (access.space != PTX_GLOBAL && access.space != PTX_SHARED)
            return simt_fault(
                step, (unsigned)__builtin_ctz(access.mask), STATUS_LAUNCH_ERROR,
                "executes an atomic operation on memory that is neither global nor shared");
        if (!access_resolve(step, &access) || !access_check(step, &access, SHADOW_ATOMIC))
            return false;
        move_atomic(step->instruction, step->fragment->frame, &access);
        EMIT(step->block, moved, step, &access);
        if (access.space == PTX_SHARED && !(step->instruction->flags & SIMT_NO_RESULT))
            warp_note_poll(step, &access, &step->instruction->destination);
        if (!access_request(step, &access, ACCESS_ATOMIC))
            return false;
    }
    return true;
}
