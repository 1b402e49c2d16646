/* element_map.h: a map of the correct, incorrect and unwritten parts of an output. */
#ifndef ELEMENT_MAP_H
#define ELEMENT_MAP_H

#include "base/failure.h"

enum { ELEMENT_MAP_ROWS = 20, ELEMENT_MAP_COLS = 40 };

/* A cell of the map represents 2^row_bits rows by 2^col_bits columns of the output. */
struct element_map {
    uint64_t rows, cols;
    unsigned row_bits, col_bits;
    char cells[ELEMENT_MAP_ROWS][ELEMENT_MAP_COLS];
};

void element_map_begin(struct element_map *map, uint64_t rows, uint64_t cols);

/* Mark an incorrect element. A cell with incorrect and unwritten elements is incorrect. */
void element_map_mark(struct element_map *map, uint64_t index, bool is_unwritten);

/* Add the map with a heading to a student failure. If all cells are equal, the map is a single
 * character. `unwritten` describes an unwritten element, such as "never written". */
void element_map_add(const struct element_map *map, const char *name, const char *unwritten,
                     struct failure *failure);

#endif
