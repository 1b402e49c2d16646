/* exercise.h: which exercise a .cu file is, and what that exercise asks for.
 *
 * A lab file says its name with LAB(name). labs/NN_name/lab.conf (the manifest) lists the names of
 * its exercises and what they must do. Nothing about an exercise is known to the program itself.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

#include "base/paths.h"
#include "course/form.h"
#include "course/matrix.h"

enum { EXERCISE_TEXT = 512, EXERCISE_MATRICES_MAX = 1 << 20 };

struct exercise {
    char lab[64];  /* the directory's name, "03_padded" */
    char name[64]; /* LAB(padded) */
    char title[EXERCISE_TEXT];
    struct form form; /* of the kernel: transpose(odata, idata, width, height) if not said */
    /* What the output must be: a map of the input, or, where it is not negative, what that function
     * makes (arrays.h). */
    enum reference reference;
    int function;
    bool whole_tiles; /* sizes = tiles: rows and cols must be multiples of `tile` */
    bool one_row;     /* sizes = line: width elements, and height 1 */
    bool square;      /* sizes = square: as many rows as columns */
    uint32_t tile;
    char first_step[EXERCISE_TEXT]; /* what to do when nothing is written yet */
};

/* Find the exercise of that name in the manifests below `root`/labs (or, where a course keeps no
 * labs, `root`/solutions). An unknown name is a student failure STATUS_COMPILE_ERROR that lists the
 * known ones; a broken manifest is a harness failure. */
bool exercise_find(const char *root, const char *name, struct exercise *exercise,
                   struct failure *failure);

/* Does a file whose LAB() says `name` ("": nothing) lie where that exercise belongs? In a lab's
 * directory (one with a manifest, or of a lab's name) LAB() must name an exercise of that lab, and
 * in a file that is called like one of them, that one; elsewhere everything is allowed. A student
 * failure STATUS_COMPILE_ERROR says what to write; a broken manifest is a harness failure. */
bool exercise_check_place(const char *root, const char *path, const char *name,
                          struct failure *failure);

/* The directory of the lab that comes before the one whose directory a file lies in: of the same
 * course, beside it, the last whose name comes first; or of that `name`, where it is not "". False:
 * there is none. */
bool exercise_find_before(const char *path, const char *name, char directory[PATH_SIZE]);

/* The size that a matrix of rows x cols becomes in this exercise: as it is; on a line, as many
 * elements in one row; or the largest square with no more elements (of whole tiles, if it has
 * them). */
void exercise_size(const struct exercise *exercise, uint64_t *rows, uint64_t *cols);

/* The .cu files of the lab that `target` means (target.h; in the manifest's order, then others
 * by name), or the one file. *paths is a malloc'd array of malloc'd strings. Harness failure
 * when there is none. */
bool exercise_list_sources(const char *target, char ***paths, size_t *count,
                           struct failure *failure);
void exercise_free_sources(char **paths, size_t count);

/* visit() each of those files in turn, until it returns false. */
bool exercise_visit_sources(const char *target,
                            bool (*visit)(void *context, const char *path, struct failure *failure),
                            void *context, struct failure *failure);

#endif
