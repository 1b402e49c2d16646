/* child_test.c: test the output and limits of a child, and that none of its processes remains. */
#define _GNU_SOURCE
#include "process/child.h"

#include "process/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const struct child_limits roomy = {
    .seconds = 20, .memory_bytes = 4ull << 30, .output_bytes = 1 << 20};
static const struct child_limits hasty = {
    .seconds = 1, .memory_bytes = 1ull << 30, .output_bytes = 1 << 20};

static struct child_result shell_run(const char *line, const struct child_limits *limits)
{
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};
    struct child_result result;
    struct failure failure = {0};
    assert_true(child_run_program(argv, NULL, NULL, limits, &result, &failure));
    return result;
}

static void output_and_messages_are_separate(void **state)
{
    (void)state;
    struct child_result result = shell_run("echo out; echo err >&2; exit 3", &roomy);
    assert_int_equal(result.end, CHILD_EXITED);
    assert_int_equal(result.code, 3);
    assert_string_equal(result.output, "out\n");
    assert_string_equal(result.messages, "err\n");
    assert_int_equal(result.output_bytes, 4);
    child_result_free(&result);
}

static void a_program_that_must_succeed_may_fail(void **state)
{
    static const struct {
        const char *line, *text;
        size_t output_bytes;
    } runs[] = {{"echo out", NULL, 100},
                {"echo why >&2; exit 3", "what (exit status 3): why", 100},
                {"echo 0123456789", "what (too much output): ", 5}};
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct child_limits limits = roomy;
        struct child_result result;
        struct failure failure = {0};
        struct arguments words = {0};
        limits.output_bytes = runs[i].output_bytes;
        ARGUMENTS_ADD(&words, "/bin/sh", "-c");
        arguments_add(&words, "%s", runs[i].line);
        assert_int_equal(words.count, 3);
        assert_null(words.words[3]);
        assert_int_equal(child_run_required((const char *const *)words.words, "what", &limits,
                                            &result, &failure),
                         !runs[i].text);
        assert_string_equal(failure.text, runs[i].text ? runs[i].text : "");
        if (!runs[i].text)
            child_result_free(&result);
        arguments_free(&words);
    }
}

static void arguments_are_not_interpreted(void **state)
{
    (void)state;
    const char *const argv[] = {"/bin/echo", "$(exit 1) `x` ; 'a' \"b\" *", "é", NULL};
    struct child_result result;
    struct failure failure = {0};
    assert_true(child_run_program(argv, NULL, NULL, &roomy, &result, &failure));
    assert_string_equal(result.output, "$(exit 1) `x` ; 'a' \"b\" * é\n");
    child_result_free(&result);
}

static void output_beyond_the_limit_is_dropped(void **state)
{
    (void)state;
    struct child_limits limits = roomy;
    limits.output_bytes = 1000;
    struct child_result result = shell_run("head -c 1000000 /dev/zero | tr '\\0' x", &limits);
    assert_int_equal(result.end, CHILD_EXITED);
    assert_int_equal(result.code, 0);
    assert_int_equal(result.output_bytes, 1000);
    assert_true(result.output_cut);
    assert_false(result.messages_cut);
    child_result_free(&result);
}

static void standard_input_is_empty(void **state)
{
    (void)state;
    struct child_result result = shell_run("cat; echo done", &roomy);
    assert_string_equal(result.output, "done\n");
    child_result_free(&result);
}

static void environment_and_directory_are_set(void **state)
{
    (void)state;
    const char *const argv[] = {"/bin/sh", "-c", "echo \"$A ${B-none}\"; pwd", NULL};
    const char *const environment[] = {"A=x=y", "B", NULL};
    struct child_result result;
    struct failure failure = {0};
    setenv("B", "set", 1);
    assert_true(child_run_program(argv, environment, "/", &roomy, &result, &failure));
    assert_string_equal(result.output, "x=y none\n/\n");
    assert_string_equal(getenv("B"), "set");
    child_result_free(&result);
}

