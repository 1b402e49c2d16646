/* simt_fuse.c: find shared loads that the assembler fuses, and accesses with addresses that differ
 * by a constant from those of an earlier access (instruction.h, `address_slot`).
 *
 * ptxas fuses neighbouring loads of a basic block. If two elements of an aligned pair, or three or
 * four elements of an aligned quad, are loaded, one wider LDS replaces the loads. The LDS may load
 * an unused fourth element. So the hardware counts fewer requests than the PTX has loads. The
 * following rule was derived from the code that ptxas of CUDA 13.0 generates for sm_80, sm_86,
 * sm_90 and sm_100:
 *
 * - Elements have one size, 2, 4 or 8 bytes (never 1). A vector load counts as its elements. The
 *   wide load has at most 4 elements and 16 bytes.
 * - The addresses are one register plus constants, and the alignment follows from the computation
 *   of the register (the address of a variable, products, shifts, masks), also in loops.
 * - Predicated, volatile and generic loads are not fused.
 * - No instruction between the loads orders or changes shared memory: no store or atomic operation
 *   on shared memory (at any address), barrier, or fence.
 *
 * ptxas also fuses loads across a branch that it replaced by predicates, or across iterations of a
 * loop that it unrolled. The emulator does not fuse such loads.
 *
 * First, a data-flow analysis finds the *residue* of each register: its value modulo a power of two
 * up to 16. Then one pass over the code assigns the loads between two fences (a *stretch*) to
 * *windows* of two or four elements, and selects the loads to fuse. */
#include "emulator/decode/decoding.h"
#include "emulator/ptx/ptx_cfg.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDEST_BITS = 4,
    WIDEST_BYTES = 1 << WIDEST_BITS,
    MAX_ELEMENTS = 4,
    MAX_PASSES = 16,   /* Compilers' code needs about 3. If 16 are not enough, no load is fused. */
    MAX_WINDOWS = 256, /* Limit per stretch. Loads of further windows are not fused. */
};

/* A value modulo 1 << bits. `bits` is UNWRITTEN if no instruction writes the value. */
struct residue {
    uint8_t bits, value;
};
enum { UNWRITTEN = 255 };
static const struct residue unknown = {0, 0}, unwritten = {UNWRITTEN, 0};

