/* simt_allocate.c: liveness and linear scan. A *life* is the interval of instruction numbers in
 * which a register holds a value that may still be read. A guarded write does not end a life,
 * because some lanes may retain the old value. If lanes have diverged, two registers may use one
 * place, because lanes write only their elements. */
#include "emulator/decode/simt_allocate.h"

#include "emulator/alu/instruction.h"
#include "emulator/ptx/ptx_cfg.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_SET_WORDS = 1 << 20, /* Limit of edges x words of a register set, which bounds the time. */
    MAX_ITERATIONS = 200,    /* Irreducible graphs may exceed this limit. */
    CLASSES = 4,
    NOWHERE = -1,
};

static const unsigned class_bytes[CLASSES] = {4, LANES * 2, LANES * 4, LANES * 8};

static unsigned register_class(const struct ptx_register *reg)
{
    unsigned bytes = ptx_type_bytes(reg->type);
    return reg->type == PTX_PRED ? 0 : bytes <= 2 ? 1 : bytes <= 4 ? 2 : 3;
}

struct life {
    int64_t first, last; /* NOWHERE if the register does not occur. */
};

struct liveness {
    const struct ptx_function *function;
    size_t words;
    struct ptx_blocks blocks;
    uint64_t *in, *uses, *defines;
};

static bool has_destination(const struct ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case PTX_OP_ST:
    case PTX_OP_SUST:
    case PTX_OP_SURED:
    case PTX_OP_RED:
    case PTX_OP_BRA:
    case PTX_OP_BRX:
    case PTX_OP_CALL:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_TRAP:
    case PTX_OP_CP:
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_UNKNOWN:
        return false;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return ptx_has(instruction, PTX_MOD_RED);
    default:
        return true;
    }
}

static void visit_operand(const struct ptx_function *function, const struct ptx_operand *operand,
                          bool is_write, visit_register *visit, void *context)
{
    /* `_|%p` writes a predicate in addition to a sink. */
    if (operand->second >= 0)
        visit(context, operand->second, is_write);
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        visit(context, operand->index, is_write);
        break;
    case PTX_OPERAND_ADDRESS:
        if (operand->address_kind == PTX_OPERAND_REGISTER)
            visit(context, operand->index, false);
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_LIST:
        for (unsigned i = 0; i < operand->vector_count; i++) {
            const struct ptx_operand *element =
                &function->vector_operands[(size_t)operand->index + i];
            if (element->kind == PTX_OPERAND_REGISTER)
                visit(context, element->index, is_write);
        }
        break;
    default:
        break;
    }
}

void registers_visit(const struct ptx_function *function, const struct ptx_instruction *instruction,
                     visit_register *visit, void *context)
{
    bool writes = has_destination(instruction);
    if (instruction->guarded)
        visit(context, instruction->guard, false);
    for (unsigned i = 1; i < instruction->operand_count; i++)
        visit_operand(function, &instruction->operands[i], false, visit, context);
    if (!instruction->operand_count)
        return;
    if (!writes || instruction->guarded)
        visit_operand(function, &instruction->operands[0], false, visit, context);
    if (writes)
        visit_operand(function, &instruction->operands[0], true, visit, context);
}

static void set_add(uint64_t *set, int32_t number)
{
    set[number / 64] |= 1ull << (number % 64);
}

struct block_sets {
    uint64_t *uses, *defines;
};

static void add_to_block(void *context, int32_t number, bool is_write)
{
    struct block_sets *sets = context;
    if (is_write)
        set_add(sets->defines, number);
    else if (!(sets->defines[number / 64] >> (number % 64) & 1))
        set_add(sets->uses, number);
}

static size_t count_edges(const struct liveness *live)
{
    size_t edges = 2 * (size_t)live->blocks.count;
    for (size_t block = 0; block < live->blocks.count; block++) {
        struct ptx_flow flow = ptx_block_flow(&live->blocks, live->function, block);
        edges += flow.table ? flow.table->count : 0;
    }
    return edges;
}

static void add_live_in(const struct liveness *live, uint32_t target, uint64_t *out)
{
    if (target >= live->function->instruction_count)
        return;
    const uint64_t *in = live->in + live->blocks.block_of[target] * live->words;
    for (size_t w = 0; w < live->words; w++)
        out[w] |= in[w];
}

static void live_out(const struct liveness *live, size_t block, uint64_t *out)
{
    struct ptx_flow flow = ptx_block_flow(&live->blocks, live->function, block);
    memset(out, 0, live->words * sizeof *out);
    for (size_t t = 0; flow.table && t < flow.table->count; t++)
        add_live_in(live, flow.table->instructions[t], out);
    if (flow.jumps)
        add_live_in(live, flow.target, out);
    if (flow.falls)
        add_live_in(live, live->blocks.first_of[block + 1], out);
}

static bool solve(struct liveness *live, uint64_t *out)
{
    for (unsigned i = 0; i < MAX_ITERATIONS; i++) {
        bool changed = false;
        for (size_t block = live->blocks.count; block-- > 0;) {
            live_out(live, block, out);
            uint64_t *in = live->in + block * live->words;
            const uint64_t *uses = live->uses + block * live->words;
            const uint64_t *defines = live->defines + block * live->words;
            for (size_t w = 0; w < live->words; w++) {
                uint64_t value = uses[w] | (out[w] & ~defines[w]);
                changed |= value != in[w];
                in[w] = value;
            }
        }
        if (!changed)
            return true;
    }
    return false;
}

static void extend(struct life *life, int64_t at)
{
    if (life->first == NOWHERE || at < life->first)
        life->first = at;
    if (at > life->last)
        life->last = at;
}

struct occurrence {
    struct life *lives;
    int64_t at;
};

