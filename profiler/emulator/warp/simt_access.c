/* simt_access.c: state space, bounds and alignment of the addresses of a warp's access. */
#include "emulator/warp/simt_access.h"

#include "base/vectorised.h"
#include "emulator/alu/alu_lanes.h"
#include "emulator/decode/shared_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t lane_number[LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                            11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                            22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* Address bits in which any lane differs from consecutive addresses, and from the first address. */
struct differences {
    uint64_t from_row;
    uint64_t from_first;
};

/* Set the addresses. Inactive lanes receive the first active lane's address. */
#define PLACE_LANES(name, type)                                                                    \
    VECTORISED static void name(const type *restrict lanes, type offset, uint32_t mask,            \
                                unsigned shift, uint64_t *restrict address,                        \
                                struct differences *restrict differences)                          \
    {                                                                                              \
        const uint64_t first = (type)(lanes[__builtin_ctz(mask)] + offset);                        \
        uint64_t from_row = 0, from_first = 0;                                                     \
        for (unsigned lane = 0; lane < LANES; lane++) {                                            \
            uint64_t own = (type)(lanes[lane] + offset);                                           \
            uint64_t place = mask & lane_bit[lane] ? own : first;                                  \
            from_row |= place ^ (first + (lane_number[lane] << shift));                            \
            from_first |= place ^ first;                                                           \
            address[lane] = place;                                                                 \
        }                                                                                          \
        differences->from_row = from_row;                                                          \
        differences->from_first = from_first;                                                      \
    }
PLACE_LANES(place_wide, uint64_t)
PLACE_LANES(place_narrow, uint32_t) /* 32-bit addresses wrap around. */
#undef PLACE_LANES

/* Returns all bits in which lanes differ from the pattern of their half warp: one address if
 * rows[half] is 0, or consecutive addresses, 2^shift bytes apart, if rows[half] is all ones. */
#define HALVES_DIFFER(name, type)                                                                  \
    VECTORISED static uint64_t name(const void *from, unsigned shift, const uint64_t *rows)        \
    {                                                                                              \
        static const type lane_half[LANES] = {[LANES / 2 ... LANES - 1] = (type)~0ull};            \
        static const type lane_in_half[LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10,        \
                                                 11, 12, 13, 14, 15, 0,  1,  2,  3,  4, 5,         \
                                                 6,  7,  8,  9,  10, 11, 12, 13, 14, 15};          \
        const type *lanes = from;                                                                  \
        type first = lanes[0], to_second = first ^ lanes[LANES / 2], bits = 0;                     \
        type row = (type)rows[0], to_second_row = row ^ (type)rows[1];                             \
        for (unsigned lane = 0; lane < LANES; lane++) {                                            \
            type begin = first ^ (to_second & lane_half[lane]);                                    \
            type is_row = row ^ (to_second_row & lane_half[lane]);                                 \
            bits |= lanes[lane] ^ (begin + ((lane_in_half[lane] << shift) & is_row));              \
        }                                                                                          \
        return bits;                                                                               \
    }
HALVES_DIFFER(halves_differ_wide, uint64_t)
HALVES_DIFFER(halves_differ_narrow, uint32_t)
#undef HALVES_DIFFER

bool lanes_find_halves(const void *lanes, unsigned stride, unsigned bytes,
                       enum half_pattern halves[2])
{
    uint64_t rows[2];
    for (unsigned half = 0; half < 2; half++) {
        const unsigned char *first = (const unsigned char *)lanes + half * LANES / 2 * stride;
        uint64_t distance = lane_get(first + stride, stride) - lane_get(first, stride);
        if (distance && distance != bytes)
            return false;
        rows[half] = distance ? ~0ull : 0;
        halves[half] = distance ? HALF_IN_ROW : HALF_AT_ONCE;
    }
    unsigned shift = (unsigned)__builtin_ctz(bytes);
    return !(stride == 8 ? halves_differ_wide(lanes, shift, rows)
                         : halves_differ_narrow(lanes, shift, rows));
}

