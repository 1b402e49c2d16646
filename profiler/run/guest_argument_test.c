/* guest_argument_test.c: tests of the arguments of `tlab emulate`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/guest_argument.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_scalars(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bits;
        unsigned bytes;
    } cases[] = {
        {"i32:-1", UINT64_MAX, 4},
        {"i32:2147483647", 2147483647, 4},
        {"u32:4294967295", 4294967295, 4},
        {"u32:0x10", 16, 4},
        {"i64:-9223372036854775808", 1ull << 63, 8},
        {"u64:18446744073709551615", UINT64_MAX, 8},
        {"f32:1", 0x3f800000, 4},
        {"f32:-0.0", 0x80000000, 4},
        {"f64:1", 0x3ff0000000000000, 8},
        {"f32:inf", 0x7f800000, 4},
        {"u8:255", 255, 1},
        {"i8:-128", UINT64_MAX - 127, 1},
        {"i16:-32768", UINT64_MAX - 32767, 2},
        {"u16:65535", 65535, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct guest_argument argument;
        struct failure failure = {0};
        assert_true(guest_argument_parse(cases[i].text, 1, &argument, &failure));
        assert_false(argument.is_array);
        assert_int_equal(argument.element_bytes, cases[i].bytes);
        uint64_t mask = UINT64_MAX >> (64 - 8 * cases[i].bytes);
        assert_int_equal(argument.bits & mask, cases[i].bits & mask);
    }
}

static void test_bad_usage(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "i32",
        "i32:",
        "i32:1x",
        "i32:2147483648",
        "u32:-1",
        "u32:4294967296",
        "f16:1",
        "bf16:1",
        "u8:256",
        "i8:-129",
        "i16:32768",
        "u16:-1",
        "raw:",
        "raw:123",
        "raw:0x12",
        "f32:one",
        "out:f32",
        "out:f32:",
        "out:f32:x",
        "out:f32:-4",
        "out:f32:0",
        "out:q:4",
        "out:raw:4",
        "in:f32:4@",
        "out:f32:4x",
        "i64:9223372036854775808",
        "both:f32:4",
        "in:f32:99999999999999999999",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct guest_argument argument;
        struct failure failure = {0};
        if (guest_argument_parse(cases[i], 1, &argument, &failure))
            fail_msg("`%s` was accepted", cases[i]);
        assert_int_equal(failure.kind, FAILURE_HARNESS);
    }
}

static void test_seeded(void **state)
{
    (void)state;
    static const char *const arrays[] = {"in:f32:1000", "in:f64:1000", "in:i32:1000", "in:f16:1000",
                                         "in:u8:1000",  "in:i16:1000", "in:bf16:1000"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        struct guest_argument a, b, other;
        struct failure failure = {0};
        struct guest_memory memory;
        memory_init(&memory);
        assert_true(guest_argument_parse(arrays[i], 1, &a, &failure));
        b = other = a;
        assert_true(guest_argument_create(&a, 7, &memory, &failure));
        assert_true(guest_argument_create(&b, 7, &memory, &failure));
        assert_true(guest_argument_create(&other, 8, &memory, &failure));
        size_t bytes = 1000 * a.element_bytes;
        assert_memory_equal(a.bytes, b.bytes, bytes);
        assert_memory_not_equal(a.bytes, other.bytes, bytes);
        assert_true(b.bits >= a.bits + bytes + 2 * GUEST_GUARD_BYTES);
        double low = 1e9, high = -1e9;
        for (unsigned k = 0; k < 1000; k++) {
            double value = 0;
            if (!strcmp(a.type, "f32"))
                value = (double)((float *)(void *)a.bytes)[k];
            else if (!strcmp(a.type, "f64"))
                value = ((double *)(void *)a.bytes)[k];
            else if (!strcmp(a.type, "i32"))
                value = ((int32_t *)(void *)a.bytes)[k];
            else if (!strcmp(a.type, "u8"))
                value = a.bytes[k];
            else if (!strcmp(a.type, "i16"))
                value = ((int16_t *)(void *)a.bytes)[k];
            else if (!strcmp(a.type, "bf16")) {
                uint32_t wide = (uint32_t)((uint16_t *)(void *)a.bytes)[k] << 16;
                float narrow;
                memcpy(&narrow, &wide, sizeof narrow);
                value = (double)narrow;
            } else {
                uint16_t half = ((uint16_t *)(void *)a.bytes)[k];
                int exponent = half >> 10 & 31;
                value = ldexp(exponent ? 1024 + (half & 1023) : half & 1023,
                              (exponent ? exponent : 1) - 25);
                value = half & 0x8000 ? -value : value;
            }
            low = fmin(low, value);
            high = fmax(high, value);
        }
        if (a.type[0] == 'f' || a.type[0] == 'b') {
            assert_true(low >= -1 && low < -0.95 && high < 1 && high > 0.95);
        } else {
            assert_true(low == 0 && high == 99);
        }
        guest_argument_free(&a);
        guest_argument_free(&b);
        guest_argument_free(&other);
        memory_free(&memory);
    }
}

static void test_outputs_start_as_ff(void **state)
{
    (void)state;
    struct guest_argument argument;
    struct failure failure = {0};
    struct guest_memory memory;
    memory_init(&memory);
    assert_true(guest_argument_parse("out:i64:3", 2, &argument, &failure));
    assert_true(guest_argument_create(&argument, 1, &memory, &failure));
    for (unsigned i = 0; i < 24; i++)
        assert_int_equal(argument.bytes[i], 0xff);
    assert_string_equal(memory.regions[0].name, "argument 2");
    guest_argument_free(&argument);
    memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_seeded),
        cmocka_unit_test(test_outputs_start_as_ff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
