/* timing_code.h: properties of the code for the time model: which loads of a warp are in flight
 * together, and how many issue slots an instruction takes. */
#ifndef TIMING_CODE_H
#define TIMING_CODE_H

#include "emulator/device/device.h"
#include "emulator/warp/simt.h"

/* The execution pipes of an SM with a lower rate than the schedulers. Columns: identifier, text in
 * the CSV column `bound`, field of struct device with the rate, instructions. */
#define PIPE_LIST(X)                                                                               \
    X(ALU, "alu", alu_per_clock, "comparisons, minima, logic and shifts")                          \
    X(MULTIPLY, "multiply", multiply_per_clock, "integer multiplications")                         \
    X(SPECIAL, "special", special_per_clock,                                                       \
      "special functions (rsqrt, exp, log, sin), divisions and conversions")                       \
    X(DOUBLE, "double", double_per_clock, "double-precision arithmetic")                           \
    X(SHUFFLE, "shuffle", shuffle_per_clock, "shuffles")                                           \
    X(BARRIER, "barrier", barrier_per_clock, "barriers")

enum pipe {
#define X(id, text, field, meaning) PIPE_##id,
    PIPE_LIST(X)
#undef X
        PIPE_COUNT
};

struct slots {
    uint8_t issue, pipes[PIPE_COUNT];
};

struct code_cost {
    struct slots slots;
    /* At the last instruction of a basic block: clocks from the block's first instruction until all
     * its results are available, without waits for global memory. 0 at other instructions. */
    uint16_t chain;
    /* Bytes of local memory that a lane loads, or minus the bytes that it stores. */
    int8_t local;
    /* True for a barrier after loads: the stores after the barrier wait for the slowest load. False
     * for a barrier in a loop if the loads are before the loop. */
    bool waits;
};

/* Each array has `count` elements, one per instruction of the program. */
struct code {
    struct code_traits *traits;
    struct code_cost *costs;
    uint32_t count;
};

/* Fill in *code. Returns false if memory is exhausted. Call code_free in either case. */
bool code_read(const struct program *program, const struct device *device, struct code *code);
/* Like code_read, but loads of shared memory also begin rounds. */
bool code_read_waits(const struct program *program, struct code *code);
void code_free(struct code *code);

/* Sums over all warps. */
struct code_counts {
    uint64_t load_rounds; /* Waits of warps for memory. Loads in flight together count once. */
    uint64_t barrier_waits;
    uint64_t chain;
    uint64_t issue_slots, pipe_slots[PIPE_COUNT];
    uint64_t local_load_bytes, local_store_bytes; /* Sums over all lanes. */
};

/* Returns the sums of the properties, weighted by the field `executed` of `stats`. */
struct code_counts code_count(const struct code *code, const struct instruction_stats *stats);

#endif
