/* fake_libcuda.c: a fake driver with one GPU that computes nothing. The times of benchmarks.cu
 * follow a law. A launch takes 5 us. DRAM transfers 900 GB/s (of 1000). A block waits 200 ns, and
 * 600 ns for each of its sequential loads. The clock is 1 GHz. A one-sector line takes 2 clocks for
 * a load from the L2, 5 for a store to the L2, and 8 for a store through the L2. A wavefront takes
 * one clock. A kernel `us_30` takes 30 us. FAKE_FAIL names a function that fails. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SMS = 100, THREADS_PER_SM = 2048, SHARED_PER_SM = 233472, L2_BYTES = 32 << 20 };

struct function {
    char name[64];
};
static struct function functions[64];
static int function_count;
static double last_us;

static int failing(const char *name)
{
    const char *wanted = getenv("FAKE_FAIL");
    return wanted && !strcmp(wanted, name) ? 2 : 0;
}

#define DONE(name) return failing(name)

int cuInit(unsigned flags)
{
    (void)flags;
    DONE("cuInit");
}
int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}
int cuGetErrorName(int code, const char **name)
{
    *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
    return 0;
}
int cuGetErrorString(int code, const char **text)
{
    (void)code;
    *text = "requested by FAKE_FAIL";
    return 0;
}
int cuDeviceGetCount(int *count)
{
    *count = failing("count") ? 0 : 1;
    return 0;
}
int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}
int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    strncpy(name, "Fake, GPU", (size_t)size);
    return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)80 << 30;
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int values[][2] = {{1, 1024},
                                    {2, 1024},
                                    {3, 1024},
                                    {4, 64},
                                    {5, 2147483647},
                                    {6, 65535},
                                    {7, 65535},
                                    {8, 49152},
                                    {13, 1000000},
                                    {16, SMS},
                                    {36, 500000},
                                    {37, 8000},
                                    {38, L2_BYTES},
                                    {39, THREADS_PER_SM},
                                    {75, 9},
                                    {76, 0},
                                    {81, SHARED_PER_SM},
                                    {97, 232448},
                                    {106, 32},
                                    {111, 1024}};
    (void)device;
    *value = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i][0] == attribute)
            *value = values[i][1];
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = functions;
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return 0;
}
int cuCtxSetCurrent(void *context)
{
    (void)context;
    return 0;
}
int cuCtxPushCurrent_v2(void *context)
{
    (void)context;
    return 0;
}
int cuCtxPopCurrent_v2(void **context)
{
    *context = functions;
    return 0;
}
int cuCtxSynchronize(void)
{
    DONE("cuCtxSynchronize");
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    (void)bytes;
    *address = 1 << 20;
    DONE("cuMemAlloc");
}
int cuMemFree_v2(uint64_t address)
{
    (void)address;
    return 0;
}
int cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    (void)flags;
    return (*host = calloc(1, bytes)) ? 0 : 2;
}
int cuMemFreeHost(void *host)
{
    free(host);
    return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    (void)from;
    memset(to, 0, bytes);
    return 0;
}
int cuMemsetD32_v2(uint64_t address, unsigned word, size_t count)
{
    (void)address, (void)word, (void)count;
    return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values)
{
    (void)image, (void)count, (void)options, (void)values;
    *module = functions;
    DONE("cuModuleLoadDataEx");
}
int cuModuleLoadData(void **module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}
int cuModuleUnload(void *module)
{
    (void)module;
    return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    int i = 0;
    (void)module;
    while (i < function_count && strcmp(functions[i].name, name))
        i++;
    if (i == 64)
        return 2;
    strncpy(functions[i].name, name, 63);
    function_count += i == function_count;
    *function = &functions[i];
    return 0;
}
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name)
{
    (void)address, (void)bytes, (void)module, (void)name;
    return 500;
}
int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)attribute, (void)function;
    *value = 0;
    return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return 0;
}

/* Returns the time of a kernel: the root of the sum of the squared DRAM and waiting times. */
static double memory_us(double bytes, double blocks, unsigned threads, double shared, double rounds)
{
    double resident = floor(SHARED_PER_SM / (shared + 1024));
    if (resident > THREADS_PER_SM / threads)
        resident = THREADS_PER_SM / threads;
    double kept = fmin(bytes / 4, 0.4 * L2_BYTES); /* bytes that remain in the L2 */
    double waiting = fmax(1, blocks / (SMS * resident)) * (0.2 + rounds * 0.6);
    return 5 + 0.6 + hypot((bytes - kept) / 900e3, waiting);
}

