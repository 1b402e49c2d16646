// orders.cu: kernels in which threads of a block pass data to each other, ordered (good_*) or not
// ordered (bad_*). order_test.c runs the kernels of orders.ptx, which is made from this file by
//   nvcc -ptx -arch=compute_80 -std=c++17 -lineinfo -I TOOLKIT/include/cccl orders.cu
// (its .file lines then lose their directories), in blocks of 128 threads (4 warps). A good kernel must
// compute out[t] = in[127 - t] + n. A bad kernel must have a race, and its message must begin with
// the line that is marked `// NAME 1`.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

#define KERNEL(name) extern "C" __global__ void name(int *out, const int *in, int n)
#define T ((int)threadIdx.x)
#define WARP (T / 32)
#define LANE (T % 32)
#define LAST 127
#define BAR_SYNC(id, threads) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define BAR_ARRIVE(id, threads) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory")

// These loads take time and let warps take turns, but they order nothing.
static __device__ void useless_loads(int *out, const int *in)
{
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += ((volatile const int *)in)[(T + 32 * i) & LAST];
    if (sum == -12345)
        out[T] = sum;
}

// ---- a tile that is volatile, or read and written by atomic operations ------------------------------

KERNEL(bad_loads)
{
    __shared__ volatile int box[128];
    box[T] = in[T]; // bad_loads 2
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_loads 1
}

KERNEL(bad_loads_plain)
{
    __shared__ int box[128];
    box[T] = in[T];
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_loads_plain 1
}

KERNEL(bad_clock)
{
    __shared__ volatile int box[128];
    box[T] = in[T];
    long long begin = clock64();
    while (clock64() - begin < 20000)
        ;
    out[T] = box[LAST - T] + n; // bad_clock 1
}

KERNEL(bad_sleep)
{
    __shared__ volatile int box[128];
    box[T] = in[T];
    __nanosleep(1000);
    useless_loads(out, in);
    __nanosleep(1000);
    out[T] = box[LAST - T] + n; // bad_sleep 1
}

KERNEL(bad_votes)
{
    __shared__ volatile int box[128];
    box[T] = in[T];
    int v = T;
    for (int i = 0; i < 64; i++) {
        v = __shfl_xor_sync(0xffffffffu, v, 1);
        v += __any_sync(0xffffffffu, v == 3) + (int)__ballot_sync(0xffffffffu, v == i);
        useless_loads(out, in);
    }
    out[T] = box[LAST - T] + n + (v == 12345); // bad_votes 1
}

KERNEL(bad_syncwarps)
{
    __shared__ volatile int box[128];
    box[T] = in[T];
    __syncwarp();
    useless_loads(out, in);
    __syncwarp();
    out[T] = box[LAST - T] + n; // bad_syncwarps 1
}

__device__ int elsewhere;

KERNEL(bad_unrelated_atomics)
{
    __shared__ volatile int box[128];
    __shared__ int counts[4];
    if (T < 4)
        counts[T] = 0;
    __syncthreads();
    box[T] = in[T];
    __threadfence_block();
    for (int i = 0; i < 50; i++)
        atomicAdd(&counts[WARP], 1);
    useless_loads(out, in);
    while (atomicAdd(&counts[WARP], 0) < 50)
        ;
    __threadfence_block();
    out[T] = box[LAST - T] + n; // bad_unrelated_atomics 1
}

KERNEL(bad_printf)
{
    __shared__ volatile int box[128];
    box[T] = in[T];
    printf("%d\n", T);
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_printf 1
}

// A read that is too early finds the zero that was written before the barrier.
KERNEL(bad_zeroed)
{
    __shared__ volatile int box[128];
    box[T] = 0;
    __syncthreads();
    box[T] = in[T];
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_zeroed 1
}

KERNEL(bad_tested)
{
    __shared__ volatile int box[128];
    box[T] = in[T];
    useless_loads(out, in);
    int v;
    do
        v = box[LAST - T]; // bad_tested 1
    while (v == -77);
    out[T] = v + n;
}

KERNEL(bad_volatile_fences)
{
    __shared__ volatile int box[128];
    box[T] = in[T];
    __threadfence_block();
    useless_loads(out, in);
    __threadfence_block();
    out[T] = box[LAST - T] + n; // bad_volatile_fences 1
}

// The barrier after the loads is missing.
KERNEL(bad_volatile_loop)
{
    __shared__ volatile int box[128];
    int v = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        box[T] = in[T]; // bad_volatile_loop 1
        __syncthreads();
        v = box[LAST - T];
    }
    out[T] = v + n;
}

KERNEL(bad_atomic_tile)
{
    __shared__ int box[128];
    atomicExch(&box[T], in[T]);
    useless_loads(out, in);
    out[T] = atomicAdd(&box[LAST - T], 0) + n; // bad_atomic_tile 1
}

KERNEL(bad_atomic_zeroed)
{
    __shared__ int box[128];
    box[T] = 0;
    __syncthreads();
    atomicExch(&box[T], in[T]);
    useless_loads(out, in);
    out[T] = atomicOr(&box[LAST - T], 0) + n; // bad_atomic_zeroed 1
}

KERNEL(bad_atomic_load)
{
    __shared__ int box[128];
    atomicExch(&box[T], in[T]);
    useless_loads(out, in);
    out[T] = ((volatile int *)box)[LAST - T] + n; // bad_atomic_load 1
}

KERNEL(bad_selected)
{
    __shared__ volatile int box[128];
    box[T] = 0;
    __syncthreads();
    box[T] = in[T];
    useless_loads(out, in);
    int v = box[LAST - T]; // bad_selected 1
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += v >> i & 1 ? 1 << i : 0;
    out[T] = sum + n;
}

