/* Tests of device.c: device files, occupancy computed by hand, and rejections of invalid files. */
#include "emulator/device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES "profiler/devices"

static struct device find(const char *name)
{
    struct device device;
    struct failure failure = {0};
    if (!device_find(DEVICES, name, &device, &failure))
        print_error("%s\n", failure.text);
    assert_int_equal(failure.kind, FAILURE_NONE);
    return device;
}

static void test_devices_are_listed_in_order(void **state)
{
    (void)state;
    static const char *const expected[] = {"8800gtx", "a100",    "gtx280", "h100",
                                           "h200",    "rtx3070", "toy"};
    struct failure failure = {0};
    unsigned count;
    char **names = device_list(DEVICES, &count, &failure);
    assert_non_null(names);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        bool is_listed = false;
        for (unsigned n = 0; n < count; n++)
            is_listed |= strcmp(names[n], expected[i]) == 0;
        assert_true(is_listed);
    }
    for (unsigned n = 0; n < count; n++) {
        find(names[n]);
        assert_true(n == 0 || strcmp(names[n - 1], names[n]) < 0);
    }
    free(names);
}

static void test_published_figures(void **state)
{
    (void)state;
    static const struct {
        const char *name, *chip;
        unsigned capability, sms, threads_per_sm, blocks_per_sm, shared_optin;
        uint64_t l2_bytes;
        double gbps;
    } expected[] = {
        {"h200", "GH100", 90, 132, 2048, 32, 227 << 10, 60 << 20, 4800},
        {"h100", "GH100", 90, 132, 2048, 32, 227 << 10, 50 << 20, 3352},
        {"a100", "GA100", 80, 108, 2048, 32, 163 << 10, 40 << 20, 2039},
        {"rtx3070", "GA104", 86, 46, 1536, 16, 99 << 10, 4 << 20, 448},
        {"gtx280", "GT200", 13, 30, 1024, 8, 16 << 10, 0, 141.7},
        {"8800gtx", "G80", 10, 16, 768, 8, 16 << 10, 0, 86.4},
    };
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct device device = find(expected[i].name);
        assert_string_equal(device.name, expected[i].name);
        assert_string_equal(device.chip, expected[i].chip);
        assert_int_equal(device.compute_capability, expected[i].capability);
        assert_int_equal(device.multiprocessors, expected[i].sms);
        assert_int_equal(device.max_threads_per_sm, expected[i].threads_per_sm);
        assert_int_equal(device.max_blocks_per_sm, expected[i].blocks_per_sm);
        assert_int_equal(device.shared_per_block_optin, expected[i].shared_optin);
        assert_int_equal(device.l2_bytes, expected[i].l2_bytes);
        assert_true(device.dram_gbps == expected[i].gbps);
    }
}

static void test_kinds_of_memory(void **state)
{
    (void)state;
    struct device h200 = find("h200"), gtx280 = find("gtx280"), toy = find("toy");
    assert_string_equal(h200.title, "NVIDIA H200");
    assert_int_equal(h200.coalescing, COALESCE_SECTORS);
    assert_int_equal(h200.partition_map, PARTITION_HASHED);
    assert_int_equal(gtx280.coalescing, COALESCE_SEGMENTS);
    assert_int_equal(gtx280.partition_map, PARTITION_LINEAR);
    assert_int_equal(gtx280.partitions, 8);
    assert_int_equal(gtx280.partition_bytes, 256);
    assert_int_equal(gtx280.max_grid_z, 1);
    struct device g80 = find("8800gtx");
    assert_int_equal(g80.coalescing, COALESCE_STRICT);
    assert_int_equal(g80.partition_map, PARTITION_LINEAR);
    assert_int_equal(g80.partitions, 6);
    assert_int_equal(g80.partition_bytes, 256);
    assert_int_equal(gtx280.shared_lanes, 16);
    assert_int_equal(toy.warp_lanes, 4);
    assert_int_equal(toy.line_bytes, 16);
    assert_int_equal(toy.shared_banks, 4);
}

