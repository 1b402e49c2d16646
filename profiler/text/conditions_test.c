/* conditions_test.c: in each source, line 2 is the condition, and the tested line contains SYNC. */
#include "text/conditions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct conditions conditions;

static unsigned read_source(const char *text)
{
    unsigned line = 1;
    const char *sync = strstr(text, "SYNC");
    assert_non_null(sync);
    for (const char *at = text; at < sync; at++)
        line += *at == '\n';
    conditions_read(text, strlen(text), &conditions);
    return line;
}

static void test_guard(void **state)
{
    (void)state;
    static const char *const guarded[] = {
        "void k() {\nif (i < n) {\n a;\n SYNC;\n}\n}",
        "void k() {\nif (i < n)\n SYNC;\n}",
        "void k() {\nif (i < n) SYNC;\n}",
        "void k() {\nif (i < n)\n{\n if (x) {\n y; }\n SYNC; } }",
        "void k() {\nif (i >= n) ;\nelse {\n SYNC;\n}\n}",
        "void k() {\nif (i >= n) x;\nelse if (i == 3)\n y;\nelse\n SYNC;\n}",
        "void k() {\nif constexpr (i < n) {\n SYNC;\n}\n}",
        "void k() {\nfor (int i = t; i < n; i++) {\n a;\n SYNC;\n}\n}",
        "void k() {\nwhile (f(a, (b)))\n SYNC;\n}",
        "void k() {\nswitch (x) {\ncase 1:\n SYNC;\n break;\n}\n}",
        "void k() { for (;;) {\nif (i > n) break;\n SYNC;\n}\n}",
        "void k() { while (1) {\nif (i > n) { x; break; }\n if (y) z;\n SYNC;\n}\n}",
        ("int a[] = {1, 2}; void k() {\nif (i < n) { auto f = [&](int) { return 1; };\n}\n else {\n"
         " f('}'); /* } */ g(\"}\");\n}\nif (j) x; }\n#define M }\nvoid m() {\n SYNC; }"),
    };
    for (size_t i = 0; i + 1 < sizeof guarded / sizeof *guarded; i++) {
        unsigned line = read_source(guarded[i]);
        if (!conditions_guard(&conditions, 2, line))
            fail_msg("not guarded: %s", guarded[i]);
    }
    unsigned line = read_source(guarded[sizeof guarded / sizeof *guarded - 1]);
    assert_false(conditions_guard(&conditions, 2, line));
    line = read_source("void k() { do {\n SYNC;\n}\n while (x <\n y);\n}");
    assert_true(conditions_guard(&conditions, 4, line));
    assert_true(conditions_guard(&conditions, 5, line));
}

static void test_no_guard(void **state)
{
    (void)state;
    static const char *const free_lines[] = {
        "void k() {\nif (i >= n) return;\n SYNC;\n}",
        "void k() {\nif (i >= n) return; SYNC;\n}",
        "void k() {\nif (i >= n) {\n return;\n}\n SYNC;\n}",
        "void k() {\nif (i >= n) return;\nelse {\n SYNC;\n} }",
        "void k() {\nif (i < n) {\n SYNC;\n}\nelse\n return;\n}",
        "void k() {\nif (a) {\n if (i >= n) return;\n SYNC;\n}\n}",
        "void k() {\nfor (;;) {\n if (i >= n) return;\n SYNC;\n}\n}",
        "void k() { for (;;) {\nif (i >= n) return;\n SYNC;\n}\n}",
        "void k() { for (;;) {\nif (i >= n) continue;\n}\n SYNC; }",
        "void k() { for (;;) { switch (x) {\ncase 1: if (y) break;\n}\n SYNC; } }",
        "void k() {\nif (i < n)\n x;\n SYNC;\n}",
        "if ( { ) } (\nif (\n SYNC ((((",
    };
    for (size_t i = 0; i < sizeof free_lines / sizeof *free_lines; i++) {
        unsigned line = read_source(free_lines[i]);
        if (conditions_guard(&conditions, 2, line))
            fail_msg("guarded: %s", free_lines[i]);
    }
    unsigned line = read_source("void k() {\nif (a) {\n out = 0;\n return; }\n SYNC;\n}");
    assert_true(conditions_return(&conditions, 2, line));
    line = read_source("void k() {\nif (a) {\n out = 0; }\n SYNC;\n}");
    assert_false(conditions_return(&conditions, 2, line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guard),
                                       cmocka_unit_test(test_no_guard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
