/* tlab_device.h: common parts of the stand-ins for CUDA's headers. Functions are `nodebug` if
 * possible, so that instructions have the student's line. */
#ifndef TLAB_DEVICE_H
#define TLAB_DEVICE_H
#include "stddef.h"
#include "stdint.h"
#ifdef __clang__
#define TLAB_INLINE __inline__ __attribute__((always_inline, nodebug, device))
#define TLAB_EVERYWHERE __inline__ __attribute__((always_inline, nodebug, host, device))
#else
#define TLAB_INLINE __forceinline__ __device__
#define TLAB_EVERYWHERE __forceinline__ __host__ __device__
#endif

/* Defines a function that returns one expression. For a member, `parameters` may end with const. */
#define TLAB_CONSTANT(type, name, parameters, ...)                                                 \
    TLAB_EVERYWHERE constexpr type name parameters                                                 \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
#define TLAB_MEMBER_GET(type, name, parameters, ...)                                               \
    TLAB_INLINE type name parameters                                                               \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

/* Converts a generic pointer to a 32-bit shared-memory address for PTX. */
static TLAB_INLINE unsigned tlab_shared_address(const void *pointer)
{
    unsigned address;
    asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }"
        : "=r"(address)
        : "l"(pointer));
    return address;
}

#define TLAB_IS_IN(space)                                                                          \
    static TLAB_INLINE bool tlab_is_##space(const void *pointer)                                   \
    {                                                                                              \
        int is;                                                                                    \
        asm("{ .reg .pred p; isspacep." #space " p, %1; selp.s32 %0, 1, 0, p; }"                   \
            : "=r"(is)                                                                             \
            : "l"(pointer));                                                                       \
        return is;                                                                                 \
    }
TLAB_IS_IN(shared)
TLAB_IS_IN(global)
#undef TLAB_IS_IN

static TLAB_INLINE unsigned tlab_lane()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Copy 4, 8 or 16 bytes. The last `zeros` bytes are not read; the copy contains zeros instead. */
static TLAB_INLINE void tlab_copy_async(void *to, const void *from, size_t bytes, size_t zeros)
{
#define TLAB_COPY(size, cache)                                                                     \
    asm volatile("{ .reg .u64 a; cvta.to.global.u64 a, %1;\n"                                      \
                 "cp.async." cache ".shared.global [%0], [a], " size                               \
                 ", %2; }" ::"r"(tlab_shared_address(to)),                                         \
                 "l"(from), "r"(taken)                                                             \
                 : "memory")
    unsigned taken = (unsigned)(bytes - zeros);
    if (bytes == 16)
        TLAB_COPY("16", "cg");
    else if (bytes == 8)
        TLAB_COPY("8", "ca");
    else
        TLAB_COPY("4", "ca");
#undef TLAB_COPY
}

static TLAB_INLINE void tlab_copy_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Wait for all copy groups except the last `pending`, at most 8. PTX requires a constant. */
static TLAB_INLINE void tlab_copy_wait(unsigned pending)
{
#define TLAB_WAIT(groups) asm volatile("cp.async.wait_group " groups ";" ::: "memory")
#define TLAB_WAIT_CASE(number)                                                                     \
    case number:                                                                                   \
        TLAB_WAIT(#number);                                                                        \
        break;
    switch (pending) {
        TLAB_WAIT_CASE(0)
        TLAB_WAIT_CASE(1)
        TLAB_WAIT_CASE(2)
        TLAB_WAIT_CASE(3)
        TLAB_WAIT_CASE(4)
        TLAB_WAIT_CASE(5)
        TLAB_WAIT_CASE(6)
        TLAB_WAIT_CASE(7)
    default:
        TLAB_WAIT("8");
    }
#undef TLAB_WAIT_CASE
#undef TLAB_WAIT
}

/* Copy with `size` threads. This thread has the number `rank`. Copies from global to shared memory
 * are asynchronous if both addresses and `bytes` are multiples of 4. */
static TLAB_INLINE void tlab_copy_together(unsigned rank, unsigned size, void *to, const void *from,
                                           size_t bytes)
{
    uint64_t ends = (uint64_t)to | (uint64_t)from | bytes;
    unsigned width = ends % 16 == 0 ? 16 : ends % 8 == 0 ? 8 : 4;
    char *target = (char *)to;
    const char *source = (const char *)from;
    if (ends % 4 != 0 || !tlab_is_shared(to) || !tlab_is_global(from))
        for (size_t i = rank; i < bytes; i += size)
            target[i] = source[i];
    else
        for (size_t i = (size_t)rank * width; i < bytes; i += (size_t)size * width)
            tlab_copy_async(target + i, source + i, width, 0);
}
#endif
