#define _GNU_SOURCE
#include "process/pool.h"

#include "process/allocate.h"
#include "process/child.h"
#include "process/frame.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { TICK_MILLISECONDS = 250, DONE = 0, FAILED = 1 };

struct slot {
    const struct pool *pool;
    struct child child;
    size_t task;
    double started;
    bool out_of_time;
};

struct run {
    const struct pool *pool;
    struct slot *slots;
    struct pollfd *polled;
    size_t next;
    enum { TASK_NEW, TASK_DIED, TASK_TRIED_AGAIN } * tasks;
    size_t running;
    struct failure *failure;
};

static int slot_work(int channel, void *context)
{
    const struct slot *slot = context;
    struct failure failure = {0};
    struct frame frame = {0};
    bool good = slot->pool->work(slot->pool->context, slot->task, &failure);
    if (failure.kind == FAILURE_HARNESS) {
        frame_put_text(&frame, failure.text);
        frame_send(&frame, channel);
        good = false;
    }
    return good ? DONE : FAILED;
}

static bool next_task(struct run *run, size_t *task)
{
    if (run->next < run->pool->count) {
        *task = run->next++;
        return true;
    }
    for (*task = 0; *task < run->pool->count; ++*task)
        if (run->tasks[*task] == TASK_DIED) {
            run->tasks[*task] = TASK_TRIED_AGAIN;
            return true;
        }
    return false;
}

static bool take_failure(const struct slot *slot, struct failure *why)
{
    struct frame frame;
    struct frame_reader reader;
    size_t count;
    frame_receive(slot->child.channel, 2 * FAILURE_TEXT_SIZE, &frame, &reader);
    const char *text = frame_text(&reader, FAILURE_TEXT_SIZE, &count);
    if (text)
        failure_harness(why, "%.*s", (int)count, text);
    frame_free(&frame);
    return text != NULL;
}

static void describe_death(const struct slot *slot, int status, struct failure *why)
{
    char text[CHILD_FAULT_SIZE];
    if (slot->out_of_time)
        failure_harness(why, "the process was still running after %u s", slot->pool->seconds);
    else
        failure_harness(why, "the process %s%s", child_fault(status, text),
                        WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? " (out of memory?)"
                                                                           : "");
}

static bool finish(struct run *run, struct slot *slot)
{
    struct failure why = {0};
    bool has_result = take_failure(slot, &why);
    int status = child_end(&slot->child, false);
    run->running--;
    if (!has_result && status) {
        describe_death(slot, status, &why);
        if (run->tasks[slot->task] == TASK_NEW) {
            run->tasks[slot->task] = TASK_DIED;
            return true;
        }
    }
    return run->pool->finished(run->pool->context, slot->task, &why, run->failure);
}

static bool collect(struct run *run)
{
    bool good = true;
    for (unsigned i = 0; i < run->pool->jobs; i++) {
        const struct child *child = &run->slots[i].child;
        run->polled[i] = (struct pollfd){.fd = child->pid ? child->channel : -1};
    }
    poll(run->polled, run->pool->jobs, TICK_MILLISECONDS);
    for (unsigned i = 0; i < run->pool->jobs; i++) {
        struct slot *slot = &run->slots[i];
        if (!slot->child.pid)
            continue;
        if (clock_seconds() - slot->started > run->pool->seconds && !slot->out_of_time) {
            slot->out_of_time = true;
            kill(slot->child.pid, SIGKILL);
        }
        if (run->polled[i].revents)
            good = finish(run, slot) && good;
    }
    return good;
}

static bool fill(struct run *run)
{
    for (unsigned i = 0; i < run->pool->jobs; i++) {
        struct slot *slot = &run->slots[i];
        size_t task;
        if (slot->child.pid || !next_task(run, &task))
            continue;
        *slot = (struct slot){.pool = run->pool, .task = task, .started = clock_seconds()};
        if (!child_start(&slot->child, slot_work, slot, run->failure))
            return false;
        run->running++;
    }
    return true;
}

bool pool_run(const struct pool *pool, struct failure *failure)
{
    struct run run = {.pool = pool, .failure = failure};
    run.slots = allocate_checked(calloc(pool->jobs, sizeof *run.slots));
    run.polled = allocate_checked(calloc(pool->jobs, sizeof *run.polled));
    run.tasks = allocate_checked(calloc(pool->count + 1, sizeof *run.tasks));
    bool good;
    while ((good = fill(&run)) && run.running && (good = collect(&run)))
        if (pool->tick)
            pool->tick(pool->context);
    for (unsigned i = 0; i < pool->jobs; i++)
        child_end(&run.slots[i].child, true);
    free(run.slots);
    free(run.polled);
    free(run.tasks);
    return good;
}
