/* Theory of operation. A child with limits sends its output and its messages to this process
 * through two pipes. This process reads both pipes until all write ends are closed, including those
 * of helpers of the child. At the deadline, this process kills the child's whole process group.
 * Reading continues after the buffer is full, because a full pipe would block the child. If this
 * process dies, the kernel kills the child (PR_SET_PDEATHSIG). */
#define _GNU_SOURCE
#include "process/child.h"

#include "base/array.h"
#include "process/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OUTPUT_DESCRIPTOR = 3, /* higher descriptors are closed */
    LARGEST_DESCRIPTOR = 1023,
    READ_CHUNK = 65536,
    FUNCTION_OUTGREW_MEMORY = 126
};

/* No compiler writes larger files, and a runaway compiler must not fill the disk. */
#define FILE_BYTES ((rlim_t)256 << 20)

struct task {
    const char *const *argv, *const *environment;
    const char *directory;
    int (*function)(int output, void *context);
    void *context;
    const struct child_limits *limits;
};

struct stream {
    int descriptor;
    char *bytes;
    size_t count, capacity, limit;
    bool cut;
};

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int64_t monotonic_milliseconds(void)
{
    return (int64_t)(1e3 * clock_seconds());
}

static bool limit_leaves_room(int resource, rlim_t bytes, rlim_t most)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = most};
    if (setrlimit(resource, &limit) != 0)
        return true;
    void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    munmap(memory, page);
    return true;
}

/* Find, without /proc, how many bytes of this process count towards the limit of `resource`. */
static uint64_t bytes_in_use(int resource)
{
    struct rlimit before;
    uint64_t low = 0, high = 1ull << 47;
    if (getrlimit(resource, &before) != 0)
        return 0;
    while (high - low > 1 << 20) {
        uint64_t middle = low + (high - low) / 2;
        if (middle <= before.rlim_cur && !limit_leaves_room(resource, middle, before.rlim_max))
            low = middle;
        else
            high = middle;
    }
    setrlimit(resource, &before);
    return high;
}

struct process {
    pid_t pid, parent;
    uint64_t resident;
    double seconds;
};

/* Read /proc/PID/stat (proc(5)), in which the name in field 2 may contain any character. */
static bool process_read(const char *pid, struct process *process)
{
    char path[64], line[1024];
    unsigned long long user, system;
    long long waited_user, waited_system, pages;
    snprintf(path, sizeof path, "/proc/%.16s/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const char *rest = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    fclose(file);
    *process = (struct process){.pid = atoi(pid)};
    if (rest == NULL ||
        sscanf(rest,
               ") %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %lld %lld "
               "%*s %*s %*s %*s %*s %*s %lld",
               &process->parent, &user, &system, &waited_user, &waited_system, &pages) != 6)
        return false;
    process->resident = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    process->seconds =
        (double)((long long)(user + system) + waited_user + waited_system) / sysconf(_SC_CLK_TCK);
    return true;
}

/* If readable, replace the resident bytes by the proportional share (Pss; proc_pid_smaps(5)). */
static void process_share(struct process *process)
{
    char path[64], line[256];
    unsigned long long kilobytes;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process->pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Pss: %llu kB", &kilobytes) == 1) {
            process->resident = kilobytes << 10;
            break;
        }
    if (file != NULL)
        fclose(file);
}

static struct process *processes_list(size_t *count)
{
    struct process *list = NULL;
    DIR *directory = opendir("/proc");
    *count = 0;
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        if (!array_make_room(&list, *count, sizeof *list))
            break;
        *count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
                  process_read(entry->d_name, &list[*count]);
    }
    if (directory != NULL)
        closedir(directory);
    return list;
}

struct use {
    uint64_t bytes;
    double seconds;
};

/* Returns the tree's resident bytes and processor time. With `exact`, shared memory counts once. */
static struct use tree_look(pid_t root, bool exact)
{
    struct use use = {0};
    size_t count, in_tree = 0; /* the first in_tree processes of the list are in the tree */
    struct process *list = processes_list(&count);
    for (size_t before = SIZE_MAX;
         before != in_tree;) { /* a child may precede its parent in the list */
        before = in_tree;
        for (size_t i = in_tree; i < count; i++) {
            bool inside = list[i].pid == root;
            for (size_t k = 0; k < in_tree && !inside; k++)
                inside = list[k].pid == list[i].parent;
            if (!inside)
                continue;
            struct process found = list[i];
            if (exact)
                process_share(&found);
            list[i] = list[in_tree];
            list[in_tree++] = found;
            use.bytes += found.resident;
            use.seconds += found.seconds;
        }
    }
    free(list);
    return use;
}

