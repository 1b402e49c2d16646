/* scan_test.c: tests LAB(name), digests, and the constructs that an instructor should inspect. */
#include "judge/scan.h"

#include "text/code_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *code_of(const char *text)
{
    char *code = code_text((const unsigned char *)text, strlen(text));
    assert_non_null(code);
    return code;
}

static void test_lab_names(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"LAB(padded);", "padded"},
        {"  LAB \n( padded\t)", "padded"},
        {"// LAB(naive)\nLAB(padded)", "padded"},
        {"LAB_LAUNCH(width, height) LAB(copy)", "copy"},
        {"MYLAB(naive) LAB(copy)", "copy"},
        {"LAB(a b) LAB(copy)", "copy"},
        {"LAB(", ""},
        {"LAB()", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *code = code_of(pairs[i][0]), name[64];
        scan_lab_name(code, name);
        assert_string_equal(name, pairs[i][1]);
        free(code);
    }
}

static bool same_digest(const char *a, const char *b)
{
    unsigned char digests[2][32];
    char *codes[2] = {code_of(a), code_of(b)};
    for (int i = 0; i < 2; i++) {
        scan_digest(codes[i], digests[i]);
        free(codes[i]);
    }
    return !memcmp(digests[0], digests[1], 32);
}

static void test_digests(void **state)
{
    (void)state;
    assert_true(same_digest("LAB(a);\nint x = 1; // one\n", "int x=1;\n\n/* two */ LAB(b) ;") ==
                false); /* the position of LAB() affects the digest; the name in it does not */
    assert_true(same_digest("LAB(a);\nint x = 1; // one\n", " LAB( b );int x=1;"));
    assert_true(same_digest("int x;LAB(a)", "int x; LAB(other) "));
    assert_false(same_digest("LAB(a); int x = 1;", "LAB(a); int x = 2;"));
    assert_false(same_digest("a", ""));
    assert_true(same_digest("", " \n"));
}

static void collect(void *context, size_t line, const char *text, const char *why)
{
    char *found = context;
    size_t used = strlen(found);
    snprintf(found + used, 4096 - used, "%zu:%s:%s\n", line, why, text);
}

static void test_suspicions(void **state)
{
    (void)state;
    char found[4096] = "";
    char *code = code_of("// asm in a comment\n"
                         "int plasma;\n"
                         "asm volatile(\"\");\n"
                         "#include \"../../solutions/naive.cu\"\n"
                         "int filesystem; ecosystem();\n"
                         "if (x == 0x7FB0A5ED)\n"
                         "system(\"true\");");
    scan_suspicions(code, collect, found);
    assert_string_equal(found, "3:inline PTX:asm volatile(\"\");\n"
                               "4:a path that leaves the submission:#include "
                               "\"../../solutions/naive.cu\"\n"
                               "4:the solutions' directory:#include \"../../solutions/naive.cu\"\n"
                               "6:the bits that mark unwritten output:if (x == 0x7FB0A5ED)\n"
                               "7:a host command:system(\"true\");\n");
    free(code);
    char line[5000];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = 0;
    found[0] = 0;
    scan_suspicions(line, collect, found);
    assert_string_equal(found, "");
}

struct comparison {
    unsigned long number;
    bool found[2];
};

static void note_comparison(void *context, unsigned long number, bool for_equality)
{
    struct comparison *comparison = context;
    comparison->found[for_equality] |= number == comparison->number;
}

static bool compares(const char *code, unsigned long number)
{
    struct comparison comparison = {number, {false, false}};
    scan_compared(code, note_comparison, &comparison);
    return comparison.found[1];
}

static bool is_limit(const char *code, unsigned long number)
{
    struct comparison comparison = {number, {false, false}};
    scan_compared(code, note_comparison, &comparison);
    return comparison.found[0];
}

static void test_comparisons(void **state)
{
    (void)state;
    assert_true(compares("if (width == 96)", 96));
    assert_true(compares("if (width != (96))", 96));
    assert_true(compares("if (96u == width)", 96));
    assert_true(compares("case 96:", 96));
    assert_true(compares("if (width == 1'024)", 1024));
    assert_true(compares("if (((0x60u)) == width)", 96));
    assert_false(compares("R\"(== 96)\" \"== 96\"", 96));
    assert_true(compares("x96 == y; a ==96", 96));
    assert_false(compares("width = 96", 96));
    assert_false(compares("width <= 96", 96));
    assert_true(is_limit("width <= 1300", 1300));
    assert_true(is_limit("if ((1300) > width)", 1300));
    assert_false(is_limit("a << 1300; min(width, 1300)", 1300));
    assert_false(compares("width == 960", 96));
    assert_false(compares("float a[96]", 96));
    assert_false(compares("", 96));
    assert_false(compares("96", 96));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lab_names),
        cmocka_unit_test(test_digests),
        cmocka_unit_test(test_suspicions),
        cmocka_unit_test(test_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
