/* stdio.h: printf for host code; NVRTC and clang_cuda.h declare the device's printf. */
#ifndef TLAB_STDIO_H
#define TLAB_STDIO_H
#include "stddef.h"
#ifndef __CUDACC_RTC__
extern "C" int printf(const char *format, ...);
#endif
#endif
