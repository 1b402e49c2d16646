/* kernels.cu: kernels of ordinary CUDA courses, to validate modelled times of kernels that are not
 * transposes.
 *
 *   kernels [REPEATS]    run each kernel REPEATS times (default 1), and write CSV with the columns
 *                        kernel, set and time_us
 *
 * Each kernel has its own name, one launch configuration and one size, so that each row of `tlab
 * exec --csv` or of Nsight Compute belongs to one kernel. The time is the median time between two
 * events. The L2 cache is flushed before each launch. `set` is `aside` for every third kernel of
 * the table, which was not used to develop the time model. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "kernels: %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

enum {
    N = 1 << 22,    /* elements of a vector */
    M = 512,        /* rows and columns of matrices that are multiplied */
    W = 2048,       /* rows and columns of images, and of matrices that are not multiplied */
    BODIES = 8192,  /* bodies of the n-body problem */
    DEPTH = 128,    /* depth of volumes; height and width are 128 and 256 */
    ROWS = 1 << 17, /* rows of sparse matrices, with 16 elements each */
    ROW_ELEMENTS = 16
};

/* Each kernel reads `a`, `b`, `index` or `bytes`, and writes `out` or `count`. */
struct arrays {
    float *a, *b, *out;
    double *wide, *wide_out;
    int *index, *count;
    unsigned char *bytes;
};

#define KERNEL(name) extern "C" __global__ void name(struct arrays d)
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)