KERNEL(bad_global)
{
    volatile int *box = out;
    box[T] = in[LAST - T];
    useless_loads(out, in);
    int v = box[LAST - T]; // bad_global 1
    __syncthreads();
    out[T] = in[LAST - T] + n + (v == 12345);
}

// ---- barriers of some threads -----------------------------------------------------------------------

KERNEL(bad_own_barriers)
{
    __shared__ int box[128];
    box[T] = in[T];
    BAR_SYNC(WARP + 1, 32);
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_own_barriers 1
}

KERNEL(bad_two_pairs)
{
    __shared__ int box[128];
    box[T] = in[T];
    BAR_SYNC(1 + WARP / 2, 64);
    out[T] = box[LAST - T] + n; // bad_two_pairs 1
}

KERNEL(bad_three_of_four)
{
    __shared__ int box[128];
    box[T] = in[T];
    if (WARP != 2)
        BAR_SYNC(1, 96);
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_three_of_four 1
}

// The threads that read do not wait; the threads that write wait.
KERNEL(bad_swapped_arrive)
{
    __shared__ int box[128];
    if (WARP < 2) {
        box[T] = in[T];
        box[T + 64] = in[T + 64];
        BAR_SYNC(1, 128);
    } else {
        BAR_ARRIVE(1, 128);
        useless_loads(out, in);
        out[T] = box[LAST - T] + n; // bad_swapped_arrive 1
        out[T - 64] = box[LAST - (T - 64)] + n;
    }
}

// A store after bar.arrive is too late.
KERNEL(bad_after_arrive)
{
    __shared__ int box[128];
    if (WARP < 2) {
        box[T] = in[T];
        BAR_ARRIVE(1, 128);
        box[T + 64] = in[T + 64];
    } else {
        useless_loads(out, in);
        BAR_SYNC(1, 128);
        out[T - 64] = box[LAST - (T - 64)] + n; // bad_after_arrive 1
        out[T] = box[LAST - T] + n;
    }
}

KERNEL(bad_no_way_back)
{
    __shared__ int box[128];
#pragma unroll 1
    for (int i = 0; i < n; i++)
        if (WARP < 2) {
            box[T] = in[T]; // bad_no_way_back 1
            box[T + 64] = in[T + 64];
            BAR_ARRIVE(1, 128);
        } else {
            BAR_SYNC(1, 128);
            out[T] = box[LAST - T] + n;
            out[T - 64] = box[LAST - (T - 64)] + n;
        }
}

KERNEL(bad_red)
{
    __shared__ int box[128];
    box[T] = in[T];
    int count;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, %2, 32, p; }"
                 : "=r"(count)
                 : "r"(n), "r"(WARP + 1)
                 : "memory");
    useless_loads(out, in);
    out[T] = box[LAST - T] + n + (count > 32); // bad_red 1
}

// All threads pass a barrier, but before the stores.
KERNEL(bad_too_early)
{
    __shared__ int box[128];
    __syncthreads();
    box[T] = in[T];
    BAR_SYNC(1 + WARP / 2, 64);
    useless_loads(out, in);
    out[T] = box[(T + 64) & LAST] + n; // bad_too_early 1
}

// ---- fences and flags -----------------------------------------------------------------------------

KERNEL(bad_never)
{
    __shared__ int box[128];
    box[T] = in[T];
    __threadfence();
    if (n == 12345)
        atomicAdd(&elsewhere, 1);
    useless_loads(out, in);
    __threadfence();
    out[T] = box[LAST - T] + n; // bad_never 1
}

KERNEL(bad_no_fence)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP < 2) {
        box[T] = in[T];
        box[T + 64] = in[T + 64];
        BAR_SYNC(1, 64);
        if (T == 0)
            flag = 1;
    } else {
        while (!flag)
            ;
        __threadfence_block();
        out[T] = box[LAST - T] + n; // bad_no_fence 1
        out[T - 64] = box[LAST - (T - 64)] + n;
    }
}

KERNEL(bad_no_reader_fence)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP < 2) {
        box[T] = in[T];
        box[T + 64] = in[T + 64];
        __threadfence_block();
        BAR_SYNC(1, 64);
        if (T == 0)
            flag = 1;
    } else {
        while (!flag)
            ;
        out[T] = box[LAST - T] + n; // bad_no_reader_fence 1
        out[T - 64] = box[LAST - (T - 64)] + n;
    }
}

// The flag is read, but no thread uses its value.
KERNEL(bad_not_looked_at)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP == 0)
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
    __threadfence_block();
    __syncwarp();
    if (T == 0)
        flag = 1;
    useless_loads(out, in);
    (void)flag;
    __threadfence_block();
    out[T] = box[LAST - T] + n; // bad_not_looked_at 1
}

KERNEL(bad_other_flag)
{
    __shared__ int box[128];
    __shared__ volatile int flags[2];
    if (T < 2)
        flags[T] = 0;
    __syncthreads();
    if (WARP == 0)
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
    __threadfence_block();
    __syncwarp();
    if (T == 0)
        flags[0] = 1;
    if (T == 32)
        flags[1] = 1;
    while (!flags[1])
        ;
    __threadfence_block();
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_other_flag 1
}

KERNEL(bad_flag_first)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP == 0) {
        __threadfence_block();
        if (T == 0)
            flag = 1;
        __syncwarp();
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
    } else {
        useless_loads(out, in);
        while (!flag)
            ;
        __threadfence_block();
        useless_loads(out, in);
    }
    out[T] = box[LAST - T] + n; // bad_flag_first 1
}

