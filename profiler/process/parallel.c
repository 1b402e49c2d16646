#define _GNU_SOURCE
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { MAX_THREADS = 64 };

struct task {
    void (*body)(void *, unsigned, unsigned);
    void *context;
    unsigned index, count;
    pthread_t thread;
    bool started;
};

static void *task_main(void *argument)
{
    struct task *task = argument;
    task->body(task->context, task->index, task->count);
    return 0;
}

void parallel_run(unsigned count, void (*body)(void *context, unsigned index, unsigned count),
                  void *context)
{
    struct task tasks[MAX_THREADS];
    unsigned threads = count < MAX_THREADS ? count : MAX_THREADS;
    for (unsigned i = 1; i < threads; i++) {
        tasks[i] = (struct task){.body = body, .context = context, .index = i, .count = threads};
        tasks[i].started = !pthread_create(&tasks[i].thread, 0, task_main, &tasks[i]);
    }
    body(context, 0, threads);
    for (unsigned i = 1; i < threads; i++) {
        if (tasks[i].started)
            pthread_join(tasks[i].thread, 0);
        else
            body(context, i, threads);
    }
}

unsigned parallel_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}
