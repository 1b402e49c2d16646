/* sandbox_frame_test.c: tests that frames arrive unchanged, and that forged frames are rejected. */
#define _GNU_SOURCE
#include "compile/compile_backend.h"
#include "sandbox/sandbox_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ptx[] = ".version 7.0\n.visible .entry transpose() { ret; }\n";
static const char cubin[] = {0x7f, 'E', 'L', 'F', 0, 0, 1};

static size_t sent(const struct sandbox_compiled *compiled, char *bytes, size_t size)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_true(sandbox_frame_send(pipes[1], 5, compiled));
    close(pipes[1]);
    ssize_t count = read(pipes[0], bytes, size);
    close(pipes[0]);
    assert_true(count > 0);
    return (size_t)count;
}

static bool is_taken(const char *bytes, size_t count)
{
    struct frame_reader stream = {bytes, count, false};
    struct sandbox_compiled compiled;
    uint32_t index;
    bool taken = sandbox_frame_take(&stream, &index, &compiled);
    assert_true(taken || (!compiled.result.ptx && !compiled.result.cubin));
    sandbox_compiled_free(&compiled, 1);
    return taken;
}

/* In `form`, HASH stands for the hash of the PTX. */
static size_t sent_compiled(const char *form, char *bytes, size_t size)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, ptx_hash(ptx));
    char *description = text_replace(form, "HASH", hash);
    assert_non_null(description);
    struct sandbox_compiled compiled = {.result = {.compiler = COMPILER_NVRTC,
                                                   .ptx = (char *)ptx,
                                                   .ptx_bytes = strlen(ptx),
                                                   .warnings = (char *)"a warning",
                                                   .cubin = (char *)cubin,
                                                   .cubin_bytes = sizeof cubin}};
    snprintf(compiled.result.description, sizeof compiled.result.description, "%s", description);
    free(description);
    return sent(&compiled, bytes, size);
}

static void a_frame_comes_back(void **state)
{
    (void)state;
    char bytes[4096];
    size_t count = sent_compiled("nvrtc 13.0 ptx:HASH", bytes, sizeof bytes);
    struct sandbox_compiled compiled;
    const struct compile_result *result = &compiled.result;
    uint32_t index;
    struct frame_reader stream = {bytes, sizeof bytes, false};
    assert_true(sandbox_frame_take(&stream, &index, &compiled));
    assert_ptr_equal(stream.at, bytes + count);
    assert_int_equal(index, 5);
    assert_true(compiled.compiled);
    assert_int_equal(compiled.failure.kind, FAILURE_NONE);
    assert_int_equal(result->ptx_bytes, strlen(ptx));
    assert_string_equal(result->ptx, ptx);
    assert_string_equal(result->warnings, "a warning");
    assert_int_equal(result->cubin_bytes, sizeof cubin);
    assert_memory_equal(result->cubin, cubin, sizeof cubin);
    sandbox_compiled_free(&compiled, 1);
    for (size_t cut = 0; cut < count; cut++) {
        char *part = malloc(cut + 1);
        assert_non_null(part);
        memcpy(part, bytes, cut);
        assert_false(is_taken(part, cut));
        free(part);
    }
}

static void machine_code_comes_with_no_failure(void **state)
{
    (void)state;
    char bytes[4096];
    struct sandbox_compiled compiled = {
        .failure = {.kind = FAILURE_HARNESS, .text = "no"},
        .no_cubin = {.kind = FAILURE_STUDENT, .status = STATUS_COMPILE_ERROR, .text = "because"},
        .result = {.cubin = (char *)cubin, .cubin_bytes = sizeof cubin}};
    size_t count = sent(&compiled, bytes, sizeof bytes);
    struct frame_reader stream = {bytes, count, false};
    uint32_t index;
    assert_true(sandbox_frame_take(&stream, &index, &compiled));
    assert_false(compiled.compiled);
    assert_int_equal(compiled.failure.kind, FAILURE_HARNESS);
    assert_string_equal(compiled.failure.text, "no");
    assert_string_equal(compiled.no_cubin.text, "because");
    assert_null(compiled.result.cubin);
    assert_int_equal(compiled.result.cubin_bytes, 0);
    sandbox_compiled_free(&compiled, 1);
}

static void false_descriptions_are_refused(void **state)
{
    (void)state;
    static const char *const formats[] = {"clang 14.0 ptx:HASH", /* not the frame's compiler */
                                          "nvrtc 13.0 ptx:HASH0",
                                          "nvrtc 13.0 HASH",
                                          "nvrtc<b> ptx:HASH",
                                          "",
                                          "nvrtc 13.0 ptx:0123456789abcdef",
                                          "nvrtc ptx:",
                                          "nvrtc\n13.0 ptx:HASH"};
    char bytes[4096];
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t count = sent_compiled(formats[i], bytes, sizeof bytes);
        if (is_taken(bytes, count))
            fail_msg("accepted: %s", formats[i]);
    }
}

static void a_verdict_is_one_that_compilers_give(void **state)
{
    (void)state;
    char bytes[4096];
    for (int status = 0; status < STATUS_COUNT; status++) {
        struct sandbox_compiled compiled = {
            .failure = {.kind = FAILURE_STUDENT, .status = (enum status)status, .text = "because"}};
        size_t count = sent(&compiled, bytes, sizeof bytes);
        bool expected = status == STATUS_COMPILE_ERROR || status == STATUS_UNTRUSTED;
        assert_int_equal(is_taken(bytes, count), expected);
    }
}

/* Half of the changed bytes are in the header. A sanitizer detects reads outside the buffer. */
static void forged_frames_do_no_harm(void **state)
{
    (void)state;
    static const unsigned char awkward[] = {0, 1, 0x7f, 0x80, 0xff};
    char original[4096];
    size_t count = sent_compiled("nvrtc 13.0 ptx:HASH", original, sizeof original);
    srand(2);
    for (int round = 0; round < 30000; round++) {
        char *bytes = malloc(count);
        struct sandbox_compiled compiled;
        uint32_t index;
        assert_non_null(bytes);
        memcpy(bytes, original, count);
        for (int changes = 1 + rand() % 4; changes > 0; changes--)
            bytes[rand() % 2 ? rand() % 64 : rand() % (int)count] =
                (char)awkward[(size_t)rand() % sizeof awkward];
        struct frame_reader stream = {bytes, count, false};
        if (sandbox_frame_take(&stream, &index, &compiled)) {
            assert_int_equal(strlen(compiled.result.ptx), compiled.result.ptx_bytes);
            assert_int_equal(compiled.result.cubin != NULL, compiled.result.cubin_bytes > 0);
        }
        sandbox_compiled_free(&compiled, 1);
        free(bytes);
    }
}

static void a_reader_that_left_is_noticed(void **state)
{
    (void)state;
    int pipes[2];
    struct sandbox_compiled compiled = {.failure.kind = FAILURE_HARNESS};
    assert_int_equal(pipe(pipes), 0);
    close(pipes[0]);
    assert_false(sandbox_frame_send(pipes[1], 0, &compiled));
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_back),
        cmocka_unit_test(machine_code_comes_with_no_failure),
        cmocka_unit_test(false_descriptions_are_refused),
        cmocka_unit_test(a_verdict_is_one_that_compilers_give),
        cmocka_unit_test(forged_frames_do_no_harm),
        cmocka_unit_test(a_reader_that_left_is_noticed),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