static struct residue residue_make(unsigned bits, uint64_t value)
{
    bits = bits < WIDEST_BITS ? bits : WIDEST_BITS;
    return (struct residue){(uint8_t)bits, (uint8_t)(value & ((1u << bits) - 1))};
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static struct residue residue_meet(struct residue a, struct residue b)
{
    if (a.bits == UNWRITTEN)
        return b;
    if (b.bits == UNWRITTEN)
        return a;
    unsigned bits = smaller(a.bits, b.bits), differ = a.value ^ b.value;
    if (differ != 0)
        bits = smaller(bits, (unsigned)__builtin_ctz(differ));
    return residue_make(bits, a.value);
}

static unsigned residue_zeros(struct residue a)
{
    return a.value ? (unsigned)__builtin_ctz(a.value) : a.bits;
}

static struct residue residue_add(struct residue a, struct residue b, bool subtract)
{
    return residue_make(smaller(a.bits, b.bits),
                        subtract ? a.value - (uint64_t)b.value : a.value + (uint64_t)b.value);
}

/* (a + 2^k x)(b + 2^l y) = ab + 2^k x(b + ...) + 2^l y a. */
static struct residue residue_multiply(struct residue a, struct residue b)
{
    unsigned bits = smaller(a.bits + residue_zeros(b), b.bits + residue_zeros(a));
    return residue_make(bits, (uint64_t)a.value * b.value);
}

static struct residue residue_bitwise(enum ptx_opcode opcode, struct residue a, struct residue b)
{
    unsigned value = opcode == PTX_OP_AND  ? a.value & b.value
                     : opcode == PTX_OP_OR ? a.value | b.value
                                           : a.value ^ b.value;
    unsigned bit = 0;
    for (; bit < WIDEST_BITS; bit++) {
        bool in_a = bit < a.bits, in_b = bit < b.bits;
        bool one_of_a = a.value >> bit & 1, one_of_b = b.value >> bit & 1;
        bool decided = (opcode == PTX_OP_AND && ((in_a && !one_of_a) || (in_b && !one_of_b))) ||
                       (opcode == PTX_OP_OR && ((in_a && one_of_a) || (in_b && one_of_b)));
        if (!(in_a && in_b) && !decided)
            break;
    }
    return residue_make(bit, value);
}

struct fusing {
    struct program_function *function;
    const struct ptx_function *source;
    struct residue *residues;
    uint32_t *versions; /* For each register: number of writes so far. */
    struct last_access {
        uint32_t instruction, version, block; /* `block` is 0 if there is no access. */
    } * accesses; /* The last access that uses each register as its address. */
    unsigned next_slot;
    size_t current;
    bool changed;
};

static bool pool_value(const struct program_function *function, const struct operand *operand,
                       uint64_t *value)
{
    if (!operand->used || operand->bank != BANK_POOL || operand->stride == 0)
        return false;
    *value = 0;
    memcpy(value, function->pool + operand->offset, operand->stride);
    return true;
}

/* `address` is a variable's address + `addend`. ptxas uses only the variable's alignment. */
static struct residue variable_residue(uint64_t address, int64_t addend)
{
    uint64_t variable = address - (uint64_t)addend;
    unsigned zeros = variable ? (unsigned)__builtin_ctzll(variable) : WIDEST_BITS;
    return residue_add(residue_make(zeros, 0), residue_make(WIDEST_BITS, (uint64_t)addend), false);
}

static struct residue source_residue(const struct fusing *fusing, const struct ptx_instruction *in,
                                     const struct instruction *decoded, unsigned i)
{
    uint64_t value;
    if (in->operand_count < i + 2u)
        return unknown;
    if (in->operands[i + 1].kind == PTX_OPERAND_REGISTER)
        return fusing->residues[in->operands[i + 1].index];
    const struct ptx_operand *operand = &in->operands[i + 1];
    if (!pool_value(fusing->function, &decoded->source[i], &value))
        return unknown;
    if (operand->kind == PTX_OPERAND_VARIABLE)
        return variable_residue(value, operand->integer);
    return operand->kind == PTX_OPERAND_INTEGER ? residue_make(WIDEST_BITS, value) : unknown;
}

static bool has_integer_types(const struct ptx_instruction *in)
{
    for (unsigned i = 0; i < in->type_count; i++)
        if (in->types[i] < PTX_U8 || in->types[i] > PTX_B64 || ptx_type_bytes(in->types[i]) < 2)
            return false;
    return in->type_count > 0;
}

static struct residue transfer(const struct fusing *fusing, const struct ptx_instruction *in,
                               const struct instruction *decoded)
{
    if ((decoded->kind != SIMT_ALU && decoded->kind != SIMT_CONVERT_ADDRESS) ||
        ptx_has(in, PTX_MOD_HI) || ptx_has(in, PTX_MOD_SAT))
        return unknown;
    if (in->opcode == PTX_OP_CVTA && in->operand_count == 2) /* Spaces begin at multiples of 16. */
        return in->operands[1].kind == PTX_OPERAND_REGISTER
                   ? fusing->residues[in->operands[1].index]
                   : unknown;
    if (decoded->kind != SIMT_ALU || !has_integer_types(in))
        return unknown;
    struct residue a = source_residue(fusing, in, decoded, 0);
    struct residue b = source_residue(fusing, in, decoded, 1);
    uint64_t shift;
    if (a.bits == UNWRITTEN || (b.bits == UNWRITTEN && in->operand_count > 2))
        return unwritten;
    switch ((enum ptx_opcode)in->opcode) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
        return a;
    case PTX_OP_ADD:
        return residue_add(a, b, false);
    case PTX_OP_SUB:
        return residue_add(a, b, true);
    case PTX_OP_MUL:
        return residue_multiply(a, b);
    case PTX_OP_MAD: {
        struct residue c = source_residue(fusing, in, decoded, 2);
        return c.bits == UNWRITTEN ? c : residue_add(residue_multiply(a, b), c, false);
    }
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
        return residue_bitwise(in->opcode, a, b);
    case PTX_OP_SHL:
        return pool_value(fusing->function, &decoded->source[1], &shift)
                   ? residue_make(a.bits + smaller((unsigned)shift, WIDEST_BITS),
                                  (uint64_t)a.value << smaller((unsigned)shift, WIDEST_BITS))
                   : residue_make(residue_zeros(a), 0);
    case PTX_OP_SELP:
        return residue_meet(a, b);
    default:
        return unknown;
    }
}

