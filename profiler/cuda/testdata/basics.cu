/* basics.cu: common operations, one case per argument. A case that succeeds prints "done". */
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TRY(call) try_call((call), #call, __LINE__)
static void try_call(cudaError_t error, const char *call, int line)
{
    if (error == cudaSuccess)
        return;
    printf("line %d: %s: %s (%s)\n", line, call, cudaGetErrorName(error), cudaGetErrorString(error));
    exit(3);
}
#define DEMAND(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition);                                 \
            exit(4);                                                                               \
        }                                                                                          \
    } while (0)

template <typename T> __global__ void add(const T *a, const T *b, T *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static void vector_add(bool twice)
{
    const int n = 1000;
    float *a, *b, *c, host[n];
    for (int i = 0; i < n; i++)
        host[i] = (float)i;
    TRY(cudaMalloc(&a, n * sizeof *a));
    TRY(cudaMalloc(&b, n * sizeof *b));
    TRY(cudaMalloc(&c, n * sizeof *c));
    TRY(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice));
    for (int i = 0; i < (twice ? 2 : 1); i++)
        add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
    if (twice)
        add<<<(n + 127) / 128, 128>>>(a, b, c, n);
    TRY(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        DEMAND(host[i] == 2.0f * i);
    TRY(cudaFree(a));
    TRY(cudaFree(b));
    TRY(cudaFree(c));
}

/* The error of a kernel is sticky. The next call that waits for the kernel reports the error. */
static void bounds()
{
    float *a;
    TRY(cudaMalloc(&a, 100 * sizeof *a));
    add<<<1, 128>>>(a, a, a, 128);
    DEMAND(cudaGetLastError() == cudaSuccess);
    DEMAND(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    DEMAND(cudaMalloc(&a, 4) == cudaErrorIllegalAddress);
    DEMAND(cudaGetLastError() == cudaErrorIllegalAddress);
    DEMAND(cudaGetLastError() == cudaErrorIllegalAddress);
}

/* A kernel with a name that is longer than its symbol. */
template <typename T> __global__ void reverse(T *out)
{
    __shared__ T line[64];
    line[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = line[63 - threadIdx.x]; /* There is no barrier. */
}

static void race()
{
    unsigned *out;
    TRY(cudaMalloc(&out, 64 * sizeof *out));
    reverse<<<1, 64>>>(out);
    TRY(cudaDeviceSynchronize());
}

/* All lanes participate, but the mask has only the lower half. The upper half reads its values. */
__global__ void lift(int *out)
{
    out[threadIdx.x] = __shfl_up_sync(0x0000ffff, (int)threadIdx.x, 16);
}

static void mask()
{
    int *out, host[32];
    TRY(cudaMalloc(&out, sizeof host));
    for (int i = 0; i < 5; i++) {
        TRY(cudaMemset(out, 0, sizeof host));
        lift<<<1, 32>>>(out);
        TRY(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
        for (int lane = 0; lane < 32; lane++)
            DEMAND(host[lane] == lane % 16);
    }
}

/* Every warp increments 16 of 32 words by 1. The second word is also the lock: lane 30 writes this
 * word while the lock is held, and lane 1 releases the lock. Only the lockstep of the warp orders
 * these accesses, even after lane 1 waits for the lock and the other lanes wait for lane 1. */
__global__ void hold_in_step(volatile unsigned *words, int rounds)
{
    unsigned *lock = (unsigned *)words + 1, held = 0x80000000u;
    int lane = threadIdx.x % 32;
    for (int i = 0; i < rounds; i++) {
        for (unsigned taken = held; taken; taken = __shfl_sync(0xffffffff, taken, 1))
            if (lane == 1)
                taken = atomicOr(lock, held) & held;
        __threadfence();
        for (int wait = 0; wait < 3000; wait++)
            words[31 - lane];
        words[31 - lane] = words[31 - lane] + lane % 2 | (lane == 30 ? held : 0);
        __threadfence();
        if (lane == 1)
            atomicAnd(lock, ~held);
    }
}

static void hold()
{
    unsigned *words, host[32];
    TRY(cudaMalloc(&words, sizeof host));
    TRY(cudaMemset(words, 0, sizeof host));
    hold_in_step<<<4, 256>>>(words, 3);
    TRY(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    for (int word = 0; word < 32; word++)
        DEMAND(host[word] == (word % 2 ? 0 : 4 * 8 * 3));
}

/* Both variables are arrays of bytes in PTX. */
static __device__ int table[3][10];
static __device__ struct {
    int a, b, c;
} triples[4];

__global__ void both_into_table()
{
    table[1][2 + threadIdx.x / 2] = threadIdx.x;
}

__global__ void both_into_triples()
{
    triples[1 + threadIdx.x / 2].b = threadIdx.x;
}

static void variables()
{
    both_into_table<<<1, 4>>>();
    both_into_triples<<<1, 4>>>();
    TRY(cudaDeviceSynchronize());
}

static void shapes()
{
    int *p;
    TRY(cudaMalloc(&p, 4));
    reverse<<<1, 2048>>>(p);
    DEMAND(cudaGetLastError() == cudaErrorInvalidConfiguration);
    DEMAND(cudaGetLastError() == cudaSuccess);
    TRY(cudaDeviceSynchronize()); /* The error is not sticky. */
    reverse<<<0, 64>>>(p);
    DEMAND(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    DEMAND(cudaGetLastError() == cudaErrorInvalidConfiguration);
}

static __managed__ int managed_count = 5;
static __constant__ int factors[4] = {1, 2, 3, 4}, units[4] = {1, 1, 1, 1};
static __device__ int device_total;

__global__ void count(int *shared_by_all, int n)
{
    atomicAdd(shared_by_all, 1);
    atomicAdd(&managed_count, 1);
    atomicAdd(&device_total, factors[threadIdx.x % 4] * units[threadIdx.x % 4] * n);
}

static void memory()
{
    int *managed, *pinned, *mapped, total, four[4] = {1, 1, 1, 1}, *pointer;
    size_t bytes;
    TRY(cudaMallocManaged(&managed, sizeof *managed));
    *managed = 10;
    managed_count++;
    count<<<1, 32>>>(managed, 1);
    TRY(cudaDeviceSynchronize());
    DEMAND(*managed == 42 && managed_count == 38);
    TRY(cudaMemcpyFromSymbol(&total, device_total, sizeof total));
    DEMAND(total == 80);
    TRY(cudaMemcpyToSymbol(factors, four, sizeof four));
    TRY(cudaGetSymbolAddress((void **)&pointer, device_total));
    TRY(cudaMemset(pointer, 0, sizeof *pointer));
    TRY(cudaGetSymbolSize(&bytes, factors));
    DEMAND(bytes == 16);
    TRY(cudaMemcpyToSymbol(factors, four, 4, 12));
    DEMAND(cudaMemcpyToSymbol(factors, four, 8, 12) == cudaErrorInvalidValue);
    DEMAND(cudaMemcpyToSymbol(factors, four, 4, 20) == cudaErrorInvalidValue);
    TRY(cudaHostAlloc(&pinned, sizeof *pinned, cudaHostAllocMapped));
    *pinned = 0;
    TRY(cudaHostGetDevicePointer(&pointer, pinned, 0));
    count<<<2, 32>>>(pointer, 3);
    TRY(cudaMemcpyFromSymbol(&total, device_total, sizeof total));
    DEMAND(total == 192 && *pinned == 64);
    mapped = (int *)calloc(1, sizeof *mapped);
    TRY(cudaHostRegister(mapped, sizeof *mapped, cudaHostRegisterMapped));
    TRY(cudaHostGetDevicePointer(&pointer, mapped, 0));
    count<<<1, 32>>>(pointer, 1);
    TRY(cudaDeviceSynchronize());
    DEMAND(*mapped == 32);
    TRY(cudaHostUnregister(mapped));
    TRY(cudaFreeHost(pinned));
    TRY(cudaFree(managed));
    DEMAND(cudaFree(managed) == cudaErrorInvalidValue);
    cudaPointerAttributes attributes;
    TRY(cudaPointerGetAttributes(&attributes, four));
    DEMAND(attributes.type == cudaMemoryTypeUnregistered);
}

static void pitched()
{
    float *rows, host[3][10], back[3][10];
    size_t pitch;
    for (int i = 0; i < 30; i++)
        host[i / 10][i % 10] = (float)i;
    TRY(cudaMallocPitch(&rows, &pitch, sizeof *host, 3));
    DEMAND(pitch >= sizeof *host && pitch % 256 == 0);
    TRY(cudaMemset2D(rows, pitch, 0, sizeof *host, 3));
    TRY(cudaMemcpy2D(rows, pitch, host, sizeof *host, sizeof *host, 3, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(back, sizeof *back, rows, pitch, sizeof *back, 3, cudaMemcpyDeviceToHost));
    DEMAND(!memcmp(host, back, sizeof host));
    DEMAND(cudaMemcpy2D(back, 4, rows, pitch, 8, 3, cudaMemcpyDeviceToHost) ==
           cudaErrorInvalidPitchValue);
    cudaPitchedPtr box;
    TRY(cudaMalloc3D(&box, make_cudaExtent(40, 3, 2)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, 40, 40, 3);
    copy.dstPtr = box;
    copy.dstPos = make_cudaPos(0, 0, 1);
    copy.extent = make_cudaExtent(40, 3, 1);
    copy.kind = cudaMemcpyHostToDevice;
    TRY(cudaMemcpy3D(&copy));
    memset(back, 0, sizeof back);
    TRY(cudaMemcpy2D(back, 40, (char *)box.ptr + 3 * box.pitch, box.pitch, 40, 3,
                     cudaMemcpyDeviceToHost));
    DEMAND(!memcmp(host, back, sizeof host));
}

static void wrong_copies()
{
    char *device, host[16];
    TRY(cudaMalloc(&device, 8));
    DEMAND(cudaMemcpy(host, device, 9, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    DEMAND(cudaMemcpy(host, device, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    DEMAND(cudaMemcpy(host, device, 8, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    TRY(cudaMemcpy(host, device, 8, cudaMemcpyDefault));
    DEMAND(cudaMalloc(&device, (size_t)1 << 50) == cudaErrorMemoryAllocation);
    DEMAND(cudaGetLastError() == cudaErrorMemoryAllocation);
    TRY(cudaGetLastError());
}

static void device()
{
    cudaDeviceProp properties;
    int value, blocks, grid;
    TRY(cudaGetDeviceCount(&value));
    DEMAND(value == 1);
    DEMAND(cudaSetDevice(1) == cudaErrorInvalidDevice);
    TRY(cudaGetDeviceProperties(&properties, 0));
    TRY(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    DEMAND(properties.multiProcessorCount == value && properties.warpSize == 32);
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add<int>, 256, 0));
    DEMAND(blocks == properties.maxThreadsPerMultiProcessor / 256);
    TRY(cudaOccupancyMaxPotentialBlockSize(&grid, &value, add<int>, 0, 0));
    cudaFuncAttributes attributes;
    TRY(cudaFuncGetAttributes(&attributes, reverse<int>));
    DEMAND(attributes.sharedSizeBytes == 256);
    printf("%s, CC %d.%d, %d SMs, block of %d\n", properties.name, properties.major,
           properties.minor, properties.multiProcessorCount, value);
}

static void streams()
{
    const int n = 1 << 20;
    cudaStream_t one, two;
    cudaEvent_t begin, end, never;
    float *a, ms, sum;
    TRY(cudaStreamCreate(&one));
    TRY(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    TRY(cudaEventCreate(&never));
    TRY(cudaMalloc(&a, n * sizeof *a));
    TRY(cudaMemsetAsync(a, 0, n * sizeof *a, one));
    TRY(cudaEventRecord(begin, one));
    add<<<n / 256, 256, 0, one>>>(a, a, a, n);
    TRY(cudaEventRecord(end, one));
    TRY(cudaStreamWaitEvent(two, end, 0));
    TRY(cudaMemcpyAsync(&sum, a, sizeof sum, cudaMemcpyDeviceToHost, two));
    TRY(cudaEventSynchronize(end));
    TRY(cudaEventElapsedTime(&ms, begin, end));
    DEMAND(ms > 0 && ms < 1);
    DEMAND(cudaEventElapsedTime(&ms, begin, never) == cudaErrorInvalidResourceHandle);
    TRY(cudaStreamQuery(two));
    TRY(cudaStreamDestroy(one));
    DEMAND(cudaStreamSynchronize(one) != cudaSuccess);
    TRY(cudaEventDestroy(begin));
}

__global__ void speak()
{
    if (threadIdx.x < 2)
        printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

__global__ void demand_less(int limit)
{
    assert((int)threadIdx.x < limit);
}

static void assertion()
{
    demand_less<<<1, 64>>>(64);
    TRY(cudaDeviceSynchronize());
    demand_less<<<1, 64>>>(60);
    DEMAND(cudaDeviceSynchronize() == cudaErrorAssert);
}

/* A freed pointer stays invalid, even after another allocation. */
static void freed()
{
    float *a, *b;
    TRY(cudaMalloc(&a, 512));
    TRY(cudaFree(a));
    TRY(cudaMalloc(&b, 512));
    add<<<1, 64>>>(b, b, a, 64);
    DEMAND(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    DEMAND(cudaMemcpy(b, a, 4, cudaMemcpyDeviceToDevice) == cudaErrorIllegalAddress);
    TRY(cudaDeviceReset()); /* The reset clears the error. */
    TRY(cudaMalloc(&b, 512));
    add<<<1, 64>>>(b, b, b, 0);
    TRY(cudaDeviceSynchronize());
}

int main(int count, char **values)
{
    const char *name = count > 1 ? values[1] : "";
    if (!strcmp(name, "add"))
        vector_add(false);
    else if (!strcmp(name, "twice"))
        vector_add(true);
    else if (!strcmp(name, "bounds"))
        bounds();
    else if (!strcmp(name, "race"))
        race();
    else if (!strcmp(name, "mask"))
        mask();
    else if (!strcmp(name, "hold"))
        hold();
    else if (!strcmp(name, "variables"))
        variables();
    else if (!strcmp(name, "assert"))
        assertion();
    else if (!strcmp(name, "freed"))
        freed();
    else if (!strcmp(name, "shapes"))
        shapes();
    else if (!strcmp(name, "memory"))
        memory();
    else if (!strcmp(name, "pitched"))
        pitched();
    else if (!strcmp(name, "copies"))
        wrong_copies();
    else if (!strcmp(name, "device"))
        device();
    else if (!strcmp(name, "streams"))
        streams();
    else if (!strcmp(name, "speak")) {
        speak<<<2, 32>>>();
        TRY(cudaDeviceSynchronize());
    } else if (!strcmp(name, "crash")) {
        int *p;
        vector_add(false);
        TRY(cudaMalloc(&p, 4));
        *p = 1; /* The host dereferences a device pointer. */
    } else {
        return 5;
    }
    printf("done\n");
    return 0;
}
