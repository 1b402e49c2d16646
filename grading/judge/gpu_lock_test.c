/* gpu_lock_test.c: the lock of the GPU, where somebody else was there first.
 */
#define _GNU_SOURCE
#include "judge/gpu_lock.h"

#include "base/paths.h"
#include "base/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOMEBODY_ELSE = 54321, PATIENCE_MS = 10000, GLANCE_MS = 200 };

static char place[PATH_SIZE];

static int setup(void **state)
{
    (void)state;
    struct failure failure = {0};
    return !scratch_make(place, "gpu_lock", &failure);
}

static int teardown(void **state)
{
    (void)state;
    return !scratch_remove(place);
}

static void path_of(const char *name, char path[PATH_SIZE])
{
    assert_true(snprintf(path, PATH_SIZE, "%s/tlab-gpu-%u%s", place, (unsigned)geteuid(), name) <
                PATH_SIZE);
}

/* ---- A grader in a process of its own ---- */

/* It takes the lock, says so, and keeps it until it is killed. */
struct grader {
    pid_t process;
    int says;
};

static struct grader start_grader(void)
{
    int ends[2], lock;
    struct failure failure = {0};
    assert_int_equal(pipe(ends), 0);
    struct grader grader = {.process = fork(), .says = ends[0]};
    assert_true(grader.process >= 0);
    if (!grader.process) {
        alarm(60); /* it does not outlive a test that fails */
        bool taken = gpu_lock_take(place, &lock, &failure);
        if (write(ends[1], taken ? "y" : "n", 1) == 1)
            pause();
        _exit(1);
    }
    close(ends[1]);
    return grader;
}

/* 'y' or 'n'; 0: it still waits. */
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

/* ---- Tests ---- */

static void one_grader_at_a_time(void **state)
{
    (void)state;
    int lock;
    struct failure failure = {0};
    assert_true(gpu_lock_take(place, &lock, &failure));
    struct grader second = start_grader(), third = start_grader();
    assert_int_equal(answer(&second, GLANCE_MS), 0);
    assert_int_equal(answer(&third, GLANCE_MS), 0);
    gpu_lock_release(lock);
    struct pollfd waits[] = {{.fd = second.says, .events = POLLIN},
                             {.fd = third.says, .events = POLLIN}};
    assert_int_equal(poll(waits, 2, PATIENCE_MS), 1);
    struct grader *has = waits[0].revents ? &second : &third;
    struct grader *waits_still = waits[0].revents ? &third : &second;
    assert_int_equal(answer(has, 0), 'y');
    assert_int_equal(answer(waits_still, GLANCE_MS), 0);
    end_grader(has); /* who dies gives it back */
    assert_int_equal(answer(waits_still, PATIENCE_MS), 'y');
    end_grader(waits_still);
}

/* What another user can have put there before the first grader came, under any name that can be
 * guessed. What stands for somebody else's lock is held for good. */
static void nobody_can_take_it_first(void **state)
{
    (void)state;
    char path[PATH_SIZE], own[PATH_SIZE];
    int lock, held;
    struct failure failure = {0};

    path_of(".lock", path); /* a file, which all may open and which is locked */
    held = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    assert_true(held >= 0);
    assert_int_equal(flock(held, LOCK_EX), 0);
    path_of("-000000", path); /* a link to a directory of ours */
    assert_true(snprintf(own, sizeof own, "%s/own", place) < PATH_SIZE);
    assert_int_equal(mkdir(own, 0700), 0);
    assert_int_equal(symlink(own, path), 0);
    path_of("-000001", path); /* one that leads nowhere */
    assert_int_equal(symlink("/nonexistent/directory", path), 0);
    path_of("-000002", path); /* a pipe, which would make us wait for its other end */
    assert_int_equal(mkfifo(path, 0666), 0);
    path_of("-000003", path); /* a directory that all can enter, and so lock */
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chmod(path, 0755), 0);
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(directory, LOCK_EX), 0);
    path_of("-000004", path); /* another user's */
    assert_int_equal(mkdir(path, 0700), 0);
    bool foreign = !chown(path, SOMEBODY_ELSE, SOMEBODY_ELSE);
    int theirs = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(theirs, LOCK_EX), 0);
    if (!foreign) /* only root can give it away */
        assert_int_equal(rmdir(path), 0);

    struct grader grader = start_grader();
    assert_int_equal(answer(&grader, PATIENCE_MS), 'y');
    struct grader second = start_grader(); /* and it is one lock for all graders */
    assert_int_equal(answer(&second, GLANCE_MS), 0);
    end_grader(&grader);
    assert_int_equal(answer(&second, PATIENCE_MS), 'y');
    end_grader(&second);
    assert_true(gpu_lock_take(place, &lock, &failure));
    gpu_lock_release(lock);
    close(held);
    close(directory);
    close(theirs);
    assert_int_equal(rmdir(own), 0); /* nothing was put into it */
}

static void trouble_is_explained(void **state)
{
    (void)state;
    int lock;
    struct failure failure = {0};
    assert_false(gpu_lock_take("/nonexistent", &lock, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, "lock of the GPU in /nonexistent: No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_grader_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_can_take_it_first, setup, teardown),
        cmocka_unit_test_setup_teardown(trouble_is_explained, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
