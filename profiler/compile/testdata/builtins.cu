// The names that NVRTC declares without any #include. Each compiler must have them.
__constant__ float table[4] = {1, 2, 3, 4};
extern __shared__ float dynamic[];
__device__ __noinline__ int helper(int x)
{
    return x * 3 + warpSize;
}
__host__ __device__ __forceinline__ dim3 shape(int w, int h)
{
    return dim3(max((w + 31) / 32, 1), min(h, 7));
}

extern "C" __global__ void __launch_bounds__(256, 2)
    integers(int *__restrict__ out, const int *__restrict__ in, unsigned n,
             unsigned long long *wide)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    dim3 block = blockDim;
    uint3 thread = threadIdx;
    dim3 grid = shape(t, gridDim.x);
    out[t] = __popc(n) + __popcll(wide[0]) + __clz(t) + __clzll(wide[1]) + __ffs(t) + __brev(n) +
             __byte_perm(n, t, 0x3210) + __funnelshift_l(n, t, 3) + __funnelshift_r(n, t, 3) +
             __mulhi(t, t) + __umulhi(n, n) + __mul24(t, t) + __dp4a(t, t, t) + __sad(t, t, n) +
             abs(t) + min(t, 4u) + max(3ll, wide[2]) + helper(t) + block.x + thread.y + grid.y +
             warpSize;
    atomicAdd(out, 1);
    atomicSub(out, 1);
    atomicMin(out, 3);
    atomicMax(wide, 3ull);
    atomicAnd(out, 3);
    atomicOr(out, 3);
    atomicXor(wide, 3ull);
    atomicInc((unsigned *)out, 7);
    atomicDec((unsigned *)out, 7);
    atomicExch(out + 1, t);
    atomicCAS(wide, 1ull, 2ull);
    out[1] = clock() + clock64();
    __nanosleep(20);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    if (n == 77)
        __trap();
}

extern "C" __global__ void floats(float *out, double *wide, const float *in)
{
    int t = threadIdx.x;
    dynamic[t & 31] = table[t & 3];
    __syncthreads();
    float x = dynamic[31 - (t & 31)] + __ldg(in + t) + __ldcs(in + t) + __ldcg((float2 *)in).y;
    __stcs(out + t, sqrtf(x) + rsqrtf(x) + fabsf(x) + floorf(x) + ceilf(x) + truncf(x) + roundf(x));
    __stcg((float4 *)out, make_float4(x, 1, 2, 3));
    out[t + 1] = expf(x) + logf(x) + sinf(x) + cosf(x) + powf(x, 3) + fmaf(x, x, x) + fminf(x, 2) +
                 fmaxf(x, 2) + __fmaf_rn(x, x, x) + __fdividef(x, 3) + __expf(x) + __logf(x) +
                 __sinf(x) + __cosf(x) + fmodf(x, 3) + exp(x) + sqrt(x) + isnan(x) + isinf(x);
    wide[t] = sqrt(wide[1]) + fma(wide[1], 2.0, 1.0) + floor(wide[2]) + fabs(wide[3]) +
              fmax(wide[0], 1.0) + max(x, 2.0f) + min(wide[4], 3.0);
    out[2] = __int_as_float(__float_as_int(x)) + __float2int_rn(x) + __int2float_rn(t) +
             (float)__double_as_longlong(wide[5]);
    atomicAdd(out, 1.0f);
    atomicAdd(wide, 1.0);
    atomicAdd(dynamic + 3, 1.0f);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(dynamic)),
                 "l"(in));
}
