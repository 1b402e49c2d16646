/* changes_test.c: tests of the comparison of two records. */
#include "view/changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct record run_of(uint64_t loads, uint64_t conflicts, double time_us)
{
    struct record record;
    record_clear(&record);
    record_set_text(&record, COLUMN_status, "ok");
    record_set_text(&record, COLUMN_bound, "shared");
    record_set_count(&record, COLUMN_shared_load_requests, loads);
    record_set_count(&record, COLUMN_shared_load_conflicts, conflicts);
    record_set_real(&record, COLUMN_time_us, time_us);
    return record;
}

static unsigned print(const struct record *before, const struct record *after, char **text)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    assert_non_null(out);
    unsigned differ = changes_print(out, before, after);
    fclose(out);
    return differ;
}

static void better_and_worse(void **state)
{
    const struct record slow = run_of(1000, 31000, 23), fast = run_of(1000, 0, 11.5);
    char *text;
    (void)state;
    assert_int_equal(print(&slow, &fast, &text), 2);
    assert_non_null(strstr(text, "31 -> 0 "));
    assert_non_null(strstr(text, "-50 %  better"));
    assert_null(strstr(text, "worse"));
    assert_null(strstr(text, "loads of shared memory"));
    free(text);
    assert_int_equal(print(&fast, &slow, &text), 2);
    assert_non_null(strstr(text, "+100 %  worse"));
    assert_null(strstr(text, "better"));
    free(text);
    struct record more = slow;
    record_set_real(&more, COLUMN_copy_pct, 90);
    struct record less = slow;
    record_set_real(&less, COLUMN_copy_pct, 45);
    assert_int_equal(print(&less, &more, &text), 1);
    assert_non_null(strstr(text, "better"));
    free(text);
}

static void nothing_differs(void **state)
{
    const struct record run = run_of(1000, 31000, 23), again = run_of(1000, 31000, 23.0000001);
    char *text, summary[128];
    (void)state;
    assert_int_equal(print(&run, &again, &text), 0);
    assert_string_equal(text, "");
    free(text);
    changes_summarize(&run, &again, summary, sizeof summary);
    assert_string_equal(summary, "");
}

static void unknown_values(void **state)
{
    const struct record none = run_of(0, 0, 23), some = run_of(1000, 31000, 23);
    char *text;
    (void)state;
    assert_int_equal(print(&none, &some, &text), 2);
    assert_non_null(strstr(text, "- -> 31"));
    assert_null(strstr(text, "inf"));
    assert_null(strstr(text, "nan"));
    free(text);
}

static void summary_has_largest_change(void **state)
{
    struct record before = run_of(1000, 31000, 23), after = run_of(1000, 0, 11.5);
    char summary[128];
    (void)state;
    changes_summarize(&before, &after, summary, sizeof summary);
    assert_string_equal(summary, "conflicts per shared load 31 -> 0");
    record_set_count(&before, COLUMN_goals_reached, 2);
    record_set_count(&after, COLUMN_goals_reached, 3);
    changes_summarize(&before, &after, summary, sizeof summary);
    assert_string_equal(summary, "goals reached 2 -> 3");
    record_set_text(&after, COLUMN_status, "race");
    changes_summarize(&before, &after, summary, sizeof summary);
    assert_string_equal(summary, "ok -> race");
    changes_summarize(&before, &after, summary, 6);
    assert_string_equal(summary, "ok ->");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(better_and_worse),
        cmocka_unit_test(nothing_differs),
        cmocka_unit_test(unknown_values),
        cmocka_unit_test(summary_has_largest_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
