/* ranges_test.c: compares a set of ranges with an array that contains one flag per number. */
#include "base/ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

enum { NUMBERS = 200, SETS = 300, STEPS = 40 };

static unsigned draw(unsigned limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % limit;
}

static void compare(const struct ranges *ranges, const bool *bits)
{
    unsigned begin = draw(NUMBERS), end = begin + draw(20), first = begin, found = 0;
    for (unsigned i = begin; i < end; i++)
        found += i < NUMBERS && bits[i];
    while (first < NUMBERS && !bits[first])
        first++;
    const struct range *behind = ranges_after(ranges, begin);
    assert_int_equal(ranges_contain(ranges, begin, end), found == end - begin);
    assert_int_equal(ranges_contain_any(ranges, begin, end), found > 0);
    assert_int_equal(behind != NULL, first < NUMBERS);
    for (size_t i = 1; i < ranges->count; i++)
        assert_true(ranges->items[i - 1].end < ranges->items[i].begin);
}

static void add(struct ranges *ranges, bool *bits)
{
    unsigned begin = draw(NUMBERS), end = begin + draw(9);
    end = end < NUMBERS ? end : NUMBERS;
    assert_true(ranges_add(ranges, begin, end));
    for (unsigned i = begin; i < end; i++)
        bits[i] = true;
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned set = 0; set < SETS; set++) {
        struct ranges ranges[2] = {{0}, {0}};
        bool bits[2][NUMBERS] = {{false}};
        for (unsigned step = 0; step < STEPS; step++) {
            add(&ranges[step % 2], bits[step % 2]);
            compare(&ranges[step % 2], bits[step % 2]);
        }
        unsigned common = 0;
        uint64_t number = NUMBERS;
        while (common < NUMBERS && !(bits[0][common] && bits[1][common]))
            common++;
        assert_int_equal(ranges_common(&ranges[0], &ranges[1], &number), common < NUMBERS);
        assert_int_equal(common < NUMBERS ? number : NUMBERS, common);
        ranges_free(&ranges[0]);
        ranges_free(&ranges[1]);
    }
}

static void test_limit(void **state)
{
    (void)state;
    struct ranges ranges = {0};
    for (uint64_t i = 0; i < RANGES_MAX; i++)
        assert_true(ranges_add(&ranges, 2 * i, 2 * i + 1));
    assert_false(ranges_add(&ranges, 2ull * RANGES_MAX, 2ull * RANGES_MAX + 1));
    assert_true(ranges_add(&ranges, 1, 2));
    assert_true(ranges_add(&ranges, 2ull * RANGES_MAX, 2ull * RANGES_MAX + 1));
    ranges_free(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
