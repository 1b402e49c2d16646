/* batch.h: the state of grading a class in DIR/work, and the steps that change it.
 */
#ifndef BATCH_H
#define BATCH_H

#include "class/class_options.h"

struct batch {
    const struct class_options *options;
    struct class_list list;
    char key[65]; /* of all that grades depend on but the submission, hexadecimal */
    int lock;     /* -1: none */
    /* NULL, or a file that batch_grade makes, lets grow every two seconds while it works, and
     * removes. When another has removed it, this process and its graders are killed: what they work
     * on was given to others. */
    const char *sign;
};

/* Make the directories (batch_make_directories), and take DIR/work/lock: a second grader there is a
 * harness failure. A lock dies with its holder. Must be closed, also when it failed. */
bool batch_lock(struct batch *batch, const struct class_options *options, struct failure *failure);

/* Find the submissions and the key. Without batch_lock, set `*batch` to {options, .lock = -1}
 * before. */
bool batch_open(struct batch *batch, struct failure *failure);
void batch_close(struct batch *batch);

/* DIR/work/ID and an ending such as ".json"; `path` holds PATH_SIZE. */
bool batch_path(const struct batch *batch, size_t index, const char *ending, char *path,
                struct failure *failure);

/* Is there a grade of that submission? After batch_sweep that means a good one. */
bool batch_is_graded(const struct batch *batch, size_t index);

/* Remove grades that are no longer good, and what a killed grader left. */
bool batch_sweep(struct batch *batch, struct failure *failure);

/* Grade those of the `count` submissions in `indices` that have no grade. Those that could not be
 * graded have their .problem after that. *graded counts the others. */
bool batch_grade(struct batch *batch, const size_t *indices, size_t count, unsigned jobs,
                 size_t *graded, struct failure *failure);

/* The grade, as it was judged; of a submission that could not be graded, a document that
 * says so, with the labs of `pattern` (a grade, or NULL). A new reference. */
json_t *batch_load(const struct batch *batch, size_t index, const json_t *pattern,
                   struct failure *failure);

/* Make DIR and what grading needs in it. */
bool batch_make_directories(const char *out, struct failure *failure);

#endif
