/* profile_tally.h: what `tlab profile` and its injected library tell each other.
 *
 * The command makes a directory and puts its path into the program's environment. The library, once
 * in every process that uses CUDA, appends a CSV row per launch to one file there and a line per
 * trouble to another, and counts in a third, which all processes map.
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

struct profile_tally {
    uint32_t processes; /* that started CUDA */
    uint32_t rows;      /* launches counted, or being counted */
    uint32_t beyond;    /* launches after the limit was reached */
    uint32_t failed;    /* launches that could not be counted; a trouble says why */
    uint32_t captured;  /* launches recorded into a CUDA graph instead of being run */
    uint32_t graphs;    /* launches of whole CUDA graphs, which are not counted */
};

#endif
