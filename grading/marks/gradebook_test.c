/* gradebook_test.c: tests that only marks change in filled exports of Canvas and Moodle. */
#define _GNU_SOURCE
#include "marks/gradebook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/gradebook_test_XXXXXX", export[64], upload[64];
static json_t *people;
static bool zeros;
static struct rubric rubrics[3];
static struct submission class[] = {
    {.id = "alice", .name = "Alice \xc3\x85ngstr\xc3\xb6m", .email = "alice@example.org"},
    {.id = "ben", .name = "Ben Bruce", .email = "ben@example.org"},
    {.id = "lost", .name = "Lost"},
    {.id = "zoe", .name = "Zo\xc3\xab", .email = "z@example.org"},
};
static const struct class_list list = {class, sizeof class / sizeof *class};

static json_t *mark(double score, const char *status, const char *by_hand)
{
    return json_pack("{s:f, s:s, s:{s:s}}", "score", score, "status", status, "by_hand", "said",
                     by_hand);
}

static json_t *person(bool hold, json_t *copy, json_t *copy_shared, json_t *padded)
{
    return json_pack("{s:b, s:b, s:{s:o, s:o, s:o}}", "hold", hold, "submitted", 1, "exercises",
                     "copy", copy, "copy_shared", copy_shared, "padded", padded);
}

static int enter(void **state)
{
    static const char *const names[] = {"copy", "copy_shared", "padded"};
    static const char *const titles[] = {"Copy", "Copy through shared memory", "Padded transpose"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        snprintf(rubrics[i].exercise.name, sizeof rubrics[i].exercise.name, "%s", names[i]);
        snprintf(rubrics[i].title, sizeof rubrics[i].title, "%s", titles[i]);
        rubrics[i].points = i == 2 ? 20 : 10;
    }
    people = json_pack(
        "{s:o, s:o, s:o, s:o}", "alice",
        person(false, mark(10, "ok", ""), mark(7.5, "ok", ""), mark(20, "ok", "")), "ben",
        person(false, mark(0, "unreadable", ""), mark(3.336, "ok", ""),
               mark(2, "unreadable", "on paper")),
        "lost", person(false, mark(1, "ok", ""), mark(1, "ok", ""), mark(1, "ok", "")), "zoe",
        person(true, mark(0, "missing", ""), mark(0, "missing", ""), mark(0, "missing", "")));
    if (!mkdtemp(root))
        return -1;
    snprintf(export, sizeof export, "%s/export.csv", root);
    snprintf(upload, sizeof upload, "%s/upload.csv", root);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    json_decref(people);
    unlink(export);
    unlink(upload);
    return rmdir(root);
}

