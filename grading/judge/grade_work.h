/* grade_work.h: the state while a submission is graded; only for grade*.c. */
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
    bool same_course; /* the directory of rubrics contains a rubric for the exercise */
};

/* A kernel file and its results. */
struct grade_entry {
    const struct intake_file *file;
    char *code; /* text without comments (code_text) */
    unsigned char digest[32];
    int said, named; /* exercises in LAB() and in the file's name: indices in `known` */
    bool moves;      /* LAB() contradicts the file name, and the file name is used */
    const struct rubric *suggested; /* the exercise in the file name; NULL if there is none */
    bool overrules;                 /* the file moves to an exercise that is graded here */
    bool elsewhere;                 /* the file is for an exercise that is not graded here */
    bool doubtful;                  /* LAB() contradicts the file name, and LAB() is used */
    struct naming naming;           /* names that were repaired in the text */
    char *repaired;                 /* repaired text, which is compiled; NULL: no repairs */
    size_t repaired_bytes;
    struct measure_job job;               /* valid if the file compiled */
    const struct rubric *rubric;          /* rubric of the file's exercise; NULL if there is none */
    json_t *lab;                          /* result of judge_lab; NULL without a rubric */
    bool impossible_loads;                /* measured_lacks_traffic is true for a run */
    const struct rubric_size *hard_coded; /* result of wrong_in_hiding; may be NULL */
};

struct grade_work {
    const struct submission *submission;
    const struct grade_options *options;
    struct rubric *rubrics;
    size_t rubric_count;
    struct intake intake;
    struct sandbox_budget budget; /* the remaining budget for all files together */
    struct grade_entry *entries;
    size_t entry_count;
    const struct grade_entry **chosen;     /* the chosen file of each rubric, or NULL */
    unsigned char (*skeletons)[32];        /* digests of the course's skeletons */
    size_t skeleton_count, skeletons_seen; /* numbers of skeletons: in the course, submitted */
    struct grade_known *known;             /* exercises with a rubric, then all other exercises */
    size_t known_count;
    size_t elsewhere_count;      /* number of files for exercises that are not graded here */
    const char **skeleton_names; /* for each rubric: name of its unchanged skeleton; NULL: none */
    json_t *notes, *flags;
    size_t notes_dropped;
};

/* ---- grade_flags.c ---- */

/* Add a note, which student and instructor read, or a flag, which only the instructor reads. */
void grade_note(struct grade_work *work, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void grade_flag(struct grade_work *work, enum grade_flag flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void grade_raise_flags(struct grade_work *work);
/* Add flags for suspicions about a file from its measurement and its PTX (may be NULL). */
void grade_flag_measured(struct grade_work *work, const struct grade_entry *entry, const char *ptx,
                         const struct measurement *measurement);

/* ---- grade_exercise.c ---- */

/* Find the exercise of each file, from LAB() and the names of all files together. */
void grade_suggest(struct grade_work *work);

/* Returns the rubric of the exercise in the file's name or else its folder's name, or NULL. */
const struct rubric *grade_rubric_by_name(const struct grade_work *work, const char *path);

/* Returns the rubric of a file that does not compile, by LAB(); otherwise by its name; or NULL. */
const struct rubric *grade_rubric_guessed(const struct grade_work *work,
                                          const struct grade_entry *entry);

/* ---- grade_absent.c ---- */

/* Read the digests of the course's skeletons, and add the release's exercises to work->known. */
bool grade_read_skeletons(struct grade_work *work, struct failure *failure);

/* Returns true if the file equals a skeleton of the course, except for comments and white space. */
bool grade_is_skeleton(const struct grade_work *work, const struct grade_entry *entry);

/* Set status and reason in the lab of rubric `index`, which has no graded file. */
void grade_describe_absent(struct grade_work *work, size_t index, json_t *lab);

/* Flag the unreadable files that may be the work for an exercise without a file. */
void grade_flag_unreadable(struct grade_work *work);

/* ---- grade_gpu.c ---- */

/* Run the judged files on options->gpu. `compiled` is parallel to the entries. */
bool grade_run_on_gpu(struct grade_work *work, const struct sandbox_compiled *compiled,
                      struct failure *failure);

#endif
