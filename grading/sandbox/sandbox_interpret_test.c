/* sandbox_interpret_test.c: tests that an honest run works, and that attempts to escape fail.
 * check: whole */
#define _GNU_SOURCE
#include "process/allocate.h"
#include "process/frame.h"
#include "process/parallel.h"
#include "sandbox/sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct sandbox_limits limits = {.seconds = 20, .memory_bytes = 512 << 20};

struct outcome {
    bool good;
    char answer[16];
    struct failure failure;
};

static struct outcome interpret(bool (*function)(int, void *), void *context,
                                const struct sandbox_limits *bounds)
{
    struct outcome outcome = {0};
    outcome.good = sandbox_interpret(function, context, bounds, NULL, outcome.answer,
                                     sizeof outcome.answer, &outcome.failure);
    return outcome;
}

static void assert_untrusted(bool (*function)(int, void *), const char *because)
{
    struct outcome outcome = interpret(function, NULL, &limits);
    assert_false(outcome.good);
    assert_int_equal(outcome.failure.kind, FAILURE_STUDENT);
    assert_int_equal(outcome.failure.status, STATUS_UNTRUSTED);
    if (strstr(outcome.failure.text, because) == NULL)
        fail_msg("expected \"%s\" in: %s", because, outcome.failure.text);
}

static bool answer(int output, const char *text)
{
    struct frame frame = {0};
    char bytes[16] = "";
    memcpy(bytes, text, strnlen(text, sizeof bytes - 1));
    frame_put_bytes(&frame, bytes, sizeof bytes);
    return frame_send(&frame, output);
}

static int compare_bytes(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void count_body(void *context, unsigned index, unsigned count)
{
    (void)index;
    (void)count;
    __atomic_add_fetch((int *)context, 1, __ATOMIC_RELAXED);
}

static bool work_honestly(int output, void *context)
{
    const char *word = context;
    size_t bytes = 160 << 20; /* doubled below; the emulator needs 170 MB for 4096 x 4096 */
    struct timespec now;
    unsigned char *memory = malloc(bytes), *more;
    if (memory == NULL || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return false;
    memset(memory, now.tv_sec & 1 ? 3 : 5, bytes);
    more = realloc(memory, 2 * bytes);
    if (more == NULL)
        return false;
    qsort(more, 1 << 16, 1, compare_bytes);
    free(more);
    int bodies = 0;
    parallel_run(4, count_body, &bodies);
    printf("a message\n");
    fprintf(stderr, "another\n");
    return bodies == 4 && answer(output, word);
}

static void honest_work_is_answered(void **state)
{
    (void)state;
    struct outcome outcome = interpret(work_honestly, "verdict", &limits);
    assert_string_equal(outcome.failure.text, "");
    assert_true(outcome.good);
    assert_string_equal(outcome.answer, "verdict");
}

static bool do_nothing(int output, void *context)
{
    (void)output;
    (void)context;
    return true;
}

static bool answer_shortly(int output, void *context)
{
    struct frame frame = {0};
    (void)context;
    frame_put_bytes(&frame, "x", 1);
    return frame_send(&frame, output);
}

static bool claim_more(int output, void *context)
{
    const uint64_t claimed[] = {UINT64_MAX, 16};
    (void)context;
    return write(output, claimed, sizeof claimed) == sizeof claimed;
}

static bool answer_twice(int output, void *context)
{
    (void)context;
    return answer(output, "a") && answer(output, "b");
}

static void an_answer_is_one_object(void **state)
{
    (void)state;
    assert_untrusted(do_nothing, "without a verdict");
    assert_untrusted(answer_shortly, "without a verdict");
    assert_untrusted(claim_more, "without a verdict");
    assert_untrusted(answer_twice, "data in addition to the verdict");
}

static void *thread_main(void *argument)
{
    return argument;
}

static bool start_thread(int output, void *context)
{
    pthread_t thread;
    (void)context;
    bool started = pthread_create(&thread, NULL, thread_main, NULL) == 0;
    return answer(output, started ? "started" : "refused");
}

static void a_thread_cannot_be_started(void **state)
{
    (void)state;
    struct outcome outcome = interpret(start_thread, NULL, &limits);
    assert_true(outcome.good);
    assert_string_equal(outcome.answer, "refused");
}

static bool list_descriptors(int output, void *context)
{
    (void)context;
    for (int i = 0; i < 1024; i++) /* reading is allowed, but there is nothing to read */
        if (i > 3 && read(i, &(char){0}, 1) >= 0)
            return answer(output, "open");
    return answer(output, "none");
}

static void descriptors_of_ours_are_closed(void **state)
{
    (void)state;
    int file = open("/etc/passwd", O_RDONLY);
    assert_true(file >= 0 && dup2(file, 77) == 77);
    struct outcome outcome = interpret(list_descriptors, NULL, &limits);
    close(77);
    close(file);
    assert_string_equal(outcome.answer, "none");
}

static pid_t harness;

/* X(name, statement): seccomp kills a process that executes the statement. */
#define FORBIDDEN(X)                                                                               \
    X(open_a_file, open("/etc/passwd", O_RDONLY))                                                  \
    X(write_a_file, open("/tmp/sandbox_interpret_test", O_CREAT | O_WRONLY, 0600))                 \
    X(open_a_socket, socket(AF_INET, SOCK_STREAM, 0))                                              \
    X(run_a_program, execl("/bin/true", "true", NULL))                                             \
    X(trace, ptrace(PTRACE_TRACEME, 0, NULL, NULL))                                                \
    X(trace_the_harness, ptrace(PTRACE_ATTACH, harness, NULL, NULL))                               \
    X(kill_the_harness, kill(harness, SIGTERM))                                                    \
    X(abort_the_harness, syscall(SYS_tgkill, harness, harness, SIGABRT))                           \
    X(fork_, fork())                                                                               \
    X(raw_clone, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))                                          \
    X(rewrite_the_harness, process_vm_writev_())                                                   \
    X(map_code, mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))       \
    X(make_code, mprotect(page, sizeof page, PROT_READ | PROT_EXEC))                               \
    X(raise_limits, syscall(SYS_prlimit64, 0, 0, &(uint64_t[2]){0}, NULL))                         \
    X(make_a_directory, mkdir("/tmp/sandbox_interpret_test", 0700))                                \
    X(ring, syscall(SYS_io_uring_setup, 1, page))                                                  \
    X(load_a_filter, syscall(SYS_bpf, 0, page, 0))

