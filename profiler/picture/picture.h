/* picture.h: the data of pictures of memory accesses, from what an emulated run did. Each writes
 * the rows of a CSV, with a header line, and the settings of its gnuplot script
 * (plots/picture-KIND.gp).
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "picture/block_places.h"
#include "picture/picture_file.h"
#include "view/block_accesses.h"

/* What is drawn of an observed block. */
struct picture_view {
    const char *path;          /* of the source */
    uint32_t line;             /* 0: where the most is wasted; becomes the line that is shown */
    unsigned warp, time;       /* time from 1 */
    uint64_t seed, rows, cols; /* of the input matrix; 0 rows: there is none */
};

/* The banks of the shared-memory accesses at a line, lane by lane. A harness failure when there are
 * none. */
bool picture_banks(struct picture_file *file, struct picture_view *view,
                   const struct emulator_launch *launch, const struct block_accesses *accesses,
                   struct failure *failure);

/* The sectors (CC 1.x: transactions) of the global accesses at a line, lane by lane. */
bool picture_sectors(struct picture_file *file, struct picture_view *view,
                     const struct emulator_launch *launch, const struct block_accesses *accesses,
                     struct failure *failure);

/* The place of each element in idata, shared memory and odata, and the thread that moves it. An
 * element is identified by its value, since all values of the input differ. A harness failure if
 * no element of an input matrix is moved. */
bool picture_tile(struct picture_file *file, struct picture_view *view,
                  const struct emulator_launch *launch, const struct block_accesses *accesses,
                  struct failure *failure);

/* The order of blocks: the tiles in the first corner of idata and of odata, with the number of the
 * block that loads or stores each and the partition in which it begins. `panels` kernels below each
 * other. */
void picture_order_begin(struct picture_file *file, unsigned panels);
/* Set the subtitle, for a matrix of that size. */
void picture_order_describe(struct picture_file *file, const struct device *device, uint64_t rows,
                            uint64_t cols);
/* A harness failure when the kernel's blocks move no tiles of a matrix. */
bool picture_order_panel(struct picture_file *file, unsigned panel, const char *name,
                         const struct emulator_launch *launch, const struct block_places *places,
                         struct failure *failure);

/* DRAM traffic by partition over time, one panel for each history. */
struct picture_partitions {
    const char *name; /* of the kernel: the exercise's */
    const struct device *device;
    struct partition_history history;
};
/* `panels` in rows of `across`. */
void picture_partitions_begin(struct picture_file *file, unsigned panels, unsigned across);
/* Set the subtitle, for a matrix of that size. */
void picture_partitions_describe(struct picture_file *file, uint64_t rows, uint64_t cols);
void picture_partitions_panel(struct picture_file *file, unsigned panel,
                              const struct picture_partitions *partitions);

#endif
