#include "diagnose/hypotheses.h"

#include "base/wording.h"

#include <inttypes.h>
#include <string.h>

#define SWAPPED "width and height are exchanged: "
#define RETURNS "threads return early: threads "
#define HAVE_OUTPUT " still have an element of the output to write"
#define IN_INDEX "in the index of "
#define SMALL_GRID "the grid looks too small"
#define SMALL_BLOCK "the block looks too small"
#define LARGE_BLOCK "the block looks too large"
#define SMALL_LAUNCH "grid and block look too small"
#define SAME "this value is the same in every block"
#define PITCH "a row of the matrix that is indexed here has "
#define LONG_ROW "a row of the matrix has more elements than a row of the tile"
#define OVERLAP "blocks overlap or omit elements: the parts of neighbouring blocks must begin "
#define SIDES "width and height are exchanged in this condition"
#define ACCUMULATES "`+=` adds to the sum of the earlier iterations of the loop"
#define AFTER_COLON "without parentheses, the operand after `:` contains the rest of the sum"
#define TERM "[^;?]*\\?[^;:?]*: *\\w+"
#define OPERAND "([A-Za-z0-9_.]+|\\([^()]*\\))"
#define QUOTIENTS "(\\w+ ?[/%] ?)(\\w+)([^/%;]{0,60};?[^/%;]{0,40}\\w ?[/%] ?)(\\w+)\\>"
#define ONE_DIVISOR "the quotient and the remainder require the same divisor"
#define PADDED_ROW "a row of the array has more elements than this constant"
#define MACRO_SUM "#define[ \t]+(\\w+)[ \t]+([A-Za-z0-9_.]+( ?[-+*/%] ?[A-Za-z0-9_.]+)+)"
#define MACRO_TEXT "(#define[ \t]+\\w+\\([^)\n]*\\)[^\n]*)"
#define PITCHES "(\\[[^][;]*|#define[^\n]*)\\* ?([A-Z]\\w*)( ?\\+)"
#define ALL_ADD "several threads add the same sum here, but only one thread may add it"
#define FIRST_LANES "lane 0 of every warp has a sum, not only thread 0 of the block"
#define NEXT_ROW "this is the next element of the row; the next row begins one pitch further"
#define ELEMENT "(\\w+\\[[^;]*\\])"
#define VALUE "[a-z][a-z ]* (\\w+) = " ELEMENT ";[ \n]*"
#define PAIR                                                                                       \
    "two threads exchange the same two elements, so the elements are exchanged twice; only one "   \
    "of the two threads may exchange them, for example if row < column"
#define OVERWRITES                                                                                 \
    "several blocks store to this element, and each store replaces the value of the other blocks"
#define UNALIGNED "a row of this array may begin at an address that is not a multiple of 16 bytes"
#define ROUNDS_DOWN "this division rounds down, so a partial tile is lost"
#define VECTORS                                                                                    \
    "the index of a pointer to vectors of 4 elements counts vectors, and a row has width / 4 "     \
    "vectors"
#define VECTOR_INDEX "the index of a pointer to vectors counts vectors, not their elements"
#define MATRICES "consecutive matrices are width * height elements apart"
#define FIRST_ROW "this tests the first row of the thread, not the row of each iteration"
#define ARGUMENTS "two arguments are exchanged"
#define PARAMETER "a parameter of this macro needs parentheses, because an argument may be a sum"
#define ONE_OF_TWO                                                                                 \
    "in each step, only one of every 2 * step threads may add the element of another thread"
#define FEW_THREADS "the thread index must be multiplied by the number of elements of each thread"
#define SHORT_STEP                                                                                 \
    "the loop does not advance by the number of rows that the block processes at a time"
#define ONE_SIDE                                                                                   \
    "this tests only one of the two sides of the tile; the other side may also be outside"
#define LONG_STEP                                                                                  \
    "the step of this loop is larger than the number of rows or elements that the block "          \
    "processes in one iteration"
#define ROWS_OF_TILES "the remainder counts rows of tiles, so divide by the number of these rows"
#define STEP "the loop offset (+ i) is "

#define ROW(id, kind, how, where, text)                                                            \
    {                                                                                              \
        FINDING_##id, kind, how, where, text, NULL, NULL                                           \
    }
#define SHAPE(id, grid, block, text) ROW(id, BY_LAUNCH, LAUNCH(grid, block), 0, text)
#define EDIT(id, when, pattern, replacement, text)                                                 \
    {                                                                                              \
        FINDING_##id, BY_TEXT, 0, when, text, pattern, replacement                                 \
    }

