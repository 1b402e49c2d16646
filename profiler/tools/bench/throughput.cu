/* throughput.cu: typical kernels of courses; throughput.c contains their launch configurations. All
 * kernels have the same parameters: `in` has `n` elements, or rows of n elements. */
enum { TILE = 32, ROWS = 8, SIDE = 16 };

extern "C" __global__ void copy(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = in[(y + j) * n + x];
}

extern "C" __global__ void naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = in[(y + j) * n + x];
}

extern "C" __global__ void padded(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void saxpy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.5f * in[i] + out[i];
}

extern "C" __global__ void stencil(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                  in[(y + 1) * n + x]);
}

extern "C" __global__ void product(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[y * n + k] * in[k * n + x];
    out[y * n + x] = sum;
}

extern "C" __global__ void product_tiled(float *out, const float *in, int n)
{
    __shared__ float a[SIDE][SIDE], b[SIDE][SIDE];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += SIDE) {
        a[threadIdx.y][threadIdx.x] = in[y * n + k + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = in[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < SIDE; i++)
            sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    out[y * n + x] = sum;
}

extern "C" __global__ void sum(float *out, const float *in, int n)
{
    __shared__ float part[256];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void sum_shuffle(float *out, const float *in, int n)
{
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    for (int delta = 16; delta; delta /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, delta);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, mine);
}

/* An inclusive prefix sum in each block. */
extern "C" __global__ void scan(float *out, const float *in, int n)
{
    __shared__ float from[2][256];
    int i = blockIdx.x * 256 + threadIdx.x, now = 0;
    from[0][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        float value = from[now][threadIdx.x];
        if (threadIdx.x >= step)
            value += from[now][threadIdx.x - step];
        now ^= 1;
        from[now][threadIdx.x] = value;
        __syncthreads();
    }
    if (i < n)
        out[i] = from[now][threadIdx.x];
}

extern "C" __global__ void sort(float *out, const float *in, int n)
{
    __shared__ float keys[512];
    unsigned base = blockIdx.x * 512, t = threadIdx.x;
    keys[t] = in[base + t];
    keys[t + 256] = in[base + t + 256];
    for (unsigned size = 2; size <= 512; size *= 2)
        for (unsigned stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            unsigned at = 2 * t - (t & (stride - 1));
            bool ascends = (at & size) == 0;
            float low = keys[at], high = keys[at + stride];
            if ((low > high) == ascends) {
                keys[at] = high;
                keys[at + stride] = low;
            }
        }
    __syncthreads();
    out[base + t] = keys[t];
    out[base + t + 256] = keys[t + 256];
}

extern "C" __global__ void histogram(unsigned *out, const unsigned *in, int n)
{
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[in[i] >> 16 & 255], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

/* The number of steps of the Collatz sequence until 1. Lanes leave the loop at different times. */
extern "C" __global__ void divergent(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    for (unsigned value = i % 4096 + 1; value > 1; steps++)
        if (value % 2)
            value = 3 * value + 1;
        else
            value /= 2;
    if (i < n)
        out[i] = steps;
}
