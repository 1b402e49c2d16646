// One load and one store, on separate lines.
extern "C" __global__ void plain(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float value = in[i];
    out[i] = value;
}