/* Hypotheses of one kind are tested in this order. */
static const struct hypothesis hypotheses[] = {
    /* If the text is NULL, the message is "this is" and the meaning of the map. */
    ROW(MAP_COPIED, BY_PLACE, REFERENCE_COPY, 0, NULL),
    ROW(MAP_TRANSPOSED, BY_PLACE, REFERENCE_TRANSPOSE, 0, NULL),
    ROW(MAP_ROTATED, BY_PLACE, REFERENCE_ROTATE90, 0, NULL),
    ROW(MAP_ROTATED, BY_PLACE, PLACE_ROTATE270, 0,
        "this is the matrix turned by 90 degrees anticlockwise"),
    ROW(MAP_ANTITRANSPOSED, BY_PLACE, REFERENCE_ANTITRANSPOSE, 0, NULL),
    ROW(MAP_TILE_MOVED, BY_PLACE, REFERENCE_TILE_MOVE, 0, "the tiles are moved but not transposed"),
    ROW(MAP_TILE_TRANSPOSED, BY_PLACE, REFERENCE_TILE_TRANSPOSE, 0,
        "each tile is transposed in its place, but not moved"),

    ROW(PITCH_CONFUSED, BY_GATHER, GATHER_SWAPPED, 0,
        SWAPPED
        "{in} is read as {cols} rows of {rows} elements; it has {rows} rows of {cols} elements"),
    ROW(PITCH_CONFUSED, BY_GATHER, GATHER_PITCH, 0,
        SWAPPED "rows of {in} are read height ({rows}) elements apart instead of width ({cols})"),
    ROW(REVERSED, BY_GATHER, GATHER_MIRRORED, 1, "the columns of {out} are in reverse order"),
    ROW(REVERSED, BY_GATHER, GATHER_MIRRORED, 2, "the rows of {out} are in reverse order"),
    ROW(REVERSED, BY_GATHER, GATHER_MIRRORED, 3, "{out} is turned by 180 degrees"),
    ROW(REPEATED, BY_GATHER, GATHER_CONSTANT, 0, "every element of {out} holds {in}[{a}][{b}]"),
    ROW(REPEATED, BY_GATHER, GATHER_FIRST_ROW, 0,
        "every row of {out} holds the elements of the first row"),
    ROW(REPEATED, BY_GATHER, GATHER_FIRST_COL, 0,
        "every column of {out} holds the elements of the first column"),

    ROW(VALUE_ALTERED, BY_VALUE, VALUE_NEGATED, 0, "the elements are negated"),
    ROW(VALUE_ALTERED, BY_VALUE, VALUE_ABSOLUTE, 0, "the elements have lost their signs"),
    ROW(VALUE_CONVERTED, BY_VALUE, VALUE_FLUSHED, 0,
        "denormal elements became 0: arithmetic was done on the elements"),
    ROW(VALUE_CONVERTED, BY_VALUE, VALUE_INTEGER, 0, "the elements were converted to int"),
    ROW(VALUE_CONVERTED, BY_VALUE, VALUE_BFLOAT, 0,
        "the elements have lost the lower half of their bits"),
    ROW(VALUE_CONVERTED, BY_VALUE, VALUE_SWAPPED, 0,
        "the bytes of the elements are in reverse order"),

    ROW(RETURNS_EARLY, BY_INDEX, INDEX_RETURN, ALONE,
        RETURNS "without an element of the input" HAVE_OUTPUT),
    ROW(RETURNS_EARLY, BY_INDEX, INDEX_RETURN_COL, ALONE,
        RETURNS "past the input's last column" HAVE_OUTPUT),
    ROW(RETURNS_EARLY, BY_INDEX, INDEX_RETURN_ROW, ALONE,
        RETURNS "past the input's last row" HAVE_OUTPUT),
    ROW(LOOP_ENDS_EARLY, BY_INDEX, INDEX_ROUNDS, ALONE,
        "the loop over the tile ends after its first iteration"),
    /* The text is followed by the name of the access. */
    ROW(STEP_MISSING, BY_INDEX, INDEX_STEP, GLOBALS | TILES | BOTH | TILES_BOTH,
        STEP "missing from the index of "),
    ROW(STEP_MISPLACED, BY_INDEX, INDEX_STEP_OVER, GLOBALS | TILES,
        STEP
        "added to the row instead of the column, or to the column instead of the row, " IN_INDEX),
    ROW(THREADS_EXCHANGED, BY_INDEX, INDEX_THREADS, GLOBALS | TILES | BOTH,
        "threadIdx.x and threadIdx.y are exchanged " IN_INDEX),
    ROW(BLOCKS_EXCHANGED, BY_INDEX, INDEX_BLOCKS, GLOBALS,
        "blockIdx.x and blockIdx.y are exchanged " IN_INDEX),
    ROW(BOUNDS_EXCHANGED, BY_INDEX, INDEX_BOUNDS, GLOBALS,
        "width and height are exchanged in the bounds check of "),
    ROW(INDEX_EXCHANGED, BY_INDEX, INDEX_ORDER, GLOBALS | TILES | BOTH,
        "row and column are exchanged " IN_INDEX),
    ROW(INDEX_EXCHANGED, BY_INDEX, INDEX_ORDER_BUT_STEP, GLOBALS,
        "row and column are exchanged " IN_INDEX),
    ROW(PITCH_CONFUSED, BY_INDEX, INDEX_PITCH, GLOBALS | BOTH,
        "width and height are exchanged " IN_INDEX),
    ROW(BOUNDS_OF_OTHER, BY_INDEX, INDEX_INPUT_CHECK, ALONE,
        "the bounds check before the store tests the row and column of the loaded element"),
    ROW(BOUNDS_UNCHECKED, BY_INDEX, INDEX_CHECK, GLOBALS,
        "the row, the column or both are not checked against the bounds of "),

    /* The text is followed by the correct grid and block. */
    SHAPE(LAUNCH_EXCHANGED, GRID_FOR_BLOCK, BLOCK_KEEP,
          "grid and block look exchanged (LAB_LAUNCH returns the grid first)"),
    SHAPE(GRID_EXCHANGED, GRID_TURN, BLOCK_KEEP,
          "the grid's x and y look exchanged (or blockIdx.x and blockIdx.y)"),
    SHAPE(GRID_OF_BATCH, GRID_BATCH, BLOCK_KEEP,
          "the number of matrices must be a factor of the grid dimension from which the kernel "
          "computes the matrix number"),
    SHAPE(BLOCK_EXCHANGED, GRID_KEEP, BLOCK_TURN, "the block's x and y look exchanged"),
    SHAPE(GRID_TOO_SMALL, GRID_TILES, BLOCK_KEEP, "the grid does not fit the kernel's indices"),
    SHAPE(GRID_TOO_SMALL, GRID_TILES_TURNED, BLOCK_KEEP,
          "the grid does not fit the kernel's indices"),
    SHAPE(GRID_TOO_SMALL, GRID_COLUMN, BLOCK_KEEP, SMALL_GRID),
    SHAPE(GRID_TOO_SMALL, GRID_ROW, BLOCK_KEEP, SMALL_GRID),
    SHAPE(GRID_TOO_SMALL, GRID_BOTH, BLOCK_KEEP, SMALL_GRID),
    SHAPE(GRID_TOO_SMALL, GRID_PAIRS, BLOCK_KEEP, SMALL_GRID),
    SHAPE(GRID_TOO_SMALL, GRID_SQUARES, BLOCK_KEEP, SMALL_GRID),
    SHAPE(GRID_TOO_SMALL, GRID_BLOCKS, BLOCK_KEEP, SMALL_GRID),
    SHAPE(GRID_TOO_SMALL, GRID_LINE, BLOCK_KEEP, SMALL_GRID),
    SHAPE(BLOCK_TOO_SMALL, GRID_KEEP, BLOCK_8, SMALL_BLOCK),
    SHAPE(BLOCK_TOO_SMALL, GRID_KEEP, BLOCK_32, SMALL_BLOCK),
    SHAPE(BLOCK_TOO_SMALL, GRID_KEEP, BLOCK_DOUBLE, SMALL_BLOCK),
    SHAPE(BLOCK_TOO_SMALL, GRID_KEEP, BLOCK_TILE,
          "the block has fewer rows of threads than the tile has rows, and no thread processes "
          "several rows: a loop is missing, or the block is too small"),
    SHAPE(BLOCK_TOO_LARGE, GRID_KEEP, BLOCK_QUARTER, LARGE_BLOCK),
    SHAPE(BLOCK_TOO_LARGE, GRID_KEEP, BLOCK_HALF, LARGE_BLOCK),
    SHAPE(BLOCK_TOO_LARGE, GRID_KEEP, BLOCK_NARROW, LARGE_BLOCK),
    SHAPE(LAUNCH_TOO_SMALL, GRID_SQUARES, BLOCK_8, SMALL_LAUNCH),
    SHAPE(LAUNCH_TOO_SMALL, GRID_LINE, BLOCK_8, SMALL_LAUNCH),
    SHAPE(LAUNCH_TOO_SMALL, GRID_SQUARES, BLOCK_32, SMALL_LAUNCH),

    /* The text is followed by the correct source text. one_change.c tests these changes. */
    EDIT(EXPRESSION, COMMON_ALL, "([^.A-Za-z0-9_])([A-Za-z_]\\w*) ?/ ?(\\w+)\\>",
         "\\1(\\2 + \\3 - 1) / \\3", ROUNDS_DOWN),
    EDIT(EXPRESSION, COMMON, QUOTIENTS, "\\1\\2\\3\\2", ONE_DIVISOR),
    EDIT(EXPRESSION, COMMON, QUOTIENTS, "\\1\\4\\3\\4", ONE_DIVISOR),
    EDIT(PRECEDENCE, COMMON, "= ?(\\(?)([^=;,]+ [-+] [A-Za-z0-9_.]+) ?([*/%]) ?(\\w+)(\\)?[;,])",
         "= \\1(\\2) \\3 \\4\\5", "the factor must apply to the whole sum"),
    EDIT(INDEX_EXCHANGED, COMMON,
         "(\\w+(\\.[xy])?|\\([^()]*\\)) ?\\* ?(\\w+) ?\\+ ?([^][;(),]+)([])])",
         "(\\4) * \\3 + \\1\\5", "row and column are exchanged"),
    EDIT(ROW_MISALIGNED, COMMON, "\\*\\((const )?float4 ?\\*\\) ?&(\\w+\\[[^]]*(\\]\\[[^]]*)?)\\]",
         "make_float4(\\2], \\2 + 1], \\2 + 2], \\2 + 3])", UNALIGNED),
    EDIT(ROW_MISALIGNED, COMMON,
         "\\*\\(float4 ?\\*\\) ?&(\\w+\\[[^]]*(\\]\\[[^]]*)?)\\] = ([^;]*);",
         "\\1] = (\\3).x, \\1 + 1] = (\\3).y, \\1 + 2] = (\\3).z, \\1 + 3] = (\\3).w;", UNALIGNED),
    EDIT(EXPRESSION, COMMON_ALL, "(\\w+)\\[([^][]+)\\]\\[([^][]+)\\]", "\\1[\\3][\\2]",
         "the two indices are exchanged"),
    EDIT(EXPRESSION, COMMON, "(\\w+\\()([^(),;]+), ([^(),;]+)\\)", "\\1\\3, \\2)", ARGUMENTS),
    EDIT(EXPRESSION, COMMON_ALL, "(\\w+\\[[1-9])\\]", "\\1 * {p}]",
         "these are neighbours in a row; the next row begins one pitch further"),
    EDIT(FACTOR_WRONG, COMMON_ALL, " ?\\* ?sizeof ?(\\(\\w+\\)|\\w+)", "",
         "pointer arithmetic counts elements, not bytes"),
    EDIT(EXPRESSION, COMMON, "(; \\w+ <) [^;&|<>]+;", "\\1 (int)sizeof {a} / 4;",
         "the loop ends before the last element of the array"),
    EDIT(BLOCK_UNSCALED, COMMON, "\\<(blockIdx\\.[xy]|(block|tile|b)_?[xy])( ?([];+-]|\\* ?[a-z]))",
         "\\1 * {m}\\3", "a block index counts tiles, not elements"),
    EDIT(EXPRESSION, COMMON_ALL, "\\<(8|16|32|64|128|256|512|1024)\\>", "{m}",
         "this number must be the constant that the other lines use"),
    EDIT(EXPRESSION, COMMON, "= ([^=;]*threadIdx\\.[xy]);", "= \\1 + 1;",
         "an offset is missing here"),
    EDIT(BOUND_EXCLUSIVE, COMMON_ALL, "([^->=])> ?([^=>])", "\\1>= \\2",
         "the condition must also be true if both sides are equal"),
    EDIT(SUM_STARTS_TWICE, COMMON, "(\\w+ = )[^=;]*\\w\\[[^;]*;", "\\10;",
         "the loop adds this value again, so the sum must begin with 0"),
    EDIT(ADDING_THREADS, COMMON, "([;{})][ \n]*)atomicAdd\\(",
         "\\1if (threadIdx.x == 0) atomicAdd(", ALL_ADD),
    EDIT(ADDING_THREADS, COMMON, "([;{})][ \n]*)atomicAdd\\(",
         "\\1if (threadIdx.x % 32 == 0) atomicAdd(", ALL_ADD),
    EDIT(ADDING_THREADS, COMMON, "\\(([A-Za-z_.]+) % 32 == 0\\)", "(\\1 == 0)", ALL_ADD),
    EDIT(ADDING_THREADS, COMMON, "\\(([A-Za-z_.]+) == 0\\)", "(\\1 % 32 == 0)", FIRST_LANES),
    EDIT(ADDING_THREADS, COMMON, "\\(!([A-Za-z_.]+)\\)", "(\\1 % 32 == 0)", FIRST_LANES),
    EDIT(BLOCK_OVERLAP, COMMON, "= (\\([^;=]*\\)|[A-Za-z0-9_.]+) \\* (\\w+) \\+ (threadIdx\\.[xy])",
         "= (\\1 * {m} + \\3) * \\2", OVERLAP "as many elements apart as a block covers"),
    EDIT(EXPRESSION, COMMON, "(; \\w+\\+\\+)(\\)[^;]*)\\*(\\w+)\\+\\+", "\\1, \\3 += {p}\\2*\\3",
         NEXT_ROW),
    EDIT(VECTOR_PITCH, COMMON, "\\* ?([a-z]\\w*)( ?\\+|\\])", "* (\\1 / 4)\\2", VECTORS),
    EDIT(VECTOR_PITCH, COMMON_ALL, "\\<(\\w*(4|v|[vV]ec\\w*)\\[[^][]*\\* ?)([a-z]\\w*)( ?\\+|\\])",
         "\\1(\\3 / 4)\\4", VECTORS),
    EDIT(VECTOR_PITCH, COMMON, "\\+ ?([a-z]\\w*)\\]", "+ \\1 / 4]", VECTORS),
    EDIT(VECTOR_PITCH, COMMON, "\\(\\(([a-z ]*[a-z]+4 ?\\*)\\) ?(\\w+)\\)\\[([^][]+)\\]",
         "*(\\1)(\\2 + \\3)", VECTOR_INDEX),
    EDIT(VECTOR_PITCH, COMMON, "(reinterpret_cast<[^>]*>)\\((\\w+)\\)\\[([^][]+)\\]",
         "*\\1(\\2 + \\3)", VECTOR_INDEX),
    EDIT(VECTOR_PITCH, COMMON, "\\<([a-z]\\w*)\\[([^][]+)\\]", "\\1[(\\2) / 4]", VECTOR_INDEX),
    EDIT(BATCH_MATRIX, COMMON_ALL, "\\* \\w+( \\* \\w+)+;", "* width * height;", MATRICES),
    EDIT(BOUNDS_UNCHECKED, COMMON,
         "([a-z]\\w*) >= ([a-z]\\w*)(\\)[ \n]*return;[^}]*while \\((\\w+) < \\w+)\\)",
         "\\1 >= \\2\\3 && \\1 + \\4 < \\2)", FIRST_ROW),
    EDIT(BOUNDS_UNCHECKED, COMMON,
         "([a-z]\\w*) >= ([a-z]\\w*)(\\)[ \n]*return;[^}]*for \\([^;]*; (\\w+) < \\w+);",
         "\\1 >= \\2\\3 && \\1 + \\4 < \\2;", FIRST_ROW),
    EDIT(BOUNDS_UNCHECKED, COMMON, "( \\+ \\w+ <= )width\\)", "\\1width && {i}\\1height)",
         ONE_SIDE),
    EDIT(BOUNDS_UNCHECKED, COMMON, "( \\+ \\w+ <= )height\\)", "\\1height && {i}\\1width)",
         ONE_SIDE),
    EDIT(BOUNDS_UNCHECKED, COMMON,
         "([a-z]\\w*) < ([a-z]\\w*)(\\)[^}]*(\\} else [^}]*)?for \\([^;]*; (\\w+) < \\w+);",
         "\\1 < \\2\\3 && \\1 + \\5 < \\2;",
         "this tests the first element of the thread, not the element of each iteration"),
    EDIT(EXPRESSION, COMMON, "\\((\\w+) ?\\+ ?(\\w+)\\) ?/ ?\\2\\>", "(\\1 + \\2 - 1) / \\2",
         "this quotient is one too large if the division has no remainder"),
    EDIT(EXPRESSION, COMMON, "([(,] ?)([a-z]\\w*), ?([a-z]\\w*)([,)])", "\\1\\3, \\2\\4",
         ARGUMENTS),
    EDIT(EXPRESSION, COMMON, "(\\? *\\w+\\[[^]]*\\] *:) *[a-z]\\w*;", "\\1 0;",
         "a thread without an element must use 0"),
    EDIT(EXPRESSION, COMMON, "(\\w+ ?/ ?)\\(\\w+ ?/ ?(\\w+)\\)", "\\1\\2", ONE_DIVISOR),
    EDIT(LOOP_STEP, COMMON, "([a-z]\\w*) \\+ [a-z]( ?[<>]=? ?\\w)", "\\1\\2",
         "the loop does not change this index, so the offset does not belong here"),
    EDIT(BOUND_INCLUSIVE, COMMON, "(\\w) <= (\\w+)\\)", "\\1 < \\2)",
         "the condition must be false if both sides are equal"),
    EDIT(FACTOR_WRONG, COMMON, "= ([^=;]*\\* ?\\w+ ?\\+ ?(threadIdx\\.x|[a-z]));", "= (\\1) * {m};",
         FEW_THREADS),
    EDIT(STORE_INCOMPLETE, COMMON, "= (\\w+\\[(\\w+|threadIdx\\.x) ?% ?(\\w+|\\([^()]*\\))\\]);",
         "= \\2 < \\3 ? \\1 : 0;",
         "several lanes load the same element here; all but one of them must use 0"),
    EDIT(EXPRESSION, COMMON, "(lane = threadIdx\\.x)([;,])", "\\1 % 32\\2",
         "a lane is a position in a warp of 32 threads"),
    EDIT(STORE_INCOMPLETE, COMMON, "([=(] ?)(\\w+\\[([A-Za-z_.]+)\\])([;)])",
         "\\1\\3 < (int)(blockDim.x / 32) ? \\2 : 0\\4",
         "only one element for each warp of the block was stored; the remaining lanes must use 0"),
    EDIT(TREE_OVERLAP, COMMON, "= (\\w+ ?\\* ?(\\w+|threadIdx\\.x))([;,])", "= 2 * \\1\\3",
         ONE_OF_TWO),
    EDIT(TREE_OVERLAP, COMMON, "\\(([A-Za-z_.]+) \\+ (\\w+) < \\w+\\)", "(\\1 < \\2)", ONE_OF_TWO),
    EDIT(BOUNDS_UNCHECKED, COMMON, "(\\w+) < (\\w+) && (\\w+) < (\\w+)",
         "min(\\2 - \\1, \\4 - \\3) >= {m}", "the whole tile must be inside of the matrix"),
    EDIT(TILE_PITCH, COMMON, "(\\w+) ?/ ?(\\w+)([,;][^=;]*= ?)\\1 ?% ?\\2\\>",
         "\\1 / (\\2 + 2)\\3\\1 % (\\2 + 2)",
         "a row of the tile has two more elements than this divisor, one at each end"),
    EDIT(BOUNDS_UNCHECKED, COMMON, "\\<([a-z]\\w*) < ([a-z]\\w*)(\\)| &&)", "\\1 + {c} < \\2\\3",
         "this tests the first element of the thread, not the element of this iteration"),
    EDIT(BLOCK_OVERLAP, COMMON, "\\* ?([A-Z][A-Z_]*) ?\\+ ?4 ?\\*", "* \\1 * 4 + 4 *",
         OVERLAP "as many elements apart as a block covers"),
    EDIT(LOOP_STEP, COMMON, "([;{})][ \n]*)[a-z]\\w* \\+= \\w+;", "\\1;",
         "this variable must not change here, because another variable already counts the "
         "iterations"),
    EDIT(TILE_PITCH, COMMON, "\\[([A-Z][A-Z_]*) ?\\+ ?1\\]\\[\\1 ?\\+ ?1\\];",
         "[\\1 + 2][\\1 + 2];",
         "a tile with a border has two more rows and columns, one at each side"),
    EDIT(FACTOR_WRONG, COMMON, "(= \\w+)( \\* \\w+)(( \\* \\w+)?;)", "\\1\\3",
         "this factor is not needed"),
    EDIT(FACTOR_WRONG, COMMON, "(blockIdx\\.[xyz] ?\\* ?\\w+) ?\\* ?\\w+", "\\1",
         "this factor is not needed"),
    EDIT(FACTOR_WRONG, COMMON, "(blockIdx\\.[xyz]) ?\\* ?\\w+( ?\\* ?\\w+)", "\\1\\2",
         "this factor is not needed"),
    EDIT(LOOP_STEP, COMMON_ALL, "\\+= [^;()]*\\)", "+= blockDim.x * blockDim.y)",
         "the loop does not advance by the number of threads in the block"),
    EDIT(LOOP_STEP, COMMON_ALL, "(\\+= [A-Z]\\w*)\\)", "\\1 / 2)", LONG_STEP),
    EDIT(FACTOR_WRONG, COMMON, "\\+ ?(threadIdx\\.[xy]);", "+ \\1 * {m};", FEW_THREADS),
    EDIT(FACTOR_WRONG, COMMON, "\\+ ?(threadIdx\\.[xy]);", "+ \\1 * 4;", FEW_THREADS),
    EDIT(ATOMIC_MISSING, COMMON, "([;{})][ \n]*)(\\w+\\[[^];]*\\]) = ([^=;]+);",
         "\\1atomicAdd(&\\2, \\3);", OVERWRITES),
    EDIT(ATOMIC_MISSING, COMMON, "([;{})][ \n]*)\\*(\\w+) = ([^=;]+);", "\\1atomicAdd(\\2, \\3);",
         OVERWRITES),
    EDIT(EXPRESSION, FIRST, "(__pipeline_wait_prior)\\([1-9]\\)", "\\1(0)",
         "this waits only for older copies; in the last iteration, no newer copy has started"),
    EDIT(
        LOOP_ACCUMULATES, FIRST,
        "(for \\([^;]*;[^;]*; (\\w+) \\+= (\\w+)\\)[^}]*\\+= *(\\(\\w+\\) *)?)\\2(( *\\* *\\w+)?;)",
        "\\1(\\2 > 0) * \\3\\5", ACCUMULATES),
    EDIT(LOOP_ACCUMULATES, FIRST, "\\+= *(\\([a-z_]+\\) ?)?(\\w+) *\\* *(\\w+( *\\* *\\w+)?);",
         "+= \\1(\\2 > 0) * \\3;", ACCUMULATES),
    EDIT(LOOP_ACCUMULATES, FIRST, "\\+= *((\\w+ *\\* *)+)(\\w+);", "+= \\1(\\3 > 0);", ACCUMULATES),
    EDIT(ADDING_THREADS, FIRST, "== 31\\)", "== 0)",
         "after __shfl_down_sync(), lane 0 has the sum"),
    EDIT(PAIR_TWICE, FIRST, "(" VALUE "\\3 = " ELEMENT ";[ \n]*\\4 = \\2;)",
         "if (&\\3 < &\\4) { \\1 }", PAIR),
    EDIT(PAIR_TWICE, FIRST, "(" VALUE VALUE "\\3 = \\4;[ \n]*\\5 = \\2;)",
         "if (&\\3 < &\\5) { \\1 }", PAIR),
    EDIT(PAIR_TWICE, FIRST, "(\\<\\w+ ?\\((\\w+\\[[^;,]*\\]), ?(\\w+\\[[^;,]*\\])\\);)",
         "if (&\\2 < &\\3) \\1", PAIR),
    EDIT(TREE_OVERLAP, FIRST,
         "(for \\([^;]*;[^;]*; (\\w+) (\\*= 2|<<= 1)\\)[^%}]*)% \\2( == 0|\\))",
         "\\1% (2 * \\2)\\4", ONE_OF_TWO),
    EDIT(TREE_OVERLAP, FIRST, "% ([a-z]\\w*) == 0", "% (2 * \\1) == 0", ONE_OF_TWO),
    EDIT(PRECEDENCE, FIRST, MACRO_SUM, "#define \\1 (\\2)", "a macro lacks parentheses"),
    EDIT(PRECEDENCE, FIRST, MACRO_TEXT "([^A-Za-z0-9_.])([a-z]\\w*)( ?[*/%])", "\\1\\2(\\3)\\4",
         PARAMETER),
    EDIT(PRECEDENCE, FIRST, "(#define[^\n]*[^A-Za-z0-9_.])(" OPERAND " *[-+] *" OPERAND ") *([/%])",
         "\\1(\\2) \\5", "`/` and `%` are evaluated before the addition"),
    EDIT(PRECEDENCE, FIRST, MACRO_TEXT "([*/%] ?)([a-z]\\w*)", "\\1\\2(\\3)", PARAMETER),
    EDIT(TILE_PITCH, LAST, PITCHES, "\\1* (\\2 + 1)\\3", PADDED_ROW),
    EDIT(TILE_PITCH, LAST, "(#define[^\n]*[A-Z] \\+ )1\\>", "\\12",
         "a row of the tile has two elements more than the value of this name, one at each end"),
    EDIT(TILE_PITCH, LAST, PITCHES, "\\1* (\\2 + 2)\\3", PADDED_ROW),
    EDIT(EMPTY_IF, FIRST, "(if \\([^;{}]*\\)) *;", "\\1",
         "the semicolon ends the if statement, so the next statement always runs"),
    /* The pattern excludes the condition of a return, which is the negation of the check. */
    EDIT(OR_FOR_AND, FIRST, "\\|\\|([^;{}]*\\)[ \n]*(\\{|[a-qs-z]))", "&&\\1",
         "both conditions must be true"),
    EDIT(EXPRESSION, FIRST, "(/ \\w+|lab_ceil_div\\([^()]*\\)) \\+ (\\w+ / |lab_ceil_div)",
         "\\1 * \\2", "the number of tiles is a product, not a sum"),
    EDIT(FACTOR_WRONG, FIRST, "threadIdx\\.y \\* ([0-9]+|[A-Z_]+) \\+ threadIdx\\.x",
         "threadIdx.y * blockDim.x + threadIdx.x",
         "the index of the thread in its block requires the factor blockDim.x, the number of "
         "threads per row of the block"),
    EDIT(FACTOR_WRONG, FIRST, "threadIdx\\.x \\+ threadIdx\\.y \\* ([0-9]+|[A-Z_]+)",
         "threadIdx.x + threadIdx.y * blockDim.x",
         "the index of the thread in its block requires the factor blockDim.x, the number of "
         "threads per row of the block"),
    /* Tested before other grids and blocks, because these could also give a correct result. */
    EDIT(LOOP_STEP, FIRST, "= [A-Za-z0-9_.]+; ([a-z]+) < ([^;&|]+); \\1 \\+=",
         "= 0; \\1 < \\2; \\1 +=", "the loop does not begin with the first element"),
    EDIT(LOOP_STEP, FIRST, "< BLOCK_ROWS; ([a-z]+)\\+\\+\\)", "< TILE_DIM; \\1 += BLOCK_ROWS)",
         "the loop must cover TILE_DIM rows in steps of BLOCK_ROWS"),
    EDIT(BOUND_EXCLUSIVE, FIRST, "(for \\([^;]*;[^;&|]*[<>][^;&|]*\\w) - 1;", "\\1;",
         "the loop ends one iteration too early"),
    EDIT(LOOP_STEP, FIRST, "< [^;&|]+; ([a-z]+) \\+=", "< TILE_DIM; \\1 +=",
         "the loop over the tile ends too early or too late"),
    EDIT(LOOP_STEP, FIRST, "\\+= [^;()B][^;()]*\\)", "+= blockDim.y)", SHORT_STEP),
    EDIT(LOOP_STEP, FIRST, "\\+= (blockDim\\.x|[A-Z][A-Z_]*);", "+= blockDim.y;", SHORT_STEP),
    EDIT(LOOP_STEP, FIRST, "\\+= ([0-9]+|[A-Z][A-Z_]*( / [0-9A-Z_]+)?)\\)", "+= 2 * (\\1))",
         SHORT_STEP),
    EDIT(LOOP_STEP, FIRST, "= (32|warpSize)(; [^;]*;[^;]*\\)[^;]*__shfl_)", "= 16\\2",
         "the first distance is half of a warp, 16; lane 0 has no partner at distance 32"),
    EDIT(CHAINED_COMPARISON, FIRST,
         "([A-Za-z0-9_.]+) *(<=?) *([^-<>=&|;,?:()]+[^- <>=&|;,?:()]) *(<=?) *",
         "\\1 \\2 \\3 && \\3 \\4 ", "`a < b < c` compares the truth value of a < b with c"),
    EDIT(PRECEDENCE, FIRST, "([/%]) (\\w+ \\* [A-Za-z_]\\w*)", "\\1 (\\2)",
         "`/`, `%` and `*` are evaluated from left to right"),
    EDIT(TILE_STEP, FIRST, "\\* *(blockDim\\.y|BLOCK_ROWS)\\>", "* TILE_DIM",
         "a block covers TILE_DIM rows, and each thread processes several of these rows"),
    EDIT(BATCH_MATRIX, FIRST, "blockIdx\\.z( [*+] (\\w+|\\([^()]*\\)))+( \\+|;)",
         "blockIdx.z * width * height\\3", MATRICES),
    EDIT(BATCH_MATRIX, FIRST, "\\* width \\* width\\>", "* width * height", MATRICES),
    EDIT(BLOCK_OVERLAP, FIRST, "(blockIdx\\.[xy]|(block|tile)_[xy]) \\* (\\w+|\\([^()]*\\))",
         "\\1 * TILE_DIM", OVERLAP "TILE_DIM elements apart"),
    EDIT(BLOCK_OVERLAP, FIRST, "blockIdx\\.x \\* (\\w+|\\([^()]*\\)) \\+",
         "blockIdx.x * blockDim.x +", OVERLAP "blockDim.x elements apart"),
    EDIT(BLOCK_UNSCALED, FIRST, "(blockIdx\\.[xy]|block_y|tile_[xy]) \\+ (threadIdx\\.[xy])",
         "\\1 * TILE_DIM + \\2", "a block index counts tiles, not elements"),
    EDIT(BLOCK_IGNORED, FIRST, "= threadIdx\\.x;", "= blockIdx.x * TILE_DIM + threadIdx.x;", SAME),
    EDIT(BLOCK_IGNORED, FIRST, "= threadIdx\\.y;", "= blockIdx.y * TILE_DIM + threadIdx.y;", SAME),
    /* The pattern excludes a cast of an address, `*)&`, and a reference, which has ` &` or `& `. */
    EDIT(AND_FOR_REMAINDER, ALWAYS,
         "([]A-Za-z0-9_]|[^*]\\))( & |&)(([A-Za-z_]\\w*|[0-9]*[02468])( - 1)?\\>|\\((\\w+) - 1\\))",
         "\\1 % \\4\\6", "`&` is bitwise AND; `%` is the remainder of a division"),
    EDIT(RETURN_TOO_EARLY, ALWAYS, "\\<return[ \t]*;", ";",
         "some threads return here before they have finished their work"),
    EDIT(OPERATIONS_EXCHANGED, LAST, "__shfl_(up|down)(_sync[^;]*;?[^;]*__shfl_)(up|down)",
         "__shfl_\\3\\2\\1", "the directions of two shuffles are exchanged"),
    EDIT(STATEMENT_ORDER, LAST, "(\\w+) *= *(\\w+);([ \n]*)(\\w+) *= *\\1;",
         "\\4 = \\1;\\3\\1 = \\2;", "this value is overwritten before the next statement uses it"),
    EDIT(PRECEDENCE, LAST, "= *([^=;?]*\\?[^=;:?]*: *\\w+) *\\+ *([^;?]*(\\?[^;?]*)?);",
         "= (\\1) + (\\2);", AFTER_COLON),
    EDIT(PRECEDENCE, LAST, "= *(" TERM ") *\\+ *(" TERM ") *\\+ *(" TERM ") *([-+]) *([^;?]*);",
         "= (\\1) + (\\2) + (\\3) \\4 \\5;", AFTER_COLON),
    EDIT(PRECEDENCE, LAST,
         "\\+ ((\\w+( [-+] \\w+)? [<>]=? \\w+|\\([^()]*\\)) \\?[^;:?]*: *\\w+)( [-+]|;)",
         "+ (\\1)\\4",
         "without parentheses, the first part of the sum belongs to the condition of `?:`"),
    EDIT(BOUNDS_EXCHANGED, LAST, "\\<(width|height)( % [0-9]+ == 0)", "width\\2 && height\\2",
         "the row lengths of both arrays must be multiples of this number"),
    EDIT(EXPRESSION, LAST, "([^.A-Za-z0-9_])(width|height) / (TILE_DIM|TILE)\\>",
         "\\1(\\2 + \\3 - 1) / \\3", ROUNDS_DOWN),
    EDIT(AXES_EXCHANGED, LAST,
         "([A-Za-z.]+ % )\\w+\\>([^/%;]{0,60}[;(]?[^/%;]{0,40}[a-z] / )\\w+\\>",
         "\\1lab_ceil_div(height, TILE_DIM)\\2lab_ceil_div(height, TILE_DIM)", ROWS_OF_TILES),
    EDIT(AXES_EXCHANGED, FIRST, "(\\w+ % )(\\w+)([;,][^;]*\\w+ / )\\2\\>([^/%;]*\\w % )\\2\\>",
         "\\1lab_ceil_div(height, TILE_DIM)\\3lab_ceil_div(height, TILE_DIM)"
         "\\4lab_ceil_div(height, TILE_DIM)",
         ROWS_OF_TILES),
    EDIT(AXES_EXCHANGED, FIRST, "(\\w+ / )(\\w+)\\>([^/%;]*\\w % )\\2\\>([^/%]{0,80}\\w % )\\2\\>",
         "\\1lab_ceil_div(height, TILE_DIM)\\3lab_ceil_div(height, TILE_DIM)"
         "\\4lab_ceil_div(height, TILE_DIM)",
         ROWS_OF_TILES),
    EDIT(BOUNDS_UNCHECKED, FIRST,
         "(\\w+) < (\\w+)(\\)[ \n]*\\{?[ \n]*for *\\([^;]*; (\\w+) < \\w+);",
         "\\1 < \\2\\3 && \\1 + \\4 < \\2;", FIRST_ROW),
    EDIT(XOR_FOR_POWER, FIRST, "(\\w+) *\\^ *2\\>", "\\1 * \\1", "`^` is bitwise XOR, not a power"),
    EDIT(ALWAYS_ZERO, LAST, "((blockIdx|threadIdx)\\.([xyz])) / ((gridDim|blockDim)\\.\\3)",
         "\\1 % \\4", "an index divided by the number of indices is always 0"),
    EDIT(TILE_PITCH, LAST, "\\* TILE_DIM \\+ (([a-z]+_)?(col|row))", "* width + \\1", LONG_ROW),
    EDIT(TILE_PITCH, LAST, "\\* TILE_DIM \\+ (([a-z]+_)?(col|row))", "* height + \\1", LONG_ROW),
    EDIT(TILE_INDEX_GLOBAL, LAST, "(tile)\\[row( \\+ i)?\\]\\[col\\]",
         "\\1[threadIdx.y\\2][threadIdx.x]",
         "row and col are positions in the matrix; a tile is indexed from its own corner"),
    EDIT(PITCH_CONFUSED, LAST, "([-+*] )height( \\+|\\])", "\\1width\\2", PITCH "width elements"),
    EDIT(PITCH_CONFUSED, LAST, "([-+*] )width( \\+|\\])", "\\1height\\2", PITCH "height elements"),
    EDIT(BOUND_INCLUSIVE, LAST, "([^M]) <= (width|height)\\>", "\\1 < \\2",
         "the last row has index height - 1, and the last column has index width - 1"),
    EDIT(BOUND_INCLUSIVE, LAST, "(\\w*[^M]) <=", "\\1 <",
         "<= is also true if both sides are equal"),
    /* The pattern does not match a declaration, such as the declaration of a padded tile. */
    EDIT(NEIGHBOUR_ELEMENT, LAST, "([]a-zA-Z0-9_.)]*[]a-z0-9)]) [-+] 1\\>", "\\1",
         "this selects the neighbour of the required element"),
    EDIT(FACTOR_WRONG, LAST, "([]a-zA-Z0-9_.)]*[]a-z)]) [*/] [0-9]+\\>", "\\1",
         "this factor is not needed"),
    /* The pattern excludes `a / 32 * b`, in which 32 is a divisor. */
    EDIT(FACTOR_WRONG, LAST, "([^/% ] *)\\<[0-9]+ \\* (\\w+)", "\\1\\2",
         "this factor is not needed"),
    EDIT(FACTOR_WRONG, LAST, "< ([A-Z][A-Z_]*) / [0-9]+\\>", "< \\1", "this divisor is not needed"),
    EDIT(AXES_EXCHANGED, LAST, "([a-zA-Z.]+ [/%] \\w*)x\\>", "\\1y", "x and y are exchanged"),
    EDIT(AXES_EXCHANGED, LAST, "([a-zA-Z.]+ [/%] \\w*)y\\>", "\\1x", "x and y are exchanged"),
    EDIT(BOUNDS_EXCHANGED, LAST, "\\<width( % [0-9]+ == 0)", "height\\1", SIDES),
    EDIT(BOUNDS_EXCHANGED, LAST, "\\<height( % [0-9]+ == 0)", "width\\1", SIDES),
    EDIT(INDEX_EXCHANGED, LAST, "\\* i\\>([^;=]*)\\* j\\>", "* j\\1* i", "i and j are exchanged"),
    EDIT(INDEX_EXCHANGED, LAST, "\\* j\\>([^;=]*)\\* i\\>", "* i\\1* j", "i and j are exchanged"),
    EDIT(VALUE_CONVERTED, LAST, "\\<(short|char) (\\w+)", "int \\2",
         "this type has too few bits for the values"),
    EDIT(OPERATIONS_EXCHANGED, LAST,
         "([A-Za-z.]+ )/ (\\w+)\\>([^/%;]{0,60}[;(]?[^/%;]{0,40}[a-z] )% \\2\\>",
         "\\1% \\2\\3/ \\2", "`/` and `%` are exchanged here"),
    EDIT(OPERATIONS_EXCHANGED, LAST,
         "([A-Za-z.]+ )% (\\w+)\\>([^/%;]{0,60}[;(]?[^/%;]{0,40}[a-z] )/ \\2\\>",
         "\\1/ \\2\\3% \\2", "`%` and `/` are exchanged here"),
    EDIT(AXES_EXCHANGED, LAST, "\\<block_y\\>", "blockIdx.x", "x and y are exchanged"),
    EDIT(BOUNDS_UNCHECKED, LAST, "\\<((out_)?(row|y)) < ", "\\1 + i < ",
         "this tests the first row of the thread, not the row of this iteration"),
    EDIT(BATCH_MATRIX, LAST, "blockIdx\\.y \\+ gridDim\\.y \\* blockIdx\\.z", "blockIdx.y",
         "blockIdx.z selects the matrix of the batch, and is not part of the row"),
    EDIT(LOOP_STEP, LAST, "= (BLOCK|blockDim\\.x);( *\\w+ >)", "= \\1 / 2;\\2",
         "the first step of the tree is half of the block size"),
    EDIT(LOOP_STEP, LAST, "= (\\(\\w+\\)|)(BLOCK|blockDim\\.x);", "= \\1gridDim.x * \\2;",
         "the loop of a block must skip the elements of all other blocks"),
    EDIT(LOOP_STEP, LAST, "\\+= (BLOCK|blockDim\\.x)\\)", "+= gridDim.x * \\1)",
         "the loop of a block must skip the elements of all other blocks"),
    EDIT(FACTOR_WRONG, LAST, "= ([^=;,]*threadIdx\\.[xy])([;,])", "= 4 * (\\1)\\2",
         "each thread has 4 elements: the index of the first element is 4 times the thread index"),
    EDIT(PRECEDENCE, LAST, "([A-Za-z0-9_.]+ *[-+] *[A-Za-z0-9_.]+) *([*/%]) *", "(\\1) \\2 ",
         "multiplication and division are evaluated before addition"),
    EDIT(PRECEDENCE, LAST, "([*/%] *)(" OPERAND " *[*/%] *" OPERAND ")", "\\1(\\2)",
         "multiplications and divisions are evaluated from left to right"),
    /* The pattern excludes threadIdx, because one of its dimensions may be 0 in every thread. */
    EDIT(AXES_EXCHANGED, LAST, "(\\w+_|blockIdx\\.)x\\>", "\\1y", "x and y are exchanged"),
    EDIT(AXES_EXCHANGED, LAST, "(\\w+_|blockIdx\\.)y\\>", "\\1x", "x and y are exchanged"),
    EDIT(BOUND_EXCLUSIVE, LAST, "([a-zA-Z0-9_.)]+ >) ",
         "\\1= ", "the condition must also be true if both sides are equal"),
    EDIT(BOUND_EXCLUSIVE, LAST, "([a-zA-Z0-9_.)]+ <) ",
         "\\1= ", "the condition must also be true if both sides are equal"),
};

