#include "view/block_accesses.h"

#include "emulator/decode/shared_names.h"
#include "process/allocate.h"
#include "view/line_counters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST_ELEMENT = 8 }; /* In bytes; a wider access is a vector, usually of floats. */

static void record_access(void *context, const struct observed_access *access)
{
    struct block_accesses *accesses = context;
    if (accesses->count == BLOCK_ACCESSES_MAX) {
        accesses->is_cut = true;
        return;
    }
    allocate_room(&accesses->list, accesses->count, sizeof *accesses->list);
    accesses->list[accesses->count++] = (struct block_access){.access = *access};
}

void block_accesses_begin(struct block_accesses *accesses, uint32_t x, uint32_t y, uint32_t z)
{
    *accesses = (struct block_accesses){
        .observer = {.block = {x, y, z}, .access = record_access, .context = accesses}};
}

void block_accesses_free(struct block_accesses *accesses)
{
    free(accesses->list);
    accesses->list = NULL;
}

static const struct ptx_instruction *instruction_of(const struct ptx_module *module,
                                                    const struct observed_place *place)
{
    return &module->functions[place->function].instructions[place->instruction];
}

static const struct ptx_location *location_of(const struct ptx_module *module,
                                              const struct observed_place *place)
{
    int32_t location = instruction_of(module, place)->location;
    return location >= 0 && (size_t)location < module->location_count ? &module->locations[location]
                                                                      : NULL;
}

/* Returns the number of accesses of the same kind and source position that precede an instruction.
 * NVIDIA's compilers give all loads of a statement the position of the statement. */
static unsigned ordinal_of(const struct ptx_module *module, const struct observed_place *place)
{
    const struct ptx_instruction *first = module->functions[place->function].instructions;
    const struct ptx_instruction *one = instruction_of(module, place);
    unsigned ordinal = 0;
    for (const struct ptx_instruction *at = one; at > first && at[-1].location == one->location;
         at--)
        ordinal += at[-1].opcode == one->opcode && at[-1].space == one->space;
    return ordinal;
}

static bool is_same_instruction(const struct ptx_module *module, const struct block_access *a,
                                const struct block_access *b)
{
    (void)module;
    return a->access.place.function == b->access.place.function &&
           a->access.place.instruction == b->access.place.instruction &&
           a->access.is_shared == b->access.is_shared && a->access.is_store == b->access.is_store &&
           a->line == b->line;
}

static uint64_t lane_distance(const struct observed_access *access)
{
    uint32_t pairs = access->mask & access->mask >> 1;
    if (!pairs)
        return 0;
    unsigned lane = (unsigned)__builtin_ctz(pairs);
    return access->address[lane + 1] - access->address[lane];
}

/* Returns true if two accesses come from one instruction, or from two copies of one instruction in
 * an unrolled loop. Copies have the same source position. If copies are executed repeatedly, the
 * distances between their lanes are equal. */
static bool is_same_place(const struct ptx_module *module, const struct block_access *a,
                          const struct block_access *b)
{
    if (is_same_instruction(module, a, b))
        return true;
    if (a->line != b->line || a->access.is_shared != b->access.is_shared ||
        a->access.is_store != b->access.is_store || a->access.bytes != b->access.bytes)
        return false;
    const struct ptx_location *at = location_of(module, &a->access.place),
                              *bt = location_of(module, &b->access.place);
    if (!at || !bt || at->file != bt->file || at->line != bt->line || at->column != bt->column ||
        at->inlined_at != bt->inlined_at)
        return false;
    if (a->times > 1 && b->times > 1 && lane_distance(&a->access) != lane_distance(&b->access))
        return false;
    return ordinal_of(module, &a->access.place) == ordinal_of(module, &b->access.place);
}

/* Number of accesses of a warp in a group. `group` is the index of the group's first access. */
struct visits {
    size_t group;
    unsigned warp, times;
};

typedef bool same_access(const struct ptx_module *module, const struct block_access *a,
                         const struct block_access *b);

static struct visits *find_visits(const struct block_accesses *accesses, size_t index, size_t group,
                                  struct visits *visits, size_t *count)
{
    unsigned warp = accesses->list[index].access.warp;
    for (size_t v = 0; v < *count; v++)
        if (visits[v].group == group && visits[v].warp == warp)
            return &visits[v];
    visits[*count] = (struct visits){.group = group, .warp = warp};
    return &visits[(*count)++];
}

static void number_accesses(struct block_accesses *accesses, const struct ptx_module *module,
                            same_access *is_same, struct visits *visits)
{
    size_t count = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        struct block_access *one = &accesses->list[i];
        size_t v = 0;
        while (v < count && !is_same(module, one, &accesses->list[visits[v].group]))
            v++;
        one->group = v < count ? visits[v].group : i;
        one->time = ++find_visits(accesses, i, one->group, visits, &count)->times;
    }
    for (size_t i = 0; i < accesses->count; i++) {
        struct block_access *one = &accesses->list[i];
        one->times = find_visits(accesses, i, one->group, visits, &count)->times;
    }
}

void block_accesses_arrange(struct block_accesses *accesses, const struct ptx_module *module,
                            const char *path)
{
    struct visits *visits = allocate_checked(calloc(accesses->count + 1, sizeof *visits));
    for (size_t i = 0; i < accesses->count; i++) {
        struct block_access *one = &accesses->list[i];
        one->line = source_line_of_access(module, &one->access, path);
    }
    number_accesses(accesses, module, is_same_instruction, visits);
    number_accesses(accesses, module, is_same_place, visits);
    free(visits);
}

static void describe_shared(const struct emulator_launch *launch,
                            const struct observed_access *access, unsigned lane, char *text,
                            size_t size)
{
    uint64_t offset = access->address[lane], byte;
    unsigned element = access->bytes > WIDEST_ELEMENT ? WIDEST_ELEMENT / 2 : access->bytes;
    char name[64];
    shared_describe(launch->program, launch->function, offset, element, text, size);
    if (strchr(text, ' ') &&
        shared_find_array(launch->program, launch->function, offset, name, sizeof name, &byte))
        snprintf(text, size, "%.40s + %" PRIu64, name, byte);
}

void block_access_describe(const struct emulator_launch *launch,
                           const struct observed_access *access, unsigned lane, char *text,
                           size_t size)
{
    if (access->is_shared)
        describe_shared(launch, access, lane, text, size);
    else
        memory_describe(launch->memory, access->address[lane], text, size);
}

struct warp_access block_access_pattern(const struct observed_access *access)
{
    return (struct warp_access){.mask = access->mask,
                                .bytes = access->bytes,
                                .is_store = access->is_store,
                                .address = access->address};
}

struct dimensions block_access_thread(const struct emulator_launch *launch, unsigned warp,
                                      unsigned lane)
{
    unsigned thread = warp * (unsigned)launch->device->warp_lanes + lane;
    unsigned row = launch->block.x, layer = row * launch->block.y;
    return (struct dimensions){thread % row, thread / row % launch->block.y, thread / layer};
}
