/* profile_tally.h: the interface between `tlab profile` and its injected library. The command
 * passes the path of a directory in the environment. The library appends one CSV row per counted
 * launch to the file of rows, and one line per problem to the file of troubles. All processes map
 * the tally file (struct profile_tally). */
#ifndef GPU_PROFILE_TALLY_H
#define GPU_PROFILE_TALLY_H

#include <stdint.h>

#define PROFILE_DIRECTORY_VARIABLE "TLAB_PROFILE_DIR"
#define PROFILE_PASSES_VARIABLE "TLAB_PROFILE_PASSES"     /* max_passes of collector_open. */
#define PROFILE_LAUNCHES_VARIABLE "TLAB_PROFILE_LAUNCHES" /* Maximum number of counted launches. */

#define PROFILE_ROWS_FILE "rows.csv"
#define PROFILE_TROUBLES_FILE "troubles"
#define PROFILE_TALLY_FILE "tally"

/* A regular expression for the names of the selected kernels; if unset, all kernels. */
#define PROFILE_KERNEL_VARIABLE "TLAB_PROFILE_KERNEL"
#define PROFILE_SKIP_VARIABLE "TLAB_PROFILE_SKIP"   /* Number of matching launches to skip. */
#define PROFILE_COUNT_VARIABLE "TLAB_PROFILE_COUNT" /* Number of launches per group to count. */
#define PROFILE_TIMES_VARIABLE "TLAB_PROFILE_TIMES" /* If 1, time launches that are not counted. */

enum { PROFILE_NAME_SIZE = 1024, PROFILE_GROUPS_MAX = 1024 };

/* A group consists of launches of the same kernel with the same configuration. A process changes
 * the `state` of a group from FREE to TAKEN, fills the group, and sets READY. */
enum { PROFILE_GROUP_FREE, PROFILE_GROUP_TAKEN, PROFILE_GROUP_READY };
struct profile_shape {
    uint32_t grid[3], block[3], dynamic_shared;
};
struct profile_group {
    uint32_t state;
    struct profile_shape shape;
    uint32_t launches, counted, timed;
    uint64_t name_hash, shared_bytes; /* shared_bytes: static and dynamic, per block. */
    uint64_t time_ns;
    char name[PROFILE_NAME_SIZE];
};

struct profile_tally {
    uint32_t processes;
    uint32_t rows;     /* Launches that are counted or for which a row is reserved. */
    uint32_t beyond;   /* Launches after the row limit was reached. */
    uint32_t failed;   /* Launches that could not be counted; the troubles file has the reasons. */
    uint32_t captured; /* Launches that were captured into a CUDA graph. */
    uint32_t graphs;   /* Launches of CUDA graphs, which are not counted. */
    uint32_t matched;
    uint32_t ungrouped; /* Launches for which no group was free: neither counted nor timed. */
    double dram_gbps;   /* Theoretical DRAM bandwidth of the device; 0 if unknown. */
    struct profile_group groups[PROFILE_GROUPS_MAX];
};

#endif
