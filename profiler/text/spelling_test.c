/* spelling_test.c: tests of the suggestion of a known word for an unknown word. */
#include "text/spelling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const known[] = {"run",    "annotate", "explain", "emulate",
                                    "device", "rows",     "cols",    "run-all"};
enum { KNOWN = sizeof known / sizeof *known };

static void test_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *word, *meant;
    } cases[] = {
        {"rnu", "run"},
        {"ran", "run"},
        {"runn", "run"},
        {"anotate", "annotate"},
        {"anottae", "annotate"},
        {"anno", "annotate"},
        {"ru", NULL}, /* too short: two words begin with these letters */
        {"Run", "run"},
        {"run_all", "run-all"},
        {"devise", "device"},
        {"rwo", NULL}, /* two edits from `rows` are too many for three letters */
        {"frobnicate", NULL},
        {"", NULL},
        {"x", NULL},
        {"e", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *nearest = spelling_nearest(cases[i].word, known, KNOWN);
        if (cases[i].meant && (!nearest || strcmp(nearest, cases[i].meant)))
            fail_msg("%s: %s", cases[i].word, nearest ? nearest : "none");
        if (!cases[i].meant && nearest)
            fail_msg("%s: %s", cases[i].word, nearest);
    }
    assert_null(spelling_nearest("run", known, 0));
}

static void test_advice(void **state)
{
    (void)state;
    char advice[SPELLING_ADVICE], longest[400];
    assert_string_equal(spelling_advise("row", "--", known, KNOWN, advice),
                        "; did you mean `--rows`?");
    assert_string_equal(spelling_advise("nothing", "", known, KNOWN, advice), "");
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    const char *const long_word[] = {longest};
    spelling_advise("aaaa", "", long_word, 1, advice);
    assert_true(strlen(advice) < SPELLING_ADVICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
