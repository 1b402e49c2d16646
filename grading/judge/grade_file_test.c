/* grade_file_test.c: tests that written grades can be read, and that invalid files are rejected. */
#include "judge/grade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/grade_file_test_XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 || close(descriptor) != 0 ? -1 : 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static const char good[] =
    "{'format': 'transpose-lab-grade-1', 'id': 'alice', 'name': 'Alice', 'email': null,"
    " 'submitted': true, 'digest': '00', 'score': 0.1, 'points': 40, 'notes': ['n'],"
    " 'flags': [{'kind': 'k', 'evidence': 'e'}], 'labs': [{'lab': '03_padded', 'exercise': "
    "'padded',"
    " 'title': 't', 'file': null, 'status': 'ok', 'reason': '', 'score': 30, 'points': 40,"
    " 'checks': [{'id': 'i', 'title': 't', 'kind': 'ratio', 'points': 1, 'score': 0.5,"
    "  'visible': true, 'result': 'partial', 'value': 1.5, 'full': null, 'zero': 3, 'unit': 'u',"
    "  'text': 't', 'instructor': '', 'hint': ''}],"
    " 'sizes': [{'rows': 1, 'cols': 2, 'hidden': false, 'status': 'ok', 'reason': ''}],"
    " 'runs': [{'name': 'n', 'device': 'h200', 'counters': {'a': 1, 'b': null, 'c': 'dram'}}],"
    " 'source': 's', 'lines': [{'line': 1, 'space': 'global', 'requests': 1, 'used': 2,"
    "  'ideal': 1, 'time_share': 0.7}], 'advice': '', 'compiler': 'c', 'rubric': 'r'}],"
    " 'record': {'tlab': 'v', 'seed': 's', 'seconds': 0.8}, 'more': 1}";

static void put(const char *from, const char *to)
{
    const char *at = from ? strstr(good, from) : good;
    assert_non_null(at);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    const char *const parts[] = {from ? to : "", at + (from ? strlen(from) : 0)};
    for (const char *c = good; c < at; c++)
        putc(*c == '\'' ? '"' : *c, file);
    for (size_t i = 0; i < 2; i++)
        for (const char *c = parts[i]; *c; c++)
            putc(*c == '\'' ? '"' : *c, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_refused(const char *from, const char *to, const char *words)
{
    struct failure failure = {0};
    put(from, to);
    json_t *grade = grade_load(path, &failure);
    if (grade || !strstr(failure.text, words))
        fail_msg("%s -> %s: `%s` does not say `%s`", from, to, failure.text, words);
    assert_int_equal(failure.kind, FAILURE_HARNESS);
}

static void test_good(void **state)
{
    (void)state;
    struct failure failure = {0};
    put(NULL, NULL);
    json_t *grade = grade_load(path, &failure);
    if (!grade)
        fail_msg("%s", failure.text);
    assert_true(grade_save(path, grade, &failure));
    json_t *again = grade_load(path, &failure);
    assert_true(json_equal(grade, again));
    json_decref(grade);
    json_decref(again);
}

/* Files must be equal on all machines. */
static void test_text(void **state)
{
    (void)state;
    struct failure failure = {0};
    char text[256];
    json_t *document =
        json_pack("{s:f, s:s, s:f, s:i}", "z", 0.1, "a", "\xC3\xA9", "m", 2.0 / 3, "n", 123456789);
    assert_true(grade_save(path, document, &failure));
    json_decref(document);
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text, "{\n  \"a\": \"\xC3\xA9\",\n  \"m\": 0.666667,\n"
                              "  \"n\": 123456789,\n  \"z\": 0.1\n}\n");
}

static void test_fields(void **state)
{
    (void)state;
    assert_refused("'format': 'transpose-lab-grade-1'", "'format': 'x'", "grade.format: must be");
    assert_refused("'format': ", "'forma': ", "grade.format: is missing");
    assert_refused("'id': 'alice'", "'id': '../x'", "grade.id: must be a safe file name");
    assert_refused("'id': 'alice'", "'id': '.'", "grade.id: must be a safe file name");
    assert_refused("'id': 'alice'", "'id': ''", "grade.id: must be a safe file name");
    assert_refused("'email': null", "'email': 3", "grade.email: must be a string or null");
    assert_refused("'submitted': true", "'submitted': 1", "grade.submitted: must be true or false");
    assert_refused("'points': 40", "'points': '40'", "grade.points: must be a number");
    assert_refused("['n']", "'n'", "grade.notes: must be a list");
    assert_refused("['n']", "['n', 2]", "grade.notes[1]: must be a string");
    assert_refused("{'kind': 'k', 'evidence': 'e'}", "7", "grade.flags[0]: must be an object");
    assert_refused("'points': 1,", "'points': null,",
                   "grade.labs[0].checks[0].points: must be a number");
    assert_refused("'value': 1.5", "'value': 'x'",
                   "grade.labs[0].checks[0].value: must be a number or null");
    assert_refused("'hidden': false, ", "", "grade.labs[0].sizes[0].hidden: is missing");
    assert_refused("'b': null", "'b': []",
                   "grade.labs[0].runs[0].counters.b: must be a number, a string or null");
    assert_refused("{'a': 1, 'b': null, 'c': 'dram'}", "[]",
                   "grade.labs[0].runs[0].counters: must be an object");
    assert_refused("'ideal': 1", "'ideal': {}", "grade.labs[0].lines[0].ideal: must be a number");
    assert_refused("'seconds': 0.8", "'second': 0.8", "grade.record.seconds: is missing");
    assert_refused("{'tlab': 'v', 'seed': 's', 'seconds': 0.8}", "null",
                   "grade.record: must be an object");
}

static void test_bytes(void **state)
{
    (void)state;
    assert_refused(good, "", path);
    assert_refused(good, "[]", "grade: must be an object");
    assert_refused(good, "{'a': 1, 'a': 2}", "duplicate");
    assert_refused("'more': 1}", "'more': 1", path);
    assert_refused("'more': 1", "'more': 1e999", path);
    struct failure failure = {0};
    assert_null(grade_load("/nowhere/x.json", &failure));
    assert_non_null(strstr(failure.text, "No such file"));
    FILE *file = fopen(path, "w");
    for (unsigned i = 0; i < 1000000; i++)
        putc('[', file);
    assert_int_equal(fclose(file), 0);
    assert_null(grade_load(path, &failure));
    file = fopen(path, "w");
    fwrite("{\"a\": \"\xFF\0\"}", 1, 12, file);
    assert_int_equal(fclose(file), 0);
    assert_null(grade_load(path, &failure));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
