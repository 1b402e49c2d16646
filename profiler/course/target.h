/* target.h: the lab that somebody means by a word on the command line.
 */
#ifndef TARGET_H
#define TARGET_H

#include "base/failure.h"
#include "base/paths.h"

/* Where `target` is: the path itself if there is such a file or directory; else the lab that it
 * means, in the directory that it names or, where it names none, in labs/ or in the working
 * directory, or else in the installation's labs/. A lab (a directory NN_name with a manifest) is
 * meant by its name or a beginning of it, with or without the number: "labs/01", "01", "naive",
 * "fine". Harness failure: nothing of the kind is there, or several labs are meant. */
bool target_find(const char *target, char path[PATH_SIZE], struct failure *failure);

/* The same, but never in the installation, which may be other people's: for what is written to. */
bool target_find_here(const char *target, char path[PATH_SIZE], struct failure *failure);

#endif
