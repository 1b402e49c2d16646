/* class_options.h: the options for grading a class. */
#ifndef CLASS_OPTIONS_H
#define CLASS_OPTIONS_H

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
    const char *seed;                 /* the file of grade.secret */
    struct marks_files marks;
    const char *out;
    unsigned jobs; /* number of parallel processes, or of tasks of a job array */
    enum class_engine engine;
    FILE *progress; /* NULL: silent */
    const struct class_steps *steps;
};

#endif
