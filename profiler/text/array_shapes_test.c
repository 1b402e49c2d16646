/* array_shapes_test.c: tests of declarations of the course and of students, and of invalid text. */
#include "text/array_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text, *name;
    uint64_t bytes;
    unsigned element; /* expected bytes per element; 0 if no shape fits */
    uint32_t extent[ARRAY_DIMENSIONS_MAX];
} cases[] = {
    {"__shared__ float tile[32][33];", "tile", 4224, 4, {32, 33}},
    {"#define T 32\n__shared__ float tile[T][T + 1];", "tile", 4224, 4, {32, 33}},
    {"#ifndef T\n#define T 8 // tile\n#endif\n__shared__ double a[T*2][(T)/2];",
     "a",
     512,
     8,
     {16, 4}},
    {"constexpr int P = 0x10u, Q = P * 2;\n__shared__ char a[Q][P];", "a", 512, 1, {32, 16}},
    {"enum { A = 3, B = A + 1 };\n__shared__ float4 v[A][B];", "v", 192, 16, {3, 4}},
    {"__shared__ int a[2], b[3][5];", "b", 60, 4, {3, 5}},
    {"__shared__ int a[2], b[3][5];", "a", 8, 4, {2}},
    {"__shared__ __align__(16) float a [ 4 ] /* x */ [ 2 ] = {};", "a", 32, 4, {4, 2}},
    {"static __shared__ struct pair a[7][3];", "a", 168, 8, {7, 3}},
    {"// __shared__ float tile[8][8];\n__shared__ float tile[4][4];", "tile", 64, 4, {4, 4}},
    {"__shared__ float t[4][4]; __shared__ float t[8][2][2];", "t", 128, 4, {8, 2, 2}},
    {"__shared__ float t[4][20 % 8];", "t", 64, 4, {4, 4}},
    {"#define T GIVEN\n__shared__ float t[T][T];", "t", 36, 4, {3, 3}},
    {"#define GIVEN 5\n__shared__ float t[GIVEN][2];", "t", 24, 4, {3, 2}},
    {"__device__ float t[6][2], u[3];", "t", 48, 4, {6, 2}},
    {"static __device__ __managed__ int t[6];", "t", 24, 4, {6}},
    {"__constant__ const double t[GIVEN] = {1, 2, 3};", "t", 24, 8, {3}},
    {"__attribute__((aligned(8))) __device__ alignas(8) char t[8];", "t", 8, 1, {8}},
    {"__device__ __attribute__((aligned(8))) char t[8];", "t", 8, 1, {8}},
    {"__device__ int f(int t[4]) { __shared__ int t[2][2]; }", "t", 16, 4, {2, 2}},
    {"__shared__ char t[1'0][0x1'0]; // 1'0", "t", 160, 1, {10, 16}},
    {"const char *s = R\"(\"))\"; __shared__ int t[5]; // \"", "t", 20, 4, {5}},
    {"__device__ int f(int t[4]);", "t", 16, 0, {0}},
    {"__shared__ float tile[32][32];", "tile", 4224, 0, {0}},
    {"template <int N> f() { __shared__ float t[N][N]; }", "t", 64, 0, {0}},
    {"extern __shared__ float t[];", "t", 64, 0, {0}},
    {"__shared__ float t;", "t", 4, 0, {0}},
    {"__shared__ float t[sizeof(int)];", "t", 16, 0, {0}},
    {"__shared__ float t[0];", "t", 16, 0, {0}},
    {"__shared__ float t[4 / 0];", "t", 16, 0, {0}},
    {"__shared__ float t[-4];", "t", 16, 0, {0}},
    {"__shared__ float t[1000000 * 1000000];", "t", 16, 0, {0}},
    {"__shared__ float t[99999999999999999999];", "t", 16, 0, {0}},
    {"#define A B\n#define B A\n__shared__ float t[A];", "t", 16, 0, {0}},
    {"#define A (A + A)\n__shared__ float t[A];", "t", 16, 0, {0}},
    {"__shared__ float t[((((((((((((((((((((((((((((((((4", "t", 16, 0, {0}},
    {"__shared__", "t", 16, 0, {0}},
    {"__shared__ float t[4", "t", 16, 0, {0}},
    {"/* __shared__ float t[4];", "t", 16, 0, {0}},
    {"__shared__ int t[1][1][1][1][1];", "t", 4, 0, {0}},
};

