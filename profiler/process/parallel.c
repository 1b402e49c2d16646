#define _GNU_SOURCE
#include "process/parallel.h"

#include <sched.h>
#include <signal.h>

enum { MAX_THREADS = 64, STACK_BYTES = 1 << 20 };

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

bool parallel_start(pthread_t *thread, void *(*body)(void *), void *context)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* a handler may repair faults of this thread's accesses */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(thread, &attributes, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

void parallel_run(unsigned count, void (*body)(void *context, unsigned index, unsigned count),
                  void *context)
{
    struct task tasks[MAX_THREADS];
    unsigned threads = count < MAX_THREADS ? count : MAX_THREADS;
    for (unsigned i = 1; i < threads; i++) {
        tasks[i] = (struct task){.body = body, .context = context, .index = i, .count = threads};
        tasks[i].started = parallel_start(&tasks[i].thread, task_main, &tasks[i]);
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