static const struct instruction *decoded_of(const struct fusing *fusing, size_t i)
{
    return &fusing->function->code[fusing->function->first_of[i]];
}

static void meet_write(void *context, int32_t number, bool is_write)
{
    struct fusing *fusing = context;
    if (!is_write)
        return;
    const struct ptx_instruction *in = &fusing->source->instructions[fusing->current];
    const struct ptx_operand *first = &in->operands[0];
    bool is_result = first->kind == PTX_OPERAND_REGISTER && first->index == number;
    struct residue *old = &fusing->residues[number];
    struct residue met = residue_meet(
        *old, is_result ? transfer(fusing, in, decoded_of(fusing, fusing->current)) : unknown);
    fusing->changed |= met.bits != old->bits || met.value != old->value;
    *old = met;
}

static void count_write(void *context, int32_t number, bool is_write)
{
    struct fusing *fusing = context;
    fusing->versions[number] += is_write;
}

static bool find_residues(struct fusing *fusing)
{
    for (size_t r = 0; r < fusing->source->register_count; r++)
        fusing->residues[r] = unwritten;
    for (unsigned pass = 0; pass < MAX_PASSES; pass++) {
        fusing->changed = false;
        for (size_t *i = &fusing->current; *i < fusing->source->instruction_count; ++*i)
            registers_visit(fusing->source, &fusing->source->instructions[*i], meet_write, fusing);
        fusing->current = 0;
        if (!fusing->changed)
            return true;
    }
    return false;
}

/* A window has two elements at an aligned address, or four if an element has 2 or 4 bytes. */
struct window {
    int32_t base; /* Register number. -1 if the address is a constant. */
    uint32_t version;
    int64_t begin;
    uint8_t element_bytes, elements;
    bool whole;     /* The window is aligned to its own width, not only to a pair of elements. */
    uint8_t loaded; /* Set of loaded elements, one bit each. */
};

struct windows {
    struct window windows[MAX_WINDOWS];
    uint32_t count;
    struct member {
        uint32_t instruction;
        uint16_t window;
        uint8_t loaded;
    } * members;
    size_t member_count;
};

