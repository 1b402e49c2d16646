/* sandbox_compile_test.c: tests the compiler's sandboxes with every compiler of this machine. The
 * sandbox starts this program for compile-sandboxed, and for a prober that attacks the isolation
 * from inside. The test skips and reports sandboxes and compilers that the machine does not have.
 * check: late whole */
#define _GNU_SOURCE
#include "base/vectorised.h"
#include "commands/command.h"
#include "process/child.h"
#include "process/toolkit.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_confine.h"
#include "sandbox/sandbox_frame.h"
#include "sandbox/sandbox_inside.h"
#include "sandbox/sandbox_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECRET "hunter2secret"

enum { FILES_MAX = 8 };

static char place[] = "/tmp/sandbox_compile_test-XXXXXX";
static char staged[sizeof place + 16];
static const char *outer_toolkit, *outer_path;

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static const char *place_write(const char *name, const char *text)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", place, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static int place_make(void **state)
{
    char path[sizeof place + 16];
    (void)state;
    strcpy(place + strlen(place) - 6, "XXXXXX");
    if (mkdtemp(place) == NULL)
        return -1;
    snprintf(staged, sizeof staged, "%s/submission", place);
    snprintf(path, sizeof path, "%s/tmp", place);
    setenv("TMPDIR", path, 1);
    place_write("secret.h", "int " SECRET " = 42 + unknown;\n");
    return mkdir(staged, 0755) == 0 && mkdir(path, 0755) == 0 ? 0 : -1;
}

static int place_remove(void **state)
{
    char path[sizeof place + 16];
    (void)state;
    unsetenv("TMPDIR");
    unsetenv("TLAB_COMPILER");
    setenv("PATH", outer_path, 1);
    if (outer_toolkit != NULL)
        setenv("TLAB_CUDA", outer_toolkit, 1);
    else
        unsetenv("TLAB_CUDA");
    snprintf(path, sizeof path, "%s/tmp", place);
    bool clean = rmdir(path) == 0;
    if (!clean)
        print_error("files were left in TMPDIR\n");
    return nftw(place, entry_remove, 16, FTW_DEPTH | FTW_PHYS) == 0 && clean ? 0 : -1;
}

static const char *const sandbox_names[] = {"bubblewrap", "weak"};

static bool bubblewrap_works(void)
{
    char program[PATH_SIZE];
    const struct child_limits limits = {
        .seconds = 20, .memory_bytes = UINT64_MAX, .output_bytes = 1 << 16};
    struct child_result result;
    struct failure failure = {0};
    if (!program_find("bwrap", program, sizeof program))
        return false;
    const char *const argv[] = {program,     "--unshare-all", "--size",    "65536",   "--tmpfs",
                                "/tmp",      "--ro-bind",     "/usr",      "/usr",    "--symlink",
                                "usr/lib64", "/lib64",        "--symlink", "usr/lib", "/lib",
                                "--",        "/usr/bin/true", NULL};
    assert_true(child_run_program(argv, NULL, NULL, &limits, &result, &failure));
    bool works = result.end == CHILD_EXITED && result.code == 0;
    child_result_free(&result);
    return works;
}

/* Returns true if the sandbox works. Otherwise, fails the test if the machine meets the
 * requirements, and sets `why` if it does not. */
static bool sandbox_is_usable(enum sandbox sandbox, char *why, size_t why_size)
{
    struct failure failure = {0};
    if (sandbox_probe(sandbox, &failure))
        return true;
    if (sandbox == SANDBOX_WEAK || bubblewrap_works())
        fail_msg("%s", failure.text);
    snprintf(why, why_size, "%.200s", failure.text);
    return false;
}

static void with_all_sandboxes(void (*test)(enum sandbox sandbox))
{
    for (int i = 0; i < 4; i++) {
        enum sandbox sandbox = i % 2 == 0 ? SANDBOX_BUBBLEWRAP : SANDBOX_WEAK;
        const char *compiler = i < 2 ? "nvrtc" : "clang";
        struct compiler_found found;
        char why[256];
        if (i >= 2)
            setenv("TLAB_CUDA", "none", 1);
        setenv("TLAB_COMPILER", compiler, 1);
        bool usable = compiler_probe(i < 2 ? COMPILER_NVRTC : COMPILER_CLANG, &found);
        snprintf(why, sizeof why, "%.255s", found.why);
        usable = usable && sandbox_is_usable(sandbox, why, sizeof why);
        print_message("  %s in %s: %s\n", compiler, sandbox_names[sandbox],
                      usable ? found.version : why);
        if (usable)
            test(sandbox);
        unsetenv("TLAB_COMPILER");
    }
}

