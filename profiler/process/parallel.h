/* parallel.h: the same body on several threads. */
#ifndef PARALLEL_H
#define PARALLEL_H

/* Call body(context, index, count) for every index below count, each on a thread of its own where
 * one can be started, and return when all are done. count >= 1. */
void parallel_run(unsigned count, void (*body)(void *context, unsigned index, unsigned count),
                  void *context);

/* Processors that this process may use, at least 1. */
unsigned parallel_processors(void);

#endif
