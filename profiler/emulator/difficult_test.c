/* difficult_test.c: the emulator against hardware, whole kernels.
 *
 * testdata/difficult_h200.csv holds what an NVIDIA H200 counted (testdata/difficult_h200.txt has the
 * versions) for the launches of testdata/difficult.txt, each up to three times with cold caches. The
 * hardware ran what ptxas made of difficult.ptx, which is what the emulator runs.
 *
 * Requests, sectors and ideal wavefronts must be equal. The other counters have bands; where the
 * hardware's repeats differ, the band is counted from the nearest of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 288 << 20, REPEATS = 3, LAUNCH_FIELDS = 8 };

/* The CSV's columns behind the launch and the repeat. */
enum counter {
    LOAD_REQUESTS,
    LOAD_SECTORS,
    STORE_REQUESTS,
    STORE_SECTORS,
    SHARED_LOADS,
    SHARED_LOAD_WAVEFRONTS,
    SHARED_LOAD_CONFLICTS,
    SHARED_STORES,
    SHARED_STORE_WAVEFRONTS,
    SHARED_STORE_CONFLICTS,
    L2_READS,
    L2_WRITES,
    DRAM_READS,
    DRAM_WRITES,
    COUNTERS,
};

static const char *const counter_names[COUNTERS] = {
    "global load requests",   "global load sectors",     "global store requests",
    "global store sectors",   "shared load requests",    "shared load wavefronts",
    "shared load conflicts",  "shared store requests",   "shared store wavefronts",
    "shared store conflicts", "L2 read sectors",         "L2 write sectors",
    "DRAM read bytes",        "DRAM write bytes",
};

