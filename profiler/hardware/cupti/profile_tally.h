/* profile_tally.h: what `tlab profile` and its injected library tell each other.
 *
 * The command makes a directory and puts its path into the program's environment. The library, once
 * in every process that uses CUDA, appends a CSV row per launch to one file there and a line per
 * trouble to another, and keeps numbers in a third, which all processes map: how many launches
 * there were of each kind, and the times of those that were not counted.
 */
#ifndef GPU_PROFILE_TALLY_H
#define GPU_PROFILE_TALLY_H

#include <stdint.h>

#define PROFILE_DIRECTORY_VARIABLE "TLAB_PROFILE_DIR"
#define PROFILE_PASSES_VARIABLE "TLAB_PROFILE_PASSES"     /* as collector_open's max_passes */
#define PROFILE_LAUNCHES_VARIABLE "TLAB_PROFILE_LAUNCHES" /* how many to count */

/* Files in that directory. */
#define PROFILE_ROWS_FILE "rows.csv"
#define PROFILE_TROUBLES_FILE "troubles"
#define PROFILE_TALLY_FILE "tally"

/* Which launches, and how often. */
#define PROFILE_KERNEL_VARIABLE                                                                    \
    "TLAB_PROFILE_KERNEL"                           /* a regular expression of names; absent: all */
#define PROFILE_SKIP_VARIABLE "TLAB_PROFILE_SKIP"   /* how many of those to leave out first */
#define PROFILE_COUNT_VARIABLE "TLAB_PROFILE_COUNT" /* how many equal ones to count */
#define PROFILE_TIMES_VARIABLE "TLAB_PROFILE_TIMES" /* 1: time those that are not counted */

enum { PROFILE_NAME_SIZE = 1024, PROFILE_GROUPS_MAX = 1024 };

/* Equal launches: the same kernel in the same shape. A process takes a free one by setting `state`
 * from FREE to TAKEN, fills in what they are, and sets READY. */
enum { PROFILE_GROUP_FREE, PROFILE_GROUP_TAKEN, PROFILE_GROUP_READY };
struct profile_group {
    uint32_t state;
    uint32_t grid[3], block[3], dynamic_shared;
    uint32_t launches, counted, timed;
    uint64_t name_hash, shared_bytes; /* of a block, static and dynamic */
    uint64_t time_ns;                 /* of all that were timed together */
    char name[PROFILE_NAME_SIZE];     /* demangled */
};

struct profile_tally {
    uint32_t processes; /* that started CUDA */
    uint32_t rows;      /* launches counted, or being counted */
    uint32_t beyond;    /* launches after the limit was reached */
    uint32_t failed;    /* launches that could not be counted; a trouble says why */
    uint32_t captured;  /* launches recorded into a CUDA graph instead of being run */
    uint32_t graphs;    /* launches of whole CUDA graphs, which are not counted */
    uint32_t matched;   /* launches that --kernel chose */
    uint32_t ungrouped; /* launches for which there was no group left: neither counted nor timed */
    double dram_gbps;   /* of the device, theoretical; 0: unknown */
    struct profile_group groups[PROFILE_GROUPS_MAX];
};

#endif
