/* simt_memory.c: what a warp does to memory, and what that costs.
 *
 * Every access first becomes a list of host pointers, one a lane, after checking bounds and
 * alignment; then data moves, and for global and shared memory the pattern of addresses is counted
 * (coalesce.h). Global memory is shared by the worker threads, so its elements are moved with
 * relaxed atomics: a racing kernel gets some value, and the host stays defined.
 */
#include "emulator/simt/simt_check.h"

#include "base/vectorised.h"
#include "emulator/alu/alu_lanes.h"
#include "emulator/decode/shared_names.h"
#include "emulator/memory/store_merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Compute capability from which on ptxas was seen to fuse shared loads: the oldest that emulation
 * compiles for. */
enum { FUSING_SINCE = 80 };

/* The lanes of one access in one state space. Lanes outside `mask` hold the first active lane's
 * address, so that loops over all lanes need no mask. */
struct access {
    enum ptx_space space;
    uint32_t mask;
    unsigned bytes; /* of the whole (vector) access of a lane */
    bool is_store;
    bool consecutive;        /* all lanes active, each `bytes` behind the one before */
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

static inline unsigned char *access_host(const struct access *access, unsigned lane)
{
    return access->in_one_array ? (unsigned char *)(access->base + access->address[lane])
                                : access->host[lane];
}

/* ---- Addresses ---- */

static const uint64_t lane_number[LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                            11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                            22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* How far addresses are from patterns: all bits that differ, in any lane. */
struct strays {
    uint64_t from_row;   /* each 2^shift bytes behind the one before */
    uint64_t from_first; /* all the same */
};

/* Addresses of all lanes, those that are off having the first one's. */
#define PLACE_LANES(name, type)                                                                    \
    VECTORISED static void name(const type *restrict lanes, type offset, uint32_t mask,            \
                                unsigned shift, uint64_t *restrict address,                        \
                                struct strays *restrict strays)                                    \
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
        strays->from_row = from_row;                                                               \
        strays->from_first = from_first;                                                           \
    }
PLACE_LANES(place_wide, uint64_t)
PLACE_LANES(place_narrow, uint32_t) /* 32-bit addresses wrap around */
#undef PLACE_LANES

/* Lowest and highest address. */
VECTORISED static void find_range(const uint64_t *address, uint64_t *lowest, uint64_t *highest)
{
    /* The order of unsigned numbers, by comparing signed ones: vectors have only those. */
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (unsigned lane = 0; lane < LANES; lane++) {
        int64_t ordered = (int64_t)(address[lane] ^ 1ull << 63);
        low = ordered < low ? ordered : low;
        high = ordered > high ? ordered : high;
    }
    *lowest = (uint64_t)low ^ 1ull << 63;
    *highest = (uint64_t)high ^ 1ull << 63;
}

/* Fill in addresses and what follows from them; `access` has its mask and bytes. */
static void access_place(struct access *access, const void *lanes, unsigned stride, int64_t offset)
{
    struct strays strays;
    unsigned shift = (unsigned)__builtin_ctz(access->bytes);
    uint64_t *address = access->address;
    if (stride == 8)
        place_wide(lanes, (uint64_t)offset, access->mask, shift, address, &strays);
    else
        place_narrow(lanes, (uint32_t)offset, access->mask, shift, address, &strays);
    access->in_one_array = false;
    access->consecutive = !strays.from_row && access->mask == 0xffffffffu;
    access->bits = address[0] | strays.from_first;
    access->is_uniform = !strays.from_first;
    access->low = address[0];
    access->high = address[LANES - 1];
    access->has_range = access->consecutive || access->is_uniform;
}

/* Find `low` and `high` where they are wanted and not known. */
static void access_find_range(struct access *access)
{
    if (!access->has_range)
        find_range(access->address, &access->low, &access->high);
    access->has_range = true;
}

/* The same from the addresses that it has. */
static void access_summarise(struct access *access)
{
    uint64_t address[LANES];
    memcpy(address, access->address, sizeof address);
    access_place(access, address, sizeof *address, 0);
}

/* An access to addresses that no instruction's operand says. */
static struct access access_given(enum ptx_space space, uint32_t mask, unsigned bytes,
                                  const uint64_t address[LANES])
{
    struct access access = {.space = space, .mask = mask, .bytes = bytes};
    access_place(&access, address, sizeof *address, 0);
    return access;
}

static void access_addresses(const struct frame *frame, const struct operand *base, int64_t offset,
                             struct access *access)
{
    access_place(access, frame_source(frame, base), base->stride, offset);
}

static enum ptx_space window_space(uint64_t address)
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
        return PTX_GLOBAL; /* no array is there: a fault will say so */
    }
}

static bool fault_bounds(const struct step *step, const struct access *access, unsigned lane,
                         const char *where)
{
    return simt_fault(step, lane, STATUS_OUT_OF_BOUNDS, "%s %u bytes out of bounds: %s",
                      access->is_store ? "writes" : "reads", access->bytes, where);
}

/* Of a region of malloc(): whether the bytes are not a block's. */
static bool is_outside_block(const struct memory_region *region, uint64_t address, unsigned bytes)
{
    return region->is_heap &&
           !device_heap_allows(memory_heap(region), address - region->base, bytes);
}

