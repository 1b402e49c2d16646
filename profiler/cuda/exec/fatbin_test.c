/* fatbin_test.c: read handmade fat binaries in the format of nvcc 13, and damaged fat binaries. */
#include "cuda/exec/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

struct image {
    unsigned char bytes[4096];
    size_t used;
};

static void put(struct image *image, uint64_t value, unsigned bytes)
{
    memcpy(image->bytes + image->used, &value, bytes);
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

static void add(struct image *image, unsigned kind, unsigned architecture, const char *text)
{
    size_t padded = (strlen(text) + 8) / 8 * 8;
    put(image, kind, 2);
    put(image, 0x101, 2);
    put(image, 64, 4);
    put(image, padded, 8);
    put(image, 0, 8);
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

/* The image ends where readable memory ends, so that a read past the end is a fault. */
static const unsigned char *at_the_end(const struct image *image)
{
    static unsigned char *memory;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!memory) {
        memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(memory != MAP_FAILED);
        assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    }
    return memcpy(memory + page - image->used, image->bytes, image->used);
}

static void expect(const struct image *image, unsigned wanted, unsigned architecture,
                   const char *text)
{
    struct fatbin_ptx ptx;
    struct failure failure = {0};
    assert_true(fatbin_read(at_the_end(image), image->used, wanted, &ptx, &failure));
    assert_int_equal(ptx.architecture, architecture);
    assert_int_equal(ptx.length, strlen(text));
    assert_memory_equal(ptx.text, text, ptx.length);
    free(ptx.text);
}

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

/* A truncated fat binary is a failure. Sanitizers detect reads past the end of a damaged one. */
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

enum {
    HEADER_BYTES_AT = 6,
    BYTES_AT = 8,
    ENTRY_AT = 16,
    ENTRY_HEADER_AT = ENTRY_AT + 4,
    PADDED_AT = ENTRY_AT + 8,
    PACKED_AT = ENTRY_AT + 16,
    FLAGS_AT = ENTRY_AT + 40,
    UNPACKED_AT = ENTRY_AT + 56,
    PAYLOAD_AT = ENTRY_AT + 64,
};

static void set(struct image *image, size_t at, uint64_t value, unsigned bytes)
{
    memcpy(image->bytes + at, &value, bytes);
}

static void expect_damage(const struct image *image)
{
    struct fatbin_ptx ptx;
    struct failure failure = {0};
    assert_false(fatbin_read(at_the_end(image), image->used, 80, &ptx, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    assert_null(ptx.text);
}

static void test_size(void **state)
{
    (void)state;
    struct image image;
    begin(&image);
    assert_int_equal(fatbin_bytes(image.bytes, 16), 16);
    assert_int_equal(fatbin_bytes(image.bytes, 15), 0);
    assert_int_equal(fatbin_bytes(image.bytes, 0), 0);
    add(&image, 1, 80, "for 80");
    assert_int_equal(fatbin_bytes(image.bytes, image.used), image.used);
    assert_int_equal(fatbin_bytes(image.bytes, image.used - 1), 0);
    assert_int_equal(fatbin_bytes(image.bytes, image.used + 1), image.used);
    assert_int_equal(fatbin_bytes(image.bytes, SIZE_MAX), image.used);
    set(&image, HEADER_BYTES_AT, 15, 2);
    assert_int_equal(fatbin_bytes(image.bytes, SIZE_MAX), 0);
    set(&image, HEADER_BYTES_AT, 24, 2);
    assert_int_equal(fatbin_bytes(image.bytes, SIZE_MAX), image.used + 8);
    set(&image, HEADER_BYTES_AT, 16, 2);
    set(&image, BYTES_AT, (uint64_t)1 << 40, 8);
    assert_int_equal(fatbin_bytes(image.bytes, SIZE_MAX), ((uint64_t)1 << 40) + 16);
    set(&image, BYTES_AT, ((uint64_t)1 << 40) + 1, 8);
    assert_int_equal(fatbin_bytes(image.bytes, SIZE_MAX), 0);
    set(&image, BYTES_AT, 0, 8);
    set(&image, 0, 0xba55ed51, 4);
    assert_int_equal(fatbin_bytes(image.bytes, SIZE_MAX), 0);
}

/* The entry has a header of 64 bytes and a payload of 8 bytes. */
static void test_entry_bounds(void **state)
{
    static const struct {
        uint64_t header, padded;
        const char *text; /* NULL if the fat binary is damaged */
    } cases[] = {
        {64, 8, "for 80"}, {64, 7, "for 80"},      {64, 9, NULL}, {64, 64 + 8, NULL},
        {64, 16, NULL},    {64, UINT64_MAX, NULL}, {63, 8, NULL}, {63, 9, NULL},
        {72, 0, ""},       {72, 1, NULL},          {73, 0, NULL}, {72, 72, NULL},
        {70, 2, ""},       {UINT32_MAX, 0, NULL},  {0, 8, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct image image;
        begin(&image);
        add(&image, 1, 80, "for 80");
        set(&image, ENTRY_HEADER_AT, cases[i].header, 4);
        set(&image, PADDED_AT, cases[i].padded, 8);
        if (cases[i].text)
            expect(&image, 80, 80, cases[i].text);
        else
            expect_damage(&image);
    }
}

/* The last entry may be a header without a payload. The first of two equal entries is chosen. */
static void test_last_entry(void **state)
{
    (void)state;
    struct image image;
    begin(&image);
    add(&image, 1, 90, "for 90");
    add(&image, 1, 90, "again");
    expect(&image, 90, 90, "for 90");
    const size_t last = image.used;
    add(&image, 1, 80, "for 80");
    set(&image, last + 8, 0, 8);
    image.used -= 8;
    set(&image, BYTES_AT, image.used - 16, 8);
    expect(&image, 80, 80, "");
    image.used -= 1; /* fewer bytes than an entry's header are ignored */
    set(&image, BYTES_AT, image.used - 16, 8);
    expect(&image, 80, 90, "for 90");
}

/* Machine code runs on GPUs with the same major and the same or a higher minor version. */
static void test_machine_code(void **state)
{
    static const struct {
        unsigned wanted, architecture; /* 0 if no entry is suitable */
    } cases[] = {{86, 86}, {85, 80}, {80, 80}, {87, 86}, {89, 89}, {90, 90},
                 {99, 90}, {79, 75}, {75, 75}, {74, 0},  {100, 0}, {70, 0}};
    (void)state;
    struct image image;
    begin(&image);
    add(&image, 1, 70, "PTX for 70");
    add(&image, 2, 80, "80");
    add(&image, 2, 90, "90");
    add(&image, 2, 75, "75");
    add(&image, 2, 86, "86");
    add(&image, 2, 89, "89");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fatbin_ptx cubin;
        bool found = fatbin_read_cubin(image.bytes, image.used, cases[i].wanted, &cubin);
        assert_int_equal(found, cases[i].architecture != 0);
        assert_int_equal(cubin.architecture, cases[i].architecture);
        if (!found)
            continue;
        assert_int_equal(cubin.length, 8); /* the final zeros may be code */
        assert_int_equal(atoi(cubin.text), (int)cases[i].architecture);
        free(cubin.text);
    }
}

/* The LZ4 block consists of one token (the number of literals) and the literals. */
static void test_compressed(void **state)
{
    static const struct {
        unsigned packed, unpacked;
        bool good;
    } cases[] = {{8, 7, true}, {9, 7, false}, {7, 7, false}, {8, 6, false}, {8, 8, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct image image;
        begin(&image);
        add(&image, 1, 80,
            "\x70"
            "for 80.");
        add(&image, 2, 80, "machine code");
        const size_t padded = 8;
        memmove(image.bytes + PAYLOAD_AT + padded, image.bytes + PAYLOAD_AT + 16,
                image.used - PAYLOAD_AT - 16);
        image.used -= 8;
        set(&image, BYTES_AT, image.used - 16, 8);
        set(&image, PADDED_AT, padded, 8);
        set(&image, PACKED_AT, cases[i].packed, 4);
        set(&image, FLAGS_AT, 0x2000, 8);
        set(&image, UNPACKED_AT, cases[i].unpacked, 8);
        bool can_unpack = false;
#ifdef HAVE_LZ4
        can_unpack = true;
#endif
        if (cases[i].good && can_unpack)
            expect(&image, 80, 80, "for 80.");
        else
            expect_damage(&image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),       cmocka_unit_test(test_none),
        cmocka_unit_test(test_damage),       cmocka_unit_test(test_size),
        cmocka_unit_test(test_entry_bounds), cmocka_unit_test(test_last_entry),
        cmocka_unit_test(test_machine_code), cmocka_unit_test(test_compressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
