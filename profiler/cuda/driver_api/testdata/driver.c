/* driver.c: a program of the driver API, one case per run. The kernels are compiled with NVRTC. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000 };

static const char source[] =
    "__constant__ float factor = 2;\n"
    "__device__ int calls;\n"
    "extern \"C\" __global__ void scale(float *out, const float *in, int count)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i == 0)\n"
    "        calls++;\n"
    "    if (i < count)\n"
    "        out[i] = factor * in[i];\n"
    "}\n"
    "template <int N> __global__ void add(float *a) { a[threadIdx.x] += N; }\n"
    "extern \"C\" __global__ void late(float *a, int shift) { a[threadIdx.x + shift] = 1; }\n";

static void check(int error, const char *what, int line)
{
    const char *name = "?";
    if (!error)
        return;
    cuGetErrorName(error, &name);
    printf("line %d: %s: %s\n", line, what, name);
    exit(3);
}
#define CHECK(call) check((int)(call), #call, __LINE__)

#define SAY(call) say(call, #call)
static void say(CUresult error, const char *what)
{
    const char *name = "?", *text = "?";
    cuGetErrorName(error, &name);
    cuGetErrorString(error, &text);
    printf("%.*s: %s, %s\n", (int)strcspn(what, "("), what, name, text);
}

static void verify(const float *values, float wanted)
{
    for (int i = 0; i < COUNT; i++)
        if (values[i] != wanted * (float)i) {
            printf("element %d is %g\n", i, (double)values[i]);
            exit(4);
        }
}

/* Returns PTX in place of machine code, and the symbol of the template instance `name`. */
static char *compile(const char *text, const char *option, const char *name, char symbol[256])
{
    const char *options[] = {"--gpu-architecture=sm_90", option};
    const char *lowered;
    nvrtcProgram program;
    size_t size;
    CHECK(nvrtcCreateProgram(&program, text, "driver_kernels.cu", 0, NULL, NULL));
    if (name)
        CHECK(nvrtcAddNameExpression(program, name));
    CHECK(nvrtcCompileProgram(program, option ? 2 : 1, options));
    CHECK(nvrtcGetCUBINSize(program, &size));
    char *image = calloc(size + 1, 1);
    CHECK(nvrtcGetCUBIN(program, image));
    if (name) {
        CHECK(nvrtcGetLoweredName(program, name, &lowered));
        snprintf(symbol, 256, "%s", lowered);
    }
    CHECK(nvrtcDestroyProgram(&program));
    return image;
}

static CUcontext begin(CUmodule *module)
{
    CUdevice device;
    CUcontext context;
    char *image = compile(source, NULL, NULL, NULL);
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(module, image));
    free(image);
    return context;
}

static void fill(float *values)
{
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
}

static int launch(void)
{
    CUmodule module;
    CUfunction scale;
    CUdeviceptr in, out, calls, factor;
    CUevent from, to;
    CUstream stream;
    float values[COUNT], ms, three = 3;
    int count = COUNT, number, registers;
    size_t bytes;
    begin(&module);
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuMemAlloc(&in, sizeof values));
    CHECK(cuMemAlloc(&out, sizeof values));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&from, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&to, CU_EVENT_DEFAULT));
    fill(values);
    CHECK(cuMemcpyHtoDAsync(in, values, sizeof values, stream));
    CHECK(cuMemsetD32(out, 0x7fc00000, COUNT));
    void *arguments[] = {&out, &in, &count};
    CHECK(cuEventRecord(from, stream));
    CHECK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
    CHECK(cuEventRecord(to, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuMemcpyDtoH(values, out, sizeof values));
    verify(values, 2);
    CHECK(cuEventElapsedTime(&ms, from, to));
    if (!(ms > 0))
        return 5;

    /* Change the constant, and pass the arguments in one buffer. */
    struct {
        CUdeviceptr out, in;
        int count;
    } packed = {out, in, COUNT};
    bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    CHECK(cuMemcpyHtoD(factor, &three, bytes));
    bytes = sizeof packed;
    CHECK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    CHECK(cuMemcpyDtoH(values, out, sizeof values));
    verify(values, 3);
    CHECK(cuModuleGetGlobal(&calls, &bytes, module, "calls"));
    CHECK(cuMemcpyDtoH(&number, calls, bytes));
    CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    printf("%d calls, %zu bytes, blocks of %d\n", number, bytes, registers);
    return 0;
}

