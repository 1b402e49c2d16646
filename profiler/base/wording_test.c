/* wording_test.c: tests of texts that are appended, wrapped to lines, and quoted from files. */
#include "base/wording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void a_text_that_does_not_fit_is_cut(void **state)
{
    char text[8] = "";
    (void)state;
    APPEND(text, "%s", "four");
    APPEND(text, "%d", 56);
    assert_string_equal(text, "four56");
    APPEND(text, "%s", "789");
    assert_string_equal(text, "four567");
    APPEND(text, "%s", "x");
    assert_string_equal(text, "four567");
}

static void only_one_is_singular(void **state)
{
    (void)state;
    assert_string_equal(plural(1), "");
    assert_string_equal(plural(0), "s");
    assert_string_equal(plural(1.5), "s");
    assert_string_equal(plural(2), "s");
}

static void expect_wrapped(const char *label, const char *text, int indent, const char *expected)
{
    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    assert_non_null(out);
    text_wrap(out, label, text, indent);
    fclose(out);
    assert_string_equal(printed, expected);
    free(printed);
}

static const char *row_of(char c, size_t count)
{
    static char rows[4][256];
    static unsigned next;
    char *row = rows[next++ % 4];
    memset(row, c, count);
    row[count] = 0;
    return row;
}

static void lines_are_as_wide_as_allowed(void **state)
{
    char text[400], expected[400];
    (void)state;
    expect_wrapped("    ", "short", 4, "    short\n");
    expect_wrapped("", "", 4, "\n");
    snprintf(text, sizeof text, "%s b", row_of('a', 94));
    snprintf(expected, sizeof expected, "    %s b\n", row_of('a', 94));
    expect_wrapped("    ", text, 6, expected);
    snprintf(text, sizeof text, "%s  bc", row_of('a', 94));
    snprintf(expected, sizeof expected, "    %s\n      bc\n", row_of('a', 94));
    expect_wrapped("    ", text, 6, expected);
    snprintf(text, sizeof text, "%s bc", row_of('a', 94));
    snprintf(expected, sizeof expected, "    %s\n      bc\n", row_of('a', 94));
    expect_wrapped("    ", text, 6, expected);
}

static void a_word_that_is_too_long_stays_whole(void **state)
{
    char text[400], expected[400];
    (void)state;
    snprintf(expected, sizeof expected, "    %s\n", row_of('x', 200));
    expect_wrapped("    ", row_of('x', 200), 6, expected);
    snprintf(text, sizeof text, "ab %s c", row_of('x', 120));
    snprintf(expected, sizeof expected, "ab\n  %s\n  c\n", row_of('x', 120));
    expect_wrapped("", text, 2, expected);
    snprintf(expected, sizeof expected, "%s \xc3\x97\xc3\x97\n", row_of('a', 97));
    snprintf(text, sizeof text, "%s \xc3\x97\xc3\x97", row_of('a', 97));
    expect_wrapped("", text, 2, expected);
}

static void lines_of_the_text_stay(void **state)
{
    (void)state;
    expect_wrapped("1. ", "Which line?\n    12: int x;\nThis one.", 3,
                   "1. Which line?\n       12: int x;\n   This one.\n");
}

static void lines_of_files_are_quoted(void **state)
{
    char path[] = "/tmp/wording-XXXXXX", text[16];
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    (void)state;
    assert_non_null(file);
    fputs("first\n \t in\tdented\x1b\r\nlast, and more than fits", file);
    fclose(file);
    assert_true(text_quote_line(path, 1, text, sizeof text));
    assert_string_equal(text, "first");
    assert_true(text_quote_line(path, 2, text, sizeof text));
    assert_string_equal(text, "in dented ");
    assert_true(text_quote_line(path, 3, text, sizeof text));
    assert_string_equal(text, "last, and more ");
    assert_false(text_quote_line(path, 4, text, sizeof text));
    assert_string_equal(text, "");
    assert_false(text_quote_line(path, 0, text, sizeof text));
    unlink(path);
    assert_false(text_quote_line(path, 1, text, sizeof text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_does_not_fit_is_cut),
        cmocka_unit_test(only_one_is_singular),
        cmocka_unit_test(lines_are_as_wide_as_allowed),
        cmocka_unit_test(a_word_that_is_too_long_stays_whole),
        cmocka_unit_test(lines_of_the_text_stay),
        cmocka_unit_test(lines_of_files_are_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
