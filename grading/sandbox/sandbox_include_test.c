/* sandbox_include_test.c: #include lines that leave the submission, in every disguise we know, and
 * harmless ones. */
#define _GNU_SOURCE
#include "sandbox/sandbox_include.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A submission in memory: "src/a.cu" holds the text under test. */
static struct failure check_text(const char *text, size_t bytes)
{
    struct sandbox_source items[] = {
        {.name = (char *)"src/a.cu", .text = (char *)text, .bytes = bytes},
        {.name = (char *)"src/own.h", .text = (char *)"", .bytes = 0},
        {.name = (char *)"common.h", .text = (char *)"", .bytes = 0},
        {.name = (char *)"evil.h", .text = (char *)"\n#include </etc/passwd>\n", .bytes = 24},
        {.name = (char *)"loop.h", .text = (char *)"#include \"loop.h\"\n", .bytes = 18},
    };
    struct sandbox_sources sources = {.items = items, .count = sizeof items / sizeof items[0]};
    struct failure failure = {0};
    bool good = sandbox_sources_check(&sources, "src/a.cu", &failure);
    assert_int_equal(good, failure.kind == FAILURE_NONE);
    return failure;
}

static void innocent_includes_pass(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "#include \"lab.h\"\n",
        "#include <cuda_fp16.h>",
        "#include <sys/types.h>",
        "  #  include \"own.h\" // beside it\n",
        "#include \"../common.h\"\n",
        "#include \"./own.h\"\n",
        "#include \"loop.h\"\n",
        "#include \"sub..dir/x..h\"\n",
        "#define INCLUDE 1\n#pragma unroll\n#if 1\n#endif\n",
        "const char *s = \"#include \\\"/etc/passwd\\\"\";\n",
        "// #include \"/etc/passwd\"\n",
        "int a; # include \"/etc/passwd\"\n", /* no directive: not the first in its line */
        "#define STRING(x) #x\nSTRING(include)\n",
        /* Text that no compiler reads. */
        "/*\n# includes nothing special\n*/\nint a;\n",
        "/*\n * notes\n#include MACRO\n */\n",
        "/* #include \"/etc/passwd\" */\n",
        "/*\r\n#include </etc/passwd>\r\n*/\r\n",
        "// one \\\n#include \"/etc/passwd\"\n",
        "/*\n#import \"../x\"\n*/ /* #include X */ int a;\n",
        "#if 0\n#include HEADER\n#endif\n",
        "#if 0 // not now\n#include </etc/passwd>\n#else\n#include \"own.h\"\n#endif\n",
        "#  if  0\n#if 1\n#include A\n#else\n#include B\n#endif\n#include C\n# endif\n",
        "%:if 0\n#ifdef X\n#endif\n#include A\n#endif\n#include \"own.h\"\n",
        "#if 0\n/* it's */\n#include A\n#endif\n",
        "const char *s = R\"(\n#include MACRO\n)\";\n",
        "auto s = u8R\"ab(\n)\"\n#include MACRO\n)ab\";\n#include \"own.h\"\n",
        "int n = 1'000'000; /*\n#include MACRO\n'*/\n",
        "char c = '\"', d = '\\''; /* ' \n#include MACRO\n*/\n",
        "#define S \"/*\"\n#include \"own.h\" /* \n#include MACRO\n*/\n",
        "/* \xc3\xa4\xc3\xb6\n#include MACRO\n*/",
        "float x = 1.e+5f; // '\n/*\n#include MACRO\n*/",
        "#",
        "#include",
        "\\\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct failure failure = check_text(texts[i], strlen(texts[i]));
        /* A bare `#include` names no file; compilers reject it. */
        if (failure.kind != FAILURE_NONE && strcmp(texts[i], "#include") != 0)
            fail_msg("%s: %s", texts[i], failure.text);
    }
}

