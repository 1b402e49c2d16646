/* simt_state.h: the state of a block, for the files of the interpreter (simt*.c) and for sinks.
 *
 * Who may call whom, low to high:
 *
 *   simt_fault.c          what went wrong, in the words of the source
 *   simt_frame.c          what a function finds when it begins: registers, parameters
 *   simt_fragment.c       how lanes part and meet
 *   simt_access.c         which bytes the lanes of a warp access
 *   simt_atomic.c         atomic operations
 *   simt_memory.c         loads and stores
 *   simt_texture.c        textures and surfaces
 *   simt_async.c          copies that are under way while a warp goes on; barriers in shared memory
 *   simt_barrier.c        barriers of a block
 *   simt_warp.c           operations in which lanes of a warp meet
 *   simt_control.c        branches, calls, returns, exits
 *   simt_builtin.c        device printf and assert
 *   simt_matrix.c         matrices that a warp holds together
 *   simt_interpreter.c    the interpreter: a warp, and the table of who executes what
 *   simt_block.c          blocks, run warp by warp
 */
#ifndef SIMT_STATE_H
#define SIMT_STATE_H

#include "emulator/warp/simt.h"

enum {
    NODE_NONE = -1,
    MAX_CALL_DEPTH = 4096,
    MAX_NODES = 1 << 20,
    BARRIERS = 16,
    RESERVED_SMEM_BYTES = 1024,   /* of shared memory, as on CC 8.0 and later */
    LOCAL_STACK_BYTES = 64 << 10, /* per thread, when there are calls */
    REGIONS_KEPT = 64,
    EARLY_EXITS = 8,
    FRAGMENT_QUANTUM = 4096,    /* instructions before another fragment of the warp gets a turn */
    MAX_TRACE_RUNS = 1 << 26,   /* of one block: 512 MB */
    MAX_COPIES = 1 << 17,       /* cp.async under way in a warp: more than fill shared memory */
    MAX_CALL_BYTES = 256 << 20, /* registers and parameters of a block's calls under way, */
    MIN_CALL_BYTES = 4 << 20,   /* and what each warp has in any case */
    POLLED_TURNS = 8,           /* before lanes that poll are taken to wait for their own warp, */
    POLLED_QUANTUM = 64,        /* and their turns from then on */
    /* Of device printf per block, formats and what they write: CUDA's default FIFO size. What is
     * beyond costs its instruction and no more, and so may be printed by every thread of a grid. */
    OUTPUT_BYTES = 1 << 20,
    SILENT_BYTES = 4 << 10, /* where nobody reads it: enough to find its mistakes */
};

/* One activation of a function. */
struct frame {
    struct frame *parent;
    struct frame *next, *previous; /* of the warp's list of calls under way */
    const struct program_function *function;
    int function_index;
    uint32_t return_pc;
    uint32_t call; /* index of program->calls */
    uint32_t depth;
    bool begun; /* the special registers that never change are filled */
    uint64_t local_base;
    unsigned char *registers; /* function->frame_bytes */
    unsigned char *params;    /* LANES x function->params_bytes */
};

/* Lanes that will meet again. */
struct node {
    uint32_t reconverge; /* pc; NODE_CALL: at the return */
    uint32_t expected, arrived;
    int parent; /* also the free list's link */
    struct frame *frame;
};
#define NODE_CALL 0xfffffffeu
#define PC_NEVER 0xffffffffu

enum fragment_state { FRAGMENT_READY, FRAGMENT_AT_BARRIER, FRAGMENT_AT_SYNC, FRAGMENT_HELD };

struct fragment {
    uint32_t pc, mask;
    struct frame *frame;
    int node;
    enum fragment_state state;
    uint32_t way;       /* where it went at its last condition; PC_NEVER: something came between */
    uint32_t condition; /* that condition's pc, where `way` is one */
    unsigned barrier;   /* for FRAGMENT_AT_BARRIER */
    uint32_t needed;    /* for FRAGMENT_AT_SYNC: lanes that must come */
    uint8_t held_for;   /* for FRAGMENT_HELD: a note of the sink that does not admit it */
};