static void with_bubblewrap(void (*test)(enum sandbox sandbox))
{
    char why[256];
    if (!sandbox_is_usable(SANDBOX_BUBBLEWRAP, why, sizeof why)) {
        print_message("  %s\n", why);
        skip();
    }
    test(SANDBOX_BUBBLEWRAP);
}

static void compile(enum sandbox sandbox, const char *const *files, size_t count,
                    struct sandbox_compiled *results)
{
    struct failure failure = {0};
    struct sandbox_budget budget = SANDBOX_BUDGET;
    bool done = sandbox_compile(sandbox, 0, staged, files, count, &budget, results, &failure);
    if (!done)
        fail_msg("%s", failure.text);
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected \"%s\" in: %s", part, text);
}

static void assert_silent(const struct sandbox_compiled *compiled, const char *part)
{
    if (strstr(compiled->failure.text, part) != NULL)
        fail_msg("\"%s\" is in the message: %s", part, compiled->failure.text);
    if (compiled->compiled && (strstr(compiled->result.ptx, part) != NULL ||
                               strstr(compiled->result.warnings, part) != NULL))
        fail_msg("\"%s\" is in the module", part);
}

#define KERNEL_HEAD "extern \"C\" __global__ void transpose(float *o, const float *i, int w, int h)"

static void modules_are_those_of_no_sandbox(enum sandbox sandbox)
{
    static const char *const labs[] = {"solutions/01_naive/naive.cu",
                                       "solutions/03_padded/padded.cu",
                                       "solutions/06_diagonal/diagonal.cu"};
    static const char *const files[] = {"a b.cu", "-o.cu", "sub/\xc3\xa9'$(x).cu"};
    struct sandbox_compiled results[3];
    char paths[3][PATH_SIZE], include[PATH_SIZE], support[PATH_SIZE], line[4096];
    struct failure failure = {0};
    snprintf(line, sizeof line, "%s/sub", staged);
    assert_true(mkdir(line, 0755) == 0 || errno == EEXIST);
    assert_true(paths_in_root("include", include, &failure));
    assert_true(paths_in_root("profiler/compile", support, &failure));
    for (int i = 0; i < 3; i++) {
        assert_true(paths_in_root(labs[i], paths[i], &failure));
        FILE *from = fopen(paths[i], "r");
        snprintf(line, sizeof line, "%s/%s", staged, files[i]);
        FILE *to = fopen(line, "w");
        assert_true(from != NULL && to != NULL);
        while (fgets(line, sizeof line, from) != NULL)
            assert_true(fputs(line, to) >= 0);
        fclose(from);
        assert_int_equal(fclose(to), 0);
    }
    compile(sandbox, files, 3, results);
    for (int i = 0; i < 3; i++) {
        struct compile_request request = {.source_path = paths[i],
                                          .include_directory = include,
                                          .architecture = 80,
                                          .support_directory = support};
        struct compile_result result;
        assert_true(compile_to_ptx(&request, &result, &failure));
        assert_string_equal(results[i].failure.text, "");
        assert_true(results[i].compiled);
        assert_string_equal(results[i].result.description, result.description);
        assert_int_equal(results[i].result.compiler, result.compiler);
        assert_int_equal(results[i].result.ptx_bytes, strlen(results[i].result.ptx));
        char name[128];
        snprintf(name, sizeof name, ".file\t1 \"%s\"", files[i]);
        if (i == 0)
            assert_contains(results[i].result.ptx, files[i]);
        compile_result_free(&result);
    }
    sandbox_compiled_free(results, 3);
}

static void modules_are_those_of_no_sandbox_everywhere(void **state)
{
    (void)state;
    with_all_sandboxes(modules_are_those_of_no_sandbox);
}

static void machine_code_comes_with_ptx(enum sandbox sandbox)
{
    static const char *const files[] = {"right.cu", "large.cu", "wrong.cu"};
    struct sandbox_compiled results[3];
    struct failure failure = {0};
    const char *compiler = getenv("TLAB_COMPILER");
    bool assembles = compiler == NULL || strcmp(compiler, "clang") != 0;
    place_write("submission/right.cu",
                "#include \"lab.h\"\nLAB(naive);\n" KERNEL_HEAD " { o[0] = i[0]; }\n");
    place_write("submission/large.cu", KERNEL_HEAD "\n{ __shared__ float s[40000]; s[w] = i[0];"
                                                   " __syncthreads(); o[0] = s[h]; }\n");
    place_write("submission/wrong.cu", KERNEL_HEAD " { o[0] = nothing; }\n");
    struct sandbox_budget budget = SANDBOX_BUDGET;
    if (!sandbox_compile(sandbox, 80, staged, files, 3, &budget, results, &failure))
        fail_msg("%s", failure.text);
    assert_true(results[0].compiled && results[1].compiled && !results[2].compiled);
    assert_true((results[0].result.cubin != NULL) == assembles);
    assert_int_equal(results[0].no_cubin.kind, assembles ? FAILURE_NONE : FAILURE_HARNESS);
    if (assembles &&
        !sandbox_cubin_check(results[0].result.cubin, results[0].result.cubin_bytes, &failure))
        fail_msg("%s", failure.text);
    assert_null(results[1].result.cubin);
    assert_int_equal(results[1].no_cubin.kind, assembles ? FAILURE_STUDENT : FAILURE_HARNESS);
    if (assembles)
        assert_contains(results[1].no_cubin.text, "shared");
    sandbox_compiled_free(results, 3);
    compile(sandbox, files, 1, results);
    assert_true(results[0].compiled);
    assert_null(results[0].result.cubin);
    assert_int_equal(results[0].no_cubin.kind, FAILURE_NONE);
    sandbox_compiled_free(results, 1);
}