/* Host pointers of a global access. */
static bool access_global(const struct step *step, struct access *access)
{
    struct simt_block *block = step->block;
    access_find_range(access);
    uint64_t low = access->low, high = access->high;
    const struct guest_memory *memory = block->launch->memory;
    const struct memory_region **kept = &block->regions[step->instruction->number % REGIONS_KEPT];
    const struct memory_region *region = *kept;
    if (!region || low - region->base >= region->bytes)
        region = memory_find(memory, low);
    if (region && !region->is_guard && !region->is_heap &&
        !(access->is_store && region->is_read_only) && high - region->base < region->bytes &&
        region->bytes - (high - region->base) >= access->bytes) {
        *kept = region;
        access->in_one_array = true;
        access->base = (uintptr_t)region->host - region->base;
        return true;
    }
    FOR_LANES (lane, access->mask) {
        uint64_t address = access->address[lane];
        region = memory_find(memory, address);
        if (!region || region->is_guard ||
            region->bytes - (address - region->base) < access->bytes ||
            is_outside_block(region, address, access->bytes) ||
            (access->is_store && region->is_read_only)) {
            char where[256];
            memory_describe(memory, address, where, sizeof where);
            if (region && region->is_read_only && access->is_store)
                return simt_fault(step, lane, STATUS_OUT_OF_BOUNDS,
                                  "writes %u bytes to read-only memory: %s", access->bytes, where);
            return fault_bounds(step, access, lane, where);
        }
        access->host[lane] = region->host + (address - region->base);
    }
    return true;
}

/* Shared memory has two parts: static arrays, then dynamic ones; the hole of alignment between them
 * belongs to nobody. */
static bool access_shared(const struct step *step, struct access *access)
{
    struct simt_block *block = step->block;
    uint64_t dynamic = block->launch->program->dynamic_shared, end = block->shared_static_end;
    access->in_one_array = true;
    access->base = (uintptr_t)block->shared;
    /* No address is above their union, which is had for less. */
    if (access->bits < end && end - access->bits >= access->bytes)
        return true;
    access_find_range(access);
    uint64_t low = access->low, high = access->high;
    if ((high < end && end - high >= access->bytes) ||
        (low >= dynamic && high < block->shared_bytes &&
         block->shared_bytes - high >= access->bytes))
        return true;
    access->in_one_array = false;
    FOR_LANES (lane, access->mask) {
        uint64_t address = access->address[lane];
        bool in_static = address < block->shared_static_end &&
                         block->shared_static_end - address >= access->bytes;
        bool in_dynamic = address >= dynamic && address < block->shared_bytes &&
                          block->shared_bytes - address >= access->bytes;
        if (!in_static && !in_dynamic) {
            char name[256], where[512];
            shared_describe(block->launch->program, block->launch->function, address,
                            step->instruction->bytes, name, sizeof name);
            snprintf(where, sizeof where,
                     "%s; the block has %" PRIu64 " bytes of static and %" PRIu64
                     " of dynamic shared memory",
                     name, block->shared_static_end, block->launch->dynamic_shared);
            return fault_bounds(step, access, lane, where);
        }
        access->host[lane] = block->shared + address;
    }
    return true;
}

/* Where the local memory of the running function ends; behind it is that of functions that have
 * returned. */
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
                     "local memory, byte %" PRId64 " of %" PRIu64
                     " that the functions under way have: the index is wrong, or the variable's "
                     "function has returned",
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

/* Constants and kernel parameters: the same bytes for all lanes. */
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
            snprintf(where, sizeof where, "%s, byte %" PRId64 " of %" PRIu64, name,
                     (int64_t)address, size);
            return fault_bounds(step, access, lane, where);
        }
        memcpy(&access->host[lane], &(const unsigned char *){bytes + address},
               sizeof access->host[lane]);
    }
    return true;
}

/* Parameters of a call: each lane's block in the frame. */
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

static bool access_resolve(const struct step *step, struct access *access)
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
                return simt_fault(step, lane, STATUS_MISALIGNED,
                                  "%s %u bytes at address 0x%" PRIx64
                                  ", which is no multiple of %u: %s",
                                  access->is_store ? "writes" : "reads", access->bytes,
                                  access->address[lane], access->bytes, where);
            }
    }
    const struct simt_launch *launch = block->launch;
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

/* Whether a lane's bytes are where it may access them. */
static bool lane_is_inside(const struct step *step, const struct access *access, unsigned lane)
{
    const struct simt_block *block = step->block;
    uint64_t address = access->address[lane], dynamic = block->launch->program->dynamic_shared;
    if (address % access->bytes)
        return false;
    if (access->space == PTX_SHARED)
        return (address < block->shared_static_end &&
                block->shared_static_end - address >= access->bytes) ||
               (address >= dynamic && address < block->shared_bytes &&
                block->shared_bytes - address >= access->bytes);
    if (access->space == PTX_LOCAL)
        return address < local_end(step) && local_end(step) - address >= access->bytes;
    if (access->space != PTX_GLOBAL)
        return true;
    const struct memory_region *region = memory_find(block->launch->memory, address);
    return region && !region->is_guard &&
           region->bytes - (address - region->base) >= access->bytes &&
           !is_outside_block(region, address, access->bytes) &&
           !(access->is_store && region->is_read_only);
}

