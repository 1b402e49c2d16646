/* verdicts.cu: kernels called right_NAME and wrong_STATUS_NAME; the name contains the expected
 * verdict of tlab exec. No mistake changes the output of the program. Each kernel runs in a
 * separate process with an uninitialized output, an input, and counters that are 0. `n` is the
 * number of threads, and of elements of input and output. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define FULL 0xffffffffu
enum { COUNTERS = 1024, MANY_COUNTERS = 1 << 24 };

/* LARGE: many counters. HALF: half of the input is copied. LATER: another kernel runs first. */
enum setting { PLAIN, LARGE, HALF, LATER };

typedef void kernel(int *out, const int *in, int *zero, int n);

/* A host function that launches the kernel, if one launch is not enough. */
typedef void host(kernel *function, int *out, int *in, int *zero, int n);

static struct one {
    const char *name;
    kernel *function;
    unsigned blocks, threads, shared;
    setting how;
    host *launches;
    one *next;
} *listing;

struct listed : one {
    listed(const char *name, kernel *function, unsigned blocks, unsigned threads, unsigned shared = 0,
           setting how = PLAIN)
        : one{name, function, blocks, threads, shared, how, NULL, listing}
    {
        listing = this;
    }
    listed(const char *name, kernel *function, unsigned blocks, unsigned threads, host *launches)
        : one{name, function, blocks, threads, 0, PLAIN, launches, listing}
    {
        listing = this;
    }
};

/* KERNEL(name, blocks, threads, bytes of dynamic shared memory, setting) { body }, or
 * KERNEL(name, blocks, threads, host function) */
#define KERNEL(name, ...)                                                                          \
    __global__ void name(int *out, const int *in, int *zero, int n);                               \
    static const listed list_##name(#name, name, __VA_ARGS__);                                     \
    __global__ void name(int *out, const int *in, int *zero, int n)

#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))

/* --- global memory, threads of one block ------------------------------------------------------ */

KERNEL(wrong_race_stencil_in_place, 1, 128)
{
    zero[T] = in[T];
    __syncthreads();
    if (T > 0 && T < n - 1)
        zero[T] = zero[T - 1] + zero[T] + zero[T + 1];
}

KERNEL(wrong_race_reversed_in_place, 1, 128)
{
    zero[T] = in[T];
    __syncthreads();
    zero[T] = zero[n - 1 - T];
}

KERNEL(wrong_race_scan_in_place, 1, 128)
{
    zero[T] = in[T];
    for (int step = 1; step < n; step *= 2) {
        __syncthreads();
        if (T >= step)
            zero[T] += zero[T - step];
    }
}

KERNEL(wrong_race_global_histogram, 1, 128)
{
    zero[in[T] % 8]++;
}

KERNEL(wrong_race_neighbour, 1, 64)
{
    out[T] = in[T];
    out[T] += out[(T + 33) % 64];
}

KERNEL(wrong_race_transposed_in_place, 1, 256)
{
    int row = T / 16, column = T % 16;
    zero[T] = in[T];
    __syncthreads();
    int value = zero[column * 16 + row];
    zero[T] = value;
}

KERNEL(wrong_race_shifted, 1, 128)
{
    zero[T] = in[T];
    __syncthreads();
    if (T + 1 < n)
        zero[T] = zero[T + 1];
}

/* All paths through k. The row and the column of k are also written, but with unchanged values. */
__device__ void all_paths(int *d, int first, bool waits, int more)
{
    int row = T / 16, column = T % 16;
    d[T] = row == column ? 0 : first;
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        d[T] = min(d[T], d[16 * row + k] + d[16 * k + column]) + more;
        if (waits)
            __syncthreads();
    }
}

KERNEL(right_all_paths, 1, 256) { all_paths(zero, 1 + T * 7 % 19, true, 0); }
KERNEL(wrong_race_all_paths_no_barrier, 1, 256) { all_paths(zero, 1 + T * 7 % 19, false, 0); }
KERNEL(wrong_race_all_paths_and_one, 1, 256) { all_paths(zero, 1 + T * 7 % 19, true, 1); }

KERNEL(right_all_paths_shared, 1, 256)
{
    __shared__ int d[256];
    all_paths(d, 1 + T * 7 % 19, true, 0);
    out[T] = d[T];
}

KERNEL(wrong_race_all_paths_shared, 1, 256)
{
    __shared__ int d[256];
    all_paths(d, 1 + T * 7 % 19, false, 0);
    out[T] = d[T];
}

KERNEL(right_reversed_in_place, 1, 128)
{
    zero[T] = in[T];
    __syncthreads();
    int value = zero[n - 1 - T];
    __syncthreads();
    zero[T] = value;
}

KERNEL(right_swapped_in_place, 1, 128)
{
    zero[T] = in[T];
    __syncthreads();
    if (T < n / 2) {
        int other = zero[n - 1 - T];
        zero[n - 1 - T] = zero[T];
        zero[T] = other;
    }
}

KERNEL(right_own_elements, 8, 64)
{
    for (int k = 0; k < 4; k++)
        out[I] = (k ? out[I] : 0) + in[I];
}

KERNEL(right_transposed_in_place, 1, 256)
{
    int row = T / 16, column = T % 16;
    zero[T] = in[T];
    __syncthreads();
    if (row < column) {
        int other = zero[column * 16 + row];
        zero[column * 16 + row] = zero[T];
        zero[T] = other;
    }
}

KERNEL(right_global_reduction, 1, 256)
{
    zero[T] = in[T];
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (T < half)
            zero[T] += zero[T + half];
    }
}

KERNEL(right_global_scan, 1, 128)
{
    int *from = zero, *to = zero + 128;
    from[T] = in[T];
    for (int step = 1; step < n; step *= 2) {
        __syncthreads();
        to[T] = from[T] + (T >= step ? from[T - step] : 0);
        int *swap = from;
        from = to;
        to = swap;
    }
    out[T] = from[T];
}

KERNEL(right_bytes_of_words, 2, 64)
{
    unsigned char *bytes = (unsigned char *)zero; /* adjacent bytes belong to other threads */
    bytes[I] = (unsigned char)in[I];
    out[I] = bytes[I];
}

KERNEL(right_wide_elements, 2, 32)
{
    int4 *wide = (int4 *)zero;
    wide[I] = make_int4(in[I], 1, 2, 3);
    out[I] = wide[I].x + zero[4 * I + 2];
}

/* --- global memory, between blocks ------------------------------------------------------------ */

KERNEL(wrong_race_stencil_blocks, 4, 64)
{
    int sum = in[I];
    zero[I] = in[I];
    __syncthreads();
    if (I + 1 < n)
        sum += zero[I + 1]; /* the last thread reads an element of the next block */
    out[I] = sum;
}

KERNEL(wrong_race_blocks_write, 4, 64)
{
    out[T] = in[I] + B;
}

KERNEL(wrong_race_blocks_histogram, 4, 64)
{
    zero[in[I] % 16] += 1;
}

KERNEL(wrong_race_blocks_sum, 4, 64)
{
    __shared__ int sum;
    if (T == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[I]);
    __syncthreads();
    if (T == 0)
        zero[0] += sum;
}

KERNEL(wrong_race_last_block_no_fence, 4, 32)
{
    __shared__ bool last;
    out[I] = in[I];
    __syncthreads();
    if (T == 0)
        last = atomicAdd(&zero[0], 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last)
        zero[1 + T] = out[(I + 32) % n];
}

/* The last block reads without a fence. */
KERNEL(wrong_race_last_thread_half_fenced, 4, 32)
{
    if (T)
        return;
    out[B] = in[B];
    __threadfence();
    if (atomicInc((unsigned *)zero, gridDim.x - 1) == gridDim.x - 1)
        for (int b = 0; b < (int)gridDim.x; b++)
            zero[1 + b] = out[b];
}

KERNEL(wrong_race_block_flag_no_fence, 2, 32)
{
    volatile int *flag = zero;
    if (B == 0) {
        out[T] = in[T];
        __syncthreads();
        if (T == 0)
            *flag = 1;
    } else {
        if (T == 0)
            while (!*flag)
                ;
        __syncthreads();
        out[I] = out[T];
    }
}

KERNEL(wrong_race_block_zero_begins, 4, 64)
{
    if (B == 0 && T == 0)
        zero[5] = 7;
    atomicAdd(&zero[5], 1);
}

KERNEL(wrong_race_ring_of_blocks, 4, 32)
{
    zero[I] = in[I];
    zero[256 + I] = zero[(I + 32) % n] + 1;
}

/* The flag is set before the block reads its elements: the next block may overwrite them. */
KERNEL(wrong_race_compacted_flag_early, 4, 64)
{
    volatile int *total = zero; /* 1 + number of elements that remain up to this block */
    __shared__ int before;
    int *data = (int *)in;
    if (T == 0) {
        while (B > 0 && !total[B - 1])
            ;
        before = B ? total[B - 1] - 1 : 0;
        total[B] = before + 64 + 1;
    }
    __syncthreads();
    data[before + T] = data[63 - T + 64 * B];
}

/* A counter determines the position to write, but does not order the reads of earlier blocks. */
KERNEL(wrong_race_compacted_by_counter, 4, 64)
{
    __shared__ int before;
    int *data = (int *)in, value = data[I], keep = T & 1;
    int count = __syncthreads_count(keep);
    if (T == 0)
        before = atomicAdd(zero, count);
    __syncthreads();
    if (keep)
        data[before + T / 2] = value;
}

/* Two reads outside a loop may return different values. */
KERNEL(wrong_race_state_read_twice, 4, 32)
{
    volatile int *state = zero;
    if (T == 0) {
        int seen = state[(B + 3) % 4];
        if (!seen)
            seen = state[(B + 3) % 4];
        out[B] = seen;
        state[B] = B + 1;
    }
}

/* The value may change between the check and the read. */
KERNEL(wrong_race_state_tested_then_read, 4, 32)
{
    volatile int *state = zero;
    if (T == 0) {
        state[B] = B + 1;
        if (state[(B + 1) % 4] < 3)
            out[B] = state[(B + 1) % 4];
    }
}

KERNEL(wrong_race_overlapping_tiles, 4, 64)
{
    zero[B * 63 + T] = in[I] + B + 1; /* two blocks write the halo */
}

KERNEL(right_blocks_own, 16, 64)
{
    out[I] = in[I];
    __syncthreads();
    out[I] += out[I - T + 63 - T] * 0 + 1;
}

KERNEL(right_blocks_histogram, 4, 64)
{
    atomicAdd(&zero[in[I] % 16], 1);
}

KERNEL(right_blocks_private_histogram, 4, 64)
{
    __shared__ int bins[16];
    if (T < 16)
        bins[T] = 0;
    __syncthreads();
    atomicAdd(&bins[in[I] % 16], 1);
    __syncthreads();
    if (T < 16)
        atomicAdd(&zero[T], bins[T]);
}

KERNEL(right_last_block, 4, 32)
{
    __shared__ bool last;
    out[I] = in[I];
    __threadfence();
    __syncthreads();
    if (T == 0)
        last = atomicAdd(&zero[0], 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        int sum = 0;
        for (int i = T; i < n; i += 32)
            sum += ((volatile int *)out)[i];
        zero[1 + T] = sum;
    }
}

KERNEL(right_last_block_inc, 4, 64)
{
    __shared__ unsigned ticket;
    __shared__ int part[64];
    part[T] = in[I];
    for (int half = 32; half; half /= 2) {
        __syncthreads();
        if (T < half)
            part[T] += part[T + half];
    }
    if (T == 0) {
        zero[16 + B] = part[0];
        __threadfence();
        ticket = atomicInc((unsigned *)zero, gridDim.x);
    }
    __syncthreads();
    if (ticket == gridDim.x - 1 && T == 0) {
        int sum = 0;
        for (int b = 0; b < (int)gridDim.x; b++)
            sum += zero[16 + b];
        out[0] = sum;
        zero[0] = 0;
    }
}

