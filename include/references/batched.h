/* batched.h: out[m][c][r] = in[m][r][c] for each matrix m of a batch; `arrays` is {out, in}. */
#ifndef REFERENCES_BATCHED_H
#define REFERENCES_BATCHED_H

static const char *const mistakes_batched[] = {
    "[grid-of-batch] the first matrix is correct, but no other matrix was written: does the grid "
    "reach the other "
    "matrices, and do the addresses depend on the matrix index?",
    "[batch-matrix] every result is the transpose of the first matrix: is the offset of the matrix "
    "added to the "
    "load address?",
    "[batch-matrix] only the first result was written, and it is the transpose of the last matrix: "
    "is the offset "
    "of the matrix added to the store address?",
    "[grid-of-batch] the last matrix is missing",
    "[batch-matrix] the batch is transposed as if it were one tall matrix: transpose each matrix "
    "separately",
    "[map-copied] each matrix is copied, not transposed",
    0};

static inline void reference_batched(void *const *arrays, long long width, long long height,
                                     long long matrices, int mistake)
{
    float *out = (float *)arrays[0];
    const float *in = (const float *)arrays[1];
    long long size = width * height, rows = mistake == 5 ? height * matrices : height;
    long long from = mistake == 3 ? matrices - 1 : 0, count = mistake == 5 ? 1 : matrices;
    if (mistake == 1 || mistake == 3)
        count = from + 1;
    if (mistake == 4)
        count = matrices - 1;
    for (long long m = from; m < count; m++) {
        const float *matrix = in + (mistake == 2 ? 0 : m * size);
        float *result = out + (mistake == 3 ? 0 : m * size);
        for (long long r = 0; r < rows; r++)
            for (long long c = 0; c < width; c++)
                result[mistake == 6 ? r * width + c : c * rows + r] = matrix[r * width + c];
    }
}

#endif