// The fence of the first lane orders only the stores of this lane.
KERNEL(bad_lane_alone)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP == 0) {
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
        if (T == 0) {
            __threadfence_block();
            flag = 1;
        }
    } else {
        while (!flag)
            ;
        __threadfence_block();
    }
    out[T] = box[LAST - T] + n; // bad_lane_alone 1
}

KERNEL(bad_relaxed)
{
    __shared__ int box[128], flag;
    unsigned at = (unsigned)__cvta_generic_to_shared(&flag);
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP == 0) {
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
        __syncwarp();
        if (T == 0)
            asm volatile("st.relaxed.cta.shared.s32 [%0], 1;" ::"r"(at) : "memory");
    } else {
        int seen = 0;
        while (!seen)
            asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
    }
    out[T] = box[LAST - T] + n; // bad_relaxed 1
}

KERNEL(bad_flag_not_zeroed)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0; // bad_flag_not_zeroed 2
    if (WARP == 0) {
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
        __threadfence_block();
        __syncwarp();
        if (T == 0)
            flag = 1;
    } else {
        while (flag != 1) // bad_flag_not_zeroed 1
            ;
        __threadfence_block();
    }
    out[T] = box[LAST - T] + n;
}

// ---- lanes of a warp ------------------------------------------------------------------------------

KERNEL(bad_half_warps)
{
    __shared__ int box[128];
    box[T] = in[T];
    if (LANE < 16)
        __syncwarp(0xffffu);
    else
        __syncwarp(0xffff0000u);
    int v = box[T ^ 31]; // bad_half_warps 1
    __syncthreads();
    box[T] = v;
    __syncthreads();
    out[T] = box[(LAST - T) ^ 31] + n;
}

KERNEL(bad_some_lanes)
{
    __shared__ int box[128];
    box[T] = in[T];
    if (LANE != 5)
        __syncwarp(~(1u << 5));
    int v = box[T ^ 4]; // bad_some_lanes 1
    __syncthreads();
    box[T] = v;
    __syncthreads();
    out[T] = box[(LAST - T) ^ 4] + n;
}

KERNEL(bad_tiles)
{
    __shared__ int box[128];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    box[T] = in[T];
    tile.sync();
    int v = box[T ^ 8]; // bad_tiles 1
    __syncthreads();
    box[T] = v;
    __syncthreads();
    out[T] = box[(LAST - T) ^ 8] + n;
}

// ---- in order ---------------------------------------------------------------------------------------

KERNEL(good_volatile)
{
    __shared__ volatile int box[128];
    box[T] = in[T];
    __syncthreads();
    out[T] = box[LAST - T] + n;
}

KERNEL(good_volatile_loop)
{
    __shared__ volatile int box[128];
    int v = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        box[T] = in[T];
        __syncthreads();
        v = box[LAST - T];
        __syncthreads();
    }
    out[T] = v + n;
}

KERNEL(good_pairs)
{
    __shared__ int box[128];
    box[T] = in[T];
    BAR_SYNC(1 + WARP / 2, 64);
    int v = box[T ^ 63];
    BAR_SYNC(1 + WARP / 2, 64);
    box[T] = v;
    __syncthreads();
    out[T] = box[T ^ 64] + n;
}

KERNEL(good_all_named)
{
    __shared__ int box[128];
    box[T] = in[T];
    BAR_SYNC(3, 128);
    int v = box[LAST - T];
    asm volatile("bar.sync 5;" ::: "memory");
    box[T] = v;
    BAR_SYNC(3, 128);
    out[T] = box[T] + n;
}

// After each barrier, the threads form other pairs.
KERNEL(good_butterfly)
{
    __shared__ int box[2][128];
    int v = in[T];
    box[0][T] = v;
    BAR_SYNC(1 + (WARP & 1), 64);
    v = box[0][T ^ 64];
    box[1][T] = v;
    BAR_SYNC(3 + (WARP >> 1), 64);
    v = box[1][T ^ 32];
    __syncwarp();
    v = __shfl_sync(0xffffffffu, v, 31 - LANE);
    out[T] = v + n;
}

KERNEL(good_producers)
{
    __shared__ int box[128];
#pragma unroll 1
    for (int i = 0; i < n; i++)
        if (WARP < 2) {
            if (i)
                BAR_SYNC(2, 128);
            box[T] = in[T] + i;
            box[T + 64] = in[T + 64] + i;
            BAR_ARRIVE(1, 128);
        } else {
            BAR_SYNC(1, 128);
            out[T] = box[LAST - T] + n - i;
            out[T - 64] = box[LAST - (T - 64)] + n - i;
            if (i + 1 < n)
                BAR_ARRIVE(2, 128);
        }
}

// Two arrays, each with one barrier for "full" and one barrier for "empty".
KERNEL(good_two_boxes)
{
    __shared__ int box[2][128];
#pragma unroll 1
    for (int i = 0; i < n + 2; i++)
        if (WARP < 2) {
            if (i > 1)
                BAR_SYNC(3 + (i & 1), 128);
            box[i & 1][T] = in[T] + i;
            box[i & 1][T + 64] = in[T + 64] + i;
            BAR_ARRIVE(1 + (i & 1), 128);
        } else {
            BAR_SYNC(1 + (i & 1), 128);
            out[T] = box[i & 1][LAST - T] + n - i;
            out[T - 64] = box[i & 1][LAST - (T - 64)] + n - i;
            if (i < n)
                BAR_ARRIVE(3 + (i & 1), 128);
        }
}

