/* pieces.h: how scattered the DRAM addresses of a grid are.
 *
 * DRAM transfers bytes of one row of a bank much faster than the same number of bytes from several
 * rows. A memory controller can only combine requests that arrive at about the same time (in a
 * *window*). Memory is divided into *pieces* (PIECE_BYTES, geometry.h) and *pages* (2^PAGE_SHIFT
 * bytes). Two numbers determine the speed: the requested bytes per piece and window, and the pages
 * per window. Stores lose more time than loads (profiler/hardware/calibrate/benchmarks.cu). */
#ifndef PIECES_H
#define PIECES_H

#include "emulator/cost/coalesce.h"
#include "emulator/cost/counters.h"

struct pieces;

/* pieces_add has `parts` callers, 1 to HIERARCHY_PARTS_MAX. Returns NULL if memory is exhausted. */
struct pieces *pieces_create(const struct device *device, unsigned parts);
void pieces_free(struct pieces *pieces);

/* Count the pieces and pages of part `part` in a wave. Call this function after hierarchy_l1,
 * because dropped runs do not count. Callers may process different parts concurrently. Every part
 * must process every wave, with the same traces. Returns false if memory is exhausted. */
bool pieces_add(struct pieces *pieces, unsigned part, const struct trace *traces, size_t count);

/* For loads [0] and stores [1]: mean number of requested bytes per piece and window, at most
 * PIECE_BYTES, and mean number of pages per window. */
struct scatter {
    double piece_bytes[2], pages[2];
};

/* The values for contiguous traffic. A contiguous window may touch two pages. */
#define SCATTER_NONE                                                                               \
    (struct scatter)                                                                               \
    {                                                                                              \
        {PIECE_BYTES, PIECE_BYTES},                                                                \
        {                                                                                          \
            2, 2                                                                                   \
        }                                                                                          \
    }

/* Returns the means. If there are no loads (or stores), their means are those of SCATTER_NONE. */
struct scatter pieces_scatter(const struct pieces *pieces);

#endif
