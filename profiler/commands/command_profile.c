/* command_profile.c: tlab profile -- PROGRAM ARGS...: the counters of any CUDA program. The driver
 * loads a library of this project (hardware/cupti/inject.c) into the program. The library appends a
 * CSV row to a file for each counted launch, and counts and times the launches of each
 * configuration in another file. After the program, tlab merges the rows of equal launches. */
#include "base/scratch.h"
#include "commands/command.h"
#include "hardware/cupti/driver.h"
#include "hardware/cupti/profile_tally.h"
#include "process/allocate.h"
#include "process/child.h"
#include "record/record.h"
#include "run/options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Runs any CUDA program unmodified and profiles every kernel that it launches: a lab built\n"
    "by nvcc, a program that calls cuBLAS, Python with PyTorch or Triton. Prints one row for\n"
    "all launches of a kernel with the same configuration. The row has the number of launches,\n"
    "the counters of the first launch, and the mean time of the other launches. The first launch\n"
    "is replayed once per pass.\n";

static const char library_name[] = "libtlab_inject.so";

struct profile {
    const char *csv;
    const char *kernel;
    uint64_t passes, launches, skip, count;
    bool twice;
    bool timing, counting;
    char **program;
    char library[PATH_SIZE];
    char directory[PATH_SIZE]; /* absolute path; "" until the directory exists */
    struct record *records;    /* one per counted launch; after merge_rows, one per configuration */
    size_t record_count;
    struct profile_tally tally;
    int wait_status;
};

static bool check_expression(const char *text, struct failure *failure)
{
    char why[128];
    regex_t expression;
    int error = text ? regcomp(&expression, text, REG_EXTENDED | REG_NOSUB) : 0;
    if (error) {
        regerror(error, &expression, why, sizeof why);
        return failure_harness(failure, "--kernel %.200s is not a regular expression: %s", text,
                               why);
    }
    if (text)
        regfree(&expression);
    return true;
}

static bool parse_arguments(struct profile *profile, int count, char **values,
                            struct failure *failure)
{
    const struct option_row rows[] = {
        TEXT_ROW("csv", "FILE", &profile->csv,
                 "write the records as CSV; `-` prints only CSV, to standard output;\n"
                 "the program's output then goes to standard error"),
        NUMBER_ROW("passes", "N", &profile->passes, 1, 1000,
                   "replay each kernel at most N times (default: as often as needed for all\n"
                   "columns); with 1, requests and sectors of global memory are NA"),
        TEXT_ROW("kernel", "REGEX", &profile->kernel,
                 "only kernels with a name that matches the extended regular expression (in\n"
                 "C++, the name includes the parameter types)"),
        NUMBER_ROW("skip", "N", &profile->skip, 0, UINT32_MAX,
                   "skip the first N launches of the selected kernels"),
        NUMBER_ROW("count", "N", &profile->count, 0, RECORDS_MAX,
                   "count the first N launches of each configuration and time later "
                   "launches\n(default 1; 0: only time)"),
        FLAG_ROW("twice", &profile->twice,
                 "run the program twice: time the launches in the first run, and collect\n"
                 "their counters in the second run. This also measures the time of kernels\n"
                 "that are launched only once"),
        NUMBER_ROW("launches", "N", &profile->launches, 1, RECORDS_MAX,
                   "count at most N launches in all (default and maximum: 8192)"),
    };
    const struct command_line line = {"profile", "[OPTION...] -- PROGRAM [ARGUMENT...]", about,
                                      ROWS(rows), .rest = &profile->program};
    profile->launches = RECORDS_MAX;
    profile->count = 1;
    if (!command_line_parse(&line, count, values, failure))
        return false;
    if (!*profile->program)
        return failure_harness(failure, "tlab profile requires a program to run: tlab profile -- "
                                        "./program");
    return check_expression(profile->kernel, failure);
}

static bool find_library(struct profile *profile, struct failure *failure)
{
    return paths_of_program(library_name, profile->library, failure) &&
           (access(profile->library, R_OK) == 0 ||
            failure_harness(failure,
                            "tlab profile requires %s, which was not built because CUPTI's headers "
                            "were missing. Install the CUDA Toolkit 12.6 or newer (it has "
                            "cupti_range_profiler.h) and run `make` again",
                            profile->library));
}

static void path_of(const struct profile *profile, const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%.*s/%s", PATH_SIZE - 32, profile->directory, name);
}

/* Create a file that contains the CSV header or, without `header`, `size` zeros. */
static bool make_file(const struct profile *profile, const char *name, bool header, off_t size,
                      struct failure *failure)
{
    char path[PATH_SIZE];
    path_of(profile, name, path);
    FILE *file = fopen(path, "wx");
    bool good = file && (!header || record_write_header(file)) && fflush(file) == 0 &&
                ftruncate(fileno(file), header ? ftello(file) : size) == 0;
    if (file)
        good = fclose(file) == 0 && good;
    return good || failure_harness(failure, "cannot write %s: %s", path, strerror(errno));
}

