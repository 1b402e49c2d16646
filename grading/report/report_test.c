/* report_test.c: reports of a grade that was written by hand: what is in them, and what must not
 * be. */
#include "report/report.h"
#include "report/report_feedback.h"
#include "report/report_formats.h"
#include "report/report_text.h"

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

/* The sample, as another student's. */
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
    struct report_class class = {STUDENTS, load_sample, &loads};
    if (!mkdtemp(directory) || !report_class(&class, directory, &failure))
        return -1;
    return loads == STUDENTS ? 0 : -1; /* one pass */
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
    char *class = read_file(directory, "grade.json"); /* the test's own test */
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
    assert_has(text, "partly      6.5 of 20  Right on every size");
    assert_has(text, "odata[3][5] holds idata[4][5]");
    assert_has(text, "Hint: Guard the last tile.");
    assert_has(text, "2 checks that are not shown: 0 of 10 points");
    assert_has(text, "Nothing was handed in for this exercise.");
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

/* NUL cannot be in a C string; the rest of what XML 1.0 forbids can. */
static void characters_that_xml_lacks_are_replaced(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    report_escape(stream, "a\001\033\177b\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\n\tc");
    fclose(stream);
    assert_string_equal(text, "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                              "b\xef\xbf\xbd\xef\xbf\xbd\xef"
                              "\xbf\xbd\n\tc");
    free(text);
}

static void points_are_written_short(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(report_points(10, text), "10");
    assert_string_equal(report_points(0, text), "0");
    assert_string_equal(report_points(7.5, text), "7.5");
    assert_string_equal(report_points(100, text), "100");
    assert_string_equal(report_points(1.0 / 3, text), "0.33");
}

static void formats_have_the_points(void **state)
{
    (void)state;
    json_t *grade = sample(), *own = report_for_student(grade), *results;
    size_t index;
    const json_t *test;
    double sum = 0, most = 0;

    results = format_gradescope(own);
    json_array_foreach (json_object_get(results, "tests"), index, test) {
        sum += report_number(test, "score");
        most += report_number(test, "max_score");
        assert_string_equal(report_string(test, "visibility"), "visible");
        assert_true(strlen(report_string(test, "name")) > 0);
    }
    assert_true(sum == 36.5 && most == 60 && report_number(results, "score") == 36.5);
    json_decref(results);

    char *shown = json_dumps(own, 0);
    assert_non_null(shown);
    assert_null(strstr(shown, "SECRET"));
    free(shown);

    results = format_prairielearn(own);
    assert_true(report_true(results, "gradable"));
    assert_true(report_number(results, "score") == 36.5 / 60);
    json_decref(results);

    results = format_github(own);
    sum = 0;
    json_array_foreach (json_object_get(results, "tests"), index, test)
        sum += report_number(test, "score");
    assert_true(sum == 36.5 && report_number(results, "max_score") == 60);
    assert_string_equal(report_string(results, "status"), "fail");
    json_decref(results);

    results = format_autolab(own);
    assert_true(report_number(json_object_get(results, "scores"), "padded") == 6.5);
    json_decref(results);
    json_decref(own);
    json_decref(grade);
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
    assert_has(page, "30 submissions");
    assert_has(page, "SECRET-FLAG"); /* the instructor's page */
    assert_has(page, "wrong_result");
    free(page);
}

static void a_full_disk_leaves_nothing_partial(void **state)
{
    (void)state;
    struct failure failure = {0};
    size_t loads = 0;
    struct report_class class = {1, load_sample, &loads};
    assert_false(report_class(&class, "/dev/null", &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    failure = (struct failure){0};
    assert_false(report_class(&class, "/nonexistent/directory", &failure));
    assert_has(failure.text, "/nonexistent/directory");
}

/* Fields that are absent or of another type must not crash a report. */
static void broken_grades_are_survived(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "{\"labs\": 1}",
        "{\"labs\": [1, null, {}, {\"checks\": {}, \"file\": 3}]}",
        ("{\"name\": 7, \"labs\": [{\"file\": \"a\", \"checks\": [{\"visible\": true}, 5], "
         "\"runs\": [{\"counters\": [1]}], \"source\": \"a\\nb\", \"lines\": [{\"line\": -1}]}]}"),
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct failure failure = {0};
        char path[600];
        snprintf(path, sizeof path, "%s/students/broken%u", directory, i);
        json_t *grade = json_loads(texts[i], 0, NULL);
        assert_non_null(grade);
        assert_true(report_submission(grade, path, &failure));
        json_decref(grade);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_secret_reaches_students),
        cmocka_unit_test(students_read_what_failed),
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(characters_that_xml_lacks_are_replaced),
        cmocka_unit_test(points_are_written_short),
        cmocka_unit_test(formats_have_the_points),
        cmocka_unit_test(the_gradebook_holds_no_formula),
        cmocka_unit_test(class_files_are_well_formed),
        cmocka_unit_test(a_full_disk_leaves_nothing_partial),
        cmocka_unit_test(broken_grades_are_survived),
    };
    return cmocka_run_group_tests(tests, make_reports, remove_reports);
}
