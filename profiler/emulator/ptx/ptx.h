/* ptx.h: a PTX module, parsed and resolved, and the parser's interface.
 *
 * ptx_parse() converts the text of a module to a struct ptx_module: variables with their initial
 * bytes, and functions with registers, local variables, instructions and labels. Names are resolved
 * (PTX scopes: module, function, nested `{ }`), and label operands become instruction numbers.
 * Every branch has its reconvergence point, the immediate post-dominator (ptx_cfg.c).
 *
 * The text is untrusted. Any byte sequence results in a module or a failure. The limits PTX_MAX_*
 * and the text's size bound the use of memory. */
#ifndef PTX_H
#define PTX_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

/* Lanes of a warp (WARP_SZ of PTX). On the device `toy`, some lanes are never active. */
enum { LANES = 32 };

#define FOR_LANES(lane, mask)                                                                      \
    for (uint32_t left_##lane = (mask), lane;                                                      \
         left_##lane && (lane = (uint32_t)__builtin_ctz(left_##lane), true);                       \
         left_##lane &= left_##lane - 1)

/* Fundamental types, PTX ISA 5.2, and types of matrix elements. Columns: id, spelling, bytes.
 * s4, u4 and b1 are packed in registers of other types. */
// clang-format off
#define PTX_TYPE_LIST(X) \
    X(NONE, "", 0) \
    X(U8, "u8", 1) \
    X(U16, "u16", 2) \
    X(U32, "u32", 4) \
    X(U64, "u64", 8) \
    X(S8, "s8", 1) \
    X(S16, "s16", 2) \
    X(S32, "s32", 4) \
    X(S64, "s64", 8) \
    X(B8, "b8", 1) \
    X(B16, "b16", 2) \
    X(B32, "b32", 4) \
    X(B64, "b64", 8) \
    X(B128, "b128", 16) \
    X(F16, "f16", 2) \
    X(F16X2, "f16x2", 4) \
    X(BF16, "bf16", 2) \
    X(BF16X2, "bf16x2", 4) \
    X(TF32, "tf32", 4) \
    X(F32, "f32", 4) \
    X(F64, "f64", 8) \
    X(U16X2, "u16x2", 4) \
    X(S16X2, "s16x2", 4) \
    X(S4, "s4", 1) \
    X(U4, "u4", 1) \
    X(B1, "b1", 1) \
    X(PRED, "pred", 0)
// clang-format on

enum ptx_type {
#define X(id, text, bytes) PTX_##id,
    PTX_TYPE_LIST(X)
#undef X
        PTX_TYPE_COUNT
};

/* Returns the bytes of one value, or 0 for PTX_NONE and PTX_PRED. */
unsigned ptx_type_bytes(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);
/* Convert the bits of a floating-point constant from `from_bytes` bytes (4 or 8) to `bytes` bytes.
 * Returns the bits unchanged if `bytes` is neither 4 nor 8. */
uint64_t ptx_float_bits(uint64_t bits, unsigned from_bytes, unsigned bytes);
/* Returns the type's spelling without the dot, such as "u32". */
const char *ptx_type_name(enum ptx_type type);

/* State spaces, PTX ISA 5.1. PTX_GENERIC means that the instruction names no space. */
enum ptx_space {
    PTX_GENERIC,
    PTX_REG,
    PTX_GLOBAL,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_CONST,
    PTX_PARAM,
};

/* Modifiers: the parts of an instruction's name that are not opcode, type or state space, as in
 * `ld.volatile.global.v4.f32`. An instruction with an unknown modifier is not supported. */
#include "emulator/ptx/ptx_modifiers.h"

enum ptx_modifier {
#define X(id, text) PTX_MOD_##id,
    PTX_MODIFIER_LIST(X)
#undef X
        PTX_MOD_COUNT
};

/* An opcode that is not in the list is PTX_OP_UNKNOWN. */
#include "emulator/ptx/ptx_opcodes.h"

enum ptx_opcode {
#define X(id, text, capability) PTX_OP_##id,
    PTX_OPCODE_LIST(X)
#undef X
        PTX_OP_COUNT
};

/* Special registers, PTX ISA 10. Columns: id, spelling. */
// clang-format off
#define PTX_SPECIAL_LIST(X) \
    X(TID_X, "%tid.x") \
    X(TID_Y, "%tid.y") \
    X(TID_Z, "%tid.z") \
    X(NTID_X, "%ntid.x") \
    X(NTID_Y, "%ntid.y") \
    X(NTID_Z, "%ntid.z") \
    X(CTAID_X, "%ctaid.x") \
    X(CTAID_Y, "%ctaid.y") \
    X(CTAID_Z, "%ctaid.z") \
    X(NCTAID_X, "%nctaid.x") \
    X(NCTAID_Y, "%nctaid.y") \
    X(NCTAID_Z, "%nctaid.z") \
    X(LANEID, "%laneid") \
    X(WARPID, "%warpid") \
    X(NWARPID, "%nwarpid") \
    X(SMID, "%smid") \
    X(NSMID, "%nsmid") \
    X(GRIDID, "%gridid") \
    X(LANEMASK_EQ, "%lanemask_eq") \
    X(LANEMASK_LE, "%lanemask_le") \
    X(LANEMASK_LT, "%lanemask_lt") \
    X(LANEMASK_GE, "%lanemask_ge") \
    X(LANEMASK_GT, "%lanemask_gt") \
    X(CLOCK, "%clock") \
    X(CLOCK_HI, "%clock_hi") \
    X(CLOCK64, "%clock64") \
    X(GLOBALTIMER, "%globaltimer") \
    X(GLOBALTIMER_LO, "%globaltimer_lo") \
    X(GLOBALTIMER_HI, "%globaltimer_hi") \
    X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size") \
    X(TOTAL_SMEM_SIZE, "%total_smem_size") \
    X(RESERVED_SMEM_BEGIN, "%reserved_smem_offset_begin") \
    X(RESERVED_SMEM_END, "%reserved_smem_offset_end") \
    X(RESERVED_SMEM_CAP, "%reserved_smem_offset_cap") \
    X(RESERVED_SMEM_0, "%reserved_smem_offset_0") \
    X(RESERVED_SMEM_1, "%reserved_smem_offset_1") \
    X(ENVREG1, "%envreg1") \
    X(ENVREG2, "%envreg2") \
    X(ENVREG, "%envreg")
// clang-format on

enum ptx_special {
#define X(id, text) PTX_SPECIAL_##id,
    PTX_SPECIAL_LIST(X)
#undef X
        PTX_SPECIAL_COUNT
};

enum {
    PTX_MAX_TEXT = 64 << 20,
    PTX_MAX_REGISTERS = 1 << 16,
    PTX_MAX_INSTRUCTIONS = 1 << 20,
    PTX_MAX_VARIABLE_BYTES = 256 << 20, /* Bytes of all variables, of any state space. */
    PTX_MAX_INITIAL_BYTES = 64 << 20,
    PTX_MAX_MODIFIERS = 10,
    PTX_MAX_OPERANDS = 6,
    PTX_MAX_VECTOR = 8,
    PTX_MAX_ARGUMENTS = 255, /* Arguments of a call, and parameters of a function. */
};

struct ptx_register {
    const char *name;
    enum ptx_type type;
};

struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align;
    uint64_t bytes; /* Total size. 0 for `extern .shared x[]` (dynamic shared memory). */
    bool is_extern;
    bool in_register;       /* The parameter is a .reg (ptx_copy_parameters). */
    unsigned char *initial; /* `bytes` bytes of initial values, or NULL if all bytes are zero. */
    /* Addresses in the initializer ("x", "generic(x)+4"). program_create writes their values. */
    struct ptx_initial_address *addresses;
    size_t address_count;
};

