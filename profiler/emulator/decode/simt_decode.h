/* simt_decode.h: a decoded PTX module, ready to execute. program_create lays out registers,
 * parameters, and local, shared, constant and global variables, and decodes every PTX instruction
 * to a struct instruction (instruction.h). An instruction that is not supported becomes
 * SIMT_UNSUPPORTED, which is an error only when execution reaches it. */
#ifndef SIMT_DECODE_H
#define SIMT_DECODE_H

#include "emulator/alu/instruction.h"
#include "emulator/device/device.h"
#include "emulator/guest/memory.h"
#include "text/array_shapes.h"

enum simt_kind {
    SIMT_ALU,
    SIMT_NOP, /* fence, prefetch and other instructions that do not change data. */
    SIMT_BRANCH,
    SIMT_BRANCH_INDEX,
    SIMT_RETURN,
    SIMT_EXIT,
    SIMT_TRAP,
    SIMT_CALL,
    SIMT_CALL_POINTER,
    SIMT_CALL_BUILTIN,
    SIMT_LOAD,
    SIMT_STORE,
    SIMT_ATOMIC,
    SIMT_TEXTURE_QUERY, /* txq, suq */
    SIMT_TEXTURE,       /* tex, tld4 */
    SIMT_SURFACE_LOAD,
    SIMT_SURFACE_STORE,
    SIMT_SURFACE_ATOMIC, /* sured */
    SIMT_COPY_ASYNC,
    SIMT_COPY_COMMIT,
    SIMT_COPY_WAIT,
    SIMT_BARRIER,
    SIMT_MBARRIER,
    SIMT_WARP_SYNC,
    SIMT_SHUFFLE,
    SIMT_VOTE,
    SIMT_MATCH,
    SIMT_REDUX,
    SIMT_ACTIVE_MASK,
    SIMT_ELECT,
    SIMT_CLOCK,
    SIMT_CONVERT_ADDRESS, /* cvta */
    SIMT_IS_SPACE,        /* isspacep */
    SIMT_MATRIX_ADDRESS,  /* Addresses of wmma.load and wmma.store (decode_matrix.c). */
    SIMT_MATRIX_ROWS,
    SIMT_MATRIX_TRANSPOSE,
    SIMT_MATRIX_MULTIPLY,
    SIMT_UNSUPPORTED,
};

enum {
    SIMT_SIGNED = 1,
    SIMT_VOLATILE = 2, /* .volatile, .relaxed, .acquire, .release and .mmio. */
    SIMT_BYPASS_L1 = 4,
    SIMT_NO_RESULT = 8, /* The operation is red, or atom with a result that is `_` or not read. */
    SIMT_FLOAT = 16,
    SIMT_TO_SPACE = 32, /* cvta.to */
    SIMT_EVERY = 64,    /* cp.async.wait_all */
    SIMT_NO_COMPLETE = 64,
    SIMT_KERNEL_PARAM = 128, /* .param of an entry: an address in the parameter buffer. */
};

enum { SIMT_FUSED_AWAY = 255 };
enum { SIMT_ADDRESS_SLOTS = 4 }; /* The largest value of instruction.address_slot. */

/* The cases in which compilers replace the lanes' global atomic operations by one operation. */
enum combining { COMBINES_NEVER, COMBINES_FULL_WARPS, COMBINES_ALWAYS };

enum simt_shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum simt_vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum simt_barrier {
    BARRIER_SYNC,
    BARRIER_ARRIVE,
    BARRIER_RED_POPC,
    BARRIER_RED_AND,
    BARRIER_RED_OR
};
enum simt_mbarrier {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_PENDING_COUNT,
    MBARRIER_COPIES,         /* cp.async.mbarrier.arrive */
    MBARRIER_COPIES_COUNTED, /* cp.async.mbarrier.arrive.noinc */
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_DROP,
    MBARRIER_WAIT,
    MBARRIER_WAIT_PARITY,
};
enum simt_atomic {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_ADD_F16, /* The type is f16, or f16x2 if the width is 4 bytes. */
    ATOMIC_ADD_BF16,
};

/* Offsets of the fixed parts of a frame. */
enum {
    FRAME_CARRY = 0,
    FRAME_SCRATCH = 64,
    FRAME_LOCAL_BASE = FRAME_SCRATCH + 8 * LANES,
    FRAME_FIRST_REGISTER = FRAME_LOCAL_BASE + 8 * LANES
};