static void machine_code_comes_with_ptx_everywhere(void **state)
{
    (void)state;
    with_all_sandboxes(machine_code_comes_with_ptx);
}

static void errors_are_reported_in_the_students_names(enum sandbox sandbox)
{
    static const char *const files[] = {"wrong.cu", "header.cu", "right.cu", "lab.cu"};
    struct sandbox_compiled results[4];
    place_write("submission/wrong.cu",
                "#include \"lab.h\"\n" KERNEL_HEAD "\n{ o[0] = nothing; }\n");
    place_write("submission/own.h", "inline __device__ int f() { return nowhere; }\n");
    place_write("submission/header.cu", "#include \"own.h\"\n" KERNEL_HEAD " { o[0] = f(); }\n");
    place_write("submission/right.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    place_write("submission/lab.cu", "#define __device__ nonsense\n#include \"lab.h\"\n");
    compile(sandbox, files, 4, results);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(results[i].compiled, i == 2);
        if (i != 2)
            assert_int_equal(results[i].failure.status, STATUS_COMPILE_ERROR);
        assert_silent(&results[i], place);
        if (i != 2) /* .file lines of this module may contain paths of headers */
            assert_silent(&results[i], "/submission");
    }
    assert_int_equal(strncmp(results[0].failure.text, "wrong.cu", 8), 0);
    assert_contains(results[0].failure.text, "nothing");
    const char *header = results[1].failure.text;
    assert_int_equal(strncmp(header + (header[0] == '.' ? 2 : 0), "own.h", 5), 0);
    assert_contains(results[1].failure.text, "nowhere");
    assert_int_equal(strncmp(results[3].failure.text, "include/lab", 11), 0);
    sandbox_compiled_free(results, 4);
}

static void errors_are_reported_in_the_students_names_everywhere(void **state)
{
    (void)state;
    with_all_sandboxes(errors_are_reported_in_the_students_names);
}

static void secrets_are_not_reported(enum sandbox sandbox)
{
    static const char *const files[] = {"a.cu", "b.cu", "c.cu", "d.cu", "e.cu", "f.cu"};
    struct sandbox_compiled results[6];
    char text[1024];
    snprintf(text, sizeof text, "#include \"%s/secret.h\"\n" KERNEL_HEAD " { o[0] = %s; }\n", place,
             SECRET);
    place_write("submission/a.cu", text);
    place_write("submission/b.cu", "#include \"../secret.h\"\n" KERNEL_HEAD " {}\n");
    place_write("submission/c.cu", "#include \"/etc/passwd\"\n" KERNEL_HEAD " {}\n");
    place_write("submission/d.cu", "#include <../solutions/03_padded/padded.cu>\n");
    snprintf(text, sizeof text, "#define FILE \"%s/secret.h\"\n#include FILE\n" KERNEL_HEAD " {}\n",
             place);
    place_write("submission/e.cu", text);
    snprintf(text, sizeof text, "#include \"inner.h\"\n" KERNEL_HEAD " {}\n");
    place_write("submission/f.cu", text);
    snprintf(text, sizeof text, "#include \"%s/secret.h\"\n", place);
    place_write("submission/inner.h", text);
    compile(sandbox, files, 6, results);
    for (int i = 0; i < 6; i++) {
        assert_false(results[i].compiled);
        assert_int_equal(results[i].failure.kind, FAILURE_STUDENT);
        /* Only the compiler finds the name of a file in a macro. */
        assert_int_equal(results[i].failure.status,
                         i == 4 ? STATUS_COMPILE_ERROR : STATUS_UNTRUSTED);
        assert_contains(results[i].failure.text, i == 4 ? "secret.h" : "included file ");
        /* a.cu contains the secret, but not in the line of the error */
        assert_silent(&results[i], SECRET);
        assert_silent(&results[i], "root:");
    }
    sandbox_compiled_free(results, 6);
}

static void secrets_are_not_reported_everywhere(void **state)
{
    (void)state;
    with_all_sandboxes(secrets_are_not_reported);
}

