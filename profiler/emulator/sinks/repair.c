/* repair.c: the sink that runs a block as if barriers stood where they are missing.
 *
 * Shared memory is open for one kind of access at a time: stores, atomics or loads. Lanes that want
 * another kind wait, and so does everyone after a barrier. When no thread of the block can go on,
 * shared memory opens for the next kind that somebody waits for, and where nobody does, barriers
 * that only some threads have reached. So a kernel whose only mistake is that barriers are missing,
 * or that not all threads reach one, computes what it would without.
 */
#include "emulator/sinks/sinks.h"

#include <stdlib.h>

/* What shared memory is open for, in cyclic order. */
enum repair_turn {
    REPAIR_CLOSED,
    REPAIR_STORES,
    REPAIR_ATOMICS,
    REPAIR_LOADS,
    REPAIR_TURNS = REPAIR_LOADS
};

struct turns {
    enum repair_turn now, last;
};

static struct turns *turns_of(const struct simt_block *block)
{
    return block->sink_states[SINK_REPAIR];
}

static void *repair_create(const struct simt_block *block, void *plan)
{
    (void)block, (void)plan;
    return calloc(1, sizeof(struct turns));
}

static void repair_begin(struct simt_block *block)
{
    *turns_of(block) = (struct turns){REPAIR_CLOSED, REPAIR_LOADS};
}

/* What the step does to shared memory; REPAIR_CLOSED: nothing. Lanes of a generic access are
 * taken to go where the first one goes. */
static enum repair_turn wanted_turn(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    if (instruction->kind == SIMT_COPY_WAIT)
        return step->warp->copy_count ? REPAIR_STORES : REPAIR_CLOSED;
    bool stores = instruction->kind == SIMT_STORE, adds = instruction->kind == SIMT_ATOMIC;
    if (!stores && !adds && instruction->kind != SIMT_LOAD)
        return REPAIR_CLOSED;
    bool shared = instruction->space == PTX_SHARED;
    if (instruction->space == PTX_GENERIC) {
        uint64_t address = step_source(step, 0, (unsigned)__builtin_ctz(step->mask));
        shared = (address + (uint64_t)instruction->immediate) >> 48 == GUEST_SHARED_BASE >> 48;
    }
    return !shared ? REPAIR_CLOSED : stores ? REPAIR_STORES : adds ? REPAIR_ATOMICS : REPAIR_LOADS;
}

static bool repair_admits(const struct step *step)
{
    struct simt_block *block = step->block;
    enum repair_turn wanted = wanted_turn(step);
    if (wanted == REPAIR_CLOSED || wanted == turns_of(block)->now)
        return true;
    step->fragment->state = FRAGMENT_HELD;
    step->fragment->held_for = (uint8_t)wanted;
    /* It has not been executed yet. */
    block->executed_by[step->fragment->frame->function->stats_base + step->instruction->number]--;
    return false;
}

/* A barrier was passed: nobody goes on to shared memory before all have come as far as they can. */
static void repair_close(struct simt_block *block)
{
    struct turns *turns = turns_of(block);
    if (turns->now != REPAIR_CLOSED)
        turns->last = turns->now;
    turns->now = REPAIR_CLOSED;
}

static void repair_reopen(struct simt_block *block, unsigned id, bool counted)
{
    (void)id, (void)counted;
    repair_close(block);
}

/* Open barriers at which some threads wait and others never arrive: those for all threads, or with
 * `counted` those that name a number of threads. Whether there were any. */
static bool open_barriers(struct simt_block *block, bool counted)
{
    bool any = false;
    for (unsigned id = 0; id < BARRIERS; id++)
        if (!block->barriers[id].expected_warps == !counted && barrier_force(block, id))
            any = true;
    return any;
}

/* Open shared memory to the next kind of access that somebody waits for; false: nobody does. */
static bool open_shared(struct simt_block *block)
{
    uint32_t wanted = 0;
    for (unsigned w = 0; w < block->warp_count; w++)
        for (unsigned i = 0; i < block->warps[w].fragment_count; i++) {
            struct fragment *fragment = &block->warps[w].fragments[i];
            if (fragment->state != FRAGMENT_HELD)
                continue;
            wanted |= 1u << fragment->held_for;
            fragment->state = FRAGMENT_READY; /* it asks again */
        }
    repair_close(block);
    struct turns *turns = turns_of(block);
    for (unsigned ahead = 1; wanted && turns->now == REPAIR_CLOSED; ahead++) {
        unsigned next = 1 + (turns->last - 1 + ahead) % REPAIR_TURNS;
        if (wanted >> next & 1)
            turns->now = (enum repair_turn)next;
    }
    return wanted;
}

/* Shared memory first: who is at a barrier already may be a round of a loop ahead of who still
 * loads.
 */
static bool repair_stalled(struct simt_block *block)
{
    return open_shared(block) || open_barriers(block, false) || open_barriers(block, true);
}

const struct sink repair_sink = {.create = repair_create,
                                 .free = free,
                                 .begin = repair_begin,
                                 .reopen = repair_reopen,
                                 .admits = repair_admits,
                                 .stalled = repair_stalled};
