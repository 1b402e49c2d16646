/* picture_file.h: the files of one picture: its data as CSV, and the picture that gnuplot draws
 * from them (plots/picture). Both files are completed in a temporary directory and then copied. */
#ifndef PICTURE_FILE_H
#define PICTURE_FILE_H

#include "base/failure.h"
#include "base/paths.h"

#include <stdio.h>

struct picture_file {
    FILE *data;
    FILE *settings; /* Gnuplot variables. */
    char directory[PATH_SIZE];
};

/* Make a temporary directory beside `path`, and open both files. Returns false for a harness
 * failure. Always call picture_file_free. */
bool picture_file_begin(struct picture_file *file, const char *path, struct failure *failure);

/* Declare gnuplot arrays of `size` elements. Blanks separate the `names`. */
void picture_file_arrays(struct picture_file *file, unsigned size, const char *names);

/* Write `NAME = 'TEXT'` or, if `index` is not 0, `NAME[INDEX] = 'TEXT'` to the settings. */
void picture_file_set(struct picture_file *file, const char *name, unsigned index,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns false (a harness failure) if the path of a picture does not end in .png, .svg or .pdf. */
bool picture_file_check(const char *path, struct failure *failure);

struct picture_paths {
    char out[PATH_SIZE], data[PATH_SIZE];
};

/* Set the paths to `out` (default: KIND-NAME.png, with the name of `source`) and `data` (default:
 * the picture's path with the extension .csv). Returns false for a harness failure. */
bool picture_paths_choose(struct picture_paths *paths, const char *kind, const char *source,
                          const char *out, const char *data, struct failure *failure);

/* Draw the picture with plots/picture-KIND.gp, copy data and picture to their paths, and print the
 * paths. Without gnuplot, only the data are written. Returns false for a harness failure. */
bool picture_file_finish(struct picture_file *file, const char *kind,
                         const struct picture_paths *paths, struct failure *failure);
void picture_file_free(struct picture_file *file);

#endif
