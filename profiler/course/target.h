/* target.h: find the lab that a word on the command line names; list directories. */
#ifndef TARGET_H
#define TARGET_H

#include "base/failure.h"
#include "base/paths.h"

#include <dirent.h>

/* Set `path` to the manifest of a directory, or of its entry `lab` (not NULL), and return true if
 * there is one. */
bool target_manifest(const char *directory, const char *lab, char path[PATH_SIZE]);

/* Find the path of `target`: the path itself if such a file or directory exists; else the lab that
 * it names, in its directory or, without one, in labs/, in the working directory, or (unless
 * `only_here`) in the installation's labs/. A lab (a directory NN_name with a manifest) is named by
 * its name or a prefix of it, with or without the number: "labs/01", "01", "naive", "fine". Harness
 * failure: there is no such lab, or there are several. */
bool target_find(const char *target, bool only_here, char path[PATH_SIZE], struct failure *failure);

/* List the entries of a directory that `filter` accepts (NULL: all but hidden ones), sorted by
 * bytes in any locale. Returns their number, or -1 with errno. Free them with directory_free. */
int directory_list(const char *directory, int (*filter)(const struct dirent *),
                   struct dirent ***entries);
void directory_free(struct dirent **entries, int count);

#endif
