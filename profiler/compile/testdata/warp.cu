// Shuffles of every width, votes, matches, and reductions across a warp.
extern "C" __global__ void warp(float *out, double *wide, unsigned *words, int n)
{
    float sum = out[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    out[threadIdx.x] = sum;
    wide[threadIdx.x] =
        __shfl_down_sync(0xffffffff, wide[threadIdx.x], 1) + __shfl_sync(~0u, 7ll, n);
    words[threadIdx.x] = __shfl_up_sync(0xffffffff, n, 1, 8) + __ballot_sync(~0u, n > 3) +
                         __any_sync(~0u, n) + __all_sync(~0u, n) + __activemask() +
                         __match_any_sync(~0u, n) + __reduce_add_sync(~0u, n);
    int all;
    words[0] = __match_all_sync(~0u, sum, &all) + all;
    __syncwarp();
    words[1] = __syncthreads_count(n) + __syncthreads_and(n) + __syncthreads_or(n);
}