static void missing_program_and_directory_are_reported(void **state)
{
    (void)state;
    const char *const argv[] = {"/nonexistent/program", NULL};
    struct child_result result;
    struct failure failure = {0};
    assert_true(child_run_program(argv, NULL, NULL, &roomy, &result, &failure));
    assert_int_equal(result.code, CHILD_CANNOT_RUN);
    assert_string_equal(result.messages,
                        "cannot run /nonexistent/program: No such file or directory\n");
    child_result_free(&result);
    assert_true(child_run_program(argv, NULL, "/nonexistent", &roomy, &result, &failure));
    assert_string_equal(result.messages, "cannot enter /nonexistent: No such file or directory\n");
    child_result_free(&result);
}

static void death_by_signal_is_reported(void **state)
{
    (void)state;
    char text[128];
    struct child_result result = shell_run("kill -SEGV $$", &roomy);
    assert_int_equal(result.end, CHILD_SIGNALLED);
    assert_int_equal(result.code, SIGSEGV);
    child_describe_end(&result, &roomy, text, sizeof text);
    assert_string_equal(text, "killed by signal 11 (Segmentation fault)");
    child_result_free(&result);
}

static bool is_alive(const char *pid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", atoi(pid));
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const char *name_end = strrchr(line, ')');
    return read && name_end != NULL && name_end[2] != 'Z';
}

static void deadline_ends_the_whole_group(void **state)
{
    (void)state;
    char text[128];
    struct timespec pause = {.tv_nsec = 1000000};
    struct child_result result = shell_run("sleep 100 & echo $!; sleep 100", &hasty);
    assert_int_equal(result.end, CHILD_TIMED_OUT);
    child_describe_end(&result, &hasty, text, sizeof text);
    assert_string_equal(text, "still running after 1 s");
    for (int i = 0; i < 1000 && is_alive(result.output); i++)
        nanosleep(&pause, NULL);
    assert_false(is_alive(result.output));
    child_result_free(&result);
}

static void helpers_without_streams_do_not_stay(void **state)
{
    (void)state;
    struct timespec pause = {.tv_nsec = 1000000};
    struct child_result result = shell_run("sleep 100 <&- >/dev/null 2>&1 & echo $!", &roomy);
    assert_int_equal(result.end, CHILD_EXITED);
    for (int i = 0; i < 1000 && is_alive(result.output); i++)
        nanosleep(&pause, NULL);
    assert_false(is_alive(result.output));
    child_result_free(&result);
}

static int spin(int output, void *context)
{
    volatile bool done = false;
    (void)output;
    (void)context;
    while (!done)
        continue;
    return 0;
}

static void functions_have_a_deadline_too(void **state)
{
    (void)state;
    struct child_result result;
    struct failure failure = {0};
    assert_true(child_run_function(spin, NULL, &hasty, &result, &failure));
    assert_int_equal(result.end, CHILD_TIMED_OUT);
    child_result_free(&result);
}

static int speak(int output, void *context)
{
    char *text = context;
    printf("to standard output\n");
    fprintf(stderr, "to standard error\n");
    if (write(output, text, strlen(text)) < 0)
        return 9;
    strcpy(text, "changed");
    return 5;
}

static void functions_run_in_a_copy(void **state)
{
    (void)state;
    char text[] = "original";
    struct child_result result;
    struct failure failure = {0};
    assert_true(child_run_function(speak, text, &roomy, &result, &failure));
    assert_int_equal(result.end, CHILD_EXITED);
    assert_int_equal(result.code, 5);
    assert_string_equal(result.output, "original");
    assert_string_equal(text, "original");
    assert_non_null(strstr(result.messages, "to standard output\n"));
    assert_non_null(strstr(result.messages, "to standard error\n"));
    child_result_free(&result);
}

