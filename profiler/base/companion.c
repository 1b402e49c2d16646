#define _GNU_SOURCE
#include "base/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t companion_pid;

static void pass_on_signal(int number)
{
    if (companion_pid > 0)
        kill((pid_t)companion_pid, number);
}

/* The terminal sends its signals to the program as well; what others send to us is passed on. */
static void attend_signals(void)
{
    struct sigaction pass_on = {.sa_handler = pass_on_signal, .sa_flags = SA_RESTART};
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    sigaction(SIGTERM, &pass_on, NULL);
    sigaction(SIGHUP, &pass_on, NULL);
}

bool companion_run(char *const program[], bool (*prepare)(const void *context), const void *context,
                   int *wait_status, struct failure *failure)
{
    int report[2], error = 0; /* the child reports why it could not become the program */
    if (pipe2(report, O_CLOEXEC) != 0)
        return failure_harness(failure, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    attend_signals();
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        if (prepare(context))
            execvp(program[0], program);
        error = errno;
        _exit(write(report[1], &error, sizeof error) == sizeof error ? 127 : 126);
    }
    companion_pid = pid;
    int fork_error = errno;
    close(report[1]);
    ssize_t got = pid < 0 ? 0 : read(report[0], &error, sizeof error);
    close(report[0]);
    if (pid < 0)
        return failure_harness(failure, "cannot start a process: %s", strerror(fork_error));
    while (waitpid(pid, wait_status, 0) < 0 && errno == EINTR)
        continue;
    companion_pid = 0;
    return got <= 0 || failure_harness(failure, "cannot run %s: %s", program[0], strerror(error));
}

const char *companion_fault(int wait_status, char text[64])
{
    if (WIFSIGNALED(wait_status))
        snprintf(text, 64, "was killed by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(text, 64, "ended with exit status %d", WEXITSTATUS(wait_status));
    return wait_status ? text : NULL;
}
