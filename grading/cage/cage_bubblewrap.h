/* cage_bubblewrap.h: the command line that puts a program into bubblewrap's cage. */
#ifndef CAGE_BUBBLEWRAP_H
#define CAGE_BUBBLEWRAP_H

#include "cage/cage_view.h"

/* A NULL-ended argument vector, from the heap as a whole: free(argv) releases it. NULL: no memory.
 * `program` and its arguments (NULL-ended) are run inside, in CAGE_SUBMISSION. */
const char **cage_bubblewrap_arguments(const char *bubblewrap, const struct cage_view *view,
                                       const char *const program[]);

#endif
