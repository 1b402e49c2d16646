/* Tests of the exported functions of the driver API, which are called as in a program. */
#include "cuda/abi.h"
#include "cuda/core/runtime.h"
#include "cuda/driver_api/same.h"
#include "cuda/functions_test.h"
#include "cuda/runtime_test.h"

// clang-format off
#define OWN_LIST(X) \
    X(cuArray3DCreate_v2) X(cuArray3DGetDescriptor_v2) X(cuArrayCreate_v2) \
    X(cuArrayGetDescriptor_v2) X(cuCtxCreate) X(cuCtxCreate_v2) X(cuCtxCreate_v3) \
    X(cuCtxCreate_v4) X(cuCtxDestroy) X(cuCtxDestroy_v2) X(cuCtxDetach) X(cuCtxDisablePeerAccess) \
    X(cuCtxEnablePeerAccess) X(cuCtxGetApiVersion) X(cuCtxGetCurrent) X(cuCtxGetDevice) \
    X(cuCtxGetDevice_v2) X(cuCtxGetFlags) X(cuCtxGetId) X(cuCtxPopCurrent) X(cuCtxPopCurrent_v2) \
    X(cuCtxPushCurrent) X(cuCtxPushCurrent_v2) X(cuCtxSetCurrent) X(cuCtxSetFlags) \
    X(cuCtxSynchronize_v2) X(cuDeviceComputeCapability) X(cuDeviceGet) X(cuDeviceGetName) \
    X(cuDeviceGetUuid) X(cuDeviceGetUuid_v2) X(cuDevicePrimaryCtxGetState) \
    X(cuDevicePrimaryCtxRelease) X(cuDevicePrimaryCtxRelease_v2) X(cuDevicePrimaryCtxReset) \
    X(cuDevicePrimaryCtxReset_v2) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxSetFlags) \
    X(cuDevicePrimaryCtxSetFlags_v2) X(cuDeviceTotalMem_v2) X(cuFuncGetAttribute) \
    X(cuFuncGetModule) X(cuFuncIsLoaded) X(cuGetErrorName) X(cuGetErrorString) \
    X(cuGetExportTable) X(cuGetProcAddress) X(cuGetProcAddress_v2) X(cuGraphAddMemsetNode) \
    X(cuInit) X(cuKernelGetAttribute) X(cuKernelGetFunction) X(cuKernelGetLibrary) \
    X(cuKernelSetAttribute) X(cuLaunchCooperativeKernel) X(cuLaunchHostFunc) X(cuLaunchKernel) \
    X(cuLaunchKernelEx) X(cuLibraryEnumerateKernels) X(cuLibraryGetGlobal) X(cuLibraryGetKernel) \
    X(cuLibraryGetKernelCount) X(cuLibraryGetManaged) X(cuLibraryGetModule) X(cuLibraryLoadData) \
    X(cuLibraryLoadFromFile) X(cuLibraryUnload) X(cuLinkAddData_v2) X(cuLinkAddFile_v2) \
    X(cuLinkComplete) X(cuLinkCreate_v2) X(cuLinkDestroy) X(cuMemAddressFree) \
    X(cuMemAddressReserve) X(cuMemAllocPitch_v2) X(cuMemCreate) X(cuMemGetAddressRange_v2) \
    X(cuMemGetAllocationGranularity) X(cuMemGetAllocationPropertiesFromHandle) X(cuMemMap) \
    X(cuMemRelease) X(cuMemcpy) X(cuMemcpy2DAsync_v2) X(cuMemcpy2DUnaligned_v2) X(cuMemcpy2D_v2) \
    X(cuMemcpy3DAsync_v2) X(cuMemcpy3D_v2) X(cuMemcpyAsync) X(cuMemcpyAtoD_v2) X(cuMemcpyAtoH_v2) \
    X(cuMemcpyDtoA_v2) X(cuMemcpyDtoDAsync_v2) X(cuMemcpyDtoD_v2) X(cuMemcpyDtoD_v2_ptds) \
    X(cuMemcpyDtoHAsync_v2) X(cuMemcpyDtoH_v2) X(cuMemcpyDtoH_v2_ptds) X(cuMemcpyHtoA_v2) \
    X(cuMemcpyHtoDAsync_v2) X(cuMemcpyHtoD_v2) X(cuMemcpyHtoD_v2_ptds) X(cuMemcpyPeer) \
    X(cuMemcpy_ptds) X(cuMemsetD16Async) X(cuMemsetD16_v2) X(cuMemsetD16_v2_ptds) \
    X(cuMemsetD2D16Async) X(cuMemsetD2D16_v2) X(cuMemsetD2D16_v2_ptds) X(cuMemsetD2D32Async) \
    X(cuMemsetD2D32_v2) X(cuMemsetD2D32_v2_ptds) X(cuMemsetD2D8Async) X(cuMemsetD2D8_v2) \
    X(cuMemsetD2D8_v2_ptds) X(cuMemsetD32Async) X(cuMemsetD32_v2) X(cuMemsetD32_v2_ptds) \
    X(cuMemsetD8Async) X(cuMemsetD8_v2) X(cuMemsetD8_v2_ptds) X(cuMipmappedArrayCreate) \
    X(cuModuleEnumerateFunctions) X(cuModuleGetFunction) X(cuModuleGetFunctionCount) \
    X(cuModuleGetGlobal_v2) X(cuModuleGetLoadingMode) X(cuModuleLoad) X(cuModuleLoadData) \
    X(cuModuleLoadDataEx) X(cuModuleLoadFatBinary) X(cuModuleUnload) \
    X(cuOccupancyMaxPotentialBlockSize) X(cuOccupancyMaxPotentialBlockSizeWithFlags) \
    X(cuPointerGetAttribute) X(cuPointerGetAttributes) X(cuStreamAddCallback) X(cuStreamGetCtx) \
    X(cuStreamGetCtx_v2) X(cuSurfObjectCreate) X(cuTexObjectCreate)
