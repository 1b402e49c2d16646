/* marks_test.c: tests marks that were computed by hand from policy.h and marks.h. */
#include "marks/marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/marks_test_XXXXXX";

static const char *put(const char *name, const char *text)
{
    static char paths[8][64];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

#define RUBRIC(name, extra)                                                                        \
    "{\"exercise\": \"" name "\", \"title\": \"T\", \"points\": 20, \"published\": [[64, 96]], "   \
    "\"hidden\": [], \"runs\": [{\"name\": \"counted\", \"device\": \"h200\", \"rows\": 64, "      \
    "\"cols\": 64}], \"checks\": [{\"id\": \"right\", \"kind\": \"correct\", \"all\": true, "      \
    "\"title\": \"R\", "                                                                           \
    "\"points\": 16}, {\"id\": \"why\", \"title\": \"W\", \"points\": 4, " extra "}]}"

static int enter(void **state)
{
    (void)state;
    if (!mkdtemp(root))
        return -1;
    put("padded.json", RUBRIC("padded", "\"kind\": \"explanation\""));
    put("naive.json", RUBRIC("naive", "\"kind\": \"correct\", \"all\": true"));
    put("coalesced.json", RUBRIC("coalesced", "\"kind\": \"correct\", \"all\": true"));
    return 0;
}

static int leave(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static struct submission people[] = {
    {.id = "ada",
     .name = "Ada M\xc3\xbcller",
     .email = "ada@x.org",
     .path = "x",
     .standing = STANDING_IN_ROSTER},
    {.id = "ben", .name = "Bruce, Ben", .path = "x", .standing = STANDING_IN_ROSTER},
    {.id = "cy", .name = "ada muller", .path = "x", .standing = STANDING_STRANGER},
    {.id = "dora", .name = "D\xc3\xb3ra", .standing = STANDING_IN_ROSTER},
    {.id = "zoe", .name = "Zo\xc3\xab", .path = "x"},
};
static const struct class_list list = {people, sizeof people / sizeof *people};
static const char *const exercises[] = {"naive", "padded"};
static const unsigned char secret[32] = "s";

static bool open_with(struct marks *marks, const struct marks_files *files, struct failure *failure)
{
    *failure = (struct failure){.kind = FAILURE_NONE};
    return marks_open(marks, files, &list, root, exercises, 2, secret, failure);
}

static void open_marks(struct marks *marks, const char *policy, const char *adjust,
                       const char *pairs)
{
    struct failure failure;
    struct marks_files files = {policy ? put("p", policy) : NULL, adjust ? put("a", adjust) : NULL,
                                pairs ? put("g", pairs) : NULL, NULL, false};
    if (!open_with(marks, &files, &failure))
        fail_msg("%s", failure.text);
}

static void refuse(const char *policy, const char *adjust, const char *pairs, const char *words)
{
    struct failure failure;
    struct marks marks;
    struct marks_files files = {policy ? put("p", policy) : NULL, adjust ? put("a", adjust) : NULL,
                                pairs ? put("g", pairs) : NULL, NULL, false};
    if (open_with(&marks, &files, &failure))
        fail_msg("the files were accepted, not rejected with: %s", words);
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    if (!strstr(failure.text, words))
        fail_msg("`%s` does not contain `%s`", failure.text, words);
    marks_close(&marks);
}

static int64_t utc(int year, int month, int day, int hour, int minute)
{
    struct tm date = {.tm_year = year - 1900,
                      .tm_mon = month - 1,
                      .tm_mday = day,
                      .tm_hour = hour,
                      .tm_min = minute};
    return timegm(&date);
}

static json_t *file_for(const char *exercise, const char *file, double score, int64_t time,
                        int64_t modified, int64_t number, bool late)
{
    char source[64];
    snprintf(source, sizeof source, "// %s", file);
    bool padded = !strcmp(exercise, "padded");
    return json_pack(
        "{s:s, s:s, s:s, s:f, s:i, s:s, s:[{s:s, s:i, s:f, s:s}, {s:s, s:i, s:i, s:s}],"
        " s:{s:I, s:I, s:I, s:b}}",
        "exercise", exercise, "file", file, "status", "ok", "score", score, "points", 20, "source",
        source, "checks", "id", "right", "points", 16, "score", score, "result",
        score >= 16 ? "passed" : "partial", "id", "why", "points", 4, "score", 0, "result",
        padded ? "open" : "failed", "upload", "time", (json_int_t)time, "modified",
        (json_int_t)modified, "number", (json_int_t)number, "late", late);
}

static json_t *grade_of(const char *id, json_t *naive, json_t *padded)
{
    json_t *missing[2];
    for (int i = 0; i < 2; i++)
        missing[i] = json_pack("{s:s, s:n, s:s, s:i, s:i, s:[]}", "exercise", exercises[i], "file",
                               "status", "missing", "score", 0, "points", 20, "checks");
    json_t *grade =
        json_pack("{s:s, s:b, s:[O, O], s:[], s:[], s:[], s:{s:s}}", "id", id, "submitted",
                  naive || padded, "labs", naive ? naive : missing[0], padded ? padded : missing[1],
                  "others", "flags", "notes", "record", "uploads", "");
    json_decref(naive);
    json_decref(padded);
    json_decref(missing[0]);
    json_decref(missing[1]);
    return grade;
}

static void add_other(json_t *grade, json_t *lab)
{
    json_array_append_new(json_object_get(grade, "others"), lab);
}

static json_t *grades[sizeof people / sizeof *people];

static json_t *load(void *context, size_t index, struct failure *failure)
{
    (void)context;
    (void)failure;
    assert_non_null(grades[index]);
    return json_incref(grades[index]);
}

static json_t *mark(const struct marks *marks, size_t index, const json_t *grade)
{
    struct failure failure = {0};
    json_t *marked = marks_apply(marks, index, grade, load, NULL, &failure);
    if (!marked)
        fail_msg("%s", failure.text);
    return marked;
}

static const json_t *lab_of(const json_t *grade, size_t index)
{
    return json_array_get(json_object_get(grade, "labs"), index);
}

static void assert_number(const json_t *object, const char *field, double expected)
{
    double number = json_number_value(json_object_get(object, field));
    if (number < expected - 1e-9 || number > expected + 1e-9)
        fail_msg("%s is %g, not %g", field, number, expected);
}

static void assert_text(const json_t *object, const char *field, const char *expected)
{
    const char *text = json_string_value(json_object_get(object, field));
    if (!text || strcmp(text, expected))
        fail_msg("%s is `%s`, not `%s`", field, text ? text : "(none)", expected);
}

static void assert_says(const json_t *object, const char *field, const char *words)
{
    const char *text = json_string_value(json_object_get(object, field));
    if (!text || !strstr(text, words))
        fail_msg("%s is `%s`, without `%s`", field, text ? text : "(none)", words);
}

/* The file is for `naive`, with 16 of 20 points, submitted at `time`. */
static void assert_late(const char *policy, int64_t time, uint64_t days, double score)
{
    struct marks marks;
    open_marks(&marks, policy, NULL, NULL);
    json_t *grade = grade_of("ada", file_for("naive", "n.cu", 16, time, 0, 0, false), NULL);
    json_t *marked = mark(&marks, 0, grade);
    assert_number(lab_of(marked, 0), "late_days", (double)days);
    assert_number(lab_of(marked, 0), "score", score);
    assert_number(marked, "score", score);
    assert_number(lab_of(marked, 0), "judged", 16);
    json_decref(marked);
    json_decref(grade);
    marks_close(&marks);
}

#define BERLIN "{\"time_zone\": \"Europe/Berlin\", "

static void test_days(void **state)
{
    (void)state;
    static const char policy[] = BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 2}";
    assert_late(policy, utc(2026, 11, 20, 22, 59), 0, 16);
    assert_late(policy, utc(2026, 11, 20, 22, 59) + 1, 1, 14);
    assert_late(policy, utc(2026, 11, 21, 22, 59), 1, 14);
    assert_late(policy, utc(2026, 11, 21, 23, 0), 2, 12);
    assert_late(policy, utc(2026, 11, 30, 12, 0), 10, 0);
    assert_late(policy, 0, 0, 16);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"grace_minutes\": 10, "
                       "\"percent_a_day\": 10}",
                utc(2026, 11, 20, 23, 9), 0, 16);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"grace_minutes\": 10, "
                       "\"percent_a_day\": 10}",
                utc(2026, 11, 20, 23, 10), 1, 14); /* 10 % of the 20 points of the exercise */
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"percent_a_day\": 10, "
                       "\"most_percent\": 25}",
                utc(2026, 11, 27, 12, 0), 7, 11);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"percent_a_day\": 1, "
                       "\"most_days\": 3}",
                utc(2026, 11, 23, 22, 59), 3, 15.4);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"percent_a_day\": 1, "
                       "\"most_days\": 3}",
                utc(2026, 11, 23, 23, 0), 4, 0);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\"}", utc(2026, 11, 22, 12, 0), 2, 16);
}