KERNEL(right_block_flag, 2, 32)
{
    volatile int *flag = zero;
    if (B == 0) {
        out[T] = in[T];
        __threadfence();
        __syncthreads();
        if (T == 0)
            *flag = 1;
    } else {
        if (T == 0) {
            while (!*flag)
                ;
            __threadfence();
        }
        __syncthreads();
        out[I] = out[T];
    }
}

KERNEL(right_look_back, 8, 32)
{
    volatile int *state = zero; /* 0: none yet; otherwise the prefix plus 1000000 */
    __shared__ int before;
    int sum = __reduce_add_sync(FULL, in[I]);
    if (T == 0) {
        int prefix = 0;
        if (B > 0) {
            int seen;
            while (!(seen = state[B - 1]))
                ;
            prefix = seen - 1000000;
        }
        state[B] = prefix + sum + 1000000;
        before = prefix;
    }
    __syncthreads();
    out[I] = before + in[I];
}

KERNEL(right_look_back_flags, 8, 32)
{
    volatile int *flag = zero, *value = zero + 64;
    __shared__ int before;
    int sum = __reduce_add_sync(FULL, in[I]);
    if (T == 0) {
        int prefix = 0;
        if (B > 0) {
            while (!flag[B - 1])
                ;
            __threadfence();
            prefix = value[B - 1];
        }
        value[B] = prefix + sum;
        __threadfence();
        flag[B] = 1;
        before = prefix;
    }
    __syncthreads();
    out[I] = before + in[I];
}

/* Compilers transform a longer loop into this form: the first load precedes the loop. */
KERNEL(right_look_back_first_round, 8, 32)
{
    volatile int *state = zero;
    __shared__ int before;
    if (T == 0) {
        int seen = B ? state[B - 1] : 1;
        while (!seen) {
            __nanosleep(20);
            seen = state[B - 1];
        }
        state[B] = seen + in[B] % 8;
        before = seen;
    }
    __syncthreads();
    out[I] = before;
}

/* A word contains the status and the value. All lanes of a warp read until each status is set. */
KERNEL(right_look_back_pairs, 8, 64)
{
    __shared__ int before;
    int2 *state = (int2 *)zero, seen = {1, 0};
    if (T < 32) {
        int2 *from = &state[B - 1 - T];
        if (T < B)
            asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];"
                         : "=r"(seen.x), "=r"(seen.y)
                         : "l"(from)
                         : "memory");
        while (__any_sync(FULL, !seen.x)) {
            __nanosleep(20);
            if (T < B)
                asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];"
                             : "=r"(seen.x), "=r"(seen.y)
                             : "l"(from)
                             : "memory");
        }
        int sum = __reduce_add_sync(FULL, seen.y);
        if (T == 0)
            before = sum;
    }
    if (T == 0)
        asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};" ::"l"(&state[B]), "r"(1),
                     "r"(in[B] % 8)
                     : "memory");
    __syncthreads();
    out[I] = before;
}

/* Elements move to the front of their array. A block writes after all earlier blocks have read. */
KERNEL(right_compacted_in_place, 4, 64)
{
    volatile int *total = zero; /* 1 + number of elements that remain up to this block */
    __shared__ int before;
    int *data = (int *)in, value = data[I], keep = T & 1;
    int count = __syncthreads_count(keep);
    if (T == 0) {
        while (B > 0 && !total[B - 1])
            ;
        before = B ? total[B - 1] - 1 : 0;
        total[B] = before + count + 1;
    }
    __syncthreads();
    if (keep)
        data[before + T / 2] = value;
}

KERNEL(right_grid_stride, 4, 32)
{
    for (int i = I; i < n; i += (int)(gridDim.x * blockDim.x))
        out[i] = 2 * in[i];
}

KERNEL(right_same_value_by_all, 4, 64)
{
    if (in[I] >= 0)
        zero[3] = 1; /* All threads that store write the same value. */
}

/* One level of a search. An element of the last level (7) marks each neighbour without a mark. */
KERNEL(right_marks, 4, 64)
{
    if (in[I] % 5 == 0 || zero[I] == 7)
        for (int i = 1; i < 3; i++)
            if (zero[(3 * I + i) % n] == 0) {
                zero[(3 * I + i) % n] = 2;
                zero[n] = 2;
            }
}

KERNEL(right_sieve, 4, 64)
{
    for (int i = 2 * (I + 2); I < 16 && !zero[I + 2] && i < n; i += I + 2)
        zero[i] = 1;
}

KERNEL(wrong_race_marks_of_two_kinds, 4, 64)
{
    if (zero[(I + 1) % n] == zero[(I + 2) % n])
        zero[I] = 1 + in[I] % 2;
}

KERNEL(wrong_race_marks_and_takes, 4, 64)
{
    if (!zero[in[I] % 8]) {
        zero[in[I] % 8] = 1;
        out[I] = I;
    }
}

KERNEL(wrong_race_marks_and_counts, 4, 64)
{
    if (!zero[in[I] % 8]) {
        zero[in[I] % 8] = 1;
        atomicAdd(&zero[100], 1);
    }
}

KERNEL(wrong_race_mark_and_value, 4, 64)
{
    if (!I)
        zero[0] = 1;
    if (zero[0])
        out[I] = in[I];
}

KERNEL(right_compare_and_swap_add, 4, 32)
{
    int seen = *(volatile int *)zero, old;
    do {
        old = seen;
        seen = atomicCAS(zero, old, old + in[I]);
    } while (seen != old);
}

KERNEL(right_compare_and_swap_plain, 4, 32)
{
    int old = zero[1], seen;
    do {
        seen = old;
        old = atomicCAS(&zero[1], seen, seen > in[I] ? seen : in[I]);
    } while (seen != old);
}

KERNEL(right_work_queue, 4, 32)
{
    for (;;) {
        int item = atomicAdd(zero, 1);
        if (item >= n)
            break;
        out[item] = in[item];
    }
}

KERNEL(right_append, 4, 32)
{
    if (in[I] % 3 == 0)
        out[atomicAdd(zero, 1)] = in[I];
}

