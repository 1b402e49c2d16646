/* diagnosis.h: what is known about a wrong output, before anything is guessed: which elements are
 * wrong, what they hold, and which tiles the kernel may use.
 */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "course/pattern.h"
#include "course/verdict.h"

/* An index that is none: "open" as a prediction, "nowhere" as a place. */
static const uint64_t none = UINT64_MAX;

enum { NAME_SIZE = 120, MAX_TILES = 10 };

/* What an element of the output holds: the poison, the value of an input element, or neither. */
enum found_kind { FOUND_UNWRITTEN, FOUND_ELEMENT, FOUND_FOREIGN, FOUND_KINDS };

struct found {
    enum found_kind kind;
    uint64_t source; /* for FOUND_ELEMENT */
};

struct diagnosis {
    const struct verify_input *input;
    const struct problem *problem;
    uint64_t out_rows, out_cols, total;
    /* The wrong elements, and by kind their number, the first and the last (none: none). */
    struct element_set wrong, unwritten;
    uint64_t count[FOUND_KINDS], first[FOUND_KINDS], last[FOUND_KINDS];
    uint64_t first_wrong, last_wrong;
    /* Tiles that the kernel may use, as shapes of the input: the launch's first. */
    struct tile_shape tiles[MAX_TILES];
    size_t tile_count;
    bool blocks_known;   /* tiles[0] are the blocks of the grid */
    bool unwritten_fits; /* the second round of guesses */
};

/* Look at all elements of an output. False: no memory. diagnosis_free in any case. */
bool diagnosis_make(struct diagnosis *d, const struct verify_input *input);
void diagnosis_free(struct diagnosis *d);

/* What is at an output index; the input index that belongs there; the bits that belong there. */
struct found diagnosis_found(const struct diagnosis *d, uint64_t index);
uint64_t diagnosis_source(const struct diagnosis *d, uint64_t index);
uint32_t diagnosis_expected(const struct diagnosis *d, uint64_t index);

/* The shape in the output of a tile of the input. */
struct tile_shape diagnosis_tile_in_output(const struct diagnosis *d, struct tile_shape tile);
/* Name the tile that has an output element: "block (3, 1)", by the input that the block reads, or
 * "the tile at odata[32][64]". NAME_SIZE bytes of text. */
void diagnosis_name_tile(const struct diagnosis *d, struct tile_shape tile, uint64_t out_row,
                         uint64_t out_col, char *text);

#endif
