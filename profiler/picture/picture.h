/* picture.h: pictures of memory accesses in an emulated run. Each function writes CSV rows with a
 * header line, and the settings of the gnuplot script plots/picture-KIND.gp. */
#ifndef PICTURE_H
#define PICTURE_H

#include "picture/block_places.h"
#include "picture/picture_file.h"
#include "view/block_accesses.h"

struct picture_view {
    const char *path;
    uint32_t line;             /* If 0, set to the line with most excess sectors or wavefronts. */
    unsigned warp, time;       /* `time`: number of the warp's access at the line, from 1. */
    uint64_t seed, rows, cols; /* Input matrix; rows is 0 without a matrix. */
};

/* Draw the bank of each lane for the shared-memory accesses at a line. Returns false (a harness
 * failure) if the view selects no access. */
bool picture_banks(struct picture_file *file, struct picture_view *view,
                   const struct emulator_launch *launch, const struct block_accesses *accesses,
                   struct failure *failure);

/* Draw the sector (CC 1.x: transaction) of each lane for the global accesses at a line. */
bool picture_sectors(struct picture_file *file, struct picture_view *view,
                     const struct emulator_launch *launch, const struct block_accesses *accesses,
                     struct failure *failure);

/* Draw the place of each element in idata, shared memory and odata, and the thread that moves the
 * element. An element is identified by its value, because all values of the input differ. Returns
 * false (a harness failure) if the block moves no element of an input matrix. */
bool picture_tile(struct picture_file *file, struct picture_view *view,
                  const struct emulator_launch *launch, const struct block_accesses *accesses,
                  struct failure *failure);

/* Begin a picture of the order of blocks. Panels show tiles at the top left of idata or odata. For
 * each tile, they show the block that accesses it, and the partition of its first element. */
void picture_order_begin(struct picture_file *file, unsigned panels, unsigned devices);
void picture_order_describe(struct picture_file *file, const struct device *device, uint64_t rows,
                            uint64_t cols);
/* Returns false (a harness failure) if the blocks of the kernel move no tiles. */
bool picture_order_panel(struct picture_file *file, unsigned panel, const char *name,
                         const struct emulator_launch *launch, const struct block_places *places,
                         struct failure *failure);

struct picture_partitions {
    const char *name; /* Name of the exercise. */
    const struct device *device;
    struct partition_history history;
};
void picture_partitions_begin(struct picture_file *file, unsigned panels, unsigned across);
void picture_partitions_describe(struct picture_file *file, const struct device *device,
                                 uint64_t rows, uint64_t cols);
void picture_partitions_panel(struct picture_file *file, unsigned panel,
                              const struct picture_partitions *partitions);

/* Draw the CSV file of `tlab picture banks` or `sectors` in text characters; only ASCII if
 * `blocks` is false. Returns false for any other file. */
bool picture_text_print(FILE *out, const char *path, bool blocks);

#endif
