// linked_main.cu, linked_other.cu: a program of two objects (nvcc -rdc=true), which share a
// function, variables and a template. Each object also has private names.
#include "linked.h"

extern __device__ float scale(float x);
extern __device__ int launches;
extern __constant__ float table[4];
static __device__ int hidden = 3;

__global__ void first(float *out)
{
    int i = threadIdx.x;
    out[i] = scale(static_cast<float>(i)) + table[i % 4] + twice<float>(1.f);
    atomicAdd(&launches, 1);
    if (i == 3)
        printf("first: %d\n", hidden);
}

int main()
{
    float *device, host[32];
    int nine = 9;
    cudaMalloc(&device, sizeof host);
    fill_table();
    cudaMemcpyToSymbol(hidden, &nine, sizeof nine);
    first<<<1, 32>>>(device);
    launch_second(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g, %d launches: %s\n", host[0], host[31], read_launches(), cudaGetErrorString(cudaGetLastError()));
}
