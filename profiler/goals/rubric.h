/* rubric.h: the grading of one exercise as data: grading/rubrics/EXERCISE.json.
 *
 *   {
 *     "exercise": "padded", "title": "Padded transpose", "points": 20,
 *     "mistakes": {"edges": 0.65, "barrier": 0.65, "dynamic_shared": 0.65, "squares": 0.5},
 *     "published": [[64, 96], [100, 77], [1, 70]],     rows x cols to verify
 *     "hidden": ["square", "ragged", "thin", "thin"],   kinds of hidden sizes
 *     "runs": [{"name": "counted", "device": "h200", "rows": 256, "cols": 512,
 *               "twin": {"rows": [128, 256], "cols": [256, 512]}}],    from, to
 *     "checks": [
 *       {"id": "hidden", "kind": "correct", "title": "...", "hint": "...", "points": 4,
 *        "visible": true, "hidden": false, "sizes": ["square", "ragged"], "all": true},
 *       {"id": "conflicts", "kind": "ratio", ..., "run": "counted", "measure": "ways",
 *        "full": 1.05, "zero": 8, "without_shared": true, "after": "sectors"},
 *       {"id": "layout", "kind": "mechanism", ..., "run": "counted", "require": "tile_layout",
 *        "or": "conflicts"}]
 *   }
 *
 * A check has points and one of these kinds:
 *
 *   correct     the result is correct at all of its sizes ("all": true), or points in proportion to
 *               the correct sizes; `hidden` and `sizes` select the sizes (default: every size)
 *   ratio       a measure of a run (goals.h): full points at `full`, none at `zero` (goal_share)
 *   mechanism   a mechanism that the kernel must ("require") or must not ("forbid") use; a passed
 *               earlier check ("or") is an alternative
 *   explanation points that a person gives (marks/adjust.h)
 *
 * The run `gpu` is the run of `tlab grade --device gpu` (hardware.h), which is large and timed on
 * the hardware. If a ratio check of copy_pct refers to the run `gpu`, the rubric requires a GPU.
 *
 * A file with wrong but unambiguous names (LAB(), kernel, macros) is graded with the corrected
 * names, and loses "naming" points (default: a twentieth of all points). With "repair_names":
 * false, such a file is not graded.
 *
 * A copy for students has no hidden checks; "elsewhere" is the sum of their points.
 *
 * Hidden sizes have one common verdict. A check of hidden sizes covers all of them and earns either
 * all of its points or none.
 *
 * Ratios and mechanisms earn points only if the result is correct at every size. With one of the
 * `mistakes` (measure.h), a check earns the part of the points that `mistakes` defines. With two
 * mistakes, it earns the product of both parts. With `after`, the points scale with the share of
 * the check that `after` names. */
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
    RUBRIC_COUNTED_MAX = 2 * RUBRIC_RUNS_MAX, /* Maximum number of runs with their twins. */
    RUBRIC_RUN_GPU = RUBRIC_COUNTED_MAX,
    RUBRIC_SIZES_MAX = 40,
    RUBRIC_TEXT = 512
};

/* Published sizes have the same input as in `tlab run`, so that both report the same elements. */
enum { RUBRIC_PUBLISHED_SEED = 1 };

struct rubric_range {
    uint64_t low, high; /* 0, 0: no range. */
};

/* A counted run. The size of a run is published. The input is not published, because otherwise a
 * kernel could store results without loading. The run's twin has a hidden size, so that no kernel
 * can be tuned only for the published size. A check uses the worse result of run and twin. */
struct rubric_run {
    char name[32]; /* The name that checks refer to. */
    struct device device;
    uint64_t rows, cols;
    enum rubric_size_kind kind;
    uint64_t seed;
    struct rubric_range twin_rows, twin_cols; /* Ranges of the twin's sides, in whole tiles. */
    unsigned twin;                            /* Index of the twin, which is never 0; 0: no twin. */
    bool hidden;                              /* True for a twin. */
};

