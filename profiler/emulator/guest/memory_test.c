/* Tests of memory.c: addresses of arrays, the space between them, and descriptions of addresses. */
#include "emulator/guest/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static unsigned char bytes[4096];

static void map_all(struct guest_memory *memory)
{
    memory_init(memory);
    struct memory_region *guard =
        memory_map(memory, bytes, GUEST_GUARD_BYTES, GUEST_GUARD_BYTES, "guard before matrix");
    assert_non_null(guard);
    guard->is_guard = true;
    struct memory_region *matrix = memory_map(memory, bytes, 240, 256, "matrix");
    assert_non_null(matrix);
    matrix->element_bytes = 4;
    matrix->row_elements = 6;
    guard = memory_map(memory, bytes, GUEST_GUARD_BYTES, 4, "guard after matrix");
    assert_non_null(guard);
    guard->is_guard = true;
    assert_non_null(memory_map(memory, bytes, 100, 4096, "raw"));
}

static uint64_t base_of(const struct guest_memory *memory, const char *name)
{
    for (unsigned i = 0; i < memory->count; i++)
        if (!strcmp(memory->regions[i].name, name))
            return memory->regions[i].base;
    fail_msg("no region %s", name);
    return 0;
}

static void test_places(void **state)
{
    (void)state;
    struct guest_memory memory;
    map_all(&memory);
    uint64_t guard = base_of(&memory, "guard before matrix"), matrix = base_of(&memory, "matrix");
    assert_true(guard == GUEST_GLOBAL_BASE);
    assert_int_equal(matrix, guard + GUEST_GUARD_BYTES);
    assert_int_equal(base_of(&memory, "guard after matrix"), matrix + 240);
    uint64_t raw = base_of(&memory, "raw");
    assert_int_equal(raw % 4096, 0);
    static const struct {
        int64_t offset;
        const char *name;
    } finds[] = {
        {-1, "guard before matrix"},
        {-GUEST_GUARD_BYTES, "guard before matrix"},
        {-GUEST_GUARD_BYTES - 1, ""},
        {0, "matrix"},
        {239, "matrix"},
        {240, "guard after matrix"},
        {240 + 2047, "guard after matrix"},
        {240 + 2048, ""},
    };
    for (size_t i = 0; i < sizeof finds / sizeof *finds; i++) {
        const struct memory_region *region =
            memory_find(&memory, matrix + (uint64_t)finds[i].offset);
        assert_string_equal(region ? region->name : "", finds[i].name);
    }
    assert_non_null(memory_find(&memory, raw + 99));
    assert_null(memory_find(&memory, raw + 100));
    assert_null(memory_find(&memory, 0));
    assert_null(memory_find(&memory, UINT64_MAX));
    memory_free(&memory);
}

static void test_descriptions(void **state)
{
    (void)state;
    struct guest_memory memory;
    map_all(&memory);
    uint64_t matrix = base_of(&memory, "matrix"), raw = base_of(&memory, "raw");
    const struct {
        uint64_t address;
        const char *text;
    } cases[] = {
        {0, "address 0x0 (a null pointer)"},
        {4095, "address 0xfff (a null pointer)"},
        {matrix, "matrix[0][0]"},
        {matrix + 4 * 17 + 3, "matrix[2][5]"},
        {matrix + 240, "matrix, 1 element past its end"},
        {matrix + 243, "matrix, 1 element past its end"},
        {matrix + 244, "matrix, 2 elements past its end"},
        {matrix - 4, "matrix, 1 element before its beginning"},
        {matrix - 5, "matrix, 2 elements before its beginning"},
        {raw + 7, "raw, byte 7"},
        {raw + 100, "raw, 1 byte past its end"},
        {raw - 2, "raw, 2 bytes before its beginning"},
        {raw + (1ull << 40), "which does not belong to any array"},
        {UINT64_MAX, "address 0xffffffffffffffff, which does not belong to any array"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        memory_describe(&memory, cases[i].address, text, sizeof text);
        if (!strstr(text, cases[i].text))
            fail_msg("\"%s\" instead of \"%s\"", text, cases[i].text);
    }
    char small[8];
    memory_describe(&memory, matrix, small, sizeof small);
    assert_string_equal(small, "matrix[");
    memory_free(&memory);
    memory_describe(&memory, 1 << 20, small, sizeof small);
}

static void test_limits(void **state)
{
    (void)state;
    struct guest_memory memory;
    memory_init(&memory);
    assert_null(memory_map(&memory, bytes, GUEST_GLOBAL_END, 256, "too large"));
    assert_null(memory_map(&memory, bytes, UINT64_MAX, 256, "too large"));
    assert_non_null(memory_map(&memory, bytes, GUEST_GLOBAL_END - GUEST_GLOBAL_BASE, 256, "all"));
    assert_null(memory_map(&memory, bytes, 1, 256, "more"));
    memory_free(&memory);

    memory_init(&memory);
    for (int i = 0; i < MEMORY_MAX_REGIONS; i++)
        assert_non_null(memory_map(&memory, bytes, 16, 256, "small"));
    assert_null(memory_map(&memory, bytes, 16, 256, "one more"));
    for (unsigned i = 0; i < memory.count; i += 997)
        assert_ptr_equal(memory_find(&memory, memory.regions[i].base + 15), &memory.regions[i]);
    memory_free(&memory);
}

static void test_map_at(void **state)
{
    (void)state;
    struct guest_memory memory;
    const uint64_t base = GUEST_GLOBAL_BASE;
    char text[64];
    memory_init(&memory);
    assert_non_null(memory_map_at(&memory, base + 4096, bytes, 16, "second"));
    assert_non_null(memory_map_at(&memory, base, bytes, 4096, "first"));
    assert_null(memory_map_at(&memory, base + 4095, bytes, 1, "over the end of the first"));
    assert_null(memory_map_at(&memory, base + 4100, bytes, 1, "in the second"));
    assert_null(memory_map_at(&memory, base - 8, bytes, 9, "over the start of the first"));
    assert_null(memory_map_at(&memory, GUEST_GLOBAL_END - 1, bytes, 2, "past the end"));
    assert_string_equal(memory_find(&memory, base + 4095)->name, "first");
    assert_string_equal(memory_find(&memory, base + 4096)->name, "second");
    assert_true(memory.next == base + 4112);
    assert_false(memory_unmap(&memory, base + 1));
    assert_true(memory_unmap(&memory, base));
    assert_null(memory_find(&memory, base));
    struct memory_region *freed = memory_map_at(&memory, base, NULL, 8, "old");
    assert_non_null(freed);
    freed->is_guard = freed->is_freed = true;
    memory_describe(&memory, base + 4, text, sizeof text);
    assert_string_equal(text, "old, byte 4; this memory is already freed");
    memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_map_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
