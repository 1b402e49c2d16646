#include "emulator/sinks/checker.h"

#include "base/array.h"
#include "base/vectorised.h"
#include "emulator/decode/read_uses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void check_free(void *state)
{
    struct checker *checker = state;
    free(checker->uninitialized);
    free(checker->uninitialized_list);
    shadow_free(&checker->shared);
    order_free(&checker->order);
    inbox_free(&checker->inbox);
    free(checker->device_fence);
    for (unsigned w = 0; checker->undefined_of && w < checker->warp_count; w++)
        free(checker->undefined_of[w]);
    free(checker->undefined_of);
    free(checker->local_defined);
    free(checker);
}

static void *check_create(const struct simt_block *block, void *plan)
{
    const struct emulator_launch *launch = block->launch;
    struct checker *checker = calloc(1, sizeof *checker);
    if (!checker)
        return NULL;
    checker->plan = plan;
    checker->warp_count = block->warp_count;
    bool is_interleaved = block->run->is_ordered && checker->plan->global;
    if (is_interleaved)
        checker->device_fence = calloc(block->threads, sizeof *checker->device_fence);
    checker->undefined_of = calloc(block->warp_count, sizeof(struct undefined_registers *));
    if (block->local_limit) /* Local memory is not checked if this allocation fails. */
        checker->local_defined = calloc((size_t)block->warp_count * LANES, block->local_stride);
    if ((checker->device_fence || !is_interleaved) && checker->undefined_of &&
        order_create(&checker->order, block->threads, (unsigned)launch->device->warp_lanes) &&
        (!checker->plan->shared ||
         shadow_create(&checker->shared, block->shared_bytes, checker->plan->shift)))
        return checker;
    check_free(checker);
    return NULL;
}

static unsigned char *local_defined(const struct simt_block *block, const struct warp *warp,
                                    unsigned lane)
{
    return checker_of(block)->local_defined +
           ((size_t)warp->index * LANES + lane) * block->local_stride;
}

static void check_resume(struct simt_block *block)
{
    struct checker *checker = checker_of(block);
    struct check_plan *plan = checker->plan;
    if (!plan->global ||
        (plan->turn_count && plan->turns[plan->turn_count - 1].block == checker->block_number))
        return;
    if (!array_make_room(&plan->turns, plan->turn_count, sizeof *plan->turns)) {
        plan->global = false;
        return;
    }
    checker->order.now = ++plan->now;
    plan->turns[plan->turn_count++] =
        (struct check_turn){plan->now, (uint32_t)checker->block_number};
}

static void check_pause(struct simt_block *block)
{
    const struct checker *checker = checker_of(block);
    if (checker->plan->global)
        checker->plan->now = checker->order.now;
}

static void check_begin(struct simt_block *block)
{
    struct checker *checker = checker_of(block);
    struct check_plan *plan = checker->plan;
    struct order *order = &checker->order;
    /* Stamps restart. Global memory is no longer checked, because its shadow has old stamps. */
    if ((plan->global ? plan->now : order->now) > SHADOW_STAMP_LIMIT) {
        plan->global = false; /* If `global` was true, this is the only worker. */
        if (plan->shared)
            shadow_forget(&checker->shared, 0, checker->shared.count << checker->shared.shift);
        order_reset(order);
    }
    checker->block_number = block->number;
    checker->undefined.kind = FAILURE_NONE;
    block->holds_fault = false;
    if (checker->uninitialized_count)
        memset(checker->uninitialized, 0, checker->shared.count * sizeof *checker->uninitialized);
    checker->uninitialized_count = 0;
    inbox_clear(&checker->inbox);
    if (checker->device_fence)
        memset(checker->device_fence, 0, order->threads * sizeof *checker->device_fence);
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        if (checker->undefined_of[w])
            checker->undefined_of[w]->count = 0;
        for (unsigned lane = 0; checker->local_defined && lane < LANES; lane++)
            memset(local_defined(block, warp, lane), 0, warp->local_written);
    }
    check_resume(block);
    order_begin(order);
    check_pause(block);
}

/* When a function begins, its part of the stack is uninitialized, even if it was used before. */
static void check_entered(const struct simt_block *block, const struct warp *warp, uint32_t mask,
                          uint64_t local, uint64_t bytes)
{
    FOR_LANES (lane, checker_of(block)->local_defined ? mask : 0)
        memset(local_defined(block, warp, lane) + local, 0, bytes);
}

static void learn_messages(struct checker *checker, const struct warp *warp, uint32_t mask)
{
    inbox_learn(&checker->inbox, warp->index * checker->order.width, mask, checker->order.now);
}

static void check_arrive(const struct step *step, unsigned id)
{
    struct checker *checker = checker_of(step->block);
    learn_messages(checker, step->warp, step->mask);
    order_arrive(&checker->order, id, step->warp->index, step->mask);
}

static void check_pass(struct simt_block *block, const struct warp *warp, unsigned id)
{
    order_pass(&checker_of(block)->order, id, warp->index);
}

static void check_reopen(struct simt_block *block, unsigned id, bool counted)
{
    struct checker *checker = checker_of(block);
    if (counted) {
        order_reopen(&checker->order, id);
        return;
    }
    for (uint32_t first = 0; checker->inbox.has_news && first < checker->order.threads; first += 32)
        inbox_learn(&checker->inbox, first, 0xffffffffu, checker->order.now);
    order_barrier(&checker->order);
}