/* Look up a template instance by its name from NVRTC, and driver functions by name. */
static int names(void)
{
    CUmodule module;
    CUfunction add;
    CUdeviceptr a;
    CUdriverProcAddressQueryResult found;
    CUresult (*allocate)(CUdeviceptr *, size_t);
    void *none;
    char symbol[256];
    float value;
    begin(&module);
    char *image = compile(source, NULL, "add<7>", symbol);
    CHECK(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
    CHECK(cuModuleGetFunction(&add, module, symbol));
    CHECK(cuGetProcAddress("cuMemAlloc", (void **)&allocate, CUDA_VERSION, 0, &found));
    CHECK(allocate(&a, 32 * sizeof value));
    CHECK(cuMemsetD8(a, 0, 32 * sizeof value));
    void *arguments[] = {&a};
    CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH(&value, a + 31 * sizeof value, sizeof value));
    CHECK(cuGetProcAddress("cuNothing", &none, CUDA_VERSION, 0, &found));
    printf("%g, %s\n", (double)value, none ? "found" : "not found");
    return found != CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

/* Use both APIs together, and call the driver API in a thread without a context. */
static void *in_thread(void *module)
{
    CUfunction scale;
    SAY(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cudaFree(NULL)); /* the runtime makes the primary context current */
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    return NULL;
}

static int mixed(void)
{
    CUmodule module;
    CUfunction scale;
    float *in, *out;
    cudaStream_t stream;
    int count = COUNT, error;
    CUcontext own = begin(&module), current;
    pthread_t thread;
    CHECK(cudaMallocManaged((void **)&in, COUNT * sizeof *in, cudaMemAttachGlobal));
    CHECK(cudaMalloc((void **)&out, COUNT * sizeof *out));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cuCtxGetCurrent(&current));
    if (current != own)
        return 5;
    fill(in);
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    void *arguments[] = {&out, &in, &count};
    CHECK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cuMemcpyDtoH(in, (CUdeviceptr)out, COUNT * sizeof *in));
    verify(in, 2);
    error = cuMemFree(12345);
    printf("%d, and the runtime has no error: %d\n", error, cudaGetLastError());
    return pthread_create(&thread, NULL, in_thread, module) || pthread_join(thread, NULL);
}

static int linked(void)
{
    static const char other[] = "__device__ float twice(float x) { return 2 * x; }\n";
    static const char first[] = "extern __device__ float twice(float x);\n"
                                "extern \"C\" __global__ void go(float *a) { *a = twice(*a); }\n";
    CUmodule module;
    CUfunction go;
    CUdeviceptr a;
    CUlinkState state;
    float value = 21;
    void *image;
    size_t size;
    begin(&module);
    char *texts[] = {compile(first, "-rdc=true", NULL, NULL),
                     compile(other, "-rdc=true", NULL, NULL)};
    CHECK(cuLinkCreate(0, NULL, NULL, &state));
    for (int i = 0; i < 2; i++)
        CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, texts[i], strlen(texts[i]) + 1, "", 0, NULL,
                            NULL));
    CHECK(cuLinkComplete(state, &image, &size));
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuLinkDestroy(state));
    CHECK(cuModuleGetFunction(&go, module, "go"));
    CHECK(cuMemAlloc(&a, sizeof value));
    CHECK(cuMemcpyHtoD(a, &value, sizeof value));
    void *arguments[] = {&a};
    CHECK(cuLaunchKernel(go, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH(&value, a, sizeof value));
    printf("%g\n", (double)value);
    return 0;
}

