/* check_plan.c: decide what is checked in a launch. */
#include "emulator/sinks/checker.h"

#include "emulator/decode/read_uses.h"

#include <stdlib.h>

static bool touches_checked_memory(const struct instruction *instruction)
{
    bool moves = instruction->kind == SIMT_LOAD || instruction->kind == SIMT_STORE ||
                 instruction->kind == SIMT_ATOMIC || instruction->kind == SIMT_COPY_ASYNC ||
                 (instruction->kind >= SIMT_TEXTURE && instruction->kind <= SIMT_SURFACE_ATOMIC);
    return moves && (instruction->space == PTX_SHARED || instruction->space == PTX_GLOBAL ||
                     instruction->space == PTX_GENERIC);
}

static unsigned narrowest_texel(const struct emulator_launch *launch)
{
    unsigned narrowest = 8;
    for (uint32_t i = 0; i < launch->texture_count; i++) {
        unsigned bytes = texture_texel_bytes(&launch->textures[i]);
        narrowest = bytes < narrowest ? bytes : narrowest;
    }
    return narrowest;
}

static void plan_traits(struct check_plan *plan, const struct program_function *function)
{
    const struct ptx_function *source = function->source;
    enum { WORK_LIMIT = 100 * 1000 * 1000 };
    bool swaps = false;
    for (size_t i = 0; i < source->instruction_count; i++)
        swaps |= ptx_has(&source->instructions[i], PTX_MOD_CAS);
    for (size_t i = 0; i < source->instruction_count; i++) {
        const struct ptx_instruction *instruction = &source->instructions[i];
        bool loads = instruction->opcode == PTX_OP_LD;
        if (loads && ptx_has(instruction, PTX_MOD_NC))
            plan->traits[function->stats_base + i] |= CHECK_CONSTANT;
        if (loads && swaps && instruction->space != PTX_PARAM &&
            (plan->trait_work += source->instruction_count) < WORK_LIMIT &&
            read_is_compared(source, (uint32_t)i))
            plan->traits[function->stats_base + i] |= CHECK_COMPARED;
        if (instruction->opcode == PTX_OP_ST && instruction->space != PTX_PARAM &&
            (plan->trait_work += i) < WORK_LIMIT && read_is_updated(source, (uint32_t)i))
            plan->traits[function->stats_base + i] |= CHECK_UPDATES;
    }
}

/* Plan the checks of all functions that may run. Their narrowest access determines the granule. */
static bool plan_program(struct check_plan *plan, const struct emulator_launch *launch)
{
    const struct program *program = launch->program;
    unsigned narrowest = 8;
    bool good = true;
    bool *reached = calloc(program->module->function_count + 1, sizeof *reached);
    if (reached)
        program_reach(program, launch->function, reached);
    for (size_t f = 0; reached && f < program->module->function_count; f++) {
        const struct program_function *function = &program->functions[f];
        if (!reached[f])
            continue;
        good &= address_origins_find(program, (int)f, plan->origins + function->stats_base);
        plan_traits(plan, function);
        for (size_t i = 0; i < function->code_count; i++) {
            const struct instruction *instruction = &function->code[i];
            plan->fences |=
                instruction->opcode == PTX_OP_MEMBAR || instruction->opcode == PTX_OP_FENCE;
            plan->forms[function->stats_base + instruction->number] =
                (uint8_t)(element_bytes(instruction) |
                          (is_block_scope(&function->source->instructions[instruction->number])
                               ? SHADOW_BLOCK_SCOPE
                               : 0));
            if (!touches_checked_memory(instruction))
                continue;
            unsigned bytes =
                instruction->kind == SIMT_TEXTURE ? narrowest_texel(launch) : instruction->bytes;
            if (bytes < narrowest)
                narrowest = bytes;
        }
    }
    plan->shift = (unsigned)__builtin_ctz(narrowest ? narrowest : 1);
    good &= reached != NULL;
    free(reached);
    return good;
}

static uint64_t memory_bytes(const struct guest_memory *memory, uint64_t part)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < memory->count; i++) {
        const struct memory_region *region = &memory->regions[i];
        bool counts = !region->is_guard && !region->is_heap;
        bytes += !counts ? 0 : region->bytes < part ? region->bytes : part;
    }
    return bytes;
}