/* Leave out the lanes that access what they may not (EMULATOR_MEND_BOUNDS). False: no lane stays. */
static bool mend_access(const struct step *step, struct access *access)
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

/* ---- Counting ---- */

static bool trace_reserve(const struct step *step, size_t more)
{
    struct simt_block *block = step->block;
    struct trace *trace = &block->trace;
    if (trace->capacity - trace->count >= more)
        return true;
    if (trace->count > MAX_TRACE_RUNS)
        return simt_fault(step, (unsigned)__builtin_ctz(step->fragment->mask), STATUS_TIMEOUT,
                          "is still running after %" PRIu64 " warp instructions of its block, with "
                          "more memory accesses than the emulator keeps: an endless loop?",
                          block->executed);
    size_t capacity = trace->capacity ? 2 * trace->capacity : 256;
    run *runs = realloc(trace->runs, capacity * sizeof *runs);
    if (!runs)
        return simt_no_memory(block);
    trace->runs = runs;
    trace->capacity = capacity;
    return true;
}

/* Where a fragment is, and the calls that brought it there. */
static void observe_places(const struct fragment *fragment, uint32_t number,
                           struct observed_access *seen)
{
    const struct frame *frame = fragment->frame;
    seen->place = (struct observed_place){frame->function_index, number};
    for (; frame->parent && seen->caller_count < OBSERVED_CALLERS; frame = frame->parent) {
        const struct frame *caller = frame->parent;
        uint32_t call = caller->function->code[frame->return_pc - 1].number;
        seen->callers[seen->caller_count++] = (struct observed_place){caller->function_index, call};
    }
}

/* Byte i of what a lane accesses. */
static unsigned char observe_byte(const struct simt_block *block, const struct access *access,
                                  unsigned lane, unsigned i)
{
    uint64_t at = access->address[lane] + i;
    if (access->space == PTX_SHARED)
        return at < block->shared_bytes ? block->shared[at] : 0;
    return __atomic_load_n(access_host(access, lane) + i, __ATOMIC_RELAXED);
}

/* Show the launch's observer an access. */
static void observe(const struct step *step, const struct access *access)
{
    struct simt_block *block = step->block;
    const struct observer *observer = block->launch->observer;
    struct observed_access seen = {.block = block->number,
                                   .warp = block->current_warp,
                                   .is_shared = access->space == PTX_SHARED,
                                   .is_store = access->is_store,
                                   .bytes = access->bytes,
                                   .mask = access->mask};
    unsigned bytes = access->bytes < sizeof *seen.words ? access->bytes : sizeof *seen.words;
    observe_places(step->fragment, step->instruction->number, &seen);
    FOR_LANES (lane, access->mask) {
        seen.address[lane] = access->address[lane];
        for (unsigned i = 0; i < bytes; i++)
            ((unsigned char *)seen.words[lane])[i] = observe_byte(block, access, lane, i);
    }
    observer->access(observer->context, &seen);
}

/* What is wanted of few blocks: neighbours' distances in block 0, and the observer's. */
static __attribute__((noinline)) void
watch_access(const struct step *step, const struct access *access, struct instruction_stats *stats)
{
    struct simt_block *block = step->block;
    uint32_t neighbours = access->mask & access->mask >> 1;
    if (block->number == 0 && !stats->distance && neighbours) {
        unsigned lane = (unsigned)__builtin_ctz(neighbours);
        stats->distance = (int64_t)(access->address[lane + 1] - access->address[lane]);
    }
    if (simt_is_observed(block))
        observe(step, access);
}

static struct instruction_stats *stats_of(const struct step *step)
{
    return &step->block
                ->stats[step->fragment->frame->function->stats_base + step->instruction->number];
}

/* What line-by-line reports need of an access. */
static struct instruction_stats *count_access(const struct step *step, const struct access *access)
{
    struct simt_block *block = step->block;
    struct instruction_stats *stats = stats_of(step);
    stats->requests++;
    stats->bytes += (uint64_t)__builtin_popcount(access->mask) * access->bytes;
    if (block->is_watched)
        watch_access(step, access, stats);
    return stats;
}

/* Whether a store of these runs leaves parts of sectors unwritten that another could join. */
static bool stores_may_merge(const struct access *access, unsigned sectors, const run *runs,
                             unsigned count)
{
    unsigned bytes = (unsigned)__builtin_popcount(access->mask) * access->bytes;
    if (access->bytes < 4 || bytes >= sectors * SECTOR_BYTES)
        return false;
    unsigned lines = 1;
    for (unsigned i = 1; i < count; i++)
        lines += run_line(runs[i]) != run_line(runs[i - 1]);
    return lines <= STORE_MERGE_LINES;
}