KERNEL(vector_copy) { d.out[I] = d.a[I]; }
KERNEL(vector_add) { d.out[I] = d.a[I] + d.b[I]; }
KERNEL(saxpy) { d.out[I] = 2.5f * d.a[I] + d.out[I]; }
KERNEL(vector_add_float4)
{
    float4 x = ((float4 *)d.a)[I], y = ((float4 *)d.b)[I];
    ((float4 *)d.out)[I] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
KERNEL(vector_add_stride)
{
    for (unsigned i = I; i < N; i += gridDim.x * blockDim.x)
        d.out[i] = d.a[i] + d.b[i];
}
KERNEL(strided_2) { d.out[I] = d.a[I * 2 % N]; }
KERNEL(strided_8) { d.out[I] = d.a[I * 8 % N + I * 8 / N]; }
KERNEL(strided_32) { d.out[I] = d.a[I * 32 % N + I * 32 / N]; }
KERNEL(offset_1) { d.out[I] = d.a[(I + 1) % N]; }
KERNEL(gather) { d.out[I] = d.a[d.index[I]]; }
KERNEL(scatter) { d.out[d.index[I]] = d.a[I]; }
KERNEL(double_fma) { d.wide_out[I] = d.wide[I] * 1.5 + d.wide[I]; }
KERNEL(structures)
{
    float *p = d.a + 4 * (I % (N / 4));
    d.out[I % (N / 4)] = p[0] + p[1] + p[2] + p[3];
}

KERNEL(exponential) { d.out[I] = expf(d.a[I]); }
KERNEL(sigmoid) { d.out[I] = 1.0f / (1.0f + __expf(-d.a[I])); }
KERNEL(reciprocal_roots)
{
    float x = d.a[I];
    for (int k = 0; k < 32; k++)
        x = rsqrtf(x + 1.0f);
    d.out[I] = x;
}
KERNEL(logarithms)
{
    float x = d.a[I];
    for (int k = 0; k < 16; k++)
        x = __logf(x + 2.0f);
    d.out[I] = x;
}
KERNEL(polynomial)
{
    float x = d.a[I], y = 0;
    for (int k = 0; k < 64; k++)
        y = y * x + 0.5f;
    d.out[I] = y;
}
KERNEL(double_polynomial)
{
    double x = d.wide[I], y = 0;
    for (int k = 0; k < 64; k++)
        y = y * x + 0.5;
    d.wide_out[I] = y;
}
KERNEL(integer_hash)
{
    unsigned h = d.index[I];
    for (int k = 0; k < 16; k++) {
        h *= 2654435761u;
        h ^= h >> 15;
    }
    d.count[I] = h;
}
KERNEL(modulo) { d.count[I] = d.index[I] % 1000 + d.index[I] / 77; }
KERNEL(modulo_by_variable) { d.count[I] = d.index[I] % (d.index[(I + 1) % N] | 1); }
KERNEL(conversions)
{
    float x = d.a[I];
    for (int k = 0; k < 16; k++)
        x = (float)(int)(x * 3.0f) + 0.25f;
    d.out[I] = x;
}
KERNEL(black_scholes)
{
    float s = d.a[I] + 5, k = d.b[I] + 1, t = 0.25f + d.a[I], root = sqrtf(t);
    float d1 = (__logf(s / k) + (0.02f + 0.045f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f);
    d.out[I] = s * n1 - k * __expf(-0.02f * t) * n2;
}
KERNEL(mandelbrot)
{
    float cr = X * (3.0f / W) - 2.0f, ci = Y * (2.0f / W) - 1.0f, r = 0, i = 0;
    int k = 0;
    while (k < 64 && r * r + i * i < 4.0f) {
        float t = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = t;
        k++;
    }
    d.count[Y * W + X] = k;
}

KERNEL(sum_modulo)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = d.a[I];
    __syncthreads();
    for (unsigned k = 1; k < 256; k *= 2) {
        if (t % (2 * k) == 0)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        d.out[blockIdx.x] = s[0];
}
KERNEL(sum_strided)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = d.a[I];
    __syncthreads();
    for (unsigned k = 1; k < 256; k *= 2) {
        if (2 * k * t < 256)
            s[2 * k * t] += s[2 * k * t + k];
        __syncthreads();
    }
    if (t == 0)
        d.out[blockIdx.x] = s[0];
}
KERNEL(sum_sequential)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = d.a[I];
    __syncthreads();
    for (unsigned k = 128; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        d.out[blockIdx.x] = s[0];
}
__device__ float warp_sum(float x)
{
    for (int k = 16; k > 0; k /= 2)
        x += __shfl_down_sync(~0u, x, k);
    return x;
}
KERNEL(sum_shuffle)
{
    __shared__ float s[8];
    float x = warp_sum(d.a[I]);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = warp_sum(threadIdx.x < 8 ? s[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            d.out[blockIdx.x] = x;
    }
}
KERNEL(sum_grid)
{
    float x = 0;
    for (unsigned i = I; i < N; i += gridDim.x * blockDim.x)
        x += d.a[i];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0)
        atomicAdd(d.out, x);
}
KERNEL(sum_atomic) { atomicAdd(d.out, d.a[I]); }
KERNEL(sum_atomic_integer) { atomicAdd(d.count, d.index[I]); }
KERNEL(maximum)
{
    float x = d.a[I];
    for (int k = 16; k > 0; k /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, k));
    if (threadIdx.x % 32 == 0)
        atomicMax(d.count, __float_as_int(x));
}
KERNEL(dot_product)
{
    float x = 0;
    for (unsigned i = I; i < N; i += gridDim.x * blockDim.x)
        x += d.a[i] * d.b[i];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0)
        atomicAdd(d.out, x);
}

