/* simt_async.c: asynchronous copies from global to shared memory (cp.async), and mbarriers, which
 * are barrier objects in shared memory (PTX ISA, "mbarrier"). The 64 bits of an object are opaque
 * to programs. In this file, from the lowest bit, an object contains the pending arrivals, the
 * expected arrivals (20 bits each) and the phase number. The top bit is set if a thread has arrived
 * in the phase. An arrival returns the previous bits of the object. */
#include "emulator/warp/simt_access.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_BITS = 20, COUNT_MAX = (1 << COUNT_BITS) - 1, PHASE_SHIFT = 2 * COUNT_BITS };
#define HAS_BEGUN (UINT64_C(1) << 63)

static uint64_t object_make(uint64_t pending, uint64_t expected, uint64_t phase)
{
    return pending | expected << COUNT_BITS | phase << PHASE_SHIFT;
}

static uint64_t object_pending(uint64_t object)
{
    return object & COUNT_MAX;
}

static uint64_t object_phase(uint64_t object)
{
    return (object & ~HAS_BEGUN) >> PHASE_SHIFT;
}

/* Count arrivals at *object. If `drops` is true, later phases expect `count` fewer arrivals. */
static bool arrive(const struct step *step, unsigned lane, uint64_t *object, uint64_t count,
                   bool drops)
{
    uint64_t pending = object_pending(*object), expected = *object >> COUNT_BITS & COUNT_MAX;
    if (count > pending)
        return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                          "arrives %" PRIu64
                          " time%s at an mbarrier, but its phase expects only %" PRIu64
                          " further arrival%s",
                          count, count == 1 ? "" : "s", pending, pending == 1 ? "" : "s");
    expected -= drops ? count : 0;
    bool completes = pending == count;
    if (completes && step->instruction->kind == SIMT_MBARRIER &&
        (step->instruction->flags & SIMT_NO_COMPLETE))
        return simt_fault(
            step, lane, STATUS_LAUNCH_ERROR,
            "arrives with .noComplete at an mbarrier, but this arrival completes the phase");
    uint64_t phase = (object_phase(*object) + completes) % (HAS_BEGUN >> PHASE_SHIFT);
    *object = object_make(completes ? expected : pending - count, expected, phase) |
              (completes ? 0 : HAS_BEGUN);
    return true;
}

static bool arrive_at(const struct step *step, unsigned lane, uint64_t at, uint64_t count,
                      bool drops)
{
    uint64_t object, before;
    memcpy(&object, step->block->shared + at, sizeof object);
    before = object;
    if (!arrive(step, lane, &object, count, drops))
        return false;
    memcpy(step->block->shared + at, &object, sizeof object);
    EMIT(step->block, mbarrier_arrive, step, lane, at, object_phase(before), !(before & HAS_BEGUN));
    return true;
}

static bool make_room(const struct step *step)
{
    struct warp *warp = step->warp;
    size_t needed = warp->copy_count + LANES;
    if (needed > MAX_COPIES)
        return simt_fault(step, (unsigned)__builtin_ctz(step->mask), STATUS_UNSUPPORTED,
                          "starts cp.async copies but never waits for them: its warp has more than "
                          "%d copies in flight",
                          MAX_COPIES);
    if (needed <= warp->copy_capacity)
        return true;
    struct pending_copy *copies = realloc(warp->copies, 2 * needed * sizeof *copies);
    if (!copies)
        return simt_no_memory(step->block);
    warp->copies = copies;
    warp->copy_capacity = 2 * needed;
    return true;
}

/* A copy reads its data now, and stores the data when its lane waits for the copy, so that the
 * checks find a missing wait. Each lane has its own groups (PTX ISA, "cp.async"). */
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
    if (!make_room(step))
        return false;
    FOR_LANES (lane, mask) {
        struct pending_copy *copy = &warp->copies[warp->copy_count++];
        *copy = (struct pending_copy){.shared_address = to.address[lane],
                                      .bytes = instruction->bytes,
                                      .lane = (uint8_t)lane,
                                      .group = warp->copy_group[lane]};
        for (unsigned i = 0; i < sizes[lane]; i++)
            copy->data[i] = __atomic_load_n(access_host(&from, lane) + i, __ATOMIC_RELAXED);
    }
    return access_request(step, &to, ACCESS_STORE) &&
           (!from.mask ||
            access_request(step, &from,
                           instruction->flags & SIMT_BYPASS_L1 ? ACCESS_LOAD_L2 : ACCESS_LOAD));
}

