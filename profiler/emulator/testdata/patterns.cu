// patterns.cu: one access pattern per kernel, written in PTX so that no compiler can change the pattern.
//
// patterns_test.c runs patterns.ptx on the emulator and compares requests, sectors and wavefronts with
// patterns_h200.csv, the counts of an H200 for the same kernels. Both files are made by
//   nvcc -ptx -arch=compute_80 patterns.cu
//   nvcc -arch=sm_90 -DPATTERNS_MAIN patterns.cu -o patterns && ncu --csv --clock-control none
//       --metrics (the names in the CSV's header) ./patterns
// Every kernel: 4 blocks of 64 threads; `lane` is the lane, t the thread of the grid.

typedef unsigned u32;
typedef unsigned long long u64;

__device__ static u32 load4(const void *p) { u32 v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p)); return v; }
__device__ static u32 load1(const void *p) { u32 v; asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(p)); return v; }
__device__ static u32 load2(const void *p) { unsigned short v; asm volatile("ld.global.u16 %0, [%1];" : "=h"(v) : "l"(p)); return v; }
__device__ static u32 load8(const void *p) { u32 v, w; asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(p)); return v + w; }
__device__ static u32 load8s(const void *p) { u64 v; asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (u32)v; }
__device__ static u32 load16(const void *p) { u32 a, b, c, d; asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p)); return a + b + c + d; }
__device__ static void store4(void *p, u32 v) { asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v)); }
__device__ static void store1(void *p, u32 v) { asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"(v)); }
__device__ static void store2(void *p, u32 v) { asm volatile("st.global.u16 [%0], %1;" ::"l"(p), "h"((unsigned short)v)); }
__device__ static void store8(void *p, u32 v) { asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(p), "r"(v)); }
__device__ static void store16(void *p, u32 v) { asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(v)); }
__device__ static u32 sload4(u32 a) { u32 v; asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(a)); return v; }
__device__ static u32 sload1(u32 a) { u32 v; asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(a)); return v; }
__device__ static u32 sload2(u32 a) { unsigned short v; asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(a)); return v; }
__device__ static u32 sload8(u32 a) { u32 v, w; asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "r"(a)); return v + w; }
__device__ static u32 sload16(u32 a) { u32 x, b, c, d; asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(b), "=r"(c), "=r"(d) : "r"(a)); return x + b + c + d; }
__device__ static void sstore4(u32 a, u32 v) { asm volatile("st.shared.u32 [%0], %1;" ::"r"(a), "r"(v)); }
__device__ static void sstore1(u32 a, u32 v) { asm volatile("st.shared.u8 [%0], %1;" ::"r"(a), "r"(v)); }
__device__ static void sstore8(u32 a, u32 v) { asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(a), "r"(v)); }
__device__ static void sstore16(u32 a, u32 v) { asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a), "r"(v)); }