static bool check_sync(const struct step *step)
{
    const struct operand *members = warp_member_mask(step->instruction);
    FOR_LANES (lane, members->used ? step->mask : 0) {
        uint32_t named = (uint32_t)frame_lane(step->fragment->frame, members, lane);
        if (!(named >> lane & 1)) {
            simt_fault(step, lane, STATUS_DEADLOCK,
                       "executes a warp operation, but member mask 0x%08x does not name this lane",
                       named);
            failure_find(&step->block->failure, FINDING_LANE_NOT_IN_MASK, 0);
            return false;
        }
    }
    return true;
}

static void check_synced(const struct simt_block *block, const struct warp *warp, uint32_t mask)
{
    struct checker *checker = checker_of(block);
    learn_messages(checker, warp, mask);
    order_sync(&checker->order, warp->index, mask, warp->lanes & ~warp->exited);
}

static void fence(struct checker *checker, const struct warp *warp, uint32_t mask, bool for_device)
{
    if (for_device)
        learn_messages(checker, warp, mask);
    order_fence(&checker->order, warp->index, mask);
    FOR_LANES (lane, for_device && checker->device_fence ? mask & warp->lanes : 0)
        checker->device_fence[warp->index * checker->order.width + lane] = checker->order.now;
}

/* Returns the place (order.h) of a phase of an mbarrier. At most two phases are in use. */
static uint64_t mbarrier_place(uint64_t address, uint64_t phase)
{
    return 1ull << 63 | (phase & 1) << 62 | address;
}

static void check_mbarrier_arrive(const struct step *step, unsigned lane, uint64_t address,
                                  uint64_t phase, bool first)
{
    struct checker *checker = checker_of(step->block);
    fence(checker, step->warp, 1u << lane, false);
    order_publish(&checker->order, step->warp->index * checker->order.width + lane,
                  mbarrier_place(address, phase), !first);
}

static void check_mbarrier_wait(const struct step *step, unsigned lane, uint64_t address,
                                uint64_t phase)
{
    struct checker *checker = checker_of(step->block);
    order_observe(&checker->order, step->warp->index * checker->order.width + lane,
                  mbarrier_place(address, phase), true);
}

static void check_fence(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    const struct program_function *function = step->fragment->frame->function;
    if (instruction->opcode == PTX_OP_MEMBAR || instruction->opcode == PTX_OP_FENCE)
        fence(checker_of(step->block), step->warp, step->mask,
              !is_block_scope(&function->source->instructions[instruction->number]));
}

/* Returns the warp's set, or NULL. If `makes` is true, NULL means that memory is exhausted. */
static struct undefined_registers *registers_of(const struct simt_block *block,
                                                const struct warp *warp, bool makes)
{
    struct undefined_registers **set = &checker_of(block)->undefined_of[warp->index];
    if (!*set && makes)
        *set = calloc(1, sizeof **set);
    return *set;
}

static void check_follow(const struct step *step)
{
    struct undefined_registers *set = registers_of(step->block, step->warp, false);
    unsigned lane;
    const struct undefined_register *used = undefined_follow(
        set, step->fragment->frame, step->instruction, step->fragment->mask, step->mask, &lane);
    if (used) {
        check_report_undefined(step, &used->reader, lane, used->address[lane]);
        set->count = 0;
    }
    step->warp->is_followed = set->count;
}

/* Follow undefined values through a shuffle. A value from an absent lane is undefined. */
static void check_exchanged(const struct simt_block *block, struct warp *warp,
                            const struct frame *frame, const struct instruction *instruction,
                            uint32_t mask, const uint32_t *from)
{
    uint32_t uninitialized = 0;
    uint64_t lanes[LANES];
    if (!from)
        return;
    FOR_LANES (lane, mask)
        uninitialized |= (uint32_t) !(mask >> from[lane] & 1) << lane;
    struct undefined_registers *set = registers_of(block, warp, uninitialized);
    if (!set)
        return;
    if (set->count)
        undefined_shuffle(set, frame, instruction, mask, from, from);
    for (unsigned lane = 0; lane < LANES; lane++)
        lanes[lane] = from[lane];
    if (uninitialized)
        undefined_add(set, frame, &instruction->destination,
                      &(struct undefined_reader){frame->function, instruction->number, PTX_REG},
                      uninitialized, lanes);
    warp->is_followed = set->count;
}

/* Report `undefined` after a barrier or at the block's end, unless another fault has priority. */
static bool check_fault_is_due(struct simt_block *block, bool ends)
{
    struct checker *checker = checker_of(block);
    if (!ends && checker->undefined_stamp == checker->order.epoch)
        return false;
    if (block->failure.kind == FAILURE_HARNESS ||
        (block->failure.kind == FAILURE_STUDENT &&
         (block->failure.status == STATUS_RACE || !checker->undefined_steers)))
        return false;
    block->failure = checker->undefined;
    block->faulted = true;
    return true;
}

static bool is_store(const struct instruction *instruction)
{
    return instruction->kind == SIMT_STORE || instruction->kind == SIMT_SURFACE_STORE;
}

