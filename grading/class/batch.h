/* batch.h: options for grading a class, the state in DIR/work, and the steps that change it. */
#ifndef BATCH_H
#define BATCH_H

#include "judge/grade.h"
#include "marks/marks.h"
#include "report/report.h"

#include <stdio.h>

enum class_engine { CLASS_LOCAL, CLASS_SLURM };

/* Functions that grade a submission and write the reports. Tests replace these functions. */
struct class_steps {
    json_t *(*grade)(const struct submission *submission, const struct grade_options *options,
                     struct failure *failure);
    bool (*report_submissions)(const struct report_class *class, const char *students,
                               struct failure *failure);
};
extern const struct class_steps class_real_steps;

struct class_options {
    struct grade_options grade;
    const char *submissions, *roster; /* roster may be NULL */
    const char *one;                  /* name of the only submission; NULL: grade a class */
    const char *seed;                 /* path of the file that contains grade.secret */
    struct marks_files marks;
    const char *out;
    unsigned jobs; /* number of parallel processes, or of parallel tasks with CLASS_SLURM */
    enum class_engine engine;
    FILE *progress; /* receives messages on the progress; NULL: none */
    const struct class_steps *steps;
};

struct batch {
    const struct class_options *options;
    struct class_list list;
    char key[65]; /* hexadecimal digest of everything that affects grades, except submissions */
    int lock;     /* descriptor of DIR/work/lock; -1: not locked */
    /* Path of the heartbeat file; NULL: none. batch_grade creates the file, appends a byte every
     * two seconds, and finally removes the file. If the file is missing, this process kills itself
     * and its graders, because their submissions belong to another task. */
    const char *sign;
};

/* Initialize `batch`, make the directories (batch_make_directories), and lock DIR/work/lock.
 * Returns false for a harness failure, for example if another grader holds the lock. The lock is
 * released when the process ends. Call batch_close even after a failure. */
bool batch_lock(struct batch *batch, const struct class_options *options, struct failure *failure);

/* List the submissions and compute the key. Unless batch_lock was called first, the caller sets
 * `*batch` to {options, .lock = -1}. */
bool batch_open(struct batch *batch, struct failure *failure);
void batch_close(struct batch *batch);

/* Write the path of DIR/work/ID with an ending such as ".json" to `path` (PATH_SIZE bytes). */
bool batch_path(const struct batch *batch, size_t index, const char *ending, char *path,
                struct failure *failure);

/* Returns true if the submission has a grade. After batch_sweep, every grade is valid. */
bool batch_is_graded(const struct batch *batch, size_t index);

/* Remove invalid grades, and the temporary files that killed graders left. */
bool batch_sweep(struct batch *batch, struct failure *failure);

/* Grade the `count` submissions in `indices` with `jobs` parallel processes. *graded receives the
 * number of submissions with a grade. Each remaining submission gets a file DIR/work/ID.problem. */
bool batch_grade(struct batch *batch, const size_t *indices, size_t count, unsigned jobs,
                 size_t *graded, struct failure *failure);

/* Returns the grade of a submission, a new reference. If the submission has no grade, returns a
 * grade of 0 points that states the reason, with the labs of `pattern` (a grade, or NULL). */
json_t *batch_load(const struct batch *batch, size_t index, const json_t *pattern,
                   struct failure *failure);

bool batch_make_directories(const char *out, struct failure *failure);

#endif
