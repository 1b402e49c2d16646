/* child.h: all child processes of this program.
 *
 * child_run_program and child_run_function run a program, or a function in a copy of this process,
 * with limits, and collect its output. The child may crash, loop or exhaust memory, as compilers do
 * with untrusted source. It has no terminal input, no inherited descriptors and no core dumps.
 *
 * child_start starts a copy of this process that runs concurrently and exchanges frames (frame.h)
 * through a socket. child_run_in_terminal runs a user's program unmodified. */
#ifndef CHILD_H
#define CHILD_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arguments {
    char **words;
    size_t count;
};
void arguments_add(struct arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Append copies of `words`, a NULL-terminated list. */
void arguments_add_all(struct arguments *arguments, const char *const *words);
#define ARGUMENTS_ADD(arguments, ...)                                                              \
    arguments_add_all(arguments, (const char *const[]){__VA_ARGS__, NULL})
void arguments_free(struct arguments *arguments);

/* Limits of a child. The kernel enforces `memory_bytes` and `data_bytes` for each process. */
struct child_limits {
    unsigned seconds;      /* Wall-clock limit of the child, and CPU limit of each process. */
    uint64_t memory_bytes; /* Address space; for a function, in addition to that of this process. */
    size_t output_bytes;   /* Saved bytes of each stream; the rest is discarded. */
    /* Bytes of private writable memory, reserved or used (RLIMIT_DATA); 0 for no limit. For a
     * function, the memory of this process is added to the limit. If a function fails with errno
     * ENOMEM, its child ends as CHILD_OUTGREW_MEMORY. A compilation of a lab needs 11 MB (clang
     * 14), 35 MB (NVRTC 13) or 80 MB (cicc, started by nvcc). */
    uint64_t data_bytes;
    /* Bytes of resident memory of the child and its descendants together; 0 for no limit. Memory
     * that processes share, even with this process, counts once. The tree is checked in /proc every
     * CHILD_WATCH_MILLISECONDS, because most machines do not permit a cgroup. */
    uint64_t tree_bytes;
    /* Processor time of the child and its descendants together, in seconds; 0 for no limit. If
     * tree_bytes is set, both limits are checked together. Otherwise, RLIMIT_CPU ends each process
     * within a second after the limit. */
    double tree_seconds;
    /* Called in the child before its work, to drop further rights; may be NULL. `executes` is true
     * if the child then sets its limits and starts a program. `starts_others` is the next field. If
     * the callback returns false, the child ends as CHILD_CANNOT_RUN, with errno as the reason. */
    bool (*confine)(bool executes, bool starts_others);
    bool starts_others; /* True if the program starts other programs, as nvcc does. */
};

enum { CHILD_WATCH_MILLISECONDS = 50 };

enum child_end { CHILD_EXITED, CHILD_SIGNALLED, CHILD_TIMED_OUT, CHILD_OUTGREW_MEMORY };

/* The end and the output of a child, with NUL-terminated texts. Free it with child_result_free. */
struct child_result {
    enum child_end end;
    int code;
    uint64_t limit; /* After CHILD_OUTGREW_MEMORY: the limit in bytes. */
    /* Observed processor time of the child and its descendants. If no process waited for a
     * descendant, its last CHILD_WATCH_MILLISECONDS are not included. */
    double processor_seconds;
    char *output, *messages;
    size_t output_bytes, messages_bytes;
    bool output_cut, messages_cut; /* The stream had more than output_bytes. */
};

/* Exit status of a child that could not start its work; its messages contain the reason. */
enum { CHILD_CANNOT_RUN = 127 };

/* Run the program at the path argv[0] without a shell and without a search in PATH. `environment`
 * changes the inherited environment: a NULL-terminated list of "NAME=VALUE", or "NAME" to remove a
 * variable; may be NULL. `directory` is the working directory; unchanged if NULL. Standard output
 * goes to result->output, standard error to result->messages. Returns false for a harness failure:
 * no child process can be created, or memory is exhausted. Free `result` with child_result_free. */
bool child_run_program(const char *const argv[], const char *const environment[],
                       const char *directory, const struct child_limits *limits,
                       struct child_result *result, struct failure *failure);

/* Run a program that must succeed; `what` is its name for messages. If the program fails or its
 * output exceeds the limit, returns false for the harness failure "WHAT (exit status 1): its
 * messages". Then there is no result to free. */
bool child_run_required(const char *const argv[], const char *what,
                        const struct child_limits *limits, struct child_result *result,
                        struct failure *failure);

/* Run `function` in a forked copy of this process. Bytes that the function writes to the descriptor
 * `output` become result->output. Text that the function prints becomes result->messages. The
 * return value of `function` becomes the exit status of the child. Returns false as
 * child_run_program does. */
bool child_run_function(int (*function)(int output, void *context), void *context,
                        const struct child_limits *limits, struct child_result *result,
                        struct failure *failure);

/* A copy of this process, and this end of the socket to it; zeroed if there is no copy. */
struct child {
    pid_t pid;
    int channel;
};

/* Start a copy of this process that calls `function` with its end of the socket and exits with the
 * result. The copy dies with this process. Both processes then ignore SIGPIPE. */
bool child_start(struct child *child, int (*function)(int channel, void *context), void *context,
                 struct failure *failure);

/* Wait until the child has sent data or closed its socket. Returns false after the time limit. */
bool child_await(const struct child *child, unsigned seconds);

/* Close this end of the socket, and wait until the child has ended. If `at_once` is true, kill the
 * child with SIGKILL first. Returns the child's wait status; 0 if there is no child. */
int child_end(struct child *child, bool at_once);

/* Run program[0], which is looked up in PATH, in this terminal until it ends. *wait_status receives
 * the status from waitpid. SIGTERM and SIGHUP are passed on to the program. `prepare` is called in
 * the child before the program starts; if it fails, it sets errno and returns false. Returns false
 * for a harness failure: the program cannot be started. */
bool child_run_in_terminal(char *const program[], bool (*prepare)(const void *context),
                           const void *context, int *wait_status, struct failure *failure);

enum { CHILD_FAULT_SIZE = 64 };

/* Describe a wait status, for example "ended with exit status 3" or "was killed by signal 11
 * (Segmentation fault)". Returns `text`, or NULL for success. */
const char *child_fault(int wait_status, char text[CHILD_FAULT_SIZE]);

/* Write all bytes to a descriptor, such as the `output` of a function in a child. Returns false and
 * sets errno if the other end is closed or the disk is full. */
bool child_send(int output, const void *bytes, size_t count);

double clock_seconds(void);

void child_result_free(struct child_result *result);

/* Write to `text` how the child ended, such as "exit status 1" or "used more than 512 MiB". */
void child_describe_end(const struct child_result *result, const struct child_limits *limits,
                        char *text, size_t text_size);

#endif