static int swallow(int output, void *context)
{
    (void)context;
    void *memory =
        mmap(NULL, 3ull << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool refused = memory == MAP_FAILED && errno == ENOMEM;
    return write(output, refused ? "r" : "g", 1) != 1;
}

static void memory_is_limited(void **state)
{
    (void)state;
    struct child_result result;
    struct failure failure = {0};
    assert_true(child_run_function(swallow, NULL, &hasty, &result, &failure));
    assert_string_equal(result.output, "r");
    child_result_free(&result);
    assert_true(child_run_function(swallow, NULL, &roomy, &result, &failure));
    assert_string_equal(result.output, "g");
    child_result_free(&result);
}

static void memory_of_a_program_is_limited(void **state)
{
    (void)state;
    const char *line = "head -c 100000000 /dev/zero | tail -c 100000000 >/dev/null";
    struct child_limits limits = roomy;
    struct child_result result = shell_run(line, &limits);
    assert_int_equal(result.code, 0);
    child_result_free(&result);
    limits.data_bytes = 64 << 20;
    result = shell_run(line, &limits);
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.messages, "memory exhausted"));
    child_result_free(&result);
}

static int memory_touch(int output, void *context)
{
    (void)output;
    size_t bytes = *(size_t *)context;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; memory != MAP_FAILED && i < bytes; i += 4096)
        memory[i] = 1;
    return memory == MAP_FAILED;
}

/* Returns true if a function with a data limit of 64 MiB can allocate and write `bytes` bytes. */
static bool touches_are_granted(size_t bytes)
{
    struct child_limits limits = roomy;
    limits.memory_bytes = 1ull << 40;
    limits.data_bytes = 64 << 20;
    struct child_result result;
    struct failure failure = {0};
    char end[128];
    assert_true(child_run_function(memory_touch, &bytes, &limits, &result, &failure));
    child_describe_end(&result, &limits, end, sizeof end);
    bool granted = result.end == CHILD_EXITED && result.code == 0;
    if (!granted) {
        assert_int_equal(result.end, CHILD_OUTGREW_MEMORY);
        assert_string_equal(end, "used more than 64 MiB");
    }
    child_result_free(&result);
    return granted;
}

static void data_of_a_function_is_limited(void **state)
{
    (void)state;
    assert_true(touches_are_granted(60 << 20));
    assert_false(touches_are_granted(66 << 20));
    assert_false(touches_are_granted(4ull << 30));
}

static int grow_by_fork(int output, void *context)
{
    size_t bytes = 30 << 20;
    memory_touch(output, &bytes);
    for (int i = 0; i < 4 && fork() == 0; i++)
        memory_touch(output, &bytes);
    pause();
    (void)context;
    return 0;
}

static int share_by_fork(int output, void *context)
{
    size_t bytes = 300 << 20;
    memory_touch(output, &bytes);
    for (int i = 0; i < 4 && fork() == 0; i++)
        continue;
    pause();
    (void)context;
    return 0;
}

static void a_tree_of_processes_is_limited(void **state)
{
    (void)state;
    struct child_limits limits = hasty;
    struct child_result result;
    struct failure failure = {0};
    limits.data_bytes = 256 << 20;
    limits.tree_bytes = 1 << 30; /* sanitizers require much more than 150 MiB */
    assert_true(child_run_function(grow_by_fork, NULL, &limits, &result, &failure));
    assert_int_equal(result.end, CHILD_TIMED_OUT);
    child_result_free(&result);
    limits.data_bytes = 512 << 20;
    assert_true(child_run_function(share_by_fork, NULL, &limits, &result, &failure));
    assert_int_equal(result.end, CHILD_TIMED_OUT);
    child_result_free(&result);
    limits.tree_bytes = 100 << 20;
    limits.seconds = roomy.seconds; /* on a busy machine, growing takes longer */
    assert_true(child_run_function(grow_by_fork, NULL, &limits, &result, &failure));
    assert_int_equal(result.end, CHILD_OUTGREW_MEMORY);
    child_result_free(&result);
}

static bool confine_by_environment(bool executes, bool starts_others)
{
    return setenv("CONFINED", executes ? starts_others ? "driver" : "program" : "function", 1) == 0;
}

static bool confine_in_vain(bool executes, bool starts_others)
{
    (void)executes;
    (void)starts_others;
    errno = EPERM;
    return false;
}

