/* simt_state.h: the state of a block, for the interpreter (simt*.c), for sinks and for emulator.c.
 * Each file calls only files that are before it in this list: simt_fault.c, simt_frame.c,
 * simt_fragment.c, simt_access.c, simt_atomic.c, simt_memory.c, simt_texture.c, simt_async.c,
 * simt_barrier.c, simt_warp.c, simt_control.c, simt_builtin.c, simt_matrix.c,
 * simt_interpreter.c, simt_block.c. */
#ifndef SIMT_STATE_H
#define SIMT_STATE_H

#include "emulator/cost/store_merge.h"
#include "emulator/warp/simt.h"

enum {
    NODE_NONE = -1,
    MAX_CALL_DEPTH = 4096,
    MAX_NODES = 1 << 20,
    BARRIERS = 16,
    RESERVED_SMEM_BYTES = 1024,   /* Shared memory that CUDA reserves on CC 8.0 and later. */
    LOCAL_STACK_BYTES = 64 << 10, /* Bytes of stack per thread if the program has calls. */
    REGIONS_RETAINED = 64,
    COLUMNS_MOST = 64,
    EARLY_EXITS = 8,
    FRAGMENT_QUANTUM = 4096,
    MAX_TRACE_RUNS = 1 << 26,
    MAX_COPIES = 1 << 17,
    MAX_CALL_BYTES = 256 << 20, /* Limit of memory for a block's calls, divided among its warps. */
    MIN_CALL_BYTES = 4 << 20,   /* Added to each warp's part of MAX_CALL_BYTES. */
    POLLED_TURNS = 8,    /* Turns after which polling lanes are assumed to wait for other lanes. */
    POLLED_QUANTUM = 64, /* Limit of instructions in a turn of polling lanes. */
    /* Limit in bytes of a block's printf formats plus output, as in CUDA's default FIFO. */
    OUTPUT_BYTES = 1 << 20,
    SILENT_BYTES = 4 << 10, /* Replaces OUTPUT_BYTES if the output is discarded. */
};

struct frame {
    struct frame *parent;
    struct frame *next, *previous;
    const struct program_function *function;
    int function_index;
    uint32_t return_pc;
    uint32_t call;
    uint32_t depth;
    bool begun; /* The special registers that do not differ between blocks are set. */
    uint64_t local_base;
    unsigned char *registers; /* function->frame_bytes bytes. */
    unsigned char *params;    /* LANES x function->params_bytes bytes. */
};

struct node {
    uint32_t reconverge; /* The pc where the lanes reconverge, or NODE_CALL. */
    uint32_t expected, arrived;
    int parent; /* Number of the enclosing node or, for a free node, of the next free node. */
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
    uint32_t way;       /* The pc after the fragment's last branch, or PC_NEVER. */
    uint32_t condition; /* The pc of the fragment's last branch, if `way` is not PC_NEVER. */
    unsigned barrier;
    uint32_t needed;  /* Lanes that must arrive at the warp operation, for FRAGMENT_AT_SYNC. */
    uint8_t held_for; /* Data of the sink that holds the fragment, for FRAGMENT_HELD. */
};

/* A cp.async in flight or, if `bytes` is 0, an arrival at an mbarrier after earlier copies. */
struct pending_copy {
    uint64_t shared_address;
    unsigned char data[16];
    uint8_t bytes, lane;
    bool is_due;
    uint64_t group;
};

struct invariant_register {
    bool is_held;  /* All lanes have written the register, in this block or an earlier block. */
    bool is_known; /* The fields below are valid. Set by an access of all 32 lanes. */
    enum half_pattern halves[2]; /* Patterns of the values, or HALF_OTHER twice. */
    uint32_t low, high, bits;    /* Lowest value, highest value, and bitwise OR of all values. */
};

