#include "linked.h"

__device__ int launches = 5;
__constant__ float table[4];
static __device__ int hidden = 7;

__device__ __noinline__ float scale(float x)
{
    return 3 * x;
}

__global__ void second(float *out)
{
    out[threadIdx.x] += twice<float>(100.f);
    if (threadIdx.x == 2)
        printf("second: %d %s\n", hidden, "");
}

void launch_second(float *out)
{
    second<<<1, 32>>>(out);
}

void fill_table()
{
    float values[4] = {.5f, .25f, .125f, 1.f};
    cudaMemcpyToSymbol(table, values, sizeof values);
}

int read_launches()
{
    int count;
    cudaMemcpyFromSymbol(&count, launches, sizeof count);
    return count;
}