/* Sectors of a request, or more of those of the request before. */
static bool count_sectors(const struct step *step, const struct access *access,
                          enum access_kind kind, bool is_new)
{
    struct simt_block *block = step->block;
    struct warp *warp = step->warp;
    struct warp_access pattern = {.mask = access->mask,
                                  .bytes = access->bytes,
                                  .is_store = access->is_store,
                                  .address = access->address};
    if (!trace_reserve(step, COALESCE_MAX_RUNS))
        return false;
    unsigned sectors = 0;
    unsigned runs = coalesce_global(block->launch->device, &pattern, kind,
                                    block->trace.runs + block->trace.count, &sectors);
    const bool *begins_round = block->launch->begins_round;
    if (begins_round && !access->is_store && is_new) {
        warp->rounds +=
            begins_round[step->fragment->frame->function->stats_base + step->instruction->number];
        block->trace.runs[block->trace.count] =
            run_with_round(block->trace.runs[block->trace.count], warp->rounds);
    }
    if (block->launch->tracing)
        block->trace.count += runs;
    struct counters *counters = &block->counters;
    if (kind == ACCESS_ATOMIC) {
        counters->atomic_requests += is_new;
        counters->atomic_sectors += sectors;
    } else if (access->is_store) {
        counters->global_store_requests += is_new;
        counters->global_store_sectors += sectors;
        if (!block->trace.may_merge && block->launch->tracing)
            block->trace.may_merge = stores_may_merge(
                access, sectors, block->trace.runs + block->trace.count - runs, runs);
    } else {
        counters->global_load_requests += is_new;
        counters->global_load_sectors += sectors;
    }
    struct instruction_stats *stats = stats_of(step);
    stats->sectors += sectors;
    stats->transactions += runs;
    return true;
}

static bool count_global(const struct step *step, const struct access *access,
                         enum access_kind kind)
{
    const struct simt_launch *launch = step->block->launch;
    step->warp->hands_over |= launch->keeps_turns;
    if (!launch->counting)
        return true;
    count_access(step, access);
    return count_sectors(step, access, kind, true);
}

static void count_shared(const struct step *step, const struct access *access)
{
    struct simt_block *block = step->block;
    struct warp_access pattern = {.mask = access->mask,
                                  .bytes = access->bytes,
                                  .is_store = access->is_store,
                                  .address = access->address};
    if (!block->launch->counting)
        return;
    struct bank_count count = banks_shared(block->launch->device, &pattern);
    struct counters *counters = &block->counters;
    if (access->is_store) {
        counters->shared_store_requests++;
        counters->shared_store_wavefronts += count.wavefronts;
        counters->shared_store_ideal_wavefronts += count.ideal;
    } else {
        counters->shared_load_requests++;
        counters->shared_load_wavefronts += count.wavefronts;
        counters->shared_load_ideal_wavefronts += count.ideal;
    }
    struct instruction_stats *stats = count_access(step, access);
    stats->wavefronts += count.wavefronts;
    stats->ideal += count.ideal;
}

/* A load that the assembler fused with others is counted as the wide one, or not at all. */
static void count_shared_fused(const struct step *step, const struct access *access)
{
    const struct instruction *instruction = step->instruction;
    if (instruction->fused == SIMT_FUSED_AWAY || !step->block->launch->counting)
        return;
    struct access wide = *access;
    wide.bytes = instruction->fused;
    for (unsigned lane = 0; lane < LANES; lane++)
        wide.address[lane] &= -(uint64_t)wide.bytes;
    count_shared(step, &wide);
}

/* ---- Moving data ---- */

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

static uint64_t sign_extend(uint64_t value, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;
    return (uint64_t)((int64_t)(value << shift) >> shift);
}

/* Whole warps are moved by vector instructions. By the letter of C these are no atomic accesses, but
 * a racing kernel gets some value of each element all the same, since vectors of the host move at
 * least aligned words at once. (The thread sanitizer goes by the letter.) */
typedef uint64_t chunk __attribute__((vector_size(64), aligned(2), may_alias));

/* `count` chunks; at least one side is a register. */
VECTORISED static void move_row(unsigned char *to, const unsigned char *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ((chunk *)to)[i] = ((const chunk *)from)[i];
}

/* The lanes of `mask` of a register get one value. */
#define SPLAT(name, type)                                                                          \
    VECTORISED static void name(type *lanes, type value, uint32_t mask)                            \
    {                                                                                              \
        for (unsigned lane = 0; lane < LANES; lane++)                                              \
            lanes[lane] = mask & lane_bit[lane] ? value : lanes[lane];                             \
    }
SPLAT(splat_words, uint32_t)
SPLAT(splat_wide, uint64_t)
#undef SPLAT

static void register_splat(struct frame *frame, const struct operand *operand, uint32_t mask,
                           uint64_t value)
{
    void *lanes = frame->registers + operand->offset;
    if (operand->stride == 8)
        splat_wide(lanes, value, mask);
    else if (operand->stride == 4)
        splat_words(lanes, (uint32_t)value, mask);
    else
        FOR_LANES (lane, mask)
            frame_set_lane(frame, operand, lane, value);
}

#if SANITIZED
#define ELEMENT(type, at) __atomic_load_n((const type *)(at), __ATOMIC_RELAXED)
#else
#define ELEMENT(type, at) (*(const type *)(at))
#endif

