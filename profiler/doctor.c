/* doctor.c: tlab doctor checks the programs and devices of this machine. Like main.c, this file
 * depends on all modules. */
#include "base/paths.h"
#include "commands/command.h"
#include "commands/screen.h"
#include "compile/compile.h"
#include "goals/rubric_here.h"
#include "hardware/cupti/collector.h"
#include "hardware/cupti/driver.h"
#include "hardware/gpu/gpu_runner.h"
#include "process/toolkit.h"
#include "run/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const char *what, bool good, const char *found, const char *fix)
{
    printf("%-4s %-22s %s\n", good ? "ok" : "--", what, found);
    if (!good && *fix)
        printf("     %-22s fix: %s\n", "", fix);
}

static bool report_compilers(void)
{
    static const struct {
        enum compiler compiler;
        const char *what, *fix;
    } compilers[] = {
        {COMPILER_NVRTC, "compiler NVRTC", "install the CUDA Toolkit (not required with clang)"},
        {COMPILER_NVCC, "compiler nvcc", "install the CUDA Toolkit (not required with clang)"},
        {COMPILER_CLANG, "compiler clang", "apt-get install clang (not required with CUDA)"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        struct compiler_found found;
        const bool good = compiler_probe(compilers[i].compiler, &found);
        report(compilers[i].what, good, good ? found.version : found.why, compilers[i].fix);
        any |= good;
    }
    return any;
}

/* Report the GPU on which labs run. Returns false if the GPU is not usable. A machine without a
 * driver is not an error. */
static bool report_gpu(void)
{
    struct gpu_options options = {.ordinal = 0};
    struct failure failure = {0};
    struct driver driver;
    struct gpu *gpu;
    char text[256];
    if (!driver_open(&driver, &failure)) {
        report("GPU", true, "none: labs run on the emulator", "");
        return false;
    }
    driver_close(&driver);
    if (!gpu_open(&options, &gpu, &failure)) {
        report("GPU", false, failure.text,
               "correct this error; until then, labs run on the emulator");
        return false;
    }
    const struct gpu_facts *facts = gpu_describe(gpu);
    snprintf(text, sizeof text,
             "%s: compute capability %u.%u, %" PRIu64 " SMs, driver for CUDA %u.%u", facts->name,
             facts->compute_capability / 10, facts->compute_capability % 10, facts->multiprocessors,
             facts->driver_version / 1000, facts->driver_version % 1000 / 10);
    report("GPU", true, text, "");
    snprintf(text, sizeof text,
             "%.0f GB, peak %.0f GB/s; L2 cache %.0f MiB; SM clock up to %.0f MHz",
             (double)facts->memory_bytes / 1e9, facts->dram_gbps,
             (double)facts->l2_bytes / (1 << 20), facts->clock_mhz);
    report("GPU memory", true, text, "");
    gpu_close(gpu);
    return true;
}

static void report_counters(void)
{
    char text[FAILURE_TEXT_SIZE];
    bool good = collector_probe(0, text, sizeof text);
    report("hardware counters", good, text, "");
}

static bool can_read_goals(struct failure *absent)
{
    struct rubric *rubric = malloc(sizeof *rubric);
    const bool known = rubric && rubric_here_read("copy", rubric, absent) == RUBRIC_HERE;
    free(rubric);
    return known;
}

/* Print the compiler and the GPU that a run uses. `make` prints the same lines. */
static void print_choice(void)
{
    struct compiler_found compiled_by;
    enum compiler compiler = COMPILER_NVRTC;
    while (compiler <= COMPILER_CLANG && !compiler_probe(compiler, &compiled_by))
        compiler++;
    struct toolkit toolkit = {0};
    bool of_toolkit = compiler < COMPILER_CLANG && toolkit_find(&toolkit);
    if (compiler > COMPILER_CLANG)
        puts("CUDA to PTX   none: install clang (make deps) or the CUDA Toolkit");
    else
        printf("CUDA to PTX   %s %s%s%s\n", compiler_name(compiler), compiled_by.version,
               of_toolkit ? " of the CUDA Toolkit in " : "", toolkit.root);
    struct gpu_options options = {.ordinal = 0};
    struct failure failure = {0};
    struct gpu *gpu = NULL;
    bool found = gpu_open(&options, &gpu, &failure);
    printf("GPU           %s\n", found ? gpu_describe(gpu)->name : "none: runs are emulated");
    gpu_close(gpu);
    struct failure absent = {0};
    if (!can_read_goals(&absent))
        printf("goals         not available: %s\n", absent.text);
    if (!screen_is_built())
        puts("tlab watch    prints lines: it was built without ncurses (apt-get install "
             "libncurses-dev)");
}

int command_doctor(int count, char **values, struct failure *failure)
{
    static const char about[] =
        "Lists the installed and the missing software of this machine, and how to install it.\n";
    bool brief = false;
    const struct option_row rows[] = {
        FLAG_ROW("brief", &brief, "print only the compiler and the GPU that labs use")};
    const struct command_line line = {"doctor", "[OPTION]", about, .rows = rows, .row_count = 1};
    if (!command_line_parse(&line, count, values, failure))
        return 2;
    if (brief) {
        print_choice();
        return 0;
    }
    char root[PATH_SIZE];
    if (!paths_root(root, failure))
        return 2;
    report("installation", true, root, "");
    bool any = report_compilers();
    char path[PATH_SIZE];
    bool found = program_find("gnuplot", path, sizeof path);
    report("gnuplot (charts)", found, found ? path : "not found", "apt-get install gnuplot-nox");
    struct failure no_goals = {0}, no_grading = {0};
    bool known = can_read_goals(&no_goals);
    report("goals (tlab run)", known, known ? "available" : "not available", no_goals.text);
    bool can_grade = grading_probe(&no_grading);
    report("grading (tlab grade)", can_grade,
           can_grade ? "available, with bubblewrap" : "not available", no_grading.text);
    known = screen_is_built();
    report("screen (tlab watch)", known,
           known ? "available" : "not available: tlab watch prints lines",
           "apt-get install libncurses-dev, then make");
    if (report_gpu())
        report_counters();
    puts("");
    if (!any)
        failure_harness(
            failure,
            "no compiler on this machine can generate PTX: install clang (apt-get install clang) "
            "or the CUDA Toolkit; `tlab emulate FILE.ptx` works without a compiler");
    else
        puts("Ready: labs can be compiled, run and profiled.");
    return any ? 0 : 2;
}