/* Berlin changes its clocks on 2026-10-25 (25 hours) and 2026-03-29 (23 hours), New York on
 * 2026-11-01. A late day ends at the same local time of the next day. */
static void test_clocks_change(void **state)
{
    (void)state;
    static const char autumn[] = BERLIN "\"deadline\": \"2026-10-24 23:59\", \"points_a_day\": 1}";
    assert_late(autumn, utc(2026, 10, 24, 21, 59), 0, 16);
    assert_late(autumn, utc(2026, 10, 24, 22, 0), 1, 15);
    assert_late(autumn, utc(2026, 10, 25, 22, 59), 1, 15);
    assert_late(autumn, utc(2026, 10, 25, 23, 0), 2, 14);
    assert_late(autumn, utc(2026, 10, 31, 22, 59), 7, 9);
    static const char spring[] = BERLIN "\"deadline\": \"2026-03-28 23:59\", \"points_a_day\": 1}";
    assert_late(spring, utc(2026, 3, 29, 21, 59), 1, 15);
    assert_late(spring, utc(2026, 3, 29, 22, 0), 2, 14);
    assert_late("{\"time_zone\": \"America/New_York\", \"deadline\": \"2026-10-31 12:00\", "
                "\"points_a_day\": 1}",
                utc(2026, 11, 1, 17, 0), 1, 15);
    assert_late("{\"time_zone\": \"UTC\", \"deadline\": \"2026-10-31 12:00\", "
                "\"points_a_day\": 1}",
                utc(2026, 11, 1, 17, 0), 2, 14);
}

