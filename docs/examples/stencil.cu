// stencil.cu: each element becomes the sum of all elements at most `radius` away. ./stencil [N]
//
// Each thread reads its 2 * radius + 1 elements from global memory, so each element is read by
// 2 * radius + 1 threads.
//
// Exercise: let a block first load its elements and `radius` more elements on both sides into shared
// memory. The column global_load_requests of `tlab exec --csv` decreases to an eighth. The result must
// also stay correct for an N that is not a multiple of the block size. (Without __syncthreads() after
// the loads, `tlab exec` reports a race of two threads.)
#include "check.h"
#include <cmath>
#include <vector>

const int radius = 4, threads = 256;

__global__ void stencil(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int offset = -radius; offset <= radius; offset++)
        if (i + offset >= 0 && i + offset < n)
            sum += in[i + offset];
    out[i] = sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 18;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = static_cast<float>(i % 97);

    float *device_in, *device_out;
    CHECK(cudaMalloc(&device_in, n * sizeof *device_in));
    CHECK(cudaMalloc(&device_out, n * sizeof *device_out));
    CHECK(cudaMemcpy(device_in, in.data(), n * sizeof *device_in, cudaMemcpyHostToDevice));
    float ms = milliseconds([&] { stencil<<<(n + threads - 1) / threads, threads>>>(device_in, device_out, n); });
    CHECK(cudaMemcpy(out.data(), device_out, n * sizeof *device_out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));

    for (int i = 0; i < n; i++) {
        float expected = 0;
        for (int j = i - radius; j <= i + radius; j++)
            expected += j >= 0 && j < n ? in[j] : 0;
        if (out[i] != expected) { // sums of whole numbers are exact
            printf("wrong: element %d is %g, not %g\n", i, out[i], expected);
            return 1;
        }
    }
    printf("right: %d elements in %.4f ms, %.1f GB/s\n", n, ms, 2.0 * n * sizeof(float) / ms / 1e6);
    return 0;
}
