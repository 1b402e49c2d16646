/* in_place.h: transposes a square matrix in place; `arrays` is {matrix}. */
#ifndef REFERENCES_IN_PLACE_H
#define REFERENCES_IN_PLACE_H

static const char *const mistakes_in_place[] = {
    "[statement-order] the upper half was written over the lower half before the lower half was "
    "loaded: load both "
    "tiles of a pair before you store a tile",
    "[statement-order] the lower half was written over the upper half before the upper half was "
    "loaded: load both "
    "tiles of a pair before you store a tile",
    "[map-antitransposed] the matrix is reflected about its anti-diagonal", 0};

static inline void reference_in_place(void *const *arrays, long long width, long long height,
                                      long long matrices, int mistake)
{
    float *data = (float *)arrays[0];
    (void)matrices;
    for (long long r = 0; r < height; r++)
        for (long long c = 0; c < (mistake == 3 ? width - 1 - r : r); c++) {
            float *lower = &data[r * width + c];
            float *upper =
                &data[mistake == 3 ? (width - 1 - c) * width + height - 1 - r : c * width + r];
            float saved = *lower;
            if (mistake != 2)
                *lower = *upper;
            if (mistake != 1)
                *upper = saved;
        }
}

#endif
