/* picture_file.h: the files of one picture: its data as CSV, which anybody may draw again, and the
 * picture that gnuplot makes of it (plots/picture).
 *
 * Both are made in a directory of their own beside the picture and put in place when all is done:
 * each appears whole or not at all.
 */
#ifndef PICTURE_FILE_H
#define PICTURE_FILE_H

#include "base/failure.h"
#include "base/paths.h"

#include <stdio.h>

struct picture_file {
    FILE *data;     /* the CSV */
    FILE *settings; /* gnuplot: the variables that the kind's script wants */
    char directory[PATH_SIZE];
};

/* Make the directory beside `path`, and open both files. picture_file_free in any case. */
bool picture_file_begin(struct picture_file *file, const char *path, struct failure *failure);

/* Write `NAME = 'TEXT'` to the settings, or, for an `index` from 1, `NAME[INDEX] = 'TEXT'`; control
 * characters become `?`. */
void picture_file_set(struct picture_file *file, const char *name, unsigned index,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Is it a name that a picture may have, *.png, *.svg or *.pdf? */
bool picture_file_check(const char *path, struct failure *failure);

/* Where a picture and its data go. */
struct picture_paths {
    char out[PATH_SIZE], data[PATH_SIZE];
};

/* `out` and `data`, or KIND-NAME.png for the file name of `source`, and the data beside the
 * picture. */
bool picture_paths_choose(struct picture_paths *paths, const char *kind, const char *source,
                          const char *out, const char *data, struct failure *failure);

/* Put the data and the picture that plots/picture-KIND.gp draws of it in place, and say so on
 * standard output; where gnuplot is not installed there is only the data. */
bool picture_file_finish(struct picture_file *file, const char *kind,
                         const struct picture_paths *paths, struct failure *failure);
void picture_file_free(struct picture_file *file);

#endif
