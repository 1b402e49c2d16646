/* Tests of the pool: every task runs once, and tasks that die or do not end are reported. */
#define _GNU_SOURCE
#include "process/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 20 };

struct notes {
    volatile unsigned started[COUNT];
    volatile unsigned running, most_running;
    unsigned finished[COUNT];
    char why[COUNT][256];
    size_t stop_at;
};

static struct notes *notes;

static int enter(void **state)
{
    (void)state;
    notes = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (notes == MAP_FAILED)
        return -1;
    notes->stop_at = COUNT;
    return 0;
}

static int leave(void **state)
{
    (void)state;
    return munmap(notes, sizeof *notes);
}

static void begin(size_t task)
{
    notes->started[task]++;
    unsigned running = __sync_add_and_fetch(&notes->running, 1);
    if (running > notes->most_running)
        notes->most_running = running;
}

static bool work(void *context, size_t task, struct failure *failure)
{
    const char *what = context;
    begin(task);
    usleep(20000);
    __sync_sub_and_fetch(&notes->running, 1);
    if (task == 3 && !strcmp(what, "hang"))
        pause();
    if (task == 3 && !strcmp(what, "crash")) {
        signal(SIGSEGV, SIG_DFL); /* otherwise, the test framework would catch the signal */
        raise(SIGSEGV);
    }
    if (task == 3 && !strcmp(what, "crash once") && notes->started[3] == 1)
        raise(SIGKILL);
    if (task == 3 && !strcmp(what, "fail"))
        return failure_harness(failure, "no luck");
    if (task == 3 && !strcmp(what, "silent"))
        return false;
    return true;
}

static bool finished(void *context, size_t task, const struct failure *why, struct failure *failure)
{
    (void)context;
    notes->finished[task]++;
    if (why->kind != FAILURE_NONE)
        snprintf(notes->why[task], sizeof notes->why[task], "%.200s", why->text);
    return task != notes->stop_at || failure_harness(failure, "stopped");
}

static bool run(const char *what, unsigned jobs, struct failure *failure)
{
    struct pool pool = {.count = COUNT,
                        .jobs = jobs,
                        .seconds = 1,
                        .context = (void *)what,
                        .work = work,
                        .finished = finished};
    *failure = (struct failure){0};
    return pool_run(&pool, failure);
}

static void assert_all_but_3_are_done(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(notes->finished[i], 1);
        if (i != 3) {
            assert_int_equal(notes->started[i], 1);
            assert_string_equal(notes->why[i], "");
        }
    }
}

static void test_each_once(void **state)
{
    (void)state;
    struct failure failure;
    signal(SIGCHLD, SIG_IGN); /* some parents ignore SIGCHLD */
    assert_true(run("", 4, &failure));
    assert_all_but_3_are_done();
    assert_int_equal(notes->started[3], 1);
    assert_true(notes->most_running <= 4 && notes->most_running >= 2);
}

static void test_more_jobs_than_tasks(void **state)
{
    (void)state;
    struct failure failure;
    assert_true(run("", 64, &failure));
    assert_all_but_3_are_done();
}

static void test_crash(void **state)
{
    (void)state;
    struct failure failure;
    assert_true(run("crash", 2, &failure));
    assert_all_but_3_are_done();
    assert_int_equal(notes->started[3], 2);
    assert_non_null(strstr(notes->why[3], "the process "));
}

static void test_crash_once(void **state)
{
    (void)state;
    struct failure failure;
    assert_true(run("crash once", 2, &failure));
    assert_all_but_3_are_done();
    assert_int_equal(notes->started[3], 2);
    assert_string_equal(notes->why[3], "");
}

static void test_out_of_time(void **state)
{
    (void)state;
    struct failure failure;
    assert_true(run("hang", 2, &failure));
    assert_all_but_3_are_done();
    assert_int_equal(notes->started[3], 2);
    assert_string_equal(notes->why[3], "the process was still running after 1 s");
}

static void test_failures(void **state)
{
    (void)state;
    struct failure failure;
    assert_true(run("fail", 2, &failure));
    assert_all_but_3_are_done();
    assert_int_equal(notes->started[3], 1);
    assert_string_equal(notes->why[3], "no luck");
}

static void test_silent_failure(void **state)
{
    (void)state;
    struct failure failure;
    assert_true(run("silent", 2, &failure));
    assert_string_equal(notes->why[3], "the process ended with exit status 1");
}

static void test_stopped(void **state)
{
    (void)state;
    struct failure failure;
    notes->stop_at = 2;
    assert_false(run("", 2, &failure));
    assert_string_equal(failure.text, "stopped");
    assert_int_equal(notes->started[COUNT - 1], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_once),      TEST(test_more_jobs_than_tasks),
        TEST(test_crash),          TEST(test_crash_once),
        TEST(test_out_of_time),    TEST(test_failures),
        TEST(test_silent_failure), TEST(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
