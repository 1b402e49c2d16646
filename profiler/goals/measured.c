#include "goals/measured.h"

#include "emulator/emulator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR_BYTES = 16, WORD_BYTES = 4 };

enum status measured_status(const struct measured_run *counted)
{
    const char *text = record_text(&counted->record, COLUMN_status);
    for (int i = 0; i < STATUS_COUNT; i++)
        if (!strcmp(text, status_name((enum status)i)))
            return (enum status)i;
    return STATUS_UNTRUSTED;
}

bool measured_right(const struct rubric *rubric, unsigned index, const struct measured_run *counted)
{
    const bool elsewhere = index && index != rubric->runs[0].twin;
    const enum status status = measured_status(counted);
    return status == STATUS_OK || (elsewhere && status == STATUS_LAUNCH_ERROR);
}

static unsigned access_bytes(const struct ptx_instruction *instruction)
{
    const struct ptx_operand *value = &instruction->operands[instruction->opcode == PTX_OP_ST];
    unsigned element = instruction->type_count
                           ? ptx_type_bytes(instruction->types[instruction->type_count - 1])
                           : 0;
    return value->kind == PTX_OPERAND_VECTOR ? value->vector_count * element : element;
}

static void count_instruction(const struct ptx_instruction *instruction,
                              const struct instruction_stats *stats, struct measured_run *counted)
{
    bool copy = instruction->opcode == PTX_OP_CP; /* cp.async counts as a load and as a store. */
    uint64_t bytes = copy ? stats->bytes / 2 : stats->bytes;
    bool global = stats->sectors, shared = stats->wavefronts;
    if (instruction->opcode == PTX_OP_SHFL || instruction->opcode == PTX_OP_REDUX)
        counted->shuffles += stats->executed;
    else if (instruction->opcode == PTX_OP_ATOM || instruction->opcode == PTX_OP_RED) {
        counted->atomic_bytes += stats->bytes;
        counted->shared_atomic_bytes += stats->sectors ? 0 : stats->bytes;
        return;
    }
    const uint64_t each = copy ? instruction->operands[2].integer : access_bytes(instruction);
    if (global && (copy || instruction->opcode == PTX_OP_LD))
        counted->loaded_bytes += each && each < WORD_BYTES ? bytes * WORD_BYTES / each : bytes;
    if (global && instruction->opcode == PTX_OP_ST)
        counted->stored_bytes += bytes;
    if (global && each >= VECTOR_BYTES)
        *(instruction->opcode == PTX_OP_ST ? &counted->vector_stored_bytes
                                           : &counted->vector_loaded_bytes) += bytes;
    if (shared && (copy || instruction->opcode == PTX_OP_ST))
        counted->shared_stored_bytes += bytes;
    else if (shared)
        counted->shared_loaded_bytes += bytes;
}

/* Save the size of the largest two-dimensional shared array in which all rows start in one bank. */
static void note_largest(const struct ptx_variable *variables, size_t count,
                         const struct array_shapes *shapes, struct measured_run *counted)
{
    enum { ROW_BYTES = 128 }; /* One word in each bank. */
    for (size_t i = 0; i < count; i++) {
        const struct ptx_variable *variable = &variables[i];
        unsigned each = WORD_BYTES;
        const struct array_shape *shape =
            array_shapes_find(shapes, ptx_plain_name(variable->name), variable->bytes, &each);
        if (variable->space == PTX_SHARED && variable->bytes > counted->tile_bytes && shape &&
            shape->dimensions == 2 && shape->extent[1] * each % ROW_BYTES == 0)
            counted->tile_bytes = variable->bytes;
    }
}

void measured_count(const struct emulator_launch *launch, const struct emulator_result *result,
                    struct measured_run *counted)
{
    const struct ptx_module *module = launch->program->module;
    for (size_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        const struct instruction_stats *stats =
            result->stats + launch->program->functions[f].stats_base;
        for (size_t i = 0; i < function->instruction_count; i++)
            count_instruction(&function->instructions[i], &stats[i], counted);
    }
    counted->barriers = result->counters.barriers;
    counted->active_blocks = result->active_blocks;
    counted->displaced_blocks = result->displaced_blocks;
    counted->continuing_blocks = result->continuing_blocks;
    counted->filling_blocks = result->filling_blocks;
    const struct ptx_function *kernel = &module->functions[launch->function];
    note_largest(module->variables, module->variable_count, launch->program->shapes, counted);
    note_largest(kernel->variables, kernel->variable_count, launch->program->shapes, counted);
}

