/* cupti_library_test.c: tests of the remedies. The error numbers are from cupti_result.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/cupti/collector.h"
#include "hardware/cupti/cupti_library.h"

static void each_error_has_a_remedy(void **unused)
{
    (void)unused;
    static const struct {
        int code;
        const char *problem, *remedy;
    } expected[] = {
        {35, "may not read", "NVreg_RestrictProfilingToAdminUsers=0"},
        {35, "may not read", "--cap-add=SYS_ADMIN"},
        {26, "another profiler", "End that profiler"},
        {33, "virtual GPU", "enable_profiling=1"},
        {40, "virtual GPU", "enable_profiling=1"},
        {41, "confidential-computing", "disable this mode"},
        {43, "MIG", "nvidia-smi -mig 0"},
        {45, "Windows Subsystem", "NVIDIA Control Panel"},
        {46, "does not support this chip", "newer CUDA Toolkit"},
        {14, "incompatible", "Update the driver"},
        {11, "lacks the Range Profiler", "12.6"},
        {39, "already profiles the program", "run the program without"},
        {31, "MPS", "nvidia-cuda-mps-control"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct failure failure = {0};
        assert_false(cupti_failure(&failure, "cuptiThing", expected[i].code));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
        assert_non_null(strstr(failure.text, expected[i].problem));
        assert_non_null(strstr(failure.text, expected[i].remedy));
        assert_null(strstr(failure.text, "cuptiThing")); /* no function names in messages */
        assert_null(strchr(failure.text, '\n'));         /* `tlab profile` prints one line */
    }
}

static void an_unknown_error_names_its_function(void **unused)
{
    (void)unused;
    struct failure failure = {0};
    assert_null(cupti_remedy(12345));
    assert_false(cupti_failure(&failure, "cuptiThing", 12345));
    assert_non_null(strstr(failure.text, "cuptiThing failed with CUPTI error 12345"));
}

static void each_obstacle_has_a_message(void **unused)
{
    (void)unused;
    for (int i = 0; i < CUPTI_OBSTACLE_COUNT; i++)
        for (int disabled = 0; disabled < 2; disabled++)
            assert_non_null(cupti_obstacle_remedy((enum cupti_obstacle)i, disabled));
    assert_non_null(strstr(cupti_obstacle_remedy(CUPTI_OBSTACLE_VGPU, true), "disabled"));
    assert_non_null(strstr(cupti_obstacle_remedy(CUPTI_OBSTACLE_VGPU, false), "whole GPU"));
    assert_non_null(strstr(cupti_obstacle_remedy(CUPTI_OBSTACLE_WSL, false), "wsl --update"));
}

static void versions_are_compared_by_major_number(void **unused)
{
    (void)unused;
    assert_true(cupti_newer_than_driver(130001, 12080)); /* CUPTI 13.0, driver for 12.8 */
    assert_false(cupti_newer_than_driver(130001, 13000));
    assert_false(cupti_newer_than_driver(26, 12020)); /* the version number of a CUDA 12 library */
    assert_false(cupti_newer_than_driver(26, 13000)); /* an older CUPTI is permitted */
    assert_true(cupti_newer_than_driver(26, 11080));
}

static void the_library_path_can_be_set(void **unused)
{
    (void)unused;
    char path[1024];
    setenv("TLAB_CUPTI", "/some/where/libcupti.so", 1);
    cupti_library_path(path);
    assert_string_equal(path, "/some/where/libcupti.so");
    unsetenv("TLAB_CUPTI");
    setenv("TLAB_CUDA", "none", 1);
    cupti_library_path(path);
    assert_string_equal(path, "libcupti.so");
    unsetenv("TLAB_CUDA");
}

#ifndef HAVE_CUPTI
static void a_build_without_cupti_reports_it(void **unused)
{
    (void)unused;
    struct failure failure = {0};
    struct collector *collector;
    assert_false(collector_open(NULL, 0, 0, &collector, &failure));
    assert_null(collector);
    assert_non_null(strstr(failure.text, "built without CUPTI"));
    collector_close(collector);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_error_has_a_remedy),
        cmocka_unit_test(an_unknown_error_names_its_function),
        cmocka_unit_test(each_obstacle_has_a_message),
        cmocka_unit_test(versions_are_compared_by_major_number),
        cmocka_unit_test(the_library_path_can_be_set),
#ifndef HAVE_CUPTI
        cmocka_unit_test(a_build_without_cupti_reports_it),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