/* Lanes of one array; those that are off have addresses in it, too. */
#define MOVE_LANES(bytes, type)                                                                    \
    VECTORISED static void load_lanes_##bytes(type *restrict lanes, uintptr_t base,                \
                                              const uint64_t *restrict address, uint32_t mask)     \
    {                                                                                              \
        type values[LANES];                                                                        \
        for (unsigned lane = 0; lane < LANES; lane++)                                              \
            values[lane] = ELEMENT(type, base + address[lane]);                                    \
        for (unsigned lane = 0; lane < LANES; lane++)                                              \
            lanes[lane] = mask & lane_bit[lane] ? values[lane] : lanes[lane];                      \
    }                                                                                              \
    static void store_lanes_##bytes(const type *lanes, uintptr_t base, const uint64_t *address,    \
                                    uint32_t mask)                                                 \
    {                                                                                              \
        type nowhere;                                                                              \
        for (unsigned lane = 0; lane < LANES; lane++) {                                            \
            type *to = mask >> lane & 1 ? (type *)(base + address[lane]) : &nowhere;               \
            __atomic_store_n(to, lanes[lane], __ATOMIC_RELAXED);                                   \
        }                                                                                          \
    }
MOVE_LANES(4, uint32_t)
MOVE_LANES(8, uint64_t)
#undef MOVE_LANES
#undef ELEMENT

/* Element `e` of an access to one array, whose registers are as wide as it. */
static void load_lanes(struct frame *frame, const struct operand *element,
                       const struct access *access, uintptr_t base)
{
    void *lanes = frame->registers + element->offset;
    if (element->stride == 4)
        load_lanes_4(lanes, base, access->address, access->mask);
    else
        load_lanes_8(lanes, base, access->address, access->mask);
}

static void store_lanes(const struct frame *frame, const struct operand *element,
                        const struct access *access, uintptr_t base)
{
    const void *lanes = frame_source(frame, element);
    if (element->stride == 4)
        store_lanes_4(lanes, base, access->address, access->mask);
    else
        store_lanes_8(lanes, base, access->address, access->mask);
}

/* All lanes access one behind the other what fills a register. */
static bool moves_in_row(const struct instruction *instruction, const struct operand *element,
                         const struct access *access)
{
    return access->consecutive && access->in_one_array && instruction->vector == 1 &&
           element->stride == instruction->bytes && !SANITIZED;
}

static void move_load(const struct instruction *instruction, struct frame *frame,
                      const struct access *access)
{
    const struct operand *elements = &frame->function->operands[instruction->extra];
    unsigned bytes = instruction->bytes;
    if (moves_in_row(instruction, elements, access)) {
        move_row(frame->registers + elements->offset, access_host(access, 0), bytes / 2);
        return;
    }
    for (unsigned e = 0; e < instruction->vector; e++) {
        const struct operand *element = &elements[e];
        bool fits = access->in_one_array && bytes >= 4 && element->stride == bytes;
        if (fits && access->is_uniform) {
            register_splat(frame, element, access->mask,
                           load_element(access_host(access, 0) + e * bytes, bytes));
            continue;
        }
        if (fits) {
            load_lanes(frame, element, access, access->base + e * bytes);
            continue;
        }
        FOR_LANES (lane, access->mask) {
            uint64_t value = load_element(access_host(access, lane) + e * bytes, bytes);
            if (instruction->flags & SIMT_SIGNED)
                value = sign_extend(value, bytes);
            frame_set_lane(frame, element, lane, value);
        }
    }
}

static void move_store(const struct instruction *instruction, const struct frame *frame,
                       const struct access *access)
{
    const struct operand *elements = &frame->function->operands[instruction->extra];
    unsigned bytes = instruction->bytes;
    if (moves_in_row(instruction, elements, access)) {
        move_row(access_host(access, 0), frame_source(frame, elements), bytes / 2);
        return;
    }
    for (unsigned e = 0; e < instruction->vector; e++) {
        const struct operand *element = &elements[e];
        if (access->in_one_array && bytes >= 4 && element->stride == bytes) {
            store_lanes(frame, element, access, access->base + e * bytes);
            continue;
        }
        FOR_LANES (lane, access->mask)
            store_element(access_host(access, lane) + e * bytes, bytes,
                          frame_lane(frame, element, lane));
    }
}

/* ---- Checks ---- */

/* Look for races and undefined reads, before the data moves. False after a fault. */
static inline bool access_check(const struct step *step, const struct access *access,
                                enum shadow_kind kind)
{
    if (!step->block->checker)
        return true;
    struct checked_access checked = {.space = access->space,
                                     .kind = kind,
                                     .mask = access->mask,
                                     .bytes = access->bytes,
                                     .is_alone = access->consecutive,
                                     .low = access->low,
                                     .high = access->high,
                                     .address = access->address};
    return checker_access(step, &checked);
}

/* ---- Instructions ---- */

/* A strong access has read shared memory. If the warp has last read the same by the same
 * instruction, it waits for others, and these go on at once. */
static void warp_ask(const struct step *step, const struct access *access,
                     const struct operand *destination)
{
    struct warp *warp = step->warp;
    uint64_t answer = step->instruction->number + 1;
    FOR_LANES (lane, access->mask)
        answer = (answer ^ lane ^ access->address[lane] << 5 ^
                  frame_lane(step->fragment->frame, destination, lane) << 24) *
                 0x9e3779b97f4a7c15ull;
    warp->hands_over |= answer == warp->answer;
    warp->answer = answer;
}

