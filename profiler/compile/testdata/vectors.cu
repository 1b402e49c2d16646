// Vector types. Each copy is one access of the type's width, and the types behave as with nvcc.
union Quad {
    float4 v;
    float f[4];
};
struct Pixel {
    float4 colour;
    int n;
};
__constant__ float4 constants[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__device__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

extern "C" __global__ void copies(float4 *a, const float4 *b, double2 *c, const double2 *d, int2 *e,
                                  const int2 *f)
{
    __shared__ float4 stage[64];
    int i = threadIdx.x;
    a[i] = b[i];
    c[i] = d[i];
    e[i] = f[i];
    stage[i] = b[i + 64];
    __syncthreads();
    a[i + 64] = stage[63 - i];
}

extern "C" __global__ void uses(float4 *out, const float4 *in, float4 value, Pixel pixel, dim3 size,
                                int n)
{
    Quad quad;
    quad.v = in[threadIdx.x];
    quad.f[n & 3] += 1;
    float4 pair[2] = {{1, 2, 3, 4}, {5, 6}}, zero = {}, other{}, first = {0};
    const float4 &reference = in[7];
    float4 copy(reference);
    out[0] = quad.v + pair[n & 1] + zero + other + first + copy;
    out[size.x] = value + pixel.colour + constants[n & 1];
    out[n].y = in[n + 2].z;
    uchar4 bytes = make_uchar4(1, 2, 3, n);
    ushort2 shorts = {4, 5};
    out[1].x = bytes.w + shorts.y + make_longlong2(n, 1).x;
}
