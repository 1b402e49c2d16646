/* pattern.h: describe a set of matrix elements: "the last 9 columns", "rows 8..31 of every 32",
 * "the elements below the diagonal".
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of elements of a rows x cols matrix, one bit each, row-major. */
struct element_set {
    uint64_t rows, cols, count;
    uint64_t *words;
};

/* Make an empty set. False: not enough memory. */
bool element_set_make(struct element_set *set, uint64_t rows, uint64_t cols);
void element_set_free(struct element_set *set);
/* Add an element that is not in the set. */
void element_set_add(struct element_set *set, uint64_t index);
bool element_set_has(const struct element_set *set, uint64_t index);

/* The kinds of patterns. */
enum pattern_kind {
    PATTERN_ALL,
    PATTERN_EDGE,     /* The last rows, the last columns, or both. */
    PATTERN_PERIODIC, /* Part of every n rows or columns. */
    PATTERN_PART,     /* Another box of rows and columns, or all but a box. */
    PATTERN_TAIL,     /* All after the first n elements. */
    PATTERN_TRIANGLE, /* One side of the diagonal. */
    PATTERN_TILES,    /* Whole tiles. */
};

enum { PATTERN_TEXT_SIZE = 200 };

struct pattern {
    enum pattern_kind kind;
    char text[PATTERN_TEXT_SIZE];  /* A noun phrase. */
    bool plural;                   /* Its number: "were" or "was". */
    uint64_t rows_kept, cols_kept; /* PATTERN_EDGE: the rows and columns before the edge. */
    /* PATTERN_PERIODIC: the period, the start of the part, and whether it extends to the end. */
    uint64_t period, period_first;
    bool ends_period;
    /* PATTERN_TILES: the index of the shape, and the first tile's row and column. */
    size_t tile;
    uint64_t tile_row, tile_col;
};

/* The shape of a tile of the matrix. */
struct tile_shape {
    uint64_t rows, cols;
};

/* Find an exact description of a set that is not empty. `name` is the matrix. Shapes of tiles are
 * tried in order if the matrix has several such tiles. False: there is no description. */
bool pattern_describe(const struct element_set *set, const char *name,
                      const struct tile_shape *tiles, size_t tile_count, struct pattern *pattern);

#endif