static bool check_origin(const struct step *step, const struct checked_access *access)
{
    const struct address_origin *origin =
        &checker_of(step->block)->plan->origins[step_number(step)];
    if (!origin->variable || origin->variable->space != access->space ||
        (access->low >= origin->begin && access->high < origin->end &&
         origin->end - access->high >= access->bytes) ||
        simt_repairs(step->block, EMULATOR_REPAIR_BOUNDS))
        return true;
    FOR_LANES (lane, access->mask) {
        uint64_t address = access->address[lane];
        bool before = address < origin->begin;
        if (!before && address < origin->end && origin->end - address >= access->bytes)
            continue;
        uint64_t bytes = before ? origin->begin - address : address - origin->end;
        uint64_t elements = bytes / step->instruction->bytes + !before;
        const char *name = ptx_plain_name(origin->variable->name);
        char there[256];
        check_describe(step->block, step->instruction, access->space, address, there, sizeof there);
        size_t length = strlen(name); /* Do not name one variable twice. */
        bool is_other = strncmp(there, name, length) || !strchr(",[", there[length]);
        return simt_fault(step, lane, STATUS_OUT_OF_BOUNDS,
                          "%s %u byte%s out of bounds: %" PRIu64 " element%s %s of %s%s%s%s",
                          access->kind == SHADOW_LOAD ? "reads" : "writes", access->bytes,
                          access->bytes == 1 ? "" : "s", elements, elements == 1 ? "" : "s",
                          before ? "before the beginning" : "past the end", name,
                          is_other ? " (the address belongs to " : "", is_other ? there : "",
                          is_other ? ")" : "");
    }
    return true;
}

enum { MAX_ELEMENTS = 16 }; /* A lane accesses at most 16 bytes. */

struct access_query {
    const struct frame *frame;
    const struct instruction *instruction;
    const struct checked_access *access;
    const struct step *step;
    const unsigned char *host; /* Host address of the byte at address 0. */
    unsigned granule;
    bool any_undefined;
    uint32_t undefined[MAX_ELEMENTS]; /* For each element: lanes that read an undefined value. */
    const struct ranges *defined;     /* Initialized bytes of the accessed region, or NULL. */
    uint8_t (*missing)[LANES];        /* For each element and lane: number of undefined granules. */
};

static unsigned element_count(const struct access_query *query)
{
    return query->access->bytes / query->instruction->bytes;
}

static void note_undefined(void *context, unsigned lane, uint64_t address)
{
    struct access_query *query = context;
    uint64_t element = (address - query->access->address[lane]) / query->instruction->bytes;
    if (query->defined && ranges_contain_any(query->defined, address, address + query->granule))
        return;
    if (!query->any_undefined)
        memset(query->missing, 0, MAX_ELEMENTS * sizeof *query->missing);
    query->any_undefined = true;
    if (element < MAX_ELEMENTS &&
        ++query->missing[element][lane] * query->granule >= query->instruction->bytes)
        query->undefined[element] |= 1u << lane;
}

/* Loads and exchanges put undefined values into registers. All other uses are reported. */
static bool take_undefined(const struct step *step, unsigned element,
                           const struct undefined_reader *reader, uint32_t lanes,
                           const uint64_t *address)
{
    const struct instruction *instruction = step->instruction;
    const struct frame *frame = step->fragment->frame;
    struct undefined_registers *set = registers_of(step->block, step->warp, true);
    unsigned first = (unsigned)__builtin_ctz(lanes);
    if (!set)
        return simt_no_memory(step->block);
    const struct operand *elements = &frame->function->operands[instruction->extra];
    if (instruction->kind == SIMT_TEXTURE)
        for (unsigned i = 0; i < instruction->vector && element == 0; i++)
            undefined_add(set, frame, &elements[i], reader, lanes, address);
    else if (instruction->kind == SIMT_LOAD || instruction->kind == SIMT_SURFACE_LOAD)
        undefined_add(set, frame, &elements[element], reader, lanes, address);
    else if (instruction->kind == SIMT_ATOMIC && instruction->control == ATOMIC_EXCH)
        undefined_add(set, frame, &instruction->destination, reader, lanes, address);
    else
        check_report_undefined(step, reader, first, address[first]);
    step->warp->is_followed = set->count;
    return true;
}

static bool take_undefined_elements(const struct step *step, const struct access_query *query,
                                    uint64_t base)
{
    const struct instruction *instruction = step->instruction;
    const struct undefined_reader reader = {step->fragment->frame->function, instruction->number,
                                            query->access->space};
    for (unsigned e = 0; e < element_count(query) && e < MAX_ELEMENTS; e++) {
        uint64_t address[LANES];
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = base + query->access->address[lane] + e * instruction->bytes;
        if (query->undefined[e] && !take_undefined(step, e, &reader, query->undefined[e], address))
            return false;
    }
    return true;
}

enum { MAX_UNINITIALIZED = 4096 }; /* Further undefined values count as defined. */

static const struct undefined_register *stored_undefined(const struct step *step, unsigned element,
                                                         unsigned lane)
{
    const struct frame *frame = step->fragment->frame;
    return step->instruction->kind != SIMT_STORE
               ? NULL
               : undefined_find(registers_of(step->block, step->warp, false), frame,
                                &frame->function->operands[step->instruction->extra + element],
                                1u << lane);
}

/* Returns 1 + the index of the new source, or 0 if the list is full or memory is exhausted. */
static uint16_t uninitialized_number(struct checker *checker, const struct undefined_register *held,
                                     unsigned lane)
{
    if (!checker->uninitialized) {
        checker->uninitialized = calloc(checker->shared.count, sizeof *checker->uninitialized);
        checker->uninitialized_list =
            calloc(MAX_UNINITIALIZED, sizeof *checker->uninitialized_list);
    }
    if (!checker->uninitialized || !checker->uninitialized_list ||
        checker->uninitialized_count == MAX_UNINITIALIZED)
        return 0;
    checker->uninitialized_list[checker->uninitialized_count] =
        (struct uninitialized_source){held->reader, held->address[lane]};
    return (uint16_t)++checker->uninitialized_count;
}

