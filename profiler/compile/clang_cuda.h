/* clang_cuda.h: the names that NVRTC declares without any #include, for clang on a machine without
 * the CUDA Toolkit. clang includes this header before the source. Functions are `nodebug`, so that
 * instructions have the line of the student's call. Sources: CUDA C++ Programming Guide, appendix
 * "C++ Language Extensions", and CUDA Math API (semantics); PTX ISA (instructions).
 *
 * sinf, expf, powf and similar functions use the approximate instructions after range reduction.
 * Their errors are about 1e-6 of the result's scale; the errors of the toolkit's functions are 1 or
 * 2 units in the last place. The double-precision versions are declared unavailable. */
#ifndef CLANG_CUDA_H
#define CLANG_CUDA_H

#pragma clang system_header

#define __CUDACC__ 1

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#if __clang_major__ < 15 /* Since clang 15, __noinline__ is a keyword. */
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __grid_constant__
#define CUDART_CB

#define TLAB_DEVICE static __inline__ __attribute__((always_inline, nodebug, unused, device))
#define TLAB_BOTH static __inline__ __attribute__((always_inline, nodebug, unused, host, device))
#define TLAB_MEMBER __inline__ __attribute__((always_inline, nodebug, host, device))

#define TLAB_FUNCTION(type, name, parameters, ...)                                                 \
    TLAB_DEVICE type name parameters                                                               \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

#define TLAB_CONSTANT_FUNCTION(type, name, parameters, ...)                                        \
    TLAB_BOTH constexpr type name parameters                                                       \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

/* Defines a function that executes the PTX instruction `text`. `constraint` is for the result,
 * `order` is `volatile` or empty, and `...` are the input operands. */
#define TLAB_INSTRUCTION(type, name, parameters, constraint, order, text, ...)                     \
    TLAB_DEVICE type name parameters                                                               \
    {                                                                                              \
        type result;                                                                               \
        asm order(text : "=" constraint(result) __VA_ARGS__);                                      \
        return result;                                                                             \
    }

#include "stand_ins/stddef.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

/* Sizes and alignments: Programming Guide, "Built-in Vector Types". */

#define TLAB_VECTOR_TYPES(X)                                                                       \
    X(char, signed char, 2, 4)                                                                     \
    X(uchar, unsigned char, 2, 4)                                                                  \
    X(short, short, 4, 8)                                                                          \
    X(ushort, unsigned short, 4, 8)                                                                \
    X(int, int, 8, 16)                                                                             \
    X(uint, unsigned int, 8, 16)                                                                   \
    X(long, long, 16, 16)                                                                          \
    X(ulong, unsigned long, 16, 16)                                                                \
    X(longlong, long long, 16, 16)                                                                 \
    X(ulonglong, unsigned long long, 16, 16)                                                       \
    X(float, float, 8, 16)                                                                         \
    X(double, double, 16, 16)

/* An assignment loads all members before the first store. With the default assignment, clang copies
 * a pair or quad as two or four integers, while nvcc uses one vector access. */
