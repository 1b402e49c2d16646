/* target.h: finds the lab that a word on the command line names, and lists directories. */
#ifndef TARGET_H
#define TARGET_H

#include "base/failure.h"
#include "base/paths.h"

#include <dirent.h>

/* Set `path` to the manifest of a directory, or of its entry `lab` if `lab` is not NULL. Returns
 * true if the manifest exists. */
bool target_manifest(const char *directory, const char *lab, char path[PATH_SIZE]);

/* Find the path of `target`: `target` itself if it is an existing file or directory, otherwise the
 * lab that `target` names. Without a directory in `target`, labs/, the working directory and
 * (unless `only_here`) the installation's labs/ are searched. A lab (a directory NN_name with a
 * manifest) is named by its name or a prefix of the name, with or without the number: "labs/01",
 * "01", "naive", "fine". Harness failure if there is no such lab, or if there are several. */
bool target_find(const char *target, bool only_here, char path[PATH_SIZE], struct failure *failure);

/* List the entries of a directory that `filter` accepts (NULL: all that are not hidden), sorted by
 * bytes in any locale. Returns their number, or -1 with errno. directory_free frees the entries. */
int directory_list(const char *directory, int (*filter)(const struct dirent *),
                   struct dirent ***entries);
void directory_free(struct dirent **entries, int count);

#endif