struct ptx_initial_address {
    uint64_t offset;
    unsigned bytes;
    bool generic;
    const char *name;
    int64_t addend;
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REGISTER, /* index = register number; negated for `!%p`; integer = enum ptx_part */
    PTX_OPERAND_INTEGER,
    PTX_OPERAND_FLOAT,     /* bits; float_bytes = 4 for 0fXXXXXXXX, 8 for 1.5 and numbers with 0d */
    PTX_OPERAND_SPECIAL,   /* index = enum ptx_special, or PTX_SPECIAL_COUNT for a register that is
                              not in the list; integer = N of %envregN. If vector_count is 4, the
                              operand is a vector such as %tid, and index = its first element. */
    PTX_OPERAND_VARIABLE,  /* a variable's address: scope, index; integer = added constant */
    PTX_OPERAND_FUNCTION,  /* index = function number in the module (mov.u64 %rd1, f; call f) */
    PTX_OPERAND_LABEL,     /* integer = instruction number; instruction_count: the function's end */
    PTX_OPERAND_ADDRESS,   /* [register+imm], [variable+imm], [imm]; see address_kind */
    PTX_OPERAND_VECTOR,    /* {a, b}: vector_count elements at function->vector_operands[index] */
    PTX_OPERAND_SINK,      /* _ */
    PTX_OPERAND_LIST,      /* (a, b) of a call: vector_count elements, as for VECTOR */
    PTX_OPERAND_PROTOTYPE, /* index = number of a .callprototype or .calltargets list in the
                              function (indirect calls) */
    PTX_OPERAND_TARGETS,   /* index = number of a .branchtargets list in the function */
};

enum ptx_scope { PTX_SCOPE_MODULE, PTX_SCOPE_FUNCTION, PTX_SCOPE_PARAMETER, PTX_SCOPE_RETURN };

struct ptx_operand {
    enum ptx_operand_kind kind;
    enum ptx_operand_kind address_kind; /* For ADDRESS: REGISTER, VARIABLE or INTEGER */
    enum ptx_scope scope;               /* For VARIABLE: the list to which `index` refers */
    bool negated;                       /* !%p, -%r */
    uint8_t vector_count;
    uint8_t float_bytes;
    int32_t index;
    int32_t second; /* Number of %q in `%p|%q`, PTX_SECOND_SINK for `_`, or PTX_SECOND_NONE. */
    int64_t integer;
    uint64_t bits;
};
/* The part of a register that a video instruction selects, in the operand's `integer`. Several
 * digits (".b310") are encoded as PTX_PART_SET plus the set of selected parts, or plus 0 if a digit
 * occurs twice or exceeds 3. The digits, 4 bits each, are added from bit PTX_PART_DIGITS on. If
 * each part has a digit, the number of digits is added from bit PTX_PART_COUNT on. */