/* Set *key to the window of a load and *loaded to its elements. Returns false if there is none. */
static bool window_of(const struct fusing *fusing, const struct ptx_instruction *in,
                      const struct instruction *load, struct window *key, uint8_t *loaded)
{
    if (load->kind != SIMT_LOAD || load->space != PTX_SHARED || in->guarded ||
        (load->flags & SIMT_VOLATILE) || load->bytes < 2 || load->vector > MAX_ELEMENTS)
        return false;
    struct residue base = unknown;
    uint64_t constant = 0;
    *key = (struct window){.base = -1, .element_bytes = load->bytes};
    if (pool_value(fusing->function, &load->source[0], &constant)) {
        base = in->operands[1].address_kind == PTX_OPERAND_VARIABLE
                   ? variable_residue(constant, in->operands[1].integer)
                   : residue_make(WIDEST_BITS, constant);
    } else if (in->operands[1].address_kind == PTX_OPERAND_REGISTER) {
        key->base = in->operands[1].index;
        base = fusing->residues[key->base];
        key->version = fusing->versions[key->base];
    }
    if (base.bits == UNWRITTEN)
        return false;
    unsigned bytes = load->bytes, width = smaller(bytes * MAX_ELEMENTS, WIDEST_BYTES);
    key->elements = (uint8_t)(width / bytes);
    key->whole = 1u << base.bits >= width;
    if (1u << base.bits < 2 * bytes)
        return false;
    if (!key->whole) {
        key->elements = 2;
        width = 2 * bytes;
    }
    int64_t at = (int64_t)base.value + load->immediate;
    if (key->base < 0)
        at = (int64_t)constant + load->immediate;
    int64_t begin = at & -(int64_t)width;
    unsigned first = (unsigned)(at - begin) / bytes;
    if (first + load->vector > key->elements)
        return false;
    key->begin = begin;
    *loaded = (uint8_t)(((1u << load->vector) - 1) << first);
    return true;
}

static void windows_add(struct windows *windows, const struct window *key, uint8_t loaded,
                        uint32_t instruction)
{
    uint32_t w = 0;
    while (w < windows->count &&
           (windows->windows[w].base != key->base || windows->windows[w].version != key->version ||
            windows->windows[w].begin != key->begin ||
            windows->windows[w].element_bytes != key->element_bytes))
        w++;
    if (w == MAX_WINDOWS)
        return;
    if (w == windows->count)
        windows->windows[windows->count++] = *key;
    windows->windows[w].loaded |= loaded;
    windows->members[windows->member_count++] = (struct member){instruction, (uint16_t)w, loaded};
}

static unsigned member_width(const struct window *window, uint8_t loaded)
{
    unsigned bytes = window->element_bytes;
    if (window->elements == MAX_ELEMENTS && __builtin_popcount(window->loaded) >= 3)
        return bytes * MAX_ELEMENTS;
    for (unsigned pair = 0; pair < window->elements; pair += 2)
        if ((loaded >> pair & 3) && (window->loaded >> pair & 3) == 3)
            return 2 * bytes;
    return bytes;
}

static void windows_finish(const struct fusing *fusing, struct windows *windows)
{
    /* For each window: elements of the wide loads counted so far. */
    uint8_t begun[MAX_WINDOWS] = {0};
    for (size_t m = 0; m < windows->member_count; m++) {
        const struct member *member = &windows->members[m];
        const struct window *window = &windows->windows[member->window];
        struct instruction *load = &fusing->function->code[member->instruction];
        unsigned width = member_width(window, member->loaded);
        if (width <= (unsigned)load->bytes * load->vector)
            width = 0;
        unsigned first = (unsigned)__builtin_ctz(member->loaded);
        bool is_pair = width == 2u * window->element_bytes;
        uint8_t served = is_pair ? (uint8_t)(3u << (first & ~1u)) : 15;
        if (begun[member->window] & member->loaded)
            load->fused = SIMT_FUSED_AWAY;
        else
            load->fused = (uint8_t)width;
        begun[member->window] |= width ? served : member->loaded;
    }
    windows->count = 0;
    windows->member_count = 0;
}

static int32_t address_register(const struct ptx_instruction *in, const struct instruction *decoded)
{
    bool is_load = in->opcode == PTX_OP_LD && decoded->kind == SIMT_LOAD;
    bool is_store = in->opcode == PTX_OP_ST && decoded->kind == SIMT_STORE;
    if ((!is_load && !is_store) || in->guarded || decoded->source[0].bank != BANK_FRAME ||
        decoded->space == PTX_GENERIC || in->operand_count < 2)
        return -1;
    const struct ptx_operand *address = &in->operands[is_load];
    bool is_register =
        address->kind == PTX_OPERAND_ADDRESS && address->address_kind == PTX_OPERAND_REGISTER;
    return is_register ? address->index : -1;
}

