/* sign_test.c: a task's sign changes while it lives, and the task ends when it is taken away. */
#define _GNU_SOURCE
#include "class/sign.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/sign_test_XXXXXX", path[64];

static int enter(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    strcpy(path, directory);
    strcat(path, "/1_2.alive");
    return 0;
}

static int leave(void **state)
{
    (void)state;
    return rmdir(directory);
}

/* A task that works for much longer than the test. */
static pid_t start_task(void)
{
    pid_t task = fork();
    if (!task) {
        struct failure failure = {0};
        if (sign_give(path, &failure) > 0)
            sleep(60);
        _exit(0);
    }
    for (unsigned i = 0; i < 100 && !sign_read(path); i++)
        usleep(20000);
    return task;
}

static uint64_t next_sign(uint64_t before)
{
    uint64_t sign = before;
    for (unsigned i = 0; i < 100 * SIGN_SECONDS && sign == before; i++) {
        usleep(20000);
        sign = sign_read(path);
    }
    return sign;
}

static void a_sign_changes_until_the_task_is_gone(void **state)
{
    (void)state;
    int status;
    pid_t task = start_task();
    uint64_t first = sign_read(path), second = next_sign(first);
    assert_true(first > 0 && second > first);
    assert_int_equal(kill(task, SIGKILL), 0);
    assert_int_equal(waitpid(task, &status, 0), task);
    usleep(100000); /* the other process dies with it */
    second = sign_read(path);
    sleep(SIGN_SECONDS + 1);
    assert_int_equal(sign_read(path), second);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(sign_read(path), 0);
}

static void a_task_ends_when_its_sign_is_taken_away(void **state)
{
    (void)state;
    int status;
    pid_t task = start_task();
    assert_true(task > 0 && sign_read(path) > 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(waitpid(task, &status, 0), task);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(sign_read(path), 0); /* and does not come back */
}

static void the_end_leaves_nothing(void **state)
{
    (void)state;
    struct failure failure = {0};
    pid_t process = sign_give(path, &failure);
    assert_true(process > 0 && sign_read(path) == 1);
    sign_end(process, path);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(sign_give("/nonexistent/sign", &failure), -1);
    assert_int_equal(failure.kind, FAILURE_HARNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sign_changes_until_the_task_is_gone),
        cmocka_unit_test(a_task_ends_when_its_sign_is_taken_away),
        cmocka_unit_test(the_end_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