VECTORISED static void find_range(const uint64_t *address, uint64_t *lowest, uint64_t *highest)
{
    /* Vector instructions only compare signed numbers, so map the addresses to signed numbers. */
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (unsigned lane = 0; lane < LANES; lane++) {
        int64_t ordered = (int64_t)(address[lane] ^ 1ull << 63);
        low = ordered < low ? ordered : low;
        high = ordered > high ? ordered : high;
    }
    *lowest = (uint64_t)low ^ 1ull << 63;
    *highest = (uint64_t)high ^ 1ull << 63;
}

/* Set the addresses and the fields that depend on them. `mask` and `bytes` must be set. */
static void access_place(struct access *access, const void *lanes, unsigned stride, int64_t offset)
{
    struct differences differences;
    unsigned shift = (unsigned)__builtin_ctz(access->bytes);
    uint64_t *address = access->address;
    if (stride == 8)
        place_wide(lanes, (uint64_t)offset, access->mask, shift, address, &differences);
    else
        place_narrow(lanes, (uint32_t)offset, access->mask, shift, address, &differences);
    access->in_one_array = false;
    access->consecutive = !differences.from_row && access->mask == 0xffffffffu;
    access->bits = address[0] | differences.from_first;
    access->is_uniform = !differences.from_first;
    access->low = address[0];
    access->high = address[LANES - 1];
    access->has_range = access->consecutive || access->is_uniform;
    bool is_full = access->mask == 0xffffffffu;
    access->halves[0] = access->halves[1] = !is_full              ? HALF_OTHER
                                            : access->consecutive ? HALF_IN_ROW
                                            : access->is_uniform  ? HALF_AT_ONCE
                                                                  : HALF_OTHER;
    enum half_pattern halves[2];
    if (is_full && !access->halves[0] &&
        lanes_find_halves(access->address, sizeof *address, access->bytes, halves))
        memcpy(access->halves, halves, sizeof halves);
}

static void access_find_range(struct access *access)
{
    if (!access->has_range)
        find_range(access->address, &access->low, &access->high);
    access->has_range = true;
}

void access_summarise(struct access *access)
{
    uint64_t address[LANES];
    memcpy(address, access->address, sizeof address);
    access_place(access, address, sizeof *address, 0);
}

struct access access_given(enum ptx_space space, uint32_t mask, unsigned bytes,
                           const uint64_t address[LANES])
{
    struct access access = {.space = space, .mask = mask, .bytes = bytes};
    access_place(&access, address, sizeof *address, 0);
    return access;
}

void access_addresses(const struct frame *frame, const struct operand *base, int64_t offset,
                      struct access *access)
{
    access_place(access, frame_source(frame, base), base->stride, offset);
}

enum ptx_space window_space(uint64_t address)
{
    switch (address >> 48 << 48) {
    case 0:
        return PTX_GLOBAL;
    case GUEST_SHARED_BASE:
        return PTX_SHARED;
    case GUEST_LOCAL_BASE:
        return PTX_LOCAL;
    case GUEST_CONST_BASE:
        return PTX_CONST;
    case GUEST_PARAM_BASE:
        return PTX_PARAM;
    default:
        return PTX_GLOBAL; /* No array has this address, so the access will fault. */
    }
}

static bool fault_bounds(const struct step *step, const struct access *access, unsigned lane,
                         const char *where)
{
    return simt_fault(step, lane, STATUS_OUT_OF_BOUNDS, "%s %u byte%s out of bounds: %s",
                      access->is_store ? "writes" : "reads", access->bytes,
                      access->bytes == 1 ? "" : "s", where);
}

static bool global_allows(const struct memory_region *region, uint64_t address,
                          const struct access *access)
{
    return region && !region->is_guard &&
           region->bytes - (address - region->base) >= access->bytes &&
           !(region->is_heap &&
             !device_heap_allows(memory_heap(region), address - region->base, access->bytes)) &&
           !(access->is_store && region->is_read_only);
}

