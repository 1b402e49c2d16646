/* throughput: print warp instructions per second of processor time of each throughput.cu kernel.
 *
 *   throughput FILE.cu|FILE.ptx [KERNEL|all [SECONDS [MODE]]]
 *
 * Prints three columns, or only column MODE: "computed" for functional launches, "counted" for
 * launches with counters and model, "checked" for launches with counters, model and checks. Each
 * launch uses one worker and device h200, and is repeated for SECONDS (default 0.2) of processor
 * time. Results depend on the processor. */
#include "base/whole_file.h"
#include "compile/compile.h"
#include "emulator/emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 1024, ELEMENTS = SIDE * SIDE };

static const struct kernel_case {
    const char *kernel;
    struct dimensions grid, block;
    uint32_t n;
} kernels[] = {
    {"copy", {32, 32, 1}, {32, 8, 1}, SIDE},
    {"naive", {32, 32, 1}, {32, 8, 1}, SIDE},
    {"padded", {32, 32, 1}, {32, 8, 1}, SIDE},
    {"saxpy", {ELEMENTS / 256, 1, 1}, {256, 1, 1}, ELEMENTS},
    {"stencil", {32, 128, 1}, {32, 8, 1}, SIDE},
    {"product", {8, 8, 1}, {16, 16, 1}, 128},
    {"product_tiled", {8, 8, 1}, {16, 16, 1}, 128},
    {"sum", {256, 1, 1}, {256, 1, 1}, ELEMENTS},
    {"sum_shuffle", {256, 1, 1}, {256, 1, 1}, ELEMENTS},
    {"scan", {512, 1, 1}, {256, 1, 1}, 512 * 256},
    {"sort", {64, 1, 1}, {256, 1, 1}, 64 * 512},
    {"histogram", {64, 1, 1}, {256, 1, 1}, ELEMENTS},
    {"divergent", {64, 1, 1}, {256, 1, 1}, 64 * 256},
};

static const struct mode {
    const char *name;
    bool counted, checked;
} modes[] = {{"computed", false, false}, {"counted", true, false}, {"checked", true, true}};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int stop(const struct failure *failure)
{
    fprintf(stderr, "throughput: %s\n", failure->text);
    return 2;
}

static bool read_module(const char *path, struct compile_result *compiled, struct failure *failure)
{
    size_t length = strlen(path);
    if (length > 4 && !strcmp(path + length - 4, ".ptx")) {
        compiled->ptx = whole_file_read(path, PTX_MAX_TEXT, &compiled->ptx_bytes, failure);
        return compiled->ptx;
    }
    struct compile_request request = {.source_path = path,
                                      .include_directory = "include",
                                      .architecture = COMPILE_EMULATED_ARCHITECTURE};
    return compile_to_ptx(&request, compiled, failure);
}

/* Returns millions of warp instructions per second; negative for a failure. */
static double measure(const struct emulator_launch *launch, double seconds, struct failure *failure)
{
    double begin = processor_seconds(), now = begin, best = 0;
    while (now - begin < seconds || !best) {
        struct emulator_result result;
        double start = now;
        bool good = emulator_run(launch, &result, failure);
        free(result.stats);
        if (!good)
            return -1;
        now = processor_seconds();
        double speed = 1e-6 * (double)result.counters.warp_instructions / (now - start);
        best = speed > best ? speed : best;
    }
    return best;
}

static bool is_wanted(const char *mode, size_t m)
{
    return !mode || !strcmp(mode, modes[m].name);
}

static bool measure_kernel(const struct kernel_case *what, struct emulator_launch *launch,
                           double seconds, const char *mode, struct failure *failure)
{
    launch->function = program_find_entry(launch->program, what->kernel);
    launch->grid = what->grid;
    launch->block = what->block;
    printf("%-16s", what->kernel);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        if (!is_wanted(mode, m))
            continue;
        launch->model_memory = modes[m].counted;
        launch->mode = modes[m].checked   ? LAUNCH_CHECK
                       : modes[m].counted ? LAUNCH_COUNT
                                          : LAUNCH_COMPUTE;
        double speed = measure(launch, seconds, failure);
        if (speed < 0)
            return false;
        printf(" %10.1f", speed);
        fflush(stdout);
    }
    putchar('\n');
    return true;
}

int main(int argc, char *argv[])
{
    struct failure failure = {0};
    struct compile_result compiled = {0};
    struct ptx_module module;
    struct program program;
    struct guest_memory memory;
    struct device device;
    struct {
        uint64_t out, in;
        uint32_t n;
    } params;
    if (argc < 2) {
        fputs("usage: throughput FILE.cu|FILE.ptx [KERNEL|all [SECONDS [MODE]]]\n", stderr);
        return 2;
    }
    const char *mode = argc > 4 ? argv[4] : NULL;
    uint32_t *arrays = calloc(2 * ELEMENTS, sizeof *arrays);
    memory_init(&memory);
    if (!arrays || !read_module(argv[1], &compiled, &failure) ||
        !device_find("profiler/devices", "h200", &device, &failure) ||
        !ptx_parse(compiled.ptx, compiled.ptx_bytes, argv[1], &module, &failure) ||
        !program_create(&module, &memory, &program, &failure))
        return stop(&failure);
    for (uint32_t i = 0, random = 1; i < ELEMENTS; i++) {
        random = random * 1664525u + 1013904223u;
        arrays[ELEMENTS + i] = random >> 8;
    }
    params.out = memory_map(&memory, (unsigned char *)arrays, 4 * ELEMENTS, 256, "out")->base;
    params.in =
        memory_map(&memory, (unsigned char *)(arrays + ELEMENTS), 4 * ELEMENTS, 256, "in")->base;
    struct emulator_launch launch = {.program = &program,
                                     .params = (const unsigned char *)&params,
                                     .memory = &memory,
                                     .device = &device,
                                     .workers = 1};
    puts("Millions of warp instructions per second on one processor, in the fastest launch");
    printf("%-16s", "kernel");
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        if (is_wanted(mode, m))
            printf(" %10s", modes[m].name);
    putchar('\n');
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        params.n = kernels[k].n;
        if ((argc < 3 || !strcmp(argv[2], kernels[k].kernel) || !strcmp(argv[2], "all")) &&
            !measure_kernel(&kernels[k], &launch, argc > 3 ? atof(argv[3]) : 0.2, mode, &failure))
            return stop(&failure);
    }
    program_free(&program);
    ptx_module_free(&module);
    memory_free(&memory);
    compile_result_free(&compiled);
    free(arrays);
    return 0;
}
