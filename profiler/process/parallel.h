/* parallel.h: threads, and loops over several threads. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <pthread.h>
#include <stdbool.h>

/* Start a thread that blocks all signals except SIGSEGV, so that signal handlers of the surrounding
 * program run on the program's own threads. The stack has 1 MiB. Returns false for a failure. */
bool parallel_start(pthread_t *thread, void *(*body)(void *), void *context);

/* Call body(context, index, n) for every index from 0 to n - 1; n is the smaller of `count` (>= 1)
 * and 64. Each index above 0 has its own thread if one can be started. Returns after all calls. */
void parallel_run(unsigned count, void (*body)(void *context, unsigned index, unsigned count),
                  void *context);

unsigned parallel_processors(void);

#endif