KERNEL(right_grid_barrier, 4, 32)
{
    out[I] = in[I];
    __threadfence();
    __syncthreads();
    if (T == 0) {
        atomicAdd(zero, 1);
        while (atomicAdd(zero, 0) < (int)gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    zero[64 + I] = out[(I + 32) % n];
}

/* --- plain and atomic accesses -------- ------------------------------------------------------- */

KERNEL(wrong_race_count_warp, 1, 32)
{
    __shared__ int count;
    if (T == 0)
        count = 0;
    atomicAdd(&count, 1); /* The addition may come before the store. */
    __syncthreads();
    out[T] = count;
}

KERNEL(wrong_race_count, 1, 64)
{
    __shared__ int count;
    if (T == 0)
        count = 0;
    atomicAdd(&count, 1);
    __syncthreads();
    out[T] = count;
}

KERNEL(wrong_race_maximum_warp, 1, 32)
{
    __shared__ int maximum;
    if (T == 31)
        maximum = 0;
    atomicMax(&maximum, in[T]);
    __syncwarp();
    out[T] = maximum;
}

KERNEL(wrong_race_global_warp, 1, 32)
{
    if (T == 0)
        out[0] = 0;
    atomicAdd(&out[0], in[T]);
}

KERNEL(wrong_race_count_read_early, 1, 128)
{
    __shared__ int count;
    if (T == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, in[T]);
    out[T] = count;
}

KERNEL(wrong_race_global_count_read_early, 1, 128)
{
    atomicAdd(&zero[0], in[T]);
    out[T] = zero[0];
}

KERNEL(wrong_race_reset_behind, 1, 128)
{
    __shared__ int count;
    if (T == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, in[T]);
    __syncthreads();
    out[T] = count;
    if (T == 0)
        count = 0;
}

KERNEL(wrong_race_blocks_begin, 4, 64)
{
    if (T == 0)
        zero[B / 2] = in[I];
    __syncthreads();
    atomicAdd(&zero[B / 2], 1);
}

KERNEL(right_count, 1, 64)
{
    __shared__ int count;
    if (T == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[T] = count;
}

KERNEL(right_count_warp, 1, 32)
{
    __shared__ int count;
    if (T == 0)
        count = 0;
    __syncwarp();
    atomicAdd(&count, 1);
    __syncwarp();
    out[T] = count;
}

KERNEL(right_own_count, 1, 64)
{
    __shared__ int counts[64];
    counts[T] = 0;
    atomicAdd(&counts[T], 1);
    out[T] = counts[T];
}

KERNEL(right_warp_aggregated, 4, 64)
{
    bool wanted = in[I] % 2;
    unsigned mask = __ballot_sync(FULL, wanted);
    int lane = T % 32, base = 0;
    if (lane == 0)
        base = atomicAdd(zero, __popc(mask));
    base = __shfl_sync(FULL, base, 0);
    if (wanted)
        out[base + __popc(mask & ((1u << lane) - 1))] = in[I];
}

/* --- locks ------------------------------------------------------------------------------------ */

KERNEL(wrong_race_lock_of_nothing, 4, 32)
{
    if (T == 0) {
        while (*(volatile int *)&zero[0])
            ;
        *(volatile int *)&zero[0] = 1;
        zero[1] += in[I];
        *(volatile int *)&zero[0] = 0;
    }
}

KERNEL(wrong_race_early_unlock, 4, 32)
{
    if (T == 0) {
        while (atomicCAS(&zero[0], 0, 1))
            ;
        __threadfence();
        int sum = zero[1] + in[I];
        __threadfence();
        atomicExch(&zero[0], 0);
        zero[1] = sum;
    }
}

KERNEL(wrong_race_lock_no_fence, 4, 32)
{
    if (T == 0) {
        while (atomicCAS(&zero[0], 0, 1))
            ;
        zero[1] += in[I];
        atomicExch(&zero[0], 0);
    }
}

/* This is a race only if block 0 acquires the lock after block 1. */
KERNEL(wrong_race_lock_one_fence_missing, 2, 32)
{
    if (T == 0) {
        while (atomicCAS(&zero[0], 0, 1))
            ;
        if (B == 1)
            __threadfence();
        zero[1] += in[I];
        __threadfence();
        atomicExch(&zero[0], 0);
    }
}

/* Like the previous kernel, with a fence of the wrong scope. */
KERNEL(wrong_race_lock_one_fence_of_block, 3, 32)
{
    if (T == 0) {
        while (atomicExch(&zero[0], 1))
            ;
        if (B == 0)
            __threadfence_block();
        else
            __threadfence();
        zero[1] += in[I];
        __threadfence();
        atomicExch(&zero[0], 0);
    }
}

KERNEL(wrong_race_two_locks, 4, 32)
{
    if (T == 0) {
        int *lock = &zero[B % 2];
        while (atomicCAS(lock, 0, 1))
            ;
        __threadfence();
        zero[9] += in[I];
        __threadfence();
        atomicExch(lock, 0);
    }
}

KERNEL(wrong_race_late_lock, 4, 32)
{
    if (T == 0) {
        int sum = zero[1] + in[I];
        while (atomicCAS(&zero[0], 0, 1))
            ;
        __threadfence();
        zero[1] = sum;
        __threadfence();
        atomicExch(&zero[0], 0);
    }
}

KERNEL(right_lock, 4, 32)
{
    if (T == 0) {
        while (atomicCAS(&zero[0], 0, 1))
            ;
        __threadfence();
        zero[1] += in[I];
        __threadfence();
        atomicExch(&zero[0], 0);
    }
}

KERNEL(right_lock_every_thread, 2, 32)
{
    bool done = false;
    while (!done)
        if (atomicCAS(&zero[0], 0, 1) == 0) {
            __threadfence();
            zero[1] += in[I];
            __threadfence();
            atomicExch(&zero[0], 0);
            done = true;
        }
}

KERNEL(right_lock_shared, 1, 64)
{
    __shared__ int lock, sum;
    if (T == 0)
        lock = sum = 0;
    __syncthreads();
    bool done = false;
    while (!done)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum += in[T];
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    out[T] = sum;
}

KERNEL(right_ticket_lock, 4, 32)
{
    if (T == 0) {
        int mine = atomicAdd(&zero[0], 1);
        while (*(volatile int *)&zero[1] != mine)
            ;
        __threadfence();
        zero[2] += in[I];
        __threadfence();
        *(volatile int *)&zero[1] = mine + 1;
    }
}

KERNEL(right_stack, 2, 32)
{
    /* A stack of thread numbers + 1: zero[0] is the top, and zero[1 + i] is the item below i. */
    volatile int *below = zero + 1;
    int top;
    do {
        top = *(volatile int *)zero;
        below[I] = top;
        __threadfence();
    } while (atomicCAS(zero, top, I + 1) != top);
}

/* --- shared memory ---------------------------------------------------------------------------- */

KERNEL(wrong_race_reduction, 1, 256)
{
    __shared__ int sum[256];
    sum[T] = in[T];
    for (int half = 128; half; half /= 2)
        if (T < half)
            sum[T] += sum[T + half];
    if (T == 0)
        out[0] = sum[0];
}

KERNEL(wrong_race_tile_loop, 1, 64)
{
    __shared__ int tile[64];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[T] = in[(T + k) % n];
        __syncthreads();
        sum += tile[63 - T];
    } /* the next iteration overwrites elements that other threads still read */
    out[T] = sum;
}

KERNEL(wrong_race_scan, 1, 128)
{
    __shared__ int line[128];
    line[T] = in[T];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        if (T >= step)
            line[T] += line[T - step];
        __syncthreads();
    }
    out[T] = line[T];
}

KERNEL(wrong_race_transpose, 1, 256)
{
    __shared__ int tile[16][17];
    tile[T / 16][T % 16] = in[T];
    out[T] = tile[T % 16][T / 16];
}

KERNEL(wrong_race_shared_histogram, 1, 128)
{
    __shared__ int bins[8];
    if (T < 8)
        bins[T] = 0;
    __syncthreads();
    bins[in[T] % 8]++;
    __syncthreads();
    if (T < 8)
        out[T] = bins[T];
}

KERNEL(wrong_race_many_write, 1, 128)
{
    __shared__ int found;
    if (in[T] % 4 == 0)
        found = T;
    __syncthreads();
    out[T] = found;
}

KERNEL(wrong_race_last_warp, 1, 64)
{
    __shared__ int sum[64];
    sum[T] = in[T];
    __syncthreads();
    if (T < 32)
        for (int half = 32; half; half /= 2)
            sum[T] += sum[T + half];
    if (T == 0)
        out[0] = sum[0];
}

KERNEL(wrong_race_double_buffer, 1, 64)
{
    __shared__ int buffer[2][64];
    int sum = 0;
    buffer[0][T] = in[T];
    for (int k = 0; k < 4; k++) {
        if (k == 1)
            __syncthreads(); /* in one iteration only */
        buffer[~k & 1][T] = in[(T + k) % n];
        sum += buffer[k & 1][63 - T];
    }
    out[T] = sum;
}

KERNEL(wrong_race_warps_syncwarp, 1, 64)
{
    __shared__ int line[64];
    line[T] = in[T];
    __syncwarp();
    out[T] = line[63 - T];
}

KERNEL(wrong_race_broadcast, 1, 64)
{
    __shared__ int limit;
    if (T == 0)
        limit = in[5];
    out[T] = limit;
}

KERNEL(wrong_race_bitonic, 1, 64)
{
    __shared__ int key[64];
    key[T] = in[T];
    __syncthreads();
    for (int size = 2; size <= 64; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            int other = T ^ step;
            if (other > T && (key[T] > key[other]) == !(T & size)) {
                int swap = key[T];
                key[T] = key[other];
                key[other] = swap;
            }
        }
    __syncthreads();
    out[T] = key[T];
}

KERNEL(wrong_race_wide_and_narrow, 1, 64)
{
    __shared__ int4 wide[16];
    if (T < 16)
        wide[T] = make_int4(in[T], in[T + 1], in[T + 2], in[T + 3]);
    out[T] = ((int *)wide)[T];
}

KERNEL(wrong_race_barrier_in_the_middle, 1, 64)
{
    __shared__ int line[64];
    line[T] = in[T];
    __syncthreads();
    line[T] = line[(T + 1) % 64] + 1; /* the owner reads, then writes */
    __syncthreads();
    out[T] = line[T];
}

KERNEL(wrong_race_bytes, 1, 64)
{
    __shared__ unsigned char bytes[64];
    bytes[T] = (unsigned char)in[T];
    out[T] = bytes[63 - T];
}

KERNEL(wrong_race_dynamic_parts, 1, 64, 64 * 4)
{
    extern __shared__ int pool[];
    int *left = pool, *right = pool + 32; /* `left` has 64 elements and overlaps `right`. */
    left[T % 64] = in[T];
    if (T < 32)
        right[T] = in[T] + 1;
    __syncthreads();
    out[T] = left[T];
}

KERNEL(right_reduction, 1, 256)
{
    __shared__ int sum[256];
    sum[T] = in[T];
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (T < half)
            sum[T] += sum[T + half];
        __syncthreads();
    }
    if (T == 0)
        out[0] = sum[0];
}

KERNEL(right_last_warp, 1, 64)
{
    __shared__ int line[64];
    volatile int *sum = line;
    sum[T] = in[T];
    __syncthreads();
    if (T < 32) {
        int own = sum[T];
        for (int half = 32; half; half /= 2) {
            own += sum[T + half];
            __syncwarp();
            sum[T] = own;
            __syncwarp();
        }
    }
    if (T == 0)
        out[0] = sum[0];
}

KERNEL(right_tile_loop, 1, 64)
{
    __shared__ int tile[64];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[T] = in[(T + k) % n];
        __syncthreads();
        sum += tile[63 - T];
        __syncthreads();
    }
    out[T] = sum;
}

KERNEL(right_double_buffer, 1, 64)
{
    __shared__ int buffer[2][64];
    int sum = 0;
    buffer[0][T] = in[T];
    for (int k = 0; k < 4; k++) {
        __syncthreads();
        buffer[~k & 1][T] = in[(T + k) % n];
        sum += buffer[k & 1][63 - T];
    }
    out[T] = sum;
}

KERNEL(right_product, 4, 256)
{
    __shared__ int a[16][16], b[16][17];
    int row = T / 16, column = T % 16, sum = 0;
    for (int k = 0; k < 2; k++) {
        a[row][column] = in[row * 32 + k * 16 + column];
        b[row][column] = in[(k * 16 + row) * 32 + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += a[row][i] * b[i][column];
        __syncthreads();
    }
    out[I] = sum;
}

KERNEL(right_scan, 1, 128)
{
    __shared__ int line[2][128];
    int now = 0;
    line[0][T] = in[T];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        line[!now][T] = line[now][T] + (T >= step ? line[now][T - step] : 0);
        now = !now;
        __syncthreads();
    }
    out[T] = line[now][T];
}

KERNEL(right_scan_one_buffer, 1, 128)
{
    __shared__ int line[128];
    line[T] = in[T];
    for (int step = 1; step < 128; step *= 2) {
        __syncthreads();
        int more = T >= step ? line[T - step] : 0;
        __syncthreads();
        line[T] += more;
    }
    out[T] = line[T];
}

KERNEL(right_scan_blelloch, 1, 64)
{
    __shared__ int line[128];
    int offset = 1;
    line[2 * T] = in[T];
    line[2 * T + 1] = in[T] + 1;
    for (int d = 64; d; d /= 2) {
        __syncthreads();
        if (T < d)
            line[offset * (2 * T + 2) - 1] += line[offset * (2 * T + 1) - 1];
        offset *= 2;
    }
    if (T == 0)
        line[127] = 0;
    for (int d = 1; d < 128; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (T < d) {
            int left = offset * (2 * T + 1) - 1, right = offset * (2 * T + 2) - 1, was = line[left];
            line[left] = line[right];
            line[right] += was;
        }
    }
    __syncthreads();
    out[T] = line[2 * T] + line[2 * T + 1];
}

KERNEL(right_scan_padded_by_zeros, 1, 64)
{
    __shared__ int line[96];
    volatile int *mine = line + 16 + (T / 32) * 48 + T % 32;
    mine[-16] = 0;
    __syncwarp();
    int sum = in[T];
    mine[0] = sum;
    for (int step = 1; step < 32; step *= 2) {
        __syncwarp();
        int before = mine[-step];
        __syncwarp();
        mine[0] = sum += before;
    }
    out[T] = sum;
}

KERNEL(right_transpose, 4, 256)
{
    __shared__ int tile[16][17];
    tile[T / 16][T % 16] = in[I];
    __syncthreads();
    out[I] = tile[T % 16][T / 16];
}

KERNEL(right_transpose_swizzled, 4, 256)
{
    __shared__ int tile[256];
    int row = T / 16, column = T % 16;
    tile[row * 16 + (column ^ row)] = in[I];
    __syncthreads();
    out[I] = tile[column * 16 + (row ^ column)];
}

KERNEL(right_transpose_warp, 1, 32)
{
    __shared__ int tile[32][33];
    for (int k = 0; k < 32; k++)
        tile[k][T] = in[T] + k;
    __syncwarp();
    int sum = 0;
    for (int k = 0; k < 32; k++)
        sum += tile[T][k];
    out[T] = sum;
}

KERNEL(right_bitonic, 1, 64)
{
    __shared__ int key[64];
    key[T] = in[T];
    for (int size = 2; size <= 64; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            __syncthreads();
            int other = T ^ step;
            if (other > T && (key[T] > key[other]) == !(T & size)) {
                int swap = key[T];
                key[T] = key[other];
                key[other] = swap;
            }
        }
    __syncthreads();
    out[T] = key[T];
}

KERNEL(right_odd_even_sort, 1, 32)
{
    __shared__ int key[64];
    key[T] = in[T];
    key[T + 32] = in[T] + 1;
    for (int round = 0; round < 64; round++) {
        __syncthreads();
        int at = 2 * T + round % 2;
        if (at < 63 && key[at] > key[at + 1]) {
            int swap = key[at];
            key[at] = key[at + 1];
            key[at + 1] = swap;
        }
    }
    __syncthreads();
    out[T] = key[T];
}

KERNEL(right_radix_pass, 1, 64)
{
    __shared__ int line[65], sorted[64];
    int bit = in[T] & 1;
    line[T] = !bit;
    if (T == 0)
        line[64] = 0;
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
        int more = T >= step ? line[T - step] : 0;
        __syncthreads();
        line[T] += more;
        __syncthreads();
    }
    int zeros = line[63], before = T ? line[T - 1] : 0;
    sorted[bit ? zeros + T - before : before] = in[T];
    __syncthreads();
    out[T] = sorted[T];
}

KERNEL(right_stencil_halo, 4, 64)
{
    __shared__ int line[66];
    line[T + 1] = in[I];
    if (T == 0)
        line[0] = I ? in[I - 1] : 0;
    if (T == 63)
        line[65] = I + 1 < n ? in[I + 1] : 0;
    __syncthreads();
    out[I] = line[T] + line[T + 1] + line[T + 2];
}