static void a_child_is_confined_before_it_works(void **state)
{
    (void)state;
    struct child_limits limits = roomy;
    limits.confine = confine_by_environment;
    struct child_result result = shell_run("echo $CONFINED", &limits);
    assert_string_equal(result.output, "program\n");
    child_result_free(&result);
    limits.starts_others = true;
    result = shell_run("echo $CONFINED", &limits);
    assert_string_equal(result.output, "driver\n");
    child_result_free(&result);
    limits.confine = confine_in_vain;
    result = shell_run("echo worked", &limits);
    assert_int_equal(result.code, CHILD_CANNOT_RUN);
    assert_string_equal(result.output, "");
    assert_string_equal(result.messages, "cannot confine a process: Operation not permitted\n");
    child_result_free(&result);
}

static int look_for_descriptor(int output, void *context)
{
    bool open = fcntl(*(int *)context, F_GETFD) >= 0;
    return write(output, open ? "open" : "closed", open ? 4 : 6) < 0;
}

static void descriptors_are_not_inherited(void **state)
{
    (void)state;
    struct child_result result;
    struct failure failure = {0};
    int secret = open("/dev/null", O_RDONLY), high = dup2(secret, 200);
    assert_true(secret >= 0 && high == 200);
    assert_true(child_run_function(look_for_descriptor, &high, &roomy, &result, &failure));
    assert_string_equal(result.output, "closed");
    child_result_free(&result);
    result = shell_run("test -e /proc/self/fd/200 || echo closed", &roomy);
    assert_string_equal(result.output, "closed\n");
    child_result_free(&result);
    close(secret);
    close(high);
}

/* Start a program from this call and from `depth` nested calls, each of which uses more stack. */
static void programs_begin_from(unsigned depth)
{
    static const char *const argv[] = {"/bin/true", NULL};
    volatile char room[1000];
    struct child_result result;
    struct failure failure = {0};
    room[0] = 0;
    assert_true(child_run_program(argv, NULL, NULL, &hasty, &result, &failure));
    if (result.end != CHILD_EXITED || result.code != 0)
        fail_msg("at depth %u: end %d, code %d", depth, result.end, result.code);
    child_result_free(&result);
    if (depth > 0)
        programs_begin_from(depth - 1);
    assert_int_equal(room[0], 0);
}

/* With sanitizers, this process uses far more memory than the limit of its programs. */
static void programs_begin_at_any_depth_of_the_stack(void **state)
{
    (void)state;
    programs_begin_from(200);
}

static int echo_serve(int channel, void *context)
{
    struct frame frame;
    struct frame_reader reader;
    while (frame_receive(channel, 64, &frame, &reader)) {
        struct frame answer = {0};
        frame_put_number(&answer, frame_number(&reader, 100) + 1);
        frame_free(&frame);
        if (!frame_send(&answer, channel))
            return 1;
    }
    frame_free(&frame);
    return *(int *)context;
}

static void a_copy_works_beside_this_process(void **state)
{
    (void)state;
    struct child child;
    struct frame_reader reader;
    struct failure failure = {0};
    int code = 7;
    char text[CHILD_FAULT_SIZE];
    assert_true(child_start(&child, echo_serve, &code, &failure));
    for (unsigned i = 0; i < 3; i++) {
        struct frame frame = {0};
        frame_put_number(&frame, i);
        assert_true(frame_send(&frame, child.channel));
        assert_true(child_await(&child, 900));
        assert_true(frame_receive(child.channel, 64, &frame, &reader));
        assert_int_equal(frame_number(&reader, 100), i + 1);
        frame_free(&frame);
    }
    assert_string_equal(child_fault(child_end(&child, false), text), "ended with exit status 7");
    assert_int_equal(child_end(&child, false), 0);
}

static int leave(int channel, void *context)
{
    (void)channel, (void)context;
    return 0;
}

static void sending_to_a_copy_that_has_gone_fails(void **state)
{
    (void)state;
    struct child child;
    struct failure failure = {0};
    assert_true(child_start(&child, leave, NULL, &failure));
    assert_true(child_await(&child, 900));
    assert_false(child_send(child.channel, "word", 4));
    assert_int_equal(child_end(&child, false), 0);
}