/* The lanes of *left that access one space: all of them, or of a generic access those of the first
 * lane's window, which are taken from *left. */
static void access_begin(const struct step *step, struct access *access, uint32_t *left)
{
    const struct instruction *instruction = step->instruction;
    access->space = (enum ptx_space)instruction->space;
    access->mask = *left;
    *left = 0;
    access_addresses(step->fragment->frame, &instruction->source[0], instruction->immediate,
                     access);
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

/* A kernel parameter at a fixed offset: one value for all lanes. False: not so simple. */
static bool load_kernel_param(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    const struct simt_launch *launch = step->block->launch;
    struct frame *frame = step->fragment->frame;
    uint64_t bytes = launch->program->functions[launch->function].kernel_params_bytes;
    const struct operand *element = &frame->function->operands[instruction->extra];
    if (!(instruction->flags & SIMT_KERNEL_PARAM) || instruction->kind != SIMT_LOAD ||
        instruction->source[0].bank != BANK_POOL || instruction->vector != 1 ||
        element->stride != instruction->bytes || instruction->bytes < 4)
        return false;
    uint64_t offset = step_source(step, 0, 0), value = 0;
    if (offset % instruction->bytes || offset > bytes || bytes - offset < instruction->bytes)
        return false;
    memcpy(&value, launch->params + offset, instruction->bytes);
    register_splat(frame, element, step->mask, value);
    return true;
}

/* Count a load or store, after the data has moved. False after a fault. */
static bool count_moved(const struct step *step, const struct access *access)
{
    const struct instruction *instruction = step->instruction;
    if (access->space == PTX_GLOBAL)
        return count_global(step, access,
                            access->is_store                      ? ACCESS_STORE
                            : instruction->flags & SIMT_BYPASS_L1 ? ACCESS_LOAD_L2
                                                                  : ACCESS_LOAD);
    if (access->space != PTX_SHARED)
        return true;
    if (instruction->fused && step->block->launch->device->compute_capability >= FUSING_SINCE)
        count_shared_fused(step, access);
    else
        count_shared(step, access);
    return true;
}

bool simt_load_store(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    struct frame *frame = step->fragment->frame;
    bool is_store = instruction->kind == SIMT_STORE;
    step->warp->polls |= !is_store && (instruction->flags & SIMT_VOLATILE);
    if (instruction->space == PTX_PARAM && load_kernel_param(step))
        return true;
    struct access access;
    access.bytes = (unsigned)instruction->bytes * instruction->vector;
    access.is_store = is_store;
    for (uint32_t left = step->mask; left;) {
        access_begin(step, &access, &left);
        if (__builtin_expect(step->block->launch->mend_bounds, 0) && !mend_access(step, &access))
            continue;
        if (!access_resolve(step, &access) ||
            !access_check(step, &access, is_store ? SHADOW_STORE : SHADOW_LOAD))
            return false;
        bool spoiled = access.space == PTX_SHARED && step->block->spoil_tags;
        if (spoiled && !is_store)
            spoil_swap(step->block, step->warp, access.mask, access.address, access.bytes);
        if (is_store)
            move_store(instruction, frame, &access);
        else
            move_load(instruction, frame, &access);
        if (spoiled)
            (is_store ? spoil_stored : spoil_swap)(step->block, step->warp, access.mask,
                                                   access.address, access.bytes);
        if (!is_store && access.space == PTX_SHARED && (instruction->flags & SIMT_VOLATILE))
            warp_ask(step, &access, &frame->function->operands[instruction->extra]);
        if (!count_moved(step, &access))
            return false;
    }
    return true;
}

static uint64_t float_add(uint64_t a, uint64_t b, unsigned bytes)
{
    double wide_a, wide_b;
    float narrow_a, narrow_b;
    if (bytes == 8) {
        memcpy(&wide_a, &a, sizeof wide_a);
        memcpy(&wide_b, &b, sizeof wide_b);
        wide_a += wide_b;
        memcpy(&a, &wide_a, sizeof wide_a);
        return a;
    }
    memcpy(&narrow_a, &a, sizeof narrow_a);
    memcpy(&narrow_b, &b, sizeof narrow_b);
    narrow_a += narrow_b;
    a = 0;
    memcpy(&a, &narrow_a, sizeof narrow_a);
    return a;
}

/* A half, or a pair of them, each rounded to nearest even. */
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
    /* The order of signed numbers, by comparing unsigned ones. */
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

/* Compare and exchange an element, as __atomic_compare_exchange_n. */
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

/* Lanes take their turns in lane order. */
static void move_atomic(const struct instruction *instruction, struct frame *frame,
                        const struct access *access)
{
    unsigned bytes = instruction->bytes;
    FOR_LANES (lane, access->mask) {
        uint64_t b = frame_lane(frame, &instruction->source[1], lane);
        uint64_t c =
            instruction->source[2].used ? frame_lane(frame, &instruction->source[2], lane) : 0;
        unsigned char *host = access_host(access, lane);
        uint64_t old = load_element(host, bytes);
        if (access->space == PTX_SHARED) /* which one worker sees */
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
                "does an atomic operation on memory that is neither global nor shared");
        if (!access_resolve(step, &access) || !access_check(step, &access, SHADOW_ATOMIC))
            return false;
        move_atomic(step->instruction, step->fragment->frame, &access);
        if (access.space == PTX_SHARED && !(step->instruction->flags & SIMT_NO_RESULT))
            warp_ask(step, &access, &step->instruction->destination);
        if (access.space ==
            PTX_SHARED) /* hardware has no counter for them; what they move is known */
            stats_of(step)->bytes += (uint64_t)__builtin_popcount(access.mask) * access.bytes;
        else if (!count_global(step, &access, ACCESS_ATOMIC))
            return false;
    }
    return true;
}

