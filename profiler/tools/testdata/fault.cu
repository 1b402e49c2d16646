// fault.cu: a program that reports every CUDA error, for fault_test.sh.
#include <cstdio>
#include <cstdlib>

#define TRY(call)                                                    \
    do {                                                             \
        cudaError_t error = (call);                                  \
        if (error != cudaSuccess) {                                  \
            printf("%s: %s\n", #call, cudaGetErrorString(error));    \
            exit(3);                                                 \
        }                                                            \
    } while (0)

__global__ void add(unsigned *sum, const unsigned *values, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(sum, values[i]);
}

int main()
{
    enum { COUNT = 1000 };
    unsigned host[COUNT], result, *values, *sum;
    cudaStream_t stream;
    cudaEvent_t done;
    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    TRY(cudaMalloc(&values, sizeof host));
    TRY(cudaMalloc(&sum, sizeof result));
    TRY(cudaStreamCreate(&stream));
    TRY(cudaEventCreate(&done));
    TRY(cudaMemcpyAsync(values, host, sizeof host, cudaMemcpyHostToDevice, stream));
    TRY(cudaMemsetAsync(sum, 0, sizeof result, stream));
    add<<<(COUNT + 255) / 256, 256, 0, stream>>>(sum, values, COUNT);
    TRY(cudaGetLastError());
    TRY(cudaEventRecord(done, stream));
    TRY(cudaEventSynchronize(done));
    TRY(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost));
    TRY(cudaFree(values));
    TRY(cudaFree(sum));
    printf("sum %u\n", result);
    return 0;
}
