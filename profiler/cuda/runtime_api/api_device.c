/* api_device.c: the device, its properties, and errors. */
#include "cuda/core/array.h"
#include "cuda/runtime_api/api.h"
#include "cuda/runtime_api/calls.h"

#include <stdio.h>
#include <string.h>

static int last_error(bool clear)
{
    runtime_enter_quietly();
    int error = runtime_last_error(clear);
    runtime_leave(0);
    return error;
}

EXPORT int cudaGetLastError(void)
{
    return last_error(true);
}

EXPORT int cudaPeekAtLastError(void)
{
    return last_error(false);
}

EXPORT const char *cudaGetErrorName(int error)
{
    return error_names(error)->runtime;
}

EXPORT const char *cudaGetErrorString(int error)
{
    return error_names(error)->text;
}

API_FUNCTION(cudaGetDeviceCount, (int *count), GIVE(count, 1))
API_FUNCTION(cudaGetDevice, (int *device), GIVE(device, 0))
API_FUNCTION(cudaSetDevice, (int device), device ? ERROR_InvalidDevice : 0)
API_FUNCTION(cudaInitDevice, (int device, unsigned device_flags, unsigned flags),
             device ? ERROR_InvalidDevice : 0)
API_FUNCTION(cudaDeviceSynchronize, (void), (timeline_await_all(), 0))
ALIAS(cudaDeviceSynchronize, cudaThreadSynchronize);

/* Unlike other calls, this function clears kernel errors. */
EXPORT int cudaDeviceReset(void)
{
    int error = runtime_enter_quietly();
    if (!runtime.report)
        return runtime_leave(error);
    timeline_await_all();
    array_free_all();
    heap_free_all();
    runtime.pending = runtime.sticky = 0;
    runtime_last_error(true);
    return runtime_leave(0);
}
ALIAS(cudaDeviceReset, cudaThreadExit);

API_FUNCTION(cudaRuntimeGetVersion_12, (int *version), GIVE(version, 12000))
API_FUNCTION(cudaRuntimeGetVersion_13, (int *version), GIVE(version, 13000))
ALIAS(cudaRuntimeGetVersion_13, cudaDriverGetVersion);

API_FUNCTION(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
             (MAY_GIVE(least, 0), MAY_GIVE(greatest, -5), 0))
API_FUNCTION(cudaDeviceCanAccessPeer, (int *can, int device, int other),
             device || other ? ERROR_InvalidDevice : GIVE(can, 0))

/* These functions fail, because there is only one device and a device is not its own peer. */
API_FUNCTION(cudaDeviceEnablePeerAccess, (int other, unsigned flags), ERROR_InvalidDevice)
API_FUNCTION(cudaDeviceDisablePeerAccess, (int other), ERROR_InvalidDevice)
API_FUNCTION(cudaDeviceGetP2PAttribute, (int *value, int attribute, int device, int other),
             ERROR_InvalidDevice)
API_FUNCTION(cudaDeviceGetCacheConfig, (int *config), GIVE(config, 0))
ALIAS(cudaDeviceGetCacheConfig, cudaDeviceGetSharedMemConfig);

/* All attributes of graph memory (used or reserved, current or maximum) have the same value. */
API_FUNCTION(cudaDeviceGetGraphMemAttribute, (int device, int attribute, uint64_t *bytes),
             device ? ERROR_InvalidDevice : GIVE(bytes, heap_use().retained))

#define PCI_BUS_ID "0000:01:00.0"
API_FUNCTION(cudaDeviceGetPCIBusId, (char *text, int size, int device),
             device                                   ? ERROR_InvalidDevice
             : !text || size < (int)sizeof PCI_BUS_ID ? ERROR_InvalidValue
                                                      : (strcpy(text, PCI_BUS_ID), 0))
API_FUNCTION(cudaDeviceGetByPCIBusId, (int *device, const char *text),
             text && !strcmp(text, PCI_BUS_ID) ? GIVE(device, 0) : ERROR_InvalidDevice)
API_FUNCTION(cudaChooseDevice, (int *device, const void *properties), GIVE(device, 0))
API_FUNCTION(cudaGetDeviceFlags, (unsigned *flags), GIVE(flags, 8)) /* cudaDeviceMapHost */

/* The order is that of enum cudaLimit. */
enum { LIMIT_HEAP = 2 };
static size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

static int limit(size_t *get_value, const size_t *set_value, int number)
{
    if (number < 0 || (size_t)number >= sizeof limits / sizeof *limits)
        return ERROR_UnsupportedLimit;
    if (set_value)
        limits[number] = *set_value;
    if (set_value && number == LIMIT_HEAP)
        runtime.memory.heap_bytes = *set_value;
    MAY_GIVE(get_value, limits[number]);
    return 0;
}