static uint64_t work_of(const struct ptx_instruction *instruction,
                        const struct instruction_stats *stats)
{
    switch (instruction->opcode) {
    case PTX_OP_LD:
    case PTX_OP_ST:
    case PTX_OP_CP:
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return instruction->space == PTX_PARAM || instruction->space == PTX_CONST ||
                       instruction->space == PTX_LOCAL
                   ? 0
                   : stats->executed;
    default:
        return 0;
    }
}

static double work_cost(const struct emulator_launch *launch, const struct emulator_result *result)
{
    const struct ptx_module *module = launch->program->module;
    uint64_t all = 0, cost = 0;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++) {
            const struct instruction_stats *stats =
                &result->stats[launch->program->functions[f].stats_base + i];
            const uint64_t work = work_of(&module->functions[f].instructions[i], stats);
            all += work;
            cost += work ? stats->sectors + stats->wavefronts : 0;
        }
    return all ? (double)cost / (double)all : 0;
}

/* Add the work of a launch to *all, and the work of instructions without work in `before` to
 * *other. `executed` (may be NULL) receives the work of each instruction. */
static void work_gather(const struct emulator_launch *launch, const struct emulator_result *result,
                        const struct measured_work *before, uint64_t *executed, uint64_t *all,
                        uint64_t *other)
{
    const struct ptx_module *module = launch->program->module;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; i < module->functions[f].instruction_count; i++) {
            const size_t at = launch->program->functions[f].stats_base + i;
            const uint64_t work =
                work_of(&module->functions[f].instructions[i], &result->stats[at]);
            *all += work;
            *other += at < before->count && !before->executed[at] ? work : 0;
            if (executed)
                executed[at] = work;
        }
}

bool measured_work_note(const struct emulator_launch *launch, const struct emulator_result *result,
                        struct measured_work *work)
{
    uint64_t all = 0, other = 0;
    free(work->executed);
    work->count = launch->program->instruction_count;
    work->executed = calloc(work->count + 1, sizeof *work->executed);
    work->cost = work_cost(launch, result);
    if (work->executed)
        work_gather(launch, result, work, work->executed, &all, &other);
    else
        work->count = 0;
    return work->executed;
}

double measured_other_work(const struct emulator_launch *launch,
                           const struct emulator_result *result, const struct measured_work *work)
{
    const double more = 1.25;
    uint64_t all = 0, other = 0;
    work_gather(launch, result, work, NULL, &all, &other);
    if (work_cost(launch, result) > more * work->cost)
        return 1;
    return all ? (double)other / (double)all : 0;
}

/* Returns a factor for a kernel that does not pass elements between threads: 1 if its sectors
 * are full, and 0 if a third of their bytes is unused. Without a tile, a kernel with warps of 8 x 4
 * threads, or with 4 x 4 elements per thread, uses half of each stored sector (1.5 `sectors`). */
static double narrow_share(const struct measured_run *counted)
{
    const double full = 1.1, narrow = 1.55;
    double sectors;
    return goal_measure(RUBRIC_SECTORS, &counted->record, measured_needs(counted), &sectors)
               ? goal_share(full, narrow, sectors)
               : 1;
}

bool measured_asks_for_ways(const struct rubric *rubric, unsigned index,
                            const struct measured_run *counted)
{
    static const bool only_counts[RUBRIC_MECHANISM_COUNT] = {[RUBRIC_USES_ORDER] = true,
                                                             [RUBRIC_USES_STORE_ORDER] = true,
                                                             [RUBRIC_USES_BARRIER] = true,
                                                             [RUBRIC_USES_VECTOR] = true};
    for (unsigned i = 0; i < rubric->check_count; i++) {
        const struct rubric_check *check = &rubric->checks[i];
        const bool requires = check->kind == RUBRIC_MECHANISM && !only_counts[check->mechanism] &&
                              (!check->forbid || check->mechanism == RUBRIC_USES_LAYOUT ||
                               check->mechanism == RUBRIC_USES_PRIVATE);
        const bool follows = check->with < RUBRIC_MECHANISM_COUNT && !only_counts[check->with];
        if ((requires || (follows && narrow_share(counted) < 1)) &&
            index == (rubric->runs[check->run].twin ? rubric->runs[check->run].twin : check->run))
            return true;
    }
    return false;
}