// The access patterns. X(kernel, condition of the lane, statement). `in` and `out` are 1 MB of bytes, b
// is the byte offset of the thread's warp in them (8 KB apart), s the shared array's address.
#define PATTERNS(X)                                                                                 \
    X(ld4, 1, v = load4(in + b + 4 * lane))                                                         \
    X(ld4_stride2, 1, v = load4(in + b + 8 * lane))                                                 \
    X(ld4_stride3, 1, v = load4(in + b + 12 * lane))                                                \
    X(ld4_stride8, 1, v = load4(in + b + 32 * lane))                                                \
    X(ld4_stride33, 1, v = load4(in + b + 132 * lane))                                              \
    X(ld4_misaligned1, 1, v = load4(in + b + 4 + 4 * lane))                                         \
    X(ld4_misaligned31, 1, v = load4(in + b + 124 + 4 * lane))                                      \
    X(ld4_reversed, 1, v = load4(in + b + 4 * (31 - lane)))                                         \
    X(ld4_permuted, 1, v = load4(in + b + 4 * (lane * 13 % 32)))                                    \
    X(ld4_broadcast, 1, v = load4(in + b))                                                          \
    X(ld4_two_words, 1, v = load4(in + b + 512 * (lane & 1)))                                       \
    X(ld4_rows8, 1, v = load4(in + b + 1024 * (lane / 8) + 4 * (lane % 8)))                         \
    X(ld4_rows16, 1, v = load4(in + b + 1024 * (lane / 16) + 4 * (lane % 16)))                      \
    X(ld4_even_lanes, lane % 2 == 0, v = load4(in + b + 4 * lane))                                  \
    X(ld4_first5, lane < 5, v = load4(in + b + 4 * lane))                                           \
    X(ld4_lane31, lane == 31, v = load4(in + b + 4 * lane))                                         \
    X(ld1, 1, v = load1(in + b + lane))                                                             \
    X(ld1_stride5, 1, v = load1(in + b + 5 * lane))                                                 \
    X(ld2_stride3, 1, v = load2(in + b + 6 * lane))                                                 \
    X(ld8, 1, v = load8(in + b + 8 * lane))                                                         \
    X(ld8_scalar, 1, v = load8s(in + b + 8 * lane))                                                 \
    X(ld8_stride2, 1, v = load8(in + b + 16 * lane))                                                \
    X(ld8_stride5, 1, v = load8(in + b + 40 * lane))                                                \
    X(ld8_misaligned, 1, v = load8(in + b + 24 + 8 * lane))                                         \
    X(ld8_swapped_halves, 1, v = load8(in + b + 8 * (lane ^ 16)))                                   \
    X(ld8_interleaved, 1, v = load8(in + b + 8 * (lane % 16 * 2 + lane / 16)))                      \
    X(ld8_broadcast, 1, v = load8(in + b))                                                          \
    X(ld8_first20, lane < 20, v = load8(in + b + 8 * lane))                                         \
    X(ld8_even_lanes, lane % 2 == 0, v = load8(in + b + 8 * lane))                                  \
    X(ld16, 1, v = load16(in + b + 16 * lane))                                                      \
    X(ld16_stride2, 1, v = load16(in + b + 32 * lane))                                              \
    X(ld16_stride3, 1, v = load16(in + b + 48 * lane))                                              \
    X(ld16_misaligned, 1, v = load16(in + b + 16 + 16 * lane))                                      \
    X(ld16_reversed, 1, v = load16(in + b + 16 * (31 - lane)))                                      \
    X(ld16_interleaved, 1, v = load16(in + b + 16 * (lane % 8 * 4 + lane / 8)))                     \
    X(ld16_broadcast, 1, v = load16(in + b))                                                        \
    X(ld16_pairs, 1, v = load16(in + b + 16 * (lane / 2)))                                          \
    X(ld16_first5, lane < 5, v = load16(in + b + 16 * lane))                                        \
    X(ld16_every8, lane % 8 == 0, v = load16(in + b + 16 * lane))                                   \
    X(ld16_column, 1, v = load16(in + b + 256 * lane))                                              \
    X(st4, 1, store4(out + b + 4 * lane, v))                                                        \
    X(st4_stride2, 1, store4(out + b + 8 * lane, v))                                                \
    X(st4_stride33, 1, store4(out + b + 132 * lane, v))                                             \
    X(st4_misaligned, 1, store4(out + b + 20 + 4 * lane, v))                                        \
    X(st4_same, 1, store4(out + b, v))                                                              \
    X(st4_rows8, 1, store4(out + b + 1024 * (lane / 8) + 4 * (lane % 8), v))                        \
    X(st4_odd_lanes, lane % 2 == 1, store4(out + b + 4 * lane, v))                                  \
    X(st1_stride3, 1, store1(out + b + 3 * lane, v))                                                \
    X(st2, 1, store2(out + b + 2 * lane, v))                                                        \
    X(st8_stride3, 1, store8(out + b + 24 * lane, v))                                               \
    X(st8_interleaved, 1, store8(out + b + 8 * (lane % 16 * 2 + lane / 16), v))                     \
    X(st16, 1, store16(out + b + 16 * lane, v))                                                     \
    X(st16_stride2, 1, store16(out + b + 32 * lane, v))                                             \
    X(st16_interleaved, 1, store16(out + b + 16 * (lane % 8 * 4 + lane / 8), v))                    \
    X(st16_column, 1, store16(out + b + 256 * lane, v))                                             \
    X(loop, 1, _Pragma("unroll 1") for (int i = 0; i <= lane % 4; i++) v += load4(in + b + 128 * i + 4 * lane)) \
    X(both_sides, 1, if (lane & 4) v = load4(in + b + 4 * lane); else v = load4(in + b + 4096 + 8 * lane)) \
    X(s4, 1, v = sload4(s + 4 * lane))                                                              \
    X(s4_stride2, 1, v = sload4(s + 8 * lane))                                                      \
    X(s4_stride3, 1, v = sload4(s + 12 * lane))                                                     \
    X(s4_stride8, 1, v = sload4(s + 32 * lane))                                                     \
    X(s4_stride32, 1, v = sload4(s + 128 * lane))                                                   \
    X(s4_stride33, 1, v = sload4(s + 132 * lane))                                                   \
    X(s4_broadcast, 1, v = sload4(s))                                                               \
    X(s4_two_words, 1, v = sload4(s + 128 * (lane & 1)))                                            \
    X(s4_pairs, 1, v = sload4(s + 128 * (lane / 2)))                                                \
    X(s4_rows16, 1, v = sload4(s + 64 * (lane % 16) + 4 * (lane / 16)))                             \
    X(s4_first7, lane < 7, v = sload4(s + 128 * lane))                                              \
    X(s4_odd_lanes, lane % 2 == 1, v = sload4(s + 8 * lane))                                        \
    X(s1, 1, v = sload1(s + lane))                                                                  \
    X(s1_stride128, 1, v = sload1(s + 128 * lane + lane % 4))                                       \
    X(s2_stride3, 1, v = sload2(s + 6 * lane))                                                      \
    X(s8, 1, v = sload8(s + 8 * lane))                                                              \
    X(s8_stride2, 1, v = sload8(s + 16 * lane))                                                     \
    X(s8_stride4, 1, v = sload8(s + 32 * lane))                                                     \
    X(s8_stride17, 1, v = sload8(s + 136 * lane))                                                   \
    X(s8_stride16, 1, v = sload8(s + 128 * lane))                                                   \
    X(s8_broadcast, 1, v = sload8(s))                                                               \
    X(s8_same_halves, 1, v = sload8(s + 8 * (lane % 16)))                                           \
    X(s8_pairs, 1, v = sload8(s + 8 * (lane / 2)))                                                  \
    X(s8_interleaved, 1, v = sload8(s + 8 * (lane % 16 * 2 + lane / 16)))                           \
    X(s8_first16, lane < 16, v = sload8(s + 8 * lane))                                              \
    X(s8_even_lanes, lane % 2 == 0, v = sload8(s + 8 * lane))                                       \
    X(s8_every4, lane % 4 == 0, v = sload8(s + 128 * lane))                                         \
    X(s16, 1, v = sload16(s + 16 * lane))                                                           \
    X(s16_stride2, 1, v = sload16(s + 32 * lane))                                                   \
    X(s16_stride8, 1, v = sload16(s + 128 * lane))                                                  \
    X(s16_stride9, 1, v = sload16(s + 144 * lane))                                                  \
    X(s16_broadcast, 1, v = sload16(s))                                                             \
    X(s16_same_quarters, 1, v = sload16(s + 16 * (lane % 8)))                                       \
    X(s16_pairs, 1, v = sload16(s + 16 * (lane / 2)))                                               \
    X(s16_quads, 1, v = sload16(s + 16 * (lane / 4)))                                               \
    X(s16_interleaved, 1, v = sload16(s + 16 * (lane % 8 * 4 + lane / 8)))                          \
    X(s16_swapped, 1, v = sload16(s + 16 * (lane ^ 9)))                                             \
    X(s16_first8, lane < 8, v = sload16(s + 16 * lane))                                             \
    X(s16_every8, lane % 8 == 0, v = sload16(s + 16 * lane))                                        \
    X(s16_every4, lane % 4 == 0, v = sload16(s + 16 * lane))                                        \
    X(s8_shifted_pairs, 1, v = sload8(s + 8 * ((lane + 1) / 2)))                                    \
    X(s8_pairs_far, 1, v = sload8(s + 8 * (lane % 2 * 8 + lane / 4)))                               \
    X(s8_half_pairs, 1, v = sload8(s + 8 * (lane < 16 ? lane / 2 : lane)))                          \
    X(s8_odd_lanes, lane % 2 == 1, v = sload8(s + 8 * lane))                                        \
    X(s8_one_of_two, (lane / 2 + lane) % 2 == 0, v = sload8(s + 8 * (lane / 2)))                    \
    X(s8_pairs_conflict, 1, v = sload8(s + 128 * (lane / 2)))                                       \
    X(s8_pairs_stride2, 1, v = sload8(s + 16 * (lane / 2)))                                         \
    X(s16_twos, 1, v = sload16(s + 16 * (lane / 4 * 2 + lane % 2)))                                 \
    X(s16_fours, 1, v = sload16(s + 16 * (lane / 8 * 4 + lane % 4)))                                \
    X(s16_half_pairs, 1, v = sload16(s + 16 * (lane < 16 ? lane / 2 : lane)))                       \
    X(s16_quarter_pairs, 1, v = sload16(s + 16 * (lane < 8 ? lane / 2 : lane)))                     \
    X(s16_half_twos, 1, v = sload16(s + 16 * (lane < 16 ? lane / 4 * 2 + lane % 2 : lane)))         \
    X(s16_mixed, 1, v = sload16(s + 16 * (lane < 16 ? lane / 2 : lane / 4 * 2 + lane % 2)))         \
    X(s16_even_lanes, lane % 2 == 0, v = sload16(s + 16 * lane))                                    \
    X(s16_first2_of4, lane % 4 < 2, v = sload16(s + 16 * lane))                                     \
    X(s16_pairs_conflict, 1, v = sload16(s + 128 * (lane / 2)))                                     \
    X(s16_pairs_stride2, 1, v = sload16(s + 32 * (lane / 2)))                                       \
    X(s16_lane0, lane == 0, v = sload16(s + 16 * lane))                                             \
    X(t4, 1, sstore4(s + 4 * lane, v))                                                              \
    X(t4_stride2, 1, sstore4(s + 8 * lane, v))                                                      \
    X(t4_stride32, 1, sstore4(s + 128 * lane, v))                                                   \
    X(t4_same, 1, sstore4(s, v))                                                                    \
    X(t4_pairs, 1, sstore4(s + 128 * (lane / 2), v))                                                \
    X(t4_rows16, 1, sstore4(s + 64 * (lane % 16) + 4 * (lane / 16), v))                             \
    X(t1, 1, sstore1(s + lane, v))                                                                  \
    X(t8, 1, sstore8(s + 8 * lane, v))                                                              \
    X(t8_stride2, 1, sstore8(s + 16 * lane, v))                                                     \
    X(t8_stride17, 1, sstore8(s + 136 * lane, v))                                                   \
    X(t8_pairs, 1, sstore8(s + 8 * (lane / 2), v))                                                  \
    X(t8_same_halves, 1, sstore8(s + 8 * (lane % 16), v))                                           \
    X(t16, 1, sstore16(s + 16 * lane, v))                                                           \
    X(t16_stride2, 1, sstore16(s + 32 * lane, v))                                                   \
    X(t16_stride9, 1, sstore16(s + 144 * lane, v))                                                  \
    X(t16_same_quarters, 1, sstore16(s + 16 * (lane % 8), v))                                       \
    X(t16_interleaved, 1, sstore16(s + 16 * (lane % 8 * 4 + lane / 8), v))                          \
    X(t8_even_lanes, lane % 2 == 0, sstore8(s + 8 * lane, v))                                       \
    X(t8_same, 1, sstore8(s, v))                                                                    \
    X(t16_same, 1, sstore16(s, v))                                                                  \
    X(t16_pairs, 1, sstore16(s + 16 * (lane / 2), v))                                               \
    X(t16_even_lanes, lane % 2 == 0, sstore16(s + 16 * lane, v))                                    \
    X(t16_every8, lane % 8 == 0, sstore16(s + 16 * lane, v))

// The value is compared with a number that it never equals, so that the assembler retains the load.
#define X(name, condition, statement)                                                               \
    extern "C" __global__ void name(char *out, const char *in)                                     \
    {                                                                                               \
        __shared__ __align__(128) char box[8192];                                                   \
        int t = blockIdx.x * blockDim.x + threadIdx.x, lane = t % 32;                               \
        unsigned b = (unsigned)t / 32 * 8192;                                                       \
        u32 s = (u32)__cvta_generic_to_shared(box), v = (u32)t;                                     \
        (void)s, (void)b, (void)out, (void)in, (void)lane;                                                      \
        if (condition) {                                                                            \
            statement;                                                                              \
            if (v == 777777u * gridDim.z)                                                           \
                store4(out, v);                                                                     \
        }                                                                                           \
    }
PATTERNS(X)
#undef X

#ifdef PATTERNS_MAIN
#include <stdio.h>
int main()
{
    char *in, *out;
    if (cudaMalloc((void **)&in, 1 << 20) || cudaMalloc((void **)&out, 1 << 20) || cudaMemset(in, 0, 1 << 20))
        return 2;
#define X(name, condition, statement) name<<<4, 64>>>(out, in);
    PATTERNS(X)
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
#endif
