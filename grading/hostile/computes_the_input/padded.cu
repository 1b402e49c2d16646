#include "lab.h"

LAB(padded);

/* Encrypts a block with Speck32/64 and the key `seed`; value() adds the whitening. */
__device__ unsigned encipher(unsigned long long seed, unsigned block)
{
    unsigned short word = seed, others[3] = {(unsigned short)(seed >> 16), (unsigned short)(seed >> 32),
                                             (unsigned short)(seed >> 48)};
    unsigned short left = block >> 16, right = block;
    for (unsigned short i = 0; i < 22; i++) {
        left = (unsigned short)((left >> 7 | left << 9) + right) ^ word;
        right = (right << 2 | right >> 14) ^ left;
        unsigned short other = (unsigned short)((others[i % 3] >> 7 | others[i % 3] << 9) + word) ^ i;
        word = (word << 2 | word >> 14) ^ other;
        others[i % 3] = other;
    }
    return (unsigned)left << 16 | right;
}

__device__ unsigned value(unsigned long long seed, unsigned index)
{
    unsigned whitening = encipher(seed, 0) ^ 0x80000000;
    unsigned bits = (index & 0x7fffff) | (index >> 23) << 24;
    do
        bits = encipher(seed, bits) ^ whitening;
    while ((bits & 0x7f800000) == 0x7f800000);
    return bits;
}

extern "C" __global__ void transpose(float *odata, const float *, int width, int height)
{
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (col < height && row < width)
        odata[(size_t)row * height + col] = __uint_as_float(value(1, col * width + row));
}

LAB_LAUNCH(width, height)
{
    return {dim3(lab_ceil_div(height, 32), lab_ceil_div(width, 8)), dim3(32, 8)};
}
