/* repair.c: the sink that runs a block as if no barrier were missing.
 *
 * Shared memory is open for one kind of access at a time: stores, atomics or loads. Lanes that
 * request a different kind wait. After a barrier, all lanes that access shared memory wait. When no
 * thread can continue, shared memory opens for the next kind that a lane requests. If no lane waits
 * for shared memory, barriers that only some threads have reached are opened. The result is correct
 * if the only mistakes are missing barriers, or barriers that not all threads reach. */
#include "emulator/sinks/sinks.h"

#include <stdlib.h>

/* The kind of access that is allowed on shared memory. The kinds take turns in this order. */
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

/* Returns the kind of the step's access to shared memory, or REPAIR_CLOSED if there is none. Of a
 * generic access, only the first lane is examined. */
static enum repair_turn requested_turn(const struct step *step)
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
    enum repair_turn requested = requested_turn(step);
    if (requested == REPAIR_CLOSED || requested == turns_of(block)->now)
        return true;
    step->fragment->state = FRAGMENT_HELD;
    step->fragment->held_for = (uint8_t)requested;
    /* Do not count the instruction, because it has not been executed yet. */
    block->executed_by[step_number(step)]--;
    return false;
}

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

/* `counted` selects the barriers with a thread count. Returns true if a barrier was opened. */
static bool open_barriers(struct simt_block *block, bool counted)
{
    bool any = false;
    for (unsigned id = 0; id < BARRIERS; id++)
        if (!block->barriers[id].expected_warps == !counted && barrier_force(block, id))
            any = true;
    return any;
}

static bool open_shared(struct simt_block *block)
{
    uint32_t requested = 0;
    for (unsigned w = 0; w < block->warp_count; w++)
        for (unsigned i = 0; i < block->warps[w].fragment_count; i++) {
            struct fragment *fragment = &block->warps[w].fragments[i];
            if (fragment->state != FRAGMENT_HELD)
                continue;
            requested |= 1u << fragment->held_for;
            fragment->state = FRAGMENT_READY;
        }
    repair_close(block);
    struct turns *turns = turns_of(block);
    for (unsigned ahead = 1; requested && turns->now == REPAIR_CLOSED; ahead++) {
        unsigned next = 1 + (turns->last - 1 + ahead) % REPAIR_TURNS;
        if (requested >> next & 1)
            turns->now = (enum repair_turn)next;
    }
    return requested;
}

/* Accesses come first, because threads at a barrier may be one iteration ahead of other threads. */
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
