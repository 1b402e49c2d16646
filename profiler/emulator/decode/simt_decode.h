/* simt_decode.h: a PTX module made ready to run.
 *
 * program_create lays out registers, parameters, local, shared, constant and global variables,
 * turns every PTX instruction into a struct instruction (instruction.h), and keeps what cannot be
 * run as SIMT_UNSUPPORTED, which is a fault only when it is reached.
 *
 * The room decode/ executes nothing. It may touch alu/, memory/, device/, ptx/ and base/. Of its
 * files, simt_program.c lays out a module, simt_decoder.c decodes its functions (a row of its table
 * for each opcode, whose function is in decode_memory.c or decode_control.c; operands are
 * decode_operands.c's), decode_matrix.c does so where one instruction becomes several, on the
 * fragments of matrix.h, simt_allocate.c gives registers places, simt_invariant.c finds those that
 * are the same in every block, simt_fuse.c finds the shared loads
 * that the assembler fuses and addresses that stay, and shared_names.c says where a byte of shared
 * memory is.
 */
#ifndef SIMT_DECODE_H
#define SIMT_DECODE_H

#include "emulator/alu/instruction.h"
#include "emulator/device/device.h"
#include "emulator/guest/memory.h"
#include "text/array_shapes.h"

/* What the interpreter does with an instruction. */
enum simt_kind {
    SIMT_ALU,
    SIMT_NOP,          /* membar, prefetch, pragma: nothing that is modelled */
    SIMT_BRANCH,       /* bra */
    SIMT_BRANCH_INDEX, /* brx.idx */
    SIMT_RETURN,       /* ret */
    SIMT_EXIT,         /* exit */
    SIMT_TRAP,         /* trap, brkpt */
    SIMT_CALL,         /* call of a function of the module */
    SIMT_CALL_POINTER,
    SIMT_CALL_BUILTIN, /* vprintf, __assertfail, malloc, ... */
    SIMT_LOAD,
    SIMT_STORE,
    SIMT_ATOMIC,        /* atom and red */
    SIMT_TEXTURE_QUERY, /* txq, suq */
    SIMT_TEXTURE,       /* tex, tld4 */
    SIMT_SURFACE_LOAD,
    SIMT_SURFACE_STORE,
    SIMT_SURFACE_ATOMIC, /* sured */
    SIMT_COPY_ASYNC,     /* cp.async */
    SIMT_COPY_COMMIT,
    SIMT_COPY_WAIT,
    SIMT_BARRIER,   /* bar, barrier */
    SIMT_MBARRIER,  /* mbarrier */
    SIMT_WARP_SYNC, /* bar.warp.sync */
    SIMT_SHUFFLE,
    SIMT_VOTE,
    SIMT_MATCH,
    SIMT_REDUX,
    SIMT_ACTIVE_MASK,
    SIMT_ELECT,
    SIMT_CLOCK,           /* mov from %clock, %clock64, %globaltimer */
    SIMT_CONVERT_ADDRESS, /* cvta */
    SIMT_IS_SPACE,        /* isspacep */
    SIMT_MATRIX_ADDRESS,  /* of wmma.load and wmma.store, see decode_matrix.c */
    SIMT_MATRIX_ROWS,     /* of ldmatrix and stmatrix */
    SIMT_MATRIX_TRANSPOSE,
    SIMT_MATRIX_MULTIPLY,
    SIMT_UNSUPPORTED,
};

/* instruction.flags of memory instructions. */
enum {
    SIMT_SIGNED = 1,    /* loads: sign-extend */
    SIMT_VOLATILE = 2,  /* .volatile, .relaxed, .acquire: ordered with other blocks */
    SIMT_BYPASS_L1 = 4, /* .cg, .cv, .volatile */
    SIMT_NO_RESULT = 8, /* red; atom with `_`, or whose result no instruction reads */
    SIMT_FLOAT = 16,
    SIMT_TO_SPACE = 32,      /* cvta.to */
    SIMT_EVERY = 64,         /* cp.async.wait_all */
    SIMT_NO_COMPLETE = 64,   /* mbarrier */
    SIMT_KERNEL_PARAM = 128, /* .param of an entry: the launch's parameter buffer */
};

