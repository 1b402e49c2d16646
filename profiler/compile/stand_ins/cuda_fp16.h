/* cuda_fp16.h: half precision with the instructions of sm_53 and newer (PTX ISA). */
#ifndef TLAB_CUDA_FP16_H
#define TLAB_CUDA_FP16_H

#include "tlab_device.h"
#define TLAB_HALF static TLAB_INLINE
#define TLAB_HALF_FUNCTION(type, name, parameters, ...)                                            \
    static TLAB_MEMBER_GET(type, name, parameters, __VA_ARGS__)

struct __align__(2) __half
{
    unsigned short bits;
    __half() = default;
    TLAB_INLINE __half(float value)
    {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    }
    TLAB_INLINE operator float() const
    {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};
struct __align__(4) __half2
{
    __half x, y;
};
typedef __half half;
typedef __half2 half2;

TLAB_HALF_FUNCTION(__half, __float2half, (float value), __half(value))
TLAB_HALF_FUNCTION(__half, __float2half_rn, (float value), __half(value))
TLAB_HALF_FUNCTION(float, __half2float, (__half value), (float)value)
TLAB_HALF __half __ushort_as_half(unsigned short bits)
{
    __half result;
    result.bits = bits;
    return result;
}
TLAB_HALF_FUNCTION(unsigned short, __half_as_ushort, (__half value), value.bits)

TLAB_HALF_FUNCTION(unsigned int, tlab_half2_bits, (__half2 value),
                   (unsigned int)value.y.bits << 16 | value.x.bits)
TLAB_HALF __half2 tlab_half2_of_bits(unsigned int bits)
{
    __half2 result;
    result.x.bits = (unsigned short)bits;
    result.y.bits = (unsigned short)(bits >> 16);
    return result;
}

#define TLAB_HALF_BINARY(name, operation)                                                          \
    TLAB_HALF __half name(__half a, __half b)                                                      \
    {                                                                                              \
        __half result;                                                                             \
        asm(operation ".f16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));          \
        return result;                                                                             \
    }                                                                                              \
    TLAB_HALF __half2 name##2(__half2 a, __half2 b)                                                \
    {                                                                                              \
        unsigned int result;                                                                       \
        asm(operation ".f16x2 %0, %1, %2;"                                                         \
            : "=r"(result)                                                                         \
            : "r"(tlab_half2_bits(a)), "r"(tlab_half2_bits(b)));                                   \
        return tlab_half2_of_bits(result);                                                         \
    }
TLAB_HALF_BINARY(__hadd, "add")
TLAB_HALF_BINARY(__hsub, "sub")
TLAB_HALF_BINARY(__hmul, "mul")
TLAB_HALF_BINARY(__hmin, "min")
TLAB_HALF_BINARY(__hmax, "max")

TLAB_HALF __half __hfma(__half a, __half b, __half c)
{
    __half result;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return result;
}
TLAB_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    unsigned int result;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(tlab_half2_bits(a)), "r"(tlab_half2_bits(b)), "r"(tlab_half2_bits(c)));
    return tlab_half2_of_bits(result);
}
TLAB_HALF_FUNCTION(__half, __hneg, (__half a), __ushort_as_half((unsigned short)(a.bits ^ 0x8000)))
TLAB_HALF_FUNCTION(__half, __habs, (__half a), __ushort_as_half((unsigned short)(a.bits & 0x7fff)))

/* Comparisons and divisions use float, because a float represents every half exactly. */
#define TLAB_HALF_COMPARE(name, operator_)                                                         \
    TLAB_HALF_FUNCTION(bool, name, (__half a, __half b), (float)a operator_(float) b)
TLAB_HALF_COMPARE(__heq, ==)
TLAB_HALF_COMPARE(__hne, !=)
TLAB_HALF_COMPARE(__hlt, <)
TLAB_HALF_COMPARE(__hle, <=)
TLAB_HALF_COMPARE(__hgt, >)
TLAB_HALF_COMPARE(__hge, >=)
TLAB_HALF_FUNCTION(__half, __hdiv, (__half a, __half b), __half((float)a / (float)b))
TLAB_HALF_FUNCTION(bool, __hisnan, (__half a), (a.bits & 0x7fff) > 0x7c00)

TLAB_HALF_FUNCTION(__half2, __halves2half2, (__half x, __half y), {x, y})
TLAB_HALF_FUNCTION(__half2, make_half2, (__half x, __half y), {x, y})
TLAB_HALF_FUNCTION(__half2, __half2half2, (__half x), {x, x})
TLAB_HALF_FUNCTION(__half2, __float2half2_rn, (float x), {__half(x), __half(x)})
TLAB_HALF_FUNCTION(__half2, __floats2half2_rn, (float x, float y), {__half(x), __half(y)})
TLAB_HALF_FUNCTION(__half, __low2half, (__half2 pair), pair.x)
TLAB_HALF_FUNCTION(__half, __high2half, (__half2 pair), pair.y)
TLAB_HALF_FUNCTION(float, __low2float, (__half2 pair), (float)pair.x)
TLAB_HALF_FUNCTION(float, __high2float, (__half2 pair), (float)pair.y)
TLAB_HALF_FUNCTION(float2, __half22float2, (__half2 pair),
                   make_float2((float)pair.x, (float)pair.y))

#define TLAB_HALF_OPERATOR(operator_, name)                                                        \
    TLAB_HALF_FUNCTION(__half operator, operator_, (__half a, __half b), name(a, b))               \
    TLAB_HALF __half &operator operator_##=(__half &a, __half b)                                   \
    {                                                                                              \
        return a = name(a, b);                                                                     \
    }
TLAB_HALF_OPERATOR(+, __hadd)
TLAB_HALF_OPERATOR(-, __hsub)
TLAB_HALF_OPERATOR(*, __hmul)
TLAB_HALF_OPERATOR(/, __hdiv)
TLAB_HALF __half operator-(__half a)
{
    return __hneg(a);
}

#endif
