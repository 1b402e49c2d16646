/* code_text_test.c: tests of comments, lines and similar words. */
#include "text/code_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_comments_are_blank(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"a // b\nc", "a     \nc"},
        {"a /* b\n c */ d", "a     \n      d"},
        {"/*/ a */ b", "         b"},
        {"\"// no\" // yes", "\"// no\"       "},
        {"'\"' // yes", "'\"'       "},
        {"\"a\\\"// no\" b", "\"a\\\"// no\" b"},
        {"\"open\n// yes", "\"open\n      "},
        {"a / b", "a / b"},
        {"/* open", "       "},
        {"// goes on\\\nhere\nb", "           \n    \nb"},
        {"a /", "a /"},
        {"int n = 1'000; // yes", "int n = 1'000;       "},
        {"f(1'0, /* a */ 2'0) // b", "f(1'0,         2'0)     "},
        {"R\"x(\"// no)\" )x\" // yes", "R\"x(\"// no)\" )x\"       "},
        {"R\"(/*\n\\)\" /* yes */ a", "R\"(/*\n\\)\"           a"},
        {"u8R\"(')\" // yes", "u8R\"(')\"       "},
        {"\"a\\\n// no\" // yes", "\"a\\\n// no\"       "},
        {"\"\\", "\"\\"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *code = code_text((const unsigned char *)pairs[i][0], strlen(pairs[i][0]));
        assert_non_null(code);
        assert_string_equal(code, pairs[i][1]);
        free(code);
    }
    char *code = code_text((const unsigned char *)"a\0b", 3);
    assert_string_equal(code, "a b");
    free(code);
}

static void test_lines(void **state)
{
    (void)state;
    const char *text = "a\nb\r\nc";
    assert_int_equal(code_line(text, text), 1);
    assert_int_equal(code_line(text, text + 2), 2);
    assert_int_equal(code_line(text, text + 5), 3);
}

static void test_likeness(void **state)
{
    (void)state;
    static const struct {
        const char *word, *wanted;
        unsigned away; /* number of edits; 9 if there are more edits than the limit */
    } cases[] = {
        {"padded", "padded", 0},
        {"Padded", "padded", 0},
        {"\"padded\"", "padded", 0},
        {"COPY_shared", "copy_shared", 0},
        {"copyshared", "copy_shared", 0},
        {"paded", "padded", 1},
        {"paddded", "padded", 1},
        {"padden", "padded", 1},
        {"pdadde", "padded", 2},
        {"kitten", "sitting", 3},
        {"apdded", "padded", 1},
        {"paddde", "padded", 1},
        {"apddde", "padded", 2},
        {"", "padded", 9},
        {"__", "padded", 9},
        {"coarse", "coarse_grained", 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned most = 0; most < 9; most++)
            assert_int_equal(
                code_word_is_like(cases[i].word, strlen(cases[i].word), cases[i].wanted, most),
                most >= cases[i].away);
    char longest[200];
    memset(longest, 'a', sizeof longest);
    assert_true(code_word_is_like(longest, 63, "b", 63));
    assert_false(code_word_is_like(longest, 64, "b", 1000));
    assert_false(code_word_is_like(longest, sizeof longest, "b", 1000));
}

static void test_definitions(void **state)
{
    static const char text[] =
        "#include <a>\n#define F(x) { x\nint a[2] = {1, 2};\nLAB(naive);\n"
        "extern \"C\" {\n// }\n__global__ void k(int *p)\n{\n  if (p) {\n  }\n}\n"
        "}\nextern \"C\" __device__ int f() {\n  return '}';\n}\n} } int g(";
    struct code_definition found[4];
    (void)state;
    assert_int_equal(code_definitions(text, strlen(text), found, 4), 3);
    assert_int_equal(found[0].first, 3);
    assert_false(found[0].is_kernel);
    assert_int_equal(found[1].first, 7);
    assert_int_equal(found[1].last, 11);
    assert_true(found[1].is_kernel);
    assert_int_equal(found[2].first, 13);
    assert_int_equal(found[2].last, 15);
    assert_false(found[2].is_kernel);
    assert_int_equal(code_definitions(text, strlen(text), found, 1), 1);
    for (size_t size = 0; size < strlen(text); size++)
        assert_true(code_definitions(text, size, found, 4) <= 3);
}

static void test_uninitialized(void **state)
{
    static const struct {
        const char *code;
        unsigned line;
    } cases[] = {
        {"unsigned v;\nv += 1;", 1},
        {"void f(int n)\n{\n    float a = 0, b;\n    for (;;)\n        b += a;\n}", 3},
        {"int n;\nn++;", 1},
        {"int n;\nn = 0;\nn += 1;", 0},
        {"int n = 0;\nn += 1;", 0},
        {"void f(int n)\n{\n    n += 1;\n}", 0},
        {"int n;\nscan(&n);\nn += 1;", 0},
        {"int n;", 0},
        {"", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[8];
        assert_int_equal(code_find_uninitialized(cases[i].code, name, sizeof name), cases[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comments_are_blank), cmocka_unit_test(test_lines),
        cmocka_unit_test(test_likeness),           cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_uninitialized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