static double benchmark_us(const char *name, double blocks, unsigned threads, double shared,
                           void **parameters)
{
    int width, loads;
    const char *digits = strpbrk(name, "0123456789");
    if (!strncmp(name, "copy_", 5)) {
        width = atoi(digits);
        loads = atoi(strrchr(name, '_') + 1);
        return memory_us(2.0 * width * loads * threads * blocks, blocks, threads, shared,
                         strstr(name, "turn") ? loads : 1);
    }
    if (!strncmp(name, "tiles_", 6)) {
        double n = *(int *)parameters[2], side = atoi(digits);
        return memory_us(8 * n * n, blocks, threads, shared + 4 * side * (side + 1), 2);
    }
    if (!strcmp(name, "pieces")) {
        int permute = *(int *)parameters[4], shift = *(int *)parameters[2];
        double span = (double)(*(uint64_t *)parameters[3] + 1) * (16 << shift),
               pages = fmin(241, span / (2 << 20));
        double added =
            permute ? ((permute & 1) * 0.01 + (permute >> 1) * 0.03) * log2(fmax(1, pages / 2)) / 2
                    : 0;
        return memory_us(32.0 * blocks * threads, blocks, threads, 0, 1) * (1 + added);
    }
    if (!strcmp(name, "banks")) {
        int stride = *(int *)parameters[0];
        return 5 + 2000.0 * 4 * 8 * (stride ? stride : 1) / 1000;
    }
    if (!strcmp(name, "strided")) {
        int stride = *(int *)parameters[1], rounds = *(int *)parameters[2],
            store = *(int *)parameters[3];
        double lines = blocks * 8 * rounds * fmin(stride, 32);
        return 5 + lines / SMS * (store ? 5 : 2) / 1000;
    }
    if (!strcmp(name, "columns"))
        return 5 + blocks * 8 * 32 / SMS * 8 / 1000;
    if (!strncmp(name, "us_", 3))
        return atoi(name + 3);
    if (!strcmp(name, "chase"))
        return 20000 * 0.6;
    return 5;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **parameters, void **extra)
{
    (void)grid_y, (void)grid_z, (void)block_z, (void)stream, (void)extra;
    last_us = benchmark_us(((struct function *)function)->name, grid_x, block_x * block_y, shared,
                           parameters);
    DONE("cuLaunchKernel");
}
int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = functions;
    return 0;
}
int cuEventDestroy_v2(void *event)
{
    (void)event;
    return 0;
}
int cuEventRecord(void *event, void *stream)
{
    (void)event, (void)stream;
    return 0;
}
int cuEventQuery(void *event)
{
    (void)event;
    return 0;
}
int cuEventElapsedTime(float *milliseconds, void *from, void *to)
{
    (void)from, (void)to;
    *milliseconds = (float)(last_us / 1e3);
    return 0;
}
/* The following functions are for libtlab_inject.so. */
int cuCtxGetDevice(int *device)
{
    *device = 0;
    return 0;
}
int cuStreamIsCapturing(void *stream, int *status)
{
    *status = stream == (void *)8;
    return 0;
}
int cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    *table = NULL;
    return 500;
} /* NVRTC calls this function. */
int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
    *unused = *total = (size_t)80 << 30;
    return 0;
}
int cuEventSynchronize(void *event)
{
    (void)event;
    return 0;
}
