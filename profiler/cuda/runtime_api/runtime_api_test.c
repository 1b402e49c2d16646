/* Tests of the exported functions of the runtime API, which are called as in a program. */
#include "cuda/abi.h"
#include "cuda/core/heap.h"
#include "cuda/core/runtime.h"
#include "cuda/functions_test.h"
#include "cuda/runtime_api/absent.h"
#include "cuda/runtime_test.h"
#include "cuda/versions/version.h"

#include <limits.h>

// clang-format off
#define OWN_LIST(X) \
    X(cudaArrayGetInfo) X(cudaChooseDevice) \
    X(cudaCreateSurfaceObject_12) X(cudaCreateSurfaceObject_13) X(cudaCreateTextureObject_12) \
    X(cudaCreateTextureObject_13) X(cudaDestroySurfaceObject) X(cudaDestroyTextureObject) \
    X(cudaDeviceCanAccessPeer) X(cudaDeviceDisablePeerAccess) X(cudaDeviceEnablePeerAccess) \
    X(cudaDeviceGetAttribute) X(cudaDeviceGetByPCIBusId) X(cudaDeviceGetCacheConfig) \
    X(cudaDeviceGetDefaultMemPool) X(cudaDeviceGetGraphMemAttribute) X(cudaDeviceGetLimit) \
    X(cudaDeviceGetMemPool) X(cudaDeviceGetP2PAttribute) X(cudaDeviceGetPCIBusId) \
    X(cudaDeviceGetSharedMemConfig) X(cudaDeviceGetStreamPriorityRange) \
    X(cudaDeviceGetTexture1DLinearMaxWidth) X(cudaDeviceReset) X(cudaDeviceSetLimit) \
    X(cudaDeviceSetMemPool) X(cudaDeviceSynchronize) X(cudaDriverGetVersion) X(cudaEventCreate) \
    X(cudaEventCreateWithFlags) X(cudaEventDestroy) X(cudaEventElapsedTime) \
    X(cudaEventElapsedTime_v2) X(cudaEventQuery) X(cudaEventRecord) X(cudaEventRecordWithFlags) \
    X(cudaEventSynchronize) X(cudaFree) X(cudaFreeArray) X(cudaFreeAsync) X(cudaFreeHost) \
    X(cudaFreeMipmappedArray) X(cudaFuncGetAttributes) X(cudaFuncGetName) X(cudaFuncGetParamInfo) \
    X(cudaFuncSetAttribute) X(cudaGetChannelDesc) X(cudaGetDevice) X(cudaGetDeviceCount) \
    X(cudaGetDeviceFlags) X(cudaGetDeviceProperties_12) X(cudaGetDeviceProperties_13) \
    X(cudaGetDeviceProperties_v2) X(cudaGetDriverEntryPointByVersion) \
    X(cudaGetDriverEntryPoint_12) X(cudaGetDriverEntryPoint_13) X(cudaGetFuncBySymbol) \
    X(cudaGetKernel) X(cudaGetLastError) X(cudaGetMipmappedArrayLevel) \
    X(cudaGetSurfaceObjectResourceDesc_12) X(cudaGetSurfaceObjectResourceDesc_13) \
    X(cudaGetSymbolAddress) X(cudaGetSymbolSize) X(cudaGetTextureObjectResourceDesc_12) \
    X(cudaGetTextureObjectResourceDesc_13) X(cudaGetTextureObjectTextureDesc) \
    X(cudaGraphAddChildGraphNode) X(cudaGraphAddDependencies_12) X(cudaGraphAddDependencies_13) \
    X(cudaGraphAddDependencies_v2) X(cudaGraphAddEmptyNode) X(cudaGraphAddEventRecordNode) \
    X(cudaGraphAddEventWaitNode) X(cudaGraphAddHostNode) X(cudaGraphAddKernelNode) \
    X(cudaGraphAddMemAllocNode) X(cudaGraphAddMemFreeNode) X(cudaGraphAddMemcpyNode) \
    X(cudaGraphAddMemcpyNode1D) X(cudaGraphAddMemcpyNodeFromSymbol) \
    X(cudaGraphAddMemcpyNodeToSymbol) X(cudaGraphAddMemsetNode) X(cudaGraphAddNode_12) \
    X(cudaGraphAddNode_13) X(cudaGraphAddNode_v2) X(cudaGraphChildGraphNodeGetGraph) \
    X(cudaGraphClone) X(cudaGraphConditionalHandleCreate) X(cudaGraphCreate) \
    X(cudaGraphDebugDotPrint) X(cudaGraphDestroy) X(cudaGraphDestroyNode) \
    X(cudaGraphEventRecordNodeGetEvent) X(cudaGraphEventRecordNodeSetEvent) \
    X(cudaGraphEventWaitNodeGetEvent) X(cudaGraphEventWaitNodeSetEvent) \
    X(cudaGraphExecChildGraphNodeSetParams) X(cudaGraphExecDestroy) \
    X(cudaGraphExecEventRecordNodeSetEvent) X(cudaGraphExecEventWaitNodeSetEvent) \
    X(cudaGraphExecGetFlags) X(cudaGraphExecHostNodeSetParams) \
    X(cudaGraphExecKernelNodeSetParams) X(cudaGraphExecMemcpyNodeSetParams) \
    X(cudaGraphExecMemcpyNodeSetParams1D) X(cudaGraphExecMemcpyNodeSetParamsFromSymbol) \
    X(cudaGraphExecMemcpyNodeSetParamsToSymbol) X(cudaGraphExecMemsetNodeSetParams) \
    X(cudaGraphExecNodeSetParams) X(cudaGraphExecUpdate) X(cudaGraphGetEdges_12) \
    X(cudaGraphGetEdges_13) X(cudaGraphGetEdges_v2) X(cudaGraphGetNodes) X(cudaGraphGetRootNodes) \
    X(cudaGraphHostNodeGetParams) X(cudaGraphHostNodeSetParams) X(cudaGraphInstantiate) \
    X(cudaGraphInstantiateWithFlags) X(cudaGraphInstantiateWithParams) \
    X(cudaGraphKernelNodeGetAttribute) X(cudaGraphKernelNodeGetParams) \
    X(cudaGraphKernelNodeSetParams) X(cudaGraphLaunch) X(cudaGraphMemAllocNodeGetParams) \
    X(cudaGraphMemFreeNodeGetParams) X(cudaGraphMemcpyNodeGetParams) \
    X(cudaGraphMemcpyNodeSetParams) X(cudaGraphMemcpyNodeSetParams1D) \
    X(cudaGraphMemcpyNodeSetParamsFromSymbol) X(cudaGraphMemcpyNodeSetParamsToSymbol) \
    X(cudaGraphMemsetNodeGetParams) X(cudaGraphMemsetNodeSetParams) X(cudaGraphNodeFindInClone) \
    X(cudaGraphNodeGetDependencies_12) X(cudaGraphNodeGetDependencies_13) \
    X(cudaGraphNodeGetDependencies_v2) X(cudaGraphNodeGetDependentNodes_12) \
    X(cudaGraphNodeGetDependentNodes_13) X(cudaGraphNodeGetDependentNodes_v2) \
    X(cudaGraphNodeGetEnabled) X(cudaGraphNodeGetType) X(cudaGraphNodeSetEnabled) \
    X(cudaGraphNodeSetParams) X(cudaGraphReleaseUserObject) X(cudaGraphRemoveDependencies_12) \
    X(cudaGraphRemoveDependencies_13) X(cudaGraphRemoveDependencies_v2) \
    X(cudaGraphRetainUserObject) X(cudaHostAlloc) X(cudaHostGetDevicePointer) X(cudaHostGetFlags) \
    X(cudaHostRegister) X(cudaHostUnregister) X(cudaInitDevice) X(cudaLaunchCooperativeKernel) \
    X(cudaLaunchHostFunc) X(cudaLaunchKernel) X(cudaLaunchKernelExC) \
    X(cudaLibraryEnumerateKernels) X(cudaLibraryGetGlobal) X(cudaLibraryGetKernel) \
    X(cudaLibraryGetKernelCount) X(cudaLibraryGetManaged) X(cudaLibraryLoadData) \
    X(cudaLibraryLoadFromFile) X(cudaLibraryUnload) X(cudaMalloc) X(cudaMalloc3D) \
    X(cudaMalloc3DArray) X(cudaMallocArray) X(cudaMallocAsync) X(cudaMallocFromPoolAsync) \
    X(cudaMallocHost) X(cudaMallocManaged) X(cudaMallocMipmappedArray) X(cudaMallocPitch) \
    X(cudaMemAdvise_12) X(cudaMemAdvise_13) X(cudaMemAdvise_v2) X(cudaMemGetDefaultMemPool) \
    X(cudaMemGetInfo) X(cudaMemGetMemPool) X(cudaMemPoolCreate) X(cudaMemPoolDestroy) \
    X(cudaMemPoolGetAccess) X(cudaMemPoolGetAttribute) X(cudaMemPoolSetAccess) \
    X(cudaMemPoolSetAttribute) X(cudaMemPoolTrimTo) X(cudaMemPrefetchAsync_12) \
    X(cudaMemPrefetchAsync_13) X(cudaMemPrefetchAsync_v2) X(cudaMemRangeGetAttribute) \
    X(cudaMemRangeGetAttributes) X(cudaMemcpy) X(cudaMemcpy2D) X(cudaMemcpy2DArrayToArray) \
    X(cudaMemcpy2DArrayToArray_ptds) X(cudaMemcpy2DAsync) X(cudaMemcpy2DFromArray) \
    X(cudaMemcpy2DFromArrayAsync) X(cudaMemcpy2DFromArray_ptds) X(cudaMemcpy2DToArray) \
    X(cudaMemcpy2DToArrayAsync) X(cudaMemcpy2DToArray_ptds) X(cudaMemcpy2D_ptds) X(cudaMemcpy3D) \
    X(cudaMemcpy3DAsync) X(cudaMemcpy3D_ptds) X(cudaMemcpyAsync) X(cudaMemcpyBatchAsync_12) \
    X(cudaMemcpyBatchAsync_13) X(cudaMemcpyFromArray) X(cudaMemcpyFromArrayAsync) \
    X(cudaMemcpyFromArray_ptds) X(cudaMemcpyFromSymbol) X(cudaMemcpyFromSymbolAsync) \
    X(cudaMemcpyFromSymbol_ptds) X(cudaMemcpyPeer) X(cudaMemcpyPeerAsync) X(cudaMemcpyToArray) \
    X(cudaMemcpyToArrayAsync) X(cudaMemcpyToArray_ptds) X(cudaMemcpyToSymbol) \
    X(cudaMemcpyToSymbolAsync) X(cudaMemcpyToSymbol_ptds) X(cudaMemcpy_ptds) X(cudaMemset) \
    X(cudaMemset2D) X(cudaMemset2DAsync) X(cudaMemset2D_ptds) X(cudaMemset3D) \
    X(cudaMemset3DAsync) X(cudaMemset3D_ptds) X(cudaMemsetAsync) X(cudaMemset_ptds) \
    X(cudaOccupancyAvailableDynamicSMemPerBlock) X(cudaOccupancyMaxActiveBlocksPerMultiprocessor) \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) X(cudaPeekAtLastError) \
    X(cudaPointerGetAttributes_12) X(cudaPointerGetAttributes_13) X(cudaRuntimeGetVersion_12) \
    X(cudaRuntimeGetVersion_13) X(cudaSetDevice) X(cudaStreamAddCallback) \
    X(cudaStreamBeginCapture) X(cudaStreamBeginCaptureToGraph) X(cudaStreamCreate) \
    X(cudaStreamCreateWithFlags) X(cudaStreamCreateWithPriority) X(cudaStreamDestroy) \
    X(cudaStreamEndCapture) X(cudaStreamGetAttribute) X(cudaStreamGetCaptureInfo_12) \
    X(cudaStreamGetCaptureInfo_13) X(cudaStreamGetCaptureInfo_v2) X(cudaStreamGetCaptureInfo_v3) \
    X(cudaStreamGetDevice) X(cudaStreamGetFlags) X(cudaStreamGetId) X(cudaStreamGetPriority) \
    X(cudaStreamIsCapturing) X(cudaStreamQuery) X(cudaStreamSetAttribute) \
    X(cudaStreamSynchronize) X(cudaStreamUpdateCaptureDependencies_12) \
    X(cudaStreamUpdateCaptureDependencies_13) X(cudaStreamUpdateCaptureDependencies_v2) \
    X(cudaStreamWaitEvent) X(cudaThreadExit) X(cudaThreadSynchronize) X(cudaUserObjectCreate) \
    X(cudaUserObjectRelease) X(cudaUserObjectRetain)
