/* finding.h: identifiers of findings about a run: mistakes, verdicts, notes. Other programs compare
 * the name of a finding (`tlab run --json`, column `findings`), so the name must not change. */
#ifndef FINDING_H
#define FINDING_H

#include <stddef.h>
#include <stdint.h>

#define FINDING_LIST(X)                                                                            \
    /* The emulator reports an error of the program. */                                            \
    X(ASSERTION_FAILED, "assertion-failed")                                                        \
    X(LANE_NOT_IN_MASK, "lane-not-in-mask")                                                        \
    X(LANE_ABSENT, "lane-absent")                                                                  \
    X(RACE_CONSTANT, "race-constant-load")                                                         \
    X(RACE_BLOCK_SCOPE, "race-block-scope")                                                        \
    X(RACE_BLOCK_FLAG, "race-block-flag")                                                          \
    X(RACE_BLOCKS, "race-across-blocks")                                                           \
    X(RACE_WIDTHS, "race-atomic-widths")                                                           \
    X(RACE_SAME_INSTRUCTION, "race-same-instruction")                                              \
    X(RACE_TWO_STORES, "race-two-stores")                                                          \
    X(RACE_UPDATE, "race-update")                                                                  \
    X(RACE_IN_WARP, "race-in-warp")                                                                \
    X(RACE_ATOMIC, "race-atomic")                                                                  \
    X(RACE_SAME_LINE, "race-same-line")                                                            \
    X(RACE_NO_BARRIER, "race-no-barrier")                                                          \
    /* The result differs from a reference function. */                                            \
    X(REFERENCE_MISTAKE, "reference-mistake")                                                      \
    X(SUM_PARTIAL, "sum-partial")                                                                  \
    X(SUM_REPEATED, "sum-repeated")                                                                \
    X(SUM_OTHER, "sum-of-other-values")                                                            \
    X(TERM_MISSING, "term-missing")                                                                \
    X(TERM_REPEATED, "term-repeated")                                                              \
    X(TERM_ADDED, "term-added")                                                                    \
    X(TERM_WEIGHT, "term-weight")                                                                  \
    X(TERM_REPLACED, "term-replaced")                                                              \
    X(TERM_OUTSIDE, "term-outside")                                                                \
    X(RESULT_SCALED, "result-scaled")                                                              \
    X(RESULT_MOVED, "result-moved")                                                                \
    X(BATCH_MATRIX, "batch-matrix")                                                                \
    X(SUM_NEUTRAL, "sum-neutral-element")                                                          \
    X(COUNTS_MISSING, "counts-missing")                                                            \
    X(BIN_WRONG, "bin-wrong")                                                                      \
    X(INPUT_MODIFIED, "input-modified")                                                            \
    X(GUARD_OVERWRITTEN, "guard-overwritten")                                                      \
    /* The output differs from a map of the input. */                                              \
    X(NOTHING_WRITTEN, "nothing-written")                                                          \
    X(UNWRITTEN, "elements-unwritten")                                                             \
    X(UNWRITTEN_PERIODIC, "unwritten-periodic")                                                    \
    X(UNWRITTEN_END, "unwritten-end")                                                              \
    X(UNWRITTEN_TILES, "unwritten-tiles")                                                          \
    X(FOREIGN, "elements-foreign")                                                                 \
    X(MISPLACED, "elements-misplaced")                                                             \
    X(WRONG_ELEMENTS, "elements-wrong")                                                            \
    X(STORED_REPEATEDLY, "elements-stored-repeatedly")                                             \
    X(MAP_COPIED, "map-copied")                                                                    \
    X(MAP_TRANSPOSED, "map-transposed")                                                            \
    X(MAP_ROTATED, "map-rotated")                                                                  \
    X(MAP_ANTITRANSPOSED, "map-antitransposed")                                                    \
    X(MAP_TILE_MOVED, "tiles-not-transposed")                                                      \
    X(MAP_TILE_TRANSPOSED, "tiles-not-moved")                                                      \
    X(PITCH_CONFUSED, "pitch-confused")                                                            \
    X(REVERSED, "order-reversed")                                                                  \
    X(REPEATED, "elements-repeated")                                                               \
    X(SHIFTED, "elements-shifted")                                                                 \
    X(PADDING_MISREAD, "padding-misread")                                                          \
    X(SWIZZLE_ONE_SIDED, "swizzle-one-sided")                                                      \
    X(TILES_EXCHANGED, "tiles-exchanged")                                                          \
    X(TILE_ORDER, "tile-order")                                                                    \
    X(TILE_RACE, "tile-race")                                                                      \
    X(VALUE_CONSTANT, "values-constant")                                                           \
    X(VALUE_ALTERED, "values-altered")                                                             \
    X(VALUE_CONVERTED, "values-converted")                                                         \
    /* Diagnosis: one wrong index, bound or loop explains the wrong result. */                     \
    X(RETURNS_EARLY, "returns-early")                                                              \
    X(LOOP_ENDS_EARLY, "loop-ends-early")                                                          \
    X(STEP_MISSING, "step-missing")                                                                \
    X(STEP_MISPLACED, "step-misplaced")                                                            \
    X(THREADS_EXCHANGED, "threads-exchanged")                                                      \
    X(BLOCKS_EXCHANGED, "blocks-exchanged")                                                        \
    X(BOUNDS_EXCHANGED, "bounds-exchanged")                                                        \
    X(INDEX_EXCHANGED, "index-exchanged")                                                          \
    X(BOUNDS_OF_OTHER, "bounds-of-other-element")                                                  \
    X(BOUNDS_UNCHECKED, "bounds-unchecked")                                                        \
    /* Diagnosis: the result is correct with a different launch configuration. */                  \
    X(LAUNCH_EXCHANGED, "launch-exchanged")                                                        \
    X(GRID_EXCHANGED, "grid-exchanged")                                                            \
    X(BLOCK_EXCHANGED, "block-exchanged")                                                          \
    X(GRID_TOO_SMALL, "grid-too-small")                                                            \
    X(GRID_OF_BATCH, "grid-of-batch")                                                              \
    X(BLOCK_TOO_SMALL, "block-too-small")                                                          \
    X(BLOCK_TOO_LARGE, "block-too-large")                                                          \
    X(LAUNCH_TOO_SMALL, "launch-too-small")                                                        \
    X(GUARD_MISSING, "guard-missing")                                                              \
    X(LAUNCHED, "launched")                                                                        \
    /* Diagnosis: the result is correct with a changed source text, or the text is suspicious. */  \
    X(EMPTY_IF, "empty-if")                                                                        \
    X(OR_FOR_AND, "or-for-and")                                                                    \
    X(TILE_STEP, "tile-step")                                                                      \
    X(BLOCK_UNSCALED, "block-unscaled")                                                            \
    X(BLOCK_OVERLAP, "block-overlap")                                                              \
    X(FACTOR_WRONG, "factor-wrong")                                                                \
    X(BOUND_EXCLUSIVE, "bound-exclusive")                                                          \
    X(AXES_EXCHANGED, "axes-exchanged")                                                            \
    X(OPERATIONS_EXCHANGED, "operations-exchanged")                                                \
    X(BLOCK_IGNORED, "block-ignored")                                                              \
    X(PRECEDENCE, "precedence")                                                                    \
    X(TILE_PITCH, "tile-pitch")                                                                    \
    X(TILE_INDEX_GLOBAL, "tile-index-global")                                                      \
    X(BOUND_INCLUSIVE, "bound-inclusive")                                                          \
    X(NEIGHBOUR_ELEMENT, "neighbour-element")                                                      \
    X(AND_FOR_REMAINDER, "and-for-remainder")                                                      \
    X(AND_QUESTION, "and-question")                                                                \
    X(RETURN_TOO_EARLY, "return-too-early")                                                        \
    X(RETURN_QUESTION, "return-question")                                                          \
    X(CHAINED_COMPARISON, "chained-comparison")                                                    \
    X(ALWAYS_ZERO, "always-zero")                                                                  \
    X(XOR_FOR_POWER, "xor-for-power")                                                              \
    X(COMMA_IN_INDEX, "comma-in-index")                                                            \
    X(XOR_RANGE, "xor-range")                                                                      \
    X(EXPRESSION, "wrong-expression")                                                              \
    X(LOOP_ACCUMULATES, "loop-accumulates")                                                        \
    X(STATEMENT_ORDER, "statement-order")                                                          \
    X(SUM_STARTS_TWICE, "sum-starts-twice")                                                        \
    X(ADDING_THREADS, "adding-threads")                                                            \
    X(ATOMIC_MISSING, "atomic-missing")                                                            \
    X(PAIR_TWICE, "pair-exchanged-twice")                                                          \
    X(TREE_OVERLAP, "tree-overlap")                                                                \
    X(VECTOR_PITCH, "vector-pitch")                                                                \
    X(LOOP_SPLIT, "loop-not-split")                                                                \
    X(STORE_INCOMPLETE, "store-incomplete")                                                        \
    X(ROW_MISALIGNED, "row-misaligned")                                                            \
    X(REPAIR_TESTED, "repair-tested")                                                              \
    X(COMPILER_WARNING, "compiler-warning")                                                        \
    /* Other mistakes of a program. */                                                             \
    X(SHARED_MISSING, "shared-missing")                                                            \
    X(SHARED_IN_ELEMENTS, "shared-in-elements")                                                    \
    X(DIMENSION_UNUSED, "dimension-unused")                                                        \
    X(DIMENSION_SINGLE, "dimension-single")                                                        \
    X(LOOP_STEP, "loop-step")                                                                      \
    X(BARRIER_NOT_ENOUGH, "barrier-not-enough")                                                    \
    X(BARRIER_IN_STATEMENT, "barrier-in-statement")                                                \
    X(INDEX_32_BIT, "index-32-bit")                                                                \
    X(SHARED_UNREQUESTED, "shared-unrequested")                                                    \
    X(TILE_TOO_SMALL, "tile-too-small")                                                            \
    X(ELEMENT_WIDTH, "element-width")                                                              \
    X(STORE_UNREACHED, "store-unreached")                                                          \
    X(NOT_BEGUN, "not-begun")                                                                      \
    /* The run cannot start or is stopped. */                                                      \
    X(NO_EXERCISE, "no-exercise")                                                                  \
    X(NO_KERNEL, "no-kernel")                                                                      \
    X(NOT_EXTERN_C, "not-extern-c")                                                                \
    X(OTHER_PARAMETERS, "other-parameters")                                                        \
    X(PARAMETER_ORDER, "parameter-order")                                                          \
    X(NO_LAUNCH, "no-launch")                                                                      \
    X(NO_INCLUDE, "no-include")                                                                    \
    X(NO_GLOBAL, "no-global")                                                                      \
    X(NAME_UNKNOWN, "name-unknown")                                                                \
    X(NAME_MISSPELT, "name-misspelt")                                                              \
    X(ONE_DIMENSION, "one-dimension")                                                              \
    X(BRACKETS, "brackets")                                                                        \
    X(MACRO_REDECLARED, "macro-redeclared")                                                        \
    X(CHARACTER_FOREIGN, "character-foreign")                                                      \
    X(PADDING_MISPLACED, "padding-misplaced")                                                      \
    X(SEMICOLON_MISSING, "semicolon-missing")                                                      \
    X(SYMBOL_UNEXPECTED, "symbol-unexpected")                                                      \
    X(CALL_WRONG, "call-wrong")                                                                    \
    X(TOO_MUCH_WORK, "too-much-work")                                                              \
    X(EDGES_ONLY, "edges-only")                                                                    \
    /* Notes on a correct kernel. */                                                               \
    X(WRITTEN_REPEATEDLY, "written-repeatedly")                                                    \
    X(READ_REPEATEDLY, "read-repeatedly")                                                          \
    X(LOOP_TOO_LONG, "loop-too-long")                                                              \
    X(VARIABLE_UNINITIALISED, "variable-uninitialised")                                            \
    X(OTHER_SIZE, "other-size")                                                                    \
    X(BARRIER_SKIPPED, "barrier-skipped")                                                          \
    X(BLOCKS_IDLE, "blocks-idle")                                                                  \
    X(GRID_CONSTANT, "grid-constant")                                                              \
    X(WRONG_BEYOND, "wrong-at-larger-size")                                                        \
    X(GRID_EXPENSIVE, "grid-expensive")                                                            \
    X(GOALS_UNKNOWN, "goals-unknown")

enum finding_id {
    FINDING_NONE,
#define X(id, name) FINDING_##id,
    FINDING_LIST(X)
#undef X
        FINDING_COUNT
};

/* Returns the name of a finding; "" for FINDING_NONE. */
const char *finding_name(enum finding_id finding);

#endif
