/* command_calibrate.c: tlab calibrate: make a device file for this machine's GPU from
 * microbenchmarks, and compare the times of the labs on the GPU and in the emulator. */
#include "base/paths.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "commands/command.h"
#include "compile/compile.h"
#include "hardware/calibrate/benchmarks.h"
#include "hardware/calibrate/fit.h"
#include "hardware/calibrate/judge.h"
#include "hardware/gpu/gpu_runner.h"
#include "process/allocate.h"
#include "run/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char about[] =
    "Measures this machine's GPU with microbenchmarks, in one to three minutes, and writes a\n"
    "device file. Select this file with --device ./FILE, or by its name if it is in\n"
    "profiler/devices. The file names the source of each number: the driver, a microbenchmark,\n"
    "or the file of the nearest architecture. Then the labs run on the GPU and in the emulator\n"
    "with the new file, and their times are compared. No number is fitted to the times of the\n"
    "labs on this GPU. One factor of l2_stores_per_clock comes from the naive lab on an H200\n"
    "and an H100.\n";

#define TIMING_FILE "timing.csv"
#define COURSE_FILE "course.csv"

struct calibrate {
    const char *out, *keep, *from;
    uint64_t ordinal, workers;
    char root[PATH_SIZE], scratch[PATH_SIZE];
    char timing[PATH_SIZE], course[PATH_SIZE];
    struct gpu *gpu;
    struct measurements measurements;
    struct fit fit;
    struct judge_runs measured, emulated;
};

/* At these sizes, DRAM limits the labs, and the matrices fit into the memory of a laptop's GPU. */
static const uint64_t judged_sizes[] = {4096, 8192};

static bool parse_arguments(struct calibrate *calibrate, int count, char **values,
                            struct failure *failure)
{
    const struct option_row rows[] = {
        TEXT_ROW("out", "FILE", &calibrate->out, "the device file to write (required)"),
        TEXT_ROW("keep", "DIR", &calibrate->keep,
                 "save the measurements in DIR: " TIMING_FILE
                 " of the\nmicrobenchmarks, " COURSE_FILE " of the labs"),
        TEXT_ROW("from", "DIR", &calibrate->from,
                 "do not measure; use the measurements that --keep saved (requires no GPU)"),
        NUMBER_ROW("gpu-index", "N", &calibrate->ordinal, 0, 1023,
                   "index of the GPU in the driver's order (default 0)"),
    };
    const struct command_line line = {"calibrate", "--out FILE [OPTION...]", about, ROWS(rows)};
    if (!command_line_parse(&line, count, values, failure))
        return false;
    if (!calibrate->out)
        return failure_harness(failure,
                               "tlab calibrate needs --out FILE, the device file to write");
    if (calibrate->keep && calibrate->from)
        return failure_harness(failure, "--keep and --from cannot be combined: --from reads "
                                        "measurements that are saved already");
    return true;
}

static bool set_directory(struct calibrate *calibrate, const char *directory,
                          struct failure *failure)
{
    const size_t size = PATH_SIZE;
    return (snprintf(calibrate->timing, size, "%s/" TIMING_FILE, directory) < PATH_SIZE &&
            snprintf(calibrate->course, size, "%s/" COURSE_FILE, directory) < PATH_SIZE) ||
           failure_harness(failure, "%s: the path is too long", directory);
}

/* *image receives machine code or, if no compiler supports the GPU, PTX for the driver. */
static bool compile(const struct gpu_facts *facts, struct compile_result *result,
                    const void **image, struct failure *failure)
{
    char source[PATH_SIZE], include[PATH_SIZE];
    struct failure no_cubin = {0};
    if (!paths_in_root("profiler/hardware/calibrate/benchmarks.cu", source, failure) ||
        !paths_in_root("include", include, failure))
        return false;
    struct compile_request request = {.source_path = source,
                                      .include_directory = include,
                                      .architecture = facts->compute_capability};
    if (compile_to_cubin(&request, result, &no_cubin)) {
        *image = result->cubin;
        return true;
    }
    request.architecture = COMPILE_EMULATED_ARCHITECTURE;
    if (!compile_to_ptx(&request, result, failure)) {
        failure_harness(failure, "the microbenchmarks cannot be compiled: %s", no_cubin.text);
        return false;
    }
    *image = result->ptx;
    return true;
}

static bool measure_timing(struct calibrate *calibrate, const struct gpu_facts *facts,
                           struct failure *failure)
{
    struct compile_result result = {0};
    const void *image;
    bool good = compile(facts, &result, &image, failure) &&
                benchmarks_run(facts, image, stderr, calibrate->timing, failure) &&
                measurements_load(calibrate->timing, &calibrate->measurements, failure);
    compile_result_free(&result);
    return good;
}

static bool measure_course(struct calibrate *calibrate, struct failure *failure)
{
    char note[FAILURE_TEXT_SIZE] = "";
    bool good = true;
    for (size_t i = 0; i < sizeof judged_sizes / sizeof *judged_sizes && good; i++) {
        fprintf(stderr, "measuring: the labs at %d x %d\n", (int)judged_sizes[i],
                (int)judged_sizes[i]);
        good = judge_run_course(calibrate->root, calibrate->gpu, NULL, judged_sizes[i],
                                calibrate->workers, &calibrate->measured, note, failure);
    }
    if (*note)
        fprintf(stderr,
                "tlab: %s\n"
                "Only the modelled times are validated.\n",
                note);
    return good && records_save(calibrate->course, calibrate->measured.records,
                                calibrate->measured.count, failure);
}

