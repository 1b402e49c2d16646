// kernels.cu: features of the interpreter, one kernel for each. simt_kernels_test.c runs the kernels of
// kernels.ptx, which is made from this file by
//   nvcc -ptx -arch=compute_80 -lineinfo kernels.cu
// (its .file lines then lose their directories), and of kernels_clang.ptx, which clang makes from this file
// with profiler/compile/clang_cuda.h and the options in compile_clang.c. The results are compared with the
// same computation in C. Blocks have 64 threads (two warps) unless the test sets another number.
#include <assert.h>
#include <cuda_fp16.h>
#include <stdio.h>

struct pair {
    int first;
    float values[3];
    double last;
};

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int counter = 5;

extern "C" __global__ void k_nested_branches(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t], r = 0;
    if (v % 2) {
        if (v % 3)
            r = v * 7;
        else
            r = v - 100;
        r += 1;
    } else if (v % 5 == 0) {
        r = -v;
    }
    out[t] = r + n;
}

extern "C" __global__ void k_loops(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int i = 0; i < in[t] % 17; i++) {
        if (i == 5)
            continue;
        for (int j = i; j < n; j += 1 + (t & 3)) {
            if (j > 20 + t % 7)
                break;
            sum += in[j] ^ i;
        }
    }
    out[t] = sum;
}

__device__ __noinline__ int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}
__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void k_recursion(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t] % 2 ? factorial(in[t] % n) : fibonacci(in[t] % n);
}

__device__ __noinline__ float use_pair(pair p, int (*f)(int))
{
    return p.values[p.first] + (float)f(p.first + 3) + (float)p.last;
}

extern "C" __global__ void k_structs(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    pair p;
    p.first = in[t] % 3;
    for (int i = 0; i < 3; i++)
        p.values[i] = (float)(in[t] + i);
    p.last = n;
    out[t] = (int)use_pair(p, in[t] & 1 ? factorial : fibonacci);
}

extern "C" __global__ void k_local_array(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int buffer[40];
    for (int i = 0; i < 40; i++)
        buffer[i] = in[(t + i * n) % 64];
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum = sum * 3 + buffer[(in[t] + table[i]) % 40];
    out[t] = sum;
}

extern "C" __global__ void k_switch(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, r;
    switch (in[t] % 9) {
    case 0: r = n; break;
    case 1: r = in[t] * 3; break;
    case 2: r = in[t] / 3; break;
    case 3: r = in[t] << 3; break;
    case 4: r = ~in[t]; break;
    case 5: r = table[in[t] & 7]; break;
    case 6: r = in[t] - n; break;
    default: r = -1;
    }
    out[t] = r;
}

extern "C" __global__ void k_shuffles(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t];
    int r = __shfl_xor_sync(0xffffffffu, v, 5);
    r = r * 3 + __shfl_down_sync(0xffffffffu, v, 3, 16);
    r = r * 3 + __shfl_up_sync(0xffffffffu, v, 7);
    r = r * 3 + __shfl_sync(0xffffffffu, v, (t * 7) & 31, 8);
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    out[t] = r + v * n;
}

extern "C" __global__ void k_votes(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t];
    unsigned b = __ballot_sync(0xffffffffu, v % 3 == 0);
    int r = __popc(b) + 100 * __any_sync(0xffffffffu, v == 12345) + 1000 * __all_sync(0xffffffffu, v >= 0);
    r += 7 * __popc(__match_any_sync(0xffffffffu, v % 4));
    r += __reduce_max_sync(0xffffffffu, v) - __reduce_min_sync(0xffffffffu, v);
    r ^= (int)__reduce_xor_sync(0xffffffffu, (unsigned)v);
    if (t & 1)
        r += __popc(__activemask()) * n;
    out[t] = r;
}

// Odd and even lanes of a warp reach __syncwarp in different branches, and exchange data in shared memory.
extern "C" __global__ void k_syncwarp(int *out, const int *in, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t];
    if (t & 1) {
        box[t] = v * n;
        __syncwarp();
        v += box[t - 1];
    } else {
        box[t] = v - n;
        __syncwarp();
        v += box[t + 1];
    }
    out[blockIdx.x * blockDim.x + t] = v;
}

extern "C" __global__ void k_barriers(int *out, const int *in, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x;
    box[t] = in[blockIdx.x * blockDim.x + t];
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        int v = t >= d ? box[t - d] : 0;
        __syncthreads();
        box[t] += v;
    }
    int odd = __syncthreads_count(box[t] & 1);
    out[blockIdx.x * blockDim.x + t] = box[t] + odd * n + 10 * __syncthreads_or(t == 70) + __syncthreads_and(t < 64);
}

