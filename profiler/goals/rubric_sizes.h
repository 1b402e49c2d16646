/* rubric_sizes.h: the kinds of sizes at which a kernel is verified, and how sizes are drawn.
 * docs/rubrics.md lists the ranges. */
#ifndef RUBRIC_SIZES_H
#define RUBRIC_SIZES_H

#include "course/exercise.h"
#include "goals/draw.h"

#include <stdbool.h>
#include <stdint.h>

/* X(id, json). In an exercise on whole tiles, there is no RAGGED size, and all kinds except SQUARE,
 * OBLONG and HUGE describe the sides in tiles. In an exercise on one row, the length of the row is
 * rows times columns, and a PRIMES length is one prime. */
#define RUBRIC_SIZE_KIND_LIST(X)                                                                   \
    X(SQUARE, "square") /* whole tiles */                                                          \
    X(OBLONG, "oblong") /* whole tiles, not square */                                              \
    X(RAGGED, "ragged") /* rows or columns are not multiples of the tile */                        \
    X(PRIMES, "primes") /* rows and columns are primes */                                          \
    X(SEVENS, "sevens") /* rows and columns are multiples of 7 */                                  \
    X(EVEN, "even")     /* square, even, and not a multiple of the tile */                         \
    X(THIN, "thin")     /* one row or one column */                                                \
    X(ONE, "one")       /* one element */                                                          \
    X(MIDDLE, "middle") /* the shorter side has hundreds of elements */                            \
    X(LARGE, "large")   /* more than 1024 rows and columns */                                      \
    X(LONG, "long")     /* at least 256 times as long as wide */                                   \
    X(ODD, "odd")       /* square and odd, with hundreds of rows */                                \
    X(FAR, "far")       /* one row or one column, longer than any thin size */                     \
    X(HUGE, "huge")     /* 2048 x 2048, the default size of `tlab run` */

enum rubric_size_kind {
#define X(id, ...) RUBRIC_##id,
    RUBRIC_SIZE_KIND_LIST(X)
#undef X
        RUBRIC_SIZE_KIND_COUNT
};

enum { RUBRIC_HUGE_SIDE = 2048 };

struct rubric_size {
    uint64_t rows, cols;
    enum rubric_size_kind kind;
    bool hidden;
    uint64_t seed;       /* Seed of the input on a GPU, and of random choices of the grader. */
    uint64_t input_seed; /* Seed of the input on the emulator; rubric_huge_seed at a hidden size. */
};

const char *rubric_size_kind_name(enum rubric_size_kind kind);

/* Returns ONE, THIN, RAGGED, SQUARE or OBLONG. In exercises on whole tiles, the unit is a tile. */
enum rubric_size_kind rubric_size_kind_of(const struct exercise *exercise, uint64_t rows,
                                          uint64_t cols);

/* Draw the rows and columns of a size of kind size->kind. *turns is the number of thin and far
 * sizes that were drawn before. The long side of these sizes alternates between rows and columns.
 *
 * No constant grid is correct for all kinds. A grid that covers large and long sizes exceeds the
 * instruction limit of the smallest size (MEASURE_BUDGET), because a block costs 100 instructions.
 * All octaves of a side have equal probability, and the ranges of the kinds are adjacent, so no
 * range of sides is rare. */
void rubric_size_draw(struct draw *draw, const struct exercise *exercise, unsigned *turns,
                      struct rubric_size *size);

/* Draw a hidden size of whole tiles with both sides above 1024. */
void rubric_size_draw_whole(struct draw *draw, uint64_t tile, struct rubric_size *size);

#endif
