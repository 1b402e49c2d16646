/* exercise.h: the exercise of a .cu file. The line LAB(name) in the file selects the exercise, and
 * the manifest labs/NN_name/lab.conf describes it. */
#ifndef EXERCISE_H
#define EXERCISE_H

#include "base/paths.h"
#include "course/form.h"
#include "course/matrix.h"

enum { EXERCISE_TEXT = 512, EXERCISE_MATRICES_MAX = 1 << 20 };

struct exercise {
    char lab[64];
    char name[64];
    char title[EXERCISE_TEXT];
    struct form form;         /* The kernel's name and parameters. */
    enum reference reference; /* Map of the matrix; valid if `function` is negative. */
    int function;             /* Index of the reference function (arrays.h); negative if none. */
    bool whole_tiles;         /* `sizes = tiles`: rows and cols are multiples of `tile`. */
    bool one_row;             /* `sizes = line`: the matrix has one row. */
    bool square;              /* `sizes = square`: rows and cols are equal. */
    uint32_t tile;
    char first_step[EXERCISE_TEXT]; /* Advice for a kernel that has written nothing. */
};

/* Find an exercise in the manifests below `root`/labs or, if there are none, below
 * `root`/solutions. An unknown name is a student failure STATUS_COMPILE_ERROR that lists all names.
 * An invalid manifest is a harness failure. */
bool exercise_find(const char *root, const char *name, struct exercise *exercise,
                   struct failure *failure);

/* Check that the exercise `name` ("" if the file has no LAB()) is allowed in the file `path`. In a
 * lab's directory, `name` must be an exercise of the lab. In a file with the name of an exercise,
 * `name` must be this exercise. Returns false for a failure: a student failure STATUS_COMPILE_ERROR
 * that contains the correction, or a harness failure for an invalid manifest. */
bool exercise_check_place(const char *root, const char *path, const char *name,
                          struct failure *failure);

/* The default device and size of a file's lab, from its manifest; "" and 0 if they are missing.
 * exercise_find_usual_run returns false (a harness failure) for an invalid manifest. */
struct usual_run {
    char device[64];
    uint64_t rows, cols;
};
bool exercise_find_usual_run(const char *path, struct usual_run *usual, struct failure *failure);

/* Set `directory` to the lab `name` in the parent directory of a file's lab; if `name` is "", to
 * the previous lab of the same course. Returns false if there is no such lab. */
bool exercise_find_before(const char *path, const char *name, char directory[PATH_SIZE]);

/* Adapt a size to the exercise. A line gets one row with all elements. A square gets at most as
 * many elements as before, and whole tiles stay whole. */
void exercise_size(const struct exercise *exercise, uint64_t *rows, uint64_t *cols);

/* List the file `target`, or the .cu files of the lab that `target` selects (target.h). Files in
 * the manifest come first, in its order; other files follow, sorted by name. *paths is a malloc'd
 * array of malloc'd strings. Returns false (a harness failure) if there is no file. */
bool exercise_list_sources(const char *target, char ***paths, size_t *count,
                           struct failure *failure);
void exercise_free_sources(char **paths, size_t count);

/* Call visit() for each file of exercise_list_sources, until visit() returns false. Returns false
 * if a call returned false, or for a harness failure. */
bool exercise_visit_sources(const char *target,
                            bool (*visit)(void *context, const char *path, struct failure *failure),
                            void *context, struct failure *failure);

#endif