static void limit_set(int resource, rlim_t value, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    if (limit.rlim_max == RLIM_INFINITY || most < limit.rlim_max)
        limit.rlim_max = most;
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    setrlimit(resource, &limit);
}

static void memory_limit_set(const struct task *task, int resource, uint64_t bytes)
{
    uint64_t limit = bytes + (task->function != NULL ? bytes_in_use(resource) : 0);
    limit = limit < bytes ? RLIM_INFINITY : limit;
    limit_set(resource, limit, limit);
}

static void limits_apply(const struct task *task)
{
    limit_set(RLIMIT_CORE, 0, 0);
    rlim_t seconds = task->limits->seconds;
    if (task->limits->tree_seconds > 0 && task->limits->tree_seconds < (double)seconds)
        seconds = (rlim_t)task->limits->tree_seconds + 1;
    limit_set(RLIMIT_CPU, seconds,
              seconds + 1); /* SIGXCPU (soft limit) identifies the reason; SIGKILL follows */
    limit_set(RLIMIT_FSIZE, FILE_BYTES, FILE_BYTES);
}

static __attribute__((noinline)) void stack_grow(void)
{
    volatile unsigned char room[1 << 16];
    for (size_t at = sizeof room; at > 0; at -= 1 << 10)
        room[at - 1] = 0;
}

/* A program's limit may be below the memory of this process. With such a limit, the stack cannot
 * grow, and a call that binds a symbol could crash. So the stack grows before the limit is set. */
static void memory_limits_apply(const struct task *task)
{
    stack_grow();
    if (task->limits->data_bytes > 0)
        memory_limit_set(task, RLIMIT_DATA, task->limits->data_bytes);
    memory_limit_set(task, RLIMIT_AS, task->limits->memory_bytes);
}

static void close_inherited(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0u, 0) == 0)
        return;
#endif
    for (int descriptor = first; descriptor <= LARGEST_DESCRIPTOR; descriptor++)
        close(descriptor);
}

/* Redirect the standard streams. A program writes its output to descriptor 1. A function writes its
 * output to descriptor 3, and its messages to 1 and 2. */
static bool streams_arrange(bool is_function, int output, int messages)
{
    /* Move the descriptors to numbers above 3, because the dup2 calls below overwrite 0 to 3. */
    int nothing = open("/dev/null", O_RDONLY);
    nothing = fcntl(nothing, F_DUPFD, OUTPUT_DESCRIPTOR + 1);
    output = fcntl(output, F_DUPFD, OUTPUT_DESCRIPTOR + 1);
    messages = fcntl(messages, F_DUPFD, OUTPUT_DESCRIPTOR + 1);
    if (nothing < 0 || output < 0 || messages < 0)
        return false;
    bool done = dup2(nothing, 0) >= 0 && dup2(messages, 2) >= 0;
    done = done && dup2(is_function ? messages : output, 1) >= 0;
    if (is_function)
        done = done && dup2(output, OUTPUT_DESCRIPTOR) >= 0;
    close_inherited(is_function ? OUTPUT_DESCRIPTOR + 1 : OUTPUT_DESCRIPTOR);
    return done;
}

static _Noreturn void give_up(const char *what, const char *object)
{
    dprintf(2, "cannot %s %s: %s\n", what, object, strerror(errno));
    _exit(CHILD_CANNOT_RUN);
}

static _Noreturn void program_start(const struct task *task)
{
    for (const char *const *at = task->environment; at != NULL && *at != NULL; at++)
        putenv((char *)*at); /* without `=`, putenv removes the variable */
    if (task->directory != NULL && chdir(task->directory) != 0)
        give_up("enter", task->directory);
    memory_limits_apply(task);
    execv(task->argv[0], (char *const *)task->argv);
    give_up("run", task->argv[0]);
}

static void rights_give_up(const struct task *task)
{
    const struct child_limits *limits = task->limits;
    if (limits->confine != NULL && !limits->confine(task->function == NULL, limits->starts_others))
        give_up("confine", "a process");
}

static _Noreturn void child_main(const struct task *task, int output, int messages)
{
    sigset_t none;
    setpgid(0, 0);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!streams_arrange(task->function != NULL, output, messages))
        _exit(CHILD_CANNOT_RUN);
    if (task->function == NULL) {
        rights_give_up(task);
        limits_apply(task);
        program_start(task);
    }
    limits_apply(task);
    memory_limits_apply(task);
    rights_give_up(task);
    errno = 0;
    int code = task->function(OUTPUT_DESCRIPTOR, task->context);
    if (code != 0 && errno == ENOMEM && task->limits->data_bytes > 0)
        code = FUNCTION_OUTGREW_MEMORY;
    fflush(stdout);
    fflush(stderr);
    _exit(code);
}

