#include <cstdio>

template <class T> __device__ __noinline__ T twice(T x)
{
    return x + x;
}

void launch_second(float *out);
void fill_table();
int read_launches();