static char page[4096] __attribute__((aligned(4096)));

static long process_vm_writev_(void)
{
    return syscall(SYS_process_vm_writev, harness, NULL, 0, NULL, 0, 0);
}

#define X(name, expression)                                                                        \
    static bool name(int output, void *context)                                                    \
    {                                                                                              \
        (void)context;                                                                             \
        if ((long)(expression) == 0x7fff)                                                          \
            return false;                                                                          \
        return answer(output, "survived");                                                         \
    }
FORBIDDEN(X)
#undef X

static void forbidden_system_calls_kill(void **state)
{
    (void)state;
    harness = getpid();
#define X(name, expression)                                                                        \
    print_message("  %s\n", #name);                                                                \
    assert_untrusted(name, "forbidden system call");
    FORBIDDEN(X)
#undef X
    assert_int_not_equal(access("/tmp/sandbox_interpret_test", F_OK), 0);
}

static bool crash(int output, void *context)
{
    (void)context;
    raise(SIGABRT);
    return answer(output, "survived");
}

__attribute__((no_sanitize("address", "undefined"))) static bool touch_nothing(int output,
                                                                               void *context)
{
    (void)context;
    *(volatile int *)(uintptr_t)(output - output) = 1;
    return answer(output, "survived");
}

static bool end_early(int output, void *context)
{
    (void)output;
    (void)context;
    _exit(0x7f);
}

static bool say_no(int output, void *context)
{
    (void)context;
    return answer(output, "well formed") && false;
}

static bool talk(int output, void *context)
{
    (void)context;
    for (int i = 0; i < 1 << 16; i++)
        answer(output, "and another thing");
    return true;
}

static bool allocate_in_vain(int output, void *context)
{
    (void)context;
    allocate_checked(NULL);
    return answer(output, "done");
}

static void crashes_and_false_ends_are_the_students(void **state)
{
    (void)state;
    assert_untrusted(allocate_in_vain, "takes more memory than the limit");
    assert_untrusted(crash, "crashed");
    assert_untrusted(touch_nothing, "crashed");
    assert_untrusted(end_early, "without a verdict");
    assert_untrusted(say_no, "without a verdict");
    assert_untrusted(talk, "data in addition to the verdict");
}

static bool spin(int output, void *context)
{
    (void)output;
    (void)context;
    while (sched_yield() == 0)
        continue;
    return true;
}

static void time_is_limited(void **state)
{
    (void)state;
    const struct sandbox_limits hasty = {.seconds = 1, .memory_bytes = 512 << 20};
    struct outcome outcome = interpret(spin, NULL, &hasty);
    assert_int_equal(outcome.failure.kind, FAILURE_STUDENT);
    assert_int_equal(outcome.failure.status, STATUS_TIMEOUT);
    assert_non_null(strstr(outcome.failure.text, "1 s"));
}

static bool toil(int output, void *context)
{
    (void)context;
    struct timespec now;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (now.tv_sec == 0 && now.tv_nsec < 500000000);
    return answer(output, "done");
}

/* The third child ends within a second of the limit, and the fourth child does not run. */
static void a_budget_is_used_up(void **state)
{
    (void)state;
    struct sandbox_budget budget = {.seconds = 1.8, .bytes = 1};
    static const char *const wanted[] = {"", "", "", "not run"};
    for (int i = 0; i < 4; i++) {
        struct outcome outcome = {0};
        double before = budget.seconds;
        outcome.good = sandbox_interpret(i == 2 ? spin : toil, NULL, &limits, &budget,
                                         outcome.answer, sizeof outcome.answer, &outcome.failure);
        assert_int_equal(outcome.good, i < 2);
        if (i >= 2)
            assert_int_equal(outcome.failure.status, STATUS_TIMEOUT);
        assert_non_null(strstr(outcome.failure.text, wanted[i]));
        double charged = before - budget.seconds, least = i < 2 ? 0.45 : i < 3 ? 0.1 : 0;
        if (charged < least || (i == 3 && charged != 0))
            fail_msg("the budget is %g s, before it was %g s", budget.seconds, before);
    }
}

static bool hoard(int output, void *context)
{
    (void)output;
    (void)context;
    size_t bytes = 8 << 20;
    for (;;) {
        void *memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return false;
        memset(memory, 1, bytes);
    }
}

static void memory_is_limited(void **state)
{
    (void)state;
    assert_untrusted(hoard, "512 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_work_is_answered),
        cmocka_unit_test(an_answer_is_one_object),
        cmocka_unit_test(a_thread_cannot_be_started),
        cmocka_unit_test(descriptors_of_ours_are_closed),
        cmocka_unit_test(forbidden_system_calls_kill),
        cmocka_unit_test(crashes_and_false_ends_are_the_students),
        cmocka_unit_test(time_is_limited),
        cmocka_unit_test(a_budget_is_used_up),
        cmocka_unit_test(memory_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
