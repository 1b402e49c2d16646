/* rubric.h: the grading of one exercise as data: grading/rubrics/EXERCISE.json. docs/rubrics.md has
 * an example and describes all fields. */
#ifndef RUBRIC_H
#define RUBRIC_H

#include "base/failure.h"
#include "emulator/device/device.h"
#include "goals/goals.h"
#include "goals/rubric_sizes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RUBRIC_CHECKS_MAX = 32,
    RUBRIC_RUNS_MAX = 4,
    RUBRIC_COUNTED_MAX = 2 * RUBRIC_RUNS_MAX, /* Runs and their twins. */
    RUBRIC_RUN_GPU = RUBRIC_COUNTED_MAX,
    RUBRIC_SIZES_MAX = 40,
    RUBRIC_TEXT = 512
};

/* Seed of published sizes, as in `tlab run`, so that both report the same elements. */
enum { RUBRIC_PUBLISHED_SEED = 1 };

struct rubric_range {
    uint64_t low, high; /* 0, 0: no range. */
};

/* The size of a counted run is published, but the input is not, because otherwise a kernel could
 * store results without loading. The twin of the run has a hidden size, so that a kernel cannot be
 * tuned only for the published size. */
struct rubric_run {
    char name[32];
    struct device device;
    uint64_t rows, cols;
    enum rubric_size_kind kind;
    uint64_t seed;
    struct rubric_range twin_rows, twin_cols; /* Ranges of the twin's sides in elements. */
    unsigned twin;                            /* Index of the twin; 0 if there is none. */
    bool hidden;                              /* True for a twin. */
};

enum rubric_kind { RUBRIC_CORRECT, RUBRIC_RATIO, RUBRIC_MECHANISM, RUBRIC_EXPLANATION };

struct rubric_check {
    char id[32];
    char title[RUBRIC_TEXT]; /* For example, "Every store is coalesced". */
    char hint[RUBRIC_TEXT];  /* Shown if the check fails; may be empty. */
    enum rubric_kind kind;
    double points;
    bool visible; /* True if the student sees the result. */
    int after;    /* Index of the check that "after" names; -1 if none. */
    int either;   /* For a mechanism: index of the check that "or" names; -1 if none. */

    bool all;          /* For `correct`: one incorrect size means no points. */
    bool of_hidden[2]; /* For `correct`: [0]: published sizes count; [1]: hidden sizes count. */
    bool of_kind[RUBRIC_SIZE_KIND_COUNT]; /* For `correct`: sizes of this kind count. */
    unsigned run;                         /* Index of the run for a ratio or a mechanism. */
    enum rubric_measure measure;
    double full, zero;   /* Measures that earn all points and no points. */
    bool without_shared; /* For a ratio: a kernel without shared memory earns all points. */
    enum rubric_mechanism mechanism;
    bool forbid;
    /* Without this mechanism, a kernel earns the points only with full sectors (measured.c).
     * RUBRIC_MECHANISM_COUNT: none. */
    enum rubric_mechanism with;
};

struct rubric {
    struct exercise exercise;
    char title[RUBRIC_TEXT];
    double points;    /* Sum of the points of the checks. */
    double elsewhere; /* Points of the hidden checks that a copy for students lacks. */
    struct rubric_run runs[RUBRIC_COUNTED_MAX]; /* Runs of the file first, then their twins. */
    unsigned run_count;
    struct rubric_size sizes[RUBRIC_SIZES_MAX]; /* Published sizes first. */
    unsigned size_count;
    struct rubric_size whole; /* Large hidden size of whole tiles, for kernels with a mistake. */
    double mistakes[RUBRIC_MISTAKE_COUNT]; /* Share of the points earned with this mistake. */
    struct rubric_check checks[RUBRIC_CHECKS_MAX];
    unsigned check_count;
    double naming;      /* Points that a file with wrong names loses. */
    bool repairs_names; /* If false, a file with wrong names earns no points. */
    bool needs_gpu;     /* True if a check refers to the run `gpu`. */
    char digest[65];    /* SHA-256 of the file in hexadecimal. */
};

/* Read DIRECTORY/EXERCISE.json, the lab's manifest and the devices. Hidden sizes and hidden seeds
 * depend only on `secret` and the file. Returns false for a harness failure, such as an unknown
 * field: "rubrics/padded.json: checks[2].full: must be a number". */
bool rubric_read(const char *directory, const char *exercise, const unsigned char secret[32],
                 struct rubric *rubric, struct failure *failure);

/* Returns the seed of hidden inputs on the emulator. This seed is the same in all rubrics and at
 * all hidden sizes. Each input is a part of the largest input, which the grader fills only once. */
uint64_t rubric_huge_seed(const unsigned char secret[32]);

/* File of deadlines (marks/policy.h) in the directory of the rubrics. */
#define RUBRIC_POLICY "policy.json"

/* Read the rubrics with these names; all rubrics of the directory if `names` is NULL. Returns a
 * malloc'd array in the order of the labs, and its length in *count; NULL for a harness failure.
 * Without `names`, invalid rubrics are omitted unless all are invalid. failure->text then describes
 * the first omitted rubric, or is "". */
struct rubric *rubric_read_all(const char *directory, const char *const *names, size_t name_count,
                               const unsigned char secret[32], size_t *count,
                               struct failure *failure);

const struct rubric *rubric_find(const struct rubric *rubrics, size_t count, const char *exercise);

const char *rubric_kind_name(enum rubric_kind kind);

#endif