static void test_cases(void **state)
{
    (void)state;
    const char *defines[] = {"GIVEN=3", "FLAG"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct array_shapes shapes;
        unsigned element = 4;
        array_shapes_parse(cases[i].text, strlen(cases[i].text), defines, 2, &shapes);
        const struct array_shape *shape =
            array_shapes_find(&shapes, cases[i].name, cases[i].bytes, &element);
        if ((shape != NULL) != (cases[i].element != 0))
            fail_msg("%s: %s", cases[i].text, shape ? "a shape" : "no shape");
        if (!shape)
            continue;
        if (element != cases[i].element)
            fail_msg("%s: elements of %u bytes", cases[i].text, element);
        for (unsigned d = 0; d < ARRAY_DIMENSIONS_MAX; d++)
            if (shape->extent[d] != cases[i].extent[d])
                fail_msg("%s: extent %u is %u", cases[i].text, d, shape->extent[d]);
    }
}

static void test_operators(void **state)
{
    (void)state;
    static const __int128 most = (__int128)1 << 30;
    static const struct {
        const char *text;
        __int128 value;
    } operands[] = {
        {"0", 0},
        {"1", 1},
        {"3", 3},
        {"(0 - 1)", -1},
        {"(0 - 0x40000000)", -((__int128)1 << 30)},
        {"0x40000000", (__int128)1 << 30},
        {"0x40000001", ((__int128)1 << 30) + 1},
        {"2147483648", (__int128)1 << 31},
        {"0x7fffffffffffffff", ((__int128)1 << 63) - 1},
        {"0x8000000000000000", (__int128)1 << 63},
        {"(0x8000000000000000)", (__int128)1 << 63},
        {"BIG", (__int128)1 << 63},
        {"0xffffffffffffffff", ((__int128)1 << 64) - 1},
        {"0x10000000000000000", (__int128)1 << 64},
    };
    enum { OPERANDS = sizeof operands / sizeof *operands };
    static const char *const operators[] = {"+", "-", "*", "/", "%", "<<", ">>"};
    for (size_t i = 0; i < OPERANDS * OPERANDS * (sizeof operators / sizeof *operators); i++) {
        const char *sign = operators[i / (OPERANDS * OPERANDS)];
        size_t l = i / OPERANDS % OPERANDS, r = i % OPERANDS;
        __int128 left = operands[l].value, right = operands[r].value, value = 0;
        bool can = left <= most && right <= most && !sign[1];
        if (can && *sign == '+')
            value = left + right;
        else if (can && *sign == '-')
            value = left - right;
        else if (can && *sign == '*')
            value = left * right;
        else if ((can = can && right != 0))
            value = *sign == '/' ? left / right : left % right;
        char text[200];
        int length = snprintf(text, sizeof text,
                              "#define BIG 0x8000000000000000\n#if 0\n"
                              "__shared__ char t[%s %s %s];\n#endif\n",
                              operands[l].text, sign, operands[r].text);
        struct array_shapes shapes;
        array_shapes_parse(text, (size_t)length, NULL, 0, &shapes);
        can = can && value > 0 && value <= most;
        if (shapes.count != can || (can && shapes.shapes[0].extent[0] != (uint32_t)value))
            fail_msg("%s %s %s: %u shapes", operands[l].text, sign, operands[r].text, shapes.count);
    }
}

static void test_much_text(void **state)
{
    (void)state;
    static char text[1 << 18];
    const char line[] = "__shared__ float t[ABC * DEF];\n";
    size_t length = 0;
    for (; length + sizeof line < sizeof text; length += sizeof line - 1)
        memcpy(text + length, line, sizeof line);
    struct array_shapes shapes;
    array_shapes_parse(text, length, NULL, 0, &shapes);
    assert_int_equal(shapes.count, 0);
    const char good[] = "__shared__ float t[3];\n";
    length = 0;
    for (; length + sizeof good < sizeof text; length += sizeof good - 1)
        memcpy(text + length, good, sizeof good);
    array_shapes_parse(text, length, NULL, 0, &shapes);
    assert_int_equal(shapes.count, ARRAY_SHAPES_MAX);
}

static void test_files(void **state)
{
    (void)state;
    struct array_shapes shapes;
    unsigned element = 4;
    array_shapes_read("solutions/03_padded/padded.cu", NULL, 0, &shapes);
    assert_non_null(array_shapes_find(&shapes, "tile", 32 * 33 * 4, &element));
    array_shapes_read("profiler/nowhere.cu", NULL, 0, &shapes);
    assert_int_equal(shapes.count, 0);
    array_shapes_read("profiler", NULL, 0, &shapes);
    assert_int_equal(shapes.count, 0);
    assert_null(array_shapes_find(NULL, "tile", 4, &element));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_much_text),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
