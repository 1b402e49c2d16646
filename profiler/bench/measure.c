/* measure: run a command several times; print its median wall-clock time and its peak memory.
 *
 *   measure REPEATS COMMAND ARG...      prints "SECONDS KILOBYTES"
 *
 * The peak is the largest resident set of the command or of any process that it waited for. The
 * command's standard output is dropped, so that a slow terminal is not measured. Exit status: 0, or
 * 2 when the command cannot be run or fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS_MAX = 1000 };

static double clock_read_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Run the command once. Its wall-clock seconds, or -1 after a message. */
static double command_run(char *const argv[])
{
    double start = clock_read_seconds();
    pid_t child = fork();
    if (child == 0) {
        int sink = open("/dev/null", O_WRONLY);
        if (sink >= 0)
            dup2(sink, STDOUT_FILENO);
        execvp(argv[0], argv);
        fprintf(stderr, "measure: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        fprintf(stderr, "measure: %s\n", strerror(errno));
        return -1;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "measure: %s failed (%s %d)\n", argv[0],
                WIFEXITED(status) ? "exit status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        return -1;
    }
    return clock_read_seconds() - start;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char *argv[])
{
    long repeats = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (repeats < 1 || repeats > REPEATS_MAX) {
        fprintf(stderr, "usage: measure REPEATS COMMAND ARG...   (1 to %d repeats)\n", REPEATS_MAX);
        return 2;
    }
    double seconds[REPEATS_MAX];
    for (long i = 0; i < repeats; i++) {
        seconds[i] = command_run(argv + 2);
        if (seconds[i] < 0)
            return 2;
    }
    qsort(seconds, (size_t)repeats, sizeof seconds[0], compare_doubles);
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage); /* ru_maxrss is in kilobytes on Linux */
    printf("%.4f %ld\n", seconds[repeats / 2], usage.ru_maxrss);
    return 0;
}