/* A cp.async that is under way; with no bytes, an arrival at an mbarrier that waits for those
 * before. */
struct pending_copy {
    uint64_t shared_address;
    unsigned char data[16];
    uint8_t bytes, lane;
    bool is_due;
    uint64_t group;
};

/* A invariant register (simt_invariant.h) of a warp. */
struct invariant_register {
    bool is_held;  /* all lanes of the warp have written it, in this block or another one; */
    bool is_known; /* all lanes are on, and the rest is filled in: as offsets in shared memory */
    enum half_pattern halves[2]; /* of lanes 4 bytes apart; HALF_OTHER: neither half has one */
    uint32_t low, high, bits;    /* the lowest, the highest, all or-ed */
};

struct warp {
    struct fragment fragments[LANES];
    unsigned fragment_count, current;
    uint32_t lanes, exited;
    struct {
        uint32_t condition, lanes;
    } early[EARLY_EXITS]; /* which lanes left the kernel right after a condition, and its pc */
    unsigned early_count;
    unsigned index;
    struct frame *root, *calls;
    struct node *nodes;
    unsigned node_capacity;
    int free_node;
    unsigned char *local; /* LANES x local_stride, lane by lane */
    struct pending_copy *copies;
    size_t copy_count, copy_capacity;
    uint64_t copy_group[LANES]; /* of each lane: the one that its next commit closes */
    uint64_t local_written;     /* bytes of a lane's local memory that may be other than zero */
    uint64_t turn;              /* instructions since a fragment got its turn */
    unsigned polled_turns;      /* turns in a row in which memory was polled */
    bool polls;                 /* by an atomic operation or a volatile load, in this turn */
    bool hands_over;            /* it issued a global memory request since warp_run began, or polled
                                   shared memory in vain */
    uint64_t answer;            /* to its last question, see warp_ask */
    bool is_loosened;           /* lanes have gone on without those that they should meet */
    bool is_torn;               /* a part of it waits at a barrier for all */
    uint64_t call_bytes;        /* of the frames in `calls` */
    unsigned rounds;            /* of loads so far, see timing_code.c */
    uint64_t spent;             /* instructions before warp_run began */
    bool is_followed;           /* a sink wants to see each instruction (its event `follow`) */
    struct invariant_register *invariant; /* function->invariant_count */
    struct bank_count
        *invariant_banks;        /* what function->invariant_accesses cost all lanes; 0: unknown */
    struct kept_addresses *kept; /* SIMT_KEPT; NULL: none yet, see simt_access.c */
};

/* How closely a block is observed, which decides the path that its loads and stores may take. */
enum observation {
    OBSERVED_NOT,   /* no sink, and no turns: data move, and a warp goes on */
    OBSERVED_COSTS, /* count only: where it is easy, sinks get no lane's address but the first's */
    OBSERVED_ALL,   /* count and check: sinks get every access as it is */
};

struct barrier {
    uint32_t arrived_threads;
    uint32_t passed_warps;   /* by bar.arrive */
    uint32_t expected_warps; /* when a thread count is given, else 0 */
    uint32_t count;          /* lanes whose predicate is true, for bar.red */
    int function;            /* where the first arrival waits */
    uint32_t pc;
};

