/* report.h: the file through which `tlab exec` and the runtime in the program exchange options and
 * records. Both processes map it, and so do child processes of the program. After a crash, the file
 * therefore contains the records of all completed launches. Its path is in the environment variable
 * RUNTIME_REPORT_VARIABLE.
 *
 * The program can write arbitrary bytes into the file, so the reader validates everything.
 */
#ifndef REPORT_H
#define REPORT_H

#include "emulator/device/device.h"
#include "record/record.h"

#define RUNTIME_REPORT_VARIABLE "TLAB_RUNTIME_REPORT"

enum { RUNTIME_TROUBLE_SIZE = 1024 };

/* One kernel and launch configuration. */
struct runtime_row {
    uint64_t launches; /* Number of launches; 0 while the row is incomplete. */
    struct record record;
};

struct runtime_report {
    /* Set by `tlab exec`. */
    uint64_t bytes; /* Size of this struct, to check that both sides come from one build. */
    struct device device;
    uint64_t workers;
    bool all_launches; /* Count every launch, not only the first of each configuration. */
    bool unchecked;
    /* Set by the program; counts are increased atomically. */
    uint32_t processes;                 /* Processes that used the runtime. */
    uint32_t rows_used;                 /* May exceed RECORDS_MAX; the excess was dropped. */
    uint32_t wrong;                     /* Launches with a reported mistake. */
    uint32_t troubled;                  /* Not 0 after a process has started to write `trouble`. */
    char trouble[RUNTIME_TROUBLE_SIZE]; /* The reason why tlab cannot run the program. */
    struct runtime_row rows[RECORDS_MAX];
};

#endif
