/* rounds.cuh: time several kernels alternately, for forms.cu and orders.cu. peers.cu uses parts of
 * this file. In each round, every kernel is launched once. A memset and a read sweep flush the L2
 * before each launch. The result is the median of ROUNDS launches. */
#ifndef ROUNDS_CUH
#define ROUNDS_CUH

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

enum { ROUNDS = 31 };
static const size_t FLUSH_BYTES = 256 << 20;

static void try_cuda(int error, const char *what)
{
    if (error) {
        fprintf(stderr, "%s failed: error %d\n", what, error);
        exit(2);
    }
}
#define TRY(call) try_cuda((int)(call), #call)

static __host__ __device__ float value(size_t i)
{
    return (float)((unsigned)(i * 2654435761u) >> 8); /* 24 bits, which a float represents exactly */
}

#define EACH(i, count)                                                                             \
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (count); i += (size_t)gridDim.x * blockDim.x)

__global__ void make(float *data, size_t count)
{
    EACH(i, count)
        data[i] = value(i);
}

__global__ void sweep(const float4 *data, size_t count, float *sink)
{
    float sum = 0;
    EACH(i, count)
        sum += data[i].x + data[i].w;
    if (sum == 12345.0f)
        *sink = sum;
}

struct times {
    double us, best;
};

static inline std::vector<times> measure_rounds(const std::vector<std::function<void()>> &launches)
{
    std::vector<std::vector<double>> us(launches.size());
    std::vector<times> result;
    cudaEvent_t begin, end;
    float *flush, ms;
    TRY(cudaMalloc(&flush, FLUSH_BYTES));
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < launches.size(); i++) {
            TRY(cudaMemsetAsync(flush, 0, FLUSH_BYTES));
            sweep<<<1024, 256>>>((float4 *)flush, FLUSH_BYTES / 16, flush);
            TRY(cudaEventRecord(begin));
            launches[i]();
            TRY(cudaEventRecord(end));
            TRY(cudaEventSynchronize(end));
            TRY(cudaEventElapsedTime(&ms, begin, end));
            us[i].push_back(1e3 * ms);
        }
    TRY(cudaEventDestroy(begin));
    TRY(cudaEventDestroy(end));
    TRY(cudaFree(flush));
    for (std::vector<double> &all : us) {
        std::sort(all.begin(), all.end());
        result.push_back({all[ROUNDS / 2], all[0]});
    }
    return result;
}

#endif
