// Half precision with <cuda_fp16.h>, from the toolkit or from stand_ins/.
#include <cuda_fp16.h>

extern "C" __global__ void halves(__half *out, const __half *in, __half2 *pairs, float *floats)
{
    int t = threadIdx.x;
    __half x = in[t];
    out[t] = __hfma(x, __float2half(2.0f), in[t + 1]) + x * x - in[t + 2];
    pairs[t] = __hadd2(pairs[t + 1], __floats2half2_rn(1.0f, 2.0f));
    floats[t] = __half2float(x) + __low2float(pairs[0]);
    if (__hlt(x, in[3]))
        out[0] = __hneg(x);
}
