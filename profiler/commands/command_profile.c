/* command_profile.c: tlab profile -- PROGRAM ARGS..., the counters of any CUDA program.
 *
 * Theory of operation. The program runs as it is, with our library in it (gpu/inject.c), which
 * appends one CSV row per launch to a file in a directory of ours. When the program has ended,
 * however it ended, the rows become the CSV and the table.
 */
#include "base/companion.h"
#include "base/scratch.h"
#include "commands/command.h"
#include "gpu/driver.h"
#include "gpu/profile_tally.h"
#include "record/record.h"
#include "run/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Runs any CUDA program, unmodified, and counts every kernel that it launches: a lab built by\n"
    "nvcc, a program that calls cuBLAS, Python with PyTorch or Triton. One row per launch. "
    "Kernels\n"
    "are replayed, once per pass, so the program takes longer than usual; times are not "
    "reported.\n";

static const char library_name[] = "libtlab_inject.so";

struct profile {
    const char *csv;
    uint64_t passes, launches;
    char **program;            /* NULL-ended */
    char library[PATH_SIZE];   /* of the injected library */
    char directory[PATH_SIZE]; /* shared with it, absolute; "" until made */
    struct record *records;
    size_t record_count;
    struct profile_tally tally;
    int wait_status; /* of the program */
};

static bool parse_arguments(struct profile *profile, int count, char **values, bool *helped,
                            struct failure *failure)
{
    const struct option_row rows[] = {
        TEXT_ROW("csv", "FILE", &profile->csv,
                 "write the records as CSV; `-` writes only CSV to standard output,\n"
                 "and what the program prints goes to standard error"),
        NUMBER_ROW("passes", "N", &profile->passes, 1, 1000,
                   "replay each kernel at most N times (default: as many as all columns\n"
                   "take); with 1, requests and sectors of global memory stay NA"),
        NUMBER_ROW("launches", "N", &profile->launches, 1, RECORDS_MAX,
                   "count only the first N launches (default and most: 8192)"),
    };
    const struct command_line line = {"profile", "[OPTION...] -- PROGRAM [ARGUMENT...]", about,
                                      ROWS(rows), .rest = &profile->program};
    profile->launches = RECORDS_MAX;
    if (!command_line_parse(&line, count, values, helped, failure))
        return false;
    return *helped || *profile->program ||
           failure_harness(failure, "tlab profile needs a program to run, as in: tlab profile "
                                    "-- ./program");
}

/* ---- before the program ---- */

/* The library lies beside the program tlab. */
static bool find_library(struct profile *profile, struct failure *failure)
{
    ssize_t length = readlink("/proc/self/exe", profile->library, sizeof profile->library - 1);
    size_t keep = length > 0 ? (size_t)length : 0;
    while (keep && profile->library[keep - 1] != '/')
        keep--;
    if (keep + sizeof library_name > sizeof profile->library)
        return failure_harness(failure, "the path of tlab is too long");
    strcpy(profile->library + keep, library_name);
    return access(profile->library, R_OK) == 0 ||
           failure_harness(failure,
                           "tlab profile needs %s, which was not built because CUPTI's headers "
                           "were missing. Install the CUDA Toolkit 12.6 or newer (it holds "
                           "cupti_range_profiler.h) and run `make` again",
                           profile->library);
}

static void path_of(const struct profile *profile, const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%.*s/%s", PATH_SIZE - 32, profile->directory, name);
}

/* A file in the shared directory: with a CSV header, or `size` zero bytes. */
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

static bool make_directory(struct profile *profile, struct failure *failure)
{
    if (!scratch_make(profile->directory, "profile", failure)) {
        *profile->directory = '\0';
        return false;
    }
    return make_file(profile, PROFILE_ROWS_FILE, true, 0, failure) &&
           make_file(profile, PROFILE_TROUBLES_FILE, false, 0, failure) &&
           make_file(profile, PROFILE_TALLY_FILE, false, sizeof profile->tally, failure);
}

/* ---- the program ---- */

static bool set_number(const char *variable, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return setenv(variable, text, 1) == 0;
}

/* In the child, before it becomes the program. */
static bool prepare_program(const void *context)
{
    const struct profile *profile = context;
    return setenv("CUDA_INJECTION64_PATH", profile->library, 1) == 0 &&
           setenv(PROFILE_DIRECTORY_VARIABLE, profile->directory, 1) == 0 &&
           set_number(PROFILE_PASSES_VARIABLE, profile->passes) &&
           set_number(PROFILE_LAUNCHES_VARIABLE, profile->launches) &&
           (!profile->csv || strcmp(profile->csv, "-") != 0 || dup2(2, 1) == 1);
}

/* ---- after the program ---- */

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

/* The first line of trouble, or "". Prints the others, and this one too when `print_all`. */
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

static void print_count(uint32_t count, const char *one, const char *many)
{
    if (count)
        fprintf(stderr, "tlab: %" PRIu32 " %s\n", count, count == 1 ? one : many);
}

/* What was not counted, in sentences. */
static void print_tally(const struct profile *profile)
{
    const struct profile_tally *tally = &profile->tally;
    print_count(tally->beyond, "more launch was not counted (--launches sets the limit)",
                "more launches were not counted (--launches sets the limit)");
    print_count(tally->failed, "launch could not be counted", "launches could not be counted");
    print_count(tally->captured, "launch was recorded into a CUDA graph instead of being run",
                "launches were recorded into CUDA graphs instead of being run");
    print_count(tally->graphs,
                "launch of a CUDA graph was not counted: let the program launch its kernels one "
                "by one",
                "launches of CUDA graphs were not counted: let the program launch its kernels one "
                "by one");
}

/* The library was never started in the program: why? */
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

/* Save and print what the program left. The exit status is 0 or 1, or 2 with a failure. */
static int collect(struct profile *profile, struct failure *failure)
{
    char path[PATH_SIZE], text[64];
    const char *fault = companion_fault(profile->wait_status, text);
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
        fprintf(stderr, "tlab: %s launched no kernel that could be counted\n", profile->program[0]);
    }
    read_troubles(profile, true, failure);
    print_tally(profile);
    if (profile->csv &&
        !records_save(profile->csv, profile->records, profile->record_count, failure))
        return 2;
    if (!profile->csv || strcmp(profile->csv, "-") != 0)
        records_print(stdout, profile->records, profile->record_count);
    if (fault)
        fprintf(stderr, "tlab: %s %s; the rows are those of the launches before\n",
                profile->program[0], fault);
    return fault ? 1 : 0;
}

int command_profile(int count, char **values, struct failure *failure)
{
    struct profile *profile = calloc(1, sizeof *profile);
    bool helped;
    int status = 2;
    if (!profile) {
        failure_harness(failure, "not enough memory");
        return status;
    }
    if (parse_arguments(profile, count, values, &helped, failure)) {
        if (helped)
            status = 0;
        else if (find_library(profile, failure) && make_directory(profile, failure) &&
                 companion_run(profile->program, prepare_program, profile, &profile->wait_status,
                               failure))
            status = collect(profile, failure);
    }
    if (*profile->directory)
        scratch_remove(profile->directory);
    free(profile->records);
    free(profile);
    return status;
}
