/* rubric.h: what one exercise is graded by, as data: grading/rubrics/EXERCISE.json.
 *
 *   {
 *     "exercise": "padded", "title": "Padded transpose", "points": 20,
 *     "mistakes": {"edges": 0.65, "barrier": 0.65, "dynamic_shared": 0.65, "squares": 0.5},
 *     "published": [[64, 96], [100, 77], [1, 70]],     rows x cols on which the result must be right
 *     "hidden": ["square", "ragged", "thin", "thin"],   kinds of sizes that nobody knows
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
 * A check has points and is of one of these kinds:
 *
 *   correct     the result is right on all of its sizes ("all": true), or the points times the share
 *               of sizes on which it is; `hidden` and `sizes` say which (default: every size)
 *   ratio       a measure of a run (goals.h): full points at `full`, none at `zero`, by goal_share
 *   mechanism   something that the kernel must ("require") or must not ("forbid") do, or (`or`) what
 *               passes an earlier check
 *   explanation points that a person gives (marks/adjust.h)
 *
 * The run `gpu` is that of `tlab grade --device gpu` (hardware.h), large and timed on the hardware:
 * a ratio check of copy_pct may refer to it, and then the rubric grades with a GPU only.
 *
 * A file whose LAB(), kernel or macros have other names than the course gives them, where it is
 * clear what is meant, is graded as that, and loses "naming" points of what it earns (a twentieth
 * of all, unless the rubric says); with "repair_names": false it is not graded.
 *
 * A copy for students, which holds no hidden check, says under "elsewhere" what those count.
 *
 * Hidden sizes have one verdict together: a check of them takes all of them, all or nothing.
 *
 * Ratios and mechanisms earn nothing unless the result is right on every size, or would be but for
 * one of `mistakes` (measure.h), which leaves that part of them; and, with `after`, unless the
 * check of that id (an earlier one) was passed in full.
 */
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
    RUBRIC_RUNS_MAX = 4,                      /* that a rubric names */
    RUBRIC_COUNTED_MAX = 2 * RUBRIC_RUNS_MAX, /* with their twins */
    RUBRIC_RUN_GPU = RUBRIC_COUNTED_MAX,
    RUBRIC_SIZES_MAX = 28,
    RUBRIC_TEXT = 512
};

/* Published sizes have the input of `tlab run` at home, so that its words are the same. */
enum { RUBRIC_PUBLISHED_SEED = 1 };

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

enum rubric_kind { RUBRIC_CORRECT, RUBRIC_RATIO, RUBRIC_MECHANISM, RUBRIC_EXPLANATION };

struct rubric_check {
    char id[32];
    char title[RUBRIC_TEXT]; /* "Every store is coalesced" */
    char hint[RUBRIC_TEXT];  /* one sentence for who fails it; may be empty */
    enum rubric_kind kind;
    double points;
    bool visible; /* to the student: the result; hidden checks show nothing */
    int after;    /* index of a check that must be passed first, or -1 */
    int either;   /* mechanism: index of a check that serves as well when it is passed, or -1 */

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
    double points;    /* sum of the checks' */
    double elsewhere; /* points of checks that are left out of a copy for students */
    struct rubric_run runs[RUBRIC_COUNTED_MAX]; /* named ones first, then twins */
    unsigned run_count;
    struct rubric_size sizes[RUBRIC_SIZES_MAX]; /* published first */
    unsigned size_count;
    struct rubric_size whole; /* hidden, large: for kernels with one mistake, see measure.h */
    double mistakes[RUBRIC_MISTAKE_COUNT]; /* the part of ratios and mechanisms that it gets */
    struct rubric_check checks[RUBRIC_CHECKS_MAX];
    unsigned check_count;
    double naming;      /* points that a file with wrong names loses */
    bool repairs_names; /* else it earns nothing */
    bool needs_gpu;     /* a check refers to the run `gpu` */
    char digest[65];    /* SHA-256 of the file, hexadecimal */
};

/* Read DIRECTORY/EXERCISE.json and what it refers to: the lab's manifest and the devices. Hidden
 * sizes, their seeds and those of the runs are drawn from `secret`: the same for the same secret
 * and file. A harness failure names file and field: "rubrics/padded.json: checks[2].full: must be a
 * number". Unknown fields are failures too. */
bool rubric_read(const char *directory, const char *exercise, const unsigned char secret[32],
                 struct rubric *rubric, struct failure *failure);

/* The file in a directory of rubrics that is none: deadlines and the like (marks/policy.h). */
#define RUBRIC_POLICY "policy.json"

/* A whole course: the named rubrics, or all of the directory (names NULL), in the order of their
 * labs. A malloc'd array. NULL: harness failure. */
struct rubric *rubric_read_all(const char *directory, const char *const *names, size_t name_count,
                               const unsigned char secret[32], size_t *count,
                               struct failure *failure);

/* The one for that exercise, or NULL. */
const struct rubric *rubric_find(const struct rubric *rubrics, size_t count, const char *exercise);

/* How a kind of check is written in JSON. */
const char *rubric_kind_name(enum rubric_kind kind);

#endif