/* Textures and surfaces: source[0] is the object. The side table has `vector` results or stored
 * values, then the coordinates (the layer first), then a level or gradients. The immediate is a
 * struct texture_form. The control of sured is an enum simt_atomic. */
enum texture_geometry_name {
    GEOMETRY_1D,
    GEOMETRY_2D,
    GEOMETRY_3D,
    GEOMETRY_A1D,
    GEOMETRY_A2D,
    GEOMETRY_CUBE,
    GEOMETRY_ACUBE
};
enum texture_level_form { LEVEL_BASE, LEVEL_GIVEN, LEVEL_GRADIENT };
enum surface_outside { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
enum texture_query {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_ARRAY_SIZE,
    QUERY_LEVELS,
    QUERY_NORMALISED
};
struct texture_form {
    unsigned geometry : 4;
    unsigned is_float : 1;
    unsigned is_gather : 1;
    unsigned component : 2; /* The component of the texels that tld4 gathers. */
    unsigned level : 2;
    unsigned outside : 2;
    unsigned query : 4;
    unsigned inputs : 8; /* Number of operands after the first `vector` operands. */
};
_Static_assert(sizeof(struct texture_form) <= sizeof(int64_t), "fits an instruction's immediate");

static inline struct texture_form texture_form(const struct instruction *instruction)
{
    struct texture_form form;
    __builtin_memcpy(&form, &instruction->immediate, sizeof form);
    return form;
}

static inline unsigned texture_inputs(const struct instruction *instruction)
{
    return instruction->kind >= SIMT_TEXTURE && instruction->kind <= SIMT_SURFACE_ATOMIC
               ? texture_form(instruction).inputs
               : 0;
}

enum simt_builtin {
    BUILTIN_VPRINTF,
    BUILTIN_ASSERTFAIL,
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_SET_CONDITION, /* cudaGraphSetConditional. The handle is an address. */
};

struct program_special {
    enum ptx_special special;
    uint32_t offset; /* Offset in the frame, with 4 bytes per lane. */
};

enum program_trait {
    PROGRAM_READS_CLOCK = 1,     /* %clock, %globaltimer */
    PROGRAM_WAITS_FOR_CLOCK = 2, /* Only conditions use a clock, or a loop polls a clock. */
    PROGRAM_READS_RESERVED = 4,  /* %reserved_smem_*: shared memory that CUDA reserves. */
};

struct program_function {
    const struct ptx_function *source;
    struct instruction *code;
    size_t code_count;
    uint32_t *first_of; /* First decoded instruction of each PTX instruction, then the end. */
    uint32_t frame_bytes;
    uint32_t registers_begin;
    bool reads_early;         /* A lane may read a register that it has not written. */
    uint32_t invariant_begin; /* Offset of the invariant registers, which are the last registers. */
    uint32_t invariant_count;
    uint32_t invariant_accesses;
    uint32_t params_bytes; /* Bytes per lane of parameters, returns and call parameters. */
    uint32_t local_bytes;
    uint64_t kernel_params_bytes;
    uint32_t *parameter_offsets; /* Offsets in the parameter block, or in a kernel's buffer. */
    uint32_t *return_offsets;
    uint64_t *variable_offsets; /* Offset of each variable in its space or parameter block. */
    unsigned char *pool;        /* Constants, 64-byte aligned. */
    size_t pool_bytes;
    struct program_special *specials;
    size_t special_count;
    struct operand *operands; /* Side table: elements of vectors and matrices. */
    size_t operand_count;
    uint32_t stats_base; /* Number of the first instruction, counted over all functions. */
    unsigned capability; /* Required compute capability, 10 x major + minor. */
    bool calls_pointers;
    unsigned traits;
};

struct program_call {
    int32_t function; /* Index in the module. -1 for an indirect call. */
    enum simt_builtin builtin;
    uint32_t argument_count, return_count;
    uint32_t *arguments, *returns; /* Offsets in the caller's parameter block. */
    uint32_t *argument_bytes, *return_bytes;
};

/* Returns true if the parameters and returns of `callee` have the sizes that the call passes. */
bool program_call_fits(const struct program_call *call, const struct ptx_function *callee);

struct program {
    const struct ptx_module *module;
    struct program_function *functions;
    struct program_call *calls;
    size_t call_count;
    uint64_t *variables; /* Address or offset of each module variable, or UINT64_MAX if none. */
    uint64_t shared_module_bytes;
    uint64_t dynamic_shared; /* Offset of dynamic shared memory, after all static variables. */
    unsigned char *constants;
    uint64_t constants_bytes;
    uint32_t instruction_count;
    bool has_calls;
    bool has_addresses; /* True if instructions contain addresses of global variables. */
    struct guest_memory *memory;
    const struct array_shapes *shapes; /* Shapes of arrays for messages (program_take_shapes). */
    void *arena;
};

/* Make a program from a parsed module, which must outlive the program. Maps global variables into
 * `memory` with their initial contents. After success, the caller must call program_free. Student
 * failures: STATUS_UNSUPPORTED (variables, registers or parameters exceed a limit) and
 * STATUS_COMPILE_ERROR. Harness failure: memory is exhausted. */
bool program_create(const struct ptx_module *module, struct guest_memory *memory,
                    struct program *program, struct failure *failure);
/* Like program_create, for the module of `decoded`, which must outlive the copy. Decodes the
 * functions again only if an instruction contains the address of a global variable. */
bool program_copy(const struct program *decoded, struct guest_memory *memory,
                  struct program *program, struct failure *failure);
void program_free(struct program *program);

/* Set the shapes of arrays, so that messages name elements as in the source. `shapes` must outlive
 * the program. `memory` contains the program's variables. */
void program_take_shapes(struct program *program, struct guest_memory *memory,
                         const struct array_shapes *shapes);

/* Map the heap of kernels that call malloc(), unless another module has mapped it. program_create
 * calls this function unless memory->has_late_heap is set. Returns false for a harness failure. */
bool program_map_heap(struct program *program, struct failure *failure);

/* Returns the number of the kernel `name`, or -1. */
int program_find_entry(const struct program *program, const char *name);

/* Returns the bytes of static shared memory of a kernel, including all device functions, because
 * PTX has no call graph for indirect calls. */
uint64_t program_shared_bytes(const struct program *program, int function);

/* Returns true if the kernel or a possible callee has the trait, or if memory is exhausted. */
bool program_has(const struct program *program, int function, enum program_trait trait);

/* How the results or the output of a kernel and its callees depend on the schedule: not at all,
 * on the order of warps, or on the order of blocks. In the last case, blocks run in order on one
 * worker. Causes are atomics (with a result, on floats, exch, cas), volatile accesses, mbarriers,
 * clocks and built-ins. */
enum communication { COMMUNICATES_NOT, COMMUNICATES_IN_BLOCK, COMMUNICATES_ACROSS_BLOCKS };
enum communication program_communicates(const struct program *program, int function);

/* Returns true if the device supports all instructions of the kernel and its callees. Otherwise a
 * student failure (STATUS_UNSUPPORTED) names the first instruction that is not supported. */
bool program_suits(const struct program *program, int function, const struct device *device,
                   struct failure *failure);

/* Set reached[f] to true for the kernel and for all functions that it may call. `reached` has one
 * entry, initially false, per function of the module. */
void program_reach(const struct program *program, int function, bool *reached);

/* Write the source position of an instruction: "padded.cu:14". For inlined code, add the position
 * of the call: "helpers.h:3 (inlined at padded.cu:14)". For code in CUDA's headers, write the
 * caller's position first: "padded.cu:14 (in cuda_pipeline.h:190)". If the PTX has no .loc, write
 * "line 9 of the PTX". Returns the line of the outermost call, or the instruction's line if the
 * instruction is not inlined, or 0 if the line is unknown. */
uint32_t program_locate(const struct program *program, int function, uint32_t instruction,
                        char *text, size_t size);

/* Returns true if, in the source, the branch at `condition` guards instruction `guarded`. Returns
 * false if the source is not available. */
bool program_guards(const struct program *program, int function, uint32_t condition,
                    uint32_t guarded);
/* Returns true if, in the source, threads may return at `condition` before they reach `other`. */
bool program_returns(const struct program *program, int function, uint32_t condition,
                     uint32_t other);

/* Returns the generic address at which a state space begins, which is 0 for global memory. */
static inline uint64_t space_window(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
        return GUEST_SHARED_BASE;
    case PTX_LOCAL:
        return GUEST_LOCAL_BASE;
    case PTX_CONST:
        return GUEST_CONST_BASE;
    case PTX_PARAM:
        return GUEST_PARAM_BASE;
    default:
        return 0;
    }
}

#endif
