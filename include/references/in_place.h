/* in_place.h: a square matrix, transposed where it lies: data[c][r] and data[r][c] change places.
 *
 * arrays: data, with the matrix in it.
 */
#ifndef REFERENCES_IN_PLACE_H
#define REFERENCES_IN_PLACE_H

static const char *const mistakes_in_place[] = {
    "the upper half was written over the lower one, whose elements are lost: both must be loaded "
    "before either is stored",
    "the lower half was written over the upper one, whose elements are lost: both must be loaded "
    "before either is stored",
    "the matrix is turned about its other diagonal",
    0};

static inline void reference_in_place(void *const *arrays, long long width, long long height,
                                      long long matrices, int mistake)
{
    float *data = (float *)arrays[0];
    (void)matrices;
    for (long long r = 0; r < height; r++)
        for (long long c = 0; c < (mistake == 3 ? width - 1 - r : r); c++) {
            float *lower = &data[r * width + c];
            float *upper = &data[mistake == 3 ? (width - 1 - c) * width + height - 1 - r
                                              : c * width + r];
            float kept = *lower;
            if (mistake != 2)
                *lower = *upper;
            if (mistake != 1)
                *upper = kept;
        }
}

#endif
