/* form.h: the form of an exercise: the name and the parameters of its kernel. The manifest contains
 * the form. For example,
 *
 *     parameters = out unsigned sum[1] zeroed, in unsigned values[count], count
 *
 * describes kernel(unsigned *sum, const unsigned *values, int count). An array is `in`, `out` or
 * `inout` (results replace the input), of type float, unsigned or int. An array has one to three
 * sizes. Each size is width, height, count, matrices or a number, as in bins[256]. A `zeroed`
 * output contains 0 before the launch; all other outputs contain poison. A scalar is an int: width,
 * height, count or matrices. The problem is a matrix of `height` rows and `width` columns with
 * `count` elements, or a batch of `matrices` matrices of this size. */
#ifndef FORM_H
#define FORM_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FORM_PARAMETERS_MAX = 8, FORM_NAME = 32, FORM_PROTOTYPE = 512, FORM_DIGITS_MAX = 5 };

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
        FORM_EXTENT_COUNT /* constant size n is FORM_EXTENT_COUNT + n */
};

enum form_role { FORM_SCALAR, FORM_INPUT, FORM_OUTPUT, FORM_INOUT };
enum form_type { FORM_FLOAT, FORM_UNSIGNED, FORM_INT, FORM_TYPE_COUNT };

struct form_parameter {
    char name[FORM_NAME];
    enum form_role role;
    enum form_type type;
    bool zeroed;
    enum form_extent planes, rows, cols; /* sizes of an array; for a scalar, `cols` is its value */
};

struct form {
    char kernel[FORM_NAME];
    unsigned count;
    uint64_t matrices; /* number of matrices in a batch; 1 if there is no batch */
    struct form_parameter parameters[FORM_PARAMETERS_MAX];
};

/* Parse `kernel` and `parameters` of a manifest. Returns false for a harness failure. */
bool form_parse(const char *kernel, const char *parameters, struct form *form,
                struct failure *failure);

void form_prototype(const struct form *form, char text[FORM_PROTOTYPE]);

bool form_reads(const struct form_parameter *parameter);
bool form_writes(const struct form_parameter *parameter);
bool form_is_batch(const struct form *form);

uint64_t form_extent(const struct form *form, enum form_extent extent, uint64_t rows,
                     uint64_t cols);
/* Returns the number of elements of an array. Each element has 4 bytes. */
uint64_t form_elements(const struct form *form, const struct form_parameter *array, uint64_t rows,
                       uint64_t cols);
/* Returns the bytes of the arrays that the kernel reads (FORM_INPUT) or writes (FORM_OUTPUT). */
uint64_t form_bytes(const struct form *form, enum form_role role, uint64_t rows, uint64_t cols);
/* Returns the bytes to move if each input is read once and each output is written once. */
uint64_t form_compulsory_bytes(const struct form *form, uint64_t rows, uint64_t cols);

#endif
