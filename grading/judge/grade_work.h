/* grade_work.h: the state of a submission that is being graded; for grade*.c. */
#ifndef GRADE_WORK_H
#define GRADE_WORK_H

#include "intake/intake.h"
#include "judge/grade_flag.h"
#include "judge/measurement.h"
#include "sandbox/sandbox.h"

#include <jansson.h>

struct grade_options;

enum { GRADE_UNKNOWN = -1 };

/* An exercise of the release. */
struct grade_known {
    char name[64], lab[64];
    bool same_course; /* the rubric is in the directory of the graded exercises' rubrics */
};

/* A kernel file and its results. */
struct grade_entry {
    const struct intake_file *file;
    char *code; /* code_text */
    unsigned char digest[32];
    int said, named; /* indices in `known`, of the exercise in LAB() and of that in the name */
    bool moves;      /* LAB() and the file name contradict; the file name counts */
    const struct rubric *suggested; /* the exercise in the file name; or NULL */
    bool overrules;                 /* the file moves to an exercise that is graded here */
    bool elsewhere;                 /* the file is for an exercise that is not graded here */
    bool doubtful;                  /* LAB() and the file name contradict; LAB() counts */
    struct naming naming;           /* the names that were repaired in the text */
    char *repaired;                 /* the repaired text, which is compiled; or NULL */
    size_t repaired_bytes;
    struct measure_job job;               /* valid if the file compiled */
    const struct rubric *rubric;          /* NULL: no exercise */
    json_t *lab;                          /* the result of judge_lab; NULL without rubric */
    bool impossible_loads;                /* measured_lacks_traffic is true for a run */
    const struct rubric_size *hard_coded; /* result of wrong_in_hiding, or NULL */
};

struct grade_work {
    const struct submission *submission;
    const struct grade_options *options;
    struct rubric *rubrics;
    size_t rubric_count;
    struct intake intake;
    struct sandbox_budget budget; /* the remaining budget of all files together */
    struct grade_entry *entries;
    size_t entry_count;
    const struct grade_entry **chosen;     /* the file for each rubric, or NULL */
    unsigned char (*skeletons)[32];        /* digests of the course's skeletons */
    size_t skeleton_count, skeletons_seen; /* skeletons in the course, and in the submission */
    struct grade_known *known; /* exercises with a rubric, then the release's other exercises */
    size_t known_count;
    size_t elsewhere_count;      /* number of files for exercises that are not graded here */
    const char **skeleton_names; /* for each rubric: the file that is its skeleton, or NULL */
    json_t *notes, *flags;
    size_t notes_dropped;
};

/* ---- grade_flags.c ---- */

/* Add a note for student and instructor, or a flag for the instructor. */
void grade_note(struct grade_work *work, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void grade_flag(struct grade_work *work, enum grade_flag flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void grade_raise_flags(struct grade_work *work);
/* Flag the suspicions that the measurement of a file and its PTX (or NULL) raise. */
void grade_flag_measured(struct grade_work *work, const struct grade_entry *entry, const char *ptx,
                         const struct measurement *measurement);

/* ---- grade_exercise.c: the exercise of a file; NULL: none ---- */

/* Find the exercise of each file. The LAB() and the names of all files are considered together. */
void grade_suggest(struct grade_work *work);

/* Find a rubric by the name of the file, else by the name of its folder. */
const struct rubric *grade_rubric_by_name(const struct grade_work *work, const char *path);

/* Find the rubric of a file that does not compile: by the LAB() in its text, else by its name. */
const struct rubric *grade_rubric_guessed(const struct grade_work *work,
                                          const struct grade_entry *entry);

/* ---- grade_absent.c ---- */

/* Read the digests of the course's skeletons, whose names are the exercises of the release. */
bool grade_read_skeletons(struct grade_work *work, struct failure *failure);

/* Returns true if the file equals a skeleton of the course, except for comments and white space. */
bool grade_is_skeleton(const struct grade_work *work, const struct grade_entry *entry);

/* Set status and reason of the lab of rubric `index`, for which there is no file: not begun, or
 * unreadable. */
void grade_describe_absent(struct grade_work *work, size_t index, json_t *lab);

/* Flag the files that an instructor must read. */
void grade_flag_unreadable(struct grade_work *work);

/* ---- grade_gpu.c ---- */

/* Run the judged files on options->gpu, and add the results to their labs. */
bool grade_run_on_gpu(struct grade_work *work, const struct sandbox_compiled *compiled,
                      struct failure *failure);

#endif
