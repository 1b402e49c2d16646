/* rubric_sizes.h: sizes on which a kernel must be right: their kinds, and how hidden ones are
 * drawn.
 */
#ifndef RUBRIC_SIZES_H
#define RUBRIC_SIZES_H

#include "course/exercise.h"
#include "goals/draw.h"

#include <stdbool.h>
#include <stdint.h>

/* X(id, json): kinds of sizes. Exercises on whole tiles do not know RAGGED, and count all others
 * but SQUARE and OBLONG in tiles. Of a line, rows and columns are multiplied; a PRIMES is then one
 * prime. */
#define RUBRIC_SIZE_KIND_LIST(X)                                                                   \
    X(SQUARE, "square") /* made of whole tiles */                                                  \
    X(OBLONG, "oblong") /* not square, made of whole tiles */                                      \
    X(RAGGED, "ragged") /* rows and columns are no multiples of the tile */                        \
    X(PRIMES, "primes") /* rows and columns are primes */                                          \
    X(SEVENS, "sevens") /* both have 7 as a divisor, and 3 or 5 */                                 \
    X(EVEN, "even")     /* square, even, and no multiple of the tile */                            \
    X(THIN, "thin")     /* as low or as narrow as can be */                                        \
    X(ONE, "one")       /* as small as can be */                                                   \
    X(MIDDLE, "middle") /* the shorter side has some hundreds */                                   \
    X(LARGE, "large")   /* more than a thousand rows and columns */                                \
    X(LONG, "long")     /* a hundred times as long as wide */

enum rubric_size_kind {
#define X(id, ...) RUBRIC_##id,
    RUBRIC_SIZE_KIND_LIST(X)
#undef X
        RUBRIC_SIZE_KIND_COUNT
};

/* A size on which the result must be right. */
struct rubric_size {
    uint64_t rows, cols;
    enum rubric_size_kind kind;
    bool hidden;
    uint64_t seed; /* of the input; that of a hidden size is drawn from the secret */
};

/* How a kind of size is written in JSON. */
const char *rubric_size_kind_name(enum rubric_size_kind kind);

/* The kind that a size is, but for PRIMES, SEVENS and EVEN; a whole-tile exercise counts in
 * tiles. */
enum rubric_size_kind rubric_size_kind_of(const struct exercise *exercise, uint64_t rows,
                                          uint64_t cols);

/* Draw rows and columns of size->kind. *turns counts the thin and long sizes so far, of which
 * rows and columns are the long side in turn.
 *
 * Between them the kinds leave no grid that could be right everywhere without depending on the
 * size: large sizes are beyond 1024 each way, long ones beyond 8192 either way, and more blocks
 * than cover both are more than the budget of the smallest size pays for (MEASURE_BUDGET; a
 * block costs 100 instructions). Nor do they leave a range of a side, or of both, in which a
 * kernel can do nothing: sides are drawn by octaves, each as likely as the other, and where a
 * kind's range ends the next one's begins. Kernels that leave out what has something in common
 * (primes, multiples, squares) meet such sizes among the small ones, and every third large size
 * is square. Large sizes are bounded by their area, because they are what takes the time. */
void rubric_size_draw(struct draw *draw, const struct exercise *exercise, unsigned *turns,
                      struct rubric_size *size);

/* A hidden size of whole tiles, beyond 1024 each way: where a kernel that is right on whole
 * tiles only must be right, too. */
void rubric_size_draw_whole(struct draw *draw, uint64_t tile, struct rubric_size *size);

#endif
