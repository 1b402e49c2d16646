/* element_map_test.c: tests of the maps of incorrect outputs. */
#include "course/element_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct failure added(const struct element_map *map)
{
    struct failure failure = {.kind = FAILURE_STUDENT};
    element_map_add(map, "out", "never written", &failure);
    return failure;
}

static void parts_have_their_characters(void **state)
{
    struct element_map map;
    (void)state;
    element_map_begin(&map, 3, 4);
    element_map_mark(&map, 1, true);
    element_map_mark(&map, 11, false);
    assert_string_equal(
        added(&map).map,
        "map of out, 3 x 4 (# correct, x incorrect, . never written), 1 x 1 element "
        "per character:\n    #.##\n    ####\n    ###x\n");
    element_map_begin(&map, 21, 41);
    element_map_mark(&map, 0, true);
    element_map_mark(&map, 1, false);
    element_map_mark(&map, 41, true);
    element_map_mark(&map, 20 * 41 + 40, true);
    const struct failure failure = added(&map);
    assert_non_null(
        strstr(failure.map, "2 x 2 elements per character:\n    x####################\n"));
    assert_non_null(strstr(failure.map, "\n    ####################.\n"));
}

static void maps_of_any_size_fit(void **state)
{
    static const uint64_t sizes[] = {1, 19, 20, 21, 39, 40, 41, 46341, 1u << 20, 1u << 31};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    (void)state;
    for (int r = 0; r < SIZES; r++)
        for (int c = 0; c < SIZES; c++) {
            struct element_map map;
            element_map_begin(&map, sizes[r], sizes[c]);
            element_map_mark(&map, sizes[r] * sizes[c] - 1, true);
            const struct failure failure = added(&map);
            assert_true(strlen(failure.map) < sizeof failure.map - 1);
            assert_int_equal(failure.map[strlen(failure.map) - 1], '\n');
            assert_int_equal(failure.map[strlen(failure.map) - 2], '.');
            size_t lines = 0;
            for (const char *line = failure.map; *line; line = strchr(line, '\n') + 1, lines++)
                assert_true(!lines || strcspn(line, "\n") <= 4 + ELEMENT_MAP_COLS);
            assert_true(lines <= 1 + ELEMENT_MAP_ROWS);
        }
}

static void only_a_students_failure_has_a_map(void **state)
{
    struct element_map map;
    struct failure failure = {.kind = FAILURE_HARNESS};
    (void)state;
    element_map_begin(&map, 2, 2);
    element_map_add(&map, "out", "never written", &failure);
    assert_string_equal(failure.map, "");
    element_map_mark(&map, 0, false);
    for (int i = 1; i < 4; i++)
        element_map_mark(&map, (uint64_t)i, false);
    assert_non_null(strstr(added(&map).map, ": all equal\n    x\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_their_characters),
        cmocka_unit_test(maps_of_any_size_fit),
        cmocka_unit_test(only_a_students_failure_has_a_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
