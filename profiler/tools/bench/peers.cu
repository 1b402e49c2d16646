/* peers.cu: peers cublas|memcpy N: run a library's transpose of an N x N matrix of floats, for tlab
 * profile. peers.sh runs it. Each function is called several times; the L2 is flushed before each
 * call. The result of cuBLAS is verified. cuBLAS uses column-major matrices: a row-major matrix of
 * `rows` x `cols` is a column-major matrix of cols x rows, with the leading dimension `cols`. The
 * transpose has the leading dimension `rows`.
 *
 * cudaMemcpy launches no kernel and has no counters. This program times it and prints its CSV
 * row. */
#include "rounds.cuh"

#include <cstring>
#include <cublas_v2.h>

enum { LAUNCHES = 11 };

__global__ void check(const float *out, const float *in, int n, int *wrong)
{
    EACH(i, (size_t)n * n)
        if (out[i] != in[i % n * n + i / n])
            atomicAdd(wrong, 1);
}

int main(int argc, char **argv)
{
    const int n = argc == 3 ? atoi(argv[2]) : 0;
    const bool copies = argc == 3 && !strcmp(argv[1], "memcpy");
    if (n < 1 || (!copies && strcmp(argv[1], "cublas"))) {
        fprintf(stderr, "usage: peers cublas|memcpy N\n");
        return 2;
    }
    const size_t count = (size_t)n * n;
    const float one = 1, zero = 0;
    float *in, *out, *flush, us[LAUNCHES];
    int *wrong;
    cublasHandle_t handle;
    cudaEvent_t begin, end;
    TRY(cudaMalloc(&in, count * 4));
    TRY(cudaMalloc(&out, count * 4));
    TRY(cudaMalloc(&flush, FLUSH_BYTES));
    TRY(cudaMallocManaged(&wrong, sizeof *wrong));
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    TRY(cublasCreate(&handle));
    make<<<1024, 256>>>(in, count);
    for (int i = 0; i < LAUNCHES; i++) {
        TRY(cudaMemsetAsync(flush, 0, FLUSH_BYTES));
        sweep<<<1024, 256>>>((float4 *)flush, FLUSH_BYTES / 16, flush);
        TRY(cudaEventRecord(begin));
        if (copies)
            TRY(cudaMemcpyAsync(out, in, count * 4, cudaMemcpyDeviceToDevice));
        else
            TRY(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, in, n, &zero, out, n, out, n));
        TRY(cudaEventRecord(end));
        TRY(cudaEventSynchronize(end));
        TRY(cudaEventElapsedTime(&us[i], begin, end));
    }
    *wrong = 0;
    if (!copies)
        check<<<1024, 256>>>(out, in, n, wrong);
    TRY(cudaDeviceSynchronize());
    if (*wrong) {
        fprintf(stderr, "peers: the result of cuBLAS has %d incorrect elements\n", *wrong);
        return 1;
    }
    std::sort(us, us + LAUNCHES);
    if (copies)
        printf("kernel,time_us,repeats,status,source\ncudaMemcpy,%.3f,%d,ok,cupti\n", 1e3 * us[LAUNCHES / 2], LAUNCHES);
    return 0;
}
