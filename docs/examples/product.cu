// product.cu: the product of two square matrices. ./product [N]
//
// Each thread computes one element of the result from a row and a column in global memory, so each
// element of the matrices is read N times.
//
// Exercise: let a block of 16 x 16 threads load tiles of 16 x 16 elements of both matrices into shared
// memory, one pair after another. global_load_requests of `tlab exec --csv` decreases to a sixteenth. Then
// try an N that is not a multiple of 16: `tlab exec` reports the thread that reads out of bounds.
#include "check.h"
#include <vector>

const int tile = 16;

__global__ void product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 128;
    const size_t bytes = n * n * sizeof(float);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = static_cast<float>(i % 7 - 3);
        b[i] = static_cast<float>(i % 5 - 2);
    }

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
    dim3 block(tile, tile), grid((n + tile - 1) / tile, (n + tile - 1) / tile);
    float ms = milliseconds([&] { product<<<grid, block>>>(device_a, device_b, device_c, n); });
    CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));

    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float expected = 0;
            for (int k = 0; k < n; k++)
                expected += a[row * n + k] * b[k * n + column];
            if (c[row * n + column] != expected) { // sums of whole numbers are exact
                printf("wrong: element (%d, %d) is %g, not %g\n", row, column, c[row * n + column], expected);
                return 1;
            }
        }
    printf("right: %d x %d in %.4f ms, %.1f Gflop/s\n", n, n, ms, 2.0 * n * n * n / ms / 1e6);
    return 0;
}