static void uninitialized_store(const struct step *step, const struct checked_access *access)
{
    struct checker *checker = checker_of(step->block);
    const struct undefined_registers *set = registers_of(step->block, step->warp, false);
    unsigned bytes = step->instruction->bytes ? step->instruction->bytes : access->bytes;
    if (!checker->uninitialized_count && !(set && set->count))
        return;
    FOR_LANES (lane, access->mask)
        for (unsigned at = 0; at < access->bytes; at += bytes) {
            const struct undefined_register *held =
                access->delivered ? NULL : stored_undefined(step, at / bytes, lane);
            uint16_t number = held ? uninitialized_number(checker, held, lane) : 0;
            uint64_t first = (access->address[lane] + at) >> checker->shared.shift;
            for (uint64_t i = 0; checker->uninitialized && i < bytes >> checker->shared.shift; i++)
                checker->uninitialized[first + i] = number;
        }
}

static bool uninitialized_load(const struct step *step, const struct checked_access *access)
{
    const struct checker *checker = checker_of(step->block);
    unsigned bytes = element_bytes(step->instruction), shift = checker->shared.shift;
    for (unsigned e = 0; checker->uninitialized_count && e < access->bytes / bytes; e++) {
        uint16_t numbers[LANES];
        uint64_t address[LANES];
        uint32_t left = 0;
        FOR_LANES (lane, access->mask) {
            uint64_t first = (access->address[lane] + e * bytes) >> shift;
            numbers[lane] = checker->uninitialized[first];
            for (uint64_t i = 1; i < bytes >> shift; i++)
                numbers[lane] = checker->uninitialized[first + i] ? numbers[lane] : 0;
            left |= (uint32_t)(numbers[lane] != 0) << lane;
            if (numbers[lane])
                address[lane] = checker->uninitialized_list[numbers[lane] - 1].address;
        }
        for (uint32_t same; left; left &= ~same) {
            const struct undefined_reader *reader =
                &checker->uninitialized_list[numbers[__builtin_ctz(left)] - 1].reader;
            same = 0;
            FOR_LANES (lane, left) {
                const struct undefined_reader *other =
                    &checker->uninitialized_list[numbers[lane] - 1].reader;
                same |=
                    (uint32_t)(other->number == reader->number &&
                               other->function == reader->function && other->space == reader->space)
                    << lane;
            }
            if (!take_undefined(step, e, reader, same, address))
                return false;
        }
    }
    return true;
}

/* A byte is initialized if the thread has stored a defined value since the function began. */
static bool check_local(const struct step *step, const struct checked_access *access)
{
    const struct instruction *instruction = step->instruction;
    const struct undefined_reader reader = {step->fragment->frame->function, instruction->number,
                                            PTX_LOCAL};
    unsigned bytes = instruction->bytes;
    for (unsigned e = 0; checker_of(step->block)->local_defined && e < access->bytes / bytes; e++) {
        uint32_t undefined = 0;
        uint64_t address[LANES];
        FOR_LANES (lane, access->mask) {
            unsigned char *defined =
                local_defined(step->block, step->warp, lane) + access->address[lane] + e * bytes;
            address[lane] = access->address[lane] + e * bytes;
            if (access->kind == SHADOW_LOAD)
                undefined |= (uint32_t)!memchr(defined, true, bytes) << lane;
            else
                memset(defined, !stored_undefined(step, e, lane), bytes);
        }
        if (undefined && !take_undefined(step, e, &reader, undefined, address))
            return false;
    }
    return true;
}

static uint64_t stored_granule(const struct access_query *query, unsigned lane, uint64_t offset)
{
    unsigned bytes = query->instruction->bytes;
    const struct operand *element =
        &query->frame->function->operands[query->instruction->extra] + offset / bytes;
    return frame_lane(query->frame, element, lane) >> 8 * (offset % bytes);
}

static bool delivers_same(void *context, unsigned lane, uint64_t address, int other_lane)
{
    const struct access_query *query = context;
    (void)other_lane;
    return memcmp(query->host + address,
                  query->access->delivered + (address - query->access->address[lane]),
                  query->granule) == 0;
}

static bool stores_same(void *context, unsigned lane, uint64_t address, int other_lane)
{
    const struct access_query *query = context;
    const uint64_t *addresses = query->access->address;
    uint64_t value = stored_granule(query, lane, address - addresses[lane]), other = 0;
    if (other_lane >= 0)
        other = stored_granule(query, (unsigned)other_lane, address - addresses[other_lane]);
    else
        for (unsigned i = 0; i < query->granule; i++)
            other |= (uint64_t)__atomic_load_n(query->host + address + i, __ATOMIC_RELAXED)
                     << 8 * i;
    return !((value ^ other) << (64 - 8 * query->granule));
}

VECTORISED static uint32_t words_unchanged(const uint32_t *restrict words,
                                           const unsigned char *restrict host,
                                           const uint64_t *restrict address)
{
    uint32_t unchanged = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        unchanged |= words[lane] == *(const uint32_t *)(const void *)(host + address[lane])
                         ? lane_bit[lane]
                         : 0;
    return unchanged;
}

/* Returns the lanes that may store the value already in memory (exact for 4-byte elements). */
static uint32_t may_be_unchanged(const struct shadow_access *shadow)
{
    const struct access_query *query = shadow->context;
    const struct instruction *instruction = query->instruction;
    const struct operand *element = &query->frame->function->operands[instruction->extra];
    if (shadow->bytes != sizeof(uint32_t) || instruction->bytes != sizeof(uint32_t) ||
        element->stride != sizeof(uint32_t))
        return shadow->mask;
    return shadow->mask & words_unchanged((const void *)frame_source(query->frame, element),
                                          query->host, shadow->address);
}

