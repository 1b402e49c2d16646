/* simt_warp.c: operations that synchronize lanes of a warp: shuffles, votes, match, redux, elect
 * and bar.warp.sync. An operation waits until all lanes of its member mask have arrived. */
#include "emulator/warp/sink.h"

#include "base/vectorised.h"

#include <string.h>

/* Set the source lane of each lane. Returns the lanes that have a source lane in the same segment.
 * All other lanes read their own value. */
VECTORISED static uint32_t shuffle_sources(enum simt_shuffle kind, const uint32_t *distances,
                                           const uint32_t *bounds, uint32_t sources[LANES])
{
    uint32_t valid = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t b = distances[lane] & 31, clamp = bounds[lane] & 31;
        uint32_t segment = bounds[lane] >> 8 & 31, minimum = lane & segment;
        int32_t maximum = (int32_t)(minimum | (clamp & ~segment));
        int32_t j = (int32_t)(kind == SHUFFLE_UP     ? lane - b
                              : kind == SHUFFLE_DOWN ? lane + b
                              : kind == SHUFFLE_BFLY ? lane ^ b
                                                     : minimum | (b & ~segment));
        bool is_inside = kind == SHUFFLE_UP ? j >= maximum : j <= maximum;
        sources[lane] = is_inside ? (uint32_t)j : lane;
        valid |= is_inside ? lane_bit[lane] : 0;
    }
    return valid;
}