static void test_exercises_and_extensions(void **state)
{
    (void)state;
    assert_late(BERLIN "\"points_a_day\": 3, \"exercises\": [{\"exercise\": \"naive\", "
                       "\"deadline\": \"2026-11-20 23:59\"}]}",
                utc(2026, 11, 21, 12, 0), 1, 13);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 3, \"exercises\": "
                       "[{\"exercise\": \"padded\", \"deadline\": \"2026-12-20 23:59\"}]}",
                utc(2026, 11, 21, 12, 0), 1, 13);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 3, \"exercises\": "
                       "[{\"exercise\": \"naive\", \"points_a_day\": 1}]}",
                utc(2026, 11, 21, 12, 0), 1, 15);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"percent_a_day\": 10, \"exercises\": "
                       "[{\"exercise\": \"naive\", \"points_a_day\": 1}]}",
                utc(2026, 11, 21, 12, 0), 1, 15);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 3, \"exercises\": "
                       "[{\"exercise\": \"naive\", \"percent_a_day\": 5}]}",
                utc(2026, 11, 21, 12, 0), 1, 15);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 3, \"extensions\": "
                       "[{\"id\": \"ada\", \"deadline\": \"2026-11-21 23:59\"}]}",
                utc(2026, 11, 21, 12, 0), 0, 16);
    assert_late(BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 3, \"extensions\": "
                       "[{\"id\": \"ada\", \"exercise\": \"padded\", \"deadline\": \"2026-11-21 "
                       "23:59\"}, {\"id\": \"zo\xc3\xab\", \"deadline\": \"2026-12-01 00:00\"}]}",
                utc(2026, 11, 21, 12, 0), 1, 13);
}

