/* naming_test.c: tests of misspelled names that are corrected, and of unchanged names. */
#include "text/naming.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "#include \"lab.h\"\n"
#define PARAMETERS "(float *odata, const float *idata, int width, int height)"
#define KERNEL "extern \"C\" __global__ void transpose" PARAMETERS "\n{\n}\n"
#define LAUNCH "LAB_LAUNCH(width, height)\n{\n    return {dim3(1), dim3(1)};\n}\n"

/* `says` is a part of the message; NULL if nothing is corrected. */
static const struct {
    const char *text, *repaired, *says;
} texts[] = {
    {HEAD "lab(padded);\n" KERNEL LAUNCH, HEAD "LAB(padded);\n" KERNEL LAUNCH,
     "a.cu(2): lab is misspelt: write LAB"},
    {HEAD "Lab ( \"padded\" ) ;\n" KERNEL LAUNCH, HEAD "LAB ( \"padded\" ) ;\n" KERNEL LAUNCH,
     "a.cu(2): Lab is"},
    {HEAD "// LAB(padded)\nLABB(padded);\n" LAUNCH, HEAD "// LAB(padded)\nLAB(padded);\n" LAUNCH,
     "a.cu(3): LABB is"},
    {HEAD "LAB(naive);\nLAB_LUNCH(w, h) { }", HEAD "LAB(naive);\nLAB_LAUNCH(w, h) { }",
     "a.cu(3): LAB_LUNCH is misspelt: write LAB_LAUNCH"},
    {"LAB(naive);\nlab_launch(int w, int h)\n{ }", "LAB(naive);\nLAB_LAUNCH(int w, int h)\n{ }",
     "a.cu(2): lab_launch is"},
    {"LAP(naive);\nLABLAUNCH(w, h)\n{ }", "LAB(naive);\nLAB_LAUNCH(w, h)\n{ }",
     "a.cu(1): LAP is misspelt: write LAB\na.cu(2): LABLAUNCH is"},
    {HEAD "static __global__ void transpose" PARAMETERS "{ }",
     HEAD " __global__ void transpose" PARAMETERS "{ }", "a.cu(2): the kernel is static"},
    {"int x;\n__global__ inline static void __launch_bounds__(256) f() { }",
     "int x;\n__global__   void __launch_bounds__(256) f() { }", "a.cu(2): the kernel is inline"},
    {"#define A static\nextern \"C\" static\n__global__ void f() { }",
     "#define A static\nextern \"C\" \n__global__ void f() { }", "a.cu(2): the kernel is static"},
    {HEAD "LAB(padded);\n" KERNEL LAUNCH, NULL, NULL},
    {"", NULL, NULL},
    {"/* lab(padded); */ LAB_LAUNCH", NULL, NULL},
    {"void f() { lab(padded); }", NULL, NULL},
    {"int x = lab(padded) + 1;", NULL, NULL},
    {"lab(1 + 2);", NULL, NULL},
    {"LAB(padded);\nlab(naive);", NULL, NULL},
    {"SLAB_OF(padded);", NULL, NULL},
    {"const char *s = \"lab(padded);\";", NULL, NULL},
    {"static int x; static __device__ int f();\n__global__ void g();", NULL, NULL},
    {"static const int n = 3;\n__global__ void g() { static int n; }", NULL, NULL},
    {"'", NULL, NULL},
    {"\"\\", NULL, NULL},
    {"lab(padded", NULL, NULL},
    {"{{{}}}}} lab", NULL, NULL},
};

static void test_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i].text), bytes = 0;
        struct naming naming = {.path = "a.cu"};
        char *repaired = naming_repair(&naming, texts[i].text, length, &bytes);
        if (!texts[i].repaired != !repaired || (repaired && (strcmp(repaired, texts[i].repaired) ||
                                                             bytes != strlen(texts[i].repaired))))
            fail_msg("%s\nbecame\n%s", texts[i].text, repaired ? repaired : "(nothing)");
        if (texts[i].says ? !strstr(naming.text, texts[i].says) : naming.text[0] != 0)
            fail_msg("%s\nsays\n%s", texts[i].text, naming.text);
        free(repaired);
    }
}

static const struct {
    const char *text;
    const char *order; /* letters o, i, w, h; NULL for an unknown or the usual order */
} orders[] = {
    {"__global__ void transpose(const float *idata, float *odata, int height, int width)", "iohw"},
    {"__global__ void transpose(const float *a, float *b, int width, int height)", "iowh"},
    {"__global__ void transpose(float *out, float *in, int rows, int cols)", "oihw"},
    {"__global__ void transpose(float *src, float *dst, int w, int h)", "iowh"},
    {"__global__ void transpose(size_t nx, size_t ny, float *out, const float *__restrict__ in)",
     "whoi"},
    {"__global__ void transpose(float *o, int width, const float *x, int height)", "owih"},
    {"__global__ void __launch_bounds__(256)\ntranspose(float const *x, float *y, int h, int w)",
     "iohw"},
    {"__global__ void copy(const float *a, float *b, int n, int m);\n"
     "__global__ void transpose(float *a, const float *b, int rows, int columns) { }",
     "oihw"},
    {"__global__ void transpose" PARAMETERS, NULL},
    {"__global__ void transpose(float *a, float *b, int n, int m)", NULL},
    {"__global__ void transpose(float *a, float *const b, int n, int m)", NULL},
    {"void transpose(const float *a, float *b, int h, int w)", NULL},
    {"__global__ void turn(const float *a, float *b, int h, int w)", NULL},
    {"__global__ void transpose(const float *a, const float *b, int h, int w)", NULL},
    {"__global__ void transpose(const float *a, float *b, int h)", NULL},
    {"__global__ void transpose(", NULL},
    {"__global__ void transpose(int h1, int h2, int w, float *b)", NULL},
};

static void test_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct naming naming = {.path = "a.cu", .code = orders[i].text};
        unsigned char order[4];
        char said[5] = "";
        bool differs = naming_declared_order(&naming, "transpose", order);
        for (int j = 0; differs && j < 4; j++)
            said[j] = "oiwh"[order[j]];
        if (strcmp(said, orders[i].order ? orders[i].order : ""))
            fail_msg("%s: %s", orders[i].text, said);
    }
}

static void test_many_sentences_are_cut(void **state)
{
    (void)state;
    struct naming naming = {.path = "a.cu"};
    for (int i = 0; i < 1000; i++)
        naming_add(&naming, 0, "mistake %d", i);
    assert_true(strlen(naming.text) < NAMING_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_many_sentences_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
