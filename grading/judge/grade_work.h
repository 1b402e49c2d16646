/* grade_work.h: the state during the grading of a submission; only for grade*.c. */
#ifndef GRADE_WORK_H
#define GRADE_WORK_H

#include "intake/intake.h"
#include "judge/grade_flag.h"
#include "judge/measurement.h"
#include "sandbox/sandbox.h"

#include <jansson.h>

struct grade_options;

enum { GRADE_UNKNOWN = -1 };

struct grade_known {
    char name[64], lab[64];
    bool same_course;
};

struct grade_entry {
    const struct intake_file *file;
    char *code;
    unsigned char digest[32];
    int said, named; /* indices in `known` of the exercises in LAB() and in the file's name */
    bool moves;      /* LAB() contradicts the file name, and the file name is used */
    const struct rubric *suggested; /* rubric for the file's name, or the only rubric; or NULL */
    bool overrules;                 /* the file moves to an exercise that is graded here */
    bool elsewhere;                 /* the file is for an exercise that is not graded here */
    bool doubtful;                  /* LAB() contradicts the file name, and LAB() is used */
    struct naming naming;
    char *repaired; /* text with repaired names; NULL if nothing was repaired */
    size_t repaired_bytes;
    struct measure_job job;      /* valid if the file compiled */
    const struct rubric *rubric; /* rubric of the file's exercise, or NULL */
    json_t *lab;
    bool impossible_loads;
    const struct rubric_size *hard_coded;
};

struct grade_work {
    const struct submission *submission;
    const struct grade_options *options;
    struct rubric *rubrics;
    size_t rubric_count;
    struct intake intake;
    struct sandbox_budget budget; /* remaining budget of all files */
    struct grade_entry *entries;
    size_t entry_count;
    const struct grade_entry **chosen; /* graded file of each rubric, or NULL */
    unsigned char (*skeletons)[32];
    size_t skeleton_count, skeletons_seen; /* skeletons in the course and in the submission */
    struct grade_known *known;             /* exercises with a rubric come first */
    size_t known_count;
    size_t elsewhere_count;
    const char **skeleton_names; /* for each rubric: file name of a submitted skeleton, or NULL */
    json_t *notes, *flags;
    size_t notes_dropped;
};

/* ---- grade_flags.c ---- */

/* Student and instructor read notes. Only the instructor reads flags. */
void grade_note(struct grade_work *work, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void grade_flag(struct grade_work *work, enum grade_flag flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void grade_raise_flags(struct grade_work *work);
/* Flag suspicions from a file's measurement and PTX (may be NULL). */
void grade_flag_measured(struct grade_work *work, const struct grade_entry *entry, const char *ptx,
                         const struct measurement *measurement);

/* ---- grade_exercise.c ---- */

/* Set the exercise of each file (grade_exercise.c). */
void grade_suggest(struct grade_work *work);

/* Returns the rubric for the file's name; otherwise for its folder's name; otherwise NULL. */
const struct rubric *grade_rubric_by_name(const struct grade_work *work, const char *path);

/* Returns the rubric for a file that does not compile, by LAB() or else by its name; or NULL. */
const struct rubric *grade_rubric_guessed(const struct grade_work *work,
                                          const struct grade_entry *entry);

/* ---- grade_absent.c ---- */

/* Read the digests of the course's skeletons. Also sets work->known. */
bool grade_read_skeletons(struct grade_work *work, struct failure *failure);

/* Returns true if the file equals a skeleton, except for comments and white space. */
bool grade_is_skeleton(const struct grade_work *work, const struct grade_entry *entry);

void grade_describe_absent(struct grade_work *work, size_t index, json_t *lab);

/* Flag unreadable files that may be the work for an exercise without a graded file. */
void grade_flag_unreadable(struct grade_work *work);

/* ---- grade_gpu.c ---- */

/* Run the judged files on options->gpu. compiled[i] belongs to work->entries[i]. */
bool grade_run_on_gpu(struct grade_work *work, const struct sandbox_compiled *compiled,
                      struct failure *failure);

#endif
