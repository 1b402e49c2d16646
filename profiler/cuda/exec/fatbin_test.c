/* fatbin_test.c: handmade fat binaries in the format of nvcc 13, and damaged ones. */
#include "cuda/exec/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct image {
    unsigned char bytes[4096];
    size_t used;
};

static void put(struct image *image, uint64_t value, unsigned bytes)
{
    memcpy(image->bytes + image->used, &value, bytes); /* Little-endian, like the hosts of GPUs. */
    image->used += bytes;
}

static void begin(struct image *image)
{
    *image = (struct image){0};
    put(image, 0xba55ed50, 4);
    put(image, 1, 2);
    put(image, 16, 2);
    put(image, 0, 8);
}

/* Add an entry as `nvcc -no-compress` writes it, and update the size of the file. */
static void add(struct image *image, unsigned kind, unsigned architecture, const char *text)
{
    size_t padded = (strlen(text) + 8) / 8 * 8;
    put(image, kind, 2);
    put(image, 0x101, 2);
    put(image, 64, 4);
    put(image, padded, 8);
    put(image, 0, 8); /* packed bytes, options */
    put(image, 9 << 16, 4);
    put(image, architecture, 4);
    put(image, 0, 8);
    put(image, 0x11, 8);
    put(image, 0, 8);
    put(image, 0, 8);
    memcpy(image->bytes + image->used, text, strlen(text));
    image->used += padded;
    uint64_t size = image->used - 16;
    memcpy(image->bytes + 8, &size, sizeof size);
}

static void expect(const struct image *image, unsigned wanted, unsigned architecture,
                   const char *text)
{
    struct fatbin_ptx ptx;
    struct failure failure = {0};
    assert_true(fatbin_read(image->bytes, image->used, wanted, &ptx, &failure));
    assert_int_equal(ptx.architecture, architecture);
    assert_int_equal(ptx.length, strlen(text));
    assert_memory_equal(ptx.text, text, ptx.length);
    free(ptx.text);
}

/* The requested architecture is chosen, or else the next lower, or else the lowest higher one. */
static void test_choice(void **state)
{
    (void)state;
    struct image image;
    begin(&image);
    add(&image, 2, 80, "machine code");
    add(&image, 1, 90, "for 90");
    expect(&image, 80, 90, "for 90");
    add(&image, 1, 86, "for 86");
    expect(&image, 80, 86, "for 86");
    add(&image, 1, 70, "for 70");
    add(&image, 1, 75, "for 75 ");
    expect(&image, 80, 75, "for 75 ");
    add(&image, 1, 80, "for 80");
    expect(&image, 80, 80, "for 80");
    expect(&image, 100, 90, "for 90");
}

static void test_none(void **state)
{
    (void)state;
    struct image image;
    struct fatbin_ptx ptx;
    struct failure failure = {0};
    begin(&image);
    add(&image, 2, 80, "machine code");
    assert_false(fatbin_read(image.bytes, image.used, 80, &ptx, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_non_null(strstr(failure.text, "no PTX"));
    assert_null(ptx.text);
}

/* A truncated file results in a failure, and a changed bit in PTX or a failure. Sanitizers detect
 * reads past the end. */
static void test_damage(void **state)
{
    (void)state;
    struct image image;
    begin(&image);
    add(&image, 1, 80, "for 80");
    for (size_t size = 0; size < image.used; size++) {
        unsigned char *bytes = malloc(size + 1);
        struct fatbin_ptx ptx;
        struct failure failure = {0};
        assert_non_null(bytes);
        memcpy(bytes, image.bytes, size);
        assert_false(fatbin_read(bytes, size, 80, &ptx, &failure));
        free(bytes);
    }
    for (size_t at = 0; at < image.used; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct fatbin_ptx ptx;
            struct failure failure = {0};
            image.bytes[at] ^= (unsigned char)(1 << bit);
            if (fatbin_read(image.bytes, image.used, 80, &ptx, &failure))
                free(ptx.text);
            image.bytes[at] ^= (unsigned char)(1 << bit);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