KERNEL(good_red)
{
    __shared__ int box[128];
    box[T] = in[T];
    int count = __syncthreads_count(T >= 0) - 128;
    int v = box[LAST - T];
    count += __syncthreads_or(v == -1);
    box[T] = v;
    count += !__syncthreads_and(1);
    out[T] = box[T] + n + count;
}

KERNEL(good_flag)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP == 0) {
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
        __threadfence_block();
        __syncwarp();
        if (T == 0)
            flag = 1;
    } else {
        while (!flag)
            ;
        __threadfence_block();
    }
    __syncwarp();
    out[T] = box[LAST - T] + n;
}

// One lane waits for its whole warp; the fence is after bar.warp.sync.
KERNEL(good_flag_leader)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP == 0) {
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
        __syncwarp();
        if (T == 0) {
            __threadfence_block();
            flag = 1;
        }
    } else if (LANE == 3) {
        while (!flag)
            ;
        __threadfence_block();
    }
    __syncwarp();
    out[T] = box[LAST - T] + n;
}

// All threads execute a fence and synchronize; then one thread sets the flag.
KERNEL(good_fence_then_barrier)
{
    __shared__ int box[128];
    __shared__ volatile int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP < 2) {
        box[T] = in[T];
        box[T + 64] = in[T + 64];
        __threadfence_block();
        BAR_SYNC(1, 64);
        if (T == 0)
            flag = 1;
        out[T] = box[LAST - T] + n;
    } else {
        while (!flag)
            ;
        __threadfence_block();
        out[T] = box[LAST - T] + n;
    }
}

KERNEL(good_flag_atomic)
{
    __shared__ int box[128], flag;
    if (T == 0)
        atomicExch(&flag, 0);
    __syncthreads();
    if (WARP == 0) {
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
        __threadfence_block();
        __syncwarp();
        if (T == 0)
            atomicExch(&flag, 1);
    } else {
        while (atomicAdd(&flag, 0) == 0)
            ;
        __threadfence_block();
    }
    __syncwarp();
    out[T] = box[LAST - T] + n;
}

KERNEL(good_release_acquire)
{
    __shared__ int box[128], flag;
    unsigned at = (unsigned)__cvta_generic_to_shared(&flag);
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (WARP == 0) {
        for (int i = T; i < 128; i += 32)
            box[i] = in[i];
        __syncwarp();
        if (T == 0)
            asm volatile("st.release.cta.shared.s32 [%0], 1;" ::"r"(at) : "memory");
    } else {
        int seen = 0;
        while (!seen)
            asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
    }
    __syncwarp();
    out[T] = box[LAST - T] + n;
}

// A barrier made by hand: each warp increments a counter, and all warps wait for the last warp.
KERNEL(good_by_hand)
{
    __shared__ int box[128], count;
    if (T == 0)
        count = 0;
    __syncthreads();
    box[T] = in[T];
    __syncwarp();
    if (LANE == 0) {
        __threadfence_block();
        atomicAdd(&count, 1);
        while (*(volatile int *)&count < 4)
            ;
        __threadfence_block();
    }
    __syncwarp();
    out[T] = box[LAST - T] + n;
}

// Each warp waits for the flag of the previous warp, and then sets its own flag.
KERNEL(good_chain)
{
    __shared__ int box[128];
    __shared__ volatile int flags[4];
    if (T < 4)
        flags[T] = 0;
    __syncthreads();
    box[T] = in[T];
    __syncwarp();
    if (LANE == 0) {
        while (WARP && !flags[WARP - 1])
            ;
        __threadfence_block();
        flags[WARP] = 1;
    }
    __syncwarp();
    if (WARP == 3) {
        __threadfence_block();
        for (int i = LANE; i < 128; i += 32)
            out[i] = box[LAST - i] + n;
    }
}

KERNEL(good_ping_pong)
{
    __shared__ int box[128];
    __shared__ volatile int turn;
    if (T == 0)
        turn = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (WARP == 0) {
            while (turn != 2 * i)
                ;
            __threadfence_block();
            for (int k = LANE; k < 128; k += 32)
                box[k] = in[k] + i;
            __threadfence_block();
            __syncwarp();
            if (LANE == 0)
                turn = 2 * i + 1;
        } else if (WARP == 1) {
            while (turn != 2 * i + 1)
                ;
            __threadfence_block();
            for (int k = LANE; k < 128; k += 32)
                out[k] = box[LAST - k] + n - i;
            __threadfence_block();
            __syncwarp();
            if (LANE == 0)
                turn = 2 * i + 2;
        }
        __syncwarp();
    }
}

