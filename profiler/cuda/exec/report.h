/* report.h: the file through which `tlab exec` and the runtime in the program exchange options and
 * records. The environment variable RUNTIME_REPORT_VARIABLE has the path of the file. All processes
 * map the file, so that it contains all completed launches even after a crash. The reader validates
 * all data, because the program can write arbitrary bytes to the file. */
#ifndef REPORT_H
#define REPORT_H

#include "emulator/device/device.h"
#include "record/record.h"

#define RUNTIME_REPORT_VARIABLE "TLAB_RUNTIME_REPORT"

enum { RUNTIME_TROUBLE_SIZE = 1024 };

struct runtime_row {
    uint64_t launches; /* 0 while the row is incomplete. */
    struct record record;
};

struct runtime_report {
    /* `tlab exec` sets these members. */
    uint64_t bytes; /* size of this struct; differs between builds */
    struct device device;
    uint64_t workers;
    bool all_launches; /* False to record one launch per configuration. */
    bool unchecked;
    /* The program sets these members, and increments the counters atomically. */
    uint32_t processes;
    uint32_t rows_used; /* Rows past RECORDS_MAX are dropped. */
    uint32_t wrong;
    uint32_t troubled; /* Not 0 if a process writes or has written `trouble`. */
    char trouble[RUNTIME_TROUBLE_SIZE];
    struct runtime_row rows[RECORDS_MAX];
};

#endif
