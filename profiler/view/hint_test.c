/* hint_test.c: tests of the topic of a hint: a finding, a goal or a note. */
#include "view/hint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

static char directory[] = "/tmp/hint_test_XXXXXX";
static char source[sizeof directory + 16], hints[sizeof directory + 16];

static int setup(void **state)
{
    static const char *const topics[] = {"start",         "elements-unwritten", "unwritten-tiles",
                                         "term-added",    "elements-misplaced", "read-repeatedly",
                                         "loop-too-long", "map-copied",         "map-transposed",
                                         "wrong_result",  "written-repeatedly", "goal-a",
                                         "goal-b",        "repair-tested"};
    (void)state;
    if (!mkdtemp(directory) || setenv("XDG_STATE_HOME", directory, 1))
        return -1;
    snprintf(source, sizeof source, "%s/lab.cu", directory);
    snprintf(hints, sizeof hints, "%s/" HINT_FILE, directory);
    FILE *file = fopen(source, "w");
    if (!file || fputs("one\ntwo\nthree\n", file) < 0 || fclose(file))
        return -1;
    file = fopen(hints, "w");
    for (size_t i = 0; file && i < sizeof topics / sizeof *topics; i++)
        fprintf(file, "%s.question = %s\n%s.where = {line}\n", topics[i], topics[i], topics[i]);
    return !file || fclose(file);
}

static int teardown(void **state)
{
    (void)state;
    return unlink(source) || unlink(hints) || rmdir(directory);
}

static void expect_topic(const struct failure *wrong, const struct goal_list *goals,
                         const char *name, const char *line)
{
    struct record record;
    struct hint hint;
    struct failure failure = {0};
    record_clear(&record);
    record_set_text(&record, COLUMN_variant, "naive");
    assert_true(hint_find(source, &record, wrong, goals, &hint, &failure));
    assert_int_equal(hint.is_empty, !name);
    if (name) {
        assert_string_equal(hint.levels[HINT_QUESTION], name);
        if (line)
            assert_string_equal(hint.levels[HINT_WHERE], line);
        else
            assert_null(hint.levels[HINT_WHERE]);
    }
    assert_int_equal(hint.given, 0);
    hint_free(&hint);
}

static void findings_are_topics(void **state)
{
    static const struct {
        enum finding_id ids[4];
        uint32_t lines[4];
        const char *name, *line;
    } cases[] = {
        {{FINDING_NONE}, {0}, "wrong_result", "3"},
        {{FINDING_LAUNCHED, FINDING_EDGES_ONLY}, {1, 1}, "wrong_result", "3"},
        {{FINDING_REPAIR_TESTED}, {1}, "wrong_result", "3"},
        {{FINDING_UNWRITTEN}, {2}, "elements-unwritten", "2"},
        {{FINDING_UNWRITTEN}, {0}, "elements-unwritten", "3"},
        {{FINDING_LAUNCHED, FINDING_MAP_COPIED}, {1, 2}, "map-copied", "2"},
        {{FINDING_UNWRITTEN, FINDING_MISPLACED}, {1, 2}, "elements-unwritten", "1"},
        {{FINDING_UNWRITTEN, FINDING_MAP_COPIED}, {1, 2}, "map-copied", "2"},
        {{FINDING_MAP_COPIED, FINDING_UNWRITTEN}, {1, 2}, "map-copied", "1"},
        {{FINDING_MAP_COPIED, FINDING_MAP_TRANSPOSED}, {1, 2}, "map-copied", "1"},
        {{FINDING_MAP_COPIED, FINDING_MAP_TRANSPOSED, FINDING_REPAIR_TESTED},
         {1, 2, 3},
         "map-transposed",
         "2"},
        {{FINDING_MAP_COPIED, FINDING_UNWRITTEN, FINDING_REPAIR_TESTED, FINDING_MAP_TRANSPOSED},
         {1, 2, 3, 1},
         "elements-unwritten",
         "2"},
        {{FINDING_MAP_COPIED, FINDING_LAUNCHED, FINDING_REPAIR_TESTED},
         {1, 2, 3},
         "map-copied",
         "1"},
        {{FINDING_REPAIR_TESTED, FINDING_UNWRITTEN, FINDING_MAP_COPIED},
         {1, 2, 3},
         "map-copied",
         "3"},
        {{FINDING_MAP_COPIED, FINDING_NOT_BEGUN}, {1, 2}, "start", NULL},
        {{FINDING_UNWRITTEN, FINDING_UNWRITTEN_TILES}, {1, 1}, "unwritten-tiles", "1"},
        {{FINDING_REFERENCE_MISTAKE, FINDING_TERM_ADDED}, {1, 1}, "term-added", "1"},
    };
    static const struct goal_list none;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct failure wrong = {.kind = FAILURE_STUDENT, .status = STATUS_WRONG_RESULT, .line = 3};
        for (unsigned i = 0; i < 4 && cases[c].ids[i] != FINDING_NONE; i++)
            failure_find(&wrong, cases[c].ids[i], cases[c].lines[i]);
        expect_topic(&wrong, &none, cases[c].name, cases[c].line);
    }
}

static void goals_are_topics(void **state)
{
    static const struct failure correct;
    static struct goal_list goals;
    (void)state;
    expect_topic(&correct, &goals, NULL, NULL);
    goals.count = 4;
    goals.items[0] = (struct goal_item){.id = "sizes", .line = 1};
    goals.items[1] = (struct goal_item){.id = "other", .is_goal = true, .redundant = true};
    goals.items[2] = (struct goal_item){.id = "goal-a", .is_goal = true, .reached = true};
    goals.items[3] = (struct goal_item){.id = "goal-b", .is_goal = true, .line = 2};
    expect_topic(&correct, &goals, "goal-b", "2");
    goals.items[2].reached = false;
    expect_topic(&correct, &goals, "goal-a", NULL);
    goals.items[2].narrow = true;
    expect_topic(&correct, &goals, "goal-b", "2");
    goals.items[2].narrow = false;
    goals.note_count = 2;
    goals.notes[0].id = FINDING_OTHER_SIZE;
    goals.notes[1].id = FINDING_MAP_COPIED;
    expect_topic(&correct, &goals, "goal-a", NULL);
    goals.notes[1].id = FINDING_LOOP_TOO_LONG;
    expect_topic(&correct, &goals, "loop-too-long", NULL);
    goals.notes[0].id = FINDING_READ_REPEATEDLY;
    expect_topic(&correct, &goals, "read-repeatedly", NULL);
    /* If all goals are reached, the topic is the first note not about sizes or unknown goals. */
    goals.items[2].reached = goals.items[3].reached = true;
    goals.notes[0].id = FINDING_OTHER_SIZE;
    goals.notes[1].id = FINDING_GOALS_UNKNOWN;
    expect_topic(&correct, &goals, NULL, NULL);
    goals.notes[1].id = FINDING_MAP_COPIED;
    expect_topic(&correct, &goals, "map-copied", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_topics),
        cmocka_unit_test(goals_are_topics),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