static void put(const char *text)
{
    FILE *file = fopen(export, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_filled(const char *text, const char *expected, char *said)
{
    struct failure failure = {0};
    char filled[8192], unused[4096];
    FILE *stream = fmemopen(said ? said : unused, 4096, "w");
    put(text);
    if (!gradebook_fill(export, upload, &list, rubrics, 3, people, zeros, stream, &failure))
        fail_msg("%s", failure.text);
    fclose(stream);
    FILE *file = fopen(upload, "r");
    assert_non_null(file);
    filled[fread(filled, 1, sizeof filled - 1, file)] = 0;
    fclose(file);
    assert_string_equal(filled, expected);
}

static void assert_refused(const char *text, const char *words)
{
    struct failure failure = {0};
    put(text);
    assert_false(gradebook_fill(export, upload, &list, rubrics, 3, NULL, false, NULL, &failure));
    if (!strstr(failure.text, words))
        fail_msg("`%s` does not contain `%s`", failure.text, words);
}

static void test_canvas(void **state)
{
    char said[4096] = "";
    (void)state;
    assert_filled(
        "\xef\xbb\xbfStudent,ID,SIS Login ID,Section,\"Padded transpose (8841)\",\"Essay, padded "
        "with care (1)\",Copy (8842),Labs Current Score\r\n"
        "    Points Possible,,,,40,5,10,(read only)\r\n"
        "\"\xc3\x85ngstr\xc3\xb6m, Alice\",11, alice ,\"1, \"\"A\"\"\",,4,,88\r\n"
        "\r\n"
        "\"Bruce, Ben\",12,ben,1,\"3\",,EX,\r\n"
        "\"Zo\xc3\xab\",13,zoe,1,9,9,9,9\r\n"
        "\"Nobody, Ned\",14,ned,1,9,9,9,9\r\n"
        "    Test Student,15,,1,,,,",
        "\xef\xbb\xbfStudent,ID,SIS Login ID,Section,\"Padded transpose (8841)\",\"Essay, padded "
        "with care (1)\",Copy (8842),Labs Current Score\r\n"
        "    Points Possible,,,,40,5,10,(read only)\r\n"
        "\"\xc3\x85ngstr\xc3\xb6m, Alice\",11, alice ,\"1, \"\"A\"\"\",40,4,10,88\r\n"
        "\r\n"
        "\"Bruce, Ben\",12,ben,1,\"4\",,EX,\r\n"
        "\"Zo\xc3\xab\",13,zoe,1,9,9,9,9\r\n"
        "\"Nobody, Ned\",14,ned,1,9,9,9,9\r\n"
        "    Test Student,15,,1,,,,",
        said);
    assert_non_null(strstr(said, "receives padded, scaled from 20 to 40 points"));
    assert_non_null(strstr(said, "no column for copy_shared"));
    assert_non_null(
        strstr(said, "3 of 4 people in the file have marks; 1 person of this class is not"));
}

static void test_moodle(void **state)
{
    (void)state;
    assert_filled("First name;Surname;Email address;Assignment: copy_shared (Real);Course total\n"
                  "Alice;\xc3\x85ngstr\xc3\xb6m;alice@example.org;-;-\n"
                  "Ben;Bruce;BEN@example.org;\"7,00\";-\n"
                  "Short;Row\n",
                  "First name;Surname;Email address;Assignment: copy_shared (Real);Course total\n"
                  "Alice;\xc3\x85ngstr\xc3\xb6m;alice@example.org;7.5;-\n"
                  "Ben;Bruce;BEN@example.org;\"3.34\";-\n"
                  "Short;Row\n",
                  NULL);
}

static void test_moodle_worksheet(void **state)
{
    char said[4096] = "";
    (void)state;
    assert_filled(
        "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can "
        "be changed\"\n"
        "\"Participant 7\",\"Alice \xc3\x85ngstr\xc3\xb6m\",alice@example.org,-,,\"100,00\",Yes\n"
        "\"Participant 8\",Ned,ned@example.org,-,5.00,\"100,00\",Yes\n",
        "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can "
        "be changed\"\n"
        "\"Participant 7\",\"Alice "
        "\xc3\x85ngstr\xc3\xb6m\",alice@example.org,-,93.75,\"100,00\",Yes\n"
        "\"Participant 8\",Ned,ned@example.org,-,5.00,\"100,00\",Yes\n",
        said);
    assert_non_null(strstr(said, "`Grade` receives the total, scaled from 40 to 100 points"));
    assert_null(strstr(said, "no column for"));
}

static void test_other_files(void **state)
{
    (void)state;
    assert_filled("name\tid\t\"Lab 3:\nPadded transpose\"\nAlice \xc5ngstr\xf6m\talice\t\n",
                  "name\tid\t\"Lab 3:\nPadded transpose\"\nAlice \xc5ngstr\xf6m\talice\t20\n",
                  NULL);
    assert_filled("id,COPY\ralice,x\rben,x\r", "id,COPY\ralice,10\rben,x\r", NULL);
    assert_filled("id,Transpose Lab (7)\nalice,\n", "id,Transpose Lab (7)\nalice,37.5\n", NULL);
    assert_filled("id;\"Last, first, or nick\";copy\nalice;\"A, B\";\n",
                  "id;\"Last, first, or nick\";copy\nalice;\"A, B\";10\n", NULL);
    /* the ID has priority over the e-mail address */
    assert_filled("id,email,padded\nben,z@example.org,7\n",
                  "id,email,padded\nben,z@example.org,2\n", NULL);
    /* the exact name has priority over a header that contains the name */
    assert_filled("id,copy of your essay,copy (12)\nalice,1,\n",
                  "id,copy of your essay,copy (12)\nalice,1,10\n", NULL);
}

static void test_without_submission(void **state)
{
    char said[4096] = "";
    json_t *zoe = json_object_get(people, "zoe"), *lost = json_object_get(people, "lost");
    (void)state;
    json_object_set_new(zoe, "hold", json_false());
    json_object_set_new(zoe, "submitted", json_false());
    json_object_set_new(lost, "submitted", json_false());
    const char *export_text = "id,copy,padded\nalice,,\nzoe,,7\nlost,,\n";
    assert_filled(export_text, "id,copy,padded\nalice,10,20\nzoe,,7\nlost,1,1\n", said);
    assert_non_null(strstr(said, "1 of 3 people in the file have marks"));
    assert_non_null(strstr(said, "2 people have no submission"));
    zeros = true;
    assert_filled(export_text, "id,copy,padded\nalice,10,20\nzoe,0,0\nlost,1,1\n", NULL);
    zeros = false;
}

static void test_other_class(void **state)
{
    char path[] = "/class/alice";
    (void)state;
    for (size_t i = 0; i < list.count; i++)
        class[i].path = path;
    assert_refused("id,padded\nalice,\nned,\nnora,\n", "3 of 4 submissions (for example ");
    assert_refused("id,padded\nned,\n", "4 of 4 submissions (for example alice) match no person "
                                        "in this file, so");
    class[1].path = class[2].path = NULL;
    assert_filled("id,padded\nalice,\nned,\n", "id,padded\nalice,20\nned,\n", NULL);
    class[0].path = class[3].path = NULL;
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused("id,Essay (12)\nalice,\n", "export.csv: no column has the name of an exercise");
    assert_refused("id,Padded transpose (1),Padded transpose (2)\nalice,,\n",
                   "`Padded transpose (1)` and `Padded transpose (2)` could both be for padded");
    assert_refused("name,weight\n\"open,1\n", "export.csv:2: ");
    assert_refused("", "export.csv is empty");
    assert_refused("id,copy\nalice,\nalice,\n", "the ID `alice` occurs twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canvas),           cmocka_unit_test(test_moodle),
        cmocka_unit_test(test_moodle_worksheet), cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_refused),          cmocka_unit_test(test_without_submission),
        cmocka_unit_test(test_other_class),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