/* Canvas does not report how late a file is, and ignores the policy's extensions. */
static void test_platform_says_late(void **state)
{
    (void)state;
    struct marks marks;
    open_marks(&marks,
               BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 2, \"extensions\": "
                      "[{\"id\": \"ben\", \"exercise\": \"naive\", \"deadline\": "
                      "\"2026-12-01 12:00\"}]}",
               NULL, NULL);
    json_t *grade = grade_of("ada", file_for("naive", "n.cu", 16, 5, 0, 7001, true),
                             file_for("padded", "p.cu", 16, utc(2027, 1, 1, 0, 0), 0, 7002, false));
    json_t *marked = mark(&marks, 0, grade);
    assert_number(lab_of(marked, 0), "score", 14);
    assert_number(lab_of(marked, 1), "score", 16); /* times in archives are ignored */
    assert_int_equal(json_array_size(json_object_get(marked, "flags")), 1);
    assert_text(json_array_get(json_object_get(marked, "flags"), 0), "kind", "late");
    json_decref(marked);
    marked = mark(&marks, 1, grade);
    assert_number(lab_of(marked, 0), "score", 16);
    assert_number(lab_of(marked, 0), "late_days", 0);
    assert_says(json_array_get(json_object_get(marked, "flags"), 0), "evidence",
                "n.cu: Canvas reports that this file is late, but not how late: there is an "
                "extension, so nothing was");
    json_decref(marked);
    json_decref(grade);
    marks_close(&marks);
}

static void test_policies_refused(void **state)
{
    (void)state;
    refuse("{\"deadline\": \"2026-11-20 23:59\"}", NULL, NULL, "/p: time_zone: is missing");
    refuse("{\"time_zone\": \"Mars/Base\"}", NULL, NULL, "/p: time_zone: unknown time zone");
    refuse("{\"time_zone\": \"../../../etc/passwd\"}", NULL, NULL, "unknown time zone");
    refuse(BERLIN "\"deadline\": \"2026-02-30 12:00\"}", NULL, NULL, "deadline: must be a local");
    refuse(BERLIN "\"deadline\": \"2026-11-20T23:59+01:00\"}", NULL, NULL, "must be a local time");
    refuse(BERLIN "\"deadline\": \"2026-11-20 25:00\"}", NULL, NULL, "must be a local time");
    refuse(BERLIN "\"points_per_day\": 1}", NULL, NULL, "points_per_day: is not a known field");
    refuse(BERLIN "\"counts\": \"newest\"}", NULL, NULL, "is not one of last, best");
    refuse(BERLIN "\"exercises\": [{\"exercise\": \"padded\"}, {\"exercise\": \"padded\"}]}", NULL,
           NULL, "exercises[1].exercise: `padded` occurs twice");
    refuse(BERLIN "\"exercises\": [{\"exercise\": \"quilted\"}]}", NULL, NULL,
           "exercises[0].exercise: there is no rubric for `quilted`");
    refuse(BERLIN "\"extensions\": [{\"id\": \"nobody\", \"deadline\": \"2026-11-20 23:59\"}]}",
           NULL, NULL, "extensions[0].id: no student of this class has the id `nobody`");
    refuse("{", NULL, NULL, "/p:1: ");
}

static void assert_counts(const char *policy, json_t *first, json_t *second, const char *counts,
                          double score, const char *why)
{
    struct marks marks;
    open_marks(&marks, policy, NULL, NULL);
    for (int turn = 0; turn < 2; turn++) {
        json_t *grade = grade_of("ada", json_deep_copy(turn ? second : first), NULL);
        add_other(grade, json_deep_copy(turn ? first : second));
        json_t *marked = mark(&marks, 0, grade);
        assert_text(lab_of(marked, 0), "file", counts);
        assert_number(lab_of(marked, 0), "score", score);
        assert_says(lab_of(marked, 0), "chosen", why);
        assert_null(json_object_get(marked, "others"));
        assert_null(json_object_get(lab_of(marked, 0), "upload"));
        json_decref(marked);
        json_decref(grade);
    }
    json_decref(first);
    json_decref(second);
    marks_close(&marks);
}