static bool stream_read(struct stream *stream)
{
    char chunk[READ_CHUNK];
    ssize_t got = read(stream->descriptor, chunk, sizeof chunk);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    if (got == 0) {
        close(stream->descriptor);
        stream->descriptor = -1;
        return true;
    }
    size_t keep = (size_t)got;
    if (keep > stream->limit - stream->count) {
        keep = stream->limit - stream->count;
        stream->cut = true;
    }
    if (stream->count + keep >= stream->capacity) {
        /* Double the buffer, because AddressSanitizer copies all bytes in each realloc. */
        size_t capacity = 2 * (stream->count + keep) + 1;
        char *bytes = realloc(stream->bytes, capacity);
        if (bytes == NULL)
            return false;
        stream->bytes = bytes;
        stream->capacity = capacity;
    }
    memcpy(stream->bytes + stream->count, chunk, keep);
    stream->count += keep;
    stream->bytes[stream->count] = '\0';
    return true;
}

enum collect { COLLECT_DONE, COLLECT_LATE, COLLECT_TOO_LARGE, COLLECT_NO_MEMORY };

/* *seconds becomes the largest observed sum of processor times, because the sum can decrease. */
static enum collect tree_judge(pid_t pid, const struct child_limits *limits, double *seconds)
{
    struct use use = tree_look(pid, false);
    if (limits->tree_bytes > 0 && use.bytes > limits->tree_bytes)
        use = tree_look(pid, true);
    if (*seconds < use.seconds)
        *seconds = use.seconds;
    if (limits->tree_bytes > 0 && use.bytes > limits->tree_bytes)
        return COLLECT_TOO_LARGE;
    return limits->tree_seconds > 0 && *seconds > limits->tree_seconds ? COLLECT_LATE
                                                                       : COLLECT_DONE;
}

static enum collect streams_collect(struct stream streams[2], pid_t pid, int64_t deadline,
                                    const struct child_limits *limits, double *seconds)
{
    const bool watched = limits->tree_bytes > 0;
    int64_t next_look = monotonic_milliseconds();
    while (streams[0].descriptor >= 0 || streams[1].descriptor >= 0) {
        struct pollfd polled[2];
        for (int i = 0; i < 2; i++)
            polled[i] = (struct pollfd){.fd = streams[i].descriptor, .events = POLLIN};
        int64_t now = monotonic_milliseconds(), left = deadline - now;
        if (left <= 0)
            return COLLECT_LATE;
        if (watched && now >= next_look) {
            enum collect judged = tree_judge(pid, limits, seconds);
            if (judged != COLLECT_DONE)
                return judged;
            next_look = now + CHILD_WATCH_MILLISECONDS;
        }
        if (watched && left > next_look - now)
            left = next_look - now;
        if (poll(polled, 2, (int)left) < 0 && errno != EINTR)
            return COLLECT_LATE;
        for (int i = 0; i < 2; i++) {
            bool ready = polled[i].fd >= 0 && polled[i].revents != 0;
            if (ready && !stream_read(&streams[i]))
                return COLLECT_NO_MEMORY;
        }
    }
    return COLLECT_DONE;
}

/* Wait for the end of the child, which may outlive its streams. The child is not reaped, so that
 * the number of its process group is not reused. Returns false after the deadline. */