/* Remove lanes that store the value already in memory. No concurrent reader notices such stores. */
static void leave_unchanged(const struct step *step, const struct shadow *marks,
                            struct shadow_access *shadow)
{
    uint64_t granule = 1ull << marks->shift;
    uint32_t unchanged = 0;
    if (!(checker_of(step->block)->plan->traits[step_number(step)] & CHECK_UPDATES))
        return;
    FOR_LANES (lane, may_be_unchanged(shadow)) {
        bool same = true;
        for (uint64_t at = 0; same && at < shadow->bytes; at += granule) {
            uint64_t address = shadow->address[lane] + at;
            same = marks->write[address >> marks->shift] >= shadow->defined &&
                   stores_same(shadow->context, lane, address, -1);
        }
        unchanged |= (uint32_t)same << lane;
    }
    shadow->mask &= ~unchanged;
    if (unchanged)
        shadow->halves[0] = shadow->halves[1] = HALF_OTHER;
}

/* After a race of two stores, this callback suppresses further races of two stores. */
static bool stores_anything(void *context, unsigned lane, uint64_t address, int other_lane)
{
    (void)context, (void)lane, (void)address, (void)other_lane;
    return true;
}

static bool may_read(const struct step *step, const struct program_function *function)
{
    /* Limit of searched PTX instructions. The searches take about a tenth of a second. */
    enum { WORK_LIMIT = 20 * 1000 * 1000 };
    return __atomic_add_fetch(&checker_of(step->block)->plan->read_work,
                              function->source->instruction_count, __ATOMIC_RELAXED) < WORK_LIMIT;
}

/* Several workers may find the use of a read value at once, with equal results. */
static enum read_use read_use_at(const struct step *step, const struct program_function *function,
                                 uint32_t number)
{
    struct check_plan *plan = checker_of(step->block)->plan;
    uint8_t *use = &plan->read_uses[number];
    uint8_t found = __atomic_load_n(use, __ATOMIC_RELAXED);
    if (found)
        return (enum read_use)found;
    if (may_read(step, function))
        found = (uint8_t)read_use_find(function->source, number - function->stats_base);
    else
        found = READ_PASSED;
    __atomic_store_n(use, found, __ATOMIC_RELAXED);
    return (enum read_use)found;
}

static enum read_use read_use_of(const struct step *step)
{
    return read_use_at(step, step->fragment->frame->function, step_number(step));
}

static bool is_number(const struct ptx_function *function, const struct ptx_operand *operand)
{
    const struct ptx_instruction *writer = NULL;
    for (size_t i = 0; operand->kind == PTX_OPERAND_REGISTER && i < function->instruction_count;
         i++) {
        const struct ptx_instruction *at = &function->instructions[i];
        if (!at->operand_count || at->operands[0].kind != PTX_OPERAND_REGISTER ||
            at->operands[0].index != operand->index)
            continue;
        if (writer)
            return false;
        writer = at;
    }
    return operand->kind == PTX_OPERAND_INTEGER ||
           (writer && writer->opcode == PTX_OP_MOV &&
            writer->operands[1].kind == PTX_OPERAND_INTEGER);
}

/* Returns true if an atomic operation only reads: it adds, ORs or XORs 0, or a compare-and-swap
 * stores the expected number or register. A computed 0 counts only for `red`. */
static bool only_reads(const struct step *step)
{
    const struct instruction *instruction = step->instruction;
    const struct ptx_function *function = step->fragment->frame->function->source;
    const struct ptx_operand *operands = function->instructions[instruction->number].operands;
    bool exchanges = instruction->control == ATOMIC_CAS;
    if (instruction->control != ATOMIC_ADD && instruction->control != ATOMIC_OR &&
        instruction->control != ATOMIC_XOR && !exchanges)
        return false;
    FOR_LANES (lane, step->mask)
        if (step_source(step, 1, lane) != (exchanges ? step_source(step, 2, lane) : 0))
            return false;
    if (function->instructions[instruction->number].opcode != PTX_OP_ATOM)
        return true;
    if (!exchanges)
        return is_number(function, &operands[2]);
    return (operands[2].kind == operands[3].kind && operands[2].index == operands[3].index &&
            operands[2].kind == PTX_OPERAND_REGISTER) ||
           (is_number(function, &operands[2]) && is_number(function, &operands[3]));
}

static void fill_strong(const struct step *step, struct shadow_access *out)
{
    bool is_object = step->instruction->kind == SIMT_MBARRIER;
    bool is_compared = checker_of(step->block)->plan->traits[step_number(step)] & CHECK_COMPARED;
    enum read_use use = out->kind == SHADOW_STORE  ? READ_UNUSED
                        : is_object || is_compared ? READ_TESTED
                                                   : read_use_of(step);
    out->is_strong = true;
    out->mark |= SHADOW_STRONG;
    if (out->kind == SHADOW_ATOMIC && use == READ_UNUSED &&
        step->instruction->control == ATOMIC_EXCH) {
        out->kind = SHADOW_STORE;
        return;
    }
    if (out->kind == SHADOW_ATOMIC && only_reads(step))
        out->kind = SHADOW_LOAD;
    if (out->kind == SHADOW_ATOMIC)
        out->mark |= SHADOW_ADDED;
    const struct ptx_instruction *source =
        &step->fragment->frame->function->source->instructions[step->instruction->number];
    /* With a memory order (cuda::atomic_ref), reading an old value is not a bug. */
    out->is_passed = use == READ_PASSED && out->kind == SHADOW_LOAD &&
                     !ptx_has(source, PTX_MOD_RELAXED) && !ptx_has(source, PTX_MOD_ACQUIRE) &&
                     !ptx_has(source, PTX_MOD_ACQ_REL);
    if (out->is_passed)
        out->mark |= SHADOW_PASSED;
}

