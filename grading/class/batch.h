/* batch.h: options for grading a class, the state in DIR/work, and the steps that change it. */
#ifndef BATCH_H
#define BATCH_H

#include "judge/grade.h"
#include "marks/marks.h"
#include "report/report.h"

#include <stdio.h>

enum class_engine { CLASS_LOCAL, CLASS_SLURM };

/* The steps of grading; tests replace them. */
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
    const char *one;                  /* the name of the only submission; NULL: a class */
    const char *seed;                 /* path of the file with the seed (grade.secret) */
    struct marks_files marks;
    const char *out;
    unsigned jobs; /* number of parallel processes, or of tasks of a job array */
    enum class_engine engine;
    FILE *progress; /* NULL: silent */
    const struct class_steps *steps;
};

struct batch {
    const struct class_options *options;
    struct class_list list;
    char key[65]; /* hexadecimal digest of everything that grades depend on, except submissions */
    int lock;     /* -1: none */
    /* A file that shows that this process works; NULL: none. batch_grade makes it, appends to it
     * every two seconds, and removes it. If another process removes the file, this process and its
     * graders are killed, because other tasks have received their submissions. */
    const char *sign;
};

/* Make the directories (batch_make_directories), and take DIR/work/lock. Harness failure: another
 * grader has the lock. The end of a process releases its lock. Always call batch_close. */
bool batch_lock(struct batch *batch, const struct class_options *options, struct failure *failure);

/* List the submissions and compute the key. Without batch_lock, first set `*batch` to {options,
 * .lock = -1}. */
bool batch_open(struct batch *batch, struct failure *failure);
void batch_close(struct batch *batch);

/* Make the path DIR/work/ID with an ending such as ".json"; `path` has PATH_SIZE bytes. */
bool batch_path(const struct batch *batch, size_t index, const char *ending, char *path,
                struct failure *failure);

/* Returns true if the submission has a grade. After batch_sweep, all grades are valid. */
bool batch_is_graded(const struct batch *batch, size_t index);

/* Remove invalid grades, and temporary files of killed graders. */
bool batch_sweep(struct batch *batch, struct failure *failure);

/* Grade the `count` submissions in `indices`. *graded is the number of grades; the other
 * submissions have a .problem. */
bool batch_grade(struct batch *batch, const size_t *indices, size_t count, unsigned jobs,
                 size_t *graded, struct failure *failure);

/* Returns the grade, a new reference. If there is none, returns a document that reports this, with
 * the labs of `pattern` (a grade, or NULL). */
json_t *batch_load(const struct batch *batch, size_t index, const json_t *pattern,
                   struct failure *failure);

/* Make DIR and its directories. */
bool batch_make_directories(const char *out, struct failure *failure);

#endif
