/* sign.c: see sign.h. */
#define _GNU_SOURCE
#include "class/sign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTENT_SIZE = 24 };

/* Opened and closed each time, which is when a network file system brings both sides together. */
static bool sign_write(const char *path, uint64_t count, int flags)
{
    char text[CONTENT_SIZE];
    int length = snprintf(text, sizeof text, "%020" PRIu64 "\n", count);
    int file = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (file < 0)
        return false;
    bool written = write(file, text, (size_t)length) == length;
    return close(file) == 0 && written;
}

uint64_t sign_read(const char *path)
{
    char text[CONTENT_SIZE] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    return length > 0 ? strtoull(text, NULL, 10) : 0;
}

pid_t sign_give(const char *path, struct failure *failure)
{
    pid_t parent = getpid();
    if (!sign_write(path, 1, O_CREAT)) {
        failure_harness(failure, "cannot write %s: %s", path, strerror(errno));
        return -1;
    }
    pid_t process = fork();
    if (process < 0)
        failure_harness(failure, "cannot make a process: %s", strerror(errno));
    if (process)
        return process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (uint64_t count = 2; getppid() == parent; count++) {
        sleep(SIGN_SECONDS);
        if (!sign_write(path, count, 0) && errno == ENOENT && getppid() == parent)
            kill(parent, SIGKILL);
    }
    _exit(0);
}

void sign_end(pid_t process, const char *path)
{
    if (process <= 0)
        return;
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    unlink(path);
}
