/* report.h: what `tlab exec` tells the runtime in the program, and what that leaves: one file,
 * mapped by both (and by what the program forks or starts), so that a program which crashes leaves
 * the records of all launches that ended. Its path is in the environment variable
 * RUNTIME_REPORT_VARIABLE.
 *
 * The program could write anything into the file: the reader takes nothing for granted.
 */
#ifndef REPORT_H
#define REPORT_H

#include "emulator/device/device.h"
#include "record/record.h"

#define RUNTIME_REPORT_VARIABLE "TLAB_RUNTIME_REPORT"

enum { RUNTIME_TROUBLE_SIZE = 1024 };

/* One kernel and launch shape. */
struct runtime_row {
    uint64_t launches; /* 0: not complete yet */
    struct record record;
};

struct runtime_report {
    /* From `tlab exec`. */
    uint64_t bytes; /* of this struct: both sides come from one build */
    struct device device;
    uint64_t workers;
    bool all_launches; /* count each launch, not only the first of its shape */
    bool unchecked;
    /* From the program; counts grow by atomic additions. */
    uint32_t processes;                 /* that used the runtime */
    uint32_t rows_used;                 /* may be more than there are: the rest was dropped */
    uint32_t wrong;                     /* launches of which a mistake was reported */
    uint32_t troubled;                  /* `trouble` is being, or has been, written */
    char trouble[RUNTIME_TROUBLE_SIZE]; /* why tlab cannot run the program, in a sentence */
    struct runtime_row rows[RECORDS_MAX];
};

#endif