static bool child_wait(pid_t pid, int64_t deadline)
{
    for (;;) {
        siginfo_t info = {0};
        int got = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (got == 0 && info.si_pid == pid)
            return true;
        if ((got < 0 && errno != EINTR) || monotonic_milliseconds() >= deadline)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

static void result_set_end(struct child_result *result, int status, const struct task *task)
{
    result->end = WIFSIGNALED(status) ? CHILD_SIGNALLED : CHILD_EXITED;
    result->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (result->end == CHILD_SIGNALLED && result->code == SIGXCPU)
        result->end = CHILD_TIMED_OUT;
    if (result->end == CHILD_EXITED && task->function != NULL &&
        result->code == FUNCTION_OUTGREW_MEMORY) {
        result->end = CHILD_OUTGREW_MEMORY;
        result->limit = task->limits->data_bytes;
    }
}

/* Fill *result, and close the read ends of both pipes. Returns false for a harness failure. */
static bool child_attend(pid_t pid, const struct task *task, int output, int messages,
                         struct child_result *result, struct failure *failure)
{
    int64_t deadline = monotonic_milliseconds() + (int64_t)task->limits->seconds * 1000;
    struct stream streams[2] = {{.descriptor = output, .limit = task->limits->output_bytes},
                                {.descriptor = messages, .limit = task->limits->output_bytes}};
    int status = 0;
    struct rusage usage = {0};

    enum collect collected =
        streams_collect(streams, pid, deadline, task->limits, &result->processor_seconds);
    bool ended = collected == COLLECT_DONE && child_wait(pid, deadline);
    /* Even after the child has ended, a helper that closed its streams must be killed. */
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    double waited = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (result->processor_seconds < waited)
        result->processor_seconds = waited;
    if (ended)
        result_set_end(result, status, task);
    else
        result->end = collected == COLLECT_TOO_LARGE ? CHILD_OUTGREW_MEMORY : CHILD_TIMED_OUT;
    if (collected == COLLECT_TOO_LARGE)
        result->limit = task->limits->tree_bytes;
    for (int i = 0; i < 2; i++)
        if (streams[i].descriptor >= 0)
            close(streams[i].descriptor);

    result->output = streams[0].bytes != NULL ? streams[0].bytes : strdup("");
    result->output_bytes = streams[0].count;
    result->output_cut = streams[0].cut;
    result->messages = streams[1].bytes != NULL ? streams[1].bytes : strdup("");
    result->messages_bytes = streams[1].count;
    result->messages_cut = streams[1].cut;
    bool enough = collected != COLLECT_NO_MEMORY && result->output && result->messages;
    if (!enough)
        child_result_free(result);
    return enough ||
           failure_harness(failure, "not enough memory for the output of a child process");
}

/* Returns the ID of a forked copy that dies with this process; 0 in the copy; -1 for a failure. */
static pid_t copy_start(struct failure *failure)
{
    signal(SIGCHLD, SIG_DFL); /* an ignored SIGCHLD would discard the exit status */
    fflush(NULL);             /* otherwise, the copy would print buffered output again */
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        failure_harness(failure, "cannot start a process: %s", strerror(errno));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) /* the parent died before the call of prctl */
            _exit(CHILD_CANNOT_RUN);
    }
    return pid;
}

static bool pipe_make(int ends[2], struct failure *failure)
{
    return pipe2(ends, O_CLOEXEC) == 0 ||
           failure_harness(failure, "cannot create a pipe: %s", strerror(errno));
}

static bool child_run(const struct task *task, struct child_result *result, struct failure *failure)
{
    int output[2] = {-1, -1}, messages[2] = {-1, -1};
    *result = (struct child_result){0};
    bool piped = pipe_make(output, failure) && pipe_make(messages, failure);
    pid_t pid = piped ? copy_start(failure) : -1;
    if (pid == 0)
        child_main(task, output[1], messages[1]);
    close(output[1]);
    close(messages[1]);
    if (pid < 0) {
        close(output[0]);
        close(messages[0]);
        return false;
    }
    setpgid(pid, pid); /* the child also calls setpgid; the first call takes effect */
    return child_attend(pid, task, output[0], messages[0], result, failure);
}

bool child_run_program(const char *const argv[], const char *const environment[],
                       const char *directory, const struct child_limits *limits,
                       struct child_result *result, struct failure *failure)
{
    struct task task = {
        .argv = argv, .environment = environment, .directory = directory, .limits = limits};
    return child_run(&task, result, failure);
}

bool child_run_required(const char *const argv[], const char *what,
                        const struct child_limits *limits, struct child_result *result,
                        struct failure *failure)
{
    char end[128];
    if (!child_run_program(argv, NULL, NULL, limits, result, failure))
        return false;
    if (result->end == CHILD_EXITED && result->code == 0 && !result->output_cut)
        return true;
    for (size_t size = strlen(result->messages); size && result->messages[size - 1] == '\n';)
        result->messages[--size] = '\0';
    child_describe_end(result, limits, end, sizeof end);
    failure_harness(failure, "%s (%s): %.1000s", what, result->output_cut ? "too much output" : end,
                    result->messages);
    child_result_free(result);
    return false;
}

bool child_run_function(int (*function)(int output, void *context), void *context,
                        const struct child_limits *limits, struct child_result *result,
                        struct failure *failure)
{
    struct task task = {.function = function, .context = context, .limits = limits};
    return child_run(&task, result, failure);
}

void arguments_add(struct arguments *arguments, const char *format, ...)
{
    va_list values;
    char *word;
    va_start(values, format);
    allocate_checked(vasprintf(&word, format, values) < 0 ? NULL : arguments);
    va_end(values);
    arguments->words = allocate_checked(
        realloc(arguments->words, (arguments->count + 2) * sizeof *arguments->words));
    arguments->words[arguments->count++] = word;
    arguments->words[arguments->count] = NULL;
}

