/* stdio.h: printf; NVRTC and clang_cuda.h declare the device's. */
#ifndef TLAB_STDIO_H
#define TLAB_STDIO_H
#include "stddef.h"
#ifndef __CUDACC_RTC__
extern "C" int printf(const char *format, ...);
#endif
#endif