enum { SIMT_FUSED_AWAY = 255 }; /* instruction.fused */
enum { SIMT_KEPT = 4 };         /* instruction.kept is at most that */

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
    MBARRIER_COPIES,         /* cp.async.mbarrier.arrive, */
    MBARRIER_COPIES_COUNTED, /* .noinc */
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
    ATOMIC_ADD_F16, /* or a pair of them, by the width */
    ATOMIC_ADD_BF16,
};

/* The fixed places of a frame: carry flags, a scratch register (the destination `_`), and the local
 * base, a 64-bit register that holds where the frame's local variables begin. */
enum {
    FRAME_CARRY = 0,
    FRAME_SCRATCH = 64,
    FRAME_LOCAL_BASE = FRAME_SCRATCH + 8 * LANES,
    FRAME_FIRST_REGISTER = FRAME_LOCAL_BASE + 8 * LANES
};

/* Textures and surfaces: source[0] is the object; of the side table's operands the first
 * `vector` are results or what is stored, then come the coordinates (a layer first), then a
 * level or slopes. The immediate is a struct texture_form; sured's control an enum simt_atomic. */
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
    unsigned geometry : 4;  /* enum texture_geometry_name */
    unsigned is_float : 1;  /* coordinates */
    unsigned is_gather : 1; /* tld4, */
    unsigned component : 2; /* of each texel */
    unsigned level : 2;     /* enum texture_level_form */
    unsigned outside : 2;   /* enum surface_outside */
    unsigned query : 4;     /* enum texture_query */
    unsigned inputs : 8;    /* operands behind those `vector` */
};
_Static_assert(sizeof(struct texture_form) <= sizeof(int64_t), "fits an instruction's immediate");

static inline struct texture_form texture_form(const struct instruction *instruction)
{
    struct texture_form form;
    __builtin_memcpy(&form, &instruction->immediate, sizeof form);
    return form;
}

/* Operands of the instruction behind those `vector`; 0 where it is another one. */
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
    BUILTIN_SET_CONDITION, /* of a graph's node: the handle is the address of a word */
};

/* A special register that is filled when a warp starts. */
struct program_special {
    enum ptx_special special;
    uint32_t offset; /* in the frame, 4-byte lanes */
};

struct program_function {
    const struct ptx_function *source;
    struct instruction *code;
    size_t code_count;
    uint32_t *first_of;          /* PTX instruction number -> first decoded instruction; one more at
                                 the end */
    uint32_t frame_bytes;        /* multiple of 64 */
    uint32_t registers_begin;    /* in the frame, behind the special registers, */
    uint32_t invariant_begin;    /* and behind all others the invariant ones (simt_invariant.h), */
    uint32_t invariant_count;    /* so many of which their instructions have numbered, */
    uint32_t invariant_accesses; /* and so many accesses to shared memory that they address */
    uint32_t params_bytes;       /* per lane: parameters, returns and call parameters */
    uint32_t local_bytes;        /* per lane: .local variables */
    uint64_t kernel_params_bytes; /* of an entry: its parameter buffer */
    uint32_t *parameter_offsets; /* of parameters in the lane's parameter block (entries: buffer) */
    uint32_t *return_offsets;
    unsigned char *pool; /* constants; 64-byte aligned */
    size_t pool_bytes;
    struct program_special *specials;
    size_t special_count;
    struct operand *operands; /* side table: vector elements, call arguments */
    size_t operand_count;
    uint32_t stats_base; /* number of its first instruction among all functions' */
    unsigned capability; /* compute capability that its instructions require, 10 x major + minor */
    bool calls_pointers;
    bool reads_clock;     /* %clock, %globaltimer */
    bool waits_for_clock; /* in a loop that ends when the clock says so */
};

/* A call site: where arguments go. */
struct program_call {
    int32_t function; /* of the module; -1 for an indirect call */
    enum simt_builtin builtin;
    uint32_t argument_count, return_count;
    uint32_t *arguments, *returns; /* offsets in the caller's parameter block */
    uint32_t *argument_bytes, *return_bytes;
};

/* Whether a function takes the call's arguments and gives its returns. */
bool program_call_fits(const struct program_call *call, const struct ptx_function *callee);

