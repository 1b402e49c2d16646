/* rubric.h: what one exercise is graded by, as data: grading/rubrics/EXERCISE.json.
 *
 * A rubric names runs (a device and a size) and checks. A check has points and is one of
 *
 *   correct     the share of sizes on which the result is right (or all of them, if "all": true)
 *   ratio       a measure of a run, full points at `full`, none at `zero`, linear between
 *   mechanism   something the kernel must ("require") or must not ("forbid") do
 *
 * Ratios have denominators that depend on the matrix only (compulsory sectors, requests, bytes), so
 * that useless accesses never help. No ratio earns anything when the result is wrong.
 */
#ifndef RUBRIC_H
#define RUBRIC_H

#include "failure.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(id, json, unit, meaning): measures for "ratio"; `n` is the number of elements of the matrix. */
#define RUBRIC_MEASURE_LIST(X)                                                                     \
    X(SECTORS, "sectors", "global sectors / compulsory", "(load + store sectors) / (2 x 4n / 32)") \
    X(LOAD_SECTORS, "load_sectors", "load sectors / compulsory", "load sectors / (4n / 32)")       \
    X(STORE_SECTORS, "store_sectors", "store sectors / compulsory", "store sectors / (4n / 32)")   \
    X(WAVEFRONTS, "wavefronts", "shared wavefronts / compulsory",                                  \
      "(load + store wavefronts) / (2 x 4n / 128)")                                                \
    X(CONFLICTS, "conflicts", "conflicts per compulsory request",                                  \
      "(load + store conflicts) / (2 x n / 32)")                                                   \
    X(L2_BYTES, "l2_bytes", "L2 bytes / compulsory", "(l2 read + write bytes) / 8n")               \
    X(DRAM_BYTES, "dram_bytes", "DRAM bytes / compulsory", "(dram read + write bytes) / 8n")       \
    X(IMBALANCE, "partition_imbalance", "busiest partition / mean", "partition_imbalance")         \
    X(INSTRUCTIONS, "instructions", "warp instructions per 32 elements",                           \
      "ptx_warp_instructions / (n / 32)")                                                          \
    X(COPY_PCT, "copy_pct", "% of copy bandwidth", "copy_pct; information unless given points")

/* X(id, json, meaning): mechanisms, as seen in the run (executed, not merely written). */
#define RUBRIC_MECHANISM_LIST(X)                                                                   \
    X(SHARED, "shared_memory", "at least n elements are stored to and loaded from shared memory")  \
    X(BARRIER, "barrier", "every block passes a barrier")                                          \
    X(VECTOR, "vector_access", "at least 2n elements move in 16-byte global accesses")             \
    X(SHUFFLE, "shuffle", "warp shuffles are executed")                                            \
    X(DIAGONAL, "block_order", "consecutive blocks do not work on consecutive columns")

enum rubric_measure {
#define X(id, json, unit, meaning) RUBRIC_##id,
    RUBRIC_MEASURE_LIST(X)
#undef X
        RUBRIC_MEASURE_COUNT
};

enum rubric_mechanism {
#define X(id, json, meaning) RUBRIC_USES_##id,
    RUBRIC_MECHANISM_LIST(X)
#undef X
        RUBRIC_MECHANISM_COUNT
};

enum { RUBRIC_CHECKS_MAX = 32, RUBRIC_RUNS_MAX = 4, RUBRIC_SIZES_MAX = 16, RUBRIC_TEXT = 512 };

/* A counted run. */
struct rubric_run {
    char name[32];   /* checks refer to it */
    char device[32]; /* profiler/devices/NAME.conf */
    uint64_t rows, cols;
};

enum rubric_kind { RUBRIC_CORRECT, RUBRIC_RATIO, RUBRIC_MECHANISM };

struct rubric_check {
    char id[32];
    char title[RUBRIC_TEXT]; /* "Every store is coalesced" */
    char hint[RUBRIC_TEXT];  /* one sentence for who fails it */
    enum rubric_kind kind;
    double points;
    bool visible; /* to the student: the result; hidden checks show nothing */
    unsigned run; /* index: ratio, mechanism */
    enum rubric_measure measure;
    double full, zero;   /* full < zero: smaller is better; else larger is better */
    bool without_shared; /* wavefronts, conflicts: points for a kernel without shared memory */
    enum rubric_mechanism mechanism;
    bool forbid;
    bool all; /* correct: no points unless all sizes are right */
};

struct rubric {
    char exercise[64]; /* LAB(name) */
    char title[RUBRIC_TEXT];
    double points; /* sum of the checks' */
    struct rubric_run runs[RUBRIC_RUNS_MAX];
    unsigned run_count;
    /* Sizes on which the result must be right: published ones, and kinds of hidden ones ("square",
     * "ragged", "thin", "one"), drawn from the secret seed. */
    struct {
        uint64_t rows, cols;
        bool hidden;
    } sizes[RUBRIC_SIZES_MAX];
    unsigned size_count;
    struct rubric_check checks[RUBRIC_CHECKS_MAX];
    unsigned check_count;
    char digest[65]; /* SHA-256 of the file, hexadecimal */
};

/* Read DIRECTORY/EXERCISE.json; hidden sizes are drawn from `secret` (rubric_secret). A harness
 * failure names file and field: "rubrics/padded.json: checks[2].full: must be a number". Unknown
 * fields are failures too. */
bool rubric_read(const char *directory, const char *exercise, const unsigned char secret[32],
                 struct rubric *rubric, struct failure *failure);

/* The names of all rubrics of a directory, sorted, one malloc block. NULL: harness failure. */
char **rubric_list(const char *directory, size_t *count, struct failure *failure);

#endif
