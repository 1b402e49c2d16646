/* measure: run a command several times and print its median wall-clock time, its median processor
 * time and its peak memory.
 *
 *   measure REPEATS COMMAND ARG...      prints "SECONDS CPU_SECONDS KILOBYTES"
 *   measure -t REPEATS COMMAND ARG...   prints "SECONDS CPU_SECONDS KILOBYTES TREE_KILOBYTES"
 *
 * Times include all processes that the command started, even processes that it did not wait for.
 * This program adopts these orphans. If a process namespace is killed as a whole, the times of its
 * processes are lost. Therefore, -t also samples processor times, and prints the larger sum.
 * KILOBYTES (in KiB) is the largest resident set of any single process. TREE_KILOBYTES (in KiB) is
 * the largest memory of all processes together, sampled SAMPLES times per second; shared pages
 * count once.
 *
 * The command's standard output is dropped, so that a slow terminal does not affect the times. Exit
 * status: 0, or 2 if the command cannot be run or fails. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS_MAX = 1000, PROCESSES_MAX = 8192, SAMPLES = 20 };

struct cost {
    double seconds, cpu_seconds;
};

static double clock_read_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double children_cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct process {
    int id, parent;
    bool inside;
};

/* Returns the number in the line of /proc/ID/NAME that starts with `field`; 0 if there is none. */
static long process_read(int id, const char *name, const char *field)
{
    char path[64], line[256];
    long number = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", id, name);
    FILE *file = fopen(path, "re");
    while (file && !number && fgets(line, sizeof line, file))
        if (!strncmp(line, field, strlen(field)))
            number = strtol(line + strlen(field), NULL, 10);
    if (file)
        fclose(file);
    return number;
}

static size_t list_processes(struct process *processes)
{
    size_t count = 0;
    struct dirent *entry;
    DIR *directory = opendir("/proc");
    while (directory && count < PROCESSES_MAX && (entry = readdir(directory)))
        if (isdigit((unsigned char)entry->d_name[0])) {
            int id = atoi(entry->d_name);
            processes[count++] =
                (struct process){.id = id, .parent = (int)process_read(id, "status", "PPid:")};
        }
    if (directory)
        closedir(directory);
    return count;
}

/* The index is a process ID. ticks_before has the time of earlier processes with reused IDs. */
static long ticks_seen[1 << 22], ticks_before;

static void sample_ticks(int id)
{
    char path[64], line[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", id);
    FILE *file = fopen(path, "re");
    const char *rest = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (file)
        fclose(file);
    if (!rest || id >= (int)(sizeof ticks_seen / sizeof *ticks_seen) ||
        sscanf(rest, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user, &system) != 2)
        return;
    long ticks = (long)(user + system);
    if (ticks < ticks_seen[id])
        ticks_before += ticks_seen[id];
    ticks_seen[id] = ticks;
}

static double sampled_cpu_seconds(void)
{
    long sum = ticks_before;
    for (size_t i = 0; i < sizeof ticks_seen / sizeof *ticks_seen; i++)
        sum += ticks_seen[i];
    return (double)sum / (double)sysconf(_SC_CLK_TCK);
}

static long tree_kilobytes(void)
{
    static struct process processes[PROCESSES_MAX];
    size_t count = list_processes(processes);
    long sum = 0;
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count && !processes[i].inside; j++)
                if (processes[i].parent == getpid() ||
                    (processes[j].inside && processes[j].id == processes[i].parent))
                    processes[i].inside = grows = true;
    }
    for (size_t i = 0; i < count; i++)
        if (processes[i].inside) {
            sample_ticks(processes[i].id);
            sum += process_read(processes[i].id, "smaps_rollup", "Pss:");
        }
    return sum;
}

static pid_t command_start(char *const argv[])
{
    pid_t child = fork();
    if (child == 0) {
        int sink = open("/dev/null", O_WRONLY);
        if (sink >= 0)
            dup2(sink, STDOUT_FILENO);
        execvp(argv[0], argv);
        fprintf(stderr, "measure: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    return child;
}

/* Wait until all processes have ended; *status becomes the status of the command. If `tree` is not
 * NULL, *tree becomes the largest sampled memory of all processes. Returns false for a failure. */
static bool command_wait(pid_t child, int *status, long *tree)
{
    static const struct timespec pause = {.tv_nsec = 1000000000 / SAMPLES};
    bool ended = false;
    for (;;) {
        int other;
        pid_t who = waitpid(-1, &other, tree ? WNOHANG : 0);
        if (who < 0)
            return errno == ECHILD && ended;
        if (who == child) {
            *status = other;
            ended = true;
        }
        if (who == 0) {
            long now = tree_kilobytes();
            *tree = now > *tree ? now : *tree;
            nanosleep(&pause, NULL);
        }
    }
}

static bool command_run(char *const argv[], struct cost *cost, long *tree)
{
    double start = clock_read_seconds(), cpu = children_cpu_seconds(),
           before = sampled_cpu_seconds();
    int status = 0;
    pid_t child = command_start(argv);
    if (child < 0 || !command_wait(child, &status, tree)) {
        fprintf(stderr, "measure: %s\n", strerror(errno));
        return false;
    }
    double waited = children_cpu_seconds() - cpu, sampled = sampled_cpu_seconds() - before;
    *cost = (struct cost){clock_read_seconds() - start, waited > sampled ? waited : sampled};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    fprintf(stderr, "measure: %s failed (%s %d)\n", argv[0],
            WIFEXITED(status) ? "exit status" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return false;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char *argv[])
{
    bool wants_tree = argc > 1 && !strcmp(argv[1], "-t");
    argc -= wants_tree;
    argv += wants_tree;
    long repeats = argc > 2 ? strtol(argv[1], NULL, 10) : 0, tree = 0;
    if (repeats < 1 || repeats > REPEATS_MAX) {
        fprintf(stderr, "usage: measure [-t] REPEATS COMMAND ARG...   (1 to %d repeats)\n",
                REPEATS_MAX);
        return 2;
    }
    static double seconds[REPEATS_MAX], cpu_seconds[REPEATS_MAX];
    signal(SIGCHLD, SIG_DFL); /* waitpid fails if the parent has ignored SIGCHLD */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (long i = 0; i < repeats; i++) {
        struct cost cost;
        if (!command_run(argv + 2, &cost, wants_tree ? &tree : NULL))
            return 2;
        seconds[i] = cost.seconds;
        cpu_seconds[i] = cost.cpu_seconds;
    }
    qsort(seconds, (size_t)repeats, sizeof seconds[0], compare_doubles);
    qsort(cpu_seconds, (size_t)repeats, sizeof cpu_seconds[0], compare_doubles);
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage); /* on Linux, ru_maxrss is in KiB */
    printf("%.4f %.4f %ld", seconds[repeats / 2], cpu_seconds[repeats / 2], usage.ru_maxrss);
    if (wants_tree)
        printf(" %ld", tree);
    putchar('\n');
    return 0;
}
