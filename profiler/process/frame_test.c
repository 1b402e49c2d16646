/* frame_test.c: the fields of a frame are read as written, and invalid frames are rejected. */
#define _GNU_SOURCE
#include "process/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096 };

static struct frame frame_make(void)
{
    struct frame frame = {0}, inner = {0};
    frame_put_number(&inner, 77);
    frame_put_number(&frame, 12);
    frame_put_text(&frame, "a text");
    frame_put_bytes(&frame, "\0\1\2", 3);
    frame_put_bytes(&frame, &(struct { int a, b; }){3, 4}, 2 * sizeof(int));
    frame_put_bytes(&frame, inner.bytes, inner.count);
    frame_put_bytes(&frame, NULL, 0);
    frame_free(&inner);
    assert_false(frame.failed);
    return frame;
}

static bool frame_is_ours(struct frame_reader *reader)
{
    struct frame_reader inner;
    struct {
        int a, b;
    } object = {0};
    size_t text_bytes, count, none;
    bool number = frame_number(reader, 12) == 12;
    const char *text = frame_text(reader, 6, &text_bytes);
    char *copy = frame_copy(reader, 3, &count);
    frame_object(reader, &object, sizeof object);
    bool nested = frame_next(reader, 8, &inner) && frame_number(&inner, 100) == 77;
    bool empty = frame_bytes(reader, 0, &none) != NULL && none == 0;
    bool good = number && text != NULL && text_bytes == 6 && memcmp(text, "a text", 6) == 0 &&
                copy != NULL && count == 3 && memcmp(copy, "\0\1\2", 4) == 0 && object.a == 3 &&
                object.b == 4 && nested && frame_is_read(&inner) && empty;
    free(copy);
    return good && frame_is_read(reader);
}

static void fields_come_back_through_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    struct frame frame = frame_make(), received;
    struct frame_reader reader;
    assert_int_equal(pipe(ends), 0);
    assert_true(frame_send(&frame, ends[1]));
    assert_null(frame.bytes);
    frame = frame_make();
    assert_true(frame_send(&frame, ends[1]));
    close(ends[1]);
    for (int i = 0; i < 2; i++) {
        assert_true(frame_receive(ends[0], MOST, &received, &reader));
        assert_true(frame_is_ours(&reader));
        frame_free(&received);
    }
    assert_false(frame_receive(ends[0], MOST, &received, &reader));
    assert_true(reader.bad);
    frame_free(&received);
    close(ends[0]);
}

static void a_frame_that_is_too_long_or_cut_is_not_received(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; longer++) {
        int ends[2];
        struct frame frame = frame_make(), received;
        struct frame_reader reader;
        const uint64_t claimed = frame.count + (longer != 0);
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], &claimed, sizeof claimed), sizeof claimed);
        assert_int_equal(write(ends[1], frame.bytes, frame.count), (ssize_t)frame.count);
        close(ends[1]);
        assert_false(frame_receive(ends[0], longer ? MOST : frame.count - 1, &received, &reader));
        frame_free(&received);
        frame_free(&frame);
        close(ends[0]);
    }
}

/* The bytes are at the end of their allocation, so that a sanitizer detects a read past the end. */
static void a_cut_frame_is_bad(void **state)
{
    (void)state;
    struct frame frame = frame_make();
    for (size_t count = 0; count <= frame.count; count++) {
        char *bytes = malloc(count + 1);
        assert_non_null(bytes);
        memcpy(bytes + 1, frame.bytes, count);
        struct frame_reader reader = {.at = bytes + 1, .left = count};
        assert_int_equal(frame_is_ours(&reader), count == frame.count);
        free(bytes);
    }
    frame_free(&frame);
}

static void bounds_are_the_callers(void **state)
{
    (void)state;
    struct frame frame = {0};
    size_t count;
    int object;
    frame_put_number(&frame, 13);
    struct frame_reader reader = {.at = frame.bytes, .left = frame.count};
    assert_int_equal(frame_number(&reader, 12), 0);
    assert_true(reader.bad);
    frame_free(&frame);

    frame_put_bytes(&frame, "a\0c", 3);
    reader = (struct frame_reader){.at = frame.bytes, .left = frame.count};
    assert_null(frame_bytes(&reader, 2, &count));
    assert_int_equal(count, 0);
    assert_null(frame_bytes(&reader, 3, &count));
    reader = (struct frame_reader){.at = frame.bytes, .left = frame.count};
    assert_null(frame_text(&reader, 3, &count));
    assert_int_equal(count, 0);
    reader = (struct frame_reader){.at = frame.bytes, .left = frame.count};
    frame_object(&reader, &object, sizeof object);
    assert_true(reader.bad);
    reader = (struct frame_reader){.at = frame.bytes, .left = frame.count};
    assert_non_null(frame_bytes(&reader, 3, &count));
    assert_true(frame_is_read(&reader));
    frame_number(&reader, 1);
    assert_false(frame_is_read(&reader));
    frame_free(&frame);
}

static void a_reader_that_left_is_noticed(void **state)
{
    (void)state;
    int ends[2];
    struct frame frame = frame_make();
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_false(frame_send(&frame, ends[1]));
    assert_null(frame.bytes);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_back_through_a_pipe),
        cmocka_unit_test(a_frame_that_is_too_long_or_cut_is_not_received),
        cmocka_unit_test(a_cut_frame_is_bad),
        cmocka_unit_test(bounds_are_the_callers),
        cmocka_unit_test(a_reader_that_left_is_noticed),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