static bool plan_global(struct check_plan *plan, const struct simt_run *run)
{
    const struct emulator_launch *launch = &run->launch;
    const struct guest_memory *memory = launch->memory;
    uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    plan->part = plan->work = 1ull << 62;
    if (memory_bytes(memory, plan->part) > launch->checked_bytes || blocks > CHECK_GLOBAL_BLOCKS) {
        if (!launch->checks_parts)
            return true;
        plan->work = CHECK_PARTS_WORK;
        while (memory_bytes(memory, plan->part) > launch->checked_bytes && plan->part > 16)
            plan->part /= 2;
    }
    plan->global = true;
    plan->regions = calloc(memory->count + 1, sizeof *plan->regions);
    plan->region_count = memory->count;
    plan->stores_vary = run->is_ordered;
    for (unsigned i = 0; plan->regions && i < memory->count; i++) {
        const struct memory_region *region = &memory->regions[i];
        plan->regions[i].starts_undefined =
            region->starts_undefined ||
            (region->is_heap && device_heap_is_new(memory_heap(region)));
        uint64_t bytes = region->bytes < plan->part ? region->bytes : plan->part;
        if (!region->is_guard && !shadow_create(&plan->regions[i].shadow, bytes, plan->shift))
            return false;
    }
    return plan->regions;
}

bool check_plan_create(struct check_plan *plan, const struct simt_run *run)
{
    const struct emulator_launch *launch = &run->launch;
    const size_t count = launch->program->instruction_count + 1;
    *plan = (struct check_plan){0};
    plan->forms = calloc(3, count);
    plan->origins = calloc(count, sizeof *plan->origins);
    if (!plan->forms || !plan->origins)
        return false;
    plan->traits = plan->forms + count;
    plan->read_uses = plan->traits + count;
    plan->shared =
        program_shared_bytes(launch->program, launch->function) + launch->dynamic_shared > 0 ||
        program_has(launch->program, launch->function, PROGRAM_READS_RESERVED);
    return plan_program(plan, launch) && plan_global(plan, run);
}

void check_plan_free(struct check_plan *plan)
{
    for (unsigned i = 0; plan->regions && i < plan->region_count; i++)
        shadow_free(&plan->regions[i].shadow);
    free(plan->regions);
    free(plan->turns);
    free(plan->forms);
    free(plan->origins);
    messages_free(&plan->messages);
    *plan = (struct check_plan){0};
}

void region_touch_free(struct region_touch *touch)
{
    ranges_free(&touch->read);
    ranges_free(&touch->written);
    ranges_free(&touch->strongly_read);
    ranges_free(&touch->strongly_written);
}

/* Returns 0 if a granule was not accessed, 1 if it had only strong accesses, and 2 otherwise. */
static unsigned touch_of(uint64_t mark, uint64_t other)
{
    bool is_plain = (mark && !(mark & SHADOW_STRONG)) || (other && !(other & SHADOW_STRONG));
    return is_plain ? 2 : mark != 0;
}

static bool collect_marks(const struct shadow *shadow, const uint64_t *marks,
                          const uint64_t *others, uint64_t bytes, struct ranges *strong,
                          struct ranges *plain)
{
    for (uint64_t at = 0, end; at << shadow->shift < bytes; at = end) {
        unsigned touch = touch_of(marks[at], others[at]);
        for (end = at + 1; end < shadow->count && touch_of(marks[end], others[end]) == touch;)
            end++;
        uint64_t last = end << shadow->shift;
        if (touch && !ranges_add(touch == 1 ? strong : plain, at << shadow->shift,
                                 last < bytes ? last : bytes))
            return false;
    }
    return true;
}

void check_plan_touched(const struct check_plan *plan, const struct guest_memory *memory,
                        unsigned region, bool reads, struct region_touch *touch)
{
    const struct shadow *shadow = &plan->regions[region].shadow;
    const uint64_t bytes = memory->regions[region].bytes;
    touch->may_be_written = plan->regions[region].is_written;
    touch->is_known =
        shadow->count && bytes <= plan->part && !memory->regions[region].is_heap &&
        (!touch->may_be_written || collect_marks(shadow, shadow->write, shadow->first, bytes,
                                                 &touch->strongly_written, &touch->written)) &&
        (!reads || collect_marks(shadow, shadow->read, shadow->other_read, bytes,
                                 &touch->strongly_read, &touch->read));
    if (!touch->is_known) {
        bool may_be_written = touch->may_be_written;
        region_touch_free(touch);
        *touch = (struct region_touch){.may_be_written = may_be_written};
    }
}
