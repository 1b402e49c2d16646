/* matrix.h: how the lanes of a warp hold a matrix (PTX ISA 9.7.14, "Warp Level Matrix
 * Multiply-Accumulate Instructions": the fragments of mma, wmma, ldmatrix and movmatrix).
 *
 * All fragments consist of *cores*. A core has 8 rows (for B: columns). Lane l holds a *run* of
 * consecutive elements of row l / 4, starting at element l % 4 * run length. A run is one register
 * of elements of A and B, or a pair of elements of C and D. The cores of a matrix are numbered down
 * its columns. The ISA does not define the fragments of wmma. In the emulator, these fragments also
 * consist of cores, as on hardware. Additional registers of a wmma fragment are copies. */
#ifndef MATRIX_H
#define MATRIX_H

#include "emulator/ptx/ptx.h"

/* D = A * B + C: A is m x k, B is k x n, C and D are m x n. */
enum matrix_role { MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_ROLES };

enum { MATRIX_MAX_EDGE = 64, MATRIX_MAX_ELEMENTS = 16 /* per lane, without copies */ };

struct matrix_shape {
    uint16_t modifier;
    uint16_t m, n, k;
};

/* Returns the shape that the instruction names, or NULL if the shape is unknown. */
const struct matrix_shape *matrix_shape_find(const struct ptx_instruction *instruction);
const struct matrix_shape *matrix_shape_at(unsigned number);
unsigned matrix_shape_number(const struct matrix_shape *shape);

struct matrix_map {
    uint16_t rows, columns; /* For .b1, k counts words of 32 elements. */
    uint8_t bits;           /* Bits of an element in its register: 4 to 64. */
    uint8_t per_register;
    uint8_t run;
    uint8_t elements;
    uint8_t registers;
    uint8_t high;   /* Number of cores in one column of the matrix. */
    bool is_turned; /* For B, the rows of a core are columns of the matrix. */
    enum ptx_type type;
};

/* Compute the map of a matrix. Returns false if the matrix cannot be divided into cores. */
bool matrix_map_make(const struct matrix_shape *shape, enum matrix_role role, enum ptx_type type,
                     struct matrix_map *map);

struct matrix_place {
    unsigned row, column;
};

/* Returns the place of an element of a lane. If `swaps` is true, each core is transposed. */
struct matrix_place matrix_place(const struct matrix_map *map, unsigned lane, unsigned element,
                                 bool swaps);

/* The control of SIMT_MATRIX_MULTIPLY: shape number, types of D, A, B and C, and flags. */
enum {
    MATRIX_TYPE_BITS = 5,
    MATRIX_TYPE_MASK = (1 << MATRIX_TYPE_BITS) - 1,
    MATRIX_TYPES = 4,
    MATRIX_SATURATES = 1 << 24,
    MATRIX_XOR = 1 << 25, /* For .b1, count the bits of A XOR B instead of A AND B. */
};

static inline enum ptx_type matrix_type(uint32_t control, unsigned operand)
{
    return (enum ptx_type)(control >> (MATRIX_TYPES + MATRIX_TYPE_BITS * operand) &
                           MATRIX_TYPE_MASK);
}

/* Compute the maps of D, A, B and C from the control of a multiplication. The registers of the four
 * fragments are consecutive in the side table. */
enum { MATRIX_D, MATRIX_LEFT, MATRIX_RIGHT, MATRIX_ADDEND, MATRIX_FRAGMENTS };
void matrix_maps_find(uint32_t control, struct matrix_map maps[MATRIX_FRAGMENTS]);

/* The control of SIMT_MATRIX_ADDRESS: shape number, type and role of the matrix, and flags. */
enum {
    MATRIX_ROLE = 9,
    MATRIX_ROW_MAJOR = 1 << 11,
    MATRIX_BY_ELEMENT = 1 << 12, /* Each element has an address, not each run. */
    MATRIX_SWAPS = 1 << 13,
};

#endif
