/* parallel.h: threads, and the same body on several of them. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <pthread.h>
#include <stdbool.h>

/* Start a thread with all signals but SIGSEGV blocked (handlers of the program around us run on its
 * own threads) and a stack of 1 MB: a larger one costs page faults, most of all under a sanitizer.
 * False: none could be started. */
bool parallel_start(pthread_t *thread, void *(*body)(void *), void *context);

/* Call body(context, index, count) for every index below count, each on a thread of its own where
 * one can be started, and return when all are done. count >= 1. */
void parallel_run(unsigned count, void (*body)(void *context, unsigned index, unsigned count),
                  void *context);

/* Processors that this process may use, at least 1. */
unsigned parallel_processors(void);

#endif
