/* hypotheses.h: every mistake that is looked for, in one table: its identifier, how it is tried,
 * when, and what is said of it.
 *
 * How each kind is tried stands in a file of its own:
 *
 *   BY_PLACE    the output, against another map of the matrix           diagnose_placement.c
 *   BY_GATHER   the output, against another source of each element      diagnose_gather.c
 *   BY_VALUE    the output, against other values of the elements        diagnose_alteration.c
 *   BY_INDEX    the output, against a kernel with one wrong index       diagnose_kernel.c
 *   BY_LAUNCH   a launch with another grid or block                     second_look.c
 *   BY_TEXT     a launch of another text                                other_text.c
 */
#ifndef HYPOTHESES_H
#define HYPOTHESES_H

#include "base/finding.h"
#include "course/matrix.h"

#include <stdbool.h>

enum hypothesis_kind { BY_PLACE, BY_GATHER, BY_VALUE, BY_INDEX, BY_LAUNCH, BY_TEXT };

/* `how` of the kinds. BY_PLACE: enum reference, or */
enum { PLACE_ROTATE270 = REFERENCE_COUNT };
enum {
    GATHER_SWAPPED,   /* rows and columns are exchanged */
    GATHER_PITCH,     /* rows of the input are read another distance apart */
    GATHER_MIRRORED,  /* `where`: 1: its columns, 2: its rows, 3: both */
    GATHER_CONSTANT,  /* one element everywhere */
    GATHER_FIRST_ROW, /* the first row or column everywhere */
    GATHER_FIRST_COL,
    GATHER_GROUP_COLS, /* the first of each group of columns, or rows */
    GATHER_GROUP_ROWS
};
enum {
    VALUE_NEGATED,
    VALUE_ABSOLUTE,
    VALUE_FLUSHED,
    VALUE_INTEGER,
    VALUE_BFLOAT,
    VALUE_SWAPPED,
    VALUE_CONSTANT,
    VALUE_SCALED,
    VALUE_ADDED
};
enum {
    INDEX_RETURN,
    INDEX_RETURN_COL,
    INDEX_RETURN_ROW,
    INDEX_ROUNDS,
    INDEX_STEP,
    INDEX_STEP_OVER,
    INDEX_THREADS,
    INDEX_BLOCKS,
    INDEX_BOUNDS,
    INDEX_ORDER,
    INDEX_ORDER_BUT_STEP,
    INDEX_PITCH,
    INDEX_INPUT_CHECK,
    INDEX_CHECK
};
/* BY_LAUNCH: what becomes of the grid, and of the block. */
enum {
    GRID_KEEP,
    GRID_FOR_BLOCK, /* one is taken for the other */
    GRID_TURN,
    GRID_COLUMN, /* one more */
    GRID_ROW,
    GRID_BOTH,
    GRID_SQUARES, /* as many as tiles of block.x x block.x need */
    GRID_BLOCKS,  /* of block.x x block.y */
    GRID_LINE,    /* as many in a line */
    BLOCK_KEEP = 0,
    BLOCK_TURN,
    BLOCK_8, /* 32 x 8, for less than a warp, which is hardly meant */
    BLOCK_32,
    BLOCK_QUARTER, /* of the rows of a square */
    BLOCK_HALF,
    BLOCK_DOUBLE
};
#define LAUNCH(grid, block) (10 * (grid) + (block))

/* `where`, when a hypothesis is tried. BY_INDEX: in which accesses. BOTH: in the input's and the
 * output's index, which share variables; TILES_BOTH: in both of the tile's. BY_TEXT: FIRST: before
 * other hypotheses, which would fit, too, and say less; ALWAYS: also where the mistake has a name;
 * LAST: where it has none. */
enum { GLOBALS = 1, TILES = 2, BOTH = 4, ALONE = 8, TILES_BOTH = 16 };
enum { FIRST, ALWAYS, LAST };

struct hypothesis {
    enum finding_id finding;
    enum hypothesis_kind kind;
    unsigned how, where;
    /* What the mistake is. Braces hold what is known only then: {out}, {in}, {rows}, {cols}, {a},
     * {b}. */
    const char *text;
    /* BY_TEXT: what is often written, an extended regular expression; what was meant, with \1,
     * \2... for its groups. */
    const char *pattern, *meant;
};

/* The next hypothesis of a kind after that one, or the first after NULL; NULL: there is none. */
const struct hypothesis *hypothesis_next(enum hypothesis_kind kind, const struct hypothesis *last);

/* What a text's braces stand for. */
struct hypothesis_values {
    const char *out, *in;
    uint64_t rows, cols, a, b;
};
char *hypothesis_text(const struct hypothesis *hypothesis, const struct hypothesis_values *values,
                      char *text, size_t size);

#endif