KERNEL(good_lock)
{
    __shared__ int box[128], lock, sum;
    if (T == 0)
        lock = sum = 0;
    box[T] = in[T];
    __syncthreads();
    if (LANE == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        sum += 32;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    out[T] = box[LAST - T] + n + sum - 128;
}

// One word contains the value and also shows that the value is present.
KERNEL(good_packed)
{
    __shared__ volatile int box[128];
    box[T] = -1;
    __syncthreads();
    box[T] = in[T];
    int v;
    do
        v = box[LAST - T];
    while (v == -1);
    out[T] = v + n;
}

KERNEL(good_tickets)
{
    __shared__ int box[128], count;
    if (T == 0)
        count = 0;
    __syncthreads();
    int place = atomicAdd(&count, 1);
    box[place] = T;
    __syncthreads();
    int who = box[T];
    out[who] = in[LAST - who] + n;
}

KERNEL(good_found)
{
    __shared__ volatile int found;
    __shared__ int box[128];
    if (T == 0)
        found = 0;
    box[T] = in[T];
    __syncthreads();
    if (T == 77)
        found = 1;
    int i = 0;
    while (i < 10 && !found)
        i++;
    out[T] = box[LAST - T] + n;
}

KERNEL(good_half_warps)
{
    __shared__ int box[128];
    box[T] = in[T];
    if (LANE < 16)
        __syncwarp(0xffffu);
    else
        __syncwarp(0xffff0000u);
    int v = box[T ^ 15];
    __syncthreads();
    box[T] = v;
    __syncthreads();
    out[T] = box[(LAST - T) ^ 15] + n;
}

KERNEL(good_tiles)
{
    __shared__ int box[128];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = in[T];
#pragma unroll 1
    for (int i = 0; i < 7; i++) {
        box[T] = v;
        tile.sync();
        v = box[T ^ 7];
        tile.sync();
    }
    box[T] = v;
    cg::this_thread_block().sync();
    out[T] = box[(LAST - T) ^ 7] + n;
}

KERNEL(good_coalesced)
{
    __shared__ int box[128];
    box[T] = 0;
    __syncthreads();
    if (T & 1) {
        cg::coalesced_group group = cg::coalesced_threads();
        box[T] = in[T];
        group.sync();
        box[T - 1] = box[T ^ 2];
    } else {
        __syncwarp(__activemask());
    }
    __syncthreads();
    out[T] = in[LAST - T] + n + (box[T] == -12345);
}

KERNEL(good_pipeline)
{
    __shared__ int box[2][128];
    __pipeline_memcpy_async(&box[0][T], &in[T], 4);
    __pipeline_commit();
    int v = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (i + 1 < n) {
            __pipeline_memcpy_async(&box[(i + 1) & 1][T], &in[T], 4);
            __pipeline_commit();
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        v = box[i & 1][LAST - T];
        __syncthreads();
    }
    out[T] = v + n;
}

// One half of the threads copies the data, and the other half reads them.
KERNEL(good_pipeline_named)
{
    __shared__ int box[128];
    if (WARP < 2) {
        __pipeline_memcpy_async(&box[T], &in[T], 4);
        __pipeline_memcpy_async(&box[T + 64], &in[T + 64], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        BAR_ARRIVE(1, 128);
    } else {
        BAR_SYNC(1, 128);
        out[T] = box[LAST - T] + n;
        out[T - 64] = box[LAST - (T - 64)] + n;
    }
}

// An atomicExch() only writes if its old value is not used.
KERNEL(good_exchange)
{
    __shared__ int box[128];
    atomicExch(&box[T], in[T]);
    __syncthreads();
    out[T] = box[LAST - T] + n;
}

KERNEL(good_exchange_kept)
{
    __shared__ int box[128];
    int old = atomicExch(&box[T], in[T]);
    __syncthreads();
    if (n == 12345)
        out[T] = old;
    out[T] = box[LAST - T] + n;
}

// ---- barriers in shared memory ----------------------------------------------------------------------

#pragma nv_diag_suppress static_var_with_dynamic_init

KERNEL(good_cuda_barrier)
{
    __shared__ int box[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> meet;
    if (T == 0)
        init(&meet, 128);
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        box[T] = in[T] + i;
        meet.arrive_and_wait();
        out[T] = box[LAST - T] + n - i;
        meet.arrive_and_wait();
    }
}

// Barriers for "full" and "empty": half of the warps produce data, the other half consume them.
KERNEL(good_cuda_barrier_split)
{
    __shared__ int box[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    if (T == 0) {
        init(&full, 128);
        init(&empty, 128);
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++)
        if (WARP < 2) {
            box[T] = in[T] + i;
            box[T + 64] = in[T + 64] + i;
            (void)full.arrive();
            empty.arrive_and_wait();
        } else {
            full.arrive_and_wait();
            out[T] = box[LAST - T] + n - i;
            out[T - 64] = box[LAST - (T - 64)] + n - i;
            (void)empty.arrive();
        }
}

KERNEL(good_mbarrier)
{
    __shared__ int box[128];
    __shared__ __mbarrier_t meet;
    if (T == 0)
        __mbarrier_init(&meet, 128);
    __syncthreads();
    box[T] = in[T];
    __mbarrier_token_t token = __mbarrier_arrive(&meet);
    while (!__mbarrier_test_wait(&meet, token))
        ;
    out[T] = box[LAST - T] + n;
}

// One arrival per warp, for all its lanes.
KERNEL(good_mbarrier_parity)
{
    __shared__ int box[128];
    __shared__ unsigned long long meet;
    unsigned at = (unsigned)__cvta_generic_to_shared(&meet);
    if (T == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(at) : "memory");
    __syncthreads();
    box[T] = in[T];
    __syncwarp();
    if (LANE == 0)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    out[T] = box[LAST - T] + n;
}

KERNEL(bad_mbarrier_no_wait)
{
    __shared__ int box[128];
    __shared__ __mbarrier_t meet;
    if (T == 0)
        __mbarrier_init(&meet, 128);
    __syncthreads();
    box[T] = in[T];
    (void)__mbarrier_arrive(&meet);
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_mbarrier_no_wait 1
}

KERNEL(bad_mbarrier_early)
{
    __shared__ int box[128];
    __shared__ __mbarrier_t meet;
    if (T == 0)
        __mbarrier_init(&meet, 128);
    __syncthreads();
    __mbarrier_token_t token = __mbarrier_arrive(&meet);
    box[T] = in[T];
    while (!__mbarrier_test_wait(&meet, token))
        ;
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_mbarrier_early 1
}

KERNEL(bad_mbarrier_pairs)
{
    __shared__ int box[128];
    __shared__ __mbarrier_t meet[2];
    if (T < 2)
        __mbarrier_init(&meet[T], 64);
    __syncthreads();
    box[T] = in[T];
    __mbarrier_token_t token = __mbarrier_arrive(&meet[WARP / 2]);
    while (!__mbarrier_test_wait(&meet[WARP / 2], token))
        ;
    useless_loads(out, in);
    out[T] = box[LAST - T] + n; // bad_mbarrier_pairs 1
}

KERNEL(bad_cuda_barrier_once)
{
    __shared__ int box[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> meet;
    if (T == 0)
        init(&meet, 128);
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        box[T] = in[T] + i; // bad_cuda_barrier_once 1
        meet.arrive_and_wait();
        out[T] = box[LAST - T] + n - i;
    }
}

// ---- blocks ---------------------------------------------------------------------------------------

#define B ((int)blockIdx.x)
#define G (T + 64 * B)
#define LAST_G 383

__device__ int raised[6], counted, parts[384], packed[6];

// The last block that arrives reads the results of all blocks (threadFenceReduction).
static __device__ bool is_last(int *counter)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (T == 0)
        last = atomicInc((unsigned *)counter, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    return last;
}

KERNEL(good_last_grid)
{
    parts[G] = in[G];
    if (is_last(&counted))
        for (int i = T; i <= LAST_G; i += 64)
            out[i] = parts[LAST_G - i] + n;
}

// The last block reads all results; one thread per block writes, as in the CUDA Programming Guide.
KERNEL(good_leader_grid)
{
    __shared__ bool last;
    parts[G] = in[G];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        last = atomicAdd(&counted, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
        for (int i = T; i <= LAST_G; i += 64)
            out[i] = parts[LAST_G - i] + n;
}

// Each block waits for the previous block, and passes on the data that it received.
KERNEL(good_chain_grid)
{
    parts[G] = in[G];
    __syncthreads();
    if (T == 0) {
        while (B && !*(volatile int *)&raised[B - 1])
            ;
        __threadfence();
        *(volatile int *)&raised[B] = 1;
    }
    __syncthreads();
    if (B == (int)gridDim.x - 1)
        for (int i = T; i <= LAST_G; i += 64)
            out[i] = parts[LAST_G - i] + n;
}

// Read earlier words, which contain a value and a state (decoupled look-back).
KERNEL(good_look_back_grid)
{
    __shared__ int before;
    if (T == 0) {
        *(volatile int *)&packed[B] = 2 * B + 1;
        int sum = 0;
        for (int k = B - 1; k >= 0; k--) {
            int word;
            do
                word = *(volatile int *)&packed[k];
            while (!word);
            sum += word >> 1;
        }
        before = sum;
    }
    __syncthreads();
    out[G] = in[LAST_G - G] + n + before - B * (B - 1) / 2;
}

// A barrier of the whole grid.
KERNEL(good_grid_barrier_grid)
{
    parts[G] = in[G];
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(&counted, 1);
        while (atomicAdd(&counted, 0) < (int)gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    out[G] = parts[LAST_G - G] + n;
}

KERNEL(good_acquire_grid)
{
    if (B == 0)
        for (int i = T; i <= LAST_G; i += 64)
            parts[i] = in[i];
    __syncthreads();
    if (B == 0 && T == 0)
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&raised[0]) : "memory");
    int seen = 0;
    while (B && !seen)
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(&raised[0]) : "memory");
    out[G] = parts[LAST_G - G] + n;
}

KERNEL(good_tickets_grid)
{
    __shared__ int block;
    if (T == 0)
        block = atomicAdd(&counted, 1);
    __syncthreads();
    int i = T + 64 * block;
    out[i] = in[LAST_G - i] + n;
}

KERNEL(good_volatile_input_grid)
{
    out[G] = ((volatile const int *)in)[LAST_G - G] + n;
}

// A counter in a module variable starts at zero without a store. All threads add to the sums.
KERNEL(good_sums_grid)
{
    atomicAdd(&parts[LAST_G - G], in[G]);
    __syncthreads();
    out[G] = in[LAST_G - G] + n;
}

KERNEL(bad_no_flag_grid)
{
    parts[G] = in[G];
    __threadfence();
    atomicAdd(&counted, 1);
    if (B == (int)gridDim.x - 1)
        for (int i = T; i <= LAST_G; i += 64)
            out[i] = parts[LAST_G - i] + n; // bad_no_flag_grid 1
}

KERNEL(bad_block_fence_grid)
{
    __shared__ bool last;
    parts[G] = in[G];
    __threadfence_block();
    __syncthreads();
    if (T == 0)
        last = atomicAdd(&counted, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int i = T; i <= LAST_G; i += 64)
            out[i] = parts[LAST_G - i] + n; // bad_block_fence_grid 1
}

KERNEL(bad_no_fence_grid)
{
    __shared__ bool last;
    parts[G] = in[G];
    __syncthreads();
    if (T == 0)
        last = atomicAdd(&counted, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int i = T; i <= LAST_G; i += 64)
            out[i] = parts[LAST_G - i] + n; // bad_no_fence_grid 1
}

// The other threads of the block may still be writing.
KERNEL(bad_no_barrier_grid)
{
    __shared__ bool last;
    parts[G] = in[G];
    __threadfence();
    if (T == 0)
        last = atomicAdd(&counted, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int i = T; i <= LAST_G; i += 64)
            out[i] = parts[LAST_G - i] + n; // bad_no_barrier_grid 1
}

KERNEL(bad_volatile_grid)
{
    ((volatile int *)parts)[G] = in[G];
    while (*(volatile int *)&counted == -1)
        ;
    int v = B ? ((volatile int *)parts)[G - 64] : 0; // bad_volatile_grid 1
    out[G] = in[LAST_G - G] + n + (v == 12345);
}

KERNEL(bad_atomics_beside_grid)
{
    if (B == 0)
        parts[T] = 0; // bad_atomics_beside_grid 2
    __threadfence();
    atomicAdd(&parts[T], 1); // bad_atomics_beside_grid 1
    out[G] = in[LAST_G - G] + n;
}

KERNEL(bad_other_flag_grid)
{
    parts[G] = in[G];
    __threadfence();
    __syncthreads();
    if (T == 0)
        *(volatile int *)&raised[B] = 1;
    if (B == 3) {
        while (T == 0 && !*(volatile int *)&raised[1])
            ;
        __threadfence();
        __syncthreads();
        out[T] = parts[T] + n; // bad_other_flag_grid 1
    }
}

#define PAIR(box, at) ((unsigned long long *)&(box)[(at) & ~1])
#define HALF(pair, at) ((int)((pair) >> 32 * ((at) & 1)))

// ---- atomic operations that change nothing ----------------------------------------------------------

// Two threads read each pair.
#define READS_PAIRS(name, read)                                                                    \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        __shared__ __align__(8) int box[128];                                                      \
        box[T] = in[T];                                                                            \
        __syncthreads();                                                                           \
        unsigned long long *pair = PAIR(box, LAST - T);                                            \
        unsigned long long v = read;                                                               \
        out[T] = HALF(v, LAST - T) + n;                                                            \
    }
READS_PAIRS(good_pairs_or, atomicOr(pair, 0ull))
READS_PAIRS(good_pairs_xor, atomicXor(pair, 0ull))
READS_PAIRS(good_pairs_add, atomicAdd(pair, 0ull))
READS_PAIRS(good_pairs_cas, atomicCAS(pair, 77ull, 77ull))
READS_PAIRS(good_pairs_two_ways, WARP & 1 ? atomicOr(pair, 0ull) : *(volatile unsigned long long *)pair)

KERNEL(good_words_or)
{
    __shared__ int box[128];
    box[T] = in[T];
    __syncthreads();
    int of_all = 0;
    for (int i = 0; i <= LAST; i++)
        of_all += atomicOr(&box[i], 0);
    out[T] = atomicOr(&box[LAST - T], 0) + n + (of_all == -12345);
}

// Each pair has one thread.
KERNEL(good_pairs_exch)
{
    __shared__ __align__(8) int box[128];
    box[T] = in[T];
    __syncthreads();
    unsigned long long pair = 0;
    if (T & 1)
        pair = atomicExch(PAIR(box, T), 0ull);
    if (T & 1) {
        out[LAST - T] = HALF(pair, 1) + n;
        out[LAST - T + 1] = HALF(pair, 0) + n;
    }
}

KERNEL(good_pairs_of_all_grid)
{
    out[G] = in[LAST_G - G] + n;
    __syncthreads();
    unsigned long long pair = atomicOr(PAIR(out, G), 0ull);
    __syncthreads();
    out[G] = HALF(pair, G);
}

KERNEL(bad_pairs)
{
    __shared__ __align__(8) int box[128];
    box[T] = in[T];
    useless_loads(out, in);
    unsigned long long pair = atomicOr(PAIR(box, LAST - T), 0ull); // bad_pairs 1
    out[T] = HALF(pair, LAST - T) + n;
}

// The first thread that reads a pair does not hide the thread that wrote the pair.
KERNEL(bad_pairs_second)
{
    __shared__ __align__(8) int box[128];
    box[T] = 0;
    __syncthreads();
    if (WARP == 0)
        atomicExch(&box[T], in[T]);
    BAR_SYNC(WARP < 2 ? 1 : 2, 64);
    if (WARP == 1)
        out[T] = HALF(atomicAdd(PAIR(box, T - 32), 0ull), T);
    if (WARP == 3)
        out[T] = HALF(atomicAdd(PAIR(box, LAST - T), 0ull), LAST - T) + n; // bad_pairs_second 1
}

KERNEL(bad_pairs_cas)
{
    __shared__ __align__(8) int box[128];
    box[T] = 0;
    __syncthreads();
    atomicExch(&box[T], in[T]);
    useless_loads(out, in);
    unsigned long long pair = atomicCAS(PAIR(box, LAST - T), 5ull, 5ull); // bad_pairs_cas 1
    out[T] = HALF(pair, LAST - T) + n;
}

KERNEL(bad_pairs_before)
{
    __shared__ __align__(8) int box[128];
    box[T] = in[T];
    __syncthreads();
    unsigned long long pair = atomicOr(PAIR(box, LAST - T), 0ull);
    out[T] = HALF(pair, LAST - T) + n;
    useless_loads(out, in);
    box[T] = 0; // bad_pairs_before 1
}

// ---- copies that several lanes make -----------------------------------------------------------------

// Lanes without their own element copy the last element again.
template <int ELEMENTS> static __device__ void copy_together(int *out, const int *in, int n)
{
    __shared__ __align__(16) int box[128];
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int i = WARP * ELEMENTS; i < 128; i += 4 * ELEMENTS)
        cg::memcpy_async(warp, box + i, in + i, sizeof(int) * (128 - i < ELEMENTS ? 128 - i : ELEMENTS));
    cg::wait(warp);
    __syncthreads();
    out[T] = box[LAST - T] + n;
}
KERNEL(good_copy_together_5) { copy_together<5>(out, in, n); }
KERNEL(good_copy_together_24) { copy_together<24>(out, in, n); }
KERNEL(good_copy_together_40) { copy_together<40>(out, in, n); }

