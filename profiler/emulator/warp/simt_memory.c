/* simt_memory.c: loads and stores of a warp. Worker threads share global memory. Its elements are
 * moved by relaxed atomics or vectors (see chunk), so that a race still reads valid elements. */
#include "emulator/warp/simt_access.h"

#include "base/vectorised.h"
#include "emulator/alu/alu_lanes.h"

#include <stdlib.h>
#include <string.h>

/* The lowest compute capability for which ptxas fuses shared loads. */
enum { FUSING_SINCE = 80 };

static uint64_t sign_extend(uint64_t value, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;
    return (uint64_t)((int64_t)(value << shift) >> shift);
}

/* In C, moves of vectors are not atomic. But the host's vector instructions move each aligned word
 * at once, so no element is torn. ThreadSanitizer requires real atomics. */
typedef uint64_t chunk __attribute__((vector_size(64), aligned(2), may_alias));

VECTORISED static void move_row(unsigned char *to, const unsigned char *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ((chunk *)to)[i] = ((const chunk *)from)[i];
}

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

#if THREAD_SANITIZED
#define ELEMENT(type, at) __atomic_load_n((const type *)(at), __ATOMIC_RELAXED)
#else
#define ELEMENT(type, at) (*(const type *)(at))
#endif

/* Inactive lanes also have addresses in the array, so all lanes can be loaded. */
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
        for (unsigned lane = 0; mask == UINT32_MAX && lane < LANES; lane++)                        \
            __atomic_store_n((type *)(base + address[lane]), lanes[lane], __ATOMIC_RELAXED);       \
        FOR_LANES (lane, mask == UINT32_MAX ? 0 : mask)                                            \
            __atomic_store_n((type *)(base + address[lane]), lanes[lane], __ATOMIC_RELAXED);       \
    }
MOVE_LANES(4, uint32_t)
MOVE_LANES(8, uint64_t)
#undef MOVE_LANES
#undef ELEMENT

typedef uint32_t words __attribute__((vector_size(64), aligned(2), may_alias));

VECTORISED static void load_half(unsigned char *to, const unsigned char *from, unsigned bytes,
                                 enum half_pattern half)
{
    chunk *lanes = (chunk *)to;
    if (half == HALF_IN_ROW)
        for (unsigned i = 0; i < bytes / 4; i++)
            lanes[i] = ((const chunk *)from)[i];
    else if (bytes == 4)
        *(words *)to = *(const uint32_t *)(const void *)from + (words){0};
    else
        lanes[0] = lanes[1] = *(const uint64_t *)(const void *)from + (chunk){0};
}

static void load_halves(unsigned char *lanes, unsigned bytes, unsigned char *const host[2],
                        const enum half_pattern halves[2])
{
    if (halves[0] == HALF_IN_ROW && halves[1] == HALF_IN_ROW &&
        host[1] == host[0] + LANES / 2 * bytes) {
        move_row(lanes, host[0], bytes / 2);
        return;
    }
    load_half(lanes, host[0], bytes, halves[0]);
    load_half(lanes + LANES / 2 * bytes, host[1], bytes, halves[1]);
}

