/* simt_mbarrier.c: barriers that are objects in shared memory (PTX ISA, "mbarrier"), which
 * cuda::barrier becomes.
 *
 * The 64 bits of an object are opaque to programs. Here they are, from the lowest: arrivals that
 * the phase still waits for, arrivals of a phase (20 bits each, as the ISA limits them), the number
 * of the phase, and whether somebody has arrived in it. The state that an arrival returns is the
 * object before it.
 */
#include "emulator/simt/simt_check.h"

#include <inttypes.h>
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

static uint64_t object_expected(uint64_t object)
{
    return object >> COUNT_BITS & COUNT_MAX;
}

static uint64_t object_phase(uint64_t object)
{
    return (object & ~HAS_BEGUN) >> PHASE_SHIFT;
}

/* The object of a lane, an offset in shared memory; UINT64_MAX after a fault. */
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
               ", where no 8 aligned bytes of shared memory "
               "are",
               address);
    return UINT64_MAX;
}

/* `count` arrivals of one lane at an object; with `drops`, later phases wait for as many fewer. */
static bool arrive(const struct step *step, unsigned lane, uint64_t *object, uint64_t count,
                   bool drops)
{
    uint64_t pending = object_pending(*object), expected = object_expected(*object);
    if (count > pending)
        return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                          "arrives at an mbarrier whose phase waits for %" PRIu64 " arrivals only",
                          pending);
    expected -= drops ? count : 0;
    bool completes = pending == count;
    if (completes && step->instruction->kind == SIMT_MBARRIER &&
        (step->instruction->flags & SIMT_NO_COMPLETE))
        return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                          "arrives with .noComplete at an mbarrier whose phase this completes");
    uint64_t phase = (object_phase(*object) + completes) % (HAS_BEGUN >> PHASE_SHIFT);
    *object = object_make(completes ? expected : pending - count, expected, phase) |
              (completes ? 0 : HAS_BEGUN);
    return true;
}

bool simt_mbarrier_arrive(const struct step *step, unsigned lane, uint64_t at)
{
    uint64_t object;
    memcpy(&object, step->block->shared + at, sizeof object);
    uint64_t before = object;
    if (!arrive(step, lane, &object, 1, false))
        return false;
    memcpy(step->block->shared + at, &object, sizeof object);
    checker_mbarrier_arrive(step, lane, at, object_phase(before), !(before & HAS_BEGUN));
    return true;
}

static bool execute_lane(const struct step *step, unsigned lane, uint64_t at)
{
    struct frame *frame = step->fragment->frame;
    const struct instruction *instruction = step->instruction;
    bool has_count = instruction->source[1].used;
    uint64_t operand = has_count ? step_source(step, 1, lane) : 1, object, before;
    memcpy(&object, step->block->shared + at, sizeof object);
    before = object;
    bool done = false;
    switch ((enum simt_mbarrier)instruction->control) {
    case MBARRIER_INIT:
        if (!operand || operand > COUNT_MAX)
            return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                              "makes an mbarrier for %" PRIu64 " arrivals", operand);
        object = object_make(operand, operand, 0);
        break;
    case MBARRIER_INVAL:
    case MBARRIER_PENDING_COUNT:
    case MBARRIER_COPIES_COUNTED:
        break;
    case MBARRIER_COPIES:
        if (object_pending(object) == COUNT_MAX)
            return simt_fault(step, lane, STATUS_LAUNCH_ERROR,
                              "makes an mbarrier wait for more than %d arrivals", COUNT_MAX);
        object++; /* the pending ones are its lowest bits */
        break;
    case MBARRIER_ARRIVE:
    case MBARRIER_ARRIVE_DROP:
        if (!arrive(step, lane, &object, operand, instruction->control == MBARRIER_ARRIVE_DROP))
            return false;
        checker_mbarrier_arrive(step, lane, at, object_phase(before), !(before & HAS_BEGUN));
        if (instruction->destination.used)
            frame_set_lane(frame, &instruction->destination, lane, before);
        break;
    case MBARRIER_WAIT:
    case MBARRIER_WAIT_PARITY:
        done = instruction->control == MBARRIER_WAIT ? object_phase(object) != object_phase(operand)
                                                     : (object_phase(object) & 1) != (operand & 1);
        if (done)
            checker_mbarrier_wait(step, lane, at, object_phase(object) - 1);
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
    if (step->block->checker && !checker_access(step, &checked))
        return false;
    FOR_LANES (lane, operation >= MBARRIER_WAIT ? step->mask : 0)
        if (!simt_copy_settle(step, address[lane]))
            return false;
    FOR_LANES (lane, operation == MBARRIER_COPIES_COUNTED ? 0 : step->mask)
        if (!execute_lane(step, lane, address[lane]))
            return false;
    bool of_copies = operation == MBARRIER_COPIES || operation == MBARRIER_COPIES_COUNTED;
    return !of_copies || simt_copy_arrive(step, address);
}
