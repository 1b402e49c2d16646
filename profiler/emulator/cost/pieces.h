/* pieces.h: how scattered the addresses are that a grid asks DRAM for.
 *
 * DRAM gives a row of a bank much faster than the same bytes from several rows, and the memory
 * controllers can only bring together what is asked for at about the same time. Two things count.
 * One is how large the *pieces* are in which the requests of a short while lie: of each PIECE_BYTES
 * (geometry.h) of memory, how many were asked for. The 32 x 32 tiles of a transpose are 128 bytes
 * wide, and whether the other half of a piece is asked for in the same while depends on the order
 * of the blocks. The other is over how many *pages* of 2^PAGE_SHIFT bytes they are strewn: blocks
 * that follow each other along a row of the output store to a few, those that go down a column to
 * as many as the matrix has. Stores suffer more than loads
 * (profiler/hardware/calibrate/benchmarks.cu).
 */
#ifndef PIECES_H
#define PIECES_H

#include "emulator/cost/coalesce.h"
#include "emulator/cost/counters.h"

struct pieces;

/* `parts` is the number of callers of pieces_add, 1 to HIERARCHY_PARTS_MAX. NULL: no memory. */
struct pieces *pieces_create(const struct device *device, unsigned parts);
void pieces_free(struct pieces *pieces);

/* Part `part`'s share of a wave, behind hierarchy_l1: what the L1 dropped does not count. Different
 * parts may be passed concurrently; every part must get every wave, with the same traces. False: no
 * memory. */
bool pieces_add(struct pieces *pieces, unsigned part, const struct trace *traces, size_t count);

/* Of loads [0] and stores [1]: mean bytes asked for of a piece, at most PIECE_BYTES, and mean pages
 * of a window. */
struct scatter {
    double piece_bytes[2], pages[2];
};

/* Of what is contiguous; a short while may meet two pages. */
#define SCATTER_NONE                                                                               \
    (struct scatter)                                                                               \
    {                                                                                              \
        {PIECE_BYTES, PIECE_BYTES},                                                                \
        {                                                                                          \
            2, 2                                                                                   \
        }                                                                                          \
    }

/* SCATTER_NONE for what had no traffic. The same for any number of parts. */
struct scatter pieces_scatter(const struct pieces *pieces);

#endif
