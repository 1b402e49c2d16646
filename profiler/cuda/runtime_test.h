/* runtime_test.h: start the CUDA runtime inside a unit test, as `tlab exec` does for a program.
 * Include this header once per test program, before the first call of the API. */
#ifndef RUNTIME_TEST_H
#define RUNTIME_TEST_H

#include "cuda/exec/report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Create the report for the emulated device `h200`. `workers` is the number of threads, as in `tlab
 * exec --threads`. Returns NULL for a failure. */
static inline struct runtime_report *runtime_test_start(unsigned workers)
{
    static char path[] = "/tmp/runtime_test_XXXXXX";
    struct failure failure = {0};
    int file = mkstemp(path);
    void *bytes = MAP_FAILED;
    if (file >= 0 && !ftruncate(file, sizeof(struct runtime_report)))
        bytes =
            mmap(NULL, sizeof(struct runtime_report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED)
        return NULL;
    struct runtime_report *report = bytes;
    report->bytes = sizeof *report;
    report->workers = workers;
    setenv(RUNTIME_REPORT_VARIABLE, path, 1);
    return device_read(TLAB_ROOT "/profiler/devices/h200.conf", &report->device, &failure) ? report
                                                                                           : NULL;
}

/* Delete the report file after the first runtime call, which maps the file. */
static inline void runtime_test_forget_file(void)
{
    unlink(getenv(RUNTIME_REPORT_VARIABLE));
}

#endif
