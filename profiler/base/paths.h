/* paths.h: the paths of the files of this installation, and operations on paths. */
#ifndef PATHS_H
#define PATHS_H

#include "base/failure.h"

#include <stddef.h>
#include <sys/types.h>

enum { PATH_SIZE = 4096 };

/* Find the root of the installation, which contains profiler/devices/. The root is the value of the
 * environment variable TLAB_ROOT if it is not empty. Otherwise it is a directory above the
 * executable or, last, the directory of the build. Returns false for a harness failure. */
bool paths_root(char root[PATH_SIZE], struct failure *failure);

/* Set `path` (PATH_SIZE bytes) to ROOT/relative. Returns false for a harness failure. */
bool paths_in_root(const char *relative, char *path, struct failure *failure);

/* Set `path` (PATH_SIZE bytes) to the path of this executable or, if `beside` is not NULL, of the
 * file `beside` in the executable's directory. Returns false for a harness failure. */
bool paths_of_program(const char *beside, char *path, struct failure *failure);

/* Format a path. Returns false (a harness failure) if the path is too long. */
bool path_format(char path[PATH_SIZE], struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Create the missing parent directories of the file `path`. Returns false for a harness failure. */
bool path_make_directories(const char *path, mode_t permissions, struct failure *failure);

const char *path_basename(const char *path);

/* Resolve the path `relative` from the directory of `file`. `path` receives the result without `.`
 * and `..`. Returns false if the result is too long, or if a `..` has no directory to remove. */
bool path_from_file(const char *file, const char *relative, char *path, size_t size);

/* Returns true if the text is safe in a shell: it contains only letters, digits and _=+,.:/- */
bool text_is_plain(const char *text);

bool text_ends_with(const char *text, const char *end);

#endif