struct warp {
    unsigned fragment_count, current;
    uint32_t lanes, exited;
    unsigned early_count;
    unsigned index;
    struct frame *root, *calls;
    struct node *nodes;
    unsigned node_capacity;
    int free_node;
    unsigned char *local; /* LANES x local_stride bytes. Lane l begins at l x local_stride. */
    struct pending_copy *copies;
    size_t copy_count, copy_capacity;
    uint64_t local_written; /* Bytes at the start of a lane's local memory that may be nonzero. */
    uint64_t turn;
    unsigned polled_turns;
    bool commits;
    bool polls;         /* This turn executed an atomic, a volatile load or an mbarrier wait. */
    bool hands_over;    /* The turn must end, after a global memory request or a failed poll. */
    uint64_t poll_hash; /* Hash of the last poll of shared memory (warp_note_poll). */
    bool is_loosened;   /* Lanes have continued without waiting for reconvergence. */
    bool is_torn;       /* Only some lanes wait at a barrier that all threads must reach. */
    uint64_t call_bytes;
    unsigned rounds;
    struct last_store last_store;
    uint64_t spent;   /* Number of instructions that the warp executed before warp_run began. */
    bool is_followed; /* A sink receives each instruction (event `follow`). */
    struct invariant_register *invariant;
    struct bank_count *invariant_banks;     /* Cost of each invariant access, or 0 if unknown. */
    struct cached_addresses *address_cache; /* SIMT_ADDRESS_SLOTS elements, or NULL. */
    /* The large arrays are last, so that the other fields share few lines of the host's cache. */
    struct fragment fragments[LANES];
    struct {
        uint32_t condition, lanes;
    } early[EARLY_EXITS];       /* Lanes that exited at the guarded exit or branch `condition`. */
    uint64_t copy_group[LANES]; /* For each lane: the group that its next commit closes. */
};

enum observation {
    OBSERVED_NOT,   /* There are no sinks, so accesses only move data. */
    OBSERVED_COSTS, /* Sinks count, and may receive only the first address of each half warp. */
    OBSERVED_ALL,   /* Sinks receive the addresses of all lanes. */
};

struct barrier {
    uint32_t arrived_threads;
    uint32_t passed_warps;
    uint32_t expected_warps; /* 0 if the instruction has no thread count. */
    uint32_t count;
    int function; /* Number of the function that contains `pc`, the pc of the first arrival. */
    uint32_t pc;
};

/* Deferred stores to columns of an array (memory_store_columns). */
struct columns {
    unsigned char *host;
    int64_t stride;
    int32_t first[COLUMNS_MOST]; /* For each store: byte offset of lane 0's word in `host`. */
    uint32_t words[COLUMNS_MOST][LANES];
};

struct simt_block {
    const struct simt_run *run;
    const struct emulator_launch *launch;
    struct warp *warps;
    unsigned warp_count, current_warp, threads, threads_alive;
    struct barrier barriers[BARRIERS];
    uint32_t barriers_open;
    unsigned char *shared;
    uint64_t shared_static_end, shared_bytes, shared_capacity;
    uint64_t reserved; /* Offset of the shared memory that CUDA reserves. 0 if it is never read. */
    uint64_t local_stride, local_limit;
    size_t copy_arrivals; /* Number of outstanding arrivals of cp.async.mbarrier.arrive. */
    struct dimensions index;
    uint64_t number;
    unsigned sm;
    uint64_t executed;      /* Number of warp instructions since the start. */
    struct failure skipped; /* Fault of a skipped barrier, to be reported at the block's end. */
    uint32_t tested_pc;
    unsigned tested_exits;
    bool has_late_exits; /* Threads have left the kernel other than by an early return. */
    bool has_locks;      /* Some lanes have waited for other lanes of their own warp. */
    void *sink_states[SINKS_MAX];
    enum observation observation;
    unsigned column_count;
    bool is_gated;      /* A sink determines when a step may be executed (event `admits`). */
    struct trace trace; /* Since simt_block_start. A caller that takes the arrays zeroes `trace`. */
    size_t usual_runs;
    struct counters counters; /* Sum over all blocks that ran in this object. */
    struct {
        const struct instruction *instruction;
        uint32_t mask, left; /* Active lanes, and number of requests that may reuse this cost. */
        unsigned wavefronts, clocks;
    } atomic_sample; /* The last atomic with a computed cost (count.c). */
    /* One bit per line of constant memory, set if counters.constant_lines has counted the line. */
    uint64_t constant_lines[CONSTANT_LINES / 64];
    struct instruction_stats *stats;
    uint64_t *executed_by;
    /* The region of an instruction's last access, by instruction number modulo REGIONS_RETAINED. */
    const struct memory_region *regions[REGIONS_RETAINED];
    /* For the fast path, with the same indices: host addresses of the last access and of warp 0's
     * last access, and distance between warp 0's last two accesses. */
    struct moved {
        uintptr_t last, first, step;
    } moved[REGIONS_RETAINED];
    char *output; /* Output of device printf since simt_block_start, not NUL-terminated. */
    size_t output_length;
    size_t printed;
    struct failure failure;
    bool faulted;
    bool holds_fault; /* A sink will report a fault later (event fault_is_due). */
    struct columns columns;
};

