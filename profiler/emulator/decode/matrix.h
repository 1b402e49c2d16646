/* matrix.h: how the lanes of a warp hold a matrix (PTX ISA 9.7.14, "Warp Level Matrix
 * Multiply-Accumulate Instructions": the fragments of mma, wmma, ldmatrix and movmatrix).
 *
 * All fragments are made of *cores*. A core has 8 rows (of B: columns), and lane l holds `run`
 * consecutive elements of row l / 4, those from l % 4 * run on: a register full of elements of A
 * and B, a pair of C and D. The cores of a matrix are counted down its columns; element e of a lane
 * is in core e / run. This is every figure of the ISA's section but m8n8k4 of f16, which no GPU
 * since CC 7.5 computes that way. The ISA leaves open what fragments of wmma look like; here they
 * are the same, as on the hardware, and with more registers than the matrix needs the rest is
 * copies.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "emulator/ptx/ptx.h"

/* D = A * B + C: A is m x k, B k x n, C and D m x n. */
enum matrix_role { MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_ROLES };

enum { MATRIX_MAX_EDGE = 64, MATRIX_MAX_ELEMENTS = 16 /* of a lane, copies not counted */ };

struct matrix_shape {
    uint16_t modifier; /* enum ptx_modifier */
    uint16_t m, n, k;
};

/* The shape that the instruction names; NULL: none. Number s of the table, and its number. */
const struct matrix_shape *matrix_shape_find(const struct ptx_instruction *instruction);
const struct matrix_shape *matrix_shape_at(unsigned number);
unsigned matrix_shape_number(const struct matrix_shape *shape);

struct matrix_map {
    uint16_t rows, columns; /* of .b1: of words of 32 elements each */
    uint8_t bits;           /* of an element in its register: 4 to 64 */
    uint8_t per_register;   /* elements */
    uint8_t run;
    uint8_t elements;  /* of a lane */
    uint8_t registers; /* of a lane */
    uint8_t high;      /* cores one below another */
    bool is_turned;    /* B: the rows of a core are columns of the matrix */
    enum ptx_type type;
};

/* False for a type whose matrices do not fall into cores at that shape. */
bool matrix_map_make(const struct matrix_shape *shape, enum matrix_role role, enum ptx_type type,
                     struct matrix_map *map);

struct matrix_place {
    unsigned row, column;
};

/* Where element `element` of a lane stands; `swaps`: in cores that are transposed in themselves. */
struct matrix_place matrix_place(const struct matrix_map *map, unsigned lane, unsigned element,
                                 bool swaps);

/* A multiplication, packed in the control of its instruction: the shape's number, the types of
 * D, A, B and C, and how. */
enum {
    MATRIX_TYPE_BITS = 5,
    MATRIX_TYPE_MASK = (1 << MATRIX_TYPE_BITS) - 1,
    MATRIX_TYPES = 4, /* where they begin: D, A, B, C */
    MATRIX_SATURATES = 1 << 24,
    MATRIX_XOR =
        1 << 25, /* of .b1: bits that differ are counted; otherwise bits that are both set */
};

static inline enum ptx_type matrix_type(uint32_t control, unsigned operand)
{
    return (enum ptx_type)(control >> (MATRIX_TYPES + MATRIX_TYPE_BITS * operand) &
                           MATRIX_TYPE_MASK);
}

/* The fragments of a multiplication by its control: D, A, B, C, whose registers follow each
 * other. */
enum { MATRIX_D, MATRIX_LEFT, MATRIX_RIGHT, MATRIX_ADDEND, MATRIX_FRAGMENTS };
void matrix_maps_find(uint32_t control, struct matrix_map maps[MATRIX_FRAGMENTS]);

/* How an access finds its elements, packed in the control of SIMT_MATRIX_ADDRESS. */
enum {
    MATRIX_ROLE = 9, /* behind the shape and the matrix's type */
    MATRIX_ROW_MAJOR = 1 << 11,
    MATRIX_BY_ELEMENT = 1 << 12, /* an address for each element; otherwise for each run */
    MATRIX_SWAPS = 1 << 13,      /* cores are transposed on the way */
};

#endif
