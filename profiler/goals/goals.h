/* goals.h: the measures and mechanisms that a rubric can require of a counted run. The denominator
 * of a measure depends only on the matrix (compulsory sectors, requests, bytes). Therefore, useless
 * accesses always make a measure worse. */
#ifndef GOALS_H
#define GOALS_H

#include "record/record.h"

/* Flags: the accesses that contribute to a measure. */
enum {
    GOAL_OF_LOADS = 1,
    GOAL_OF_STORES = 2,
    GOAL_OF_SHARED = 4,      /* The measure counts shared memory; otherwise, global memory. */
    GOAL_NOT_OF_ATOMICS = 8, /* Atomics do not count, as in the hardware's op_ld and op_st. */
    GOAL_VARIES = 16,        /* The measure depends on the size even if all tiles are full. */
    GOAL_OF_BOTH = GOAL_OF_LOADS | GOAL_OF_STORES
};

enum goal_form {
    GOAL_SUM,    /* (first + second) / (compulsory x n) */
    GOAL_LARGER, /* max(first, second) / (compulsory x n) */
    GOAL_SCALED, /* first x all DRAM bytes / (compulsory x n); `first` is a real number */
    GOAL_PLAIN   /* `first`, a real number */
};

/* X(id, json, unit, form, first, second, compulsory, of, scale, phrase). `first` and `second` are
 * columns of the record. If `first` and `second` are equal, the column counts once. An element has
 * 4 bytes, a sector 32 bytes, and a wavefront 128 bytes. In `phrase`, %s is the measure multiplied
 * by `scale`.
 *
 * In the formulas of enum goal_form, n is the number of elements of the matrix. In an exercise with
 * a reference function, n depends on the measure. For loads and instructions, n is the number of
 * 4-byte input elements. For stores, n is the number of output elements. For all other measures, n
 * is the mean of both numbers.
 *
 * `ways` is the larger value of loads and stores, so conflicts of loads cost as much as conflicts
 * of stores. `partition_load` is relative to the compulsory traffic, spread evenly over the
 * partitions. Useless traffic therefore does not improve this measure. */
