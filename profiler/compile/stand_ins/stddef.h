/* stddef.h: the types of the standard header, which are built into NVRTC. */
#ifndef TLAB_STDDEF_H
#define TLAB_STDDEF_H
#ifndef __CUDACC_RTC__
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#endif
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#endif
