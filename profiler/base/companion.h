/* companion.h: run a program of the user's as it is, in this terminal, and outlive it to collect
 * what it left. Signals from the terminal are the program's business; others are passed on to
 * it. (What nobody trusts is run by child.h.) */
#ifndef COMPANION_H
#define COMPANION_H

#include "base/failure.h"

#include <stdbool.h>

/* Run program[0], which is looked up in PATH, to its end; *wait_status is waitpid's. `prepare` is
 * called in the child before it becomes the program (environment, descriptors); false with errno:
 * it cannot. A harness failure: the program could not be started. */
bool companion_run(char *const program[], bool (*prepare)(const void *context), const void *context,
                   int *wait_status, struct failure *failure);

/* "ended with exit status 3", "was killed by signal 11 (Segmentation fault)"; NULL: it
 * succeeded. */
const char *companion_fault(int wait_status, char text[64]);

#endif
