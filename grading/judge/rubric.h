/* rubric.h: what one exercise is graded by, as data: grading/rubrics/EXERCISE.json.
 *
 *   {
 *     "exercise": "padded", "title": "Padded transpose", "points": 20,
 *     "published": [[64, 96], [100, 77], [1, 70]],   rows x cols on which the result must be right
 *     "hidden": ["square", "ragged", "thin", "thin"], kinds of sizes that nobody knows
 *     "runs": [{"name": "counted", "device": "h200", "rows": 512, "cols": 1024,
 *               "twin": {"rows": [128, 256], "cols": [256, 512]}}], from, to
 *     "checks": [
 *       {"id": "hidden", "kind": "correct", "title": "...", "hint": "...", "points": 4,
 *        "visible": true, "hidden": true, "sizes": ["square", "ragged"], "all": true},
 *       {"id": "conflicts", "kind": "ratio", ..., "run": "counted", "measure": "conflicts",
 *        "full": 0.2, "zero": 15.5, "without_shared": true, "after": "sectors"},
 *       {"id": "direct", "kind": "mechanism", ..., "run": "counted", "forbid": "shared_memory"}]
 *   }
 *
 * A check has points and is one of
 *
 *   correct     the result is right on all of its sizes ("all": true), or the points times the
 * share of sizes on which it is. `hidden` and `sizes` say which (default: every size). ratio a
 * measure of a run, full points at `full`, none at `zero`, linear between mechanism   something the
 * kernel must ("require") or must not ("forbid") do
 *
 * The run `gpu` is that of `tlab grade --device gpu` (hardware.h), large and timed on the hardware:
 * a ratio check of copy_pct may refer to it, and then the rubric grades with a GPU only.
 *
 * Ratios have denominators that depend on the matrix only (compulsory sectors, requests, bytes), so
 * that useless accesses never help. Ratios and mechanisms earn nothing unless the result is right
 * on every size, and, with `after`, unless the check of that id (an earlier one) was passed in
 * full.
 */
#ifndef RUBRIC_H
#define RUBRIC_H

#include "base/failure.h"
#include "course/exercise.h"
#include "emulator/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(id, json, unit, formula, scale, phrase): measures for "ratio"; n is the number of elements of
 * the matrix, and an element has 4 bytes, a sector 32, a wavefront 128. `phrase` says in a sentence
 * what `scale` times the measure is. */
#define RUBRIC_MEASURE_LIST(X)                                                                     \
    X(SECTORS, "sectors", "global sectors / compulsory", "(load + store sectors) / (2 x 4n / 32)", \
      8, "loads and stores together touch %s sectors for 32 elements")                             \
    X(LOAD_SECTORS, "load_sectors", "load sectors / compulsory", "load sectors / (4n / 32)", 4,    \
      "loads touch %s sectors for 32 elements")                                                    \
    X(STORE_SECTORS, "store_sectors", "store sectors / compulsory", "store sectors / (4n / 32)",   \
      4, "stores touch %s sectors for 32 elements")                                                \
    X(WAVEFRONTS, "wavefronts", "shared wavefronts / compulsory",                                  \
      "(load + store wavefronts) / (2 x 4n / 128)", 2,                                             \
      "shared memory takes %s wavefronts to store and load 32 elements")                           \
    X(CONFLICTS, "conflicts", "conflicts / compulsory request",                                    \
      "(load + store conflicts) / (2 x n / 32)", 2,                                                \
      "shared memory has %s bank conflicts to store and load 32 elements")                         \
    X(L2_BYTES, "l2_bytes", "L2 bytes / compulsory", "(l2 read + write bytes) / 8n", 8,            \
      "%s bytes cross the L2 for each element")                                                    \
    X(DRAM_BYTES, "dram_bytes", "DRAM bytes / compulsory", "(dram read + write bytes) / 8n", 8,    \
      "%s bytes of DRAM traffic for each element")                                                 \
    X(IMBALANCE, "partition_imbalance", "busiest partition / mean", "partition_imbalance", 1,      \
      "the busiest DRAM partition carries %s times the mean")                                      \
    X(INSTRUCTIONS, "instructions", "warp instructions / 32 elements",                             \
      "ptx_warp_instructions / (n / 32)", 1, "%s warp instructions for 32 elements")               \
    X(COPY_PCT, "copy_pct", "% of copy bandwidth", "copy_pct", 1, "%s % of the bandwidth of a copy")

/* X(id, json, meaning, with, without): mechanisms, as seen in the run (executed, not merely
 * written), and in words. What is forbidden must not be seen at all. */
#define RUBRIC_MECHANISM_LIST(X)                                                                   \
    X(SHARED, "shared_memory", "at least n elements are stored to and loaded from shared memory",  \
      "sends the matrix through shared memory", "does not send the matrix through shared memory")  \
    X(BARRIER, "barrier", "every block passes a barrier",                                          \
      "synchronises the threads of its "                                                           \
      "blocks",                                                                                    \
      "does not synchronise the threads of its blocks")                                            \
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

/* X(id, json, phrase): kinds of sizes, and "a size ..." in words. Exercises on whole tiles know no
 * ragged ones, and measure thin and one in tiles. */
