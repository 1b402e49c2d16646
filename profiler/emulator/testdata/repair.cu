// repair.cu: kernels with one mistake, at a barrier or in the launch (repair_*), correct kernels
// (right_*), and kernels with another mistake (wrong_*). repair_test.c runs the kernels of repair.ptx,
// which is made from this file by
//   nvcc -ptx -arch=compute_80 -lineinfo repair.cu
// (its .file lines then lose their directories), in a block of n threads, and expects
// out[t] = in[n - 1 - t]. Kernels with a loop over tiles process three tiles of n elements.
#define KERNEL(name) extern "C" __global__ void name(int *out, const int *in, int n)
#define T ((int)threadIdx.x)

enum { TILES = 3, MOST = 1024 };

KERNEL(repair_missing)
{
    __shared__ int box[MOST];
    box[T] = in[T];
    out[T] = box[n - 1 - T];
}

KERNEL(repair_missing_fence)
{
    __shared__ int box[MOST];
    box[T] = in[T];
    __threadfence_block();
    __syncwarp();
    out[T] = box[n - 1 - T];
}

// The second half of the threads stores nothing, so these threads reach the load at once.
KERNEL(repair_missing_guarded)
{
    __shared__ int box[MOST];
    if (T < n / 2)
        for (int i = T; i < n; i += n / 2)
            box[i] = in[i];
    out[T] = box[n - 1 - T];
}

KERNEL(repair_loop_begin)
{
    __shared__ int box[MOST];
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        box[T] = in[T + i * n];
        out[T + i * n] = box[n - 1 - T];
        __syncthreads();
    }
}

KERNEL(repair_loop_end)
{
    __shared__ int box[MOST];
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        box[T] = in[T + i * n];
        __syncthreads();
        out[T + i * n] = box[n - 1 - T];
    }
}

KERNEL(repair_loop_both)
{
    __shared__ int box[MOST];
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        box[T] = in[T + i * n];
        out[T + i * n] = box[n - 1 - T];
    }
}

// Only one half of the block processes the second of the three tiles, so the other half is ahead.
KERNEL(repair_loop_guarded)
{
    __shared__ int box[MOST];
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        box[T] = in[T + i * n];
        __syncthreads();
        if (i != 1 || T < n / 2)
            out[T + i * n] = box[n - 1 - T];
        if (i == 1 && T < n / 2)
            out[n - 1 - T + i * n] = box[T];
    }
}

KERNEL(repair_in_if)
{
    __shared__ int box[MOST];
    if (T != 5) {
        box[T] = in[T];
        __syncthreads();
    } else {
        box[T] = in[T];
    }
    out[T] = box[n - 1 - T];
}

// Every thread passes a barrier, but odd and even threads pass different barriers.
KERNEL(repair_in_both)
{
    __shared__ int box[MOST];
    if (T % 2) {
        box[T] = in[T];
        asm volatile("bar.sync 0;" ::: "memory");
        out[T] = box[n - 1 - T];
    } else {
        box[T] = in[T] + 0 * n;
        asm volatile("bar.sync 0;" ::: "memory");
        out[T] = box[n - 1 - T] + 0 * n;
    }
}

KERNEL(repair_around)
{
    __shared__ int box[MOST];
    box[T] = in[T];
    if (T >= 3)
        __syncthreads();
    out[T] = box[n - 1 - T];
}

// In a loop, the barrier is inside a guard that one thread does not pass.
KERNEL(repair_loop_in_if)
{
    __shared__ int box[MOST];
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        if (T < n - 1) {
            box[T] = in[T + i * n];
            __syncthreads();
        } else {
            box[T] = in[T + i * n];
        }
        out[T + i * n] = box[n - 1 - T];
        __syncthreads();
    }
}

// A thread does some work and returns before the barrier.
KERNEL(repair_early_return)
{
    __shared__ int box[MOST];
    box[T] = in[T];
    if (T == 7) {
        out[T] = in[n - 1 - T];
        return;
    }
    __syncthreads();
    out[T] = box[n - 1 - T];
}

KERNEL(repair_reduction)
{
    __shared__ int box[MOST];
    box[T] = in[T];
    for (int half = n / 2; half; half /= 2)
        if (T < half)
            box[T] += box[T + half];
    if (T == 0)
        out[0] = box[0];
}

KERNEL(repair_histogram)
{
    __shared__ int count[32];
    if (T < 32)
        count[31 - T] = 0;
    atomicAdd(&count[in[T] & 31], 1);
    if (T < 32)
        out[T] = count[T];
}

// Access shared memory through a generic address, because a function has a pointer parameter.
__device__ __noinline__ void put(int *to, int value)
{
    *to = value;
}
KERNEL(repair_generic)
{
    __shared__ int box[MOST];
    put(&box[T], in[T]);
    int v = box[n - 1 - T];
    put(&out[T], v);
}

KERNEL(repair_async)
{
    __shared__ int box[MOST];
    asm volatile("{ .reg .u64 g; .reg .u32 s; .reg .u64 w; cvta.to.global.u64 g, %0; "
                 "cvta.to.shared.u64 w, %1; cvt.u32.u64 s, w; cp.async.ca.shared.global [s], [g], 4; "
                 "cp.async.wait_all; }" ::"l"(in + T),
                 "l"(box + T)
                 : "memory");
    out[T] = box[n - 1 - T];
}

// Dynamic shared memory, which the launch does not request.
extern __shared__ int dynamic[];
KERNEL(repair_dynamic)
{
    dynamic[T] = in[T];
    __syncthreads();
    out[T] = dynamic[n - 1 - T];
}

KERNEL(right_loop)
{
    __shared__ int box[MOST];
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        box[T] = in[T + i * n];
        __syncthreads();
        out[T + i * n] = box[n - 1 - T];
        __syncthreads();
    }
}

KERNEL(right_named)
{
    __shared__ int box[MOST];
    if (T < n / 2) {
        box[T] = in[T];
        box[T + n / 2] = in[T + n / 2];
        asm volatile("bar.arrive 1, %0;" ::"r"(n) : "memory");
    } else {
        asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory");
        out[T] = box[n - 1 - T];
        out[T - n / 2] = box[n - 1 - (T - n / 2)];
    }
}

KERNEL(wrong_index)
{
    __shared__ int box[MOST];
    box[T] = in[T];
    out[T] = box[T];
}

KERNEL(wrong_half)
{
    __shared__ int box[MOST];
    if (T < n / 2)
        box[T] = in[T];
    out[T] = box[n - 1 - T];
}

// No barrier can repair this kernel: each thread overwrites its own element before another thread reads it.
KERNEL(wrong_overwritten)
{
    __shared__ int box[MOST];
    box[T] = in[T];
    box[T] = in[T] + 1;
    out[T] = box[n - 1 - T];
}

// One half of the threads executes __syncthreads() and never arrives at the barrier of the other half.
KERNEL(repair_named)
{
    __shared__ int box[MOST];
    if (T < n / 2) {
        __syncthreads();
        box[T] = in[T];
        box[T + n / 2] = in[T + n / 2];
    } else {
        asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory");
        out[T] = box[n - 1 - T];
        out[T - n / 2] = box[n - 1 - (T - n / 2)];
    }
}
