/* compile_test.c: test every compiler on this machine with ordinary, unusual, wrong and hostile
 * sources. All compilers must give the same number of memory accesses for a kernel. Missing
 * compilers are skipped with a message.
 *
 * check: whole
 */
#define _GNU_SOURCE
#include "compile/compile.h"
#include "compile/compile_backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TESTDATA "profiler/compile/testdata/"

static char place[] = "/tmp/compile_test-XXXXXX";

/* The initial value of TLAB_CUDA, which tests change to hide the toolkit. */
static const char *outer_toolkit;

struct run {
    const char *defines[4];
    const char *include_directory;
    bool done;
    struct compile_result result;
    struct failure failure;
};

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static int place_make(void **state)
{
    char path[64];
    (void)state;
    strcpy(place + strlen(place) - 6, "XXXXXX");
    if (mkdtemp(place) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/tmp", place);
    setenv("TMPDIR", path, 1);
    return mkdir(path, 0755);
}

static int place_remove(void **state)
{
    char path[64];
    (void)state;
    unsetenv("TMPDIR");
    unsetenv("TLAB_COMPILER");
    if (outer_toolkit != NULL)
        setenv("TLAB_CUDA", outer_toolkit, 1);
    else
        unsetenv("TLAB_CUDA");
    snprintf(path, sizeof path, "%s/tmp", place);
    bool clean = rmdir(path) == 0;
    if (!clean)
        print_error("files were left in TMPDIR\n");
    bool removed = nftw(place, entry_remove, 16, FTW_DEPTH | FTW_PHYS) == 0;
    return clean && removed ? 0 : -1;
}

/* Returns a path in the test's directory. Only the last four results are valid. */
static const char *place_path(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", place, name);
    return path;
}

static const char *place_write_bytes(const char *name, const void *bytes, size_t count)
{
    const char *path = place_path(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *place_write(const char *name, const char *text)
{
    return place_write_bytes(name, text, strlen(text));
}

static char *text_read(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void compiler_need(enum compiler compiler)
{
    struct compiler_found found;
    if (compiler_probe(compiler, &found))
        return;
    print_message("skipped: no %s (%s)\n",
                  compiler == COMPILER_NVRTC ? "NVRTC" : compiler_name(compiler), found.why);
    skip();
}

static bool compiler_is_here(enum compiler compiler)
{
    struct compiler_found found;
    return compiler_probe(compiler, &found);
}

static enum compiler compiler_of(void **state)
{
    return *(const enum compiler *)*state;
}

static bool run_compile(struct run *run, enum compiler compiler, const char *path)
{
    size_t count = 0;
    while (count < 4 && run->defines[count] != NULL)
        count++;
    const struct compile_request request = {
        .source_path = path,
        .defines = run->defines,
        .define_count = count,
        .include_directory = run->include_directory,
        .compiler = compiler,
        .architecture = 80,
        .support_directory = "profiler/compile",
    };
    run->failure = (struct failure){0};
    run->done = compile_to_ptx(&request, &run->result, &run->failure);
    assert_int_equal(run->done, run->failure.kind == FAILURE_NONE);
    assert_int_equal(run->done, run->result.ptx != NULL);
    return run->done;
}

static void run_free(struct run *run)
{
    compile_result_free(&run->result);
}

static struct run run_ok(enum compiler compiler, const char *path)
{
    struct run run = {0};
    if (!run_compile(&run, compiler, path))
        fail_msg("%s, %s: %s", path, compiler_name(compiler), run.failure.text);
    assert_int_equal(run.result.ptx_bytes, strlen(run.result.ptx));
    return run;
}

static void run_rejected(enum compiler compiler, const char *path, const char *part)
{
    struct run run = {0};
    assert_false(run_compile(&run, compiler, path));
    assert_int_equal(run.failure.kind, FAILURE_STUDENT);
    assert_int_equal(run.failure.status, STATUS_COMPILE_ERROR);
    if (strstr(run.failure.text, part) == NULL)
        fail_msg("%s: \"%s\" is not in: %s", path, part, run.failure.text);
}

static void run_harness_failure(struct run run, enum compiler compiler, const char *path,
                                const char *part)
{
    assert_false(run_compile(&run, compiler, path));
    assert_int_equal(run.failure.kind, FAILURE_HARNESS);
    if (strstr(run.failure.text, part) == NULL)
        fail_msg("%s: \"%s\" is not in: %s", path, part, run.failure.text);
}

static unsigned word_count(const char *text, const char *word)
{
    unsigned count = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        count++;
    return count;
}

static bool has_line(const char *ptx, unsigned line)
{
    for (; (ptx = strstr(ptx, ".loc")) != NULL; ptx++) {
        unsigned file = 0, at = 0;
        if (sscanf(ptx, ".loc %u %u", &file, &at) == 2 && file == 1 && at == line)
            return true;
    }
    return false;
}

static void plain_kernel_has_its_accesses_lines_and_name(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    struct run run = run_ok(compiler, TESTDATA "plain.cu");
    assert_int_equal(run.result.compiler, compiler);
    assert_int_equal(word_count(run.result.ptx, ".entry plain("), 1);
    assert_int_equal(word_count(run.result.ptx, "ld.global"), 1);
    assert_int_equal(word_count(run.result.ptx, "st.global"), 1);
    assert_int_equal(word_count(run.result.ptx, ".target sm_80"), 1);
    assert_true(has_line(run.result.ptx, 7));
    assert_true(has_line(run.result.ptx, 8));
    assert_non_null(strstr(run.result.ptx, "\"" TESTDATA "plain.cu\""));
    assert_string_equal(run.result.warnings, "");
    char name[32];
    unsigned major = 0;
    unsigned long long hash = 0;
    assert_int_equal(
        sscanf(run.result.description, "%31s %u.%*[0-9.] ptx:%16llx", name, &major, &hash), 3);
    assert_string_equal(name, compiler_name(compiler));
    assert_true(major >= 11 && hash == ptx_hash(run.result.ptx));
    run_free(&run);
}

static void every_builtin_is_known(void **state)
{
    enum compiler compiler = compiler_of(state);
    static const char *const words[] = {"popc.b32",
                                        "clz.b32",
                                        "prmt.b32",
                                        "atom.",
                                        "membar.gl",
                                        "nanosleep",
                                        "trap",
                                        "ld.const",
                                        "st.global.cs.f32",
                                        "st.global.cg.v4.f32",
                                        "cp.async.ca",
                                        "fma.rn.f64",
                                        "atom.shared.add.f32"};
    compiler_need(compiler);
    struct run run = run_ok(compiler, TESTDATA "builtins.cu");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(run.result.ptx, words[i]) == NULL)
            fail_msg("no %s", words[i]);
    if (compiler == COMPILER_CLANG)
        assert_int_equal(word_count(run.result.ptx, ".file"), 1);
    run_free(&run);
}

static void warp_functions_become_their_instructions(void **state)
{
    enum compiler compiler = compiler_of(state);
    static const struct {
        const char *word;
        unsigned count;
    } words[] = {{"shfl.sync.bfly", 5},     {"shfl.sync.down", 2}, {"shfl.sync.idx", 2},
                 {"shfl.sync.up", 1},       {"vote.sync.any", 1},  {"vote.sync.all", 1},
                 {"vote.sync.ballot", 1},   {"match.any.sync", 1}, {"match.all.sync", 1},
                 {"redux.sync.add.s32", 1}, {"activemask", 1},     {"bar.warp.sync", 1},
                 {"bar.red.popc", 1},       {"bar.red.and", 1},    {"bar.red.or", 1}};
    compiler_need(compiler);
    struct run run = run_ok(compiler, TESTDATA "warp.cu");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (word_count(run.result.ptx, words[i].word) != words[i].count)
            fail_msg("the PTX contains %u x %s, not %u", word_count(run.result.ptx, words[i].word),
                     words[i].word, words[i].count);
    run_free(&run);
}

static void printf_and_assert_need_no_header(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    if (compiler == COMPILER_NVCC) /* nvcc requires <cassert>, which the next test includes. */
        skip();
    struct run run = run_ok(compiler, TESTDATA "print.cu");
    assert_non_null(strstr(run.result.ptx, "vprintf"));
    assert_non_null(strstr(run.result.ptx, "__assertfail"));
    run_free(&run);
}

static void common_headers_are_there(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    struct run run = run_ok(compiler, TESTDATA "headers.cu");
    assert_non_null(strstr(run.result.ptx, "vprintf"));
    assert_non_null(strstr(run.result.ptx, "__assertfail"));
    run_free(&run);
}

static void groups_assert_words(const struct run *run)
{
    static const char *const words[] = {"bar.sync",
                                        "bar.warp.sync",
                                        "shfl.sync.idx",
                                        "shfl.sync.down",
                                        "shfl.sync.bfly",
                                        "cp.async.ca.shared.global",
                                        "cp.async.cg.shared.global",
                                        "cp.async.commit_group",
                                        "cp.async.wait_group",
                                        "mbarrier.init.shared.b64",
                                        "mbarrier.arrive.shared.b64",
                                        "mbarrier.test_wait.shared.b64",
                                        "cp.async.mbarrier.arrive.shared.b64",
                                        "cvt.rn.bf16.f32"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(run->result.ptx, words[i]) == NULL)
            fail_msg("no %s", words[i]);
}

static void headers_of_cuda_are_there(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    struct run run = run_ok(compiler, TESTDATA "groups.cu");
    groups_assert_words(&run);
    run_free(&run);
}

static void half_precision_is_there(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    struct run run = run_ok(compiler, TESTDATA "half.cu");
    assert_non_null(strstr(run.result.ptx, "fma.rn.f16"));
    assert_non_null(strstr(run.result.ptx, "cvt.f32.f16"));
    run_free(&run);
}

static void empty_file_compiles(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    struct run run = run_ok(compiler, place_write("empty.cu", ""));
    assert_int_equal(word_count(run.result.ptx, ".entry"), 0);
    run_free(&run);
}

/* NVRTC uses the stand-ins if the toolkit has no headers. */
static void stand_ins_suit_nvrtc(void **state)
{
    (void)state;
    compiler_need(COMPILER_NVRTC);
    struct run run = {.include_directory = "profiler/compile/stand_ins"};
    if (!run_compile(&run, COMPILER_NVRTC, TESTDATA "half.cu"))
        fail_msg("%s", run.failure.text);
    assert_non_null(strstr(run.result.ptx, "fma.rn.f16"));
    run_free(&run);
    if (!run_compile(&run, COMPILER_NVRTC, TESTDATA "headers.cu"))
        fail_msg("%s", run.failure.text);
    run_free(&run);
    if (!run_compile(&run, COMPILER_NVRTC, TESTDATA "groups.cu"))
        fail_msg("%s", run.failure.text);
    groups_assert_words(&run);
    run_free(&run);
}

/* The source uses declarations that NVRTC omits with --minimal. */
static void textures_and_the_runtime_are_declared(void **state)
{
    (void)state;
    compiler_need(COMPILER_NVRTC);
    struct run run = run_ok(
        COMPILER_NVRTC,
        place_write("texture.cu",
                    "__device__ cudaError_t last = cudaSuccess;\n"
                    "extern \"C\" __global__ void fetch(float *out, cudaTextureObject_t in)\n"
                    "{\n    *out = tex2D<float>(in, 1.0f, 2.0f);\n}\n"));
    assert_non_null(strstr(run.result.ptx, "tex.2d.v4.f32.f32"));
    run_free(&run);
}

static void compilers_agree_on_memory_accesses(void **state)
{
    static const char *const files[] = {"tile.cu", "vectors.cu"};
    static const char *const words[] = {"ld.global", "st.global",    "ld.shared",
                                        "st.shared", "st.shared.v4", "bar.sync"};
    static const enum compiler all[] = {COMPILER_NVRTC, COMPILER_NVCC, COMPILER_CLANG};
    unsigned compared = 0;
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        struct run first = {0};
        char path[64];
        snprintf(path, sizeof path, TESTDATA "%s", files[f]);
        for (size_t c = 0; c < 3; c++) {
            if (!compiler_is_here(all[c]))
                continue;
            struct run run = run_ok(all[c], path);
            for (size_t w = 0; first.done && w < sizeof words / sizeof words[0]; w++) {
                compared++;
                unsigned expected = word_count(first.result.ptx, words[w]);
                unsigned found = word_count(run.result.ptx, words[w]);
                if (found != expected)
                    fail_msg("%s: %s has %u %s, %s has %u", path, run.result.description, found,
                             words[w], first.result.description, expected);
            }
            if (first.done)
                run_free(&run);
            else
                first = run;
        }
        run_free(&first);
    }
    if (compared == 0) {
        print_message("skipped: only one compiler\n");
        skip();
    }
}

static const char store_kernel[] =
    "#include \"neighbour.h\"\n"
    "extern \"C\" __global__ void store(float *out) { out[0] = NEIGHBOUR; }\n";

static void odd_names_are_taken_literally(void **state)
{
    static const char *const names[] = {
        "space quote' double\" acc\xc3\xa9nt.cu",
        "$(touch pwned) `touch pwned`;touch pwned; back\\slash per%cent%s tab\t.cu", "-I.cu"};
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    assert_int_equal(mkdir(place_path("d $(touch pwned)'\""), 0755), 0);
    place_write("d $(touch pwned)'\"/neighbour.h", "#define NEIGHBOUR 1.0f\n");
    /* nvcc is slow, so it is tested only with the name that contains shell commands. */
    size_t first = compiler == COMPILER_NVCC ? 1 : 0, end = compiler == COMPILER_NVCC ? 2 : 3;
    for (size_t i = first; i < end; i++) {
        char name[128], escaped[2 * PATH_MAX];
        snprintf(name, sizeof name, "d $(touch pwned)'\"/%s", names[i]);
        const char *path = place_write(name, store_kernel);
        struct run run = run_ok(compiler, path);
        assert_true(path_escape(path, escaped, sizeof escaped));
        if (strstr(run.result.ptx, escaped) == NULL)
            fail_msg("%s is not in: %s", escaped, strstr(run.result.ptx, ".file"));
        run_free(&run);
    }
    assert_int_not_equal(access(place_path("pwned"), F_OK), 0);
    assert_int_not_equal(access("pwned", F_OK), 0);
}

static void relative_name_beginning_with_dash(void **state)
{
    enum compiler compiler = compiler_of(state);
    char before[PATH_MAX], support[PATH_MAX];
    compiler_need(compiler);
    assert_non_null(getcwd(before, sizeof before));
    snprintf(support, sizeof support, "%.4000s/profiler/compile", before);
    place_write("-o.cu", "extern \"C\" __global__ void k(int *p) { *p = 1; }\n");
    const struct compile_request request = {.source_path = "-o.cu",
                                            .compiler = compiler,
                                            .architecture = 80,
                                            .support_directory = support};
    struct compile_result result;
    struct failure failure = {0};
    assert_int_equal(chdir(place), 0);
    bool done = compile_to_ptx(&request, &result, &failure);
    assert_int_equal(chdir(before), 0);
    if (!done)
        fail_msg("%s", failure.text);
    if (strstr(result.ptx, "\"-o.cu\"") == NULL)
        fail_msg("%s", result.ptx);
    compile_result_free(&result);
}

static void macros_carry_their_values(void **state)
{
    static const char source[] =
        "#if !defined LAB_HARNESS || !defined FLAG || FLAG != 1\n#error macros\n#endif\n"
        "__device__ const char text[] = TEXT;\n"
        "extern \"C\" __global__ void k(int *out) { out[0] = SUM * 3; out[1] = text[out[2]]; }\n";
    enum compiler compiler = compiler_of(state);
    struct run run = {
        .defines = {"SUM=1 + 2", "TEXT=\"$(touch pwned) 'x' \\\\ ;\"", "FLAG", "EMPTY="}};
    compiler_need(compiler);
    if (!run_compile(&run, compiler, place_write("macros.cu", source)))
        fail_msg("%s", run.failure.text);
    assert_non_null(strstr(run.result.ptx, ", 7;"));
    assert_true(strstr(run.result.ptx, "36, 40, 116, 111, 117, 99, 104") != NULL ||
                strstr(run.result.ptx, "36,40,116,111,117,99,104") != NULL);
    assert_int_not_equal(access("pwned", F_OK), 0);
    run_free(&run);
}

static void bad_macros_are_bad_usage(void **state)
{
    static const char *const defines[] = {"",    "1X=2", "A B", "F(x)=x", "X=1\n#include \"y\"",
                                          "-o=x"};
    (void)state;
    for (size_t i = 0; i < sizeof defines / sizeof defines[0]; i++)
        run_harness_failure((struct run){.defines = {defines[i]}}, COMPILER_ANY,
                            TESTDATA "plain.cu", "-D needs NAME or NAME=VALUE");
}

static void byte_order_mark_and_line_ends_do_not_matter(void **state)
{
    static const char source[] = "\xef\xbb\xbf// a comment\r\n"
                                 "extern \"C\" __global__ void k(int *out)\r\n"
                                 "{\r\n"
                                 "    out[0] = 1;\r\n"
                                 "}";
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    struct run run = run_ok(compiler, place_write("windows.cu", source));
    assert_true(has_line(run.result.ptx, 4));
    run_free(&run);
}

static void hash_does_not_depend_on_the_directory(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    char *source = text_read(TESTDATA "own_functions.cu");
    assert_int_equal(mkdir(place_path("elsewhere"), 0755), 0);
    struct run here = run_ok(compiler, TESTDATA "own_functions.cu");
    struct run there = run_ok(compiler, place_write("elsewhere/own_functions.cu", source));
    assert_string_equal(here.result.description, there.result.description);
    run_free(&here);
    run_free(&there);
    free(source);
}

static void errors_name_file_and_line(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    const char *place_of_error = compiler == COMPILER_CLANG ? TESTDATA "errors.cu:3:14: error: "
                                                            : TESTDATA "errors.cu(3): error: ";
    struct run run = {0};
    assert_false(run_compile(&run, compiler, TESTDATA "errors.cu"));
    assert_int_equal(run.failure.kind, FAILURE_STUDENT);
    assert_int_equal(run.failure.status, STATUS_COMPILE_ERROR);
    assert_int_equal(strncmp(run.failure.text, place_of_error, strlen(place_of_error)), 0);
    assert_non_null(strstr(run.failure.text, "undeclared_four"));
    assert_null(strstr(run.failure.text, "undeclared_five"));
    assert_non_null(strstr(run.failure.text, "\n(and 2 more errors)"));
}

static void missing_header_is_named(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    run_rejected(compiler, place_write("header.cu", "#include \"no_such_header.h\"\n"),
                 "no_such_header.h");
}

static void error_in_a_header_names_the_header(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    mkdir(place_path("include dir"), 0755);
    place_write("include dir/helper.h", "\n\nint broken = undeclared;\n");
    struct run run = {.include_directory = place_path("include dir")};
    const char *path = place_write("user.cu", "#include \"helper.h\"\n");
    assert_false(run_compile(&run, compiler, path));
    assert_int_equal(run.failure.kind, FAILURE_STUDENT);
    if (strstr(run.failure.text, place_path("include dir/helper.h")) == NULL)
        fail_msg("%s", run.failure.text);
}

static void garbage_is_a_compile_error(void **state)
{
    enum { BYTES = 10 << 20 };
    enum compiler compiler = compiler_of(state);
    uint64_t random = 88172645463325252ull;
    compiler_need(compiler);
    unsigned char *bytes = malloc(BYTES);
    assert_non_null(bytes);
    for (size_t i = 0; i < BYTES; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        bytes[i] = (unsigned char)(random % 255 + 1);
    }
    const char *path = place_write_bytes("garbage.cu", bytes, BYTES);
    struct run run = {0};
    assert_false(run_compile(&run, compiler, path));
    assert_int_equal(run.failure.kind, FAILURE_STUDENT);
    for (const char *at = run.failure.text; *at != '\0'; at++)
        assert_true((unsigned char)*at >= 0x20 || *at == '\n' || *at == '\t');
    free(bytes);
}

static void nul_byte_is_reported_with_its_line(void **state)
{
    (void)state;
    compiler_need(COMPILER_ANY);
    run_rejected(COMPILER_ANY, place_write_bytes("utf16.cu", "\n\n_\0_\0\n", 8),
                 "utf16.cu(3): error: NUL byte");
}

static void foreign_files_are_no_source(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    run_rejected(compiler, place_write("passwd.cu", "#include \"/etc/passwd\"\n"), "/etc/passwd");
    run_rejected(compiler, place_write("self.cu", "#include __FILE__\n"), "");
}

static void unreadable_source_is_a_harness_failure(void **state)
{
    (void)state;
    const struct run plain = {0};
    run_harness_failure(plain, COMPILER_ANY, "/nonexistent/x.cu",
                        "/nonexistent/x.cu: No such file");
    run_harness_failure(plain, COMPILER_ANY, "profiler", "not a regular file");
    const char *fifo = place_path("fifo.cu");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    run_harness_failure(plain, COMPILER_ANY, fifo, "not a regular file");
    run_harness_failure(plain, COMPILER_ANY, "a\nb.cu", "line break");
}

static const char expanding_source[] =
    "#define A(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ "
    "__VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ "
    "__VA_ARGS__ __VA_ARGS__ __VA_ARGS__\n"
    "#define B(...) A(A(A(A(A(A(A(A(A(A(A(__VA_ARGS__)))))))))))\n"
    "__device__ int sum = 0 B(+ 1);\n";

static const struct compile_backend *const backends[] = {
    [COMPILER_NVRTC] = &nvrtc_backend,
    [COMPILER_NVCC] = &nvcc_backend,
    [COMPILER_CLANG] = &clang_backend,
};

static struct compile_attempt attempt_of(enum compiler compiler, const char *source, bool is_trial,
                                         unsigned seconds, uint64_t memory_bytes)
{
    const char *path = place_write("attempt.cu", source);
    const struct compile_request request = {
        .source_path = path, .is_trial = is_trial, .architecture = 80};
    const struct compile_unit unit = {
        .request = &request,
        .name = path,
        .source = source,
        .source_bytes = strlen(source),
        .support = "profiler/compile",
        .limits = {.seconds = seconds, .memory_bytes = memory_bytes, .output_bytes = 1 << 20}};
    struct compile_attempt attempt = {0};
    struct failure failure = {0};
    if (!backends[compiler]->compile(&unit, &attempt, &failure))
        fail_msg("%s", failure.text);
    return attempt;
}

static struct compile_attempt attempt_under(enum compiler compiler, unsigned seconds,
                                            uint64_t memory_bytes)
{
    return attempt_of(compiler, expanding_source, false, seconds, memory_bytes);
}

static void exhaustion_check(struct compile_attempt *attempt, const char *part)
{
    if (attempt->end != ATTEMPT_EXHAUSTED || strstr(attempt->why, part) == NULL)
        fail_msg("end %d: %s: %s", attempt->end, attempt->why, attempt->messages);
    compile_attempt_free(attempt);
}

static void time_is_limited(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    struct compile_attempt attempt = attempt_under(compiler, 1, 16ull << 30);
    exhaustion_check(&attempt, "ran out of time (still running after 1 s)");
}

static void memory_is_limited(void **state)
{
    enum compiler compiler = compiler_of(state);
    compiler_need(compiler);
    /* The compiler can start, but soon exhausts this memory. For NVRTC, the memory of this process
     * is added to the limit. */
    uint64_t memory_bytes = (compiler == COMPILER_NVRTC ? 180ull : 300ull) << 20;
    struct compile_attempt attempt = attempt_under(compiler, 30, memory_bytes);
    exhaustion_check(&attempt, "ran out of memory");
}

static void trial_check(const char *source, enum attempt_end end, const char *part)
{
    struct compile_attempt attempt = attempt_of(COMPILER_NVRTC, source, true, 20, 4ull << 30);
    const char *text = end == ATTEMPT_COMPILED ? attempt.code : attempt.messages;
    assert_int_equal(attempt.end, end);
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in: %s", part, text);
    compile_attempt_free(&attempt);
}

/* All trials of a process are compiled in one child. */
static void trials_are_independent(void **state)
{
    (void)state;
    static const char good[] = "#define NAME 7\n__global__ void good(int *o) { *o = NAME; }\n",
                      other[] = "__global__ void other(int *o) { *o = NAME; }\n",
                      texture[] = "__global__ void fetch(float *o, cudaTextureObject_t t)"
                                  "{ *o = tex2D<float>(t, 1, 2); }\n";
    compiler_need(COMPILER_NVRTC);
    struct compile_attempt first = attempt_of(COMPILER_NVRTC, good, true, 20, 4ull << 30), again;
    assert_int_equal(first.end, ATTEMPT_COMPILED);
    trial_check(other, ATTEMPT_REJECTED, "\"NAME\" is undefined");
    trial_check(texture, ATTEMPT_COMPILED, "tex.2d");
    again = attempt_of(COMPILER_NVRTC, good, true, 20, 4ull << 30);
    assert_int_equal(again.end, ATTEMPT_COMPILED);
    assert_string_equal(first.code, again.code);
    compile_attempt_free(&first);
    compile_attempt_free(&again);
    again = attempt_of(COMPILER_NVRTC, expanding_source, true, 1, 16ull << 30);
    exhaustion_check(&again, "ran out of time (still running after 1 s)");
    trial_check(good, ATTEMPT_COMPILED, ".entry");
    /* A copy of this process has a child of its own: their results are not mixed up. */
    const pid_t copy = fork();
    for (int i = 0, bad = 0; i < 8; i++) {
        again = attempt_of(COMPILER_NVRTC, copy ? good : other, true, 20, 4ull << 30);
        bad |= again.end != (copy ? ATTEMPT_COMPILED : ATTEMPT_REJECTED);
        compile_attempt_free(&again);
        if (copy)
            assert_false(bad);
        else if (bad || i == 7)
            _exit(bad);
    }
    int status = -1;
    assert_int_equal(waitpid(copy, &status, 0), copy);
    assert_int_equal(status, 0);
}

static void hidden_toolkit_leaves_clang(void **state)
{
    (void)state;
    setenv("TLAB_CUDA", "none", 1);
    assert_false(compiler_is_here(COMPILER_NVRTC));
    assert_false(compiler_is_here(COMPILER_NVCC));
    run_harness_failure((struct run){0}, COMPILER_NVRTC, TESTDATA "plain.cu",
                        "hidden by TLAB_CUDA=none");
    compiler_need(COMPILER_CLANG);
    struct run run = run_ok(COMPILER_ANY, TESTDATA "plain.cu");
    assert_int_equal(run.result.compiler, COMPILER_CLANG);
    run_free(&run);
}

static void no_compiler_says_what_to_install(void **state)
{
    char *path = strdup(getenv("PATH"));
    (void)state;
    setenv("TLAB_CUDA", "none", 1);
    setenv("PATH", "/nonexistent", 1);
    run_harness_failure((struct run){0}, COMPILER_ANY, TESTDATA "plain.cu",
                        "apt-get install clang");
    assert_false(compiler_is_here(COMPILER_ANY));
    setenv("PATH", path, 1);
    free(path);
}

static void wrong_toolkit_path_is_reported(void **state)
{
    (void)state;
    setenv("TLAB_CUDA", "/nonexistent", 1);
    run_harness_failure((struct run){0}, COMPILER_NVCC, TESTDATA "plain.cu",
                        "TLAB_CUDA=/nonexistent");
    run_harness_failure((struct run){0}, COMPILER_NVRTC, TESTDATA "plain.cu", "libnvrtc");
}

static void environment_chooses_the_compiler(void **state)
{
    (void)state;
    setenv("TLAB_COMPILER", "tcc", 1);
    run_harness_failure((struct run){0}, COMPILER_ANY, TESTDATA "plain.cu",
                        "expected nvrtc, nvcc or clang");
    compiler_need(COMPILER_CLANG);
    setenv("TLAB_COMPILER", "clang", 1);
    struct run run = run_ok(COMPILER_ANY, TESTDATA "plain.cu");
    assert_int_equal(run.result.compiler, COMPILER_CLANG);
    run_free(&run);
    setenv("TLAB_COMPILER", "", 1);
    compiler_need(COMPILER_NVRTC);
    run = run_ok(COMPILER_ANY, TESTDATA "plain.cu");
    assert_int_equal(run.result.compiler, COMPILER_NVRTC);
    run_free(&run);
}

static void whole_programs_skip_nvrtc(void **state)
{
    (void)state;
    if (!compiler_is_here(COMPILER_NVCC))
        compiler_need(COMPILER_CLANG);
    struct run run = run_ok(COMPILER_ANY, TESTDATA "program.cu");
    assert_int_not_equal(run.result.compiler, COMPILER_NVRTC);
    assert_int_equal(word_count(run.result.ptx, ".entry"), 1);
    run_free(&run);
    if (compiler_is_here(COMPILER_NVRTC))
        run_rejected(COMPILER_NVRTC, TESTDATA "program.cu", "program.cu(11): error");
    if (compiler_is_here(COMPILER_CLANG)) {
        run = run_ok(COMPILER_CLANG, TESTDATA "program.cu");
        run_free(&run);
    }
}

static void incomplete_installation_is_reported(void **state)
{
    (void)state;
    compiler_need(COMPILER_CLANG);
    const struct compile_request request = {.source_path = TESTDATA "plain.cu",
                                            .compiler = COMPILER_CLANG,
                                            .architecture = 80,
                                            .support_directory = place};
    struct compile_result result;
    struct failure failure = {0};
    assert_false(compile_to_ptx(&request, &result, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, "clang_cuda.h"));
}

static void summaries_show_the_first_errors(void **state)
{
    static const char messages[] = "x.cu(1): warning #177-D: unused\n  int a;\n      ^\n\n"
                                   "x.cu(2): error: first\n  a\x1b[31m \": error: \" b\n  ^\n\n"
                                   "x.cu(3): error: second\n"
                                   "x.cu(4): catastrophic error: third\n"
                                   "y.h:5:6: fatal error: fourth\n"
                                   "nvcc fatal   : fifth\n"
                                   "x.cu(9): error: sixth\n\n"
                                   "6 errors detected in the compilation of \"x.cu\".\n";
    char text[1024];
    (void)state;
    messages_summarise_errors(messages, text, sizeof text);
    assert_string_equal(text, "x.cu(2): error: first\n  a?[31m \": error: \" b\n  ^\n"
                              "x.cu(3): error: second\n"
                              "x.cu(4): catastrophic error: third\n"
                              "y.h:5:6: fatal error: fourth\n"
                              "(and 2 more errors)");
    messages_summarise_errors("something else\n\n", text, sizeof text);
    assert_string_equal(text, "something else");
    messages_summarise_errors("", text, sizeof text);
    assert_string_equal(text, "");
}

static void long_errors_leave_room_for_their_number(void **state)
{
    char messages[4096], text[256];
    (void)state;
    memset(messages, 'x', sizeof messages);
    memcpy(messages, "a(1): error: ", 13);
    strcpy(messages + sizeof messages - 40, "\na(2): error: y\na(3): error: z\n");
    messages_summarise_errors(messages, text, sizeof text);
    assert_true(strlen(text) < sizeof text);
    assert_non_null(strstr(text, "x\n(and 2 more errors)"));
}

static void hashes_ignore_what_depends_on_the_place(void **state)
{
    static const char one[] = "// by A\n.version 9.0\n\tmov.u32 %r1, 5; // five\n"
                              "call _ZN28_INTERNAL_adfaa7c9_5_st_cu_k1fEi;\n"
                              "\t.file\t1 \"/a/b.cu\"\n\t.section .debug_str\n{\n.b8 1,2\n}\n";
    static const char same[] = "\n.version 9.0\nmov.u32 %r1, 5;\n\n"
                               "call _ZN28_INTERNAL_01234567_5_st_cu_k1fEi;\n"
                               ".file 1 \"/c//d.cu\"\n.section .debug_str\n{\n.b8 3\n}\n";
    static const char other[] = ".version 9.0\nmov.u32 %r1, 6;\n"
                                "call _ZN28_INTERNAL_adfaa7c9_5_st_cu_k1fEi;\n";
    static const char longer[] = ".version 9.0\nmov.u32 %r1, 5;\n"
                                 "call _ZN28_INTERNAL_adfaa7c9_5_st_cu_k1fEi;\nret;\n";
    (void)state;
    assert_true(ptx_hash(one) == ptx_hash(same));
    assert_true(ptx_hash(one) != ptx_hash(other));
    assert_true(ptx_hash(one) != ptx_hash(longer));
    /* The hash of no bytes is the offset basis of FNV-1a. */
    assert_true(ptx_hash("") == 0xcbf29ce484222325ull);
}

static void sources_are_named_as_the_caller_does(void **state)
{
    char ptx[1024], expected[1024];
    (void)state;
    place_write("n\xc3\xa9\"x.cu", "");
    snprintf(ptx, sizeof ptx,
             "x .file\n\t.file\t1 \"%s/tmp/../n\\303\\251\\\"x.cu\"\n.file 2 \"/other.h\"\n.file 3",
             place);
    char *named = ptx_name_source(ptx, place_path("n\xc3\xa9\"x.cu"));
    snprintf(expected, sizeof expected,
             "x .file\n\t.file\t1 \"%s/n\xc3\xa9\\\"x.cu\"\n.file 2 \"/other.h\"\n.file 3", place);
    assert_non_null(named);
    assert_string_equal(named, expected);
    free(named);
}

static void texts_are_replaced_and_escaped(void **state)
{
    char text[8];
    (void)state;
    char *replaced = text_replace("aXbXXc", "X", "long");
    assert_string_equal(replaced, "alongblonglongc");
    free(replaced);
    replaced = text_replace("abc", "abc", "");
    assert_string_equal(replaced, "");
    free(replaced);
    assert_true(path_escape("a\"b\\", text, sizeof text));
    assert_string_equal(text, "a\\\"b\\\\");
    assert_false(path_escape("abcdefgh", text, sizeof text));
    assert_false(path_escape("abcdefg\"", text, sizeof text));
}

static void cubins_are_machine_code(void **state)
{
    const char *path =
        place_write("k.cu", "extern \"C\" __global__ void k(float *p) { *p = 1; }\n");
    struct compile_request request = {
        .source_path = path, .compiler = compiler_of(state), .architecture = 90};
    struct compile_result result;
    struct failure failure = {0};
    compiler_need(request.compiler);
    if (!compile_to_cubin(&request, &result, &failure))
        fail_msg("%s", failure.text);
    assert_null(result.ptx);
    assert_true(result.cubin_bytes > 64);
    assert_memory_equal(result.cubin, "\177ELF", 4);
    assert_int_equal((unsigned char)result.cubin[18], 190);
    char start[64];
    snprintf(start, sizeof start, "%s ", compiler_name(request.compiler));
    assert_ptr_equal(strstr(result.description, start), result.description);
    assert_non_null(strstr(result.description, " sm_90 cubin:"));
    compile_result_free(&result);
}

static void assembler_limits_are_the_students(void **state)
{
    const char *path = place_write("k.cu", "extern \"C\" __global__ void k(float *p)\n"
                                           "{ __shared__ float big[16384]; big[threadIdx.x] = *p;\n"
                                           "  __syncthreads(); *p = big[threadIdx.y]; }\n");
    struct compile_request request = {
        .source_path = path, .compiler = compiler_of(state), .architecture = 90};
    struct compile_result result;
    struct failure failure = {0};
    compiler_need(request.compiler);
    assert_false(compile_to_cubin(&request, &result, &failure));
    assert_int_equal(failure.kind, FAILURE_STUDENT);
    assert_int_equal(failure.status, STATUS_COMPILE_ERROR);
    assert_non_null(strstr(failure.text, "too much shared data"));
}

static void machines_without_an_assembler_are_reported(void **state)
{
    const char *path = place_write("k.cu", "extern \"C\" __global__ void k() {}\n");
    struct compile_request request = {
        .source_path = path, .compiler = compiler_of(state), .architecture = 3};
    struct compile_result result;
    struct failure failure = {0};
    compiler_need(request.compiler);
    assert_false(compile_to_cubin(&request, &result, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, compiler_name(request.compiler)));
}

int main(void)
{
    static enum compiler nvrtc = COMPILER_NVRTC, nvcc = COMPILER_NVCC, clang = COMPILER_CLANG;
#define ALONE(test) cmocka_unit_test_setup_teardown(test, place_make, place_remove)
#define BY(test, compiler)                                                                         \
    {                                                                                              \
#test " by " #compiler, test, place_make, place_remove, &compiler                          \
    }
#define FAST(test) BY(test, nvrtc), BY(test, clang)
#define ALL(test) FAST(test), BY(test, nvcc)
    const struct CMUnitTest tests[] = {
        ALL(plain_kernel_has_its_accesses_lines_and_name),
        FAST(every_builtin_is_known),
        FAST(warp_functions_become_their_instructions),
        FAST(printf_and_assert_need_no_header),
        FAST(common_headers_are_there),
        FAST(half_precision_is_there),
        ALL(headers_of_cuda_are_there),
        FAST(empty_file_compiles),
        ALONE(stand_ins_suit_nvrtc),
        ALONE(textures_and_the_runtime_are_declared),
        ALONE(compilers_agree_on_memory_accesses),
        ALL(odd_names_are_taken_literally),
        FAST(relative_name_beginning_with_dash),
        ALL(macros_carry_their_values),
        ALONE(bad_macros_are_bad_usage),
        FAST(byte_order_mark_and_line_ends_do_not_matter),
        ALL(hash_does_not_depend_on_the_directory),
        ALL(errors_name_file_and_line),
        FAST(missing_header_is_named),
        ALL(error_in_a_header_names_the_header),
        FAST(garbage_is_a_compile_error),
        ALONE(nul_byte_is_reported_with_its_line),
        FAST(foreign_files_are_no_source),
        ALONE(unreadable_source_is_a_harness_failure),
        BY(time_is_limited, nvrtc),
        FAST(memory_is_limited),
        ALONE(hidden_toolkit_leaves_clang),
        ALONE(no_compiler_says_what_to_install),
        ALONE(wrong_toolkit_path_is_reported),
        ALONE(environment_chooses_the_compiler),
        ALONE(whole_programs_skip_nvrtc),
        ALONE(incomplete_installation_is_reported),
        cmocka_unit_test(summaries_show_the_first_errors),
        cmocka_unit_test(long_errors_leave_room_for_their_number),
        cmocka_unit_test(hashes_ignore_what_depends_on_the_place),
        ALONE(sources_are_named_as_the_caller_does),
        ALONE(trials_are_independent),
        cmocka_unit_test(texts_are_replaced_and_escaped),
        BY(cubins_are_machine_code, nvrtc),
        BY(cubins_are_machine_code, nvcc),
        BY(assembler_limits_are_the_students, nvrtc),
        BY(assembler_limits_are_the_students, nvcc),
        BY(machines_without_an_assembler_are_reported, nvrtc),
        BY(machines_without_an_assembler_are_reported, nvcc),
        BY(machines_without_an_assembler_are_reported, clang),
    };
    const char *toolkit = getenv("TLAB_CUDA");
    char *copy = toolkit != NULL ? strdup(toolkit) : NULL;
    outer_toolkit = copy;
    unsetenv("TLAB_COMPILER");
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    free(copy);
    return failures;
}