static bool access_global(const struct step *step, struct access *access)
{
    struct simt_block *block = step->block;
    access_find_range(access);
    uint64_t low = access->low, high = access->high;
    const struct guest_memory *memory = block->launch->memory;
    const struct memory_region **retained =
        &block->regions[step->instruction->number % REGIONS_RETAINED];
    const struct memory_region *region = *retained;
    if (!region || low - region->base >= region->bytes)
        region = memory_find(memory, low);
    if (region && !region->is_guard && !region->is_heap &&
        !(access->is_store && region->is_read_only) && high - region->base < region->bytes &&
        region->bytes - (high - region->base) >= access->bytes) {
        *retained = region;
        if (access->is_store)
            memory_note_write(memory, region);
        access->in_one_array = true;
        access->base = (uintptr_t)region->host - region->base;
        return true;
    }
    FOR_LANES (lane, access->mask) {
        uint64_t address = access->address[lane];
        region = memory_find(memory, address);
        if (!global_allows(region, address, access)) {
            char where[256];
            memory_describe(memory, address, where, sizeof where);
            if (region && region->is_read_only && access->is_store)
                return simt_fault(step, lane, STATUS_OUT_OF_BOUNDS,
                                  "writes %u byte%s to read-only memory: %s", access->bytes,
                                  access->bytes == 1 ? "" : "s", where);
            return fault_bounds(step, access, lane, where);
        }
        if (access->is_store)
            memory_note_write(memory, region);
        access->host[lane] = region->host + (address - region->base);
    }
    return true;
}

/* Returns true if the bytes are in static or dynamic arrays, not in the gap between the two. */
static bool shared_allows(const struct simt_block *block, uint64_t address, unsigned bytes)
{
    return (address < block->shared_static_end && block->shared_static_end - address >= bytes) ||
           (address >= block->launch->program->dynamic_shared && address < block->shared_bytes &&
            block->shared_bytes - address >= bytes);
}

static bool access_shared(const struct step *step, struct access *access)
{
    struct simt_block *block = step->block;
    uint64_t dynamic = block->launch->program->dynamic_shared, end = block->shared_static_end;
    access->in_one_array = true;
    access->base = (uintptr_t)block->shared;
    /* The bitwise OR of all addresses is at least their maximum, and faster to compute. */
    if (access->bits < end && end - access->bits >= access->bytes)
        return true;
    access_find_range(access);
    uint64_t low = access->low, high = access->high;
    /* Addresses have 32 bits, so the addresses of a row that begins before 0 wrap around. */
    if (low <= high && ((high < end && end - high >= access->bytes) ||
                        (low >= dynamic && high < block->shared_bytes &&
                         block->shared_bytes - high >= access->bytes)))
        return true;
    access->in_one_array = false;
    FOR_LANES (lane, access->mask) {
        uint64_t address = access->address[lane];
        if (!shared_allows(block, address, access->bytes)) {
            char name[256], where[512];
            shared_describe(block->launch->program, block->launch->function, address,
                            step->instruction->bytes, name, sizeof name);
            snprintf(where, sizeof where,
                     "%s; the block has %" PRIu64 " bytes of static and %" PRIu64
                     " bytes of dynamic shared memory",
                     name, block->shared_static_end, block->launch->dynamic_shared);
            return fault_bounds(step, access, lane, where);
        }
        access->host[lane] = block->shared + address;
    }
    return true;
}

static uint64_t local_end(const struct step *step)
{
    const struct frame *frame = step->fragment->frame;
    return frame->local_base + frame->function->local_bytes;
}

static bool access_local(const struct step *step, struct access *access)
{
    struct simt_block *block = step->block;
    struct warp *warp = step->warp;
    uint64_t end = local_end(step);
    FOR_LANES (lane, access->mask) {
        uint64_t address = access->address[lane];
        if (address >= end || end - address < access->bytes) {
            char where[256];
            snprintf(where, sizeof where,
                     "local memory, byte %" PRId64 " of the %" PRIu64
                     " bytes of the active functions. The index is wrong, or the function that "
                     "declares the variable has returned",
                     (int64_t)address, end);
            return fault_bounds(step, access, lane, where);
        }
        access->host[lane] = warp->local + lane * block->local_stride + address;
    }
    access_find_range(access);
    if (access->is_store && access->high + access->bytes > warp->local_written)
        warp->local_written = access->high + access->bytes;
    return true;
}

