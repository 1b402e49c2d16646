#include "course/element_map.h"

#include "base/wording.h"

#include <inttypes.h>
#include <string.h>

enum { CORRECT = '#', INCORRECT = 'x', UNWRITTEN = '.' };

static unsigned bits_for(uint64_t count, uint64_t most)
{
    unsigned bits = 0;
    while ((count - 1) >> bits >= most)
        bits++;
    return bits;
}

void element_map_begin(struct element_map *map, uint64_t rows, uint64_t cols)
{
    *map = (struct element_map){.rows = rows,
                                .cols = cols,
                                .row_bits = bits_for(rows, ELEMENT_MAP_ROWS),
                                .col_bits = bits_for(cols, ELEMENT_MAP_COLS)};
    memset(map->cells, CORRECT, sizeof map->cells);
}

void element_map_mark(struct element_map *map, uint64_t index, bool is_unwritten)
{
    char *cell =
        &map->cells[index / map->cols >> map->row_bits][index % map->cols >> map->col_bits];
    if (!is_unwritten)
        *cell = INCORRECT;
    else if (*cell == CORRECT)
        *cell = UNWRITTEN;
}

void element_map_add(const struct element_map *map, const char *name, const char *unwritten,
                     struct failure *failure)
{
    const uint64_t rows = ((map->rows - 1) >> map->row_bits) + 1;
    const int cols = (int)((map->cols - 1) >> map->col_bits) + 1;
    char text[ELEMENT_MAP_ROWS * (4 + ELEMENT_MAP_COLS + 1) + 1] = "";
    const char alike[] = {' ', ' ', ' ', ' ', map->cells[0][0], '\n', 0};
    bool differ = false;
    for (uint64_t row = 0; row < rows; row++) {
        APPEND(text, "    %.*s\n", cols, map->cells[row]);
        for (int col = 0; col < cols; col++)
            differ |= map->cells[row][col] != map->cells[0][0];
    }
    if (failure->kind == FAILURE_STUDENT)
        snprintf(failure->map, sizeof failure->map,
                 "map of %.40s, %" PRIu64 " x %" PRIu64
                 " (%c correct, %c incorrect, %c %s), %" PRIu64 " x %" PRIu64
                 " element%s per character%s\n%s",
                 name, map->rows, map->cols, CORRECT, INCORRECT, UNWRITTEN, unwritten,
                 UINT64_C(1) << map->row_bits, UINT64_C(1) << map->col_bits,
                 plural(map->row_bits + map->col_bits ? 2 : 1), differ ? ":" : ": all equal",
                 differ ? text : alike);
}
