/* batch.h: the state of grading a class in DIR/work, and the steps that change it. */
#ifndef BATCH_H
#define BATCH_H

#include "class/class.h"

struct batch {
    const struct class_options *options;
    struct class_list list;
    char key[65]; /* hexadecimal digest of everything that grades depend on, except submissions */
    int lock;     /* -1: none */
    /* NULL, or a file that batch_grade makes, appends to every two seconds while it works, and
     * removes. If another process removes it, this process and its graders are killed: their
     * submissions were given to other tasks. */
    const char *sign;
};

/* Make the directories (batch_make_directories), and take DIR/work/lock. A second grader is a
 * harness failure. The lock ends with its holder. Call batch_close in any case. */
bool batch_lock(struct batch *batch, const struct class_options *options, struct failure *failure);

/* List the submissions and compute the key. Without batch_lock, first set `*batch` to {options,
 * .lock = -1}. */
bool batch_open(struct batch *batch, struct failure *failure);
void batch_close(struct batch *batch);

/* DIR/work/ID and an ending such as ".json"; `path` holds PATH_SIZE. */
bool batch_path(const struct batch *batch, size_t index, const char *ending, char *path,
                struct failure *failure);

/* True if the submission has a grade. After batch_sweep, it is valid. */
bool batch_is_graded(const struct batch *batch, size_t index);

/* Remove invalid grades, and temporary files of killed graders. */
bool batch_sweep(struct batch *batch, struct failure *failure);

/* Grade the `count` submissions in `indices`. *graded is the number of grades; the other
 * submissions have a .problem. */
bool batch_grade(struct batch *batch, const size_t *indices, size_t count, unsigned jobs,
                 size_t *graded, struct failure *failure);

/* The grade; if there is none, a document that says so, with the labs of `pattern` (a grade, or
 * NULL). Returns a new reference. */
json_t *batch_load(const struct batch *batch, size_t index, const json_t *pattern,
                   struct failure *failure);

/* Make DIR and its directories. */
bool batch_make_directories(const char *out, struct failure *failure);

#endif