static void count_constants(struct simt_block *block, const struct access *access)
{
    enum { PLACES = 2 * LANES };
    uint64_t words[PLACES] = {0};
    FOR_LANES (lane, access->mask) {
        const uint64_t word = access->address[lane] / 4 + 1,
                       line = access->address[lane] / CONSTANT_LINE_BYTES % CONSTANT_LINES;
        uint64_t *lines = &block->constant_lines[line / 64], bit = UINT64_C(1) << line % 64;
        unsigned place = (unsigned)(word % PLACES);
        while (words[place] && words[place] != word)
            place = (place + 1) % PLACES;
        block->counters.constant_words += !words[place];
        block->counters.constant_lines += !(*lines & bit);
        words[place] = word;
        *lines |= bit;
    }
}

static bool access_uniform(const struct step *step, struct access *access,
                           const unsigned char *bytes, uint64_t size, const char *name)
{
    if (access->is_uniform && !access->is_store && access->low < size &&
        size - access->low >= access->bytes) {
        access->in_one_array = true;
        access->base = (uintptr_t)bytes;
        return true;
    }
    FOR_LANES (lane, access->mask) {
        uint64_t address = access->address[lane];
        if (access->is_store || address >= size || size - address < access->bytes) {
            char where[128];
            snprintf(where, sizeof where, "%s, byte %" PRId64 " of the %" PRIu64 " bytes", name,
                     (int64_t)address, size);
            return fault_bounds(step, access, lane, where);
        }
        memcpy(&access->host[lane], &(const unsigned char *){bytes + address},
               sizeof access->host[lane]);
    }
    count_constants(step->block, access);
    return true;
}

static bool access_params(const struct step *step, struct access *access)
{
    struct frame *frame = step->fragment->frame;
    uint64_t size = frame->function->params_bytes;
    FOR_LANES (lane, access->mask) {
        uint64_t address = access->address[lane];
        if (address >= size || size - address < access->bytes)
            return fault_bounds(step, access, lane, "parameters of the function");
        access->host[lane] = frame->params + lane * size + address;
    }
    return true;
}

static const char *space_name(enum ptx_space space)
{
    return space == PTX_SHARED  ? "shared"
           : space == PTX_LOCAL ? "local"
           : space == PTX_CONST ? "constant"
           : space == PTX_PARAM ? "parameter"
                                : "global";
}

bool access_resolve(const struct step *step, struct access *access)
{
    struct simt_block *block = step->block;
    if (access->bits & (access->bytes - 1)) {
        FOR_LANES (lane, access->mask)
            if (access->address[lane] & (access->bytes - 1)) {
                char where[256];
                snprintf(where, sizeof where, "%s memory", space_name(access->space));
                if (access->space == PTX_GLOBAL)
                    memory_describe(block->launch->memory, access->address[lane], where,
                                    sizeof where);
                else if (access->space == PTX_SHARED)
                    shared_describe(block->launch->program, block->launch->function,
                                    access->address[lane], sizeof(float), where, sizeof where);
                return simt_fault(step, lane, STATUS_MISALIGNED,
                                  "%s %u bytes at address 0x%" PRIx64
                                  ", which is not a multiple of %u: %s",
                                  access->is_store ? "writes" : "reads", access->bytes,
                                  access->address[lane], access->bytes, where);
            }
    }
    const struct emulator_launch *launch = block->launch;
    switch (access->space) {
    case PTX_SHARED:
        return access_shared(step, access);
    case PTX_LOCAL:
        return access_local(step, access);
    case PTX_CONST:
        return access_uniform(step, access, launch->program->constants,
                              launch->program->constants_bytes, "constant memory");
    case PTX_PARAM:
        if (step->instruction->flags & SIMT_KERNEL_PARAM)
            return access_uniform(step, access, launch->params,
                                  launch->program->functions[launch->function].kernel_params_bytes,
                                  "the kernel's parameters");
        return access_params(step, access);
    default:
        return access_global(step, access);
    }
}

static bool lane_is_inside(const struct step *step, const struct access *access, unsigned lane)
{
    const struct simt_block *block = step->block;
    uint64_t address = access->address[lane];
    if (address % access->bytes)
        return false;
    if (access->space == PTX_SHARED)
        return shared_allows(block, address, access->bytes);
    if (access->space == PTX_LOCAL)
        return address < local_end(step) && local_end(step) - address >= access->bytes;
    return access->space != PTX_GLOBAL ||
           global_allows(memory_find(block->launch->memory, address), address, access);
}