/* The scanner cannot find these file names in an #include. Only the sandbox hides the files. */
static void sandboxes_isolate_without_the_search(enum sandbox sandbox)
{
    static const char *const files[] = {"asm.cu", "exists.cu"};
    struct sandbox_compiled results[2];
    char text[1024];
    snprintf(text, sizeof text, KERNEL_HEAD " { asm(\".include \\\"%s/secret.h\\\"\"); }\n", place);
    place_write("submission/asm.cu", text);
    snprintf(text, sizeof text,
             "#if __has_include(\"%s/secret.h\") || __has_include(\"/etc/passwd\")\n"
             "#error it is there\n#endif\n" KERNEL_HEAD " {}\n",
             place);
    place_write("submission/exists.cu", text);
    compile(sandbox, files, 2, results);
    assert_silent(&results[0], SECRET);
    if (sandbox == SANDBOX_BUBBLEWRAP)
        assert_string_equal(results[1].failure.text, "");
    sandbox_compiled_free(results, 2);
}

static void sandboxes_isolate_without_the_search_everywhere(void **state)
{
    (void)state;
    with_all_sandboxes(sandboxes_isolate_without_the_search);
}

static struct sandbox_inside bare;

static int bare_compile(int output, void *context)
{
    return chdir(staged) != 0 || !sandbox_inside_compile(&bare, context, 1, output);
}

static enum status bare_run(const char *file, bool isolated, char *text, size_t text_size)
{
    const struct child_limits limits = {
        .seconds = 60, .memory_bytes = UINT64_MAX, .output_bytes = 16 << 20};
    const char *files[] = {file};
    struct child_result result;
    struct failure failure = {0};
    struct sandbox_compiled frame;
    uint32_t index;
    bare.isolated = isolated;
    assert_true(child_run_function(bare_compile, files, &limits, &result, &failure));
    struct frame_reader output = {result.output, result.output_bytes, false};
    assert_true(sandbox_frame_take(&output, &index, &frame) && index == SANDBOX_READY);
    sandbox_compiled_free(&frame, 1);
    assert_true(sandbox_frame_take(&output, &index, &frame));
    snprintf(text, text_size, "%s", frame.failure.text);
    enum status status = frame.failure.status;
    sandbox_compiled_free(&frame, 1);
    child_result_free(&result);
    return status;
}

static void files_outside_are_found_in_what_compilers_say(enum sandbox sandbox)
{
    char include[PATH_SIZE], support[PATH_SIZE], text[FAILURE_TEXT_SIZE];
    struct failure failure = {0};
    if (sandbox != SANDBOX_WEAK)
        return;
    assert_true(paths_in_root("include", include, &failure));
    assert_true(paths_in_root("profiler/compile", support, &failure));
    bare = (struct sandbox_inside){.submission = staged,
                                   .include = include,
                                   .support = support,
                                   .bytes = SANDBOX_BUDGET_BYTES};
    /* With #line, a compiler reports a file that it has not read. */
    place_write("submission/error.cu", "#line 1 \"/etc/passwd\"\nint " SECRET " = nowhere;\n");
    place_write("submission/module.cu",
                "#include \"lab.h\"\n#line 1 \"/etc/passwd\"\n" KERNEL_HEAD " { o[0] = i[0]; }\n");
    place_write("submission/good.cu",
                "#include \"lab.h\"\nLAB(naive);\n#line 1 \"/no/such.cu\"\n" KERNEL_HEAD
                " { o[0] = i[0]; }\n");
    assert_int_equal(bare_run("error.cu", true, text, sizeof text), STATUS_COMPILE_ERROR);
    assert_contains(text, SECRET);
    assert_int_equal(bare_run("error.cu", false, text, sizeof text), STATUS_UNTRUSTED);
    assert_null(strstr(text, SECRET));
    assert_int_equal(bare_run("module.cu", true, text, sizeof text), STATUS_OK);
    assert_int_equal(bare_run("module.cu", false, text, sizeof text), STATUS_UNTRUSTED);
    assert_int_equal(bare_run("good.cu", false, text, sizeof text), STATUS_OK);
}

static void files_outside_are_found_in_what_every_compiler_says(void **state)
{
    (void)state;
    with_all_sandboxes(files_outside_are_found_in_what_compilers_say);
}