#define RUBRIC_MEASURE_LIST(X)                                                                     \
    X(SECTORS, "sectors", "global sectors / compulsory sectors", SUM, global_load_sectors,         \
      global_store_sectors, 2 * 4.0 / 32, GOAL_OF_BOTH | GOAL_NOT_OF_ATOMICS, 8,                   \
      "loads and stores together touch %s sectors for 32 elements")                                \
    X(LOAD_SECTORS, "load_sectors", "load sectors / compulsory sectors", SUM, global_load_sectors, \
      global_load_sectors, 4.0 / 32, GOAL_OF_LOADS | GOAL_NOT_OF_ATOMICS, 4,                       \
      "loads touch %s sectors for 32 elements")                                                    \
    X(STORE_SECTORS, "store_sectors", "store sectors / compulsory sectors", SUM,                   \
      global_store_sectors, global_store_sectors, 4.0 / 32, GOAL_OF_STORES | GOAL_NOT_OF_ATOMICS,  \
      4, "stores touch %s sectors for 32 elements")                                                \
    X(ATOMIC_SECTORS, "atomic_sectors", "load and atomic sectors / compulsory sectors", SUM,       \
      global_load_sectors, global_atomic_sectors, 4.0 / 32, GOAL_OF_LOADS, 4,                      \
      "loads and atomic operations touch %s sectors of global memory for 32 elements")             \
    X(WAVEFRONTS, "wavefronts", "shared wavefronts / compulsory wavefronts", SUM,                  \
      shared_load_wavefronts, shared_store_wavefronts, 2 * 4.0 / 128,                              \
      GOAL_OF_BOTH | GOAL_OF_SHARED | GOAL_NOT_OF_ATOMICS, 2,                                      \
      "shared memory takes %s wavefronts to store and load 32 elements")                           \
    X(WAYS, "ways", "larger of shared load and store wavefronts / compulsory wavefronts", LARGER,  \
      shared_load_wavefronts, shared_store_wavefronts, 4.0 / 128,                                  \
      GOAL_OF_BOTH | GOAL_OF_SHARED | GOAL_NOT_OF_ATOMICS, 1,                                      \
      "shared memory takes %s wavefronts to load or to store 32 elements (the larger of the two "  \
      "numbers)")                                                                                  \
    X(CONFLICTS, "conflicts", "conflicts / compulsory requests", SUM, shared_load_conflicts,       \
      shared_store_conflicts, 2 * 1.0 / 32, GOAL_OF_BOTH | GOAL_OF_SHARED | GOAL_NOT_OF_ATOMICS,   \
      2, "shared memory has %s bank conflicts to store and load 32 elements")                      \
    X(L2_BYTES, "l2_bytes", "L2 bytes / compulsory bytes", SUM, l2_read_bytes, l2_write_bytes, 8,  \
      GOAL_OF_BOTH, 8, "%s bytes of L2 traffic for each element")                                  \
    X(DRAM_BYTES, "dram_bytes", "DRAM bytes / compulsory bytes", SUM, dram_read_bytes,             \
      dram_write_bytes, 8, GOAL_VARIES, 8, "%s bytes of DRAM traffic for each element")            \
    X(PARTITION_LOAD, "partition_load", "busiest partition / even share of the matrix", SCALED,    \
      partition_imbalance, partition_imbalance, 8, GOAL_VARIES, 1,                                 \
      "the busiest DRAM partition carries %s times an even share of the matrix")                   \
    X(IMBALANCE, "partition_imbalance", "traffic of the busiest partition / mean traffic", PLAIN,  \
      partition_imbalance, partition_imbalance, 1, GOAL_VARIES, 1,                                 \
      "the busiest DRAM partition carries %s times the mean traffic")                              \
    X(INSTRUCTIONS, "instructions", "warp instructions / 32 elements", SUM, ptx_warp_instructions, \
      ptx_warp_instructions, 1.0 / 32, 0, 1, "%s warp instructions for 32 elements")               \
    X(COPY_PCT, "copy_pct", "% of the bandwidth of a copy", PLAIN, copy_pct, copy_pct, 1,          \
      GOAL_VARIES, 1, "%s % of the bandwidth of a copy")

/* X(id, json, meaning, with, without): mechanisms of kernels. `with` and `without` are the phrases
 * for a kernel that uses the mechanism and for a kernel that does not use it. */
#define RUBRIC_MECHANISM_LIST(X)                                                                   \
    X(SHARED, "shared_memory", "every element of the result passes through shared memory",         \
      "sends the matrix through shared memory", "does not send the matrix through shared memory")  \
    X(EXCHANGE, "shared_exchange",                                                                 \
      "at least half of the elements are loaded from shared memory by threads that did not store " \
      "them",                                                                                      \
      "exchanges elements between threads through shared memory",                                  \
      "does not exchange elements between threads through shared memory")                          \
    X(TILE, "shared_tile",                                                                         \
      "shared_exchange is detected; or every element passes through a tile in shared memory, and " \
      "every block reaches a barrier",                                                             \
      "sends the matrix through a tile in shared memory",                                          \
      "does not send the matrix through a tile in shared memory")                                  \
    X(LAYOUT, "tile_layout",                                                                       \
      "the tile has unused words, or at most 16 wavefronts of shared memory move 32 elements",     \
      "stores its tile in a layout other than a plain array of the elements",                      \
      "stores its tile as a plain array of the elements")                                          \
    X(ORDER, "block_order",                                                                        \
      "at least 60 % of the blocks process a tile that row-by-row order assigns to another block", \
      "processes the tiles in an order other than row by row", "processes the tiles row by row")   \
    X(STORE_ORDER, "store_order",                                                                  \
      "the stores of at least seven of eight blocks continue the stores of the previous block",    \
      "stores the tile of nearly every block next to the tile of the previous block",              \
      "stores the tile of only a few blocks next to the tile of the previous block")               \
    X(BARRIER, "barrier", "every block reaches a barrier",                                         \
      "synchronizes the threads of its blocks", "does not synchronize the threads of its blocks")  \
    X(VECTOR, "vector_access", "nearly all elements move in global accesses of 16 bytes per lane", \
      "moves the matrix in 16-byte accesses", "does not move the matrix in 16-byte accesses")      \
    X(TOGETHER, "shared_together",                                                                 \
      "few wavefronts of shared memory serve loads of only one or two threads",                    \
      "uses many threads at a time to combine values in shared memory",                            \
      "does not use many threads at a time to combine values in shared memory")                    \
    X(SHUFFLE, "shuffle", "warp shuffles are executed", "exchanges elements by warp shuffles",     \
      "does not exchange elements by warp shuffles")                                               \
    X(PRIVATE, "warp_private", "warps store to shared memory, rarely to a word of another warp",   \
      "gives each warp its own words in shared memory",                                            \
      "does not give each warp its own words in shared memory")

