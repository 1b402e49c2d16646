/* sandbox_frame_test.c: frames arrive as they were sent, and forged frames are rejected. */
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
/* Machine code is not text: it contains NULs. */
static const char cubin[] = {0x7f, 'E', 'L', 'F', 0, 0, 1};

/* A frame as bytes. */
static size_t sent(const struct sandbox_frame *frame, char *bytes, size_t size)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_true(sandbox_frame_send(pipes[1], frame));
    close(pipes[1]);
    ssize_t count = read(pipes[0], bytes, size);
    close(pipes[0]);
    assert_true(count > 0);
    return (size_t)count;
}

static bool take(const char *bytes, size_t count, struct sandbox_frame *frame)
{
    struct frame_reader stream = {bytes, count, false};
    return sandbox_frame_take(&stream, frame);
}

/* A frame whose description is `form`, with the hash of the PTX for HASH. */
static size_t sent_compiled(const char *form, char *bytes, size_t size)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, ptx_hash(ptx));
    char *description = text_replace(form, "HASH", hash);
    assert_non_null(description);
    struct sandbox_frame frame = {.index = 5,
                                  .outcome = SANDBOX_COMPILED,
                                  .compiler = COMPILER_NVRTC,
                                  .text = description,
                                  .text_bytes = strlen(description),
                                  .ptx = ptx,
                                  .ptx_bytes = strlen(ptx),
                                  .warnings = "a warning",
                                  .warnings_bytes = 9,
                                  .machine_outcome = SANDBOX_COMPILED,
                                  .cubin = cubin,
                                  .cubin_bytes = sizeof cubin};
    size_t count = sent(&frame, bytes, size);
    free(description);
    return count;
}

static void a_frame_comes_back(void **state)
{
    (void)state;
    char bytes[4096];
    size_t count = sent_compiled("nvrtc 13.0 ptx:HASH", bytes, sizeof bytes);
    struct sandbox_frame frame;
    struct frame_reader stream = {bytes, sizeof bytes, false};
    assert_true(take(bytes, count, &frame));
    assert_true(sandbox_frame_take(&stream, &frame));
    assert_ptr_equal(stream.at, bytes + count);
    assert_int_equal(frame.index, 5);
    assert_int_equal(frame.outcome, SANDBOX_COMPILED);
    assert_int_equal(frame.ptx_bytes, strlen(ptx));
    assert_memory_equal(frame.ptx, ptx, strlen(ptx));
    assert_memory_equal(frame.warnings, "a warning", 9);
    assert_int_equal(frame.machine_outcome, SANDBOX_COMPILED);
    assert_int_equal(frame.cubin_bytes, sizeof cubin);
    assert_memory_equal(frame.cubin, cubin, sizeof cubin);
    for (size_t cut = 0; cut < count; cut++) {
        char *part = malloc(cut + 1);
        assert_non_null(part);
        memcpy(part, bytes, cut);
        assert_false(take(part, cut, &frame));
        free(part);
    }
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
    struct sandbox_frame frame;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t count = sent_compiled(formats[i], bytes, sizeof bytes);
        if (take(bytes, count, &frame))
            fail_msg("taken: %s", formats[i]);
    }
}

static void a_verdict_is_one_that_compilers_give(void **state)
{
    (void)state;
    char bytes[4096];
    for (int status = 0; status < STATUS_COUNT; status++) {
        struct sandbox_frame frame = {.outcome = SANDBOX_REJECTED,
                                      .status = (enum status)status,
                                      .text = "because",
                                      .text_bytes = 7};
        size_t count = sent(&frame, bytes, sizeof bytes);
        bool expected = status == STATUS_COMPILE_ERROR || status == STATUS_UNTRUSTED;
        assert_int_equal(take(bytes, count, &frame), expected);
    }
}

/* Set every byte of the header to awkward values, and make thousands of random changes. The reader
 * must stay inside the buffer, which the sanitizer checks, and return only texts inside it. */
static void forged_frames_do_no_harm(void **state)
{
    (void)state;
    static const unsigned char awkward[] = {0, 1, 0x7f, 0x80, 0xff};
    char original[4096];
    size_t count = sent_compiled("nvrtc 13.0 ptx:HASH", original, sizeof original);
    srand(2);
    for (int round = 0; round < 30000; round++) {
        char *bytes = malloc(count);
        struct sandbox_frame frame;
        assert_non_null(bytes);
        memcpy(bytes, original, count);
        for (int changes = 1 + rand() % 4; changes > 0; changes--)
            bytes[rand() % 2 ? rand() % 64 : rand() % (int)count] =
                (char)awkward[(size_t)rand() % sizeof awkward];
        if (take(bytes, count, &frame) && frame.outcome == SANDBOX_COMPILED) {
            assert_true(frame.ptx >= bytes && frame.ptx + frame.ptx_bytes <= bytes + count);
            assert_null(memchr(frame.ptx, '\0', frame.ptx_bytes));
            assert_true(frame.cubin >= bytes && frame.cubin + frame.cubin_bytes <= bytes + count);
        }
        free(bytes);
    }
}

static void a_reader_that_left_is_noticed(void **state)
{
    (void)state;
    int pipes[2];
    struct sandbox_frame frame = {.outcome = SANDBOX_DOUBTFUL};
    assert_int_equal(pipe(pipes), 0);
    close(pipes[0]);
    assert_false(sandbox_frame_send(pipes[1], &frame));
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_back),
        cmocka_unit_test(false_descriptions_are_refused),
        cmocka_unit_test(a_verdict_is_one_that_compilers_give),
        cmocka_unit_test(forged_frames_do_no_harm),
        cmocka_unit_test(a_reader_that_left_is_noticed),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
