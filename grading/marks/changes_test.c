/* changes_test.c: tests which changes are listed after a class is marked twice. */
#include "marks/changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/changes_test_XXXXXX", path[64];

static int enter(void **state)
{
    (void)state;
    if (!mkdtemp(root))
        return -1;
    snprintf(path, sizeof path, "%s/marks.state", root);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    return unlink(path) || rmdir(root);
}

static json_t *marked(const char *id, double score)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:[], s:[{s:s, s:f, s:i, s:f, s:s, s:s, s:s, s:s, "
                     "s:s, s:n, s:[], s:[{s:s, s:s, s:f}]}]}",
                     "id", id, "name", "N, \"n\"", "record", "seed", "s", "tlab", "3", "flags",
                     "labs", "exercise", "padded", "score", score, "points", 20, "judged", score,
                     "file", "a.cu", "status", "ok", "source", "// a", "rubric", "r", "compiler",
                     "c", "partner", "changes", "checks", "id", "why", "text", "x", "score", 0.0);
}

static json_t *lab(json_t *grade)
{
    return json_array_get(json_object_get(grade, "labs"), 0);
}

static void add_change(json_t *grade, const char *kind, double points, const char *text)
{
    json_array_append_new(
        json_object_get(lab(grade), "changes"),
        json_pack("{s:s, s:f, s:s}", "kind", kind, "points", points, "text", text));
}

/* Mark one or two people. Returns the changes as lines "new|old ID EXERCISE OLD NEW WHY". */
static const char *run(json_t *one, json_t *other)
{
    static char text[4096];
    struct changes changes;
    struct failure failure = {0};
    bool new_ones;
    size_t index;
    const json_t *change;
    changes_open(&changes, path);
    changes_add(&changes, one);
    if (other)
        changes_add(&changes, other);
    text[0] = 0;
    json_array_foreach (changes_since(&changes, &new_ones), index, change) {
        const json_t *new = json_object_get(change, "new");
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s %s %s %g %g %s\n", new_ones ? "new" : "old",
                 json_string_value(json_object_get(change, "id")),
                 json_string_value(json_object_get(change, "exercise")),
                 json_number_value(json_object_get(change, "old")),
                 json_is_null(new) ? -1 : json_number_value(new),
                 json_string_value(json_object_get(change, "why")));
    }
    assert_true(changes_save(&changes, path, &failure));
    changes_close(&changes);
    json_decref(one);
    json_decref(other);
    return text;
}

static void begin(double score)
{
    unlink(path);
    assert_string_equal(run(marked("ada", score), NULL), "");
}

static void set(json_t *grade, const char *field, const char *text)
{
    json_object_set_new(lab(grade), field, text ? json_string(text) : json_null());
}

static void test_why(void **state)
{
    (void)state;
    static const char *const fields[][3] = {
        {"rubric", "r2", "new ada padded 12 14 the rubric has changed\n"},
        {"compiler", "c2", "new ada padded 12 14 the compiler produced different code\n"},
        {"source", "// b", "new ada padded 12 14 a.cu has changed\n"},
        {"file", "b.cu", "new ada padded 12 14 b.cu counts instead of a.cu\n"},
        {"file", NULL, "new ada padded 12 14 a.cu was removed\n"},
        {"status", "ok", "new ada padded 12 14 the grader has changed\n"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        begin(12);
        json_t *grade = marked("ada", 14);
        set(grade, fields[i][0], fields[i][1]);
        assert_string_equal(run(grade, NULL), fields[i][2]);
    }
    begin(12);
    json_t *grade = marked("ada", 12);
    json_object_set_new(lab(grade), "score", json_real(14));
    add_change(grade, "by_hand", 2, "marked by hand: reread");
    assert_string_equal(run(grade, NULL), "new ada padded 12 14 marked by hand: reread\n");
    assert_string_equal(run(marked("ada", 12), NULL),
                        "new ada padded 14 12 the exercise is no longer marked by hand\n");
    begin(12);
    grade = marked("ada", 12);
    json_object_set_new(lab(grade), "score", json_real(10));
    add_change(grade, "late", -2, "submitted late");
    set(grade, "partner", "Ben");
    assert_string_equal(run(grade, NULL),
                        "new ada padded 12 10 submitted by Ben; submitted late\n");
    begin(12);
    grade = marked("ada", 12);
    json_t *check = json_array_get(json_object_get(lab(grade), "checks"), 0);
    json_object_set_new(check, "text", json_string("marked by hand: good"));
    json_object_set_new(check, "by_hand", json_true());
    json_object_set_new(lab(grade), "score", json_real(15));
    assert_string_equal(run(grade, NULL), "new ada padded 12 15 checks were marked by hand\n");
    begin(12);
    grade = marked("ada", 14);
    json_object_set_new(json_object_get(grade, "record"), "seed", json_string("t"));
    set(grade, "rubric", "r2");
    assert_string_equal(run(grade, NULL),
                        "new ada padded 12 14 the rubric has changed; the seed has changed\n");
}

/* A change is listed until the next change. New students and new exercises are not changes. */
static void test_who(void **state)
{
    (void)state;
    begin(12);
    assert_string_equal(run(marked("ada", 12), marked("ben", 9)), "");
    json_t *grade = marked("ben", 8);
    set(grade, "source", "// b");
    assert_string_equal(run(marked("ada", 12), grade), "new ben padded 9 8 a.cu has changed\n");
    grade = marked("ben", 8);
    set(grade, "source", "// b");
    assert_string_equal(run(marked("ada", 12), grade), "old ben padded 9 8 a.cu has changed\n");
    assert_string_equal(run(marked("ada", 12), NULL),
                        "new ben padded 8 -1 this person is no longer in the class\n");
    grade = marked("ada", 12);
    set(grade, "exercise", "naive");
    assert_string_equal(run(grade, NULL),
                        "old ben padded 8 -1 this person is no longer in the class\n");
    begin(12);
    assert_string_equal(run(marked("ada", 12), marked("ben", 0)), "");
    assert_string_equal(run(marked("ada", 12), NULL), "");
}

static void test_damaged(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"format\": \"transpose-lab-marks-1\"}",
        "{\"format\": \"transpose-lab-marks-1\", \"people\": [], \"changes\": {}}",
        "{\"format\": \"transpose-lab-marks-1\", \"people\": {\"ada\": 3}, \"changes\": []}",
        "{\"format\": \"transpose-lab-marks-1\", \"people\": {\"ada\": {\"exercises\": "
        "{\"padded\": "
        "[]}}}, \"changes\": []}"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(texts[i], file);
        assert_int_equal(fclose(file), 0);
        run(marked("ada", 12), NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_why),
        cmocka_unit_test(test_who),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
