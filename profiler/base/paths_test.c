/* paths_test.c: tests of the search for the root, and of the limited length of paths. */
#include "base/paths.h"

#include "base/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[PATH_SIZE];

static int setup(void **state)
{
    (void)state;
    struct failure failure = {0};
    return !scratch_make(place, "paths", &failure);
}

static int teardown(void **state)
{
    (void)state;
    return !scratch_remove(place);
}

static void path_of(const char *name, char path[PATH_SIZE])
{
    assert_true(path_format(path, &(struct failure){0}, "%s/%s", place, name));
}

static void expect_root(const char *program, const char *expected)
{
    char self[PATH_SIZE], path[PATH_SIZE], root[PATH_SIZE] = "", command[4 * PATH_SIZE];
    struct failure failure = {0};
    assert_true(paths_of_program(NULL, self, &failure));
    path_of(program, path);
    assert_true(path_make_directories(path, 0700, &failure));
    snprintf(command, sizeof command, "cp '%s' '%s' && exec '%s' root", self, path, path);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    assert_non_null(fgets(root, sizeof root, output));
    assert_int_equal(pclose(output), 0);
    assert_string_equal(root, expected);
}

static void the_root_is_one_or_two_levels_above_the_build(void **state)
{
    (void)state;
    char devices[PATH_SIZE];
    path_of("profiler/devices/x", devices);
    assert_true(path_make_directories(devices, 0700, &(struct failure){0}));
    setenv("TLAB_ROOT", "", 1);
    expect_root("tlab", TLAB_ROOT);
    expect_root("a/tlab", place);
    expect_root("a/b/tlab", place);
    expect_root("a/b/c/tlab", TLAB_ROOT);
}