struct goal_needs measured_needs_at(const struct exercise *exercise, uint64_t rows, uint64_t cols)
{
    if (exercise->function < 0)
        return (struct goal_needs){0};
    struct goal_needs needs = {.read = (double)form_bytes(&exercise->form, FORM_INPUT, rows, cols),
                               .written =
                                   (double)form_bytes(&exercise->form, FORM_OUTPUT, rows, cols)};
    for (unsigned i = 0; i < exercise->form.count && exercise->square; i++)
        if (exercise->form.parameters[i].role == FORM_INOUT)
            needs.read -= 4.0 * (double)rows;
    return needs;
}

const struct goal_needs *measured_needs(const struct measured_run *counted)
{
    return counted->needs.read > 0 ? &counted->needs : NULL;
}

double measured_matrix_bytes(const struct measured_run *counted)
{
    const double spared = (double)counted->spared_bytes;
    if (measured_needs(counted))
        return counted->needs.read - spared;
    const struct record_value *values = counted->record.values;
    return 4.0 * (double)values[COLUMN_rows].count * (double)values[COLUMN_cols].count - spared;
}

static double count_of(const struct measured_run *counted, enum column column)
{
    const struct record_value *value = &counted->record.values[column];
    return value->known ? (double)value->count : 0;
}

enum {
    LAYOUT_WAYS = 16,   /* Maximum wavefronts per request; a tile without padding has 32. */
    LAYOUT_WORDS = 128, /* Padding is at least one word per 128 elements. */
    LAYOUT_MOST = 4,    /* Padding is at most a quarter of the tile. */
    ORDER_PERCENT = 40, /* At most 40 % of the blocks are in order. */
    STORE_BLOCKS = 8,   /* At most 1/8 of the blocks may break the order of stores. */
    FILL_ROWS = 384,    /* With fewer rows, a tile of 128 rows may fill a third of a column. */
    ATOMIC_BYTES = 32,  /* At most 1/32 of the bytes may move by atomic operations. */
    FEW_BLOCKS = 8,     /* At most 1/8 of the blocks, such as the last block, are exceptions. */
    WARP = 32,          /* A reduction executes at most one atomic operation per 32 elements. */
    WARP_SPARE = 8,     /* Partial warps justify 1/8 more atomic operations. */
    VECTOR_NARROW = 8   /* Scalar accesses at the edges move at most 1/8 of the bytes. */
};

static bool moves_vectors(uint64_t vectors, uint64_t moved, double bytes)
{
    return (double)vectors >= bytes && (double)moved <= bytes + bytes / VECTOR_NARROW;
}

static double vector_share(const struct measured_run *counted)
{
    const double read = measured_matrix_bytes(counted),
                 written = measured_needs(counted) ? counted->needs.written : read;
    return (moves_vectors(counted->vector_loaded_bytes, counted->loaded_bytes, read) +
            moves_vectors(counted->vector_stored_bytes, counted->stored_bytes, written)) /
           2.0;
}

/* Returns true if threads exchange elements through a tile that has padding, or that needs at most
 * half of the wavefronts of a plain array. */
static bool has_layout(const struct measured_run *counted)
{
    double ways, shared = (double)(counted->tile_bytes * counted->active_blocks);
    const double bytes = measured_matrix_bytes(counted);
    return measured_uses(RUBRIC_USES_EXCHANGE, false, counted) &&
           ((shared >= bytes + bytes / LAYOUT_WORDS && shared <= bytes + bytes / LAYOUT_MOST) ||
            (goal_measure(RUBRIC_WAYS, &counted->record, measured_needs(counted), &ways) &&
             ways <= LAYOUT_WAYS));
}

/* Returns true if the threads of most blocks share the work of a sum. Shared memory and shuffles
 * must add at least half of the words, and global atomic operations few words. */
static bool reduces(const struct measured_ways *ways)
{
    return 2 * (ways->through_shared + ways->through_shuffles) >= ways->elements &&
           ways->totals.atomics * WARP <= ways->elements + ways->elements / WARP_SPARE &&
           ways->totals.lonely_blocks * FEW_BLOCKS <= ways->totals.blocks;
}