struct launch {
    char kernel[64];
    unsigned grid[2], block[2], shared;
    int n, a;
    unsigned repeats;
    double measured[REPEATS][COUNTERS];
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

/* Read one line of the CSV into the launch that it repeats. */
static void read_row(char *row, struct launch *launches, unsigned *count, unsigned *index)
{
    struct launch launch = {.repeats = 0};
    int used = 0;
    unsigned repeat;
    assert_int_equal(sscanf(row, "%63[^,],%u,%u,%u,%u,%u,%d,%d,%u%n", launch.kernel,
                            &launch.grid[0], &launch.grid[1], &launch.block[0], &launch.block[1],
                            &launch.shared, &launch.n, &launch.a, &repeat, &used),
                     LAUNCH_FIELDS + 1);
    assert_in_range(repeat, 1, REPEATS);
    if (repeat == 1)
        launches[(*count)++] = launch;
    unsigned at = repeat == 1 ? *count - 1 : (*index)++ % *count;
    struct launch *same = &launches[at];
    assert_string_equal(same->kernel, launch.kernel);
    same->repeats = repeat;
    row += used;
    for (unsigned i = 0; i < COUNTERS; i++) {
        assert_int_equal(*row, ',');
        same->measured[repeat - 1][i] = strtod(row + 1, &row);
    }
}

struct machine {
    struct device device;
    struct ptx_module module;
    struct program program;
    struct guest_memory memory;
    unsigned char *buffers[2];
};

static void count_launch(const struct machine *machine, const struct launch *launch,
                         double counts[COUNTERS], double ideals[2])
{
    struct {
        uint64_t out, in;
        int32_t n, a;
    } params = {machine->memory.regions[0].base, machine->memory.regions[1].base, launch->n,
                launch->a};
    int function = program_find_entry(&machine->program, launch->kernel);
    assert_true(function >= 0);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct emulator_launch emulated = {
        .program = &machine->program,
        .function = function,
        .grid = {launch->grid[0], launch->grid[1], 1},
        .block = {launch->block[0], launch->block[1], 1},
        .dynamic_shared = launch->shared,
        .params = (const unsigned char *)&params,
        .memory = &machine->memory,
        .device = &machine->device,
        .workers = processors > 0 ? (unsigned)processors : 1,
        .model_memory = true,
    };
    struct emulator_result result;
    struct failure failure = {0};
    if (!emulator_run(&emulated, &result, &failure))
        fail_msg("%s: %s", launch->kernel, failure.text);
    const struct counters *c = &result.counters;
    const double values[COUNTERS] = {
        [LOAD_REQUESTS] = (double)c->global_load_requests,
        [LOAD_SECTORS] = (double)c->global_load_sectors,
        [STORE_REQUESTS] = (double)c->global_store_requests,
        [STORE_SECTORS] = (double)c->global_store_sectors,
        [SHARED_LOADS] = (double)c->shared_load_requests,
        [SHARED_LOAD_WAVEFRONTS] = (double)c->shared_load_wavefronts,
        [SHARED_LOAD_CONFLICTS] =
            (double)(c->shared_load_wavefronts - c->shared_load_ideal_wavefronts),
        [SHARED_STORES] = (double)c->shared_store_requests,
        [SHARED_STORE_WAVEFRONTS] = (double)c->shared_store_wavefronts,
        [SHARED_STORE_CONFLICTS] =
            (double)(c->shared_store_wavefronts - c->shared_store_ideal_wavefronts),
        [L2_READS] = (double)result.memory.l2_read_bytes / 32,
        [L2_WRITES] = (double)result.memory.l2_write_bytes / 32,
        [DRAM_READS] = (double)result.memory.dram_read_bytes,
        [DRAM_WRITES] = (double)result.memory.dram_write_bytes,
    };
    memcpy(counts, values, sizeof values);
    ideals[0] = (double)c->shared_load_ideal_wavefronts;
    ideals[1] = (double)c->shared_store_ideal_wavefronts;
    free(result.stats);
}

static void print_all(const struct launch *l, const double counts[COUNTERS], const double ideals[2])
{
    (void)ideals;
    printf("%s %ux%u s%u n%d a%d:", l->kernel, l->block[0], l->block[1], l->shared, l->n, l->a);
    for (unsigned i = 0; i < COUNTERS; i++) {
        double low = l->measured[0][i], high = low;
        for (unsigned r = 1; r < l->repeats; r++) {
            low = fmin(low, l->measured[r][i]);
            high = fmax(high, l->measured[r][i]);
        }
        double near = fmin(fmax(counts[i], low), high);
        if (counts[i] != near && i != DRAM_WRITES)
            printf(" [%s] hw %.0f em %.0f (%+.1f%%)", counter_names[i], near, counts[i],
                   near ? 100 * (counts[i] / near - 1) : INFINITY);
    }
    printf("\n");
    fflush(stdout);
}

static void test_difficult(void **state)
{
    (void)state;
    char *ptx = read_file("profiler/emulator/testdata/difficult.ptx");
    char *csv = read_file("profiler/emulator/testdata/difficult_h200.csv");
    static struct launch launches[512];
    unsigned count = 0, index = 0;
    char *lines;
    strtok_r(csv, "\n", &lines); /* the header */
    for (char *line; (line = strtok_r(NULL, "\n", &lines));)
        read_row(line, launches, &count, &index);
    static struct machine machine;
    struct failure failure = {0};
    assert_true(device_find("profiler/devices", "h200", &machine.device, &failure));
    assert_true(ptx_parse(ptx, strlen(ptx), "difficult.ptx", &machine.module, &failure));
    memory_init(&machine.memory);
    for (unsigned i = 0; i < 2; i++) {
        machine.buffers[i] = calloc(1, BUFFER_BYTES);
        assert_non_null(machine.buffers[i]);
        assert_non_null(memory_map(&machine.memory, machine.buffers[i], BUFFER_BYTES, 2 << 20,
                                   i ? "in" : "out"));
    }
    assert_true(program_create(&machine.module, &machine.memory, &machine.program, &failure));
    const char *only = getenv("ONLY");
    for (unsigned i = 0; i < count; i++) {
        double counts[COUNTERS], ideals[2];
        if (only && !strstr(only, launches[i].kernel))
            continue;
        if (getenv("SMALL") && launches[i].n > 2048)
            continue;
        if (getenv("LARGE") && launches[i].n != 8192)
            continue;
        count_launch(&machine, &launches[i], counts, ideals);
        print_all(&launches[i], counts, ideals);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_difficult)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