static void test_resident_blocks(void **state)
{
    (void)state;
    struct device h200 = find("h200"), gtx280 = find("gtx280"), rtx3070 = find("rtx3070");
    assert_int_equal(device_resident_blocks(&h200, 256, 0, 0), 8); /* Threads: 2048 / 256. */
    assert_int_equal(device_resident_blocks(&h200, 32, 0, 0), 32);
    assert_int_equal(device_resident_blocks(&h200, 33, 0, 0), 32); /* Two warps: 2048 / 64. */
    assert_int_equal(device_resident_blocks(&h200, 1024, 0, 0), 2);
    assert_int_equal(device_resident_blocks(&h200, 128, 48 << 10, 0), 4); /* 228 / 49 KiB */
    assert_int_equal(device_resident_blocks(&h200, 128, 227 << 10, 0), 1);
    assert_int_equal(device_resident_blocks(&rtx3070, 1024, 0, 0), 1); /* 1536 / 1024 */
    /* Registers per warp: 61 x 32 are rounded up to 2048, so an SM has 32 warps. 33 x 32 are
     * rounded up to 1280, so each of four register files has 12 warps. */
    assert_int_equal(device_resident_blocks(&h200, 256, 0, 32), 8);
    assert_int_equal(device_resident_blocks(&h200, 256, 0, 61), 4);
    assert_int_equal(device_resident_blocks(&h200, 256, 0, 33), 6);
    assert_int_equal(device_resident_blocks(&h200, 160, 0, 80), 4); /* 6 warps in each file. */
    assert_int_equal(device_resident_blocks(&h200, 1024, 0, 64), 1);
    assert_int_equal(device_resident_blocks(&h200, 1024, 0, 65), 0);
    /* Limit: shared memory. */
    assert_int_equal(device_resident_blocks(&h200, 128, 48 << 10, 61), 4);
    assert_int_equal(device_resident_blocks(&rtx3070, 256, 0, 0), 6);
    /* The tile of 32 x 33 floats (gtx280) has 4224 + 16 bytes, rounded up to 4608. */
    assert_int_equal(device_resident_blocks(&gtx280, 256, 4224, 0), 3);
    assert_int_equal(device_resident_blocks(&gtx280, 256, 0, 0), 4);
    struct device g80 = find("8800gtx");
    assert_int_equal(device_resident_blocks(&g80, 256, 0, 0), 3); /* 768 / 256 */
}

static void test_blocks_that_do_not_fit(void **state)
{
    (void)state;
    struct device h200 = find("h200"), gtx280 = find("gtx280");
    assert_int_equal(device_resident_blocks(&h200, 0, 0, 0), 0);
    assert_int_equal(device_resident_blocks(&h200, 1025, 0, 0), 0);
    assert_int_equal(device_resident_blocks(&h200, 32, (227 << 10) + 1, 0), 0);
    assert_int_equal(device_resident_blocks(&h200, 32, ~0ull, 0), 0);
    assert_int_equal(device_resident_blocks(&gtx280, 513, 0, 0), 0);
    assert_int_equal(device_resident_blocks(&gtx280, 32, 16384, 0), 0); /* 16 bytes are reserved. */
}

static char directory[] = "/tmp/device_test_XXXXXX";
static char path[sizeof directory + 16];