#define RUBRIC_SIZE_KIND_LIST(X)                                                                   \
    X(SQUARE, "square", "that is square and made of whole tiles")                                  \
    X(OBLONG, "oblong", "that is not square and made of whole tiles")                              \
    X(RAGGED, "ragged", "whose rows and columns are no multiples of the tile")                     \
    X(THIN, "thin", "that is as low or as narrow as it can be")                                    \
    X(ONE, "one", "that is as small as it can be")

enum rubric_size_kind {
#define X(id, ...) RUBRIC_##id,
    RUBRIC_SIZE_KIND_LIST(X)
#undef X
        RUBRIC_SIZE_KIND_COUNT
};

enum {
    RUBRIC_CHECKS_MAX = 32,
    RUBRIC_RUNS_MAX = 4,                      /* that a rubric names */
    RUBRIC_COUNTED_MAX = 2 * RUBRIC_RUNS_MAX, /* with their twins */
    RUBRIC_RUN_GPU = RUBRIC_COUNTED_MAX,
    RUBRIC_SIZES_MAX = 24,
    RUBRIC_TEXT = 512
};

/* Published sizes have the input of `tlab run` at home, so that its words are the same. */
enum { RUBRIC_PUBLISHED_SEED = 1 };

/* A size on which the result must be right. */
struct rubric_size {
    uint64_t rows, cols;
    enum rubric_size_kind kind;
    bool hidden;
    uint64_t seed; /* of the input; that of a hidden size is drawn from the secret */
};

struct rubric_range {
    uint64_t low, high; /* 0, 0: none */
};

/* A counted run. Its size is published, its input is not: a kernel that knew it could store without
 * having loaded. Its twin is counted on a size that is not published, so that no kernel can be good
 * for the published one alone: a check of the run takes the worse of the two. */
struct rubric_run {
    char name[32]; /* checks refer to it */
    struct device device;
    uint64_t rows, cols;
    enum rubric_size_kind kind;
    uint64_t seed;
    struct rubric_range twin_rows, twin_cols; /* of whole tiles, from which the twin is drawn */
    unsigned twin; /* index of the twin; 0: none (a twin is never the first) */
    bool hidden;   /* it is a twin */
};

enum rubric_kind { RUBRIC_CORRECT, RUBRIC_RATIO, RUBRIC_MECHANISM };

struct rubric_check {
    char id[32];
    char title[RUBRIC_TEXT]; /* "Every store is coalesced" */
    char hint[RUBRIC_TEXT];  /* one sentence for who fails it; may be empty */
    enum rubric_kind kind;
    double points;
    bool visible; /* to the student: the result; hidden checks show nothing */
    int after;    /* index of a check that must be passed first, or -1 */

    bool all;                             /* correct */
    bool of_hidden[2];                    /* correct: [0] published sizes count, [1] hidden */
    bool of_kind[RUBRIC_SIZE_KIND_COUNT]; /* correct: sizes of that kind count */
    unsigned run;                         /* ratio, mechanism: index; ratio: RUBRIC_RUN_GPU */
    enum rubric_measure measure;          /* ratio */
    double full, zero;                    /* full < zero: smaller is better; else larger is */
    bool without_shared; /* wavefronts, conflicts: points for a kernel without shared memory */
    enum rubric_mechanism mechanism;
    bool forbid;
};

struct rubric {
    struct exercise exercise; /* of the lab's manifest */
    char title[RUBRIC_TEXT];
    double points;                              /* sum of the checks' */
    struct rubric_run runs[RUBRIC_COUNTED_MAX]; /* named ones first, then twins */
    unsigned run_count;
    struct rubric_size sizes[RUBRIC_SIZES_MAX]; /* published first */
    unsigned size_count;
    struct rubric_check checks[RUBRIC_CHECKS_MAX];
    unsigned check_count;
    bool needs_gpu;  /* a check refers to the run `gpu` */
    char digest[65]; /* SHA-256 of the file, hexadecimal */
};

/* Read DIRECTORY/EXERCISE.json and what it refers to: the lab's manifest and the devices. Hidden
 * sizes, their seeds and those of the runs are drawn from `secret`: the same for the same secret
 * and file. A harness failure names file and field: "rubrics/padded.json: checks[2].full: must be a
 * number". Unknown fields are failures too. */
bool rubric_read(const char *directory, const char *exercise, const unsigned char secret[32],
                 struct rubric *rubric, struct failure *failure);

/* The names of all rubrics of a directory, sorted, one malloc block. NULL: harness failure, also
 * when there is none. */
char **rubric_list(const char *directory, size_t *count, struct failure *failure);

/* A whole course: the named rubrics, or all of the directory (names NULL), in the order of their
 * labs. A malloc'd array. NULL: harness failure. */
struct rubric *rubric_read_all(const char *directory, const char *const *names, size_t name_count,
                               const unsigned char secret[32], size_t *count,
                               struct failure *failure);

/* How a measure, mechanism or kind of size is written in JSON, and in words (above). */
const char *rubric_measure_unit(enum rubric_measure measure);
const char *rubric_measure_phrase(enum rubric_measure measure, double *scale);
const char *rubric_mechanism_phrase(enum rubric_mechanism mechanism, bool with);
const char *rubric_size_kind_name(enum rubric_size_kind kind);
const char *rubric_size_kind_phrase(enum rubric_size_kind kind);

/* SHA-256 in hexadecimal. */
void rubric_hexadecimal(const unsigned char digest[32], char text[65]);

#endif