/* Let PTX instruction i use the address slot of an earlier access in the same basic block, with the
 * same unchanged address register, space and number of bytes. */
static void share_addresses(struct fusing *fusing, size_t i, uint32_t block)
{
    struct instruction *code = fusing->function->code;
    uint32_t number = fusing->function->first_of[i];
    struct instruction *decoded = &code[number];
    int32_t base = address_register(&fusing->source->instructions[i], decoded);
    if (base < 0)
        return;
    struct last_access *last = &fusing->accesses[base];
    struct instruction *first = &code[last->instruction];
    if (last->block != block || last->version != fusing->versions[base] ||
        first->space != decoded->space ||
        first->bytes * first->vector != decoded->bytes * decoded->vector) {
        *last = (struct last_access){number, fusing->versions[base], block};
        return;
    }
    if (!first->address_slot) {
        first->address_slot = (uint8_t)(1 + fusing->next_slot++ % SIMT_ADDRESS_SLOTS);
        first->address_source = last->instruction;
    }
    decoded->address_slot = first->address_slot;
    decoded->address_source = last->instruction;
}

static bool is_fence(const struct instruction *decoded)
{
    bool may_be_shared = decoded->space == PTX_SHARED || decoded->space == PTX_GENERIC;
    switch (decoded->kind) {
    case SIMT_ALU:
    case SIMT_SHUFFLE:
    case SIMT_VOTE:
    case SIMT_MATCH:
    case SIMT_REDUX:
    case SIMT_ACTIVE_MASK:
    case SIMT_CONVERT_ADDRESS:
    case SIMT_IS_SPACE:
        return false;
    case SIMT_NOP:
        return decoded->opcode == PTX_OP_MEMBAR || decoded->opcode == PTX_OP_FENCE;
    case SIMT_LOAD:
        return decoded->flags & SIMT_VOLATILE;
    case SIMT_STORE:
    case SIMT_ATOMIC:
        return may_be_shared;
    default:
        return true;
    }
}

static void fuse_stretches(struct fusing *fusing, struct windows *windows,
                           const struct ptx_blocks *blocks)
{
    const struct ptx_function *source = fusing->source;
    uint32_t block = 0;
    for (size_t i = 0; i < source->instruction_count; i++) {
        struct window key;
        uint8_t loaded;
        const struct instruction *decoded = decoded_of(fusing, i);
        if (ptx_begins_block(blocks, i) || is_fence(decoded))
            windows_finish(fusing, windows);
        block += i == 0 || ptx_begins_block(blocks, i);
        share_addresses(fusing, i, block);
        if (window_of(fusing, &source->instructions[i], decoded, &key, &loaded))
            windows_add(windows, &key, loaded, fusing->function->first_of[i]);
        registers_visit(source, &source->instructions[i], count_write, fusing);
    }
    windows_finish(fusing, windows);
}

bool fuse_shared_loads(struct program_function *function)
{
    const struct ptx_function *source = function->source;
    struct fusing fusing = {.function = function, .source = source};
    size_t registers = source->register_count + 1, instructions = source->instruction_count + 1;
    fusing.residues = calloc(registers, sizeof *fusing.residues);
    fusing.versions = calloc(registers, sizeof *fusing.versions);
    fusing.accesses = calloc(registers, sizeof *fusing.accesses);
    struct ptx_blocks blocks;
    struct windows *windows = calloc(1, sizeof *windows);
    struct member *members = calloc(instructions, sizeof *members);
    bool done = ptx_blocks_find(&blocks, source) && fusing.residues && fusing.versions &&
                fusing.accesses && windows && members;
    if (done && find_residues(&fusing)) {
        windows->members = members;
        fuse_stretches(&fusing, windows, &blocks);
    }
    free(fusing.residues);
    free(fusing.versions);
    free(fusing.accesses);
    ptx_blocks_free(&blocks);
    free(windows);
    free(members);
    return done;
}