/* Returns true if all elements pass through shared memory. For a sum, `reduces` must be true, and
 * shared memory must add at least half as many words as global atomic operations. */
static bool passes_shared(const struct measured_ways *ways)
{
    return ways->elements &&
           (ways->is_sum ? reduces(ways) && 2 * ways->through_shared >= ways->totals.atomics
                         : ways->through_shared >= ways->elements);
}

static bool passes_shuffles(const struct measured_ways *ways)
{
    return ways->through_shuffles * 2 + ways->elements / FEW_BLOCKS >= ways->elements &&
           (!ways->is_sum || reduces(ways));
}

bool measured_uses(enum rubric_mechanism mechanism, bool forbid, const struct measured_run *counted)
{
    const struct measured_ways *ways = &counted->ways;
    double matrix_bytes = measured_matrix_bytes(counted);
    double blocks = count_of(counted, COLUMN_grid_x) * count_of(counted, COLUMN_grid_y) *
                    count_of(counted, COLUMN_grid_z);
    const double moved = (double)(counted->loaded_bytes + counted->stored_bytes);
    /* Accessed words in addition to the matrix. One such word may change the rank of one block. */
    const double idle = fmax(0, moved + (double)counted->atomic_bytes - 2 * matrix_bytes) / 4;
    bool shared = counted->shared_stored_bytes || counted->shared_loaded_bytes ||
                  counted->shared_atomic_bytes;
    switch (mechanism) {
    case RUBRIC_USES_SHARED:
        return shared && (forbid || passes_shared(ways));
    case RUBRIC_USES_EXCHANGE:
        return shared &&
               (forbid || (passes_shared(ways) &&
                           (ways->is_sum || 2 * ways->between_threads >= ways->elements)));
    case RUBRIC_USES_TILE:
        return shared &&
               (forbid || measured_uses(RUBRIC_USES_EXCHANGE, false, counted) ||
                (passes_shared(ways) && (double)counted->barriers >= blocks &&
                 count_of(counted, COLUMN_shared_bytes) * (double)counted->active_blocks >=
                     matrix_bytes));
    case RUBRIC_USES_LAYOUT:
        return has_layout(counted);
    case RUBRIC_USES_ORDER:
        return counted->displaced_blocks &&
               (forbid || ((double)counted->displaced_blocks - idle) * 100 >=
                              (double)counted->active_blocks * (100 - ORDER_PERCENT));
    case RUBRIC_USES_STORE_ORDER:
        return counted->continuing_blocks &&
               (forbid || ((counted->active_blocks - counted->continuing_blocks) * STORE_BLOCKS <=
                               counted->active_blocks + STORE_BLOCKS &&
                           (counted->filling_blocks * STORE_BLOCKS <= counted->active_blocks ||
                            count_of(counted, COLUMN_rows) < FILL_ROWS)));
    case RUBRIC_USES_BARRIER:
        return counted->barriers && (forbid || (double)counted->barriers >= blocks);
    case RUBRIC_USES_VECTOR:
        return counted->vector_loaded_bytes + counted->vector_stored_bytes &&
               (forbid || vector_share(counted) >= 1);
    case RUBRIC_USES_TOGETHER:
        return shared &&
               (forbid || (ways->totals.blocks &&
                           (!ways->is_sum ||
                            (double)counted->shared_atomic_bytes * FEW_BLOCKS <= matrix_bytes) &&
                           (ways->totals.lonely_blocks + ways->totals.uneven_blocks) * FEW_BLOCKS <=
                               ways->totals.blocks));
    case RUBRIC_USES_SHUFFLE:
        return counted->shuffles && (forbid || passes_shuffles(ways));
    case RUBRIC_USES_PRIVATE:
        return ways->totals.private_blocks &&
               (forbid || (ways->totals.blocks - ways->totals.private_blocks) * FEW_BLOCKS <=
                              ways->totals.blocks);
    default:
        return false;
    }
}

bool measured_lacks_traffic(const struct measured_run *counted)
{
    const struct record_value *dram = &counted->record.values[COLUMN_dram_read_bytes];
    double compulsory = measured_matrix_bytes(counted);
    return measured_status(counted) == STATUS_OK &&
           ((double)counted->loaded_bytes < compulsory ||
            (dram->known && (double)dram->count < compulsory));
}

