/* operations.cu: one arithmetic operation per kernel, to compare the modelled times with an H200.
 *
 * Columns of the table: name, type, expression, and the time in us on an H200 (driver 580.159.03,
 * CUDA 13.0, 2026-11-29; gpu__time_duration.sum of ncu --clock-control none, nvcc -arch=sm_90 -O3).
 * kernels_test.sh compares the table with `tlab exec`. Each of 264 blocks of 1024 threads computes
 * the expression 64 times; y is 1.7, or 1 for integers. `constant` loads pseudo-random words. */
#include <cstdint>
#include <cstdio>

#define OPERATIONS(X) \
    X(fadd, float, x + 1.5f, 2.9) \
    X(ffma, float, x * 0.999f + y, 3.0) \
    X(fdiv, float, y / x, 11.1) \
    X(frcp, float, 1.0f / x, 8.4) \
    X(fsqrt, float, sqrtf(x) + y, 8.8) \
    X(frsqrt, float, rsqrtf(x), 6.2) \
    X(fexp, float, expf(-x), 7.5) \
    X(fexp_fast, float, __expf(-x), 6.2) \
    X(flog, float, logf(x) + y, 16.8) \
    X(fpow, float, powf(x, 0.9f), 42.0) \
    X(fsin, float, sinf(x), 16.4) \
    X(fcos, float, cosf(x), 17.4) \
    X(fsin_fast, float, __sinf(x), 6.3) \
    X(ftanh, float, tanhf(x), 11.8) \
    X(ferf, float, erff(x), 16.1) \
    X(fmod, float, fmodf(y * 3.7f, x), 164.7) \
    X(fdiv_fast, float, __fdividef(y, x), 6.6) \
    X(fatan2, float, atan2f(y, x), 25.3) \
    X(fcbrt, float, cbrtf(x), 11.8) \
    X(fexp10, float, exp10f(x), 7.5) \
    X(fexp2, float, exp2f(x), 6.2) \
    X(flog2, float, log2f(x), 17.4) \
    X(dadd, double, x + y, 3.1) \
    X(dfma, double, x * y + y, 3.6) \
    X(dfmac, double, x * 0.99934567891234 + 0.1234567890123, 3.5) \
    X(dmulc, double, x * 0.99934567891234, 3.1) \
    X(dmulh, double, x * 0.5, 3.1) \
    X(ddiv, double, y / x, 15.7) \
    X(drcp, double, 1.0 / x, 10.6) \
    X(dsqrt, double, sqrt(x), 17.0) \
    X(drsqrt, double, rsqrt(x), 12.0) \
    X(dexp, double, exp(-x), 24.4) \
    X(dlog, double, log(x) + y, 53.7) \
    X(dpow, double, pow(x, y), 134.9) \
    X(dsin, double, sin(x), 32.2) \
    X(dcos, double, cos(x), 33.2) \
    X(dtanh, double, tanh(x), 27.5) \
    X(dabs, double, fabs(x) + y, 3.3) \
    X(dmin, double, fmin(x, y) + y, 7.8) \
    X(dtof, double, (double)(float)x, 4.2) \
    X(dtoi, double, (double)(int)(x * y), 10.8) \
    X(dcmp, double, x > y ? x - y : x + y, 5.1) \
    X(idiv, int, (y * 12345) / (x | 1), 20.3) \
    X(irem, int, (y * 12345) % (x | 1), 18.9) \
    X(udiv, unsigned, (y * 12345) / (x | 1), 17.3) \
    X(urem, unsigned, (y * 12345) % (x | 1), 16.9) \
    X(urem10, unsigned, (x + y) % 10, 6.1) \
    X(imul, int, x * y, 2.8) \
    X(imad, int, x * y + 7, 3.1) \
    X(iadd, int, x + y, 2.1) \
    X(mulhi, unsigned, __umulhi(x, y) + y, 4.4) \
    X(popc, unsigned, __popc(x) + y, 6.4) \
    X(clz, int, __clz(x) + y, 6.3) \
    X(shl, unsigned, (x << 3) ^ y, 3.8) \
    X(imin, int, min(x, y) + 3, 3.6) \
    X(sel, int, x > y ? x - y : x + y, 4.5) \
    X(lmul, uint64_t, x * y, 6.3) \
    X(ladd, uint64_t, x + y, 2.3) \
    X(lmad, uint64_t, x * y + 7, 6.5) \
    X(ldiv, uint64_t, (y * 123456789012345ull) / (x | 1), 72.1) \
    X(lrem, uint64_t, (y * 123456789012345ull) % (x | 1), 66.5) \
    X(lshl, uint64_t, (x << 3) ^ y, 5.5) \
    X(lxor, uint64_t, (x ^ y) + 1, 5.4) \
    X(lrem_small, uint64_t, (uint64_t)(y & 1023) % ((x & 15) | 1), 17.3) \
    X(lcmp, uint64_t, x > y ? x - y : x + y, 7.6) \
    X(i2f, float, (float)((int)(x * y)), 6.3) \
    X(f2u8, float, (float)(unsigned char)(x * y), 10.9)

enum { TIMES = 64, BLOCKS = 264, THREADS = 1024 };

#define KERNEL(name, type, expression, us)                                                         \
    __global__ void k_##name(type *out, type y)                                                    \
    {                                                                                              \
        type x = (type)(threadIdx.x % 7 + 1.25);                                                   \
        _Pragma("unroll 4") for (int i = 0; i < TIMES; i++) x = (expression);                      \
        out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = x;                                    \
    }
OPERATIONS(KERNEL)

/* Words of the table that are loaded, and times in us. */
#define CONSTANTS(X) X(64, 115.2) X(256, 128.2) X(4096, 1844.8) X(16384, 2245.7)

__constant__ float table[16384];

template <int WORDS> __global__ void constant(float *out)
{
    unsigned hash = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < TIMES; i++) {
        hash = hash * 1664525u + 1013904223u;
        sum += table[(hash >> 12) % WORDS];
    }
    out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Prints "name us" for each launch, in order. */
int main()
{
    void *out;
    if (cudaMalloc(&out, sizeof(double) * BLOCKS * THREADS) != cudaSuccess)
        return 1;
#define LAUNCH(name, type, expression, us)                                                         \
    k_##name<<<BLOCKS, THREADS>>>((type *)out, (type)1.7);                                         \
    printf("%s %.1f\n", #name, us);
    OPERATIONS(LAUNCH)
#define LOAD(words, us)                                                                            \
    constant<words><<<BLOCKS, THREADS>>>((float *)out);                                            \
    printf("constant_%d %.1f\n", words, us);
    CONSTANTS(LOAD)
    return cudaDeviceSynchronize() != cudaSuccess;
}
