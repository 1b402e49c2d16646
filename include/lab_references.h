/* lab_references.h: what each exercise must compute, for the standalone programs.
 *
 * Made by solutions/make_skeletons from the labs' manifests (lab.conf): change those, not this.
 *
 * X(exercise, reference, sizes, tile)
 */
#ifndef LAB_REFERENCES_H
#define LAB_REFERENCES_H

#define LAB_REFERENCES(X)                                                                          \
    X("copy", copy, any, 32)                                                                       \
    X("copy_shared", copy, any, 32)                                                                \
    X("naive", transpose, any, 32)                                                                 \
    X("coalesced", transpose, any, 32)                                                             \
    X("padded", transpose, any, 32)                                                                \
    X("fine_grained", tile_transpose, tiles, 32)                                                   \
    X("coarse_grained", tile_move, tiles, 32)                                                      \
    X("diagonal", transpose, any, 32)

#endif
