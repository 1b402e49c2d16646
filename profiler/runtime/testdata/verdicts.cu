/* verdicts.cu: kernels called right_ and wrong_STATUS_, each launched in blocks of 64 threads (those with
 * `warp` in their name: of 32; with `part`: of 20). No mistake shows in what the program prints. */
#include <cstdio>
#include <cstring>

#define FULL 0xffffffffu

/* --- an atomic operation beside the plain store of another thread ---------------------------------- */

__global__ void wrong_race_count_warp(float *out, const float *in)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    atomicAdd(&count, 1); /* may come before the store */
    __syncthreads();
    out[threadIdx.x] = (float)count;
}

__global__ void wrong_race_count(float *out, const float *in)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = (float)count;
}

__global__ void wrong_race_maximum_warp(float *out, const float *in)
{
    __shared__ unsigned maximum;
    if (threadIdx.x == 31)
        maximum = 0;
    atomicMax(&maximum, (unsigned)in[threadIdx.x]);
    __syncwarp();
    out[threadIdx.x] = (float)maximum;
}

__global__ void wrong_race_global_warp(float *out, const float *in)
{
    if (threadIdx.x == 0)
        out[0] = 0;
    atomicAdd(&out[0], in[threadIdx.x]);
}

__global__ void right_count(float *out, const float *in)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = (float)count;
}

__global__ void right_count_warp(float *out, const float *in)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncwarp();
    atomicAdd(&count, 1);
    __syncwarp();
    out[threadIdx.x] = (float)count;
}

/* Each counts in a place of its own. */
__global__ void right_own_count(float *out, const float *in)
{
    __shared__ int counts[64];
    counts[threadIdx.x] = 0;
    atomicAdd(&counts[threadIdx.x], 1);
    out[threadIdx.x] = (float)counts[threadIdx.x];
}

/* --- shuffles -------------------------------------------------------------------------------------- */

__device__ float sum_down(unsigned mask, float value, int from)
{
    for (int step = from; step; step /= 2)
        value += __shfl_down_sync(mask, value, step);
    return value;
}

__global__ void wrong_uninitialised_mask(float *out, const float *in)
{
    float value = in[threadIdx.x];
    if (threadIdx.x < 8) {
        value = sum_down(0xff, value, 16); /* lanes 8 to 23 are not among those of the mask */
        if (threadIdx.x == 0)
            out[0] = value;
    }
}

__global__ void wrong_uninitialised_part(float *out, const float *in)
{
    float value = sum_down(FULL, in[threadIdx.x], 16); /* there are 20 lanes */
    if (threadIdx.x == 0)
        out[0] = value;
}

__global__ void wrong_uninitialised_left(float *out, const float *in)
{
    if (threadIdx.x % 32 >= 24)
        return; /* and so takes no part any more */
    out[threadIdx.x] = __shfl_sync(FULL, in[threadIdx.x], (threadIdx.x + 8) % 32);
}

__global__ void wrong_uninitialised_xor(float *out, const float *in)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_xor_sync(0xffff, in[threadIdx.x], 16);
}

__global__ void right_half(float *out, const float *in)
{
    if (threadIdx.x < 16) {
        float value = sum_down(0xffff, in[threadIdx.x], 8); /* what strays into lanes 8 to 15 is not used */
        if (threadIdx.x == 0)
            out[0] = value;
    }
}

__global__ void right_sum(float *out, const float *in)
{
    float value = sum_down(FULL, in[threadIdx.x], 16);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = value;
}

/* Lane 31 reads beyond what was written, and passes it to nobody. */
__global__ void right_pad_warp(float *out, const float *in)
{
    __shared__ float line[33];
    line[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    float next = line[threadIdx.x + 1];
    float value = __shfl_up_sync(FULL, next, 1);
    out[threadIdx.x] = threadIdx.x ? value : 0;
}

__global__ void wrong_uninitialised_pad_warp(float *out, const float *in)
{
    __shared__ float line[33];
    line[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    float next = line[threadIdx.x + 1];
    out[threadIdx.x] = __shfl_xor_sync(FULL, next, 1); /* lane 30 gets what lane 31 read */
}

/* --- what another kernel of the file does, does not matter ------------------------------------------- */

__global__ void right_bytes(float *out, const float *in)
{
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = (unsigned char)in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = bytes[63 - threadIdx.x];
}

__global__ void wrong_race_neighbour(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] += out[(threadIdx.x + 33) % 64];
}

int main()
{
#define CASE(name) {#name, name}
    const struct {
        const char *name;
        void (*kernel)(float *, const float *);
    } cases[] = {
        CASE(wrong_race_count_warp), CASE(wrong_race_count), CASE(wrong_race_maximum_warp),
        CASE(wrong_race_global_warp), CASE(right_count), CASE(right_count_warp),
        CASE(right_own_count), CASE(wrong_uninitialised_mask), CASE(wrong_uninitialised_part),
        CASE(wrong_uninitialised_left), CASE(wrong_uninitialised_xor), CASE(right_half),
        CASE(right_sum), CASE(right_pad_warp), CASE(wrong_uninitialised_pad_warp),
        CASE(right_bytes), CASE(wrong_race_neighbour),
    };
    float *out, *in, host[64];
    for (int i = 0; i < 64; i++)
        host[i] = (float)i;
    if (cudaMalloc(&out, sizeof host) || cudaMalloc(&in, sizeof host) ||
        cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice))
        return 1;
    for (auto &one : cases)
        one.kernel<<<1, strstr(one.name, "warp") ? 32 : strstr(one.name, "part") ? 20 : 64>>>(out, in);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
