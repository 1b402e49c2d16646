/* class_options.h: what is to be graded, how, and where the grades go.
 */
#ifndef CLASS_OPTIONS_H
#define CLASS_OPTIONS_H

#include "judge/grade.h"
#include "marks/marks.h"
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
    struct marks_files marks;
    const char *out;
    unsigned jobs; /* at a time: processes here, or tasks of a job array */
    enum class_engine engine;
    FILE *progress; /* NULL: silent */
    const struct class_steps *steps;
};

#endif