KERNEL(right_same_value_shared, 1, 128)
{
    __shared__ int found;
    if (T == 0)
        found = 0;
    __syncthreads();
    if (in[T] % 4 == 0)
        found = 1;
    __syncthreads();
    out[T] = found;
}

KERNEL(right_bytes, 1, 64)
{
    __shared__ unsigned char bytes[64];
    bytes[T] = (unsigned char)in[T];
    __syncthreads();
    out[T] = bytes[63 - T];
}

KERNEL(right_shared_twice, 1, 64, 64 * 8)
{
    extern __shared__ int pool[];
    pool[T] = in[T];
    __syncthreads();
    int value = pool[63 - T];
    __syncthreads();
    ((double *)pool)[T] = value;
    __syncthreads();
    out[T] = (int)((double *)pool)[(T + 7) % 64];
}

KERNEL(right_reduction_sync_count, 1, 96)
{
    out[T] = __syncthreads_count(in[T] % 2) + __syncthreads_or(in[T] > 3) + __syncthreads_and(T < 5);
}

KERNEL(right_early_return, 1, 96)
{
    __shared__ int line[96];
    if (T >= 90)
        return;
    line[T] = in[T];
    __syncthreads();
    out[T] = line[89 - T];
}

KERNEL(right_last_warp_shuffles, 1, 256)
{
    __shared__ int part[8];
    int sum = in[T];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(FULL, sum, step);
    if (T % 32 == 0)
        part[T / 32] = sum;
    __syncthreads();
    if (T < 32) {
        sum = T < 8 ? part[T] : 0;
        for (int step = 4; step; step /= 2)
            sum += __shfl_down_sync(FULL, sum, step);
        if (T == 0)
            out[0] = sum;
    }
}

/* --- lanes of a warp, and parts of a block ---------------------------------------------------- */

KERNEL(wrong_race_half_syncwarp, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    if (T < 16)
        __syncwarp(0xffff);
    else
        __syncwarp(0xffff0000u);
    out[T] = line[31 - T];
}

KERNEL(wrong_race_some_syncwarp, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    if (T < 8)
        __syncwarp(0xff);
    if (T < 8)
        out[T] = line[T + 8];
}

KERNEL(wrong_race_groups_of_eight, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    __syncwarp(0xffu << (T / 8 * 8));
    out[T] = line[T ^ 8];
}

KERNEL(wrong_race_shuffle_orders_nothing, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    int value = __shfl_xor_sync(FULL, T, 1);
    out[T] = line[31 - T] + value;
}

/* All lanes have read their values when they pass the values to a shuffle. */
KERNEL(right_sums_in_place, 1, 64)
{
    __shared__ int line[64];
    line[T] = in[T];
    __syncthreads();
    if (T < 32) {
        int sum = T ? line[T - 1] : 0;
        for (int step = 1; step < 32; step *= 2) {
            int before = __shfl_up_sync(FULL, sum, step);
            sum += T >= step ? before : 0;
        }
        line[T] = sum;
    }
    __syncthreads();
    out[T] = line[T];
}

KERNEL(right_vote_in_place, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    __syncwarp();
    line[T] = (int)__ballot_sync(FULL, line[31 - T] & 1);
    __syncwarp();
    out[T] = line[T];
}

/* The values are not passed to a shuffle. */
KERNEL(wrong_race_in_place_beside_shuffle, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    __syncwarp();
    int next = line[(T + 1) % 32];
    int value = __shfl_xor_sync(FULL, T, 1);
    line[T] = next + value;
    __syncwarp();
    out[T] = line[T];
}

/* The values are passed to a shuffle of half a warp. */
KERNEL(wrong_race_in_place_halves, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    __syncwarp();
    int next = line[(T + 1) % 32];
    line[T] = __shfl_xor_sync(T < 16 ? 0xffffu : 0xffff0000u, next, 1);
    __syncwarp();
    out[T] = line[T];
}

/* The values are passed to a shuffle only after the store. */
KERNEL(wrong_race_in_place_too_early, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    __syncwarp();
    int next = line[(T + 1) % 32];
    line[T] = 3 * next;
    next = __shfl_xor_sync(FULL, next, 1);
    __syncwarp();
    out[T] = line[T] + next;
}

/* The shuffle orders only the lanes of one warp. */
KERNEL(wrong_race_total_of_before, 1, 64)
{
    __shared__ int totals[2];
    int value = in[T];
    for (int round = 0; round < 2; round++) {
        for (int step = 16; step; step /= 2)
            value += __shfl_xor_sync(FULL, value, step);
        if (T % 32 == 0)
            totals[T / 32] = value;
        __syncthreads();
        value = totals[0] + totals[1] + in[T];
    }
    out[T] = value;
}

#define BARRIER(id, count) asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory")
#define ARRIVE(id, count) asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(count) : "memory")

KERNEL(wrong_race_named_halves, 1, 128)
{
    __shared__ int line[128];
    line[T] = in[T];
    BARRIER(1 + T / 64, 64);
    out[T] = line[127 - T];
}

KERNEL(wrong_race_arrive_and_read, 1, 64)
{
    __shared__ int line[64];
    line[T] = in[T];
    if (T < 32) {
        ARRIVE(1, 64);
        out[T] = line[T + 32]; /* threads that only arrive do not wait */
    } else {
        BARRIER(1, 64);
    }
}

KERNEL(right_half_syncwarp, 1, 32)
{
    __shared__ int line[32];
    line[T] = in[T];
    if (T < 16)
        __syncwarp(0xffff);
    else
        __syncwarp(0xffff0000u);
    out[T] = line[T ^ 15];
}

KERNEL(right_groups_of_eight, 1, 64)
{
    __shared__ int line[64];
    line[T] = in[T];
    __syncwarp(0xffu << (T % 32 / 8 * 8));
    out[T] = line[T ^ 7];
}

KERNEL(right_named_halves, 1, 128)
{
    __shared__ int line[128];
    line[T] = in[T];
    BARRIER(1 + T / 64, 64);
    out[T] = line[T ^ 63];
}

KERNEL(right_producer, 1, 64)
{
    __shared__ int line[32];
    for (int k = 0; k < 4; k++)
        if (T < 32) {
            line[T] = in[T] + k;
            ARRIVE(1, 64); /* the buffer is full */
            BARRIER(2, 64); /* the buffer is empty */
        } else {
            BARRIER(1, 64);
            out[T] = line[63 - T];
            ARRIVE(2, 64);
        }
}

KERNEL(right_warp_exchange, 1, 64)
{
    __shared__ int line[64];
    int value = in[T];
    for (int k = 0; k < 4; k++) {
        line[T] = value;
        __syncwarp();
        value = line[T ^ 1] + k;
        __syncwarp();
    }
    out[T] = value;
}

namespace cg = cooperative_groups;

KERNEL(wrong_race_tiles_of_16, 1, 64)
{
    __shared__ int line[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    line[T] = in[T];
    tile.sync();
    out[T] = line[T ^ 16];
}

KERNEL(wrong_race_tile_of_the_warp, 1, 64)
{
    __shared__ int line[64];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    line[T] = in[T];
    tile.sync();
    out[T] = line[63 - T];
}

/* The copy itself arrives at the barrier. */
KERNEL(right_copy_to_barrier, 1, 64)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> here;
    __shared__ int s[64];
    if (T == 0)
        init(&here, 64);
    __syncthreads();
    cuda::memcpy_async(&s[T], &in[T], sizeof(int), here);
    here.arrive_and_wait();
    out[T] = s[63 - T];
}

KERNEL(wrong_race_copy_to_barrier_not_awaited, 1, 64)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> here;
    __shared__ int s[64];
    if (T == 0)
        init(&here, 64);
    s[T] = 0;
    __syncthreads();
    cuda::memcpy_async(&s[T], &in[T], sizeof(int), here);
    auto token = here.arrive();
    out[T] = s[63 - T];
    here.wait(std::move(token));
}

template <int STAGES, bool WAITS, bool EARLY> __device__ void pipelined(int *out, const int *in)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ int s[STAGES][64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int tile = 0, next = 0; tile < 2; tile++) {
        for (; next < 2 && next < tile + STAGES; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % STAGES], in, sizeof s[0], pipe);
            pipe.producer_commit();
        }
        if (WAITS)
            pipe.consumer_wait();
        if (EARLY)
            pipe.consumer_release();
        out[T] = s[tile % STAGES][63 - T];
        if (!EARLY)
            pipe.consumer_release();
    }
}
KERNEL(right_pipeline, 1, 64) { pipelined<2, true, false>(out, in); }
KERNEL(right_pipeline_of_one, 1, 64) { pipelined<1, true, false>(out, in); }
KERNEL(wrong_race_pipeline_released_early, 1, 64) { pipelined<1, true, true>(out, in + T / 64); }

KERNEL(right_tiles_of_64, 1, 128)
{
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    __shared__ int s[128];
    s[T] = in[T];
    tile.sync();
    out[T] = s[T ^ 63] + cg::reduce(tile, in[T], cg::plus<int>());
}

KERNEL(wrong_race_tiles_of_64, 1, 128)
{
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    __shared__ int s[128];
    s[T] = in[T];
    tile.sync();
    out[T] = s[127 - T];
}

KERNEL(wrong_race_barrier_of_no_wait, 1, 64)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ int line[64];
    if (T == 0)
        init(&all, 64);
    __syncthreads();
    line[T] = in[T];
    auto token = all.arrive();
    out[T] = line[63 - T];
    all.wait(std::move(token));
}

KERNEL(right_tiles_of_16, 1, 64)
{
    __shared__ int line[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    line[T] = in[T];
    tile.sync();
    out[T] = line[T ^ 15] + cg::reduce(tile, in[T], cg::plus<int>());
}

KERNEL(right_coalesced_group, 1, 64)
{
    if (in[T] % 3) {
        auto active = cg::coalesced_threads();
        int place = 0;
        if (active.thread_rank() == 0)
            place = atomicAdd(zero, (int)active.size());
        out[active.shfl(place, 0) + (int)active.thread_rank()] = in[T];
    }
}

KERNEL(right_barrier_object, 1, 64)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ int line[64];
    if (T == 0)
        init(&all, 64);
    __syncthreads();
    line[T] = in[T];
    all.arrive_and_wait();
    out[T] = line[63 - T];
}

/* --- shuffles and votes ----------------------------------------------------------------------- */

__device__ int sum_down(unsigned mask, int value, int from)
{
    for (int step = from; step; step /= 2)
        value += __shfl_down_sync(mask, value, step);
    return value;
}

KERNEL(wrong_uninitialised_mask, 1, 64)
{
    int value = in[T];
    if (T < 8) {
        value = sum_down(0xff, value, 16); /* Lanes 8 to 23 are not in the mask. */
        if (T == 0)
            out[0] = value;
    }
}

KERNEL(wrong_uninitialised_part, 1, 20)
{
    int value = sum_down(FULL, in[T], 16); /* The warp has 20 lanes. */
    if (T == 0)
        out[0] = value;
}

KERNEL(wrong_uninitialised_left, 1, 64)
{
    if (T % 32 >= 24)
        return; /* The lane no longer participates. */
    out[T] = __shfl_sync(FULL, in[T], (T + 8) % 32);
}

KERNEL(wrong_uninitialised_xor, 1, 64)
{
    if (T < 16)
        out[T] = __shfl_xor_sync(0xffff, in[T], 16);
}

KERNEL(wrong_uninitialised_pad_warp, 1, 32)
{
    __shared__ int line[33];
    line[T] = in[T];
    __syncwarp();
    int next = line[T + 1];
    out[T] = __shfl_xor_sync(FULL, next, 1); /* Lane 30 receives the value that lane 31 read. */
}

KERNEL(wrong_deadlock_divergent_shuffle, 1, 32)
{
    int value = in[T];
    if (in[T] % 2) {
        value += __shfl_xor_sync(FULL, value, 2);
        out[T] = value;
    }
    __syncthreads();
    out[T] = value;
}