extern "C" __global__ void k_atomics(int *out, const int *in, int n)
{
    __shared__ int sum, top;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0, top = -1;
    __syncthreads();
    atomicAdd(&sum, in[t]);
    atomicMax(&top, in[t] ^ 21);
    __syncthreads();
    int old = atomicAdd(&out[64], 1);
    atomicMin(&out[65], in[t] - n);
    atomicAdd((float *)&out[66], 0.5f);
    atomicCAS(&out[67], 0, 77);
    atomicExch(&out[68], 5);
    atomicInc((unsigned *)&out[69], 9);
    out[t] = sum + top + (old >= 0);
}

extern "C" __global__ void k_generic(int *out, const int *in, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x;
    int here = in[t] * 2;
    box[t] = in[t] + 1;
    __syncthreads();
    const int *p = t % 3 == 0 ? in + t : t % 3 == 1 ? box + (63 - t) : &here;
    volatile const int *q = p;
    out[t] = *q + n;
}

extern "C" __global__ void k_half(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    __half a = __float2half_rn((float)in[t]), b = __float2half(0.25f);
    __half2 c = __halves2half2(a, b), d = __hfma2(c, c, __float2half2_rn(1.5f));
    out[t] = (int)__half2float(__hadd(__low2half(d), __high2half(d))) + n;
}

extern "C" __global__ void k_double(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    double x = in[t] + 0.125, y = sqrt(x) / 3.0;
    long long q = (long long)(y * 1e6) * n;
    out[t] = (int)(q % 1000003) + (int)floor(-y) + (in[t] / (n + 1)) % 7;
}

extern "C" __global__ void k_bits(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    unsigned v = (unsigned)in[t] * 2654435761u;
    unsigned long long w = (unsigned long long)v * v + (unsigned)n;
    out[t] = (int)(__popc(v) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, (unsigned)n, 0x5210) +
                   __funnelshift_l(v, (unsigned)n, 9) + (unsigned)(w >> 40) + __umulhi(v, v) +
                   ((v >> 5) & 0x3ff));
}

extern "C" __global__ void k_vectors(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    if (t < 16) {
        int4 v = reinterpret_cast<const int4 *>(in)[t];
        int4 w = make_int4(v.w + n, v.z, v.y, v.x);
        reinterpret_cast<int4 *>(out)[15 - t] = w;
    }
}

extern "C" __global__ void k_dynamic_shared(int *out, const int *in, int n)
{
    extern __shared__ int box[];
    __shared__ int fixed[3];
    int t = threadIdx.x;
    if (t < 3)
        fixed[t] = t + n;
    box[63 - t] = in[t];
    __syncthreads();
    out[t] = box[t] + fixed[t % 3];
}

extern "C" __global__ void k_module_data(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    if (t == 0 && blockIdx.x == 0)
        counter += n;
    out[t] = table[in[t] & 7] + (t == 0 ? counter : 0);
}

extern "C" __global__ void k_copy_async(int *out, const int *in, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&box[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(to), "l"(in + t));
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group 0;\n" ::);
    __syncthreads();
    out[t] = box[63 - t] + n;
}

// Blocks pass on a token: block b waits for block b - 1. This works only if resident blocks take turns.
extern "C" __global__ void k_relay(int *out, const int *in, int n)
{
    if (threadIdx.x == 0) {
        volatile int *token = out + 200;
        int next = gridDim.x - 1 - blockIdx.x; /* the last block goes first */
        while (*token != next)
            ;
        out[blockIdx.x] = in[next] + n;
        __threadfence();
        *token = next + 1;
    }
}

extern "C" __global__ void k_printf(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    if (t % 32 == 1)
        printf("thread %d: %5.2f|%-4x|%s|%lld|%c%%\n", t, 1.5 * n, in[1], "text", 1ll << 40, 'z');
    out[t] = n;
}

extern "C" __global__ void k_assert(int *out, const int *in, int n)
{
    assert(in[threadIdx.x] < n);
    out[threadIdx.x] = 1;
}

extern "C" __global__ void k_partial_barrier(int *out, const int *in, int n)
{
    if (threadIdx.x < 32)
        __syncthreads(); // by one warp of two
    out[threadIdx.x] = in[threadIdx.x] + n;
}

extern "C" __global__ void k_divergent_barrier(int *out, const int *in, int n)
{
    if (threadIdx.x % 2)
        __syncthreads(); // by every other thread
    out[threadIdx.x] = in[threadIdx.x] + n;
}

