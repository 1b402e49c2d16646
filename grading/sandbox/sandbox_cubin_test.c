/* sandbox_cubin_test.c: tests the check with honest, forbidden and randomly changed cubins. */
#define _GNU_SOURCE
#include "base/paths.h"
#include "compile/compile.h"
#include "sandbox/sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct compile_result cubin_of(const char *source, unsigned architecture)
{
    struct compiler_found found;
    char include[PATH_SIZE], support[PATH_SIZE], path[PATH_SIZE];
    struct failure failure = {0};
    struct compile_result result;
    if (!compiler_probe(COMPILER_NVRTC, &found)) {
        print_message("  no NVRTC: %s\n", found.why);
        skip();
    }
    assert_true(paths_in_root("include", include, &failure));
    assert_true(paths_in_root("profiler/compile", support, &failure));
    if (source[0] == '/')
        snprintf(path, sizeof path, "%s", source);
    else
        assert_true(paths_in_root(source, path, &failure));
    struct compile_request request = {.source_path = path,
                                      .include_directory = include,
                                      .support_directory = support,
                                      .compiler = COMPILER_NVRTC,
                                      .architecture = architecture};
    if (!compile_to_cubin(&request, &result, &failure))
        fail_msg("%s", failure.text);
    return result;
}

static void the_solutions_pass(void **state)
{
    (void)state;
    static const char *const labs[] = {
        "solutions/00_copy/copy.cu",
        "solutions/00_copy/copy_shared.cu",
        "solutions/01_naive/naive.cu",
        "solutions/02_coalesced/coalesced.cu",
        "solutions/03_padded/padded.cu",
        "solutions/04_fine_grained/fine_grained.cu",
        "solutions/05_coarse_grained/coarse_grained.cu",
        "solutions/06_diagonal/diagonal.cu",
    };
    static const unsigned architectures[] = {80, 90};
    for (size_t i = 0; i < 2 * sizeof labs / sizeof labs[0]; i++) {
        struct compile_result result = cubin_of(labs[i / 2], architectures[i % 2]);
        struct failure failure = {0};
        if (!sandbox_cubin_check(result.cubin, result.cubin_bytes, &failure))
            fail_msg("%s: %s", labs[i / 2], failure.text);
        compile_result_free(&result);
    }
}

#define HEAD                                                                                       \
    "#include \"lab.h\"\nLAB(naive);\n__device__ __noinline__ int own(int a) { return a * a; }\n"
#define KERNEL(body)                                                                               \
    "extern \"C\" __global__ void transpose(float *o, const float *i, int w, int h) "              \
    "{ o[own(w)] = i[h]; " body " }\n"

static void what_a_lab_does_not_need_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *source, *expected;
    } cases[] = {
        {HEAD KERNEL(""), NULL},
        {HEAD KERNEL("__shared__ float s[32]; s[w] = i[w]; __syncthreads(); o[h] = s[h];"), NULL},
        {HEAD "extern __shared__ float s[];\n" KERNEL("s[w] = i[w]; o[h] = s[h];"), NULL},
        {HEAD "__device__ int kept;\n" KERNEL("o[0] = kept++;"), "global memory"},
        {HEAD "__device__ int kept = 5;\n" KERNEL("o[0] = kept++;"), "global memory"},
        {HEAD "static __device__ int kept[9];\n" KERNEL("o[0] = kept[w]++;"), "global memory"},
        {HEAD KERNEL("static int kept; o[0] = kept++;"), "global memory"},
        {HEAD "__managed__ int kept;\n" KERNEL("o[0] = kept++;"), "global memory"},
        {HEAD "__constant__ float table[4];\n" KERNEL("o[0] = table[w];"), "constant memory"},
        {HEAD "extern \"C\" int printf(const char *, ...);\n" KERNEL("printf(\"%d\", w);"),
         "calls vprintf"},
        {HEAD KERNEL("o = (float *)malloc(w); o[w] = 1; *(float **)i = o;"), "calls malloc"},
        {HEAD "__global__ void other(float *o) { *o = 1; }\n" KERNEL(""), "not one of the lab's"},
        {HEAD "static __global__ void other(float *o) { *o = 1; }\n" KERNEL(
             "*(void **)o = (void *)other;"),
         "not one of the lab's"},
    };
    char path[] = "/tmp/sandbox_cubin_test-XXXXXX.cu";
    int file = mkstemps(path, 3);
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *source = fopen(path, "w");
        assert_non_null(source);
        fputs(cases[i].source, source);
        assert_int_equal(fclose(source), 0);
        struct compile_result result = cubin_of(path, 90);
        struct failure failure = {0};
        bool good = sandbox_cubin_check(result.cubin, result.cubin_bytes, &failure);
        compile_result_free(&result);
        if (cases[i].expected == NULL && !good)
            fail_msg("%s: %s", cases[i].source, failure.text);
        if (cases[i].expected != NULL && (good || failure.status != STATUS_UNTRUSTED ||
                                          strstr(failure.text, cases[i].expected) == NULL))
            fail_msg("%s: expected \"%s\", got \"%s\"", cases[i].source, cases[i].expected,
                     failure.text);
    }
    unlink(path);
}

/* The copy is at the end of an allocation, so that a sanitizer detects overruns. */
static bool check_copy(const char *bytes, size_t count)
{
    struct failure failure = {0};
    char *copy = malloc(count + (count == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    bool good = sandbox_cubin_check(copy, count, &failure);
    assert_int_equal(failure.kind, good ? FAILURE_NONE : FAILURE_STUDENT);
    free(copy);
    return good;
}

static void changed_bytes_are_read_safely(void **state)
{
    (void)state;
    static const unsigned char awkward[] = {0, 1, 0x10, 0x7f, 0x80, 0xff};
    struct compile_result result = cubin_of("solutions/03_padded/padded.cu", 90);
    size_t count = result.cubin_bytes;
    char *bytes = malloc(count);
    Elf64_Ehdr head;
    assert_non_null(bytes);
    memcpy(&head, result.cubin, sizeof head);
    assert_false(check_copy(result.cubin, 0));
    assert_false(check_copy(result.cubin, count / 2));
    srand(3);
    for (int round = 0; round < 30000; round++) {
        memcpy(bytes, result.cubin, count);
        for (int changes = 1 + rand() % 3; changes > 0; changes--) {
            size_t start = rand() % 2 ? 0 : head.e_shoff;
            size_t room = start == 0 ? sizeof head : 64 * (size_t)head.e_shnum;
            size_t at = rand() % 4 == 0 ? (size_t)rand() % count : start + (size_t)rand() % room;
            bytes[at] = (char)awkward[(size_t)rand() % sizeof awkward];
        }
        check_copy(bytes, rand() % 8 == 0 ? (size_t)rand() % count : count);
    }
    free(bytes);
    compile_result_free(&result);
}

static void what_is_no_cubin_is_refused(void **state)
{
    (void)state;
    assert_false(check_copy("", 0));
    assert_false(check_copy("\x7f"
                            "ELF\x02\x01",
                            6));
    char self[1 << 16];
    FILE *file = fopen("/proc/self/exe", "r");
    assert_non_null(file);
    size_t count = fread(self, 1, sizeof self, file);
    fclose(file);
    assert_true(count > 64);
    assert_false(check_copy(self, count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solutions_pass),
        cmocka_unit_test(what_a_lab_does_not_need_is_refused),
        cmocka_unit_test(changed_bytes_are_read_safely),
        cmocka_unit_test(what_is_no_cubin_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