static void bombs_cost_only_themselves(enum sandbox sandbox)
{
    static const char *const files[] = {"before.cu", "template.cu", "output.cu", "loop.cu",
                                        "empty.cu",  "noise.cu",    "after.cu"};
    enum { COUNT = sizeof files / sizeof files[0] };
    struct sandbox_compiled results[COUNT];
    place_write("submission/before.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    place_write("submission/template.cu",
                "template <int N, long M> struct tree { tree<N - 1, 2 * M> left;\n"
                "    tree<N - 1, 2 * M + 1> right; };\n"
                "template <long M> struct tree<0, M> { int leaf; };\n" KERNEL_HEAD
                " { o[0] = sizeof(tree<60, 1>); }\n");
    place_write("submission/output.cu",
                "struct much { char zeros[32 << 20]; char one; };\n"
                "__device__ much huge = {{0}, 1};\n" KERNEL_HEAD " { o[0] = huge.zeros[w]; }\n");
    place_write("submission/loop.cu", "#include \"loop.cu\"\n");
    place_write("submission/empty.cu", "");
    place_write("submission/noise.cu", "\x7f"
                                       "ELF\x02\x01\x01\xff\xfe garbage \x80\x81\n");
    place_write("submission/after.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    compile(sandbox, files, COUNT, results);
    for (int i = 0; i < COUNT; i++) {
        bool good = i == 0 || i == 4 || i == COUNT - 1;
        if (results[i].compiled != good)
            fail_msg("%s: %s", files[i], results[i].failure.text);
        if (!good) {
            print_message("  %s: %.100s\n", files[i], results[i].failure.text);
            assert_int_equal(results[i].failure.kind, FAILURE_STUDENT);
            assert_int_equal(results[i].failure.status, STATUS_COMPILE_ERROR);
        }
    }
    sandbox_compiled_free(results, COUNT);
}

static void bombs_cost_only_themselves_in_bubblewrap(void **state)
{
    (void)state;
    with_bubblewrap(bombs_cost_only_themselves);
}

static void ptx_is_counted_for_all_files(enum sandbox sandbox)
{
    enum { COUNT = 8 };
    static const char *const files[COUNT] = {"0.cu", "1.cu", "2.cu", "3.cu",
                                             "4.cu", "5.cu", "6.cu", "7.cu"};
    struct sandbox_compiled results[COUNT];
    struct failure failure = {0};
    struct sandbox_budget budget = SANDBOX_BUDGET;
    size_t bytes = 0, compiled = 0;
    for (int i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "submission/%s", files[i]);
        place_write(name, "struct much { char zeros[550000]; char one; };\n"
                          "__device__ much table = {{0}, 1};\n" KERNEL_HEAD
                          " { o[0] = table.zeros[w]; }\n");
    }
    assert_true(sandbox_compile(sandbox, 0, staged, files, COUNT, &budget, results, &failure));
    for (int i = 0; i < COUNT; i++) {
        bytes += results[i].result.ptx_bytes;
        compiled += results[i].compiled;
        if (!results[i].compiled)
            assert_contains(results[i].failure.text, "exceeds its limit of");
    }
    print_message("  %zu files, %zu bytes\n", compiled, bytes);
    assert_true(compiled > 1 && compiled < COUNT);
    assert_true(bytes <= SANDBOX_BUDGET_BYTES && bytes > SANDBOX_BUDGET_BYTES / 2);
    assert_int_equal(budget.bytes, SANDBOX_BUDGET_BYTES - bytes);
    assert_true(budget.seconds > 0 && budget.seconds < SANDBOX_BUDGET_SECONDS);
    sandbox_compiled_free(results, COUNT);
}

static void ptx_is_counted_for_all_files_in_bubblewrap(void **state)
{
    (void)state;
    with_bubblewrap(ptx_is_counted_for_all_files);
}

