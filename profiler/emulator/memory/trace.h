/* trace.h: the global accesses of a block. */
#ifndef TRACE_H
#define TRACE_H

#include "emulator/memory/coalesce.h"

#include <stddef.h>

/* Global accesses of one block in program order, some stores as columns (coalesce.h). `runs` is
 * malloc'd by the caller, who frees it; hierarchy_l1 may realloc it. */
struct trace {
    run *runs;
    size_t count, capacity;
    unsigned sm;    /* the SM that the block runs on, below device->multiprocessors */
    unsigned warps; /* of the block */
    bool may_merge; /* it stores parts of sectors, to few lines at a time: see store_merge.h */
};

#endif