static int make_directory(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/mine.conf", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

/* Replace the line of `key` in h200.conf, or delete the line if `replacement` is NULL, and append
 * `more`. Returns the line number of `key`, or 0. */
static unsigned write_variant(const char *key, const char *replacement, const char *more)
{
    char line[512];
    unsigned number = 0, found = 0;
    FILE *from = fopen(DEVICES "/h200.conf", "r"), *to = fopen(path, "w");
    assert_non_null(from);
    assert_non_null(to);
    while (fgets(line, sizeof line, from)) {
        number++;
        size_t length = strlen(key);
        if (strncmp(line, key, length) == 0 && strchr(" =", line[length])) {
            found = number;
            if (replacement)
                fprintf(to, "%s\n", replacement);
        } else {
            fputs(line, to);
        }
    }
    fputs(more, to);
    fclose(from);
    assert_int_equal(fclose(to), 0);
    return found;
}

static void assert_refused(const char *key, const char *replacement, const char *words)
{
    struct device device;
    struct failure failure = {0};
    char place[128];
    unsigned line = write_variant(key, replacement, "");
    assert_true(line > 0);
    assert_false(device_read(path, &device, &failure));
    assert_int_equal(failure.kind, FAILURE_HARNESS);
    snprintf(place, sizeof place, "%s:%u: ", path, line);
    if (!replacement)
        snprintf(place, sizeof place, "%s: ", path);
    if (strncmp(failure.text, place, strlen(place)) != 0 || !strstr(failure.text, words)) {
        print_error("%s\n  is not: %s ... %s\n", failure.text, place, words);
        fail();
    }
}

static void test_a_copy_is_accepted(void **state)
{
    (void)state;
    struct device device;
    struct failure failure = {0};
    write_variant("latency_ns", "latency_ns = 12.5", "");
    assert_true(device_read(path, &device, &failure));
    assert_string_equal(device.name, "mine");
    assert_true(device.latency_ns == 12.5);
}

static void test_bad_values(void **state)
{
    (void)state;
    static const struct {
        const char *key, *line, *words;
    } cases[] = {
        {"multiprocessors", "multiprocessors = 0", "1 to 4096"},
        {"multiprocessors", "multiprocessors = -1", "a whole number"},
        {"multiprocessors", "multiprocessors = 1.5", "a whole number"},
        {"multiprocessors", "multiprocessors = 0x10", "a whole number"},
        {"multiprocessors", "multiprocessors = 99999999999999999999999", "a whole number"},
        {"multiprocessors", "multiprocessors =", "a whole number"},
        {"link_gbps", "link_gbps = fast", "a decimal number"},
        {"clock_mhz", "clock_mhz = nan", "a decimal number"},
        {"clock_mhz", "clock_mhz = 1e3", "a decimal number"},
        {"clock_mhz", "clock_mhz = 1.", "a decimal number"},
        {"clock_mhz", "clock_mhz = .5", "a decimal number"},
        {"clock_mhz", "clock_mhz = 1.2.3", "a decimal number"},
        {"clock_mhz", "clock_mhz = 0", "1 to 100000"},
        {"warp_lanes", "warp_lanes = 24", "a power of two, 1 to 32"},
        {"warp_lanes", "warp_lanes = 64", "a power of two, 1 to 32"},
        {"dram_efficiency", "dram_efficiency = 1.01", "0.01 to 1"},
        {"l2_ways", "l2_ways = 17", "1 to 16"},
        {"partition_map", "partition_map = random", "linear or hashed"},
        {"coalescing", "coalescing = Sectors", "sectors or segments or strict"},
        {"title", "title =", "1 to 63 characters"},
        {"chip", "chip = a very long name indeed", "1 to 15 characters"},
        {"l1_ways", "l1_way = 4", "unknown key `l1_way`"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i].key, cases[i].line, cases[i].words);
}

static void test_contradictions(void **state)
{
    (void)state;
    static const struct {
        const char *key, *line, *words;
    } cases[] = {
        {"line_bytes", "line_bytes = 64", "128-byte lines of 32-byte sectors"},
        {"shared_per_block", "shared_per_block = 300000", "more than shared_per_block_optin"},
        {"shared_per_block_optin", "shared_per_block_optin = 300000", "more than shared_per_sm"},
        {"l1_bytes", "l1_bytes = 233472", "more than shared_per_sm"},
        {"l2_bytes", "l2_bytes = 128", "less than one set"},
        {"partition_bytes", "partition_bytes = 64", "less than line_bytes"},
        {"max_threads_per_sm", "max_threads_per_sm = 512", NULL},
        {"warp_lanes", "warp_lanes = 16", NULL},
        {"coalescing", "coalescing = segments", "CC 1.x"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device device;
        struct failure failure = {0};
        if (cases[i].words) {
            assert_refused(cases[i].key, cases[i].line, cases[i].words);
            continue;
        }
        assert_true(write_variant(cases[i].key, cases[i].line, "") > 0);
        assert_false(device_read(path, &device, &failure));
    }
}

static void test_missing_and_extra_keys(void **state)
{
    (void)state;
    struct device device;
    struct failure failure = {0};
    assert_refused("latency_ns", NULL, "`latency_ns` is missing");
    assert_refused("title", NULL, "`title` is missing");
    assert_refused("partition_map", NULL, "`partition_map` is missing");
    write_variant("no such line", NULL, "color = green\n");
    assert_false(device_read(path, &device, &failure));
    assert_non_null(strstr(failure.text, "unknown key `color`"));
}

static void test_keys_that_may_be_missing(void **state)
{
    (void)state;
    static const char *const keys[] = {"memory_bus_bits", "link_gbps", "link_latency_us"};
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct device device;
        struct failure failure = {0};
        write_variant(keys[i], NULL, "");
        assert_true(device_read(path, &device, &failure));
        assert_true(device.memory_bus_bits > 0 && device.link_gbps > 0 &&
                    device.link_latency_us > 0);
    }
}

static const char *no_source(void *context, const char *field)
{
    return context ? field : "";
}

static void test_what_is_written_is_read_back(void **state)
{
    (void)state;
    struct failure failure = {0};
    unsigned count;
    char **names = device_list(DEVICES, &count, &failure);
    assert_non_null(names);
    for (unsigned i = 0; i < 2 * count; i++) {
        struct device device = find(names[i / 2]), again;
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(device_write(file, &device, "# about", no_source, i % 2 ? &device : NULL));
        assert_int_equal(fclose(file), 0);
        if (!device_read(path, &again, &failure))
            fail_msg("%s", failure.text);
        memcpy(again.name, device.name, sizeof again.name);
#define X(type, field, minimum, maximum, unit, meaning)                                            \
    assert_true((double)device.field * 0.9995 <= (double)again.field &&                            \
                (double)again.field <= (double)device.field * 1.0005);
        DEVICE_FIELDS(X)
#undef X
        assert_string_equal(again.title, device.title);
        assert_string_equal(again.chip, device.chip);
        assert_int_equal(again.partition_map, device.partition_map);
        assert_int_equal(again.coalescing, device.coalescing);
    }
    free(names);
}

static void test_a_full_disk(void **state)
{
    (void)state;
    struct device device = find("h200");
    FILE *file = fopen("/dev/full", "w");
    if (!file)
        skip();
    assert_false(device_write(file, &device, "# about", no_source, NULL));
    fclose(file);
}

static void test_unknown_names(void **state)
{
    (void)state;
    static const char *const names[] = {"h999", "", "../devices/h200", "H200", "h200.conf", "."};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct device device;
        struct failure failure = {0};
        assert_false(device_find(DEVICES, names[i], &device, &failure));
        assert_int_equal(failure.kind, FAILURE_HARNESS);
        assert_non_null(strstr(failure.text, "unknown device"));
        assert_non_null(strstr(failure.text, "gtx280, "));
    }
}

static void test_missing_directory(void **state)
{
    (void)state;
    struct device device;
    struct failure failure = {0};
    unsigned count;
    assert_null(device_list("/nonexistent", &count, &failure));
    assert_non_null(strstr(failure.text, "/nonexistent: No such file"));
    failure = (struct failure){0};
    assert_false(device_find("/nonexistent", "h200", &device, &failure));
    failure = (struct failure){0};
    unlink(path);
    assert_false(device_find(directory, "h200", &device, &failure));
    assert_non_null(strstr(failure.text, ": none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices_are_listed_in_order),
        cmocka_unit_test(test_published_figures),
        cmocka_unit_test(test_kinds_of_memory),
        cmocka_unit_test(test_resident_blocks),
        cmocka_unit_test(test_blocks_that_do_not_fit),
        cmocka_unit_test(test_a_copy_is_accepted),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_missing_and_extra_keys),
        cmocka_unit_test(test_keys_that_may_be_missing),
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_missing_directory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
