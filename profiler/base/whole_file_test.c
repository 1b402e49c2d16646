/* whole_file_test.c: only one process has a lock at a time, and links are not followed. */
#define _GNU_SOURCE
#include "base/whole_file.h"

#include "base/paths.h"
#include "base/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000, GLANCE_MS = 200 };

static char place[PATH_SIZE];

static int setup(void **state)
{
    (void)state;
    struct failure failure = {0};
    return !scratch_make(place, "whole_file", &failure);
}

static int teardown(void **state)
{
    (void)state;
    return !scratch_remove(place);
}

static void path_of(const char *name, char path[PATH_SIZE])
{
    assert_true(path_format(path, &(struct failure){0}, "%s/%s", place, name));
}

/* A process that locks the file, reports the lock, and waits until it is killed. */
struct grader {
    pid_t process;
    int says;
};

static struct grader start_grader(void)
{
    char path[PATH_SIZE];
    int ends[2];
    path_of("lock", path);
    assert_int_equal(pipe(ends), 0);
    struct grader grader = {.process = fork(), .says = ends[0]};
    assert_true(grader.process >= 0);
    if (!grader.process) {
        alarm(1800);
        bool taken = file_lock(path, 0600, -1) >= 0;
        if (write(ends[1], taken ? "y" : "n", 1) == 1)
            pause();
        _exit(1);
    }
    close(ends[1]);
    return grader;
}

/* Returns the byte that the process has sent; 0 if no byte arrives within `milliseconds`. */
static char answer(const struct grader *grader, int milliseconds)
{
    struct pollfd wait = {.fd = grader->says, .events = POLLIN};
    char said = 0;
    if (poll(&wait, 1, milliseconds) == 1)
        assert_int_equal(read(grader->says, &said, 1), 1);
    return said;
}

static void end_grader(struct grader *grader)
{
    kill(grader->process, SIGKILL);
    assert_int_equal(waitpid(grader->process, NULL, 0), grader->process);
    close(grader->says);
}

static void one_grader_at_a_time(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    path_of("lock", path);
    int lock = file_lock(path, 0600, 0);
    assert_true(lock >= 0);
    struct grader second = start_grader(), third = start_grader();
    assert_int_equal(answer(&second, GLANCE_MS), 0);
    assert_int_equal(answer(&third, GLANCE_MS), 0);
    errno = 0;
    assert_int_equal(file_lock(path, 0600, 10), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    file_unlock(lock);
    struct pollfd waits[] = {{.fd = second.says, .events = POLLIN},
                             {.fd = third.says, .events = POLLIN}};
    assert_int_equal(poll(waits, 2, PATIENCE_MS), 1);
    struct grader *has = waits[0].revents ? &second : &third;
    struct grader *waits_still = waits[0].revents ? &third : &second;
    assert_int_equal(answer(has, 0), 'y');
    assert_int_equal(answer(waits_still, GLANCE_MS), 0);
    end_grader(has);
    assert_int_equal(answer(waits_still, PATIENCE_MS), 'y');
    end_grader(waits_still);
}

static void a_link_is_not_followed(void **state)
{
    (void)state;
    char path[PATH_SIZE], other[PATH_SIZE];
    path_of("link", path);
    path_of("other", other);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(file_lock(path, 0600, 0), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(access(other, F_OK), -1);
}

static void trouble_is_explained(void **state)
{
    (void)state;
    assert_int_equal(file_lock("/nonexistent/lock", 0600, -1), -1);
    assert_int_equal(errno, ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_grader_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(a_link_is_not_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(trouble_is_explained, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