VECTORISED static void take_lanes(uint32_t *to, const uint32_t *from, const uint32_t sources[LANES],
                                  uint32_t mask)
{
    uint32_t values[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        values[lane] = from[sources[lane]];
    for (unsigned lane = 0; lane < LANES; lane++)
        to[lane] = mask & lane_bit[lane] ? values[lane] : to[lane];
}

static uint32_t *word_lanes(const struct frame *frame, const struct operand *operand)
{
    return (uint32_t *)(uintptr_t)frame_source(frame, operand);
}

/* Shuffle the lanes of `mask`. A source lane outside `mask` is also read (undefined in PTX). */
static void collective_shuffle(const struct instruction *instruction, struct frame *frame,
                               uint32_t mask, uint32_t sources[LANES])
{
    const struct operand *source = instruction->source;
    uint32_t valid =
        shuffle_sources((enum simt_shuffle)instruction->control, word_lanes(frame, &source[1]),
                        word_lanes(frame, &source[2]), sources);
    take_lanes(word_lanes(frame, &instruction->destination), word_lanes(frame, &source[0]), sources,
               mask);
    if (instruction->destination2.used)
        frame_set_predicate(frame, &instruction->destination2, mask, valid);
}

static void collective_vote(const struct instruction *instruction, struct frame *frame,
                            uint32_t mask)
{
    uint32_t votes = frame_predicate(frame, &instruction->source[0]) & mask;
    const enum simt_vote vote = (enum simt_vote)instruction->control;
    if (vote == VOTE_BALLOT) {
        FOR_LANES (lane, mask)
            frame_set_lane(frame, &instruction->destination, lane, votes);
        return;
    }
    bool result = vote == VOTE_ANY ? votes : votes == mask || (vote == VOTE_UNI && !votes);
    frame_set_predicate(frame, &instruction->destination, mask, result ? ~0u : 0);
}

static void collective_match(const struct instruction *instruction, struct frame *frame,
                             uint32_t mask)
{
    uint64_t values[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        values[lane] = frame_lane(frame, &instruction->source[0], lane);
    uint32_t all_equal = 0;
    FOR_LANES (lane, mask) {
        uint32_t equal = 0;
        FOR_LANES (other, mask)
            equal |= (uint32_t)(values[other] == values[lane]) << other;
        if (instruction->control) {
            all_equal = equal == mask ? ~0u : 0;
            equal = equal == mask ? mask : 0;
        }
        frame_set_lane(frame, &instruction->destination, lane, equal);
    }
    if (instruction->destination2.used)
        frame_set_predicate(frame, &instruction->destination2, mask, all_equal);
}

static void collective_redux(const struct instruction *instruction, struct frame *frame,
                             uint32_t mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t result = (uint32_t)frame_lane(frame, &instruction->source[0], first);
    FOR_LANES (lane, mask & (mask - 1))
        result = (uint32_t)simt_atomic_result(instruction, 4, result,
                                              frame_lane(frame, &instruction->source[0], lane), 0);
    FOR_LANES (lane, mask)
        frame_set_lane(frame, &instruction->destination, lane, result);
}

static void collective_elect(const struct instruction *instruction, struct frame *frame,
                             uint32_t mask)
{
    unsigned leader = (unsigned)__builtin_ctz(mask);
    FOR_LANES (lane, mask)
        frame_set_lane(frame, &instruction->destination, lane, leader);
    if (instruction->destination2.used)
        frame_set_predicate(frame, &instruction->destination2, mask, 1u << leader);
}

static void collective(const struct simt_block *block, struct warp *warp,
                       const struct instruction *instruction, struct frame *frame, uint32_t mask)
{
    uint32_t sources[LANES];
    switch (instruction->kind) {
    case SIMT_SHUFFLE:
        collective_shuffle(instruction, frame, mask, sources);
        EMIT(block, exchanged, block, warp, frame, instruction, mask, sources);
        break;
    case SIMT_VOTE:
        collective_vote(instruction, frame, mask);
        break;
    case SIMT_MATCH:
        collective_match(instruction, frame, mask);
        break;
    case SIMT_REDUX:
        collective_redux(instruction, frame, mask);
        EMIT(block, exchanged, block, warp, frame, instruction, mask, NULL);
        break;
    default:
        collective_elect(instruction, frame, mask);
        break;
    }
}

static bool is_collective(uint16_t kind)
{
    return kind == SIMT_SHUFFLE || kind == SIMT_VOTE || kind == SIMT_MATCH || kind == SIMT_REDUX ||
           kind == SIMT_ELECT;
}

const struct operand *warp_member_mask(const struct instruction *instruction)
{
    return &instruction->source[instruction->kind == SIMT_WARP_SYNC ? 0 : 3];
}

static bool waits_with(const struct fragment *other, const struct fragment *fragment)
{
    const struct instruction *instruction = &fragment->frame->function->code[fragment->pc];
    if (other->state != FRAGMENT_AT_SYNC)
        return false;
    if (is_collective(instruction->kind))
        return other->frame == fragment->frame && other->pc == fragment->pc;
    return other->frame->function->code[other->pc].kind == SIMT_WARP_SYNC;
}

/* Join ready fragments of synchronized lanes, which warp_loosen may have separated. */
static void join(struct warp *warp, uint32_t synced)
{
    for (unsigned i = 0; i < warp->fragment_count; i++) {
        struct fragment *first = &warp->fragments[i];
        for (unsigned k = warp->fragment_count - 1; (first->mask & synced) && k > i; k--) {
            const struct fragment *other = &warp->fragments[k];
            if (first->state != FRAGMENT_READY || other->state != FRAGMENT_READY ||
                !(other->mask & synced) || other->pc != first->pc || other->frame != first->frame ||
                other->node != first->node)
                continue;
            first->mask |= other->mask;
            first->way = PC_NEVER;
            fragment_remove(warp, k);
        }
    }
}

/* Execute a waiting fragment's warp operation. Returns false if required lanes do not wait yet. */
static bool sync_try(struct simt_block *block, struct warp *warp, unsigned index)
{
    const struct fragment fragment = warp->fragments[index];
    const struct instruction *instruction = &fragment.frame->function->code[fragment.pc];
    uint32_t come = 0;
    for (unsigned i = 0; i < warp->fragment_count; i++) {
        const struct fragment *other = &warp->fragments[i];
        if (waits_with(other, &fragment) && other->needed == fragment.needed)
            come |= other->mask;
    }
    if (fragment.needed & ~warp->exited & ~come)
        return false;
    if (is_collective(instruction->kind))
        collective(block, warp, instruction, fragment.frame, come);
    else
        EMIT(block, synced, block, warp, come);
    for (unsigned i = 0; i < warp->fragment_count; i++) {
        struct fragment *other = &warp->fragments[i];
        if (waits_with(other, &fragment) && (other->mask & come)) {
            other->state = FRAGMENT_READY;
            other->pc++;
        }
    }
    join(warp, come);
    return true;
}

void warp_sync_check(struct simt_block *block, struct warp *warp)
{
    for (unsigned i = 0; i < warp->fragment_count; i++)
        if (warp->fragments[i].state == FRAGMENT_AT_SYNC && sync_try(block, warp, i))
            i = UINT32_MAX; /* Start over, because fragments have changed. */
}

VECTORISED static bool is_uniform(const uint32_t *lanes)
{
    uint32_t differences = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        differences |= lanes[lane] ^ lanes[0];
    return !differences;
}

/* Returns the lanes with the same member mask as the first lane. *needed receives this mask. */
static uint32_t sync_group(const struct step *step, const struct operand *members, uint32_t mask,
                           uint32_t *needed)
{
    const struct frame *frame = step->fragment->frame;
    *needed = mask;
    if (!members->used)
        return mask;
    uint64_t first = frame_lane(frame, members, (unsigned)__builtin_ctz(mask));
    uint32_t group = is_uniform(word_lanes(frame, members)) ? mask : 0;
    FOR_LANES (lane, mask & ~group)
        group |= (uint32_t)(frame_lane(frame, members, lane) == first) << lane;
    *needed = (uint32_t)first & step->warp->lanes;
    return group;
}

static bool sync_is_reached(struct simt_block *block, struct warp *warp, struct fragment *fragment,
                            uint32_t needed)
{
    if (!(needed & warp->exited) || block->launch->mode != LAUNCH_CHECK ||
        !exits_skip(block, warp, needed, fragment))
        return true;
    struct step step = step_at(block, warp, fragment);
    return simt_fault(
        &step, (unsigned)__builtin_ctz(fragment->mask), STATUS_DEADLOCK,
        "executes a warp operation, but member mask 0x%08x includes lanes that left the kernel "
        "without this operation. All lanes of the mask must reach the operation",
        needed);
}

bool warp_sync_left(struct simt_block *block, struct warp *warp)
{
    for (unsigned i = 0; i < warp->fragment_count; i++) {
        struct fragment *fragment = &warp->fragments[i];
        if (fragment->state == FRAGMENT_AT_SYNC &&
            !sync_is_reached(block, warp, fragment, fragment->needed))
            return false;
    }
    warp_sync_check(block, warp);
    return true;
}

bool simt_warp_sync(const struct step *step)
{
    struct warp *warp = step->warp;
    struct fragment *fragment = step->fragment;
    const struct instruction *instruction = step->instruction;
    const struct operand *members = warp_member_mask(instruction);
    uint32_t mask = step->mask;
    if (!ASK(true, step->block, sync, step))
        return false;
    /* A group contains the lanes with the same member mask. Usually, all groups are complete. */
    bool complete = true;
    uint32_t group = mask, needed = mask;
    for (uint32_t left = mask; complete && left; left &= ~group) {
        group = sync_group(step, members, left, &needed);
        complete = !(needed & ~warp->exited & ~group);
    }
    if (complete) {
        for (uint32_t left = mask; left; left &= ~group) {
            group = sync_group(step, members, left, &needed);
            if (!sync_is_reached(step->block, warp, fragment, needed))
                return false;
            if (is_collective(instruction->kind))
                collective(step->block, warp, instruction, fragment->frame, group);
            else
                EMIT(step->block, synced, step->block, warp, group);
        }
        fragment->pc++;
        return true;
    }
    /* This group waits, and other groups repeat this instruction. */
    if (mask != fragment->mask)
        fragment_divide(warp, fragment, fragment->mask & ~mask, fragment->pc + 1);
    if (group != mask &&
        !fragment_split(warp, fragment, mask & ~group, fragment->pc, fragment->pc + 1))
        return simt_no_memory(step->block);
    fragment->state = FRAGMENT_AT_SYNC;
    fragment->needed = needed;
    warp_sync_check(step->block, warp);
    return true;
}