extern "C" __global__ void k_early_return(int *out, const int *in, int n)
{
    __shared__ int box[64];
    if ((int)threadIdx.x >= n)
        return;
    box[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = box[n - 1 - threadIdx.x];
}

extern "C" __global__ void k_endless(int *out, const int *in, int n)
{
    for (int i = 0; i < 1 + in[0] * 0 + n; i += 0) *(volatile int *)&out[threadIdx.x] = i;
}

extern "C" __global__ void k_out_of_bounds(int *out, const int *in, int n)
{
    out[threadIdx.x + n] = in[threadIdx.x];
}

extern "C" __global__ void k_misaligned(int *out, const int *in, int n)
{
    out[threadIdx.x] = *(const int *)((const char *)in + 4 * threadIdx.x + n);
}

extern "C" __global__ void k_clock(int *out, const int *in, int n)
{
    long long a = clock64();
    int v = in[threadIdx.x] * n;
    __syncthreads();
    long long b = clock64();
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    out[threadIdx.x] = (b > a) + 10 * (sm < 132) + 0 * v;
}

// The result is not an associative sum or product of the calls, so no compiler makes a loop of them.
__device__ __noinline__ int deep(const int *in, int n)
{
    return n == 0 ? 1 : (deep(in, n - 1) * 3) ^ in[n & 63];
}

extern "C" __global__ void k_overflow(int *out, const int *in, int n)
{
    out[threadIdx.x] = deep(in, n);
}

// Threads return early, before a loop with barriers and the code after the loop. Tiled kernels for any
// size have this form if threads outside the matrix return first.
extern "C" __global__ void k_early_return_loop(int *out, const int *in, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x, sum = 0;
    if (t >= n)
        return;
    for (int i = 0; i < 3 + (n & 3); i++) {
        box[t] = in[t] + i;
        __syncthreads();
        sum = sum * 3 + box[n - 1 - t];
        __syncthreads();
    }
    out[t] = sum;
}

// A spin lock that all lanes of a warp acquire: the lane with the lock must continue while others spin.
extern "C" __global__ void k_spin_lock(int *out, const int *in, int n)
{
    int *lock = out + 100, *sum = out + 101;
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *(volatile int *)sum = *(volatile int *)sum + in[threadIdx.x] + n;
    __threadfence();
    atomicExch(lock, 0);
    out[threadIdx.x] = 1;
}

// Tiles of 16 lanes, each with its own member mask, as cooperative groups make them.
extern "C" __global__ void k_half_warps(int *out, const int *in, int n)
{
    int t = threadIdx.x, v = in[t];
    unsigned members = 0xffffu << (t & 16);
    unsigned odd = __ballot_sync(members, v & 1);
    int r = __popc(odd) + 100 * __any_sync(members, v % 16 == 3) + 1000 * __all_sync(members, v > n);
    r += 7 * __popc(__match_any_sync(members, v % 3)) + __reduce_add_sync(members, v);
    out[t] = r + __shfl_xor_sync(members, v, 8);
}

extern "C" __global__ void k_shape(int *out, const int *in, int n)
{
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] =
        threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z + n;
}

extern "C" __global__ void k_atomics_wide(int *out, const int *in, int n)
{
    unsigned long long *wide = (unsigned long long *)(out + 64);
    int t = threadIdx.x;
    atomicAdd(&wide[0], 1ull << 33);
    atomicMax(&wide[1], (unsigned long long)(in[t] + n) << 32);
    atomicCAS(&wide[2], 0ull, 123456789012345ull);
    atomicAdd((double *)&wide[3], 0.25);
    __shared__ unsigned long long box;
    if (t == 0)
        box = 5;
    __syncthreads();
    atomicXor(&box, 1ull << t);
    __syncthreads();
    out[t] = (int)(box >> 32) ^ (int)box;
}

// A copy that no thread waits for: the data may not have arrived, even after a barrier.
extern "C" __global__ void k_copy_async_no_wait(int *out, const int *in, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x;
    box[t] = n;
    unsigned to = (unsigned)__cvta_generic_to_shared(&box[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(to), "l"(in + t));
    asm volatile("cp.async.commit_group;\n" ::);
    __syncthreads();
    out[t] = *(volatile int *)&box[t];
}

// n x n matrices, tiles of 32 x 32, blocks of 32 x 8.
extern "C" __global__ void k_transpose_naive(int *out, const int *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        out[x * n + y + i] = in[(y + i) * n + x];
}

template <int PITCH>
__device__ __forceinline__ void transpose_tile(int *out, const int *in, int n)
{
    __shared__ int tile[32][PITCH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" __global__ void k_transpose_tiled(int *out, const int *in, int n)
{
    transpose_tile<32>(out, in, n);
}

extern "C" __global__ void k_transpose_padded(int *out, const int *in, int n)
{
    transpose_tile<33>(out, in, n);
}
