/* pattern.h: say in words which elements of a matrix a set holds: "the last 9 columns", "rows 8..31
 * of every 32", "the elements below the diagonal".
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

/* An empty set; false without memory. */
bool element_set_make(struct element_set *set, uint64_t rows, uint64_t cols);
void element_set_free(struct element_set *set);
/* Add an element that the set does not hold yet. */
void element_set_add(struct element_set *set, uint64_t index);
bool element_set_has(const struct element_set *set, uint64_t index);

/* What a pattern suggests to look at. */
enum pattern_kind {
    PATTERN_ALL,
    PATTERN_EDGE,     /* the last rows, the last columns, or both */
    PATTERN_PERIODIC, /* a part of every so many rows or columns */
    PATTERN_PART,     /* some other box of rows and columns, or all but a box */
    PATTERN_TAIL,     /* all after the first so many elements */
    PATTERN_TRIANGLE, /* on one side of the diagonal */
    PATTERN_TILES,    /* whole tiles */
};

enum { PATTERN_TEXT_SIZE = 200 };

struct pattern {
    enum pattern_kind kind;
    char text[PATTERN_TEXT_SIZE];  /* a noun phrase */
    bool plural;                   /* its number: "were" or "was" */
    uint64_t rows_kept, cols_kept; /* PATTERN_EDGE: the rows and columns before the edge */
    /* PATTERN_PERIODIC of rows or columns: its length, where the part begins, and whether it
     * lasts to the end. */
    uint64_t period, period_first;
    bool ends_period;
    /* PATTERN_TILES: which shape fits, and the first such tile's first row and column. */
    size_t tile;
    uint64_t tile_row, tile_col;
};

/* A tile of the matrix that the set lies in. */
struct tile_shape {
    uint64_t rows, cols;
};

/* Find words for a set that is not empty; they describe it exactly. `name` is the matrix. The tiles
 * are tried in order, and only where there are several in the matrix. False: no words fit. */
bool pattern_describe(const struct element_set *set, const char *name,
                      const struct tile_shape *tiles, size_t tile_count, struct pattern *pattern);

#endif