static void test_which_file_counts(void **state)
{
    (void)state;
    static const char policy[] = BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 2}";
    static const char best[] = BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 2, "
                                      "\"counts\": \"best\"}";
    const int64_t due = utc(2026, 11, 20, 22, 59), day = 86400;
#define FILE_AT(name, score, time) file_for("naive", name, score, time, 0, 0, false)
    assert_counts(NULL, FILE_AT("a.cu", 16, due - 9), FILE_AT("b.cu", 8, due - 5), "b.cu", 8,
                  "b.cu counts, because it is the last file for this exercise (by the times of the "
                  "files); a.cu does not count");
    assert_counts(policy, FILE_AT("a.cu", 8, due), FILE_AT("b.cu", 16, due + 5), "a.cu", 8,
                  "the last file for this exercise that is on time");
    assert_counts(policy, FILE_AT("a.cu", 16, due + 5), FILE_AT("b.cu", 12, due + day), "b.cu", 10,
                  "because all files are late");
    assert_counts(best, FILE_AT("a.cu", 8, due), FILE_AT("b.cu", 16, due + 5), "b.cu", 14,
                  "the best file");
    assert_counts(best, FILE_AT("a.cu", 14, due), FILE_AT("b.cu", 16, due + day + 1), "a.cu", 14,
                  "the best file");
    assert_counts(NULL, FILE_AT("a.cu", 16, due), FILE_AT("b.cu", 8, due), "a.cu", 16,
                  "the order of the files is unknown, so the better file counts");
    assert_counts(NULL, FILE_AT("a.cu", 16, 0), FILE_AT("b.cu", 8, due), "a.cu", 16,
                  "the order of the files is unknown");
    assert_counts(NULL, file_for("naive", "padded.cu", 16, due + 9, 0, 801, false),
                  file_for("naive", "padded-1.cu", 9, due, 0, 802, false), "padded-1.cu", 9,
                  "by the platform's attempt numbers");
    assert_counts(NULL, file_for("naive", "old.cu", 16, due, due - 900, 0, false),
                  file_for("naive", "new.cu", 9, due, due - 100, 0, false), "new.cu", 9,
                  "by the times in the archive");
    assert_counts(policy, file_for("naive", "a.cu", 9, due, 0, 801, false),
                  file_for("naive", "b.cu", 16, due, 0, 802, true), "a.cu", 9, "on time");
}

static void test_by_hand(void **state)
{
    (void)state;
    struct marks marks;
    open_marks(&marks, BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 2}",
               "\xef\xbb\xbfID;Exercise;Points;Reason;Who\r\n"
               "ada;naive;14;\"reread; the \"\"idea\"\" is right\";me\r\n"
               "ada;padded/why;3,5;a good drawing;me\r\n"
               "ben;naive;+2;explained;me\r\n"
               "ben;padded;-1;;me\r\n"
               "zo\xc3\xab;padded;-20;copied;me\r\n"
               "zo\xc3\xab;naive;+20;the most there is;me\r\n"
               "dora;naive;5;submitted on paper;me\r\n"
               "dora;coalesced;5;is not graded now;me\r\n",
               NULL);
    assert_int_equal(marks.adjustments.skipped, 1);
    const int64_t late = utc(2026, 11, 21, 12, 0);
    json_t *grade = grade_of("ada", file_for("naive", "n.cu", 16, late, 0, 0, false),
                             file_for("padded", "p.cu", 16, 0, 0, 0, false));
    json_t *marked = mark(&marks, 0, grade);
    assert_number(lab_of(marked, 0), "score", 14); /* the last row is used, even for lateness */
    const json_t *changes = json_object_get(lab_of(marked, 0), "changes");
    assert_int_equal(json_array_size(changes), 2);
    assert_number(json_array_get(changes, 0), "points", -2);
    assert_number(json_array_get(changes, 1), "points", 0);
    assert_text(json_array_get(changes, 1), "text",
                "marked by hand: reread; the \"idea\" is right");
    assert_number(lab_of(marked, 1), "score", 19.5);
    assert_number(lab_of(marked, 1), "open", 0);
    assert_number(marked, "open", 0);
    assert_number(marked, "score", 33.5);
    const json_t *why = json_array_get(json_object_get(lab_of(marked, 1), "checks"), 1);
    assert_text(why, "result", "partial");
    assert_text(why, "text", "marked by hand: a good drawing");
    json_decref(marked);
    marked = mark(&marks, 1, grade);
    assert_number(lab_of(marked, 0), "score", 16);
    assert_number(lab_of(marked, 1), "score", 15);
    assert_number(lab_of(marked, 1), "open", 4);
    json_decref(marked);
    marked = mark(&marks, 4, grade);
    assert_number(lab_of(marked, 0), "score", 20);
    assert_number(lab_of(marked, 1), "score", 0);
    json_decref(marked);
    json_decref(grade);
    grade = grade_of("dora", NULL, NULL);
    marked = mark(&marks, 3, grade);
    assert_number(lab_of(marked, 0), "score", 5);
    assert_number(marked, "score", 5);
    json_decref(marked);
    json_decref(grade);
    marks_close(&marks);
}

