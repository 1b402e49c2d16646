/* ptx_capability.c: the compute capability that an instruction requires, from the "Target ISA
 * Notes" of the PTX ISA, sections 9.7 and 10. ptx_opcodes.h contains the requirements of opcodes;
 * the rows below contain the requirements of modifiers, types and state spaces.
 *
 * Labs are compiled for compute_80 for every emulated device. For an older device, the compiler
 * would generate other code instead of some instructions. Therefore, the following instructions
 * have no requirement here, in spite of their notes. The right column contains the other code, or
 * the reason why no other code is necessary:
 *
 *   cvta, isspacep, generic loads and stores        one address space instead of three
 *   fma.f32, div.rn, sqrt.rn, rcp.rn, .rm and .rp   mad, div.full or a function on CC 1.x
 *   bfe, bfi, bfind, brev, clz, popc, prmt, shf,    a few other integer instructions
 *   lop3, madc, 64-bit addc, copysign, brx.idx
 *   ld.global.nc, cache operators, L1:: and L2::    hints
 *   bar.warp.sync                                   a warp of CC 1.x is always converged
 *   calls of vprintf, malloc, __assertfail          library functions, not instructions */
#include "emulator/ptx/ptx.h"

static const uint8_t opcode_capabilities[PTX_OP_COUNT] = {
#define X(id, text, capability) capability,
    PTX_OPCODE_LIST(X)
#undef X
};

enum { MAX_CHOICES = 10 };
#define T(type) (1u << PTX_##type)
_Static_assert(PTX_TYPE_COUNT <= 32, "a row's type mask has 32 bits");

/* A row applies to an instruction if every column of the row is empty or lists a property of the
 * instruction. A row for atom also applies to red. */
static const struct {
    uint8_t capability;
    uint16_t opcodes[MAX_CHOICES], modifiers[MAX_CHOICES];
    uint32_t types;
    uint8_t space;
} rows[] = {
    {13, .types = T(F64)},
    {80, .types = T(TF32) | T(BF16) | T(BF16X2)},
    {90, .types = T(U16X2) | T(S16X2)},
    {70, .modifiers = {PTX_MOD_RELAXED, PTX_MOD_ACQUIRE, PTX_MOD_RELEASE, PTX_MOD_ACQ_REL,
                       PTX_MOD_MMIO}},
    {80, .modifiers = {PTX_MOD_L2_CACHE_HINT, PTX_MOD_RELU}},
    {86, .modifiers = {PTX_MOD_XORSIGN, PTX_MOD_XORSIGN_ABS}},
    {90, .modifiers = {PTX_MOD_CLUSTER}},
    {53,
     {PTX_OP_ABS, PTX_OP_ADD, PTX_OP_FMA, PTX_OP_MUL, PTX_OP_NEG, PTX_OP_SET, PTX_OP_SETP,
      PTX_OP_SUB},
     .types = T(F16) | T(F16X2)},
    {90,
     {PTX_OP_ADD, PTX_OP_EX2, PTX_OP_MUL, PTX_OP_SET, PTX_OP_SETP, PTX_OP_SUB, PTX_OP_TANH},
     .types = T(BF16) | T(BF16X2)},
    {75, {PTX_OP_EX2}, .types = T(F16) | T(F16X2)},
    {80, {PTX_OP_MAX, PTX_OP_MIN}, .types = T(F16) | T(F16X2)},
    {80, {PTX_OP_MAX, PTX_OP_MIN}, .modifiers = {PTX_MOD_NAN}},
    {90, {PTX_OP_MAX, PTX_OP_MIN}, .modifiers = {PTX_MOD_RELU}, .types = T(S32)},
    {72, {PTX_OP_CVT}, .modifiers = {PTX_MOD_PACK}},
    {80, {PTX_OP_CVT}, .types = T(F16X2)},
    {70, {PTX_OP_LD, PTX_OP_ST}, .types = T(B128)},
    {12, {PTX_OP_ATOM}, .space = PTX_SHARED},
    {12, {PTX_OP_ATOM}, .types = T(B64) | T(U64) | T(S64)},
    {20, {PTX_OP_ATOM}, .types = T(B64) | T(U64) | T(S64), .space = PTX_SHARED},
    {32, {PTX_OP_ATOM}, .modifiers = {PTX_MOD_AND, PTX_MOD_OR, PTX_MOD_XOR}, .types = T(B64)},
    {32, {PTX_OP_ATOM}, .modifiers = {PTX_MOD_MIN, PTX_MOD_MAX}, .types = T(U64) | T(S64)},
    {20, {PTX_OP_ATOM}, .types = T(F32)},
    {60, {PTX_OP_ATOM}, .types = T(F64) | T(F16X2)},
    {70, {PTX_OP_ATOM}, .types = T(F16) | T(B16)},
    {90, {PTX_OP_ATOM}, .types = T(BF16) | T(BF16X2) | T(B128)},
    {60, {PTX_OP_ATOM}, .modifiers = {PTX_MOD_CTA, PTX_MOD_GPU, PTX_MOD_SYS}},
    {90, {PTX_OP_ATOM}, .modifiers = {PTX_MOD_V2, PTX_MOD_V4}},
    {20, {PTX_OP_BAR}, .modifiers = {PTX_MOD_ARRIVE, PTX_MOD_RED}},
    {20, {PTX_OP_MEMBAR}, .modifiers = {PTX_MOD_SYS}},
    {20, {PTX_OP_VOTE}, .modifiers = {PTX_MOD_BALLOT}},
    {30, {PTX_OP_VOTE}, .modifiers = {PTX_MOD_SYNC}},
    {100, {PTX_OP_REDUX}, .types = T(F32)},
    {90, {PTX_OP_CP}, .modifiers = {PTX_MOD_BULK}},
    {90, {PTX_OP_MBARRIER}, .modifiers = {PTX_MOD_EXPECT_TX, PTX_MOD_TRY_WAIT}},
    {75,
     {PTX_OP_MMA},
     .modifiers = {PTX_MOD_M8N8K16, PTX_MOD_M8N8K32, PTX_MOD_M8N8K128, PTX_MOD_M16N8K8}},
    {80,
     {PTX_OP_MMA},
     .modifiers = {PTX_MOD_M16N8K16, PTX_MOD_M16N8K32, PTX_MOD_M16N8K64, PTX_MOD_M16N8K128,
                   PTX_MOD_M16N8K256}},
    {90,
     {PTX_OP_MMA},
     .modifiers = {PTX_MOD_M16N8K4, PTX_MOD_M16N8K8, PTX_MOD_M16N8K16},
     .types = T(F64)},
    {80, {PTX_OP_MMA, PTX_OP_WMMA}, .types = T(F64)},
    {80, {PTX_OP_MMA, PTX_OP_WMMA}, .modifiers = {PTX_MOD_AND}},
    {72, {PTX_OP_WMMA}, .types = T(S8) | T(U8)},
    {75, {PTX_OP_WMMA}, .types = T(S4) | T(U4) | T(B1)},
};

