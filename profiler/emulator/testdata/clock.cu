/* clock.cu: measure latencies of a GPU by %clock64. Prints a table `name,cycles` of an instruction and of
 * loads, each of which depends on the previous instruction or load, and of a barrier. The values are
 * medians of several launches of one block. clock_h200.csv is the output on an H200 of:
 *     nvcc -arch=native -o clock clock.cu && ./clock
 * Under `tlab exec`, the program prints the cycles of the emulator's clock (sinks/clock.c).
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>

enum { LINKS = 256, RUNS = 9, LINE = 128 };

// Each link is the address of the next link. Only the last round is measured; the first of two rounds warms the caches.
template <bool L1>
__global__ void chase(unsigned long long first, int rounds, unsigned *out)
{
    unsigned long long at = first;
    long long start = 0;
    for (int round = 0; round < rounds; round++) {
        start = clock64();
#pragma unroll
        for (int i = 0; i < LINKS; i++)
            if (L1)
                asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at));
            else
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
    }
    out[0] = (unsigned)(clock64() - start) + (at == 1);
}

__global__ void chase_shared(unsigned long long, int, unsigned *out)
{
    __shared__ unsigned line[LINKS];
    unsigned base = (unsigned)__cvta_generic_to_shared(line), at = base;
    for (int i = 0; i < LINKS; i++)
        line[i] = base + (i + 1) % LINKS * (unsigned)sizeof(unsigned);
    __syncthreads();
    long long start = clock64();
#pragma unroll
    for (int i = 0; i < LINKS; i++)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
    out[0] = (unsigned)(clock64() - start) + (at == 1);
}

__global__ void multiply(unsigned long long first, int rounds, unsigned *out)
{
    float value = first, by = rounds;
    long long start = clock64();
#pragma unroll
    for (int i = 0; i < LINKS; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(value) : "f"(by));
    out[0] = (unsigned)(clock64() - start) + (value == 1234567);
}

__global__ void barrier(unsigned long long, int, unsigned *out)
{
    __syncthreads();
    long long start = clock64();
#pragma unroll
    for (int i = 0; i < LINKS; i++)
        __syncthreads();
    if (threadIdx.x == 0)
        out[0] = (unsigned)(clock64() - start);
}

typedef void kernel(unsigned long long first, int rounds, unsigned *out);

// Measure links at distances of `step` bytes, which is a multiple of 8.
static void measure(const char *name, kernel *run, int threads, size_t step, int rounds)
{
    const size_t bytes = LINKS * step, flushed = 256 << 20;
    char *links, *host = (char *)calloc(LINKS, step), *flush;
    unsigned *out, cycles[RUNS];
    cudaMalloc(&links, bytes);
    cudaMalloc(&out, sizeof *out);
    cudaMalloc(&flush, flushed);
    for (size_t i = 0; i < LINKS; i++)
        *(char **)(host + i * step) = links + (i + 1) % LINKS * step;
    cudaMemcpy(links, host, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < RUNS; i++) {
        if (rounds == 1)
            cudaMemset(flush, i, flushed); // nothing is left in the L2
        run<<<1, threads>>>((unsigned long long)links, rounds, out);
        cudaMemcpy(&cycles[i], out, sizeof *out, cudaMemcpyDeviceToHost);
    }
    std::sort(cycles, cycles + RUNS);
    printf("%s,%.1f\n", name, (double)cycles[RUNS / 2] / LINKS);
    cudaFree(links);
    cudaFree(out);
    cudaFree(flush);
    free(host);
}

int main()
{
    puts("name,cycles");
    measure("fma", multiply, 1, LINE, 1);
    measure("shared", chase_shared, 1, LINE, 1);
    measure("l1", chase<true>, 1, LINE, 2);
    measure("l2", chase<false>, 1, LINE, 2);
    measure("dram", chase<false>, 1, 4096 + LINE, 1);
    measure("barrier_1", barrier, 32, LINE, 1);
    measure("barrier_4", barrier, 128, LINE, 1);
    measure("barrier_8", barrier, 256, LINE, 1);
    measure("barrier_16", barrier, 512, LINE, 1);
    measure("barrier_32", barrier, 1024, LINE, 1);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