bool memory_access_rows(const struct step *step, unsigned count, bool is_store,
                        const uint64_t rows[LANES])
{
    struct access access = access_given(PTX_SHARED, (uint32_t)((UINT64_C(1) << count) - 1),
                                        step->instruction->bytes, rows);
    access.is_store = is_store;
    if (!access_resolve(step, &access))
        return false;
    count_shared(step, &access);
    return true;
}

/* ---- cp.async ---- */

/* A copy takes its data now and delivers it when its lane waits for it, so that a kernel which
 * forgets to wait does not get away with it. Groups are each lane's own (PTX ISA, "cp.async"). */
bool simt_copy_async(const struct step *step)
{
    struct warp *warp = step->warp;
    const struct instruction *instruction = step->instruction;
    uint32_t mask = step->mask;
    struct frame *frame = step->fragment->frame;
    struct access from = {.space = PTX_GLOBAL, .bytes = instruction->bytes, .mask = mask};
    struct access to = {
        .space = PTX_SHARED, .bytes = instruction->bytes, .is_store = true, .mask = mask};
    access_addresses(frame, &instruction->source[0], instruction->immediate, &from);
    access_addresses(frame, &instruction->source[1], (int32_t)instruction->control, &to);
    unsigned sizes[LANES];
    uint32_t reading = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t size = instruction->bytes;
        if (instruction->source[2].used && instruction->source[2].stride == 0)
            size = frame_predicate(frame, &instruction->source[2]) >> lane & 1 ? 0 : size;
        else if (instruction->source[2].used)
            size = frame_lane(frame, &instruction->source[2], lane);
        sizes[lane] = (unsigned)(size < instruction->bytes ? size : instruction->bytes);
        if (sizes[lane])
            reading |= 1u << lane;
    }
    from.mask &= reading;
    if (from.mask)
        access_summarise(&from);
    if (!access_resolve(step, &to) || (from.mask && !access_resolve(step, &from)) ||
        (from.mask && !access_check(step, &from, SHADOW_LOAD)))
        return false;
    size_t wanted = warp->copy_count + LANES;
    if (wanted > MAX_COPIES)
        return simt_fault(step, (unsigned)__builtin_ctz(mask), STATUS_UNSUPPORTED,
                          "starts cp.async copies without ever waiting for them: its warp has more "
                          "than %d under way",
                          MAX_COPIES);
    if (wanted > warp->copy_capacity) {
        struct pending_copy *copies = realloc(warp->copies, 2 * wanted * sizeof *copies);
        if (!copies)
            return simt_no_memory(step->block);
        warp->copies = copies;
        warp->copy_capacity = 2 * wanted;
    }
    FOR_LANES (lane, mask) {
        struct pending_copy *copy = &warp->copies[warp->copy_count++];
        *copy = (struct pending_copy){.shared_address = to.address[lane],
                                      .bytes = instruction->bytes,
                                      .lane = (uint8_t)lane,
                                      .group = warp->copy_group[lane]};
        for (unsigned i = 0; i < sizes[lane]; i++)
            copy->data[i] = __atomic_load_n(access_host(&from, lane) + i, __ATOMIC_RELAXED);
    }
    count_shared(step, &to);
    return !from.mask ||
           count_global(step, &from,
                        instruction->flags & SIMT_BYPASS_L1 ? ACCESS_LOAD_L2 : ACCESS_LOAD);
}

/* The copy's data arrive: its lane stores them now. */
static bool copy_deliver(const struct step *step, const struct pending_copy *copy)
{
    struct simt_block *block = step->block;
    if (block->checker) {
        uint64_t address[LANES] = {0};
        address[copy->lane] = copy->shared_address;
        struct checked_access checked = {.space = PTX_SHARED,
                                         .kind = SHADOW_STORE,
                                         .mask = 1u << copy->lane,
                                         .bytes = copy->bytes,
                                         .delivered = copy->data,
                                         .low = copy->shared_address,
                                         .high = copy->shared_address,
                                         .address = address};
        if (!checker_access(step, &checked))
            return false;
    }
    memcpy(block->shared + copy->shared_address, copy->data, copy->bytes);
    if (block->spoil_tags) {
        uint64_t address[LANES] = {0};
        address[copy->lane] = copy->shared_address;
        spoil_stored(block, step->warp, 1u << copy->lane, address, copy->bytes);
    }
    return true;
}