static void test_changes_add(void **state)
{
    (void)state;
    struct marks marks;
    open_marks(&marks, NULL, "exercise,id,change,points\nnaive,Ada@x.org,2,\nnaive,ben,,7\n", NULL);
    json_t *grade = grade_of("ada", file_for("naive", "n.cu", 10, 0, 0, 0, false), NULL);
    for (size_t i = 0; i < 3; i++) {
        json_t *marked = mark(&marks, i, grade);
        assert_number(lab_of(marked, 0), "score", i == 0 ? 12 : i == 1 ? 7 : 10);
        json_decref(marked);
    }
    json_decref(grade);
    marks_close(&marks);
}

static void test_adjustments_refused(void **state)
{
    (void)state;
#define HEAD "id,exercise,points,reason\n"
    refuse(NULL, "ada,naive,3,x\n", NULL, "/a:1: the first line must name the columns");
    refuse(NULL, HEAD "nobody,naive,3,x\n", NULL,
           "/a:2: no student of this class has the id `nobody`");
    refuse(NULL, HEAD "ada,naive,3,\"a\nb\"\nada,quilted,3,x\n", NULL,
           "/a:4: there is no exercise `quilted`");
    refuse(NULL, HEAD "ada,../naive,3,x\n", NULL, "/a:2: there is no exercise");
    refuse(NULL, HEAD "ada,policy,3,x\n", NULL, "/a:2: there is no exercise `policy`");
    refuse(NULL, HEAD "ada,padded/what,3,x\n", NULL, "/a:2: padded has no check `what`");
    refuse(NULL, HEAD "ada,naive,21,x\n", NULL, "/a:2: naive has at most 20 points, not 21");
    refuse(NULL, HEAD "ada,naive,-21,x\n", NULL, "/a:2: naive has at most 20 points, not -21");
    refuse(NULL, HEAD "ada,padded/why,5,x\n", NULL, "/a:2: padded/why has at most 4 points, not 5");
    refuse(NULL, HEAD "ada,naive,many,x\n", NULL, "/a:2: `many` is not a number of points");
    refuse(NULL, HEAD "ada,naive,1.2.3,x\n", NULL, "is not a number of points");
    refuse(NULL, HEAD "ada,naive,nan,x\n", NULL, "is not a number of points");
    refuse(NULL, HEAD "ada,naive,3,reread, and right\n", NULL,
           "/a:2: `and right` belongs to no column: if a text contains a comma");
    refuse(NULL, HEAD "ada,naive,,x\n", NULL, "/a:2: `` is not a number of points");
    refuse(NULL, HEAD "ada,naive,3,x\n\nada,naive,4,y\n", NULL,
           "/a:4: ada, naive: the same entry is already in line 2");
    refuse(NULL, "id,exercise,points,change\nada,naive,3,1\n", NULL,
           "`points` and `change` both have a value");
    refuse(NULL, "", NULL, "/a is empty");
}