KERNEL(wrong_deadlock_divergent_ballot, 1, 64)
{
    if (T % 32 < 7)
        out[T] = (int)__ballot_sync(FULL, in[T] > 5);
    __syncwarp();
    zero[T] = 1;
}

KERNEL(wrong_deadlock_mask_without_me, 1, 32)
{
    out[T] = __shfl_sync(0xffff, in[T], 0);
}

KERNEL(right_half, 1, 64)
{
    if (T < 16) {
        int value = sum_down(0xffff, in[T], 8); /* the values of lanes 8 to 15 are not used */
        if (T == 0)
            out[0] = value;
    }
}

KERNEL(right_sum, 1, 64)
{
    int value = sum_down(FULL, in[T], 16);
    if (T % 32 == 0)
        out[T / 32] = value;
}

KERNEL(right_pad_warp, 1, 32)
{
    __shared__ int line[33];
    line[T] = in[T];
    __syncwarp();
    int next = line[T + 1]; /* lane 31 reads an uninitialized value and passes it to no lane */
    int value = __shfl_up_sync(FULL, next, 1);
    out[T] = T ? value : 0;
}

KERNEL(right_shuffle_scan, 1, 64)
{
    int sum = in[T];
    for (int step = 1; step < 32; step *= 2) {
        int before = __shfl_up_sync(FULL, sum, step);
        if (T % 32 >= step)
            sum += before;
    }
    out[T] = sum;
}

KERNEL(right_shuffle_segments, 1, 64)
{
    int sum = in[T];
    for (int step = 4; step; step /= 2)
        sum += __shfl_down_sync(FULL, sum, step, 8);
    out[T] = __shfl_sync(FULL, sum, 0, 8);
}

KERNEL(right_ballot_then_group, 1, 64)
{
    unsigned mask = __ballot_sync(FULL, in[T] % 2);
    if (in[T] % 2)
        out[T] = __shfl_sync(mask, in[T], __ffs((int)mask) - 1);
}

KERNEL(right_match, 1, 64)
{
    unsigned peers = __match_any_sync(FULL, in[T] % 4);
    int leader = __ffs((int)peers) - 1;
    int value = 0;
    if (T % 32 == leader)
        value = atomicAdd(&zero[in[T] % 4], __popc(peers));
    out[T] = __shfl_sync(peers, value, leader);
}

KERNEL(right_last_lanes_padded, 1, 50)
{
    /* The last warp has 18 lanes, and its mask contains only these lanes. */
    unsigned mask = __ballot_sync(__activemask(), true);
    int value = in[T];
    for (int step = 16; step; step /= 2) {
        int other = __shfl_down_sync(mask, value, step);
        if (T % 32 + step < __popc(mask))
            value += other;
    }
    out[T] = value;
}

/* --- local arrays ----------------------------------------------------------------------------- */

KERNEL(wrong_uninitialised_local_sum, 1, 64)
{
    int parts[8], sum = 0;
    for (int k = 0; k < in[T] % 8; k++)
        parts[in[k] % 8] = in[T];
    for (int k = 0; k < n / 8; k++)
        sum += parts[k % 8];
    out[T] = sum;
}

KERNEL(wrong_uninitialised_local_bins, 1, 64)
{
    int bins[16];
    for (int k = 0; k < 8; k++)
        bins[in[(T + k) % n] % 16]++;
    out[T] = bins[in[T] % 16];
}

__device__ __noinline__ void fill(int *values, int count)
{
    for (int k = 0; k < count; k++)
        values[k] = k;
}

KERNEL(wrong_uninitialised_local_filled, 1, 64)
{
    int values[8];
    fill(values, n / 8 - 1); /* one element is skipped */
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += values[k];
    out[T] = sum;
}

KERNEL(wrong_uninitialised_local_index, 1, 64)
{
    int next[4];
    next[in[T] % 3] = T;
    out[next[3 - in[0] * 0] % n] = 1;
}

KERNEL(right_local_array, 1, 64)
{
    int bins[16], most = 0;
    for (int k = 0; k < 16; k++)
        bins[k] = 0;
    for (int k = 0; k < 8; k++)
        bins[in[(T + k) % n] % 16]++;
    for (int k = 0; k < 16; k++)
        most = bins[k] > most ? bins[k] : most;
    out[T] = most;
}

KERNEL(right_local_filled, 1, 64)
{
    int values[8];
    fill(values, n / 8);
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += values[k];
    out[T] = sum;
}

struct padded {
    char tag;
    int value;
};

KERNEL(right_padding_copied, 1, 64)
{
    padded held[4];
    for (int k = 0; k < 4; k++) {
        held[k].tag = (char)k;
        held[k].value = in[T];
    }
    padded copy = held[in[T] % 4]; /* the padding of `copy` is uninitialized */
    ((padded *)zero)[T] = copy;
    out[T] = copy.value + copy.tag;
}

KERNEL(right_local_stack, 1, 64)
{
    int stack[8], top = 0, sum = 0;
    stack[top++] = in[T] % 8;
    while (top) {
        int item = stack[--top];
        sum += item;
        if (item > 1) {
            stack[top++] = item / 2;
            if (item % 2)
                stack[top++] = item / 4;
        }
    }
    out[T] = sum;
}

KERNEL(right_local_part_used, 1, 64)
{
    int values[16], count = in[T] % 8 + 1;
    for (int k = 0; k < count; k++)
        values[k] = in[T] + k;
    for (int k = 0; k < 16; k++) {
        int value = values[k];
        out[T] = k < count ? value : 0;
    }
}

/* --- bounds of arrays ------------------------------------------------------------------------- */

KERNEL(wrong_out_of_bounds_behind, 4, 64)
{
    out[I + 1] = in[I];
}

KERNEL(wrong_out_of_bounds_before, 4, 64)
{
    out[I] = in[I - 1];
}

KERNEL(wrong_out_of_bounds_no_guard, 1, 64)
{
    for (int i = T; i < n + 32; i += 32)
        out[i] = in[T];
}

KERNEL(wrong_out_of_bounds_null, 1, 32)
{
    int *pointer = *(int **)zero;
    pointer[T] = 1;
}

KERNEL(wrong_out_of_bounds_dynamic_shared, 1, 64, 64 * 4)
{
    extern __shared__ int pool[];
    pool[T + 1] = in[T];
    __syncthreads();
    out[T] = pool[T + 1];
}

KERNEL(wrong_out_of_bounds_no_dynamic_shared, 1, 64)
{
    extern __shared__ int pool[];
    pool[T] = in[T];
    out[T] = pool[T];
}

KERNEL(wrong_out_of_bounds_static_shared, 1, 64)
{
    __shared__ int line[60];
    line[T] = in[T];
    __syncthreads();
    out[T] = line[T / 2];
}

KERNEL(wrong_out_of_bounds_local, 1, 32)
{
    int values[4];
    fill(values, 4 + n / 32);
    out[T] = values[in[T] % 4];
}

KERNEL(wrong_out_of_bounds_next_array, 1, 32)
{
    __shared__ int first[32], second[32];
    first[T] = in[T];
    second[T] = 2 * in[T];
    __syncthreads();
    out[T] = first[T + n / 32] + second[31 - T]; /* The element past the end is in the other array. */
}

KERNEL(wrong_out_of_bounds_written_into_next, 1, 64)
{
    __shared__ int first[32], second[64];
    second[T] = 1;
    __syncthreads();
    first[T] = in[T];
    __syncthreads();
    out[T] = second[T] + first[T % 32];
}

KERNEL(wrong_out_of_bounds_previous_array, 1, 32)
{
    __shared__ int first[32], second[32];
    first[T] = in[T];
    second[T] = 2 * in[T];
    __syncthreads();
    out[T] = second[T - n / 32] + first[31 - T];
}

KERNEL(wrong_out_of_bounds_row, 1, 32)
{
    __shared__ int tile[4][32], sums[4];
    if (T < 4)
        sums[T] = 0;
    for (int k = 0; k <= n / 8; k++) /* five rows of four */
        tile[k][T] = in[T];
    __syncthreads();
    out[T] = tile[T % 4][T] + sums[T % 4];
}

__device__ __noinline__ int *own_place(int value)
{
    volatile int place[4] = {value, value + 1, value + 2, value + 3};
    return (int *)&place[value & 1];
}

KERNEL(wrong_out_of_bounds_use_after_return, 1, 32)
{
    int *place = own_place(in[T]);
    out[T] = *place;
}

__device__ int deep(const int *in, int k)
{
    volatile int local[64];
    local[k % 64] = in[k % 32];
    return k > 1000000 ? 0 : deep(in, k + 1) + local[k % 64];
}

KERNEL(wrong_out_of_bounds_stack, 1, 32)
{
    out[T] = deep(in, n);
}

KERNEL(right_shared_neighbours, 1, 32)
{
    __shared__ int first[32], second[32];
    first[T] = in[T];
    second[T] = 2 * in[T];
    __syncthreads();
    int *chosen = in[T] % 2 ? first : second; /* Threads choose different arrays. */
    out[T] = chosen[31 - T];
}

struct both {
    int first[32], second[32];
};

KERNEL(right_members_by_one_loop, 1, 32)
{
    __shared__ both pair;
    pair.first[T] = in[T];
    pair.second[T] = 2 * in[T];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 64; k++)
        sum += ((int *)&pair)[k];
    out[T] = sum;
}

KERNEL(right_one_based, 1, 32)
{
    __shared__ int first[32], line[32];
    int *from_one = line - 1; /* an address before the array that is never dereferenced */
    first[T] = in[T];
    from_one[T + 1] = in[T];
    __syncthreads();
    out[T] = from_one[32 - T] + first[31 - T];
}

__device__ __noinline__ void add_to(int *place, int value)
{
    place[0] += value;
}

KERNEL(right_pointer_to_caller, 1, 32)
{
    int sum[2] = {0, 0};
    add_to(&sum[in[T] % 2], 3);
    add_to(&sum[1], 4);
    out[T] = sum[0] + sum[1];
}

__device__ __noinline__ int fibonacci(int k)
{
    return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}

KERNEL(right_recursion, 1, 32)
{
    out[T] = fibonacci(in[T] % 8);
}

/* --- uninitialized reads ---------------------------------------------------------------------- */

KERNEL(wrong_uninitialised_output_added, 4, 32)
{
    out[I] += in[I];
}

KERNEL(wrong_uninitialised_output_counted, 4, 32)
{
    atomicAdd(&out[I], in[I]);
}

KERNEL(wrong_uninitialised_shared_sum, 1, 64)
{
    __shared__ int sum;
    atomicAdd(&sum, in[T]);
    __syncthreads();
    out[T] = sum;
}

KERNEL(wrong_uninitialised_halo, 1, 64)
{
    __shared__ int line[66];
    line[T + 1] = in[T];
    __syncthreads();
    out[T] = line[T] + line[T + 2];
}

KERNEL(wrong_uninitialised_condition, 1, 64)
{
    __shared__ int flags[65];
    flags[T] = in[T];
    __syncthreads();
    if (flags[T + 1])
        out[T] = 1;
}

KERNEL(wrong_uninitialised_passed_on, 1, 64)
{
    __shared__ int line[65], sums[64];
    line[T] = in[T];
    __syncthreads();
    sums[T] = line[T] + line[T + 1]; /* One element is uninitialized. */
    __syncthreads();
    out[T] = sums[63 - T]; /* The uninitialized sum is stored. */
}

KERNEL(right_padding_passed_on, 1, 64)
{
    __shared__ int line[65], sums[65];
    line[T] = in[T];
    __syncthreads();
    sums[T] = line[T + 1]; /* the last element is uninitialized and not used */
    __syncthreads();
    if (T < 63)
        out[T] = sums[T];
}