bool access_repair(const struct step *step, struct access *access)
{
    const struct instruction *instruction = step->instruction;
    struct frame *frame = step->fragment->frame;
    const struct operand *elements = &frame->function->operands[instruction->extra];
    uint32_t outside = 0;
    FOR_LANES (lane, access->mask)
        outside |= (uint32_t)!lane_is_inside(step, access, lane) << lane;
    if (!access->is_store)
        for (unsigned e = 0; e < instruction->vector; e++)
            FOR_LANES (lane, outside)
                frame_set_lane(frame, &elements[e], lane, 0);
    access->mask &= ~outside;
    if (access->mask)
        access_summarise(access);
    return access->mask;
}

/* Cached addresses of an access. In an unrolled loop, the addresses of accesses often differ only
 * by a constant offset (simt_fuse.c). The first of these accesses in a basic block is the *source*,
 * which has no guard. The addresses are valid for accesses with equal lanes, source and frame. */
struct cached_addresses {
    const struct instruction *source;
    const struct frame *frame;
    struct access access;
};

static void cache_addresses(const struct step *step, struct access *access)
{
    struct warp *warp = step->warp;
    if (!warp->address_cache)
        warp->address_cache = calloc(SIMT_ADDRESS_SLOTS, sizeof *warp->address_cache);
    if (!warp->address_cache)
        return;
    access_find_range(access);
    struct cached_addresses *cached = &warp->address_cache[step->instruction->address_slot - 1];
    cached->source = step->instruction;
    cached->frame = step->fragment->frame;
    memcpy(&cached->access, access, offsetof(struct access, in_one_array));
}

void access_forget(const struct step *step)
{
    if (step->instruction->address_slot && step->warp->address_cache)
        step->warp->address_cache[step->instruction->address_slot - 1].source = NULL;
}

VECTORISED static void move_addresses(const uint64_t *restrict from, uint64_t distance,
                                      uint64_t *restrict to)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        to[lane] = from[lane] + distance;
}

static bool take_addresses(const struct step *step, struct access *access)
{
    const struct instruction *instruction = step->instruction;
    const struct frame *frame = step->fragment->frame;
    const struct instruction *source = &frame->function->code[instruction->address_source];
    if (source == instruction || !step->warp->address_cache)
        return false;
    const struct cached_addresses *cached =
        &step->warp->address_cache[instruction->address_slot - 1];
    const struct access *from = &cached->access;
    uint64_t distance = (uint64_t)instruction->immediate - (uint64_t)source->immediate;
    uint64_t low = from->low + distance, high = from->high + distance;
    if (cached->source != source || cached->frame != frame || from->mask != access->mask ||
        (distance & (from->bytes - 1)) || low > high ||
        (instruction->source[0].stride != 8 && high > UINT32_MAX))
        return false;
    access->consecutive = from->consecutive;
    access->is_uniform = from->is_uniform;
    access->halves[0] = from->halves[0];
    access->halves[1] = from->halves[1];
    access->has_range = true;
    access->low = low;
    access->high = high;
    access->bits = high; /* The source caused no fault, so all addresses are aligned. */
    access->in_one_array = false;
    move_addresses(from->address, distance, access->address);
    return true;
}

void access_begin(const struct step *step, struct access *access, uint32_t *left)
{
    const struct instruction *instruction = step->instruction;
    access->space = (enum ptx_space)instruction->space;
    access->mask = *left;
    *left = 0;
    bool is_cached = instruction->address_slot && step->block->observation != OBSERVED_NOT;
    if (is_cached && take_addresses(step, access))
        return;
    access_addresses(step->fragment->frame, &instruction->source[0], instruction->immediate,
                     access);
    if (is_cached &&
        instruction == &step->fragment->frame->function->code[instruction->address_source])
        cache_addresses(step, access);
    if (access->space != PTX_GENERIC)
        return;
    uint32_t same = 0, mask = access->mask;
    access->space = window_space(access->address[__builtin_ctz(mask)]);
    FOR_LANES (lane, mask)
        same |= (uint32_t)(window_space(access->address[lane]) == access->space) << lane;
    access->mask = same;
    *left = mask & ~same;
    if (access->space != PTX_GLOBAL)
        FOR_LANES (lane, same)
            access->address[lane] &= (1ull << 48) - 1;
    access_summarise(access);
}