static void time_is_counted_for_all_files(enum sandbox sandbox)
{
    static const char *const files[] = {"before.cu", "slow.cu", "after.cu", "last.cu"};
    enum { COUNT = sizeof files / sizeof files[0] };
    struct sandbox_compiled results[COUNT];
    struct failure failure = {0};
    struct sandbox_budget budget = SANDBOX_BUDGET;
    budget.seconds = 2;
    place_write("submission/before.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    place_write("submission/slow.cu",
                "constexpr int f(int n) { int s = 0;\n"
                "for (int i = 0; i < n; i++) s += i % 7; return s; }\n"
                "template <int N> struct all { static constexpr int v =\n"
                "f(10000000 + N) + all<N - 1>::v; };\n"
                "template <> struct all<0> { static constexpr int v = 0; };\n" KERNEL_HEAD
                " { o[0] = all<400>::v; }\n");
    place_write("submission/after.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    place_write("submission/last.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    assert_true(sandbox_compile(sandbox, 0, staged, files, COUNT, &budget, results, &failure));
    assert_true(results[0].compiled);
    assert_int_equal(results[1].failure.status, STATUS_COMPILE_ERROR);
    assert_contains(results[1].failure.text, "exceeds the submission's limit of time");
    assert_true(budget.seconds <= 0 && budget.seconds > -2);
    for (int i = 2; i < COUNT; i++) {
        assert_int_equal(results[i].failure.kind, FAILURE_STUDENT);
        assert_int_equal(results[i].failure.status, STATUS_TIMEOUT);
        assert_contains(results[i].failure.text, "not run: the submission's budget");
    }
    sandbox_compiled_free(results, COUNT);
}

static void time_is_counted_for_all_files_in_bubblewrap(void **state)
{
    (void)state;
    with_bubblewrap(time_is_counted_for_all_files);
}

static void prober_change(void)
{
    if (open(SANDBOX_SUBMISSION "/new", O_CREAT | O_WRONLY, 0600) >= 0)
        printf("writes into the submission\n");
    if (open("/new", O_CREAT | O_WRONLY, 0600) >= 0 || mkdir(SANDBOX_ROOT "/new", 0700) == 0)
        printf("writes into the root\n");
    if (mount("none", SANDBOX_SUBMISSION, "tmpfs", 0, NULL) == 0)
        printf("mounts\n");
}

/* Attacks that a compromised compiler may try. Each line of output names a successful attack. */
static _Noreturn void prober(char **arguments)
{
    static const char *const hidden[] = {"/etc/passwd",     "/etc",       "/home",        "/root",
                                         "/proc",           "/sys",       "/var",         "/work",
                                         "/tlab/solutions", "/tlab/labs", "/tlab/grading"};
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (access(hidden[i], F_OK) == 0)
            printf("sees %s\n", hidden[i]);
    for (; *arguments != NULL && (*arguments)[0] == '/'; arguments++)
        if (access(*arguments, F_OK) == 0)
            printf("sees %s\n", *arguments);
    if (access(SANDBOX_PROGRAM, F_OK) == 0)
        prober_change();
    if (getenv("TMPDIR_OF_TEST") != NULL)
        printf("has the environment\n");
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
                                  .sin_port = htons((uint16_t)atoi(*arguments))};
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection >= 0 && connect(connection, (struct sockaddr *)&address, sizeof address) == 0)
        printf("reaches the machine's network\n");
    if (kill(getppid(), 0) == 0 && getppid() > 1)
        printf("signals process %d\n", (int)getppid());
    printf("done\n");
    fflush(stdout);
    _exit(0); /* exit() would fail with sanitizers, which need /proc */
}

static struct child_result probe_run(const char *const program[], unsigned seconds)
{
    char bubblewrap[PATH_SIZE];
    struct arguments words = {0};
    struct failure failure = {0};
    struct child_result result;
    const struct child_limits limits = {
        .seconds = seconds, .memory_bytes = UINT64_MAX, .output_bytes = 1 << 20};
    struct sandbox_view *view = malloc(sizeof *view);
    assert_non_null(view);
    assert_true(program_find("bwrap", bubblewrap, sizeof bubblewrap));
    assert_true(sandbox_view_make(staged, view, &failure));
    sandbox_view_arguments(bubblewrap, view, &words);
    arguments_add_all(&words, program);
    assert_true(
        child_run_program((const char *const *)words.words, NULL, "/", &limits, &result, &failure));
    arguments_free(&words);
    free(view);
    return result;
}

static void a_prober_finds_nothing(enum sandbox sandbox)
{
    (void)sandbox;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(server >= 0);
    assert_int_equal(bind(server, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&address, &size), 0);
    char port[16], solutions[PATH_SIZE];
    struct failure failure = {0};
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    assert_true(paths_in_root("solutions", solutions, &failure));
    setenv("TMPDIR_OF_TEST", "1", 1);
    /* Outside a sandbox, every attack must succeed. This tests the prober. */
    char self[PATH_SIZE] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    const char *const outside[] = {self, "probe", solutions, port, NULL};
    const struct child_limits limits = {
        .seconds = 20, .memory_bytes = UINT64_MAX, .output_bytes = 1 << 20};
    struct child_result result;
    assert_true(child_run_program(outside, NULL, NULL, &limits, &result, &failure));
    assert_contains(result.output, "sees /etc/passwd\n");
    assert_contains(result.output, solutions);
    assert_contains(result.output, "reaches the machine's network\n");
    assert_contains(result.output, "has the environment\n");
    child_result_free(&result);

    const char *const inside[] = {SANDBOX_PROGRAM, "probe", solutions, place, port, NULL};
    result = probe_run(inside, 20);
    close(server);
    unsetenv("TMPDIR_OF_TEST");
#if !SANITIZED /* sanitizers report the missing /proc */
    assert_string_equal(result.messages, "");
#endif
    assert_string_equal(result.output, "done\n");
    child_result_free(&result);
}

static void a_prober_finds_nothing_in_bubblewrap(void **state)
{
    (void)state;
    with_bubblewrap(a_prober_finds_nothing);
}

static int bomb(void)
{
    alarm(1800);
    for (int i = 0; i < 200; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_NAME, "sandbox_bomb");
            alarm(1800);
            setsid();
            for (;;)
                pause();
        }
    }
    while (pause() != 0)
        continue;
    return 0;
}

