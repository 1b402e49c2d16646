/* report_formats.c: see report_formats.h.
 *
 * All of these are lists of tests with points, so one walk over the labs serves them: it calls back
 * for each visible check, for the hidden checks of a lab together, and for a lab that has no checks
 * because nothing was handed in.
 */
#include "report/report_formats.h"
#include "report/report_feedback.h"
#include "report/report_text.h"

#include <stdlib.h>
#include <string.h>

struct test {
    const char *exercise, *title;
    char *output; /* may be NULL: no memory */
    double score, points;
};

typedef void visit_test(json_t *tests, const struct test *test);

static void visit_hidden(const json_t *lab, visit_test *visit, json_t *tests)
{
    const json_t *hidden = json_object_get(lab, "hidden");
    if (!hidden)
        return;
    struct test test = {report_string(lab, "exercise"), "Checks that are not shown", NULL,
                        report_number(hidden, "score"), report_number(hidden, "points")};
    visit(tests, &test);
}

static void visit_lab(const json_t *lab, visit_test *visit, json_t *tests)
{
    size_t index;
    const json_t *check;
    const char *exercise = report_string(lab, "exercise");
    char *said = feedback_lab(lab);
    bool first = true;
    if (!report_has(lab, "file")) {
        struct test test = {exercise, report_string(lab, "title"), said, 0,
                            report_number(lab, "points")};
        visit(tests, &test);
        free(said);
        return;
    }
    json_array_foreach (json_object_get(lab, "checks"), index, check) {
        struct test test = {exercise, report_string(check, "title"), feedback_check(check),
                            report_number(check, "score"), report_number(check, "points")};
        /* What is to be said of the lab stands with its first check. */
        if (first && said && *said && test.output) {
            size_t size = strlen(said) + strlen(test.output) + 2;
            char *both = malloc(size);
            if (both) {
                snprintf(both, size, "%s%s%s", said, *test.output ? "\n" : "", test.output);
                free(test.output);
                test.output = both;
            }
        }
        first = false;
        visit(tests, &test);
        free(test.output);
    }
    visit_hidden(lab, visit, tests);
    free(said);
}

static json_t *collect(const json_t *grade, visit_test *visit)
{
    json_t *tests = json_array();
    size_t index;
    const json_t *lab;
    json_array_foreach (json_object_get(grade, "labs"), index, lab)
        visit_lab(lab, visit, tests);
    return tests;
}

static const char *output_of(const struct test *test)
{
    return test->output ? test->output : "";
}

static bool is_full(const struct test *test)
{
    return test->score >= test->points;
}

/* The notes, one a line; malloc'd. */
static char *notes_text(const json_t *grade)
{
    char *text = NULL;
    size_t size, index;
    const json_t *note;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    if (!report_true(grade, "submitted"))
        fputs("Nothing was handed in.\n", stream);
    json_array_foreach (json_object_get(grade, "notes"), index, note)
        fprintf(stream, "%s\n", json_string_value(note) ? json_string_value(note) : "");
    fclose(stream);
    return text;
}

static void gradescope_test(json_t *tests, const struct test *test)
{
    json_array_append_new(
        tests, json_pack("{s:s++, s:f, s:f, s:s, s:s, s:s, s:s}", "name", test->exercise, ": ",
                         test->title, "score", test->score, "max_score", test->points, "status",
                         is_full(test) ? "passed" : "failed", "output", output_of(test),
                         "output_format", "text", "visibility", "visible"));
}

json_t *format_gradescope(const json_t *grade)
{
    char *notes = notes_text(grade);
    json_t *results =
        json_pack("{s:f, s:s, s:s, s:s, s:s, s:o}", "score", report_number(grade, "score"),
                  "output", notes ? notes : "", "output_format", "text", "visibility", "visible",
                  "stdout_visibility", "hidden", "tests", collect(grade, gradescope_test));
    free(notes);
    return results;
}

static void prairielearn_test(json_t *tests, const struct test *test)
{
    json_array_append_new(tests, json_pack("{s:s++, s:f, s:f, s:s}", "name", test->exercise, ": ",
                                           test->title, "points", test->score, "max_points",
                                           test->points, "message", output_of(test)));
}

json_t *format_prairielearn(const json_t *grade)
{
    char *notes = notes_text(grade);
    json_t *results =
        json_pack("{s:b, s:f, s:s, s:o}", "gradable", 1, "score",
                  report_share(report_number(grade, "score"), report_number(grade, "points")),
                  "message", notes ? notes : "", "tests", collect(grade, prairielearn_test));
    free(notes);
    return results;
}

static void github_test(json_t *tests, const struct test *test)
{
    json_array_append_new(tests, json_pack("{s:s++, s:s, s:f, s:s, s:s, s:s, s:i, s:f}", "name",
                                           test->exercise, ": ", test->title, "status",
                                           is_full(test) ? "pass" : "fail", "score", test->score,
                                           "message", output_of(test), "test_code", "", "filename",
                                           "", "line_no", 0, "execution_time", 0.0));
}

json_t *format_github(const json_t *grade)
{
    bool full = report_number(grade, "score") >= report_number(grade, "points");
    return json_pack("{s:i, s:s, s:f, s:o}", "version", 1, "status", full ? "pass" : "fail",
                     "max_score", report_number(grade, "points"), "tests",
                     collect(grade, github_test));
}

json_t *format_autolab(const json_t *grade)
{
    json_t *scores = json_object();
    size_t index;
    const json_t *lab;
    json_array_foreach (json_object_get(grade, "labs"), index, lab)
        json_object_set_new(scores, report_string(lab, "exercise"),
                            json_real(report_number(lab, "score")));
    return json_pack("{s:o, s:[f]}", "scores", scores, "scoreboard", report_number(grade, "score"));
}
