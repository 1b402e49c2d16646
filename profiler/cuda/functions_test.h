/* functions_test.h: call every function of a table with invalid arguments. A function may succeed
 * or return an error, but must not crash, hang, or return a number that is not an error. */
#ifndef FUNCTIONS_TEST_H
#define FUNCTIONS_TEST_H

#include "cuda/core/errors.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* No function has more than 16 words of arguments, including structures passed by value. */
typedef int any_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                         uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                         uintptr_t, uintptr_t, uintptr_t, uintptr_t);

struct function {
    const char *name;
    any_function *call;
    int expected; /* Expected error; -1 if 0 or any error is correct. */
};

enum { ARGUMENTS = 16, TRIED = 7, ROOM = 1 << 16 };

#define P(pointer) ((uintptr_t)(pointer))
#define EXPECT(error, function, ...)                                                               \
    functions_expect(error, #function, function, (const uintptr_t[ARGUMENTS]){__VA_ARGS__},        \
                     __LINE__)

static inline int functions_call(any_function *call, const uintptr_t a[ARGUMENTS])
{
    return call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                a[13], a[14], a[15]);
}

static inline void functions_expect(int error, const char *name, any_function *call,
                                    const uintptr_t arguments[ARGUMENTS], int line)
{
    int got = functions_call(call, arguments);
    if (got != error)
        fail_msg("line %d: %s returned %d (%s), not %d (%s)", line, name, got,
                 error_names(got)->runtime, error, error_names(error)->runtime);
}

static const char functions_ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 total;\n"
    ".visible .const .align 4 .u32 step = 1;\n"
    ".visible .entry add_step(.param .u64 values, .param .u32 count)\n"
    "{\n"
    ".reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [values];\nld.param.u32 %r1, [count];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r2, %r2, %r3, %r4;\nsetp.ge.u32 %p, %r2, %r1;\n@%p bra END;\n"
    "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d2, %d1, %d2;\nld.const.u32 %r5, [step];\n"
    "ld.global.u32 %r4, [%d2];\nadd.u32 %r4, %r4, %r5;\nst.global.u32 [%d2], %r4;\n"
    "END:\nret;\n"
    "}\n"
    ".visible .entry count_blocks()\n"
    "{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
    "mov.u64 %d1, total;\natom.global.add.u32 %r1, [%d1], 1;\nret;\n}\n";

/* Returns true if this argument is a callback, which must not be the address of data. */
static inline bool takes_function(const char *name, int argument)
{
    return argument == 1 && (strstr(name, "LaunchHostFunc") || strstr(name, "StreamAddCallback"));
}

/* Call the function with zeros, then with the address of zeros as each of its first TRIED
 * arguments. Returns 0 if all results are expected; otherwise the unexpected result, or -1 for
 * 0. */
static inline int functions_try(const struct function *function)
{
    static uint64_t zeros[ROOM / sizeof(uint64_t)];
    for (int number = -1; number < TRIED; number++) {
        uintptr_t a[ARGUMENTS] = {0};
        if (number >= 0)
            a[number] = (uintptr_t)zeros;
        if (takes_function(function->name, number))
            continue;
        int got = functions_call(function->call, a);
        if (function->expected >= 0 ? got != function->expected
                                    : !error_names(got)->text || got < 0 || got > 999)
            return got ? got : -1;
        memset(zeros, 0, sizeof zeros);
    }
    return 0;
}

static inline void functions_show(FILE *output)
{
    char line[1024];
    rewind(output);
    while (fgets(line, sizeof line, output))
        if (!strstr(line, "tlab:"))
            fputs(line, stderr);
}

/* Try each function in a child process, so that every crash is reported. */
static inline void functions_try_all(const struct function *functions, size_t count)
{
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++) {
        int status = -1;
        FILE *output = tmpfile();
        assert_non_null(output);
        fflush(NULL);
        pid_t child = fork();
        if (!child) {
            dup2(fileno(output), STDERR_FILENO);
            signal(SIGSEGV, SIG_DFL); /* cmocka's handler would return to the parent's test */
            signal(SIGBUS, SIG_DFL);
            signal(SIGFPE, SIG_DFL);
            signal(SIGILL, SIG_DFL);
            alarm(60);
            int wrong = functions_try(&functions[i]);
            if (wrong)
                fprintf(stderr, "returned %d\n", wrong);
            _exit(wrong ? 2 : 0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status) {
            failed++;
            fprintf(stderr, "%s with null pointers and empty structures: status %x\n",
                    functions[i].name, (unsigned)status);
            functions_show(output);
        }
        fclose(output);
    }
    assert_int_equal(failed, 0);
}

static const char functions_of_other_types[] =
    "cudaGetErrorName cudaGetErrorString cudaCreateChannelDesc";

/* Check that the table contains every exported name of the library. */
static inline void functions_are_all(const struct function *functions, size_t count, bool is_driver)
{
    char path[4096], command[4200], line[512];
    unsigned missing = 0, found = 0;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(length > 0);
    path[length] = '\0';
    char *tests = strstr(path, "/tests/profiler/");
    assert_non_null(tests);
    snprintf(tests, sizeof path - (size_t)(tests - path), "/libtlab.a");
    snprintf(command, sizeof command, "nm -g --defined-only '%s' 2>/dev/null", path);
    FILE *names = popen(command, "r");
    assert_non_null(names);
    while (fgets(line, sizeof line, names)) {
        char name[256], kind;
        bool matches = sscanf(line, "%*s %c %255s", &kind, name) == 2 && strchr("TWi", kind) &&
                       (is_driver ? !strncmp(name, "cu", 2) && name[2] >= 'A' && name[2] <= 'Z'
                                  : !strncmp(name, "cuda", 4) && name[4] >= 'A' && name[4] <= 'Z');
        const char *end = strrchr(name, '_');
        if (!matches || (end && (!strcmp(end, "_ptsz") || !strcmp(end, "_ptds"))))
            continue; /* an alias of a function in the table */
        if (strstr(functions_of_other_types, name))
            continue;
        size_t i = 0;
        while (i < count && strcmp(functions[i].name, name) != 0)
            i++;
        found++;
        missing += i == count;
        if (i == count)
            fprintf(stderr, "no test calls %s\n", name);
    }
    pclose(names);
    assert_int_equal(missing, 0);
    assert_true(found > 200); /* otherwise, nm is missing */
}

#endif
