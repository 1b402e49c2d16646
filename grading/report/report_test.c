/* report_test.c: tests that reports contain the required texts and no secrets. report_test.sh uses
 * the pages that this program writes, from the build without sanitizers.
 * check: whole */
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { STUDENTS = 30 };

static json_t *sample(void)
{
    json_error_t error;
    json_t *grade = json_load_file(TLAB_ROOT "/grading/testdata/grade.json", 0, &error);
    if (!grade)
        fail_msg("grade.json:%d: %s", error.line, error.text);
    return grade;
}

static json_t *load_sample(void *context, size_t index, struct failure *failure)
{
    char id[32];
    size_t *loads = context;
    (void)failure;
    json_t *grade = sample();
    snprintf(id, sizeof id, "student%zu", index);
    if (index)
        json_object_set_new(grade, "id", json_string(id));
    if (index) {
        json_object_set_new(grade, "name", json_string(index % 2 ? "Zoë" : "Adam"));
        json_object_set_new(json_array_get(json_object_get(grade, "labs"), 0), "score",
                            json_real(index));
    }
    ++*loads;
    return grade;
}

static char *read_file(const char *directory, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s was not written", path);
    char *text = calloc(1, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    assert_true(length > 0 && !text[length]);
    fclose(file);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static char directory[] = "/tmp/report_test.XXXXXX";

static int make_reports(void **state)
{
    (void)state;
    struct failure failure = {0};
    size_t loads = 0;
    struct report_class class = {STUDENTS, load_sample, &loads, NULL};
    char students[64];
    if (!mkdtemp(directory) || !report_class(&class, directory, &failure))
        return -1;
    snprintf(students, sizeof students, "%s/students", directory);
    return loads == STUDENTS && report_submissions(&class, students, &failure) ? 0 : -1;
}

static int remove_reports(void **state)
{
    (void)state;
    char command[600];
    if (getenv("TLAB_KEEP"))
        return puts(directory) < 0;
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

static const char *const student_files[] = {"feedback.txt",      "index.html",  "results.json",
                                            "prairielearn.json", "github.json", "autolab.json"};
enum { STUDENT_FILES = sizeof student_files / sizeof *student_files };

static void nothing_secret_reaches_students(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/students/asa.o-brien", directory);
    for (unsigned i = 0; i < STUDENT_FILES; i++) {
        char *text = read_file(path, student_files[i]);
        if (strstr(text, "SECRET") || strstr(text, "777555333") || strstr(text, "131"))
            fail_msg("a secret is in %s:\n%s", student_files[i], text);
        free(text);
    }
    char *class = read_file(directory, "grade.json");
    assert_has(class, "SECRET-SEED");
    assert_has(class, "SECRET-TWIN");
    free(class);
}

static void students_read_what_failed(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/students/asa.o-brien", directory);
    char *text = read_file(path, "feedback.txt");
    assert_has(text, "36.5 of 60 points");
    assert_has(text, "partial     6.5 of 20  Right on every size");
    assert_has(text, "odata[3][5] holds idata[4][5]");
    assert_has(text, "Hint: Guard the last tile.");
    assert_has(text, "2 hidden checks: 0 of 10 points");
    assert_has(text, "No file was submitted for this exercise.");
    assert_has(text, "note: the link \"up\"");
    free(text);
}

static void markup_is_escaped(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/students/asa.o-brien", directory);
    char *page = read_file(path, "index.html"), *class = read_file(directory, "index.html");
    char *junit = read_file(directory, "junit.xml");
    assert_null(strstr(page, "<script"));
    assert_null(strstr(class, "<script>alert"));
    assert_has(page, "&lt;script&gt;alert(1)&lt;/script&gt; O&#39;Brien &amp; S");
    assert_has(page, "// &amp; &lt;b&gt;");
    assert_null(strstr(junit, "alert(1)<"));
    free(page);
    free(class);
    free(junit);
}

static void assert_text(const char *program, const char *expected)
{
    char command[1024], text[256];
    snprintf(command, sizeof command,
             "jq -nj -L '%s/profiler/view/page' --arg style '' --arg script '' --arg digest '' "
             "'include \"text\"; %s'",
             TLAB_ROOT, program);
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    assert_int_equal(pclose(stream), 0);
    assert_string_equal(text, expected);
}

static void characters_that_xml_lacks_are_replaced(void **state)
{
    (void)state;
    assert_text("\"a\\u0001\\u001b\\u007fb\\ufffe\\uffff\\ufffd\\n\\tc\" | escaped",
                "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n\tc");
}

static void points_are_written_short(void **state)
{
    (void)state;
    assert_text("[10, 0, 7.5, 100, 1 / 3 | points] | join(\" \")", "10 0 7.5 100 0.33");
}

static void numbers_are_written_as_printf_writes_them(void **state)
{
    (void)state;
    static const double numbers[] = {0,       1,        31.9375, 0.5,       12345.678, 99999.5,
                                     65536,   0.000123, 1e-5,    0.0999996, 3.14159,   1e15,
                                     9.99996, 123456.7, 4,       0.25,      1.0 / 3,   999.95};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char program[128], expected[128];
        snprintf(program, sizeof program,
                 "%.17g | [significant(3), significant(4), significant(6), fixed(0), fixed(1)] | "
                 "join(\" \")",
                 numbers[i]);
        snprintf(expected, sizeof expected, "%.3g %.4g %.6g %.0f %.1f", numbers[i], numbers[i],
                 numbers[i], numbers[i], numbers[i]);
        assert_text(program, expected);
    }
}

static double number_of(const json_t *object, const char *field)
{
    return json_number_value(json_object_get(object, field));
}

static json_t *read_json(const char *name)
{
    char path[600];
    json_error_t error;
    snprintf(path, sizeof path, "%s/students/asa.o-brien/%s", directory, name);
    json_t *document = json_load_file(path, 0, &error);
    if (!document)
        fail_msg("%s: %s", path, error.text);
    return document;
}

static void formats_have_the_points(void **state)
{
    (void)state;
    size_t index;
    const json_t *test;
    double sum = 0, most = 0;

    json_t *results = read_json("results.json");
    json_array_foreach (json_object_get(results, "tests"), index, test) {
        sum += number_of(test, "score");
        most += number_of(test, "max_score");
        assert_string_equal(json_string_value(json_object_get(test, "visibility")), "visible");
        assert_true(json_string_length(json_object_get(test, "name")) > 0);
    }
    assert_true(sum == 36.5 && most == 60 && number_of(results, "score") == 36.5);
    json_decref(results);

    results = read_json("prairielearn.json");
    assert_true(json_is_true(json_object_get(results, "gradable")));
    assert_true(number_of(results, "score") == 0.608333);
    json_decref(results);

    results = read_json("github.json");
    sum = 0;
    json_array_foreach (json_object_get(results, "tests"), index, test)
        sum += number_of(test, "score");
    assert_true(sum == 36.5 && number_of(results, "max_score") == 60);
    assert_string_equal(json_string_value(json_object_get(results, "status")), "fail");
    json_decref(results);

    results = read_json("autolab.json");
    assert_true(number_of(json_object_get(results, "scores"), "padded") == 6.5);
    json_decref(results);
}

static void the_gradebook_holds_no_formula(void **state)
{
    (void)state;
    char *text = read_file(directory, "gradebook.csv");
    assert_has(text, "id,name,email,\"coalesced\",\"padded\",\"diagonal\",total,points,notes\n");
    assert_has(text, "\"'=cmd@example.org\",30,6.5,0,36.5,60,\"the link \"\"up\"\" is");
    assert_has(text, "; fifth; and 2 more\"");
    unsigned lines = 0;
    for (char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, STUDENTS + 1);
    free(text);
}

static void class_files_are_well_formed(void **state)
{
    (void)state;
    char path[600];
    json_error_t error;
    snprintf(path, sizeof path, "%s/grade.json", directory);
    json_t *class = json_load_file(path, 0, &error);
    assert_non_null(class);
    assert_int_equal(json_array_size(json_object_get(class, "grades")), STUDENTS);
    json_decref(class);
    char *page = read_file(directory, "index.html");
    assert_has(page, "students/student7/index.html");
    assert_has(page, "30 people, 30 with a submission");
    assert_has(page, "SECRET-FLAG");
    assert_has(page, "wrong_result");
    free(page);
}

static void a_full_disk_leaves_nothing_partial(void **state)
{
    (void)state;
    struct failure failure = {0};
    size_t loads = 0;
    struct report_class class = {1, load_sample, &loads, NULL};
    assert_false(report_class(&class, "/dev/null", &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    failure = (struct failure){0};
    assert_false(report_class(&class, "/nonexistent/directory", &failure));
    assert_has(failure.text, "/nonexistent/directory");
}

static json_t *load_text(void *context, size_t index, struct failure *failure)
{
    const char *const *texts = context;
    (void)failure;
    json_t *grade = json_loads(texts[index], 0, NULL);
    assert_non_null(grade);
    return grade;
}

static void broken_grades_are_survived(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"id\": \"a\"}",
        "{\"id\": \"b\", \"labs\": 1}",
        "{\"id\": \"c\", \"labs\": [1, null, {}, {\"checks\": {}, \"file\": 3}]}",
        ("{\"id\": \"d\", \"name\": 7, \"labs\": [{\"file\": \"a\", \"checks\": "
         "[{\"visible\": true}, 5], \"runs\": [{\"counters\": [1]}], \"source\": \"a\\nb\", "
         "\"lines\": [{\"line\": -1}]}]}"),
    };
    struct failure failure = {0};
    struct report_class class = {sizeof texts / sizeof *texts, load_text, (void *)texts, NULL};
    char path[600];
    snprintf(path, sizeof path, "%s/students/broken", directory);
    if (!report_submissions(&class, path, &failure) || !report_class(&class, path, &failure))
        fail_msg("%s", failure.text);
}

static void a_grade_without_a_name_for_its_directory_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "{\"id\": \"../up\"}", "{\"id\": \"..\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct failure failure = {0};
        struct report_class class = {1, load_text, (void *)&texts[i], NULL};
        assert_false(report_submissions(&class, directory, &failure));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
    }
}

static void pages_have_an_end(void **state)
{
    (void)state;
    char *source = malloc(1000001), path[600];
    memset(source, '\n', 1000000);
    source[1000000] = 0;
    json_t *grade = json_pack("{s:s, s:b, s:[{s:s, s:s, s:s}]}", "id", "long", "submitted", 1,
                              "labs", "exercise", "padded", "file", "a.cu", "source", source);
    char *text = json_dumps(grade, 0);
    const char *const texts[] = {text};
    struct failure failure = {0};
    struct report_class class = {1, load_text, (void *)texts, NULL};
    assert_true(report_submissions(&class, directory, &failure));
    snprintf(path, sizeof path, "%s/long", directory);
    char *page = read_file(path, "index.html");
    assert_has(page, "and 990000 more lines");
    free(page);
    free(text);
    free(source);
    json_decref(grade);
}

/* The first grade is late, marked by hand and in a pair. The second grade has full points except
 * for an open mark. The third grade is unreadable. */
static json_t *load_marked(void *context, size_t index, struct failure *failure)
{
    (void)failure;
    json_t *grade = json_array_get(context, index);
    assert_non_null(grade);
    return json_incref(grade);
}

static json_t *some_changes(void *context)
{
    (void)context;
    return json_pack("[{s:s, s:s, s:s, s:i, s:f, s:s}]", "id", "ada", "name", "=Ada", "exercise",
                     "padded", "old", 12, "new", 11.5, "why", "+cmd \"<script>alert(3)</script>\"");
}

static void decisions_are_in_every_form(void **state)
{
    (void)state;
    char place[600], path[700];
    struct failure failure = {0};
    json_t *grades = json_load_file(TLAB_ROOT "/grading/testdata/marked.json", 0, NULL);
    struct report_class class = {json_array_size(grades), load_marked, grades, some_changes};
    snprintf(place, sizeof place, "%s/decided", directory);
    if (!report_submissions(&class, place, &failure) || !report_class(&class, place, &failure))
        fail_msg("%s", failure.text);
    snprintf(path, sizeof path, "%s/ada", place);
    for (unsigned i = 0; i < STUDENT_FILES; i++) {
        char *text = read_file(path, student_files[i]);
        assert_null(strstr(text, "SECRET"));
        assert_null(strstr(text, "ada_2"));
        if (strcmp(student_files[i], "autolab.json") != 0) {
            assert_has(text, "submitted late: 2 days");
            assert_has(text, "=HYPERLINK(1)");
            assert_has(text, "p.cu counts, the last one");
        }
        free(text);
    }
    char *text = read_file(path, "feedback.txt");
    assert_has(text, "Ada: 11 of 16 points, 4 more to be marked by an instructor");
    assert_has(text, "submitted late: 2 days (-2 points)");
    assert_has(text, "unmarked    4  Why");
    assert_has(text, "your file: p.cu, submitted 2026-11-20 23:59");
    assert_has(text, "submitted by Ben <b> for both partners");
    free(text);
    text = read_file(path, "index.html");
    assert_has(text, "submitted by Ben &lt;b&gt; for both partners");
    assert_has(text, "4 points, to be marked by an instructor");
    assert_null(strstr(text, "<script>"));
    free(text);

    json_t *gradescope = json_load_file(strcat(path, "/results.json"), 0, NULL);
    double sum = 0;
    size_t index;
    const json_t *test;
    json_array_foreach (json_object_get(gradescope, "tests"), index, test)
        sum += number_of(test, "score");
    assert_true(number_of(gradescope, "score") == 11 && sum == 11);
    test = json_array_get(json_object_get(gradescope, "tests"), 1);
    assert_null(json_object_get(test, "max_score"));
    json_decref(gradescope);
    snprintf(path, sizeof path, "%s/full/github.json", place);
    json_t *github = json_load_file(path, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(github, "status")), "pass");
    assert_true(number_of(github, "max_score") == 16);
    json_decref(github);
    snprintf(path, sizeof path, "%s/full/prairielearn.json", place);
    json_t *prairielearn = json_load_file(path, 0, NULL);
    assert_true(number_of(prairielearn, "score") == 1);
    json_decref(prairielearn);
    snprintf(path, sizeof path, "%s/ada", place);
    text = read_file(path, "autolab.json");
    assert_has(text, "\"padded\":11.0");
    free(text);

    text = read_file(place, "gradebook.csv");
    assert_has(text,
               "\"ada\",\"Ada\",\"\",11,11,20,\"padded: submitted by Ben <b> for both partners; ");
    free(text);
    text = read_file(place, "changes.csv");
    assert_string_equal(text, "id,name,exercise,old,new,why\n\"ada\",\"'=Ada\",\"padded\",12,11.5,"
                              "\"'+cmd \"\"<script>alert(3)</script>\"\"\"\n");
    free(text);
    text = read_file(place, "junit.xml");
    assert_has(text, "failures=\"0\"");
    assert_has(text, "11 of 16 points");
    assert_has(text, "submitted late: 2 days (-2 points)");
    free(text);
    text = read_file(place, "index.html");
    static const char *const badges[] = {
        ">late, 2 days<",       ">by hand<",    ">+4 open<",
        ">not in the roster<",  ">unreadable<", ">with Ben &lt;b&gt;<",
        ">same name as ada_2<", ">flag<"};
    for (size_t i = 0; i < sizeof badges / sizeof *badges; i++)
        assert_has(text, badges[i]);
    assert_has(text, "SECRET-FLAG &lt;b&gt;");
    assert_has(text, "+cmd &quot;&lt;script&gt;alert(3)");
    assert_null(strstr(text, "<script>alert"));
    free(text);
    json_decref(grades);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_secret_reaches_students),
        cmocka_unit_test(students_read_what_failed),
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(characters_that_xml_lacks_are_replaced),
        cmocka_unit_test(points_are_written_short),
        cmocka_unit_test(numbers_are_written_as_printf_writes_them),
        cmocka_unit_test(formats_have_the_points),
        cmocka_unit_test(the_gradebook_holds_no_formula),
        cmocka_unit_test(class_files_are_well_formed),
        cmocka_unit_test(a_full_disk_leaves_nothing_partial),
        cmocka_unit_test(broken_grades_are_survived),
        cmocka_unit_test(a_grade_without_a_name_for_its_directory_is_refused),
        cmocka_unit_test(pages_have_an_end),
        cmocka_unit_test(decisions_are_in_every_form),
    };
    return cmocka_run_group_tests(tests, make_reports, remove_reports);
}