#define COPY(to, from)                                                                             \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(                                 \
                     (unsigned)__cvta_generic_to_shared(to)),                                      \
                 "l"(from)                                                                         \
                 : "memory")

KERNEL(bad_copy_other)
{
    __shared__ int box[128];
    COPY(&box[T & ~1], &in[T]);
    asm volatile("cp.async.wait_all;" ::: "memory"); // bad_copy_other 1
    __syncthreads();
    out[T] = in[LAST - T] + n + (box[T & ~1] == -12345);
}

KERNEL(bad_copy_unwaited)
{
    __shared__ int box[128];
    COPY(&box[T], &in[T]);
    COPY(&box[T ^ 64], &in[T ^ 64]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[T] = box[LAST - T] + n; // bad_copy_unwaited 1
}

// ---- barriers of all threads, made by hand, on which every lane polls ---------------------------------

#define POLLS(name, waits)                                                                         \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        __shared__ int box[128], count;                                                            \
        box[T] = in[T];                                                                            \
        if (T == 0)                                                                                \
            count = 0;                                                                             \
        __syncthreads();                                                                           \
        box[T] += n;                                                                               \
        __threadfence_block();                                                                     \
        atomicAdd(&count, 1);                                                                      \
        while (waits)                                                                              \
            ;                                                                                      \
        __threadfence_block();                                                                     \
        out[T] = box[LAST - T];                                                                    \
    }
