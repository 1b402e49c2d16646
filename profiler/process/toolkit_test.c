/* toolkit_test.c: test that the toolkit is found in each known layout, and is hidden on request. */
#define _GNU_SOURCE
#include "process/toolkit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/toolkit_test-XXXXXX";

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static int root_make(void **state)
{
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) == NULL;
}

static int root_remove(void **state)
{
    (void)state;
    return nftw(root, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static void file_make(const char *relative, mode_t mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, relative);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    int file = open(path, O_CREAT | O_WRONLY, mode);
    assert_true(file >= 0);
    close(file);
}

static void path_check(const char *found, const char *relative)
{
    char expected[512] = "";
    if (relative != NULL)
        snprintf(expected, sizeof expected, "%s/%s", root, relative);
    assert_string_equal(found, expected);
}

static void nvidia_layout(void **state)
{
    (void)state;
    struct toolkit toolkit;
    file_make("bin/nvcc", 0755);
    file_make("include/cuda.h", 0644);
    file_make("lib64/libnvrtc.so", 0644);
    file_make("lib64/libnvrtc.so.12", 0644);
    setenv("TLAB_CUDA", root, 1);
    assert_true(toolkit_find(&toolkit));
    assert_string_equal(toolkit.root, root);
    path_check(toolkit.nvcc, "bin/nvcc");
    path_check(toolkit.include, "include");
    path_check(toolkit.library, "lib64");
    path_check(toolkit.nvrtc, "lib64/libnvrtc.so");
}

static void conda_layout(void **state)
{
    (void)state;
    struct toolkit toolkit;
    file_make("targets/sbsa-linux/include/cuda_fp16.h", 0644);
    file_make("lib/libnvrtc.so.12", 0644);
    file_make("lib/libnvrtc.so.13", 0644);
    setenv("TLAB_CUDA", root, 1);
    assert_true(toolkit_find(&toolkit));
    path_check(toolkit.nvcc, NULL);
    path_check(toolkit.include, "targets/sbsa-linux/include");
    path_check(toolkit.nvrtc, "lib/libnvrtc.so.13");
}

static void debian_layout(void **state)
{
    (void)state;
    struct toolkit toolkit;
    file_make("bin/nvcc", 0755);
    file_make("include/cuda.h", 0644);
    file_make("lib/aarch64-linux-gnu/libnvrtc.so.11.2", 0644);
    setenv("TLAB_CUDA", root, 1);
    assert_true(toolkit_find(&toolkit));
    path_check(toolkit.library, "lib/aarch64-linux-gnu");
    path_check(toolkit.nvrtc, "lib/aarch64-linux-gnu/libnvrtc.so.11.2");
}

static void nvcc_that_cannot_run_is_none(void **state)
{
    (void)state;
    struct toolkit toolkit;
    file_make("bin/nvcc", 0644);
    setenv("TLAB_CUDA", root, 1);
    assert_false(toolkit_find(&toolkit));
    assert_non_null(strstr(toolkit.why, root));
    assert_string_equal(toolkit.root, "");
}

static void environment_names_the_root(void **state)
{
    (void)state;
    struct toolkit toolkit;
    file_make("bin/nvcc", 0755);
    unsetenv("TLAB_CUDA");
    setenv("CUDA_HOME", "/nonexistent", 1);
    setenv("CUDA_PATH", root, 1);
    assert_true(toolkit_find(&toolkit));
    path_check(toolkit.nvcc, "bin/nvcc");
    unsetenv("CUDA_PATH");
    unsetenv("CUDA_HOME");
}

static void none_hides_it(void **state)
{
    (void)state;
    struct toolkit toolkit;
    file_make("bin/nvcc", 0755);
    setenv("TLAB_CUDA", "none", 1);
    setenv("CUDA_HOME", root, 1);
    assert_true(toolkit_is_hidden());
    assert_false(toolkit_find(&toolkit));
    assert_string_equal(toolkit.why, "hidden by TLAB_CUDA=none");
    unsetenv("TLAB_CUDA");
    assert_false(toolkit_is_hidden());
    unsetenv("CUDA_HOME");
}

static void programs_are_found_in_path(void **state)
{
    (void)state;
    char path[TOOLKIT_PATH_SIZE], search[600], *saved = strdup(getenv("PATH"));
    file_make("a/tool/inside", 0755); /* a directory with the name of the program is ignored */
    file_make("b/tool", 0644);
    file_make("c/tool", 0755);
    snprintf(search, sizeof search, ".:relative::%s/a:%s/b:%s/c", root, root, root);
    setenv("PATH", search, 1);
    assert_true(program_find("tool", path, sizeof path));
    path_check(path, "c/tool");
    assert_false(program_find("no-such-tool", path, sizeof path));
    assert_false(program_find("tool", path, 5));
    setenv("PATH", saved, 1);
    free(saved);
}

int main(void)
{
#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, root_make, root_remove)
    const struct CMUnitTest tests[] = {
        IN_ROOT(nvidia_layout),
        IN_ROOT(conda_layout),
        IN_ROOT(debian_layout),
        IN_ROOT(nvcc_that_cannot_run_is_none),
        IN_ROOT(environment_names_the_root),
        IN_ROOT(none_hides_it),
        IN_ROOT(programs_are_found_in_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