const struct hypothesis *hypothesis_next(enum hypothesis_kind kind, const struct hypothesis *last)
{
    const struct hypothesis *end = hypotheses + sizeof hypotheses / sizeof *hypotheses;
    for (const struct hypothesis *next = last ? last + 1 : hypotheses; next < end; next++)
        if (next->kind == kind)
            return next;
    return NULL;
}

char *hypothesis_text(const struct hypothesis *hypothesis, const struct hypothesis_values *values,
                      char *text, size_t size)
{
    const struct {
        const char *name, *word;
        uint64_t number;
    } braces[] = {{"{out}", values->out, 0},      {"{in}", values->in, 0},
                  {"{rows}", NULL, values->rows}, {"{cols}", NULL, values->cols},
                  {"{a}", NULL, values->a},       {"{b}", NULL, values->b}};
    *text = 0;
    for (const char *at = hypothesis->text; *at;) {
        const size_t plain = strcspn(at, "{");
        text_append(text, size, "%.*s", (int)plain, at);
        at += plain;
        for (size_t i = 0; *at == '{' && i < sizeof braces / sizeof *braces; i++) {
            if (strncmp(at, braces[i].name, strlen(braces[i].name)) != 0)
                continue;
            if (braces[i].word)
                text_append(text, size, "%s", braces[i].word);
            else
                text_append(text, size, "%" PRIu64, braces[i].number);
            at += strlen(braces[i].name);
        }
    }
    return text;
}
