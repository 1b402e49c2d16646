/* target.h: find the lab that a word on the command line selects, and list directories. */
#ifndef TARGET_H
#define TARGET_H

#include "base/failure.h"
#include "base/paths.h"

#include <dirent.h>

/* Set `path` to the manifest of a directory or, if `lab` is not NULL, of its entry `lab`. Returns
 * true if the manifest exists. */
bool target_manifest(const char *directory, const char *lab, char path[PATH_SIZE]);

/* Find the path of `target`. An existing file or directory is its own path. Otherwise, `target`
 * selects a lab by its name or a prefix of its name, with or without the number: "labs/01", "01",
 * "naive", "fine". Without a directory, labs/, the working directory and (unless `only_here`) the
 * installation's labs/ are searched. Returns false (a harness failure) if no lab or several
 * labs match. */
bool target_find(const char *target, bool only_here, char path[PATH_SIZE], struct failure *failure);

/* List the entries for which `filter` returns true, sorted by bytes. A NULL filter selects all
 * entries that are not hidden. Returns their number; -1 with errno set for a failure. Free them
 * with directory_free. */
int directory_list(const char *directory, int (*filter)(const struct dirent *),
                   struct dirent ***entries);
void directory_free(struct dirent **entries, int count);

#endif