KERNEL(scan_hillis)
{
    __shared__ float s[2][512];
    unsigned t = threadIdx.x, from = 0;
    s[0][t] = d.a[I];
    __syncthreads();
    for (unsigned k = 1; k < 512; k *= 2, from ^= 1) {
        s[from ^ 1][t] = s[from][t] + (t >= k ? s[from][t - k] : 0);
        __syncthreads();
    }
    d.out[I] = s[from][t];
}
KERNEL(scan_blelloch)
{
    __shared__ float s[512];
    unsigned t = threadIdx.x, base = blockIdx.x * 512;
    s[2 * t] = d.a[base + 2 * t];
    s[2 * t + 1] = d.a[base + 2 * t + 1];
    unsigned k = 1;
    for (unsigned n = 256; n > 0; n /= 2, k *= 2) {
        __syncthreads();
        if (t < n)
            s[k * (2 * t + 2) - 1] += s[k * (2 * t + 1) - 1];
    }
    if (t == 0)
        s[511] = 0;
    for (unsigned n = 1; n < 512; n *= 2) {
        k /= 2;
        __syncthreads();
        if (t < n) {
            float x = s[k * (2 * t + 1) - 1];
            s[k * (2 * t + 1) - 1] = s[k * (2 * t + 2) - 1];
            s[k * (2 * t + 2) - 1] += x;
        }
    }
    __syncthreads();
    d.out[base + 2 * t] = s[2 * t];
    d.out[base + 2 * t + 1] = s[2 * t + 1];
}
KERNEL(scan_warp)
{
    float x = d.a[I];
    for (unsigned k = 1; k < 32; k *= 2) {
        float y = __shfl_up_sync(~0u, x, k);
        x += threadIdx.x % 32 >= k ? y : 0;
    }
    d.out[I] = x;
}