/* X(id, json, phrase): mistakes in an otherwise correct kernel, and their messages. */
#define RUBRIC_MISTAKE_LIST(X)                                                                     \
    X(EDGES, "edges",                                                                              \
      "the result is correct if the matrix consists of whole tiles; at other sizes, elements at "  \
      "the edges are incorrect")                                                                   \
    X(BARRIER, "barrier",                                                                          \
      "the result is correct with a barrier between the stores to shared memory and the loads; "   \
      "this __syncthreads() is missing, or not all threads reach the barrier")                     \
    X(SHARED, "dynamic_shared",                                                                    \
      "the result is correct if a block has enough dynamic shared memory, but LAB_LAUNCH "         \
      "requests too few bytes")                                                                    \
    X(SQUARES, "squares",                                                                          \
      "the result is correct on square matrices; width and height, or rows and columns, are "      \
      "exchanged somewhere")

enum rubric_measure {
#define X(id, ...) RUBRIC_##id,
    RUBRIC_MEASURE_LIST(X)
#undef X
        RUBRIC_MEASURE_COUNT
};

enum rubric_mechanism {
#define X(id, ...) RUBRIC_USES_##id,
    RUBRIC_MECHANISM_LIST(X)
#undef X
        RUBRIC_MECHANISM_COUNT
};

enum rubric_mistake {
    RUBRIC_MISTAKE_NONE,
#define X(id, ...) RUBRIC_MISTAKE_##id,
    RUBRIC_MISTAKE_LIST(X)
#undef X
        RUBRIC_MISTAKE_COUNT
};

const char *goal_mistake_phrase(enum rubric_mistake mistake);

unsigned goal_measure_of(enum rubric_measure measure);

/* Compulsory bytes of an exercise: each input is read once, and each output is written once. If a
 * function receives NULL, the compulsory bytes are one read and one write of the matrix. */
struct goal_needs {
    double read, written;
};

/* In the phrase, %s is the measure multiplied by *scale. */
const char *goal_measure_unit(enum rubric_measure measure);
const char *goal_measure_phrase(enum rubric_measure measure, const struct goal_needs *needs,
                                double *scale);

/* Compute a measure of a counted run. Returns false if the record lacks a required column. */
bool goal_measure(enum rubric_measure measure, const struct record *record,
                  const struct goal_needs *needs, double *value);

/* Returns the share of a goal that is reached: 1 at `full` or better, 0 at `zero` or worse. Between
 * these values, which must be above 0, the share is linear in the logarithm of `value`. */
double goal_share(double full, double zero, double value);

/* Returns, for example, "sends the matrix through shared memory", or the negation if `with` is
 * false. */
const char *goal_mechanism_phrase(enum rubric_mechanism mechanism, bool with);

#endif