static void load_lanes(struct frame *frame, const struct operand *element,
                       const struct access *access, uintptr_t base)
{
    void *lanes = frame->registers + element->offset;
    if (access->halves[0] && element->stride == access->bytes && !THREAD_SANITIZED)
        load_halves(lanes, element->stride,
                    (unsigned char *[]){(unsigned char *)(base + access->address[0]),
                                        (unsigned char *)(base + access->address[LANES / 2])},
                    access->halves);
    else if (element->stride == 4)
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

static bool moves_in_row(const struct instruction *instruction, const struct operand *element,
                         const struct access *access)
{
    return access->consecutive && access->in_one_array && instruction->vector == 1 &&
           element->stride == instruction->bytes && !THREAD_SANITIZED;
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

static bool is_fused(const struct simt_block *block, const struct instruction *instruction)
{
    return instruction->fused && block->launch->device->compute_capability >= FUSING_SINCE;
}

static bool load_kernel_param(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    const struct emulator_launch *launch = step->block->launch;
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

static __attribute__((noinline)) bool
request_fused(const struct step *step, const struct access *access, enum access_kind kind)
{
    const struct instruction *instruction = step->instruction;
    if (instruction->fused == SIMT_FUSED_AWAY)
        return true;
    const struct bank_count *known = invariant_banks(step, access->mask);
    struct access wide; /* The access has no addresses if no sink reads them. */
    if (known && known->wavefronts && step->block->observation != OBSERVED_ALL) {
        wide.space = access->space;
        wide.mask = access->mask;
        wide.is_store = false;
    } else {
        wide = *access;
        for (unsigned lane = 0; lane < LANES; lane++)
            wide.address[lane] &= -(uint64_t)instruction->fused;
    }
    wide.bytes = instruction->fused;
    wide.halves[0] = wide.halves[1] = HALF_OTHER;
    return access_request(step, &wide, kind);
}

/* Emit the request of an access. For fused shared loads, one load emits the common request. */
static inline bool request_moved(const struct step *step, const struct access *access)
{
    const struct instruction *instruction = step->instruction;
    const enum access_kind kind = access->is_store                      ? ACCESS_STORE
                                  : instruction->flags & SIMT_BYPASS_L1 ? ACCESS_LOAD_L2
                                                                        : ACCESS_LOAD;
    if (access->space != PTX_GLOBAL && access->space != PTX_SHARED)
        return true;
    return access->space == PTX_SHARED && is_fused(step->block, instruction)
               ? request_fused(step, access, kind)
               : access_request(step, access, kind);
}

/* Returns the host address of `bytes` bytes at `at`. Returns NULL if the slow path is required: the
 * bytes are invalid or misaligned, or this is the first store to a region. */
static unsigned char *find_host(const struct simt_block *block,
                                const struct instruction *instruction, uint64_t at, uint64_t bytes)
{
    if (at & (instruction->bytes - 1u))
        return NULL;
    if (instruction->space == PTX_SHARED) {
        uint64_t end = block->shared_static_end, dynamic = block->launch->program->dynamic_shared;
        if (at >= dynamic)
            end = block->shared_bytes;
        return at < end && end - at >= bytes ? block->shared + at : NULL;
    }
    const struct memory_region *region = block->regions[instruction->number % REGIONS_RETAINED];
    if (!region || at - region->base >= region->bytes ||
        region->bytes - (at - region->base) < bytes ||
        (instruction->kind == SIMT_STORE && !memory_is_written(region)))
        return NULL;
    return region->host + (at - region->base);
}

/* Prefetch the likely next accesses of the warp after the next warp, and of this warp. */
static void prefetch_next(const struct step *step, unsigned char *const host[2])
{
    struct moved *moved = &step->block->moved[step->instruction->number % REGIONS_RETAINED];
    uintptr_t here = (uintptr_t)host[0], other = (uintptr_t)host[1] - here;
    uintptr_t next = here + 2 * (here - moved->last);
    moved->last = here;
    if (step->warp->index == 0) {
        moved->step = here - moved->first;
        moved->first = here;
    }
    __builtin_prefetch((const void *)next);
    __builtin_prefetch((const void *)(next + other));
    uintptr_t again = here + moved->step;
    __builtin_prefetch((const void *)again);
    __builtin_prefetch((const void *)(again + other));
}

/* Set offset[lane] to lanes[lane] + distance, and inactive lanes to the first active lane's offset.
 * Returns the highest offset, or UINT64_MAX if an offset is not a multiple of 4. */
#define FIND_OFFSETS(name, type)                                                                   \
    VECTORISED static uint64_t name(const void *from, uint64_t distance, uint32_t mask,            \
                                    int32_t *restrict offset)                                      \
    {                                                                                              \
        const type *lanes = from;                                                                  \
        const type first = lanes[__builtin_ctz(mask)] + (type)distance;                            \
        type all = 0, highest = 0;                                                                 \
        for (unsigned lane = 0; lane < LANES; lane++) {                                            \
            type own = lanes[lane] + (type)distance, place = mask & lane_bit[lane] ? own : first;  \
            offset[lane] = (int32_t)place;                                                         \
            all |= place;                                                                          \
            highest = place > highest ? place : highest;                                           \
        }                                                                                          \
        return all & 3 ? UINT64_MAX : highest;                                                     \
    }
FIND_OFFSETS(find_offsets_wide, uint64_t)
FIND_OFFSETS(find_offsets_narrow, uint32_t)
#undef FIND_OFFSETS

VECTORISED static void load_words(uint32_t *restrict lanes, const unsigned char *restrict from,
                                  const int32_t *restrict offset, uint32_t mask)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t value = *(const uint32_t *)(const void *)(from + offset[lane]);
        lanes[lane] = mask & lane_bit[lane] ? value : lanes[lane];
    }
}

static void store_words(const uint32_t *lanes, unsigned char *to, const int32_t *offset,
                        uint32_t mask)
{
    for (unsigned lane = 0; mask == UINT32_MAX && lane < LANES; lane++)
        *(uint32_t *)(void *)(to + offset[lane]) = lanes[lane];
    FOR_LANES (lane, mask == UINT32_MAX ? 0 : mask)
        *(uint32_t *)(void *)(to + offset[lane]) = lanes[lane];
}

/* If a column's stride is a multiple of 1024 bytes, its lines are in few sets of the host's cache,
 * so that stores would evict each other's lines. Therefore, stores of columns are deferred, and
 * executed row by row. Columns are closer together than their stride, so words never overlap. */

void memory_store_columns(struct simt_block *block)
{
    struct columns *columns = &block->columns;
    enum { ROWS_AHEAD = 4 };
    for (unsigned lane = 0; block->column_count && lane < LANES; lane++) {
        unsigned char *row = columns->host + lane * columns->stride;
        unsigned char *ahead = row + (lane + ROWS_AHEAD < LANES) * ROWS_AHEAD * columns->stride;
        __builtin_prefetch(ahead + columns->first[0], 1);
        __builtin_prefetch(ahead + columns->first[block->column_count - 1], 1);
        for (unsigned i = 0; i < block->column_count; i++)
            *(uint32_t *)(void *)(row + columns->first[i]) = columns->words[i][lane];
    }
    block->column_count = 0;
}

VECTORISED static uint32_t differ_from_column(const int32_t *offset, uint32_t stride)
{
    uint32_t bits = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        bits |= (uint32_t)offset[lane] ^ ((uint32_t)offset[0] + lane * stride);
    return bits;
}

static bool defer_column(struct simt_block *block, const uint32_t *lanes, unsigned char *to,
                         const int32_t *offset)
{
    struct columns *columns = &block->columns;
    const int64_t stride = (int64_t)offset[1] - offset[0];
    if (stride <= 0 || stride % 1024 || differ_from_column(offset, (uint32_t)stride))
        return false;
    if (block->column_count == COLUMNS_MOST || to != columns->host || stride != columns->stride ||
        llabs((int64_t)offset[0] - columns->first[0]) >= stride / 2)
        memory_store_columns(block);
    columns->host = to;
    columns->stride = stride;
    columns->first[block->column_count] = offset[0];
    memcpy(columns->words[block->column_count++], lanes, sizeof *columns->words);
    return true;
}

/* Move words at any addresses of one array. Returns false if the slow path is required. */
static bool move_words(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    const struct simt_block *block = step->block;
    struct frame *frame = step->fragment->frame;
    const struct operand *base = &instruction->source[0];
    const struct operand *element = &frame->function->operands[instruction->extra];
    bool is_store = instruction->kind == SIMT_STORE;
    int32_t offset[LANES];
    unsigned char *host = block->shared;
    uint64_t begin = 0, end = block->shared_static_end;
    if (end == 0 && block->launch->program->dynamic_shared == 0)
        end = block->shared_bytes;
    if (instruction->space != PTX_SHARED) {
        const struct memory_region *region = block->regions[instruction->number % REGIONS_RETAINED];
        if (!region || region->bytes > INT32_MAX || region->base % sizeof(uint32_t) ||
            (is_store && !memory_is_written(region)))
            return false;
        host = region->host;
        begin = region->base;
        end = region->bytes;
    }
    if (instruction->bytes != sizeof(uint32_t))
        return false;
    uint64_t highest = (base->stride == 8 ? find_offsets_wide : find_offsets_narrow)(
        frame_source(frame, base), (uint64_t)instruction->immediate - begin, step->mask, offset);
    if (highest >= end || end - highest < sizeof(uint32_t))
        return false;
    const uint32_t *stored = (const void *)frame_source(frame, element);
    if (is_store && instruction->space != PTX_SHARED && step->mask == UINT32_MAX &&
        defer_column(step->block, stored, host, offset))
        return true;
    if (host == block->columns.host)
        memory_store_columns(step->block);
    if (is_store)
        store_words(stored, host, offset, step->mask);
    else
        load_words((void *)(frame->registers + element->offset), host, offset, step->mask);
    return true;
}

static void analyse_register(struct invariant_register *place, const uint32_t *lanes)
{
    place->low = place->high = lanes[0];
    place->bits = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        place->low = lanes[lane] < place->low ? lanes[lane] : place->low;
        place->high = lanes[lane] > place->high ? lanes[lane] : place->high;
        place->bits |= lanes[lane];
    }
    if (!lanes_find_halves(lanes, sizeof *lanes, sizeof *lanes, place->halves))
        place->halves[0] = place->halves[1] = HALF_OTHER;
    place->is_known = true;
}