enum ptx_part {
    PTX_PART_WHOLE,
    PTX_PART_B0,
    PTX_PART_H0 = 5,
    PTX_PART_SET = 16,
    PTX_PART_DIGITS = 8,
    PTX_PART_COUNT = 24,
    PTX_PART_NEGATED = 1 << 30
};
enum { PTX_SECOND_NONE = -1, PTX_SECOND_SINK = -2 };

/* A source position. If the code was inlined, `inlined_at` refers to the position of the call. */
struct ptx_location {
    uint32_t file;
    uint32_t line;
    uint32_t column;
    int32_t inlined_at; /* Index of module->locations, or -1 at the end of the chain. */
};
enum { PTX_NO_FILE = 0xffffffffu };

struct ptx_instruction {
    uint16_t opcode;
    uint8_t modifier_count, type_count, operand_count;
    uint16_t modifiers[PTX_MAX_MODIFIERS]; /* Values of enum ptx_modifier, in text order. */
    uint8_t types[4];
    uint8_t space, space2; /* Values of enum ptx_space. space2 is for cp.async. */
    bool guarded, guard_negated;
    int32_t guard;
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    uint32_t ptx_line;
    int32_t location; /* Index of module->locations, or -1. */
    /* For a branch (bra, brx.idx), or a guarded ret or exit: number of the instruction at which the
     * diverged lanes reconverge, or instruction_count for the function's end. */
    uint32_t reconverge;
    const char *text;    /* Opcode with modifiers, such as "ld.global.f32". */
    const char *problem; /* Reason why the instruction was not parsed, or NULL. */
};

struct ptx_targets {
    uint32_t *instructions;
    size_t count;
};

struct ptx_prototype {
    struct ptx_variable *returns, *parameters;
    size_t return_count, parameter_count;
};

struct ptx_function {
    const char *name;
    bool is_entry;
    bool is_declaration;
    struct ptx_variable *parameters, *returns;
    size_t parameter_count, return_count;
    struct ptx_variable *variables; /* .shared, .local and .param variables of all scopes. */
    size_t variable_count;
    struct ptx_register *registers;
    size_t register_count;
    struct ptx_instruction *instructions;
    size_t instruction_count;
    struct ptx_operand *vector_operands;
    size_t vector_operand_count;
    struct ptx_targets *targets;
    size_t target_count;
    struct ptx_prototype *prototypes;
    size_t prototype_count;
    uint32_t max_threads;       /* Product of the values of .maxntid or .reqntid, or 0. */
    uint32_t required_block[3]; /* Values of .reqntid in x, y and z. All 0 without .reqntid. */
};

struct ptx_module {
    char target[16];
    const char **files; /* Paths by .file number. NULL if the number is unused. */
    size_t file_count;
    struct ptx_location *locations;
    size_t location_count;
    struct ptx_variable *variables;
    size_t variable_count;
    struct ptx_function *functions;
    size_t function_count;
    uint32_t *name_table; /* Hash table of the names of variables and functions (ptx.c). */
    size_t name_table_size;
    void *arena; /* Owns all memory of the module. */
};

/* Parse `length` bytes of PTX, which need not end in NUL. `name` is the file name in messages.
 * After success, the module owns copies of all data until ptx_module_free. Returns false for a
 * student failure "NAME:LINE: what" or "NAME: what" (STATUS_UNSUPPORTED for an unsupported
 * directive, otherwise STATUS_COMPILE_ERROR), or for a harness failure: memory is exhausted. */
bool ptx_parse(const char *text, size_t length, const char *name, struct ptx_module *module,
               struct failure *failure);

/* Like ptx_parse, for several linked texts. nvcc -rdc=true writes one text for each object. */
struct ptx_text {
    const char *text;
    size_t length;
};
bool ptx_parse_linked(const struct ptx_text *texts, size_t count, const char *name,
                      struct ptx_module *module, struct failure *failure);

/* Free a module of ptx_parse. A zeroed module is allowed. */
void ptx_module_free(struct ptx_module *module);

/* Returns the function or the module-scope variable with this name, or NULL. */
const struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name);
const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name);

/* Returns the name that a symbol has in the CUDA source. The result points into `name`. For
 * example, the result for "_ZZ9transposeE4tile" (Itanium C++ ABI) is "tile". */
const char *ptx_plain_name(const char *name);

bool ptx_has(const struct ptx_instruction *instruction, enum ptx_modifier modifier);
/* Returns the compute capability that the instruction requires, 10 x major + minor, at least 10. */
unsigned ptx_capability(const struct ptx_instruction *instruction);

/* Fill module->name_table. Returns false if memory is exhausted. */
bool ptx_index_names(struct ptx_module *module);

#endif