/* Queue an arrival at each lane's object. The arrival happens after the lane's earlier copies. */
static bool arrive_later(const struct step *step, const uint64_t object[LANES])
{
    struct warp *warp = step->warp;
    if (!make_room(step))
        return false;
    FOR_LANES (lane, step->mask) {
        warp->copies[warp->copy_count++] = (struct pending_copy){
            .shared_address = object[lane], .lane = (uint8_t)lane, .group = warp->copy_group[lane]};
        step->block->copy_arrivals++;
    }
    return true;
}

static bool copy_deliver(const struct step *step, const struct pending_copy *copy)
{
    struct simt_block *block = step->block;
    if (!copy->bytes) {
        block->copy_arrivals--;
        return arrive_at(step, copy->lane, copy->shared_address, 1, false);
    }
    uint64_t address[LANES] = {0};
    address[copy->lane] = copy->shared_address;
    const struct checked_access stored = {.space = PTX_SHARED,
                                          .kind = SHADOW_STORE,
                                          .mask = 1u << copy->lane,
                                          .bytes = copy->bytes,
                                          .delivered = copy->data,
                                          .low = copy->shared_address,
                                          .high = copy->shared_address,
                                          .address = address};
    if (!ASK(true, block, access, step, &stored))
        return false;
    memcpy(block->shared + copy->shared_address, copy->data, copy->bytes);
    EMIT(block, delivered, step, &stored);
    return true;
}

bool simt_copy_commit(const struct step *step)
{
    FOR_LANES (lane, step->mask)
        step->warp->copy_group[lane]++;
    step->warp->commits = true;
    return true;
}

static bool deliver_due(const struct step *step)
{
    struct warp *warp = step->warp;
    size_t retained = 0;
    for (size_t i = 0; i < warp->copy_count; i++) {
        struct pending_copy copy = warp->copies[i];
        if (!copy.is_due)
            warp->copies[retained++] = copy;
        else if (!copy_deliver(step, &copy))
            return false;
    }
    warp->copy_count = retained;
    return true;
}

static bool settle(const struct step *step, uint64_t object)
{
    struct simt_block *block = step->block;
    const struct instruction waits = {
        .kind = SIMT_COPY_WAIT, .opcode = PTX_OP_CP, .number = step->instruction->number};
    for (unsigned w = 0; w < block->warp_count && block->copy_arrivals; w++) {
        struct warp *warp = &block->warps[w];
        struct step owner = *step;
        uint32_t due = 0; /* Lanes with an arrival at `object` that is queued at or after copy i. */
        owner.warp = warp;
        owner.instruction = &waits;
        for (size_t i = warp->copy_count; i-- > 0;) {
            struct pending_copy *copy = &warp->copies[i];
            due |= (uint32_t)(!copy->bytes && copy->shared_address == object) << copy->lane;
            copy->is_due = due >> copy->lane & 1;
        }
        if (due && !deliver_due(&owner))
            return false;
    }
    return true;
}

/* Complete all committed groups of copies except the last N groups, where N is the immediate. With
 * SIMT_EVERY, also complete copies that are not in a committed group. */
bool simt_copy_wait(const struct step *step)
{
    struct warp *warp = step->warp;
    uint64_t left = (uint32_t)step->instruction->immediate;
    if (step->instruction->flags & SIMT_EVERY)
        simt_copy_commit(step);
    for (size_t i = 0; i < warp->copy_count; i++) {
        struct pending_copy *copy = &warp->copies[i];
        copy->is_due =
            (step->mask >> copy->lane & 1) && copy->group + left < warp->copy_group[copy->lane];
    }
    return deliver_due(step);
}