static int processes_count(const char *name)
{
    DIR *directory = opendir("/proc");
    int count = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[300], text[64] = "";
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            continue;
        if (fgets(text, sizeof text, file) != NULL)
            count += strncmp(text, name, strlen(name)) == 0;
        fclose(file);
    }
    closedir(directory);
    return count;
}

static void processes_do_not_outlive_the_sandbox(enum sandbox sandbox)
{
    (void)sandbox;
    const char *const program[] = {SANDBOX_PROGRAM, "bomb", NULL};
    struct child_result result = probe_run(program, 2);
    assert_int_equal(result.end, CHILD_TIMED_OUT);
    child_result_free(&result);
    int left = processes_count("sandbox_bomb");
    for (int i = 0; left > 0 && i < 50; i++) {
        usleep(100000);
        left = processes_count("sandbox_bomb");
    }
    assert_int_equal(left, 0);
}

static void processes_do_not_outlive_bubblewrap(void **state)
{
    (void)state;
    with_bubblewrap(processes_do_not_outlive_the_sandbox);
}

static const char *secret_path, *open_path;

static int confined(int output, void *context)
{
    (void)context;
    bool complete = false;
    const char *const readable[] = {staged, "/usr/lib", "/lib", "/lib64", "/nonexistent"};
    char path[PATH_SIZE];
    if (!sandbox_confine_files(readable, 5, NULL, &complete) || !sandbox_confine_privileges() ||
        !sandbox_confine_compiler(false, false))
        return 3;
    if (complete && open(secret_path, O_RDONLY) >= 0)
        dprintf(output, "reads a secret\n");
    if (open(open_path, O_RDONLY) < 0)
        dprintf(output, "cannot read its source\n");
    snprintf(path, sizeof path, "%s/new", staged);
    if (complete && open(path, O_CREAT | O_WRONLY, 0600) >= 0)
        dprintf(output, "writes\n");
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
        dprintf(output, "has sockets\n");
    if (kill(getppid(), 0) == 0 || errno != EPERM)
        dprintf(output, "signals others\n");
    if (kill(getpid(), 0) != 0)
        dprintf(output, "cannot signal itself\n");
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid > 0 || errno != EPERM)
        dprintf(output, "forks\n");
    execl("/bin/true", "true", NULL);
    if (errno != EPERM)
        dprintf(output, "executes\n");
    /* Without the filter, these calls fail with an error other than EPERM. */
    if (chroot("/nonexistent") == 0 || errno != EPERM)
        dprintf(output, "changes its root\n");
    if (mount("none", "/nonexistent", "tmpfs", 0, NULL) == 0 || errno != EPERM)
        dprintf(output, "mounts\n");
    struct rlimit limit;
    if (prlimit(getppid(), RLIMIT_CORE, NULL, &limit) == 0 || errno != EPERM)
        dprintf(output, "sees limits of others\n");
    dprintf(output, "%s\n", complete ? "Landlock" : "no Landlock");
    return 0;
}

static void a_confined_compiler_only_compiles(void **state)
{
    (void)state;
    const struct child_limits limits = {
        .seconds = 20, .memory_bytes = 1 << 30, .output_bytes = 1 << 16};
    struct child_result result;
    struct failure failure = {0};
    char secret[PATH_SIZE], source[PATH_SIZE];
    snprintf(secret, sizeof secret, "%s", place_write("secret.h", SECRET));
    snprintf(source, sizeof source, "%s", place_write("submission/a.cu", "x"));
    secret_path = secret;
    open_path = source;
    assert_true(child_run_function(confined, NULL, &limits, &result, &failure));
    assert_int_equal(result.end, CHILD_EXITED);
    assert_int_equal(result.code, 0);
    print_message("  %s", result.output);
    if (strcmp(result.output, "no Landlock\n") != 0)
        assert_string_equal(result.output, "Landlock\n");
    child_result_free(&result);
}

static void bubblewrap_replace(const char *script)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/bin", place);
    assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
    assert_int_equal(chmod(place_write("bin/bwrap", script), 0755), 0);
    char search[2 * PATH_SIZE];
    snprintf(search, sizeof search, "%s:%s", path, outer_path);
    setenv("PATH", search, 1);
}

