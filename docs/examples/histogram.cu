// histogram.cu: count how often each byte value occurs. ./histogram [BYTES]
//
// Each thread adds to a counter in global memory. Many threads wait for the same few counters.
//
// Exercise: give each block its own histogram in shared memory, and add it to the global histogram at the
// end of the block. The time decreases by a third. (Then remove one __syncthreads between clearing, counting
// and adding: `tlab exec` reports the threads that race.)
#include "check.h"
#include <cstring>
#include <vector>

const int bins = 256, threads = 256;

__global__ void histogram(const unsigned char *data, unsigned *counts, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[data[i]], 1);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 18, blocks = 64;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> expected(bins), counts(bins);
    for (int i = 0; i < n; i++) {
        data[i] = (unsigned char)((i * 2654435761u >> 24) & (i * 40503u >> 8)); // small values are frequent
        expected[data[i]]++;
    }

    unsigned char *device_data;
    unsigned *device_counts;
    CHECK(cudaMalloc(&device_data, n));
    CHECK(cudaMalloc(&device_counts, bins * sizeof *device_counts));
    CHECK(cudaMemcpy(device_data, data.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_counts, 0, bins * sizeof *device_counts));
    float ms = milliseconds([&] { histogram<<<blocks, threads>>>(device_data, device_counts, n); });
    CHECK(cudaMemcpy(counts.data(), device_counts, bins * sizeof *device_counts, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_data));
    CHECK(cudaFree(device_counts));

    for (int i = 0; i < bins; i++)
        if (counts[i] != 2 * expected[i]) { // milliseconds() launches the kernel twice
            printf("wrong: value %d occurs %u times, not %u\n", i, counts[i] / 2, expected[i]);
            return 1;
        }
    printf("right: %d bytes in %.4f ms, %.1f GB/s\n", n, ms, n / ms / 1e6);
    return 0;
}
