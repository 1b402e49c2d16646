/* diagnosis.h: facts about a wrong output for the tests of hypotheses: the wrong elements, their
 * values, and the tiles that the kernel may use. */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "course/pattern.h"
#include "course/verdict.h"

/* No index: a hypothesis determines no element, or the element does not exist. */
static const uint64_t none = UINT64_MAX;

enum { NAME_SIZE = 120, MAX_TILES = 10 };

/* An output element: the poison (never written), an input element's value, or another value. */
enum found_kind { FOUND_UNWRITTEN, FOUND_ELEMENT, FOUND_FOREIGN, FOUND_KINDS };

struct found {
    enum found_kind kind;
    uint64_t source; /* FOUND_ELEMENT: index of the input element */
};

struct diagnosis {
    const struct verify_input *input;
    const struct problem *problem;
    uint64_t out_rows, out_cols, total;
    /* The wrong elements; for each kind, their number, first index and last index. */
    struct element_set wrong, unwritten;
    uint64_t count[FOUND_KINDS], first[FOUND_KINDS], last[FOUND_KINDS];
    uint64_t first_wrong, last_wrong;
    /* Tiles that the kernel may use, with their shapes in the input. The launch's tile is first. */
    struct tile_shape tiles[MAX_TILES];
    size_t tile_count;
    bool blocks_known;   /* true if tiles[0] is the tile of a block of the grid */
    bool unwritten_fits; /* true in the second pass: an unwritten element fits every hypothesis */
};

/* Examine all elements of an output. `input` must outlive `d`. Returns false if there is not enough
 * memory. Always call diagnosis_free. */
bool diagnosis_make(struct diagnosis *d, const struct verify_input *input);
void diagnosis_free(struct diagnosis *d);

/* These functions describe an output element: what was found there, the index of the correct
 * input element, and the bits of that element. */
struct found diagnosis_found(const struct diagnosis *d, uint64_t index);
uint64_t diagnosis_source(const struct diagnosis *d, uint64_t index);
uint32_t diagnosis_expected(const struct diagnosis *d, uint64_t index);

/* Returns the shape in the output of a tile with the shape `tile` in the input. */
struct tile_shape diagnosis_tile_in_output(const struct diagnosis *d, struct tile_shape tile);
/* Write the name of the tile that contains an output element, at most NAME_SIZE bytes: the block
 * that reads the tile, "block (3, 1)"; if the block is unknown, "the tile at odata[32][64]". */
void diagnosis_name_tile(const struct diagnosis *d, struct tile_shape tile, uint64_t out_row,
                         uint64_t out_col, char *text);

/* Each function tests a family of hypotheses. If a mistake of the family explains every element,
 * the function adds one or two lines to the report and returns true. */

/* The kernel stored the correct elements at wrong places. */
bool diagnose_placement(const struct diagnosis *d, struct report *report);
/* The kernel stored with a wrong pitch, by the required map or (other_pitch) by another map. */
bool diagnose_placement_pitch(const struct diagnosis *d, struct report *report);
bool diagnose_placement_other_pitch(const struct diagnosis *d, struct report *report);
/* The kernel loaded the wrong elements. */
bool diagnose_gather(const struct diagnosis *d, struct report *report);
/* Columns or rows of each group, such as the members of a float4, are exchanged or repeated. */
bool diagnose_groups(const struct diagnosis *d, struct report *report);
/* One index in a kernel of the course is wrong. Returns false for matrices with more elements than
 * this maximum. */
enum { DIAGNOSE_KERNEL_MAX = 1 << 13 };
bool diagnose_kernel(const struct diagnosis *d, struct report *report);
/* The outputs of blocks are exchanged. */
bool diagnose_exchange(const struct diagnosis *d, struct report *report);
/* The elements are at the correct places, but with altered values. */
bool diagnose_alteration(const struct diagnosis *d, struct report *report);

#endif