static void a_useless_bubblewrap_is_explained(void **state)
{
    (void)state;
    static const struct {
        const char *script, *expected;
    } cases[] = {
        {"#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n",
         "kernel.unprivileged_userns_clone=1"},
        {"#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n",
         "kernel.apparmor_restrict_unprivileged_userns=0"},
        {"#!/bin/sh\necho \"bwrap: Can't mount proc on /newroot/proc\" >&2; exit 1\n", "Docker"},
        {"#!/bin/sh\necho 'bwrap: Unknown option --size' >&2; exit 1\n", "0.7"},
        {"#!/bin/sh\nexit 0\n", "exit status 0"},
        {"#!/bin/sh\nhead -c 100000000 /dev/zero\n", "bubblewrap does not work here"},
        {"#!/bin/sh\nkill -9 $$\n", "killed by signal 9"},
    };
    static const char *const files[] = {"a.cu"};
    struct sandbox_compiled results[1];
    place_write("submission/a.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct failure failure = {0};
        bubblewrap_replace(cases[i].script);
        assert_false(sandbox_probe(SANDBOX_BUBBLEWRAP, &failure));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
        assert_contains(failure.text, cases[i].expected);
        assert_contains(failure.text, "--sandbox seccomp");
        memset(&failure, 0, sizeof failure);
        struct sandbox_budget budget = SANDBOX_BUDGET;
        assert_false(
            sandbox_compile(SANDBOX_BUBBLEWRAP, 0, staged, files, 1, &budget, results, &failure));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
    }
    struct failure failure = {0};
    setenv("PATH", "/nonexistent", 1);
    assert_false(sandbox_probe(SANDBOX_BUBBLEWRAP, &failure));
    assert_contains(failure.text, "apt-get install bubblewrap");
    assert_contains(failure.text, "--sandbox seccomp");
}

/* Simulates a compiling process that evil.cu has compromised, and that sends arbitrary frames. */
static void forged_answers_blame_their_file(enum sandbox sandbox)
{
    static const char *const scripts[] = {
        /* a frame with a correct magic number and incorrect content */
        "head -c 56 \"$HEAD\"; printf 'tlabcmp1%%200s' x; exit 0",
        "head -c 56 \"$HEAD\"; exit 0",
        "head -c 56 \"$HEAD\"; kill -9 $$",
        "head -c 56 \"$HEAD\"; head -c 100000000 /dev/zero; exit 0",
    };
    static const char *const files[] = {"evil.cu", "good.cu"};
    struct sandbox_compiled results[2];
    char script[4 * PATH_SIZE], bubblewrap[PATH_SIZE];
    assert_true(program_find("bwrap", bubblewrap, sizeof bubblewrap));
    place_write("submission/evil.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    place_write("submission/good.cu", KERNEL_HEAD " { o[0] = i[0]; }\n");
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        /* The script runs bubblewrap normally, but sends only the ready frame of this run. */
        snprintf(
            script, sizeof script,
            "#!/bin/sh\nHEAD=%s/head\ncase \"$*\" in *evil.cu*) %s \"$@\" >$HEAD;\n %s;; esac\n"
            "exec %s \"$@\"\n",
            place, bubblewrap, scripts[i], bubblewrap);
        bubblewrap_replace(script);
        compile(sandbox, files, 2, results);
        setenv("PATH", outer_path, 1);
        assert_false(results[0].compiled);
        assert_int_equal(results[0].failure.status, STATUS_UNTRUSTED);
        assert_contains(results[0].failure.text, "evil.cu");
        assert_true(results[1].compiled);
        sandbox_compiled_free(results, 2);
    }
}

static void forged_answers_blame_their_file_in_bubblewrap(void **state)
{
    (void)state;
    with_bubblewrap(forged_answers_blame_their_file);
}

int main(int count, char **values)
{
    struct failure failure = {0};
    if (count > 1 && strcmp(values[1], "compile-sandboxed") == 0)
        return command_compile_sandboxed(count - 2, values + 2, &failure);
    if (count > 1 && strcmp(values[1], "probe") == 0)
        prober(values + 2);
    if (count > 1 && strcmp(values[1], "bomb") == 0)
        return bomb();
    outer_toolkit = getenv("TLAB_CUDA");
    outer_path = strdup(getenv("PATH"));
#define TEST(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)
    const struct CMUnitTest tests[] = {
        TEST(modules_are_those_of_no_sandbox_everywhere),
        TEST(machine_code_comes_with_ptx_everywhere),
        TEST(errors_are_reported_in_the_students_names_everywhere),
        TEST(secrets_are_not_reported_everywhere),
        TEST(sandboxes_isolate_without_the_search_everywhere),
        TEST(files_outside_are_found_in_what_every_compiler_says),
        TEST(a_prober_finds_nothing_in_bubblewrap),
        TEST(a_confined_compiler_only_compiles),
        TEST(processes_do_not_outlive_bubblewrap),
        TEST(a_useless_bubblewrap_is_explained),
        TEST(forged_answers_blame_their_file_in_bubblewrap),
        TEST(bombs_cost_only_themselves_in_bubblewrap),
        TEST(ptx_is_counted_for_all_files_in_bubblewrap),
        TEST(time_is_counted_for_all_files_in_bubblewrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
