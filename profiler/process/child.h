/* child.h: all child processes of this program.
 *
 *   - child_run_program and child_run_function run a program, or a function in a copy of this
 *     process, with limits, and collect its output. Compilers read untrusted source: they may
 *     crash, loop or exhaust memory. Such a child has no terminal input, no inherited descriptors,
 *     no core dumps, and a process group that is killed as a whole at the deadline.
 *   - child_start starts a copy of this process that works beside it. The two processes exchange
 *     frames (frame.h) through a socket.
 *   - child_run_in_terminal runs a program of the user unmodified.
 */
#ifndef CHILD_H
#define CHILD_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An argument vector: malloc'd words, ended by NULL. */
struct arguments {
    char **words;
    size_t count;
};
void arguments_add(struct arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Add words, which end with NULL. */
void arguments_add_all(struct arguments *arguments, const char *const *words);
#define ARGUMENTS_ADD(arguments, ...)                                                              \
    arguments_add_all(arguments, (const char *const[]){__VA_ARGS__, NULL})
void arguments_free(struct arguments *arguments);

/* The operating system enforces `seconds`, `memory_bytes` and `data_bytes` for each process. */
struct child_limits {
    unsigned seconds;      /* Wall-clock time of the child, and CPU time of each process. */
    uint64_t memory_bytes; /* Address space; for a function, in addition to that of this process. */
    size_t output_bytes;   /* Saved bytes of each stream; the rest is dropped. */
    /* Bytes of private writable memory, reserved or used (RLIMIT_DATA); 0: no limit. For a
     * function, the memory of this process is added to the limit. Allocations above the limit fail.
     * If a function then fails with errno ENOMEM, it ends as CHILD_OUTGREW_MEMORY. A compilation of
     * a lab needs 11 MB (clang 14), 35 MB (NVRTC 13) or 80 MB (cicc, started by nvcc). */
    uint64_t data_bytes;
    /* Bytes of resident memory of the child and all its descendants together; 0: no limit. Memory
     * that processes share, even with this process, counts once. The operating system can limit a
     * process tree only in a cgroup, which most machines do not permit. The tree is therefore
     * checked in /proc every CHILD_WATCH_MILLISECONDS, and can exceed the limit between checks. */
    uint64_t tree_bytes;
    /* Processor time of the child and its descendants together; 0: no limit. If tree_bytes is set,
     * the time is checked in the same way. Otherwise, RLIMIT_CPU ends the child within a second
     * of the limit. */
    double tree_seconds;
    /* Called in the child before its work, to drop further rights; may be NULL. `executes`: the
     * child will still set its limits and start its program. `starts_others`: as below. If the
     * callback returns false, the child ends as CHILD_CANNOT_RUN, with errno as the reason. */
    bool (*confine)(bool executes, bool starts_others);
    bool starts_others; /* True if the program starts other programs, as nvcc does. */
};

enum { CHILD_WATCH_MILLISECONDS = 50 };

enum child_end { CHILD_EXITED, CHILD_SIGNALLED, CHILD_TIMED_OUT, CHILD_OUTGREW_MEMORY };

/* The result of a child: NUL-terminated texts, which child_result_free releases. */
struct child_result {
    enum child_end end;
    int code;       /* Exit status, or number of the signal. */
    uint64_t limit; /* After CHILD_OUTGREW_MEMORY: the limit in bytes. */
    /* Observed processor time of the child and its descendants, without the last
     * CHILD_WATCH_MILLISECONDS of each descendant for which no process waited. */
    double processor_seconds;
    char *output, *messages;
    size_t output_bytes, messages_bytes;
    bool output_cut, messages_cut; /* The stream had more than output_bytes. */
};

/* Exit status of a child that could not start its work; its messages contain the reason. */
enum { CHILD_CANNOT_RUN = 127 };

/* Run argv[0] (a path; PATH is not searched) without a shell. The arguments argv end with NULL.
 * `environment` (NULL-ended "NAME=VALUE", or "NAME" to remove it; may be NULL)
 * changes the inherited environment; `directory` (may be NULL) is the working directory. Standard
 * output goes to result->output, standard error to result->messages. Harness failure if no child
 * process can be created; a failure of the child itself is not a harness failure. */
bool child_run_program(const char *const argv[], const char *const environment[],
                       const char *directory, const struct child_limits *limits,
                       struct child_result *result, struct failure *failure);

/* Run a program that must succeed. If it fails or its output is cut, the harness failure is "WHAT
 * (exit status 1): its messages", and there is no result to free. */
bool child_run_required(const char *const argv[], const char *what,
                        const struct child_limits *limits, struct child_result *result,
                        struct failure *failure);

/* Run `function` in a forked copy of this process. Bytes that the function writes to the descriptor
 * `output` become result->output, text that it prints becomes result->messages, and its return
 * value becomes the exit status. */
bool child_run_function(int (*function)(int output, void *context), void *context,
                        const struct child_limits *limits, struct child_result *result,
                        struct failure *failure);

/* A copy of this process, and our end of the socket to it; zeroed if there is no copy. */
struct child {
    pid_t pid;
    int channel;
};

/* Start a copy of this process that calls `function` with its end of the socket and exits with the
 * returned status. The copy has no limits and dies with this process. Both processes then ignore
 * SIGPIPE. */
bool child_start(struct child *child, int (*function)(int channel, void *context), void *context,
                 struct failure *failure);

/* Wait until the child has sent data or closed its end. Returns false after the time limit. */
bool child_await(const struct child *child, unsigned seconds);

/* End the child with SIGKILL, or (`at_once` false) by closing our end of the socket. Returns its
 * wait status; 0 if there is no child. */
int child_end(struct child *child, bool at_once);

/* Run program[0], which is searched in PATH, in this terminal until it ends; *wait_status is the
 * status from waitpid. The program handles the signals of the terminal; other signals are passed on
 * to it. `prepare` is called in the child before the program starts (environment, descriptors), and
 * returns false with errno on failure. Harness failure if the program cannot be started. */
bool child_run_in_terminal(char *const program[], bool (*prepare)(const void *context),
                           const void *context, int *wait_status, struct failure *failure);

enum { CHILD_FAULT_SIZE = 64 };

/* "ended with exit status 3", "was killed by signal 11 (Segmentation fault)"; NULL for success. */
const char *child_fault(int wait_status, char text[CHILD_FAULT_SIZE]);

/* Write all bytes to a descriptor, such as the `output` of a function in a child. Returns false
 * with errno if the other end is closed or the disk is full. */
bool child_send(int output, const void *bytes, size_t count);

/* Returns the seconds of the monotonic clock. */
double clock_seconds(void);

void child_result_free(struct child_result *result);

/* Describe the end of a child for a message: "exit status 1", "killed by signal 11 (Segmentation
 * fault)", "still running after 60 s", "used more than 512 MB". */
void child_describe_end(const struct child_result *result, const struct child_limits *limits,
                        char *text, size_t text_size);

#endif
