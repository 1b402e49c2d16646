/* child.h: every process that this program starts.
 *
 *   - child_run_program and child_run_function run a program, or a function in a copy of this
 *     process, under limits, and collect its output. Compilers read untrusted source: they may
 *     crash, loop or swallow memory. Such a child has no terminal input, no descriptors of ours, a
 *     process group that dies as a whole when its time is up, and no core dumps.
 *   - child_start starts a copy of this process that works beside it. The two exchange frames
 *     (frame.h) through a socket.
 *   - child_run_in_terminal runs a program of the user's as it is.
 */
#ifndef CHILD_H
#define CHILD_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel enforces what it can: time, address space and data of each process. */
struct child_limits {
    unsigned seconds;      /* of wall-clock time, and of CPU time of each process */
    uint64_t memory_bytes; /* of address space (for a function: beyond what this process has) */
    size_t output_bytes;   /* kept of each stream; the rest is read and dropped */
    /* Of private writable memory, reserved or touched (RLIMIT_DATA; for a function: beyond what
     * this process has); 0: no limit. Allocations beyond it fail, and a function that then fails
     * with errno ENOMEM ends as CHILD_OUTGREW_MEMORY. A compilation of a lab takes 11 MB (clang
     * 14), 35 MB (NVRTC 13) or 80 MB (cicc, behind nvcc). */
    uint64_t data_bytes;
    /* Of resident memory of the child and all its descendants together, what they share (for a
     * function, with this process, too) counted once; 0: no limit. The kernel bounds a tree of
     * processes only in a cgroup, which we may not make on most machines; so the tree is looked at
     * every CHILD_WATCH_MILLISECONDS, in /proc, and may overshoot in between by what the limits of
     * each process leave. */
    uint64_t tree_bytes;
    /* Of processor time of all of them together; 0: no limit. Looked at in the same way where
     * there may be several; a function that starts no others (no tree_bytes) ends within a
     * second of it. */
    double tree_seconds;
    /* NULL, or called in the child before its work: gives up further rights. `executes`: the child
     * is a program that is yet to be started, and its limits to be set; `starts_others`: as below.
     * False: the child ends as CHILD_CANNOT_RUN, with errno as the reason. */
    bool (*confine)(bool executes, bool starts_others);
    bool starts_others; /* the program works through programs of its own, as nvcc does */
};

enum { CHILD_WATCH_MILLISECONDS = 50 };

enum child_end { CHILD_EXITED, CHILD_SIGNALLED, CHILD_TIMED_OUT, CHILD_OUTGREW_MEMORY };

/* What a child left: NUL-terminated texts that child_result_free releases. */
struct child_result {
    enum child_end end;
    int code;       /* exit status, or the signal's number */
    uint64_t limit; /* CHILD_OUTGREW_MEMORY: how many bytes it was given */
    /* Processor time of the child and its descendants, as far as it was seen: what one that nobody
     * waits for does within CHILD_WATCH_MILLISECONDS of its end is not. */
    double processor_seconds;
    char *output, *messages;
    size_t output_bytes, messages_bytes;
    bool output_cut, messages_cut; /* more than output_bytes came */
};

/* Exit status of a child that could not be started; its messages say why. */
enum { CHILD_CANNOT_RUN = 127 };

/* Run argv[0] (a path; PATH is not searched) with arguments argv, which ends with NULL, never
 * through a shell. `environment` (NULL-ended "NAME=VALUE", or "NAME" to remove it; may be NULL)
 * changes the inherited environment, `directory` (may be NULL) the working directory. Standard
 * output goes to result->output, standard error to result->messages.
 * False: this process could not make a child (harness failure); how the child ended is no failure.
 */
bool child_run_program(const char *const argv[], const char *const environment[],
                       const char *directory, const struct child_limits *limits,
                       struct child_result *result, struct failure *failure);

/* Run `function` in a forked copy of this process. What it writes to the descriptor `output`
 * becomes result->output, all that it prints becomes result->messages, what it returns its exit
 * status. */
bool child_run_function(int (*function)(int output, void *context), void *context,
                        const struct child_limits *limits, struct child_result *result,
                        struct failure *failure);

/* A copy of this process, and our end of the socket between the two; zeroed: none. */
struct child {
    pid_t pid;
    int channel;
};

/* Start a copy of this process that calls `function` with its end of the socket and then exits with
 * what that returns. The copy has no limits, and dies with this process. Both ignore SIGPIPE from
 * then on. */
bool child_start(struct child *child, int (*function)(int channel, void *context), void *context,
                 struct failure *failure);

/* Wait until the child has sent something or has closed its end. False: neither happened. */
bool child_await(const struct child *child, unsigned seconds);

/* End the child, by SIGKILL or (`at_once` false) by itself: our end of the socket is closed.
 * Returns its wait status; 0 if there is no child. */
int child_end(struct child *child, bool at_once);

/* Run program[0], which is looked up in PATH, to its end, in this terminal; *wait_status is
 * waitpid's. Signals from the terminal are the program's business; others are passed on to it.
 * `prepare` is called in the child before it becomes the program (environment, descriptors); false
 * with errno: it cannot. Harness failure: the program could not be started. */
bool child_run_in_terminal(char *const program[], bool (*prepare)(const void *context),
                           const void *context, int *wait_status, struct failure *failure);

enum { CHILD_FAULT_SIZE = 64 };

/* "ended with exit status 3", "was killed by signal 11 (Segmentation fault)"; NULL: it
 * succeeded. */
const char *child_fault(int wait_status, char text[CHILD_FAULT_SIZE]);

/* Write all bytes to a descriptor; a function that runs in a child sends its `output` so. False:
 * nobody reads any more, or the disk is full (errno). */
bool child_send(int output, const void *bytes, size_t count);

void child_result_free(struct child_result *result);

/* How the child ended, for a message: "exit status 1", "killed by signal 11 (Segmentation fault)",
 * "still running after 60 s", "used more than 512 MB". */
void child_describe_end(const struct child_result *result, const struct child_limits *limits,
                        char *text, size_t text_size);

#endif
