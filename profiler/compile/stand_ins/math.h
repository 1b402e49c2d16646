/* math.h: only constants; NVRTC and clang_cuda.h declare the functions. */
#ifndef TLAB_MATH_H
#define TLAB_MATH_H
#define M_E 2.71828182845904523536
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_SQRT2 1.41421356237309504880
#ifndef INFINITY
#define INFINITY __builtin_huge_valf()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
#endif