struct simt_block {
    const struct simt_run *run;
    const struct emulator_launch *launch; /* &run->launch */
    struct warp *warps;
    unsigned warp_count, current_warp, threads, threads_alive;
    struct barrier barriers[BARRIERS];
    uint32_t barriers_open; /* those that somebody has reached, a bit each */
    unsigned char *shared;
    uint64_t shared_static_end, shared_bytes, shared_capacity;
    uint64_t reserved; /* offset of the system's shared memory, if the program asks for it */
    uint64_t local_stride, local_limit;
    size_t copy_arrivals;    /* of cp.async.mbarrier.arrive, that have not happened */
    struct dimensions index; /* blockIdx */
    uint64_t number;
    unsigned sm;
    uint64_t executed;      /* since start */
    struct failure skipped; /* threads left the kernel around a barrier: due at the block's end */
    uint32_t asked_pc;      /* of the barrier that was last found not to be skipped so, */
    unsigned asked_exits;   /* and how many early exits there were */
    bool has_late_exits;    /* threads have left the kernel other than by an early return */
    bool has_locks;         /* lanes were found to wait for lanes of their own warp */
    void *sink_states[SINKS_MAX]; /* of run->sinks */
    enum observation observation;
    bool is_gated; /* a sink says when a step may be executed (its event `admits`) */
    struct trace trace;
    size_t usual_runs; /* in the trace of the last block that ended */
    struct counters counters;
    struct instruction_stats *stats;
    uint64_t *executed_by; /* times each instruction was executed */
    /* The last that was accessed, by instructions of the same number modulo REGIONS_KEPT. */
    const struct memory_region *regions[REGIONS_KEPT];
    /* Where those of the quick way have moved data last, and where warp 0 has, how far from where
     * it had before. */
    struct moved {
        uintptr_t last, first, step;
    } moved[REGIONS_KEPT];
    char *output;
    size_t output_length;
    size_t printed; /* bytes of formats and output so far */
    struct failure failure;
    bool faulted;
    bool holds_fault; /* a sink has a fault that it will report later (sink.h, fault_is_due) */
};

/* One instruction that a fragment executes for the lanes of `mask`, which its guard lets through
 * (never 0, but for branches). A step's function returns false after a fault. */
struct step {
    struct simt_block *block;
    struct warp *warp;
    struct fragment *fragment;
    const struct instruction *instruction;
    uint32_t mask;
    uint64_t
        executed; /* instructions of the warp since warp_run began, not in block->executed yet */
};

/* A fragment at its next instruction. */
static inline struct step step_at(struct simt_block *block, struct warp *warp,
                                  struct fragment *fragment)
{
    return (struct step){.block = block,
                         .warp = warp,
                         .fragment = fragment,
                         .instruction = &fragment->frame->function->code[fragment->pc],
                         .mask = fragment->mask};
}

/* ---- simt_fault.c ---- */

/* Record a fault of `lane`: "PLACE: in kernel ..., thread ... of block ... WHAT". Both always
 * return false. */
