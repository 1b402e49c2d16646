/* patterns_test.c: compare the emulator with hardware, one access pattern at a time.
 * testdata/patterns_h200.csv has the counters of an NVIDIA H200 (testdata/measure_patterns.sh) for
 * the kernels of testdata/patterns.cu. The counters are sums over 8 warps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/emulator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20, COLUMNS = 12 };

static const char *const columns[COLUMNS] = {
    "global load requests",   "global load sectors",   "global store requests",
    "global store sectors",   "shared load requests",  "shared load wavefronts",
    "shared load conflicts",  "shared store requests", "shared store wavefronts",
    "shared store conflicts", "L2 read sectors",       "L2 write sectors",
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = 0;
    fclose(file);
    return text;
}

static void count_pattern(const struct program *program, int function,
                          const struct guest_memory *memory, const struct device *device,
                          uint64_t counts[COLUMNS])
{
    uint64_t params[2] = {memory->regions[0].base, memory->regions[1].base};
    struct emulator_launch launch = {
        .program = program,
        .function = function,
        .grid = {4, 1, 1},
        .block = {64, 1, 1},
        .params = (const unsigned char *)params,
        .memory = memory,
        .device = device,
        .workers = 1,
        .model_memory = true,
        .mode = LAUNCH_COUNT, /* Most patterns read uninitialized memory. */
    };
    struct emulator_result result;
    struct failure failure = {0};
    if (!emulator_run(&launch, &result, &failure))
        fail_msg("%s", failure.text);
    const struct counters *c = &result.counters;
    const uint64_t values[COLUMNS] = {
        c->global_load_requests,
        c->global_load_sectors,
        c->global_store_requests,
        c->global_store_sectors,
        c->shared_load_requests,
        c->shared_load_wavefronts,
        c->shared_load_wavefronts - c->shared_load_ideal_wavefronts,
        c->shared_store_requests,
        c->shared_store_wavefronts,
        c->shared_store_wavefronts - c->shared_store_ideal_wavefronts,
        result.memory.l2_read_bytes / 32,
        result.memory.l2_write_bytes / 32,
    };
    memcpy(counts, values, sizeof values);
    free(result.stats);
}

static void test_patterns(void **state)
{
    (void)state;
    char *ptx = read_file("profiler/emulator/testdata/patterns.ptx");
    char *csv = read_file("profiler/emulator/testdata/patterns_h200.csv");
    struct failure failure = {0};
    struct ptx_module module = {0};
    struct device device;
    assert_true(device_find("profiler/devices", "h200", &device, &failure));
    assert_true(ptx_parse(ptx, strlen(ptx), "patterns.ptx", &module, &failure));
    struct guest_memory memory;
    memory_init(&memory);
    unsigned char *buffers[2];
    for (unsigned i = 0; i < 2; i++) {
        buffers[i] = calloc(1, BUFFER_BYTES);
        assert_non_null(buffers[i]);
        assert_non_null(memory_map(&memory, buffers[i], BUFFER_BYTES, 1 << 20, i ? "in" : "out"));
    }
    struct program program;
    assert_true(program_create(&module, &memory, &program, &failure));
    unsigned kernels = 0, wrong = 0;
    char *lines;
    strtok_r(csv, "\n", &lines);
    for (char *line; (line = strtok_r(NULL, "\n", &lines));) {
        char *fields, *name = strtok_r(line, ",", &fields);
        int function = program_find_entry(&program, name);
        assert_true(function >= 0);
        uint64_t counts[COLUMNS];
        count_pattern(&program, function, &memory, &device, counts);
        for (unsigned i = 0; i < COLUMNS; i++) {
            char *field = strtok_r(NULL, ",", &fields);
            assert_non_null(field);
            uint64_t measured = strtoull(field, NULL, 10);
            if (measured != counts[i]) {
                print_error("%s: %s: hardware %" PRIu64 ", emulator %" PRIu64 "\n", name,
                            columns[i], measured, counts[i]);
                wrong++;
            }
        }
        kernels++;
    }
    assert_int_equal(wrong, 0);
    assert_true(kernels >= 138);
    program_free(&program);
    memory_free(&memory);
    ptx_module_free(&module);
    free(buffers[0]);
    free(buffers[1]);
    free(ptx);
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
