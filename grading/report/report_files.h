/* report_files.h: where the reports go.
 */
#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include "base/whole_file.h"

/* Create a directory, unless it is there. */
bool report_directory(const char *path, struct failure *failure);

/* Begin a new version of `name` in `directory`. */
bool report_open(struct whole_file *file, const char *directory, const char *name,
                 struct failure *failure);

#endif
