// column: one warp loads a column of an array in shared memory with a pitch of `pitch` words. The counters show
// the bank conflicts of each pitch (plots/run_sweeps, chart "pitch").
enum { LANES = 32, LARGEST_PITCH = 40 };

extern "C" __global__ void column(float *odata, const float *idata, int pitch)
{
    __shared__ float tile[LANES * LARGEST_PITCH];
    for (int i = threadIdx.x; i < LANES * LARGEST_PITCH; i += LANES)
        tile[i] = idata[threadIdx.x];

    __syncthreads();

    odata[threadIdx.x] = tile[threadIdx.x * pitch];
}
