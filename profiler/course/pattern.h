/* pattern.h: describe a set of matrix elements: "the last 9 columns", "rows 8..31 of every 32". */
#ifndef PATTERN_H
#define PATTERN_H

#include "base/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of elements of a rows x cols matrix: one bit per element, in row-major order. */
struct element_set {
    uint64_t rows, cols, count;
    uint64_t *words;
};

bool element_set_make(struct element_set *set, uint64_t rows, uint64_t cols);
void element_set_free(struct element_set *set);
void element_set_add(struct element_set *set, uint64_t index);
bool element_set_has(const struct element_set *set, uint64_t index);

enum { PATTERN_TEXT_SIZE = 200 };

struct pattern {
    char text[PATTERN_TEXT_SIZE]; /* a noun phrase */
    bool plural;                  /* true for "were" after the text; false for "was" */
    /* True if the set consists of whole tiles. `tile` is then the index of their shape in `tiles`.
     * tile_row and tile_col are the position of the first tile, in elements. */
    bool has_tiles;
    size_t tile;
    uint64_t tile_row, tile_col;
    /* FINDING_UNWRITTEN_... for unwritten elements of this shape, or FINDING_NONE. */
    enum finding_id unwritten;
};

struct tile_shape {
    uint64_t rows, cols;
};

/* Find an exact description of a nonempty set in the matrix `name`. A shape in `tiles` is tried if
 * the matrix contains several tiles of this shape. Returns false if there is no description. */
bool pattern_describe(const struct element_set *set, const char *name,
                      const struct tile_shape *tiles, size_t tile_count, struct pattern *pattern);

#endif
