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

/* Put the data in `data_path` and the picture that plots/picture-KIND.gp draws of it in `path`.
 * *drawn is false when gnuplot is not installed: then there is only the data. */
bool picture_file_finish(struct picture_file *file, const char *kind, const char *path,
                         const char *data_path, bool *drawn, struct failure *failure);
void picture_file_free(struct picture_file *file);

#endif