static bool set_number(const char *variable, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return setenv(variable, text, 1) == 0;
}

static bool prepare_program(const void *context)
{
    const struct profile *profile = context;
    return setenv("CUDA_INJECTION64_PATH", profile->library, 1) == 0 &&
           setenv(PROFILE_DIRECTORY_VARIABLE, profile->directory, 1) == 0 &&
           set_number(PROFILE_PASSES_VARIABLE, profile->passes) &&
           set_number(PROFILE_LAUNCHES_VARIABLE, profile->launches) &&
           set_number(PROFILE_SKIP_VARIABLE, profile->skip) &&
           set_number(PROFILE_COUNT_VARIABLE, profile->counting ? profile->count : 0) &&
           set_number(PROFILE_TIMES_VARIABLE, profile->timing) &&
           (profile->kernel ? setenv(PROFILE_KERNEL_VARIABLE, profile->kernel, 1)
                            : unsetenv(PROFILE_KERNEL_VARIABLE)) == 0 &&
           (!record_csv_only(profile->csv) || dup2(2, 1) == 1);
}

static bool read_tally(struct profile *profile, struct failure *failure)
{
    char path[PATH_SIZE];
    path_of(profile, PROFILE_TALLY_FILE, path);
    FILE *file = fopen(path, "r");
    bool good = file && fread(&profile->tally, sizeof profile->tally, 1, file) == 1;
    if (file)
        fclose(file);
    return good ||
           failure_harness(failure, "cannot read %s, which the program may have removed", path);
}

/* Print all errors of the library or, without `print_all`, copy the first error to `first`. */
static void read_troubles(const struct profile *profile, bool print_all, struct failure *first)
{
    char path[PATH_SIZE], line[FAILURE_TEXT_SIZE];
    path_of(profile, PROFILE_TROUBLES_FILE, path);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (print_all)
            fprintf(stderr, "tlab: %s\n", line);
        else
            failure_harness(first, "%s", line);
    }
    if (file)
        fclose(file);
}

static void print_launches(uint32_t count, const char *more, const char *of, const char *what)
{
    if (count)
        fprintf(stderr, "tlab: %" PRIu32 " %slaunch%s%s %s %s\n", count, more,
                count == 1 ? "" : "es", of, count == 1 ? "was" : "were", what);
}

static void print_tally(const struct profile *profile)
{
    const struct profile_tally *tally = &profile->tally;
    print_launches(tally->beyond, "more ", "", "not counted (--launches sets the limit)");
    print_launches(tally->ungrouped, "", "",
                   "neither counted nor timed: there are too many different launches");
    if (tally->failed)
        fprintf(stderr, "tlab: %" PRIu32 " launch%s could not be counted\n", tally->failed,
                tally->failed == 1 ? "" : "es");
    print_launches(tally->captured, "", "", "recorded into a CUDA graph instead of being run");
    print_launches(tally->graphs, "", " of CUDA graphs",
                   "not counted: the program must launch its kernels one by one");
}

/* Report why the injected library was not initialized. Always returns false. */
static bool explain_silence(const struct profile *profile, const char *fault,
                            struct failure *failure)
{
    struct driver driver;
    driver_device device;
    if (!driver_open(&driver, failure))
        return false;
    bool started = driver_start(&driver, 0, &device, failure);
    driver_close(&driver);
    return started && failure_harness(failure, "%s never used CUDA%s%s", profile->program[0],
                                      fault ? ": it " : "", fault ? fault : "");
}

static bool is_equal(const struct record *a, const struct record *b)
{
    static const enum column keys[] = {COLUMN_kernel,  COLUMN_grid_x,      COLUMN_grid_y,
                                       COLUMN_grid_z,  COLUMN_block_x,     COLUMN_block_y,
                                       COLUMN_block_z, COLUMN_shared_bytes};
    return record_same(a, b, keys, sizeof keys / sizeof *keys);
}

static void merge_equal(struct profile *profile, size_t at)
{
    struct record *first = &profile->records[at];
    double sums[COLUMN_COUNT] = {0};
    size_t counts[COLUMN_COUNT] = {0}, end = at + 1, merged = 1;
    for (size_t i = at; i < profile->record_count; i++) {
        const struct record *record = &profile->records[i];
        if (i > at && !(record_is_right(record) && is_equal(first, record))) {
            profile->records[end++] = *record;
            continue;
        }
        merged += i > at;
        for (int c = 0; c < COLUMN_COUNT; c++)
            if (column_describe((enum column)c)->counts_events && record->values[c].known) {
                sums[c] += (double)record->values[c].count;
                counts[c]++;
            }
    }
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (counts[c])
            record_set_count(first, (enum column)c, (uint64_t)llround(sums[c] / (double)counts[c]));
    profile->record_count = end;
    record_set_count(first, COLUMN_launches, merged);
}

