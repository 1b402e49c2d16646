/* block_accesses.h: all memory accesses of one block, kept while it is emulated (block_run.h runs
 * it), with the line of the source and the round of the loop that each belongs to.
 */
#ifndef BLOCK_ACCESSES_H
#define BLOCK_ACCESSES_H

#include "emulator/emulator.h"

enum { BLOCK_ACCESSES_MAX = 1 << 14 }; /* accesses that are kept */

/* An access and where it stands. `time` counts, from 1, the accesses of the same warp at the same
 * place of the source: the same line and column, space and direction. A loop makes several, also
 * when the compiler unrolled it. */
struct block_access {
    struct observed_access access;
    uint32_t line; /* of the student's file; 0: unknown */
    unsigned time; /* of its `times` */
    unsigned times;
    size_t group; /* the same for all accesses at that place, whatever the warp */
};

struct block_accesses {
    struct observer observer; /* hand this to the run */
    struct block_access *list;
    size_t count;
    bool is_cut; /* there were more than BLOCK_ACCESSES_MAX */
    bool no_memory;
};

/* Watch block (x, y, z). */
void block_accesses_begin(struct block_accesses *accesses, uint32_t x, uint32_t y, uint32_t z);
void block_accesses_free(struct block_accesses *accesses);

/* Once the block has run: find line, group and time of every access. `path`: the student's file.
 * False: not enough memory, now or while recording. */
bool block_accesses_arrange(struct block_accesses *accesses, const struct ptx_module *module,
                            const char *path);

/* What is at an address of an access, for a person: "odata[3][17]", or of shared memory
 * "tile[3][17]", or "tile + 132" (bytes) where the source does not tell the array's shape. At most
 * `size` bytes. */
void block_access_describe(const struct emulator_launch *launch,
                           const struct observed_access *access, unsigned lane, char *text,
                           size_t size);

/* The access as coalesce.h takes it. It points into `access`. */
struct warp_access block_access_pattern(const struct observed_access *access);

/* The thread of a lane. */
struct dimensions block_access_thread(const struct emulator_launch *launch, unsigned warp,
                                      unsigned lane);

#endif
