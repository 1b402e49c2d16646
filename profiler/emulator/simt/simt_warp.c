/* simt_warp.c: operations in which lanes see each other's values: shuffles, votes, match, redux,
 * elect (PTX ISA, "Parallel Synchronization and Communication Instructions"; shfl: 9.7.9.6). */
#include "emulator/simt/simt_block.h"

#include <string.h>

static void collective_shuffle(const struct instruction *instruction, struct frame *frame,
                               uint32_t mask)
{
    uint32_t values[LANES], valid = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        values[lane] = (uint32_t)frame_lane(frame, &instruction->source[0], lane);
    uint32_t results[LANES];
    FOR_LANES (lane, mask) {
        uint32_t b = (uint32_t)frame_lane(frame, &instruction->source[1], lane) & 31;
        uint32_t c = (uint32_t)frame_lane(frame, &instruction->source[2], lane);
        uint32_t clamp = c & 31, segment = c >> 8 & 31;
        uint32_t maximum = (lane & segment) | (clamp & ~segment);
        uint32_t minimum = lane & segment;
        int32_t j = 0;
        bool inside = false;
        switch ((enum simt_shuffle)instruction->control) {
        case SHUFFLE_UP:
            j = (int32_t)lane - (int32_t)b;
            inside = j >= (int32_t)maximum;
            break;
        case SHUFFLE_DOWN:
            j = (int32_t)(lane + b);
            inside = j <= (int32_t)maximum;
            break;
        case SHUFFLE_BFLY:
            j = (int32_t)(lane ^ b);
            inside = j <= (int32_t)maximum;
            break;
        case SHUFFLE_IDX:
            j = (int32_t)(minimum | (b & ~segment));
            inside = j <= (int32_t)maximum;
            break;
        }
        uint32_t from = inside ? (uint32_t)j : lane;
        /* Reading from a lane that does not take part is undefined: it gives that lane's register.
         */
        results[lane] = values[from];
        valid |= (uint32_t)inside << lane;
    }
    FOR_LANES (lane, mask)
        frame_set_lane(frame, &instruction->destination, lane, results[lane]);
    if (instruction->destination2.used)
        frame_set_predicate(frame, &instruction->destination2, mask, valid);
}

static void collective_vote(const struct instruction *instruction, struct frame *frame,
                            uint32_t mask)
{
    uint32_t votes = frame_predicate(frame, &instruction->source[0]) & mask;
    switch ((enum simt_vote)instruction->control) {
    case VOTE_BALLOT:
        FOR_LANES (lane, mask)
            frame_set_lane(frame, &instruction->destination, lane, votes);
        return;
    case VOTE_ALL:
        frame_set_predicate(frame, &instruction->destination, mask, votes == mask ? ~0u : 0);
        return;
    case VOTE_ANY:
        frame_set_predicate(frame, &instruction->destination, mask, votes ? ~0u : 0);
        return;
    case VOTE_UNI:
        frame_set_predicate(frame, &instruction->destination, mask,
                            votes == mask || votes == 0 ? ~0u : 0);
        return;
    }
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
        if (instruction->control) { /* match.all */
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
    bool is_signed = instruction->flags & SIMT_SIGNED;
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t result = (uint32_t)frame_lane(frame, &instruction->source[0], first);
    FOR_LANES (lane, mask & (mask - 1)) {
        uint32_t value = (uint32_t)frame_lane(frame, &instruction->source[0], lane);
        bool less = is_signed ? (int32_t)value < (int32_t)result : value < result;
        switch ((enum simt_atomic)instruction->control) {
        case ATOMIC_ADD:
            result += value;
            break;
        case ATOMIC_MIN:
            result = less ? value : result;
            break;
        case ATOMIC_MAX:
            result = less ? result : value;
            break;
        case ATOMIC_AND:
            result &= value;
            break;
        case ATOMIC_OR:
            result |= value;
            break;
        default:
            result ^= value;
            break;
        }
    }
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

void simt_collective(const struct instruction *instruction, struct frame *frame, uint32_t mask)
{
    switch (instruction->kind) {
    case SIMT_SHUFFLE:
        collective_shuffle(instruction, frame, mask);
        break;
    case SIMT_VOTE:
        collective_vote(instruction, frame, mask);
        break;
    case SIMT_MATCH:
        collective_match(instruction, frame, mask);
        break;
    case SIMT_REDUX:
        collective_redux(instruction, frame, mask);
        break;
    default:
        collective_elect(instruction, frame, mask);
        break;
    }
}
