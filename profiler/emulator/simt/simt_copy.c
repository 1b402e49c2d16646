/* simt_copy.c: copies from global to shared memory that are under way while a warp goes on
 * (cp.async). */
#include "emulator/simt/simt_access.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more of each lane among what the warp has under way. */
static bool make_room(const struct step *step)
{
    struct warp *warp = step->warp;
    size_t wanted = warp->copy_count + LANES;
    if (wanted > MAX_COPIES)
        return simt_fault(step, (unsigned)__builtin_ctz(step->mask), STATUS_UNSUPPORTED,
                          "starts cp.async copies without ever waiting for them: its warp has more "
                          "than %d under way",
                          MAX_COPIES);
    if (wanted <= warp->copy_capacity)
        return true;
    struct pending_copy *copies = realloc(warp->copies, 2 * wanted * sizeof *copies);
    if (!copies)
        return simt_no_memory(step->block);
    warp->copies = copies;
    warp->copy_capacity = 2 * wanted;
    return true;
}

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
    count_shared(step, &to);
    return !from.mask ||
           count_global(step, &from,
                        instruction->flags & SIMT_BYPASS_L1 ? ACCESS_LOAD_L2 : ACCESS_LOAD);
}

bool simt_copy_arrive(const struct step *step, const uint64_t object[LANES])
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

/* The copy's data arrive: its lane stores them now; or it arrives at an mbarrier. */
static bool copy_deliver(const struct step *step, const struct pending_copy *copy)
{
    struct simt_block *block = step->block;
    if (!copy->bytes) {
        block->copy_arrivals--;
        return simt_mbarrier_arrive(step, copy->lane, copy->shared_address);
    }
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

/* Carry out the copies that are due. */
static bool deliver_due(const struct step *step)
{
    struct warp *warp = step->warp;
    size_t kept = 0;
    for (size_t i = 0; i < warp->copy_count; i++) {
        struct pending_copy copy = warp->copies[i];
        if (!copy.is_due)
            warp->copies[kept++] = copy;
        else if (!copy_deliver(step, &copy))
            return false;
    }
    warp->copy_count = kept;
    return true;
}

bool simt_copy_settle(const struct step *step, uint64_t object)
{
    struct simt_block *block = step->block;
    const struct instruction waits = {
        .kind = SIMT_COPY_WAIT, .opcode = PTX_OP_CP, .number = step->instruction->number};
    for (unsigned w = 0; w < block->warp_count && block->copy_arrivals; w++) {
        struct warp *warp = &block->warps[w];
        struct step owner = *step;
        uint32_t due = 0; /* lanes with a later arrival there */
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

/* Carry out the copies of the step's lanes: of all closed groups but the most recent ones, whose
 * number is the immediate; or also those of no group yet. */
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
