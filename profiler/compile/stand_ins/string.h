/* string.h: memcpy and memset, which NVRTC and clang_cuda.h declare for the device. */
#ifndef TLAB_STRING_H
#define TLAB_STRING_H
#include "stddef.h"
#ifndef __CUDACC_RTC__
extern "C" {
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
}
#endif
#endif
