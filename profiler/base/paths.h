/* paths.h: where this installation's files are. */
#ifndef PATHS_H
#define PATHS_H

#include "base/failure.h"

#include <stddef.h>
#include <sys/types.h>

enum { PATH_SIZE = 4096 };

/* The root of the installation, which holds include/, labs/ and profiler/devices/: TLAB_ROOT of the
 * environment, or the directory above the executable's, or where it was built. Fails (harness) when
 * none of them is. */
bool paths_root(char root[PATH_SIZE], struct failure *failure);

/* ROOT/relative into `path` (PATH_SIZE bytes). */
bool paths_in_root(const char *relative, char *path, struct failure *failure);

/* The file of this program, or a file beside it ("runtime"; NULL: the program), into `path`
 * (PATH_SIZE bytes). */
bool paths_of_program(const char *beside, char *path, struct failure *failure);

/* A path that is made of parts. A harness failure: it is too long. */
bool path_format(char path[PATH_SIZE], struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Make the directories above the file `path`, with these permissions. */
bool path_make_directories(const char *path, mode_t permissions, struct failure *failure);

/* The last component, "padded.cu". */
const char *path_basename(const char *path);

/* `relative` as seen from the folder in which `file` lies, without dots, into `path`. False: it
 * leads out of where both begin, or is too long. */
bool path_from_file(const char *file, const char *relative, char *path, size_t size);

/* Is this text harmless in a shell: letters, digits and _=+,.:/- only? */
bool text_is_plain(const char *text);

#endif