static bool is_after_read(void *context, uint64_t mark)
{
    const struct access_query *query = context;
    struct checker *checker = checker_of(query->step->block);
    const struct program_function *function = query->frame->function;
    uint32_t load = shadow_instruction(mark), store = step_number(query->step);
    struct shuffled *known =
        &checker->shuffled[(load ^ store) % (sizeof checker->shuffled / sizeof *known)];
    if (load - function->stats_base >= function->source->instruction_count)
        return false;
    if (known->load != load + 1 || known->store != store + 1)
        *known =
            (struct shuffled){load + 1, store + 1,
                              may_read(query->step, function) &&
                                  read_is_shuffled(function->source, load - function->stats_base,
                                                   store - function->stats_base)};
    return known->is;
}

static enum shadow_origin mark_origin(void *context, unsigned lane, uint64_t mark, bool is_read)
{
    const struct access_query *query = context;
    const struct checker *checker = checker_of(query->step->block);
    uint32_t stamp = shadow_stamp(mark), first = query->step->warp->index * checker->order.width;
    const struct message_access access = {
        .block = checker_block_at(checker, stamp),
        .thread = shadow_thread(mark),
        .stamp = stamp,
        .is_read = is_read,
    };
    if (access.block == checker->block_number)
        return SHADOW_OWN;
    return messages_know(&checker->plan->messages, &checker->inbox, &checker->order, first + lane,
                         &access)
               ? SHADOW_FOREIGN_KNOWN
               : SHADOW_FOREIGN;
}

/* Fill in *out, with *query as the context of its callbacks. */
static void shadow_access_fill(const struct step *step, const struct checked_access *access,
                               const unsigned char *host, uint8_t (*missing)[LANES],
                               struct access_query *query, struct shadow_access *out)
{
    struct simt_block *block = step->block;
    struct warp *warp = step->warp;
    const struct instruction *instruction = step->instruction;
    const struct checker *checker = checker_of(block);
    const struct order *order = &checker->order;
    const uint8_t traits = checker->plan->traits[step_number(step)];
    const bool stores = is_store(instruction), is_global = access->space == PTX_GLOBAL;
    *query = (struct access_query){.step = step,
                                   .missing = missing,
                                   .frame = step->fragment->frame,
                                   .instruction = instruction,
                                   .access = access,
                                   .host = host,
                                   .granule = 1u << checker->plan->shift};
    /* All members are named: otherwise compilers first clear the whole struct. */
    *out = (struct shadow_access){
        .kind = access->kind,
        .is_strong = false,
        .is_passed = false,
        .has_independent_lanes = block->launch->device->compute_capability >= 70,
        .halves = {access->halves[0], access->halves[1]},
        .mask = access->mask,
        .bytes = access->bytes,
        .address = access->address,
        .mark = shadow_mark(order->now, step_number(step), warp->index * order->width),
        .is_constant = traits & CHECK_CONSTANT,
        .block = shadow_mark(order->block, 0, 0),
        .epoch = shadow_mark(order->epoch, 0, 0),
        .order = order,
        .across_blocks = is_global,
        .origin = is_global && block->run->is_ordered ? mark_origin : NULL,
        .only_undefined = !is_global && simt_repairs(block, EMULATOR_REPAIR_BARRIERS),
        .forms = checker->plan->forms,
        .form = checker->plan->forms[step_number(step)],
        .defined = shadow_mark(order->block, 0, 0),
        .stores_same = access->delivered ? delivers_same
                       : stores          ? stores_same
                                         : NULL,
        .is_after_read = stores ? is_after_read : NULL,
        .note_undefined = note_undefined,
        .context = query,
    };
    if (is_strong(instruction) || traits & CHECK_COMPARED)
        fill_strong(step, out);
}

static bool check_shared(const struct step *step, const struct checked_access *access)
{
    struct simt_block *block = step->block;
    struct shadow_access shadow;
    struct shadow_finding finding;
    uint8_t missing[MAX_ELEMENTS][LANES];
    struct access_query query;
    shadow_access_fill(step, access, block->shared, missing, &query, &shadow);
    if (shadow.stores_same == stores_same)
        leave_unchanged(step, &checker_of(block)->shared, &shadow);
    if (shadow.mask && !shadow_check(&checker_of(block)->shared, &shadow, &finding))
        return check_report(step, PTX_SHARED, &finding);
    if (access->kind != SHADOW_STORE && !uninitialized_load(step, access))
        return false;
    if (access->kind != SHADOW_LOAD)
        uninitialized_store(step, access);
    return !query.any_undefined || take_undefined_elements(step, &query, 0);
}

static struct check_region *region_of(const struct step *step, const struct memory_region *region)
{
    return &checker_of(step->block)->plan->regions[region - step->block->launch->memory->regions];
}

