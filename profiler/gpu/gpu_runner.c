/* gpu_runner.c: see gpu_runner.h. */
#define _GNU_SOURCE
#include "gpu/gpu_runner.h"

#include "gpu/gpu_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    HELLO_SECONDS = 60, /* a driver that must first wake its GPUs takes several seconds */
    /* The worker limits each launch; this is for a driver that does not come back at all. */
    JOB_SECONDS = 300
};

struct gpu {
    struct gpu_options options;
    struct gpu_facts facts;
    pid_t worker; /* 0: none */
    int socket;   /* to the worker */
};

/* End the worker, at once or after it has tidied up. Returns its wait status. */
static int worker_end(struct gpu *gpu, bool at_once)
{
    int status = 0;
    if (!gpu->worker)
        return 0;
    if (at_once)
        kill(gpu->worker, SIGKILL);
    close(gpu->socket);
    while (waitpid(gpu->worker, &status, 0) < 0 && errno == EINTR)
        continue;
    gpu->worker = 0;
    return status;
}

/* Wait until the worker has something to say, or has ended. */
static bool worker_await(const struct gpu *gpu, int seconds)
{
    struct pollfd polled = {.fd = gpu->socket, .events = POLLIN};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t deadline = now.tv_sec + seconds;
    for (;;) {
        int left = (int)(deadline - now.tv_sec);
        int got = left > 0 ? poll(&polled, 1, left * 1000) : 0;
        if (got >= 0 || errno != EINTR)
            return got > 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
}

static _Noreturn void worker_main(const struct gpu *gpu, pid_t parent, int socket)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the line above */
        _exit(1);
    int output = gpu->options.output ? fileno(gpu->options.output) : open("/dev/null", O_WRONLY);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0)
        _exit(1);
    gpu_worker_main(socket, &gpu->options);
    fflush(NULL);
    _exit(0);
}

static bool worker_start(struct gpu *gpu, struct failure *failure)
{
    int sockets[2];
    struct gpu_hello *hello = calloc(1, sizeof *hello);
    if (!hello)
        return failure_harness(failure, "not enough memory");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
        free(hello);
        return failure_harness(failure, "cannot make a socket: %s", strerror(errno));
    }
    fflush(NULL); /* or the copy would print our buffered output a second time */
    pid_t parent = getpid(), pid = fork();
    if (!pid) {
        close(sockets[0]);
        worker_main(gpu, parent, sockets[1]);
    }
    int error = errno;
    close(sockets[1]);
    if (pid < 0) {
        close(sockets[0]);
        free(hello);
        return failure_harness(failure, "cannot start a process: %s", strerror(error));
    }
    gpu->worker = pid;
    gpu->socket = sockets[0];
    bool good = worker_await(gpu, HELLO_SECONDS);
    if (!good)
        failure_harness(failure, "the NVIDIA driver did not answer within %d s", HELLO_SECONDS);
    else if (!(good = gpu_receive(gpu->socket, hello, sizeof *hello)))
        failure_harness(failure, "the NVIDIA driver ended the process that asked it for a GPU");
    else if (!(good = hello->failure.kind == FAILURE_NONE))
        *failure = hello->failure;
    gpu->facts = hello->facts;
    free(hello);
    if (!good)
        worker_end(gpu, true);
    return good;
}

bool gpu_open(const struct gpu_options *options, struct gpu **gpu, struct failure *failure)
{
    *gpu = calloc(1, sizeof **gpu);
    if (!*gpu)
        return failure_harness(failure, "not enough memory");
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

/* The worker ended in the middle of a job, or had to be ended. */
static void result_of_lost_worker(struct gpu *gpu, bool late, struct gpu_result *result)
{
    int status = worker_end(gpu, true);
    *result = (struct gpu_result){.in_kernel = true, .context_lost = true};
    if (late)
        failure_student(&result->failure, STATUS_TIMEOUT,
                        "the GPU did not come to an end within %d s", JOB_SECONDS);
    else if (WIFSIGNALED(status))
        failure_student(&result->failure, STATUS_LAUNCH_ERROR,
                        "the process that drives the GPU was ended by signal %d (%s) while the "
                        "kernel ran",
                        WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        failure_student(&result->failure, STATUS_LAUNCH_ERROR,
                        "the process that drives the GPU ended while the kernel ran");
}

/* A worker that has gone is noticed when its result is awaited. */
bool gpu_start(struct gpu *gpu, const struct gpu_job *job, const void *image,
               struct failure *failure)
{
    if (!gpu->worker && !worker_start(gpu, failure))
        return false;
    if (gpu_send(gpu->socket, job, sizeof *job))
        gpu_send(gpu->socket, image, job->image_bytes);
    return true;
}

void gpu_finish(struct gpu *gpu, struct gpu_result *result)
{
    bool answered = worker_await(gpu, JOB_SECONDS);
    if (!answered || !gpu_receive(gpu->socket, result, sizeof *result))
        result_of_lost_worker(gpu, !answered, result);
    else if (result->context_lost)
        worker_end(gpu, true);
}

void gpu_close(struct gpu *gpu)
{
    if (gpu)
        worker_end(gpu, false);
    free(gpu);
}