static void ways_out_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"#include \"/etc/passwd\"\n", "src/a.cu(1): includes /etc/passwd,"},
        {"#include </etc/passwd>\n", "src/a.cu(1): includes /etc/passwd,"},
        {"\n\n#include \"../../solutions/x.cu\"", "src/a.cu(3): includes ../../solutions/x.cu,"},
        {"#include \"../missing.h\"\n", "../missing.h"},
        {"#include <../common.h>\n", "../common.h"},
        {"#include \"../common.h/../../x\"\n", "src/a.cu(1)"},
        {"#include \"a/../../../x\"\n", "src/a.cu(1)"},
        {"#include \"..\"\n", "src/a.cu(1)"},
        {"#include_next </etc/passwd>\n", "/etc/passwd"},
        {"#import \"/etc/passwd\"\n", "/etc/passwd"},
        {"#embed \"/etc/passwd\"\n", "/etc/passwd"},
        {"#__include_macros </etc/passwd>\n", "/etc/passwd"},
        {"%:include \"/etc/passwd\"\n", "/etc/passwd"},
        {"\?\?=include \"/etc/passwd\"\n", "/etc/passwd"},
        {"#/* */ include /* \n */ \"/etc/passwd\"\n", "/etc/passwd"},
        {"/* */ #include \"/etc/passwd\"\n", "/etc/passwd"},
        {"/*\n*/#include \"/etc/passwd\"\n", "src/a.cu(2): includes /etc/passwd,"},
        {"#inc\\\nlude \"/e\\\r\ntc/passwd\"\n", "/etc/passwd"},
        {"#inc\\ \t\nlude \"/etc/passwd\"\n", "/etc/passwd"},
        {"\\\n#include \"/etc/passwd\"\n", "src/a.cu(2)"},
        {"int a;\r#include \"/etc/passwd\"\r", "/etc/passwd"},
        {"\xef\xbb\xbf#include \"/etc/passwd\"\n", "/etc/passwd"},
        {"\v\f#include\t\"/etc/passwd\"", "/etc/passwd"},
        {"R\"(/*)\";\n#include \"/etc/passwd\"\n//*/", "/etc/passwd"},
        /* Groups and comments that some compilers may read, or that only look like these. */
        {"#if 1\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n#else\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n#elif 1\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n#elifdef X\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n#endif\n#include \"/etc/passwd\"\n#if 0\n#endif\n", "/etc/passwd"},
        {"#if 0 + 1\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0 /* */ + 1\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0x1\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0 \\\n+ 1\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n#include \"/etc/passwd\"\n", "/etc/passwd"},
        {"#if 0\n#en\\\ndif\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n#\\\nendif\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n# \\\nendif\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n#/**/endif\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n/**/ #endif\n#include \"/etc/passwd\"\n#if 0\n#endif\n", "/etc/passwd"},
        {"#if 0\n%:endif\n#include \"/etc/passwd\"\n#if 0\n#endif\n", "/etc/passwd"},
        {"#if 0\n\?\?=endif\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\n\xc2\xa0#endif\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"\xc2\xa0#include \"/etc/passwd\"\n", "/etc/passwd"},
        {"#if 0\n#iffy\n#endif\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#if 0\nR\"(\n#endif\n#include \"/etc/passwd\"\n)\"\n#endif\n", "/etc/passwd"},
        {"#if 0\ndon't /*\n#endif\n#include \"/etc/passwd\"\n*/\n#endif\n", "/etc/passwd"},
        {"#define A R\"(\n#include \"/etc/passwd\"\n)\"\n", "/etc/passwd"},
        {"#error /*\n#include \"/etc/passwd\"\n*/\n", "/etc/passwd"},
        {"#warning it's /*\n#include \"/etc/passwd\"\n*/\n", "/etc/passwd"},
        {"#include <x/*y>\n#include \"/etc/passwd\"\n//*/\n", "/etc/passwd"},
        {"#if __has_include(<x/*y>)\n#include \"/etc/passwd\"\n#endif //*/\n", "/etc/passwd"},
        {"#include \"a\\\" // \"/*\n#include \"/etc/passwd\"\n//*/\n", "/etc/passwd"},
        {"int a = 1.'a'/*';\n#include \"/etc/passwd\"\n//*/\n", "/etc/passwd"},
        {"int a = 1e+'a'/*';\n#include \"/etc/passwd\"\n//*/\n", "/etc/passwd"},
        {"int a = 1\\\n'a'/*';\n#include \"/etc/passwd\"\n//*/\n", "/etc/passwd"},
        {"uXR\"(\";\n#include \"/etc/passwd\"\n)\";\n", "/etc/passwd"},
        {"xR\"(\";\n#include \"/etc/passwd\"\n//)\";\n", "/etc/passwd"},
        {"$R\"(\";\n#include \"/etc/passwd\"\n//)\";\n", "/etc/passwd"},
        {"R\\\n\"(\n#include \"/etc/passwd\"\n)\";\n", "/etc/passwd"},
        {"a = b /\\\n* c;\n#include \"/etc/passwd\"\n//*/\n", "/etc/passwd"},
        {"'/*';\n#include \"/etc/passwd\"\n'*/'\n", "/etc/passwd"},
        {"\"/*\";\n#include \"/etc/passwd\"\n\"*/\"\n", "/etc/passwd"},
        {"' /*\n#include \"/etc/passwd\"\n*/\n", "/etc/passwd"},
        {"// \?\?/\n#include \"/etc/passwd\"\n", "/etc/passwd"},
        {"// a\r#include \"/etc/passwd\"\n", "/etc/passwd"},
        {"/* *\\\n/\n#include \"/etc/passwd\"\n*/\n", "/etc/passwd"},
        {"/* *\\\n/#include \"/etc/passwd\"\n", "/etc/passwd"},
        {"#if 0\n0\xc2\xa0#\n#include \"/etc/passwd\"\n#endif\n", "/etc/passwd"},
        {"#define A \\\n#include \"/etc/passwd\"\n", "src/a.cu(2): includes /etc/passwd,"},
        {"/*\n#include X */ #include \"/etc/passwd\"\n", "/etc/passwd"},
        {"int a; /*\n*/ #include \"/etc/passwd\"\n", "/etc/passwd"},
        {"/*\n#include \"/etc/passwd\"\n", "/etc/passwd"},
        {"#define F \"/etc/passwd\"\n#include F\n", "src/a.cu(2): includes a file by a"},
        {"#include \"/etc/pass\nwd\"\n", "/etc/pass"},
        {"#include \"/etc/passwd", "/etc/passwd"},
        {"#include \"../evil.h\"\n", "evil.h(2): includes /etc/passwd,"},
        {"#include \"evil.h\"\n", "evil.h(2): includes /etc/passwd,"},
        {"#include \"/etc/\x1b[31mpasswd\"\n", "/etc/?[31mpasswd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct failure failure = check_text(cases[i].text, strlen(cases[i].text));
        if (failure.kind != FAILURE_STUDENT || failure.status != STATUS_UNTRUSTED ||
            strstr(failure.text, cases[i].expected) == NULL)
            fail_msg("%s: expected \"%s\", got \"%s\"", cases[i].text, cases[i].expected,
                     failure.text);
    }
    struct failure failure = check_text("#\0include \"/etc/passwd\"\n", 24);
    assert_int_equal(failure.status, STATUS_UNTRUSTED);
}