static bool matches(const uint16_t choices[MAX_CHOICES], const uint16_t *values, unsigned count)
{
    for (unsigned choice = 0; choice < MAX_CHOICES && choices[choice]; choice++)
        for (unsigned i = 0; i < count; i++)
            if (values[i] == choices[choice])
                return true;
    return !choices[0];
}

static unsigned special_capability(int special)
{
    switch (special) {
    case PTX_SPECIAL_GLOBALTIMER:
    case PTX_SPECIAL_GLOBALTIMER_LO:
    case PTX_SPECIAL_GLOBALTIMER_HI:
        return 30;
    case PTX_SPECIAL_CLOCK_HI:
    case PTX_SPECIAL_CLOCK64:
    case PTX_SPECIAL_NWARPID:
    case PTX_SPECIAL_NSMID:
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
        return 20;
    default:
        return special >= PTX_SPECIAL_LANEMASK_EQ && special <= PTX_SPECIAL_LANEMASK_GT ? 20 : 10;
    }
}

unsigned ptx_capability(const struct ptx_instruction *instruction)
{
    uint16_t opcode = instruction->opcode == PTX_OP_RED ? PTX_OP_ATOM : instruction->opcode;
    unsigned capability = opcode_capabilities[opcode];
    uint32_t types = 0;
    for (unsigned i = 0; i < instruction->type_count; i++)
        types |= 1u << instruction->types[i];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].capability > capability && matches(rows[i].opcodes, &opcode, 1) &&
            matches(rows[i].modifiers, instruction->modifiers, instruction->modifier_count) &&
            (!rows[i].types || rows[i].types & types) &&
            (!rows[i].space || rows[i].space == instruction->space))
            capability = rows[i].capability;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct ptx_operand *operand = &instruction->operands[i];
        unsigned own = 10;
        if (operand->kind == PTX_OPERAND_SPECIAL)
            own = special_capability(operand->index);
        else if (opcode == PTX_OP_CALL && operand->kind == PTX_OPERAND_REGISTER)
            own = 20; /* The operand is a function pointer. */
        else if (opcode == PTX_OP_BAR && !ptx_has(instruction, PTX_MOD_WARP) &&
                 (i > 0 || operand->kind == PTX_OPERAND_REGISTER))
            own = 20; /* The operands contain a thread count, or a barrier number in a register. */
        capability = own > capability ? own : capability;
    }
    return capability;
}