/* Update stores_vary and the region's flag. Returns false if flag_race is now reported. */
static bool note_flags(const struct step *step, const struct checked_access *access, uint32_t lanes,
                       struct check_region *region)
{
    struct simt_block *block = step->block;
    struct check_plan *plan = checker_of(block)->plan;
    const struct frame *frame = step->fragment->frame;
    const struct instruction *instruction = step->instruction;
    if (plan->stores_vary)
        return true;
    plan->stores_vary = instruction->kind != SIMT_STORE || instruction->vector != 1;
    FOR_LANES (lane, plan->stores_vary ? 0 : lanes) {
        uint64_t value = frame_lane(frame, &frame->function->operands[instruction->extra], lane)
                         << (64 - 8 * access->bytes);
        plan->stores_vary |= region->has_flag && region->flag != value;
        region->flag = value;
        region->has_flag = true;
    }
    if (!plan->stores_vary || plan->flag_race.kind == FAILURE_NONE)
        return true;
    block->failure = plan->flag_race;
    block->faulted = true;
    return false;
}

/* Returns true if the reader only tests a flag, in a launch that so far only sets flags. */
static bool is_flag_race(const struct step *step, const struct shadow_finding *finding)
{
    const struct program *program = step->block->launch->program;
    bool is_reader = finding->verdict == SHADOW_READ_AFTER_WRITE;
    uint32_t number = is_reader ? step_number(step) : shadow_instruction(finding->other);
    return !checker_of(step->block)->plan->stores_vary &&
           finding->verdict != SHADOW_WRITE_AFTER_WRITE &&
           read_use_at(step, &program->functions[check_function_of(program, number)], number) ==
               READ_TESTED;
}

static struct range find_extent(const struct checked_access *access)
{
    struct range extent = {UINT64_MAX, 0};
    FOR_LANES (lane, access->mask) {
        uint64_t begin = access->address[lane], end = begin + access->bytes;
        extent.begin = begin < extent.begin ? begin : extent.begin;
        extent.end = end > extent.end ? end : extent.end;
    }
    return extent;
}

static bool check_region(const struct step *step, const struct checked_access *access,
                         const struct memory_region *region)
{
    struct check_plan *plan = checker_of(step->block)->plan;
    const struct check_region *checked = region_of(step, region);
    const struct shadow *marks = &checked->shadow;
    struct shadow_access shadow;
    struct shadow_finding finding;
    uint8_t missing[MAX_ELEMENTS][LANES];
    struct access_query query;
    shadow_access_fill(step, access, region->host, missing, &query, &shadow);
    query.defined = &region->defined;
    shadow.defined = checked->starts_undefined;
    if (region->defined.count) {
        struct range extent = find_extent(access);
        shadow.defined = !ranges_contain(&region->defined, extent.begin, extent.end);
    }
    if (plan->later_race.kind != FAILURE_NONE)
        shadow.stores_same = stores_anything;
    if (is_store(step->instruction))
        leave_unchanged(step, marks, &shadow);
    if (!shadow.mask)
        return true;
    bool good = shadow_check(marks, &shadow, &finding);
    finding.address += region->base;
    if (!good && finding.verdict == SHADOW_WRITE_AFTER_WRITE) {
        check_report_later(step, &finding, &plan->later_race);
        shadow.stores_same = stores_anything;
        good = shadow_check(marks, &shadow, &finding);
        finding.address += region->base;
    }
    if (!good && is_flag_race(step, &finding)) {
        if (plan->flag_race.kind == FAILURE_NONE)
            check_report_later(step, &finding, &plan->flag_race);
        shadow.only_undefined = true;
        good = shadow_check(marks, &shadow, &finding);
    }
    if (!good)
        return check_report(step, PTX_GLOBAL, &finding);
    return !query.any_undefined || take_undefined_elements(step, &query, region->base);
}

/* Returns the heap's shadow, or NULL if no byte of the heap block at `offset` is checked. *bytes is
 * the size of the heap block, and receives the number of its checked bytes. */
static const struct shadow *heap_shadow(const struct step *step, const struct memory_region *heap,
                                        uint64_t offset, uint64_t *bytes)
{
    const struct checker *checker = checker_of(step->block);
    if (!checker->plan->global || offset >= checker->plan->part)
        return NULL;
    const struct shadow *marks = &region_of(step, heap)->shadow;
    uint64_t left = checker->plan->part - offset, granule = 1ull << marks->shift;
    *bytes = (*bytes < left ? *bytes : left) / granule * granule;
    return *bytes ? marks : NULL;
}

static void check_allocated(const struct step *step, const struct memory_region *heap,
                            uint64_t offset, uint64_t bytes)
{
    const struct shadow *marks = heap_shadow(step, heap, offset, &bytes);
    if (marks)
        shadow_forget(marks, offset, bytes);
}

static bool check_freed(const struct step *step, unsigned lane, const struct memory_region *heap,
                        uint64_t offset, uint64_t bytes)
{
    enum { BYTES_MAX = 1 << 16 };
    const struct shadow *marks = heap_shadow(step, heap, offset, &bytes);
    uint64_t address[LANES] = {0};
    address[lane] = offset;
    const struct checked_access access = {.space = PTX_GLOBAL,
                                          .kind = SHADOW_STORE,
                                          .mask = 1u << lane,
                                          .bytes =
                                              (unsigned)(bytes < BYTES_MAX ? bytes : BYTES_MAX),
                                          .address = address};
    struct shadow_access shadow;
    struct shadow_finding finding;
    if (!marks)
        return true;
    struct access_query query;
    shadow_access_fill(step, &access, heap->host, NULL, &query, &shadow);
    if (shadow_check(marks, &shadow, &finding))
        return true;
    finding.address += heap->base;
    return check_report(step, PTX_GLOBAL, &finding);
}

/* Returns the lanes of `left` that access the region, and writes their offsets to `offsets`.
 * *inside receives the lanes that access the checked part of the region. */