API_FUNCTION(cudaDeviceGetLimit, (size_t * value, int number), limit(value, NULL, number))
API_FUNCTION(cudaDeviceSetLimit, (int number, size_t value), limit(NULL, &value, number))

#define D(field) (device->field)
/* Number of 32-bit registers of an SM (Programming Guide, "Technical Specifications"). */
#define REGISTERS (D(compute_capability) >= 30 ? 65536 : D(compute_capability) >= 12 ? 16384 : 8192)
/* Three quarters of the L2 cache are available to persisting accesses since CC 8.0 (Programming
 * Guide, "L2 Set-Aside"). The value has no effect. */
#define PERSISTING_BYTES (D(compute_capability) >= 80 ? D(l2_bytes) / 4 * 3 : 0)
#define WINDOW_BYTES (D(compute_capability) >= 80 ? 128 << 20 : 0)
enum { CONSTANT_BYTES = 65536, MAX_PITCH = 0x7fffffff };

/* The members of cudaDeviceProp, in order. Columns: number in enum cudaDeviceAttr, or 0; B for both
 * versions, 12 or 13 for one version; type; name; number of elements; value of element i. */
// clang-format off
#define PROPERTY_LIST(X) \
    X(0, B, char, name, 256, device->title[i < (int)sizeof device->title ? i : (int)sizeof device->title - 1]) \
    X(0, B, char, uuid, 16, "emulatedGPU"[i < 11 ? i : 11]) \
    X(0, B, char, luid, 8, 0) \
    X(0, B, unsigned, luidDeviceNodeMask, 1, 0) \
    X(0, B, size_t, totalGlobalMem, 1, D(memory_bytes)) \
    X(8, B, size_t, sharedMemPerBlock, 1, D(shared_per_block)) \
    X(12, B, int, regsPerBlock, 1, REGISTERS) \
    X(10, B, int, warpSize, 1, D(warp_lanes)) \
    X(11, B, size_t, memPitch, 1, MAX_PITCH) \
    X(1, B, int, maxThreadsPerBlock, 1, D(max_threads_per_block)) \
    X(2, B, int, maxThreadsDim, 3, i == 0 ? D(max_block_x) : i == 1 ? D(max_block_y) : D(max_block_z)) \
    X(5, B, int, maxGridSize, 3, i == 0 ? D(max_grid_x) : i == 1 ? D(max_grid_y) : D(max_grid_z)) \
    X(13, 12, int, clockRate, 1, D(clock_mhz) * 1000) \
    X(9, B, size_t, totalConstMem, 1, CONSTANT_BYTES) \
    X(75, B, int, major, 1, D(compute_capability) / 10) \
    X(76, B, int, minor, 1, D(compute_capability) % 10) \
    X(14, B, size_t, textureAlignment, 1, TEXTURE_ALIGN) \
    X(51, B, size_t, texturePitchAlignment, 1, TEXTURE_PITCH_ALIGN) \
    X(15, 12, int, deviceOverlap, 1, 1) \
    X(16, B, int, multiProcessorCount, 1, D(multiprocessors)) \
    X(17, 12, int, kernelExecTimeoutEnabled, 1, 0) \
    X(18, B, int, integrated, 1, 0) \
    X(19, B, int, canMapHostMemory, 1, 1) \
    X(20, 12, int, computeMode, 1, 0) \
    X(21, B, int, maxTexture1D, 1, TEXTURE_1D) \
    X(77, B, int, maxTexture1DMipmap, 1, TEXTURE_MIPMAP) \
    X(69, 12, int, maxTexture1DLinear, 1, 1 << 28) \
    X(22, B, int, maxTexture2D, 2, i == 0 ? TEXTURE_2D_WIDTH : TEXTURE_2D_HEIGHT) \
    X(73, B, int, maxTexture2DMipmap, 2, TEXTURE_MIPMAP) \
    X(70, B, int, maxTexture2DLinear, 3, i == 0 ? TEXTURE_PITCHED_WIDTH : i == 1 ? TEXTURE_PITCHED_HEIGHT : TEXTURE_PITCHED_PITCH) \
    X(45, B, int, maxTexture2DGather, 2, TEXTURE_MIPMAP) \
    X(24, B, int, maxTexture3D, 3, TEXTURE_3D) \
    X(47, B, int, maxTexture3DAlt, 3, i == 2 ? 2 * TEXTURE_3D : TEXTURE_3D_ALTERNATE) \
    X(52, B, int, maxTextureCubemap, 1, TEXTURE_LAYERED) \
    X(42, B, int, maxTexture1DLayered, 2, i == 0 ? TEXTURE_LAYERED : TEXTURE_LAYERS) \
    X(27, B, int, maxTexture2DLayered, 3, i == 2 ? TEXTURE_LAYERS : TEXTURE_LAYERED) \
    X(53, B, int, maxTextureCubemapLayered, 2, i == 0 ? TEXTURE_LAYERED : TEXTURE_LAYERS - 2) \
    X(55, B, int, maxSurface1D, 1, SURFACE_1D) \
    X(56, B, int, maxSurface2D, 2, i == 0 ? TEXTURE_2D_WIDTH : TEXTURE_2D_HEIGHT) \
    X(58, B, int, maxSurface3D, 3, TEXTURE_3D) \
    X(61, B, int, maxSurface1DLayered, 2, i == 0 ? TEXTURE_LAYERED : TEXTURE_LAYERS) \
    X(63, B, int, maxSurface2DLayered, 3, i == 2 ? TEXTURE_LAYERS : TEXTURE_LAYERED) \
    X(66, B, int, maxSurfaceCubemap, 1, TEXTURE_LAYERED) \
    X(67, B, int, maxSurfaceCubemapLayered, 2, i == 0 ? TEXTURE_LAYERED : TEXTURE_LAYERS - 2) \
    X(30, B, size_t, surfaceAlignment, 1, TEXTURE_ALIGN) \
    X(31, B, int, concurrentKernels, 1, 1) \
    X(32, B, int, ECCEnabled, 1, 0) \
    X(33, B, int, pciBusID, 1, 1) \
    X(34, B, int, pciDeviceID, 1, 0) \
    X(50, B, int, pciDomainID, 1, 0) \
    X(35, B, int, tccDriver, 1, 0) \
    X(40, B, int, asyncEngineCount, 1, 2) \
    X(41, B, int, unifiedAddressing, 1, 1) \
    X(36, 12, int, memoryClockRate, 1, MEMORY_KHZ) \
    X(37, B, int, memoryBusWidth, 1, BUS_BITS) \
    X(38, B, int, l2CacheSize, 1, D(l2_bytes)) \
    X(108, B, int, persistingL2CacheMaxSize, 1, PERSISTING_BYTES) \
    X(39, B, int, maxThreadsPerMultiProcessor, 1, D(max_threads_per_sm)) \
    X(78, B, int, streamPrioritiesSupported, 1, 1) \
    X(79, B, int, globalL1CacheSupported, 1, D(l1_bytes) > 0) \
    X(80, B, int, localL1CacheSupported, 1, D(l1_bytes) > 0) \
    X(81, B, size_t, sharedMemPerMultiprocessor, 1, D(shared_per_sm)) \
    X(82, B, int, regsPerMultiprocessor, 1, REGISTERS) \
    X(83, B, int, managedMemory, 1, 1) \
    X(84, B, int, isMultiGpuBoard, 1, 0) \
    X(85, B, int, multiGpuBoardGroupID, 1, 0) \
    X(86, B, int, hostNativeAtomicSupported, 1, 0) \
    X(87, 12, int, singleToDoublePrecisionPerfRatio, 1, 2) \
    X(88, B, int, pageableMemoryAccess, 1, 0) \
    X(89, B, int, concurrentManagedAccess, 1, 1) \
    X(90, B, int, computePreemptionSupported, 1, 1) \
    X(91, B, int, canUseHostPointerForRegisteredMem, 1, 0) \
    X(95, B, int, cooperativeLaunch, 1, 1) \
    X(96, 12, int, cooperativeMultiDeviceLaunch, 1, 0) \
    X(97, B, size_t, sharedMemPerBlockOptin, 1, D(shared_per_block_optin)) \
    X(100, B, int, pageableMemoryAccessUsesHostPageTables, 1, 0) \
    X(101, B, int, directManagedMemAccessFromHost, 1, 0) \
    X(106, B, int, maxBlocksPerMultiProcessor, 1, D(max_blocks_per_sm)) \
    X(109, B, int, accessPolicyMaxWindowSize, 1, WINDOW_BYTES) \
    X(111, B, size_t, reservedSharedMemPerBlock, 1, D(shared_reserved_per_block)) \
    X(99, B, int, hostRegisterSupported, 1, 1) \
    X(112, B, int, sparseCudaArraySupported, 1, 0) \
    X(113, B, int, hostRegisterReadOnlySupported, 1, 0) \
    X(114, B, int, timelineSemaphoreInteropSupported, 1, 0) \
    X(115, B, int, memoryPoolsSupported, 1, 1) \
    X(116, B, int, gpuDirectRDMASupported, 1, 0) \
    X(117, B, unsigned, gpuDirectRDMAFlushWritesOptions, 1, 0) \
    X(118, B, int, gpuDirectRDMAWritesOrdering, 1, 0) \
    X(119, B, unsigned, memoryPoolSupportedHandleTypes, 1, 0) \
    X(121, B, int, deferredMappingCudaArraySupported, 1, 0) \
    X(125, B, int, ipcEventSupported, 1, 0) \
    X(120, B, int, clusterLaunch, 1, 0) \
    X(0, B, int, unifiedFunctionPointers, 1, 0) \
    X(0, 12, int, reserved2, 2, 0) \
    X(0, 12, int, reserved1, 1, 0) \
    X(130, 13, int, deviceNumaConfig, 1, 0) \
    X(131, 13, int, deviceNumaId, 1, -1) \
    X(133, 13, int, mpsEnabled, 1, 0) \
    X(134, 13, int, hostNumaId, 1, -1) \
    X(139, 13, unsigned, gpuPciDeviceID, 1, 0) \
    X(140, 13, unsigned, gpuPciSubsystemID, 1, 0) \
    X(143, 13, int, hostNumaMultinodeIpcSupported, 1, 0) \
    X(0, 13, int, reserved, 56, 0) \
    X(0, 12, int, reserved, 60, 0)
