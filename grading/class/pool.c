#define _GNU_SOURCE
#include "class/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NANOSECONDS = 250000000, DONE = 0, FAILED = 1 };

/* One process at a time. */
struct slot {
    pid_t process; /* 0: free */
    size_t task;
    time_t started;
    bool out_of_time;
    struct failure *failure; /* shared with the process */
};

struct run {
    const struct pool *pool;
    struct slot *slots;
    struct failure *failures; /* shared memory, one for each slot */
    size_t next;              /* task not yet started */
    size_t *again;            /* tasks that died once */
    size_t again_count, again_next;
    size_t running;
    sigset_t mask_before;
    struct failure *failure;
};

time_t pool_now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static _Noreturn void become_worker(const struct run *run, struct slot *slot, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(FAILED);
    sigprocmask(SIG_SETMASK, &run->mask_before, NULL);
    bool good = run->pool->work(run->pool->context, slot->task, slot->failure);
    _exit(good && slot->failure->kind != FAILURE_HARNESS ? DONE : FAILED);
}

/* The task to start next; false: none. */
static bool next_task(struct run *run, size_t *task)
{
    if (run->next < run->pool->count)
        *task = run->next++;
    else if (run->again_next < run->again_count)
        *task = run->again[run->again_next++];
    else
        return false;
    return true;
}

static bool start(struct run *run, struct slot *slot, size_t task)
{
    slot->task = task;
    slot->started = pool_now_seconds();
    slot->out_of_time = false;
    memset(slot->failure, 0, sizeof *slot->failure);
    pid_t parent = getpid();
    fflush(NULL); /* or the process would write our buffers, too */
    pid_t process = fork();
    if (process < 0)
        return failure_harness(run->failure, "cannot make a process: %s", strerror(errno));
    if (!process)
        become_worker(run, slot, parent);
    slot->process = process;
    run->running++;
    return true;
}

/* How a process ended that did not say so itself. */
static void describe_death(const struct run *run, const struct slot *slot, int status,
                           struct failure *why)
{
    if (slot->out_of_time)
        failure_harness(why, "the grader was still running after %u s", run->pool->seconds);
    else if (WIFSIGNALED(status))
        failure_harness(why, "the grader was killed by signal %d (%s)%s", WTERMSIG(status),
                        strsignal(WTERMSIG(status)),
                        WTERMSIG(status) == SIGKILL ? ": out of memory?" : "");
    else
        failure_harness(why, "the grader ended with status %d", WEXITSTATUS(status));
}

static bool tried_before(const struct run *run, size_t task)
{
    for (size_t i = 0; i < run->again_count; i++)
        if (run->again[i] == task)
            return true;
    return false;
}

static bool finish(struct run *run, struct slot *slot, int status)
{
    struct failure why = {0};
    slot->process = 0;
    run->running--;
    slot->failure->text[FAILURE_TEXT_SIZE - 1] = 0;
    bool said_so = WIFEXITED(status) && WEXITSTATUS(status) == FAILED &&
                   slot->failure->kind == FAILURE_HARNESS;
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == DONE;
    if (said_so)
        failure_harness(&why, "%s", slot->failure->text);
    else if (!good) {
        describe_death(run, slot, status, &why);
        if (!tried_before(run, slot->task)) {
            run->again[run->again_count++] = slot->task;
            return true;
        }
    }
    return run->pool->finished(run->pool->context, slot->task, &why, run->failure);
}

/* Collect what has ended; kill what runs too long. */
static bool collect(struct run *run)
{
    bool good = true;
    for (unsigned i = 0; i < run->pool->jobs; i++) {
        struct slot *slot = &run->slots[i];
        int status;
        if (!slot->process)
            continue;
        if (pool_now_seconds() - slot->started > (time_t)run->pool->seconds && !slot->out_of_time) {
            slot->out_of_time = true;
            kill(slot->process, SIGKILL);
        }
        if (waitpid(slot->process, &status, WNOHANG) == slot->process)
            good = finish(run, slot, status) && good;
    }
    return good;
}

/* Start tasks in free slots. */
static bool fill(struct run *run)
{
    for (unsigned i = 0; i < run->pool->jobs; i++) {
        size_t task;
        if (run->slots[i].process || !next_task(run, &task))
            continue;
        if (!start(run, &run->slots[i], task))
            return false;
    }
    return true;
}

static void kill_all(struct run *run)
{
    for (unsigned i = 0; i < run->pool->jobs; i++)
        if (run->slots[i].process) {
            kill(run->slots[i].process, SIGKILL);
            waitpid(run->slots[i].process, NULL, 0);
        }
}

static bool run_all(struct run *run, const sigset_t *child_signal)
{
    static const struct timespec tick = {0, TICK_NANOSECONDS};
    for (;;) {
        if (!fill(run))
            return false;
        if (!run->running)
            return true;
        sigtimedwait(child_signal, NULL, &tick);
        if (!collect(run))
            return false;
        if (run->pool->tick)
            run->pool->tick(run->pool->context);
    }
}

bool pool_run(const struct pool *pool, struct failure *failure)
{
    struct run run = {.pool = pool, .failure = failure};
    size_t shared = pool->jobs * sizeof *run.failures;
    run.failures = mmap(NULL, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    run.slots = calloc(pool->jobs, sizeof *run.slots);
    run.again = calloc(pool->count + 1, sizeof *run.again);
    bool good = run.failures != MAP_FAILED && run.slots && run.again;
    if (good) {
        sigset_t child_signal;
        for (unsigned i = 0; i < pool->jobs; i++)
            run.slots[i].failure = &run.failures[i];
        signal(SIGCHLD, SIG_DFL); /* who started us may have ignored it, and waiting needs it */
        sigemptyset(&child_signal);
        sigaddset(&child_signal, SIGCHLD);
        sigprocmask(SIG_BLOCK, &child_signal, &run.mask_before);
        good = run_all(&run, &child_signal);
        kill_all(&run);
        sigprocmask(SIG_SETMASK, &run.mask_before, NULL);
    } else {
        failure_harness(failure, "not enough memory");
    }
    if (run.failures != MAP_FAILED)
        munmap(run.failures, shared);
    free(run.slots);
    free(run.again);
    return good;
}
