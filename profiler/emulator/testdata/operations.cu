/* operations.cu: one operation per kernel, to compare the modelled times with an H200.
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

/* Operations on memory: name, blocks of 256 threads, statement, time in us, and sectors written to
 * the L2 (lts__t_sectors_srcunit_tex_op_write.sum; 0 for random addresses, which is not compared).
 * `p` has 2^26 words. */
#define MEMORY(X) \
    X(stores_2, 4096, stores<2>(p), 4.6, 264036) \
    X(stores_3, 4096, stores<3>(p), 4.8, 404624) \
    X(stores_4, 4096, stores<4>(p), 11.2, 1080920) \
    X(stores_6, 4096, stores<6>(p), 27.2, 2690484) \
    X(stores_7, 4096, stores<7>(p), 48.4, 5064208) \
    X(stores_8, 4096, stores<8>(p), 75.2, 7670552) \
    X(stores_loop, 4096, stores_loop(p), 12.1, 1165704) \
    X(loads_stores_3, 4096, loads_stores(p, p + (1 << 25)), 13.7, 1051368) \
    X(add_result, 8192, int k = atomicAdd(p, 1); p[64 + k] = 1, 51.4, 0) \
    X(add_result_if, 8192, if (random(I) & 1) p[64 + atomicAdd(p, 2)] = 1, 53.0, 0) \
    X(add_result_varying, 8192, int k = atomicAdd(p, 1 + (p[I + 1] & 1)); p[64 + k] = 1, 53.8, 0) \
    X(max_result, 8192, p[64 + I] = atomicMax(p, I), 1536.1, 0) \
    X(store_random, 8192, p[random(I) % (1 << 26)] = I, 120.1, 0) \
    X(add_random, 8192, atomicAdd(p + random(I) % (1 << 26), 1), 108.6, 0) \
    X(update_random, 8192, p[random(I) % (1 << 26)] += I, 134.4, 0) \
    X(store_far, 8192, p[(size_t)I * 32] = I, 80.1, 2097152)

#define I (blockIdx.x * blockDim.x + threadIdx.x)

__device__ unsigned random(unsigned i)
{
    i *= 2654435761u;
    i ^= i >> 15;
    i *= 2246822519u;
    return i ^ i >> 13;
}

template <int COUNT> __device__ void stores(int *p)
{
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        p[COUNT * I + k] = k;
}

__device__ void stores_loop(int *p)
{
#pragma unroll 1
    for (int k = 0; k < 3; k++)
        p[3 * I + k] = k;
}

__device__ void loads_stores(int *p, const int *q)
{
    for (int k = 0; k < 3; k++)
        p[3 * I + k] = q[3 * I + k] + 1;
}

#define MEMORY_KERNEL(name, blocks, statement, us, sectors)                                        \
    __global__ void m_##name(int *p)                                                               \
    {                                                                                              \
        statement;                                                                                 \
    }
MEMORY(MEMORY_KERNEL)

/* Prints "name us sectors" for each launch, in order. */
int main()
{
    void *out;
    if (cudaMalloc(&out, sizeof(int) << 26) != cudaSuccess ||
        cudaMemset(out, 0, sizeof(int) << 26) != cudaSuccess)
        return 1;
#define LAUNCH(name, type, expression, us)                                                         \
    k_##name<<<BLOCKS, THREADS>>>((type *)out, (type)1.7);                                         \
    printf("%s %.1f 0\n", #name, us);
    OPERATIONS(LAUNCH)
#define LOAD(words, us)                                                                            \
    constant<words><<<BLOCKS, THREADS>>>((float *)out);                                            \
    printf("constant_%d %.1f 0\n", words, us);
    CONSTANTS(LOAD)
#define ACCESS(name, blocks, statement, us, sectors)                                               \
    m_##name<<<blocks, 256>>>((int *)out);                                                         \
    printf("%s %.1f %d\n", #name, us, sectors);
    MEMORY(ACCESS)
    return cudaDeviceSynchronize() != cudaSuccess;
}