// clang-format on

#define NAMESAKE(need, name) X(cu##name)
#define STREAM_NAMESAKE(name) X(cu##name)
#define STREAM(name, runtime_name) X(name)
#define SAME(need, name, runtime_name) X(name)

#define X(name) extern any_function name;
OWN_LIST(X)
DRIVER_NAMESAKE_LIST(NAMESAKE)
DRIVER_STREAM_NAMESAKE_LIST(STREAM_NAMESAKE)
DRIVER_STREAM_LIST(STREAM)
DRIVER_SAME_LIST(SAME)
DRIVER_IDLE_LIST(X)
DRIVER_ABSENT_LIST(X)
#undef X

static const struct function functions[] = {
#define X(name) {#name, name, -1},
    OWN_LIST(X) DRIVER_NAMESAKE_LIST(NAMESAKE) DRIVER_STREAM_NAMESAKE_LIST(STREAM_NAMESAKE)
        DRIVER_STREAM_LIST(STREAM) DRIVER_SAME_LIST(SAME)
#undef X
#define X(name) {#name, name, 0},
            DRIVER_IDLE_LIST(X)
#undef X
#define X(name) {#name, name, ERROR_NotSupported},
                DRIVER_ABSENT_LIST(X)
#undef X
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void *primary;

static int start(void **state)
{
    (void)state;
    if (!runtime_test_start(1))
        return -1;
    EXPECT(ERROR_InitializationError, cuDeviceGetCount, P(&(int){0}));
    EXPECT(ERROR_InvalidValue, cuInit, 1);
    EXPECT(0, cuInit, 0);
    runtime_test_forget_file();
    EXPECT(ERROR_DeviceUninitialized, cuMemAlloc_v2, P(&(void *){NULL}), 4);
    EXPECT(0, cuDevicePrimaryCtxRetain, P(&primary), 0);
    EXPECT(0, cuCtxSetCurrent, P(primary));
    return 0;
}

static int finish(void **state)
{
    (void)state;
    EXPECT(0, cuDevicePrimaryCtxRelease_v2, 0);
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
    functions_are_all(functions, FUNCTIONS, true);
}

static void *current(void)
{
    void *context = primary;
    EXPECT(0, cuCtxGetCurrent, P(&context));
    return context;
}

static void contexts_form_a_stack(void **state)
{
    (void)state;
    void *one = NULL, *two = NULL, *popped = NULL;
    EXPECT(ERROR_InvalidDevice, cuCtxCreate_v2, P(&one), 0, 1);
    EXPECT(ERROR_InvalidValue, cuCtxCreate_v2, 0, 0, 0);
    EXPECT(0, cuCtxCreate_v2, P(&one), 0, 0);
    EXPECT(0, cuCtxCreate_v2, P(&two), 4, 0);
    assert_ptr_equal(current(), two);
    EXPECT(0, cuCtxPushCurrent_v2, P(one));
    assert_ptr_equal(current(), one);
    EXPECT(0, cuCtxPopCurrent_v2, P(&popped));
    assert_ptr_equal(popped, one);
    unsigned flags = 0;
    EXPECT(0, cuCtxGetFlags, P(&flags));
    assert_int_equal(flags, 4);
    EXPECT(0, cuCtxDestroy_v2, P(two));
    assert_ptr_equal(current(), one);
    EXPECT(ERROR_DeviceUninitialized, cuCtxPushCurrent_v2, P(two));
    assert_ptr_equal(current(), one);
    EXPECT(ERROR_DeviceUninitialized, cuCtxDestroy_v2, P(two));
    EXPECT(ERROR_InvalidValue, cuCtxDestroy_v2, P(primary));
    /* A destroyed context below the top remains in the stack, but cannot be used. */
    EXPECT(0, cuCtxPushCurrent_v2, P(primary));
    EXPECT(0, cuCtxDestroy_v2, P(one));
    EXPECT(0, cuCtxPopCurrent_v2, P(&popped));
    assert_ptr_equal(popped, primary);
    EXPECT(ERROR_ContextIsDestroyed, cuMemAlloc_v2, P(&popped), 4);
    EXPECT(0, cuCtxPopCurrent_v2, 0);
    assert_ptr_equal(current(), primary);
}

static void memory_is_set_and_copied(void **state)
{
    (void)state;
    char *device = NULL;
    void *base = NULL;
    unsigned char back[64];
    size_t bytes = 0;
    EXPECT(0, cuMemAlloc_v2, P(&device), 64);
    EXPECT(ERROR_InvalidValue, cuMemAlloc_v2, 0, 64);
    EXPECT(ERROR_MemoryAllocation, cuMemAlloc_v2, P(&base), SIZE_MAX);
    EXPECT(0, cuMemsetD8_v2, P(device), 1, 64);
    EXPECT(0, cuMemsetD16_v2, P(device + 2), 0x0302, 2);
    EXPECT(0, cuMemsetD32_v2, P(device + 8), 0x07060504, 1);
    EXPECT(0, cuMemsetD2D8_v2, P(device + 16), 16, 9, 2, 3);
    EXPECT(0, cuMemcpyDtoH_v2, P(back), P(device), 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(back[i], i >= 2 && i < 6         ? 2 + i % 2
                                  : i >= 8 && i < 12      ? i - 4
                                  : i >= 16 && i % 16 < 2 ? 9
                                                          : 1);
    EXPECT(ERROR_InvalidValue, cuMemsetD8_v2, P(device), 1, 65);
    EXPECT(ERROR_InvalidValue, cuMemsetD32_v2, P(device + 1), 1, 1);
    EXPECT(ERROR_InvalidValue, cuMemsetD32_v2, P(device), 1, ((size_t)1 << 62) + 1);
    EXPECT(ERROR_InvalidValue, cuMemsetD2D32_v2, P(device), (size_t)1 << 32, 1, 2,
           ((size_t)1 << 32) + 1);
    EXPECT(ERROR_InvalidValue, cuMemcpyHtoD_v2, P(back), P(device), 64);
    EXPECT(ERROR_InvalidValue, cuMemcpyDtoD_v2, P(device), P(device), 65);
    EXPECT(0, cuMemGetAddressRange_v2, P(&base), P(&bytes), P(device + 63));
    assert_ptr_equal(base, device);
    assert_int_equal(bytes, 64);
    EXPECT(0, cuMemFree_v2, P(device));
    EXPECT(ERROR_InvalidValue, cuMemFree_v2, P(device));
    EXPECT(ERROR_SymbolNotFound, cuMemGetAddressRange_v2, P(&base), P(&bytes), P(device));
}

/* CUarray_format: 1 to 3 are unsigned, 8 to 10 signed, 0x10 half, 0x20 float. */
static void arrays_keep_their_format(void **state)
{
    (void)state;
    static const int formats[] = {1, 2, 3, 8, 9, 10, 0x10, 0x20};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (unsigned channels = 1; channels <= 4; channels *= 2) {
            const struct array_2d made = {5, 3, formats[i], channels};
            struct array_2d got = {0};
            struct array_3d deep = {0};
            void *array = NULL;
            EXPECT(0, cuArrayCreate_v2, P(&array), P(&made));
            EXPECT(0, cuArrayGetDescriptor_v2, P(&got), P(array));
            assert_int_equal(got.format, formats[i]);
            assert_int_equal(got.channels, channels);
            assert_int_equal(got.width, 5);
            assert_int_equal(got.height, 3);
            EXPECT(0, cuArray3DGetDescriptor_v2, P(&deep), P(array));
            assert_int_equal(deep.format, formats[i]);
            EXPECT(ERROR_InvalidValue, cuArrayGetDescriptor_v2, 0, P(array));
            EXPECT(ERROR_InvalidValue, cuArray3DGetDescriptor_v2, 0, P(array));
            EXPECT(0, cuArrayDestroy, P(array));
            EXPECT(ERROR_InvalidResourceHandle, cuArrayGetDescriptor_v2, P(&got), P(array));
        }
    const struct array_2d bad[] = {{5, 3, 0x21, 1}, {5, 3, 1, 5}, {5, 3, 1, 0}, {0, 3, 1, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *array = NULL;
        assert_int_not_equal(
            functions_call(cuArrayCreate_v2, (const uintptr_t[ARGUMENTS]){P(&array), P(&bad[i])}),
            0);
    }
}

static void modules_have_kernels_and_variables(void **state)
{
    (void)state;
    void *module = NULL, *kernel = NULL, *found = NULL, *total = NULL;
    unsigned count = 0, *device = NULL, values[64], length = 64;
    size_t bytes = 0;
    int value = -1, grid = -1, block = -1;
    EXPECT(ERROR_InvalidValue, cuModuleLoadData, P(&module), 0);
    assert_int_not_equal(
        functions_call(cuModuleLoadData, (const uintptr_t[ARGUMENTS]){P(&module), P("no PTX")}), 0);
    EXPECT(ERROR_FileNotFound, cuModuleLoad, P(&module), P("/nonexistent"));
    EXPECT(0, cuModuleLoadData, P(&module), P(functions_ptx));
    EXPECT(0, cuModuleGetFunctionCount, P(&count), P(module));
    assert_int_equal(count, 2);
    EXPECT(0, cuModuleGetFunction, P(&kernel), P(module), P("add_step"));
    EXPECT(ERROR_SymbolNotFound, cuModuleGetFunction, P(&found), P(module), P("none"));
    EXPECT(ERROR_InvalidResourceHandle, cuModuleGetFunction, P(&found), P(kernel), P("add_step"));
    EXPECT(0, cuModuleGetGlobal_v2, P(&total), P(&bytes), P(module), P("total"));
    assert_int_equal(bytes, 4);
    EXPECT(ERROR_SymbolNotFound, cuModuleGetGlobal_v2, P(&total), P(&bytes), P(module), P("none"));
    EXPECT(0, cuFuncGetModule, P(&found), P(kernel));
    assert_ptr_equal(found, module);
    EXPECT(0, cuFuncGetAttribute, P(&value), 0, P(kernel));
    assert_true(value > 0);
    EXPECT(ERROR_InvalidValue, cuFuncGetAttribute, P(&value), 10, P(kernel));
    EXPECT(0, cuOccupancyMaxPotentialBlockSize, P(&grid), P(&block), P(kernel), 0, 0, 0);
    assert_true(grid > 0 && block > 0);
    EXPECT(ERROR_InvalidValue, cuOccupancyMaxPotentialBlockSize, 0, P(&block), P(kernel), 0, 0, 0);
    EXPECT(0, cuMemAlloc_v2, P(&device), sizeof values);
    EXPECT(0, cuMemsetD32_v2, P(device), 5, 64);
    void *arguments[] = {&device, &length};
    EXPECT(0, cuLaunchKernel, P(kernel), 2, 1, 1, 32, 1, 1, 0, 0, P(arguments), 0);
    struct {
        void *values;
        unsigned count;
    } buffer = {device, 32};
    size_t size = sizeof buffer;
    void *extra[] = {(void *)1, &buffer, (void *)2, &size, NULL};
    EXPECT(0, cuLaunchKernel, P(kernel), 2, 1, 1, 32, 1, 1, 0, 0, 0, P(extra));
    size = 8;
    EXPECT(ERROR_InvalidValue, cuLaunchKernel, P(kernel), 2, 1, 1, 32, 1, 1, 0, 0, 0, P(extra));
    EXPECT(ERROR_InvalidValue, cuLaunchKernel, P(kernel), 0, 1, 1, 32, 1, 1, 0, 0, P(arguments), 0);
    EXPECT(ERROR_InvalidValue, cuLaunchKernel, P(kernel), 1, 1, 1, 1025, 1, 1, 0, 0, P(arguments),
           0);
    EXPECT(ERROR_InvalidValue, cuLaunchKernel, P(kernel), 1, 1, 1, 32, 1, 1, 1 << 30, 0,
           P(arguments), 0);
    EXPECT(ERROR_InvalidValue, cuLaunchKernel, P(kernel), 1, 1, 1, 32, 1, 1, 0, 0, 0, 0);
    EXPECT(ERROR_InvalidResourceHandle, cuLaunchKernel, P(module), 1, 1, 1, 32, 1, 1, 0, 0,
           P(arguments), 0);
    EXPECT(ERROR_InvalidResourceHandle, cuLaunchKernel, P(kernel), 1, 1, 1, 32, 1, 1, 0, P(module),
           P(arguments), 0);
    EXPECT(0, cuMemcpyDtoH_v2, P(values), P(device), sizeof values);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(values[i], i < 32 ? 7 : 6);
    EXPECT(0, cuMemFree_v2, P(device));
    EXPECT(0, cuModuleUnload, P(module));
    EXPECT(ERROR_InvalidResourceHandle, cuModuleUnload, P(module));
    EXPECT(ERROR_InvalidResourceHandle, cuLaunchKernel, P(kernel), 1, 1, 1, 32, 1, 1, 0, 0,
           P(arguments), 0);
}

static void images_are_linked(void **state)
{
    (void)state;
    void *link = NULL, *image = NULL, *module = NULL, *kernel = NULL;
    size_t bytes = 0;
    EXPECT(0, cuLinkCreate_v2, 0, 0, 0, P(&link));
    EXPECT(ERROR_InvalidValue, cuLinkComplete, P(link), P(&image), P(&bytes));
    EXPECT(0, cuLinkAddData_v2, P(link), 1, P(functions_ptx), sizeof functions_ptx, 0, 0, 0, 0);
    EXPECT(ERROR_InvalidValue, cuLinkAddData_v2, P(link), 1, 0, 0, 0, 0, 0, 0);
    EXPECT(ERROR_FileNotFound, cuLinkAddFile_v2, P(link), 1, P("/nonexistent"), 0, 0, 0);
    EXPECT(0, cuLinkComplete, P(link), P(&image), P(&bytes));
    /* A linked image is complete. The link accepts no more images, and the image stays valid. */
    EXPECT(ERROR_InvalidValue, cuLinkAddData_v2, P(link), 1, P(functions_ptx), sizeof functions_ptx,
           0, 0, 0, 0);
    EXPECT(ERROR_InvalidValue, cuLinkAddFile_v2, P(link), 1, P("/dev/null"), 0, 0, 0);
    EXPECT(0, cuModuleLoadData, P(&module), P(image));
    EXPECT(0, cuModuleGetFunction, P(&kernel), P(module), P("add_step"));
    EXPECT(0, cuLinkDestroy, P(link));
    EXPECT(ERROR_InvalidValue, cuLinkDestroy, P(link));
    EXPECT(ERROR_InvalidValue, cuLinkComplete, P(link), P(&image), P(&bytes));
    EXPECT(0, cuModuleUnload, P(module));
}

static void streams_and_events_are_handles(void **state)
{
    (void)state;
    void *stream = NULL, *event = NULL, *context = NULL;
    EXPECT(0, cuStreamCreate, P(&stream), 0);
    EXPECT(ERROR_InvalidValue, cuStreamCreate, P(&stream), 2);
    EXPECT(0, cuEventCreate, P(&event), 0);
    EXPECT(0, cuStreamGetCtx, P(stream), P(&context));
    assert_ptr_equal(context, primary);
    EXPECT(0, cuEventRecord, P(event), P(stream));
    EXPECT(ERROR_InvalidResourceHandle, cuEventRecord, P(stream), P(event));
    EXPECT(0, cuEventSynchronize, P(event));
    EXPECT(0, cuEventDestroy_v2, P(event));
    EXPECT(ERROR_InvalidResourceHandle, cuEventQuery, P(event));
    EXPECT(0, cuStreamDestroy_v2, P(stream));
    EXPECT(ERROR_InvalidResourceHandle, cuStreamGetCtx, P(stream), P(&context));
    EXPECT(ERROR_InvalidResourceHandle, cuStreamSynchronize, P(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_functions_are_listed),
        cmocka_unit_test(no_function_crashes_on_null_pointers),
        cmocka_unit_test(contexts_form_a_stack),
        cmocka_unit_test(memory_is_set_and_copied),
        cmocka_unit_test(arrays_keep_their_format),
        cmocka_unit_test(modules_have_kernels_and_variables),
        cmocka_unit_test(images_are_linked),
        cmocka_unit_test(streams_and_events_are_handles),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