/* Returns the offset of the lane's mbarrier in shared memory, or UINT64_MAX after a fault. */
static uint64_t find_object(const struct step *step, unsigned lane)
{
    const struct simt_block *block = step->block;
    const struct instruction *instruction = step->instruction;
    uint64_t address = step_source(step, 0, lane) + (uint64_t)instruction->immediate;
    if (instruction->source[0].stride == 4)
        address = (uint32_t)address;
    if (instruction->space == PTX_GENERIC)
        address -= GUEST_SHARED_BASE;
    if (address % sizeof(uint64_t) == 0 && address < block->shared_bytes &&
        block->shared_bytes - address >= sizeof(uint64_t))
        return address;
    simt_fault(step, lane, STATUS_OUT_OF_BOUNDS,
               "uses an mbarrier at address 0x%" PRIx64
               ", which is not an 8-byte aligned address in shared memory",
               address);
    return UINT64_MAX;
}

static bool execute_lane(const struct step *step, unsigned lane, uint64_t at)
{
    struct frame *frame = step->fragment->frame;
    const struct instruction *instruction = step->instruction;
    bool has_count = instruction->source[1].used;
    uint64_t operand = has_count ? step_source(step, 1, lane) : 1, object;
    memcpy(&object, step->block->shared + at, sizeof object);
    bool done = false;
    switch ((enum simt_mbarrier)instruction->control) {
    case MBARRIER_INIT:
        if (!operand || operand > COUNT_MAX)
            return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                              "initializes an mbarrier with %" PRIu64
                              " arrivals: the number must be 1 to %d",
                              operand, COUNT_MAX);
        object = object_make(operand, operand, 0);
        break;
    case MBARRIER_INVAL:
    case MBARRIER_PENDING_COUNT:
    case MBARRIER_COPIES_COUNTED:
        break;
    case MBARRIER_COPIES:
        if (object_pending(object) == COUNT_MAX)
            return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                              "makes an mbarrier expect more than %d arrivals", COUNT_MAX);
        object++;
        break;
    case MBARRIER_ARRIVE:
    case MBARRIER_ARRIVE_DROP:
        if (instruction->destination.used)
            frame_set_lane(frame, &instruction->destination, lane, object);
        return arrive_at(step, lane, at, operand, instruction->control == MBARRIER_ARRIVE_DROP);
    case MBARRIER_WAIT:
    case MBARRIER_WAIT_PARITY:
        done = instruction->control == MBARRIER_WAIT ? object_phase(object) != object_phase(operand)
                                                     : (object_phase(object) & 1) != (operand & 1);
        if (done)
            EMIT(step->block, mbarrier_wait, step, lane, at, object_phase(object) - 1);
        step->warp->hands_over |= !done;
        frame_set_predicate(frame, &instruction->destination, 1u << lane, done ? ~0u : 0);
        break;
    }
    memcpy(step->block->shared + at, &object, sizeof object);
    return true;
}

bool simt_mbarrier(const struct step *step)
{
    uint64_t address[LANES] = {0};
    enum simt_mbarrier operation = (enum simt_mbarrier)step->instruction->control;
    if (operation == MBARRIER_PENDING_COUNT) {
        FOR_LANES (lane, step->mask)
            frame_set_lane(step->fragment->frame, &step->instruction->destination, lane,
                           object_pending(step_source(step, 1, lane)));
        return true;
    }
    step->warp->polls |= operation == MBARRIER_WAIT || operation == MBARRIER_WAIT_PARITY;
    FOR_LANES (lane, step->mask)
        if ((address[lane] = find_object(step, lane)) == UINT64_MAX)
            return false;
    struct checked_access checked = {.space = PTX_SHARED,
                                     .kind = operation == MBARRIER_INIT    ? SHADOW_STORE
                                             : operation <= MBARRIER_INVAL ? SHADOW_LOAD
                                             : operation >= MBARRIER_WAIT  ? SHADOW_LOAD
                                                                           : SHADOW_ATOMIC,
                                     .mask = step->mask,
                                     .bytes = sizeof(uint64_t),
                                     .address = address};
    if (!ASK(true, step->block, access, step, &checked))
        return false;
    FOR_LANES (lane, operation >= MBARRIER_WAIT ? step->mask : 0)
        if (!settle(step, address[lane]))
            return false;
    FOR_LANES (lane, operation == MBARRIER_COPIES_COUNTED ? 0 : step->mask)
        if (!execute_lane(step, lane, address[lane]))
            return false;
    bool of_copies = operation == MBARRIER_COPIES || operation == MBARRIER_COPIES_COUNTED;
    return !of_copies || arrive_later(step, address);
}
