/* failure_test.c: tests of texts that are prepended or appended to a failure with findings. */
#include "base/failure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void findings_follow_their_sentences(void **state)
{
    struct failure failure = {0}, other = {0};
    struct findings more = {.count = 0};
    (void)state;
    failure_student(&failure, STATUS_RACE, "a race");
    failure_find(&failure, FINDING_RACE_ATOMIC, 7);
    failure_find(&failure, FINDING_RACE_ATOMIC, 8);
    failure_find(&failure, FINDING_NONE, 9);
    findings_add(&more, FINDING_LAUNCHED, 2, 0);
    failure_append(&failure, &more, "; launched");
    failure_prepend(&failure, "at %d x %d: ", 64, 96);
    assert_string_equal(failure.text, "at 64 x 96: a race\n; launched");
    assert_int_equal(failure.findings.count, 2);
    assert_string_equal(failure.text + failure.findings.list[0].at, "a race\n; launched");
    assert_int_equal(failure.findings.list[0].line, 7);
    assert_string_equal(failure.text + failure.findings.list[1].at, "launched");
    assert_true(failure_has(&failure, FINDING_LAUNCHED));
    assert_false(failure_has(&failure, FINDING_TILE_RACE));
    assert_false(failure_pass(&other, &failure));
    assert_memory_equal(&other, &failure, sizeof other);
    for (int id = FINDING_NONE + 1; id < FINDING_COUNT; id++)
        failure_find(&failure, (enum finding_id)id, 0);
    assert_int_equal(failure.findings.count, FINDINGS_MAX);
}

static void long_texts_are_cut(void **state)
{
    struct failure failure = {0};
    (void)state;
    failure_student(&failure, STATUS_TIMEOUT, "%0*d", FAILURE_TEXT_SIZE - 2, 1);
    failure_append(&failure, NULL, "more");
    assert_int_equal(strlen(failure.text), FAILURE_TEXT_SIZE - 1);
    failure_prepend(&failure, "%0*d", 100, 2);
    assert_int_equal(strlen(failure.text), FAILURE_TEXT_SIZE - 1);
    failure_prepend(&failure, "%0*d", 2 * FAILURE_TEXT_SIZE, 3);
    assert_int_equal(strlen(failure.text), FAILURE_TEXT_SIZE - 1);
    assert_int_equal(failure.text[FAILURE_TEXT_SIZE - 2], '0');
}

static void a_harness_failure_wins(void **state)
{
    struct failure student = {0}, harness = {0}, none = {0};
    (void)state;
    failure_student(&student, STATUS_RACE, "a race");
    failure_harness(&harness, "no memory");
    assert_true(failure_pass(&student, &none));
    failure_find(&harness, FINDING_TILE_RACE, 0);
    assert_int_equal(harness.findings.count, 0);
    failure_prepend(&harness, "before");
    failure_append(&harness, NULL, "after");
    assert_string_equal(harness.text, "no memory");
    assert_false(failure_pass(&student, &harness));
    assert_int_equal(student.kind, FAILURE_HARNESS);
    assert_string_equal(finding_name(FINDING_PITCH_CONFUSED), "pitch-confused");
    assert_string_equal(finding_name(FINDING_NONE), "");
    assert_string_equal(finding_name(FINDING_COUNT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_follow_their_sentences),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(a_harness_failure_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