/* One instruction that a fragment executes. `mask` contains the lanes that have a true guard. The
 * mask is 0 only for branches, and in the event `follow`. Functions of type bool return false after
 * a fault, unless their comments state a different meaning. */
struct step {
    struct simt_block *block;
    struct warp *warp;
    struct fragment *fragment;
    const struct instruction *instruction;
    uint32_t mask;
    uint64_t executed; /* Instructions since the start of warp_run, not yet in block->executed. */
};

static inline struct step step_at(struct simt_block *block, struct warp *warp,
                                  struct fragment *fragment)
{
    return (struct step){.block = block,
                         .warp = warp,
                         .fragment = fragment,
                         .instruction = &fragment->frame->function->code[fragment->pc],
                         .mask = fragment->mask};
}

/* Record a fault of `lane`: "PLACE: in kernel ..., thread ... of block ... WHAT". This function and
 * simt_no_memory return false. */
bool simt_fault(const struct step *step, unsigned lane, enum status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool simt_no_memory(struct simt_block *block);

struct frame *frame_create(const struct emulator_launch *launch, int function_index);
void simt_frame_free(struct frame *frame);
/* Set the special registers. Registers that may be read before they are written start as zero, so
 * that all programs are deterministic. */
void frame_begin(const struct simt_block *block, const struct warp *warp, struct frame *frame);
void frame_link(struct warp *warp, struct frame *frame);
void frame_unlink(struct warp *warp, struct frame *frame);

int node_create(struct warp *warp, uint32_t reconverge, uint32_t expected, int parent,
                struct frame *frame);
void node_release(struct warp *warp, int index);
/* If all lanes of the node have arrived or exited, let the arrived lanes continue together. */
void node_settle(struct warp *warp, int index);

void fragment_remove(struct warp *warp, unsigned index);
void fragment_arrive(struct warp *warp, unsigned index);
/* The fragment `waiting` waits at an instruction. Returns true if a condition in the source guards
 * this instruction, and some of the warp's `lanes` left the kernel at this condition. */
bool exits_skip(const struct simt_block *block, const struct warp *warp, uint32_t lanes,
                const struct fragment *waiting);
void fragment_exit(struct simt_block *block, struct warp *warp, unsigned index, uint32_t mask);
/* Move the lanes of `mask` to a new fragment at `pc` with the same node. */
void fragment_divide(struct warp *warp, struct fragment *fragment, uint32_t mask, uint32_t pc);
/* Move the lanes of `taken` to `target`. The other lanes stay at the pc that the caller has set.
 * All lanes reconverge at `reconverge`. Returns false if memory is exhausted. */
bool fragment_split(struct warp *warp, struct fragment *fragment, uint32_t taken, uint32_t target,
                    uint32_t reconverge);

/* Follow jumps from the pc `at`. Returns the pc of the first instruction that has an effect. */
uint32_t simt_skip_jumps(const struct program_function *function, uint32_t at);

bool warp_choose_fragment(struct warp *warp);
void warp_rotate(struct warp *warp);
/* Let lanes that wait for reconvergence continue, so that a lane can release its lock while other
 * lanes of the warp spin (independent thread scheduling, CC 7.0). */
void warp_loosen(struct warp *warp);

bool simt_load_store(const struct step *step);
/* The fast path of loads and stores, for an instruction that is_fast. Returns true if the step was
 * executed and its request emitted, and false if nothing was executed. In a block that is
 * OBSERVED_COSTS, the cost must be known (invariant addresses), or all lanes must be active. In the
 * second case, each half warp must access consecutive elements or (for a load) one element. In a
 * block that is OBSERVED_NOT, lanes may access any elements of shared memory or of one array. */
bool memory_move_quickly(const struct step *step);
/* Execute the stores to columns that memory_move_quickly has deferred. Call it before other
 * functions access global memory, before synchronization, and at the block's end. */
void memory_store_columns(struct simt_block *block);
bool simt_atomic(const struct step *step);
bool simt_copy_async(const struct step *step);
bool simt_copy_commit(const struct step *step);
bool simt_copy_wait(const struct step *step);
/* Returns the result of the instruction's atomic operation on an old value of `bytes` bytes. Values
 * are zero-extended. The upper bytes of the result are undefined. */
uint64_t simt_atomic_result(const struct instruction *instruction, unsigned bytes, uint64_t old,
                            uint64_t b, uint64_t c);
/* Copy `size` bytes from a lane's generic address. Returns false if they are out of bounds. */
bool simt_read_generic(const struct step *step, unsigned lane, uint64_t address, void *bytes,
                       size_t size);

/* Move a surface instruction's elements between registers and guest addresses. The access is
 * checked as a load, store or atomic operation of global memory. */
bool simt_surface_move(const struct step *step, uint32_t mask, const uint64_t address[LANES]);
/* Read a texel of `bytes` bytes for each lane of `mask`. The accesses are checked as loads. */
bool simt_texel_read(const struct step *step, uint32_t mask, unsigned bytes,
                     const uint64_t address[LANES], unsigned char *const texel[LANES]);

bool simt_texture(const struct step *step);
bool simt_texture_query(const struct step *step);
bool simt_surface(const struct step *step);

/* Check the bounds of `count` rows in shared memory, and count the access. No data is moved. */
bool memory_access_rows(const struct step *step, unsigned count, bool is_store,
                        const uint64_t rows[LANES]);

bool simt_matrix_address(const struct step *step);
bool simt_matrix_rows(const struct step *step);
bool simt_matrix_transpose(const struct step *step);
bool simt_matrix_multiply(const struct step *step);

bool simt_warp_sync(const struct step *step);
const struct operand *warp_member_mask(const struct instruction *instruction);
void warp_sync_check(struct simt_block *block, struct warp *warp);
/* After lanes have exited, release complete groups. Report a fault if a group requires them. */
bool warp_sync_left(struct simt_block *block, struct warp *warp);

bool simt_barrier(const struct step *step);
/* Release the barriers that waited only for threads that have exited. */
bool barriers_check(struct simt_block *block);
/* Report a fault if only a part of a blocked warp waits at a barrier that requires all lanes. */
bool barrier_check_torn(struct simt_block *block, struct warp *warp);
/* Release a barrier before all threads have arrived. Returns false if no thread waits there. */
bool barrier_force(struct simt_block *block, unsigned id);

bool simt_mbarrier(const struct step *step);

bool simt_branch(const struct step *step);
bool simt_branch_index(const struct step *step);
bool simt_call(const struct step *step);
bool simt_return(const struct step *step);
bool simt_exit(const struct step *step);

bool simt_builtin_call(const struct step *step);

bool warp_run(struct simt_block *block, struct warp *warp);

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

/* The switch is faster than a copy of variable length, for which compilers use a string
 * instruction. */
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

#endif
