/* exercise.h: the exercise of a .cu file, and its requirements.
 *
 * A lab file names its exercise with LAB(name). The manifest labs/NN_name/lab.conf has the names of
 * the lab's exercises and their requirements. The program itself has no data about exercises.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

#include "base/paths.h"
#include "course/form.h"
#include "course/matrix.h"

enum { EXERCISE_TEXT = 512, EXERCISE_MATRICES_MAX = 1 << 20 };

struct exercise {
    char lab[64];  /* The directory's name, "03_padded". */
    char name[64]; /* The name in LAB(), "padded". */
    char title[EXERCISE_TEXT];
    struct form form;         /* The kernel; default: transpose(odata, idata, width, height). */
    enum reference reference; /* The map of the input, if `function` is negative. */
    int function;             /* The reference function (arrays.h), or negative. */
    bool whole_tiles;         /* sizes = tiles: rows and cols are multiples of `tile`. */
    bool one_row;             /* sizes = line: height is 1. */
    bool square;              /* sizes = square: rows and cols are equal. */
    uint32_t tile;
    char first_step[EXERCISE_TEXT]; /* Advice if the kernel has written nothing. */
};

/* Find an exercise in the manifests below `root`/labs, or below `root`/solutions if a course has no
 * labs. An unknown name is a student failure STATUS_COMPILE_ERROR that lists the known names. An
 * invalid manifest is a harness failure. */
bool exercise_find(const char *root, const char *name, struct exercise *exercise,
                   struct failure *failure);

/* Check that LAB(name) fits the place of a file; `name` is "" without LAB(). In a lab's directory
 * (with a manifest, or with a lab's name), LAB() must name an exercise of the lab. If a file has
 * the name of an exercise, LAB() must name it. Elsewhere every name is allowed. A student failure
 * STATUS_COMPILE_ERROR contains the correction. An invalid manifest is a harness failure. */
bool exercise_check_place(const char *root, const char *path, const char *name,
                          struct failure *failure);

/* The device and the size at which the lab of a file runs by default, from the lab's manifest; ""
 * and 0 if the manifest has none. An invalid manifest is a harness failure. */
struct usual_run {
    char device[64];
    uint64_t rows, cols;
};
bool exercise_find_usual_run(const char *path, struct usual_run *usual, struct failure *failure);

/* Find the directory of the lab `name` next to the lab of a file. If `name` is "", find the
 * previous lab of the file's course. Returns false if there is none. */
bool exercise_find_before(const char *path, const char *name, char directory[PATH_SIZE]);

/* Adapt a size to the exercise. A line has all elements in one row. A square is the largest square
 * with at most this number of elements. A size of whole tiles keeps whole tiles. */
void exercise_size(const struct exercise *exercise, uint64_t *rows, uint64_t *cols);

/* List the file that `target` names, or the .cu files of the lab that it names (target.h). Files of
 * the manifest come first, in its order; the other files follow, sorted by name. *paths is a
 * malloc'd array of malloc'd strings. Harness failure if there is no file. */
bool exercise_list_sources(const char *target, char ***paths, size_t *count,
                           struct failure *failure);
void exercise_free_sources(char **paths, size_t count);

/* Call visit() for each file of exercise_list_sources, until visit() returns false. */
bool exercise_visit_sources(const char *target,
                            bool (*visit)(void *context, const char *path, struct failure *failure),
                            void *context, struct failure *failure);

#endif
