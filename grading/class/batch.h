/* batch.h: options for grading a class, and the state of the grading in DIR/work. */
#ifndef BATCH_H
#define BATCH_H

#include "judge/grade.h"
#include "marks/marks.h"
#include "report/report.h"

#include <stdio.h>

enum class_engine { CLASS_LOCAL, CLASS_SLURM };

struct class_steps {
    json_t *(*grade)(const struct submission *submission, const struct grade_options *options,
                     struct failure *failure);
    bool (*report_submissions)(const struct report_class *class, const char *students,
                               struct failure *failure);
};
extern const struct class_steps class_real_steps;

struct class_options {
    struct grade_options grade;
    const char *submissions, *roster; /* `roster` may be NULL */
    const char *one;                  /* name of a single submission, or NULL */
    const char *seed;
    struct marks_files marks;
    const char *out;
    unsigned jobs; /* maximum number of parallel processes, or of parallel tasks of a job array */
    enum class_engine engine;
    FILE *progress;
    const struct class_steps *steps;
};

struct batch {
    const struct class_options *options;
    struct class_list list;
    char key[65]; /* hexadecimal digest of everything that affects grades, except the submissions */
    int lock;     /* descriptor of the locked file DIR/work/lock; -1 if not locked */
    /* Heartbeat file, or NULL. batch_grade appends a byte every two seconds. If the file was
     * removed, this process and its children end, because another task grades their submissions. */
    const char *sign;
};

/* Initialize `batch`, create the directories and lock DIR/work/lock. batch_close, or the end of the
 * process, releases the lock. Call batch_close even after a failure. */
bool batch_lock(struct batch *batch, const struct class_options *options, struct failure *failure);

/* List the submissions and compute the key. Call batch_lock first, or set batch->lock to -1. */
bool batch_open(struct batch *batch, struct failure *failure);
void batch_close(struct batch *batch);

/* Write the path DIR/work/ID followed by `ending`, such as ".json", to `path` (PATH_SIZE bytes). */
bool batch_path(const struct batch *batch, size_t index, const char *ending, char *path,
                struct failure *failure);

/* Returns true if a file with a grade exists. After batch_sweep, each existing grade is valid. */
bool batch_is_graded(const struct batch *batch, size_t index);

/* Remove invalid grades, and the temporary files of killed processes. */
bool batch_sweep(struct batch *batch, struct failure *failure);

/* Grade the `count` submissions in `indices` with `jobs` parallel processes. *graded receives the
 * number of graded submissions. DIR/work/ID.problem states why submission ID has no grade. */
bool batch_grade(struct batch *batch, const size_t *indices, size_t count, unsigned jobs,
                 size_t *graded, struct failure *failure);

/* Returns a new reference to the grade of a submission. If the submission has no grade, the
 * result has 0 points, the reason, and the labs of the grade `pattern` (NULL for no labs). */
json_t *batch_load(const struct batch *batch, size_t index, const json_t *pattern,
                   struct failure *failure);

bool batch_make_directories(const char *out, struct failure *failure);

#endif