// clang-format on

/* The memory clock follows from the bandwidth: two transfers per clock. */
#define BUS_BITS D(memory_bus_bits)
#define MEMORY_KHZ (D(dram_gbps) * 1e6 * 8 / 2 / (double)BUS_BITS)

#define IN_12_B(x) x
#define IN_12_12(x) x
#define IN_12_13(x)
#define IN_13_B(x) x
#define IN_13_12(x)
#define IN_13_13(x) x

struct properties_12 {
#define X(number, version, type, name, count, value) IN_12_##version(type name[count];)
    PROPERTY_LIST(X)
#undef X
};
struct properties_13 {
#define X(number, version, type, name, count, value) IN_13_##version(type name[count];)
    PROPERTY_LIST(X)
#undef X
};

#define FILL(type, name, count, value)                                                             \
    for (int i = 0; i < (count); i++)                                                              \
        properties->name[i] = (type)(value);

#define FILLER(version)                                                                            \
    static int fill_##version(struct properties_##version *properties, int number)                 \
    {                                                                                              \
        const struct device *device = runtime.device;                                              \
        if (number || !properties)                                                                 \
            return number ? ERROR_InvalidDevice : ERROR_InvalidValue;                              \
        PROPERTY_LIST(FILL_##version)                                                              \
        return 0;                                                                                  \
    }
#define FILL_12(number, version, type, name, count, value)                                         \
    IN_12_##version(FILL(type, name, count, value))
#define FILL_13(number, version, type, name, count, value)                                         \
    IN_13_##version(FILL(type, name, count, value))

FILLER(12)
FILLER(13)

_Static_assert(sizeof(struct properties_12) == 1032, "properties of CUDA 12");
_Static_assert(sizeof(struct properties_13) == 1008, "properties of CUDA 13");

/* In CUDA 12, the unversioned function fills the structure of CUDA 11, which is shorter. */
API_BODY(API_FUNCTION, cudaGetDeviceProperties_12, (void *properties, int number),
         (properties, number))
{
    struct properties_12 all;
    int error = properties ? fill_12(&all, number) : ERROR_InvalidValue;
    if (!error)
        memcpy(properties, &all, offsetof(struct properties_12, hostRegisterSupported));
    return error;
}

API_FUNCTION(cudaGetDeviceProperties_v2, (struct properties_12 * properties, int number),
             fill_12(properties, number))
API_FUNCTION(cudaGetDeviceProperties_13, (struct properties_13 * properties, int number),
             fill_13(properties, number))

enum { ATTRIBUTES_END = 148, VIRTUAL_MEMORY = 102, COMPRESSION = 107 }; /* not in cudaDeviceProp */

API_BODY(API_FUNCTION, cudaDeviceGetAttribute, (int *value, int attribute, int number),
         (value, attribute, number))
{
    const struct device *device = runtime.device;
    if (number)
        return ERROR_InvalidDevice;
    if (!value || attribute < 1 || attribute >= ATTRIBUTES_END)
        return ERROR_InvalidValue;
    *value = attribute == VIRTUAL_MEMORY ||
             (attribute == COMPRESSION && device->compute_capability >= 80);
#define X(first, version, type, name, count, element)                                              \
    for (int i = 0; i < (count) && (first); i++)                                                   \
        if (attribute == (first) + i)                                                              \
            *value = (int)(element);
    PROPERTY_LIST(X)
#undef X
    return 0;
}