bool simt_copy_commit(const struct step *step)
{
    FOR_LANES (lane, step->mask)
        step->warp->copy_group[lane]++;
    return true;
}

/* Carry out the copies of the step's lanes: of all closed groups but the most recent ones, whose
 * number is the immediate; or also those of no group yet. */
bool simt_copy_wait(const struct step *step)
{
    struct warp *warp = step->warp;
    uint64_t left = (uint32_t)step->instruction->immediate;
    if (step->instruction->flags & SIMT_EVERY)
        simt_copy_commit(step);
    size_t kept = 0;
    for (size_t i = 0; i < warp->copy_count; i++) {
        struct pending_copy copy = warp->copies[i];
        if (!(step->mask >> copy.lane & 1) || copy.group + left >= warp->copy_group[copy.lane])
            warp->copies[kept++] = copy;
        else if (!copy_deliver(step, &copy))
            return false;
    }
    warp->copy_count = kept;
    return true;
}

/* ---- For textures and surfaces ---- */

static int compare_addresses(const void *a, const void *b)
{
    uint64_t first, second;
    memcpy(&first, a, sizeof first);
    memcpy(&second, b, sizeof second);
    return (first > second) - (first < second);
}

bool simt_surface_move(const struct step *step, uint32_t mask, const uint64_t address[LANES])
{
    const struct instruction *instruction = step->instruction;
    struct frame *frame = step->fragment->frame;
    bool loads = instruction->kind == SIMT_SURFACE_LOAD;
    bool adds = instruction->kind == SIMT_SURFACE_ATOMIC;
    unsigned bytes = (unsigned)instruction->bytes * (adds ? 1 : instruction->vector);
    struct access access = access_given(PTX_GLOBAL, mask, bytes, address);
    access.is_store = !loads;
    if (!access_resolve(step, &access) || !access_check(step, &access,
                                                        loads  ? SHADOW_LOAD
                                                        : adds ? SHADOW_ATOMIC
                                                               : SHADOW_STORE))
        return false;
    if (loads)
        move_load(instruction, frame, &access);
    else if (adds)
        move_atomic(instruction, frame, &access);
    else
        move_store(instruction, frame, &access);
    return true;
}

bool simt_texel_read(const struct step *step, uint32_t mask, unsigned bytes,
                     const uint64_t address[LANES], unsigned char *const texel[LANES])
{
    struct access access = access_given(PTX_GLOBAL, mask, bytes, address);
    if (!access_resolve(step, &access) || !access_check(step, &access, SHADOW_LOAD))
        return false;
    FOR_LANES (lane, mask)
        for (unsigned i = 0; i < bytes; i++)
            texel[lane][i] = __atomic_load_n(access_host(&access, lane) + i, __ATOMIC_RELAXED);
    return true;
}

bool simt_texel_count(const struct step *step, enum access_kind kind, uint64_t *address,
                      size_t count, unsigned bytes)
{
    if (!step->block->launch->counting)
        return true;
    struct instruction_stats *stats = stats_of(step);
    uint64_t sector = step->block->launch->device->sector_bytes;
    size_t distinct = 0;
    bool ascends = true;
    for (size_t i = 0; i < count; i++) {
        address[i] -= address[i] % sector;
        ascends &= i == 0 || address[i - 1] <= address[i];
    }
    if (!ascends)
        qsort(address, count, sizeof *address, compare_addresses);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || address[i] != address[i - 1])
            address[distinct++] = address[i];
    stats->requests++;
    stats->bytes += bytes;
    for (size_t first = 0; first < distinct; first += LANES) {
        uint64_t lanes[LANES] = {0};
        size_t some = distinct - first < LANES ? distinct - first : LANES;
        memcpy(lanes, address + first, some * sizeof *lanes);
        struct access access = access_given(PTX_GLOBAL, UINT32_MAX >> (LANES - some), 4, lanes);
        access.is_store = kind == ACCESS_STORE;
        if (!count_sectors(step, &access, kind, first == 0))
            return false;
    }
    return true;
}

/* ---- For the built-in functions ---- */

bool simt_read_generic(const struct step *step, unsigned lane, uint64_t address, void *bytes,
                       size_t size)
{
    const struct simt_block *block = step->block;
    const struct warp *warp = step->warp;
    uint64_t offset = address & ((1ull << 48) - 1);
    const unsigned char *host = NULL;
    uint64_t held = 0; /* bytes of the space that begins at `host` */
    switch (window_space(address)) {
    case PTX_SHARED:
        host = block->shared;
        held = block->shared_bytes;
        break;
    case PTX_LOCAL:
        host = warp->local ? warp->local + lane * block->local_stride : NULL;
        held = block->local_limit;
        break;
    case PTX_CONST:
        host = block->launch->program->constants;
        held = block->launch->program->constants_bytes;
        break;
    case PTX_GLOBAL: {
        const struct memory_region *region = memory_find(block->launch->memory, address);
        if (region && !region->is_guard) {
            host = region->host;
            held = region->bytes;
            offset = address - region->base;
        }
        break;
    }
    default:
        break;
    }
    if (offset > held || held - offset < size)
        return false;
    host += offset;
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = __atomic_load_n(host + i, __ATOMIC_RELAXED);
    return true;
}