static void add_group(const struct profile *profile, const struct profile_group *group,
                      struct record *record)
{
    if (group->launches)
        record_set_count(record, COLUMN_launches, group->launches);
    if (!group->timed)
        return;
    record_set_real(record, COLUMN_time_us, (double)group->time_ns / 1e3 / group->timed);
    record_set_count(record, COLUMN_repeats, group->timed);
    record_set_dram(record, profile->tally.dram_gbps);
}

static void merge_rows(struct profile *profile)
{
    struct record key;
    for (size_t i = 0; i < profile->record_count; i++)
        if (record_is_right(&profile->records[i]))
            merge_equal(profile, i);
    size_t counted = profile->record_count;
    profile->records = allocate_checked(
        realloc(profile->records, (counted + PROFILE_GROUPS_MAX) * sizeof *profile->records));
    for (size_t g = 0; g < PROFILE_GROUPS_MAX; g++) {
        struct profile_group *group = &profile->tally.groups[g];
        group->name[PROFILE_NAME_SIZE - 1] = 0;
        if (group->state != PROFILE_GROUP_READY || !group->launches)
            continue;
        size_t i = 0;
        record_set_launch(&key, group->name, group->shape.grid, group->shape.block,
                          group->shared_bytes);
        while (i < counted && !is_equal(&profile->records[i], &key))
            i++;
        if (i == counted) {
            i = profile->record_count++;
            profile->records[i] = key;
        }
        if (record_is_right(&profile->records[i]))
            add_group(profile, group, &profile->records[i]);
    }
}

static void explain_times(const struct profile *profile)
{
    uint32_t without = 0;
    for (size_t i = 0; i < profile->record_count; i++)
        without += record_is_right(&profile->records[i]) &&
                   !profile->records[i].values[COLUMN_time_us].known;
    if (without && !profile->twice)
        fprintf(stderr,
                "tlab: %" PRIu32 " kernel%s no time, because all %s launches were counted; with "
                "--twice, tlab runs the program again to measure the time\n",
                without, without == 1 ? " has" : "s have", without == 1 ? "its" : "their");
}

static int collect(struct profile *profile, struct failure *failure)
{
    char path[PATH_SIZE], text[64];
    const char *fault = child_fault(profile->wait_status, text);
    path_of(profile, PROFILE_ROWS_FILE, path);
    if (!read_tally(profile, failure) ||
        !records_load(path, &profile->records, &profile->record_count, failure))
        return 2;
    if (!profile->record_count) {
        if (!profile->tally.processes)
            return explain_silence(profile, fault, failure) ? 0 : 2;
        read_troubles(profile, false, failure);
        if (failure->kind != FAILURE_NONE)
            return 2;
    }
    merge_rows(profile);
    if (!profile->record_count)
        fprintf(stderr, "tlab: %s launched no kernel that could be counted%s\n",
                profile->program[0],
                profile->kernel || profile->skip ? " among the selected launches" : "");
    read_troubles(profile, true, failure);
    print_tally(profile);
    explain_times(profile);
    if (!records_output(profile->csv, profile->records, profile->record_count, failure))
        return 2;
    if (fault)
        fprintf(stderr, "tlab: %s %s; the rows contain only the launches before this failure\n",
                profile->program[0], fault);
    return fault ? 1 : 0;
}

static bool run_program(struct profile *profile, struct failure *failure)
{
    return child_run_in_terminal(profile->program, prepare_program, profile, &profile->wait_status,
                                 failure);
}

/* Run the program. With --twice, the first run measures times and the second run counts. */
static bool run_all(struct profile *profile, struct failure *failure)
{
    profile->timing = true;
    profile->counting = !profile->twice;
    if (!run_program(profile, failure))
        return false;
    if (!profile->twice || profile->wait_status)
        return true;
    profile->timing = false;
    profile->counting = true;
    return run_program(profile, failure);
}

int command_profile(int count, char **values, struct failure *failure)
{
    struct profile *profile = allocate_checked(calloc(1, sizeof *profile));
    int status = 2;
    if (parse_arguments(profile, count, values, failure) && find_library(profile, failure) &&
        scratch_make(profile->directory, "profile", failure) &&
        make_file(profile, PROFILE_ROWS_FILE, true, 0, failure) &&
        make_file(profile, PROFILE_TROUBLES_FILE, false, 0, failure) &&
        make_file(profile, PROFILE_TALLY_FILE, false, sizeof profile->tally, failure) &&
        run_all(profile, failure))
        status = collect(profile, failure);
    if (*profile->directory)
        scratch_remove(profile->directory);
    free(profile->records);
    free(profile);
    return status;
}