KERNEL(histogram_global) { atomicAdd(&d.count[d.bytes[I]], 1); }
KERNEL(histogram_shared)
{
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = I; i < N; i += gridDim.x * blockDim.x)
        atomicAdd(&s[d.bytes[i]], 1);
    __syncthreads();
    atomicAdd(&d.count[threadIdx.x], s[threadIdx.x]);
}
KERNEL(histogram_per_warp)
{
    __shared__ int s[8][256];
    for (unsigned i = threadIdx.x; i < 8 * 256; i += 256)
        s[0][i] = 0;
    __syncthreads();
    for (unsigned i = I; i < N; i += gridDim.x * blockDim.x)
        atomicAdd(&s[threadIdx.x / 32][d.bytes[i]], 1);
    __syncthreads();
    int sum = 0;
    for (int w = 0; w < 8; w++)
        sum += s[w][threadIdx.x];
    atomicAdd(&d.count[threadIdx.x], sum);
}
KERNEL(histogram_4_bins) { atomicAdd(&d.count[d.bytes[I] % 4], 1); }
KERNEL(histogram_million) { atomicAdd(&d.count[d.index[I] % (1 << 20)], 1); }
KERNEL(count_if)
{
    if (d.a[I] > 0.9f)
        atomicAdd(d.count, 1);
}
KERNEL(compact)
{
    bool keep = d.a[I] > 0.5f;
    unsigned mask = __ballot_sync(~0u, keep), lane = threadIdx.x % 32;
    int base = 0;
    if (lane == 0)
        base = atomicAdd(d.count, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (keep)
        d.out[base + __popc(mask & ((1u << lane) - 1))] = d.a[I];
}

KERNEL(gray)
{
    unsigned i = I % (N / 4) * 3;
    d.bytes[N + I % (N / 4)] = (unsigned char)(0.3f * d.bytes[i] + 0.6f * d.bytes[i + 1] + 0.1f * d.bytes[i + 2]);
}
KERNEL(stencil_3)
{
    unsigned i = I;
    d.out[i] = i > 0 && i < N - 1 ? d.a[i - 1] + d.a[i] + d.a[i + 1] : 0;
}
KERNEL(stencil_5_points)
{
    unsigned x = X, y = Y, i = y * W + x;
    if (x > 0 && y > 0 && x < W - 1 && y < W - 1)
        d.out[i] = 0.2f * (d.a[i] + d.a[i - 1] + d.a[i + 1] + d.a[i - W] + d.a[i + W]);
}
KERNEL(stencil_5_points_shared)
{
    __shared__ float s[18][34];
    unsigned tx = threadIdx.x, ty = threadIdx.y, x = X, y = Y, i = y * W + x;
    s[ty + 1][tx + 1] = d.a[i];
    if (ty == 0)
        s[0][tx + 1] = y ? d.a[i - W] : 0;
    if (ty == 15)
        s[17][tx + 1] = y < W - 1 ? d.a[i + W] : 0;
    if (tx == 0)
        s[ty + 1][0] = x ? d.a[i - 1] : 0;
    if (tx == 31)
        s[ty + 1][33] = x < W - 1 ? d.a[i + 1] : 0;
    __syncthreads();
    d.out[i] = 0.2f * (s[ty + 1][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1]);
}
KERNEL(stencil_7_points_volume)
{
    unsigned x = X, y = Y, z = blockIdx.z, i = (z * 128 + y) * 256 + x;
    if (x > 0 && y > 0 && z > 0 && x < 255 && y < 127 && z < DEPTH - 1)
        d.out[i] = d.a[i] + d.a[i - 1] + d.a[i + 1] + d.a[i - 256] + d.a[i + 256] + d.a[i - 256 * 128] +
                   d.a[i + 256 * 128];
}
KERNEL(blur_9)
{
    int x = X, y = Y;
    float sum = 0;
    for (int v = -4; v <= 4; v++)
        for (int u = -4; u <= 4; u++)
            sum += d.a[min(max(y + v, 0), W - 1) * W + min(max(x + u, 0), W - 1)];
    d.out[y * W + x] = sum / 81;
}
__constant__ float weights[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
KERNEL(convolution_5_shared)
{
    __shared__ float s[20][36];
    int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * 32 - 2, top = blockIdx.y * 16 - 2;
    for (int i = ty * 32 + tx; i < 20 * 36; i += 512)
        s[i / 36][i % 36] = d.a[min(max(top + i / 36, 0), W - 1) * W + min(max(left + i % 36, 0), W - 1)];
    __syncthreads();
    float sum = 0;
    for (int v = 0; v < 5; v++)
        for (int u = 0; u < 5; u++)
            sum += weights[5 * v + u] * s[ty + v][tx + u];
    d.out[Y * W + X] = sum;
}
KERNEL(convolution_row_17)
{
    int i = I;
    float sum = 0;
    for (int k = -8; k <= 8; k++)
        sum += d.a[min(max(i + k, 0), N - 1)] * d.b[k + 8];
    d.out[i] = sum;
}

KERNEL(matmul_naive)
{
    float sum = 0;
    for (int k = 0; k < M; k++)
        sum += d.a[Y * M + k] * d.b[k * M + X];
    d.out[Y * M + X] = sum;
}
KERNEL(matmul_turned)
{
    float sum = 0;
    for (int k = 0; k < M; k++)
        sum += d.a[X * M + k] * d.b[k * M + Y];
    d.out[X * M + Y] = sum;
}
KERNEL(matmul_tiled_16)
{
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < M; k += 16) {
        s[y][x] = d.a[Y * M + k + x];
        t[y][x] = d.b[(k + y) * M + X];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    d.out[Y * M + X] = sum;
}
KERNEL(matmul_tiled_32)
{
    __shared__ float s[32][32], t[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < M; k += 32) {
        s[y][x] = d.a[Y * M + k + x];
        t[y][x] = d.b[(k + y) * M + X];
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    d.out[Y * M + X] = sum;
}
KERNEL(matmul_registers_4) /* each thread computes 4 rows of the result; blocks of 32 x 8 threads */
{
    __shared__ float s[32][32], t[32][32];
    int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * 32;
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < M; k += 32) {
        for (int r = y; r < 32; r += 8) {
            s[r][x] = d.a[(top + r) * M + k + x];
            t[r][x] = d.b[(k + r) * M + X];
        }
        __syncthreads();
        for (int i = 0; i < 32; i++)
            for (int r = 0; r < 4; r++)
                sum[r] += s[y + 8 * r][i] * t[i][x];
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        d.out[(top + y + 8 * r) * M + X] = sum[r];
}
KERNEL(matvec_thread)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += d.a[I * W + k] * d.b[k];
    d.out[I] = sum;
}
KERNEL(matvec_columns)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += d.a[k * W + I] * d.b[k];
    d.out[I] = sum;
}
KERNEL(matvec_warp)
{
    unsigned row = I / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (unsigned k = lane; k < W; k += 32)
        sum += d.a[row * W + k] * d.b[k];
    sum = warp_sum(sum);
    if (lane == 0)
        d.out[row] = sum;
}
KERNEL(row_sums_thread)
{
    float sum = 0;
    for (int k = 0; k < 64; k++)
        sum += d.a[I * 64 + k];
    d.out[I] = sum;
}

KERNEL(softmax_thread) /* rows of 64 */
{
    const float *row = d.a + I * 64;
    float most = row[0], sum = 0;
    for (int k = 1; k < 64; k++)
        most = fmaxf(most, row[k]);
    for (int k = 0; k < 64; k++)
        sum += __expf(row[k] - most);
    for (int k = 0; k < 64; k++)
        d.out[I * 64 + k] = __expf(row[k] - most) / sum;
}
KERNEL(softmax_warp) /* rows of 1024 */
{
    unsigned row = I / 32, lane = threadIdx.x % 32;
    float x[32], most = -1e30f, sum = 0;
    for (int k = 0; k < 32; k++)
        most = fmaxf(most, x[k] = d.a[row * 1024 + 32 * k + lane]);
    for (int k = 16; k > 0; k /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
    for (int k = 0; k < 32; k++)
        sum += x[k] = __expf(x[k] - most);
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    for (int k = 0; k < 32; k++)
        d.out[row * 1024 + 32 * k + lane] = x[k] / sum;
}
KERNEL(layer_norm_block) /* rows of 1024 */
{
    __shared__ float s[2][8];
    float4 x = ((float4 *)d.a)[I];
    float sum = warp_sum(x.x + x.y + x.z + x.w);
    float squares = warp_sum(x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w);
    if (threadIdx.x % 32 == 0) {
        s[0][threadIdx.x / 32] = sum;
        s[1][threadIdx.x / 32] = squares;
    }
    __syncthreads();
    sum = squares = 0;
    for (int w = 0; w < 8; w++) {
        sum += s[0][w];
        squares += s[1][w];
    }
    float mean = sum / 1024, scale = rsqrtf(squares / 1024 - mean * mean + 1e-5f);
    ((float4 *)d.out)[I] =
        make_float4((x.x - mean) * scale, (x.y - mean) * scale, (x.z - mean) * scale, (x.w - mean) * scale);
}
KERNEL(embedding) /* rows of 64 floats */
{
    d.out[I] = d.a[(unsigned)d.index[I / 64] % (N / 64) * 64 + I % 64];
}

KERNEL(bitonic_step)
{
    unsigned i = I, other = i ^ 64;
    if (other > i) {
        float x = d.out[i], y = d.out[other];
        if ((x > y) == !(i & 128)) {
            d.out[i] = y;
            d.out[other] = x;
        }
    }
}
KERNEL(bitonic_shared)
{
    __shared__ float s[512];
    unsigned t = threadIdx.x;
    s[t] = d.a[I];
    for (unsigned k = 2; k <= 512; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            unsigned other = t ^ j;
            if (other > t) {
                float x = s[t], y = s[other];
                if ((x > y) == !(t & k)) {
                    s[t] = y;
                    s[other] = x;
                }
            }
        }
    __syncthreads();
    d.out[I] = s[t];
}
KERNEL(odd_even_warp)
{
    float x = d.a[I];
    unsigned lane = threadIdx.x % 32;
    for (int k = 0; k < 32; k++) {
        unsigned other = (lane + k) % 2 ? lane + 1 : lane - 1;
        float y = __shfl_sync(~0u, x, other % 32);
        if (other < 32)
            x = other > lane ? fminf(x, y) : fmaxf(x, y);
    }
    d.out[I] = x;
}
KERNEL(binary_search)
{
    float x = d.a[I];
    unsigned low = 0, high = 1 << 16;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (d.wide[middle] < x * (1 << 16))
            low = middle + 1;
        else
            high = middle;
    }
    d.count[I] = low;
}

KERNEL(sparse_rows_thread)
{
    float sum = 0;
    for (int k = 0; k < ROW_ELEMENTS; k++) {
        unsigned at = I * ROW_ELEMENTS + k;
        sum += d.a[at] * d.b[d.index[at] % ROWS];
    }
    d.out[I] = sum;
}
KERNEL(sparse_rows_warp)
{
    unsigned row = I / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (unsigned k = lane; k < ROW_ELEMENTS; k += 32) {
        unsigned at = row * ROW_ELEMENTS + k;
        sum += d.a[at] * d.b[d.index[at] % ROWS];
    }
    sum = warp_sum(sum);
    if (lane == 0)
        d.out[row] = sum;
}
KERNEL(sparse_columns) /* ELLPACK: element k of all rows is contiguous */
{
    float sum = 0;
    for (int k = 0; k < ROW_ELEMENTS; k++) {
        unsigned at = k * ROWS + I;
        sum += d.a[at] * d.b[d.index[at] % ROWS];
    }
    d.out[I] = sum;
}
KERNEL(sparse_elements) { atomicAdd(&d.out[I / ROW_ELEMENTS], d.a[I] * d.b[d.index[I] % ROWS]); }

__device__ float3 attract(float3 sum, float4 from, float4 to)
{
    float x = to.x - from.x, y = to.y - from.y, z = to.z - from.z;
    float near = rsqrtf(x * x + y * y + z * z + 0.01f), force = to.w * near * near * near;
    return make_float3(sum.x + x * force, sum.y + y * force, sum.z + z * force);
}
KERNEL(bodies)
{
    float4 own = ((float4 *)d.a)[I];
    float3 sum = make_float3(0, 0, 0);
    for (int k = 0; k < BODIES; k++)
        sum = attract(sum, own, ((float4 *)d.a)[k]);
    ((float4 *)d.out)[I] = make_float4(sum.x, sum.y, sum.z, 0);
}
KERNEL(bodies_shared)
{
    __shared__ float4 s[128];
    float4 own = ((float4 *)d.a)[I];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < BODIES; first += 128) {
        s[threadIdx.x] = ((float4 *)d.a)[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++)
            sum = attract(sum, own, s[k]);
        __syncthreads();
    }
    ((float4 *)d.out)[I] = make_float4(sum.x, sum.y, sum.z, 0);
}

