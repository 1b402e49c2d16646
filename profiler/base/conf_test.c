/* conf_test.c: tests of valid entries, invalid entries and their messages, and random bytes. */
#include "base/conf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/conf_test_XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 || close(descriptor) != 0 ? -1 : 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static bool read_bytes(const char *bytes, size_t size, struct conf *conf, struct failure *failure)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    *failure = (struct failure){0};
    return conf_read(path, conf, failure);
}

static bool read_text(const char *text, struct conf *conf, struct failure *failure)
{
    return read_bytes(text, strlen(text), conf, failure);
}

static void assert_entry(const struct conf *conf, const char *key, const char *value, unsigned line)
{
    const struct conf_entry *entry = conf_find(conf, key);
    assert_non_null(entry);
    assert_string_equal(entry->value, value);
    assert_int_equal(entry->line, line);
}

static void test_reads_entries(void **state)
{
    (void)state;
    struct conf conf;
    struct failure failure;
    assert_true(read_text("# a comment\n"
                          "\n"
                          "title = NVIDIA H200  # its name\n"
                          "\t sms=132\r\n"
                          "empty =\n"
                          "equation = a = b",
                          &conf, &failure));
    assert_int_equal(conf.count, 4);
    assert_string_equal(conf.path, path);
    assert_entry(&conf, "title", "NVIDIA H200", 3);
    assert_entry(&conf, "sms", "132", 4);
    assert_entry(&conf, "empty", "", 5);
    assert_entry(&conf, "equation", "a = b", 6);
    assert_null(conf_find(&conf, "titl"));
    conf_free(&conf);
    conf_free(&conf);
}

static void test_empty_file(void **state)
{
    (void)state;
    struct conf conf;
    struct failure failure;
    assert_true(read_text("", &conf, &failure));
    assert_int_equal(conf.count, 0);
    conf_free(&conf);
    assert_true(read_text(" \n# nothing\n", &conf, &failure));
    assert_int_equal(conf.count, 0);
    conf_free(&conf);
}

static void assert_refused(const char *bytes, size_t size, unsigned line, const char *words)
{
    struct conf conf;
    struct failure failure;
    char place[64];
    assert_false(read_bytes(bytes, size, &conf, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    snprintf(place, sizeof place, "%s:%u: ", path, line);
    if (line > 0)
        assert_memory_equal(failure.text, place, strlen(place));
    assert_non_null(strstr(failure.text, words));
    assert_null(conf.text);
}

static void test_refuses_with_line(void **state)
{
    (void)state;
    static const char no_equals[] = "a = 1\nsms 132\n";
    static const char no_key[] = "\n\n = 1\n";
    static const char twice[] = "a = 1\nb = 2\nc = 3\nb = 4\n";
    static const char nul[] = "a = 1\nb = \0 2\n";
    assert_refused(no_equals, strlen(no_equals), 2, "sms 132");
    assert_refused(no_key, strlen(no_key), 3, "no key");
    assert_refused(twice, strlen(twice), 4, "`b` is given twice, first on line 2");
    assert_refused(nul, sizeof nul - 1, 2, "NUL");
}

static void test_refuses_unreadable_files(void **state)
{
    (void)state;
    struct conf conf;
    struct failure failure = {0};
    assert_false(conf_read("/nonexistent/x.conf", &conf, &failure));
    assert_non_null(strstr(failure.text, "/nonexistent/x.conf: No such file"));
    failure = (struct failure){0};
    assert_false(conf_read("/tmp", &conf, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, "/tmp"));
}

static void test_size_limit(void **state)
{
    (void)state;
    size_t limit = 1 << 20;
    char *bytes = malloc(limit + 1);
    assert_non_null(bytes);
    memset(bytes, '\n', limit + 1);
    struct conf conf;
    struct failure failure;
    assert_true(read_bytes(bytes, limit, &conf, &failure));
    conf_free(&conf);
    assert_refused(bytes, limit + 1, 0, "1 MiB");
    free(bytes);
}

static void test_many_keys(void **state)
{
    (void)state;
    size_t capacity = 1 << 20, size = 0;
    char *bytes = malloc(capacity);
    assert_non_null(bytes);
    unsigned count = 0;
    while (size + 16 < capacity)
        size += (size_t)sprintf(bytes + size, "%x=\n", count++);
    struct conf conf;
    struct failure failure;
    assert_true(read_bytes(bytes, size, &conf, &failure));
    assert_int_equal(conf.count, count);
    conf_free(&conf);
    size += (size_t)sprintf(bytes + size, "0=\n");
    assert_refused(bytes, size, count + 1, "twice, first on line 1");
    free(bytes);
}

static void test_random_bytes(void **state)
{
    (void)state;
    uint32_t random = 12345;
    for (unsigned round = 0; round < 300; round++) {
        char bytes[48];
        for (unsigned i = 0; i < sizeof bytes; i++) {
            random = random * 1664525 + 1013904223;
            bytes[i] = "ab=# \n\r\0\xff\t="[(random >> 24) % 11];
        }
        struct conf conf;
        struct failure failure;
        if (read_bytes(bytes, sizeof bytes, &conf, &failure)) {
            for (size_t i = 0; i < conf.count; i++)
                assert_true(strlen(conf.entries[i].key) > 0 &&
                            strlen(conf.entries[i].value) < sizeof bytes);
            conf_free(&conf);
        } else {
            assert_int_equal(failure.kind, FAILURE_HARNESS);
        }
    }
}

static void test_unknown_keys(void **state)
{
    (void)state;
    static const char *const known[] = {"a", "b", NULL};
    struct conf conf;
    struct failure failure;
    assert_true(read_text("a = 1\nb = 2\n", &conf, &failure));
    assert_true(conf_check_keys(&conf, known, &failure));
    conf_free(&conf);
    assert_true(read_text("a = 1\n\nbb = 2\n", &conf, &failure));
    assert_false(conf_check_keys(&conf, known, &failure));
    assert_non_null(strstr(failure.text, ":3: unknown key `bb`"));
    conf_free(&conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_entries),     cmocka_unit_test(test_empty_file),
        cmocka_unit_test(test_refuses_with_line), cmocka_unit_test(test_refuses_unreadable_files),
        cmocka_unit_test(test_size_limit),        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_random_bytes),      cmocka_unit_test(test_unknown_keys),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
