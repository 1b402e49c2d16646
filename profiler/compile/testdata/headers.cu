// Headers that students include by habit.
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" __global__ void headers(float *out, uint32_t n, size_t m)
{
    assert(n < INT_MAX);
    printf("%u\n", n);
    uint64_t wide = n * (uint64_t)m;
    memcpy(out + 4, out, 16);
    out[n] = sqrtf((float)wide) + FLT_EPSILON;
}