static int memory(void)
{
    CUmodule module;
    CUdeviceptr rows, range, base;
    CUarray array;
    size_t pitch, bytes, granularity;
    unsigned in[4][8], out[4][8] = {{0}};
    begin(&module);
    for (unsigned i = 0; i < 32; i++)
        in[i / 8][i % 8] = i;
    CHECK(cuMemAllocPitch(&rows, &pitch, sizeof in[0], 4, 4));
    CUDA_ARRAY_DESCRIPTOR form = {8, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1}, same;
    CHECK(cuArrayCreate(&array, &form));
    CHECK(cuArrayGetDescriptor(&same, array));
    CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = in,
                        .srcPitch = sizeof in[0],
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = rows,
                        .dstPitch = pitch,
                        .WidthInBytes = sizeof in[0],
                        .Height = 4};
    CHECK(cuMemcpy2D(&up));
    CUDA_MEMCPY2D over = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = rows,
                          .srcPitch = pitch,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = sizeof in[0],
                          .Height = 4};
    CHECK(cuMemcpy2D(&over));
    /* Copy the lower right quarter of the array to the upper left quarter on the host. */
    CUDA_MEMCPY3D down = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = array,
                          .srcXInBytes = 16,
                          .srcY = 2,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = out,
                          .dstPitch = sizeof out[0],
                          .dstHeight = 4,
                          .WidthInBytes = 16,
                          .Height = 2,
                          .Depth = 1};
    CHECK(cuMemcpy3D(&down));
    for (unsigned i = 0; i < 32; i++)
        if (out[i / 8][i % 8] != (i / 8 < 2 && i % 8 < 4 ? i + 20 : 0))
            return 5;
    CHECK(cuMemsetD2D16(rows, pitch, 0x1234, 2, 4));
    CHECK(cuMemcpyDtoH(out, rows + pitch, 8));
    if (out[0][0] != 0x12341234 || out[0][1] != 9)
        return 6;
    CHECK(cuMemGetAddressRange(&base, &bytes, rows + 5));
    if (base != rows || bytes != 4 * pitch || same.Format != form.Format || same.NumChannels != 1)
        return 7;

    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle piece;
    CHECK(
        cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(cuMemAddressReserve(&range, 2 * granularity, 0, 0, 0));
    CHECK(cuMemCreate(&piece, granularity, &properties, 0));
    CHECK(cuMemMap(range + granularity, granularity, 0, piece, 0));
    CHECK(cuMemSetAccess(range + granularity, granularity, &access, 1));
    CHECK(cuMemcpyHtoD(range + granularity, in, sizeof in));
    CHECK(cuMemcpyDtoH(out, range + granularity, sizeof out));
    CHECK(cuMemRelease(piece));
    return memcmp(in, out, sizeof in) != 0;
}

static int early(void)
{
    CUdeviceptr a;
    CUdevice device;
    SAY(cuDeviceGet(&device, 0));
    SAY(cuInit(1));
    CHECK(cuInit(0));
    SAY(cuDeviceGet(&device, 1));
    SAY(cuMemAlloc(&a, 4));
    return 0;
}

static int modules(void)
{
    CUmodule module, none = NULL;
    CUfunction function;
    CUdeviceptr a;
    size_t bytes;
    char log[200] = "";
    int names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    begin(&module);
    SAY(cuModuleLoadDataEx(&none, ".version 8.0\n.target sm_80\nnonsense", 2, names, values));
    printf("log: %s\n", log);
    SAY(cuModuleLoadData(&none, "\177ELF and so on"));
    SAY(cuModuleLoadData(&none, ""));
    SAY(cuModuleLoad(&none, "/nowhere/none.ptx"));
    SAY(cuModuleGetFunction(&function, module, "skale"));
    SAY(cuModuleGetFunction(&function, (CUmodule)&module, "scale"));
    SAY(cuModuleGetGlobal(&a, &bytes, module, "factors"));
    CHECK(cuModuleUnload(module));
    SAY(cuModuleGetFunction(&function, module, "scale"));
    SAY(cuModuleUnload(module));
    return 0;
}

static int launches(void)
{
    CUmodule module;
    CUfunction scale;
    CUdeviceptr a;
    int count = 1;
    size_t bytes = 12;
    begin(&module);
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuMemAlloc(&a, 64));
    void *few[] = {&a, &a, NULL}, *all[] = {&a, &a, &count};
    struct {
        CUdeviceptr out, in;
    } packed = {a, a};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    SAY(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, NULL, few, NULL));
    few[2] = (void *)3; /* an arbitrary value after the end of a short array */
    SAY(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, NULL, few, NULL));
    SAY(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    SAY(cuLaunchKernel((CUfunction)module, 1, 1, 1, 1, 1, 1, 0, NULL, all, NULL));
    SAY(cuLaunchKernel(scale, 1, 1, 1, 4096, 1, 1, 0, NULL, all, NULL));
    return 0;
}

/* All later calls in the context return the error of a kernel. A new context has no error. */
static int bounds(void)
{
    CUmodule module;
    CUfunction late;
    CUdeviceptr a;
    CUdevice device;
    int shift = 1;
    begin(&module);
    CHECK(cuModuleGetFunction(&late, module, "late"));
    CHECK(cuMemAlloc(&a, 128));
    void *arguments[] = {&a, &shift};
    CHECK(cuLaunchKernel(late, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    SAY(cuCtxSynchronize());
    SAY(cuMemAlloc(&a, 128));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxReset(device));
    CHECK(cuMemAlloc(&a, 128));
    return 0;
}

int main(int count, char **values)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {{"launch", launch},   {"names", names},       {"mixed", mixed},
                 {"linked", linked},   {"memory", memory},     {"early", early},
                 {"modules", modules}, {"launches", launches}, {"bounds", bounds}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (count == 2 && !strcmp(values[1], cases[i].name)) {
            int status = cases[i].run();
            if (!status)
                puts("done");
            return status;
        }
    return 2;
}