struct program {
    const struct ptx_module *module;
    struct program_function *functions; /* as in the module */
    struct program_call *calls;
    size_t call_count;
    uint64_t *variables; /* of the module: address, or offset in its space; UINT64_MAX: none */
    uint64_t shared_module_bytes; /* of module-scope shared variables */
    uint64_t dynamic_shared;      /* offset of dynamic shared memory, behind all static */
    unsigned char *constants;     /* the constant bank */
    uint64_t constants_bytes;
    uint32_t instruction_count; /* PTX instructions of all functions */
    bool has_calls;
    struct guest_memory *memory;       /* where the global variables were mapped */
    const struct array_shapes *shapes; /* of arrays, for messages; see program_take_shapes */
    void *arena;
};

/* Make a program of a parsed module, which must outlive it. Global variables are mapped into
 * `memory` with their initial contents. Student failures: STATUS_UNSUPPORTED (a variable that
 * cannot be placed), STATUS_LAUNCH_ERROR; harness failure: no memory. */
bool program_create(const struct ptx_module *module, struct guest_memory *memory,
                    struct program *program, struct failure *failure);
void program_free(struct program *program);

/* Speak of elements of arrays as the source does; `shapes` must outlive the program, `memory` is
 * where its variables were mapped. */
void program_take_shapes(struct program *program, struct guest_memory *memory,
                         const struct array_shapes *shapes);

/* Map the heap of kernels that call malloc(), unless another module has brought it. program_create
 * does, if it may. Harness failure: no memory. */
bool program_map_heap(struct program *program, struct failure *failure);

/* Number of the entry function of that name, or -1. */
int program_find_entry(const struct program *program, const char *name);

/* Static shared memory of a kernel: its own variables and those of every function of the module
 * (PTX gives no call graph for indirect calls), laid out in declaration order. */
uint64_t program_shared_bytes(const struct program *program, int function);

/* Whether the kernel asks for the shared memory that CUDA reserves for itself, where cooperative
 * groups have the barriers and scratch memory of large tiles. */
bool program_reads_reserved(const struct program *program, int function);

/* Whether the kernel, or what it may call, reads a clock. */
bool program_reads_clock(const struct program *program, int function);
bool program_waits_for_clock(const struct program *program, int function);

/* Whether what threads compute, or print, may depend on the turns that warps get, by atomics
 * with results or of floats, volatile accesses, clocks and the like; or on those that blocks
 * get, which must run in order on one worker then. */
enum communication { COMMUNICATES_NOT, COMMUNICATES_IN_BLOCK, COMMUNICATES_ACROSS_BLOCKS };

/* Of the kernel and what it may call. */
enum communication program_communicates(const struct program *program, int function);

/* Whether the device executes all instructions of the kernel and of what it may call. A student
 * failure STATUS_UNSUPPORTED names the first that it does not. A thought machine, whose warps are
 * smaller than any GPU's, executes everything. */
bool program_suits(const struct program *program, int function, const struct device *device,
                   struct failure *failure);

/* Mark the kernel and all functions that it may call: reached[] has a place for each function of
 * the module, all false. */
void program_reach(const struct program *program, int function, bool *reached);

/* "padded.cu:14" for an instruction of a function; the innermost position, and the position of the
 * call when it was inlined: "helpers.h:3 (inlined at padded.cu:14)". Of code in CUDA's headers the
 * caller's position comes first: "padded.cu:14 (in cuda_pipeline.h:190)". Without .loc: "line 9 of
 * the PTX". Returns the line of the call, or else of the instruction; 0: none. */
uint32_t program_locate(const struct program *program, int function, uint32_t instruction,
                        char *text, size_t size);

/* Whether the source has one instruction of a function in what the condition of another guards: a
 * branch, which turned threads away from it. False where the source is not known. */
bool program_guards(const struct program *program, int function, uint32_t condition,
                    uint32_t guarded);
/* Whether threads may return at the condition, by the source, and so do not come to the other. */
bool program_returns(const struct program *program, int function, uint32_t condition,
                     uint32_t other);

/* Where a state space begins in the generic address space. */
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
