/* terminal_test.c: lines are folded at blanks, with the correct width of colours and UTF-8. */
#include "base/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void expect_folded(const char *text, size_t piece, const char *expected)
{
    char *printed = NULL;
    size_t size = 0;
    struct fold fold = {.out = open_memstream(&printed, &size), .width = 20};
    assert_non_null(fold.out);
    for (size_t at = 0; at < strlen(text); at += piece)
        fold_write(&fold, text + at, strlen(text + at) < piece ? strlen(text + at) : piece);
    fclose(fold.out);
    assert_string_equal(printed, expected);
    free(printed);
}

static void lines_break_at_blanks(void **state)
{
    (void)state;
    expect_folded("twenty columns fit h\n", 99, "twenty columns fit h\n");
    expect_folded("twenty-one columns do\n", 99, "twenty-one columns\n  do\n");
    expect_folded("    note: 4 of 4096 sectors\n\nx\n", 99,
                  "    note: 4 of 4096\n      sectors\n\nx\n");
    expect_folded("a prompt? ", 99, "a prompt? ");
    expect_folded("\rprogress of a very long run\r", 99, "\rprogress of a very\n  long run\r");
}

static void words_stay_whole(void **state)
{
    (void)state;
    expect_folded("see a/path/that/is/longer/than/a/line ok\n", 99,
                  "see\n  a/path/that/is/longer/than/a/line\n  ok\n");
    expect_folded("nineteen columns ab", 18, "nineteen columns ab");
    expect_folded("nineteen columns abcd", 18, "nineteen columns abcd");
}

static void colours_and_characters_have_their_width(void **state)
{
    (void)state;
    expect_folded("\033[1;31mtwenty columns\033[0m fit h\n", 99,
                  "\033[1;31mtwenty columns\033[0m fit h\n");
    expect_folded("\xc3\x97\xc3\x97\xc3\x97nty columns fit h\n", 99,
                  "\xc3\x97\xc3\x97\xc3\x97nty columns fit h\n");
    assert_int_equal(terminal_columns("a\033[32mb\tc\033", 9), 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_break_at_blanks),
        cmocka_unit_test(words_stay_whole),
        cmocka_unit_test(colours_and_characters_have_their_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
