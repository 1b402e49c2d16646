/* kernel_name_test.c: tests which kernel of a module is launched as `transpose`. */
#include "run/kernel_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ENTRY(name, a, b, c, d)                                                                    \
    ".visible .entry " name "(.param ." #a " a, .param ." #b " b, .param ." #c " c, .param ." #d   \
    " d)\n{\nret;\n}\n"
#define GOOD(name) ENTRY(name, u64, u64, u32, u32)

static const struct {
    const char *ptx, *found, *says;
} kernels[] = {
    {GOOD("transpose"), "transpose", NULL},
    {GOOD("transpose") GOOD("other"), "transpose", NULL},
    {GOOD("my_transpose"), "my_transpose", "is called my_transpose: its name must be transpose"},
    {GOOD("_Z9transposePfPKfii"), "_Z9transposePfPKfii", "a.cu: the kernel is not declared"},
    {GOOD("_ZN4mine9transposeEPfPKfii"), "_ZN4mine9transposeEPfPKfii", "not declared extern"},
    {GOOD("_ZN12_GLOBAL__N_19transposeEPfPKfii"), "_ZN12_GLOBAL__N_19transposeEPfPKfii",
     "not declared extern"},
    {GOOD("_Z9transposeILi32EEvPfPKfii"), "_Z9transposeILi32EEvPfPKfii", "not declared extern"},
    {GOOD("_Z4turnPfPKfii"), "_Z4turnPfPKfii", "is called turn: "},
    {GOOD("_Z9transposePfPKfii") GOOD("other"), "_Z9transposePfPKfii", "not declared extern"},
    {GOOD("turn") ".visible .entry check(.param .u64 a)\n{\nret;\n}\n", "turn", "is called turn"},
    {GOOD("turn") ENTRY("lab_launch_shape", u64, f32, u32, u32), "turn", "is called turn"},
    {ENTRY("transpose", u64, u64, u64, u64), "transpose", NULL},
    {ENTRY("turn", u32, u32, u64, u64), "turn", "is called turn"},
    {GOOD("a") GOOD("b"), NULL, NULL},
    {GOOD("_Z9transposePfPKfii") GOOD("_ZN1a9transposeEPfPKfii"), NULL, NULL},
    {ENTRY("transpose", u64, u64, f32, u32), NULL, NULL},
    {ENTRY("transpose", u64, u64, f32, u32) GOOD("other"), NULL, NULL},
    {ENTRY("turn", u64, u32, u32, u32), NULL, NULL},
    {".visible .func transpose(.param .u64 a)\n{\nret;\n}\n", NULL, NULL},
    {GOOD("_Z99999999999999999999transpose"), "_Z99999999999999999999transpose",
     "is called _Z9999"},
    {"", NULL, NULL},
};

static void test_kernel(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char ptx[2048];
        struct ptx_module module;
        struct failure failure = {0};
        struct naming naming = {.path = "a.cu"};
        snprintf(ptx, sizeof ptx, ".version 7.5\n.target sm_80\n.address_size 64\n%s",
                 kernels[i].ptx);
        if (!ptx_parse(ptx, strlen(ptx), "a.cu", &module, &failure))
            fail_msg("%s", failure.text);
        const struct ptx_function *found = kernel_name_find(&naming, &module);
        if (!found != !kernels[i].found || (found && strcmp(found->name, kernels[i].found)))
            fail_msg("%s: found %s", kernels[i].ptx, found ? found->name : "none");
        if (kernels[i].says ? !strstr(naming.text, kernels[i].says) : naming.text[0] != 0)
            fail_msg("%s: says %s", kernels[i].ptx, naming.text);
        ptx_module_free(&module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