// clang-format on

#define X(name) extern any_function name;
OWN_LIST(X)
RUNTIME_IDLE_LIST(X)
RUNTIME_ABSENT_LIST(X)
VERSION_LIST(X)
VERSION_STREAM_LIST(X)
X(cuModuleGetFunction)
X(cuLaunchKernel)
#undef X
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);

static const struct function functions[] = {
#define X(name) {#name, name, -1},
    OWN_LIST(X) VERSION_LIST(X) VERSION_STREAM_LIST(X)
#undef X
#define X(name) {#name, name, 0},
        RUNTIME_IDLE_LIST(X)
#undef X
#define X(name) {#name, name, ERROR_NotSupported},
            RUNTIME_ABSENT_LIST(X)
#undef X
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int start(void **state)
{
    (void)state;
    if (!runtime_test_start(1) ||
        cudaGetDevice(P(&(int){0}), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        return -1;
    runtime_test_forget_file();
    return 0;
}

static int finish(void **state)
{
    (void)state;
    EXPECT(0, cudaDeviceReset, 0);
    return 0;
}

static void no_function_crashes_on_null_pointers(void **state)
{
    (void)state;
    functions_try_all(functions, FUNCTIONS);
}

static void all_functions_are_listed(void **state)
{
    (void)state;
    functions_are_all(functions, FUNCTIONS, false);
}

static void errors_have_names(void **state)
{
    (void)state;
    for (int error = -1; error < 1000; error++) {
        assert_non_null(cudaGetErrorName(error));
        assert_non_null(cudaGetErrorString(error));
    }
    assert_string_equal(cudaGetErrorName(0), "cudaSuccess");
    assert_string_equal(cudaGetErrorName(ERROR_InvalidValue), "cudaErrorInvalidValue");
}

static void an_error_remains_until_it_is_read(void **state)
{
    (void)state;
    EXPECT(0, cudaDeviceReset, 0);
    EXPECT(ERROR_InvalidValue, cudaMalloc, 0, 4);
    EXPECT(ERROR_InvalidValue, cudaPeekAtLastError, 0);
    EXPECT(ERROR_InvalidValue, cudaGetLastError, 0);
    EXPECT(0, cudaGetLastError, 0);
}

static void the_device_is_number_0(void **state)
{
    (void)state;
    int value = -1;
    size_t bytes = 0, all = 0;
    char text[32];
    EXPECT(0, cudaGetDeviceCount, P(&value));
    assert_int_equal(value, 1);
    EXPECT(0, cudaSetDevice, 0);
    EXPECT(ERROR_InvalidDevice, cudaSetDevice, 1);
    EXPECT(ERROR_InvalidDevice, cudaInitDevice, 1);
    EXPECT(0, cudaDeviceGetAttribute, P(&value), 10, 0);
    assert_int_equal(value, 32);
    EXPECT(ERROR_InvalidValue, cudaDeviceGetAttribute, P(&value), 0, 0);
    EXPECT(ERROR_InvalidValue, cudaDeviceGetAttribute, P(&value), 100000, 0);
    EXPECT(ERROR_InvalidDevice, cudaDeviceGetAttribute, P(&value), 10, 1);
    EXPECT(0, cudaDeviceCanAccessPeer, P(&value), 0, 0);
    EXPECT(ERROR_InvalidDevice, cudaDeviceEnablePeerAccess, 0);
    EXPECT(ERROR_InvalidDevice, cudaDeviceDisablePeerAccess, 0);
    EXPECT(0, cudaDeviceGetPCIBusId, P(text), sizeof text, 0);
    EXPECT(0, cudaDeviceGetByPCIBusId, P(&value), P(text));
    EXPECT(ERROR_InvalidDevice, cudaDeviceGetByPCIBusId, P(&value), P("0000:02:00.0"));
    EXPECT(ERROR_InvalidValue, cudaDeviceGetPCIBusId, P(text), 12, 0);
    EXPECT(ERROR_InvalidValue, cudaDeviceGetPCIBusId, 0, sizeof text, 0);
    EXPECT(0, cudaDeviceSetLimit, 0, 2048);
    EXPECT(0, cudaDeviceGetLimit, P(&bytes), 0);
    assert_int_equal(bytes, 2048);
    EXPECT(ERROR_UnsupportedLimit, cudaDeviceGetLimit, P(&bytes), 7);
    EXPECT(ERROR_UnsupportedLimit, cudaDeviceSetLimit, (uintptr_t)-1, 1);
    EXPECT(0, cudaMemGetInfo, P(&bytes), P(&all));
    assert_true(bytes <= all && all == runtime.device->memory_bytes);
    unsigned char properties[1032 + 8] = {0};
    properties[1032] = 0xa5;
    EXPECT(0, cudaGetDeviceProperties_v2, P(properties), 0);
    assert_int_equal(properties[1032], 0xa5);
    assert_string_equal((char *)properties, runtime.device->title);
    EXPECT(0, cudaGetDeviceProperties_12, P(properties), 0);
    EXPECT(0, cudaGetDeviceProperties_13, P(properties), 0);
    EXPECT(ERROR_InvalidDevice, cudaGetDeviceProperties_13, P(properties), 1);
    EXPECT(0, cudaRuntimeGetVersion_12, P(&value));
    assert_int_equal(value, 12000);
    EXPECT(0, cudaDriverGetVersion, P(&value));
    assert_int_equal(value, 13000);
}

static void device_memory_is_allocated_copied_and_freed(void **state)
{
    (void)state;
    enum { BYTES = 5000 };
    unsigned char *device = NULL, *other = NULL, out[BYTES], back[BYTES];
    size_t before, after, all;
    for (unsigned i = 0; i < BYTES; i++)
        out[i] = (unsigned char)(i * 31);
    EXPECT(0, cudaMemGetInfo, P(&before), P(&all));
    EXPECT(0, cudaMalloc, P(&device), BYTES);
    EXPECT(0, cudaMalloc, P(&other), BYTES);
    EXPECT(0, cudaMemGetInfo, P(&after), P(&all));
    assert_int_equal(before - after, 2 * BYTES);
    EXPECT(0, cudaMemcpy, P(device), P(out), BYTES, COPY_TO_DEVICE);
    EXPECT(0, cudaMemcpy, P(other), P(device), BYTES, COPY_IN_DEVICE);
    EXPECT(0, cudaMemcpy, P(back), P(other), BYTES, COPY_FROM_DEVICE);
    assert_memory_equal(back, out, BYTES);
    EXPECT(0, cudaMemset, P(other + 10), 7, 20);
    EXPECT(0, cudaMemcpyAsync, P(back), P(other), BYTES, COPY_ANY, 0);
    for (unsigned i = 0; i < BYTES; i++)
        assert_int_equal(back[i], i >= 10 && i < 30 ? 7 : out[i]);
    EXPECT(0, cudaMemcpyPeer, P(other), 0, P(device), 0, BYTES);
    EXPECT(ERROR_InvalidDevice, cudaMemcpyPeer, P(other), 1, P(device), 0, BYTES);
    EXPECT(ERROR_InvalidValue, cudaMemcpy, P(device), P(out), BYTES + 1, COPY_TO_DEVICE);
    EXPECT(ERROR_InvalidValue, cudaMemcpy, P(back), P(device + 1), BYTES, COPY_FROM_DEVICE);
    EXPECT(ERROR_InvalidValue, cudaMemcpy, P(device), P(out), SIZE_MAX, COPY_TO_DEVICE);
    EXPECT(ERROR_InvalidValue, cudaMemcpy, P(device), P(out), BYTES, COPY_FROM_DEVICE);
    EXPECT(ERROR_InvalidValue, cudaMemcpy, P(back), P(out), BYTES, COPY_IN_DEVICE);
    EXPECT(ERROR_InvalidMemcpyDirection, cudaMemcpy, P(device), P(out), BYTES, 5);
    EXPECT(ERROR_InvalidMemcpyDirection, cudaMemcpy, P(device), P(out), BYTES, (uintptr_t)-1);
    EXPECT(ERROR_InvalidValue, cudaMemcpy, P(NULL), P(device), 1, COPY_ANY);
    EXPECT(ERROR_InvalidValue, cudaMemset, P(device), 0, BYTES + 1);
    EXPECT(ERROR_InvalidValue, cudaMemset, P(back), 0, 1);
    EXPECT(ERROR_InvalidValue, cudaFree, P(device + 1));
    EXPECT(ERROR_InvalidValue, cudaFree, P(back));
    EXPECT(ERROR_InvalidValue, cudaFreeHost, P(device));
    EXPECT(0, cudaFree, P(device));
    EXPECT(ERROR_InvalidValue, cudaFree, P(device));
    EXPECT(ERROR_InvalidValue, cudaMemcpy, P(back), P(device), 1, COPY_FROM_DEVICE);
    EXPECT(ERROR_InvalidValue, cudaMemset, P(device), 0, 1);
    EXPECT(0, cudaFree, P(other));
    EXPECT(0, cudaFree, 0);
    EXPECT(0, cudaMemGetInfo, P(&after), P(&all));
    assert_int_equal(before, after);
}

static void too_large_sizes_are_rejected(void **state)
{
    (void)state;
    void *pointer = NULL, *device = NULL;
    struct pitched pitched;
    size_t pitch;
    EXPECT(ERROR_MemoryAllocation, cudaMalloc, P(&pointer), SIZE_MAX);
    EXPECT(ERROR_MemoryAllocation, cudaMalloc, P(&pointer), runtime.device->memory_bytes + 1);
    assert_null(pointer);
    EXPECT(ERROR_InvalidValue, cudaMallocPitch, P(&pointer), P(&pitch), SIZE_MAX, 1);
    EXPECT(ERROR_InvalidValue, cudaMallocPitch, P(&pointer), P(&pitch), 1 << 20, SIZE_MAX >> 8);
    (void)pitched;
    EXPECT(0, cudaMalloc, P(&device), 64);
    /* The address of the last row wraps around to the start of the array. */
    EXPECT(ERROR_InvalidValue, cudaMemset2D, P(device), (size_t)1 << 32, 1, 8,
           ((size_t)1 << 32) + 1);
    char bytes[64] = {0};
    EXPECT(ERROR_InvalidValue, cudaMemcpy2D, P(device), (size_t)1 << 32, P(bytes), (size_t)1 << 32,
           8, ((size_t)1 << 32) + 1, COPY_TO_DEVICE);
    EXPECT(ERROR_InvalidValue, cudaMemset2D, P(device), SIZE_MAX, 1, 8, 2);
    EXPECT(0, cudaFree, P(device));
}

static void rows_are_copied_and_set(void **state)
{
    (void)state;
    enum { WIDTH = 10, ROWS = 6 };
    char *device = NULL, out[ROWS][16], back[ROWS][12];
    size_t pitch = 0;
    memset(out, 1, sizeof out);
    memset(back, 9, sizeof back);
    EXPECT(0, cudaMallocPitch, P(&device), P(&pitch), WIDTH, ROWS);
    assert_true(pitch >= WIDTH);
    EXPECT(0, cudaMemset2D, P(device), pitch, 5, WIDTH, ROWS);
    EXPECT(0, cudaMemcpy2D, P(device + pitch), pitch, P(out), 16, WIDTH - 1, ROWS - 1,
           COPY_TO_DEVICE);
    EXPECT(0, cudaMemcpy2D, P(back), 12, P(device), pitch, WIDTH, ROWS, COPY_FROM_DEVICE);
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x < 12; x++)
            assert_int_equal(back[y][x], x >= WIDTH ? 9 : y == 0 || x == WIDTH - 1 ? 5 : 1);
    EXPECT(ERROR_InvalidPitchValue, cudaMemcpy2D, P(device), 4, P(out), 16, WIDTH, ROWS,
           COPY_TO_DEVICE);
    EXPECT(ERROR_InvalidValue, cudaMemcpy2D, P(device), pitch, P(out), 16, WIDTH, ROWS + 1,
           COPY_TO_DEVICE);
    struct copy_3d box = {.from = {device, pitch, WIDTH, ROWS},
                          .to = {back, 12, WIDTH, ROWS},
                          .extent = {WIDTH, ROWS, 1},
                          .kind = COPY_FROM_DEVICE};
    EXPECT(0, cudaMemcpy3D, P(&box));
    box.extent.depth = 2;
    EXPECT(ERROR_InvalidValue, cudaMemcpy3D, P(&box));
    EXPECT(ERROR_InvalidValue, cudaMemcpy3D, 0);
    EXPECT(0, cudaFree, P(device));
}

/* Returns the host address, which differs from the guest address with the address sanitizer. */
static char *host_of(const void *pointer)
{
    return (char *)heap_find(P(pointer))->host;
}

static void the_host_reads_managed_and_pinned_memory(void **state)
{
    (void)state;
    char *managed = NULL, *pinned = NULL, own[100];
    EXPECT(ERROR_InvalidValue, cudaMallocManaged, P(&managed), 100, 0);
    EXPECT(ERROR_InvalidValue, cudaMallocManaged, P(&managed), 0, 1);
    EXPECT(0, cudaHostRegister, P(own), sizeof own, 0);
    EXPECT(ERROR_HostMemoryAlreadyRegistered, cudaHostRegister, P(own), sizeof own, 0);
    void *there = NULL;
    EXPECT(0, cudaHostGetDevicePointer, P(&there), P(own), 0);
    EXPECT(0, cudaMemset, P(there), 3, sizeof own);
    assert_int_equal(own[99], 3);
    EXPECT(0, cudaHostUnregister, P(own));
    EXPECT(ERROR_HostMemoryNotRegistered, cudaHostUnregister, P(own));
    EXPECT(ERROR_InvalidValue, cudaHostGetDevicePointer, P(&there), P(own), 0);
    EXPECT(0, cudaMallocManaged, P(&managed), 100, 1);
    EXPECT(0, cudaMallocHost, P(&pinned), 100);
    host_of(managed)[99] = 4;
    EXPECT(0, cudaMemcpy, P(pinned), P(managed), 100, COPY_ANY);
    assert_int_equal(host_of(pinned)[99], 4);
    enum { ACCESSED_BY = 3, SET_ACCESSED_BY = 5, NOTHING = 7 };
    int devices[2] = {NOTHING, NOTHING};
    EXPECT(0, cudaMemAdvise_12, P(managed), 100, SET_ACCESSED_BY, 0);
    EXPECT(0, cudaMemAdvise_12, P(managed), 100, SET_ACCESSED_BY, (uintptr_t)-1);
    EXPECT(0, cudaMemRangeGetAttribute, P(devices), 4, ACCESSED_BY, P(managed), 100);
    assert_int_equal(devices[0], 0);
    assert_int_equal(devices[1], NOTHING);
    EXPECT(ERROR_InvalidValue, cudaFreeHost, P(managed));
    EXPECT(ERROR_InvalidValue, cudaFree, P(pinned));
    EXPECT(0, cudaFree, P(managed));
    EXPECT(0, cudaFreeHost, P(pinned));
}

static void streams_and_events_are_handles(void **state)
{
    (void)state;
    void *stream = NULL, *begin = NULL, *end = NULL;
    unsigned flags = 9;
    int priority = 9;
    float ms = -1;
    EXPECT(0, cudaStreamCreateWithPriority, P(&stream), 1, (uintptr_t)-3);
    EXPECT(ERROR_InvalidValue, cudaStreamCreateWithFlags, P(&stream), 2);
    EXPECT(0, cudaStreamGetFlags, P(stream), P(&flags));
    EXPECT(0, cudaStreamGetPriority, P(stream), P(&priority));
    assert_int_equal(flags, 1);
    assert_int_equal(priority, -3);
    EXPECT(0, cudaEventCreate, P(&begin));
    EXPECT(0, cudaEventCreateWithFlags, P(&end), 2);
    EXPECT(ERROR_InvalidValue, cudaEventCreateWithFlags, P(&end), 8);
    EXPECT(ERROR_InvalidResourceHandle, cudaEventElapsedTime, P(&ms), P(begin), P(begin));
    EXPECT(0, cudaEventRecord, P(begin), P(stream));
    EXPECT(0, cudaEventRecord, P(end), P(stream));
    EXPECT(0, cudaEventElapsedTime, P(&ms), P(begin), P(begin));
    assert_true(ms == 0);
    EXPECT(ERROR_InvalidResourceHandle, cudaEventElapsedTime, P(&ms), P(begin), P(end));
    EXPECT(0, cudaStreamWaitEvent, P(stream), P(end), 0);
    EXPECT(ERROR_InvalidResourceHandle, cudaStreamWaitEvent, P(end), P(stream), 0);
    EXPECT(ERROR_InvalidResourceHandle, cudaEventRecord, P(stream), P(stream));
    EXPECT(0, cudaEventSynchronize, P(end));
    EXPECT(0, cudaStreamSynchronize, P(stream));
    EXPECT(0, cudaEventDestroy, P(begin));
    EXPECT(0, cudaEventDestroy, P(end));
    EXPECT(ERROR_InvalidResourceHandle, cudaEventDestroy, P(end));
    EXPECT(ERROR_InvalidResourceHandle, cudaEventQuery, P(end));
    EXPECT(0, cudaStreamDestroy, P(stream));
    EXPECT(ERROR_InvalidResourceHandle, cudaStreamDestroy, P(stream));
    EXPECT(ERROR_InvalidResourceHandle, cudaStreamQuery, P(stream));
    EXPECT(ERROR_InvalidResourceHandle, cudaMemcpyAsync, 0, 0, 0, COPY_ANY, P(stream));
}

static void add_one(void *counter)
{
    ++*(int *)counter;
}

static void graphs_run_their_nodes(void **state)
{
    (void)state;
    void *graph = NULL, *copy = NULL, *instance = NULL, *set = NULL, *call = NULL, *empty = NULL;
    char *device = NULL, back[8] = {0};
    int calls = 0, kind = -1;
    size_t count = 0;
    EXPECT(0, cudaMalloc, P(&device), 8);
    EXPECT(0, cudaGraphCreate, P(&graph), 0);
    struct set_node parameters = {device, 8, 3, 1, 8, 1};
    EXPECT(0, cudaGraphAddMemsetNode, P(&set), P(graph), 0, 0, P(&parameters));
    struct host_call host = {add_one, &calls};
    EXPECT(0, cudaGraphAddHostNode, P(&call), P(graph), P(&set), 1, P(&host));
    EXPECT(0, cudaGraphAddEmptyNode, P(&empty), P(graph), 0, 0);
    EXPECT(ERROR_InvalidValue, cudaGraphAddEmptyNode, P(&empty), P(graph), 0, 1);
    EXPECT(ERROR_InvalidValue, cudaGraphAddEmptyNode, P(&empty), P(graph), P(&graph), 1);
    EXPECT(0, cudaGraphAddDependencies_12, P(graph), P(&call), P(&empty), 1);
    EXPECT(0, cudaGraphGetNodes, P(graph), 0, P(&count));
    assert_int_equal(count, 3);
    EXPECT(0, cudaGraphGetEdges_12, P(graph), 0, 0, P(&count));
    assert_int_equal(count, 2);
    EXPECT(0, cudaGraphNodeGetType, P(set), P(&kind));
    EXPECT(ERROR_InvalidValue, cudaGraphHostNodeGetParams, P(set), P(&host));
    EXPECT(0, cudaGraphClone, P(&copy), P(graph));
    EXPECT(ERROR_InvalidValue, cudaGraphAddDependencies_12, P(copy), P(&set), P(&empty), 1);
    EXPECT(0, cudaGraphInstantiate, P(&instance), P(copy), 0);
    EXPECT(ERROR_InvalidValue, cudaGraphLaunch, P(graph), 0);
    EXPECT(ERROR_InvalidValue, cudaGraphDestroy, P(instance));
    EXPECT(0, cudaGraphLaunch, P(instance), 0);
    EXPECT(0, cudaGraphLaunch, P(instance), 0);
    EXPECT(0, cudaDeviceSynchronize, 0);
    assert_int_equal(calls, 2);
    EXPECT(0, cudaMemcpy, P(back), P(device), 8, COPY_FROM_DEVICE);
    assert_int_equal(back[7], 3);
    EXPECT(0, cudaGraphAddDependencies_12, P(graph), P(&empty), P(&set), 1);
    void *none = graph;
    EXPECT(ERROR_InvalidValue, cudaGraphInstantiate, P(&none), P(graph), 0);
    assert_null(none);
    EXPECT(0, cudaGraphDestroyNode, P(empty));
    EXPECT(ERROR_InvalidValue, cudaGraphDestroyNode, P(empty));
    EXPECT(0, cudaGraphDestroy, P(graph));
    EXPECT(ERROR_InvalidValue, cudaGraphDestroy, P(graph));
    EXPECT(ERROR_InvalidValue, cudaGraphNodeGetType, P(set), P(&kind));
    EXPECT(0, cudaGraphDestroy, P(copy));
    EXPECT(0, cudaGraphExecDestroy, P(instance));
    EXPECT(ERROR_InvalidValue, cudaGraphExecDestroy, P(instance));
    EXPECT(ERROR_InvalidValue, cudaGraphLaunch, P(instance), 0);
    EXPECT(0, cudaFree, P(device));
}

static void user_objects_count_their_references(void **state)
{
    (void)state;
    void *object = NULL, *none = NULL;
    int ends = 0;
    const unsigned most = INT_MAX, rest = UINT_MAX - most;
    EXPECT(ERROR_InvalidValue, cudaUserObjectCreate, 0, P(&ends), P(add_one), 1, 1);
    EXPECT(ERROR_InvalidValue, cudaUserObjectCreate, P(&none), P(&ends), 0, 1, 1);
    EXPECT(ERROR_InvalidValue, cudaUserObjectCreate, P(&none), P(&ends), P(add_one), 0, 1);
    EXPECT(ERROR_InvalidValue, cudaUserObjectCreate, P(&none), P(&ends), P(add_one), most + 1, 1);
    EXPECT(ERROR_InvalidValue, cudaUserObjectCreate, P(&none), P(&ends), P(add_one), 1, 0);
    EXPECT(ERROR_InvalidValue, cudaUserObjectCreate, P(&none), P(&ends), P(add_one), 1, 2);
    EXPECT(ERROR_InvalidValue, cudaUserObjectCreate, P(&none), P(&ends), P(add_one), 1, 3);
    assert_null(none);
    EXPECT(0, cudaUserObjectCreate, P(&object), P(&ends), P(add_one), most, 1);
    EXPECT(0, cudaUserObjectRetain, P(object), rest);
    EXPECT(ERROR_InvalidValue, cudaUserObjectRetain, P(object), 1);
    EXPECT(0, cudaUserObjectRelease, P(object), UINT_MAX - 2);
    EXPECT(ERROR_InvalidValue, cudaUserObjectRelease, P(object), 3);
    EXPECT(0, cudaUserObjectRelease, P(object), 1);
    assert_int_equal(ends, 0);
    EXPECT(0, cudaUserObjectRelease, P(object), 1);
    assert_int_equal(ends, 1);
    EXPECT(ERROR_InvalidValue, cudaUserObjectRelease, P(object), 1);
    EXPECT(ERROR_InvalidValue, cudaUserObjectRetain, P(object), 1);
    assert_int_equal(ends, 1);
}

static void graphs_own_references_of_user_objects(void **state)
{
    (void)state;
    enum { MOVE = 1 };
    void *graph = NULL, *instance = NULL, *object = NULL, *moved = NULL;
    int ends = 0, moved_ends = 0;
    EXPECT(0, cudaGraphCreate, P(&graph), 0);
    EXPECT(0, cudaUserObjectCreate, P(&object), P(&ends), P(add_one), 1, 1);
    EXPECT(0, cudaUserObjectCreate, P(&moved), P(&moved_ends), P(add_one), 2, 1);
    EXPECT(ERROR_InvalidValue, cudaGraphRetainUserObject, 0, P(object), 1, 0);
    EXPECT(ERROR_InvalidValue, cudaGraphRetainUserObject, P(graph), P(object), 0, 0);
    EXPECT(ERROR_InvalidValue, cudaGraphRetainUserObject, P(graph), 0, 1, 0);
    EXPECT(ERROR_InvalidValue, cudaGraphRetainUserObject, P(graph), P(graph), 1, MOVE);
    EXPECT(ERROR_InvalidValue, cudaGraphReleaseUserObject, P(graph), P(object), 1);
    EXPECT(0, cudaGraphRetainUserObject, P(graph), P(object), 3, 0);
    EXPECT(0, cudaUserObjectRelease, P(object), 1);
    assert_int_equal(ends, 0);
    EXPECT(ERROR_InvalidValue, cudaGraphReleaseUserObject, 0, P(object), 1);
    EXPECT(ERROR_InvalidValue, cudaGraphReleaseUserObject, P(graph), P(moved), 1);
    EXPECT(ERROR_InvalidValue, cudaGraphReleaseUserObject, P(graph), P(object), 4);
    EXPECT(0, cudaGraphReleaseUserObject, P(graph), P(object), 2);
    assert_int_equal(ends, 0);
    EXPECT(0, cudaGraphReleaseUserObject, P(graph), P(object), 1);
    assert_int_equal(ends, 1);
    EXPECT(0, cudaGraphRetainUserObject, P(graph), P(moved), 1, MOVE);
    EXPECT(0, cudaGraphReleaseUserObject, P(graph), P(moved), 1);
    assert_int_equal(moved_ends, 0);
    EXPECT(0, cudaGraphRetainUserObject, P(graph), P(moved), 1, MOVE);
    EXPECT(0, cudaGraphInstantiate, P(&instance), P(graph), 0);
    EXPECT(0, cudaGraphDestroy, P(graph));
    assert_int_equal(moved_ends, 0);
    EXPECT(0, cudaGraphExecDestroy, P(instance));
    assert_int_equal(moved_ends, 1);
    EXPECT(ERROR_InvalidValue, cudaUserObjectRelease, P(moved), 1);
}

static void a_stream_is_captured(void **state)
{
    (void)state;
    void *stream = NULL, *graph = NULL, *instance = NULL;
    char *device = NULL, back[8] = {0};
    int status = 9;
    EXPECT(0, cudaMalloc, P(&device), 8);
    EXPECT(0, cudaMemset, P(device), 1, 8);
    EXPECT(0, cudaStreamCreate, P(&stream));
    EXPECT(ERROR_StreamCaptureUnsupported, cudaStreamBeginCapture, 0, 0);
    EXPECT(ERROR_IllegalState, cudaStreamEndCapture, P(stream), P(&graph));
    EXPECT(0, cudaStreamBeginCapture, P(stream), 0);
    EXPECT(ERROR_IllegalState, cudaStreamBeginCapture, P(stream), 0);
    EXPECT(0, cudaStreamIsCapturing, P(stream), P(&status));
    assert_int_equal(status, 1);
    EXPECT(0, cudaMemsetAsync, P(device), 2, 8, P(stream));
    EXPECT(0, cudaStreamEndCapture, P(stream), P(&graph));
    EXPECT(0, cudaMemcpy, P(back), P(device), 8, COPY_FROM_DEVICE);
    assert_int_equal(back[0], 1);
    EXPECT(0, cudaGraphInstantiate, P(&instance), P(graph), 0);
    EXPECT(0, cudaGraphLaunch, P(instance), P(stream));
    EXPECT(0, cudaMemcpy, P(back), P(device), 8, COPY_FROM_DEVICE);
    assert_int_equal(back[0], 2);
    /* If the host waits for a captured stream, the capture becomes invalid. */
    EXPECT(0, cudaStreamBeginCapture, P(stream), 0);
    EXPECT(ERROR_StreamCaptureUnsupported, cudaStreamSynchronize, P(stream));
    EXPECT(0, cudaStreamIsCapturing, P(stream), P(&status));
    assert_int_equal(status, 2);
    void *none = graph;
    EXPECT(ERROR_StreamCaptureInvalidated, cudaStreamEndCapture, P(stream), P(&none));
    assert_null(none);
    EXPECT(0, cudaGraphExecDestroy, P(instance));
    EXPECT(0, cudaGraphDestroy, P(graph));
    EXPECT(0, cudaStreamDestroy, P(stream));
    EXPECT(0, cudaFree, P(device));
}

static void kernels_of_a_library_run(void **state)
{
    (void)state;
    void *library = NULL, *kernel = NULL, *other = NULL;
    unsigned *device = NULL, values[100] = {0}, count = 0, total = 0;
    void *variable = NULL;
    size_t bytes = 0, offset = 9;
    int blocks = -1;
    const char *name = NULL;
    struct function_attributes attributes;
    EXPECT(0, cudaLibraryLoadData, P(&library), P(functions_ptx));
    EXPECT(0, cudaLibraryGetKernelCount, P(&count), P(library));
    assert_int_equal(count, 2);
    EXPECT(0, cudaLibraryGetKernel, P(&kernel), P(library), P("add_step"));
    EXPECT(0, cudaLibraryGetKernel, P(&other), P(library), P("count_blocks"));
    EXPECT(0, cudaLibraryGetGlobal, P(&variable), P(&bytes), P(library), P("total"));
    assert_int_equal(bytes, 4);
    EXPECT(0, cudaFuncGetAttributes, P(&attributes), P(kernel));
    EXPECT(ERROR_InvalidValue, cudaFuncGetAttributes, 0, P(kernel));
    EXPECT(0, cudaFuncGetName, P(&name), P(kernel));
    assert_string_equal(name, "add_step");
    EXPECT(ERROR_InvalidValue, cudaFuncGetName, 0, P(kernel));
    EXPECT(0, cudaFuncGetParamInfo, P(kernel), 1, P(&offset), P(&bytes));
    assert_int_equal(offset, 8);
    EXPECT(ERROR_InvalidValue, cudaFuncGetParamInfo, P(kernel), 2, P(&offset), P(&bytes));
    EXPECT(ERROR_InvalidValue, cudaFuncGetParamInfo, P(kernel), 1, 0, P(&bytes));
    EXPECT(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor, P(&blocks), P(kernel), 256, 0);
    assert_true(blocks > 0);
    EXPECT(ERROR_InvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor, 0, P(kernel), 256, 0);
    EXPECT(0, cudaOccupancyAvailableDynamicSMemPerBlock, P(&bytes), P(kernel), 1, 256);
    EXPECT(ERROR_InvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock, 0, P(kernel), 1, 256);
    EXPECT(ERROR_InvalidValue, cudaFuncSetAttribute, P(kernel), 8, 1 << 30);
    EXPECT(0, cudaFuncSetAttribute, P(kernel), 8, 1024);
    EXPECT(0, cudaMalloc, P(&device), sizeof values);
    EXPECT(0, cudaMemset, P(device), 0, sizeof values);
    unsigned length = 100;
    void *arguments[] = {&device, &length};
    EXPECT(0, cuLaunchKernel, P(kernel), 4, 1, 1, 32, 1, 1, 0, 0, P(arguments), 0);
    EXPECT(0, cuLaunchKernel, P(other), 7, 1, 1, 1, 1, 1, 0, 0, 0, 0);
    EXPECT(0, cudaMemcpy, P(values), P(device), sizeof values, COPY_FROM_DEVICE);
    EXPECT(0, cudaMemcpy, P(&total), P(variable), 4, COPY_ANY);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(values[i], 1);
    assert_int_equal(total, 7);
    struct launch_attribute cluster = {.id = ATTRIBUTE_CLUSTER, .value.cluster = {1, 1, 1}};
    struct launch_config config = {{1, 1, 1}, {32, 1, 1}, 0, NULL, &cluster, 1};
    EXPECT(0, cudaLaunchKernelExC, P(&config), P(kernel), P(arguments));
    cluster.value.cluster.y = 2;
    EXPECT(ERROR_NotSupported, cudaLaunchKernelExC, P(&config), P(kernel), P(arguments));
    cluster = (struct launch_attribute){.id = ATTRIBUTE_PRIORITY, .value.priority = -5};
    EXPECT(0, cudaLaunchKernelExC, P(&config), P(kernel), P(arguments));
    EXPECT(0, cudaFree, P(device));
    EXPECT(0, cudaLibraryUnload, P(library));
    EXPECT(ERROR_InvalidResourceHandle, cudaLibraryUnload, P(library));
    assert_int_not_equal(functions_call(cudaFuncGetAttributes,
                                        (const uintptr_t[ARGUMENTS]){P(&attributes), P(kernel)}),
                         0);
}

static void arrays_contain_texels(void **state)
{
    (void)state;
    const struct channel_format format = {{32, 0, 0, 0}, TEXEL_UNSIGNED};
    struct channel_format got;
    struct extent extent;
    unsigned flags, out[4][4], back[4][4] = {{0}};
    void *array = NULL;
    unsigned long long object = 0;
    for (unsigned i = 0; i < 16; i++)
        out[i / 4][i % 4] = i * i;
    EXPECT(0, cudaMallocArray, P(&array), P(&format), 4, 4, 0);
    EXPECT(0, cudaArrayGetInfo, P(&got), P(&extent), P(&flags), P(array));
    assert_int_equal(extent.width, 4);
    assert_int_equal(got.bits[0], 32);
    EXPECT(0, cudaMemcpy2DToArray, P(array), 0, 0, P(out), 16, 16, 4, COPY_TO_DEVICE);
    EXPECT(0, cudaMemcpy2DFromArray, P(back), 16, P(array), 0, 0, 16, 4, COPY_FROM_DEVICE);
    assert_memory_equal(out, back, sizeof out);
    assert_int_not_equal(
        functions_call(cudaMemcpy2DToArray, (const uintptr_t[ARGUMENTS]){P(array), 4, 0, P(out), 16,
                                                                         16, 4, COPY_TO_DEVICE}),
        0);
    struct resource_13 resource = {.type = RESOURCE_ARRAY, .of.array = array};
    struct texture_settings settings = {0};
    EXPECT(0, cudaCreateTextureObject_13, P(&object), P(&resource), P(&settings), 0);
    EXPECT(ERROR_InvalidValue, cudaCreateTextureObject_13, P(&object), P(&resource), 0, 0);
    EXPECT(0, cudaDestroyTextureObject, object);
    EXPECT(0, cudaFreeArray, P(array));
    assert_int_not_equal(functions_call(cudaFreeArray, (const uintptr_t[ARGUMENTS]){P(array)}), 0);
    EXPECT(ERROR_InvalidValue, cudaMallocArray, 0, P(&format), 4, 4, 0);
    assert_int_not_equal(
        functions_call(cudaMallocArray,
                       (const uintptr_t[ARGUMENTS]){P(&array), P(&format), 1 << 30, 4, 0}),
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_functions_are_listed),
        cmocka_unit_test(no_function_crashes_on_null_pointers),
        cmocka_unit_test(errors_have_names),
        cmocka_unit_test(an_error_remains_until_it_is_read),
        cmocka_unit_test(the_device_is_number_0),
        cmocka_unit_test(device_memory_is_allocated_copied_and_freed),
        cmocka_unit_test(too_large_sizes_are_rejected),
        cmocka_unit_test(rows_are_copied_and_set),
        cmocka_unit_test(the_host_reads_managed_and_pinned_memory),
        cmocka_unit_test(streams_and_events_are_handles),
        cmocka_unit_test(graphs_run_their_nodes),
        cmocka_unit_test(user_objects_count_their_references),
        cmocka_unit_test(graphs_own_references_of_user_objects),
        cmocka_unit_test(a_stream_is_captured),
        cmocka_unit_test(kernels_of_a_library_run),
        cmocka_unit_test(arrays_contain_texels),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
