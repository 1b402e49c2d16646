// A whole program with host code, which NVRTC does not compile.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void scale(float *data, float factor)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

int main()
{
    float *data = NULL;
    cudaError_t error = cudaMalloc(&data, 1024 * sizeof(float));
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return EXIT_FAILURE;
    }
    scale<<<dim3(4), 256>>>(data, 2.0f);
    cudaDeviceSynchronize();
    cudaFree(data);
    return 0;
}