#define TRANSPOSE(name, type, in, to)                                                              \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        __shared__ type tile[32][33];                                                              \
        int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;                  \
        for (int r = 0; r < 32; r += 8)                                                            \
            tile[threadIdx.y + r][threadIdx.x] = ((const type *)(in))[(y + r) * W + x];            \
        __syncthreads();                                                                           \
        x = blockIdx.y * 32 + threadIdx.x;                                                         \
        y = blockIdx.x * 32 + threadIdx.y;                                                         \
        for (int r = 0; r < 32; r += 8)                                                            \
            ((type *)(to))[(y + r) * W + x] = tile[threadIdx.x][threadIdx.y + r];                  \
    }
TRANSPOSE(transpose_char, unsigned char, d.bytes, d.out)
TRANSPOSE(transpose_short, unsigned short, d.bytes, d.out)
TRANSPOSE(transpose_double, double, d.wide, d.wide_out)
KERNEL(transpose_double_naive) { d.wide_out[X * W + Y] = d.wide[Y * W + X]; }

static const struct kernel {
    const char *name;
    void (*run)(struct arrays);
    dim3 grid, block;
} kernels[] = {
#define VECTOR(name, ...) {#name, name, dim3(N / 256), dim3(256)}
#define SHAPE(name, gx, gy, gz, bx, by) {#name, name, dim3(gx, gy, gz), dim3(bx, by)}
    VECTOR(vector_copy),
    VECTOR(vector_add),
    VECTOR(saxpy),
    SHAPE(vector_add_float4, N / 1024, 1, 1, 256, 1),
    SHAPE(vector_add_stride, 528, 1, 1, 256, 1),
    VECTOR(strided_2),
    VECTOR(strided_8),
    VECTOR(strided_32),
    VECTOR(offset_1),
    VECTOR(gather),
    VECTOR(scatter),
    VECTOR(double_fma),
    SHAPE(structures, N / 1024, 1, 1, 256, 1),
    VECTOR(exponential),
    VECTOR(sigmoid),
    VECTOR(reciprocal_roots),
    VECTOR(logarithms),
    VECTOR(polynomial),
    VECTOR(double_polynomial),
    VECTOR(integer_hash),
    VECTOR(modulo),
    VECTOR(modulo_by_variable),
    VECTOR(conversions),
    VECTOR(black_scholes),
    SHAPE(mandelbrot, W / 32, W / 8, 1, 32, 8),
    VECTOR(sum_modulo),
    VECTOR(sum_strided),
    VECTOR(sum_sequential),
    VECTOR(sum_shuffle),
    SHAPE(sum_grid, 528, 1, 1, 256, 1),
    VECTOR(sum_atomic),
    VECTOR(sum_atomic_integer),
    VECTOR(maximum),
    SHAPE(dot_product, 528, 1, 1, 256, 1),
    SHAPE(scan_hillis, N / 512, 1, 1, 512, 1),
    SHAPE(scan_blelloch, N / 512, 1, 1, 256, 1),
    VECTOR(scan_warp),
    VECTOR(histogram_global),
    SHAPE(histogram_shared, 528, 1, 1, 256, 1),
    SHAPE(histogram_per_warp, 528, 1, 1, 256, 1),
    VECTOR(histogram_4_bins),
    VECTOR(histogram_million),
    VECTOR(count_if),
    VECTOR(compact),
    SHAPE(gray, N / 1024, 1, 1, 256, 1),
    VECTOR(stencil_3),
    SHAPE(stencil_5_points, W / 32, W / 16, 1, 32, 16),
    SHAPE(stencil_5_points_shared, W / 32, W / 16, 1, 32, 16),
    SHAPE(stencil_7_points_volume, 8, 16, DEPTH, 32, 8),
    SHAPE(blur_9, W / 32, W / 8, 1, 32, 8),
    SHAPE(convolution_5_shared, W / 32, W / 16, 1, 32, 16),
    VECTOR(convolution_row_17),
    SHAPE(matmul_naive, M / 16, M / 16, 1, 16, 16),
    SHAPE(matmul_turned, M / 16, M / 16, 1, 16, 16),
    SHAPE(matmul_tiled_16, M / 16, M / 16, 1, 16, 16),
    SHAPE(matmul_tiled_32, M / 32, M / 32, 1, 32, 32),
    SHAPE(matmul_registers_4, M / 32, M / 32, 1, 32, 8),
    SHAPE(matvec_thread, W / 64, 1, 1, 64, 1),
    SHAPE(matvec_columns, W / 64, 1, 1, 64, 1),
    SHAPE(matvec_warp, W / 8, 1, 1, 256, 1),
    SHAPE(row_sums_thread, N / 64 / 128, 1, 1, 128, 1),
    SHAPE(softmax_thread, N / 64 / 128, 1, 1, 128, 1),
    SHAPE(softmax_warp, N / 1024 / 8, 1, 1, 256, 1),
    SHAPE(layer_norm_block, N / 1024, 1, 1, 256, 1),
    VECTOR(embedding),
    VECTOR(bitonic_step),
    SHAPE(bitonic_shared, N / 512, 1, 1, 512, 1),
    VECTOR(odd_even_warp),
    VECTOR(binary_search),
    SHAPE(sparse_rows_thread, ROWS / 128, 1, 1, 128, 1),
    SHAPE(sparse_rows_warp, ROWS / 8, 1, 1, 256, 1),
    SHAPE(sparse_columns, ROWS / 128, 1, 1, 128, 1),
    SHAPE(sparse_elements, ROWS * ROW_ELEMENTS / 256, 1, 1, 256, 1),
    SHAPE(bodies, BODIES / 128, 1, 1, 128, 1),
    SHAPE(bodies_shared, BODIES / 128, 1, 1, 128, 1),
    SHAPE(transpose_char, W / 32, W / 32, 1, 32, 8),
    SHAPE(transpose_short, W / 32, W / 32, 1, 32, 8),
    SHAPE(transpose_double, W / 32, W / 32, 1, 32, 8),
    SHAPE(transpose_double_naive, W / 32, W / 8, 1, 32, 8),
};

