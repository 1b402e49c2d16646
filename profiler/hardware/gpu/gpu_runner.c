#include "hardware/gpu/gpu_runner.h"

#include "process/allocate.h"
#include "process/child.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    HELLO_SECONDS = 60, /* A driver may need several seconds to wake its GPUs. */
    JOB_SECONDS = 300   /* Limit for a driver that never returns; the worker limits each launch. */
};

struct gpu {
    struct gpu_options options;
    struct gpu_facts facts;
    struct child worker;
};

static int worker_main(int channel, void *context)
{
    const struct gpu_options *options = context;
    int output = options->output ? fileno(options->output) : open("/dev/null", O_WRONLY);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0)
        return 1;
    gpu_worker_main(channel, options);
    return 0;
}

static bool worker_start(struct gpu *gpu, struct failure *failure)
{
    struct gpu_hello hello = {0};
    bool good = child_start(&gpu->worker, worker_main, &gpu->options, failure);
    if (!good)
        ;
    else if (!(good = child_await(&gpu->worker, HELLO_SECONDS)))
        failure_harness(failure, "the NVIDIA driver did not respond within %d s", HELLO_SECONDS);
    else if (!(good = gpu_receive(gpu->worker.channel, &hello, sizeof hello, NULL, NULL)))
        failure_harness(failure,
                        "the process that opens the GPU ended unexpectedly in the NVIDIA driver");
    else if (!(good = hello.failure.kind == FAILURE_NONE))
        *failure = hello.failure;
    gpu->facts = hello.facts;
    if (!good)
        child_end(&gpu->worker, true);
    return good;
}

bool gpu_open(const struct gpu_options *options, struct gpu **gpu, struct failure *failure)
{
    *gpu = allocate_checked(calloc(1, sizeof **gpu));
    (*gpu)->options = *options;
    if (worker_start(*gpu, failure))
        return true;
    gpu_close(*gpu);
    *gpu = NULL;
    return false;
}

const struct gpu_facts *gpu_describe(const struct gpu *gpu)
{
    return &gpu->facts;
}

static void result_of_lost_worker(struct gpu *gpu, bool late, struct gpu_result *result)
{
    char text[CHILD_FAULT_SIZE];
    const char *fault = child_fault(child_end(&gpu->worker, true), text);
    *result = (struct gpu_result){.in_kernel = true, .context_lost = true};
    if (late)
        failure_student(&result->failure, STATUS_TIMEOUT, "the GPU did not finish within %d s",
                        JOB_SECONDS);
    else
        failure_student(&result->failure, STATUS_LAUNCH_ERROR,
                        "the process that drives the GPU %s while the kernel ran",
                        fault ? fault : "ended");
}

/* If gpu_send fails, gpu_finish reports that the worker has ended. */
bool gpu_start(struct gpu *gpu, const struct gpu_job *job, const void *image,
               struct failure *failure)
{
    if (!gpu->worker.pid && !worker_start(gpu, failure))
        return false;
    gpu_send(gpu->worker.channel, job, sizeof *job, image, job->image_bytes);
    return true;
}

void gpu_finish(struct gpu *gpu, struct gpu_result *result)
{
    bool answered = child_await(&gpu->worker, JOB_SECONDS);
    if (!answered || !gpu_receive(gpu->worker.channel, result, sizeof *result, NULL, NULL))
        result_of_lost_worker(gpu, !answered, result);
    else if (result->context_lost)
        child_end(&gpu->worker, true);
}

void gpu_close(struct gpu *gpu)
{
    if (gpu)
        child_end(&gpu->worker, false);
    free(gpu);
}