KERNEL(right_selected, 1, 64)
{
    __shared__ int line[65];
    line[T] = in[T];
    __syncthreads();
    int next = line[T + 1];
    out[T] = T == 63 ? 0 : next;
}

KERNEL(right_written_then_added, 4, 32)
{
    out[I] = 0;
    out[I] += in[I];
    atomicAdd(&out[I], 1);
}

KERNEL(right_exchanged, 4, 32)
{
    atomicExch(&out[I], in[I]);
}

KERNEL(right_row_read_whole, 1, 32)
{
    __shared__ int4 line[9];
    ((int *)line)[T] = in[T];
    __syncwarp();
    int4 wide = line[T / 4];
    out[T] = wide.x + wide.w;
}

KERNEL(right_both_sides, 1, 64)
{
    int value;
    if (in[T] % 2)
        value = in[T];
    else
        value = -in[T];
    out[T] = value;
}

KERNEL(wrong_uninitialised_half_copied, 1, 64, 0, HALF)
{
    out[T] = in[T];
}

KERNEL(wrong_uninitialised_by_other_kernel, 1, 64, 0, LATER)
{
    zero[T] = out[T]; /* the previous kernel wrote other elements */
}

KERNEL(right_half_read, 1, 64, 0, HALF)
{
    out[T] = T < n / 2 ? in[T] : 0;
}

KERNEL(right_after_other_kernel, 1, 64, 0, LATER)
{
    out[T] = zero[T];
}

/* --- malloc() in kernels ---------------------------------------------------------------------- */

/* All threads share one heap block. Each thread writes one element and reads another element. */
template <bool waits_to_read, bool waits_to_free>
__device__ void share_block(int *out, const int *in)
{
    __shared__ int *block;
    if (T == 0)
        block = (int *)malloc(blockDim.x * sizeof *block);
    __syncthreads();
    block[T] = in[T];
    if (waits_to_read)
        __syncthreads();
    out[T] = block[waits_to_read ? blockDim.x - 1 - T : T];
    if (waits_to_free)
        __syncthreads();
    if (T == 0)
        free(block);
}

KERNEL(right_heap_block_shared, 2, 64) { share_block<true, true>(out + 64 * B, in); }
KERNEL(wrong_race_heap_block_freed_early, 1, 32) { share_block<false, false>(out, in); }

KERNEL(wrong_race_heap_block_no_barrier, 1, 64)
{
    __shared__ int *block;
    if (T == 0)
        block = new int[64];
    __syncthreads();
    block[T] = in[T];
    out[T] = block[63 - T];
    __syncthreads();
    if (T == 0)
        delete[] block;
}

KERNEL(wrong_race_heap_sum, 1, 64)
{
    __shared__ int *sum;
    if (T == 0)
        sum = new int(0);
    __syncthreads();
    *sum += in[T];
    __syncthreads();
    out[T] = *sum;
}

KERNEL(right_heap_sum, 1, 64)
{
    __shared__ int *sum;
    if (T == 0)
        sum = new int(0);
    __syncthreads();
    atomicAdd(sum, in[T]);
    __syncthreads();
    out[T] = *sum;
}

KERNEL(wrong_uninitialised_heap_block, 1, 32)
{
    int *block = new int[4];
    block[0] = in[T];
    out[T] = block[in[T] % 4];
    delete[] block;
}

struct element {
    int value;
    element *next;
};

/* Memory that a thread frees is allocated by another thread. */
KERNEL(right_heap_lists, 4, 32)
{
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        element *list = NULL;
        for (int k = 0; k < 4; k++)
            list = new element{in[I] + k, list};
        while (list) {
            element *first = list;
            sum += first->value;
            list = first->next;
            delete first;
        }
    }
    out[I] = sum;
}

/* --- examples from instructors ---------------------------------------------------------------- */

template <int padded> __device__ void sum_of_odd_block(int *out, const int *in)
{
    __shared__ int part[128];
    part[T] = in[T];
    if (T < padded)
        part[blockDim.x + T] = 0;
    __syncthreads();
    for (int half = 64; half; half /= 2) {
        if (T < half)
            part[T] += part[T + half];
        __syncthreads();
    }
    if (T == 0)
        out[0] = part[0];
}

KERNEL(wrong_uninitialised_sum_of_odd_block, 1, 100) { sum_of_odd_block<0>(out, in); }
KERNEL(right_sum_of_odd_block, 1, 100) { sum_of_odd_block<28>(out, in); }

struct __align__(16) triple {
    float x, y, z;
};

KERNEL(right_padded_vector_copied, 1, 32)
{
    __shared__ triple line[32];
    line[T] = triple{(float)in[T], 1, 2};
    __syncthreads();
    ((triple *)zero)[T] = line[31 - T];
}

KERNEL(wrong_uninitialised_vector_element_computed, 1, 32)
{
    __shared__ int line[33];
    line[T] = in[T];
    __syncthreads();
    ((int4 *)zero)[T] = make_int4(line[T], 1, 2, line[T + 1] + 1);
}

/* The flag of a loop is cleared for the next iteration while other threads still test it. */
template <bool waits> __device__ void while_any(int *counts, const int *in)
{
    __shared__ int more;
    int again;
    do {
        if (T == 0)
            more = 0;
        __syncthreads();
        if (counts[T] < in[T] % 3) {
            counts[T]++;
            more = 1;
        }
        __syncthreads();
        again = more;
        if (waits)
            __syncthreads();
    } while (again);
}

KERNEL(wrong_race_loop_flag_cleared, 1, 64) { while_any<false>(zero, in); }
KERNEL(right_loop_flag_cleared, 1, 64) { while_any<true>(zero, in); }

template <bool waits> __device__ void split_by_bit(int *out, const int *in)
{
    __shared__ int counts[2];
    if (T < 2)
        counts[T] = 0;
    __syncthreads();
    int bit = in[T] & 1, place = atomicAdd(&counts[bit], 1);
    if (waits)
        __syncthreads();
    out[bit ? counts[0] + place : place] = in[T];
}

KERNEL(wrong_race_split_before_counted, 1, 128) { split_by_bit<false>(out, in); }
KERNEL(right_split, 1, 128) { split_by_bit<true>(out, in); }

/* A buffer of two elements. If `waits`, the producer waits for its consumer. */
template <bool waits> __device__ void ring(int *out, const int *in)
{
    __shared__ int places[2];
    __shared__ volatile int written, read;
    if (T == 0)
        written = read = 0;
    __syncthreads();
    for (int k = 0; T == 0 && k < 8; k++) {
        while (waits && k - read >= 2)
            ;
        __threadfence_block();
        places[k % 2] = in[k];
        __threadfence_block();
        written = k + 1;
    }
    int sum = 0;
    for (int k = 0; T == 32 && k < 8; k++) {
        while (written <= k)
            ;
        __threadfence_block();
        sum += places[k % 2];
        __threadfence_block();
        read = k + 1;
    }
    if (T == 32)
        out[0] = sum;
}

KERNEL(wrong_race_ring_overtaken, 1, 64) { ring<false>(out, in); }
KERNEL(right_ring, 1, 64) { ring<true>(out, in); }

/* A barrier does not wait for returned threads (since compute capability 7.0). */
KERNEL(right_returned_before_barrier, 1, 100)
{
    __shared__ int line[100];
    if (T >= 90)
        return;
    line[T] = in[T];
    __syncthreads();
    out[T] = line[89 - T];
}

/* --- memory that an earlier launch did not initialize ----------------------------------------- */

static void there_and_back(kernel *function, int *out, int *in, int *zero, int n)
{
    for (int k = 0; k < 4; k++) {
        function<<<n / 64, 64>>>(k % 2 ? in : out, k % 2 ? out : in, zero, n);
    }
}

KERNEL(wrong_uninitialised_border_of_second, 4, 64, there_and_back)
{
    if (I > 0 && I < n - 1)
        out[I] = in[I - 1] + in[I] + in[I + 1];
}

KERNEL(right_border_of_second, 4, 64, there_and_back)
{
    out[I] = I > 0 && I < n - 1 ? in[I - 1] + in[I] + in[I + 1] : in[I];
}

KERNEL(right_border_never_read, 4, 64, there_and_back)
{
    if (I > 0 && I < n - 1)
        out[I] = 2 * in[I];
}

__global__ void write_even_bytes(char *bytes, int n)
{
    if (I < n)
        bytes[2 * I] = (char)I;
}

static void even_bytes_first(kernel *function, int *out, int *in, int *zero, int n)
{
    write_even_bytes<<<n / 32, 64>>>((char *)out, 2 * n);
    function<<<n / 64, 64>>>(out, in, zero, n);
}

KERNEL(wrong_uninitialised_odd_bytes, 1, 64, even_bytes_first)
{
    zero[T] = ((char *)out)[2 * T + 1];
}

KERNEL(right_even_bytes, 1, 64, even_bytes_first)
{
    zero[T] = ((char *)out)[2 * T];
}

KERNEL(right_half_written_words, 1, 64, even_bytes_first)
{
    zero[T] = out[T] & 0x00ff00ff;
}

__global__ void write_rows(int *out, int pitch, int width)
{
    if (T < width)
        out[B * pitch + T] = T;
}

/* Write rows of 48 elements with a pitch of 64, and copy all bytes. */
static void rows_first(kernel *function, int *out, int *in, int *zero, int n)
{
    int *copy;
    cudaMalloc(&copy, n * sizeof *copy);
    cudaMemset2D(out, 64 * sizeof *out, 0, 32 * sizeof *out, n / 64);
    write_rows<<<n / 64, 64>>>(out, 64, 48);
    cudaMemcpy(copy, out, n * sizeof *copy, cudaMemcpyDeviceToDevice);
    function<<<n / 64, 64>>>(copy, in, zero, n);
}

KERNEL(wrong_uninitialised_ends_of_rows, 4, 64, rows_first)
{
    zero[I] = out[I];
}

KERNEL(right_rows_without_ends, 4, 64, rows_first)
{
    if (T < 48)
        zero[I] = out[I];
}

/* Only some of the bins are cleared. */
__global__ void clear(int *bins, int n)
{
    if (I < n)
        bins[I] = 0;
}

static void bins_first(kernel *function, int *out, int *in, int *zero, int n)
{
    clear<<<1, 64>>>(out, 16);
    function<<<n / 64, 64>>>(out, in, zero, n);
}

KERNEL(wrong_uninitialised_bins_cleared_in_part, 4, 64, bins_first)
{
    atomicAdd(&out[in[I] % 20], 1);
}

KERNEL(right_bins_cleared, 4, 64, bins_first)
{
    atomicAdd(&out[in[I] % 16], 1);
}

/* --- unsynchronized streams ---------------------------------------------------------- */

__global__ void number(int *to, int n)
{
    if (I < n)
        to[I] = I + 1;
}

struct streams {
    cudaStream_t one, other, unblocked;
    cudaEvent_t event;
    streams()
    {
        cudaStreamCreate(&one);
        cudaStreamCreate(&other);
        cudaStreamCreateWithFlags(&unblocked, cudaStreamNonBlocking);
        cudaEventCreate(&event);
        cudaDeviceSynchronize();
    }
};