static uint32_t find_offsets(const struct step *step, const struct checked_access *access,
                             const struct memory_region *region, uint32_t left, uint32_t *inside,
                             uint64_t offsets[LANES])
{
    uint64_t part = checker_of(step->block)->plan->part, base = region->base;
    uint64_t checked = part < region->bytes ? part : region->bytes;
    uint32_t same = 0;
    *inside = 0;
    if (access->low >= base && access->high - base < checked &&
        checked - (access->high - base) >= access->bytes) {
        for (unsigned lane = 0; lane < LANES; lane++)
            offsets[lane] = access->address[lane] - base;
        return *inside = left;
    }
    memset(offsets, 0, LANES * sizeof *offsets); /* Inactive lanes also need valid indices. */
    FOR_LANES (lane, left)
        if (access->address[lane] - base < region->bytes) {
            offsets[lane] = access->address[lane] - base;
            same |= 1u << lane;
            *inside |= (uint32_t)(offsets[lane] + access->bytes <= part) << lane;
        }
    return same;
}

static bool check_global(const struct step *step, const struct checked_access *access)
{
    struct check_plan *plan = checker_of(step->block)->plan;
    uint64_t offsets[LANES];
    for (uint32_t left = access->mask, same, inside; left; left &= ~same) {
        const struct memory_region *region =
            memory_find(step->block->launch->memory, access->address[__builtin_ctz(left)]);
        same = find_offsets(step, access, region, left, &inside, offsets);
        struct checked_access part = *access;
        part.mask = same & inside;
        part.address = offsets;
        if (part.mask != access->mask)
            part.halves[0] = part.halves[1] = HALF_OTHER;
        struct check_region *checked = region_of(step, region);
        if (access->kind != SHADOW_LOAD) {
            checked->is_written = true;
            if (!note_flags(step, access, same, checked))
                return false;
        }
        FOR_LANES (lane, same & ~inside)
            offsets[lane] = 0;
        if (part.mask && !region->is_guard && !check_region(step, &part, region))
            return false;
    }
    unsigned lanes = (unsigned)__builtin_popcount(access->mask);
    plan->work -= lanes < plan->work ? lanes : plan->work;
    plan->global = plan->work;
    return true;
}

/* Reading lanes observe the stamps published at the address. Writing lanes publish stamps. */
static void order_strong(const struct step *step, const struct checked_access *access)
{
    struct checker *checker = checker_of(step->block);
    struct order *order = &checker->order;
    const struct program_function *function = step->fragment->frame->function;
    const struct ptx_instruction *source =
        &function->source->instructions[step->instruction->number];
    bool both = ptx_has(source, PTX_MOD_ACQ_REL);
    bool adds = access->kind == SHADOW_ATOMIC, reads = access->kind != SHADOW_STORE;
    bool writes = access->kind != SHADOW_LOAD;
    bool for_device = !is_block_scope(source), acquires = both || ptx_has(source, PTX_MOD_ACQUIRE);
    if (writes && (both || ptx_has(source, PTX_MOD_RELEASE)))
        fence(checker, step->warp, access->mask, for_device);
    if (reads && read_use_of(step) == READ_UNUSED)
        reads = false; /* A value that the thread ignores orders nothing. */
    bool to_blocks = checker->device_fence && access->space == PTX_GLOBAL && for_device;
    FOR_LANES (lane, order->has_fences || to_blocks ? access->mask : 0) {
        uint64_t place = (uint64_t)access->space << 56 ^ access->address[lane];
        uint32_t thread = step->warp->index * order->width + lane;
        if (reads)
            order_observe(order, thread, place, acquires);
        if (reads && to_blocks)
            messages_observe(&checker->plan->messages, &checker->inbox, thread, place);
        if (writes)
            order_publish(order, thread, place, adds);
        if (writes && to_blocks)
            messages_publish(&checker->plan->messages, &checker->inbox, order,
                             checker->block_number, thread, place, adds,
                             checker->device_fence[thread]);
    }
    if (reads && to_blocks && acquires)
        learn_messages(checker, step->warp, access->mask);
}

static bool check_access(const struct step *step, const struct checked_access *access)
{
    struct checker *checker = checker_of(step->block);
    if (!check_origin(step, access))
        return false;
    bool is_reserved = access->space == PTX_SHARED && step->block->reserved &&
                       access->low >= step->block->reserved; /* CUDA reserves this memory. */
    bool good = is_reserved                                            ? true
                : access->space == PTX_SHARED                          ? check_shared(step, access)
                : access->space == PTX_GLOBAL && checker->plan->global ? check_global(step, access)
                : access->space == PTX_LOCAL                           ? check_local(step, access)
                                                                       : true;
    if (good && is_strong(step->instruction) && step->instruction->kind != SIMT_MBARRIER)
        order_strong(step, access);
    return good;
}

const struct sink check_sink = {.create = check_create,
                                .free = check_free,
                                .begin = check_begin,
                                .resume = check_resume,
                                .pause = check_pause,
                                .fault_is_due = check_fault_is_due,
                                .access = check_access,
                                .counted_arrive = check_arrive,
                                .counted_pass = check_pass,
                                .reopen = check_reopen,
                                .sync = check_sync,
                                .synced = check_synced,
                                .exchanged = check_exchanged,
                                .mbarrier_arrive = check_mbarrier_arrive,
                                .mbarrier_wait = check_mbarrier_wait,
                                .fence = check_fence,
                                .entered = check_entered,
                                .allocated = check_allocated,
                                .freed = check_freed,
                                .follow = check_follow};