bool simt_fault(const struct step *step, unsigned lane, enum status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool simt_no_memory(struct simt_block *block);

/* ---- simt_frame.c ---- */

/* A frame for a function; NULL without memory. */
struct frame *frame_create(const struct emulator_launch *launch, int function_index);
void simt_frame_free(struct frame *frame);
/* Give the frame's registers their first values. They start as zero, so that a program that reads
 * one too early is at least deterministic. */
void frame_begin(const struct simt_block *block, const struct warp *warp, struct frame *frame);
/* Put a call's frame on the warp's list of calls under way, and take it off. */
void frame_link(struct warp *warp, struct frame *frame);
void frame_unlink(struct warp *warp, struct frame *frame);

/* ---- simt_fragment.c ---- */

/* A node's number, or NODE_NONE without memory. */
int node_create(struct warp *warp, uint32_t reconverge, uint32_t expected, int parent,
                struct frame *frame);
void node_release(struct warp *warp, int index);
/* If all lanes of the node have arrived or exited, those that arrived go on together. */
void node_settle(struct warp *warp, int index);

void fragment_remove(struct warp *warp, unsigned index);
/* The fragment has reached its node's reconvergence point. */
void fragment_arrive(struct warp *warp, unsigned index);
/* Whether lanes among `lanes` of the warp left the kernel at a condition which, by the source,
 * guards the place where a fragment of the block waits. */
bool exits_skip(const struct simt_block *block, const struct warp *warp, uint32_t lanes,
                const struct fragment *waiting);
/* Lanes of the fragment leave the kernel. */
void fragment_exit(struct simt_block *block, struct warp *warp, unsigned index, uint32_t mask);
/* The lanes of `mask` become a fragment of their own at `pc`, to meet the others where both meet
 * their node; the rest stay. */
void fragment_divide(struct warp *warp, struct fragment *fragment, uint32_t mask, uint32_t pc);
/* Send `taken` lanes of the fragment to `target`; the rest stay (pc already set), and all meet at
 * `reconverge`. False: no memory. */
bool fragment_split(struct warp *warp, struct fragment *fragment, uint32_t taken, uint32_t target,
                    uint32_t reconverge);

/* Follow jumps from `at`: the first instruction that does anything. */
uint32_t simt_skip_jumps(const struct program_function *function, uint32_t at);

/* Choose the fragment that runs: the current one, or another that can; false when none can. */
bool warp_choose_fragment(struct warp *warp);
/* Give another fragment of the warp a turn, when there is one. */
void warp_rotate(struct warp *warp);
/* Lanes that wait to meet others let them be: they go on by themselves. So the holder of a lock
 * gets to release it while other lanes of its warp spin (independent thread scheduling, CC 7.0). */
void warp_loosen(struct warp *warp);

/* ---- simt_memory.c, simt_atomic.c, simt_async.c: loads, stores, atomics ---- */

bool simt_load_store(const struct step *step);
/* Let the lanes do the step's instruction, which is_quick, in a block that is not OBSERVED_ALL, and
 * emit its request, if all are on and their addresses are rows or single places of memory that they
 * may access, in each half of the warp; or, in a block that is OBSERVED_NOT, are anywhere in shared
 * memory or in one array. False: not so. */
bool memory_move_quickly(const struct step *step);
bool simt_atomic(const struct step *step);
bool simt_copy_async(const struct step *step);
bool simt_copy_commit(const struct step *step);
bool simt_copy_wait(const struct step *step);
/* What an atomic operation (the instruction's control) makes of an old value of `bytes`; values are
 * zero-extended, the upper bytes of the result undefined. */
uint64_t simt_atomic_result(const struct instruction *instruction, unsigned bytes, uint64_t old,
                            uint64_t b, uint64_t c);
/* Read guest bytes through a generic address, as `lane` sees them; false when out of bounds. */
bool simt_read_generic(const struct step *step, unsigned lane, uint64_t address, void *bytes,
                       size_t size);

/* Surfaces: move the instruction's elements between registers and the lanes' guest addresses,
 * checked as a load, store or atomic operation of global memory. */
bool simt_surface_move(const struct step *step, uint32_t mask, const uint64_t address[LANES]);
/* Textures: read the lanes' texels of `bytes` bytes, checked as loads. */
bool simt_texel_read(const struct step *step, uint32_t mask, unsigned bytes,
                     const uint64_t address[LANES], unsigned char *const texel[LANES]);

/* ---- simt_texture.c: tex, tld4, txq, suld, sust, sured, suq ---- */

bool simt_texture(const struct step *step);
bool simt_texture_query(const struct step *step);
bool simt_surface(const struct step *step);

/* Check and count 16 bytes of shared memory at each of `count` places, which move for the step's
 * instruction: rows of matrices. The data moves otherwise. False after a fault. */
bool memory_access_rows(const struct step *step, unsigned count, bool is_store,
                        const uint64_t rows[LANES]);

/* ---- simt_matrix.c: see decode_matrix.c for what these are made of ---- */

bool simt_matrix_address(const struct step *step);
bool simt_matrix_rows(const struct step *step);
bool simt_matrix_transpose(const struct step *step);
bool simt_matrix_multiply(const struct step *step);

/* ---- simt_warp.c: shuffles, votes, match, redux, elect, bar.warp.sync ---- */

bool simt_warp_sync(const struct step *step);
/* The operand with the lanes that take part. */
const struct operand *warp_member_mask(const struct instruction *instruction);
/* Lanes have come, or left: let those go on that waited for them. */
void warp_sync_check(struct simt_block *block, struct warp *warp);
/* The same when lanes have left the kernel. False after a fault: they went around what others wait
 * for. */
bool warp_sync_left(struct simt_block *block, struct warp *warp);

/* ---- simt_barrier.c ---- */

bool simt_barrier(const struct step *step);
/* Threads have left: release the barriers that waited for them only. False after a fault. */
bool barriers_check(struct simt_block *block);
/* The warp cannot go on. If that is because a part of it waits at a barrier that all lanes should
 * reach together, and the rest is still there, false and a fault. */
bool barrier_check_torn(struct simt_block *block, struct warp *warp);
/* Release a barrier at which threads wait, whoever is missing; false: nobody waits. */
bool barrier_force(struct simt_block *block, unsigned id);

/* ---- simt_async.c: mbarriers ---- */

bool simt_mbarrier(const struct step *step);

/* ---- simt_control.c ---- */

bool simt_branch(const struct step *step);
bool simt_branch_index(const struct step *step);
bool simt_call(const struct step *step);
bool simt_return(const struct step *step);
bool simt_exit(const struct step *step);

/* ---- simt_builtin.c: vprintf and __assertfail ---- */

bool simt_builtin_call(const struct step *step);

/* ---- simt_interpreter.c ---- */

/* Run one warp until it has issued a global memory request (if it is not alone), cannot go on, or
 * has used up its turn. False after a fault. */
bool warp_run(struct simt_block *block, struct warp *warp);

/* ---- Registers ---- */

static inline const unsigned char *frame_source(const struct frame *frame,
                                                const struct operand *operand)
{
    return (operand->bank == BANK_FRAME ? frame->registers : frame->function->pool) +
           operand->offset;
}

static inline uint32_t frame_predicate(const struct frame *frame, const struct operand *operand)
{
    uint32_t bits;
    __builtin_memcpy(&bits, frame_source(frame, operand), sizeof bits);
    return operand->negated ? ~bits : bits;
}

/* An integer of a lane's stride, zero-extended. (A switch, because a copy of variable length is a
 * slow string instruction.) */
static inline uint64_t lane_get(const unsigned char *bytes, unsigned stride)
{
    uint64_t wide = 0;
    uint32_t word = 0;
    uint16_t half = 0;
    switch (stride) {
    case 8:
        __builtin_memcpy(&wide, bytes, sizeof wide);
        return wide;
    case 4:
        __builtin_memcpy(&word, bytes, sizeof word);
        return word;
    default:
        __builtin_memcpy(&half, bytes, sizeof half);
        return half;
    }
}

static inline void lane_set(unsigned char *bytes, unsigned stride, uint64_t value)
{
    uint32_t word = (uint32_t)value;
    uint16_t half = (uint16_t)value;
    switch (stride) {
    case 8:
        __builtin_memcpy(bytes, &value, sizeof value);
        return;
    case 4:
        __builtin_memcpy(bytes, &word, sizeof word);
        return;
    default:
        __builtin_memcpy(bytes, &half, sizeof half);
        return;
    }
}

static inline uint64_t frame_lane(const struct frame *frame, const struct operand *operand,
                                  unsigned lane)
{
    return lane_get(frame_source(frame, operand) + (size_t)lane * operand->stride, operand->stride);
}

/* Source `number` of the step's instruction. */
static inline uint64_t step_source(const struct step *step, unsigned number, unsigned lane)
{
    return frame_lane(step->fragment->frame, &step->instruction->source[number], lane);
}

static inline void frame_set_lane(struct frame *frame, const struct operand *operand, unsigned lane,
                                  uint64_t value)
{
    lane_set(frame->registers + operand->offset + (size_t)lane * operand->stride, operand->stride,
             value);
}

static inline void frame_set_predicate(struct frame *frame, const struct operand *operand,
                                       uint32_t mask, uint32_t bits)
{
    uint32_t old;
    __builtin_memcpy(&old, frame->registers + operand->offset, sizeof old);
    old = (old & ~mask) | (bits & mask);
    __builtin_memcpy(frame->registers + operand->offset, &old, sizeof old);
}

static inline bool simt_repairs(const struct simt_block *block, enum emulator_repair mistake)
{
    return block->launch->repair & mistake;
}

/* Iterate over the lanes of a mask, lowest first. */
#define FOR_LANES(lane, mask)                                                                      \
    for (uint32_t left_##lane = (mask), lane;                                                      \
         left_##lane && (lane = (uint32_t)__builtin_ctz(left_##lane), true);                       \
         left_##lane &= left_##lane - 1)

#endif
