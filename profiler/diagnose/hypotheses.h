/* hypotheses.h: the table of the bug patterns that the diagnosis recognizes. A row contains the
 * finding, the kind of its test, the parameters of the test, and the message.
 *
 * Each kind of hypothesis is tested in one file:
 *
 *   BY_PLACE    compares the output with another map of the matrix        diagnose_placement.c
 *   BY_GATHER   compares the output with another source of each element   diagnose_gather.c
 *   BY_VALUE    compares the output with other values of the elements     diagnose_alteration.c
 *   BY_INDEX    compares the output of a kernel that has one wrong index  diagnose_kernel.c
 *   BY_LAUNCH   launches with another grid or block                       second_look.c
 *   BY_TEXT     launches a changed source                                 other_text.c */
#ifndef HYPOTHESES_H
#define HYPOTHESES_H

#include "base/finding.h"
#include "course/matrix.h"

#include <stdbool.h>

enum hypothesis_kind { BY_PLACE, BY_GATHER, BY_VALUE, BY_INDEX, BY_LAUNCH, BY_TEXT };

/* Values of `how` for each kind. BY_PLACE: enum reference, or PLACE_ROTATE270. */
enum { PLACE_ROTATE270 = REFERENCE_COUNT };
enum {
    GATHER_SWAPPED,   /* rows and columns are exchanged */
    GATHER_PITCH,     /* rows of the input are read with a wrong pitch */
    GATHER_MIRRORED,  /* `where`: 1 for reversed columns, 2 for reversed rows, 3 for both */
    GATHER_CONSTANT,  /* every element is the same input element */
    GATHER_FIRST_ROW, /* every row is the first row */
    GATHER_FIRST_COL  /* every column is the first column */
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
/* Values of the two changes in LAUNCH(change of the grid, change of the block), BY_LAUNCH. */
enum {
    GRID_KEEP,
    GRID_FOR_BLOCK, /* grid and block are exchanged */
    GRID_TURN,      /* x and y of the grid are exchanged */
    GRID_COLUMN,    /* one more block in x; GRID_ROW adds one in y, and GRID_BOTH in x and y */
    GRID_ROW,
    GRID_BOTH,
    GRID_PAIRS,   /* one row of blocks, one per pair of tiles of block.x * block.x elements */
    GRID_SQUARES, /* one block per tile of block.x * block.x elements */
    GRID_BLOCKS,  /* one block per tile of block.x * block.y elements */
    GRID_LINE,    /* the blocks of GRID_SQUARES in one row */
    GRID_TILES,   /* one block per tile of the exercise */
    GRID_TILES_TURNED,
    /* + 0 to 5: move the factor `matrices` to another dimension of the grid. + 6 to 8: multiply one
     * dimension by `matrices`. */
    GRID_BATCH,
    BLOCK_KEEP = 0,
    BLOCK_TURN,
    BLOCK_8,       /* 32 x 8 for a block of less than one warp */
    BLOCK_32,      /* 32 x 32 for a block of less than one warp */
    BLOCK_QUARTER, /* a quarter of the rows of a square block; BLOCK_HALF takes half */
    BLOCK_HALF,
    BLOCK_NARROW, /* a quarter of the columns of a square block */
    BLOCK_DOUBLE, /* the shorter side of the block, or its only side, is doubled */
    BLOCK_TILE    /* one row of threads for each row of the tile */
};
#define LAUNCH(grid, block) (10 * (grid) + (block))

/* Values of `where`. For BY_INDEX, the values are the accesses with a wrong index. BOTH is a wrong
 * index of input and output, which share variables. TILES_BOTH is a wrong index of both accesses to
 * the tile. For BY_TEXT, hypotheses with FIRST precede less specific hypotheses, which would also
 * fit. Hypotheses with ALWAYS are tested even if the mistake is known, and hypotheses with LAST
 * only if the mistake is unknown. one_change.c compiles all changes with COMMON together. For
 * COMMON_ALL, it also changes all places of a statement or of the kernel. */
enum { GLOBALS = 1, TILES = 2, BOTH = 4, ALONE = 8, TILES_BOTH = 16 };
enum { FIRST, ALWAYS, LAST, COMMON, COMMON_ALL };

struct hypothesis {
    enum finding_id finding;
    enum hypothesis_kind kind;
    unsigned how, where;
    /* The message. hypothesis_text replaces {out}, {in}, {rows}, {cols}, {a} and {b}. */
    const char *text;
    /* BY_TEXT: an extended regular expression for the wrong text, and its replacement. In the
     * replacement, \1, \2, ... are the groups of the expression. */
    const char *pattern, *replacement;
};

/* Returns the first hypothesis of a kind after `last`, which may be NULL; NULL if there is none. */
const struct hypothesis *hypothesis_next(enum hypothesis_kind kind, const struct hypothesis *last);

/* Replacements for the names in braces in a message. */
struct hypothesis_values {
    const char *out, *in;
    uint64_t rows, cols, a, b;
};
char *hypothesis_text(const struct hypothesis *hypothesis, const struct hypothesis_values *values,
                      char *text, size_t size);

#endif