extern "C" __global__ void fill(struct arrays d)
{
    unsigned i = I, h = i * 2654435761u;
    h ^= h >> 16;
    h *= 2246822519u;
    h ^= h >> 13;
    d.a[i] = (float)(h >> 8) / (1 << 24);
    d.b[i] = (float)(h & 0xffff) / (1 << 16);
    d.out[i] = 0;
    d.wide[i] = (double)i;
    d.wide_out[i] = 0;
    unsigned p = i ^ i >> 11; /* a permutation of the numbers below N */
    p = p * 2654435761u % N;
    d.index[i] = (int)(p ^ p >> 11);
    d.count[i] = 0;
    d.bytes[i] = (unsigned char)(h >> 11);
    d.bytes[N + i] = (unsigned char)(h >> 3);
}
/* Fill the L2 with clean lines, because writing back dirty lines would slow the next kernel. */
extern "C" __global__ void flush(float4 *lines)
{
    if (lines[I].x != 0)
        lines[I].x = 0;
}

int main(int count, char **values)
{
    int repeats = count > 1 ? atoi(values[1]) : 1;
    const size_t flush_bytes = repeats > 1 ? (size_t)256 << 20 : (size_t)4 << 10;
    struct arrays d;
    float4 *lines;
    cudaEvent_t begin, end;
    TRY(cudaMalloc(&d.a, N * sizeof *d.a));
    TRY(cudaMalloc(&d.b, N * sizeof *d.b));
    TRY(cudaMalloc(&d.out, N * sizeof *d.out));
    TRY(cudaMalloc(&d.wide, N * sizeof *d.wide));
    TRY(cudaMalloc(&d.wide_out, N * sizeof *d.wide_out));
    TRY(cudaMalloc(&d.index, N * sizeof *d.index));
    TRY(cudaMalloc(&d.count, N * sizeof *d.count));
    TRY(cudaMalloc(&d.bytes, 2 * N));
    TRY(cudaMalloc(&lines, flush_bytes));
    TRY(cudaMemset(lines, 0, flush_bytes));
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    fill<<<N / 256, 256>>>(d);
    TRY(cudaDeviceSynchronize());
    printf("kernel,set,time_us\n");
    int number = 0;
    for (const struct kernel &kernel : kernels) {
        std::vector<float> times;
        for (int k = 0; k < repeats; k++) {
            float ms;
            flush<<<(unsigned)(flush_bytes / 16 / 256), 256>>>(lines);
            TRY(cudaMemsetAsync(d.count, 0, sizeof *d.count));
            TRY(cudaEventRecord(begin));
            kernel.run<<<kernel.grid, kernel.block>>>(d);
            TRY(cudaEventRecord(end));
            TRY(cudaGetLastError());
            TRY(cudaDeviceSynchronize());
            TRY(cudaEventElapsedTime(&ms, begin, end));
            times.push_back(1000 * ms);
        }
        std::sort(times.begin(), times.end());
        printf("%s,%s,%.3f\n", kernel.name, number++ % 3 == 2 ? "aside" : "fitted", times[times.size() / 2]);
        fflush(stdout);
    }
    return 0;
}