static bool move_invariant(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    const struct simt_block *block = step->block;
    struct frame *frame = step->fragment->frame;
    const struct operand *element = &frame->function->operands[instruction->extra];
    const struct operand *base = &instruction->source[0];
    const uint32_t *lanes = (const void *)frame_source(frame, base);
    struct invariant_register *place = &step->warp->invariant[instruction->invariant_address - 1];
    bool is_store = instruction->kind == SIMT_STORE, is_full = step->mask == UINT32_MAX;
    if (!is_full && !place->is_known)
        return false;
    if (!place->is_known)
        analyse_register(place, lanes);
    const int64_t low = place->low + instruction->immediate;
    const int64_t high = place->high + instruction->immediate;
    int64_t end = (int64_t)block->shared_static_end;
    if (low >= (int64_t)block->launch->program->dynamic_shared)
        end = (int64_t)block->shared_bytes;
    if (low < 0 || high > end - (int64_t)sizeof *lanes ||
        ((place->bits | (uint64_t)instruction->immediate) & 3))
        return false;
    unsigned char *shared = block->shared + instruction->immediate;
    bool is_row = place->halves[0] == HALF_IN_ROW && place->halves[1] == HALF_IN_ROW;
    unsigned char *const host[2] = {shared + lanes[0], shared + lanes[LANES / 2]};
    if (!is_store && place->halves[0] && is_full)
        load_halves(frame->registers + element->offset, sizeof *lanes, host, place->halves);
    else if (!is_store)
        load_words((void *)(frame->registers + element->offset), shared, (const int32_t *)lanes,
                   step->mask);
    else if (is_row && is_full)
        for (unsigned half = 0; half < 2; half++)
            move_row(host[half], frame_source(frame, element) + half * LANES / 2 * sizeof *lanes,
                     sizeof *lanes / 4);
    else
        store_words((const void *)frame_source(frame, element), shared, (const int32_t *)lanes,
                    step->mask);
    return true;
}