static void the_variable_selects_the_root(void **state)
{
    (void)state;
    char path[PATH_SIZE], expected[PATH_SIZE];
    struct failure failure = {0};
    setenv("TLAB_ROOT", place, 1);
    assert_false(paths_root(path, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_false(paths_in_root("labs", path, &failure));
    path_of("profiler/devices/x", path);
    failure = (struct failure){0};
    assert_true(path_make_directories(path, 0700, &failure));
    assert_true(paths_root(path, &failure));
    assert_string_equal(path, place);
    assert_true(paths_in_root("labs", path, &failure));
    path_of("labs", expected);
    assert_string_equal(path, expected);
    char *longest = malloc(PATH_SIZE);
    assert_non_null(longest);
    memset(longest, 'x', PATH_SIZE - 1);
    longest[PATH_SIZE - 1] = 0;
    longest[PATH_SIZE - 1 - strlen(place) - 1] = 0;
    assert_true(paths_in_root(longest, path, &failure));
    assert_int_equal(strlen(path), PATH_SIZE - 1);
    strcat(longest, "x");
    assert_false(paths_in_root(longest, path, &failure));
    free(longest);
    unsetenv("TLAB_ROOT");
}

static void files_beside_the_program_have_its_directory(void **state)
{
    (void)state;
    char self[PATH_SIZE], path[PATH_SIZE], name[PATH_SIZE + 1];
    struct failure failure = {0};
    assert_true(paths_of_program(NULL, self, &failure));
    assert_string_equal(path_basename(self), "paths_test");
    assert_true(paths_of_program("other", path, &failure));
    const size_t directory = strlen(self) - strlen("paths_test");
    assert_memory_equal(path, self, directory);
    assert_string_equal(path + directory, "other");
    memset(name, 'x', sizeof name);
    name[PATH_SIZE - 1 - directory] = 0;
    assert_true(paths_of_program(name, path, &failure));
    assert_int_equal(strlen(path), PATH_SIZE - 1);
    name[PATH_SIZE - 1 - directory] = 'x';
    name[PATH_SIZE - directory] = 0;
    assert_false(paths_of_program(name, path, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
}

static void the_longest_path_fits(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    struct failure failure = {0};
    assert_true(path_format(path, &failure, "%s", ""));
    assert_string_equal(path, "");
    assert_true(path_format(path, &failure, "%0*d", PATH_SIZE - 1, 7));
    assert_int_equal(strlen(path), PATH_SIZE - 1);
    assert_int_equal(failure.kind, FAILURE_NONE);
    assert_false(path_format(path, &failure, "%0*d", PATH_SIZE, 7));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
}

static void directories_above_a_file_are_made(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    struct failure failure = {0};
    struct stat status;
    path_of("one/two/file", path);
    for (unsigned i = 0; i < 2; i++) { /* the second call finds the directory */
        assert_true(path_make_directories(path, 0700, &failure));
        assert_int_equal(stat(path, &status), -1);
    }
    path_of("one/two", path);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_true(path_make_directories("", 0700, &failure));
    assert_true(path_make_directories("no_directory", 0700, &failure));
    assert_int_equal(failure.kind, FAILURE_NONE);
    path_of("file", path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    path_of("file/one/two", path);
    assert_false(path_make_directories(path, 0700, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
}

static void the_basename_is_the_last_component(void **state)
{
    (void)state;
    assert_string_equal(path_basename("labs/padded.cu"), "padded.cu");
    assert_string_equal(path_basename("/padded.cu"), "padded.cu");
    assert_string_equal(path_basename("padded.cu"), "padded.cu");
    assert_string_equal(path_basename("labs/"), "");
}

/* A path is resolved as a compiler resolves #include "RELATIVE" in FILE. */
static void relative_paths_begin_at_a_file(void **state)
{
    static const struct {
        const char *file, *relative, *expected; /* NULL if a `..` has no directory to remove */
    } cases[] = {
        {"lab/k.cu", "a.h", "lab/a.h"},
        {"lab/k.cu", "./a.h", "lab/a.h"},
        {"lab/k.cu", "b//c/./a.h", "lab/b/c/a.h"},
        {"lab/k.cu", "../a.h", "a.h"},
        {"lab/k.cu", "../../a.h", NULL},
        {"lab/k.cu", "b/../a.h", "lab/a.h"},
        {"lab/k.cu", "b/../../../a.h", NULL},
        {"lab/k.cu", "..", ""},
        {"lab/k.cu", "", "lab"},
        {"lab/k.cu", "..a", "lab/..a"},
        {"lab/k.cu", "...", "lab/..."},
        {"lab/k.cu", ".a", "lab/.a"},
        {"lab/k.cu", "a.", "lab/a."},
        {"lab/k.cu", "ab", "lab/ab"},
        {"lab/k.cu", "b/", "lab/b"},
        {"lab/deep/k.cu", "../a.h", "lab/a.h"},
        {"k.cu", "a.h", "a.h"},
        {"k.cu", "b/a.h", "b/a.h"},
        {"k.cu", "..", NULL},
        {"", "a.h", "a.h"},
        {"", "../a.h", NULL},
        {"/k.cu", "a.h", "a.h"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[32];
        bool good = path_from_file(cases[i].file, cases[i].relative, path, sizeof path);
        if (good != (cases[i].expected != NULL) || (good && strcmp(path, cases[i].expected)))
            fail_msg("%s from %s: %s", cases[i].relative, cases[i].file, good ? path : "refused");
    }
}

static void resolved_paths_have_a_limited_length(void **state)
{
    (void)state;
    char path[8];
    assert_true(path_from_file("d/f", "abc", path, sizeof "d/abc"));
    assert_string_equal(path, "d/abc");
    assert_false(path_from_file("d/f", "abc", path, sizeof "d/abc" - 1));
    assert_true(path_from_file("dir/f", "", path, sizeof "dir/f"));
    assert_string_equal(path, "dir");
    assert_false(path_from_file("dir/f", "", path, sizeof "dir/f" - 1));
}

static void ends_of_texts_are_compared(void **state)
{
    (void)state;
    assert_true(text_ends_with("a.cu", ".cu"));
    assert_true(text_ends_with(".cu", ".cu"));
    assert_true(text_ends_with("a", ""));
    assert_false(text_ends_with("cu", ".cu"));
    assert_false(text_ends_with("a.cu.", ".cu"));
    assert_false(text_ends_with("a.cup", ".cu"));
    assert_false(text_ends_with("", "a"));
}

static void plain_texts_are_safe_in_a_shell(void **state)
{
    (void)state;
    assert_true(text_is_plain(""));
    assert_true(text_is_plain("azAZ09_=+,.:/-"));
    for (int c = 1; c < 256; c++) {
        const char text[] = {'a', (char)c, 'a', 0};
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool plain = is_letter || (c >= '0' && c <= '9') || strchr("_=+,.:/-", c);
        if (text_is_plain(text) != plain)
            fail_msg("character %d", c);
    }
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_root_is_one_or_two_levels_above_the_build, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_variable_selects_the_root, setup, teardown),
        cmocka_unit_test(files_beside_the_program_have_its_directory),
        cmocka_unit_test(the_longest_path_fits),
        cmocka_unit_test_setup_teardown(directories_above_a_file_are_made, setup, teardown),
        cmocka_unit_test(the_basename_is_the_last_component),
        cmocka_unit_test(relative_paths_begin_at_a_file),
        cmocka_unit_test(resolved_paths_have_a_limited_length),
        cmocka_unit_test(ends_of_texts_are_compared),
        cmocka_unit_test(plain_texts_are_safe_in_a_shell),
    };
    if (count > 1 && strcmp(words[1], "root") == 0) {
        char root[PATH_SIZE];
        return !paths_root(root, &(struct failure){0}) || printf("%s", root) < 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
