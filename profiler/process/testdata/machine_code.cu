/* machine_code.cu: kernels for machine_code_test.c. Unlike the kernels of the labs, they have
 * spilled registers, a stack frame, and both static and dynamic shared memory. */
enum { VALUES = 40 };

/* Two blocks of 1024 threads per SM leave 32 registers per thread for 40 values. */
extern "C" __global__ void __launch_bounds__(1024, 2) spills(float *out, const float *in, int n)
{
    float values[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        values[i] = in[i * n + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        out[(VALUES - 1 - i) * n + threadIdx.x] = values[i] * values[(i + 7) % VALUES];
}

/* A recursive function has its own stack frame. */
__device__ __noinline__ float sum(const float *in, int n)
{
    float values[4] = {in[0], in[1], in[2], in[3]};
    return n > 0 ? values[n & 3] + sum(in + 4, n - 1) : values[0];
}

extern "C" __global__ void calls(float *out, const float *in, int n)
{
    out[threadIdx.x] = sum(in + threadIdx.x, n);
}

extern "C" __global__ void shares(float *out, const float *in, int n)
{
    __shared__ float fixed[100];
    extern __shared__ float dynamic[];
    fixed[threadIdx.x] = in[threadIdx.x];
    dynamic[threadIdx.x] = in[n];
    __syncthreads();
    out[threadIdx.x] = fixed[99 - threadIdx.x] + dynamic[threadIdx.x ^ 1];
}
