/* stdlib.h: names that host code uses. Host code is parsed, but not compiled. */
#ifndef TLAB_STDLIB_H
#define TLAB_STDLIB_H
#include "stddef.h"
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#ifndef __CUDACC_RTC__
extern "C" {
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void free(void *pointer);
void exit(int status);
int atoi(const char *text);
int rand();
void srand(unsigned int seed);
}
#endif
#endif