static bool cost_is_known(const struct step *step)
{
    const struct bank_count *known = invariant_banks(step, step->mask);
    return step->block->observation == OBSERVED_NOT || (known && known->wavefronts) ||
           (step->instruction->fused == SIMT_FUSED_AWAY &&
            is_fused(step->block, step->instruction));
}

static bool request_fast(const struct step *step, const uint64_t at[2],
                         const enum half_pattern halves[2])
{
    const struct instruction *instruction = step->instruction;
    struct access access; /* Only the fields that are read are set (coalesce_has_halves). */
    access.space = (enum ptx_space)instruction->space;
    access.mask = UINT32_MAX;
    access.bytes = instruction->bytes;
    access.is_store = instruction->kind == SIMT_STORE;
    for (unsigned half = 0; half < 2; half++) {
        access.address[half * LANES / 2] = at[half];
        access.halves[half] = halves[half];
    }
    access_forget(step);
    return request_moved(step, &access);
}

bool memory_move_quickly(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    struct simt_block *block = step->block;
    struct frame *frame = step->fragment->frame;
    const struct operand *base = &instruction->source[0];
    const unsigned char *lanes = frame_source(frame, base);
    unsigned stride = base->stride, bytes = instruction->bytes;
    bool is_store = instruction->kind == SIMT_STORE;
    const bool is_plain = block->observation == OBSERVED_NOT;
    enum half_pattern halves[2];
    uint64_t at[2];
    unsigned char *host[2];
    if (THREAD_SANITIZED)
        return false;
    if (instruction->invariant_access && bytes == sizeof(uint32_t) && stride == sizeof(uint32_t) &&
        cost_is_known(step) && move_invariant(step))
        return is_plain || request_fast(step, (uint64_t[2]){0},
                                        (enum half_pattern[2]){HALF_AT_ONCE, HALF_AT_ONCE});
    if (!is_plain && instruction->fused != SIMT_FUSED_AWAY && is_fused(block, instruction))
        return false; /* The slow path counts the fused access, which has other addresses. */
    if (step->mask != UINT32_MAX || !lanes_find_halves(lanes, stride, bytes, halves))
        return is_plain && move_words(step);
    for (unsigned half = 0; half < 2; half++) {
        bool is_row = halves[half] == HALF_IN_ROW;
        if (is_store && !is_row)
            return false;
        at[half] =
            lane_get(lanes + half * LANES / 2 * stride, stride) + (uint64_t)instruction->immediate;
        at[half] = stride == 4 ? (uint32_t)at[half] : at[half];
        host[half] = find_host(block, instruction, at[half], is_row ? LANES / 2 * bytes : bytes);
        if (!host[half])
            return false;
    }
    if (instruction->space == PTX_GLOBAL) {
        if (block->regions[instruction->number % REGIONS_RETAINED]->host == block->columns.host)
            memory_store_columns(block);
        prefetch_next(step, host);
    }
    const struct operand *element = &frame->function->operands[instruction->extra];
    if (!is_store)
        load_halves(frame->registers + element->offset, bytes, host, halves);
    for (unsigned half = 0; half < 2 && is_store; half++)
        move_row(host[half], frame_source(frame, element) + half * LANES / 2 * bytes, bytes / 4);
    return is_plain || request_fast(step, at, halves);
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
        if (__builtin_expect(simt_repairs(step->block, EMULATOR_REPAIR_BOUNDS), 0) &&
            !access_repair(step, &access))
            continue;
        if (!access_resolve(step, &access) ||
            !access_check(step, &access, is_store ? SHADOW_STORE : SHADOW_LOAD))
            return false;
        if (is_store) {
            move_store(instruction, frame, &access);
        } else {
            EMIT(step->block, loading, step, &access);
            move_load(instruction, frame, &access);
        }
        EMIT(step->block, moved, step, &access);
        if (!is_store && access.space == PTX_SHARED && (instruction->flags & SIMT_VOLATILE))
            warp_note_poll(step, &access, &frame->function->operands[instruction->extra]);
        if (!request_moved(step, &access))
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
    return access_request(step, &access, is_store ? ACCESS_STORE : ACCESS_LOAD);
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

bool simt_read_generic(const struct step *step, unsigned lane, uint64_t address, void *bytes,
                       size_t size)
{
    const struct simt_block *block = step->block;
    const struct warp *warp = step->warp;
    uint64_t offset = address & ((1ull << 48) - 1);
    const unsigned char *host = NULL;
    uint64_t held = 0;
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
