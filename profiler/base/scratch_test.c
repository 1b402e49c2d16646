/* scratch_test.c: checks that only the directories of killed processes are removed. */
#define _GNU_SOURCE
#include "base/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char place[] = "/tmp/scratch_test.XXXXXX";

static int place_make(void **state)
{
    (void)state;
    return !mkdtemp(place) || setenv("TMPDIR", place, 1);
}

static int place_remove(void **state)
{
    (void)state;
    return !scratch_remove(place);
}

static void put(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *path)
{
    struct stat status;
    return !lstat(path, &status);
}

static pid_t start_maker(char path[PATH_SIZE])
{
    int names[2];
    assert_int_equal(pipe(names), 0);
    pid_t process = fork();
    if (!process) {
        struct failure failure = {0};
        char inside[PATH_SIZE + 16];
        if (!scratch_make(path, "test", &failure))
            _exit(1);
        snprintf(inside, sizeof inside, "%s/file", path);
        put(inside);
        snprintf(inside, sizeof inside, "%s/link", path);
        if (symlink("/tmp", inside) || write(names[1], path, PATH_SIZE) != PATH_SIZE)
            _exit(1);
        pause();
        _exit(0);
    }
    close(names[1]);
    assert_int_equal(read(names[0], path, PATH_SIZE), PATH_SIZE);
    close(names[0]);
    return process;
}

static void end_maker(pid_t process)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

static void what_the_dead_leave_is_swept(void **state)
{
    (void)state;
    char first[PATH_SIZE], second[PATH_SIZE], living[PATH_SIZE];
    pid_t one = start_maker(first), other = start_maker(second), last = start_maker(living);
    scratch_sweep("test");
    assert_true(is_there(first) && is_there(second) && is_there(living));
    end_maker(one);
    end_maker(other);
    scratch_sweep("other");
    assert_true(is_there(first));
    scratch_sweep("test");
    assert_false(is_there(first));
    assert_false(is_there(second));
    assert_true(is_there(living));
    assert_true(is_there("/tmp"));
    end_maker(last);
    scratch_sweep("test");
    assert_false(is_there(living));
}

static void own_files_are_retained(void **state)
{
    (void)state;
    char path[PATH_SIZE], next[PATH_SIZE];
    struct failure failure = {0};
    assert_true(scratch_make(path, "test", &failure));
    assert_true(scratch_make(next, "test", &failure));
    scratch_sweep("test");
    assert_true(is_there(path) && is_there(next));
    assert_true(scratch_remove(path));
    scratch_sweep("test");
    assert_true(!is_there(path) && is_there(next));
    assert_true(scratch_remove(next));
}

static void what_is_being_removed_is_held(void **state)
{
    (void)state;
    enum { TIMES = 300, FILES = 40 };
    pid_t parent = getpid(), sweeper = fork();
    assert_true(sweeper >= 0);
    while (!sweeper && getppid() == parent)
        scratch_sweep("test");
    if (!sweeper)
        _exit(0);
    unsigned lost = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        char path[PATH_SIZE], inside[PATH_SIZE + 16];
        struct failure failure = {0};
        assert_true(scratch_make(path, "test", &failure));
        for (unsigned f = 0; f < FILES; f++) {
            snprintf(inside, sizeof inside, "%s/%u", path, f);
            put(inside);
        }
        lost += !scratch_remove(path);
    }
    assert_int_equal(kill(sweeper, SIGKILL), 0);
    assert_int_equal(waitpid(sweeper, NULL, 0), sweeper);
    assert_int_equal(lost, 0);
}

static void similar_names_are_retained(void **state)
{
    (void)state;
    char target[PATH_SIZE], inside[PATH_SIZE + 16], path[PATH_SIZE];
    snprintf(target, sizeof target, "%s/precious", place);
    snprintf(inside, sizeof inside, "%s/file", target);
    assert_int_equal(mkdir(target, 0700), 0);
    put(inside);
    snprintf(path, sizeof path, "%s/tlab-test-AAAAAA", place);
    assert_int_equal(symlink(target, path), 0);
    snprintf(path, sizeof path, "%s/tlab-test-BBBBBB", place);
    put(path);
    snprintf(path, sizeof path, "%s/tlab-test-CCCCCC",
             place); /* a FIFO would block a process that opens it */
    assert_int_equal(mkfifo(path, 0600), 0);
    static const char *const names[] = {"tlab-test-DDDDDDD", "tlab-test-", "xtlab-test-EEEEEE",
                                        "tlab-test", "tlab-new-FFFFFF"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", place, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    scratch_sweep("test");
    assert_true(is_there(inside));
    for (char letter = 'A'; letter <= 'C'; letter++) {
        snprintf(path, sizeof path, "%s/tlab-test-%c%c%c%c%c%c", place, letter, letter, letter,
                 letter, letter, letter);
        assert_true(is_there(path));
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", place, names[i]);
        assert_true(is_there(path));
    }
}

static void files_of_others_are_retained(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    if (geteuid())
        skip();
    snprintf(path, sizeof path, "%s/tlab-test-ABCDEF", place);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chown(path, 65534, 65534), 0);
    scratch_sweep("test");
    assert_true(is_there(path));
    assert_int_equal(chown(path, 0, 0), 0);
    scratch_sweep("test");
    assert_false(is_there(path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_dead_leave_is_swept),
        cmocka_unit_test(own_files_are_retained),
        cmocka_unit_test(what_is_being_removed_is_held),
        cmocka_unit_test(similar_names_are_retained),
        cmocka_unit_test(files_of_others_are_retained),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
