/* class.h: grading a class: jobs, progress, resuming, engines.
 *
 * DIR/work/ID.json is the grade of one submission, written whole by whoever graded it. What it was
 * made of (the submission's digest, and in "record"."key" the rubrics, seed, compiler, cage and
 * tlab itself) says whether it is still good. That is all the state there is: a rerun grades what
 * has no good grade, in any order, on any number of machines, and the reports are made from the
 * complete set. DIR/work/ID.problem says why there is none. DIR/work/batch.order says what the
 * batch is (paths, options), for the tasks of a job array.
 */
#ifndef CLASS_H
#define CLASS_H

#include "judge/grade.h"
#include "report/report.h"

#include <stdio.h>

enum class_engine { CLASS_LOCAL, CLASS_SLURM };

/* The steps of which grading is made: the real ones, or a test's. */
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
    const char *one;  /* all of `submissions` is one submission of that name; NULL: a class */
    const char *seed; /* the file that grade.secret was made of */
    const char *out;
    unsigned jobs; /* at a time: processes here, or tasks of a job array */
    enum class_engine engine;
    FILE *progress; /* NULL: silent */
    const struct class_steps *steps;
};

enum { CLASS_LABS_MAX = 64 };

/* What came of it. */
struct class_summary {
    size_t count, handed_in, graded_now, not_graded;
    size_t lab_count;
    struct {
        char exercise[64];
        size_t handed_in;
        double score, points; /* sums over those who handed it in */
    } labs[CLASS_LABS_MAX];
};

/* Grade all submissions that have no good grade yet, then write all reports. A submission that
 * cannot be graded, since the grader died or failed, does not stop the others: it is reported as
 * not graded, and the whole is a harness failure that names it. *summary is filled then, too, and
 * all zero when there are no reports. */
bool class_grade(const struct class_options *options, struct class_summary *summary,
                 struct failure *failure);

/* Make DIR and what grading needs in it. */
bool class_make_directories(const char *out, struct failure *failure);

/* A task of a job array: its part of what DIR/work/batch.order says, one after the other. `job`
 * names the task's sign of life (slurm_jobs.h); NULL: nobody watches. */
bool class_grade_task(const char *out, unsigned task, const char *job,
                      const struct class_steps *steps, struct failure *failure);

#endif
