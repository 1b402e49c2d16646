/* goals.h: what can be asked of a counted run, and what it says: measures and mechanisms.
 *
 * A measure is a number with a denominator that depends on the matrix only (compulsory sectors,
 * requests, bytes), so that accesses which serve nothing make it worse, never better. A mechanism
 * was at work in what was executed, or not.
 */
#ifndef GOALS_H
#define GOALS_H

#include "record/record.h"

/* What the lines of a source contribute to a measure. */
enum {
    GOAL_OF_LOADS = 1,
    GOAL_OF_STORES = 2,
    GOAL_OF_SHARED = 4,      /* memory, else global */
    GOAL_NOT_OF_ATOMICS = 8, /* the counters of loads and stores leave atomics out, here as on
                                hardware (op_ld and op_st) */
    GOAL_OF_BOTH = GOAL_OF_LOADS | GOAL_OF_STORES
};

/* X(id, json, unit, first, second, compulsory, of, scale, phrase): a measure is (first + second column) /
 * (compulsory x n), where n is the number of elements of the matrix, and an element has 4 bytes, a
 * sector 32, a wavefront 128; columns of real numbers are measures as they are. A measure of one
 * column names it twice, and then counts it once. `phrase` says in a sentence what `scale` times the
 * measure is. */
#define RUBRIC_MEASURE_LIST(X)                                                                     \
    X(SECTORS, "sectors", "global sectors / compulsory", global_load_sectors,                      \
      global_store_sectors, 2 * 4.0 / 32, GOAL_OF_BOTH | GOAL_NOT_OF_ATOMICS, 8,                   \
      "loads and stores together touch %s sectors for 32 elements")                                \
    X(LOAD_SECTORS, "load_sectors", "load sectors / compulsory", global_load_sectors,              \
      global_load_sectors, 4.0 / 32, GOAL_OF_LOADS | GOAL_NOT_OF_ATOMICS, 4,                       \
      "loads touch %s sectors for 32 elements")                                                    \
    X(STORE_SECTORS, "store_sectors", "store sectors / compulsory", global_store_sectors,          \
      global_store_sectors, 4.0 / 32, GOAL_OF_STORES | GOAL_NOT_OF_ATOMICS, 4,                     \
      "stores touch %s sectors for 32 elements")                                                   \
    X(WAVEFRONTS, "wavefronts", "shared wavefronts / compulsory", shared_load_wavefronts,          \
      shared_store_wavefronts, 2 * 4.0 / 128, GOAL_OF_BOTH | GOAL_OF_SHARED | GOAL_NOT_OF_ATOMICS, \
      2, "shared memory takes %s wavefronts to store and load 32 elements")                        \
    X(CONFLICTS, "conflicts", "conflicts / compulsory request", shared_load_conflicts,             \
      shared_store_conflicts, 2 * 1.0 / 32, GOAL_OF_BOTH | GOAL_OF_SHARED | GOAL_NOT_OF_ATOMICS,   \
      2, "shared memory has %s bank conflicts to store and load 32 elements")                      \
    X(L2_BYTES, "l2_bytes", "L2 bytes / compulsory", l2_read_bytes, l2_write_bytes, 8,             \
      GOAL_OF_BOTH, 8, "%s bytes cross the L2 for each element")                                   \
    X(DRAM_BYTES, "dram_bytes", "DRAM bytes / compulsory", dram_read_bytes, dram_write_bytes, 8,   \
      0, 8, "%s bytes of DRAM traffic for each element")                                           \
    X(IMBALANCE, "partition_imbalance", "busiest partition / mean", partition_imbalance,           \
      partition_imbalance, 1, 0, 1, "the busiest DRAM partition carries %s times the mean")        \
    X(INSTRUCTIONS, "instructions", "warp instructions / 32 elements", ptx_warp_instructions,      \
      ptx_warp_instructions, 1.0 / 32, 0, 1, "%s warp instructions for 32 elements")               \
    X(COPY_PCT, "copy_pct", "% of copy bandwidth", copy_pct, copy_pct, 1, 0, 1,                    \
      "%s % of the bandwidth of a copy")

/* X(id, json, meaning, with, without): mechanisms, as seen in the run (executed, not merely
 * written), and in words. What is forbidden must not be seen at all. */
#define RUBRIC_MECHANISM_LIST(X)                                                                   \
    X(SHARED, "shared_memory", "at least n elements are stored to and loaded from shared memory",  \
      "sends the matrix through shared memory", "does not send the matrix through shared memory")  \
    X(BARRIER, "barrier", "every block passes a barrier",                                          \
      "synchronises the threads of its blocks", "does not synchronise the threads of its blocks")  \
    X(VECTOR, "vector_access", "at least 2n elements move in global accesses of 16 bytes a lane",  \
      "moves the matrix in 16-byte accesses", "does not move the matrix in 16-byte accesses")      \
    X(SHUFFLE, "shuffle", "warp shuffles are executed", "exchanges elements by warp shuffles",     \
      "does not exchange elements by warp shuffles")

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

/* GOAL_OF_...: what it is of. */
unsigned goal_measure_of(enum rubric_measure measure);

/* What a measure is counted in, and a sentence with %s for *scale times its value. */
const char *goal_measure_unit(enum rubric_measure measure);
const char *goal_measure_phrase(enum rubric_measure measure, double *scale);

/* What a counted run is worth by one measure; false when it is unknown there. */
bool goal_measure(enum rubric_measure measure, const struct record *record, double *value);

/* "sends the matrix through shared memory", or that it does not. */
const char *goal_mechanism_phrase(enum rubric_mechanism mechanism, bool with);

#endif