static void mistakes_are_mistakes_of_c(void **state)
{
    (void)state;
    static const char *const texts[] = {"#include lab.h\n",
                                        "#include kernel\n",
                                        "#define own_h 1\n#include own.h\n",
                                        "#include 'own.h'\n",
                                        "#include \xe2\x80\x9cown.h\xe2\x80\x9d\n",
                                        "#include"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct failure failure = check_text(texts[i], strlen(texts[i]));
        if (failure.status != STATUS_COMPILE_ERROR)
            fail_msg("%s: %s", texts[i], failure.text);
    }
}

static void any_bytes_are_read_safely(void **state)
{
    (void)state;
    static const char alphabet[] = "#%:?= \t\n\r\\/*\"<>.a\0include../";
    srand(1);
    for (int round = 0; round < 20000; round++) {
        size_t bytes = (size_t)rand() % 64;
        char *text = malloc(bytes + 1); /* exactly this size, for the sanitizer */
        assert_non_null(text);
        for (size_t i = 0; i < bytes; i++)
            text[i] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        check_text(text, bytes);
        free(text);
    }
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char text[3000];
    memset(text, 'x', sizeof text);
    memcpy(text, "#include \"", 10);
    struct failure failure = check_text(text, sizeof text);
    assert_int_equal(failure.kind, FAILURE_NONE);
    text[10] = '/';
    failure = check_text(text, sizeof text);
    assert_int_equal(failure.status, STATUS_UNTRUSTED);
    for (size_t i = 10; i + 3 <= sizeof text; i += 3)
        memcpy(text + i, "a/b", 3);
    memcpy(text + 10, "../", 3);
    failure = check_text(text, sizeof text);
    assert_int_equal(failure.status, STATUS_UNTRUSTED);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void files_are_read_and_links_are_not(void **state)
{
    (void)state;
    char place[] = "/tmp/sandbox_include_test-XXXXXX", path[128];
    struct sandbox_sources sources;
    struct failure failure = {0};
    assert_non_null(mkdtemp(place));
    snprintf(path, sizeof path, "%s/sub", place);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/sub/a.cu", place);
    write_file(path, "#include \"../b.h\"\n");
    snprintf(path, sizeof path, "%s/b.h", place);
    write_file(path, "");
    snprintf(path, sizeof path, "%s/link.h", place);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_true(sandbox_sources_read(place, &sources, &failure));
    assert_int_equal(sources.count, 2);
    assert_true(sandbox_sources_check(&sources, "sub/a.cu", &failure));
    sandbox_sources_free(&sources);
    for (const char **name = (const char *[]){"sub/a.cu", "sub", "b.h", "link.h", "", NULL}; *name;
         name++) {
        snprintf(path, sizeof path, "%s/%s", place, *name);
        remove(path);
    }
    assert_false(sandbox_sources_read(place, &sources, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(innocent_includes_pass),
        cmocka_unit_test(ways_out_are_found),
        cmocka_unit_test(mistakes_are_mistakes_of_c),
        cmocka_unit_test(any_bytes_are_read_safely),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(files_are_read_and_links_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