/* Returns the reason why the counters are not accepted, or NULL. Few elements may move by atomic
 * operations, because the counters exclude atomic operations. */
static const char *evades_counters(enum rubric_measure measure, const struct measured_run *counted)
{
    const unsigned of = goal_measure_of(measure);
    const uint64_t uncounted =
        counted->atomic_bytes - (of & GOAL_OF_SHARED ? 0 : counted->shared_atomic_bytes);
    if (of & GOAL_NOT_OF_ATOMICS &&
        (double)uncounted * ATOMIC_BYTES > measured_matrix_bytes(counted))
        return "atomic operations move elements, but the counters exclude atomic operations: use "
               "loads and stores";
    if (measured_lacks_traffic(counted))
        return "the kernel loads fewer elements than the matrix has, although the result is "
               "correct: the counters of this kernel are not accepted";
    return NULL;
}

/* Returns the words of a sum divided by the words that can enter shared memory. One word enters for
 * each thread of an active block, or 32 words for three requests (two loads, a store). A kernel may
 * add most words in registers. Conflicts per input word are then rare, even with many conflicts per
 * access. */
static double words_per_shared_word(const struct measured_run *counted)
{
    enum { REQUESTS = 3 };
    const double words = counted->needs.read / WORD_BYTES,
                 threads = (double)counted->active_blocks * count_of(counted, COLUMN_block_x) *
                           count_of(counted, COLUMN_block_y) * count_of(counted, COLUMN_block_z),
                 requests = count_of(counted, COLUMN_shared_load_requests) +
                            count_of(counted, COLUMN_shared_store_requests),
                 entered = fmin(threads, requests * WARP / REQUESTS);
    return entered > 0 ? fmax(words / entered, 1) : 1;
}

static struct measured_finding judge_ratio(const struct rubric_check *check,
                                           const struct measured_run *counted)
{
    const bool of_shared = goal_measure_of(check->measure) & GOAL_OF_SHARED;
    struct measured_finding finding = {.evasion = evades_counters(check->measure, counted)};
    finding.has_value =
        goal_measure(check->measure, &counted->record, measured_needs(counted), &finding.value);
    if (check->measure == RUBRIC_CONFLICTS && counted->ways.is_sum)
        finding.value *= words_per_shared_word(counted);
    finding.without_shared = of_shared && !measured_uses(RUBRIC_USES_SHARED, true, counted);
    if (!finding.has_value || finding.evasion)
        return finding;
    finding.share = finding.without_shared ? check->without_shared
                                           : goal_share(check->full, check->zero, finding.value);
    return finding;
}

double measured_scale_after(double share)
{
    return fmin(fmax(2 * share - 0.5, 0), 1);
}

static bool uses_with(const struct rubric_check *check, const struct measured_run *counted)
{
    return check->with == RUBRIC_MECHANISM_COUNT ||
           (check->with == RUBRIC_USES_VECTOR ? vector_share(counted) > 0
                                              : measured_uses(check->with, false, counted));
}

struct measured_finding measured_judge(const struct rubric_check *check,
                                       const struct measured_run *counted)
{
    struct measured_finding finding = {.share = 0};
    if (check->kind == RUBRIC_RATIO)
        finding = judge_ratio(check, counted);
    else if (check->kind == RUBRIC_MECHANISM && check->mechanism == RUBRIC_USES_VECTOR &&
             !check->forbid)
        finding.share = vector_share(counted);
    else if (check->kind == RUBRIC_MECHANISM)
        finding.share = measured_uses(check->mechanism, check->forbid, counted) != check->forbid;
    finding.narrow = finding.share > 0 && !uses_with(check, counted) ? narrow_share(counted) : 1;
    return finding;
}

const struct measured_line *measured_worst_line(const struct measured_line *lines, unsigned count,
                                                enum rubric_measure measure)
{
    const unsigned of = goal_measure_of(measure);
    uint64_t worst = 0;
    const struct measured_line *found = NULL;
    for (unsigned i = 0; i < count; i++) {
        const struct measured_line *line = &lines[i];
        uint64_t excess = line->used > line->ideal ? line->used - line->ideal : 0;
        if (line->shared == !!(of & GOAL_OF_SHARED) &&
            of & (line->store ? GOAL_OF_STORES : GOAL_OF_LOADS) && excess > worst) {
            worst = excess;
            found = line;
        }
    }
    return found;
}