static void add_occurrence(void *context, int32_t number, bool is_write)
{
    (void)is_write;
    struct occurrence *occurrence = context;
    extend(&occurrence->lives[number], occurrence->at);
}

static void extend_set(struct life *lives, const uint64_t *set, size_t words, int64_t at)
{
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            extend(&lives[64 * w + (size_t)__builtin_ctzll(bits)], at);
}

static void collect_lives(const struct liveness *live, uint64_t *out, struct life *lives)
{
    const struct ptx_function *function = live->function;
    for (size_t i = 0; i < function->instruction_count; i++) {
        struct occurrence occurrence = {.lives = lives, .at = (int64_t)i};
        registers_visit(function, &function->instructions[i], add_occurrence, &occurrence);
    }
    for (size_t block = 0; block < live->blocks.count; block++) {
        live_out(live, block, out);
        extend_set(lives, live->in + block * live->words, live->words,
                   live->blocks.first_of[block]);
        extend_set(lives, out, live->words, (int64_t)live->blocks.first_of[block + 1] - 1);
    }
}

/* If the analysis would take too long, sets *possible to false. */
static bool find_lives(const struct ptx_function *function, struct life *lives,
                       choose_apart *choose, bool *apart, bool *reads_early, bool *possible)
{
    struct liveness live = {.function = function, .words = (function->register_count + 63) / 64};
    *possible = false;
    *reads_early = true;
    bool good = ptx_blocks_find(&live.blocks, function);
    uint64_t *out = NULL;
    if (good && live.blocks.count && count_edges(&live) <= MAX_SET_WORDS / (live.words + 1)) {
        size_t words = live.blocks.count * live.words + 1;
        live.in = calloc(words, sizeof *live.in);
        live.uses = calloc(words, sizeof *live.uses);
        live.defines = calloc(words, sizeof *live.defines);
        out = calloc(live.words + 1, sizeof *out);
        good = live.in && live.uses && live.defines && out;
        for (size_t block = 0; good && block < live.blocks.count; block++) {
            struct block_sets sets = {live.uses + block * live.words,
                                      live.defines + block * live.words};
            for (size_t i = live.blocks.first_of[block]; i < live.blocks.first_of[block + 1]; i++)
                registers_visit(function, &function->instructions[i], add_to_block, &sets);
        }
        *possible = good && solve(&live, out);
        if (*possible) {
            collect_lives(&live, out, lives);
            *reads_early = choose(function, live.in, apart);
            for (size_t w = 0; w < live.words; w++)
                *reads_early |= live.in[w] != 0;
        }
    }
    ptx_blocks_free(&live.blocks);
    free(live.in);
    free(live.uses);
    free(live.defines);
    free(out);
    return good;
}

/* The beginning or the end of a register's life. */
struct event {
    int64_t at;
    uint32_t number;
};

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1)
                          : (x->number > y->number) - (x->number < y->number);
}

static void scan_class(const struct event *births, const struct event *deaths, size_t count,
                       unsigned class, uint32_t *offsets, uint32_t *free_places,
                       uint64_t *frame_bytes)
{
    size_t dead = 0, free_count = 0;
    for (size_t i = 0; i < count; i++) {
        /* A destination does not reuse the place of a source that dies here, because an instruction
         * may write some results before it has read all sources. */
        while (deaths[dead].at < births[i].at)
            free_places[free_count++] = offsets[deaths[dead++].number];
        if (free_count) {
            offsets[births[i].number] = free_places[--free_count];
        } else {
            offsets[births[i].number] = (uint32_t)*frame_bytes;
            *frame_bytes += class_bytes[class];
        }
    }
}

bool simt_allocate_registers(const struct ptx_function *function, uint32_t *offsets,
                             uint64_t *frame_bytes, choose_apart *choose, bool *apart,
                             uint64_t *apart_begin, bool *reads_early)
{
    size_t count = function->register_count;
    struct life *lives = malloc((count + 64) * sizeof *lives);
    struct event *births = malloc((count + 1) * sizeof *births);
    struct event *deaths = malloc((count + 1) * sizeof *deaths);
    uint32_t *free_places = malloc((count + 1) * sizeof *free_places);
    bool good = lives && births && deaths && free_places, possible = false;
    for (size_t i = 0; good && i < count; i++)
        lives[i] = (struct life){NOWHERE, NOWHERE};
    good = good && find_lives(function, lives, choose, apart, reads_early, &possible);
    /* Allocate the widest class first, so that every place is aligned to its own size. */
    for (unsigned class = CLASSES; good && class -- > 0;) {
        size_t members = 0;
        for (size_t i = 0; i < count; i++) {
            if (register_class(&function->registers[i]) != class || apart[i])
                continue;
            offsets[i] = (uint32_t)*frame_bytes;
            if (!possible) {
                *frame_bytes += class_bytes[class];
            } else if (lives[i].first != NOWHERE) {
                births[members] = (struct event){lives[i].first, (uint32_t)i};
                deaths[members++] = (struct event){lives[i].last, (uint32_t)i};
            }
        }
        if (!possible)
            continue;
        qsort(births, members, sizeof *births, by_time);
        qsort(deaths, members, sizeof *deaths, by_time);
        scan_class(births, deaths, members, class, offsets, free_places, frame_bytes);
    }
    *frame_bytes = (*frame_bytes + 63) & ~63ull;
    *apart_begin = *frame_bytes;
    for (unsigned class = CLASSES; good && class -- > 0;)
        for (size_t i = 0; i < count; i++)
            if (apart[i] && register_class(&function->registers[i]) == class) {
                offsets[i] = (uint32_t)*frame_bytes;
                *frame_bytes += class_bytes[class];
            }
    free(lives);
    free(births);
    free(deaths);
    free(free_places);
    return good;
}