#define TLAB_DEFINE_VECTORS(name, type, align2, align4)                                            \
    struct name##1                                                                                 \
    {                                                                                              \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(align2))) name##2                                                \
    {                                                                                              \
        type x, y;                                                                                 \
        name##2() = default;                                                                       \
        TLAB_MEMBER constexpr name##2(type x_, type y_ = 0) : x(x_), y(y_)                         \
        {                                                                                          \
        }                                                                                          \
        TLAB_MEMBER constexpr name##2(const name##2 & v) : x(v.x), y(v.y)                          \
        {                                                                                          \
        }                                                                                          \
        TLAB_MEMBER constexpr name##2 &operator=(const name##2 & v)                                \
        {                                                                                          \
            type a = v.x, b = v.y;                                                                 \
            x = a, y = b;                                                                          \
            return *this;                                                                          \
        }                                                                                          \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __attribute__((aligned(align4))) name##4                                                \
    {                                                                                              \
        type x, y, z, w;                                                                           \
        name##4() = default;                                                                       \
        TLAB_MEMBER constexpr name##4(type x_, type y_ = 0, type z_ = 0, type w_ = 0)              \
            : x(x_), y(y_), z(z_), w(w_)                                                           \
        {                                                                                          \
        }                                                                                          \
        TLAB_MEMBER constexpr name##4(const name##4 & v) : x(v.x), y(v.y), z(v.z), w(v.w)          \
        {                                                                                          \
        }                                                                                          \
        TLAB_MEMBER constexpr name##4 &operator=(const name##4 & v)                                \
        {                                                                                          \
            type a = v.x, b = v.y, c = v.z, d = v.w;                                               \
            x = a, y = b, z = c, w = d;                                                            \
            return *this;                                                                          \
        }                                                                                          \
    };                                                                                             \
    TLAB_CONSTANT_FUNCTION(name##1, make_##name##1, (type x), {x})                                 \
    TLAB_CONSTANT_FUNCTION(name##2, make_##name##2, (type x, type y), {x, y})                      \
    TLAB_CONSTANT_FUNCTION(name##3, make_##name##3, (type x, type y, type z), {x, y, z})           \
    TLAB_CONSTANT_FUNCTION(name##4, make_##name##4, (type x, type y, type z, type w), {x, y, z, w})
TLAB_VECTOR_TYPES(TLAB_DEFINE_VECTORS)

struct dim3 {
    unsigned int x, y, z;
    TLAB_MEMBER constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    TLAB_MEMBER constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    TLAB_MEMBER constexpr operator uint3() const
    {
        return {x, y, z};
    }
};

#define TLAB_REGISTER_MEMBER(member, reader)                                                       \
    __declspec(property(get = tlab_get_##member)) unsigned int member;                             \
    static __inline__                                                                              \
        __attribute__((always_inline, nodebug, device)) unsigned int tlab_get_##member()           \
    {                                                                                              \
        return reader();                                                                           \
    }

#define TLAB_REGISTER_AS(type, reader)                                                             \
    __inline__ __attribute__((always_inline, nodebug, device)) operator type() const               \
    {                                                                                              \
        return dim3(reader##x(), reader##y(), reader##z());                                        \
    }

#define TLAB_DEFINE_REGISTER(name, reader)                                                         \
    struct tlab_##name {                                                                           \
        TLAB_REGISTER_MEMBER(x, reader##x)                                                         \
        TLAB_REGISTER_MEMBER(y, reader##y)                                                         \
        TLAB_REGISTER_MEMBER(z, reader##z)                                                         \
        TLAB_REGISTER_AS(uint3, reader)                                                            \
        TLAB_REGISTER_AS(dim3, reader)                                                             \
        tlab_##name(const tlab_##name &) = delete;                                                 \
        void operator=(const tlab_##name &) const = delete;                                        \
    };                                                                                             \
    extern const __attribute__((device, weak)) tlab_##name name;

TLAB_DEFINE_REGISTER(threadIdx, __nvvm_read_ptx_sreg_tid_)
TLAB_DEFINE_REGISTER(blockIdx, __nvvm_read_ptx_sreg_ctaid_)
TLAB_DEFINE_REGISTER(blockDim, __nvvm_read_ptx_sreg_ntid_)
TLAB_DEFINE_REGISTER(gridDim, __nvvm_read_ptx_sreg_nctaid_)
__attribute__((device)) const int warpSize = 32;

/* clang may move a load across its built-in __syncthreads() if the same thread stored the value,
 * and may then remove a tile. NVRTC and nvcc never do so. */
#define __syncthreads() ({ asm volatile("bar.sync 0;" ::: "memory"); })

TLAB_FUNCTION(int, __syncthreads_count, (int predicate), __nvvm_bar0_popc(predicate))
TLAB_FUNCTION(int, __syncthreads_and, (int predicate), __nvvm_bar0_and(predicate))
TLAB_FUNCTION(int, __syncthreads_or, (int predicate), __nvvm_bar0_or(predicate))

TLAB_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

#define TLAB_STATEMENT(name, instruction)                                                          \
    TLAB_DEVICE void name()                                                                        \
    {                                                                                              \
        asm volatile(instruction ::: "memory");                                                    \
    }
TLAB_STATEMENT(__threadfence_block, "membar.cta;")
TLAB_STATEMENT(__threadfence, "membar.gl;")
TLAB_STATEMENT(__threadfence_system, "membar.sys;")
TLAB_STATEMENT(__trap, "trap;")
TLAB_STATEMENT(__brkpt, "brkpt;")

TLAB_DEVICE void __nanosleep(unsigned int nanoseconds)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

#define TLAB_READ_REGISTER(name, type, constraint, instruction)                                    \
    TLAB_INSTRUCTION(type, name, (), constraint, volatile, instruction, ::"memory")
TLAB_READ_REGISTER(tlab_clock32, int, "r", "mov.u32 %0, %%clock;")
TLAB_READ_REGISTER(clock64, long long, "l", "mov.u64 %0, %%clock64;")
TLAB_READ_REGISTER(__activemask, unsigned int, "r", "activemask.b32 %0;")
TLAB_READ_REGISTER(__globaltimer, unsigned long long, "l", "mov.u64 %0, %%globaltimer;")

TLAB_FUNCTION(long, clock, (), tlab_clock32())

#define TLAB_BIT_CAST(name, from, to)                                                              \
    TLAB_FUNCTION(to, name, (from value), __builtin_bit_cast(to, value))
TLAB_BIT_CAST(__float_as_int, float, int)
TLAB_BIT_CAST(__float_as_uint, float, unsigned int)
TLAB_BIT_CAST(__int_as_float, int, float)
TLAB_BIT_CAST(__uint_as_float, unsigned int, float)
TLAB_BIT_CAST(__double_as_longlong, double, long long)
TLAB_BIT_CAST(__longlong_as_double, long long, double)

TLAB_FUNCTION(int, __double2hiint, (double value),
              (int)(__builtin_bit_cast(unsigned long long, value) >> 32))
TLAB_FUNCTION(int, __double2loint, (double value),
              (int)__builtin_bit_cast(unsigned long long, value))
TLAB_FUNCTION(double, __hiloint2double, (int high, int low),
              __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low))

/* `c` contains the segment mask for `width` and the clamp value (PTX ISA, "shfl.sync"). */
#define TLAB_SHUFFLE(name, mode, clamp, parameter)                                                 \
    TLAB_DEVICE unsigned int tlab_##name(unsigned int mask, unsigned int value, unsigned int lane, \
                                         int width)                                                \
    {                                                                                              \
        unsigned int result, c = (unsigned)(32 - width) << 8 | clamp;                              \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                  \
                     : "=r"(result)                                                                \
                     : "r"(value), "r"(lane), "r"(c), "r"(mask));                                  \
        return result;                                                                             \
    }                                                                                              \
    TLAB_SHUFFLE_32(name, int, parameter)                                                          \
    TLAB_SHUFFLE_32(name, unsigned int, parameter)                                                 \
    TLAB_SHUFFLE_32(name, float, parameter)                                                        \
    TLAB_SHUFFLE_64(name, long, parameter)                                                         \
    TLAB_SHUFFLE_64(name, unsigned long, parameter)                                                \
    TLAB_SHUFFLE_64(name, long long, parameter)                                                    \
    TLAB_SHUFFLE_64(name, unsigned long long, parameter)                                           \
    TLAB_SHUFFLE_64(name, double, parameter)
#define TLAB_SHUFFLE_32(name, type, parameter)                                                     \
    TLAB_FUNCTION(type, name, (unsigned int mask, type value, parameter lane, int width = 32),     \
                  __builtin_bit_cast(type, tlab_##name(mask, __builtin_bit_cast(unsigned, value),  \
                                                       (unsigned)lane, width)))
#define TLAB_SHUFFLE_64(name, type, parameter)                                                     \
    TLAB_DEVICE type name(unsigned int mask, type value, parameter lane, int width = 32)           \
    {                                                                                              \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                   \
        unsigned low = tlab_##name(mask, (unsigned)bits, (unsigned)lane, width);                   \
        unsigned high = tlab_##name(mask, (unsigned)(bits >> 32), (unsigned)lane, width);          \
        return __builtin_bit_cast(type, (unsigned long long)high << 32 | low);                     \
    }
TLAB_SHUFFLE(__shfl_sync, "idx", 0x1f, int)
TLAB_SHUFFLE(__shfl_up_sync, "up", 0, unsigned int)
TLAB_SHUFFLE(__shfl_down_sync, "down", 0x1f, unsigned int)
TLAB_SHUFFLE(__shfl_xor_sync, "bfly", 0x1f, int)

TLAB_FUNCTION(unsigned int, __ballot_sync, (unsigned int mask, int predicate),
              __nvvm_vote_ballot_sync(mask, predicate != 0))
#define TLAB_VOTE(mode)                                                                            \
    TLAB_FUNCTION(int, __##mode##_sync, (unsigned int mask, int predicate),                        \
                  __nvvm_vote_##mode##_sync(mask, predicate != 0))
TLAB_VOTE(any)
TLAB_VOTE(all)
TLAB_VOTE(uni)

#define TLAB_MATCH(type, bits, width, constraint)                                                  \
    TLAB_INSTRUCTION(unsigned int, __match_any_sync, (unsigned int mask, type value), "r",         \
                     volatile, "match.any.sync." width " %0, %1, %2;",                             \
                     : constraint(__builtin_bit_cast(bits, value)), "r"(mask))                     \
    TLAB_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int *all)             \
    {                                                                                              \
        unsigned int result;                                                                       \
        int equal;                                                                                 \
        asm volatile("{ .reg .pred p; match.all.sync." width                                       \
                     " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"                                      \
                     : "=r"(result), "=r"(equal)                                                   \
                     : constraint(__builtin_bit_cast(bits, value)), "r"(mask));                    \
        *all = equal;                                                                              \
        return result;                                                                             \
    }
TLAB_MATCH(int, unsigned int, "b32", "r")
TLAB_MATCH(unsigned int, unsigned int, "b32", "r")
TLAB_MATCH(float, unsigned int, "b32", "r")
TLAB_MATCH(long, unsigned long long, "b64", "l")
TLAB_MATCH(unsigned long, unsigned long long, "b64", "l")
TLAB_MATCH(long long, unsigned long long, "b64", "l")
TLAB_MATCH(unsigned long long, unsigned long long, "b64", "l")
TLAB_MATCH(double, unsigned long long, "b64", "l")

#define TLAB_WARP_REDUCE(name, type, operation)                                                    \
    TLAB_INSTRUCTION(type, name, (unsigned int mask, type value), "r", volatile,                   \
                     "redux.sync." operation " %0, %1, %2;",                                       \
                     : "r"(value), "r"(mask))
TLAB_WARP_REDUCE(__reduce_add_sync, int, "add.s32")
TLAB_WARP_REDUCE(__reduce_add_sync, unsigned int, "add.u32")
TLAB_WARP_REDUCE(__reduce_min_sync, int, "min.s32")
TLAB_WARP_REDUCE(__reduce_min_sync, unsigned int, "min.u32")
TLAB_WARP_REDUCE(__reduce_max_sync, int, "max.s32")
TLAB_WARP_REDUCE(__reduce_max_sync, unsigned int, "max.u32")
TLAB_WARP_REDUCE(__reduce_and_sync, unsigned int, "and.b32")
TLAB_WARP_REDUCE(__reduce_or_sync, unsigned int, "or.b32")
TLAB_WARP_REDUCE(__reduce_xor_sync, unsigned int, "xor.b32")

#define TLAB_ATOMIC(name, type, builtin, carrier)                                                  \
    TLAB_FUNCTION(type, name, (type * address, type value),                                        \
                  (type)builtin((carrier *)address, (carrier)value))
#define TLAB_ATOMIC_BITS(name, operation)                                                          \
    TLAB_ATOMIC(name, int, __nvvm_atom_##operation##_gen_i, int)                                   \
    TLAB_ATOMIC(name, unsigned int, __nvvm_atom_##operation##_gen_i, int)                          \
    TLAB_ATOMIC(name, unsigned long long, __nvvm_atom_##operation##_gen_ll, long long)
#define TLAB_ATOMIC_ORDERED(name, operation)                                                       \
    TLAB_ATOMIC(name, int, __nvvm_atom_##operation##_gen_i, int)                                   \
    TLAB_ATOMIC(name, unsigned int, __nvvm_atom_##operation##_gen_ui, unsigned int)                \
    TLAB_ATOMIC(name, long long, __nvvm_atom_##operation##_gen_ll, long long)                      \
    TLAB_ATOMIC(name, unsigned long long, __nvvm_atom_##operation##_gen_ull, unsigned long long)
TLAB_ATOMIC_BITS(atomicAdd, add)
TLAB_ATOMIC_BITS(atomicExch, xchg)
TLAB_ATOMIC_BITS(atomicAnd, and)
TLAB_ATOMIC_BITS(atomicOr, or)
TLAB_ATOMIC_BITS(atomicXor, xor)
TLAB_ATOMIC_ORDERED(atomicMin, min)
TLAB_ATOMIC_ORDERED(atomicMax, max)
TLAB_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
TLAB_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)
TLAB_ATOMIC(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui, unsigned int)
TLAB_ATOMIC(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui, unsigned int)

TLAB_FUNCTION(float, atomicExch, (float *address, float value),
              __int_as_float(atomicExch((int *)address, __float_as_int(value))))
TLAB_FUNCTION(int, atomicSub, (int *address, int value),
              atomicAdd(address, (int)(0u - (unsigned)value)))
TLAB_FUNCTION(unsigned int, atomicSub, (unsigned int *address, unsigned int value),
              atomicAdd(address, 0u - value))

#define TLAB_ATOMIC_CAS(type, builtin, carrier)                                                    \
    TLAB_FUNCTION(type, atomicCAS, (type * address, type compare, type value),                     \
                  (type)builtin((carrier *)address, (carrier)compare, (carrier)value))
TLAB_ATOMIC_CAS(int, __nvvm_atom_cas_gen_i, int)
TLAB_ATOMIC_CAS(unsigned int, __nvvm_atom_cas_gen_i, int)
TLAB_ATOMIC_CAS(unsigned long long, __nvvm_atom_cas_gen_ll, long long)

TLAB_INSTRUCTION(unsigned short, atomicCAS,
                 (unsigned short *address, unsigned short compare, unsigned short value), "h",
                 volatile, "atom.cas.b16 %0, [%1], %2, %3;",
                 : "l"(address), "h"(compare), "h"(value)
                 : "memory")

/* X(type, PTX type, constraint, C++ type of the register, ...) for elements of at most 32 bits. The
 * suffix `n` is empty for scalars, 2 for pairs and 4 for quads. */
#define TLAB_SMALL_TYPES(X, n, ...)                                                                \
    X(char##n, "s8", "r", int, __VA_ARGS__)                                                        \
    X(uchar##n, "u8", "r", unsigned int, __VA_ARGS__)                                              \
    X(short##n, "s16", "h", short, __VA_ARGS__)                                                    \
    X(ushort##n, "u16", "h", unsigned short, __VA_ARGS__)                                          \
    X(int##n, "s32", "r", int, __VA_ARGS__)                                                        \
    X(uint##n, "u32", "r", unsigned int, __VA_ARGS__)                                              \
    X(float##n, "f32", "f", float, __VA_ARGS__)
#define TLAB_SCALAR_TYPES(X, ...)                                                                  \
    TLAB_SMALL_TYPES(X, , __VA_ARGS__)                                                             \
    X(signed char, "s8", "r", int, __VA_ARGS__)                                                    \
    X(long, "s64", "l", long, __VA_ARGS__)                                                         \
    X(unsigned long, "u64", "l", unsigned long, __VA_ARGS__)                                       \
    X(long long, "s64", "l", long long, __VA_ARGS__)                                               \
    X(unsigned long long, "u64", "l", unsigned long long, __VA_ARGS__)                             \
    X(double, "f64", "d", double, __VA_ARGS__)
#define TLAB_PAIR_TYPES(X, ...)                                                                    \
    TLAB_SMALL_TYPES(X, 2, __VA_ARGS__)                                                            \
    X(longlong2, "s64", "l", long long, __VA_ARGS__)                                               \
    X(ulonglong2, "u64", "l", unsigned long long, __VA_ARGS__)                                     \
    X(double2, "f64", "d", double, __VA_ARGS__)
#define TLAB_QUAD_TYPES(X, ...) TLAB_SMALL_TYPES(X, 4, __VA_ARGS__)

/* The cast is explicit, because an initializer in braces permits no narrowing conversion. */
#define TLAB_MEMBER_OF(type, member, value) ((decltype(type::member))(value))

/* Read-only data has no `order` and no `clobber`, so that the compiler may reorder the load. */
#define TLAB_LOAD_SCALAR(type, ptx, c, carrier, name, op, order, clobber)                          \
    TLAB_DEVICE type name(const type *address)                                                     \
    {                                                                                              \
        carrier x;                                                                                 \
        asm order("ld.global." op "." ptx " %0, [%1];" : "=" c(x) : "l"(address)clobber);          \
        return (type)x;                                                                            \
    }
#define TLAB_LOAD_PAIR(type, ptx, c, carrier, name, op, order, clobber)                            \
    TLAB_DEVICE type name(const type *address)                                                     \
    {                                                                                              \
        carrier x, y;                                                                              \
        asm order("ld.global." op ".v2." ptx " {%0, %1}, [%2];"                                    \
                  : "=" c(x), "=" c(y)                                                             \
                  : "l"(address)clobber);                                                          \
        return {TLAB_MEMBER_OF(type, x, x), TLAB_MEMBER_OF(type, y, y)};                           \
    }
#define TLAB_LOAD_QUAD(type, ptx, c, carrier, name, op, order, clobber)                            \
    TLAB_DEVICE type name(const type *address)                                                     \
    {                                                                                              \
        carrier x, y, z, w;                                                                        \
        asm order("ld.global." op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                            \
                  : "=" c(x), "=" c(y), "=" c(z), "=" c(w)                                         \
                  : "l"(address)clobber);                                                          \
        return {TLAB_MEMBER_OF(type, x, x), TLAB_MEMBER_OF(type, y, y),                            \
                TLAB_MEMBER_OF(type, z, z), TLAB_MEMBER_OF(type, w, w)};                           \
    }
#define TLAB_LOADS(name, op, order, clobber)                                                       \
    TLAB_SCALAR_TYPES(TLAB_LOAD_SCALAR, name, op, order, clobber)                                  \
    TLAB_PAIR_TYPES(TLAB_LOAD_PAIR, name, op, order, clobber)                                      \
    TLAB_QUAD_TYPES(TLAB_LOAD_QUAD, name, op, order, clobber)
TLAB_LOADS(__ldg, "nc", , )
TLAB_LOADS(__ldcg, "cg", volatile, : "memory")
TLAB_LOADS(__ldca, "ca", volatile, : "memory")
TLAB_LOADS(__ldcs, "cs", volatile, : "memory")
TLAB_LOADS(__ldlu, "lu", volatile, : "memory")
TLAB_LOADS(__ldcv, "cv", volatile, : "memory")

#define TLAB_STORE_SCALAR(type, ptx, c, carrier, name, op)                                         \
    TLAB_DEVICE void name(type *address, type value)                                               \
    {                                                                                              \
        asm volatile("st.global." op "." ptx " [%0], %1;" ::"l"(address), c((carrier)value)        \
                     : "memory");                                                                  \
    }
#define TLAB_STORE_PAIR(type, ptx, c, carrier, name, op)                                           \
    TLAB_DEVICE void name(type *address, type value)                                               \
    {                                                                                              \
        asm volatile("st.global." op ".v2." ptx " [%0], {%1, %2};" ::"l"(address),                 \
                     c((carrier)value.x), c((carrier)value.y)                                      \
                     : "memory");                                                                  \
    }
#define TLAB_STORE_QUAD(type, ptx, c, carrier, name, op)                                           \
    TLAB_DEVICE void name(type *address, type value)                                               \
    {                                                                                              \
        asm volatile("st.global." op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(address),         \
                     c((carrier)value.x), c((carrier)value.y), c((carrier)value.z),                \
                     c((carrier)value.w)                                                           \
                     : "memory");                                                                  \
    }
#define TLAB_STORES(name, op)                                                                      \
    TLAB_SCALAR_TYPES(TLAB_STORE_SCALAR, name, op)                                                 \
    TLAB_PAIR_TYPES(TLAB_STORE_PAIR, name, op)                                                     \
    TLAB_QUAD_TYPES(TLAB_STORE_QUAD, name, op)
TLAB_STORES(__stwb, "wb")
TLAB_STORES(__stcg, "cg")
TLAB_STORES(__stcs, "cs")
TLAB_STORES(__stwt, "wt")

#define TLAB_IS_SPACE(name, space)                                                                 \
    TLAB_INSTRUCTION(unsigned int, name, (const void *address), "r", ,                             \
                     "{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }",          \
                     : "l"(address))
TLAB_IS_SPACE(__isGlobal, "global")
TLAB_IS_SPACE(__isShared, "shared")
TLAB_IS_SPACE(__isConstant, "const")
TLAB_IS_SPACE(__isLocal, "local")

#define TLAB_TO_SPACE(name, space)                                                                 \
    TLAB_INSTRUCTION(size_t, name, (const void *address), "l", , "cvta.to." space ".u64 %0, %1;",  \
                     : "l"(address))
TLAB_TO_SPACE(__cvta_generic_to_shared, "shared")
TLAB_TO_SPACE(__cvta_generic_to_global, "global")

TLAB_FUNCTION(int, __popc, (unsigned int x), __builtin_popcount(x))
TLAB_FUNCTION(int, __popcll, (unsigned long long x), __builtin_popcountll(x))
TLAB_FUNCTION(int, __clz, (int x), x == 0 ? 32 : __builtin_clz((unsigned)x))
TLAB_FUNCTION(int, __clzll, (long long x), x == 0 ? 64 : __builtin_clzll((unsigned long long)x))
TLAB_FUNCTION(int, __ffs, (int x), x == 0 ? 0 : __builtin_ctz((unsigned)x) + 1)
TLAB_FUNCTION(int, __ffsll, (long long x), x == 0 ? 0 : __builtin_ctzll((unsigned long long)x) + 1)
TLAB_FUNCTION(unsigned int, __brev, (unsigned int x), __builtin_bitreverse32(x))
TLAB_FUNCTION(unsigned long long, __brevll, (unsigned long long x), __builtin_bitreverse64(x))
TLAB_FUNCTION(int, __mulhi, (int x, int y), (int)(y *(long long)x >> 32))
TLAB_FUNCTION(unsigned int, __umulhi, (unsigned int x, unsigned int y),
              (unsigned)(y *(unsigned long long)x >> 32))
TLAB_FUNCTION(long long, __mul64hi, (long long x, long long y), (long long)(y *(__int128)x >> 64))
TLAB_FUNCTION(unsigned long long, __umul64hi, (unsigned long long x, unsigned long long y),
              (unsigned long long)(y *(unsigned __int128)x >> 64))
TLAB_FUNCTION(int, __hadd, (int x, int y), (int)(((long long)x + y) >> 1))
TLAB_FUNCTION(int, __rhadd, (int x, int y), (int)(((long long)x + y + 1) >> 1))

#define TLAB_TWO_OPERANDS(name, type, constraint, instruction)                                     \
    TLAB_INSTRUCTION(type, name, (type x, type y), constraint, , instruction " %0, %1, %2;",       \
                     : constraint(x), constraint(y))
#define TLAB_THREE_OPERANDS(name, type, last, constraint, instruction)                             \
    TLAB_INSTRUCTION(type, name, (last x, last y, type z), constraint, ,                           \
                     instruction " %0, %1, %2, %3;",                                               \
                     : constraint(x), constraint(y), constraint(z))
TLAB_TWO_OPERANDS(__mul24, int, "r", "mul24.lo.s32")
TLAB_TWO_OPERANDS(__umul24, unsigned int, "r", "mul24.lo.u32")
TLAB_THREE_OPERANDS(__byte_perm, unsigned int, unsigned int, "r", "prmt.b32")
TLAB_THREE_OPERANDS(__sad, unsigned int, int, "r", "sad.s32")
TLAB_THREE_OPERANDS(__usad, unsigned int, unsigned int, "r", "sad.u32")
TLAB_THREE_OPERANDS(__dp4a, int, int, "r", "dp4a.s32.s32")
TLAB_THREE_OPERANDS(__dp4a, unsigned int, unsigned int, "r", "dp4a.u32.u32")
TLAB_THREE_OPERANDS(__funnelshift_l, unsigned int, unsigned int, "r", "shf.l.wrap.b32")
TLAB_THREE_OPERANDS(__funnelshift_lc, unsigned int, unsigned int, "r", "shf.l.clamp.b32")
TLAB_THREE_OPERANDS(__funnelshift_r, unsigned int, unsigned int, "r", "shf.r.wrap.b32")
TLAB_THREE_OPERANDS(__funnelshift_rc, unsigned int, unsigned int, "r", "shf.r.clamp.b32")

/* min and max use the operands' common type, which is unsigned if one of the types is unsigned. */
#define TLAB_MIN_MAX(type, left, right)                                                            \
    TLAB_CONSTANT_FUNCTION(type, min, (left x, right y), (type)x < (type)y ? (type)x : (type)y)    \
    TLAB_CONSTANT_FUNCTION(type, max, (left x, right y), (type)x > (type)y ? (type)x : (type)y)
#define TLAB_MIN_MAX_INTEGERS(type)                                                                \
    TLAB_MIN_MAX(type, type, type)                                                                 \
    TLAB_MIN_MAX(unsigned type, unsigned type, unsigned type)                                      \
    TLAB_MIN_MAX(unsigned type, type, unsigned type)                                               \
    TLAB_MIN_MAX(unsigned type, unsigned type, type)
TLAB_MIN_MAX_INTEGERS(int)
TLAB_MIN_MAX_INTEGERS(long)
TLAB_MIN_MAX_INTEGERS(long long)

TLAB_CONSTANT_FUNCTION(unsigned int, umin, (unsigned int x, unsigned int y), min(x, y))
TLAB_CONSTANT_FUNCTION(unsigned int, umax, (unsigned int x, unsigned int y), max(x, y))

#define TLAB_ONE_OPERAND(name, to, to_constraint, from, from_constraint, instruction)              \
    TLAB_INSTRUCTION(to, name, (from x), to_constraint, , instruction " %0, %1;",                  \
                     : from_constraint(x))
#define TLAB_UNARY_FLOAT(name, instruction)                                                        \
    TLAB_ONE_OPERAND(name, float, "f", float, "f", instruction)
#define TLAB_UNARY_DOUBLE(name, instruction)                                                       \
    TLAB_ONE_OPERAND(name, double, "d", double, "d", instruction)

/* Defines the correctly rounded functions name##f for float, and `name` for double and float. */
#define TLAB_UNARY_EXACT(name, instruction_f32, instruction_f64)                                   \
    TLAB_UNARY_FLOAT(name##f, instruction_f32)                                                     \
    TLAB_UNARY_DOUBLE(name, instruction_f64)                                                       \
    TLAB_FUNCTION(float, name, (float x), name##f(x))
TLAB_UNARY_EXACT(sqrt, "sqrt.rn.f32", "sqrt.rn.f64")
TLAB_UNARY_EXACT(floor, "cvt.rmi.f32.f32", "cvt.rmi.f64.f64")
TLAB_UNARY_EXACT(ceil, "cvt.rpi.f32.f32", "cvt.rpi.f64.f64")
TLAB_UNARY_EXACT(trunc, "cvt.rzi.f32.f32", "cvt.rzi.f64.f64")
TLAB_UNARY_EXACT(rint, "cvt.rni.f32.f32", "cvt.rni.f64.f64")
TLAB_UNARY_EXACT(nearbyint, "cvt.rni.f32.f32", "cvt.rni.f64.f64")
TLAB_UNARY_EXACT(fabs, "abs.f32", "abs.f64")

/* __frsqrt_rn is approximate, because PTX has no rsqrt.rn. */
TLAB_UNARY_FLOAT(rsqrtf, "rsqrt.approx.f32")
TLAB_UNARY_FLOAT(__frsqrt_rn, "rsqrt.approx.f32")
TLAB_UNARY_FLOAT(__fsqrt_rn, "sqrt.rn.f32")
TLAB_UNARY_FLOAT(__frcp_rn, "rcp.rn.f32")
TLAB_UNARY_FLOAT(__saturatef, "cvt.sat.f32.f32")
TLAB_UNARY_FLOAT(__sinf, "sin.approx.f32")
TLAB_UNARY_FLOAT(__cosf, "cos.approx.f32")
TLAB_UNARY_FLOAT(__log2f, "lg2.approx.f32")
TLAB_UNARY_FLOAT(tlab_exp2, "ex2.approx.f32")
TLAB_UNARY_DOUBLE(rsqrt, "rsqrt.approx.f64")
TLAB_UNARY_DOUBLE(__drcp_rn, "rcp.rn.f64")
TLAB_UNARY_DOUBLE(__dsqrt_rn, "sqrt.rn.f64")

TLAB_TWO_OPERANDS(__fadd_rn, float, "f", "add.rn.f32")
TLAB_TWO_OPERANDS(__fsub_rn, float, "f", "sub.rn.f32")
TLAB_TWO_OPERANDS(__fmul_rn, float, "f", "mul.rn.f32")
TLAB_TWO_OPERANDS(__fdiv_rn, float, "f", "div.rn.f32")
TLAB_TWO_OPERANDS(__fdividef, float, "f", "div.approx.f32")
TLAB_TWO_OPERANDS(__dadd_rn, double, "d", "add.rn.f64")
TLAB_TWO_OPERANDS(__dsub_rn, double, "d", "sub.rn.f64")
TLAB_TWO_OPERANDS(__dmul_rn, double, "d", "mul.rn.f64")
TLAB_TWO_OPERANDS(__ddiv_rn, double, "d", "div.rn.f64")
TLAB_TWO_OPERANDS(fminf, float, "f", "min.f32")
TLAB_TWO_OPERANDS(fmaxf, float, "f", "max.f32")
TLAB_TWO_OPERANDS(fmin, double, "d", "min.f64")
TLAB_TWO_OPERANDS(fmax, double, "d", "max.f64")
TLAB_THREE_OPERANDS(fmaf, float, float, "f", "fma.rn.f32")
TLAB_THREE_OPERANDS(__fmaf_rn, float, float, "f", "fma.rn.f32")
TLAB_THREE_OPERANDS(__fmaf_rz, float, float, "f", "fma.rz.f32")
TLAB_THREE_OPERANDS(fma, double, double, "d", "fma.rn.f64")
TLAB_THREE_OPERANDS(__fma_rn, double, double, "d", "fma.rn.f64")

#define TLAB_OVERLOAD_2(name, function)                                                            \
    TLAB_FUNCTION(float, name, (float x, float y), function(x, y))
TLAB_OVERLOAD_2(fmin, fminf)
TLAB_OVERLOAD_2(fmax, fmaxf)
TLAB_OVERLOAD_2(min, fminf)
TLAB_OVERLOAD_2(max, fmaxf)
TLAB_FUNCTION(float, fma, (float x, float y, float z), fmaf(x, y, z))
#define TLAB_MIN_MAX_DOUBLE(left, right)                                                           \
    TLAB_FUNCTION(double, min, (left x, right y), fmin((double)x, (double)y))                      \
    TLAB_FUNCTION(double, max, (left x, right y), fmax((double)x, (double)y))
TLAB_MIN_MAX_DOUBLE(double, double)
TLAB_MIN_MAX_DOUBLE(float, double)
TLAB_MIN_MAX_DOUBLE(double, float)

/* Conversions with each rounding mode (PTX ISA, "cvt"). Before `types`, PTX has "i." in conversions
 * to an integer, and "." in conversions to a float. */
#define TLAB_CONVERT(stem, to, to_constraint, from, from_constraint, types)                        \
    TLAB_ONE_OPERAND(stem##_rn, to, to_constraint, from, from_constraint, "cvt.rn" types)          \
    TLAB_ONE_OPERAND(stem##_rz, to, to_constraint, from, from_constraint, "cvt.rz" types)          \
    TLAB_ONE_OPERAND(stem##_rd, to, to_constraint, from, from_constraint, "cvt.rm" types)          \
    TLAB_ONE_OPERAND(stem##_ru, to, to_constraint, from, from_constraint, "cvt.rp" types)
TLAB_CONVERT(__float2int, int, "r", float, "f", "i.s32.f32")
TLAB_CONVERT(__float2uint, unsigned int, "r", float, "f", "i.u32.f32")
TLAB_CONVERT(__float2ll, long long, "l", float, "f", "i.s64.f32")
TLAB_CONVERT(__float2ull, unsigned long long, "l", float, "f", "i.u64.f32")
TLAB_CONVERT(__double2int, int, "r", double, "d", "i.s32.f64")
TLAB_CONVERT(__double2uint, unsigned int, "r", double, "d", "i.u32.f64")
TLAB_CONVERT(__double2ll, long long, "l", double, "d", "i.s64.f64")
TLAB_CONVERT(__int2float, float, "f", int, "r", ".f32.s32")
TLAB_CONVERT(__uint2float, float, "f", unsigned int, "r", ".f32.u32")
TLAB_CONVERT(__ll2float, float, "f", long long, "l", ".f32.s64")
TLAB_CONVERT(__double2float, float, "f", double, "d", ".f32.f64")
TLAB_ONE_OPERAND(__int2double_rn, double, "d", int, "r", "cvt.rn.f64.s32")
TLAB_ONE_OPERAND(__uint2double_rn, double, "d", unsigned int, "r", "cvt.rn.f64.u32")

/* Elementary functions of float. The constants are log2(e), ln 2, log10(2), 1 / (2 pi) and 2 pi. */
TLAB_FUNCTION(float, exp2f, (float x), tlab_exp2(x))
TLAB_FUNCTION(float, __expf, (float x), tlab_exp2(x * 1.44269504f))
/* e^x = 2^n 2^f with an integer n and |f| <= 1/2, so that the error does not grow with x. */
TLAB_DEVICE float expf(float x)
{
    float n = rintf(x * 1.44269504f);
    float rest = fmaf(n, -6.93145752e-1f, x); /* ln 2 in two parts */
    rest = fmaf(n, -1.42860677e-6f, rest);
    return tlab_exp2(rest * 1.44269504f) * tlab_exp2(n);
}
TLAB_FUNCTION(float, __logf, (float x), __log2f(x) * 0.693147181f)
TLAB_FUNCTION(float, logf, (float x), __logf(x))
TLAB_FUNCTION(float, log2f, (float x), __log2f(x))
TLAB_FUNCTION(float, log10f, (float x), __log2f(x) * 0.301029996f)
TLAB_FUNCTION(float, __powf, (float x, float y), tlab_exp2(__log2f(x) * y))
/* A negative base requires an integer exponent; the power is negative for an odd exponent. */
TLAB_DEVICE float powf(float x, float y)
{
    float size = __powf(fabsf(x), y);
    if (y == 0 || x == 1)
        return 1;
    if (!(x < 0))
        return size;
    if (truncf(y) != y)
        return __int_as_float(0x7fffffff);
    return truncf(y * 0.5f) * 2 == y ? size : -size;
}
TLAB_DEVICE float tlab_reduce_angle(float x)
{
    float turns = rintf(x * 0.159154943f);
    return fmaf(turns, 1.74845553e-7f, fmaf(turns, -6.28318548f, x));
}
TLAB_FUNCTION(float, sinf, (float x), __sinf(tlab_reduce_angle(x)))
TLAB_FUNCTION(float, cosf, (float x), __cosf(tlab_reduce_angle(x)))
TLAB_FUNCTION(float, tanf, (float x), sinf(x) / cosf(x))
TLAB_DEVICE void sincosf(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}
TLAB_FUNCTION(float, tanhf, (float x), 1 - 2 / (expf(2 * x) + 1))
/* The result is exact: each step of a long division subtracts `divisor` times a power of two. */
TLAB_DEVICE float fmodf(float x, float y)
{
    float rest = fabsf(x), divisor = fabsf(y);
    if (!(rest < __int_as_float(0x7f800000)) || !(divisor > 0))
        return __int_as_float(0x7fffffff);
    while (rest >= divisor) {
        float step = divisor;
        while (step <= rest - step)
            step *= 2;
        rest -= step;
    }
    return __builtin_copysignf(rest, x);
}
TLAB_FUNCTION(float, roundf, (float x), __builtin_copysignf(truncf(fabsf(x) + 0.49999997f), x))
TLAB_FUNCTION(float, copysignf, (float x, float y), __builtin_copysignf(x, y))

#define TLAB_ELEMENTARY(name)                                                                      \
    TLAB_FUNCTION(float, name, (float x), name##f(x))                                              \
    __device__ double name(double x) __attribute__((unavailable(                                   \
        #name "() for double needs the CUDA Toolkit. Without the toolkit, use " #name "f()")));
TLAB_ELEMENTARY(exp)
TLAB_ELEMENTARY(exp2)
TLAB_ELEMENTARY(log)
TLAB_ELEMENTARY(log2)
TLAB_ELEMENTARY(log10)
TLAB_ELEMENTARY(sin)
TLAB_ELEMENTARY(cos)
TLAB_ELEMENTARY(tan)
TLAB_ELEMENTARY(tanh)
TLAB_OVERLOAD_2(pow, powf)
__device__ double pow(double x, double y) __attribute__((
    unavailable("pow() for double needs the CUDA Toolkit. Without the toolkit, use powf()")));

#define TLAB_ABSOLUTE(name, type) TLAB_FUNCTION(type, name, (type x), x < 0 ? -x : x)
TLAB_ABSOLUTE(abs, int)
TLAB_ABSOLUTE(abs, long)
TLAB_ABSOLUTE(abs, long long)
TLAB_ABSOLUTE(labs, long)
TLAB_ABSOLUTE(llabs, long long)
TLAB_FUNCTION(float, abs, (float x), fabsf(x))
TLAB_FUNCTION(double, abs, (double x), fabs(x))

#define TLAB_CLASSIFY(name)                                                                        \
    TLAB_FUNCTION(bool, name, (float x), __builtin_##name(x))                                      \
    TLAB_FUNCTION(bool, name, (double x), __builtin_##name(x))
TLAB_CLASSIFY(isnan)
TLAB_CLASSIFY(isinf)
TLAB_CLASSIFY(isfinite)

extern "C" {
__device__ int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
__device__ void *malloc(size_t bytes);
__device__ void free(void *pointer);
__device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file,
                                                       unsigned int line, const char *function,
                                                       size_t char_size);
/* The assert() of the host's <assert.h> calls this function. */
__device__ __attribute__((noreturn, always_inline, nodebug)) inline void
__assert_fail(const char *message, const char *file, unsigned int line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
}

TLAB_FUNCTION(void *, memcpy, (void *to, const void *from, size_t bytes),
              __builtin_memcpy(to, from, bytes))
TLAB_FUNCTION(void *, memset, (void *to, int byte, size_t bytes), __builtin_memset(to, byte, bytes))

#include "stand_ins/assert.h"
#include "stand_ins/cuda_runtime.h"

#endif