void arguments_add_all(struct arguments *arguments, const char *const *words)
{
    for (; *words; words++)
        arguments_add(arguments, "%s", *words);
}

void arguments_free(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->words[i]);
    free(arguments->words);
    *arguments = (struct arguments){0};
}

void child_result_free(struct child_result *result)
{
    free(result->output);
    free(result->messages);
    *result = (struct child_result){0};
}

void child_describe_end(const struct child_result *result, const struct child_limits *limits,
                        char *text, size_t text_size)
{
    if (result->end == CHILD_TIMED_OUT && limits->tree_seconds > 0)
        snprintf(text, text_size, "still running after %.3g s of processor time",
                 limits->tree_seconds);
    else if (result->end == CHILD_TIMED_OUT)
        snprintf(text, text_size, "still running after %u s", limits->seconds);
    else if (result->end == CHILD_OUTGREW_MEMORY)
        snprintf(text, text_size, "used more than %llu MiB",
                 (unsigned long long)(result->limit >> 20));
    else if (result->end == CHILD_SIGNALLED)
        snprintf(text, text_size, "killed by signal %d (%s)", result->code,
                 strsignal(result->code));
    else
        snprintf(text, text_size, "exit status %d", result->code);
}

bool child_start(struct child *child, int (*function)(int channel, void *context), void *context,
                 struct failure *failure)
{
    int channel[2];
    *child = (struct child){0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        return failure_harness(failure, "cannot create a socket: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN); /* child_send then reports a closed socket in both processes */
    pid_t pid = copy_start(failure);
    if (pid == 0) {
        close(channel[0]);
        int code = function(channel[1], context);
        fflush(NULL);
        _exit(code);
    }
    close(channel[1]);
    if (pid < 0) {
        close(channel[0]);
        return false;
    }
    *child = (struct child){.pid = pid, .channel = channel[0]};
    return true;
}

bool child_await(const struct child *child, unsigned seconds)
{
    struct pollfd polled = {.fd = child->channel, .events = POLLIN};
    int64_t left, deadline = monotonic_milliseconds() + (int64_t)seconds * 1000;
    while ((left = deadline - monotonic_milliseconds()) > 0) {
        int got = poll(&polled, 1, (int)left);
        if (got >= 0 || errno != EINTR)
            return got > 0;
    }
    return false;
}

int child_end(struct child *child, bool at_once)
{
    int status = 0;
    if (child->pid == 0)
        return 0;
    if (at_once)
        kill(child->pid, SIGKILL);
    close(child->channel);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    *child = (struct child){0};
    return status;
}

static volatile sig_atomic_t terminal_pid;

static void signal_pass_on(int number)
{
    if (terminal_pid > 0)
        kill((pid_t)terminal_pid, number);
}

bool child_run_in_terminal(char *const program[], bool (*prepare)(const void *context),
                           const void *context, int *wait_status, struct failure *failure)
{
    struct sigaction pass_on = {.sa_handler = signal_pass_on, .sa_flags = SA_RESTART};
    int report[2], error = 0;
    if (!pipe_make(report, failure))
        return false;
    /* Ignore SIGINT and SIGQUIT, because the terminal also sends them to the program. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    sigaction(SIGTERM, &pass_on, NULL);
    sigaction(SIGHUP, &pass_on, NULL);
    pid_t pid = copy_start(failure);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, 0); /* the program may outlive this process */
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        if (prepare(context))
            execvp(program[0], program);
        error = errno;
        _exit(child_send(report[1], &error, sizeof error) ? 127 : 126);
    }
    terminal_pid = pid;
    close(report[1]);
    ssize_t got = pid < 0 ? 0 : read(report[0], &error, sizeof error);
    close(report[0]);
    if (pid < 0)
        return false;
    while (waitpid(pid, wait_status, 0) < 0 && errno == EINTR)
        continue;
    terminal_pid = 0;
    return got <= 0 || failure_harness(failure, "cannot run %s: %s", program[0], strerror(error));
}

const char *child_fault(int wait_status, char text[CHILD_FAULT_SIZE])
{
    if (WIFSIGNALED(wait_status))
        snprintf(text, CHILD_FAULT_SIZE, "was killed by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(text, CHILD_FAULT_SIZE, "ended with exit status %d", WEXITSTATUS(wait_status));
    return wait_status != 0 ? text : NULL;
}

bool child_send(int output, const void *bytes, size_t count)
{
    for (const char *at = bytes; count > 0;) {
        ssize_t sent = write(output, at, count); /* the sandbox does not allow send */
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}
