// checks.cu: kernels with a race or a read of an uninitialized value (bad_*), and correct kernels that look
// like them (good_*). check_test.c runs the kernels of checks.ptx. It is made from this file by
//   nvcc -ptx -arch=compute_80 -lineinfo checks.cu
// and then its .file lines lose their directories. A comment `// NAME 1` marks the line that a
// message must begin with, `// NAME 2` the line of the other access. Blocks have 64 threads (two
// warps) unless the test sets another number.
#include <cuda_pipeline.h>

#define KERNEL(name) extern "C" __global__ void name(int *out, const int *in, int n)
#define T ((int)threadIdx.x)

// ---- races through shared memory ----------------------------------------------------------------

KERNEL(bad_no_barrier)
{
    __shared__ int tile[4][16];
    tile[T / 16][T % 16] = in[T]; // bad_no_barrier 1
    out[T] = tile[3 - T / 16][T % 16]; // bad_no_barrier 2
}

KERNEL(bad_loop_end)
{
    __shared__ int box[64];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        box[T] = in[T] + i; // bad_loop_end 1
        __syncthreads();
        sum += box[63 - T]; // bad_loop_end 2
    }
    out[T] = sum;
}

KERNEL(bad_warp)
{
    __shared__ int box[64];
    box[T] = in[T]; // bad_warp 2
    out[T] = box[T ^ 1]; // bad_warp 1
}

// This kernel is correct only if the lanes of a warp run in step, but nothing makes them run in step.
KERNEL(bad_shift)
{
    __shared__ int box[65];
    box[T] = in[T];
    if (T == 0)
        box[64] = 0;
    __syncthreads();
    int next = box[T + 1]; // bad_shift 2
    if (T % 32 != 31)
        box[T] = next; // bad_shift 1
    __syncthreads();
    out[T] = box[T];
}

KERNEL(bad_shuffle)
{
    __shared__ int box[64];
    int v = in[T];
    box[T] = v; // bad_shuffle 2
    v = __shfl_xor_sync(0xffffffffu, v, 1);
    out[T] = v + box[T ^ 2]; // bad_shuffle 1
}

KERNEL(bad_same_place)
{
    __shared__ int box[32];
    box[T / 2] = in[T] + T; // bad_same_place 1
    __syncthreads();
    out[T] = box[T / 2];
}

KERNEL(bad_two_warps_store)
{
    __shared__ int box[32];
    box[T % 32] = T; // bad_two_warps_store 1
    __syncthreads();
    out[T] = box[T % 32];
}

KERNEL(bad_broadcast)
{
    __shared__ int box;
    if (T == 0)
        box = n;
    __syncthreads();
    int v = box; // bad_broadcast 2
    if (T == 31)
        box = v + 1; // bad_broadcast 1
    __syncthreads();
    out[T] = v + box;
}

KERNEL(bad_zeroing)
{
    __shared__ int count[64];
    count[63 - T] = 0; // bad_zeroing 1
    atomicAdd(&count[in[T] & 31], 1); // bad_zeroing 2
    __syncthreads();
    out[T] = count[T];
}

KERNEL(bad_bytes)
{
    __shared__ unsigned char box[64];
    box[T] = (unsigned char)in[T]; // bad_bytes 1
    out[T] = box[63 - T]; // bad_bytes 2
}

KERNEL(bad_vector)
{
    __shared__ int4 box[64];
    box[T] = make_int4(in[T], T, n, 0); // bad_vector 1
    out[T] = ((int *)box)[255 - T]; // bad_vector 2
}

KERNEL(bad_async)
{
    __shared__ int box[64];
    __pipeline_memcpy_async(&box[T], &in[T], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0); // bad_async 1
    out[T] = box[63 - T];     // bad_async 2
}

// The fence orders the accesses of one thread, but the two warps that exchange data do not synchronize.
KERNEL(bad_fence)
{
    __shared__ int box[64];
    box[T] = in[T]; // bad_fence 1
    __threadfence_block();
    out[T] = box[63 - T]; // bad_fence 2
}

// ---- undefined values ---------------------------------------------------------------------------

KERNEL(bad_undefined)
{
    __shared__ int tile[64];
    if (T != 5)
        tile[T] = in[T];
    __syncthreads();
    out[T] = tile[63 - T] * 2; // bad_undefined 1
}

KERNEL(bad_undefined_condition)
{
    __shared__ int box[64];
    int v = box[T]; // bad_undefined_condition 1
    if (v > n)
        out[T] = in[T];
}

KERNEL(bad_undefined_atomic)
{
    __shared__ int count[32];
    atomicAdd(&count[in[T] & 31], 1); // bad_undefined_atomic 1
    __syncthreads();
    out[T] = count[T & 31];
}

KERNEL(bad_undefined_index)
{
    __shared__ int box[64];
    out[T] = in[box[T]]; // bad_undefined_index 1
}

KERNEL(bad_undefined_global)
{
    out[T] += in[T]; // bad_undefined_global 1
}

KERNEL(bad_wait)
{
    __shared__ int box[64];
    __pipeline_memcpy_async(&box[T], &in[T], 4);
    __pipeline_commit();
    __syncthreads();
    out[T] = box[63 - T]; // bad_wait 1
}

// ---- races through global memory ----------------------------------------------------------------

KERNEL(bad_blocks_store)
{
    out[T] = (int)blockIdx.x; // bad_blocks_store 1
}

KERNEL(bad_blocks_read)
{
    int v = out[T + 64 * ((blockIdx.x + 1) % gridDim.x)]; // bad_blocks_read 2
    out[T + 64 * blockIdx.x] = v + n; // bad_blocks_read 1
}

