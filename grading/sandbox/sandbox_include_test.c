/* sandbox_include_test.c: tests the search with harmless and with disguised #include lines. */
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

static void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static char place[] = "/tmp/sandbox_include_test-XXXXXX";

static const struct {
    const char *name, *text;
} others[] = {
    {"src/own.h", ""},
    {"common.h", ""},
    {"evil.h", "\n#include </etc/passwd>\n"},
    {"loop.h", "#include \"loop.h\"\n#include \"other.h\"\n"},
    {"other.h", "#include \"loop.h\"\n"},
};
enum { OTHERS = sizeof others / sizeof *others };

static int place_make(void **state)
{
    (void)state;
    if (!mkdtemp(place) || chdir(place) || mkdir("src", 0700))
        return -1;
    for (size_t i = 0; i < OTHERS; i++)
        write_file(others[i].name, others[i].text, strlen(others[i].text));
    return 0;
}

static int place_remove(void **state)
{
    (void)state;
    for (size_t i = 0; i < OTHERS; i++)
        remove(others[i].name);
    return remove("src/a.cu") || remove("src") || remove(place);
}

static struct failure check_text(const char *text, size_t bytes, enum include_search kind)
{
    struct failure failure = {0};
    write_file("src/a.cu", text, bytes);
    bool good = sandbox_includes_check("src/a.cu", kind, &failure);
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
        "int a; # include \"/etc/passwd\"\n", /* # is not first, so it begins no directive */
        "#define STRING(x) #x\nSTRING(include)\n",
        "#",
        "\\\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int strict = 0; strict < 2; strict++) {
            struct failure failure = check_text(texts[i], strlen(texts[i]),
                                                strict ? INCLUDE_STRICT : INCLUDE_AFTER_ERROR);
            if (failure.kind != FAILURE_NONE)
                fail_msg("%s: %s", texts[i], failure.text);
        }
}

static void only_a_strict_search_doubts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "/*\n#include MACRO\n */\n",
        "/*\r\n#include </etc/passwd>\r\n*/\r\n",
        "// one \\\n#include \"/etc/passwd\"\n",
        "const char *s = R\"(\n#include \"../x\"\n)\";\n",
        "\?\?=include \"/etc/passwd\"\n",
        "int a;\r#include \"/etc/passwd\"\r",
        "\xc2\xa0#include \"/etc/passwd\"\n",
        "// \?\?/\n#include X\n",
        "#define F \"own.h\"\n#include F\n",
        "#include lab.h\n",
        "#include",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int strict = 0; strict < 2; strict++) {
            struct failure failure = check_text(texts[i], strlen(texts[i]),
                                                strict ? INCLUDE_STRICT : INCLUDE_AFTER_ERROR);
            if (failure.kind != (strict ? FAILURE_STUDENT : FAILURE_NONE) ||
                failure.status != (strict ? STATUS_UNTRUSTED : STATUS_OK))
                fail_msg("%s: %s", texts[i], failure.text);
        }
}

