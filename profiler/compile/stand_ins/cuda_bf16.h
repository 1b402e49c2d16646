/* cuda_bf16.h: bfloat16 as the upper half of a float. Conversions and arithmetic use float. */
#ifndef TLAB_CUDA_BF16_H
#define TLAB_CUDA_BF16_H
#include "tlab_device.h"

struct __align__(2) __nv_bfloat16
{
    unsigned short bits;
    __nv_bfloat16() = default;
    TLAB_INLINE __nv_bfloat16(float value)
    {
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    }
    TLAB_MEMBER_GET(operator, float, () const, __uint_as_float((unsigned)bits << 16))
};
struct __align__(4) __nv_bfloat162
{
    __nv_bfloat16 x, y;
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define TLAB_BF16(type, name, parameters, ...)                                                     \
    static TLAB_MEMBER_GET(type, name, parameters, __VA_ARGS__)
TLAB_BF16(__nv_bfloat16, __float2bfloat16, (float value), __nv_bfloat16(value))
TLAB_BF16(__nv_bfloat16, __float2bfloat16_rn, (float value), __nv_bfloat16(value))
TLAB_BF16(float, __bfloat162float, (__nv_bfloat16 value), (float)value)
TLAB_BF16(__nv_bfloat162, __floats2bfloat162_rn, (float x, float y),
          {__nv_bfloat16(x), __nv_bfloat16(y)})
TLAB_BF16(__nv_bfloat162, __halves2bfloat162, (__nv_bfloat16 x, __nv_bfloat16 y), {x, y})
TLAB_BF16(float, __low2float, (__nv_bfloat162 pair), (float)pair.x)
TLAB_BF16(float, __high2float, (__nv_bfloat162 pair), (float)pair.y)
TLAB_BF16(__nv_bfloat16, __hadd, (__nv_bfloat16 a, __nv_bfloat16 b), (float)a + (float)b)
TLAB_BF16(__nv_bfloat16, __hsub, (__nv_bfloat16 a, __nv_bfloat16 b), (float)a - (float)b)
TLAB_BF16(__nv_bfloat16, __hmul, (__nv_bfloat16 a, __nv_bfloat16 b), (float)a *(float)b)
#undef TLAB_BF16
#endif
