/* command_exec.c: tlab exec -- PROGRAM ARGS...: run any CUDA program on an emulated GPU. The
 * dynamic linker finds this project's libcudart.so before NVIDIA's (cuda/core/runtime.h). The
 * program stores a record for each kernel and launch configuration in a file that both processes
 * map (cuda/exec/report.h). Therefore, the records survive a crash. */
#include "base/scratch.h"
#include "commands/command.h"
#include "cuda/exec/program_file.h"
#include "cuda/exec/report.h"
#include "process/allocate.h"
#include "process/child.h"
#include "process/parallel.h"
#include "process/toolkit.h"
#include "run/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char about[] =
    "Runs a CUDA program without a GPU. The host code runs natively. The kernels run in the\n"
    "emulator, which checks them (races, bounds, uninitialized values, barriers) and counts\n"
    "their memory accesses. Prints one row per kernel and launch configuration; `repeats` is the\n"
    "number of launches. Build the program with `tlab nvcc`. The times between CUDA events are\n"
    "modelled, for kernels and for copies.\n";

struct exec_command {
    const char *csv, *device_name;
    bool all_launches, unchecked;
    uint64_t workers;
    char **program;
    char libraries[PATH_SIZE];
    struct toolkit toolkit;    /* NVIDIA's libraries are last in the search order */
    char directory[PATH_SIZE]; /* directory of the report; "" until it exists */
    char report_path[PATH_SIZE];
    struct runtime_report *report;
    struct record *records;
    size_t record_count;
    int wait_status;
};

static bool parse_arguments(struct exec_command *exec, int count, char **values,
                            struct failure *failure)
{
    const struct option_row rows[] = {
        TEXT_ROW("device", "NAME", &exec->device_name,
                 "the GPU to emulate (default " OPTIONS_DEFAULT_DEVICE
                 "; `tlab devices` lists the GPUs)"),
        TEXT_ROW("csv", "FILE", &exec->csv,
                 "write the records as CSV; `-` prints only CSV, to standard output;\n"
                 "the program's output then goes to standard error"),
        FLAG_ROW("all-launches", &exec->all_launches,
                 "count every launch, and print a row for each (default: count the first launch\n"
                 "of each configuration, and use this launch's time for the later launches)"),
        FLAG_ROW("no-checks", &exec->unchecked, "do not check for races and uninitialized reads"),
        NUMBER_ROW("threads", "N", &exec->workers, 1, 64,
                   "number of worker threads (default: number of processors); the number has\n"
                   "no effect on results"),
    };
    const struct command_line line = {"exec", "[OPTION...] -- PROGRAM [ARGUMENT...]", about,
                                      ROWS(rows), .rest = &exec->program};
    exec->device_name = OPTIONS_DEFAULT_DEVICE;
    exec->workers = parallel_processors();
    return command_line_parse(&line, count, values, failure) &&
           (*exec->program || failure_harness(failure, "tlab exec requires a program to run: tlab "
                                                       "exec -- ./program"));
}

static bool find_libraries(struct exec_command *exec, struct failure *failure)
{
    return paths_of_program("runtime", exec->libraries, failure) &&
           (access(exec->libraries, X_OK) == 0 ||
            failure_harness(failure,
                            "tlab exec requires %s, which a build with sanitizers does not contain",
                            exec->libraries));
}

static bool make_report(struct exec_command *exec, struct failure *failure)
{
    struct device device;
    if (!options_device(exec->device_name, &device, failure))
        return false;
    if (!scratch_make(exec->directory, "exec", failure)) {
        *exec->directory = '\0';
        return false;
    }
    snprintf(exec->report_path, sizeof exec->report_path, "%.*s/report", PATH_SIZE - 16,
             exec->directory);
    int file = open(exec->report_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *bytes = MAP_FAILED;
    if (file >= 0 && !ftruncate(file, sizeof *exec->report))
        bytes = mmap(NULL, sizeof *exec->report, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int error = errno;
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED)
        return failure_harness(failure, "cannot write %s: %s", exec->report_path, strerror(error));
    exec->report = bytes;
    exec->report->bytes = sizeof *exec->report;
    exec->report->device = device;
    exec->report->workers = exec->workers;
    exec->report->all_launches = exec->all_launches;
    exec->report->unchecked = exec->unchecked;
    return true;
}

static bool prepare_program(const void *context)
{
    const struct exec_command *exec = context;
    const char *others = getenv("LD_LIBRARY_PATH");
    char paths[2 * PATH_SIZE];
    int length =
        snprintf(paths, sizeof paths, "%s%s%s%s%s", exec->libraries, others && *others ? ":" : "",
                 others ? others : "", *exec->toolkit.library ? ":" : "", exec->toolkit.library);
    if (length < 0 || (size_t)length >= sizeof paths) {
        errno = ENAMETOOLONG;
        return false;
    }
    return setenv("LD_LIBRARY_PATH", paths, 1) == 0 &&
           setenv(RUNTIME_REPORT_VARIABLE, exec->report_path, 1) == 0 &&
           (!record_csv_only(exec->csv) || dup2(2, 1) == 1);
}

static void read_rows(struct exec_command *exec)
{
    const struct runtime_report *report = exec->report;
    uint32_t used = report->rows_used < RECORDS_MAX ? report->rows_used : RECORDS_MAX;
    exec->records = allocate_checked(calloc(used + 1, sizeof *exec->records));
    for (uint32_t i = 0; i < used; i++) {
        struct record *record = &exec->records[exec->record_count];
        *record = report->rows[i].record;
        if (!report->rows[i].launches || !record_is_sound(record))
            continue;
        record_set_count(record, COLUMN_repeats, report->rows[i].launches);
        exec->record_count++;
    }
    if (report->rows_used > used)
        fprintf(stderr, "tlab: %u launch%s no row, because the table is full\n",
                report->rows_used - used, report->rows_used - used == 1 ? " has" : "es have");
}

static int collect(struct exec_command *exec, struct failure *failure)
{
    const struct runtime_report *report = exec->report;
    char text[64];
    const char *fault = child_fault(exec->wait_status, text);
    if (report->troubled) {
        failure_harness(failure, "%.*s", RUNTIME_TROUBLE_SIZE - 1, report->trouble);
        return 2;
    }
    if (!report->processes) {
        failure_harness(failure,
                        "%s never used the CUDA runtime that tlab emulates%s%s; build the program "
                        "with `tlab nvcc`",
                        exec->program[0], fault ? ": it " : "", fault ? fault : "");
        return 2;
    }
    read_rows(exec);
    if (!records_output(exec->csv, exec->records, exec->record_count, failure))
        return 2;
    if (fault)
        fprintf(stderr, "tlab: %s %s; the rows contain only the launches before this failure\n",
                exec->program[0], fault);
    return fault || report->wrong ? 1 : 0;
}

int command_exec(int count, char **values, struct failure *failure)
{
    struct exec_command exec = {0};
    int status = 2;
    if (parse_arguments(&exec, count, values, failure)) {
        toolkit_find(&exec.toolkit);
        if (find_libraries(&exec, failure) && program_file_check(exec.program[0], failure) &&
            make_report(&exec, failure) &&
            child_run_in_terminal(exec.program, prepare_program, &exec, &exec.wait_status, failure))
            status = collect(&exec, failure);
    }
    if (exec.report)
        munmap(exec.report, sizeof *exec.report);
    if (*exec.directory)
        scratch_remove(exec.directory);
    free(exec.records);
    return failure->kind == FAILURE_HARNESS ? 2 : status;
}