static void ways_out_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"#include \"/etc/passwd\"\n", "src/a.cu(1): the included file /etc/passwd is"},
        {"#include </etc/passwd>\n", "src/a.cu(1): the included file /etc/passwd is"},
        {"\n\n#include \"../../solutions/x.cu\"", "(3): the included file ../../solutions/x.cu is"},
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
        {"#/* */ include /* \n */ \"/etc/passwd\"\n", "/etc/passwd"},
        {"/* */ #include \"/etc/passwd\"\n", "/etc/passwd"},
        {"/*\n*/#include \"/etc/passwd\"\n", "src/a.cu(2): the included file /etc/passwd is"},
        {"#inc\\\nlude \"/e\\\r\ntc/passwd\"\n", "/etc/passwd"},
        {"#inc\\ \t\nlude \"/etc/passwd\"\n", "/etc/passwd"},
        {"\\\n#include \"/etc/passwd\"\n", "src/a.cu(2)"},
        {"\v\f#include\t\"/etc/passwd\"", "/etc/passwd"},
        {"R\"(/*)\";\n#include \"/etc/passwd\"\n//*/", "/etc/passwd"},
        {"#include \"../evil.h\"\n", "evil.h(2): the included file /etc/passwd is"},
        {"#include \"/etc/\x1b[31mpasswd\"\n", "/etc/?[31mpasswd"},
        /* only some compilers read directives here */
        {"\?\?=include \"/etc/passwd\"\n", "/etc/passwd"},
        {"int a;\r#include \"/etc/passwd\"\r", "/etc/passwd"},
        {"\xef\xbb\xbf#include \"/etc/passwd\"\n", "/etc/passwd"},
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
        {"#define A \\\n#include \"/etc/passwd\"\n", "a.cu(2): the included file /etc/passwd is"},
        {"/*\n#include X */ #include \"/etc/passwd\"\n", "/etc/passwd"},
        {"int a; /*\n*/ #include \"/etc/passwd\"\n", "/etc/passwd"},
        {"/*\n#include \"/etc/passwd\"\n", "/etc/passwd"},
        {"#define F \"/etc/passwd\"\n#include F\n", "src/a.cu(2): #include F:"},
        {"#include \"/etc/pass\nwd\"\n", "/etc/pass"},
        {"#include \"/etc/passwd", "/etc/passwd"},
        {"#include \"evil.h\"\n", "evil.h(2): the included file /etc/passwd is"},
    };
    bool standard = true;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        standard &= strncmp(cases[i].text, "\?\?=", 3) != 0;
        for (int strict = !standard; strict < 2; strict++) {
            struct failure failure = check_text(cases[i].text, strlen(cases[i].text),
                                                strict ? INCLUDE_STRICT : INCLUDE_AFTER_ERROR);
            if (failure.kind != FAILURE_STUDENT || failure.status != STATUS_UNTRUSTED ||
                strstr(failure.text, cases[i].expected) == NULL)
                fail_msg("%s: expected \"%s\", got \"%s\"", cases[i].text, cases[i].expected,
                         failure.text);
        }
    }
    struct failure failure = check_text("#\0include \"/etc/passwd\"\n", 24, INCLUDE_STRICT);
    assert_int_equal(failure.status, STATUS_UNTRUSTED);
}

static void after_success_existing_files_count(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } cases[] = {{"#include \"/dev/null\"\n", false},
                 {"#include \"/no/such/file\"\n", true},
                 {"#include \"../../x\"\n#include own.h\n", true},
                 {"// #include \"/dev/null\"\n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct failure failure =
            check_text(cases[i].text, strlen(cases[i].text), INCLUDE_AFTER_SUCCESS);
        assert_int_equal(failure.status, cases[i].good ? STATUS_OK : STATUS_UNTRUSTED);
    }
}

static void any_bytes_are_read_safely(void **state)
{
    (void)state;
    static const char alphabet[] = "#%:?= \t\n\r\\/*\"<>.a\0include../";
    srand(1);
    for (int round = 0; round < 5000; round++) {
        size_t bytes = (size_t)rand() % 64;
        char text[64];
        for (size_t i = 0; i < bytes; i++)
            text[i] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        check_text(text, bytes, (enum include_search)(round % 3));
    }
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char text[3000];
    memset(text, 'x', sizeof text);
    memcpy(text, "#include \"", 10);
    struct failure failure = check_text(text, sizeof text, INCLUDE_AFTER_ERROR);
    assert_int_equal(failure.kind, FAILURE_NONE);
    text[10] = '/';
    failure = check_text(text, sizeof text, INCLUDE_AFTER_ERROR);
    assert_int_equal(failure.status, STATUS_UNTRUSTED);
    for (size_t i = 10; i + 3 <= sizeof text; i += 3)
        memcpy(text + i, "a/b", 3);
    memcpy(text + 10, "../", 3);
    failure = check_text(text, sizeof text, INCLUDE_AFTER_ERROR);
    assert_int_equal(failure.status, STATUS_UNTRUSTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(innocent_includes_pass),
        cmocka_unit_test(only_a_strict_search_doubts),
        cmocka_unit_test(ways_out_are_found),
        cmocka_unit_test(after_success_existing_files_count),
        cmocka_unit_test(any_bytes_are_read_safely),
        cmocka_unit_test(long_names_are_cut),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
