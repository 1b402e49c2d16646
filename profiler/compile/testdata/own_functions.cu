// Internal functions. Compilers put a hash of the file's path into their names.
static __device__ int counter[4];
static __device__ __noinline__ int first(int x)
{
    return x * counter[x & 3]++;
}
namespace
{
__device__ __noinline__ int second(int x)
{
    return x + counter[x & 3]++;
}
} // namespace
extern "C" __global__ void own_functions(int *out, int n)
{
    out[n] = first(n) + second(n);
}
