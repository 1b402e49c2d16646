/* includes_test.c: tests of standard include directives, and of places that any compiler may treat
 * as a directive. sandbox/sandbox_include_test.c tests hidden directives. */
#include "text/includes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Each expected directive is "LINE FORM OPERAND;". FORM is <, " or, for other operands, m. */
static const struct {
    const char *text, *standard, *possible; /* `possible` is NULL if it equals `standard` */
} cases[] = {
    {"#include \"a.h\"\n # include <b/c.h> // d\n", "1 \" a.h;2 < b/c.h;", NULL},
    {"#include_next <a>\n#import <b>\n#embed \"c\\\"\n", "1 < a;2 < b;3 \" c\\;", NULL},
    {"#include NAME(x) \r\n#include\n#include", "1 m NAME(x) ;2 m ;3 m ;", NULL},
    {"%:inc\\\nlude/**/\"a\"", "1 \" a;", NULL},
    {"#include \"open\n#define X <a>\n#pragma once", "1 \" open;", NULL},
    {"int a; #include \"b\"\n", "", NULL},
    {"/*\n#include \"a\"\n*/ #include \"b\"\n", "3 \" b;", "2 \" a;3 \" b;"},
    {"R\"(\n#include \"a\"\n)\"\n\?\?=include \"b\"\n", "", "2 \" a;4 \" b;"},
    {"// \\\n#include \"a\"\n", "", "2 \" a;"},
    {"#0include \"a\"\n#'include' \"b\"\n", "", NULL},
};

static void test_directives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int possible = 0; possible < 2; possible++) {
            char found[256] = "";
            const char *expected =
                possible && cases[i].possible ? cases[i].possible : cases[i].standard;
            struct tokens tokens = tokens_of(cases[i].text, strlen(cases[i].text));
            struct include include;
            while (possible ? includes_next_possible(&tokens, &include)
                            : includes_next(&tokens, &include))
                snprintf(found + strlen(found), sizeof found - strlen(found), "%u %c %.*s;",
                         include.line, include.form ? include.form : 'm',
                         (int)include.operand.length, include.operand.text);
            if (strcmp(found, expected))
                fail_msg("%s\ngives\n%s, not\n%s", cases[i].text, found, expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
