/* grade.h: grade one submission. The result is a JSON document.
 *
 *   intake -> stage -> compile (sandbox) -> measure (sandbox) -> judge -> grade
 *
 * The grade of a submission is this object; `grade.json` of a class is
 *   {"format": "transpose-lab-class-1", "grades": [grade, ...]}
 *
 * {
 *   "format": "transpose-lab-grade-1",
 *   "id": "alice", "name": "Alice Ångström", "email": null | "...",
 *   "submitted": true,                      false: a person of the roster submitted nothing
 *   "digest": "sha256 of the submission",
 *   "score": 87.5, "points": 100,           sums over labs; a missing lab has score 0
 *   "notes": ["padded.cu is a symbolic link, so it is left out", ...],
 *   "flags": [{"kind": "same_file", "evidence": "..."}, ...],        only for the instructor
 *   "labs": [{
 *     "lab": "03_padded", "exercise": "padded", "title": "Padded transpose",
 *     "file": "my padded.cu" | null,        null: not submitted
 *     "status": "ok", "reason": "",         as in the CSV. If file is null: "missing" (with a
 *                                           reason if the student did not begin), or "unreadable"
 *                                           if an instructor must read a file that may be the work
 *     "score": 30, "points": 40,
 *     "checks": [{
 *       "id": "conflicts", "title": "...",
 *       "kind": "correct" | "ratio" | "mechanism" | "explanation" | "naming",
 *       "points": 10, "score": 5, "visible": true,
 *       "result": "passed" | "partial" | "failed" | "skipped" | "open",   for the instructor
 *       "value": 15.5 | null, "full": 0.1 | null, "zero": 31 | null, "unit": "...",
 *       "text": "for the student (no secrets)", "instructor": "with sizes and seeds",
 *       "hint": "" | "...",
 *       "waits_for_gpu": true             only until the run on the GPU is judged
 *     }],
 *     "sizes": [{"rows": 64, "cols": 96, "hidden": false, "kind": "oblong", "status": "ok",
 *                "reason": ""}],
 *     "runs": [{"name": "counted", "device": "h200",
 *               "hidden": false,        true: the run's twin (rubric.h)
 *               "status": "ok", "reason": "",
 *               "counters": {column: value | null, ...}}],   numbers except seed, passes; `bound`
 *     "source": "the part of the file's text that the page shows" | null,
 *     "lines": [{"line": 14, "space": "global" | "shared", "access": "load" | "store",
 *                "requests": 1, "used": 32, "ideal": 4, "time_share": 0.7}],
 *     "advice": "line 14: ...",
 *     "compiler": "nvrtc 13.0 ptx:...", "rubric": "sha256 of the rubric",
 *     "upload": {"time": 0, "modified": 0, "number": 0, "late": false}     struct upload (intake.h)
 *   }],
 *   "others": [lab, ...],                   further files for these exercises
 *   "record": {"tlab": "version", "uploads": "sha256 of struct upload", "seed": "hexadecimal",
 *              "devices": {"h200": "sha256", ...}, "seconds": 0.8}
 * }
 *
 * With a GPU there is one more run, {"name": "gpu", "device": "gpu", "chip": "NVIDIA H200",
 * "status", "reason", "compiler", "counters"}, and each size has "gpu_status" and "gpu_reason".
 *
 * If the same submission is graded twice, only "seconds" and the results of a GPU may differ.
 * Numbers are rounded to 6 significant digits, so that their text is the same on every machine.
 * Files for students contain no "hidden" sizes and runs, seeds, "instructor", "flags", "record",
 * and no checks with "visible": false. */
#ifndef GRADE_H
#define GRADE_H

#include "goals/rubric.h"
#include "intake/intake.h"
#include "sandbox/sandbox.h"

#include <jansson.h>

/* Version of the grader, increased whenever points or texts of a submission may change. */
#define GRADE_VERSION "7"

struct hardware_device;

struct grade_options {
    const char *rubrics;
    const char *const *exercises; /* exercises to grade; NULL for all exercises with a rubric */
    size_t exercise_count;
    unsigned char secret[32]; /* SHA-256 of the seed file */
    enum sandbox sandbox;
    struct hardware_device *gpu; /* GPU that also runs the kernels (hardware.h), or NULL */
};

/* Returns a new reference to a submission's grade; NULL for a harness failure (disk full, ...). */
json_t *grade_submission(const struct submission *submission, const struct grade_options *options,
                         struct failure *failure);

/* Write a JSON document with sorted keys to a file, completely or not at all. */
bool grade_save(const char *path, const json_t *document, struct failure *failure);

/* Check that the document has the form above; additional fields are ignored. A harness failure
 * names the field: "grade.labs[2].score: must be a number". */
#define GRADE_FORMAT "transpose-lab-grade-1"
bool grade_check(const json_t *grade, struct failure *failure);

/* Read a grade from an untrusted file. Returns a new reference; NULL for a harness failure. */
json_t *grade_load(const char *path, struct failure *failure);

#endif
