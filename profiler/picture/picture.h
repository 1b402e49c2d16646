/* picture.h: the data of pictures of memory accesses, from an emulated run. Each function writes
 * the rows of a CSV with a header line, and the settings of its gnuplot script
 * (plots/picture-KIND.gp). */
#ifndef PICTURE_H
#define PICTURE_H

#include "picture/block_places.h"
#include "picture/picture_file.h"
#include "view/block_accesses.h"

/* The selected accesses of an observed block. */
struct picture_view {
    const char *path;    /* path of the source */
    uint32_t line;       /* 0 selects the line with the largest excess; set to the drawn line */
    unsigned warp, time; /* time counts from 1 */
    uint64_t seed, rows, cols; /* input matrix; 0 rows if there is none */
};

/* Draw the bank of each lane for the accesses to shared memory at a line. Harness failure if there
 * are no such accesses. */
bool picture_banks(struct picture_file *file, struct picture_view *view,
                   const struct emulator_launch *launch, const struct block_accesses *accesses,
                   struct failure *failure);

/* Draw the sector (CC 1.x: transaction) of each lane for the global accesses at a line. */
bool picture_sectors(struct picture_file *file, struct picture_view *view,
                     const struct emulator_launch *launch, const struct block_accesses *accesses,
                     struct failure *failure);

/* Draw the place of each element in idata, shared memory and odata, and the thread that moves it.
 * An element is identified by its value, because all values of the input differ. Harness failure if
 * no element of an input matrix is moved. */
bool picture_tile(struct picture_file *file, struct picture_view *view,
                  const struct emulator_launch *launch, const struct block_accesses *accesses,
                  struct failure *failure);

/* Draw the order of blocks: the tiles in the first corner of idata and of odata, with the index of
 * the block that loads or stores each tile, and the partition of the tile's first element. There is
 * one row of panels for each of the `panels` kernels, on one device. */
void picture_order_begin(struct picture_file *file, unsigned panels, unsigned devices);
/* Set the subtitle for a matrix of rows x cols. */
void picture_order_describe(struct picture_file *file, const struct device *device, uint64_t rows,
                            uint64_t cols);
/* Draw the panels of one kernel. Harness failure if its blocks move no tiles of a matrix. */
bool picture_order_panel(struct picture_file *file, unsigned panel, const char *name,
                         const struct emulator_launch *launch, const struct block_places *places,
                         struct failure *failure);

/* DRAM traffic by partition over time, with one panel per history. */
struct picture_partitions {
    const char *name; /* name of the exercise */
    const struct device *device;
    struct partition_history history;
};
/* Begin a picture of `panels` panels, with `across` panels in a row. */
void picture_partitions_begin(struct picture_file *file, unsigned panels, unsigned across);
/* Set the subtitle for a matrix of rows x cols on any device. */
void picture_partitions_describe(struct picture_file *file, const struct device *device,
                                 uint64_t rows, uint64_t cols);
void picture_partitions_panel(struct picture_file *file, unsigned panel,
                              const struct picture_partitions *partitions);

/* Print the CSV of `tlab picture banks` or `sectors` in characters: a column for each lane, and
 * half a line for each bank or sector. If `blocks` is false, prints ASCII. Returns false if the
 * file has no such data. */
bool picture_text_print(FILE *out, const char *path, bool blocks);

#endif
