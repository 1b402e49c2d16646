/* exercise_test.c: tests of valid and invalid manifests and targets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "course/exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/exercise_test.XXXXXX";

static void path_in_root(const char *relative, char *path, size_t size)
{
    assert_true((size_t)snprintf(path, size, "%s/%s", root, relative) < size);
}

static void write_file(const char *relative, const char *text)
{
    char path[512];
    path_in_root(relative, path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_directory(const char *relative)
{
    char path[512];
    path_in_root(relative, path, sizeof path);
    assert_int_equal(mkdir(path, 0777), 0);
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(root))
        return -1;
    make_directory("labs");
    make_directory("labs/00_copy");
    make_directory("labs/07_odd");
    make_directory("labs/no_lab");
    write_file("labs/00_copy/lab.conf",
               "title = Two copies\nexercises = zebra copy\nreference = copy\n");
    write_file("labs/00_copy/copy.cu", "");
    write_file("labs/00_copy/zebra.cu", "");
    write_file("labs/00_copy/extra.cu", "");
    write_file("labs/00_copy/notes.txt", "");
    make_directory("labs/plain");
    write_file("labs/plain/free.cu", "");
    make_directory("mine");
    make_directory("mine/00_copy");
    write_file("mine/00_copy/copy.cu", "");
    write_file("mine/00_copy/other.cu", "");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void test_find(void **state)
{
    (void)state;
    write_file("labs/07_odd/lab.conf", "title = Odd\nexercises = odd\nreference = tile_move\n"
                                       "sizes = tiles\ntile = 16\nfirst_step = Begin.\n");
    struct exercise exercise;
    struct failure failure = {0};
    assert_true(exercise_find(root, "zebra", &exercise, &failure));
    assert_string_equal(exercise.lab, "00_copy");
    assert_string_equal(exercise.name, "zebra");
    assert_int_equal(exercise.reference, REFERENCE_COPY);
    assert_false(exercise.whole_tiles);
    assert_int_equal(exercise.tile, 32);
    assert_true(exercise_find(root, "odd", &exercise, &failure));
    assert_string_equal(exercise.lab, "07_odd");
    assert_int_equal(exercise.reference, REFERENCE_TILE_MOVE);
    assert_true(exercise.whole_tiles);
    assert_int_equal(exercise.tile, 16);
    assert_string_equal(exercise.first_step, "Begin.");
}

static void test_unknown(void **state)
{
    (void)state;
    static const char *const names[] = {"cop", "opy", "copy2", "", "zebra copy", "../copy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct exercise exercise;
        struct failure failure = {0};
        assert_false(exercise_find(root, names[i], &exercise, &failure));
        assert_int_equal(failure.kind, FAILURE_STUDENT);
        assert_non_null(strstr(failure.text, "zebra copy"));
    }
}

#define BATCH                                                                                      \
    "title = T\nexercises = odd\nreference = batched\nkernel = turn\n"                             \
    "parameters = out float y[matrices][count], in float x[matrices][count], matrices\n"

static void sizes_become_what_the_exercise_takes(void **state)
{
    static const struct {
        uint64_t rows, cols, side;
    } cases[] = {{1, 1, 1},
                 {1, 3, 1},
                 {1, 4, 2},
                 {64, 64, 64},
                 {128, 192, 128},
                 {96, 960, 288},
                 {64, 96, 64},
                 {64, 97, 78},
                 {33, 65, 46},
                 {1000, 777, 881},
                 {46340, 46341, 46340},
                 {70, 1, 8},
                 {3, 3, 3},
                 {2147483647, 1, 46340}};
    struct exercise exercise;
    struct failure failure = {0};
    (void)state;
    write_file("labs/07_odd/lab.conf",
               "title = T\nexercises = odd\nreference = in_place\nkernel = turn\n"
               "parameters = inout float x[count]\nsizes = square\n");
    assert_true(exercise_find(root, "odd", &exercise, &failure));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t rows = cases[i].rows, cols = cases[i].cols;
        exercise_size(&exercise, &rows, &cols);
        assert_int_equal(rows, cases[i].side);
        assert_int_equal(cols, cases[i].side);
    }
    write_file("labs/07_odd/lab.conf", BATCH "matrices = 12\n");
    assert_true(exercise_find(root, "odd", &exercise, &failure));
    assert_int_equal(exercise.form.matrices, 12);
    assert_int_equal(form_compulsory_bytes(&exercise.form, 3, 5), 2 * 12 * 15 * 4);
}

static void test_broken_manifests(void **state)
{
    (void)state;
    static const struct {
        const char *manifest, *message;
    } cases[] = {
        {"title = T\nexercises = odd\n", "`title` and `reference` are required"},
        {"exercises = odd\nreference = copy\n", "`title` and `reference` are required"},
        {"title = T\nreference = copy\n", "`exercises` is required"},
        {"title = T\nexercises = odd\nreference = invert\n", ":3: unknown reference `invert`"},
        {"title = T\nexercises = odd\nreference = copy\nsizes = some\n", ":4: sizes must be"},
        {"title = T\nexercises = odd\nreference = copy\ntile = 0\n", ":4: tile must be"},
        {"title = T\nexercises = odd\nreference = copy\ntile = 32x\n", ":4: tile must be"},
        {"title = T\nexercises = odd\nreference = copy\ncolour = red\n", "colour"},
        {"title = T\nexercises = odd\nreference = copy\nmatrices = 2\n",
         ":4: `matrices` is required"},
        {BATCH, ":5: `matrices` is required"},
        {BATCH "matrices = 0\n", ":6: matrices must be"},
        {BATCH "matrices = -3\n", ":6: matrices must be"},
        {BATCH "matrices = 1048577\n", ":6: matrices must be"},
        {BATCH "matrices = many\n", ":6: matrices must be"},
        {"title\n", "lab.conf:1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("labs/07_odd/lab.conf", cases[i].manifest);
        struct exercise exercise;
        struct failure failure = {0};
        assert_false(exercise_find(root, "odd", &exercise, &failure));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
        if (!strstr(failure.text, cases[i].message))
            fail_msg("`%s` does not hold `%s`", failure.text, cases[i].message);
    }
}

static void test_no_labs(void **state)
{
    (void)state;
    struct exercise exercise;
    struct failure failure = {0};
    assert_false(exercise_find("/nonexistent", "copy", &exercise, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
}

static void test_sources(void **state)
{
    (void)state;
    char path[512];
    path_in_root("labs/00_copy/", path, sizeof path);
    char **sources;
    size_t count;
    struct failure failure = {0};
    assert_true(exercise_list_sources(path, &sources, &count, &failure));
    assert_int_equal(count, 3);
    static const char *const order[] = {"zebra.cu", "copy.cu", "extra.cu"};
    for (size_t i = 0; i < 3; i++)
        assert_non_null(strstr(sources[i], order[i]));
    exercise_free_sources(sources, count);
    path_in_root("labs/00_copy/copy.cu", path, sizeof path);
    assert_true(exercise_list_sources(path, &sources, &count, &failure));
    assert_int_equal(count, 1);
    assert_string_equal(sources[0], path);
    exercise_free_sources(sources, count);
}

static void test_bad_targets(void **state)
{
    (void)state;
    static const char *const targets[] = {"labs/none", "labs/no_lab", "labs/00_copy/notes.txt"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char path[512];
        path_in_root(targets[i], path, sizeof path);
        char **sources;
        size_t count;
        struct failure failure = {0};
        assert_false(exercise_list_sources(path, &sources, &count, &failure));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
        assert_int_equal(count, 0);
    }
}

static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name, *says;
    } cases[] = {
        {"labs/00_copy/copy.cu", "copy", NULL},
        {"labs/00_copy/extra.cu", "copy", NULL},
        {"labs/00_copy/extra.cu", "zebra", NULL},
        {"labs/plain/free.cu", "anything", NULL},
        {"labs/plain/free.cu", "", NULL},
        {"labs/none/none.cu", "copy", NULL},
        {"labs/00_copy/copy.cu", "zebra",
         "copy.cu: LAB(zebra) is the wrong .* 00_copy: write LAB(copy)"},
        {"labs/00_copy/copy.cu", "padded", "LAB(padded) is the wrong .* write LAB(copy)"},
        {"labs/00_copy/copy.cu", "", "names no exercise: .* write LAB(copy);"},
        {"labs/00_copy/extra.cu", "padded", "write LAB(zebra copy) with one of these names"},
        {"labs/00_copy/extra.cu", "zebra copy", "write LAB(zebra copy) with one of these names"},
        /* This directory has the name of a lab, but is elsewhere and has no manifest. */
        {"mine/00_copy/other.cu", "padded", "write LAB(zebra copy)"},
        {"mine/00_copy/copy.cu", "copy", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        struct failure failure = {0};
        path_in_root(cases[i].path, path, sizeof path);
        bool good = exercise_check_place(root, path, cases[i].name, &failure);
        const char *says = cases[i].says;
        const char *gap = says ? strstr(says, ".*") : NULL;
        char begin[128] = "";
        if (gap)
            snprintf(begin, sizeof begin, "%.*s", (int)(gap - says), says);
        if (good != !says ||
            (says && (!strstr(failure.text, begin) || !strstr(failure.text, gap ? gap + 2 : says))))
            fail_msg("%s, LAB(%s): %s", cases[i].path, cases[i].name, failure.text);
    }
}

static void test_advice_on_spelling(void **state)
{
    (void)state;
    static const char *const misspelt[] = {"cpoy", "Copy", "\"copy\"", "coppy"};
    for (size_t i = 0; i < sizeof misspelt / sizeof *misspelt; i++) {
        struct exercise exercise;
        struct failure failure = {0};
        assert_false(exercise_find(root, misspelt[i], &exercise, &failure));
        if (!strstr(failure.text, "did you mean LAB(copy)?"))
            fail_msg("%s: %s", misspelt[i], failure.text);
    }
    struct exercise exercise;
    struct failure failure = {0};
    assert_false(exercise_find(root, "nonsense", &exercise, &failure));
    assert_null(strstr(failure.text, "did you mean"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_advice_on_spelling),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_bad_targets),
        cmocka_unit_test(test_no_labs),
        cmocka_unit_test(sizes_become_what_the_exercise_takes),
        cmocka_unit_test(test_broken_manifests),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