POLLS(good_polls_load, *(volatile int *)&count < 128)
POLLS(good_polls_atomic, atomicAdd(&count, 0) < 128)
POLLS(good_polls_cas, atomicCAS(&count, 128, 128) != 128)
POLLS(good_polls_fenced, (__threadfence_block(), *(volatile int *)&count < 128))

// ---- atomic operations of different widths ------------------------------------------------------------

KERNEL(bad_widths_atomics)
{
    __shared__ __align__(8) unsigned box[128];
    box[T] = 0;
    __syncthreads();
    if (WARP < 2)
        atomicAdd(&box[T], 1u);
    else
        atomicAdd(PAIR(box, T - 64), 1ull); // bad_widths_atomics 1
    __syncthreads();
    out[T] = in[LAST - T] + n + (box[T] == 12345);
}

KERNEL(bad_widths_load)
{
    __shared__ __align__(8) unsigned flags[2];
    if (T < 2)
        flags[T] = 0;
    __syncthreads();
    if (WARP == 1 && LANE < 2)
        atomicExch(&flags[LANE], 1u); // bad_widths_load 1
    while (WARP == 0 && *(volatile unsigned long long *)flags != 0x100000001ull)
        ;
    out[T] = in[LAST - T] + n;
}

KERNEL(bad_widths_halves)
{
    __shared__ __align__(8) unsigned sums[2];
    if (T < 2)
        sums[T] = 0;
    __syncthreads();
    if (WARP == 0)
        atomicAdd((unsigned long long *)sums, 1ull);
    if (WARP == 1)
        atomicExch(&sums[1], 1u); // bad_widths_halves 1
    __syncthreads();
    out[T] = in[LAST - T] + n + (sums[1] == 12345);
}

