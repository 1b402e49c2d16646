/* block_accesses.h: all memory accesses of one emulated block, with their source lines. */
#ifndef BLOCK_ACCESSES_H
#define BLOCK_ACCESSES_H

#include "emulator/emulator.h"

enum { BLOCK_ACCESSES_MAX = 1 << 14 };

/* A place is a load or a store in the source. All iterations of a loop access memory at one place,
 * even if the loop is unrolled. `time` counts, from 1, the accesses of one warp at one place. */
struct block_access {
    struct observed_access access;
    uint32_t line; /* Line of the student's file; 0 if unknown. */
    unsigned time;
    unsigned times;
    size_t group; /* Equal for all accesses of all warps at one place. */
};

struct block_accesses {
    struct observer observer; /* Pass this observer to the run. */
    struct block_access *list;
    size_t count;
    bool is_cut; /* True if the block made more than BLOCK_ACCESSES_MAX accesses. */
};

void block_accesses_begin(struct block_accesses *accesses, uint32_t x, uint32_t y, uint32_t z);
void block_accesses_free(struct block_accesses *accesses);

/* After the run, set line, group, time and times of every access. `path` is the student's file. */
void block_accesses_arrange(struct block_accesses *accesses, const struct ptx_module *module,
                            const char *path);

/* Describe the address of a lane in at most `size` bytes: "odata[3][17]" or "tile[3][17]"; "tile +
 * 132" (offset in bytes) if the shape of a shared array is unknown. */
void block_access_describe(const struct emulator_launch *launch,
                           const struct observed_access *access, unsigned lane, char *text,
                           size_t size);

/* Returns the access in the format of coalesce.h, with pointers to data in `access`. */
struct warp_access block_access_pattern(const struct observed_access *access);

struct dimensions block_access_thread(const struct emulator_launch *launch, unsigned warp,
                                      unsigned lane);

#endif
