/* attributes.cu: print the attributes of kernels with many, few and spilled registers, and the
 * errors of invalid arguments. Columns: KERNEL REGISTERS SHARED LOCAL MOST-THREADS BLOCKS-OF-1024
 * BLOCKS-OF-256 BEST. */
#include <cstdio>

enum { VALUES = 40 };

static __device__ void turn(float *out, const float *in, int n)
{
    float values[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        values[i] = in[i * n + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        out[(VALUES - 1 - i) * n + threadIdx.x] = values[i] * values[(i + 7) % VALUES];
}

__global__ void many(float *out, const float *in, int n)
{
    turn(out, in, n);
}

__global__ void __launch_bounds__(1024, 2) spilled(float *out, const float *in, int n)
{
    turn(out, in, n);
}

__global__ void few(float *out, const float *in, int n)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x] * n;
}

typedef void kernel(float *, const float *, int);

static int show(const char *name, kernel *function)
{
    cudaFuncAttributes a;
    int large = -1, small = -1, grid = -1, best = -1;
    int error = cudaFuncGetAttributes(&a, function);
    error |= cudaOccupancyMaxActiveBlocksPerMultiprocessor(&large, function, 1024, 0);
    error |= cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, function, 256, 0);
    error |= cudaOccupancyMaxPotentialBlockSize(&grid, &best, function, 0, 0);
    printf("%s %d %zu %zu %d %d %d %d\n", name, a.numRegs, a.sharedSizeBytes, a.localSizeBytes,
           a.maxThreadsPerBlock, large, small, best);
    return error;
}

int main()
{
    int blocks = -1;
    cudaFuncAttributes a;
    int error = show("many", many) | show("spilled", spilled) | show("few", few);
    printf("errors %d %d %d %d\n", error, cudaFuncGetAttributes(NULL, many),
           cudaFuncGetAttributes(&a, &blocks),
           cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many, 0, 0));
    return 0;
}