static void a_copy_that_says_nothing_is_ended(void **state)
{
    (void)state;
    struct child child;
    struct failure failure = {0};
    char text[CHILD_FAULT_SIZE];
    assert_true(child_start(&child, spin, NULL, &failure));
    assert_false(child_await(&child, 0));
    assert_string_equal(child_fault(child_end(&child, true), text),
                        "was killed by signal 9 (Killed)");
    assert_int_equal(child.pid, 0);
    assert_null(child_fault(0, text));
}

static bool environment_prepare(const void *context)
{
    return context != NULL && setenv("CODE", context, 1) == 0;
}

static void a_program_in_the_terminal_is_waited_for(void **state)
{
    (void)state;
    char *const program[] = {"sh", "-c", "exit $CODE", NULL}, *const none[] = {"/nonexistent",
                                                                               NULL};
    struct failure failure = {0};
    int status;
    char text[CHILD_FAULT_SIZE];
    assert_true(child_run_in_terminal(program, environment_prepare, "3", &status, &failure));
    assert_string_equal(child_fault(status, text), "ended with exit status 3");
    assert_true(child_run_in_terminal(program, environment_prepare, "0", &status, &failure));
    assert_null(child_fault(status, text));
    assert_false(child_run_in_terminal(none, environment_prepare, "0", &status, &failure));
    assert_string_equal(failure.text, "cannot run /nonexistent: No such file or directory");
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* The sum of the reported processor times equals RUSAGE_CHILDREN of this process. */
static void processor_time_is_what_the_kernel_accounts(void **state)
{
    enum { MOST_RUNS = 1000 };
    const char *const argv[] = {"/bin/sh", "-c",
                                "i=0; while [ $i -lt 300 ]; do i=$((i + 1)); done 2>/dev/null; "
                                "while [ $i -lt 500 ]; do i=$((i + 1)); : </dev/null; done",
                                NULL};
    struct rusage begin, end;
    double sum = 0, user = 0, system = 0;
    unsigned runs = 0;
    (void)state;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &begin), 0);
    for (; runs < MOST_RUNS && (user < 1e-3 || system < 1e-3); runs++) {
        struct child_result result;
        struct failure failure = {0};
        assert_true(child_run_program(argv, NULL, NULL, &roomy, &result, &failure));
        sum += result.processor_seconds;
        child_result_free(&result);
        assert_int_equal(getrusage(RUSAGE_CHILDREN, &end), 0);
        user = seconds_of(end.ru_utime) - seconds_of(begin.ru_utime);
        system = seconds_of(end.ru_stime) - seconds_of(begin.ru_stime);
    }
    const double rounding = 2e-6 * (runs + 1);
    if (sum < user + system - rounding || sum > user + system + rounding)
        fail_msg("%f s instead of %f s in user mode and %f s in the kernel", sum, user, system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_messages_are_separate),
        cmocka_unit_test(a_program_that_must_succeed_may_fail),
        cmocka_unit_test(arguments_are_not_interpreted),
        cmocka_unit_test(output_beyond_the_limit_is_dropped),
        cmocka_unit_test(standard_input_is_empty),
        cmocka_unit_test(environment_and_directory_are_set),
        cmocka_unit_test(missing_program_and_directory_are_reported),
        cmocka_unit_test(death_by_signal_is_reported),
        cmocka_unit_test(deadline_ends_the_whole_group),
        cmocka_unit_test(helpers_without_streams_do_not_stay),
        cmocka_unit_test(functions_have_a_deadline_too),
        cmocka_unit_test(functions_run_in_a_copy),
        cmocka_unit_test(processor_time_is_what_the_kernel_accounts),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(memory_of_a_program_is_limited),
        cmocka_unit_test(data_of_a_function_is_limited),
        cmocka_unit_test(a_tree_of_processes_is_limited),
        cmocka_unit_test(a_child_is_confined_before_it_works),
        cmocka_unit_test(descriptors_are_not_inherited),
        cmocka_unit_test(programs_begin_at_any_depth_of_the_stack),
        cmocka_unit_test(a_copy_works_beside_this_process),
        cmocka_unit_test(sending_to_a_copy_that_has_gone_fails),
        cmocka_unit_test(a_copy_that_says_nothing_is_ended),
        cmocka_unit_test(a_program_in_the_terminal_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
