/* sign.h: signs of life, from a task on some node to its master, through the disk that both share.
 *
 * A task has a file, whose content it changes every SIGN_SECONDS. Who watches it compares contents,
 * so clocks may differ. Removing the file ends the task: what was taken from it is given to
 * another, and both must not work.
 */
#ifndef SIGN_H
#define SIGN_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SIGN_SECONDS = 2 };

/* Make the file, and a process that changes it as long as this one lives; it kills this one with
 * SIGKILL when the file is gone. Returns its id, -1: harness failure. */
pid_t sign_give(const char *path, struct failure *failure);

/* The work is done: end that process, and remove the file. */
void sign_end(pid_t process, const char *path);

/* The file's content; 0: there is none yet, or no more. */
uint64_t sign_read(const char *path);

#endif
