/* simt_mend.c: run a block as if barriers stood where they are missing.
 *
 * Shared memory is open for one kind of access at a time: stores, atomics or loads. Lanes that want
 * another kind wait, and so does everyone after a barrier. When no thread of the block can go on,
 * shared memory opens for the next kind that somebody waits for, and where nobody does, barriers
 * that only some threads have reached. So a kernel whose only mistake is that barriers are missing,
 * or that not all threads reach one, computes what it would without.
 */
#include "emulator/simt/simt_state.h"

/* What the step does to shared memory; MEND_CLOSED: nothing. Lanes of a generic access are taken to
 * go where the first one goes. */
static enum mend_turn wanted_turn(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    if (instruction->kind == SIMT_COPY_WAIT)
        return step->warp->copy_count ? MEND_STORES : MEND_CLOSED;
    bool stores = instruction->kind == SIMT_STORE, adds = instruction->kind == SIMT_ATOMIC;
    if (!stores && !adds && instruction->kind != SIMT_LOAD)
        return MEND_CLOSED;
    bool shared = instruction->space == PTX_SHARED;
    if (instruction->space == PTX_GENERIC) {
        uint64_t address = step_source(step, 0, (unsigned)__builtin_ctz(step->mask));
        shared = (address + (uint64_t)instruction->immediate) >> 48 == GUEST_SHARED_BASE >> 48;
    }
    return !shared ? MEND_CLOSED : stores ? MEND_STORES : adds ? MEND_ATOMICS : MEND_LOADS;
}

bool mend_admits(const struct step *step)
{
    enum mend_turn wanted = wanted_turn(step);
    return wanted == MEND_CLOSED || wanted == step->block->turn;
}

void mend_close(struct simt_block *block)
{
    if (block->turn != MEND_CLOSED)
        block->last_turn = block->turn;
    block->turn = MEND_CLOSED;
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
            if (fragment->state != FRAGMENT_AT_TURN)
                continue;
            wanted |= 1u << fragment->turn;
            fragment->state = FRAGMENT_READY; /* it asks again */
        }
    mend_close(block);
    for (unsigned ahead = 1; wanted && block->turn == MEND_CLOSED; ahead++) {
        unsigned next = 1 + (block->last_turn - 1 + ahead) % MEND_TURNS;
        if (wanted >> next & 1)
            block->turn = (enum mend_turn)next;
    }
    return wanted;
}

void mend_wait(const struct step *step)
{
    struct simt_block *block = step->block;
    step->fragment->state = FRAGMENT_AT_TURN;
    step->fragment->turn = (uint8_t)wanted_turn(step);
    /* It has not been executed yet. */
    block->executed_by[step->fragment->frame->function->stats_base + step->instruction->number]--;
}

/* Shared memory first: who is at a barrier already may be a round of a loop ahead of who still
 * loads.
 */
bool mend_block(struct simt_block *block)
{
    return open_shared(block) || open_barriers(block, false) || open_barriers(block, true);
}
