/* pieces.h: how scattered the addresses are that a grid asks DRAM for.
 *
 * DRAM gives a row of a bank much faster than the same bytes from several rows, and the memory
 * controllers can only bring together what is asked for at about the same time. So what counts is
 * how large the *pieces* are in which the requests of a short while lie: of each PIECE_BYTES
 * (geometry.h) of memory, how many were asked for. The 32 x 32 tiles of a transpose are 128 bytes
 * wide, and whether the other half of a piece is asked for in the same while depends on the order
 * of the blocks.
 */
#ifndef PIECES_H
#define PIECES_H

#include "emulator/memory/memory_counts.h"
#include "emulator/memory/trace.h"

struct pieces;

/* `parts` is the number of callers of pieces_add, 1 to HIERARCHY_PARTS_MAX. NULL: no memory. */
struct pieces *pieces_create(const struct device *device, unsigned parts);
void pieces_free(struct pieces *pieces);

/* Part `part`'s share of a wave, behind hierarchy_l1: what the L1 dropped does not count. Different
 * parts may be passed concurrently; every part must get every wave, with the same traces. False: no
 * memory. */
bool pieces_add(struct pieces *pieces, unsigned part, const struct trace *traces, size_t count);

/* Mean bytes asked for of a piece, at most PIECE_BYTES; that many if there was no traffic. The same
 * for any number of parts. */
double pieces_mean(const struct pieces *pieces);

#endif