#define STREAMS(name)                                                                              \
    static void name(kernel *function, int *out, int *in, int *zero, int n)                        \
    {                                                                                              \
        streams s;                                                                                 \
        int blocks = n / 64;
#define END_STREAMS }

STREAMS(written_in_other)
    number<<<blocks, 64, 0, s.one>>>(in, n);
    function<<<blocks, 64, 0, s.other>>>(out, in, zero, n);
END_STREAMS
KERNEL(wrong_race_written_in_other_stream, 4, 64, written_in_other) { out[I] = in[I]; }
KERNEL(right_other_array_in_other_stream, 4, 64, written_in_other) { out[I] = zero[I]; }

STREAMS(event_waited_for)
    number<<<blocks, 64, 0, s.one>>>(in, n);
    cudaEventRecord(s.event, s.one);
    cudaStreamWaitEvent(s.other, s.event, 0);
    function<<<blocks, 64, 0, s.other>>>(out, in, zero, n);
END_STREAMS
KERNEL(right_event_waited_for, 4, 64, event_waited_for) { out[I] = in[I]; }

STREAMS(event_too_early)
    cudaEventRecord(s.event, s.one);
    number<<<blocks, 64, 0, s.one>>>(in, n);
    cudaStreamWaitEvent(s.other, s.event, 0);
    function<<<blocks, 64, 0, s.other>>>(out, in, zero, n);
END_STREAMS
KERNEL(wrong_race_event_too_early, 4, 64, event_too_early) { out[I] = in[I]; }

STREAMS(in_default)
    number<<<blocks, 64>>>(in, n);
    function<<<blocks, 64, 0, s.one>>>(out, in, zero, n);
END_STREAMS
KERNEL(right_written_in_default_stream, 4, 64, in_default) { out[I] = in[I]; }

STREAMS(in_default_unblocked)
    number<<<blocks, 64>>>(in, n);
    function<<<blocks, 64, 0, s.unblocked>>>(out, in, zero, n);
END_STREAMS
KERNEL(wrong_race_stream_does_not_block, 4, 64, in_default_unblocked) { out[I] = in[I]; }

STREAMS(copied_too_early)
    function<<<blocks, 64, 0, s.unblocked>>>(out, in, zero, n);
    int *host = (int *)malloc(n * sizeof *host);
    cudaMemcpy(host, out, n * sizeof *host, cudaMemcpyDeviceToHost);
END_STREAMS
KERNEL(wrong_race_copied_before_it_ends, 4, 64, copied_too_early) { out[I] = in[I]; }

STREAMS(copied_in_time)
    function<<<blocks, 64, 0, s.unblocked>>>(out, in, zero, n);
    int *host = (int *)malloc(n * sizeof *host);
    cudaStreamSynchronize(s.unblocked);
    cudaMemcpy(host, out, n * sizeof *host, cudaMemcpyDeviceToHost);
END_STREAMS
KERNEL(right_copied_when_it_has_ended, 4, 64, copied_in_time) { out[I] = in[I]; }

/* Each stream processes its half: copy in, kernel, copy out. */
STREAMS(halves)
    int *host, half = n / 2;
    cudaMallocHost(&host, n * sizeof *host);
    memset(host, 0, n * sizeof *host);
    for (int k = 0; k < 4; k++) {
        cudaStream_t mine = k % 2 ? s.one : s.other;
        int at = k % 2 * half;
        size_t bytes = half * sizeof *host;
        cudaMemcpyAsync(in + at, host + at, bytes, cudaMemcpyHostToDevice, mine);
        function<<<blocks / 2, 64, 0, mine>>>(out + at, in + at, zero, at + half);
        cudaMemcpyAsync(host + at, out + at, bytes, cudaMemcpyDeviceToHost, mine);
    }
    cudaDeviceSynchronize();
END_STREAMS
KERNEL(right_halves_of_one_array, 4, 64, halves) { out[I] = in[I] + 1; }
KERNEL(wrong_race_half_and_one_more, 4, 64, halves)
{
    out[I] = in[I] + (n == 4 * 64 ? in[-1] : 0); /* in[-1] can belong to the other stream */
}
KERNEL(right_streams_count_together, 4, 64, halves)
{
    out[I] = in[I];
    atomicAdd(&zero[in[I] % 8], 1);
}

/* Capture two streams. If `waits`, the second stream waits for the kernel of the first. */
static void captured(kernel *function, int *out, int *in, int n, bool waits)
{
    streams s;
    cudaEvent_t begin;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaEventCreate(&begin);
    cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal);
    cudaEventRecord(begin, s.one);
    number<<<n / 64, 64, 0, s.one>>>(in, n);
    if (waits)
        cudaEventRecord(begin, s.one);
    cudaStreamWaitEvent(s.other, begin, 0);
    function<<<n / 64, 64, 0, s.other>>>(out, in, NULL, n);
    cudaEventRecord(s.event, s.other);
    cudaStreamWaitEvent(s.one, s.event, 0);
    cudaStreamEndCapture(s.one, &graph);
    cudaGraphInstantiate(&instance, graph, 0);
    for (int k = 0; k < 2; k++)
        cudaGraphLaunch(instance, s.other);
}

static void branches_in_order(kernel *function, int *out, int *in, int *zero, int n)
{
    captured(function, out, in, n, true);
}

static void branches(kernel *function, int *out, int *in, int *zero, int n)
{
    captured(function, out, in, n, false);
}

KERNEL(right_branch_waits, 4, 64, branches_in_order) { out[I] = in[I]; }
KERNEL(wrong_race_branches_of_graph, 4, 64, branches) { out[I] = in[I]; }

/* A node that is added between two captured nodes. */
STREAMS(added_between)
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *before;
    cudaGraphNode_t between;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    size_t count;
    void *values[] = {&out, &in, &zero, &n};
    cudaKernelNodeParams node = {};
    node.func = (void *)function;
    node.gridDim = blocks;
    node.blockDim = 64;
    node.kernelParams = values;
    cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal);
    number<<<blocks, 64, 0, s.one>>>(in, n);
#if CUDART_VERSION >= 13000
    cudaStreamGetCaptureInfo(s.one, &status, NULL, &graph, &before, NULL, &count);
    cudaGraphAddKernelNode(&between, graph, before, count, &node);
    cudaStreamUpdateCaptureDependencies(s.one, &between, NULL, 1, cudaStreamSetCaptureDependencies);
#else
    cudaStreamGetCaptureInfo_v2(s.one, &status, NULL, &graph, &before, &count);
    cudaGraphAddKernelNode(&between, graph, before, count, &node);
    cudaStreamUpdateCaptureDependencies(s.one, &between, 1, cudaStreamSetCaptureDependencies);
#endif
    number<<<blocks, 64, 0, s.one>>>(out, n);
    cudaStreamEndCapture(s.one, &graph);
    cudaGraphInstantiate(&instance, graph, 0);
    cudaGraphLaunch(instance, s.one);
END_STREAMS
KERNEL(right_node_added_while_captured, 4, 64, added_between) { out[I] = in[I] + 3; }

/* --- much memory ------------------------------------------------------------------------------ */

KERNEL(wrong_race_large_stencil, 2048, 256, 0, LARGE)
{
    zero[I] = in[I];
    __syncthreads();
    if (I + 1 < n)
        zero[I] += zero[I + 1];
}

KERNEL(wrong_race_large_histogram, 2048, 256, 0, LARGE)
{
    zero[in[I] % 64]++;
}

KERNEL(wrong_race_large_one_place, 2048, 256, 0, LARGE)
{
    if (T == 0)
        zero[0] = in[I] + B;
}

KERNEL(right_large_stencil, 2048, 256, 0, LARGE)
{
    out[I] = in[I] + (I + 1 < n ? in[I + 1] : 0);
}

KERNEL(right_large_histogram, 2048, 256, 0, LARGE)
{
    atomicAdd(&zero[in[I] % 64 * 4096], 1);
}

/* --- constant data ---------------------------------------------------------------------------- */

KERNEL(wrong_race_ldg_of_written, 1, 64)
{
    zero[T] = in[T];
    __syncthreads();
    out[T] = __ldg(&zero[63 - T]);
}

KERNEL(wrong_race_ldg_of_own, 1, 64)
{
    zero[T] = in[T];
    out[T] = __ldg(&zero[T]);
}

KERNEL(wrong_race_ldg_in_loop, 1, 64)
{
    for (int k = 0; k < 3; k++) {
        int value = __ldg(&zero[(T + k) % 64]);
        __syncthreads();
        zero[T] = value + in[T];
        __syncthreads();
    }
}

KERNEL(right_ldg, 4, 64)
{
    out[I] = __ldg(&in[I]) + __ldg(&zero[I]);
}

KERNEL(right_ldg_then_own, 1, 64)
{
    int value = __ldg(&zero[T]); /* the thread reads the old value before it writes */
    zero[T] = value + in[T];
}

/* --- addresses -------------------------------------------------------------------------------- */

KERNEL(wrong_misaligned_vector, 1, 8)
{
    *(int4 *)&zero[4 * T + 1] = make_int4(1, 2, 3, 4);
}

KERNEL(wrong_misaligned_bytes, 1, 32)
{
    out[T] = *(int *)((char *)zero + 5 * T);
}

KERNEL(wrong_misaligned_shared_double, 1, 16)
{
    __shared__ int line[64];
    *(double *)&line[2 * T + 1] = 1.0;
    __syncthreads();
    out[T] = line[T + 2];
}

/* --- barriers that some threads do not reach--------------------------------------------------- */

KERNEL(wrong_deadlock_condition, 1, 64)
{
    if (T < 40)
        __syncthreads();
    out[T] = in[T];
}

KERNEL(wrong_deadlock_loop, 1, 64)
{
    for (int k = 0; k <= T / 32; k++)
        __syncthreads();
    out[T] = in[T];
}

KERNEL(wrong_deadlock_two_barriers, 1, 64)
{
    __shared__ int line[64];
    if (T % 2) {
        line[T] = in[T];
        __syncthreads();
        out[T] = line[T ^ 2];
    } else {
        line[T] = 2 * in[T];
        __syncthreads();
        out[T] = line[T ^ 2] + 1;
    }
}

KERNEL(wrong_deadlock_data, 1, 64)
{
    if (in[T] % 2) {
        zero[T] = 1;
        __syncthreads();
        zero[T + 64] = zero[T];
    }
    out[T] = 1;
}

KERNEL(right_loop_of_barriers, 1, 64)
{
    for (int k = 0; k < 3 + n / 64; k++)
        __syncthreads();
    out[T] = in[T];
}

KERNEL(right_condition_of_all, 4, 64)
{
    __shared__ int line[64];
    if (B % 2) {
        line[T] = in[I];
        __syncthreads();
        out[I] = line[63 - T];
    } else {
        out[I] = in[I];
    }
}

/* Shortest paths and connected components: an old value is a valid bound, but not the result. */
KERNEL(right_bounds_relaxed, 4, 64)
{
    int mine = atomicAdd(&zero[I], 0);
    atomicMax(&zero[(7 * I + 1) % n], mine + in[I]);
}

KERNEL(wrong_race_bounds_read_plainly, 4, 64)
{
    int mine = zero[I];
    atomicMax(&zero[(7 * I + 1) % n], mine + in[I]);
}

KERNEL(wrong_race_bounds_kept, 4, 64)
{
    int mine = atomicAdd(&zero[I], 0);
    atomicMax(&zero[(7 * I + 1) % n], in[I] + 1);
    out[I] = mine;
}

KERNEL(wrong_race_bounds_as_places, 4, 64)
{
    int place = atomicAdd(&zero[I], 0);
    atomicMax(&zero[(7 * I + 1) % n], in[I] + 1);
    atomicMax(&zero[COUNTERS - 128 + place], 1);
}

/* --- threads that leave the kernel around a barrier, and threads that returned early ---------- */

/* Work with a barrier. */
__device__ __forceinline__ void exchange(int *out, const int *in, int *box, int i)
{
    box[T] = in[i];
    __syncthreads();
    out[i] = box[T ^ 1];
}

__device__ __noinline__ void exchange_called(int *out, const int *in, int *box, int i)
{
    box[T] = in[i];
    __syncthreads();
    out[i] = box[T ^ 1];
}