static bool choose_directory(struct calibrate *calibrate, struct failure *failure)
{
    if (!calibrate->keep)
        return scratch_make(calibrate->scratch, "calibrate", failure) &&
               set_directory(calibrate, calibrate->scratch, failure);
    if (mkdir(calibrate->keep, 0777) && errno != EEXIST)
        return failure_harness(failure, "cannot make the directory %s: %s", calibrate->keep,
                               strerror(errno));
    return set_directory(calibrate, calibrate->keep, failure);
}

/* Set the chip to the name in the GPU's counters. If this name is unknown and the architecture of
 * `nearest` differs, set the chip to sm_NN. */
static void set_chip(const struct calibrate *calibrate, const struct device *nearest,
                     struct device *device)
{
    const char *chip =
        calibrate->measured.count ? record_text(&calibrate->measured.records[0], COLUMN_chip) : "";
    if (*chip && strlen(chip) < sizeof device->chip && !strchr(chip, ' '))
        snprintf(device->chip, sizeof device->chip, "%s", chip);
    else if (nearest->compute_capability != device->compute_capability)
        snprintf(device->chip, sizeof device->chip, "sm_%llu",
                 (unsigned long long)device->compute_capability);
}

static bool write_device(struct calibrate *calibrate, const struct device *nearest,
                         struct failure *failure)
{
    const struct device *device = &calibrate->fit.device;
    struct whole_file file;
    char heading[512];
    snprintf(heading, sizeof heading,
             "# %s, CC %llu.%llu: made by `tlab calibrate`.\n"
             "# \"measured\": with the named microbenchmark "
             "(profiler/hardware/calibrate/benchmarks.c).\n"
             "# The labs validate the file: no number is fitted to their times on this GPU. One "
             "factor of l2_stores_per_clock\n"
             "# comes from the naive lab on two other GPUs. \"copied\": copied from %s.conf, the "
             "file of the\n"
             "# nearest architecture, and not measured.\n",
             device->title, (unsigned long long)device->compute_capability / 10,
             (unsigned long long)device->compute_capability % 10, nearest->name);
    if (!whole_file_open(&file, calibrate->out, failure))
        return false;
    if (device_write(file.stream, &calibrate->fit.device, heading, fit_source, &calibrate->fit))
        return whole_file_keep(&file, failure);
    failure_harness(failure, "cannot write %s: %s", calibrate->out, strerror(errno));
    whole_file_drop(&file);
    return false;
}

static bool make_device(struct calibrate *calibrate, struct device *device, struct failure *failure)
{
    char devices[PATH_SIZE];
    struct device nearest;
    if (!paths_in_root("profiler/devices", devices, failure) ||
        !fit_find_nearest(devices, &calibrate->measurements, &nearest, failure) ||
        !fit_device(&calibrate->measurements, &nearest, &calibrate->fit, failure))
        return false;
    set_chip(calibrate, &nearest, &calibrate->fit.device);
    return write_device(calibrate, &nearest, failure) &&
           device_read(calibrate->out, device, failure);
}

static bool judge(struct calibrate *calibrate, const struct device *device, struct failure *failure)
{
    if (!calibrate->measured.count) {
        printf("The file is not validated: there is no %s/" COURSE_FILE ".\n", calibrate->from);
        return true;
    }
    if (!judge_emulate(calibrate->root, &calibrate->measured, device, calibrate->workers,
                       &calibrate->emulated, failure))
        return false;
    judge_print(stdout, &calibrate->measured, &calibrate->emulated);
    return true;
}

static bool calibrate_here(struct calibrate *calibrate, struct failure *failure)
{
    const struct gpu_options options = {.ordinal = (int)calibrate->ordinal};
    struct device device;
    struct whole_file file;
    /* Close the GPU after this query, because no profiler may use it during the microbenchmarks. */
    if (!gpu_open(&options, &calibrate->gpu, failure))
        return false;
    const struct gpu_facts facts = *gpu_describe(calibrate->gpu);
    gpu_close(calibrate->gpu);
    calibrate->gpu = NULL;
    if (!choose_directory(calibrate, failure) || !whole_file_open(&file, calibrate->out, failure))
        return false;
    whole_file_drop(&file); /* check early that the file can be written */
    if (!measure_timing(calibrate, &facts, failure) || !make_device(calibrate, &device, failure))
        return false;
    printf("wrote %s\n", calibrate->out);
    fflush(stdout);
    /* The second make_device adds the chip's name, which measure_course reads with the counters. */
    return gpu_open(&options, &calibrate->gpu, failure) && measure_course(calibrate, failure) &&
           make_device(calibrate, &device, failure) && judge(calibrate, &device, failure);
}

static bool calibrate_from(struct calibrate *calibrate, struct failure *failure)
{
    struct device device;
    if (!set_directory(calibrate, calibrate->from, failure) ||
        !measurements_load(calibrate->timing, &calibrate->measurements, failure) ||
        (!access(calibrate->course, F_OK) &&
         !records_load(calibrate->course, &calibrate->measured.records, &calibrate->measured.count,
                       failure)) ||
        !make_device(calibrate, &device, failure))
        return false;
    printf("wrote %s\n", calibrate->out);
    return judge(calibrate, &device, failure);
}

int command_calibrate(int count, char **values, struct failure *failure)
{
    struct calibrate *calibrate = allocate_checked(calloc(1, sizeof *calibrate));
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    calibrate->workers = processors > 0 ? (uint64_t)processors : 1;
    const bool good =
        parse_arguments(calibrate, count, values, failure) &&
        paths_root(calibrate->root, failure) &&
        (calibrate->from ? calibrate_from(calibrate, failure) : calibrate_here(calibrate, failure));
    gpu_close(calibrate->gpu);
    if (*calibrate->scratch)
        scratch_remove(calibrate->scratch);
    free(calibrate->measured.records);
    free(calibrate->emulated.records);
    free(calibrate);
    return good ? 0 : 2;
}
