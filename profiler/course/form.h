/* form.h: the form of an exercise: its kernel's name and parameters, in order, with the sizes of
 * arrays as the manifest names them.
 *
 *     parameters = out unsigned sum[1] zeroed, in unsigned values[count], count
 *
 * is the kernel (unsigned *sum, const unsigned *values, int count). An array is `in`, `out` or,
 * where the results take the place of the input, `inout`; of float, unsigned or int; and has one to
 * three sizes of width, height, count, matrices and 1. `zeroed` holds 0 before the launch, other
 * outputs hold poison. A scalar is width, height, count or matrices, an int. The problem has
 * `height` rows of `width` columns, and `count` elements; or a batch of `matrices` such matrices.
 */
#ifndef FORM_H
#define FORM_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FORM_PARAMETERS_MAX = 8, FORM_NAME = 32, FORM_PROTOTYPE = 512 };

/* X(ID, name, value) by form, rows and columns */
#define FORM_EXTENT_LIST(X)                                                                        \
    X(ONE, "1", 1)                                                                                 \
    X(WIDTH, "width", cols)                                                                        \
    X(HEIGHT, "height", rows)                                                                      \
    X(COUNT, "count", rows *cols)                                                                  \
    X(MATRICES, "matrices", form->matrices)

enum form_extent {
#define X(id, ...) FORM_##id,
    FORM_EXTENT_LIST(X)
#undef X
        FORM_EXTENT_COUNT
};

enum form_role { FORM_SCALAR, FORM_INPUT, FORM_OUTPUT, FORM_INOUT };
enum form_type { FORM_FLOAT, FORM_UNSIGNED, FORM_INT, FORM_TYPE_COUNT };

struct form_parameter {
    char name[FORM_NAME];
    enum form_role role;
    enum form_type type;
    bool zeroed;
    enum form_extent planes, rows, cols; /* of an array; a scalar's value is `cols` */
};

struct form {
    char kernel[FORM_NAME];
    unsigned count;    /* at least one array of results among them */
    uint64_t matrices; /* of a batch; 1 where there is none */
    struct form_parameter parameters[FORM_PARAMETERS_MAX];
};

/* Read the manifest's text. Harness failure: what is wrong with it, without file and line. */
bool form_parse(const char *kernel, const char *parameters, struct form *form,
                struct failure *failure);

/* The kernel as C++ declares it, `extern "C" __global__ void ...`. */
void form_prototype(const struct form *form, char text[FORM_PROTOTYPE]);

/* Whether the kernel reads an array, or writes it: either may hold for one. */
bool form_reads(const struct form_parameter *parameter);
bool form_writes(const struct form_parameter *parameter);
/* Whether some parameter depends on the number of matrices. */
bool form_is_batch(const struct form *form);

/* What an extent comes to for a problem of that size. */
uint64_t form_extent(const struct form *form, enum form_extent extent, uint64_t rows,
                     uint64_t cols);
/* Elements of an array, each of 4 bytes. */
uint64_t form_elements(const struct form *form, const struct form_parameter *array, uint64_t rows,
                       uint64_t cols);
/* The bytes of all arrays that are read (FORM_INPUT), or of all that are written (FORM_OUTPUT). */
uint64_t form_bytes(const struct form *form, enum form_role role, uint64_t rows, uint64_t cols);
/* The bytes that the exercise cannot do without: every input read once, every output written once.
 */
uint64_t form_compulsory_bytes(const struct form *form, uint64_t rows, uint64_t cols);

#endif