KERNEL(wrong_deadlock_skipped_if, 2, 64)
{
    __shared__ int box[64];
    if (I < n - 20) {
        box[T] = in[I];
        __syncthreads();
        out[I] = box[T ^ 1];
    }
}

KERNEL(wrong_deadlock_skipped_if_store, 2, 64)
{
    __shared__ int box[64];
    if (I < n - 20) {
        box[T] = in[I];
        __syncthreads();
        out[I] = box[T ^ 1];
    } else {
        out[I] = 0;
    }
}

KERNEL(wrong_deadlock_skipped_whole_warp, 2, 64)
{
    __shared__ int box[64];
    if (I < 96)
    {
        box[T] = in[I];
        __syncthreads();
        out[I] = box[T ^ 1];
    }
}

KERNEL(wrong_deadlock_skipped_nested, 2, 64)
{
    __shared__ int box[64];
    if (I < n) {
        if (T < 40) {
            box[T] = in[I];
            __syncthreads();
            out[I] = box[T ^ 1];
        }
    }
}

KERNEL(wrong_deadlock_skipped_else, 2, 64)
{
    __shared__ int box[64];
    if (T == 7) {
    } else {
        box[T] = in[I];
        __syncthreads();
        out[I] = box[T];
    }
}

KERNEL(wrong_deadlock_skipped_inlined, 2, 64)
{
    __shared__ int box[64];
    if (I < n - 20)
        exchange(out, in, box, I);
}

KERNEL(wrong_deadlock_skipped_called, 2, 64)
{
    __shared__ int box[64];
    if (I < n - 20) {
        exchange_called(out, in, box, I);
    }
}

KERNEL(wrong_deadlock_skipped_loop, 1, 64)
{
    __shared__ int box[64];
    for (int i = 0; i < T % 3; i++) {
        box[T] = in[I] + i;
        __syncthreads();
        out[I] = box[T];
    }
}

KERNEL(wrong_deadlock_skipped_break, 1, 64)
{
    __shared__ int box[64];
    for (int i = 0;; i++) {
        if (i > T / 32)
            break;
        box[T] = in[I] + i;
        __syncthreads();
        out[I] = box[T];
    }
}

KERNEL(wrong_deadlock_skipped_while_warps, 1, 64)
{
    __shared__ int box[64];
    int left = 1 + T / 32;
    while (left--) {
        box[T] = in[I] + left;
        __syncthreads();
        out[I] = box[T];
    }
}

KERNEL(wrong_deadlock_skipped_and, 2, 64)
{
    __shared__ int box[64];
    bool inside = I < n - 20;
    if (inside && in[I] >= 0) {
        box[T] = in[I];
        __syncthreads();
        out[I] = box[T ^ 1];
    }
}

KERNEL(wrong_deadlock_skipped_shuffle, 1, 64)
{
    if (T < 40) {
        out[T] = __shfl_xor_sync(FULL, in[T], 1);
    }
}

KERNEL(wrong_deadlock_skipped_vote, 1, 32)
{
    if (T < 20) {
        int all = __all_sync(FULL, in[T] >= 0);
        out[T] = all;
    }
}

KERNEL(wrong_deadlock_skipped_syncwarp, 1, 32)
{
    __shared__ int box[32];
    if (T < 20) {
        box[T] = in[T];
        __syncwarp();
        out[T] = box[T];
    }
}

KERNEL(right_returned_early, 2, 64)
{
    __shared__ int box[64];
    if (I >= n - 20)
        return;
    box[T] = in[I];
    __syncthreads();
    out[I] = box[T];
}

KERNEL(right_returned_early_block, 2, 64)
{
    __shared__ int box[64];
    if (I >= n - 20) {
        return;
    }
    box[T] = in[I];
    __syncthreads();
    out[I] = box[T];
}

KERNEL(right_returned_early_twice, 2, 64)
{
    __shared__ int box[64];
    if (T >= 50)
        return;
    if (in[I] < 0 || T == 3)
        return;
    box[T] = in[I];
    __syncthreads();
    out[I] = box[T];
}

KERNEL(right_returned_early_uniform_if, 2, 64)
{
    __shared__ int box[64];
    if (I >= n - 20)
        return;
    if (n > 5) {
        box[T] = in[I];
        __syncthreads();
        out[I] = box[T];
    }
}

KERNEL(right_returned_early_uniform_loop, 2, 64)
{
    __shared__ int box[64];
    if (I >= n - 20)
        return;
    for (int i = 0; i < n / 40; i++) {
        box[T] = in[I] + i;
        __syncthreads();
        out[I] = box[T];
        __syncthreads();
    }
}

KERNEL(right_returned_early_in_loop, 1, 64)
{
    __shared__ int box[64];
    for (int i = 0; i < 4; i++) {
        if (i > T / 32)
            return;
        box[T] = in[T] + i;
        __syncthreads();
        out[T] = box[T];
        __syncthreads();
    }
}

KERNEL(right_returned_early_else, 2, 64)
{
    __shared__ int box[64];
    if (I >= n - 20) {
        out[I] = 0;
        return;
    } else {
        box[T] = in[I];
    }
    __syncthreads();
    out[I] = box[T];
}

KERNEL(right_returned_early_one_line, 2, 64)
{
    __shared__ int box[64];
    if (I >= n - 20) return; box[T] = in[I]; __syncthreads(); out[I] = box[T];
}

KERNEL(right_returned_early_inside, 2, 64)
{
    __shared__ int box[64];
    if (n > 5) {
        if (T >= 50)
            return;
        box[T] = in[I];
        __syncthreads();
        out[I] = box[T];
    }
}

KERNEL(right_uniform_if, 2, 64)
{
    __shared__ int box[64];
    if (B == 0) {
        box[T] = in[I];
        __syncthreads();
        out[I] = box[T ^ 1];
    }
}

KERNEL(right_barrier_then_if, 2, 64)
{
    __shared__ int box[64];
    box[T] = in[I];
    __syncthreads();
    if (T < 20)
        out[I] = box[T ^ 1];
}

KERNEL(right_shuffle_of_active, 1, 64)
{
    if (T < 40) {
        unsigned mask = T < 32 ? FULL : 0xffu;
        out[T] = __shfl_xor_sync(mask, in[T], 1);
    }
}

KERNEL(right_returned_early_syncwarp, 1, 32)
{
    __shared__ int box[32];
    if (T >= 20)
        return;
    box[T] = in[T];
    __syncwarp();
    out[T] = box[T];
}

/* --- atomic accesses with memory order and scope ---------------------------------------------- */

template <cuda::thread_scope SCOPE> using ref = cuda::atomic_ref<int, SCOPE>;
using device_ref = ref<cuda::thread_scope_device>;
using block_ref = ref<cuda::thread_scope_block>;

KERNEL(right_relax_edges, 4, 64)
{
    device_ref here(zero[(7 * I + 1) % n]), there(zero[I]);
    int other = there.load();
    if (other < in[I])
        here.store(in[I]);
}

KERNEL(right_relax_relaxed, 4, 64)
{
    device_ref there(zero[I]), here(zero[(3 * I + 1) % n]);
    int found = there.load(cuda::memory_order_relaxed);
    if (found < n)
        here.store(found + 1, cuda::memory_order_relaxed);
}

KERNEL(right_relax_pulled, 4, 64)
{
    for (int i = 0; i < 4; i++) {
        int best = device_ref(zero[(I + i) % n]).load(cuda::memory_order_acquire);
        if (device_ref(zero[I]).load(cuda::memory_order_relaxed) > best)
            device_ref(zero[I]).store(best, cuda::memory_order_release);
    }
}

KERNEL(right_relax_added, 4, 64)
{
    int found = device_ref(zero[I]).fetch_add(0, cuda::memory_order_relaxed);
    device_ref(zero[(I + 64) % n]).fetch_max(found + 1, cuda::memory_order_relaxed);
}

KERNEL(right_relax_in_block, 1, 128)
{
    __shared__ int least[128];
    least[T] = in[T];
    __syncthreads();
    int found = block_ref(least[127 - T]).load(cuda::memory_order_relaxed);
    if (found < in[T])
        block_ref(least[T]).store(found, cuda::memory_order_relaxed);
}

KERNEL(right_block_scope_alone, 4, 64)
{
    atomicAdd_block(&zero[B], 1);
    if (T == 0)
        atomicExch_block(&zero[32 + B], 1);
}

KERNEL(wrong_race_relaxed_data, 2, 64)
{
    if (B == 0)
        out[T] = in[T];
    device_ref flag(zero[0]);
    if (B == 0)
        flag.store(1, cuda::memory_order_relaxed);
    else if (flag.load(cuda::memory_order_relaxed))
        out[64 + T] = out[T];
}

KERNEL(wrong_race_relaxed_beside_plain, 2, 64)
{
    if (B == 0)
        zero[T] = in[T] + 1;
    else
        out[T] = device_ref(zero[T]).load();
}

KERNEL(wrong_race_block_scope_add, 4, 64)
{
    atomicAdd_block(&zero[T], 1);
}

KERNEL(wrong_race_block_scope_exch, 4, 64)
{
    out[I] = atomicExch_block(&zero[0], I);
}

KERNEL(wrong_race_block_scope_cas, 4, 64)
{
    out[I] = atomicCAS_block(&zero[T], 0, I + 1);
}

KERNEL(wrong_race_block_scope_max, 4, 64)
{
    atomicMax_block(&zero[0], I);
}

KERNEL(wrong_race_block_scope_with_device, 4, 64)
{
    if (B == 0)
        atomicAdd_block(&zero[T], 1);
    else
        atomicAdd(&zero[T], 1);
}

KERNEL(wrong_race_block_scope_ref, 4, 64)
{
    block_ref(zero[T]).fetch_add(1, cuda::memory_order_relaxed);
}

KERNEL(wrong_race_block_scope_load, 4, 64)
{
    if (B == 0)
        block_ref(zero[T]).store(in[T], cuda::memory_order_relaxed);
    else
        out[I] = block_ref(zero[T]).load(cuda::memory_order_relaxed);
}


__global__ void count_up(int *zero)
{
    zero[I]++;
}

static int run(const one *which)
{
    unsigned n = which->blocks * which->threads;
    size_t counters = (which->how == LARGE ? MANY_COUNTERS : COUNTERS) * sizeof(int);
    int *out, *in, *zero, *host = (int *)malloc(n * sizeof *host);
    for (unsigned i = 0; i < n; i++)
        host[i] = (int)(i * 37 + 11) % 101;
    if (cudaMalloc(&out, n * sizeof *out) || cudaMalloc(&in, n * sizeof *in) ||
        cudaMalloc(&zero, counters) || cudaMemset(zero, 0, counters) ||
        cudaMemcpy(in, host, n * sizeof *in / (which->how == HALF ? 2 : 1), cudaMemcpyHostToDevice))
        return 1;
    if (which->how == LATER)
        count_up<<<COUNTERS / 256, 256>>>(zero);
    if (which->launches)
        which->launches(which->function, out, in, zero, (int)n);
    else
        which->function<<<which->blocks, which->threads, which->shared>>>(out, in, zero, (int)n);
    cudaDeviceSynchronize();
    return 0;
}

/* The first launch loads the module. Each kernel has its own process: errors can be sticky. */
__global__ void nothing() {}

int main(int count, char **names)
{
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
    fflush(stdout);
    for (const one *which = listing; which; which = which->next) {
        bool wanted = count < 2;
        for (int i = 1; i < count; i++)
            wanted |= !strcmp(names[i], which->name);
        if (!wanted)
            continue;
        pid_t child = fork();
        if (child == 0)
            _exit(run(which));
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || status)
            printf("%s ends with status %d\n", which->name, status);
    }
    puts("done");
    return 0;
}