enum rubric_kind { RUBRIC_CORRECT, RUBRIC_RATIO, RUBRIC_MECHANISM, RUBRIC_EXPLANATION };

struct rubric_check {
    char id[32];
    char title[RUBRIC_TEXT]; /* "Every store is coalesced" */
    char hint[RUBRIC_TEXT];  /* Shown if the check fails; may be empty. */
    enum rubric_kind kind;
    double points;
    bool visible; /* True if the student sees the result. */
    int after;    /* Index of the check of "after"; -1: none. */
    int either;   /* Mechanism: index of the check of "or"; -1: none. */

    bool all;          /* Correct: one incorrect size means no points. */
    bool of_hidden[2]; /* Correct: [0]: published sizes count; [1]: hidden sizes count. */
    bool of_kind[RUBRIC_SIZE_KIND_COUNT]; /* Correct: sizes of this kind count. */
    unsigned run;                         /* Ratio, mechanism: index of the run. */
    enum rubric_measure measure;          /* Ratio. */
    double full, zero;                    /* Ratio: measure for all points and for none. */
    bool without_shared; /* Ratio: a kernel without shared memory earns all points. */
    enum rubric_mechanism mechanism;
    bool forbid;
};

struct rubric {
    struct exercise exercise; /* The exercise in the lab's manifest. */
    char title[RUBRIC_TEXT];
    double points;    /* Sum of the points of the checks. */
    double elsewhere; /* Points of checks that a copy for students lacks. */
    struct rubric_run runs[RUBRIC_COUNTED_MAX]; /* Named runs first, then twins. */
    unsigned run_count;
    struct rubric_size sizes[RUBRIC_SIZES_MAX]; /* Published sizes first. */
    unsigned size_count;
    struct rubric_size whole; /* Large hidden size of whole tiles, for kernels with `mistakes`. */
    double mistakes[RUBRIC_MISTAKE_COUNT]; /* Part of the points that is earned with each
                                              mistake. */
    struct rubric_check checks[RUBRIC_CHECKS_MAX];
    unsigned check_count;
    double naming;      /* Points that a file with wrong names loses. */
    bool repairs_names; /* False: a file with wrong names earns no points. */
    bool needs_gpu;     /* True if a check refers to the run `gpu`. */
    char digest[65];    /* SHA-256 of the file in hexadecimal */
};

/* Read DIRECTORY/EXERCISE.json, the lab's manifest and the devices. Hidden sizes and all seeds
 * depend only on `secret` and the file. Returns false for a harness failure, which names the file
 * and the field: "rubrics/padded.json: checks[2].full: must be a number". An unknown field is also
 * a failure. */
bool rubric_read(const char *directory, const char *exercise, const unsigned char secret[32],
                 struct rubric *rubric, struct failure *failure);

/* Returns the seed of hidden inputs on the emulator, which is the same in all rubrics and at all
 * hidden sizes. Thus, each input is a part of the largest input, which the grader fills once. */
uint64_t rubric_huge_seed(const unsigned char secret[32]);

/* Deadlines (marks/policy.h): a file in the directory of the rubrics that is not a rubric. */
#define RUBRIC_POLICY "policy.json"

/* Read the rubrics with these names, in the order of their labs. If `names` is NULL, read all
 * rubrics of the directory; invalid rubrics are omitted unless all are invalid. Returns a malloc'd
 * array, and its length in *count; NULL for a harness failure. If rubrics are omitted,
 * failure->kind is FAILURE_NONE, and failure->text describes the first omitted rubric; otherwise,
 * the text is "". */
struct rubric *rubric_read_all(const char *directory, const char *const *names, size_t name_count,
                               const unsigned char secret[32], size_t *count,
                               struct failure *failure);

/* Returns the rubric of an exercise; NULL if there is none. */
const struct rubric *rubric_find(const struct rubric *rubrics, size_t count, const char *exercise);

const char *rubric_kind_name(enum rubric_kind kind);

#endif
