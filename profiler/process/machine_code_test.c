/* Tests of machine_code.c against two independent sources: the report of `ptxas -v`, for every
 * solution and for testdata/machine_code.cu, and the registers that an H200 allocated for the
 * kernels of profiler/tools/bench/kernels.cu.
 * check: course whole
 */
#define _GNU_SOURCE
#include "process/machine_code.h"

#include "base/paths.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "compile/compile.h"
#include "process/child.h"
#include "process/elf_file.h"
#include "process/toolkit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct toolkit toolkit;
static char directory[PATH_SIZE];

static int find_ptxas(void **state)
{
    (void)state;
    struct failure failure = {0};
    if (!toolkit_find(&toolkit))
        toolkit.ptxas[0] = '\0';
    return scratch_make(directory, "test", &failure) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return scratch_remove(directory) ? 0 : -1;
}

static void needs_ptxas(void)
{
    if (!toolkit.ptxas[0]) {
        print_message("  there is no ptxas\n");
        skip();
    }
}

static struct compile_result ptx_of(const char *source)
{
    char include[PATH_SIZE];
    struct failure failure = {0};
    struct compile_result result;
    assert_true(paths_in_root("include", include, &failure));
    struct compile_request request = {.source_path = source,
                                      .include_directory = include,
                                      .architecture = COMPILE_EMULATED_ARCHITECTURE};
    if (!compile_to_ptx(&request, &result, &failure))
        fail_msg("%s: %s", source, failure.text);
    return result;
}

/* Returns the number before `unit` in the report on the kernel at `at`; 0 if there is none. */
static unsigned long reported(const char *at, const char *unit)
{
    const char *end = strstr(at, "Compiling entry"), *found = strstr(at, unit);
    if (!found || (end && found > end))
        return 0;
    while (found > at && found[-1] >= '0' && found[-1] <= '9')
        found--;
    return strtoul(found, NULL, 10);
}

static unsigned compare_kernels(const char *source, const char *text, unsigned architecture)
{
    static const struct child_limits limits = {60, 4ull << 30, 1 << 20, 0, 0, 0, NULL, false};
    char ptx[PATH_SIZE + 8], cubin[PATH_SIZE + 8], target[32];
    struct failure failure = {0};
    struct child_result child;
    unsigned kernels = 0;
    size_t bytes;
    snprintf(ptx, sizeof ptx, "%s/ptx", directory);
    snprintf(cubin, sizeof cubin, "%s/cubin", directory);
    snprintf(target, sizeof target, "-arch=sm_%u", architecture);
    FILE *file = fopen(ptx, "w");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
    const char *const words[] = {toolkit.ptxas, "-v", target, ptx, "-o", cubin, NULL};
    assert_true(child_run_program(words, NULL, NULL, &limits, &child, &failure));
    assert_int_equal(child.code, 0);
    char *code = whole_file_read(cubin, 1 << 24, &bytes, &failure);
    assert_non_null(code);
    for (const char *at = child.messages; (at = strstr(at, "entry function '")); kernels++) {
        char name[256] = "";
        struct machine_code got;
        at += strlen("entry function '");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "'"), at);
        if (!machine_code_read(code, bytes, name, &got))
            fail_msg("%s, sm_%u: no kernel %s", source, architecture, name);
        const unsigned long wanted[] = {
            reported(at, " registers"),         reported(at, " bytes smem"),
            reported(at, " bytes stack frame"), reported(at, " bytes spill stores"),
            reported(at, " bytes spill loads"),
        };
        const unsigned long values[] = {got.registers, got.shared_bytes, got.local_bytes,
                                        got.local_stored, got.local_loaded};
        for (unsigned i = 0; i < 5; i++)
            if (values[i] != wanted[i] && strcmp(name, "calls") != 0)
                fail_msg("%s, sm_%u, %s: value %u is %lu, ptxas reports %lu", source, architecture,
                         name, i, values[i], wanted[i]);
        assert_true(got.registers > 0 && got.instructions > 4);
        assert_true(strcmp(name, "spills") != 0 || architecture == 86 || got.local_stored > 100);
        assert_true(strcmp(name, "shares") != 0 || got.shared_bytes == 400);
        assert_true(strcmp(name, "calls") != 0 || got.registers == wanted[0]);
    }
    child_result_free(&child);
    free(code);
    return kernels;
}

