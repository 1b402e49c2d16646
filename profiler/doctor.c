/* doctor.c: tlab doctor: what this machine has and lacks, with the fix. It asks every back end and
 * the grader, so it stands beside main.c, above all modules.
 */
#include "base/paths.h"
#include "commands/command.h"
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
        {COMPILER_NVRTC, "compiler NVRTC", "install the CUDA Toolkit (optional: clang will do)"},
        {COMPILER_NVCC, "compiler nvcc", "install the CUDA Toolkit (optional: clang will do)"},
        {COMPILER_CLANG, "compiler clang", "apt-get install clang (optional with a CUDA Toolkit)"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        char version[256] = "", why[512] = "";
        bool good = compiler_probe(compilers[i].compiler, version, sizeof version, why, sizeof why);
        report(compilers[i].what, good, good ? version : why, compilers[i].fix);
        any |= good;
    }
    return any;
}

/* The GPU on which labs run. False: none. A machine without a driver lacks nothing. */
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
        report("GPU", false, failure.text, "until then labs run on the emulator");
        return false;
    }
    const struct gpu_facts *facts = gpu_describe(gpu);
    snprintf(text, sizeof text,
             "%s: compute capability %u.%u, %" PRIu64 " SMs, driver for CUDA %u.%u", facts->name,
             facts->compute_capability / 10, facts->compute_capability % 10, facts->multiprocessors,
             facts->driver_version / 1000, facts->driver_version % 1000 / 10);
    report("GPU", true, text, "");
    snprintf(text, sizeof text,
             "%.0f GB, %.0f GB/s at most; L2 of %.0f MB; SM clock up to %.0f MHz",
             (double)facts->memory_bytes / 1e9, facts->dram_gbps,
             (double)facts->l2_bytes / (1 << 20), facts->clock_mhz);
    report("its memory", true, text, "");
    gpu_close(gpu);
    return true;
}

/* Can the GPU's counters be read? Tries it. The sentence of a refusal holds the fix. */
static void report_counters(void)
{
    char text[FAILURE_TEXT_SIZE];
    bool good = collector_probe(0, text, sizeof text);
    report("hardware counters", good, text, "");
}

/* What a run says of its goals needs rubrics, and libraries that read them. */
static bool knows_goals(struct failure *absent)
{
    struct rubric *rubric = malloc(sizeof *rubric);
    const bool known = rubric && rubric_here_read("copy", rubric, absent) == RUBRIC_HERE;
    free(rubric);
    return known;
}

/* What a run would use, as `make` prints it. */
static void print_choice(void)
{
    char version[256], why[512];
    enum compiler compiler = COMPILER_NVRTC;
    while (compiler <= COMPILER_CLANG &&
           !compiler_probe(compiler, version, sizeof version, why, sizeof why))
        compiler++;
    struct toolkit toolkit = {0};
    bool of_toolkit = compiler < COMPILER_CLANG && toolkit_find(&toolkit, why, sizeof why);
    if (compiler > COMPILER_CLANG)
        puts("CUDA to PTX   none: install clang (make deps) or the CUDA Toolkit");
    else
        printf("CUDA to PTX   %s %s%s%s\n", compiler_name(compiler), version,
               of_toolkit ? " of the CUDA Toolkit in " : "", toolkit.root);
    struct gpu_options options = {.ordinal = 0};
    struct failure failure = {0};
    struct gpu *gpu = NULL;
    bool found = gpu_open(&options, &gpu, &failure);
    printf("GPU           %s\n", found ? gpu_describe(gpu)->name : "none: runs are emulated");
    gpu_close(gpu);
    struct failure absent = {0};
    if (!knows_goals(&absent))
        printf("goals         not known: %s\n", absent.text);
}

int command_doctor(int count, char **values, struct failure *failure)
{
    static const char about[] = "Says what this machine has and lacks, with the fix.\n";
    bool brief = false;
    const struct option_row rows[] = {FLAG_ROW("brief", &brief, "only what runs labs here")};
    const struct command_line line = {"doctor", "[OPTION]", about, .rows = rows, .row_count = 1};
    bool helped;
    if (!command_line_parse(&line, count, values, &helped, failure))
        return 2;
    if (helped)
        return 0;
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
    bool known = knows_goals(&no_goals);
    report("goals (tlab run)", known, known ? "known" : "not here", no_goals.text);
    bool can_grade = grading_probe(&no_grading);
    report("grading (tlab grade)", can_grade, can_grade ? "compilers in bubblewrap" : "not here",
           no_grading.text);
    if (report_gpu())
        report_counters();
    puts("");
    if (!any)
        failure_harness(failure,
                        "no compiler here can make PTX: install clang (apt-get install clang) "
                        "or the CUDA Toolkit; `tlab emulate FILE.ptx` works without");
    else
        puts("Ready: labs can be compiled, run and counted.");
    return any ? 0 : 2;
}