static void test_pairs(void **state)
{
    (void)state;
    struct marks marks;
    const int64_t due = utc(2026, 11, 20, 22, 59);
    open_marks(&marks,
               BERLIN "\"deadline\": \"2026-11-20 23:59\", \"points_a_day\": 2, "
                      "\"extensions\": [{\"id\": \"dora\", \"deadline\": \"2026-11-21 "
                      "23:59\"}]}",
               "id,exercise,points\nada,naive,+1\n", "id,partner\nben,ada\nada,ben\ncy,dora\n");
    /* both submit naive, and only ben submits padded */
    grades[0] = grade_of("ada", file_for("naive", "a.cu", 8, due - 9, 0, 0, false), NULL);
    grades[1] = grade_of("ben", file_for("naive", "b.cu", 12, due - 5, 0, 0, false),
                         file_for("padded", "p.cu", 16, due, 0, 0, false));
    grades[2] = grade_of("cy", file_for("naive", "c.cu", 16, due + 99, 0, 0, false), NULL);
    grades[3] = grade_of("dora", NULL, NULL);
    json_t *ada = mark(&marks, 0, grades[0]), *ben = mark(&marks, 1, grades[1]);
    assert_number(lab_of(ada, 0), "score", 13);
    assert_number(lab_of(ben, 0), "score", 12);
    assert_text(lab_of(ada, 0), "file", "b.cu");
    assert_text(lab_of(ada, 0), "partner", "Bruce, Ben");
    assert_true(json_is_null(json_object_get(lab_of(ben, 0), "partner")));
    assert_number(lab_of(ada, 1), "score", 16);
    assert_says(json_array_get(json_object_get(ada, "flags"), 0), "evidence",
                "naive: the partners submitted different files; the file of ben counts for both");
    assert_int_equal(json_array_size(json_object_get(ben, "flags")), 1);
    assert_text(json_array_get(json_object_get(ada, "partners"), 0), "id", "ben");
    json_decref(ada);
    json_decref(ben);
    json_t *dora = mark(&marks, 3, grades[3]), *cy = mark(&marks, 2, grades[2]);
    assert_true(json_is_true(json_object_get(dora, "submitted")));
    assert_number(dora, "score", 16); /* the extension of one partner is valid for both */
    assert_number(cy, "score", 16);
    json_decref(dora);
    json_decref(cy);
    for (size_t i = 0; i < 4; i++)
        json_decref(grades[i]);
    marks_close(&marks);
    refuse(NULL, NULL, "ada,zed\n", "/g:1: no student of this class has the id `zed`");
    refuse(NULL, NULL, "ada,ben\ncy,ben\n", "/g:2: `ben` is already in another group, in line 1");
    refuse(NULL, NULL, "id,partner\nada,zed\n", "/g:2: no student of this class has the id `zed`");
    refuse(NULL, NULL, "id,partner\nada,ben\nben,cy\n",
           "/g:3: `ben` is already in another group, in line 2");
    refuse(NULL, NULL, "id,partner,third\nada,ben,cy\nada,ben,\n", "/g:3: ");
    refuse(NULL, NULL, "id,partner\nada,ada\n", "/g:2: `ada` occurs twice");
    refuse(NULL, NULL, "id,partner\nada,\"ben\n", "/g:2: ");
}

static void test_names(void **state)
{
    (void)state;
    struct marks marks;
    open_marks(&marks, NULL, NULL, NULL);
    json_t *grade = grade_of("x", NULL, NULL);
    for (size_t i = 0; i < list.count; i++) {
        json_t *marked = mark(&marks, i, grade);
        const json_t *same = json_object_get(marked, "namesakes");
        assert_int_equal(json_array_size(same), i == 0 || i == 2);
        if (i == 0 || i == 2)
            assert_string_equal(json_string_value(json_array_get(same, 0)), i ? "ada" : "cy");
        assert_text(marked, "standing", i == 2 ? "stranger" : i == 4 ? "" : "in_roster");
        json_decref(marked);
    }
    json_decref(grade);
    marks_close(&marks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_clocks_change),
        cmocka_unit_test(test_exercises_and_extensions),
        cmocka_unit_test(test_platform_says_late),
        cmocka_unit_test(test_policies_refused),
        cmocka_unit_test(test_which_file_counts),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_changes_add),
        cmocka_unit_test(test_adjustments_refused),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