static void test_report(void **state)
{
    (void)state;
    static const unsigned architectures[] = {80, 86, 90};
    unsigned kernels = 0;
    glob_t found;
    needs_ptxas();
    assert_int_equal(glob("solutions/[0-9]*/*.cu", 0, NULL, &found), 0);
    for (size_t i = 0; i <= found.gl_pathc; i++) {
        const char *source =
            i < found.gl_pathc ? found.gl_pathv[i] : "profiler/process/testdata/machine_code.cu";
        struct compile_result compiled = ptx_of(source);
        for (unsigned a = 0; a < 3; a++)
            kernels += compare_kernels(source, compiled.ptx, architectures[a]);
        compile_result_free(&compiled);
    }
    print_message("%u kernels agree with ptxas -v\n", kernels);
    assert_true(kernels >= 3 * (2 * found.gl_pathc + 3));
    globfree(&found);
}

/* NVIDIA's profiler reports at least 16 registers per thread. */
static void test_measured_registers(void **state)
{
    (void)state;
    enum { LEAST = 16, KERNELS = 79 };
    size_t bytes, csv_bytes;
    unsigned kernels = 0;
    struct failure failure = {0};
    needs_ptxas();
    struct compile_result compiled = ptx_of("profiler/tools/bench/kernels.cu");
    void *cubin = machine_code_assemble(compiled.ptx, compiled.ptx_bytes, 90, &bytes);
    char *csv = whole_file_read("docs/results/h200/kernels.csv", 1 << 20, &csv_bytes, &failure);
    char *lines = NULL;
    assert_non_null(cubin);
    assert_non_null(csv);
    strtok_r(csv, "\n", &lines);
    for (char *line; (line = strtok_r(NULL, "\n", &lines)); kernels++) {
        char name[64];
        unsigned measured;
        struct machine_code code;
        assert_int_equal(sscanf(line, "%63[^,],%*[^,],%*f,%*f,%u", name, &measured), 2);
        if (!machine_code_read(cubin, bytes, name, &code))
            fail_msg("no kernel %s", name);
        if ((code.registers > LEAST ? code.registers : LEAST) != measured)
            fail_msg("%s: %u registers in the machine code, %u on an H200", name, code.registers,
                     measured);
    }
    assert_int_equal(kernels, KERNELS);
    compile_result_free(&compiled);
    free(cubin);
    free(csv);
}

static void test_unknown(void **state)
{
    (void)state;
    static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k() { ret; }\n";
    struct machine_code code;
    needs_ptxas();
    assert_true(machine_code_of_ptx(ptx, strlen(ptx), 80, "k", &code));
    assert_true(code.registers > 0 && code.instructions >= 1 && !code.shared_bytes);
    assert_false(machine_code_of_ptx(ptx, strlen(ptx), 80, "other", &code));
    assert_false(machine_code_of_ptx(ptx, strlen(ptx), 13, "k", &code));
    assert_false(machine_code_of_ptx(ptx, strlen(ptx) - 3, 80, "k", &code));
    assert_false(machine_code_read(ptx, strlen(ptx), "k", &code));
    /* Before the other records of .nv.info: a record without data, and one of 256 bytes. */
    static const char records[8 + 256] = "\1\0\0\0\4\1\0\1\4\1\311";
    size_t bytes;
    struct elf_file elf;
    Elf64_Shdr info, moved;
    char *cubin = machine_code_assemble(ptx, strlen(ptx), 80, &bytes);
    assert_true(cubin && elf_open(&elf, cubin, bytes) && elf_find(&elf, ".nv.info", "", &info));
    char *longer = calloc(1, bytes + sizeof records + info.sh_size);
    assert_non_null(longer);
    memcpy(longer, cubin, bytes);
    memcpy(longer + bytes, records, sizeof records);
    memcpy(longer + bytes + sizeof records, cubin + info.sh_offset, info.sh_size);
    moved = info;
    moved.sh_offset = bytes;
    moved.sh_size = sizeof records + info.sh_size;
    memcpy(memmem(longer, bytes, &info, sizeof info), &moved, sizeof moved);
    assert_true(machine_code_read(longer, bytes + moved.sh_size, "k", &code));
    free(longer);
    free(cubin);
    setenv("TLAB_CUDA", "none", 1);
    assert_false(machine_code_of_ptx(ptx, strlen(ptx), 80, "k", &code));
    unsetenv("TLAB_CUDA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_report),
                                       cmocka_unit_test(test_measured_registers),
                                       cmocka_unit_test(test_unknown)};
    return cmocka_run_group_tests(tests, find_ptxas, remove_directory);
}
