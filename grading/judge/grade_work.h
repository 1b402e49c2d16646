/* grade_work.h: one submission while it is graded; for grade*.c.
 */
#ifndef GRADE_WORK_H
#define GRADE_WORK_H

#include "intake/intake.h"
#include "judge/grade_flag.h"
#include "judge/measurement.h"
#include "sandbox/sandbox.h"

#include <jansson.h>

struct grade_options;

/* A .cu file and what became of it. */
struct grade_entry {
    const struct intake_file *file;
    char *code; /* code_text */
    unsigned char digest[32];
    const struct rubric *suggested; /* by its name, for when LAB() does not tell; or NULL */
    bool overrules;                 /* the name is believed rather than LAB() */
    struct naming naming;           /* what was repaired in its text, which then is */
    char *repaired;                 /* this, to be compiled in its place; or NULL */
    size_t repaired_bytes;
    struct measure_job job;      /* what was asked about it, if it compiled */
    const struct rubric *rubric; /* NULL: of no exercise */
    json_t *lab;                 /* judged; NULL without rubric */
    bool impossible_loads;       /* measured_lacks_traffic, in a run */
    bool hard_coded;             /* right where sizes are published, and wrong where they are not */
};

struct grade_work {
    const struct submission *submission;
    const struct grade_options *options;
    struct rubric *rubrics;
    size_t rubric_count;
    struct intake intake;
    struct sandbox_budget budget; /* of all its files together */
    struct grade_entry *entries;
    size_t entry_count;
    const struct grade_entry **chosen;     /* of each rubric, or NULL */
    unsigned char (*skeletons)[32];        /* digests of what the course hands out */
    size_t skeleton_count, skeletons_seen; /* of the course; in the submission */
    const char **skeleton_names; /* of each rubric: an unchanged skeleton in the submission */
    json_t *notes, *flags;
    size_t notes_dropped;
};

/* ---- grade_flags.c ---- */

/* Tell student and instructor, or the instructor alone. */
void grade_note(struct grade_work *work, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void grade_flag(struct grade_work *work, enum grade_flag flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Flag what a person should look at. */
void grade_raise_flags(struct grade_work *work);

/* ---- grade_exercise.c: which exercise is it? NULL: none. ---- */

/* What each file's name suggests: its own, else that of the folder that it lies in alone, else
 * that there is but one file and one exercise. It is believed rather than LAB() where LAB() was
 * left as it was in another lab's file: nobody else is for the exercise of that name, and the
 * name has nothing of what LAB() says. */
void grade_suggest(struct grade_work *work);

/* By the file's own name, else by the folder's that it lies in. */
const struct rubric *grade_rubric_by_name(const struct grade_work *work, const char *path);

/* Of a file that cannot be asked: by the LAB() in its text, else by its name. */
const struct rubric *grade_rubric_guessed(const struct grade_work *work,
                                          const struct grade_entry *entry);

/* ---- grade_absent.c ---- */

/* Read what the course hands out into work->skeletons. */
bool grade_read_skeletons(struct grade_work *work, struct failure *failure);

/* Is it a file as the course hands it out, but for comments and white space? */
bool grade_is_skeleton(const struct grade_work *work, const struct grade_entry *entry);

/* The lab of rubric `index`, for which no file counts: not begun, or unreadable? */
void grade_tell_absent(struct grade_work *work, size_t index, json_t *lab);

/* Flag what a person must read. */
void grade_flag_unreadable(struct grade_work *work);

/* ---- grade_gpu.c ---- */

/* Run what was judged on options->gpu, too; its labs tell. */
bool grade_run_on_gpu(struct grade_work *work, const struct sandbox_compiled *compiled,
                      struct failure *failure);

#endif