KERNEL(bad_blocks_read_after)
{
    if (blockIdx.x == 0)
        out[T] = in[T]; // bad_blocks_read_after 2
    else
        out[T + 64] = out[T] + n; // bad_blocks_read_after 1
}

KERNEL(bad_reverse_in_place)
{
    int v = out[63 - T]; // bad_reverse_in_place 2
    out[T] = v;          // bad_reverse_in_place 1
}

// ---- none of these --------------------------------------------------------------------------------

KERNEL(good_two_buffers)
{
    __shared__ int box[2][64];
    int sum = 0;
    for (int i = 0; i < n; i++) {
        box[i & 1][T] = in[T] + i;
        __syncthreads();
        sum += box[i & 1][63 - T];
    }
    out[T] = sum;
}

KERNEL(good_async_two_buffers)
{
    __shared__ int box[2][64];
    int sum = 0;
    __pipeline_memcpy_async(&box[0][T], &in[T], 4);
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (i + 1 < n) {
            __pipeline_memcpy_async(&box[(i + 1) & 1][T], &in[T], 4);
            __pipeline_commit();
        }
        sum += box[i & 1][63 - T];
    }
    out[T] = sum;
}

KERNEL(good_tree)
{
    __shared__ int box[64];
    box[T] = in[T];
    for (int half = 32; half; half /= 2) {
        __syncthreads();
        if (T < half)
            box[T] += box[T + half];
    }
    if (T == 0)
        out[0] = box[0];
}

KERNEL(good_warp_tree)
{
    __shared__ int box[64];
    int lane = T % 32, *mine = box + (T - lane);
    mine[lane] = in[T];
    __syncwarp();
    for (int half = 16; half; half /= 2) {
        int v = lane < half ? mine[lane + half] : 0;
        __syncwarp();
        mine[lane] += v;
        __syncwarp();
    }
    out[T] = mine[0];
}

KERNEL(bad_volatile_warp)
{
    __shared__ int box[64];
    volatile int *mine = box;
    mine[T] = in[T];
    __syncthreads();
    if (T < 32)
        for (int half = 32; half; half /= 2)
            mine[T] += mine[T + half & 63]; // bad_volatile_warp 1, // bad_volatile_warp 2
    out[T] = T < 32 ? mine[T] : 0;
}

KERNEL(good_shuffles)
{
    __shared__ int sums[2];
    int v = in[T];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (T % 32 == 0)
        sums[T / 32] = v;
    __syncthreads();
    if (T < 32) {
        v = T < 2 ? sums[T] : 0;
        v += __shfl_down_sync(0xffffffffu, v, 1);
        if (T == 0)
            out[0] = v;
    }
}

KERNEL(good_histogram)
{
    __shared__ int count[32];
    if (T < 32)
        count[T] = 0;
    __syncthreads();
    atomicAdd(&count[in[T] & 31], 1);
    __syncthreads();
    if (T < 32)
        out[T] = count[T];
}

KERNEL(good_same_value)
{
    __shared__ int flag;
    flag = n;
    __syncthreads();
    out[T] = flag;
}

KERNEL(good_bytes)
{
    __shared__ unsigned char box[64];
    box[T] = (unsigned char)in[T];
    __syncthreads();
    out[T] = box[63 - T];
}

KERNEL(good_vector)
{
    __shared__ int4 box[64];
    box[T] = make_int4(in[T], T, n, 0);
    __syncthreads();
    out[T] = ((int *)box)[255 - T];
}

// Two warps pass the array `box` to each other and back, by named barriers (PTX ISA, "barrier").
KERNEL(good_named_barriers)
{
    __shared__ int box[32];
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (T < 32) {
            if (i)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            box[T] = in[T] + i;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += box[63 - T];
            if (i + 1 < n)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    out[T] = sum;
}

// One warp waits for a flag that the other warp sets.
KERNEL(good_flag)
{
    __shared__ int box[32], flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (T < 32) {
        box[T] = in[T];
        __threadfence_block();
        __syncwarp();
        if (T == 0)
            *(volatile int *)&flag = 1;
    } else {
        while (!*(volatile int *)&flag)
            ;
        __threadfence_block();
        out[T] = box[63 - T];
    }
}

// Reads elements of the tile that were not written, but does not use their values.
KERNEL(good_unused)
{
    __shared__ int box[64];
    if (T < n)
        box[T] = in[T];
    __syncthreads();
    int v = *(volatile int *)&box[63 - T];
    int4 w = ((int4 *)box)[T / 4];
    int chosen = T % 4 == 0 ? w.x : T % 4 == 1 ? w.y : T % 4 == 2 ? w.z : w.w;
    v = v * 3 + 1;
    if (63 - T < n)
        out[T] = v;
    if (T < n)
        out[64 + T] = chosen;
}

KERNEL(good_swap_in_place)
{
    int mine = T + 64 * blockIdx.x, other = 63 - T + 64 * blockIdx.x;
    int v = out[other];
    __syncthreads();
    out[mine] = v;
}

KERNEL(good_accumulate)
{
    int i = T + 64 * blockIdx.x;
    out[i] = in[i];
    for (int k = 0; k < n; k++)
        out[i] += k;
}

KERNEL(good_branches_meet)
{
    __shared__ int box[64];
    if (T & 1) {
        box[T] = in[T];
        __syncwarp();
    } else {
        box[T] = -in[T];
        __syncwarp();
    }
    out[T] = box[T ^ 1];
}
