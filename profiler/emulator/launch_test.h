/* launch_test.h: run a kernel in a test. A bench has one PTX module and two arrays of int, `out`
 * and `in`, each between guard bands. Guest memory has the layout that tlab uses. */
#ifndef LAUNCH_TEST_H
#define LAUNCH_TEST_H

#include "emulator/emulator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BENCH_GUARD = GUEST_GUARD_BYTES };

struct bench {
    struct ptx_module module;
    bool is_parsed;
    int *out, *in;
    size_t out_count, in_count;
    struct emulator_result result;
    struct failure failure;
    uint64_t instructions;
    uint64_t constants;
    struct instruction_stats *stats;
};

/* Fields that are 0 select one block of 64 threads, one worker, and no model of memory and time. */
struct bench_launch {
    const char *kernel;
    struct dimensions grid, block;
    uint64_t shared;
    int n; /* The kernel's third parameter. */
    const struct observer *observer;
    const struct device *device;
    unsigned workers;
    bool model_memory;
    uint64_t block_budget, grid_budget;
    FILE *output;
    bool null_out;
    bool undefined_out;
    enum launch_mode mode;
    unsigned repair;
    bool is_anonymous;
};

static inline void bench_parse(struct bench *bench, const char *text, size_t length,
                               const char *name)
{
    struct failure failure = {0};
    memset(bench, 0, sizeof *bench);
    if (!ptx_parse(text, length, name, &bench->module, &failure))
        fail_msg("%s does not parse: %s", name, failure.text);
    bench->is_parsed = true;
}

static inline void bench_open(struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot read %s: run the tests in the repository's root", path);
    size_t capacity = 1 << 20;
    char *text = malloc(capacity);
    assert_non_null(text);
    size_t length = fread(text, 1, capacity, file);
    fclose(file);
    assert_true(length < capacity);
    bench_parse(bench, text, length, path);
    free(text);
}

/* Allocate the arrays. `out` is zeroed. `in` has fixed pseudorandom values from 0 to limit - 1. */
static inline void bench_arrays(struct bench *bench, size_t out_count, size_t in_count, int limit)
{
    free(bench->out);
    free(bench->in);
    /* Allocate the exact size, so that AddressSanitizer reports accesses past the end. */
    assert_int_equal(posix_memalign((void **)&bench->out, 64, out_count * sizeof(int)), 0);
    assert_int_equal(posix_memalign((void **)&bench->in, 64, in_count * sizeof(int)), 0);
    bench->out_count = out_count;
    bench->in_count = in_count;
    memset(bench->out, 0, out_count * sizeof(int));
    uint32_t random = 12345;
    for (size_t i = 0; i < in_count; i++) {
        random = random * 1664525u + 1013904223u;
        bench->in[i] = (int)((random >> 8) % (unsigned)limit);
    }
}

static inline void bench_close(struct bench *bench)
{
    free(bench->out);
    free(bench->in);
    free(bench->stats);
    if (bench->is_parsed)
        ptx_module_free(&bench->module);
    memset(bench, 0, sizeof *bench);
}

static inline uint64_t bench_map(struct guest_memory *memory, int *host, size_t count,
                                 const char *name, bool starts_undefined)
{
    static unsigned char guards[2][BENCH_GUARD] __attribute__((aligned(64)));
    struct memory_region *before = memory_map(memory, guards[0], BENCH_GUARD, 2048, "guard");
    assert_non_null(before);
    before->is_guard = true;
    struct memory_region *region =
        memory_map(memory, (unsigned char *)host, count * sizeof *host, 2048, name);
    assert_non_null(region);
    region->element_bytes = sizeof *host;
    region->starts_undefined = starts_undefined;
    uint64_t base = region->base;
    struct memory_region *after = memory_map(memory, guards[1], BENCH_GUARD, 4, "guard");
    assert_non_null(after);
    after->is_guard = true;
    return base;
}

/* Launch a kernel. Returns false for a failure of any stage, which bench->failure describes. */
static inline bool bench_run(struct bench *bench, const struct bench_launch *what)
{
    struct guest_memory memory;
    struct program program;
    memory_init(&memory);
    struct {
        uint64_t out, in;
        uint32_t n;
    } *params = calloc(1, 4096); /* The maximum size of parameters. */
    assert_non_null(params);
    params->out = what->null_out ? 0
                                 : bench_map(&memory, bench->out, bench->out_count, "out",
                                             what->undefined_out);
    params->in = bench_map(&memory, bench->in, bench->in_count, "in", false);
    params->n = (uint32_t)what->n;
    memset(&bench->failure, 0, sizeof bench->failure);
    memset(&bench->result, 0, sizeof bench->result);
    free(bench->stats);
    bench->stats = NULL;
    bool good = program_create(&bench->module, &memory, &program, &bench->failure);
    if (good) {
        struct emulator_launch launch = {
            .program = &program,
            .function = program_find_entry(&program, what->kernel),
            .grid = what->grid.x ? what->grid : (struct dimensions){1, 1, 1},
            .block = what->block.x ? what->block : (struct dimensions){64, 1, 1},
            .dynamic_shared = what->shared,
            .params = (const unsigned char *)params,
            .memory = &memory,
            .device = what->device,
            .workers = what->workers ? what->workers : 1,
            .model_memory = what->model_memory,
            .mode = what->mode,
            .repair = what->repair,
            .is_anonymous = what->is_anonymous,
            .block_budget = what->block_budget,
            .grid_budget = what->grid_budget,
            .output = what->output,
            .observer = what->observer,
        };
        if (launch.function < 0)
            fail_msg("no kernel %s", what->kernel);
        good = emulator_run(&launch, &bench->result, &bench->failure);
        bench->stats = bench->result.stats;
        bench->instructions = program.instruction_count;
        bench->constants = program.constants_bytes;
        program_free(&program);
    }
    memory_free(&memory);
    free(params);
    return good;
}

static inline void bench_expect_failure(const struct bench *bench, bool good, enum status status,
                                        const char *const *parts)
{
    if (good)
        fail_msg("no failure where %s was expected", status_name(status));
    if (bench->failure.kind != FAILURE_STUDENT || bench->failure.status != status)
        fail_msg("%s instead of %s: %s",
                 bench->failure.kind == FAILURE_STUDENT ? status_name(bench->failure.status)
                                                        : "a failure of the harness",
                 status_name(status), bench->failure.text);
    for (; *parts; parts++)
        if (!strstr(bench->failure.text, *parts))
            fail_msg("the message does not contain \"%s\": %s", *parts, bench->failure.text);
}

static inline void bench_expect_good(const struct bench *bench, bool good, const char *kernel)
{
    if (!good)
        fail_msg("%s: %s", kernel, bench->failure.text);
}

static inline void bench_device(const char *name, struct device *device)
{
    struct failure failure = {0};
    if (!device_find("profiler/devices", name, device, &failure))
        fail_msg("%s", failure.text);
}

#endif