// A barrier separates the accesses; vectors are read element by element.
KERNEL(good_widths)
{
    __shared__ __align__(16) unsigned box[128];
    box[T] = 0;
    __syncthreads();
    atomicAdd(&box[T], (unsigned)in[T]);
    __syncthreads();
    unsigned long long pair = atomicAdd(PAIR(box, LAST - T), 0ull);
    __syncthreads();
    if (WARP == 0)
        atomicExch(&box[T], 1u);
    unsigned at = (unsigned)__cvta_generic_to_shared(box), x, y;
    do
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(x), "=r"(y)
                     : "r"(at)
                     : "memory");
    while (x != 1 || y != 1);
    out[T] = HALF(pair, LAST - T) + n;
}

KERNEL(good_widths_apart)
{
    __shared__ __align__(8) unsigned box[128];
    box[T] = (unsigned)in[T];
    __syncthreads();
    unsigned v = 0;
    if (T < 64)
        v = atomicOr(&box[T], 0u) == 12345;
    else if (T & 1)
        v = atomicOr(PAIR(box, T), 0ull) == 12345;
    __syncthreads();
    out[T] = (int)box[LAST - T] + n + (int)v;
}

// ---- atomic operations that add 0 by chance --------------------------------------------------------

KERNEL(good_compaction)
{
    __shared__ unsigned count;
    __shared__ int list[128];
    count = 0;
    __syncthreads();
    unsigned keeps = T > 100; // 0 in all lanes of three warps
    unsigned at = atomicAdd(&count, keeps);
    if (keeps)
        list[at] = T;
    __syncthreads();
    out[T] = in[LAST - T] + n + (T < (int)count && list[T] == 0);
}

static __device__ __noinline__ unsigned add_to(unsigned *count, unsigned value)
{
    return atomicAdd(count, value);
}

KERNEL(good_wrapped_zero)
{
    __shared__ unsigned count;
    count = 0;
    __syncthreads();
    if (LANE == 0)
        add_to(&count, (unsigned)WARP); // warp 0 adds 0
    __syncthreads();
    out[T] = in[LAST - T] + n + (int)count - 6;
}

KERNEL(good_exchange_by_chance)
{
    __shared__ int box[4];
    __shared__ int last;
    if (T < 4)
        box[T] = T;
    last = -1;
    __syncthreads();
    if (LANE == 0)
        box[WARP] = atomicCAS(&last, -1, WARP / 2 - 1); // warps 0 and 1 exchange -1 for itself
    __syncthreads();
    out[T] = in[LAST - T] + n + (box[WARP] < -1);
}
