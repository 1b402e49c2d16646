/* lab_references.h: what each exercise must compute, for the standalone programs; and the references
 * that are functions, for tlab, too.
 *
 * Made by solutions/make_skeletons from the labs' manifests (lab.conf): change those, not this.
 */
#ifndef LAB_REFERENCES_H
#define LAB_REFERENCES_H

/* Maps of a matrix. X(exercise, reference, sizes, tile) */
#define LAB_REFERENCES(X)                                                                          \
    X("copy", copy, any, 32)                                                                       \
    X("copy_shared", copy, any, 32)                                                                \
    X("naive", transpose, any, 32)                                                                 \
    X("coalesced", transpose, any, 32)                                                             \
    X("padded", transpose, any, 32)                                                                \
    X("fine_grained", tile_transpose, tiles, 32)                                                   \
    X("coarse_grained", tile_move, tiles, 32)                                                      \
    X("diagonal", transpose, any, 32)                                                              \
    X("register_tile", transpose, any, 64)                                                         \
    X("vectorized", transpose, any, 32)                                                            \
    X("coarsened", transpose, any, 64)                                                             \
    X("record", transpose, any, 64)

/* Functions. X(name) */
#include "references/batched.h"
#include "references/in_place.h"
#include "references/laplace.h"
#include "references/sum.h"
#define LAB_FUNCTIONS(X) X(batched) X(in_place) X(laplace) X(sum)

/* Exercises whose reference is a function: what LAB(exercise) declares;
 * X(exercise, reference, sizes, matrices, parameters...) */
#define LAB_PROTOTYPE_batched ~, transpose(float *odata, const float *idata, int width, int height, int matrices)
#define LAB_KERNEL_batched ~, transpose
#define LAB_PROTOTYPE_inplace ~, transpose(float *data, int width, int height)
#define LAB_KERNEL_inplace ~, transpose
#define LAB_PROTOTYPE_sum_shared ~, reduce(unsigned *sum, const unsigned *values, int count)
#define LAB_KERNEL_sum_shared ~, reduce
#define LAB_PROTOTYPE_sum_sequential ~, reduce(unsigned *sum, const unsigned *values, int count)
#define LAB_KERNEL_sum_sequential ~, reduce
#define LAB_PROTOTYPE_sum_grid ~, reduce(unsigned *sum, const unsigned *values, int count)
#define LAB_KERNEL_sum_grid ~, reduce
#define LAB_PROTOTYPE_stencil_naive ~, stencil(float *out, const float *in, int width, int height)
#define LAB_KERNEL_stencil_naive ~, stencil
#define LAB_PROTOTYPE_stencil_tiled ~, stencil(float *out, const float *in, int width, int height)
#define LAB_KERNEL_stencil_tiled ~, stencil
#define LAB_PROTOTYPE_stencil_registers ~, stencil(float *out, const float *in, int width, int height)
#define LAB_KERNEL_stencil_registers ~, stencil
#define LAB_FORMS(X) \
    X("batched", batched, any, 3, {"odata", lab_out, lab_float, false, lab_size_matrices, lab_size_width, lab_size_height}, {"idata", lab_in, lab_float, false, lab_size_matrices, lab_size_height, lab_size_width}, {"width", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_width}, {"height", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_height}, {"matrices", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_matrices}) \
    X("inplace", in_place, square, 1, {"data", lab_inout, lab_float, false, lab_size_1, lab_size_height, lab_size_width}, {"width", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_width}, {"height", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_height}) \
    X("sum_shared", sum, line, 1, {"sum", lab_out, lab_unsigned, true, lab_size_1, lab_size_1, lab_size_1}, {"values", lab_in, lab_unsigned, false, lab_size_1, lab_size_1, lab_size_count}, {"count", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_count}) \
    X("sum_sequential", sum, line, 1, {"sum", lab_out, lab_unsigned, true, lab_size_1, lab_size_1, lab_size_1}, {"values", lab_in, lab_unsigned, false, lab_size_1, lab_size_1, lab_size_count}, {"count", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_count}) \
    X("sum_grid", sum, line, 1, {"sum", lab_out, lab_unsigned, true, lab_size_1, lab_size_1, lab_size_1}, {"values", lab_in, lab_unsigned, false, lab_size_1, lab_size_1, lab_size_count}, {"count", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_count}) \
    X("stencil_naive", laplace, any, 1, {"out", lab_out, lab_float, false, lab_size_1, lab_size_height, lab_size_width}, {"in", lab_in, lab_float, false, lab_size_1, lab_size_height, lab_size_width}, {"width", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_width}, {"height", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_height}) \
    X("stencil_tiled", laplace, any, 1, {"out", lab_out, lab_float, false, lab_size_1, lab_size_height, lab_size_width}, {"in", lab_in, lab_float, false, lab_size_1, lab_size_height, lab_size_width}, {"width", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_width}, {"height", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_height}) \
    X("stencil_registers", laplace, any, 1, {"out", lab_out, lab_float, false, lab_size_1, lab_size_height, lab_size_width}, {"in", lab_in, lab_float, false, lab_size_1, lab_size_height, lab_size_width}, {"width", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_width}, {"height", lab_scalar, lab_int, false, lab_size_1, lab_size_1, lab_size_height})

#endif
